/*
 * Chunks go through two streams in turn, from pinned memory.  With each chunk goes the table that
 * all chunks use.
 */
#include "tests/advice/program.h"

enum { CHUNKS = 8, CHUNK = 8192, TABLE = 4096, STREAMS = 2 };

struct lane {
	cudaStream_t stream;
	cudaEvent_t done; /* with the last chunk */
	float *host_in, *host_out, *in, *out;
};

static float table_of_host[TABLE];

static struct lane lane_new(void)
{
	struct lane lane;
	size_t bytes = CHUNK * sizeof(float);

	CHECK(cudaStreamCreate(&lane.stream));
	CHECK(cudaEventCreateWithFlags(&lane.done, cudaEventDisableTiming));
	CHECK(cudaMallocHost((void **)&lane.host_in, bytes));
	CHECK(cudaMallocHost((void **)&lane.host_out, bytes));
	CHECK(cudaMalloc((void **)&lane.in, bytes));
	CHECK(cudaMalloc((void **)&lane.out, bytes));
	return lane;
}

static void lane_free(const struct lane *lane)
{
	CHECK(cudaStreamDestroy(lane->stream));
	CHECK(cudaEventDestroy(lane->done));
	CHECK(cudaFreeHost(lane->host_in));
	CHECK(cudaFreeHost(lane->host_out));
	CHECK(cudaFree(lane->in));
	CHECK(cudaFree(lane->out));
}

/* The table is free again when the chunk before is done. */
static void send(const struct lane *lane, const struct lane *before, float *table, int chunk)
{
	size_t bytes = CHUNK * sizeof(float);

	random_floats(lane->host_in, CHUNK, (unsigned)chunk);
	CHECK(cudaMemcpyAsync(lane->in, lane->host_in, bytes, cudaMemcpyHostToDevice,
			      lane->stream));
	CHECK(cudaStreamWaitEvent(lane->stream, before->done, 0));
	if (!FIX_1 || chunk == 0) {
		/* PLANT 1: duplicate_transfer, copy_once, 112K */
		CHECK(cudaMemcpyAsync(table, table_of_host, sizeof(table_of_host),
				      cudaMemcpyHostToDevice, lane->stream));
	}
	LAUNCH_ON(lane->stream, apply_table, CHUNK / 256, 256, lane->out, lane->in, table, TABLE,
		  CHUNK);
	CHECK(cudaEventRecord(lane->done, lane->stream));
	CHECK(cudaMemcpyAsync(lane->host_out, lane->out, bytes, cudaMemcpyDeviceToHost,
			      lane->stream));
}

static void receive(const struct lane *lane)
{
	CHECK(cudaStreamSynchronize(lane->stream));
	for (int i = 0; i < CHUNK; i++)
		expect(lane->host_out[i] == lane->host_in[i] * table_of_host[i % TABLE], "chunk");
	print_checksum("chunk", lane->host_out, CHUNK * sizeof(float));
}

int main(void)
{
	struct lane lanes[STREAMS] = {lane_new(), lane_new()};
	float *table;

	random_floats(table_of_host, TABLE, 1000);
	CHECK(cudaMalloc((void **)&table, sizeof(table_of_host)));
	for (int chunk = 0; chunk < CHUNKS + STREAMS; chunk++) {
		const struct lane *lane = &lanes[chunk % STREAMS];

		if (chunk >= STREAMS)
			receive(lane);
		if (chunk < CHUNKS)
			send(lane, &lanes[(chunk + 1) % STREAMS], table, chunk);
	}
	CHECK(cudaFree(table));
	lane_free(&lanes[0]);
	lane_free(&lanes[1]);
	return 0;
}
