#!/bin/bash
# What a killed launcher leaves beside its output, and what the next one makes of it.
. tests/lib.sh
VFLOW=$(realpath "$VFLOW") BUILD=$(realpath "$BUILD")
targets=$BUILD/programs/targets
cd "$T" || exit 1
begin() { # COMMAND...: starts a collection of it and waits until the target runs
	rm -f ready
	"$VFLOW" collect -q --device emulated -o run.db "$@" >/dev/null 2>&1 &
	launcher=$!
	for _ in $(seq 400); do [ -s ready ] && break; sleep 0.05; done
}
old() { # as if a minute had passed
	find run.db* -type f -exec touch -d '1 minute ago' {} +
}
after() { # what is there after another collection
	"$VFLOW" collect --device emulated -o run.db "$BUILD/programs/figure3" >/dev/null 2>err
	ls -d run.db* | paste -sd' '
}
cat >uses.c <<'END'
#include <cuda_runtime_api.h>
#include <stdio.h>
#include <unistd.h>
int main(void)
{
	void *p;
	FILE *ready;
	cudaMalloc(&p, 4096);
	cudaMemset(p, 1, 4096);
	ready = fopen("ready", "w");
	fputs("1", ready);
	fclose(ready);
	sleep(30);
	return 0;
}
END
"$CC" $ASAN -I"$OLDPWD/gpu/emulator/include" -o "uses-$$" uses.c "$BUILD/lib/emulator/libcudart.so.13" -Wl,-rpath,"$BUILD/lib/emulator" || not_ok "build"

begin "./uses-$$"
kill -KILL $launcher
wait $launcher 2>/dev/null
pkill -KILL -f "^./uses-$$" 2>/dev/null
sleep 0.2
old
is "a killed launcher leaves its trace" "$(ls -d run.db*)" run.db.trace
is "... of which the next one says how a profile is made" "$(after)|$(grep -c "run.db.trace is of a run that was killed: 'vflow collect --from-trace run.db.trace' makes a profile of it, else remove it" err)" "run.db run.db.trace|1"
is "... once" "$(after)|$(grep -c killed err)" "run.db run.db.old run.db.trace|0"
expect_exit 0 "... and that is so" "$VFLOW" collect -q --from-trace run.db.trace -o from.db
is "... with what the program had done" "$("$VFLOW" query -T csv 'MATCH (v:memset) RETURN v.written_bytes' from.db | tail -n 1 | tr -d '\r')" 4096
rm -rf run.db*

# nothing was traced yet: the folder goes; so does half of a profile; other files stay
mkdir run.db.trace-3
truncate -s 1000 run.db.trace-3/space-for-the-profile run.db.123.tmp run.db.x.tmp run.db.tmp
mkdir run.db.trace-kept run.db.trace-4
old
is "what is of no use is removed, what is somebody else's is not" "$(after)|$(grep -c killed err)" "run.db run.db.tmp run.db.trace-4 run.db.trace-kept run.db.x.tmp|0"
rm -rf run.db*

# the launcher lives
begin "./uses-$$"
old
truncate -s 1000 run.db.123.tmp
is "a living launcher's trace stays, and what is younger than ten seconds" "$(after)|$(cat err)" \
	"run.db.123.tmp run.db.trace|vflow collect: cannot write run.db: another vflow collect is writing it (choose another place with -o FILE)"
expect_exit 125 "... another program for that profile is not even started" "$VFLOW" collect --device emulated -o ./run.db touch started
expect_exit 125 "... nor is one made of a trace" "$VFLOW" collect --from-trace run.db.trace -o run.db
expect_exit 0 "... other profiles are not in the way" "$VFLOW" collect -q --device emulated -o run.db2 "$BUILD/programs/figure3"
is "... nothing is left of it" "$(ls -d run.db* started 2>/dev/null | paste -sd' ')" "run.db.123.tmp run.db.trace run.db2"
rm run.db2
pkill -KILL -f "^./uses-$$"
wait $launcher
is "... and it makes its profile" "$("$VFLOW" query -T csv 'MATCH (v:memset) RETURN v.written_bytes' run.db | tail -n 1 | tr -d '\r') $(ls -d run.db* | paste -sd' ')" "4096 run.db run.db.123.tmp"
rm -rf run.db*

# six at once: who is refused has started nothing, the others have each made a profile
for i in 1 2 3 4 5 6; do
	(
		"$VFLOW" collect -q --device emulated -o six.db sh -c "touch started.$i; exec $BUILD/programs/figure3" >/dev/null 2>"err.$i"
		echo $? >"code.$i"
	) &
done
wait
told=
for i in 1 2 3 4 5 6; do
	case "$(cat "code.$i") $(ls "started.$i" 2>/dev/null) $(cat "err.$i")" in
	"0 started.$i ") told+=m ;;
	"125  vflow collect: cannot write six.db: another vflow collect is writing it (choose another place with -o FILE)") told+=r ;;
	*) told+="$i: $(cat "code.$i" "err.$i")" ;;
	esac
done
like "six at once: all are made or refused, one at least is made" "$told" '^r*m[mr]*$'
is "... and nothing but profiles is left" "$(ls -d six.db* | grep -vx 'six.db\|six.db.old')|$("$VFLOW" stat six.db | grep -c .)" "|$("$VFLOW" stat six.db | grep -c .)"
finish
