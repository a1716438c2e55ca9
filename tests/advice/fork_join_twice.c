/*
 * Two workers compute and download, a third stream waits for both, and the host for that stream:
 * that it waits for a worker once more is waste.
 *
 * COLLECT: --passes flow,time,waits,use
 */
#include "tests/advice/program.h"

enum { N = 16384, WORKERS = 2, STEPS = 6 };

struct worker {
	cudaStream_t stream;
	cudaEvent_t done;
	float *numbers, *seen;
};

static float numbers[N];

static struct worker worker_new(unsigned seed)
{
	struct worker w;

	random_floats(numbers, N, seed);
	CHECK(cudaStreamCreateWithFlags(&w.stream, cudaStreamNonBlocking));
	CHECK(cudaEventCreateWithFlags(&w.done, cudaEventDisableTiming));
	CHECK(cudaMalloc((void **)&w.numbers, sizeof(numbers)));
	CHECK(cudaMallocHost((void **)&w.seen, sizeof(numbers)));
	CHECK(cudaMemcpy(w.numbers, numbers, sizeof(numbers), cudaMemcpyHostToDevice));
	return w;
}

static void worker_free(const struct worker *w)
{
	CHECK(cudaFree(w->numbers));
	CHECK(cudaFreeHost(w->seen));
	CHECK(cudaStreamDestroy(w->stream));
	CHECK(cudaEventDestroy(w->done));
}

static void fork_streams(const struct worker *w, cudaStream_t join, float by)
{
	LAUNCH_ON(w->stream, shift, N / 256, 256, w->numbers, by, N);
	CHECK(cudaMemcpyAsync(w->seen, w->numbers, sizeof(numbers), cudaMemcpyDeviceToHost,
			      w->stream));
	CHECK(cudaEventRecord(w->done, w->stream));
	CHECK(cudaStreamWaitEvent(join, w->done, 0));
}

int main(void)
{
	struct worker workers[WORKERS];
	cudaStream_t join;

	CHECK(cudaStreamCreateWithFlags(&join, cudaStreamNonBlocking));
	for (int i = 0; i < WORKERS; i++)
		workers[i] = worker_new((unsigned)i + 1);
	for (int step = 0; step < STEPS; step++) {
		for (int i = 0; i < WORKERS; i++)
			fork_streams(&workers[i], join, 0.5f + (float)step);
		CHECK(cudaStreamSynchronize(join));
#if !FIX_1
		/* PLANT 1: consecutive_waits, delete */
		CHECK(cudaStreamSynchronize(workers[1].stream));
#endif
		for (int i = 0; i < WORKERS; i++)
			print_checksum("numbers", workers[i].seen, sizeof(numbers));
	}
	for (int i = 0; i < WORKERS; i++)
		worker_free(&workers[i]);
	return 0;
}
