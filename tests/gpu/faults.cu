/*
 * What a profiled program must survive, one case per run: `faults CASE [LAUNCHES]`.  Says what CUDA
 * answered, which must be the same with and without vflow.
 */
#include <algorithm>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include <cuda_runtime.h>

static __global__ void increment(int *data, int count)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < count)
		data[i]++;
}

static void say(const char *what, cudaError_t error)
{
	printf("%s: %s\n", what, cudaGetErrorName(error));
}

static int *made(size_t size)
{
	int *data = NULL;

	say("malloc", cudaMalloc((void **)&data, size));
	say("memset", cudaMemset(data, 0, size));
	return data;
}

template <typename T> static T *copied(const std::vector<T> &host)
{
	T *data = NULL;

	say("malloc", cudaMalloc((void **)&data, host.size() * sizeof(T)));
	say("memcpy",
	    cudaMemcpy(data, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice));
	return data;
}

static void check(const int *data, int expected)
{
	int first = -1;

	say("memcpy", cudaMemcpy(&first, data, sizeof(first), cudaMemcpyDeviceToHost));
	printf("%s\n", first == expected ? "right" : "wrong");
}

static void reset(void)
{
	for (int i = 0; i < 2; i++) {
		int *data = made(4096);

		increment<<<1, 32>>>(data, 32);
		check(data, 1);
		say("reset", cudaDeviceReset());
	}
}

/* 95 % of the memory, which vflow's shadows must leave to the program */
static void memory(void)
{
	size_t unused, total, size = (size_t)1 << 30;
	int *first = made(size), *rest;

	increment<<<1, 32>>>(first, 32);
	cudaMemGetInfo(&unused, &total);
	rest = made(total / 100 * 95 - size);
	increment<<<1, 32>>>(rest, 32);
	check(rest, 1);
	increment<<<1, 32>>>(first, 32);
	check(first, 2);
	say("free", cudaFree(rest));
}

static void many(void)
{
	static int *data[100000];

	for (int i = 0; i < 100000; i++)
		if (cudaMalloc((void **)&data[i], 256))
			puts("malloc failed");
	say("memset", cudaMemset(data[77777], 0, 256));
	for (int i = 0; i < 200; i++)
		increment<<<1, 64>>>(data[77777], 64);
	check(data[77777], 200);
}

static void sticky(void)
{
	int *data = made(4096);

	increment<<<1, 32>>>(data + ((size_t)1 << 40), 32);
	say("kernel", cudaDeviceSynchronize());
	say("memset", cudaMemset(data, 0, 4096));
	say("free", cudaFree(data));
}

static void graph(void)
{
	int *data = made(4096);
	cudaGraphExec_t run;
	cudaStream_t stream;
	cudaGraph_t graph;

	cudaStreamCreate(&stream);
	say("capture", cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
	say("memset", cudaMemsetAsync(data, 0, 2048, stream));
	increment<<<1, 32, 0, stream>>>(data, 32);
	increment<<<1, 32, 0, stream>>>(data, 32);
	say("end", cudaStreamEndCapture(stream, &graph));
	say("instantiate", cudaGraphInstantiate(&run, graph, 0));
	for (int i = 0; i < 3; i++)
		say("launch", cudaGraphLaunch(run, stream));
	say("synchronize", cudaStreamSynchronize(stream));
	increment<<<1, 32, 0, stream>>>(data, 32);
	check(data, 3);
}

static void pools(void)
{
	cudaStream_t stream;

	cudaStreamCreate(&stream);
	for (int i = 0; i < 3; i++) {
		int *data = NULL, first = -1;

		say("malloc", cudaMallocAsync((void **)&data, 1 << 20, stream));
		say("memset", cudaMemsetAsync(data, 0, 1 << 20, stream));
		increment<<<1, 32, 0, stream>>>(data, 32);
		say("memcpy", cudaMemcpyAsync(&first, data, 4, cudaMemcpyDeviceToHost, stream));
		say("free", cudaFreeAsync(data, stream));
		say("synchronize", cudaStreamSynchronize(stream));
		printf("%d\n", first);
	}
}

static void work(int *data)
{
	cudaStream_t streams[8];

	for (int i = 0; i < 8; i++)
		cudaStreamCreateWithFlags(&streams[i], cudaStreamNonBlocking);
	for (int i = 0; i < 80; i++)
		increment<<<1, 32, 0, streams[i % 8]>>>(data + i % 8 * 32, 32);
	for (int i = 0; i < 8; i++)
		cudaStreamSynchronize(streams[i]);
}

static void threads(void)
{
	std::thread *running[8];
	int *data[8];

	for (int i = 0; i < 8; i++)
		data[i] = made(4096);
	for (int i = 0; i < 8; i++)
		running[i] = new std::thread(work, data[i]);
	for (int i = 0; i < 8; i++)
		running[i]->join();
	for (int i = 0; i < 8; i++)
		check(data[i], 10);
}

static void leave(void)
{
	int *data = made(1 << 20);

	for (int i = 0; i < 100; i++)
		increment<<<1024, 256>>>(data, 1 << 18);
	fflush(stdout);
	_exit(3);
}

static void use(void)
{
	int *data = made(4096);

	increment<<<1, 32>>>(data, 32);
	check(data, 1);
}

/* Runs in a child; what it says comes before what the parent says next. */
static void in_child(void (*run)(void))
{
	int status = -1;
	pid_t child;

	fflush(stdout);
	child = fork();
	if (child == 0) {
		run();
		fflush(stdout);
		_exit(7);
	}
	waitpid(child, &status, 0);
	printf("child: %d\n", WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status));
}

