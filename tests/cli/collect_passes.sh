#!/bin/bash
# `vflow collect` with several passes: how often and in which order the program runs, what it finds
# there, and what stays when not all runs can be made.  vflow-passes has passes of the test's own:
# early, flow, one and two (which share a run), never (on a GPU only).
. tests/lib.sh
MAIN=$(realpath "$VFLOW")
PAGE=$PWD/collect/vflow-collect.1
VFLOW=$(realpath "$BUILD")/vflow-passes
targets=$(realpath "$BUILD")/programs/targets
cd "$T" || exit 1
# `collect ARGS` must exit with CODE; leaves its output in ./out and ./err
run() { # CODE NAME ARGS...
	local code=0 expected=$1 name=$2
	shift 2
	"$VFLOW" collect --device emulated "$@" >out 2>err </dev/null || code=$?
	if [ $code = "$expected" ]; then ok "$name"; else not_ok "$name" "exit code $code, not $expected: $*"$'\n'"$(head -c 2000 err)"; fi
}
script() { # FILE <TEXT
	{ echo '#!/bin/sh'; cat; } >"$1"
	chmod +x "$1"
}
coverage() { # DB: what is said of passes
	sqlite3 "$1" "SELECT reason FROM coverage WHERE what = 'passes' ORDER BY reason"
}
operations() { # DB
	sqlite3 "$1" "SELECT kind, invocations FROM vertex WHERE id > 0 ORDER BY id" | tr '\n' ' '
}
work='alloc|1 alloc|1 memset|1 memset|1 '

# -- which runs
script say.sh <<END
echo "\$VFLOW_PASS \${VFLOW_TRACE_DIR#"\$PWD"/} \${WORD_OF_PASS-unset} \${VFLOW_KERNEL-unset}"
exec '$targets' ok
END
VFLOW_KERNEL=users WORD_OF_PASS=users run 42 "four passes" --passes two,early,one,flow --word 'a b' --kernel . -o x.db --keep-trace ./say.sh
is "... run the program three times, in the table's order" "$(grep -v stdout out)" 'early x.db.trace/early a b unset
flow x.db.trace unset .
one,two x.db.trace/one,two unset unset'
is "... with its output each time" "$(grep -c 'to stdout' out) $(grep -c 'to stderr' err)" "3 3"
is "... and a line before each" "$(grep 'run ' err)" 'vflow: run 1 of 3: early
vflow: run 2 of 3: flow
vflow: run 3 of 3: one,two'
is "... each with a trace" "$(cd x.db.trace && find . -name '*.trace' | sed 's/[0-9][0-9]*/N/' | sort)" './N.trace
./early/N.trace
./one,two/N.trace'
is "... the graph is that of flow" "$(operations x.db)" "$work"
is "... nothing is missing" "$(coverage x.db)" ""
run 0 "--from-trace of three runs" --from-trace x.db.trace -o again.db
is "... the same graph" "$(operations again.db)" "$work"
run 42 "the same, quietly" -q --passes flow,one -o q.db ./say.sh
is "... says nothing" "$(grep -v 'to stderr' err)" ""
is "... and leaves no trace" "$(ls -d q.db*)" q.db
run 42 "one pass" -o o.db ./say.sh
is "... is one run without a line" "$(wc -l <out) $(grep -c 'run ' err)" "2 0"
run 42 "a pass that adds to no graph" --passes early --keep-trace -o e.db ./say.sh
is "... its trace lies where it always does" "$(cd e.db.trace && find . -name '*.trace' | sed 's/[0-9][0-9]*/N/')" ./early/N.trace
is "... and makes the graph" "$(operations e.db)" "$work"
is "... which coverage says" "$(coverage e.db)" "no pass that makes the graph left a trace; the operations are those that early saw"
run 0 "... --from-trace" --from-trace e.db.trace -o again.db
is "... makes it, too" "$(operations again.db)" "$work"

