/*
 * No waste: chunks pass through two pairs of pinned buffers on two streams, while the host fills
 * the other pair.  Every buffer is written many times, each time with something else.
 */
#include "tests/advice/program.h"

enum { CHUNKS = 8, CHUNK = 8192, LANES = 2 };

struct lane {
	cudaStream_t stream;
	float *host_in, *host_out, *in, *out;
};

static struct lane lane_new(void)
{
	struct lane lane;
	size_t bytes = CHUNK * sizeof(float);

	CHECK(cudaStreamCreate(&lane.stream));
	CHECK(cudaMallocHost((void **)&lane.host_in, bytes));
	CHECK(cudaMallocHost((void **)&lane.host_out, bytes));
	CHECK(cudaMalloc((void **)&lane.in, bytes));
	CHECK(cudaMalloc((void **)&lane.out, bytes));
	return lane;
}

static void lane_free(const struct lane *lane)
{
	CHECK(cudaStreamDestroy(lane->stream));
	CHECK(cudaFreeHost(lane->host_in));
	CHECK(cudaFreeHost(lane->host_out));
	CHECK(cudaFree(lane->in));
	CHECK(cudaFree(lane->out));
}

static void send(const struct lane *lane, unsigned chunk)
{
	size_t bytes = CHUNK * sizeof(float);

	random_floats(lane->host_in, CHUNK, chunk);
	CHECK(cudaMemcpyAsync(lane->in, lane->host_in, bytes, cudaMemcpyHostToDevice,
			      lane->stream));
	LAUNCH_ON(lane->stream, smooth, CHUNK / 256, 256, lane->out, lane->in, CHUNK);
	CHECK(cudaMemcpyAsync(lane->host_out, lane->out, bytes, cudaMemcpyDeviceToHost,
			      lane->stream));
}

static void receive(const struct lane *lane)
{
	const float *in = lane->host_in;

	CHECK(cudaStreamSynchronize(lane->stream));
	for (int i = 1; i < CHUNK - 1; i++)
		expect(fabsf(lane->host_out[i] * 3 - in[i - 1] - in[i] - in[i + 1]) < 1e-4f,
		       "a chunk");
	print_checksum("chunk", lane->host_out, CHUNK * sizeof(float));
}

int main(void)
{
	struct lane lanes[LANES] = {lane_new(), lane_new()};

	for (unsigned chunk = 0; chunk < CHUNKS + LANES; chunk++) {
		const struct lane *lane = &lanes[chunk % LANES];

		if (chunk >= LANES)
			receive(lane);
		if (chunk < CHUNKS)
			send(lane, chunk);
	}
	for (int i = 0; i < LANES; i++)
		lane_free(&lanes[i]);
	return 0;
}
