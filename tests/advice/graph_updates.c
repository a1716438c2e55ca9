/*
 * The host waits for each launch of a graph before it changes the graph for the next one, and
 * before it destroys it.  A launch keeps what it has begun with, and a graph that runs is released
 * when it is over: nothing has to be complete before.
 *
 * COLLECT: --passes flow,time,waits
 */
#include "tests/advice/program.h"

enum { N = 16384, STEPS = 6 };

static float numbers[N], expected[N];

int main(void)
{
	float *state, by = 0;
	int count = N;
	cudaStream_t stream;
	cudaGraph_t graph;
	cudaGraphNode_t node;
	cudaGraphExec_t executable;
	struct cudaKernelNodeParams launch = {
		.func = kernel("shift"),
		.gridDim = {N / 256, 1, 1},
		.blockDim = {256, 1, 1},
		.kernelParams = (void *[]){&state, &by, &count},
	};

	random_floats(numbers, N, 1);
	memcpy(expected, numbers, sizeof(numbers));
	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaMalloc((void **)&state, sizeof(numbers)));
	CHECK(cudaMemcpy(state, numbers, sizeof(numbers), cudaMemcpyHostToDevice));
	CHECK(cudaGraphCreate(&graph, 0));
	CHECK(cudaGraphAddKernelNode(&node, graph, NULL, 0, &launch));
	CHECK(cudaGraphInstantiateWithFlags(&executable, graph, 0));
	for (int step = 0; step < STEPS; step++) {
		by = (float)(step + 1);
		CHECK(cudaGraphExecKernelNodeSetParams(executable, node, &launch));
		CHECK(cudaGraphLaunch(executable, stream));
#if !FIX_1
		/* PLANT 1: unnecessary_wait, delete */
		CHECK(cudaStreamSynchronize(stream));
#endif
	}
	CHECK(cudaGraphExecDestroy(executable));
	CHECK(cudaGraphDestroy(graph));
	CHECK(cudaMemcpy(numbers, state, sizeof(numbers), cudaMemcpyDeviceToHost));
	for (int i = 0; i < N; i++)
		expected[i] += STEPS * (STEPS + 1) / 2;
	expect_floats(numbers, expected, N, "numbers");
	print_checksum("numbers", numbers, sizeof(numbers));
	CHECK(cudaStreamDestroy(stream));
	CHECK(cudaFree(state));
	return 0;
}
