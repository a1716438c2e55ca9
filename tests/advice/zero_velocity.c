/*
 * A velocity of zeros that comes from the host.  Another array of zeros had gone to the host
 * before: that they are equal is chance, and nothing to keep on the device.
 */
#include "tests/advice/program.h"

enum { N = 8192, STEPS = 3 };

static float force[N], status[N], velocity[N], expected[N];

int main(void)
{
	float *device_force, *device_status, *device_velocity;

	random_floats(force, N, 1);
	for (int i = 0; i < N; i++)
		status[i] = 1;
	CHECK(cudaMalloc((void **)&device_force, sizeof(force)));
	CHECK(cudaMalloc((void **)&device_status, sizeof(status)));
	CHECK(cudaMalloc((void **)&device_velocity, sizeof(velocity)));
	CHECK(cudaMemcpy(device_force, force, sizeof(force), cudaMemcpyHostToDevice));
	/* 0 for all numbers, and for nothing else */
	LAUNCH(scale, N / 256, 256, device_status, device_force, 0.0f, N);
	CHECK(cudaMemcpy(status, device_status, sizeof(status), cudaMemcpyDeviceToHost));
	for (int i = 0; i < N; i++)
		expect(status[i] == 0, "the force");
#if FIX_1
	CHECK(cudaMemset(device_velocity, 0, sizeof(velocity)));
#else
	/* PLANT 1: duplicate_values, set_instead, 32K */
	CHECK(cudaMemcpy(device_velocity, velocity, sizeof(velocity), cudaMemcpyHostToDevice));
#endif
	for (int step = 0; step < STEPS; step++) {
		LAUNCH(damp, N / 256, 256, device_velocity, device_force, 0.5f, N);
		for (int i = 0; i < N; i++)
			expected[i] = expected[i] * 0.5f + force[i];
	}
	CHECK(cudaMemcpy(velocity, device_velocity, sizeof(velocity), cudaMemcpyDeviceToHost));
	expect_floats(velocity, expected, N, "the velocity");
	print_checksum("velocity", velocity, sizeof(velocity));
	CHECK(cudaFree(device_force));
	CHECK(cudaFree(device_status));
	CHECK(cudaFree(device_velocity));
	return 0;
}
