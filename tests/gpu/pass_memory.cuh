/*
 * tests/gpu/pass_memory.cuh: memory for kernels of gpu/sanitizer that run without the Sanitizer.
 * What fails is said as TAP and ends the program.
 */
#ifndef VFLOW_TESTS_GPU_PASS_MEMORY_CUH
#define VFLOW_TESTS_GPU_PASS_MEMORY_CUH

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cuda_runtime.h>

#define CHECK(call)                                                                                \
	do {                                                                                       \
		cudaError_t error_ = call;                                                         \
		if (error_) {                                                                      \
			printf("not ok - %s: %s\n", #call, cudaGetErrorString(error_));            \
			exit(1);                                                                   \
		}                                                                                  \
	} while (0)

template <typename T> static T *zeroed(uint64_t count)
{
	T *memory;

	CHECK(cudaMalloc((void **)&memory, count * sizeof(T)));
	CHECK(cudaMemset(memory, 0, count * sizeof(T)));
	return memory;
}

template <typename T> static T *shared_with_host(uint64_t count)
{
	T *memory;

	CHECK(cudaHostAlloc((void **)&memory, count * sizeof(T), cudaHostAllocMapped));
	memset((void *)memory, 0, count * sizeof(T));
	return memory;
}

#endif
