/*
 * nodes.c CASE: programs whose CUDA graphs have nodes that are alike; which vertices they are is
 * worked out in tests/cli/e2e_nodes.sh.  Comments name lines.  A vertex of a node is where it was
 * captured or added, and where its graph was launched.
 */
#include <string.h>

#include "tests/programs/launch.h"

KERNELS("tests/programs/exactness_kernels.ptx")

static cudaStream_t stream;
static int *x, count = 256;

static void start(void)
{
	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaMalloc((void **)&x, 1024));
}

static void begin(void)
{
	CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
}

static cudaGraph_t end(void)
{
	cudaGraph_t captured;

	CHECK(cudaStreamEndCapture(stream, &captured));
	return captured;
}

static cudaGraphExec_t instantiate(cudaGraph_t graph)
{
	cudaGraphExec_t executable;

	CHECK(cudaGraphInstantiateWithFlags(&executable, graph, 0));
	return executable;
}

static void put_set(int value)
{
	CHECK(cudaMemsetAsync(x, value, 1024, stream)); /* put_set */
}

static void put_increment(CUfunction increment)
{
	CUstream on = (CUstream)stream;
	void *with[] = {&x, &count};

	CHECK(cuLaunchKernel(increment, 1, 1, 1, 256, 1, 1, 0, on, with, NULL)); /* put_increment */
}

static void run(cudaGraphExec_t executable)
{
	CHECK(cudaGraphLaunch(executable, stream)); /* run */
}

/* Three sets that are added at one line, one after the other. */
static cudaGraph_t add_sets(cudaGraphNode_t nodes[3])
{
	struct cudaMemsetParams set = {.dst = x, .elementSize = 4, .width = 256, .height = 1};
	cudaGraph_t graph;

	CHECK(cudaGraphCreate(&graph, 0));
	for (int i = 0; i < 3; i++) {
		const cudaGraphNode_t *before = i ? &nodes[i - 1] : NULL;

		set.value = (unsigned)i;
		CHECK(cudaGraphAddMemsetNode(&nodes[i], graph, before, i > 0, &set)); /* add */
	}
	return graph;
}

/* A helper that captures, called twice. */
static void helper(void)
{
	cudaGraphExec_t executable;

	begin();
	put_set(0); /* first */
	put_set(1); /* second */
	executable = instantiate(end());
	run(executable); /* launch */
}

static void loop(void)
{
	cudaGraphNode_t nodes[3];
	cudaGraphExec_t executable = instantiate(add_sets(nodes)); /* sets */

	for (int i = 0; i < 2; i++)
		CHECK(cudaGraphLaunch(executable, stream)); /* twice */
	CHECK(cudaGraphLaunch(executable, stream));         /* once */
}

/* What is off is not there, and the others stay what they are. */
static void enabled(void)
{
	cudaGraphNode_t nodes[3];
	cudaGraphExec_t executable = instantiate(add_sets(nodes)); /* sets */

	run(executable); /* all */
	CHECK(cuGraphNodeSetEnabled((CUgraphExec)executable, (CUgraphNode)nodes[1], 0));
	for (int i = 0; i < 2; i++)
		run(executable); /* some */
}

/* A child graph that is used twice. */
static void child(void)
{
	CUfunction increment = kernel("increment");
	cudaGraphNode_t nodes[2];
	cudaGraph_t inner, outer;

	begin();
	put_set(5);               /* set */
	put_increment(increment); /* increment */
	inner = end();
	CHECK(cudaGraphCreate(&outer, 0));
	for (int i = 0; i < 2; i++)
		CHECK(cudaGraphAddChildGraphNode(&nodes[i], outer, nodes, i > 0, inner));
	run(instantiate(outer)); /* launch */
}

static void clone(void)
{
	cudaGraphNode_t nodes[3];
	cudaGraph_t graph = add_sets(nodes); /* sets */
	cudaGraph_t copy;
	cudaGraphExec_t executables[2];

	CHECK(cudaGraphClone(&copy, graph));
	executables[0] = instantiate(graph);
	CHECK(cudaGraphDestroy(graph));
	executables[1] = instantiate(copy);
	for (int i = 0; i < 2; i++)
		run(executables[i]); /* both */
}

/* Two kernels at one line are equal once they are the same kernel. */
static void other_kernel(void)
{
	CUfunction increment = kernel("increment"), copy = kernel("reverse_blocks");
	CUDA_KERNEL_NODE_PARAMS added = {.func = increment,
					 .gridDimX = 1,
					 .gridDimY = 1,
					 .gridDimZ = 1,
					 .blockDimX = 256,
					 .blockDimY = 1,
					 .blockDimZ = 1};
	cudaGraphExec_t executable;
	CUgraphNode nodes[2];
	CUgraph graph;
	int *y;

	CHECK(cudaMalloc((void **)&y, 1024));
	CHECK(cuGraphCreate(&graph, 0));
	for (int i = 0; i < 2; i++) {
		added.func = i ? copy : increment;
		added.kernelParams = i ? (void *[]){&x, &y} : (void *[]){&x, &count};
		CHECK(cuGraphAddKernelNode(&nodes[i], graph, nodes, i > 0, &added)); /* add */
	}
	executable = instantiate((cudaGraph_t)graph);
	CHECK(cudaMemset(x, 0, 1024)); /* zero */
	run(executable);               /* launch */
	added.func = increment;
	added.kernelParams = (void *[]){&x, &count};
	CHECK(cuGraphExecKernelNodeSetParams((CUgraphExec)executable, nodes[1], &added));
	run(executable); /* again */
}

/* The executable does what another graph does, which was captured elsewhere. */
static void update(void)
{
	CUgraphExecUpdateResultInfo result;
	cudaGraphExec_t executable;

	begin();
	put_set(1); /* first */
	executable = instantiate(end());
	for (int i = 0; i < 2; i++) {
		run(executable); /* launch */
		begin();
		put_set(2); /* second */
		CHECK(cuGraphExecUpdate((CUgraphExec)executable, (CUgraph)end(), &result));
	}
}

/* A graph is captured each time. */
static void recapture(void)
{
	CUfunction increment = kernel("increment");

	CHECK(cudaMemset(x, 0, 1024)); /* zero */
	for (int i = 0; i < 3; i++) {
		cudaGraphExec_t executable;
		cudaGraph_t graph;

		begin();
		for (int k = 0; k < 2; k++)
			put_increment(increment); /* increment */
		graph = end();
		executable = instantiate(graph);
		CHECK(cudaGraphDestroy(graph));
		run(executable); /* launch */
		CHECK(cudaStreamSynchronize(stream));
		CHECK(cudaGraphExecDestroy(executable));
	}
}

static const struct {
	const char *name;
	void (*run)(void);
} cases[] = {
	{"helper", helper}, {"loop", loop},           {"enabled", enabled},
	{"child", child},   {"clone", clone},         {"other_kernel", other_kernel},
	{"update", update}, {"recapture", recapture},
};

int main(int argc, char **argv)
{
	const size_t all = sizeof(cases) / sizeof(*cases);

	for (size_t i = 0; argc == 2 && i < all; i++)
		if (!strcmp(argv[1], cases[i].name)) {
			start();
			cases[i].run(); /* main */
			CHECK(cudaDeviceSynchronize());
			return 0;
		}
	fprintf(stderr, "usage: nodes CASE, one of:");
	for (size_t i = 0; i < all; i++)
		fprintf(stderr, " %s", cases[i].name);
	fprintf(stderr, "\n");
	return 2;
}
