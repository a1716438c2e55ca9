/*
 * Writes a frame of positions and cells for every step of a simulation.  The cells never change,
 * but come from the device into the same place for each frame.
 */
#include "tests/advice/program.h"

enum { PARTICLES = 8192, STEPS = 6 };

struct frame {
	float position[PARTICLES];
	int cell[PARTICLES];
};

static struct frame frame;
static float expected[PARTICLES];
static int cells[PARTICLES];

static void write_frame(const float *position, const int *cell, int step)
{
	CHECK(cudaMemcpy(frame.position, position, sizeof(frame.position), cudaMemcpyDeviceToHost));
	if (!FIX_1 || step == 0) {
		/* PLANT 1: duplicate_transfer, copy_once, 160K */
		CHECK(cudaMemcpy(frame.cell, cell, sizeof(frame.cell), cudaMemcpyDeviceToHost));
	}
	print_checksum("frame", &frame, sizeof(frame));
}

static void move_on_host(float time)
{
	for (int i = 0; i < PARTICLES; i++)
		expected[i] += time * (float)(1 + cells[i] % 5);
}

int main(void)
{
	unsigned state = 7;
	float *position;
	int *cell;

	for (int i = 0; i < PARTICLES; i++)
		cells[i] = (int)random_number(&state);
	random_floats(expected, PARTICLES, 1);
	CHECK(cudaMalloc((void **)&position, sizeof(expected)));
	CHECK(cudaMalloc((void **)&cell, sizeof(cells)));
	CHECK(cudaMemcpy(position, expected, sizeof(expected), cudaMemcpyHostToDevice));
	CHECK(cudaMemcpy(cell, cells, sizeof(cells), cudaMemcpyHostToDevice));
	for (int step = 0; step < STEPS; step++) {
		LAUNCH(move, PARTICLES / 256, 256, position, cell, 0.25f, PARTICLES);
		write_frame(position, cell, step);
		move_on_host(0.25f);
		expect_floats(frame.position, expected, PARTICLES, "positions");
		expect(!memcmp(frame.cell, cells, sizeof(cells)), "cells");
	}
	CHECK(cudaFree(position));
	CHECK(cudaFree(cell));
	return 0;
}
