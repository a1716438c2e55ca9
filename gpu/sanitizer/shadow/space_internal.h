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
	PASS_SETTLE, /* the three variants of vflow_pass */
	PASS_SETTLE_COPY,
	PASS_SETTLE_MANY,
	PASS_CLEAR,
	PASS_FORGET,
	PASS_TRANSFER,
	PASS_COMMANDS,
	PASS_COPIES,
	PASS_COUNT,
};

struct ring_use { /* of the rings of results */
	uint32_t objects, rows;
};

/*
 * What the last pass behind a launch of one kernel and size had to do.  If that was little, the
 * next pass tries a quicker strategy first, which costs some microseconds when it fails.
 */
#define PREDICTIONS 1024
struct prediction {
	uint64_t key;
	uint32_t blocks; /* blocks of objects that the last pass went over; 0: not known */
	struct ring_use use;
	unsigned skips;                      /* so many of the next passes do not try */
	enum pass_strategy skipped_strategy; /* ... this strategy, nor a quicker one */
};

struct row_place {      /* of a row in the ring of results */
	uint64_t order; /* by the object's id and the writer */
	const struct object *object;
	uint32_t place;
};

#define TABLE_CHANGES 256

struct space {
	CUcontext context;
	CUdevice device;
	CUstream stream;
	CUfunction kernels[PASS_COUNT];
	uint32_t pass_blocks; /* in the largest grid of a pass */
	bool digests, accesses;
	space_shortage *shortage;    /* see space_create() */
	bool failed;                 /* the device returned an error: nothing works any more */
	bool faulted;                /* ... which a kernel had caused */
	bool fault_reported;         /* see space_faulted() */
	bool busy;                   /* see space_set_busy() */
	bool stream_hung;            /* our own stream did not end in time */
	bool share_all, share_hosts; /* see space_share() */

	struct object **objects; /* by address */
	uint32_t object_count, object_capacity, shared_count;
	uint64_t allocated; /* bytes of those in memory of the device */
	uint64_t own_bytes; /* of the space itself: what the driver had less when it was made */

	/* Device memory of records; the object of each slot. */
	CUdeviceptr records;
	struct object **owners;
	uint32_t *free_slots, free_count;
	uint32_t slot_capacity;

	/* Device memory that the patches search. */
	CUdeviceptr state, table, empty_record, listed, listed_words;
	struct hints *hints;
	uint64_t table_size;
	struct table_change {
		struct device_entry entry;
		bool gone;
	} table_change[TABLE_CHANGES]; /* since space_publish() */
	uint32_t table_changes;
	bool table_unknown; /* there were more changes */
	uint64_t changes;   /* number of the last change of objects or records, unique to it */
	uint64_t table_peer_changes[SPACE_PEERS_MAX]; /* ... of the peers when the table was made */
	unsigned table_peers;
	bool published;

	/*
	 * Passes: the objects that the running API touched are listed on the device; results are in
	 * rings.
	 */
	bool marked;                   /* there may be something in that list */
	bool launched;                 /* ... which launches have put there */
	bool unfinished;               /* there is work on our own stream that was not waited for */
	uint64_t expected;             /* threads with something to do in the next pass */
	uint64_t marked_blocks;        /* ... blocks of objects that copies and sets touched */
	uint64_t scan_blocks;          /* ... and blocks of the largest object that they touched */
	struct marks marks;            /* for the next pass to make, or to be made before it */
	struct prediction *prediction; /* of the launch before the pass, or NULL */
	uint64_t detail_blocks;        /* of all detail shadows */
	uint32_t lacking_details;      /* followed objects without a detail shadow */
	uint64_t lacking_detail_bytes;
	uint64_t untouched_detail_bytes; /* of objects that have one and were not touched yet */
	uint32_t stalls;                 /* launches that were awaited because of such objects */
	uint32_t ticket, ticket_taken; /* of the last pass; of the last whose results were taken */
	uint64_t rows_taken, objects_taken; /* how many were taken out of the rings */
	struct ring_use uses[PASSES], used; /* foreseen of the passes that wait; their sum */
	struct device_state view;           /* what space_describe() wrote */
	CUdeviceptr rows;
	volatile struct result_pass *result_passes;
	struct result_row *result_rows;
	struct result_object *result_objects;
	CUdeviceptr device_passes, device_rows, device_objects;
	uint32_t object_ring;

	/* Digests of what copies move. */
	CUdeviceptr transfers;
	volatile struct result_transfer *result_transfers;
	CUdeviceptr device_transfers;
	uint32_t transfer; /* number of the last */

	/* See value_slots.h; 0: values are not looked at. */
	CUdeviceptr values;
	struct value_slot *value_slots; /* on the host: what was counted */

