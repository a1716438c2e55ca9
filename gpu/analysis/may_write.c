#include "gpu/analysis/may_write.h"

#include <search.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct place {
	uint32_t id;
	uint64_t address;
};

struct kernel {
	char *name;
	void *written; /* tree of ids: pointers that are numbers */
	size_t count, prune_at;
	/* What the launch wrote that was noted last: most write what the one before wrote. */
	uint32_t *last;
	size_t last_count, last_capacity;
};

struct may_write {
	void *places;  /* tree by id */
	void *kernels; /* tree by name */
	bool incomplete;
};

enum { PRUNE_MIN = 256, PRUNE_STEP = 256 };

static int by_id(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	return (x->id > y->id) - (x->id < y->id);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct kernel *)a)->name, ((const struct kernel *)b)->name);
}

static int by_number(const void *a, const void *b)
{
	return ((uintptr_t)a > (uintptr_t)b) - ((uintptr_t)a < (uintptr_t)b);
}

static const struct place *find_place(const struct may_write *may_write, uint32_t id)
{
	const struct place key = {.id = id};
	void *node = tfind(&key, &may_write->places, by_id);

	return node ? *(const struct place **)node : NULL;
}

static struct kernel *find_kernel(const struct may_write *may_write, const char *name)
{
	const struct kernel key = {.name = (char *)name};
	void *node = tfind(&key, &may_write->kernels, by_name);

	return node ? *(struct kernel **)node : NULL;
}

struct may_write *may_write_create(void)
{
	return calloc(1, sizeof(struct may_write));
}

static void keep(void *number)
{
	(void)number;
}

static void free_kernel(void *node)
{
	struct kernel *kernel = node;

	tdestroy(kernel->written, keep);
	free(kernel->last);
	free(kernel->name);
	free(kernel);
}

void may_write_destroy(struct may_write *may_write)
{
	if (!may_write)
		return;
	tdestroy(may_write->places, free);
	tdestroy(may_write->kernels, free_kernel);
	free(may_write);
}

void may_write_object(struct may_write *may_write, uint32_t id, uint64_t address)
{
	struct place *place = malloc(sizeof(*place));
	void *node;

	if (!place) {
		may_write->incomplete = true;
		return;
	}
	*place = (struct place){id, address};
	node = tsearch(place, &may_write->places, by_id);
	if (!node)
		may_write->incomplete = true;
	if (!node || *(struct place **)node != place)
		free(place);
}

void may_write_released(struct may_write *may_write, uint32_t id)
{
	struct place *place = (struct place *)find_place(may_write, id);

	if (!place)
		return;
	tdelete(place, &may_write->places, by_id);
	free(place);
}

/* -- what kernels wrote ------------------------------------------------------------------- */

static struct kernel *make_kernel(struct may_write *may_write, const char *name)
{
	struct kernel *kernel = find_kernel(may_write, name);

	if (kernel)
		return kernel;
	kernel = calloc(1, sizeof(*kernel));
	if (kernel && (kernel->name = strdup(name)) &&
	    tsearch(kernel, &may_write->kernels, by_name)) {
		kernel->prune_at = PRUNE_MIN;
		return kernel;
	}
	if (kernel)
		free(kernel->name);
	free(kernel);
	return NULL;
}

/* The ids of a kernel's tree whose objects are gone; as many as fit at once. */
struct dead {
	const struct may_write *may_write;
	uint32_t ids[PRUNE_STEP];
	size_t count;
};

static void list_dead(const void *node, VISIT which, void *data)
{
	struct dead *dead = data;
	uint32_t id = (uint32_t)((const uintptr_t *)node)[0];

	if ((which == postorder || which == leaf) && dead->count < PRUNE_STEP &&
	    !find_place(dead->may_write, id))
		dead->ids[dead->count++] = id;
}

