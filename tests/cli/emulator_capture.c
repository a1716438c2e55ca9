/*
 * emulator_capture.c: what calls return while a stream is captured, and what the end of the capture
 * does; a line for each call, with the mode of the capture (global, of the thread, relaxed) into a
 * blocking stream, then the same into a non-blocking one.
 */
#include <pthread.h>
#include <stdio.h>

#include <cuda_runtime_api.h>

static cudaStream_t captured, blocking, other;
static cudaEvent_t event, recorded;
static void *memory, *more, *pinned;
static int number; /* of the byte that is copied */

static cudaError_t allocate(void)
{
	return cudaMalloc(&more, 64);
}

static cudaError_t release(void)
{
	return cudaFree(memory);
}

static cudaError_t allocate_pinned(void)
{
	return cudaHostAlloc(&more, 64, 0);
}

static cudaError_t allocate_async(void)
{
	return cudaMallocAsync(&more, 64, other);
}

static cudaError_t copy(void)
{
	return cudaMemcpy(&number, memory, 1, cudaMemcpyDeviceToHost);
}

static cudaError_t copy_async(void)
{
	return cudaMemcpyAsync(pinned, memory, 1, cudaMemcpyDeviceToHost, 0);
}

static cudaError_t copy_elsewhere(void)
{
	return cudaMemcpyAsync(pinned, memory, 1, cudaMemcpyDeviceToHost, blocking);
}

static cudaError_t wait_captured(void)
{
	return cudaStreamSynchronize(captured);
}

static cudaError_t ask_captured(void)
{
	return cudaStreamQuery(captured);
}

static cudaError_t wait_other(void)
{
	return cudaStreamSynchronize(other);
}

static cudaError_t ask_legacy(void)
{
	return cudaStreamQuery(0);
}

static cudaError_t ask_captured_event(void)
{
	cudaEventRecord(event, captured);
	return cudaEventQuery(event);
}

static cudaError_t wait_other_event(void)
{
	return cudaEventSynchronize(recorded);
}

static cudaError_t record_legacy(void)
{
	return cudaEventRecord(recorded, 0);
}

static cudaError_t legacy_waits(void)
{
	cudaEventRecord(event, captured);
	return cudaStreamWaitEvent(0, event, 0);
}

static cudaError_t create(void)
{
	cudaStream_t made;

	return cudaStreamCreate(&made);
}

static cudaError_t fork_of(int operations, int joined)
{
	cudaError_t error;

	cudaEventRecord(event, captured);
	error = cudaStreamWaitEvent(blocking, event, 0);
	for (int i = 0; i < operations; i++)
		cudaMemsetAsync(memory, 0, 64, blocking);
	cudaEventRecord(event, blocking);
	return joined ? cudaStreamWaitEvent(captured, event, 0) : error;
}

static cudaError_t unjoined(void)
{
	return fork_of(1, 0);
}

static cudaError_t joined(void)
{
	return fork_of(1, 1);
}

static cudaError_t empty_fork(void)
{
	return fork_of(0, 0);
}

static cudaError_t after_refusal(void)
{
	cudaMalloc(&more, 64);
	return cudaMemsetAsync(memory, 0, 64, captured);
}

static cudaError_t end(void)
{
	cudaGraph_t graph;

	return cudaStreamEndCapture(captured, &graph);
}

static void *in_thread(void *call)
{
	return (void *)(size_t)((cudaError_t(*)(void))call)();
}

static cudaError_t from_thread(cudaError_t (*call)(void))
{
	pthread_t thread;
	void *error = NULL;

	pthread_create(&thread, NULL, in_thread, (void *)call);
	pthread_join(thread, &error);
	return (cudaError_t)(size_t)error;
}

static cudaError_t thread_allocates(void)
{
	return from_thread(allocate);
}

static cudaError_t thread_copies(void)
{
	return from_thread(copy);
}

static cudaError_t thread_waits(void)
{
	return from_thread(cudaDeviceSynchronize);
}

static cudaError_t thread_ends(void)
{
	return from_thread(end);
}

static const struct {
	const char *name;
	cudaError_t (*call)(void);
} calls[] = {
	{"cudaMalloc", allocate},
	{"cudaFree", release},
	{"cudaHostAlloc", allocate_pinned},
	{"cudaMallocAsync other", allocate_async},
	{"cudaMemcpy", copy},
	{"cudaMemcpyAsync legacy", copy_async},
	{"cudaMemcpyAsync other", copy_elsewhere},
	{"cudaDeviceSynchronize", cudaDeviceSynchronize},
	{"cudaStreamSynchronize captured", wait_captured},
	{"cudaStreamQuery captured", ask_captured},
	{"cudaStreamSynchronize other", wait_other},
	{"cudaStreamQuery legacy", ask_legacy},
	{"cudaEventQuery captured", ask_captured_event},
	{"cudaEventSynchronize other", wait_other_event},
	{"cudaEventRecord legacy", record_legacy},
	{"cudaStreamWaitEvent legacy", legacy_waits},
	{"cudaStreamCreate", create},
	{"unjoined", unjoined},
	{"joined", joined},
	{"unjoined, without work", empty_fork},
	{"cudaMalloc, then more", after_refusal},
	{"thread: cudaMalloc", thread_allocates},
	{"thread: cudaMemcpy", thread_copies},
	{"thread: cudaDeviceSynchronize", thread_waits},
	{"thread: cudaStreamEndCapture", thread_ends},
};

int main(void)
{
	cudaHostAlloc(&pinned, 64, 0);
	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++) {
		printf("%s:", calls[i].name);
		for (int n = 0; n < 6; n++) {
			enum cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
			cudaGraph_t graph = NULL;
			cudaError_t error, at_end;

			cudaStreamCreateWithFlags(&captured, n < 3 ? 0 : 1);
			cudaStreamCreate(&blocking);
			cudaStreamCreateWithFlags(&other, 1);
			cudaEventCreate(&event);
			cudaEventCreate(&recorded);
			cudaEventRecord(recorded, other);
			cudaMalloc(&memory, 64);
			cudaDeviceSynchronize();
			cudaStreamBeginCapture(captured, (enum cudaStreamCaptureMode)(n % 3));
			cudaMemsetAsync(memory, 0, 64, captured);
			error = calls[i].call();
			cudaStreamIsCapturing(captured, &status);
			at_end = cudaStreamEndCapture(captured, &graph);
			printf(" %d/%d", error, at_end);
			if ((at_end == cudaErrorStreamCaptureInvalidated) !=
				    (status == cudaStreamCaptureStatusInvalidated) ||
			    !graph != !!at_end)
				printf("?");
			cudaGetLastError();
			cudaGraphDestroy(graph);
			cudaStreamDestroy(captured);
			cudaStreamDestroy(blocking);
			cudaStreamDestroy(other);
		}
		putchar('\n');
	}
	return 0;
}
