#!/bin/bash
# Whose memory of a device is, by the driver's own figures, in `vflow report --memory`: what the program
# allocated, what was used before, and what nobody sees.
. tests/lib.sh

# An array of 256 KiB before the first allocation, one of 128 KiB after it; at most 3 MiB are allocated.
cat >"$T/devices.c" <<'C'
#include <cuda_runtime_api.h>
static cudaArray_t array(size_t rows)
{
	struct cudaChannelFormatDesc floats = cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindFloat);
	cudaArray_t made;
	if (cudaMallocArray(&made, &floats, 1024, rows, 0))
		__builtin_trap();
	return made;
}
int main(int argc, char **argv)
{
	void *a, *b, *c, *d;
	cudaArray_t before = argc > 1 ? array(64) : 0, since = 0;
	void *pinned;
	cudaHostAlloc(&pinned, 1 << 20, 0); /* is none of the device's */
	cudaMalloc(&a, 1 << 20);
	if (argc > 1)
		since = array(32);
	cudaMalloc(&b, 1 << 20);
	cudaFree(a);
	cudaMalloc(&c, 1 << 20);
	cudaMalloc(&d, 1 << 20);
	cudaFree(b);
	cudaFree(c);
	cudaFree(d);
	if (argc > 1)
		cudaFreeArray(before), cudaFreeArray(since);
	return 0;
}
C
"$CC" $ASAN -Igpu/emulator/include -o "$T/devices" "$T/devices.c" "$BUILD/lib/emulator/libcudart.so.13" -Wl,-rpath,"$(realpath "$BUILD")/lib/emulator"
facts() {
	json_query "$T/m.json" "SELECT text->>'\$.devices[0].device', text->>'\$.devices[0].allocated', text->>'\$.devices[0].before', text->>'\$.devices[0].unseen', text->>'\$.devices[0].own',
		(text->>'\$.devices[0].total') - (text->>'\$.devices[0].unused') FROM json"
}
expect_exit 0 "allocations alone: collect" collect "$T/m.db" "$T/devices"
"$VFLOW" report --memory -T json "$T/m.db" >"$T/m.json"
is "allocations alone: all of it is the program's" "$(facts)" "0 3145728 0 0 0 3145728"
expect_exit 0 "with arrays: collect" collect "$T/m.db" "$T/devices" arrays
"$VFLOW" report --memory -T json "$T/m.db" >"$T/m.json"
is "with arrays: before the first allocation, and since" "$(facts)" "0 3145728 262144 131072 0 3538944"
report=$("$VFLOW" report --memory "$T/m.db" | tr -s ' \n' ' ')
like "the report names the largest" "$report" "Device 0 when most was allocated: [0-9.]+[GTM], of which [0-9.]+[GTM] is unused 3.0M allocated by the program, as it asked for it 256.0K the largest part that no allocation explains: used before its first allocation: CUDA's context.* 128.0K used since, by all else: arrays"
unlike "of nothing nothing is said" "$report" "vflow's own"
cp "$T/m.db" "$T/bad.db"
sqlite3 "$T/bad.db" "UPDATE device_memory SET unused = total + 1"
"$VFLOW" report --memory "$T/bad.db" >"$T/out" 2>"$T/err"
like "more is unused than there is: refused" "$? $(<"$T/err")" "^1 .*row 1 of table device_memory"
# older profiles do not say
sqlite3 "$T/m.db" "DROP TABLE device_memory"
unlike "an older profile: nothing is said" "$("$VFLOW" report --memory "$T/m.db" 2>&1)" "Device 0"
finish
