#!/bin/bash
# Records from a provider to the profile: the guest writes them, the builder knows those it can.
. tests/lib.sh
guest=$(realpath "$BUILD")/lib/libvflow-guest.so
[ -n "$ASAN" ] && export ASAN_OPTIONS=${ASAN_OPTIONS:-}:verify_asan_link_order=0
# shellcheck disable=SC2086
$CC -std=gnu11 -D_GNU_SOURCE -g -I. ${ASAN:-} -o "$T/play" tests/cli/collect_records.c -ldl || { not_ok "compiler"; finish; }

mkdir "$T/trace"
expect_exit 0 "a provider delivers records" env VFLOW_TRACE_DIR="$T/trace" "$T/play" "$guest"
is "the guest says nothing" "$(cat "$T/out" "$T/err")" ""
expect_exit 0 "its trace" "$VFLOW" collect --quiet --from-trace "$T/trace" -o "$T/r.db"
# the provider's frames are not the program's: the two allocations have one path, an empty one
is "edges" "$(edges "$T/r.db")" "1>2 W 1 2048 64 1"
# from the set (event 3) until the free (4)
is "equal contents" "$(sqlite3 "$T/r.db" 'SELECT bytes, occurrences, events, zero FROM duplicate')" "2048|1|1|1"
is "objects" "$(sqlite3 "$T/r.db" 'SELECT id, end_ns > 0 FROM object')" $'1|1\n2|0'
# 10 + (500 + ... + 520 = 21 * 510) + 0 + 2^20
is "kinds that nobody knows are counted" "$(sqlite3 "$T/r.db" "SELECT count, bytes FROM coverage WHERE what = 'records' AND reason LIKE 'of kinds%'")" "24|1059296"
is "... and what is too large" "$(sqlite3 "$T/r.db" "SELECT reason, count, bytes FROM coverage WHERE what = 'records' AND reason LIKE 'larger%'")" \
	"larger than 1 MiB: left out|1|1048577"
is "the trace is whole" "$(sqlite3 "$T/r.db" "SELECT reason FROM coverage WHERE what = 'trace'")" ""

VFLOW_DIGESTS=0 VFLOW_TRACE_DIR=$T/trace "$T/play" "$guest" 2>"$T/err"
like "a provider that does not start" "$(cat "$T/err")" 'no longer observed: the GPU provider did not start'
finish
