#!/bin/bash
# gpu/sass finds, in machine code for several architectures, what no patch sees, and the names of variables.
. tests/lib.sh
[ -n "$NVCC" ] || { skip "sass" "no nvcc"; finish; }
[[ $("$NVCC" --version) != *"release 11."* ]] || { skip "sass" "CUDA 11 has no tensor maps, and no provider is built with it"; finish; }
cat >"$T/kernels.cu" <<'END'
#include <cuda.h>
#include <cuda_fp16.h>
#include <mma.h>
__device__ __noinline__ void called(cudaSurfaceObject_t s) { surf1Dwrite(1, s, threadIdx.x * 4); }
#ifdef CALLED
extern "C" __global__ void calls(cudaSurfaceObject_t s) { called(s); }
#endif
extern "C" __global__ void stores(cudaSurfaceObject_t s) { surf2Dwrite(7.0f, s, threadIdx.x * 4, 1); }
extern "C" __global__ void reads(cudaSurfaceObject_t s, int *y) { surf1Dread(y, s, 4); }
extern "C" __global__ void samples(cudaTextureObject_t t, float *y)
{
	y[0] = tex2D<float>(t, 1, 1) + tex1Dfetch<float>(t, 1) + tex2DGrad<float>(t, 1, 1, float2(), float2());
	y[1] = tex2Dgather<float4>(t, 1, 1, 0).x;
}
extern "C" __global__ void plain(float *x, int *p, __half2 *h, double *d, unsigned long long *q, char *c, float4 *v)
{
	__shared__ float s[64];

	s[threadIdx.x] = x[threadIdx.x] * 2;
	__syncthreads();
	atomicAdd(x, s[threadIdx.x ^ 1]), atomicAdd(h, __half2()), atomicAdd(d, 1.0);
	p[0] = atomicCAS(p + 1, 1, 2) + atomicExch(p + 2, 3) + atomicMax(p + 3, 4), p[4] = (int)atomicCAS(q, 1, 2);
	atomicAdd(&s[0], 1.0f), atomicAnd(p, 3), c[threadIdx.x] = c[threadIdx.x + 1] / 3;
	v[1] = v[threadIdx.x], x[3] = __shfl_xor_sync(~0u, x[4], 1) / x[5] + (float)sqrt(d[1]) + sinf(x[6]);
	p[9] = __match_any_sync(~0u, p[8]) + __popcll(q[1]) + __brev(p[5]) + __vadd4(p[1], p[2]) + __dp4a(p[1], p[2], 3);
}
#if __CUDA_ARCH__ >= 800
#define COPY(name, kind, size, part) \
	extern "C" __global__ void name(const char *from, int n, bool all) \
	{ \
		__shared__ alignas(16) char s[512]; \
		unsigned to = (unsigned)__cvta_generic_to_shared(s + 16 * threadIdx.x); \
		asm volatile("cp.async." kind ".shared.global [%0], [%1], %2, %3; cp.async.wait_all;" ::"r"(to), "l"(from + 16 * threadIdx.x), "n"(size), "r"(part)); \
	}
COPY(copies, "cg", 16, 16)
COPY(copies_all_or_none, "ca", 4, all ? 4 : 0)
COPY(copies_part, "cg", 16, n)
COPY(copies_byte, "ca", 4, 1)
COPY(copies_half, "ca", 8, all ? 8 : 4)
#endif
extern "C" __global__ void multiplies(half *a, float *c)
{
	using namespace nvcuda::wmma;
	fragment<matrix_a, 16, 16, 16, half, row_major> f;
	fragment<matrix_b, 16, 16, 16, half, col_major> g;
	fragment<accumulator, 16, 16, 16, float> h;

	fill_fragment(h, 0.0f), load_matrix_sync(f, a, 16), load_matrix_sync(g, a, 16);
	mma_sync(h, f, g, h), store_matrix_sync(c, h, 16, mem_row_major);
}
#if __CUDA_ARCH__ >= 900
extern "C" __global__ void tensors(const __grid_constant__ CUtensorMap map)
{
	__shared__ alignas(128) char s[1024];
	unsigned at = (unsigned)__cvta_generic_to_shared(s);

	asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %2}], [%3];" ::"l"(&map), "r"(1), "r"(2), "r"(at));
}
extern "C" __global__ void loads_tensors(const __grid_constant__ CUtensorMap map)
{
	__shared__ alignas(128) char s[1024];
	unsigned at = (unsigned)__cvta_generic_to_shared(s);

	asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(at + 512), "l"(&map), "r"(1), "r"(2), "r"(at));
}
extern "C" __global__ void bulk(float *g)
{
	__shared__ alignas(128) char s[1024];
	unsigned at = (unsigned)__cvta_generic_to_shared(s);

	asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 256;" ::"l"(g), "r"(at));
	asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [%0], [%1], 256;" ::"l"(g), "r"(at));
}
#endif
END
cat >"$T/variables.cu" <<'END'
__device__ int zero[3];
__device__ double seven = 7;
__constant__ int limit;
static __device__ float own[2] = {1, 2};
__device__ __managed__ int shared_with_host;
extern "C" __global__ void use(int *p) { p[0] = zero[p[1]] + (int)seven + limit + (int)own[p[2]] + shared_with_host; }
END
cat >"$T/look.c" <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "gpu/sass/instructions.h"
#include "gpu/sass/variables.h"

/* Exactly as large as the file, and at an odd address, so that the address sanitizer sees more. */
static char *read_file(const char *name, size_t *size)
{
	static char buffer[1 << 22];
	FILE *file = fopen(name, "rb");
	char *image;

	*size = fread(buffer, 1, sizeof(buffer), file);
	fclose(file);
	image = malloc(*size + 1);
	return memcpy(image + 1, buffer, *size);
}

