#!/bin/bash
# What `vflow collect` does around the target: finding it, its environment, its streams, signals
# and exit code, and the files before and after.
. tests/lib.sh
VFLOW=$(realpath "$VFLOW")
BUILD=$(realpath "$BUILD")
ROOT=$PWD
targets=$BUILD/programs/targets
mounts=()
clean() {
	for m in "${mounts[@]}"; do umount "$m"; done
	rm -rf "$T"
}
trap clean EXIT
cd "$T" || exit 1
# `vflow collect ARGS` must exit with CODE; leaves its output in ./out and ./err
run() { # CODE NAME ARGS...
	local code=0 expected=$1 name=$2
	shift 2
	"$VFLOW" collect "$@" >out 2>err </dev/null || code=$?
	if [ $code = "$expected" ]; then ok "$name"; else not_ok "$name" "exit code $code, not $expected: $*"$'\n'"$(head -c 2000 err)"; fi
}
lines() { wc -l <"$1"; }
# in tests/lib.sh `like` takes a regex; here it is plain text
has() { # NAME TEXT PART
	if [[ $2 == *"$3"* ]]; then ok "$1"; else not_ok "$1" "not found: $3"$'\n'"in: $2"; fi
}
same() { # NAME FILE FILE
	if cmp -s "$2" "$3"; then ok "$1"; else not_ok "$1" "$2 and $3 differ"; fi
}

# -- what cannot run: said before anything is made
mkdir folder
printf '#!/nonexistent/sh\n' >bad_script
printf '#!%s/result/loop\n' "$T" >loop
printf '\x7fELF\x01\x01\x01' >elf32
head -c 64 /dev/zero | tr '\0' '\1' >>elf32
printf '\0\1\2\3' >garbage
echo 'echo "text $1"; exit 9' >text_script
touch plain
chmod +x bad_script loop elf32 garbage text_script
mkdir result && cd result || exit 1
mv ../folder ../bad_script ../loop ../elf32 ../garbage ../text_script ../plain .
run 127 "missing file" ./missing
has "... says so" "$(cat err)" "No such file"
run 127 "missing program in PATH" no-such-program-of-vflow
has "... says so" "$(cat err)" "PATH"
run 126 "folder" ./folder
has "... says so" "$(cat err)" "directory"
run 126 "no execute permission" ./plain
run 126 "no known format" ./garbage
run 127 "script without interpreter" ./bad_script
has "... says so" "$(cat err)" "interpreter"
run 126 "script that interprets itself" "$T/result/loop"
run 125 "32-bit program" ./elf32
has "... says so" "$(cat err)" "32-bit"
if [ ! -e /dev/nvidiactl ]; then
	run 125 "--device gpu without a GPU" --device gpu /bin/true
	has "... says what to do" "$(cat err)" "emulated"
fi
run 2 "no program"
is "... in one line" "$(lines err)" 1
run 2 "unknown device" --device warp /bin/true
run 2 "unknown pass" --passes flow,warp /bin/true
is "... which there are" "$(cat err)" "vflow collect: --passes takes a list of access,calls,flow,stalls,time,use,values,waits, not 'warp' (see 'vflow collect --help')"
run 2 "a pass without the one that it needs" --passes flow,waits /bin/true
has "... which that is" "$(cat err)" "waits needs time: name both"
run 2 "no pass" --passes '' /bin/true
run 2 "--kernel that is no regular expression" --kernel 'a(b' /bin/true
has "... says where" "$(cat err)" "'a(b' is no regular expression: missing closing parenthesis, at byte 3"
is "... in one line" "$(lines err)" 1
run 2 "--kernel that is empty" --kernel '' /bin/true
run 2 "--sample-kernels 0" --sample-kernels 0 /bin/true
has "... says what it may be" "$(cat err)" "--sample-kernels is 1 or more"
run 2 "--sample-blocks 0" --sample-blocks 0 /bin/true
run 2 "--sample-kernels of no number" --sample-kernels two /bin/true
run 2 "--memory-limit of no size" --memory-limit much /bin/true
run 2 "--from-trace with a program" --from-trace . /bin/true
run 125 "--from-trace without traces" --from-trace folder
is "nothing was left behind" "$(ls)" "$(printf '%s\n' bad_script elf32 err folder garbage loop out plain text_script | LC_ALL=C sort)"
"$VFLOW" collect --help >out 2>err
is "--help: stdout only" "$? $(lines err) $(head -c 20 out)" "0 0 usage: vflow collect"

