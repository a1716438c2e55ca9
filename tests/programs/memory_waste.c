/*
 * memory_waste.c CASE [mended]: memory of the device that is allocated while nobody needs it, by
 * one pattern of DrGPUM a case, and what only looks so.  tests/cli/report_memory.sh says what must
 * be found, and what peak the mended program must have.
 */
#include <string.h>

#include "tests/programs/launch.h"

KERNELS("tests/programs/exactness_kernels.ptx")

enum { MIB = 1 << 20, HALF = MIB / 2 };

static unsigned char host[MIB];
static unsigned long sum;
static int mended;

static void *allocate(size_t size)
{
	void *memory;

	CHECK(cudaMalloc(&memory, size));
	return memory;
}

static void fill(void *memory, size_t size, int value)
{
	CHECK(cudaMemset(memory, value, size));
}

static void fetch(const void *memory, size_t size)
{
	CHECK(cudaMemcpy(host, memory, size, cudaMemcpyDeviceToHost));
	sum += host[0] + host[size - 1];
}

static void release(void *memory)
{
	CHECK(cudaFree(memory));
}

/* Allocated, filled, fetched and freed: nothing is wasted. */
static void use(size_t size)
{
	void *b = allocate(size);

	fill(b, size, 2);
	fetch(b, size);
	release(b);
}

static void early(void)
{
	void *a = mended ? NULL : allocate(MIB);

	use(MIB); /* four calls */
	a = a ? a : allocate(MIB);
	fill(a, MIB, 1);
	fetch(a, MIB);
	release(a);
}

static void late(void)
{
	void *a = allocate(MIB);

	fill(a, MIB, 1);
	fetch(a, MIB);
	if (mended)
		release(a);
	use(HALF); /* four calls, of another size */
	if (!mended)
		release(a);
}

static void redundant(void)
{
	void *a = allocate(MIB), *b;

	fill(a, MIB, 1);
	fetch(a, MIB);
	b = mended ? a : allocate(MIB); /* three calls */
	fill(b, MIB, 2);
	fetch(b, MIB);
	release(a); /* one call */
	if (!mended)
		release(b);
}

/* Memory that is a tenth smaller is as good, what is smaller is not. */
static void second(size_t size)
{
	void *a = allocate(900000), *b;

	fill(a, 900000, 1);
	fetch(a, 900000);
	b = allocate(size);
	fill(b, size, 2);
	fetch(b, size);
	release(b);
	release(a);
}

static void tenth(void)
{
	second(1000000);
}

static void more(void)
{
	second(1000001);
}

static void unused(void)
{
	void *a = mended ? NULL : allocate(MIB);

	use(MIB);
	if (!mended)
		release(a);
}

static void leak(void)
{
	void *a = allocate(MIB);

	fill(a, MIB, 1);
	fetch(a, MIB);
	if (mended)
		release(a);
	use(HALF);
}

static void idle(void)
{
	void *a = allocate(MIB);

	fill(a, MIB, 1);
	if (mended) /* it can be computed anew */
		release(a);
	use(HALF); /* four calls */
	if (mended) {
		a = allocate(MIB);
		fill(a, MIB, 1);
	}
	fetch(a, MIB);
	release(a);
}

/* One call between is not idleness. */
static void busy(void)
{
	void *a = allocate(MIB), *b;

	fill(a, MIB, 1);
	b = allocate(HALF);
	fetch(a, MIB);
	fill(b, HALF, 2);
	fetch(b, HALF);
	release(b);
	release(a);
}

/* Between A's calls there are two kernels, and other calls. */
static void kernels(void)
{
	unsigned char *a = allocate(MIB), *b = allocate(HALF);

	fill(b, HALF, 2);
	LAUNCH(store_bytes, 1, 1024, b, 1000, (unsigned char)1);
	fill(a, MIB, 1);
	LAUNCH(store_bytes, 1, 1024, b, 1000, (unsigned char)3);
	LAUNCH(store_bytes, 1, 1024, b, 1000, (unsigned char)4);
	fetch(a, MIB);
	fetch(b, HALF);
	release(b);
	release(a);
}

/* Of three sets two are written over; what is fetched in between, or copied onto itself, is not. */
static void dead(void)
{
	unsigned char *a = allocate(MIB);

	fill(a, MIB, 1);
	fill(a, MIB, 2);
	CHECK(cudaMemcpy(a, host, MIB, cudaMemcpyHostToDevice));
	fetch(a, MIB);
	fill(a, MIB, 3);
	CHECK(cudaMemcpy(a + HALF, a, HALF, cudaMemcpyDeviceToDevice));
	fetch(a, MIB);
	release(a);
}

/* Half by half: no byte is written twice, but the object is. */
static void halves(void)
{
	unsigned char *a = allocate(MIB);

	fill(a, HALF, 1);
	fill(a + HALF, HALF, 2);
	fetch(a, MIB);
	release(a);
}

/* What a kernel writes in between is an access. */
static void alive(void)
{
	unsigned char *a = allocate(MIB);

	fill(a, MIB, 1);
	LAUNCH(store_bytes, 1, 1024, a, 1000, (unsigned char)1);
	fill(a, MIB, 2);
	fetch(a, MIB);
	release(a);
}

