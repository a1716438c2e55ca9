/*
 * No waste: before a step that may fail the host keeps the state, and when it has failed sends it
 * back.  It is what the device once held, but not what it holds by then.
 */
#include "tests/advice/program.h"

enum { N = 16384, STEPS = 4 };

static float state[N], kept[N], expected[N];

static void keep(const float *device_state)
{
	CHECK(cudaMemcpy(kept, device_state, sizeof(kept), cudaMemcpyDeviceToHost));
}

static void restore(float *device_state)
{
	CHECK(cudaMemcpy(device_state, kept, sizeof(kept), cudaMemcpyHostToDevice));
}

static float largest(const float *device_state)
{
	float most = 0;

	CHECK(cudaMemcpy(state, device_state, sizeof(state), cudaMemcpyDeviceToHost));
	for (int i = 0; i < N; i++)
		most = fmaxf(most, fabsf(state[i]));
	return most;
}

/* A long step, and if it leads too far a short one from where it began. */
static void step(float *device_state, const float *device_drive, const float *drive)
{
	keep(device_state);
	LAUNCH(damp, N / 256, 256, device_state, device_drive, 8.0f, N);
	expect(largest(device_state) > 8, "the long step leads too far");
	restore(device_state);
	LAUNCH(damp, N / 256, 256, device_state, device_drive, 0.5f, N);
	for (int i = 0; i < N; i++)
		expected[i] = expected[i] * 0.5f + drive[i];
}

int main(void)
{
	static float drive[N];
	float *device_state, *device_drive;

	CHECK(cudaMalloc((void **)&device_state, sizeof(state)));
	CHECK(cudaMalloc((void **)&device_drive, sizeof(drive)));
	random_floats(state, N, 1);
	random_floats(drive, N, 2);
	memcpy(expected, state, sizeof(state));
	CHECK(cudaMemcpy(device_state, state, sizeof(state), cudaMemcpyHostToDevice));
	CHECK(cudaMemcpy(device_drive, drive, sizeof(drive), cudaMemcpyHostToDevice));
	for (int i = 0; i < STEPS; i++)
		step(device_state, device_drive, drive);
	CHECK(cudaMemcpy(state, device_state, sizeof(state), cudaMemcpyDeviceToHost));
	expect_floats(state, expected, N, "the state");
	print_checksum("state", state, sizeof(state));
	CHECK(cudaFree(device_state));
	CHECK(cudaFree(device_drive));
	return 0;
}
