#!/bin/bash
# `vflow collect --all`: the passes in their order, what each took, and the budget.
. tests/lib.sh
P=$(realpath "$P") tree=$PWD libraries=$(realpath "$BUILD")/lib/emulator
cd "$T" || exit 1
exec </dev/null # each run reads it

all() { # ARGS...: stdout to out, what vflow says to err
	"$VFLOW" collect --all --device emulated "$@" >out 2>err
}
script() { # NAME <TEXT
	{ echo '#!/bin/sh'; cat; } >"$1"
	chmod +x "$1"
}
coverage() { # DB: of passes
	sqlite3 "$1" "SELECT reason FROM coverage WHERE what = 'passes'"
}
plain() { # what vflow says, without seconds
	sed 's/[0-9]*\.[0-9]* s/N s/; s/[0-9]*\.[0-9]* times/N times/' err
}

all -o a.db "$P/timeline" events
is "all passes, in their order" "$? $(plain)" "0 vflow: run 1 of 4: time,waits
vflow: time,waits took N s
vflow: run 2 of 4: access,flow
vflow: access,flow took N s, N times the run for the first pass
vflow: run 3 of 4: use
vflow: use took N s, N times the run for the first pass
vflow: run 4 of 4: values
vflow: values took N s, N times the run for the first pass
vflow: 6 operations, 4 edges, 5 findings -> a.db; see: vflow report a.db"
is "one profile of all" "$(sqlite3 a.db "SELECT group_concat(name), sum(makes_graph) FROM (SELECT * FROM pass ORDER BY name)")" "access,flow,time,use,values,waits|2"
"$VFLOW" collect -q --device emulated --passes flow,time,waits -o b.db "$P/timeline" events >out
for table in vertex edge timeline wait gpu_time; do
	is "... as if they were named: $table" "$(sqlite3 a.db "SELECT * FROM $table" | sed 's/|[0-9]*$//' | cksum)" "$(sqlite3 b.db "SELECT * FROM $table" | sed 's/|[0-9]*$//' | cksum)"
done
all -q -o c.db "$P/timeline" events
is "quiet" "$? $(cat err)" "0 "

# -- the budget: a program that takes long for the first pass, and shorter for the others
script slow <<END
echo \$VFLOW_PASS \$VFLOW_SAMPLE_KERNELS \$VFLOW_VALUE_LAUNCHES >>runs
if [ \$VFLOW_PASS = time,waits ]; then sleep 0.5; fi
exec '$P/timeline' events
END
budget() { # LIMIT: what the runs were
	rm -f runs
	all --budget "$1" -o d.db ./slow || cat err
	tr '\n' ' ' <runs
}
is "enough" "$(budget 100x)" "time,waits access,flow use values "
is "enough, as a time" "$(budget 1m)" "time,waits access,flow use values "
# 2 times 0.5 s less the first run leave 0.5 s; flow is taken for 5 times 0.5 s, values for 20 times
like "less: fewer launches" "$(budget 2x)" "^time,waits access,flow 5 values [2-9][0-9] \$"
is "... and no pass that does not fit" "$(coverage d.db)" "use: not recorded: it would take more than --budget allows"
is "... which is said" "$(sed -n 3p err)" "vflow: run 2 of 4: access,flow; to keep to --budget, one launch in 5 of each kernel and call path"
is "nothing left: the graph is made all the same" "$(budget 1x)" "time,waits access,flow 1000 "
is "... as the user has it" "$(rm -f runs; all --budget 2x --sample-kernels 7 --value-launches 90 -o d.db ./slow; tr '\n' ' ' <runs)" "time,waits access,flow 7 "

