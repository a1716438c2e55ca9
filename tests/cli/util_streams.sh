#!/bin/bash
# Standard streams that are full or closed: what is not written is never a success, and no message
# ends up in a file.
. tests/lib.sh

for command in collect report export slice prune render doctor help version; do
	if "$VFLOW" $command --help >/dev/full 2>"$T/err"; then not_ok "$command --help, full"; else is "$command --help, full" "$? $(wc -l <"$T/err")" "1 1"; fi
	if "$VFLOW" $command --help >&- 2>"$T/err"; then not_ok "$command --help, closed"; else is "$command --help, closed" "$? $(wc -l <"$T/err")" "1 1"; fi
done
expect_exit 2 "version takes no operands" "$VFLOW" version x
expect_exit 2 "a mistyped command" "$VFLOW" reprot
is "a mistyped command: which was meant" "$(cat "$T/err")" "vflow: 'reprot' is not a command; did you mean 'report'? (see 'vflow help')"
expect_exit 2 "no command at all like it" "$VFLOW" help frobnicate
is "no command at all like it: none is named" "$(cat "$T/err")" "vflow: 'frobnicate' is not a command (see 'vflow help')"
expect_exit 2 "a mistyped option" "$VFLOW" prune --edgebyte=1M
is "a mistyped option: which was meant" "$(cat "$T/err")" \
	"vflow prune: unknown or ambiguous option --edgebyte; did you mean --edge-bytes? (see 'vflow prune --help')"
expect_exit 2 "a value for an option that has none" "$VFLOW" collect --quiet=1 true
is "a value for an option that has none: which" "$(cat "$T/err")" "vflow collect: --quiet takes no value (see 'vflow collect --help')"
expect_exit 2 "version has no options" "$VFLOW" version --bogus

# two graphs: the second one's line on stderr is written while the output is open
graph='digraph { v0 [kind=host]; v1 [kind=alloc]; v2 [kind=kernel]; v1 -> v2 [object=1, access=WRITE, bytes=8] }'
printf '%s\n%s\n' "$graph" "$graph" >"$T/two.dot"
expect_exit 0 "slice" "$VFLOW" slice --vertex 2 -o "$T/expected" "$T/two.dot"
"$VFLOW" slice --vertex 2 -o "$T/got" "$T/two.dot" <&- >&- 2>&-
is "slice with all streams closed" "$(cat "$T/got")" "$(cat "$T/expected")"

# the target finds its streams as vflow's caller left them
"$VFLOW" collect -q --device emulated -o "$T/s.db" sh -c 'echo lost; echo $? >&2' >&- 2>"$T/err"
is "a closed stdout stays closed in the target" "$(tail -n 1 "$T/err")" 1
expect_exit 0 "quotes in the command" collect "$T/q.db" printf '%s' "it's" 'a b' ''
is "... can be typed again" "$(sqlite3 "$T/q.db" 'SELECT command FROM run')" "printf %s 'it'\\''s' 'a b' ''"

# nobody reads stderr: what vflow, the guest and the emulator say there ends no program
exec 3> >(exit)
sleep 0.2
for lost in VFLOW_TRACE_DIR VFLOW_GUEST; do
	code=0
	"$VFLOW" collect --device emulated -o "$T/p.db" sh -c "$lost=/nonexistent exec $P/targets nothing" >"$T/out" 2>&3 || code=$?
	is "stderr without a reader, $lost" "$code $(cat "$T/out")" "7 no CUDA call"
	code=0
	"$VFLOW" collect --device emulated -o "$T/p.db" sh -c "$lost=/nonexistent exec $P/targets signals" 2>&3 || code=$?
	is "... and CUDA" "$code $(sqlite3 "$T/p.db" 'SELECT what FROM coverage') $(ls -d "$T"/p.db.trace* 2>/dev/null)" "0 processes "
done
# stderr is a file that may not grow: SIGXFSZ is as deadly
expect_exit 0 "neither trace nor stderr may grow" collect "$T/f.db" sh -c "ulimit -f 0; exec $P/targets signals"
is "... coverage tells of the process" "$(sqlite3 "$T/f.db" 'SELECT what FROM coverage')" trace
finish
