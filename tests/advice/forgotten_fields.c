/*
 * Particles of two species.  Their velocities are cleared and their labels sent, but neither is
 * ever looked at.
 */
#include "tests/advice/program.h"

enum { SPECIES = 2, LARGEST = 16384 };

struct particles {
	int count;
	float *position, *velocity; /* on the device */
	int *label;
};

static float position[LARGEST], expected[LARGEST];
static int label[LARGEST];

static struct particles particles_new(int count)
{
	struct particles p = {.count = count};

	CHECK(cudaMalloc((void **)&p.position, count * sizeof(float)));
	CHECK(cudaMemcpy(p.position, position, count * sizeof(float), cudaMemcpyHostToDevice));
#if !FIX_1
	CHECK(cudaMalloc((void **)&p.velocity, count * sizeof(float)));
	/* PLANT 1: never_read, delete, 112K */
	CHECK(cudaMemset(p.velocity, 0, count * sizeof(float)));
#endif
#if !FIX_2
	CHECK(cudaMalloc((void **)&p.label, count * sizeof(int)));
	/* PLANT 2: unused_transfer, delete, 112K */
	CHECK(cudaMemcpy(p.label, label, count * sizeof(int), cudaMemcpyHostToDevice));
#endif
	return p;
}

static void particles_run(const struct particles *p, int steps)
{
	for (int step = 0; step < steps; step++) {
		LAUNCH(shift, (p->count + 255) / 256, 256, p->position, 0.5f, p->count);
		for (int i = 0; i < p->count; i++)
			expected[i] += 0.5f;
	}
}

static void particles_free(const struct particles *p)
{
	CHECK(cudaFree(p->position));
	CHECK(cudaFree(p->velocity));
	CHECK(cudaFree(p->label));
}

int main(void)
{
	static const int counts[SPECIES] = {LARGEST, 12288};

	for (unsigned s = 0; s < SPECIES; s++) {
		struct particles particles;

		random_floats(position, counts[s], s);
		memcpy(expected, position, counts[s] * sizeof(float));
		for (int i = 0; i < counts[s]; i++)
			label[i] = 1000 * (int)s + i;
		particles = particles_new(counts[s]);
		particles_run(&particles, 5);
		CHECK(cudaMemcpy(position, particles.position, counts[s] * sizeof(float),
				 cudaMemcpyDeviceToHost));
		expect_floats(position, expected, counts[s], "positions");
		print_checksum("positions", position, counts[s] * sizeof(float));
		particles_free(&particles);
	}
	return 0;
}
