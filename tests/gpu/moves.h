/* tests/gpu/moves.h: what moves.cu and graphs.cu share. */
#ifndef VFLOW_TESTS_GPU_MOVES_H
#define VFLOW_TESTS_GPU_MOVES_H

#include <cstdio>
#include <cstdlib>

#include <cuda_runtime.h>

#define CHECK(call)                                                                                \
	do {                                                                                       \
		int error_ = (int)(call);                                                          \
		if (error_) {                                                                      \
			fprintf(stderr, "moves: line %d: %s: error %d\n", __LINE__, #call,         \
				error_);                                                           \
			exit(1);                                                                   \
		}                                                                                  \
	} while (0)

extern int host[4096];

__global__ void add(int *x, int n, int by);
__global__ void copy(int *to, const int *from, int n);
/* Its blocks wait for each other. */
__global__ void together(int *x, int *y, int n);

/* Ends the program if it does not. */
void expect(bool holds, const char *what);

/* What `work` gives to the stream, as a graph. */
template <typename Work> static cudaGraph_t capture(cudaStream_t stream, Work work)
{
	cudaGraph_t whole;

	CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
	work();
	CHECK(cudaStreamEndCapture(stream, &whole));
	return whole;
}

/* Destroys the graph. */
static cudaGraphExec_t make_executable(cudaGraph_t whole)
{
	cudaGraphExec_t executable;

	CHECK(cudaGraphInstantiate(&executable, whole, 0));
	CHECK(cudaGraphDestroy(whole));
	return executable;
}

struct test_case {
	const char *name;
	void (*run)();
};

/* graphs.cu; the last has no name. */
extern const test_case graph_cases[];

#endif
