/*
 * gpu/analysis/may_write.h: what a launch that was not analysed may have written
 * (doc/definitions.md, "What is not known"): objects with an address among its parameter bytes, and
 * objects that the same kernel wrote in an analysed launch.  (Its module's variables are the
 * provider's to know.)
 *
 * Pointers that lie in memory are not followed.  Not thread-safe: the provider holds its lock.
 */
#ifndef VFLOW_GPU_ANALYSIS_MAY_WRITE_H
#define VFLOW_GPU_ANALYSIS_MAY_WRITE_H

#include <stddef.h>
#include <stdint.h>

#include "gpu/provider.h"

struct may_write;

/* NULL: no memory. */
struct may_write *may_write_create(void);
void may_write_destroy(struct may_write *may_write);

/* A live object: its id and where it starts; and its end. */
void may_write_object(struct may_write *may_write, uint32_t id, uint64_t address);
void may_write_released(struct may_write *may_write, uint32_t id);

/* The rows of an analysed launch. */
void may_write_note(struct may_write *may_write, const char *kernel, const struct gpu_row *rows,
		    size_t count);

/*
 * Calls `object` for whatever a launch of the kernel may have written, perhaps several times: with
 * `id` 0 for the object that holds the address, if there is one; else for the live object of this
 * id, which starts at the address.  `parameters` is the block of parameter bytes as the kernel sees
 * it; its 8-byte words are looked at.  Returns 0, or -1: nothing is known, so any object may have
 * been written.
 */
int may_write_each(struct may_write *may_write, const char *kernel, const void *parameters,
		   size_t size, void (*object)(void *data, uint64_t address, uint32_t id),
		   void *data);

#endif