/* -- accesses ------------------------------------------------------------------------------ */

/* Four fifths of a MiB are 838860.8 bytes: these are accessed. */
static void part(size_t used)
{
	unsigned char *a = allocate(mended ? used : MIB);

	fill(a, used, 1);
	fetch(a, used);
	release(a);
}

static void over(void)
{
	part(MIB / 4);
}

static void almost(void)
{
	part(838860);
}

static void enough(void)
{
	part(838864);
}

/* Half a MiB in the middle is not accessed. */
static void hole(void)
{
	unsigned char *a = allocate(mended ? HALF : MIB);

	fill(a, HALF / 2, 1);
	fill(a + (mended ? HALF / 2 : MIB - HALF / 2), HALF / 2, 1);
	fetch(a, HALF / 2);
	release(a);
}

/* Of each 16 bytes one is accessed, which makes 4: nothing can be saved. */
static void scattered(void)
{
	unsigned char *a = allocate(MIB);

	CHECK(cudaMemset2D(a, 16, 1, 1, MIB / 16));
	fetch(a, 1);
	release(a);
}

enum { SLICES = 8, SLICE = MIB / SLICES };

/* Each launch stores to a slice, which is fetched, and to so many bytes of the next one. */
static void sweep(int beyond)
{
	unsigned char *a = allocate(mended ? SLICE : MIB);

	for (int i = 0; i < SLICES; i++) {
		unsigned char *slice = mended ? a : a + (size_t)i * SLICE;
		int size = i < SLICES - 1 ? SLICE + beyond : SLICE;

		LAUNCH(store_bytes, SLICE / 1024 + 1, 1024, slice, size, (unsigned char)i);
		fetch(slice, SLICE);
	}
	release(a);
}

static void slices(void)
{
	sweep(0);
}

/* One byte of the next slice is one too many. */
static void halo(void)
{
	sweep(1);
}

/* Two kernels have slices, of which the one's are a quarter of the other's. */
static void kernel_pairs(void)
{
	unsigned char *a = allocate(MIB);

	for (int i = 0; i < SLICES; i++) {
		unsigned char *slice = a + (size_t)i * SLICE;

		LAUNCH(store_bytes, SLICE / 1024, 1024, slice, SLICE, (unsigned char)i);
		LAUNCH(increment, SLICE / 16 / 1024, 1024, (int *)slice, SLICE / 16);
		fetch(slice, SLICE);
	}
	release(a);
}

/* What launches have written to slices another kernel needs as a whole. */
static void gather(void)
{
	unsigned char *a = allocate(MIB);

	for (int i = 0; i < SLICES; i++)
		LAUNCH(store_bytes, SLICE / 1024, 1024, a + (size_t)i * SLICE, SLICE,
		       (unsigned char)i);
	LAUNCH(increment, MIB / 4 / 1024, 1024, (int *)a, MIB / 4);
	fetch(a, MIB);
	release(a);
}

/* Of the launches after the last access none concerns an object. */
static void trailing(void)
{
	unsigned char *a = allocate(MIB);

	LAUNCH(store_bytes, MIB / 1024, 1024, a, MIB, (unsigned char)1);
	for (int i = 0; i < 3; i++)
		LAUNCH(increment, 1, 32, (int *)NULL, 0);
}

/* No launch comes after the one that accesses what is not freed. */
static void last_launch(void)
{
	unsigned char *a = allocate(MIB);

	LAUNCH(store_bytes, MIB / 1024, 1024, a, MIB, (unsigned char)1);
	use(HALF);
}

/* Were b in a's memory, that would be there beside c, which is larger than a and b. */
static void raised(void)
{
	enum { A = MIB, B = MIB / 100 * 91, C = 2 * MIB };
	void *a = allocate(A), *b, *c;

	fill(a, A, 1);
	b = allocate(B);
	release(a);
	c = allocate(C);
	fill(c, C, 1);
	fill(b, B, 1);
	release(b);
	release(c);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} cases[] = {
		{"early", early},     {"late", late},         {"redundant", redundant},
		{"tenth", tenth},     {"more", more},         {"unused", unused},
		{"leak", leak},       {"idle", idle},         {"busy", busy},
		{"kernels", kernels}, {"over", over},         {"almost", almost},
		{"enough", enough},   {"hole", hole},         {"scattered", scattered},
		{"slices", slices},   {"halo", halo},         {"pairs", kernel_pairs},
		{"gather", gather},   {"dead", dead},         {"halves", halves},
		{"alive", alive},     {"trailing", trailing}, {"last_launch", last_launch},
		{"raised", raised},
	};

	mended = argc == 3 && !strcmp(argv[2], "mended");
	for (size_t i = 0; argc == 2 + mended && i < sizeof(cases) / sizeof(*cases); i++)
		if (!strcmp(argv[1], cases[i].name)) {
			cases[i].run();
			printf("%lu\n", sum);
			return 0;
		}
	fputs("usage: memory_waste CASE [mended], one of:", stderr);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		fprintf(stderr, " %s", cases[i].name);
	fputc('\n', stderr);
	return 2;
}
