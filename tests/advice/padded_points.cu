/*
 * No mistake: points have 4 bytes of padding that nobody writes, and that a load and a copy of
 * whole points take along; a kernel reads scratch memory back that it has written itself.
 */
#include "tests/advice/values.h"

enum { N = 16384 };

struct alignas(16) point {
	float x, y, z;
};

static float position[N], moved[N];

static __global__ void make_points(point *points, const float *position, int n)
{
	int i = INDEX;

	if (i < n) {
		points[i].x = position[i];
		points[i].y = position[i] * 2;
		points[i].z = position[i] * 3;
	}
}

/* Neighbours swap their sums by way of global memory. */
static __global__ void swap_sums(float *sums, float *scratch, const point *points, int n)
{
	int i = INDEX;
	float4 whole = i < n ? ((const float4 *)points)[i] : float4();

	if (i < n)
		scratch[i] = whole.x + whole.y + whole.z;
	__syncthreads();
	if (i < n)
		sums[i] = ((volatile float *)scratch)[i ^ 1];
}

int main()
{
	point *device_points = device_array<point>(N), *points;
	float *device_sums = device_array<float>(N), *scratch = device_array<float>(N);

	random_floats(position, N, 1);
	make_points<<<BLOCKS(N)>>>(device_points, upload(position, N), N);
	swap_sums<<<BLOCKS(N)>>>(device_sums, scratch, device_points, N);
	points = (point *)host_alloc(N * sizeof(*points));
	download(points, device_points, N);
	for (int i = 0; i < N; i++) {
		expect(points[i].z == position[i] * 3, "the points");
		moved[i] = position[i ^ 1] + position[i ^ 1] * 2 + position[i ^ 1] * 3;
	}
	check_floats("sums", device_sums, moved, N);
	free(points);
	return 0;
}
