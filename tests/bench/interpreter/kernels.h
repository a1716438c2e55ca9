/*
 * tests/bench/interpreter/kernels.h: the kernels of kernels.cu as plain C, one call per launch.
 *
 * Compiled twice, without optimisation and with: what a CPU build of the same work takes.
 */
#ifndef VFLOW_TESTS_BENCH_INTERPRETER_KERNELS_H
#define VFLOW_TESTS_BENCH_INTERPRETER_KERNELS_H

struct arrays {
	float *a, *b, *c, *d, *e;
	unsigned *counts, *values;
	int *steps;
};

struct plain_kernel {
	const char *name;
	void (*run)(const struct arrays *arrays, int n);
};

extern const struct plain_kernel plain_unoptimised[], plain_optimised[];

#endif