# -- static programs
echo "int main(void){return 3;}" >t.c
if $CC -static -o static t.c 2>/dev/null; then
	run 125 "static program" ./static
	is "... before it starts" "$(ls vflow.db* 2>/dev/null)" ""
	has "... names the way out" "$(cat err)" "--device gpu"
	run 3 "... but a shell may start it" sh -c ./static
else
	skip "static program" "no static libc here"
fi

# -- streams, environment, exit codes
printf 'line\0with NUL\n\xff\xfe' >input
cat >child.sh <<'END'
#!/usr/bin/env -S bash -e
cat
echo "to stderr" >&2
exit 17
END
chmod +x child.sh
./child.sh <input >expected 2>expected_err
"$VFLOW" collect --quiet ./child.sh <input >out 2>err
is "exit code of a script" $? 17
same "stdin and stdout byte by byte" out expected
same "stderr byte by byte" err expected_err
run 9 "text without #! is run by sh" ./text_script argument
is "... with its arguments" "$(cat out)" "text argument"
run 0 "arguments that look like options" --quiet -- printf '%s|' -o x --device '' 'a b'
is "... arrive unchanged" "$(cat out)" "-o|x|--device||a b|"
run 0 "PATH lookup" sh -c 'echo $0'
is "... argv[0] as given" "$(cat out)" sh
LD_PRELOAD=/nonexistent/users.so VFLOW_DIGESTS=0 "$VFLOW" collect -q sh -c 'env' 2>err >out
has "the user's own LD_PRELOAD comes before ours" "$(grep ^LD_PRELOAD out)" "/nonexistent/users.so:$BUILD/lib/emulator/libcuda.so.1:"
has "the guest" "$(grep ^VFLOW_GUEST out)" "libvflow-guest.so"
has "the trace folder" "$(grep ^VFLOW_TRACE_DIR out)" "$T/result/vflow.db.trace"
is "the pass" "$(grep ^VFLOW_PASS out)" "VFLOW_PASS=flow"
is "digests are on" "$(grep ^VFLOW_DIGESTS out)" ""
"$VFLOW" collect -q --no-duplicates env 2>err >out
is "--no-duplicates" "$(grep ^VFLOW_DIGESTS out)" "VFLOW_DIGESTS=0"
VFLOW_KERNEL=users VFLOW_SAMPLE_KERNELS=7 "$VFLOW" collect -q --sample-blocks 3 --memory-limit 2K env 2>err >chosen
is "the options that choose" "$(grep -E '^VFLOW_(KERN|SAMP|MEM)' chosen | sort | tr '\n' ' ')" "VFLOW_MEMORY_LIMIT=2048 VFLOW_SAMPLE_BLOCKS=3 "
"$VFLOW" collect -q --kernel 'a|b c' --sample-kernels 10 env 2>err >chosen
is "... the others" "$(grep -E '^VFLOW_(KERN|SAMP|MEM)' chosen | sort | tr '\n' ' ')" "VFLOW_KERNEL=a|b c VFLOW_SAMPLE_KERNELS=10 "
is "nothing else is new in the environment" \
	"$(diff <(env | sed 's/=.*//' | sort -u) <(sed 's/=.*//' out | sort -u) | grep '^>' | tr -d '\n> ' | sed 's/LD_PRELOAD//; s/LSAN_OPTIONS//')" "NVTX_INJECTION64_PATHVFLOW_DIGESTSVFLOW_GUESTVFLOW_PASSVFLOW_TRACE_DIR"
"$VFLOW" collect -q sh -c 'ls /proc/self/fd | wc -l' >out 2>err </dev/null
sh -c 'ls /proc/self/fd | wc -l' >expected 2>err </dev/null
is "no descriptor of ours is inherited" "$(cat out)" "$(cat expected)"

