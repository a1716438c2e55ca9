/*
 * What streams and events order, and what they do not: tests/cli/deps.sh works it out.
 * `stream_order CASE`.
 */
#include <pthread.h>
#include <string.h>

#include "tests/programs/launch.h"

enum { BYTES = 4096 };

/* As of a program that nvcc has built with --default-stream per-thread. */
extern __typeof__(cudaMemcpy) cudaMemcpy_ptds;
extern __typeof__(cudaMemsetAsync) cudaMemsetAsync_ptsz;
extern __typeof__(cudaStreamSynchronize) cudaStreamSynchronize_ptsz;
/* The emulator's header lacks it. */
cudaError_t cudaGraphAddEventRecordNode(cudaGraphNode_t *made, cudaGraph_t graph,
					const cudaGraphNode_t *before, size_t count,
					cudaEvent_t event);

static void *a, *b, *c, *d;

static void *device(void)
{
	void *data;

	CHECK(cudaMalloc(&data, BYTES));
	return data;
}

static void set(void *data, cudaStream_t stream)
{
	CHECK(cudaMemsetAsync(data, 1, BYTES, stream));
}

static cudaStream_t stream(unsigned flags)
{
	cudaStream_t made;

	CHECK(cudaStreamCreateWithFlags(&made, flags));
	return made;
}

static cudaStream_t nonblocking(void)
{
	return stream(cudaStreamNonBlocking);
}

static cudaEvent_t event(void)
{
	cudaEvent_t made;

	CHECK(cudaEventCreate(&made));
	return made;
}

/* The first stream waits for what the second one has now. */
static void order(cudaStream_t later, cudaStream_t sooner)
{
	cudaEvent_t between = event();

	CHECK(cudaEventRecord(between, sooner));
	CHECK(cudaStreamWaitEvent(later, between, 0));
	CHECK(cudaEventDestroy(between));
}

static void *other_thread(void *unused)
{
	CHECK(cudaMemsetAsync_ptsz(b, 2, BYTES, 0));
	return unused;
}

static void run_threads(void)
{
	static char host[BYTES];
	cudaStream_t s = nonblocking();
	pthread_t thread;

	set(a, cudaStreamPerThread);
	pthread_create(&thread, NULL, other_thread, NULL);
	pthread_join(thread, NULL);
	set(c, s);
	set(a, 0);
	CHECK(cudaMemsetAsync_ptsz(b, 2, BYTES, 0));
	set(c, s);
	CHECK(cudaStreamSynchronize_ptsz(0));
	set(a, nonblocking());
	CHECK(cudaMemcpy_ptds(host, a, BYTES, cudaMemcpyDeviceToHost));
}

/* Events over a stream with nothing in it, recorded again, never recorded. */
static void run_events(void)
{
	cudaStream_t s = nonblocking(), t = nonblocking(), u = nonblocking(), v = nonblocking();
	cudaStream_t w = nonblocking();
	cudaEvent_t again = event();

	set(a, s);
	CHECK(cudaEventRecord(again, s));
	CHECK(cudaStreamWaitEvent(t, again, 0));
	order(u, t);
	set(c, u);
	set(b, s);
	CHECK(cudaStreamWaitEvent(u, again, 0));
	set(c, u);
	CHECK(cudaEventRecord(again, s));
	CHECK(cudaStreamWaitEvent(u, again, 0));
	set(c, u);
	CHECK(cudaStreamWaitEvent(v, again, 0));
	set(a, s);
	CHECK(cudaEventRecord(again, s));
	set(d, v);
	CHECK(cudaStreamWaitEvent(w, event(), 0));
	set(d, w);
	CHECK(cudaStreamWaitEvent(t, again, 0));
	CHECK(cudaStreamSynchronize(t));
	set(b, nonblocking());
}

/* Events of the default stream come after all streams that are ordered with it, and before them. */
static void run_default(void)
{
	cudaStream_t s = stream(0), t = stream(0), n = nonblocking();

	set(a, s);
	CHECK(cudaEventRecord(event(), 0));
	set(b, t);
	set(c, n);
	order(0, n);
	set(a, s);
	set(d, n);
	set(b, t);
	set(d, stream(0));
	set(c, 0);
	set(c, n);
}

/* A stream that is made after another one was destroyed may have its handle. */
static void run_again(void)
{
	cudaStream_t s = nonblocking(), t = nonblocking();
	cudaEvent_t of_gone = event();

	set(a, s);
	CHECK(cudaEventRecord(of_gone, s));
	CHECK(cudaStreamDestroy(s));
	s = nonblocking();
	set(b, s);
	CHECK(cudaStreamWaitEvent(t, of_gone, 0));
	set(c, t);
}

static void run_captured(void)
{
	cudaStream_t s = nonblocking(), t = nonblocking();
	cudaGraphExec_t executable;
	cudaGraph_t graph;

	CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
	set(a, s);
	order(t, s);
	set(b, t);
	order(s, t);
	CHECK(cudaStreamEndCapture(s, &graph));
	CHECK(cudaGraphInstantiateWithFlags(&executable, graph, 0));
	CHECK(cudaGraphLaunch(executable, s));
	set(b, s);
}

/* Events that nodes of graphs record, added and captured ones. */
static void run_nodes(void)
{
	cudaStream_t s = nonblocking(), u = nonblocking();
	struct cudaMemsetParams params = {
		.dst = a, .value = 3, .elementSize = 1, .width = BYTES, .height = 1};
	cudaEvent_t of_node = event(), begin = event(), end = event();
	cudaGraphExec_t executable;
	cudaGraphNode_t node;
	cudaGraph_t graph;
	float ms = -1;

	CHECK(cudaGraphCreate(&graph, 0));
	CHECK(cudaGraphAddMemsetNode(&node, graph, NULL, 0, &params));
	CHECK(cudaGraphAddEventRecordNode(&node, graph, &node, 1, of_node));
	CHECK(cudaGraphInstantiateWithFlags(&executable, graph, 0));
	CHECK(cudaGraphLaunch(executable, s));
	set(b, s);
	CHECK(cudaStreamWaitEvent(u, of_node, 0));
	set(c, u);
	CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
	CHECK(cudaEventRecordWithFlags(begin, s, cudaEventRecordExternal));
	set(a, s);
	CHECK(cudaEventRecordWithFlags(end, s, cudaEventRecordExternal));
	CHECK(cudaStreamEndCapture(s, &graph));
	CHECK(cudaGraphInstantiateWithFlags(&executable, graph, 0));
	CHECK(cudaGraphLaunch(executable, s));
	CHECK(cudaStreamWaitEvent(u, end, 0));
	set(d, u);
	CHECK(cudaEventSynchronize(end));
	CHECK(cudaEventElapsedTime(&ms, begin, end));
	if (ms < 0)
		exit(1);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} cases[] = {
		{"threads", run_threads}, {"events", run_events},     {"default", run_default},
		{"again", run_again},     {"captured", run_captured}, {"nodes", run_nodes},
	};

	a = device(), b = device(), c = device(), d = device();
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		if (argc > 1 && !strcmp(argv[1], cases[i].name)) {
			cases[i].run();
			return 0;
		}
	return 2;
}