	/* Commands: see struct command_ring. */
	volatile struct command_ring *ring; /* NULL: it is made when it is needed first */
	CUdeviceptr device_ring;
	CUstream command_stream;
	bool commands_failed;    /* it cannot be made */
	uint32_t command_launch; /* number of the last launch of the kernel */

	/* Copies that are held back: a ring of HELD_RING commands; NULL: it is made when needed. */
	volatile struct command *held;
	CUdeviceptr device_held;
	bool held_failed;     /* it cannot be made */
	uint32_t held_added;  /* number of copies that ever were in it */
	uint32_t held_passed; /* ... of those whose pass was made */

	/* What space_forget_listed() is to forget. */
	struct object **forget_list;
	uint32_t forget_count, forget_capacity;
	bool forget_all; /* all objects, whatever the list has */

	/* The results of the last pass that was taken. */
	struct touched *touched;
	uint32_t touched_count;
	const volatile struct result_pass *taken;
	struct prediction *predicted[PASSES];  /* by ticket; NULL: no prediction */
	enum pass_strategy strategies[PASSES]; /* by ticket, as they were chosen */
	struct prediction predictions[PREDICTIONS];
	struct row *row_buffer;
	struct row_place *row_places; /* for space_rows() */
	uint32_t forgotten;           /* how many objects were, since the last space_digests() */

	/* Epochs are in `view`. */
	uint32_t epoch_ticket;   /* of the last pass before the running epoch */
	uint32_t seen_count;     /* objects that space_seen() is to report */
	bool all_seen;           /* it is to report all */
	uint64_t all_seen_count; /* of space_all_seen() */
	uint64_t missed, missed_bytes;
};

/* Whether a call of the driver succeeded; notes failures other than of memory in the space. */
bool space_check(struct space *space, CUresult result);
/* Waits for our own stream.  False: the device failed. */
bool space_wait(struct space *space);
/* The same for so long at most.  False: it failed, or still runs. */
bool space_wait_for(struct space *space, unsigned milliseconds);
/*
 * Whether a pass whose results were not taken yet has begun, or may have: it has read records then;
 * those that have not begun will see what is written to records now.  Uses the device's copy engine
 * only.
 */
bool space_pass_began(struct space *space);
/*
 * Launches a kernel of ours in so many blocks of PASS_THREADS threads, or fewer: its threads stride
 * over the work.  Waits for our own stream first if the kernel is for another one.
 */
bool space_launch(struct space *space, CUstream stream, enum pass_kernel kernel, uint64_t blocks,
		  void **parameters);
/* Allocates zeroed memory of the host that the device sees.  It stays when the context is gone. */
bool space_map_host(struct space *space, void **host, CUdeviceptr *device, size_t size);
void space_unmap_host(void *host, size_t size);
/* Bytes of a ring of so many results of objects, with what belongs to them. */
size_t object_ring_bytes(const struct space *space, uint32_t count);
/* Writes the addresses of records, lists and rings into the device_state. */
bool space_describe(struct space *space);

/* A pass has found the object touched. */
void object_was_touched(struct object *object);
/* Stops following the object; no list of touched objects may hold it. */
void object_unfollow(struct object *object);
/*
 * The epoch in which it was last seen, as its record has it; and what to do when that may have
 * changed: it was `before`.
 */
uint32_t object_seen_epoch(const struct object *object);
void object_note_seen(struct object *object, uint32_t before);
/* The same for one that a command brings to the device: returns the epoch. */
uint32_t object_seen_by_command(struct object *object);
/*
 * Waits until all commands have been taken; with `ended` the kernel has ended, too, which knows
 * where records and rings were when it was launched.  Calls the driver.  False: the device failed.
 */
bool commands_await(struct space *space, bool ended);
/* Frees the ring on the host. */
void commands_free(struct space *space);
/* Numbers the next pass, and notes what of the rings it will take: see start_pass(). */
uint32_t pass_next_ticket(const struct space *space);
void pass_started(struct space *space, uint32_t ticket, enum pass_strategy strategy);
/* Puts a digest on the stream as a kernel of its own: see space_transfer(). */
bool transfer_launch(struct space *space, CUstream stream, const struct transfer_box *box,
		     uint32_t number);
/* Updates a member of the record.  Passes may run: they see the old value or the new one. */
void object_upload(struct object *object, size_t member, const void *value, size_t size);
/* Who writes to the object without an API: enum sharing, as its record has it. */
uint8_t object_shared_by(const struct object *object);
CUdeviceptr object_record(const struct object *object);
/* What its record has from the start. */
void object_describe(const struct object *object, struct device_record *record);
/* Notes for space_publish() that the object got a record or lost it, or that all were moved. */
void table_note(const struct object *object, bool gone);
void table_invalidate(struct space *space);
/*
 * Allocates the object's detail shadow if it has none.  False: no memory; the object is not
 * followed any more.
 */
bool object_need_detail(struct object *object);

#endif