# -- signals
run 137 "kill -9" sh -c 'kill -9 $$'
has "... is said" "$(cat err)" "signal 9"
run 134 "abort" sh -c 'kill -ABRT $$'
if [ -z "$ASAN" ]; then
	run 139 "segmentation fault" sh -c 'kill -SEGV $$'
else
	skip "segmentation fault" "the address sanitizer handles it"
fi
cat >catch.sh <<'END'
#!/bin/bash
trap 'echo caught; exit 33' TERM
echo $$ >ready
for _ in $(seq 400); do sleep 0.05; done
END
chmod +x catch.sh
"$VFLOW" collect -q -o term.db ./catch.sh >out 2>err &
vflow=$!
for _ in $(seq 200); do [ -s ready ] && break; sleep 0.05; done
kill -TERM $vflow
wait $vflow
is "SIGTERM is passed on, vflow waits" "$? $(cat out) $(ls term.db 2>&1)" "33 caught term.db"
# timeout(1) sends its signal to vflow, then to its group: by then vflow may be at work on the profile
"$VFLOW" collect -q -o again.db "$targets" interrupted_dies ready1 >out 2>err &
vflow=$!
for _ in $(seq 200); do [ -s ready1 ] && break; sleep 0.05; done
while kill -TERM $vflow 2>/dev/null; do :; done &
wait $vflow
is "a SIGTERM that comes again and again does not cost the profile" "$? $(ls -d again.db* | tr '\n' ' ')" "143 again.db "
wait
# a core is wanted of the target, not of vflow that ends by the same signal
ulimit -S -c unlimited 2>/dev/null
if [ "$(perl -e 'system qw(sh -c), q(kill -QUIT $$); print $? & 128')" = 128 ]; then
	is "SIGQUIT: vflow ends by it, without a core" "$(perl -e '
		exec @ARGV if !($vflow = fork);
		for (1 .. 400) { last if -s "ready4"; select undef, undef, undef, 0.05 }
		kill QUIT => $vflow;
		waitpid $vflow, 0;
		print $? & 127, " ", $? & 128' "$VFLOW" collect -q -o quit.db --device emulated \
		sh -c 'echo ready >ready4; exec sleep 60' 2>err)" "3 0"
else
	skip "SIGQUIT: vflow ends by it, without a core" "there are no cores here"
fi
ulimit -S -c 0
rm -f core*
# Ctrl-C on a terminal: SIGINT to the whole group.  The target is no bash script: bash loses one
# that comes around the start of a command substitution, 7 of 1500 in the first 10 ms.
interrupt() { # READY COMMAND: types Ctrl-C when the file READY is there
	(
		for _ in $(seq 400); do [ -s "$1" ] && break; sleep 0.05; done
		printf '\003'
		for _ in $(seq 400); do [ -e "$1.end" ] && break; sleep 0.05; done
	) | SHELL=$BASH script -qec "$2; touch $1.end" /dev/null >terminal 2>&1 # dash ends by any SIGINT
}
if have_terminal; then
	interrupt ready2 "'$VFLOW' collect -q -o int.db '$targets' interrupted ready2 >out; echo \$? >code"
	is "Ctrl-C reaches the target, once, and vflow writes the profile" \
	"$(cat code) $(cat out) $(ls int.db 2>&1)" "44 interrupts: 1 int.db"
	# system() waits without minding SIGINT
	interrupt ready3 "perl -e 'system @ARGV; print \$? & 127' '$VFLOW' collect -q -o died.db '$targets' interrupted_dies ready3 >out"
	is "Ctrl-C that ends the target ends vflow by the same signal, for shells to stop" \
	"$(cat out) $(ls died.db 2>&1)" "2 died.db"
else
	skip "Ctrl-C on a terminal" "there is no terminal (script(1), /dev/pts)"
fi
dispositions='grep -E "^Sig(Blk|Ign)" /proc/self/status'
run 0 "signals: blocked and ignored ones" sh -c "$dispositions"
is "... as without vflow" "$(cat out)" "$(sh -c "$dispositions")"

