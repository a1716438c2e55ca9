/*
 * A captured graph clears its result before a kernel that stores all of it; it is launched once
 * for each input.
 */
#include "tests/advice/program.h"

enum { N = 16384, INPUTS = 5 };

struct filter {
	cudaStream_t stream;
	cudaGraphExec_t graph;
	float *in, *out, *host; /* host: pinned, input and result */
};

static float input[N];

static void filter_capture(struct filter *filter)
{
	cudaGraph_t graph;

	(void)kernel("smooth"); /* modules are not loaded while a stream is captured */
	CHECK(cudaStreamBeginCapture(filter->stream, cudaStreamCaptureModeGlobal));
	CHECK(cudaMemcpyAsync(filter->in, filter->host, sizeof(input), cudaMemcpyHostToDevice,
			      filter->stream));
#if !FIX_1
	/* PLANT 1: dead_write, delete, 320K */
	CHECK(cudaMemsetAsync(filter->out, 0, sizeof(input), filter->stream));
#endif
	LAUNCH_ON(filter->stream, smooth, N / 256, 256, filter->out, filter->in, N);
	CHECK(cudaMemcpyAsync(filter->host, filter->out, sizeof(input), cudaMemcpyDeviceToHost,
			      filter->stream));
	CHECK(cudaStreamEndCapture(filter->stream, &graph));
	CHECK(cudaGraphInstantiateWithFlags(&filter->graph, graph, 0));
	CHECK(cudaGraphDestroy(graph));
}

static struct filter filter_new(void)
{
	struct filter filter;

	CHECK(cudaStreamCreate(&filter.stream));
	CHECK(cudaMalloc((void **)&filter.in, sizeof(input)));
	CHECK(cudaMalloc((void **)&filter.out, sizeof(input)));
	CHECK(cudaMallocHost((void **)&filter.host, sizeof(input)));
	filter_capture(&filter);
	return filter;
}

static void filter_run(const struct filter *filter)
{
	memcpy(filter->host, input, sizeof(input));
	CHECK(cudaGraphLaunch(filter->graph, filter->stream));
	CHECK(cudaStreamSynchronize(filter->stream));
	for (int i = 0; i < N; i++) {
		float left = input[i > 0 ? i - 1 : i], right = input[i < N - 1 ? i + 1 : i];

		expect(fabsf(filter->host[i] - (left + input[i] + right) / 3) < 1e-4f, "smooth");
	}
	print_checksum("smooth", filter->host, sizeof(input));
}

int main(void)
{
	struct filter filter = filter_new();

	for (unsigned i = 0; i < INPUTS; i++) {
		random_floats(input, N, i);
		filter_run(&filter);
	}
	CHECK(cudaGraphExecDestroy(filter.graph));
	CHECK(cudaStreamDestroy(filter.stream));
	CHECK(cudaFree(filter.in));
	CHECK(cudaFree(filter.out));
	CHECK(cudaFreeHost(filter.host));
	return 0;
}
