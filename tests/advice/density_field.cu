/*
 * Pressure from speed and density: air has one density, 1.225, which fills an array.
 *
 * COLLECT: --passes flow,values
 */
#include "tests/advice/values.h"

enum { N = 32768 };

static float speed[N], pressure[N];

#if FIX_1
static __global__ void press(float *pressure, const float *speed, float density, int n)
{
	int i = INDEX;

	if (i < n)
		pressure[i] = 0.5f * density * speed[i] * speed[i];
}
#else
static __global__ void press(float *pressure, const float *speed, const float *density, int n)
{
	int i = INDEX;

	if (i < n)
		/* PLANT 1: single_value, use_argument, 128K, with this input */
		pressure[i] = 0.5f * density[i] * speed[i] * speed[i];
}
#endif

int main()
{
	float *device_speed, *device_pressure;

	random_floats(speed, N, 3);
	device_speed = upload(speed, N);
	device_pressure = device_array<float>(N);
#if FIX_1
	press<<<BLOCKS(N)>>>(device_pressure, device_speed, 1.225f, N);
#else
	static float density[N];

	for (int i = 0; i < N; i++)
		density[i] = 1.225f;
	press<<<BLOCKS(N)>>>(device_pressure, device_speed, upload(density, N), N);
#endif
	for (int i = 0; i < N; i++)
		pressure[i] = 0.5f * 1.225f * speed[i] * speed[i];
	check_floats("pressure", device_pressure, pressure, N);
	return 0;
}