/* before cuInit: parent and child are two programs that use the GPU */
static void fork_before(void)
{
	in_child(use);
	use();
}

/* after cuInit: the child must leave CUDA alone; the parent goes on */
static void fork_after(void)
{
	use();
	in_child([] { say("count", cudaGetLastError()); });
	use();
}

/* after cuInit, and the child becomes another program, which uses the GPU */
static void fork_exec(void)
{
	use();
	in_child([] {
		execl("/proc/self/exe", "faults", "use", (char *)NULL);
		puts("exec failed");
	});
	use();
}

static __global__ void wait_for(volatile int *flag, int *data)
{
	while (!*flag)
		;
	data[threadIdx.x] = 7;
}

/* a kernel that waits for the host */
static void host(void)
{
	int *data = made(4096), *flag, *seen;

	say("flag", cudaHostAlloc((void **)&flag, sizeof(*flag), cudaHostAllocMapped));
	*flag = 0;
	cudaHostGetDevicePointer((void **)&seen, flag, 0);
	wait_for<<<1, 32>>>(seen, data);
	say("launch", cudaGetLastError());
	*(volatile int *)flag = 1;
	say("synchronize", cudaDeviceSynchronize());
	check(data, 7);
}

static __global__ void raise_flag(volatile int *flag)
{
	*flag = 1;
}

/* a kernel that waits for a kernel of another stream */
static void kernel(void)
{
	int *data = made(4096), *flag = made(4096);
	cudaStream_t first, second;
	cudaFuncAttributes loaded;

	cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking);
	cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking);
	/* loading it waits for running kernels */
	say("load", cudaFuncGetAttributes(&loaded, raise_flag));
	say("load", cudaFuncGetAttributes(&loaded, wait_for));
	wait_for<<<1, 32, 0, first>>>(flag, data);
	raise_flag<<<1, 1, 0, second>>>(flag);
	say("synchronize", cudaDeviceSynchronize());
	check(data, 7);
}

/* Each waits for up to seven of those before it, many of which are lanes of its own warp. */
static __global__ void wait_for_others(volatile int *done, int count)
{
	bool again;

	do {
		again = false;
		for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count;
		     i += gridDim.x * blockDim.x) {
			bool ready = true;

			if (done[i])
				continue;
			for (int k = 0; i && k <= i % 7; k++)
				ready &= done[i - 1 - (i * 37 + k * 11) % min(i, 64)];
			if (ready)
				done[i] = 1;
			again |= !ready;
		}
	} while (again);
}

static void lanes(void)
{
	const int count = 1 << 16;
	int *done = made(count * sizeof(int));

	wait_for_others<<<count / 512, 512>>>(done, count);
	say("synchronize", cudaDeviceSynchronize());
	check(done + count - 1, 1);
}

#define NODES 124651
#define NEIGHBOURS 31

/*
 * Gives each node a colour (a bit) that no neighbour has: the first of those left to it once all
 * neighbours before it have theirs, or none of these may still take it.  Most neighbours are lanes
 * of the same warp; all go through a round together, but look at different numbers of them.  With
 * patches that part some of them while others wait at the loop's end, it never ended.
 */
