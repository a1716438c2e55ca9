/*
 * A captured graph begins with the copy of a table that stays the same from launch to launch.
 */
#include "tests/advice/program.h"

enum { N = 16384, TABLE = 4096, LAUNCHES = 5 };

struct step {
	cudaStream_t stream;
	cudaGraphExec_t graph;
	float *state, *table, *scaled, *host_table; /* host_table: pinned */
};

static float state[N], expected[N];

static void send_table(const struct step *step)
{
	/* PLANT 1: duplicate_transfer, copy_once, 64K */
	CHECK(cudaMemcpyAsync(step->table, step->host_table, TABLE * sizeof(float),
			      cudaMemcpyHostToDevice, step->stream));
}

static void step_capture(struct step *step)
{
	cudaGraph_t graph;

	/* modules are not loaded while a stream is captured */
	(void)kernel("apply_table");
	(void)kernel("smooth");
	if (FIX_1)
		send_table(step);
	CHECK(cudaStreamBeginCapture(step->stream, cudaStreamCaptureModeGlobal));
	if (!FIX_1)
		send_table(step);
	LAUNCH_ON(step->stream, apply_table, N / 256, 256, step->scaled, step->state, step->table,
		  TABLE, N);
	LAUNCH_ON(step->stream, smooth, N / 256, 256, step->state, step->scaled, N);
	CHECK(cudaStreamEndCapture(step->stream, &graph));
	CHECK(cudaGraphInstantiateWithFlags(&step->graph, graph, 0));
	CHECK(cudaGraphDestroy(graph));
}

static void step_on_host(const float *table)
{
	static float scaled[N];

	for (int i = 0; i < N; i++)
		scaled[i] = expected[i] * table[i % TABLE];
	for (int i = 0; i < N; i++) {
		float left = scaled[i > 0 ? i - 1 : i], right = scaled[i < N - 1 ? i + 1 : i];

		expected[i] = (left + scaled[i] + right) / 3;
	}
}

int main(void)
{
	struct step step;

	CHECK(cudaStreamCreate(&step.stream));
	CHECK(cudaMalloc((void **)&step.state, sizeof(state)));
	CHECK(cudaMalloc((void **)&step.scaled, sizeof(state)));
	CHECK(cudaMalloc((void **)&step.table, TABLE * sizeof(float)));
	CHECK(cudaMallocHost((void **)&step.host_table, TABLE * sizeof(float)));
	random_floats(step.host_table, TABLE, 1);
	random_floats(state, N, 2);
	memcpy(expected, state, sizeof(state));
	CHECK(cudaMemcpy(step.state, state, sizeof(state), cudaMemcpyHostToDevice));
	step_capture(&step);
	for (int launch = 0; launch < LAUNCHES; launch++) {
		CHECK(cudaGraphLaunch(step.graph, step.stream));
		step_on_host(step.host_table);
	}
	CHECK(cudaStreamSynchronize(step.stream));
	CHECK(cudaMemcpy(state, step.state, sizeof(state), cudaMemcpyDeviceToHost));
	expect_floats(state, expected, N, "the state");
	print_checksum("state", state, sizeof(state));
	CHECK(cudaGraphExecDestroy(step.graph));
	CHECK(cudaStreamDestroy(step.stream));
	CHECK(cudaFree(step.state));
	CHECK(cudaFree(step.scaled));
	CHECK(cudaFree(step.table));
	CHECK(cudaFreeHost(step.host_table));
	return 0;
}
