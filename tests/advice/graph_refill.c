/*
 * No waste: the graph begins with a copy from pinned memory, a node that the program has added, and
 * the host writes there for the next launch.  It has to wait for this one before.
 *
 * COLLECT: --passes flow,time,waits
 */
#include "tests/advice/program.h"

enum { N = 8192, STEPS = 5 };

static float total[N], expected[N], numbers[N];

static cudaGraphExec_t make_graph(float *sum, float *input, const float *staging)
{
	void *function = kernel("accumulate");
	int count = N;
	cudaGraph_t graph;
	cudaGraphNode_t copy, add;
	cudaGraphExec_t made;
	struct cudaKernelNodeParams launch = {
		.func = function,
		.gridDim = {N / 256, 1, 1},
		.blockDim = {256, 1, 1},
		.kernelParams = (void *[]){&sum, &input, &input, &count},
	};

	CHECK(cudaGraphCreate(&graph, 0));
	CHECK(cudaGraphAddMemcpyNode1D(&copy, graph, NULL, 0, input, staging, sizeof(total),
				       cudaMemcpyHostToDevice));
	CHECK(cudaGraphAddKernelNode(&add, graph, &copy, 1, &launch));
	CHECK(cudaGraphInstantiateWithFlags(&made, graph, 0));
	CHECK(cudaGraphDestroy(graph));
	return made;
}

int main(void)
{
	float *input, *sum, *staging;
	cudaStream_t stream;
	cudaGraphExec_t graph;

	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaMalloc((void **)&input, sizeof(total)));
	CHECK(cudaMalloc((void **)&sum, sizeof(total)));
	CHECK(cudaMallocHost((void **)&staging, sizeof(total)));
	CHECK(cudaMemsetAsync(sum, 0, sizeof(total), stream));
	graph = make_graph(sum, input, staging);
	for (int step = 0; step < STEPS; step++) {
		random_floats(staging, N, (unsigned)step);
		CHECK(cudaGraphLaunch(graph, stream));
		CHECK(cudaStreamSynchronize(stream));
	}
	CHECK(cudaMemcpy(total, sum, sizeof(total), cudaMemcpyDeviceToHost));
	for (int step = 0; step < STEPS; step++) {
		random_floats(numbers, N, (unsigned)step);
		for (int i = 0; i < N; i++)
			expected[i] += numbers[i] * numbers[i];
	}
	expect_floats(total, expected, N, "sums");
	print_checksum("sums", total, sizeof(total));
	CHECK(cudaGraphExecDestroy(graph));
	CHECK(cudaStreamDestroy(stream));
	CHECK(cudaFree(input));
	CHECK(cudaFree(sum));
	CHECK(cudaFreeHost(staging));
	return 0;
}
