/*
 * tests/programs/launch.h: checked CUDA calls and kernel launches that C and C++ spell alike.
 *
 * In C the kernels come from PTX that is part of the program and start through the driver API;
 * with nvcc the same source starts them by <<<>>>.  Both macros call CUDA from the line that they
 * stand on, so call paths lead to the program, not here.
 */
#ifndef TESTS_PROGRAMS_LAUNCH_H
#define TESTS_PROGRAMS_LAUNCH_H

#include <stdio.h>
#include <stdlib.h>

#include <cuda_runtime_api.h>

static inline void check(int error, const char *call, const char *file, int line)
{
	if (error == 0)
		return;
	fflush(stdout);
	fprintf(stderr, "%s:%d: %s: error %d\n", file, line, call, error);
	exit(1);
}

#define CHECK(...) check((int)(__VA_ARGS__), #__VA_ARGS__, __FILE__, __LINE__)

#ifdef __CUDACC__

#define KERNELS(file)
#define LAUNCH(name, blocks, threads, ...)                                                         \
	do {                                                                                       \
		name<<<blocks, threads>>>(__VA_ARGS__);                                            \
		CHECK(cudaGetLastError());                                                         \
	} while (0)

#else

#include <cuda.h>

/* Puts the PTX of `file` (from the folder where make runs) into the program. */
#define KERNELS(file)                                                                              \
	__asm__(".pushsection .rodata\n"                                                           \
		"kernels_ptx:\n"                                                                   \
		".incbin \"" file "\"\n"                                                           \
		".byte 0\n"                                                                        \
		".popsection\n");                                                                  \
	extern const char kernels_ptx[] __attribute__((visibility("hidden")));                     \
	static CUmodule kernels_module(void)                                                       \
	{                                                                                          \
		static CUmodule module;                                                            \
                                                                                                   \
		if (!module) {                                                                     \
			CHECK(cuInit(0));                                                          \
			CHECK(cudaFree(NULL)); /* the runtime makes its context current */         \
			CHECK(cuModuleLoadData(&module, kernels_ptx));                             \
		}                                                                                  \
		return module;                                                                     \
	}                                                                                          \
	static inline CUfunction kernel(const char *name)                                          \
	{                                                                                          \
		CUfunction function;                                                               \
                                                                                                   \
		CHECK(cuModuleGetFunction(&function, kernels_module(), name));                     \
		return function;                                                                   \
	}

/* The kernel's arguments must have exactly the types of its parameters. */
#define LAUNCH(name, blocks, threads, ...)                                                         \
	CHECK(cuLaunchKernel(kernel(#name), blocks, 1, 1, threads, 1, 1, 0, NULL,                  \
			     (void *[]){ADDRESSES(__VA_ARGS__)}, NULL))

#define ADDRESS(a)                                                                                 \
	(void *)&(__typeof__(a))                                                                   \
	{                                                                                          \
		a                                                                                  \
	}
#define ADDRESSES_1(a) ADDRESS(a)
#define ADDRESSES_2(a, ...) ADDRESS(a), ADDRESSES_1(__VA_ARGS__)
#define ADDRESSES_3(a, ...) ADDRESS(a), ADDRESSES_2(__VA_ARGS__)
#define ADDRESSES_4(a, ...) ADDRESS(a), ADDRESSES_3(__VA_ARGS__)
#define ADDRESSES_5(a, ...) ADDRESS(a), ADDRESSES_4(__VA_ARGS__)
#define ADDRESSES_6(a, ...) ADDRESS(a), ADDRESSES_5(__VA_ARGS__)
#define ADDRESSES_7(a, ...) ADDRESS(a), ADDRESSES_6(__VA_ARGS__)
#define ADDRESSES_N(a, b, c, d, e, f, g, n, ...) ADDRESSES_##n
#define ADDRESSES_OF(...) ADDRESSES_N(__VA_ARGS__, 7, 6, 5, 4, 3, 2, 1, 0)
#define ADDRESSES(...) ADDRESSES_OF(__VA_ARGS__)(__VA_ARGS__)

#endif
#endif