# -- the profile's place
rm -f vflow.db* ./*.db
run 5 "no CUDA call" --device emulated sh -c 'exit 5'
is "... one line" "$(lines err)" 1
has "... that says so" "$(cat err)" "no CUDA call"
is "... a profile, no trace" "$(ls -d vflow.db*)" "vflow.db"
first=$(md5sum <vflow.db)
run 0 "second run" -q /bin/true
is "... keeps the first as .old" "$(md5sum <vflow.db.old)" "$first"
is "--quiet is quiet" "$(cat err)" ""
run 6 "a name that looks like an option" -o -dash.db --device emulated "$targets" quick_exit
has "... is one in no command that is told" "$(cat err)" "see: vflow report ./-dash.db"
rm -f ./-dash.db
VFLOW_PROFILE=other.db run 6 "another profile is set" --device emulated "$targets" quick_exit
has "... the command that is told names this one" "$(cat err)" "see: vflow report vflow.db"
run 0 "auto" true
has "... says which device" "$(cat err)" "emulated device"
run 125 "output is a folder" -o folder sh -c 'touch started'
run 125 "output in a missing folder" -o missing/x.db sh -c 'touch started'
run 125 "output is a device" -o /dev/null sh -c 'touch started'
mkdir blocked.db.old
run 125 "the .old is a folder" -o blocked.db sh -c 'touch started'
run 125 "output in a folder that takes no files" -o /proc/vflow.db sh -c 'touch started'
is "/dev/null is still a device" "$(stat -c %F /dev/null)" "character special file"
long=$(printf 'n%.0s' {1..250})
run 125 "a name to which nothing can be added" -o "$long" sh -c 'touch started'
has "... says so" "$(cat err)" "$long: File name too long (choose another place with -o FILE)"
mkdir -p "$long/$long/$long/$long"
run 0 "a path of 1008 bytes, of which SQLite would take 512" -q -o "$long/$long/$long/$long/x.db" --device emulated true
is "... no trace is left" "$(ls "$long/$long/$long/$long") $(cat err)" "x.db "
is "... the profile can be read" "$("$VFLOW" export -T dot "$long/$long/$long/$long/x.db" >/dev/null 2>&1; echo $?)" 0
ln -s "$long/$long/$long/$long/x.db" link.db
is "... by way of a link, too" "$("$VFLOW" export -T dot link.db >/dev/null 2>&1; echo $?)" 0
rm -r "$long" link.db
mkdir readonly
if mount -t tmpfs -o ro tmpfs readonly 2>/dev/null; then
	mounts+=("$T/result/readonly")
	run 125 "read-only folder" -o readonly/x.db sh -c 'touch started'
	has "... says so" "$(cat err)" "Read-only file system"
elif [ "$(id -u)" != 0 ]; then
	chmod a-w readonly
	run 125 "read-only folder" -o readonly/x.db sh -c 'touch started'
	has "... says so" "$(cat err)" "Permission denied"
else
	skip "read-only folder" "root, and mount is not allowed"
fi
(ulimit -f 0 && exec "$VFLOW" collect -o limited.db sh -c 'touch started') 2>&1 >out | cat >err
has "output that may not grow" "$(cat err)" "cannot write limited.db: File too large"
is "... nothing is left" "$(ls -d limited* 2>/dev/null)" ""
is "no target was started for an output that cannot be written" "$(ls started 2>/dev/null)" ""

# -- the trace
run 125 "the program removes its trace" sh -c 'rm -r "$VFLOW_TRACE_DIR"; exit 5'
is "... nothing is said to be kept" "$(grep -c 'cannot read the folder' err) $(grep -c kept err)" "1 0"
mkdir taken.db.trace
run 0 "a taken trace folder" -o taken.db --keep-trace true
is "... is left alone" "$(ls taken.db.trace | wc -l; ls -d taken.db.trace*)" "$(printf '0\ntaken.db.trace\ntaken.db.trace-1')"
has "--keep-trace says where" "$(cat err)" "$T/result/taken.db.trace-1"
if [ -x "$targets" ]; then
	run 42 "a program with CUDA calls" --device emulated --keep-trace -o gpu.db "$targets" ok
	is "... stdout is its own" "$(cat out)" "to stdout"
	has "... summary" "$(cat err)" "4 operations, 2 edges"
	is "... one trace" "$(ls gpu.db.trace | grep -c '^[0-9]*\.trace$')" 1
	run 0 "--from-trace" --from-trace gpu.db.trace -o again.db
	for db in gpu again; do "$VFLOW" slice --vertex 3 $db.db >$db.dot 2>>err; done
	same "... gives the same graph" gpu.dot again.dot
	has "... that is one" "$(cat gpu.dot)" "v1 -> v3"
	ulimit -Sf 8
	run 125 "a limit of 8 KiB on files" --from-trace gpu.db.trace -o limited.db
	ulimit -Sf "$(ulimit -Hf)"
	has "... says so" "$(cat err)" "cannot write limited.db: File too large (choose another place with -o FILE)"
	is "... and leaves nothing" "$(ls -d limited* 2>/dev/null)" ""
	# a disk of 1 MiB: 20000 events need more
	mkdir small
	cat >many.c <<'END'
#include <cuda_runtime.h>
#include <stdio.h>
int main(void)
{
	void *p;
	if (cudaMalloc(&p, 64) != cudaSuccess)
		return 1;
	for (int i = 0; i < 20000; i++)
		if (cudaMemset(p, i & 1, 64) != cudaSuccess)
			return 2;
	puts("all done");
	return 21;
}
END
	emulator=$BUILD/lib/emulator
	printf '#include <cuda_runtime.h>\nint main(void) { int n; return cudaGetDeviceCount(&n); }\n' >ask.c
	$CC $ASAN -I "$ROOT/gpu/emulator/include" -o ask ask.c "$emulator/libcudart.so.13" "$emulator/libcuda.so.1" -Wl,-rpath,"$emulator" ||
		not_ok "ask.c is built"
	run 0 "a program that only asks" --device emulated ./ask
	has "... is told from one without CUDA" "$(cat err)" "CUDA was called, but no"
	if mount -t tmpfs -o size=1m tmpfs small 2>/dev/null; then
		mounts+=("$T/result/small")
		$CC $ASAN -I "$ROOT/gpu/emulator/include" -o many many.c "$emulator/libcudart.so.13" "$emulator/libcuda.so.1" -Wl,-rpath,"$emulator" ||
			not_ok "many.c is built"
		run 21 "full disk: the target's code" --device emulated -o small/x.db ./many
		is "... its output" "$(cat out)" "all done"
		has "... one line says that the trace is cut" "$(cat err)" "No space left on device"
		is "... coverage says where" "$(sqlite3 small/x.db "SELECT count(*) FROM coverage WHERE reason LIKE '%cut at offset%No space left%'")" 1
		written=$(sqlite3 small/x.db "SELECT max(invocations) FROM vertex WHERE kind = 'memset'")
		if [ "$written" -gt 1000 ] && [ "$written" -lt 20000 ]; then ok "... the graph up to there"; else not_ok "... the graph up to there" "$written sets"; fi
		rm -rf small/*
		cat /dev/zero >small/fill 2>err
		run 125 "disk that is full before" --device emulated -o small/z.db sh -c 'touch started'
		has "... says so" "$(cat err)" "cannot write small/z.db: No space left on device"
		is "... and nothing was started or left" "$(ls started small 2>/dev/null)" "$(printf 'small:\nfill')"
		rm -f small/fill
		# the program fills the disk, vflow's spare room included
		run 125 "no room for the profile" --device emulated -o small/y.db sh -c "'$targets' ok; truncate -s 0 small/y.db.trace/space*; cat /dev/zero >small/fill; exit 4"
		has "... names it" "$(cat err)" "no profile: cannot write small/y.db: No space left on device (choose"
		has "... and the trace" "$(cat err)" "--from-trace $T/result/small/y.db.trace"
		is "... no half a profile" "$(ls small)" $'fill\ny.db.trace'
		run 0 "... from which it can be built elsewhere" --from-trace small/y.db.trace -o y.db
		has "... whole" "$(cat err)" "4 operations, 2 edges"
	else
		skip "full disk" "mount is not allowed"
	fi
else
	skip "a program with CUDA calls" "$targets is not built"
fi
finish
