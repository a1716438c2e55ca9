/*
 * A loop that was moved to the device as it stood: every step sends all that the kernel reads and
 * fetches what it wrote, though the host looks at the state after the last step only.
 */
#include <stdbool.h>

#include "tests/advice/program.h"

enum { N = 16384, STEPS = 6 };

static float state[N], drive[N], expected[N];

static void damp_on_device(float *device_state, float *device_drive, int step)
{
	bool first = step == 0, last = step == STEPS - 1;

	if (!FIX_1 || first) {
		/* PLANT 1: round_trip, keep_on_device, 640K */
		CHECK(cudaMemcpy(device_state, state, sizeof(state), cudaMemcpyHostToDevice));
	}
	if (!FIX_2 || first) {
		/* PLANT 2: duplicate_transfer, copy_once, 320K */
		CHECK(cudaMemcpy(device_drive, drive, sizeof(drive), cudaMemcpyHostToDevice));
	}
	LAUNCH(damp, N / 256, 256, device_state, device_drive, 0.5f, N);
	if (!FIX_1 || last)
		CHECK(cudaMemcpy(state, device_state, sizeof(state), cudaMemcpyDeviceToHost));
}

int main(void)
{
	float *device_state, *device_drive;

	CHECK(cudaMalloc((void **)&device_state, sizeof(state)));
	CHECK(cudaMalloc((void **)&device_drive, sizeof(drive)));
	random_floats(state, N, 1);
	random_floats(drive, N, 2);
	memcpy(expected, state, sizeof(state));
	for (int step = 0; step < STEPS; step++) {
		damp_on_device(device_state, device_drive, step);
		for (int i = 0; i < N; i++)
			expected[i] = expected[i] * 0.5f + drive[i];
	}
	expect_floats(state, expected, N, "the state");
	print_checksum("state", state, sizeof(state));
	CHECK(cudaFree(device_state));
	CHECK(cudaFree(device_drive));
	return 0;
}