/* So that a program that allocates and frees for ever does not fill the memory. */
static void prune(const struct may_write *may_write, struct kernel *kernel)
{
	struct dead dead = {.may_write = may_write};

	do {
		dead.count = 0;
		twalk_r(kernel->written, list_dead, &dead);
		for (size_t i = 0; i < dead.count; i++)
			tdelete((void *)(uintptr_t)dead.ids[i], &kernel->written, by_number);
		kernel->count -= dead.count;
	} while (dead.count == PRUNE_STEP);
	kernel->prune_at = 2 * kernel->count + PRUNE_MIN;
}

/* Whether the row is the first of those of an object that say that it was written. */
static bool is_write(const struct gpu_row *row, uint32_t *before)
{
	if (row->access != GPU_WRITE || row->object == *before)
		return false;
	*before = row->object;
	return true;
}

/*
 * Whether the rows write what the kernel wrote in the launch that was noted last; if not, keeps
 * what they write, as far as there is memory.
 */
static bool writes_as_before(struct kernel *kernel, const struct gpu_row *rows, size_t count)
{
	size_t written = 0;
	uint32_t before = 0;
	bool same = true;

	for (size_t i = 0; i < count; i++) {
		if (!is_write(&rows[i], &before))
			continue;
		if (written == kernel->last_capacity) {
			size_t capacity = 2 * written + 4;
			uint32_t *more = reallocarray(kernel->last, capacity, sizeof(*more));

			if (!more) {
				kernel->last_count = 0;
				return false;
			}
			kernel->last = more;
			kernel->last_capacity = capacity;
		}
		same = same && written < kernel->last_count && kernel->last[written] == before;
		kernel->last[written++] = before;
	}
	same = same && written == kernel->last_count;
	kernel->last_count = written;
	return same;
}

/* Notes that the kernel writes an object.  Returns 0, or -1: no memory. */
static int add_written(const struct may_write *may_write, struct kernel *kernel, uint32_t object)
{
	void *id = (void *)(uintptr_t)object;

	if (tfind(id, &kernel->written, by_number))
		return 0;
	if (!tsearch(id, &kernel->written, by_number))
		return -1;
	if (++kernel->count >= kernel->prune_at)
		prune(may_write, kernel);
	return 0;
}

void may_write_note(struct may_write *may_write, const char *name, const struct gpu_row *rows,
		    size_t count)
{
	struct kernel *kernel;
	uint32_t before = 0;
	size_t first = 0;

	while (first < count && rows[first].access != GPU_WRITE)
		first++;
	if (first == count)
		return;
	kernel = make_kernel(may_write, name);
	if (kernel && writes_as_before(kernel, rows, count))
		return;
	for (size_t i = first; i < count; i++)
		if (is_write(&rows[i], &before) &&
		    (!kernel || add_written(may_write, kernel, before) != 0)) {
			may_write->incomplete = true;
			return;
		}
}

struct walk {
	const struct may_write *may_write;
	void (*object)(void *data, uint64_t address, uint32_t id);
	void *data;
};

static void visit(const void *node, VISIT which, void *data)
{
	const struct walk *walk = data;
	const struct place *place;

	if (which != postorder && which != leaf)
		return;
	place = find_place(walk->may_write, (uint32_t)((const uintptr_t *)node)[0]);
	if (place)
		walk->object(walk->data, place->address, place->id);
}

int may_write_each(struct may_write *may_write, const char *name, const void *parameters,
		   size_t size, void (*object)(void *data, uint64_t address, uint32_t id),
		   void *data)
{
	struct walk walk = {may_write, object, data};
	const struct kernel *kernel = find_kernel(may_write, name);
	uint64_t word;

	if (may_write->incomplete)
		return -1;
	for (size_t at = 0; at + sizeof(word) <= size; at += sizeof(word)) {
		memcpy(&word, (const char *)parameters + at, sizeof(word));
		if (word)
			object(data, word, 0);
	}
	if (kernel)
		twalk_r(kernel->written, visit, &walk);
	return 0;
}
