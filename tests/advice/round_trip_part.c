/*
 * Two halves of a domain that exchange their borders by way of the host, which does not look at
 * them.
 */
#include "tests/advice/program.h"

enum { N = 16384, BORDER = 1024, STEPS = 5 };

static float left[N], right[N], between[BORDER], expected[N];

/* What the right half needs of the left one comes before its own numbers. */
static void exchange(float *to, const float *from)
{
#if FIX_1
	CHECK(cudaMemcpy(to, from, sizeof(between), cudaMemcpyDeviceToDevice));
#else
	CHECK(cudaMemcpy(between, from, sizeof(between), cudaMemcpyDeviceToHost));
	/* PLANT 1: round_trip, keep_on_device, 40K */
	CHECK(cudaMemcpy(to, between, sizeof(between), cudaMemcpyHostToDevice));
#endif
}

static void check_half(const float *numbers, const char *what)
{
	expect_floats(numbers, expected, N, what);
	print_checksum(what, numbers, sizeof(expected));
}

int main(void)
{
	float *left_half, *right_half;

	random_floats(left, N, 1);
	random_floats(right, N, 2);
	CHECK(cudaMalloc((void **)&left_half, sizeof(left)));
	CHECK(cudaMalloc((void **)&right_half, sizeof(right)));
	CHECK(cudaMemcpy(left_half, left, sizeof(left), cudaMemcpyHostToDevice));
	CHECK(cudaMemcpy(right_half + BORDER, right + BORDER, sizeof(right) - sizeof(between),
			 cudaMemcpyHostToDevice));
	for (int step = 0; step < STEPS; step++) {
		LAUNCH(shift, N / 256, 256, left_half, 1.0f, N);
		exchange(right_half, left_half + N - BORDER);
		LAUNCH(shift, N / 256, 256, right_half, 0.5f, N);
	}
	CHECK(cudaMemcpy(left, left_half, sizeof(left), cudaMemcpyDeviceToHost));
	random_floats(expected, N, 1);
	for (int i = 0; i < N; i++)
		expected[i] += STEPS;
	check_half(left, "left");
	CHECK(cudaMemcpy(right, right_half, sizeof(right), cudaMemcpyDeviceToHost));
	memcpy(between, expected + N - BORDER, sizeof(between));
	random_floats(expected, N, 2);
	for (int i = 0; i < N; i++)
		expected[i] = i < BORDER ? between[i] + 0.5f : expected[i] + 0.5f * STEPS;
	check_half(right, "right");
	CHECK(cudaFree(left_half));
	CHECK(cudaFree(right_half));
	return 0;
}
