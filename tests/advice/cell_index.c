/*
 * The host sorts particles into cells at every step and sends the order, in memory of its own each
 * time; as the particles do not leave their cells, it is always the same.
 */
#include "tests/advice/program.h"

enum { N = 16384, CELLS = 64, STEPS = 5 };

static float force[N], charge[N], expected[N];

/* Particles by cell; the caller frees it. */
static int *sorted_by_cell(void)
{
	int *order = host_alloc(N * sizeof(int)), count = 0;

	for (int cell = 0; cell < CELLS; cell++)
		for (int i = cell; i < N; i += CELLS)
			order[count++] = i;
	return order;
}

static void add_forces(float *device_force, const float *device_charge, int *device_order, int step)
{
	float by = 1.0f / (float)(1 + step);
	int *order = sorted_by_cell();

	if (!FIX_1 || step == 0) {
		/* PLANT 1: duplicate_transfer, copy_once, 256K */
		CHECK(cudaMemcpy(device_order, order, N * sizeof(int), cudaMemcpyHostToDevice));
	}
	LAUNCH(gather_add, N / 256, 256, device_force, device_charge, device_order, by, N);
	for (int i = 0; i < N; i++)
		expected[i] += charge[order[i]] * by;
	free(order);
}

int main(void)
{
	float *device_force, *device_charge;
	int *device_order;

	CHECK(cudaMalloc((void **)&device_force, sizeof(force)));
	CHECK(cudaMalloc((void **)&device_charge, sizeof(charge)));
	CHECK(cudaMalloc((void **)&device_order, N * sizeof(int)));
	random_floats(force, N, 1);
	random_floats(charge, N, 2);
	memcpy(expected, force, sizeof(force));
	CHECK(cudaMemcpy(device_force, force, sizeof(force), cudaMemcpyHostToDevice));
	CHECK(cudaMemcpy(device_charge, charge, sizeof(charge), cudaMemcpyHostToDevice));
	for (int step = 0; step < STEPS; step++)
		add_forces(device_force, device_charge, device_order, step);
	CHECK(cudaMemcpy(force, device_force, sizeof(force), cudaMemcpyDeviceToHost));
	expect_floats(force, expected, N, "forces");
	print_checksum("forces", force, sizeof(force));
	CHECK(cudaFree(device_force));
	CHECK(cudaFree(device_charge));
	CHECK(cudaFree(device_order));
	return 0;
}
