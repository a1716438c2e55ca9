#!/bin/bash
# `vflow report --memory`: peaks and DrGPUM's patterns of memory, of tests/programs/memory_waste.c,
# whose calls are numbered by hand: allocate, fill, fetch and release are one call each.
. tests/lib.sh

# Peak, peak when mended, and of each finding: pattern, what the peak falls to, distance
facts() { # OPTION...
	"$VFLOW" report --memory --top 0 "$@" "$T/m.db" >"$T/report" 2>"$T/err" || cat "$T/err"
	{ tr '\n' ' ' <"$T/report"; echo; } | sed -E 's/ +/ /g' | sed -nE 's/.*at most ([^ ]+( bytes)?) at a time; ([^ ]+( bytes)?) if.*/\1 \3/p'
	tr '\n' ' ' <"$T/report" | sed -E 's/ +/ /g; s/ ([0-9]+\. [a-z]+( [a-z]+)?: )/\n\1/g' |
		sed -nE 's/^[0-9]+\. ([a-z]+( [a-z]+)?): (peak (falls|rises) (to|by) ([0-9]+ bytes|[0-9.A-Z]+)|does not lower the peak).*(seen|worst) (It is never freed; )?(([0-9]+|no) (API call|kernel)s?)?.*/\1 \6 \9/p' |
		sed -E 's/ +/ /g; s/ $//'
}
run() { # CASE [OPTION...]
	local name=$1
	shift
	expect_exit 0 "$name: collect" collect "$T/m.db" "$@" "$P/memory_waste" "$name"
}
case_is() { # CASE FACTS
	run "$1"
	is "$1" "$(facts)" "$2"
}

case_is early "2.0M 1.0M
early allocation 1.0M 4 API calls
redundant allocation 1.0M"
case_is late "1.5M 1.0M
late deallocation 1.0M 4 API calls"
case_is redundant "2.0M 1.0M
late deallocation 1.0M 3 API calls
redundant allocation 1.0M
late deallocation 1 API call"
case_is tenth "1.8M 976.6K
late deallocation 976.6K 4 API calls
redundant allocation 976.6K"
case_is more "1.8M 976.6K
late deallocation 976.6K 4 API calls"
case_is unused "2.0M 1.0M
unused allocation 1.0M"
case_is leak "1.5M 1.0M
memory leak 1.0M 4 API calls"
case_is idle "1.5M 1.5M
temporary idleness 1.0M 4 API calls"
is "idle: five calls between are asked for" "$(facts --idle-calls 5)" "1.5M 1.5M"
# what is there at the peak comes first, though other memory holds the peak up later
case_is busy "1.5M 1.0M
early allocation 1 API call
late deallocation 3 API calls"
case_is kernels "1.5M 1.5M
early allocation 3 API calls
late deallocation 2 API calls
temporary idleness 2 API calls"
is "kernels: by the paper's scripts only they count" "$(facts --rules artefact)" "1.5M 1.5M
early allocation 1 kernel
temporary idleness 2 kernels"
is "kernels: sizes that are not worth a word" "$(facts --min-bytes 2M)" "1.5M 1.5M"

# calls that concern no object count to the end of the run, and the launch that accesses it does not
case_is trailing "1.0M 1.0M
memory leak 3 API calls"
is "trailing: by the paper's scripts" "$(facts --rules artefact)" "1.0M 1.0M
memory leak 3 kernels"
is "trailing: behind the last call" "$(sqlite3 "$T/m.db" "SELECT end_call, end_time, end_kernels FROM process")" "5|5|4"
case_is last_launch "1.5M 1.0M
memory leak 1.0M 4 API calls"
is "last_launch: by the paper's scripts" "$(facts --rules artefact)" "1.5M 1.0M
memory leak 1.0M no kernel"
# used again, memory stays for longer: 1.0M and 2.0M, where 2.9M were
run raised
like "raised: the report says so" "$(facts)" "^2\.9M 2\.0M.*redundant allocation 3\.0M"
like "raised: and advises against it" "$(tr -s '\n ' ' ' <"$T/report")" "redundant allocation: peak rises to 3\.0M .*advice Leave it: used again"

