/*
 * random_flow.c SEED: calls of every kind with random operands, and what must come of them: keeps
 * the value, the writer and whether it was ever written for every byte by the letter of
 * doc/definitions.md, and prints the edges as "FROM>TO ACCESS OBJECT BYTES REDUNDANT COUNT".
 */
#include <stdbool.h>
#include <string.h>

#include "tests/programs/launch.h"
#include "tests/programs/scattered.h"

KERNELS("tests/programs/exactness_kernels.ptx")

#define OBJECTS 4
#define BYTES 3000
#define STEPS 60
#define EDGES 1000

/* Every call stands on a line of its own, so each has a vertex of its own. */
enum call {
	RUNTIME,
	DRIVER,
	SET,
	SET_2D,
	SET_WORDS,
	TO,
	FROM,
	WITHIN,
	TO_2D,
	FROM_2D,
	WITHIN_2D,
	WORDS,
	THIRDS,
	INCREMENT,
	SCATTER,
	CALLS
};

static struct object {
	char *device;
	int size, site;
	unsigned char value[BYTES];
	char initialised[BYTES];
	int writer[BYTES / 4 + 1]; /* by unit of 4 bytes */
} objects[OBJECTS];

static struct edge {
	int from, to, object;
	char access;
	long bytes, redundant, count;
} edges[EDGES];

static int edge_count, vertices[CALLS], vertex_count;
static unsigned char host[8192], back[8192];
static unsigned long long state;

static int below(int limit)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (int)((state >> 33) * (unsigned)limit >> 31);
}

/* Ids count from 1 in order of first appearance. */
static int vertex(enum call call)
{
	if (!vertices[call])
		vertices[call] = ++vertex_count;
	return vertices[call];
}

static void edge(int from, int to, char access, int object, long bytes, long redundant)
{
	int i = 0;

	while (i < edge_count && (edges[i].from != from || edges[i].to != to ||
				  edges[i].access != access || edges[i].object != object))
		i++;
	if (i == EDGES)
		abort();
	if (i == edge_count)
		edges[edge_count++] = (struct edge){from, to, object, access, 0, 0, 0};
	edges[i].bytes += bytes;
	edges[i].redundant += redundant;
	edges[i].count++;
}

/* Rows of `width` bytes, `pitch` apart; of a single row the pitch does not matter. */
struct area {
	struct object *object;
	int start, width, pitch, rows;
};

static int byte_of(const struct area *area, int i)
{
	return area->start + i / area->width * area->pitch + i % area->width;
}

static void reads(const struct area *area, int reader)
{
	long bytes[CALLS + 1] = {0};

	for (int i = 0; i < area->width * area->rows; i++)
		bytes[area->object->writer[byte_of(area, i) / 4]]++;
	for (int writer = 1; writer <= vertex_count; writer++)
		if (bytes[writer])
			edge(writer, reader, 'R', area->object->site, bytes[writer], 0);
}

/* Byte i becomes value[i]; initialised NULL: all are. */
static void writes(const struct area *area, int writer, const unsigned char *value,
		   const char *initialised)
{
	struct object *object = area->object;
	long bytes[CALLS + 1] = {0}, redundant[CALLS + 1] = {0};

	for (int i = 0; i < area->width * area->rows; i++) {
		int at = byte_of(area, i), known = !initialised || initialised[i];

		bytes[object->writer[at / 4]]++;
		redundant[object->writer[at / 4]] +=
			known && object->initialised[at] && object->value[at] == value[i];
		object->value[at] = value[i];
		object->initialised[at] = (char)known;
	}
	for (int i = 0; i < area->width * area->rows; i++)
		object->writer[byte_of(area, i) / 4] = writer;
	for (int from = 1; from <= vertex_count; from++)
		if (bytes[from])
			edge(from, writer, 'W', object->site, bytes[from], redundant[from]);
}

static void copies(const struct area *to, const struct area *from, int copier)
{
	unsigned char value[BYTES];
	char initialised[BYTES];

	for (int i = 0; i < from->width * from->rows; i++) {
		value[i] = from->object->value[byte_of(from, i)];
		initialised[i] = from->object->initialised[byte_of(from, i)];
	}
	reads(from, copier);
	writes(to, copier, value, initialised);
}

static void allocate(struct object *object)
{
	int driver = below(2), site;

	object->size = 64 + below(BYTES - 64);
	site = vertex(driver ? DRIVER : RUNTIME);
	if (driver)
		CHECK(cuMemAlloc((CUdeviceptr *)&object->device, (size_t)object->size));
	else
		CHECK(cudaMalloc((void **)&object->device, (size_t)object->size));
	object->site = site;
	memset(object->initialised, 0, sizeof(object->initialised));
	for (int i = 0; i <= BYTES / 4; i++)
		object->writer[i] = site;
}

