/*
 * frequency.c CASE: kernels that access elements of an object of 4 KiB more or less often: what
 * tests/cli/frequency.sh works out by hand.
 */
#include <string.h>

#include "tests/programs/launch.h"

KERNELS("tests/programs/frequency_kernels.ptx")

enum { ELEMENTS = 1024, SIZE = ELEMENTS * 4 };

static int *allocate(void)
{
	void *data;

	CHECK(cudaMalloc(&data, SIZE));
	CHECK(cudaMemset(data, 0, SIZE));
	return data;
}

static void visited(unsigned first, unsigned every, unsigned more)
{
	int *data = allocate();

	LAUNCH(visit, ELEMENTS / 128, 128, (const int *)data, first, every, more);
	CHECK(cudaFree(data));
}

/* The first 64 of 1024 elements ten times, the others once. */
static void hot(void)
{
	visited(64, 0, 9);
}

/* The same for each 16th one. */
static void scattered(void)
{
	visited(0, 16, 9);
}

/* So many twice that the coefficient of variation is a little more than 20 %, or less. */
static void more(void)
{
	visited(47, 0, 1);
}

static void less(void)
{
	visited(46, 0, 1);
}

/* Half of the object is accessed, evenly: that is overallocation, and nothing else. */
static void half(void)
{
	int *data;

	CHECK(cudaMalloc((void **)&data, SIZE));
	LAUNCH(visit, ELEMENTS / 2 / 128, 128, (const int *)data, 0u, 0u, 0u);
	CHECK(cudaFree(data));
}

/* Launches that differ from each other are even ones. */
static void halves(void)
{
	int *data = allocate();

	LAUNCH(visit, ELEMENTS / 128, 128, (const int *)data, 0u, 0u, 0u);
	LAUNCH(visit, ELEMENTS / 2 / 128, 128, (const int *)data, 0u, 0u, 0u);
	LAUNCH(visit, ELEMENTS / 2 / 128, 128, (const int *)data, 0u, 0u, 0u);
	CHECK(cudaFree(data));
}

/* The second of three launches is the worst. */
static void worst(void)
{
	int *data = allocate();

	LAUNCH(visit, ELEMENTS / 128, 128, (const int *)data, 47u, 0u, 1u);
	LAUNCH(visit, ELEMENTS / 128, 128, (const int *)data, 64u, 0u, 9u);
	LAUNCH(visit, ELEMENTS / 128, 128, (const int *)data, 46u, 0u, 1u);
	CHECK(cudaFree(data));
}

static void bins(void)
{
	int *data = allocate();

	LAUNCH(count, ELEMENTS / 128, 128, data);
	CHECK(cudaFree(data));
}

/* 256 threads have a byte each, of 64 elements, 960 an element. */
static void bytes(void)
{
	int *data = allocate();

	LAUNCH(bytes_and_words, (256 + 960) / 64, 64, (const unsigned char *)data);
	CHECK(cudaFree(data));
}

/* 256 threads: of 16 bytes each, of 8 bytes each, of 8 bytes in 32 places, mostly the first. */
static void widths(void)
{
	int *pairs = allocate(), *fours = allocate(), *to = allocate();

	LAUNCH(wide, 2, 128, (const double *)pairs, (const void *)fours, (double *)to);
	CHECK(cudaFree(pairs));
	CHECK(cudaFree(fours));
	CHECK(cudaFree(to));
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} cases[] = {{"hot", hot},     {"scattered", scattered}, {"more", more},   {"less", less},
		     {"half", half},   {"halves", halves},       {"worst", worst}, {"bins", bins},
		     {"bytes", bytes}, {"widths", widths}};

	for (size_t i = 0; argc == 2 && i < sizeof(cases) / sizeof(*cases); i++)
		if (!strcmp(argv[1], cases[i].name)) {
			cases[i].run();
			return 0;
		}
	fputs("usage: frequency CASE, one of:", stderr);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		fprintf(stderr, " %s", cases[i].name);
	fputc('\n', stderr);
	return 2;
}
