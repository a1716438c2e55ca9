/* tests/gpu/check.h: CHECK ends the program when a call of the CUDA runtime fails. */
#ifndef VFLOW_TESTS_GPU_CHECK_H
#define VFLOW_TESTS_GPU_CHECK_H

#include <stdio.h>
#include <stdlib.h>

#include <cuda_runtime.h>

static void check(cudaError_t error, int line)
{
	if (error == cudaSuccess)
		return;
	printf("line %d: %s\n", line, cudaGetErrorName(error));
	exit(1);
}
#define CHECK(call) check(call, __LINE__)

#endif