static struct area row_of(struct object *object)
{
	int start = below(object->size), most = object->size - start;

	return (struct area){object, start, 1 + below(below(2) ? most : most < 9 ? most : 9), 1, 1};
}

static struct area words_of(struct object *object)
{
	int words = object->size / 4, start = below(words);

	return (struct area){object, 4 * start, 4 * (1 + below(words - start)), 1, 1};
}

static struct area rows_of(struct object *object, int width)
{
	int pitch = width + below(13), rows = (object->size - width) / pitch + 1;

	return (struct area){object, 0, width, pitch, 1 + below(rows < 40 ? rows : 40)};
}

static void step_set(struct object *object)
{
	struct area row = row_of(object), rows = rows_of(object, 1 + below(20));
	unsigned char value[BYTES];
	unsigned char byte = (unsigned char)below(3);

	memset(value, byte, sizeof(value));
	switch (below(3)) {
	case 0:
		CHECK(cudaMemset(object->device + row.start, byte, (size_t)row.width));
		writes(&row, vertex(SET), value, NULL);
		break;
	case 1:
		CHECK(cudaMemset2D(object->device, (size_t)rows.pitch, byte, (size_t)rows.width,
				   (size_t)rows.rows));
		writes(&rows, vertex(SET_2D), value, NULL);
		break;
	case 2:
		row = words_of(object);
		for (int i = 0; i < row.width; i++)
			value[i] = "\2\0\1"[i % 4];
		CHECK(cuMemsetD32((CUdeviceptr)(object->device + row.start), 0x00010002,
				  (size_t)row.width / 4));
		writes(&row, vertex(SET_WORDS), value, NULL);
		break;
	}
}

static void step_host(struct object *object)
{
	struct area row = row_of(object), rows = rows_of(object, 1 + below(20));
	size_t width = (size_t)rows.width, apart = width + 3;
	unsigned char value[BYTES];
	int from = below(4000), v;

	for (int i = 0; i < rows.width * rows.rows; i++)
		value[i] = host[i / rows.width * (int)apart + i % rows.width];
	switch (below(4)) {
	case 0:
		CHECK(cudaMemcpy(object->device + row.start, host + from, (size_t)row.width,
				 cudaMemcpyHostToDevice));
		v = vertex(TO);
		edge(0, v, 'R', object->site, row.width, 0);
		writes(&row, v, host + from, NULL);
		break;
	case 1:
		CHECK(cudaMemcpy(back, object->device + row.start, (size_t)row.width,
				 cudaMemcpyDeviceToHost));
		v = vertex(FROM);
		reads(&row, v);
		edge(v, 0, 'W', object->site, row.width, 0);
		break;
	case 2:
		CHECK(cudaMemcpy2D(object->device, (size_t)rows.pitch, host, apart, width,
				   (size_t)rows.rows, cudaMemcpyHostToDevice));
		v = vertex(TO_2D);
		edge(0, v, 'R', object->site, rows.width * rows.rows, 0);
		writes(&rows, v, value, NULL);
		break;
	case 3:
		CHECK(cudaMemcpy2D(back, apart, object->device, (size_t)rows.pitch, width,
				   (size_t)rows.rows, cudaMemcpyDeviceToHost));
		v = vertex(FROM_2D);
		reads(&rows, v);
		edge(v, 0, 'W', object->site, rows.width * rows.rows, 0);
		break;
	}
}

static void step_within(struct object *object)
{
	struct object *other = &objects[below(OBJECTS)];
	struct area from = row_of(object), to = row_of(other);

	if (from.width < to.width)
		to.width = from.width;
	from.width = to.width;
	if (object != other || from.start + from.width <= to.start ||
	    to.start + to.width <= from.start) {
		CHECK(cudaMemcpy(other->device + to.start, object->device + from.start,
				 (size_t)to.width, cudaMemcpyDeviceToDevice));
		copies(&to, &from, vertex(WITHIN));
		return;
	}
	other = &objects[(object - objects + 1) % OBJECTS];
	from = rows_of(object, 1 + below(20));
	to = rows_of(other, from.width);
	from.rows = to.rows = from.rows < to.rows ? from.rows : to.rows;
	CHECK(cudaMemcpy2D(other->device, (size_t)to.pitch, object->device, (size_t)from.pitch,
			   (size_t)to.width, (size_t)to.rows, cudaMemcpyDeviceToDevice));
	copies(&to, &from, vertex(WITHIN_2D));
}

