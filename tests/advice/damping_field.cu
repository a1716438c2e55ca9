/*
 * Waves with a field of damping, which is zero everywhere, and is loaded and multiplied in.
 *
 * COLLECT: --passes flow,values
 */
#include "tests/advice/values.h"

enum { N = 16384, STEPS = 4 };

static float position[N], velocity[N];

#if FIX_1
static __global__ void step(float *position, const float *velocity, float by, int n)
{
	int i = INDEX;

	if (i < n)
		position[i] = position[i] + by * velocity[i];
}
#else
static __global__ void step(float *position, const float *velocity, const float *damping, float by,
			    int n)
{
	int i = INDEX;

	if (i < n) {
		float change = by * velocity[i];

		/* PLANT 1: single_zero, skip_zeros, 256K, with this input */
		change -= damping[i] * position[i];
		position[i] = position[i] + change;
	}
}
#endif

int main()
{
	float *device_position, *device_velocity;

	random_floats(position, N, 1);
	random_floats(velocity, N, 2);
	device_position = upload(position, N);
	device_velocity = upload(velocity, N);
#if FIX_1
	for (int s = 0; s < STEPS; s++)
		step<<<BLOCKS(N)>>>(device_position, device_velocity, 0.25f, N);
#else
	float *device_damping = device_array<float>(N);

	CHECK(cudaMemset(device_damping, 0, N * sizeof(float)));
	for (int s = 0; s < STEPS; s++)
		step<<<BLOCKS(N)>>>(device_position, device_velocity, device_damping, 0.25f, N);
#endif
	for (int i = 0; i < N; i++)
		for (int s = 0; s < STEPS; s++)
			position[i] += 0.25f * velocity[i];
	check_floats("position", device_position, position, N);
	return 0;
}
