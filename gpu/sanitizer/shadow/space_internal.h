/*
 * gpu/sanitizer/shadow/space_internal.h: what the files of the device's shadow memory share.
 */
#ifndef VFLOW_GPU_SANITIZER_SHADOW_SPACE_INTERNAL_H
#define VFLOW_GPU_SANITIZER_SHADOW_SPACE_INTERNAL_H

#include "gpu/sanitizer/driver.h"
#include "gpu/sanitizer/shadow/space.h"

enum pass_kernel {
	PASS_MARK,
	PASS_MARK_COPY,
	PASS_SETTLE,
	PASS_CLEAR,
	PASS_FORGET,
	PASS_COUNT,
};

/*
 * What the last pass behind a launch of one kernel and size looked at.  When it was little, the
 * next tries first to do it all in a quicker way, which takes some microseconds if it cannot.
 */
#define PREDICTIONS 1024
struct prediction {
	uint64_t key;
	uint32_t blocks;                     /* of objects; 0: not known */
	unsigned skips;                      /* the next that do not try */
	enum pass_strategy skipped_strategy; /* ... this, nor what comes before it */
};

#define TABLE_CHANGES 256

struct space {
	CUcontext context;
	CUdevice device;
	CUstream stream;
	CUfunction kernels[PASS_COUNT];
	uint32_t pass_blocks; /* in the largest grid of a pass */
	bool digests;
	space_shortage *shortage;    /* see space_create() */
	bool failed;                 /* the device gave an error: nothing works any more */
	bool faulted;                /* ... that a kernel had made; */
	bool fault_reported;         /* see space_faulted() */
	bool busy;                   /* see space_set_busy() */
	bool stream_hung;            /* our stream did not end when it should have */
	bool share_all, share_hosts; /* see space_share() */

	struct object **objects; /* by address */
	uint32_t object_count, object_capacity, shared_count;

	/* Records, and which object has which. */
	CUdeviceptr records;
	struct object **owners;
	uint32_t *free_slots, free_count;
	uint32_t slot_capacity;

	/* What the patches search. */
	CUdeviceptr state, table, empty_record, listed, listed_words;
	struct hints *hints;
	uint64_t table_size;
	struct table_change {
		struct device_entry entry;
		bool gone;
	} table_change[TABLE_CHANGES]; /* since it was published */
	uint32_t table_changes;
	bool table_unknown; /* ... there are more */
	uint64_t changes;   /* of objects and records: a number that no space had before */
	uint64_t table_peer_changes[SPACE_PEERS_MAX]; /* of the peers whose objects are in the table
						       */
	unsigned table_peers;
	bool published;

	/* Passes: what the running API touched is listed on the device; results come back in rings.
	 */
	bool marked;                   /* something may be in the list */
	bool launched;                 /* ... that launches put there */
	bool unfinished;               /* our stream has work that was not waited for */
	uint64_t expected;             /* threads that have something to do in the next pass */
	uint64_t marked_blocks;        /* ... and blocks that copies and sets touched */
	uint64_t scan_blocks;          /* ... and blocks of the largest object that they touched */
	struct marks marks;            /* that the next pass makes, or are made before it */
	struct prediction *prediction; /* of the launch before it, or NULL */
	uint64_t detail_blocks;        /* of all details */
	uint32_t lacking_details;      /* followed objects that have none */
	uint64_t lacking_detail_bytes;
	uint64_t untouched_detail_bytes; /* of objects that have details and were not touched yet */
	uint32_t stalls;                 /* launches that had to be waited for because of them */
	uint32_t ticket, ticket_taken; /* of the last pass, and the last whose results were taken */
	uint64_t rows_taken, objects_taken; /* of the rings */
	struct device_state view;           /* what space_describe() put there */
	CUdeviceptr rows;
	volatile struct result_pass *result_passes;
	struct result_row *result_rows;
	struct result_object *result_objects;
	CUdeviceptr device_passes, device_rows, device_objects;
	uint32_t object_ring;

	/* Those that space_forget_later() listed. */
	struct object **forget_list;
	uint32_t forget_count, forget_capacity;
	bool forget_all; /* no memory for the list */

	/* The results that were taken last. */
	struct touched *touched;
	uint32_t touched_count;
	const volatile struct result_pass *taken;
	struct prediction *predicted[PASSES];  /* of passes; NULL: nobody wants to know */
	enum pass_strategy strategies[PASSES]; /* that were asked for */
	struct prediction predictions[PREDICTIONS];
	struct row *row_buffer;
	uint32_t forgotten; /* objects that are */
	uint64_t missed, missed_bytes;
};

/* Remembers the first failure of the driver.  True: all is well. */
bool space_check(struct space *space, CUresult result);
/* Waits for our own stream. */
bool space_wait(struct space *space);
/* The same for that long at most. */
bool space_wait_for(struct space *space, unsigned milliseconds);
/*
 * Whether one of the passes whose results were not taken yet has begun, or may have; what was put
 * into records before is what those see that have not.  Only the device's copy engine is asked.
 */
bool space_pass_began(struct space *space);
/*
 * Blocks of PASS_THREADS threads of a kernel; it strides over what is left.  On another stream than
 * ours when all is over on ours.
 */
bool space_launch(struct space *space, CUstream stream, enum pass_kernel kernel, uint64_t blocks,
		  void **parameters);
/* Zeroed memory of the host that the device sees.  It stays when the context has gone. */
bool space_map_host(struct space *space, void **host, CUdeviceptr *device, size_t size);
void space_unmap_host(void *host, size_t size);
/* Lets the device know where records, lists and rings are. */
bool space_describe(struct space *space);

/* An API touched it. */
void object_was_touched(struct object *object);
/* Takes it off the device; no API's list may hold it. */
void object_unfollow(struct object *object);
/* Who writes to it without an API: enum sharing, as the record has it. */
uint8_t object_shared_by(const struct object *object);
CUdeviceptr object_record(const struct object *object);
/* The object has a record, or has one no more; all records are elsewhere: for space_publish(). */
void table_note(const struct object *object, bool gone);
void table_invalidate(struct space *space);
/* The rest of the shadow.  False: no memory; the object is not followed any more. */
bool object_need_detail(struct object *object);

#endif