# -- what cannot be asked
run 2 "an unknown pass" --passes flow,warp ./say.sh
is "... which there are" "$(cat err)" "vflow collect: --passes takes a list of early,flow,one,two,noted,never, not 'warp' (see 'vflow collect --help')"
run 2 "an option of a pass that is left out" --passes flow,one --word x ./say.sh
is "... whose it is" "$(cat err)" "vflow collect: --word is an option of the pass early, which --passes leaves out (see 'vflow collect --help')"
run 125 "a pass that the device cannot make" --passes flow,never ./say.sh
like "... is named" "$(cat err)" '^vflow collect: --device emulated: the pass never cannot be made on the emulated device'
is "... before anything is started" "$(cat out)" ""
run 0 "--help" --help
like "... lists the passes" "$(cat out)" 'passes:
  early +runs before flow
  flow +how values flow'
like "... and their options" "$(cat out)" '--word WORD +for the program'
is "vflow's own passes are those of its manual" "$("$MAIN" collect --help | sed -n '/^passes:/,/^$/s/^  \([a-z]*\) .*/\1/p')" \
	"$(sed -n '/^.SH PASSES/,/^.PP/s/^\.B //p' "$PAGE")"

# -- standard input
script cat.sh <<END
cat
END
printf 'first\nsecond\n' >input
{ read -r _; "$VFLOW" collect -q --device emulated --passes flow,one -o i.db ./cat.sh; } <input >out 2>err
is "a file is read by each run from the same place" "$?$(cat out)" $'0second\nsecond'
"$VFLOW" collect --device emulated --passes flow,one -o p.db ./cat.sh < <(echo lost) >out 2>err
is "a pipe is refused" "$? $(cat out err)" "125 vflow collect: the passes need 2 runs of ./cat.sh, and standard input, a pipe, can be read by one only: give a file (< FILE), or nothing (< /dev/null)"
is "... before anything is made" "$(ls -d p.db* 2>&1)" "ls: cannot access 'p.db*': No such file or directory"
"$VFLOW" collect -q --device emulated --passes one,two -o p.db ./cat.sh < <(echo kept) >out 2>err
is "... but by one run" "$? $(cat out err)" "0 kept"
"$VFLOW" collect -q --device emulated --passes flow,one -o p.db ./say.sh <&- >out 2>err
is "no input at all" "$? $(grep -c stdout out)" "42 2"

# -- runs that differ
script differs.sh <<END
if [ -e differs.ran ]; then exit 4; fi
touch differs.ran
exec '$targets' ok
END
run 42 "the first run says the exit code" --passes flow,one -o d.db --keep-trace ./differs.sh
is "... and coverage that the second was another" "$(coverage d.db)" $'the run for one ended otherwise than the first one\nthe run for one left no trace'
is "... the graph is the first's" "$(operations d.db)" "$work"
run 0 "... --from-trace" --from-trace d.db.trace -o again.db
is "... knows what is missing" "$(coverage again.db)" "the run for one left no trace"
script silent.sh <<END
if [ -e silent.ran ]; then exit 1; fi
touch silent.ran
END
run 0 "no run that calls CUDA" --passes flow,one -o s.db ./silent.sh
is "... coverage says both" "$(sqlite3 s.db 'SELECT what FROM coverage' | tr '\n' ' ')" "processes passes "
script crash.sh <<END
if [ -e crash.ran ]; then kill -KILL \$\$; fi
touch crash.ran
exec '$targets' ok
END
run 42 "a later run that crashes" --passes flow,one -o c.db ./crash.sh
like "... is said" "$(cat err)" 'was ended by signal 9'
script gone.sh <<END
rm gone.sh
exec '$targets' ok
END
run 42 "a program that cannot be started again" --passes flow,one,two -o g.db ./gone.sh
like "... is said" "$(cat err)" 'vflow collect: cannot run ./gone.sh: No such file'
is "... the first run is kept" "$(operations g.db)" "$work"
is "... and what is missing" "$(coverage g.db)" "one,two: not recorded: the program could not be started again"
run 127 "a program that cannot be started at all" --passes flow,one -o n.db ./gone.sh
is "... leaves nothing" "$(ls -d n.db* 2>/dev/null)" ""
run 125 "a program that removes its traces" --passes flow,one -o r.db sh -c 'rm -rf "$VFLOW_TRACE_DIR"'
like "... is said" "$(cat err)" "cannot read the folder $T/r.db.trace"

