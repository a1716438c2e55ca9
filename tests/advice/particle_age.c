/*
 * Particles of four floats: position and age.  Of every particle all four are stored when its age
 * alone has changed.
 */
#include "tests/advice/program.h"

enum { PARTICLES = 4096, STEPS = 6 };

struct particle {
	float x, y, z, age;
};

static struct particle particles[PARTICLES];
static float sums[PARTICLES], expected[PARTICLES];

static void sum_components(float *device_sums, const float *device_particles)
{
	LAUNCH(component_sums, PARTICLES / 256, 256, device_sums, device_particles, PARTICLES);
	CHECK(cudaMemcpy(sums, device_sums, sizeof(sums), cudaMemcpyDeviceToHost));
	for (int i = 0; i < PARTICLES; i++)
		expected[i] = particles[i].x + particles[i].y + particles[i].z + particles[i].age;
	expect_floats(sums, expected, PARTICLES, "sums");
	print_checksum("sums", sums, sizeof(sums));
}

static void grow_older(float *device_particles, float by)
{
#if FIX_1
	LAUNCH(age_only, PARTICLES / 256, 256, device_particles, by, PARTICLES);
#else
	/* PLANT 1: redundant_values, none, 288K */
	LAUNCH(age_particles, PARTICLES / 256, 256, device_particles, by, PARTICLES);
#endif
	for (int i = 0; i < PARTICLES; i++)
		particles[i].age += by;
}

int main(void)
{
	float *device_particles, *device_sums;

	CHECK(cudaMalloc((void **)&device_particles, sizeof(particles)));
	CHECK(cudaMalloc((void **)&device_sums, sizeof(sums)));
	random_floats(&particles[0].x, 4 * PARTICLES, 1);
	CHECK(cudaMemcpy(device_particles, particles, sizeof(particles), cudaMemcpyHostToDevice));
	for (int step = 0; step < STEPS; step++) {
		sum_components(device_sums, device_particles);
		grow_older(device_particles, 0.125f);
	}
	sum_components(device_sums, device_particles);
	CHECK(cudaFree(device_particles));
	CHECK(cudaFree(device_sums));
	return 0;
}
