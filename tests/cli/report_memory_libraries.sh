#!/bin/bash
# `vflow report --memory`: which library has allocated what is there at the peak.  One makes and
# frees 1M and keeps 1M, the other one keeps 2M, and the program 512K, by way of an allocator.
. tests/lib.sh

cat >"$T/one.c" <<'C'
#include <cuda_runtime_api.h>
void one(void)
{
	void *scratch, *kept;
	cudaMalloc(&scratch, 1 << 20);
	cudaFree(scratch);
	cudaMalloc(&kept, 1 << 20);
}
C
cat >"$T/two.c" <<'C'
#include <cuda_runtime_api.h>
void two(void)
{
	void *kept;
	cudaMalloc(&kept, 2 << 20);
}
C
# rmm::allocate(unsigned long)
cat >"$T/pool.c" <<'C'
#include <cuda_runtime_api.h>
void *pool(size_t bytes) __asm__("_ZN3rmm8allocateEm");
void *pool(size_t bytes)
{
	void *kept = 0;
	cudaMalloc(&kept, bytes);
	return kept;
}
C
cat >"$T/whose.c" <<'C'
#include <stddef.h>
void one(void);
void two(void);
void *pool(size_t bytes) __asm__("_ZN3rmm8allocateEm");
int main(void)
{
	one();
	two();
	return !pool(512 << 10);
}
C
runtime=("$BUILD/lib/emulator/libcudart.so.13" "-Wl,-rpath,$(realpath "$BUILD")/lib/emulator")
for name in one two pool; do
	"$CC" $ASAN -fPIC -shared -Igpu/emulator/include -o "$T/lib$name.so" "$T/$name.c" "${runtime[@]}"
done
"$CC" $ASAN -o "$T/whose" "$T/whose.c" -L"$T" -lone -ltwo -lpool -Wl,-rpath,"$T" "${runtime[@]}"

# The lines of the libraries, without blanks before them
libraries() {
	"$VFLOW" report --memory "$T/m.db" >"$T/report" 2>"$T/err" || cat "$T/err"
	sed -n '/^Who allocated/,/^$/p' "$T/report" | sed -E '1d; /^$/d; s/^ +//; s/ +/ /g'
}
expect_exit 0 "collect" collect "$T/m.db" "$T/whose"
is "whose: at the peak and in all, the allocator's for who called it" "$(libraries)" \
	"2.0M libtwo.so; 2.0M in all, 1 object
1.0M libone.so; 2.0M in all, 2 objects
512.0K whose; 512.0K in all, 1 object"
like "whose: the peak is their sum" "$(<"$T/report")" "Peak 1: 3.5M"
finish
