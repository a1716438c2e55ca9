/*
 * Work of known length for tests/gpu/times.sh: `times CASE`.
 */
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <cuda_runtime.h>

#define CHECK(call)                                                                                \
	do {                                                                                       \
		cudaError_t error_ = (call);                                                       \
		if (error_) {                                                                      \
			fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(error_));            \
			exit(1);                                                                   \
		}                                                                                  \
	} while (0)

enum { MEGABYTE = 1000000, SPIN_NS = 2000000 };

__device__ unsigned turns; /* a variable of the module, which no call allocates */

__global__ void spin(unsigned long long ns)
{
	unsigned long long start, now;

	asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start));
	do
		asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
	while (now - start < ns);
	atomicAdd(&turns, 1);
}

__global__ void fill(float *data, int count)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < count)
		data[i] = (float)i;
}

static void run_spins(void)
{
	for (int i = 0; i < 10; i++)
		spin<<<1, 1>>>(SPIN_NS);
	CHECK(cudaDeviceSynchronize());
}

static void run_copies(void)
{
	static char pageable[MEGABYTE];
	void *a, *b, *pinned, *pool;
	cudaStream_t s;

	CHECK(cudaStreamCreate(&s));
	CHECK(cudaMalloc(&a, MEGABYTE));
	CHECK(cudaMalloc(&b, MEGABYTE));
	CHECK(cudaMallocHost(&pinned, MEGABYTE));
	CHECK(cudaMallocAsync(&pool, MEGABYTE, s));
	memset(pinned, 1, MEGABYTE);
	for (int i = 0; i < 20; i++) {
		CHECK(cudaMemcpyAsync(a, pinned, MEGABYTE, cudaMemcpyHostToDevice, s));
		CHECK(cudaMemcpyAsync(b, a, MEGABYTE, cudaMemcpyDeviceToDevice, s));
		CHECK(cudaMemsetAsync(pool, i, MEGABYTE, s));
		CHECK(cudaMemcpyAsync(pinned, pool, MEGABYTE, cudaMemcpyDeviceToHost, s));
		CHECK(cudaStreamSynchronize(s));
		CHECK(cudaMemcpy(a, pageable, MEGABYTE, cudaMemcpyHostToDevice));
		CHECK(cudaMemcpy(pageable, a, MEGABYTE, cudaMemcpyDeviceToHost));
	}
	CHECK(cudaMemcpy(pageable, pinned, MEGABYTE, cudaMemcpyHostToHost));
	CHECK(cudaFreeAsync(pool, s));
	CHECK(cudaFree(a));
	CHECK(cudaFree(b));
	CHECK(cudaFreeHost(pinned));
	CHECK(cudaStreamDestroy(s));
}

/* More launches than one buffer of records holds, on two streams, without any wait in between. */
static void run_many(void)
{
	cudaStream_t s[2];
	float *data;

	CHECK(cudaStreamCreate(&s[0]));
	CHECK(cudaStreamCreate(&s[1]));
	CHECK(cudaMalloc(&data, 4096 * sizeof(float)));
	for (int i = 0; i < 20000; i++)
		fill<<<16, 256, 0, s[i % 2]>>>(data, 4096);
	CHECK(cudaDeviceSynchronize());
	CHECK(cudaFree(data));
	CHECK(cudaDeviceReset());
}

static void run_graph(void)
{
	cudaGraphExec_t executable;
	cudaGraph_t graph;
	cudaStream_t s;
	float *data;

	CHECK(cudaStreamCreate(&s));
	CHECK(cudaMalloc(&data, 4096 * sizeof(float)));
	CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
	fill<<<16, 256, 0, s>>>(data, 4096);
	CHECK(cudaMemsetAsync(data, 0, 4096, s));
	CHECK(cudaStreamEndCapture(s, &graph));
	CHECK(cudaGraphInstantiateWithFlags(&executable, graph, 0));
	for (int i = 0; i < 3; i++)
		CHECK(cudaGraphLaunch(executable, s));
	CHECK(cudaStreamSynchronize(s));
	fill<<<16, 256>>>(data, 4096);
	CHECK(cudaFree(data));
}

int main(int argc, char **argv)
{
	const char *wanted = argc > 1 ? argv[1] : "";

	if (!strcmp(wanted, "spins"))
		run_spins();
	else if (!strcmp(wanted, "copies"))
		run_copies();
	else if (!strcmp(wanted, "many"))
		run_many();
	else if (!strcmp(wanted, "graph"))
		run_graph();
	else
		return 2;
	return 0;
}