static void damage(const char *image, size_t size)
{
	unsigned random = 1;

	for (int i = 0; i < 3000; i++) {
		struct instructions_list *list;
		struct variable_names variables;
		char *copy = malloc(size);

		memcpy(copy, image, size);
		for (int k = 0; k < 1 + i % 4; k++) {
			/* every other one in the ELF header or the section headers, which are last */
			size_t at = (random = random * 1664525 + 1013904223) >> 8;

			at = i % 3 == 0 ? at % 64 : i % 3 == 1 ? size - 1 - at % (size / 8) : at % size;
			copy[at] = (char)((random = random * 1664525 + 1013904223) >> 24);
		}
		list = instructions_read(copy, size);
		variables = variables_read(copy, size);
		instructions_of(list, "stores");
		instructions_free(list);
		variables_free(&variables);
		free(copy);
	}
	puts("no damage done");
}

int main(int argc, char **argv)
{
	size_t size;
	char *image = read_file(argv[1], &size);
	struct instructions_list *list = instructions_read(image, size);
	struct variable_names variables = variables_read(image, size);

	for (int i = 2; i < argc; i++)
		if (!strcmp(argv[i], "-variables"))
			for (unsigned k = 0; k < variables.count; k++)
				printf("%s%s\n", variables.names[k].text, variables.names[k].constant ? " constant" : "");
		else if (!strcmp(argv[i], "-damage"))
			damage(image, size);
		else
			printf("%s=%u ", argv[i], instructions_of(list, argv[i]));
	instructions_free(list);
	variables_free(&variables);
	free(image - 1);
	return 0;
}
END
# shellcheck disable=SC2086
$CC -std=gnu11 -g -D_GNU_SOURCE -Wall -fsanitize=address,undefined -fno-sanitize-recover -I. -o "$T/look" "$T/look.c" gpu/sass/{cubin,instructions,variables}.c 2>"$T/log" ||
	not_ok "compiles" "$(cat "$T/log")"
known=$("$NVCC" --list-gpu-code)
for architecture in 75 80 90 100; do
	grep -q "sm_$architecture\$" <<<"$known" || continue
	"$NVCC" -w -cubin -arch=sm_$architecture -o "$T/k.cubin" "$T/kernels.cu" 2>"$T/log" || not_ok "nvcc" "$(cat "$T/log")"
	is "sm_$architecture" "$("$T/look" "$T/k.cubin" stores reads samples plain multiplies)" "stores=2 reads=1 samples=1 plain=0 multiplies=0 "
	[ $architecture -ge 80 ] || continue
	is "sm_$architecture: copies" "$("$T/look" "$T/k.cubin" copies copies_all_or_none copies_part copies_byte copies_half)" \
		"copies=0 copies_all_or_none=0 copies_part=32 copies_byte=32 copies_half=32 "
	[ $architecture -ge 90 ] || continue
	is "sm_$architecture: tensor and bulk copies" "$("$T/look" "$T/k.cubin" tensors loads_tensors bulk)" "tensors=8 loads_tensors=4 bulk=0 "
done
"$NVCC" -w -DCALLED -cubin -arch=sm_80 -o "$T/k.cubin" "$T/kernels.cu"
is "a function that a kernel calls" "$("$T/look" "$T/k.cubin" calls plain)" "calls=2 plain=0 "
# what printf prints the driver reads: of %s, wherever it is called and whatever stands between
print() { # FORMAT -> what is found of a kernel that prints with it, and of one beside it
	cat >"$T/print.cu" <<END
#include <cstdio>
__device__ __noinline__ void called(const char *s) { printf("$1\\n", s); }
extern "C" __global__ void prints(const char *s) { called(s); }
extern "C" __global__ void plain(int *p) { *p = 1; }
END
	"$NVCC" -w -cubin -arch=sm_80 -o "$T/p.cubin" "$T/print.cu" 2>"$T/log" && "$T/look" "$T/p.cubin" prints plain
}
is "a text that is printed" "$(print 'it is %s')" "prints=128 plain=128 "
is "with flags, width and precision" "$(print '%d%% of %-+ #012.*s')" "prints=128 plain=128 "
is "numbers are no texts" "$(print "%p %5.1f %lld 100%%")" "prints=0 plain=0 "
for size in 0 10 64 1000 5000; do
	head -c $size "$T/k.cubin" >"$T/cut.cubin"
	expect_exit 0 "an image of $size bytes" "$T/look" "$T/cut.cubin" stores
done
is "a damaged image" "$("$T/look" "$T/k.cubin" -damage 2>&1 | tail -n 1)" "no damage done"
"$NVCC" -w -cubin -arch=sm_80 -o "$T/v.cubin" "$T/variables.cu"
is "variables" "$("$T/look" "$T/v.cubin" -variables | sed 's/_[A-Z]*__[0-9a-f_]*variables_cu_[0-9a-f_]*//; s/^_ZN*[0-9]*//' | sort)" "limit constant
own
seven
shared_with_host
zero"
is "variables of a damaged image" "$("$T/look" "$T/v.cubin" -damage 2>&1 | tail -n 1)" "no damage done"
is "a damaged image" "$("$T/look" "$T/k.cubin" -damage 2>&1 | tail -n 1)" "no damage done"
"$NVCC" -w -cubin -arch=sm_80 -o "$T/v.cubin" "$T/variables.cu"
is "variables" "$("$T/look" "$T/v.cubin" -variables | sort)" "limit constant
own
seven
shared_with_host
zero"
is "variables of a damaged image" "$("$T/look" "$T/v.cubin" -damage 2>&1 | tail -n 1)" "no damage done"
finish
