/*
 * No waste: the state is copied before a step changes it, because the change is needed afterwards.
 * Original and copy are equal for a moment.
 */
#include "tests/advice/program.h"

enum { N = 16384, STEPS = 5 };

struct run {
	float *state, *before, *change, *drive; /* on the device */
};

static float state[N], drive[N], change[N], expected[N];

static struct run run_new(void)
{
	struct run run;

	CHECK(cudaMalloc((void **)&run.state, sizeof(state)));
	CHECK(cudaMalloc((void **)&run.before, sizeof(state)));
	CHECK(cudaMalloc((void **)&run.change, sizeof(change)));
	CHECK(cudaMalloc((void **)&run.drive, sizeof(drive)));
	CHECK(cudaMemcpy(run.state, state, sizeof(state), cudaMemcpyHostToDevice));
	CHECK(cudaMemcpy(run.drive, drive, sizeof(drive), cudaMemcpyHostToDevice));
	return run;
}

static void run_step(const struct run *run)
{
	CHECK(cudaMemcpy(run->before, run->state, sizeof(state), cudaMemcpyDeviceToDevice));
	LAUNCH(damp, N / 256, 256, run->state, run->drive, 0.75f, N);
	LAUNCH(difference, N / 256, 256, run->change, run->state, run->before, N);
	CHECK(cudaMemcpy(change, run->change, sizeof(change), cudaMemcpyDeviceToHost));
}

static void step_on_host(void)
{
	for (int i = 0; i < N; i++) {
		float after = state[i] * 0.75f + drive[i];

		expected[i] = after - state[i];
		state[i] = after;
	}
}

static void run_free(const struct run *run)
{
	CHECK(cudaFree(run->state));
	CHECK(cudaFree(run->before));
	CHECK(cudaFree(run->change));
	CHECK(cudaFree(run->drive));
}

int main(void)
{
	struct run run;

	random_floats(state, N, 1);
	random_floats(drive, N, 2);
	run = run_new();
	for (int step = 0; step < STEPS; step++) {
		run_step(&run);
		step_on_host();
		expect_floats(change, expected, N, "the change");
		print_checksum("change", change, sizeof(change));
	}
	run_free(&run);
	return 0;
}
