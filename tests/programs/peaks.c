/*
 * peaks.c PROGRAM [mended]: small programs that allocate as such programs do, and the same with
 * vflow's advice followed; tests/cli/peaks.sh says what peak each must have.
 */
#include <string.h>

#include "tests/programs/launch.h"

KERNELS("tests/programs/peaks_kernels.ptx")

enum { KIB = 1024, MIB = KIB * KIB };

static int host[MIB / 4], result[MIB / 4];
static unsigned long sum;
static int mended;

static int *allocate(size_t size)
{
	void *memory;

	CHECK(cudaMalloc(&memory, size));
	return memory;
}

/* What programs allocate up front, and mended ones right before they need it. */
static int *allocate_up_front(size_t size)
{
	return mended ? NULL : allocate(size);
}

static int *allocate_now(int *up_front, size_t size)
{
	return up_front ? up_front : allocate(size);
}

static void upload(int *to, size_t size)
{
	CHECK(cudaMemcpy(to, host, size, cudaMemcpyHostToDevice));
}

static void download(const int *from, size_t size)
{
	CHECK(cudaMemcpy(result, from, size, cudaMemcpyDeviceToHost));
	for (size_t i = 0; i < size / 4; i++)
		sum = sum * 31 + (unsigned)result[i];
}

/* Frees what is not needed any more; programs do so at the end. */
static void release_now(int **memory)
{
	if (!mended)
		return;
	CHECK(cudaFree(*memory));
	*memory = NULL;
}

static void release_at_end(int *memory)
{
	if (memory)
		CHECK(cudaFree(memory));
}

/* -- two products, like 2MM: five matrices of 256 KiB, of which four are needed at a time --- */

static void products(void)
{
	enum { SIZE = 256 * KIB, COUNT = SIZE / 4 };
	int *a = allocate_up_front(SIZE), *b = allocate_up_front(SIZE);
	int *c = allocate_up_front(SIZE), *between = allocate_up_front(SIZE);
	int *d = allocate_up_front(SIZE);

	a = allocate_now(a, SIZE);
	upload(a, SIZE);
	b = allocate_now(b, SIZE);
	upload(b, SIZE);
	c = allocate_now(c, SIZE);
	upload(c, SIZE);
	between = allocate_now(between, SIZE);
	LAUNCH(combine, COUNT / 256, 256, between, (const int *)a, (const int *)b, (int)COUNT);
	release_now(&a);
	release_now(&b);
	d = allocate_now(d, SIZE);
	LAUNCH(combine, COUNT / 256, 256, d, (const int *)between, (const int *)c, (int)COUNT);
	release_now(&between);
	release_now(&c);
	download(d, SIZE);
	release_at_end(a);
	release_at_end(b);
	release_at_end(c);
	release_at_end(between);
	release_at_end(d);
}

/* -- a matrix of 256 KiB and its transpose with vectors of 1 KiB, like BICG ----------------- */

static void vectors(void)
{
	enum { SIDE = 256, SIZE = SIDE * SIDE * 4, SHORT = SIDE * 4 };
	int *matrix = allocate_up_front(SIZE), *r = allocate_up_front(SHORT);
	int *s = allocate_up_front(SHORT), *p = allocate_up_front(SHORT);
	int *q = allocate_up_front(SHORT);

	matrix = allocate_now(matrix, SIZE);
	upload(matrix, SIZE);
	r = allocate_now(r, SHORT);
	upload(r, SHORT);
	p = allocate_now(p, SHORT);
	upload(p, SHORT);
	s = allocate_now(s, SHORT);
	LAUNCH(product, 2, 128, s, (const int *)matrix, (const int *)r, (int)SIDE, 1);
	release_now(&r);
	q = allocate_now(q, SHORT);
	LAUNCH(product, 2, 128, q, (const int *)matrix, (const int *)p, (int)SIDE, 0);
	release_now(&matrix);
	release_now(&p);
	download(s, SHORT);
	release_now(&s);
	download(q, SHORT);
	release_at_end(matrix);
	release_at_end(r);
	release_at_end(p);
	release_at_end(s);
	release_at_end(q);
}

/* -- four parts by two streams, like simpleMultiCopy ----------------------------------------- */

enum { PART = 256 * KIB, PARTS = 4 };

static void launch_part(cudaStream_t stream, int *out, const int *in)
{
	const int count = PART / 4;

	CHECK(cuLaunchKernel(kernel("combine"), count / 256, 1, 1, 256, 1, 1, 0, stream,
			     (void *[]){&out, &in, &in, (void *)&count}, NULL));
}

static void parts(void)
{
	int *in[PARTS], *out[PARTS], *pinned;
	cudaStream_t streams[2];

	CHECK(cudaHostAlloc((void **)&pinned, PART, 0));
	memcpy(pinned, host, PART);
	for (int i = 0; i < 2; i++)
		CHECK(cudaStreamCreateWithFlags(&streams[i], cudaStreamNonBlocking));
	/* in topological order no call comes between an allocation and the first copies */
	for (int i = 0; i < PARTS; i++) {
		in[i] = i < 2 ? allocate(PART) : allocate_up_front(PART);
		out[i] = i < 2 ? allocate(PART) : allocate_up_front(PART);
	}
	for (int first = 0; first < PARTS; first += 2) {
		for (int i = first; i < first + 2; i++) {
			in[i] = allocate_now(in[i], PART);
			CHECK(cudaMemcpyAsync(in[i], pinned, PART, cudaMemcpyHostToDevice,
					      streams[i % 2]));
		}
		for (int i = first; i < first + 2; i++) {
			out[i] = allocate_now(out[i], PART);
			launch_part(streams[i % 2], out[i], in[i]);
			release_now(&in[i]);
		}
		for (int i = first; i < first + 2; i++) {
			CHECK(cudaStreamSynchronize(streams[i % 2]));
			download(out[i], PART);
			release_now(&out[i]);
		}
	}
	for (int i = 0; i < PARTS; i++) {
		release_at_end(in[i]);
		release_at_end(out[i]);
	}
	for (int i = 0; i < 2; i++)
		CHECK(cudaStreamDestroy(streams[i]));
	CHECK(cudaFreeHost(pinned));
}

/* -- look-ups in a grid of which a quarter is used, like XSBench ----------------------------- */

static void look_ups(void)
{
	enum { GRID = MIB, USED = MIB / 4, RESULT = 64 * KIB };
	int *grid = allocate(mended ? USED : GRID), *to;

	if (!mended)
		allocate(512 * KIB); /* which nobody uses, nor frees */
	upload(grid, USED);
	to = allocate(RESULT);
	LAUNCH(look_up, RESULT / 4 / 256, 256, to, (const int *)grid, (int)USED / 4);
	release_now(&grid);
	download(to, RESULT);
	release_at_end(grid);
	release_at_end(to);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} programs[] = {{"products", products},
			{"vectors", vectors},
			{"parts", parts},
			{"look_ups", look_ups}};

	for (size_t i = 0; i < MIB / 4; i++)
		host[i] = (int)(i * 2654435761u >> 7);
	mended = argc == 3 && !strcmp(argv[2], "mended");
	for (size_t i = 0; argc == 2 + mended && i < sizeof(programs) / sizeof(*programs); i++)
		if (!strcmp(argv[1], programs[i].name)) {
			programs[i].run();
			printf("%lu\n", sum);
			return 0;
		}
	fputs("usage: peaks PROGRAM [mended], one of:", stderr);
	for (size_t i = 0; i < sizeof(programs) / sizeof(*programs); i++)
		fprintf(stderr, " %s", programs[i].name);
	fputc('\n', stderr);
	return 2;
}