static __global__ __launch_bounds__(512, 4) void paint(const int *__restrict__ first,
						       const int *__restrict__ before,
						       volatile unsigned *colours, unsigned *open,
						       int count)
{
	bool again;

	do {
		again = false;
		for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count;
		     i += gridDim.x * blockDim.x) {
			unsigned mine = colours[i], others = 0, todo, left;

			if (__popc(mine) == 1)
				continue;
			todo = left = open[i];
			do {
				unsigned rest = todo & (todo - 1), one = todo ^ rest;
				unsigned other = colours[before[first[i] + __clz(one)]];

				todo = rest;
				others |= other;
				if (!(mine & other)) {
					left ^= one;
				} else if (__popc(other) == 1) {
					mine ^= other;
					left ^= one;
				}
			} while (todo);
			if (left) {
				unsigned best = 0x80000000u >> __clz(mine);

				if (!(best & others)) {
					mine = best;
					left = 0;
				}
			}
			if (!left)
				mine = 0x80000000u >> __clz(mine);
			again |= left != 0;
			open[i] = left;
			colours[i] = mine;
		}
	} while (again);
}

static unsigned topmost(int bits)
{
	return bits ? ~0u << (32 - bits) : 0;
}

/* Those of more neighbours come before others. */
static bool comes_before(const std::vector<int> *neighbours, int a, int b)
{
	unsigned of_a = (unsigned)a * 2654435769u, of_b = (unsigned)b * 2654435769u;

	if (neighbours[a].size() != neighbours[b].size())
		return neighbours[a].size() > neighbours[b].size();
	return of_a > of_b;
}

static void colours(void)
{
	static std::vector<int> neighbours[NODES];
	std::vector<int> first(NODES), before;
	std::vector<unsigned> open(NODES), colour(NODES);
	int *first_there, *before_there, same = 0;
	unsigned *open_there, *colours_there, random = 1;

	for (int i = 0; i < NODES; i++)
		for (int k = 0; k < 3; k++) {
			int other;

			random = random * 1664525 + 1013904223;
			other = i + 1 + (int)(random >> 16) % 40;
			if (other >= NODES || neighbours[i].size() >= NEIGHBOURS ||
			    neighbours[other].size() >= NEIGHBOURS ||
			    std::count(neighbours[i].begin(), neighbours[i].end(), other))
				continue;
			neighbours[i].push_back(other);
			neighbours[other].push_back(i);
		}
	for (int i = 0; i < NODES; i++) {
		int count = 0;

		first[i] = (int)before.size();
		for (int other : neighbours[i])
			if (comes_before(neighbours, other, i)) {
				before.push_back(other);
				count++;
			}
		open[i] = topmost(count);
		colour[i] = topmost(count + 1);
	}
	first_there = copied(first);
	before_there = copied(before);
	open_there = copied(open);
	colours_there = copied(colour);
	paint<<<(NODES + 511) / 512, 512>>>(first_there, before_there, colours_there, open_there,
					    NODES);
	say("synchronize", cudaDeviceSynchronize());
	say("memcpy", cudaMemcpy(colour.data(), colours_there, NODES * sizeof(colour[0]),
				 cudaMemcpyDeviceToHost));
	for (int i = 0; i < NODES; i++)
		for (int other : neighbours[i])
			same += colour[i] == colour[other] || __builtin_popcount(colour[i]) != 1;
	printf("%d neighbours of the same colour\n", same);
}

static int launch_count = 1000000;

static void launches(void)
{
	int *data = made(4096);

	for (int i = 0; i < launch_count; i++)
		increment<<<1, 32>>>(data, 32);
	check(data, launch_count);
}

/* ends by a signal that nobody can handle, a kernel in flight */
static void killed(void)
{
	int *data = made(1 << 20);

	for (int i = 0; i < 100; i++)
		increment<<<1024, 256>>>(data, 1 << 18);
	fflush(stdout);
	kill(getpid(), SIGKILL);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} cases[] = {{"reset", reset},
		     {"memory", memory},
		     {"many", many},
		     {"sticky", sticky},
		     {"graph", graph},
		     {"pools", pools},
		     {"threads", threads},
		     {"leave", leave},
		     {"use", use},
		     {"fork_before", fork_before},
		     {"fork_after", fork_after},
		     {"fork_exec", fork_exec},
		     {"host", host},
		     {"kernel", kernel},
		     {"lanes", lanes},
		     {"colours", colours},
		     {"launches", launches},
		     {"killed", killed}};

	if (argc == 3)
		launch_count = atoi(argv[2]);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		if (argc >= 2 && !strcmp(argv[1], cases[i].name)) {
			cases[i].run();
			return 0;
		}
	return 2;
}