# the advice followed: the same output, and the peak that was predicted
for case in early late redundant unused leak idle; do
	run $case
	wanted=$("$VFLOW" report --memory "$T/m.db" | sed -nE '0,/peak falls to/s/.*peak falls to (.*)/\1/p')
	output=$("$P/memory_waste" $case)
	expect_exit 0 "$case mended: collect" collect "$T/m.db" "$P/memory_waste" $case mended
	is "$case mended: the output, and the peak" "$(cat "$T/out") $(facts | head -n 1 | cut -d ' ' -f 1)" "$output $wanted"
	[ $case = idle ] || like "$case mended: nothing is left to find" "$(<"$T/report")" "No findings"
done

# what is accessed of objects: pass access
access_is() { # CASE FACTS [WORDS]
	run "$1" --passes flow,access
	is "$1" "$(facts)" "$2"
	[ -z "${3:-}" ] || like "$1: what was seen, and what to do" "$(tr -s '\n ' ' ' <"$T/report")" "$3"
}
access_is over "1.0M 1.0M
overallocation 256.0K" "25.0% of it, 256.0K, is accessed; the other 768.0K are in 1 chunk, the largest of 768.0K \(fragmentation 0%\)\..*advice Allocate its first 256.0K only"
is "over: with another threshold" "$(facts --accessed 0.25)" "1.0M 1.0M"
access_is almost "1.0M 1.0M
overallocation 819.2K"
access_is enough "1.0M 1.0M"
access_is hole "1.0M 1.0M
overallocation 512.0K" "50.0% of it, 512.0K, is accessed.*without the chunk, which begins 256.0K into it"
access_is scattered "1.0M 1.0M"
like "scattered: that is said" "$(tr -s '\n ' ' ' <"$T/report")" "of 1 more object little is accessed, but what is left over is scattered"
is "scattered: with another threshold" "$(facts --fragmentation 1)" "1.0M 1.0M
overallocation"
is "scattered: 65536 times 4 bytes" "$(sqlite3 "$T/m.db" "SELECT bytes, chunks, largest_bytes, largest_offset FROM accessed")" "262144|65536|12|4"
access_is slices "1.0M 1.0M
structured access 128.0K" "Each of the 8 launches of store_bytes \(.*accesses a slice of its own, of 128.0K at most; no two launches of any kernel overlap.*Allocate 128.0K for a slice"
is "slices: the table" "$(sqlite3 "$T/m.db" "SELECT launches, largest_bytes FROM slice")" "8|131072"
is "slices: by the paper's scripts" "$(facts --rules artefact)" "1.0M 1.0M
structured access 128.0K"
access_is pairs "1.0M 1.0M
structured access 160.0K" "Each of the 8 launches of store_bytes .*of 128.0K at most.*Allocate 160.0K for a slice"
access_is halo "1.0M 1.0M"
access_is gather "1.0M 1.0M"
for case in over almost hole slices; do
	run $case --passes flow,access
	wanted=$("$VFLOW" report --memory "$T/m.db" | sed -nE '0,/peak falls to/s/.*peak falls to (.*)/\1/p')
	output=$("$P/memory_waste" $case)
	expect_exit 0 "$case mended: collect" collect "$T/m.db" --passes flow,access "$P/memory_waste" $case mended
	is "$case mended: the output, and the peak" "$(cat "$T/out") $(facts | head -n 1 | cut -d ' ' -f 1)" "$output $wanted"
	like "$case mended: nothing is left to find" "$(<"$T/report")" "No findings"
done
run over
like "without the pass: that is said" "$("$VFLOW" report --memory "$T/m.db" | tr -s '\n ' ' ')" "was not recorded: vflow collect --passes flow,access"

# dead writes as the paper has them, which only --dead-writes finds
dead_writes() {
	"$VFLOW" report --memory --dead-writes -T json "$T/m.db" >"$T/m.json"
	json_query "$T/m.json" "SELECT value->>'\$.dead_writes', value->>'\$.peak_when_mended', value->>'\$.byte_calls' FROM json, json_each(text, '\$.findings') WHERE value->>'\$.pattern' = 'dead_write'"
}
run dead
is "dead: two sets" "$(dead_writes)" "2 1048576 0"
like "dead: the report" "$("$VFLOW" report --memory --dead-writes "$T/m.db" | tr -s '\n ' ' ')" "dead write: 2 of an object object cudaMalloc [^)]*\), 1.0M seen 2 of the copies and sets that write it are followed by another one, with no access in between, the first time cudaMemset \(.* by cudaMemset \(.* advice Delete those"
unlike "dead: not asked for" "$("$VFLOW" report --memory "$T/m.db")" "dead write"
run halves
is "halves: whichever bytes they are" "$(dead_writes)" "1 1048576 0"
unlike "halves: by bytes there is none" "$("$VFLOW" report "$T/m.db")" "dead write"
run alive
is "alive: a kernel is an access" "$(dead_writes)" ""
sqlite3 "$T/m.db" "UPDATE lifetime SET dead_writes = accesses"
"$VFLOW" report --memory "$T/m.db" >"$T/out" 2>"$T/err"
like "more dead writes than accesses: refused" "$? $(<"$T/err")" "^1 .*row 1 of table lifetime"

# who has the memory at the peak, and when
run redundant
"$VFLOW" report --memory "$T/m.db" >"$T/report"
like "peak: when" "$(<"$T/report")" "Peak 1: 2.0M, at API call 4"
is "peak: who" "$(sed -n '/^Peak 1/,/^$/p' "$T/report" | grep -c '1.0M .*cudaMalloc')" 2
like "the report says so in a line" "$("$VFLOW" report "$T/m.db")" "memory: peak 2.0M, 1.0M if objects were there only while needed: vflow report --memory"

# what it costs: four calls, and the time from the end of the one's operation to the other's start
run idle --passes flow,time
"$VFLOW" report --memory -T json "$T/m.db" >"$T/m.json"
is "JSON: peaks" "$(json_query "$T/m.json" "SELECT text->>'\$.peak', text->>'\$.peak_when_all_mended', text->>'\$.peak_when_idle_moved', text->>'\$.peaks[0].call',
	text->>'\$.peaks[0].allocations[0].bytes', text->>'\$.peaks[0].allocations[1].bytes', text->>'\$.model_time' FROM json")" "1572864 1572864 1048576 3 1048576 524288 $([ "${DEVICE:-emulated}" = emulated ] && echo 1 || echo 0)"
is "JSON: a finding" "$(json_query "$T/m.json" "SELECT text->>'\$.findings[0].pattern', text->>'\$.findings[0].byte_calls', text->>'\$.findings[0].longest_calls',
	text->>'\$.findings[0].peak_when_mended', text->>'\$.findings[0].bytes_at_peak', text->>'\$.findings[0].timed_objects' FROM json")" "temporary_idleness 4194304 4 1048576 1048576 1"
is "bytes times seconds" "$(json_query "$T/m.json" "SELECT printf('%.6g', text->>'\$.findings[0].byte_seconds') FROM json")" \
	"$(sqlite3 "$T/m.db" "SELECT printf('%.6g', 1048576 * ((SELECT start_ns FROM gpu_times WHERE name LIKE '%Memcpy%' ORDER BY start_ns DESC LIMIT 1) -
		(SELECT end_ns FROM gpu_times WHERE name LIKE '%Memset%' ORDER BY start_ns LIMIT 1)) / 1e9)")"
like "bytes times seconds: text" "$("$VFLOW" report --memory "$T/m.db")" 'costs +4.0M times API calls between, [0-9.]+[KMG]? byte seconds( of model time)?; at the peak: 1.0M'
run idle
unlike "no pass time: no seconds" "$("$VFLOW" report --memory "$T/m.db")" 'byte seconds'

# a leak on each of twelve lines, of sizes that are too different for one to use the memory of another
{
	printf '#include <cuda_runtime_api.h>\nint main(void)\n{\n\tvoid *p;\n'
	for n in $(seq 12); do echo "	cudaMalloc(&p, 1 << $((10 + n))), cudaMemset(p, 1, 1 << $((10 + n)));"; done
	echo '}'
} >"$T/leaks.c"
"$CC" -g $ASAN -Igpu/emulator/include -o "$T/leaks" "$T/leaks.c" "$BUILD/lib/emulator/libcudart.so.13" -Wl,-rpath,"$(realpath "$BUILD")/lib/emulator"
collect "$T/leaks.db" "$T/leaks"
leaks() { # OPTION...: how many, and how many are listed
	"$VFLOW" report --memory -T json "$@" "$T/leaks.db" >"$T/m.json"
	json_query "$T/m.json" "SELECT text->>'\$.finding_count', json_array_length(text, '\$.findings'),
		(SELECT group_concat(DISTINCT value->>'\$.pattern') FROM json_each(text, '\$.findings')) FROM json"
}
is "JSON: all findings" "$(leaks)" "12 12 memory_leak"
is "JSON: as many as are asked for" "$(leaks --top 3)" "12 3 memory_leak"
is "text: ten" "$("$VFLOW" report --memory "$T/leaks.db" | grep -c '^[0-9]*\. memory leak')" 10

# what was not analysed may have accessed all that was there
run kernels --kernel nothing
is "unseen: nothing is said of what kernels may have touched" "$(facts)" "1.5M 1.5M"
like "unseen: and that is said" "$(<"$T/report")" "2 objects may have been accessed by what was not"

# one that was killed: nobody knows what it would have used or freed
cat >"$T/killed.c" <<'C'
#include <signal.h>
#include <cuda_runtime_api.h>
int main(void)
{
	void *a;
	cudaMalloc(&a, 1 << 20);
	cudaDeviceSynchronize();
	raise(SIGKILL);
}
C
"$CC" $ASAN -Igpu/emulator/include -o "$T/killed" "$T/killed.c" "$BUILD/lib/emulator/libcudart.so.13" -Wl,-rpath,"$(realpath "$BUILD")/lib/emulator"
"$VFLOW" collect -q --device emulated -o "$T/m.db" "$T/killed" >"$T/out" 2>"$T/err"
is "killed: no leak, nothing unused" "$(facts)" "1.0M 1.0M"

# arrays are memory of the device: 1 MiB and three of 256 KiB of which two are not freed
cat >"$T/arrays.c" <<'C'
#include <cuda_runtime_api.h>
int main(void)
{
	struct cudaChannelFormatDesc floats = cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindFloat);
	cudaArray_t flat[2], deep;
	void *a;
	cudaMalloc(&a, 1 << 20);
	cudaMemset(a, 1, 1 << 20);
	for (int i = 0; i < 2; i++)
		cudaMallocArray(&flat[i], &floats, 256, 256, 0);
	cudaMalloc3DArray(&deep, &floats, (struct cudaExtent){64, 64, 16}, 0);
	cudaFreeArray(deep);
	cudaFree(a);
}
C
"$CC" $ASAN -Igpu/emulator/include -o "$T/arrays" "$T/arrays.c" "$BUILD/lib/emulator/libcudart.so.13" -Wl,-rpath,"$(realpath "$BUILD")/lib/emulator"
collect "$T/m.db" "$T/arrays" >"$T/out" 2>"$T/err"
is "arrays: in the peak, and leaks" "$(facts)" "1.8M 1.0M
late deallocation 1.0M 4 API calls
memory leak"
like "arrays: how much is not freed" "$(tr -s '\n ' ' ' <"$T/report")" "memory leak: does not lower the peak object cudaMallocArray [^)]*\), 2 of its objects, 512.0K"

