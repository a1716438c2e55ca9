/*
 * No waste: a graph that is captured once and launched for every frame.  It clears the bins that
 * its kernel counts up, and sends samples that the host changes in between.
 */
#include "tests/advice/program.h"

enum { SAMPLES = 65536, BINS = 4096, FRAMES = 4 };

struct counter {
	cudaStream_t stream;
	cudaGraphExec_t graph;
	unsigned short *host_samples, *samples; /* host_...: pinned */
	int *host_bins, *bins;
};

static int expected[BINS];

/* Cleared bins and samples, then the kernel, then the bins for the host. */
static void counter_graph(struct counter *c)
{
	const struct cudaMemsetParams clear = {
		.dst = c->bins, .elementSize = sizeof(int), .width = BINS, .height = 1};
	int count = SAMPLES;
	const CUDA_KERNEL_NODE_PARAMS launch = {.func = kernel("histogram"),
						.gridDimX = SAMPLES / 256,
						.gridDimY = 1,
						.gridDimZ = 1,
						.blockDimX = 256,
						.blockDimY = 1,
						.blockDimZ = 1,
						.kernelParams =
							(void *[]){&c->bins, &c->samples, &count}};
	cudaGraphNode_t before[2], counted, fetched;
	cudaGraph_t graph;

	CHECK(cudaGraphCreate(&graph, 0));
	CHECK(cudaGraphAddMemsetNode(&before[0], graph, NULL, 0, &clear));
	CHECK(cudaGraphAddMemcpyNode1D(&before[1], graph, NULL, 0, c->samples, c->host_samples,
				       SAMPLES * sizeof(unsigned short), cudaMemcpyHostToDevice));
	CHECK(cuGraphAddKernelNode(&counted, graph, before, 2, &launch));
	CHECK(cudaGraphAddMemcpyNode1D(&fetched, graph, &counted, 1, c->host_bins, c->bins,
				       sizeof(expected), cudaMemcpyDeviceToHost));
	CHECK(cudaGraphInstantiateWithFlags(&c->graph, graph, 0));
	CHECK(cudaGraphDestroy(graph));
}

static struct counter counter_new(void)
{
	struct counter c;

	CHECK(cudaStreamCreate(&c.stream));
	CHECK(cudaMallocHost((void **)&c.host_samples, SAMPLES * sizeof(unsigned short)));
	CHECK(cudaMallocHost((void **)&c.host_bins, sizeof(expected)));
	CHECK(cudaMalloc((void **)&c.samples, SAMPLES * sizeof(unsigned short)));
	CHECK(cudaMalloc((void **)&c.bins, sizeof(expected)));
	counter_graph(&c);
	return c;
}

static void draw_samples(unsigned short *samples, unsigned seed)
{
	unsigned state = seed;

	memset(expected, 0, sizeof(expected));
	for (int i = 0; i < SAMPLES; i++) {
		samples[i] = random_number(&state) % BINS;
		expected[samples[i]]++;
	}
}

static void counter_free(const struct counter *c)
{
	CHECK(cudaGraphExecDestroy(c->graph));
	CHECK(cudaStreamDestroy(c->stream));
	CHECK(cudaFreeHost(c->host_samples));
	CHECK(cudaFreeHost(c->host_bins));
	CHECK(cudaFree(c->samples));
	CHECK(cudaFree(c->bins));
}

int main(void)
{
	struct counter counter = counter_new();

	for (unsigned frame = 0; frame < FRAMES; frame++) {
		draw_samples(counter.host_samples, frame);
		CHECK(cudaGraphLaunch(counter.graph, counter.stream));
		CHECK(cudaStreamSynchronize(counter.stream));
		expect(!memcmp(counter.host_bins, expected, sizeof(expected)), "the bins");
		print_checksum("bins", counter.host_bins, sizeof(expected));
	}
	counter_free(&counter);
	return 0;
}
