/*
 * Keeps a copy of the state at every step so that a step could be taken again; none ever is.
 */
#include "tests/advice/program.h"

enum { N = 16384, STEPS = 6 };

struct run {
	float *state, *drive, *saved; /* on the device */
};

static float state[N], drive[N], expected[N];

static struct run run_new(void)
{
	struct run run = {0};

	CHECK(cudaMalloc((void **)&run.state, sizeof(state)));
	CHECK(cudaMalloc((void **)&run.drive, sizeof(drive)));
#if !FIX_1
	CHECK(cudaMalloc((void **)&run.saved, sizeof(state)));
#endif
	CHECK(cudaMemcpy(run.state, state, sizeof(state), cudaMemcpyHostToDevice));
	CHECK(cudaMemcpy(run.drive, drive, sizeof(drive), cudaMemcpyHostToDevice));
	return run;
}

static void run_step(const struct run *run)
{
#if !FIX_1
	/* PLANT 1: dead_write, delete */
	CHECK(cudaMemcpy(run->saved, run->state, sizeof(state), cudaMemcpyDeviceToDevice));
#endif
	LAUNCH(damp, N / 256, 256, run->state, run->drive, 0.75f, N);
	for (int i = 0; i < N; i++)
		expected[i] = expected[i] * 0.75f + drive[i];
}

static void run_free(const struct run *run)
{
	CHECK(cudaFree(run->state));
	CHECK(cudaFree(run->drive));
	CHECK(cudaFree(run->saved));
}

int main(void)
{
	struct run run;

	random_floats(state, N, 1);
	random_floats(drive, N, 2);
	memcpy(expected, state, sizeof(state));
	run = run_new();
	for (int step = 0; step < STEPS; step++)
		run_step(&run);
	CHECK(cudaMemcpy(state, run.state, sizeof(state), cudaMemcpyDeviceToHost));
	expect_floats(state, expected, N, "the state");
	print_checksum("state", state, sizeof(state));
	run_free(&run);
	return 0;
}