static void step_kernel(struct object *object)
{
	struct area row = words_of(object);
	unsigned char value[BYTES];
	unsigned bits = (unsigned)below(3) << 8 * below(4);
	int count = row.width / 4, known = 0;

	switch (below(3)) {
	case 0:
		for (int i = 0; i < row.width; i++)
			value[i] = (unsigned char)(bits >> 8 * (i % 4));
		LAUNCH(store_words, 3, 256, (unsigned *)(object->device + row.start), count, bits);
		writes(&row, vertex(WORDS), value, NULL);
		break;
	case 1:
		memset(value, 0x33, sizeof(value));
		LAUNCH(store_third_bytes, 4, 256, (unsigned char *)object->device, object->size);
		row = (struct area){object, 0, 1, 3, (object->size + 2) / 3};
		writes(&row, vertex(THIRDS), value, NULL);
		break;
	case 2:
		/* what was never written has no value to add to */
		while (known < row.width && object->initialised[row.start + known])
			known++;
		if (!(count = known / 4))
			break;
		row.width = 4 * count;
		for (int i = 0; i < row.width; i += 4) {
			unsigned word;

			memcpy(&word, object->value + row.start + i, 4);
			word++;
			memcpy(value + i, &word, 4);
		}
		LAUNCH(increment, 3, 256, (int *)(object->device + row.start), count);
		reads(&row, vertex(INCREMENT));
		writes(&row, vertex(INCREMENT), value, NULL);
		break;
	}
}

/* What a launch does to the bytes of an object that `chosen` names, by site and writer. */
struct scattered {
	long bytes[CALLS + 1][CALLS + 1], redundant[CALLS + 1][CALLS + 1];
};

static void scattered_bytes(struct scattered *sum, struct object *object, const char *chosen,
			    bool written)
{
	for (int i = 0; i < object->size; i++)
		if (chosen[i]) {
			sum->bytes[object->site][object->writer[i / 4]]++;
			sum->redundant[object->site][object->writer[i / 4]] +=
				written && object->initialised[i] &&
				object->value[i] == SCATTERED_BYTE;
		}
	for (int i = 0; written && i < object->size; i++)
		if (chosen[i]) {
			object->value[i] = SCATTERED_BYTE;
			object->initialised[i] = 1;
			object->writer[i / 4] = vertex(SCATTER);
		}
}

/* The lanes of warps go to places of two objects, far from each other. */
static void step_scatter(struct object *object)
{
	struct object *other = &objects[(object - objects + 1 + below(OBJECTS - 1)) % OBJECTS];
	unsigned seed = (unsigned)below(1 << 30);
	char chosen[2][2][BYTES] = {{{0}}}; /* written, of the second object */

	LAUNCH(scatter, 1, 128, (unsigned char *)object->device, (unsigned char *)other->device,
	       (unsigned)object->size, (unsigned)other->size, seed);
	for (unsigned i = 0; i < 128; i++) {
		struct scattered_place place =
			scattered_place(seed, i, (unsigned)object->size, (unsigned)other->size);

		memset(&chosen[place.writes][place.second][place.offset], 1, place.size);
	}
	for (int written = 0; written < 2; written++) {
		struct scattered sum = {0};

		scattered_bytes(&sum, object, chosen[written][0], written);
		scattered_bytes(&sum, other, chosen[written][1], written);
		for (int site = 1; site <= vertex_count; site++)
			for (int from = 1; from <= vertex_count; from++)
				if (sum.bytes[site][from])
					edge(from, vertex(SCATTER), written ? 'W' : 'R', site,
					     sum.bytes[site][from], sum.redundant[site][from]);
	}
}

int main(int argc, char **argv)
{
	static void (*const steps[])(struct object *) = {step_set, step_host, step_within,
							 step_kernel, step_scatter};

	state = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
	for (int i = 0; i < (int)sizeof(host); i++)
		host[i] = (unsigned char)(i * 7 % 3);
	kernels_module();
	for (int i = 0; i < OBJECTS + STEPS; i++) {
		struct object *object = &objects[i < OBJECTS ? i : below(OBJECTS)];

		if (i >= OBJECTS && below(12)) {
			steps[below(5)](object);
			continue;
		}
		if (object->device)
			CHECK(cudaFree(object->device));
		allocate(object); /* often at the same address; in one place: two sites in all */
	}
	CHECK(cudaDeviceSynchronize());
	for (int i = 0; i < edge_count; i++)
		printf("%d>%d %c %d %ld %ld %ld\n", edges[i].from, edges[i].to, edges[i].access,
		       edges[i].object, edges[i].bytes, edges[i].redundant, edges[i].count);
	return 0;
}