# -- signals
script wait.sh <<END
trap 'echo caught; exit 33' TERM
trap 'echo >>usr1' USR1
echo \$\$ >pid
echo \$VFLOW_PASS >>ready
if [ \$VFLOW_PASS = early ]; then exit 33; fi
while :; do sleep 0.05; done
END
await() { # FILE TEXT
	for _ in $(seq 400); do grep -qs "$2" "$1" && return; sleep 0.05; done
	not_ok "$1 says $2" "$(cat "$1" 2>&1)"
}
start() { # ARGS...: leaves its process in $vflow
	rm -f ready
	"$VFLOW" collect -q --device emulated "$@" >out 2>err </dev/null &
	vflow=$!
}
start --passes early,flow,one -o t.db ./wait.sh
await ready flow
kill -TERM $vflow
wait $vflow
is "SIGTERM in the second run: no third one" "$? $(cat out) $(tr '\n' ' ' <ready)" "33 caught early flow "
is "... and coverage says so" "$(coverage t.db)" "one: not recorded: the program was stopped before"
script die.sh <<END
echo \$VFLOW_PASS >>ready
if [ \$VFLOW_PASS = flow ]; then exec '$targets' ok; fi
exec sleep 60
END
start --passes flow,one -o u.db ./die.sh
await ready one
kill -TERM $vflow
wait $vflow
is "SIGTERM that ends the second run ends vflow alike" "$?" 143
is "... and what the first gave is there" "$(operations u.db) $(coverage u.db)" "$work the run for one ended otherwise than the first one
the run for one left no trace"
is "... without its trace" "$(ls -d u.db*)" u.db
start --passes flow,one -o v.db ./wait.sh
await ready flow
kill -USR1 $vflow
await usr1 ''
kill -TERM "$(cat pid)"
await ready one
kill -TERM "$(cat pid)"
wait $vflow
is "SIGUSR1, or a program that is ended, stops no other run" "$? $(tr '\n' ' ' <ready)" "33 flow one "
# Ctrl-C in a terminal, or a process group, that is the program's own: vflow is not sent it
script interrupted.sh <<END
echo \$VFLOW_PASS >>ready
'$targets' ok
[ \$VFLOW_PASS != flow ] || kill -INT \$\$
exit 42
END
rm -f ready
run 42 "a program that ends by SIGINT after the first run" -q --passes early,flow,one -o i.db ./interrupted.sh
is "... no further run" "$(tr '\n' ' ' <ready)$(coverage i.db | grep -v otherwise)" "early flow one: not recorded: the program was stopped before"
is "... what the first gave is there" "$(operations i.db)" "$work"
script launched.sh <<END
echo \$VFLOW_PASS >>ready
'$targets' ok
exit 130
END
rm -f ready
run 130 "a shell that says that its command did" -q --passes flow,one -o l.db ./launched.sh
is "... no further run" "$(tr '\n' ' ' <ready)$(coverage l.db)" "flow one: not recorded: the program was stopped before"
# between two runs: vflow cannot go on, as nobody reads what it says of the first one's end
mkfifo full
exec 3<>full
script fill.sh <<'END'
echo $$ >pid
echo $VFLOW_PASS >>ready
exec perl -MFcntl -e 'fcntl STDERR, F_SETFL, O_WRONLY | O_NONBLOCK;
	for $size (4096, 1) { 1 while syswrite STDERR, "x" x $size }
	fcntl STDERR, F_SETFL, O_WRONLY;
	kill KILL => $$'
END
rm -f ready
"$VFLOW" collect --device emulated --passes flow,one -o b.db ./fill.sh >out 2>full </dev/null &
vflow=$!
await ready flow
while kill -0 "$(cat pid)" 2>/dev/null; do sleep 0.05; done
kill -TERM $vflow
sleep 0.2
cat <&3 >err &
reader=$!
wait $vflow
is "SIGTERM between two runs ends vflow, with a profile" "$? $(cat ready) $(coverage b.db)" "143 flow one: not recorded: the program was stopped before"
kill $reader
exec 3<&-
finish
