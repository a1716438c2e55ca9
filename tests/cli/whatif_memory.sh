#!/bin/bash
# `vflow whatif --free-after --alloc-before`: the peaks that the mended programs of
# tests/programs/memory_waste.c have, and peaks worked out from their calls by hand.
. tests/lib.sh
exec </dev/null

run() { # CASE [mended]
	collect "$T/$1${2:+-$2}.db" "$P/memory_waste" "$@" >"$T/out" 2>"$T/err" || cat "$T/err"
}
site() { # CASE NUMBER: the vertex that made this object
	sqlite3 "$T/$1.db" "SELECT site FROM object WHERE id = $2"
}
ask() { # CASE OPTION...: the bytes before, after; the calls
	"$VFLOW" whatif "${@:2}" -T json "$T/$1.db" >"$T/json" 2>"$T/err" || cat "$T/err"
	json_query "$T/json" "SELECT text->>'\$.peak_before.bytes', text->>'\$.peak_after.bytes', text->>'\$.peak_before.call', text->>'\$.peak_after.call' FROM json"
}
flaws() {
	json_query "$T/json" "SELECT text->>'\$.changed_objects', text->>'\$.changed_bytes', text->>'\$.accessed_outside', text->>'\$.unaccessed_objects' FROM json"
}
M=1048576

# allocate a, b; fill, fetch, release b; fill, fetch, release a
run early
a=$(site early 1) b=$(site early 2)
is "early: before the first access" "$(ask early --alloc-before "$a")" "$((2 * M)) $M 2 2"
is "early: one object of 1M, nothing wrong" "$(flaws)" "1 $M 0 0"
is "early: before the sixth call, b is gone" "$(ask early --alloc-before o1=6)" "$((2 * M)) $M 2 2"
is "early: before the fifth, b is there" "$(ask early --alloc-before "$a=5")" "$((2 * M)) $((2 * M)) 2 5"
is "early: freed after the first call" "$(ask early --free-after "$a=1")" "$((2 * M)) $M 2 1"
is "... but it is accessed later" "$(flaws)" "1 $M 1 0"
is "early: both at once" "$(ask early --alloc-before "$a,$b=1" --free-after "$b=7")" "$((2 * M)) $((2 * M)) 2 6"
is "early: an object's own change goes before its site's, and the last one holds" "$(ask early --alloc-before "$a=1,o1=2,o1=6")" "$((2 * M)) $M 2 2"
like "text" "$("$VFLOW" whatif --alloc-before "$a" "$T/early.db" | tr -s ' \n' ' ')" \
	'^peak 2.0M, at API call 2 after 1.0M, at API call 2: 1.0M less \(50.0%\) 1 object is there at other times, 1.0M in all $'

# allocate, fill, fetch a; allocate b of half the size, ...; release a
run late
run late mended
is "late: as the mended program" "$(ask late --free-after o1 | cut -d ' ' -f 2)" \
	"$("$VFLOW" whatif --free-after o1 -T json "$T/late-mended.db" >"$T/json" && json_query "$T/json" "SELECT text->>'\$.peak_before.bytes' FROM json")"
run unused
unused=$(sqlite3 "$T/unused.db" "SELECT object FROM lifetime WHERE accesses = 0")
ask unused --free-after "o$unused" >/dev/null
is "unused: there is no access to follow" "$(flaws)" "0 0 0 1"

for bad in "--free-after x" "--free-after 1=" "--free-after 1=0" "--free-after o0" "--free-after 1=2us" "--alloc-before 1=99999999999999999999" \
	"--free-after 1 --without 2" "--free-after 1 -T svg" "--alloc-before 1 --estimate diogenes"; do
	# shellcheck disable=SC2086
	expect_exit 2 "misuse: $bad" "$VFLOW" whatif $bad "$T/early.db"
done
expect_exit 1 "a vertex that allocates nothing" "$VFLOW" whatif --free-after 4000 "$T/early.db"
is "... is said" "$(cat "$T/err")" "vflow whatif: --free-after 4000: vertex 4000 allocated no memory of the device"
expect_exit 1 "no object" "$VFLOW" whatif --free-after o77=3 "$T/early.db"
is "... is said" "$(cat "$T/err")" "vflow whatif: --free-after o77: it is no object in memory of the device"
finish
