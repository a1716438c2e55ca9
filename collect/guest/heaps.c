/* collect/guest/heaps.c: see heaps.h. */
#include "collect/guest/heaps.h"

#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

#include "collect/guest/guest.h"

enum { HEAPS_MAX = 1000, REGIONS_MAX = 1 << 20 };

static const char not_there[] = "heaps and regions that are not there";
static const char no_address[] = "heaps and regions without an address, or beyond the last one";
static const char too_many[] = "more than 1000 heaps or 1,048,576 regions at a time";
static const char no_pool[] =
	"regions of the whole process and of heaps that are no sub-allocator's";

void heaps_left_out(const char *what, uint64_t count)
{
	if (count)
		coverage_add(COVERAGE_NVTX_MEMORY, what, count, 0);
}

struct region {
	uint64_t address, bytes;
	struct heap *heap;
	struct region *older; /* of another heap, at the same address */
	char *name;           /* NULL: it has none */
	LIST_ENTRY(region) of_heap;
};

struct heap {
	uint64_t address, bytes;
	uint64_t number; /* counts heaps; 0: there is none */
	bool is_pool;
	char name[HEAPS_NAME];
	LIST_HEAD(, region) regions;
};

static struct heap heaps[HEAPS_MAX + 1] = {{.number = 1}}; /* the first: of the whole process */
static void *regions;                                      /* tsearch(): the last of each address */
static uint32_t region_count;

static bool is_possible(uint64_t address, uint64_t bytes)
{
	bool possible = address && bytes <= UINT64_MAX - address;

	heaps_left_out(no_address, !possible);
	return possible;
}

/* -- regions -- */

static int by_address(const void *left, const void *right)
{
	const struct region *a = left, *b = right;

	return (a->address > b->address) - (a->address < b->address);
}

/* Where the tree has the last region of the address; NULL: there is none. */
static struct region **find_link(uint64_t address)
{
	struct region key = {.address = address};

	return tfind(&key, &regions, by_address);
}

static struct region *find_region(uint64_t address)
{
	struct region **link = find_link(address);

	heaps_left_out(not_there, !link);
	return link ? *link : NULL;
}

/* It has got another size. */
static void tell_block(const struct region *region, uint64_t before, uint32_t frame)
{
	if (!region->heap->is_pool || (!before && !region->bytes))
		return;
	pools_block(region->heap->name, region->address, region->bytes, 0,
		    region->bytes ? frame : 0);
	if (region->bytes && region->name)
		pools_name(region->heap->name, region->address, region->name);
}

static void unlink_region(struct region *region)
{
	struct region **link = find_link(region->address);

	if (*link == region && !region->older) {
		tdelete(region, &regions, by_address);
	} else {
		while (*link != region)
			link = &(*link)->older;
		*link = region->older;
	}
	LIST_REMOVE(region, of_heap);
	region_count--;
}

static void drop_region(struct region *region)
{
	uint64_t before = region->bytes;

	region->bytes = 0;
	tell_block(region, before, 0);
	unlink_region(region);
	free(region->name);
	free(region);
}

/* NULL: no memory. */
static struct region *new_region(struct heap *heap, uint64_t address)
{
	struct region *region = calloc(1, sizeof(*region)), **link;

	if (!region)
		return NULL;
	region->address = address;
	region->heap = heap;
	link = tsearch(region, &regions, by_address);
	if (!link) {
		free(region);
		return NULL;
	}
	if (*link != region) {
		region->older = *link;
		*link = region;
	}
	LIST_INSERT_HEAD(&heap->regions, region, of_heap);
	region_count++;
	return region;
}

bool heaps_add_region(struct heap *heap, uint64_t address, uint64_t bytes, uint32_t frame)
{
	struct region **link = find_link(address), *region = link ? *link : NULL;
	uint64_t before;

	if (!is_possible(address, bytes))
		return false;
	while (region && region->heap != heap)
		region = region->older;
	if (!region && region_count < REGIONS_MAX)
		region = new_region(heap, address);
	if (!region) {
		heaps_left_out(too_many, 1);
		return false;
	}
	free(region->name);
	region->name = NULL;
	before = region->bytes;
	region->bytes = bytes;
	tell_block(region, before, frame);
	heaps_left_out(no_pool, !heap->is_pool);
	return true;
}

/* The block is another one then, of the same name. */
void heaps_resize_region(uint64_t address, uint64_t bytes, uint32_t frame)
{
	struct region *region = find_region(address);
	uint64_t before = region ? region->bytes : 0;

	if (!region || before == bytes || !is_possible(address, bytes))
		return;
	region->bytes = 0;
	tell_block(region, before, 0);
	region->bytes = bytes;
	tell_block(region, 0, frame);
}

void heaps_remove_region(uint64_t address)
{
	struct region *region = find_region(address);

	if (region)
		drop_region(region);
}

void heaps_name_region(uint64_t address, const char *name)
{
	struct region *region = find_region(address);

	if (!region)
		return;
	free(region->name);
	region->name = *name ? strndup(name, HEAPS_NAME - 1) : NULL;
	if (region->heap->is_pool && region->bytes)
		pools_name(region->heap->name, address, name);
}

/* -- heaps -- */

struct heap *heaps_find(uint64_t address)
{
	struct heap *last = NULL;

	for (size_t i = 0; i <= HEAPS_MAX; i++)
		if (heaps[i].number && heaps[i].address == address &&
		    (!last || heaps[i].number > last->number))
			last = &heaps[i];
	heaps_left_out(not_there, !last);
	return last;
}

void heaps_empty(struct heap *heap)
{
	while (!LIST_EMPTY(&heap->regions))
		drop_region(LIST_FIRST(&heap->regions));
}

void heaps_remove(struct heap *heap)
{
	heaps_empty(heap);
	if (heap != heaps)
		heap->number = 0;
}

/* A smaller one at the same address is inside of the heap that is there; another takes its place.
 */
static void remove_replaced(uint64_t address, uint64_t bytes)
{
	for (size_t i = 1; i <= HEAPS_MAX; i++)
		if (heaps[i].number && heaps[i].address == address && heaps[i].bytes <= bytes)
			heaps_remove(&heaps[i]);
}

bool heaps_add(uint64_t address, uint64_t bytes, bool is_pool, const char *domain, const char *name)
{
	static uint64_t last_number = 1;
	struct heap *heap = &heaps[1];
	char made[32];

	if (!is_possible(address, bytes))
		return false;
	remove_replaced(address, bytes);
	while (heap <= &heaps[HEAPS_MAX] && heap->number)
		heap++;
	if (heap > &heaps[HEAPS_MAX]) {
		heaps_left_out(too_many, 1);
		return false;
	}
	*heap = (struct heap){
		.address = address, .bytes = bytes, .number = ++last_number, .is_pool = is_pool};
	snprintf(made, sizeof(made), "NVTX heap %td", heap - heaps);
	snprintf(heap->name, sizeof(heap->name), "%s%s%s", domain, *domain ? ":" : "",
		 *name ? name : made);
	if (is_pool)
		pools_announce(heap->name);
	return true;
}