# -- a budget where kernels were timed: of one call path 100 launches, of another 2
cat >kernels.c <<'C'
#include "tests/advice/program.h"
int main(void)
{
	float *a;
	CHECK(cudaMalloc((void **)&a, 65536 * 4));
	CHECK(cudaMemset(a, 0, 65536 * 4));
	for (int i = 0; i < 100; i++)
		LAUNCH(shift, 1, 256, a, 1.0f, 256);
	for (int i = 0; i < 2; i++)
		LAUNCH(shift, 256, 256, a, 1.0f, 65536);
	CHECK(cudaDeviceSynchronize());
	print_checksum("a", a, 0);
	return 0;
}
C
"$CC" -std=gnu11 -g -D_GNU_SOURCE -I"$tree" -I"$tree/gpu/emulator/include" $ASAN -o kernels kernels.c "$libraries"/{libcudart.so.13,libcuda.so.1} -Wl,-rpath,"$libraries" -lm 2>log || not_ok "build" "$(cat log)"
script kernels.sh <<END
echo \$VFLOW_PASS \$VFLOW_SAMPLE_KERNELS \$VFLOW_SAMPLE_LAUNCHES \$VFLOW_USE_WAITS >>runs
cd '$tree'
exec '$T/kernels'
END
rm -f runs
all --budget 5x -o k.db ./kernels.sh || cat err
# flow adds four times the program's own work, of which three quarters fit: as much of the GPU's time for kernels
each=$(sqlite3 k.db "SELECT time_ns / invocations FROM vertex WHERE kind = 'kernel' AND invocations = 100")
large=$(sqlite3 k.db "SELECT time_ns FROM vertex WHERE kind = 'kernel' AND invocations = 2")
launches=$((((100 * each + large) * 3 / 4 - large) / each))
is "kernels that were timed: the first launches of each" "$(sed -n 2p runs | tr -s ' ')" "access,flow $launches"
is "... which is said" "$(grep 'run 2' err)" "vflow: run 2 of 4: access,flow; to keep to --budget, the first $launches launches of each kernel and call path, and few later ones"
is "... those that were not analysed" "$(sqlite3 k.db "SELECT sum(invocations) FROM unseen")" "$((99 - launches + ($launches > 64)))"
is "... are told" "$(sqlite3 k.db "SELECT count FROM coverage WHERE reason LIKE '--budget left them out%'")" "$((99 - launches + ($launches > 64)))"

rm -f runs
all -o w.db ./kernels.sh || cat err
is "waits that matter" "$(sed -n 3p runs | tr -s ' ')" "use cudaDeviceSynchronize"
# only operations on the host's side: nothing waits
cat >nothing.c <<'C'
#include "cuda_runtime_api.h"
int main(void)
{
	void *a;
	return cudaMalloc(&a, 4096) || cudaMemset(a, 0, 4096);
}
C
"$CC" -I"$tree/gpu/emulator/include" $ASAN -o nothing nothing.c "$libraries/libcudart.so.13" -Wl,-rpath,"$libraries" 2>log || not_ok "build" "$(cat log)"
all -o n.db ./nothing || cat err
like "no wait that matters" "$(coverage n.db)" "^use: not recorded: no function's waits took a hundredth of the time from the first to the last operation"

# -- the end
script stop <<END
echo \$VFLOW_PASS >>ready
'$P/timeline' events
if [ \$VFLOW_PASS = "\$1" ]; then kill -INT \$PPID; sleep 0.2; fi
END
rm -f ready
all -o e.db ./stop time,waits
is "Ctrl-C in the first run" "$(cat ready)" "time,waits"
is "... keeps what it gave" "$(coverage e.db)" "access,flow,use,values: not recorded: the program was stopped before
no pass that makes the graph left a trace; the operations are those that time,waits saw"
script differs <<END
if [ \$VFLOW_PASS = access,flow ]; then exec '$P/timeline' pageable; fi
exec '$P/timeline' events
END
all -o f.db ./differs
like "runs that differ" "$(coverage f.db | head -1)" "time,waits: [0-9]* calls? of operations that only"

# -- misuse
misuse() { # WHAT SAYS ARGS...
	"$VFLOW" collect "${@:3}" true 2>err
	is "$1" "$? $(cat err)" "2 vflow collect: $2 (see 'vflow collect --help')"
}
misuse "two lists" "--all and --passes exclude each other" --all --passes flow
misuse "a budget of one pass" "--budget is of --all" --budget 3x
for wrong in '' 0x -3x 10 10y 1e400s nanx 3xx; do
	misuse "no budget: '$wrong'" "--budget is a time (90s, 5m, 2h) or a multiple of the first run (10x), not '$wrong'" --all --budget "$wrong"
done
finish
