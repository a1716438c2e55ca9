/*
 * gpu/sanitizer/space_internal.h: what the files of the device's shadow memory share.
 */
#ifndef VFLOW_GPU_SANITIZER_SPACE_INTERNAL_H
#define VFLOW_GPU_SANITIZER_SPACE_INTERNAL_H

#include "gpu/sanitizer/driver.h"
#include "gpu/sanitizer/space.h"

enum pass_kernel {
	PASS_MARK,
	PASS_MARK_COPY,
	PASS_SETTLE,
	PASS_CLEAR,
	PASS_FORGET,
	PASS_INITIALISE,
	PASS_HASH,
	PASS_GATHER,
	PASS_COUNT,
};

struct space {
	CUcontext context;
	CUstream stream;
	CUfunction kernels[PASS_COUNT];
	bool digests;
	bool failed; /* the device gave an error: nothing works any more */
	bool busy;   /* see space_set_busy() */

	struct object **objects; /* by address */
	uint32_t object_count, object_capacity;

	/* Records, and which object has which. */
	CUdeviceptr records;
	struct object **owners;
	uint32_t *free_slots, free_count;
	uint32_t slot_capacity;

	/* What the patches search. */
	CUdeviceptr state, table;
	uint32_t table_capacity;
	bool published;

	/* Host memory that the device writes: slots + 1 of touched objects, and results. */
	uint32_t *list;
	struct result_object *result_objects;
	struct pass_results *results;
	CUdeviceptr device_list, device_result_objects, device_results, rows, blanks;

	/* Those that space_forget_later() listed. */
	struct object **later;
	uint32_t later_count, later_capacity;
	bool forget_all; /* no memory for the list */

	struct object **touched;
	uint32_t touched_count;
	struct row *row_buffer;
	uint8_t blank[TREE_LEVELS][DIGEST_BYTES];
};

/* Remembers the first failure of the driver.  True: all is well. */
bool space_check(struct space *space, CUresult result);
/* Waits for our own stream. */
bool space_wait(struct space *space);
/* `blocks` x `rows` blocks of `threads` threads of a pass, on our stream. */
bool space_launch(struct space *space, enum pass_kernel kernel, uint64_t blocks, uint32_t rows,
		  uint32_t threads, void **parameters);

CUdeviceptr object_record(const struct object *object);
/* The rest of the shadow.  False: no memory; the object is not followed any more. */
bool object_need_body(struct object *object);
/* Takes the object off the device. */
void object_unfollow(struct object *object);
/* Puts the object into the list of the running API. */
void object_list(struct object *object);

#endif
