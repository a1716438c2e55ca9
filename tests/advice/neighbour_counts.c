/*
 * No waste: numbers from 1 to 7, each another one at each step, choose from a table.  Three of
 * their four bytes are always zero.
 */
#include "tests/advice/program.h"

enum { N = 16384, TABLE = 8, WARM_UP = 2, STEPS = 6 };

struct lattice {
	int *counts; /* on the device */
	float *energy, *table;
};

static int counts[N];
static float energy[N], table[TABLE], expected[N];

static struct lattice lattice_new(void)
{
	struct lattice l;

	CHECK(cudaMalloc((void **)&l.counts, sizeof(counts)));
	CHECK(cudaMalloc((void **)&l.energy, sizeof(energy)));
	CHECK(cudaMalloc((void **)&l.table, sizeof(table)));
	CHECK(cudaMemcpy(l.energy, energy, sizeof(energy), cudaMemcpyHostToDevice));
	CHECK(cudaMemcpy(l.table, table, sizeof(table), cudaMemcpyHostToDevice));
	return l;
}

static void lattice_step(const struct lattice *l, int step)
{
	LAUNCH(count_neighbours, N / 256, 256, l->counts, step, N);
	LAUNCH(gather_add, N / 256, 256, l->energy, l->table, l->counts, 0.5f, N);
	for (int i = 0; i < N; i++)
		expected[i] += table[1 + (i + step) % 7] * 0.5f;
}

static void warm_up(const struct lattice *l)
{
	for (int step = 0; step < WARM_UP; step++)
		lattice_step(l, step);
}

static void run(const struct lattice *l)
{
	for (int step = WARM_UP; step < STEPS; step++) {
		lattice_step(l, step);
		CHECK(cudaMemcpy(counts, l->counts, sizeof(counts), cudaMemcpyDeviceToHost));
		for (int i = 0; i < N; i++)
			expect(counts[i] == 1 + (i + step) % 7, "counts");
		print_checksum("counts", counts, sizeof(counts));
	}
}

int main(void)
{
	struct lattice lattice;

	random_floats(energy, N, 1);
	random_floats(table, TABLE, 2);
	memcpy(expected, energy, sizeof(energy));
	lattice = lattice_new();
	warm_up(&lattice);
	run(&lattice);
	CHECK(cudaMemcpy(energy, lattice.energy, sizeof(energy), cudaMemcpyDeviceToHost));
	expect_floats(energy, expected, N, "the energy");
	print_checksum("energy", energy, sizeof(energy));
	CHECK(cudaFree(lattice.counts));
	CHECK(cudaFree(lattice.energy));
	CHECK(cudaFree(lattice.table));
	return 0;
}
