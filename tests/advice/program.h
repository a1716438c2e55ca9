/*
 * tests/advice/program.h: what the programs of the corpus share (README.md beside it).
 *
 * -DFIX_n=1 mends plant n of a program, -DFIXED=1 all of its plants.
 */
#ifndef TESTS_ADVICE_PROGRAM_H
#define TESTS_ADVICE_PROGRAM_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "tests/programs/launch.h"

#ifndef FIXED
#define FIXED 0
#endif
#ifndef FIX_1
#define FIX_1 FIXED
#endif
#ifndef FIX_2
#define FIX_2 FIXED
#endif
#ifndef FIX_3
#define FIX_3 FIXED
#endif

KERNELS("tests/advice/kernels.ptx")

/* As LAUNCH(), on a stream. */
#define LAUNCH_ON(stream, name, blocks, threads, ...)                                              \
	CHECK(cuLaunchKernel(kernel(#name), blocks, 1, 1, threads, 1, 1, 0, (CUstream)(stream),    \
			     (void *[]){ADDRESSES(__VA_ARGS__)}, NULL))

/* Ends the program with 1 when the condition does not hold. */
static inline void expect(int holds, const char *what)
{
	if (holds)
		return;
	fflush(stdout);
	fprintf(stderr, "wrong result: %s\n", what);
	exit(1);
}

/* Each number of `got` is as expected, but for the rounding of a few operations. */
static inline void expect_floats(const float *got, const float *expected, int count,
				 const char *what)
{
	for (int i = 0; i < count; i++)
		expect(fabsf(got[i] - expected[i]) <= 1e-4f * (1 + fabsf(expected[i])), what);
}

/* The next of a fixed sequence of 24-bit numbers; neighbours in memory differ. */
static inline unsigned random_number(unsigned *state)
{
	*state = *state * 1664525u + 1013904223u;
	return *state >> 8;
}

/* Numbers in [1, 2): other ones for another seed. */
static inline void random_floats(float *to, int count, unsigned seed)
{
	unsigned state = seed * 2654435761u + 1;

	for (int i = 0; i < count; i++)
		to[i] = 1 + (float)random_number(&state) / (1 << 24);
}

/* Prints a check sum of the bytes (FNV-1a). */
static inline void print_checksum(const char *what, const void *data, size_t size)
{
	uint64_t sum = UINT64_C(14695981039346656037);

	for (size_t i = 0; i < size; i++)
		sum = (sum ^ ((const unsigned char *)data)[i]) * UINT64_C(1099511628211);
	printf("%s %016llx\n", what, (unsigned long long)sum);
}

static inline void *host_alloc(size_t size)
{
	void *memory = malloc(size);

	expect(memory != NULL, "memory of the host");
	return memory;
}

#endif