# 256 bytes are not seen in a sum of 1.0M
cat >"$T/part.c" <<'C'
#include <cuda_runtime_api.h>
int main(void)
{
	void *a, *b;
	cudaMalloc(&a, 1 << 20);
	cudaMemset(a, 1, 1 << 20);
	cudaMalloc(&b, 256);
	cudaMemset(b, 1, 256);
	cudaFree(b);
	cudaFree(a);
}
C
"$CC" $ASAN -Igpu/emulator/include -o "$T/part" "$T/part.c" "$BUILD/lib/emulator/libcudart.so.13" -Wl,-rpath,"$(realpath "$BUILD")/lib/emulator"
"$VFLOW" collect -q --device emulated -o "$T/m.db" "$T/part" >"$T/out" 2>"$T/err"
# nobody reads what the host has put there before three more calls; and five bytes that a library has are worth no word
cat >"$T/filled.c" <<'C'
#include <cuda_runtime_api.h>
static char host[1 << 20];
int main(void)
{
	void *a, *b, *c;
	cudaMalloc(&a, 1 << 20);
	cudaMemcpy(a, host, 1 << 20, cudaMemcpyHostToDevice);
	cudaMalloc(&c, 5);
	cudaMemset(c, 1, 5);
	cudaFree(c);
	cudaMalloc(&b, 1 << 20);
	cudaMemset(b, 1, 1 << 20);
	cudaMemcpy(host, a, 1 << 20, cudaMemcpyDeviceToHost);
	cudaFree(a);
	cudaFree(b);
}
C
"$CC" $ASAN -Igpu/emulator/include -o "$T/filled" "$T/filled.c" "$BUILD/lib/emulator/libcudart.so.13" -Wl,-rpath,"$(realpath "$BUILD")/lib/emulator"
"$VFLOW" collect -q --device emulated -o "$T/f.db" "$T/filled" >"$T/out" 2>"$T/err"
filled=$("$VFLOW" report --memory "$T/f.db" | tr -s ' \n' ' ')
like "filled long before it is read: fill it later" "$filled" "Nobody needs it before that: allocate it, and do what cudaMemcpy .* does, right before cudaMemcpy"
like "a small part of the peak: by how much it falls" "$("$VFLOW" report --memory "$T/m.db")" "1. late deallocation: peak falls by 256 bytes"
like "... alone" "$("$VFLOW" report --memory "$T/m.db")" "[0-9]+ findings?; [0-9]+ lowers? the peak alone, most first"
# two peaks of 2 MiB, each with 1 MiB that is freed late: to mend one alone helps nobody
cat >"$T/twice.c" <<'C'
#include <cuda_runtime_api.h>
int main(void)
{
	void *a, *b, *c, *d;
	cudaMalloc(&a, 1 << 20);
	cudaMemset(a, 1, 1 << 20);
	cudaMalloc(&b, 1 << 20);
	cudaMemset(b, 2, 1 << 20);
	cudaFree(b);
	cudaFree(a);
	cudaMalloc(&c, 1 << 20);
	cudaMemset(c, 3, 1 << 20);
	cudaMalloc(&d, 1 << 20);
	cudaMemset(d, 4, 1 << 20);
	cudaFree(d);
	cudaFree(c);
}
C
"$CC" $ASAN -Igpu/emulator/include -o "$T/twice" "$T/twice.c" "$BUILD/lib/emulator/libcudart.so.13" -Wl,-rpath,"$(realpath "$BUILD")/lib/emulator"
"$VFLOW" collect -q --device emulated -o "$T/t.db" "$T/twice" >"$T/out" 2>"$T/err"
like "what only all together lower" "$("$VFLOW" report --memory "$T/t.db")" "[0-9]+ findings; none lowers the peak alone; all together lower it by 1.0M, 50.0%"

