/*
 * collect/guest/heaps.h: heaps of NVTX's memory annotations, which are memory pools, and the
 * regions in them, their blocks.
 *
 * The handle of a heap and of a region is its address: the last one that was registered there.  A
 * heap that is no sub-allocator's is no pool: the program uses its memory by itself, and regions
 * tell parts of it apart.  All with the guest's lock held; what makes no sense is left out, which
 * coverage says.
 */
#ifndef VFLOW_COLLECT_GUEST_HEAPS_H
#define VFLOW_COLLECT_GUEST_HEAPS_H

#include <stdbool.h>
#include <stdint.h>

enum { HEAPS_NAME = 64 }; /* of heaps and regions, with the 0 at the end */

struct heap;

/* Whether there is such a heap then.  `domain` and `name`: may be empty. */
bool heaps_add(uint64_t address, uint64_t bytes, bool is_pool, const char *domain,
	       const char *name);
/* Address 0: that of the whole process, which is always there.  NULL: it is not there. */
struct heap *heaps_find(uint64_t address);
void heaps_empty(struct heap *heap); /* it has no regions any more */
void heaps_remove(struct heap *heap);

/* Whether there is such a region then.  `frame`: of the call path. */
bool heaps_add_region(struct heap *heap, uint64_t address, uint64_t bytes, uint32_t frame);
void heaps_resize_region(uint64_t address, uint64_t bytes, uint32_t frame);
void heaps_remove_region(uint64_t address);
void heaps_name_region(uint64_t address, const char *name); /* empty: no longer */

/* Says in coverage that so many annotations were left out. */
void heaps_left_out(const char *what, uint64_t count);

#endif
