/*
 * gpu/analysis/object_rows.h: access rows without shadow memory, for the pass `calls`: one last
 * writer is known of each object, and a launch counts as reading and writing all of each object
 * that a word of a parameter points into.
 *
 * Pointers that lie in memory are not followed.  What the host uploads is looked at for some: a
 * launch that is given an object with such pointers may access any other object.  Not thread-safe:
 * the provider holds its lock.
 */
#ifndef VFLOW_GPU_ANALYSIS_OBJECT_ROWS_H
#define VFLOW_GPU_ANALYSIS_OBJECT_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gpu/provider.h"

#define OBJECT_ROWS_LOOKED_AT (UINT64_C(64) << 10) /* bytes of an upload, its first */

/* What is known of a live object; the provider keeps it where it finds it by address. */
struct object_state {
	uint32_t id;      /* the sink's */
	uint32_t writer;  /* who wrote to it last, or may have: a context, or GPU_WRITER_... */
	uint64_t written; /* the call that made the writer */
	uint64_t size;
	bool holds_pointers;            /* ... or can: the host writes there unseen */
	uint64_t call;                  /* the last that touched it */
	uint32_t rows[GPU_TO_HOST + 1]; /* of that call, by access: index + 1; 0: none */
};

/* The object at an address, or NULL. */
typedef struct object_state *object_rows_find(uint64_t address);

struct object_rows { /* all zero at first, but for `find` */
	object_rows_find *find;
	uint64_t lowest, end; /* of all objects there have been: addresses */
	uint64_t call;
	struct gpu_row *rows; /* of the running call */
	struct object_state **objects;
	uint32_t count, capacity;
	uint64_t all_written; /* who wrote in calls before this one is not known */
	bool reaches_all;     /* the call may have accessed any object */
	bool writes_all;      /* ... and no rows say which */
	bool incomplete;      /* there was no memory for a row */
};

/* A new object of this address; `context` is that of its allocation. */
struct object_state object_rows_object(struct object_rows *rows, const struct gpu_object *object,
				       uint32_t id, uint32_t context);

/* The running call touches so many bytes of the object. */
void object_rows_touch(struct object_rows *rows, struct object_state *object,
		       enum gpu_access access, uint64_t bytes);

/* The host uploads, or has just done so, these bytes to this address in the object. */
void object_rows_look(const struct object_rows *rows, struct object_state *object, uint64_t address,
		      const void *bytes, uint64_t size);

/* The running call copies from an object into another one. */
void object_rows_copy(struct object_rows *rows, struct object_state *to, struct object_state *from,
		      uint64_t bytes);

/*
 * The running call launches a kernel with this parameter, at this offset of the block that the
 * kernel sees: its aligned words may be pointers.  Where it is not known which parameters there
 * are, the whole block.
 */
void object_rows_argument(struct object_rows *rows, const void *value, size_t offset, size_t size);

/*
 * The end of the running call: returns its rows, `*count` of them, which are valid until the next
 * call touches something.
 */
const struct gpu_row *object_rows_settle(struct object_rows *rows, uint32_t context, size_t *count);
/* The running call failed: it did nothing. */
void object_rows_drop(struct object_rows *rows);

#endif