# What a pass does not see is not said to be so.
cat >"$T/idle.c" <<'C'
#include <cuda_runtime_api.h>
int main(void)
{
	void *a, *b;
	cudaMalloc(&a, 1 << 20);
	cudaMalloc(&b, 1 << 20);
	cudaDeviceSynchronize();
	cudaFree(a);
}
C
"$CC" $ASAN -Igpu/emulator/include -o "$T/idle" "$T/idle.c" "$BUILD/lib/emulator/libcudart.so.13" -Wl,-rpath,"$(realpath "$BUILD")/lib/emulator"
collect "$T/i.db" --passes time,waits "$T/idle"
memory_patterns() { "$VFLOW" report --memory -T json "$1" >"$T/memory.json" && json_query "$T/memory.json" "SELECT group_concat(value->>'pattern') FROM json, json_each(text, '\$.findings')"; }
if [ "${DEVICE:-emulated}" = gpu ]; then
	unlike "accesses are not known: nothing is unused" "$(memory_patterns "$T/i.db")" "unused_allocation"
else
	like "accesses are known: unused" "$(memory_patterns "$T/i.db")" "unused_allocation"
fi
collect "$T/i.db" --passes calls "$P/demo"
like "nor of pass calls" "$("$VFLOW" report "$T/i.db" | tr '\n' ' ')" "No findings: what kernels read and write was not recorded"
unlike "... made by no older vflow" "$("$VFLOW" report "$T/i.db" | tr '\n' ' ')" "older vflow"

# no memory, no table, no rules
"$VFLOW" report --memory --rules both "$T/m.db" >"$T/out" 2>"$T/err"
is "--rules: what there is" "$? $(<"$T/err")" "2 vflow report: --rules both: expected paper or artefact (see 'vflow report --help')"
sqlite3 "$T/m.db" "DROP VIEW lifetimes; DROP TABLE lifetime"
"$VFLOW" report --memory "$T/m.db" >"$T/out" 2>"$T/err"
like "a table is missing" "$? $(cat "$T/out" "$T/err")" "lifetime|older"
finish
