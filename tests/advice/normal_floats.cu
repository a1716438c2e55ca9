/*
 * No waste: floats and doubles as measurements have them, spread normally, and an uneven ramp.
 *
 * COLLECT: --passes flow,values
 */
#include "tests/advice/values.h"

enum { N = 32768 };

static float x[N], y[N];
static double z[N];

/* The sum of twelve uniform ones. */
static double normal(unsigned *state)
{
	double sum = -6;

	for (int i = 0; i < 12; i++)
		sum += random_number(state) / 16777216.0;
	return sum;
}

static __global__ void axpy(float *y, const float *x, const double *z, float a, int n)
{
	int i = INDEX;

	if (i < n)
		y[i] = a * x[i] + y[i] + (float)z[i];
}

int main()
{
	unsigned state = 23;
	float *device_y;

	for (int i = 0; i < N; i++) {
		x[i] = (float)normal(&state);
		y[i] = (float)(i + normal(&state));
		z[i] = 1e5 * normal(&state);
	}
	device_y = upload(y, N);
	axpy<<<BLOCKS(N)>>>(device_y, upload(x, N), upload(z, N), 1.5f, N);
	for (int i = 0; i < N; i++)
		y[i] = fmaf(1.5f, x[i], y[i]) + (float)z[i];
	check_floats("y", device_y, y, N);
	return 0;
}
