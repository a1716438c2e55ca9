#!/bin/bash
# Virtual memory management on the emulated device: what a handle holds follows it to another address,
# and the graph claims neither that it is new there nor that it is what the address held before.
. tests/lib.sh
libraries=$(realpath "$BUILD/lib/emulator")
cat >"$T/remap.c" <<'END'
#include <cuda.h>
#include <stdlib.h>
#include <string.h>
#define S ((size_t)2 << 20)
#define DO(call) do { if (call) exit(__LINE__); } while (0)
static CUmemAllocationProp where = {.type = CU_MEM_ALLOCATION_TYPE_PINNED, .location = {CU_MEM_LOCATION_TYPE_DEVICE, 0}};
static CUmemAccessDesc all = {{CU_MEM_LOCATION_TYPE_DEVICE, 0}, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
static CUmemGenericAllocationHandle handle[5];
static char host[S];
static void map(CUdeviceptr at, int i)
{
	DO(cuMemMap(at, S, 0, handle[i], 0));
}
static int holds(CUdeviceptr at, char byte)
{
	DO(cuMemcpyDtoH(host, at, S));
	return host[0] == byte && !memcmp(host, host + 1, S - 1);
}
int main(void)
{
	CUdevice device;
	CUcontext context;
	CUdeviceptr a, b, c, d;
	DO(cuInit(0) || cuDeviceGet(&device, 0) || cuCtxCreate(&context, NULL, 0, device));
	DO(cuMemAddressReserve(&a, S, 0, 0, 0) || cuMemAddressReserve(&b, S, 0, 0, 0) || cuMemAddressReserve(&c, 2 * S, 0, 0, 0));
	for (int i = 0; i < 5; i++)
		DO(cuMemCreate(&handle[i], S, &where, 0));
	map(a, 0);
	DO(cuMemSetAccess(a, S, &all, 1)); // object A
	DO(cuMemsetD8(a, 5, S)); // 5 into A
	DO(cuMemUnmap(a, S));
	map(b, 0);
	DO(cuMemSetAccess(b, S, &all, 1)); // object B
	DO(!holds(b, 5)); // B has 5
	DO(cuMemsetD8(b, 5, S)); // 5 into B
	DO(cuMemsetD8(b, 5, S)); // again
	DO(cuMemMap(a, S, 0, handle[0], 0) != CUDA_ERROR_NOT_SUPPORTED);
	map(a, 1);
	DO(cuMemSetAccess(a, S, &all, 1)); // object A of new memory
	DO(!holds(a, 0)); // A has 0
	map(c, 2);
	map(c + S, 3);
	DO(cuMemSetAccess(c, 2 * S, &all, 1)); // object C
	DO(cuMemsetD8(c, 1, 2 * S)); // 1 into C
	DO(cuMemUnmap(c + S, S));
	map(c + S, 4);
	DO(cuMemSetAccess(c + S, S, &all, 1));
	DO(cuMemAlloc(&d, 2 * S)); // object D
	DO(cuMemsetD8(d, 1, S)); // 1 into half of D
	DO(!holds(c + S, 0)); // C has 0
	DO(cuMemsetD8(c, 1, 2 * S)); // 1 into C again
	return 0;
}
END
"$CC" $ASAN -g -I gpu/emulator/include -o "$T/remap" "$T/remap.c" "$libraries/libcuda.so.1" -Wl,-rpath,"$libraries" || not_ok "build"
expect_exit 0 "contents follow the handle" "$VFLOW" collect --device emulated -o "$T/r.db" "$T/remap"
edges_of() { # COMMENT of the call that allocated: the edges about its object
	"$VFLOW" query -T csv "MATCH (a)-[e]->(b) MATCH (o:Object)-[:OF]->(v) WHERE e.object = v.id AND v.callpath ENDS WITH ':$(line "$1")'
		RETURN CASE WHEN a.kind = 'unknown' THEN 'unknown' WHEN a.id = v.id THEN 'alloc' ELSE a.kind END AS writer, b.kind, e.access, e.bytes, e.redundant_value_bytes AS same ORDER BY b.id, writer" "$T/r.db" |
		tail -n +2 | tr -d '\r' | tr '\n' ';'
}
line() { # COMMENT
	grep -n "// $1\$" "$T/remap.c" | cut -d : -f 1
}
M=2097152
is "A: written once" "$(edges_of "object A")" "alloc,memset,WRITE,$M,0;"
# holds() is one vertex: what it brings from B nobody seen has written; 5 over it changes nobody knows
# what, 5 over that nothing
is "B: somebody unknown has written it, and not nobody" "$(edges_of "object B")" "memcpy,host,WRITE,$M,;unknown,memcpy,READ,$M,;unknown,memset,WRITE,$M,0;memset,memset,WRITE,$M,$M;"
is "A again: what nobody has written" "$(edges_of "object A of new memory")" "memcpy,host,WRITE,$M,;alloc,memcpy,READ,$M,;"
# 1 over 1 in the first half, 1 over 0 in the second, whose memory is another
is "C: one half is what it was, the other is not" "$(edges_of "object C")" "memcpy,host,WRITE,$M,;alloc,memset,WRITE,$((2 * M)),0;unknown,memcpy,READ,$M,;memset,memset,WRITE,$M,$M;unknown,memset,WRITE,$M,0;"
is "C and D are not said to hold the same" "$(sqlite3 "$T/r.db" "SELECT count(*) FROM duplicate")" 0
is "one handle at two addresses is said" "$(sqlite3 "$T/r.db" "SELECT sum(count) FROM coverage WHERE reason LIKE '%cuMemMap of one handle twice%'")" 1
finish
