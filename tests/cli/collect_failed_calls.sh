#!/bin/bash
# Calls that fail are listed with their error, line and count, on the device of $DEVICE: of every kind, but
# for errors that programs ask for; also of a program that is killed, and not without end.
. tests/lib.sh
: "${DEVICE:=emulated}"
source=tests/cli/collect_failed_calls.c libraries=$(realpath "$BUILD")/lib/emulator
if [ "$DEVICE" = gpu ]; then
	build=("$NVCC" -g -x cu -cudart shared -o "$T/p" "$source" -lcuda)
else
	# shellcheck disable=SC2206
	build=($CC -std=gnu11 -g $ASAN -Igpu/emulator/include -o "$T/p" "$source" "$libraries"/{libcudart.so.13,libcuda.so.1} -Wl,-rpath,"$libraries")
fi
"${build[@]}" 2>"$T/err" || not_ok "build" "$(cat "$T/err")"
line() { # MARK
	sed -n "/\/\* $1[ *]/=" "$source" | head -n 1
}
expected() {
	cat <<END
cudaMalloc 2 1 $(line MALLOC)
cudaMemset 1 5 $(line MEMSET)
cudaMemset 1 1 $(line MEMSET)
cudaMemcpy 21 1 $(line DIRECTION)
cudaMemcpyAsync 1 1 $(line COPY)
cudaFree 1 1 $(line FREE)
cudaLaunchKernel 400 1 $(line LAUNCH)
cudaSetDevice 101 1 $(line DEVICE)
cudaEventRecord 400 1 $(line EVENT)
cuMemAlloc 1 1 $(line 'DRIVER ALLOC')
cuMemsetD8 1 1 $(line 'DRIVER SET')
cuModuleLoad 301 1 $(line 'DRIVER MODULE')
cuStreamBatchMemOp 1 1 $(line 'DRIVER BATCH')
END
}
failed_calls() { # DB
	sqlite3 -separator ' ' "$1" 'SELECT function, error, count, line FROM failed_call ORDER BY id'
}
expect_exit 0 "calls that fail" collect "$T/p.db" "$T/p"
is "the program's output" "$(cat "$T/out")" "0 unexpected"
is "function, error, times and line of each" "$(failed_calls "$T/p.db")" "$(expected)"
is "the names of the errors are those of the API" \
	"$(sqlite3 "$T/p.db" "SELECT DISTINCT error_name, description FROM failed_call WHERE error = 1 ORDER BY 1")" \
	$'CUDA_ERROR_INVALID_VALUE|invalid argument\ncudaErrorInvalidValue|invalid argument'
is "nothing of them is in the graph" "$(sqlite3 "$T/p.db" "SELECT count(*) FROM vertex WHERE invocations > 0 AND name != 'cudaMalloc'")" 0
expect_exit 0 "report" "$VFLOW" report "$T/p.db"
like "the report has a call" "$(cat "$T/out")" \
	$'\nCalls that failed\n  cudaMalloc returned out of memory \(2\), 1 time: of_runtime collect_failed_calls.c:'"$(line MALLOC)"
like "and its count" "$(cat "$T/out")" "cudaMemset returned invalid argument \(1\), 5 times: clear collect_failed_calls.c:$(line MEMSET) <"
like "and says how many more there are" "$(cat "$T/out")" $'\n  3 more: table failed_call'
expect_exit 0 "export" "$VFLOW" export -T json "$T/p.db"
is "the JSON has them all" "$(json_query "$T/out" "SELECT value->>'function', value->>'error', value->>'count', value->>'line' FROM json, json_each(text, '\$.failed_calls')")" \
	"$(expected)"

"$VFLOW" collect --quiet --device "$DEVICE" -o "$T/k.db" "$T/p" killed 2>/dev/null
is "of a program that is killed there are at least half" \
	"$(sqlite3 "$T/k.db" "SELECT count(*), max(count) FROM failed_call")" "13|4"
expect_exit 0 "more than are listed" collect "$T/m.db" "$T/p" many
is "a thousand are" "$(sqlite3 "$T/m.db" 'SELECT count(*), sum(count) FROM failed_call')" "1000|1000"
is "the others are counted" "$(sqlite3 "$T/m.db" "SELECT count FROM coverage WHERE kind = 'FAILED_CALLS_LEFT_OUT'")" 3

# profiles that lie
cp "$T/p.db" "$T/l.db"
sqlite3 "$T/l.db" 'UPDATE failed_call SET count = -1 WHERE id = 2'
expect_exit 1 "a count that cannot be" "$VFLOW" report "$T/l.db"
like "is named" "$(cat "$T/err")" "row 2 of table failed_call"
cp "$T/p.db" "$T/l.db"
sqlite3 "$T/l.db" "DELETE FROM failed_call WHERE id = 13"
expect_exit 1 "a row that is gone" "$VFLOW" export "$T/l.db"
like "is missed" "$(cat "$T/err")" "table failed_call"
cp "$T/p.db" "$T/l.db"
sqlite3 "$T/l.db" "UPDATE failed_call SET function = char(27)"
expect_exit 1 "a name that would reach the terminal" "$VFLOW" report "$T/l.db"
head -c $(($(stat -c %s "$T/p.db") / 2)) "$T/p.db" >"$T/l.db"
expect_exit 1 "half of a profile" "$VFLOW" report "$T/l.db"
: >"$T/l.db"
expect_exit 1 "an empty one" "$VFLOW" report "$T/l.db"
expect_exit 1 "none" "$VFLOW" report "$T/none.db"
finish
