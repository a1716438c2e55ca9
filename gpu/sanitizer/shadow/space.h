/*
 * gpu/sanitizer/shadow/space.h: the shadow memory of one CUDA context: what gpu/analysis/shadow.h
 * is on the CPU.
 *
 * Work is done on a stream of our own, or behind calls of the program on theirs (schedule.h).
 * Functions that call the driver say so: they are not for callbacks of the Sanitizer other than API
 * entry and exit.  The lock of calls.c is held around all of them.
 */
#ifndef VFLOW_GPU_SANITIZER_SHADOW_SPACE_H
#define VFLOW_GPU_SANITIZER_SHADOW_SPACE_H

#include <stdbool.h>
#include <stdint.h>

#include <cuda.h>

#include "gpu/analysis/transfer.h"
#include "gpu/provider.h"
#include "gpu/sanitizer/device/device_state.h"
#include "gpu/sanitizer/shadow/memory.h"

#define NO_SLOT UINT32_MAX

enum { SPACE_PEERS_MAX = 64 };

struct space;

struct object {
	struct space *space;
	uint64_t address, size;
	enum gpu_memory memory;
	char *name;        /* of a variable, else NULL */
	uint32_t id, site; /* 0 until the sink knows the object */
	uint32_t order;    /* of a variable: its number in the order in which they were loaded */
	CUmodule module;   /* of a variable */
	bool constant;     /* ... which no kernel can write */
	uint32_t slot;     /* NO_SLOT: not followed */
	struct shadow_memory base, detail;
	bool coarse;           /* no memory for more than a writer per block in its detail shadow */
	bool coarse_counts;    /* no memory for a count of accesses per unit */
	bool shared;           /* the host writes to it without an API */
	bool external_writers; /* so do others, which we do not see */
	bool unknown;          /* forgotten before it had a detail shadow */
	bool forgotten;        /* since the last space_digests() */
	bool forget_listed;    /* space_forget_listed() is to forget it */
	bool still_unknown;    /* it was forgotten, and not touched since */
	bool untouched_detail; /* its detail shadow was allocated, and it was not touched yet */
	uint32_t seen_epoch;   /* the last in which all of it was seen (device_state.h) */
	bool exposed;          /* it can always be read unseen */
	bool seen;             /* since the last space_seen() */
	uint64_t made_at;      /* the space's all_seen_count when it was followed */
	bool touched;          /* a pass has found that an API touched it */
	bool reported;
	uint8_t digest[DIGEST_BYTES];
};

/* An object that an API touched. */
struct touched {
	struct object *object;
	const struct result_object *result; /* NULL: the object was forgotten */
	const struct accessed_slice *slice; /* NULL: the same, or accesses are not followed */
	const struct gpu_frequency
		*frequency; /* without elements: all the same; NULL: as `slice` */
};

struct row {
	uint64_t counts[ROW_COUNTS];
	uint32_t extents[ROW_EXTENTS];
	const struct object *object;
	uint32_t writer;
};

/* What became of an object's shadow for want of memory. */
enum shortage {
	SHORTAGE_ON_HOST,   /* it is in memory of the host: exact, but slower */
	SHORTAGE_COARSE,    /* it has a writer per block, and no values */
	SHORTAGE_FORGOTTEN, /* what it held is unknown */
	SHORTAGE_GIVEN_UP,  /* ... and the object is not followed any more */
};
typedef void space_shortage(const struct object *object, enum shortage what);

/*
 * Makes the space of a context.  `accesses`: what is accessed of objects is followed (accessed.c).
 * `shortage` is called from any function that calls the driver.
 * Calls the driver.  NULL: no memory, or the device cannot run the passes.
 */
struct space *space_create(CUcontext context, bool digests, bool accesses,
			   space_shortage *shortage);
/* The context is gone, and with it all memory on its device. */
void space_abandon(struct space *space);
CUcontext space_context(const struct space *space);
CUdevice space_device(const struct space *space);
CUstream space_stream(const struct space *space); /* the space's own */
/*
 * While a queue is timed out nothing may wait for the device: no more objects are followed, and
 * memory of shadows is released when the time-out ends; only space_evict_nowait() and
 * space_release_cached() free some before.  Calls the driver.
 */
void space_set_busy(struct space *space, bool busy);
/* Frees memory that passes used.  Calls the driver. */
void space_release(struct space *space, struct shadow_memory *memory);
/*
 * The heartbeat of a running launch: a number that changes while it touches memory for the first
 * time, and bits for some of the blocks that it touched since this was called last.  Uses the
 * device's copy engine only.  False: the device does not answer.
 */
struct progress {
	uint32_t first;
	uint64_t blocks;
};
bool space_progress(struct space *space, struct progress *progress);
/* Whether the device returned an error: nothing more can be done with it. */
bool space_failed(const struct space *space);
/*
 * Whether a kernel has ended with an error, by `result` or by an earlier answer of the driver.
 * True once only.
 */
bool space_faulted(struct space *space, CUresult result);

/* -- objects.c, table.c, shadows.c ------------------------------------------------------------- */

/* The object that holds the address, or NULL. */
struct object *space_find(struct space *space, uint64_t address);
/*
 * Makes an object; with `follow` it gets a record and masks (calls the driver).  It is not followed
 * when there is no memory: then its slot is NO_SLOT.  NULL: no memory on the host.
 */
struct object *space_add(struct space *space, uint64_t address, uint64_t size,
			 enum gpu_memory memory, bool follow);
/* Gives the object a record and masks; not if there is no memory. */
void object_follow(struct object *object); /* calls the driver */
/* Follows memory that is gone when its pass runs, with a coarse shadow.  Calls the driver. */
void object_follow_transient(struct object *object);
void space_remove(struct object *object); /* calls the driver */
/*
 * Notes that the host writes to the object without an API, before its content is known.  Calls the
 * driver if the object is followed.
 */
void object_share(struct object *object);
/* Whether the space has such objects: kernels of all contexts reach them. */
bool space_has_shared(const struct space *space);
/*
 * From now on the object, or those of the space that `share` names, have external writers: what has
 * changed when it is read was written by somebody unknown.  Calls the driver.
 */
enum share { SHARE_ALL = 1, SHARE_HOSTS }; /* SHARE_HOSTS: objects that the host writes to */
void space_share(struct space *space, enum share share);
void object_share_external(struct object *object);
/* Removes the variables of a module. */
void space_remove_module(struct space *space, CUmodule module); /* calls the driver */
/* Sets the object's id and site. */
void object_identify(struct object *object, uint32_t id, uint32_t site); /* calls the driver */
/*
 * These variables hold their initial values: their module was loaded.  No API may be running.
 * Calls the driver.  Returns 0, or -1: no memory.
 */
int space_initialised(struct space *space, struct object *const *variables, uint32_t count);
/*
 * Brings the table in which the patches search up to date, with the objects of the space and of
 * peers, at most SPACE_PEERS_MAX, whose memory kernels of this context reach.  Calls the driver.
 */
int space_publish(struct space *space, struct space *const *peers, unsigned peer_count);
/* The peers have changed. */
void space_unpublish(struct space *space);
/* False: space_publish() must be called before the next launch. */
bool space_is_published(const struct space *space);
/* The callback data of a launch: the address of the space's device_state. */
void *space_state(const struct space *space);
/*
 * Makes room on the device for `bytes` of the program's: moves shadows to the host; those that find
 * no room there become coarse, or are given up.
 */
void space_evict(struct space *space, uint64_t bytes); /* calls the driver */
/* Frees what is cached of shadows only.  Does not wait for what runs. */
void space_release_cached(struct space *space); /* calls the driver */
/*
 * As space_evict(), without waiting for what runs.  Passes may be pending, but no copies between
 * objects.  What finds no room on the host is forgotten.
 */
void space_evict_nowait(struct space *space, uint64_t bytes); /* calls the driver */
/* Larger objects are not followed: the patches have 32 bits for the index of a mask's word. */
#define OBJECT_SIZE_LIMIT (UINT64_C(1) << 37)

/*
 * -- pass.c: the running API --------------------------------------------------------------
 *
 * Call the driver: space_mark(), space_mark_copy(), space_settle(), space_enqueue_pass(),
 * space_wants_details(), space_allocate_details(), space_forget() and space_forget_listed().
 */

/*
 * Marks rows of bytes inside the object (MARK_*), on our own stream or that of the next
 * space_enqueue_pass().  Returns 0, or -1: the device failed.
 */
int space_mark(struct object *object, CUstream stream, uint64_t offset, uint64_t pitch,
	       uint64_t width, uint64_t height, uint32_t marks);
/*
 * The same if there are no other marks for the next space_enqueue_pass(), which makes them itself.
 */
void space_mark_in_pass(struct object *object, uint64_t offset, uint64_t pitch, uint64_t width,
			uint64_t height, uint32_t marks);
/* Marks what a copy between objects of one device writes, with the values it brings. */
int space_mark_copy(struct object *to, CUstream stream, uint64_t offset, uint64_t pitch,
		    struct object *from, uint64_t from_offset, uint64_t from_pitch, uint64_t width,
		    uint64_t height);
/*
 * A launch of so many threads was made whose patches may touch objects.  `kernel`: any number by
 * which kernels differ; 0: several kernels, or not known.
 */
void space_launched(struct space *space, uint64_t threads, uint64_t kernel);

/*
 * Makes the pass over what the API `writer` touched, and waits for it.  Returns 0; 1: there were
 * too many rows, and the touched objects were forgotten; -1: the device failed.
 */
int space_settle(struct space *space, uint32_t writer);
/*
 * Makes the pass without waiting, on the stream of a launch, copy or set.  Returns its ticket, or
 * 0: the device failed.  Until its results are taken every pass must be on the same stream.
 * space_can_enqueue_pass(): whether that can be done now.
 */
uint32_t space_enqueue_pass(struct space *space, CUstream stream, uint32_t writer);
bool space_can_enqueue_pass(const struct space *space);
/*
 * Whether the results of one more pass will find room, even if it touches all objects.  If not,
 * results of earlier ones are to be taken first.
 */
bool space_has_room(const struct space *space);
/*
 * A launch must be awaited if it might touch a followed object without a detail shadow: whether
 * there are any.
 */
bool space_lacks_details(const struct space *space);
/* Whether launches were often awaited for their sake, and memory for those shadows is there. */
bool space_wants_details(struct space *space);
/* Allocates them: to be called before a launch. */
void space_allocate_details(struct space *space);
/* Whether the results of the pass are written. */
bool space_pass_is_done(const struct space *space, uint32_t ticket);
/*
 * Takes the results of a pass, in the order of tickets.  Returns 0, or 1: rows or objects were too
 * many.
 */
int space_take_results(struct space *space, uint32_t ticket);
/* The objects that the last taken pass touched, in no order; valid until the next is taken. */
const struct touched *space_touched(const struct space *space, uint32_t *count);
/*
 * How many accesses of launches missed all objects, in the passes that were taken since this was
 * called last, and their bytes.
 */
uint64_t space_missed(struct space *space, uint64_t *bytes);
/*
 * The rows of the last taken pass, ordered by object id and writer.  All touched objects have ids.
 */
const struct row *space_rows(struct space *space, uint32_t *count);
/*
 * Calls `content` with the digests that changed, ordered by object id: of objects that the last
 * pass touched, or that were forgotten.
 */
void space_digests(struct space *space,
		   void (*content)(void *data, uint32_t object, const uint8_t digest[DIGEST_BYTES],
				   bool zero),
		   void *data);
/* Calls `atomics` with the sizes of accesses to objects that the last pass found touched by
 * atomics, ordered by object id.  Comes before space_digests(). */
void space_atomics(struct space *space,
		   void (*atomics)(void *data, uint32_t object, uint32_t sizes), void *data);

/*
 * -- accessed.c: which parts of objects are accessed --------------------------------------
 *
 * space_slices() calls `slice` for the objects that the last pass found accessed, ordered by object
 * id, with what of them; then space_frequencies() `frequency` for those of which some elements were
 * accessed more often than others.  Both come before space_digests().
 */
void space_slices(struct space *space,
		  void (*slice)(void *data, uint32_t object, const struct gpu_slice *slice),
		  void *data);
void space_frequencies(const struct space *space,
		       void (*frequency)(void *data, uint32_t object,
					 const struct gpu_frequency *frequency),
		       void *data);
/*
 * What of the object all APIs have accessed whose passes were taken.  Calls the driver.  False:
 * accesses, or the object, are not followed, something may have accessed it that was not analysed,
 * or a queue is timed out.
 */
bool object_accessed(struct object *object, struct gpu_accessed *accessed);
/* Bytes of all objects in memory of the device; and of what the space has there itself. */
uint64_t space_allocated(const struct space *space);
uint64_t space_own_bytes(const struct space *space);
/* Calls `each` for all objects. */
void space_each_object(struct space *space, void (*each)(struct object *object));

/*
 * -- values.c: what launches load and store (pass `values`) --------------------------------
 *
 * space_follow_values(): patches look at the values of every nth block of launches from now on.
 * space_values() calls `each` with what they have counted since this or space_drop_values() was
 * called last, in the order of the keys, and forgets it; *left: accesses for which there was no
 * room.  Nothing of the program's may run.  Both call the driver.  -1: the device failed.
 */
struct value_slot;
struct counted_value;
typedef void space_value(void *data, const struct object *object, const struct value_slot *slot,
			 const struct counted_value *counts);
bool space_follow_values(struct space *space, uint32_t nth);
bool space_has_values(const struct space *space);
int space_values(struct space *space, space_value *each, void *data, uint64_t *left);
int space_drop_values(struct space *space);

/*
 * -- transfers.c: digests of what copies move ---------------------------------------------
 *
 * space_transfer() puts the digest of the bytes of a box behind what is on the stream: ours, or
 * that of the next space_enqueue_pass(), before that.  Returns its number, or 0: it is not made.
 * Calls the driver.  transfer_result() gives it once that pass, or what else was put there later,
 * is done: false: it failed, or is too old.
 */
uint32_t space_transfer(struct space *space, CUstream stream, const struct transfer_box *box);
bool transfer_result(const struct space *space, uint32_t number, struct transfer_sum *sum);

/*
 * -- commands.c: calls whose bytes the host has -------------------------------------------
 *
 * space_command() puts the pass of a call that reads or writes so many bytes of one object into the
 * queue of commands, of which the device takes one after the other, and returns its ticket; 0: that
 * cannot be done.  `bytes`: what is written; the pass reads none of the program's memory, so that
 * it may run before the call, or after others.  All passes that are not commands must be over, and
 * their results taken.  space_takes_command(): whether it can be done, with the bytes or (0) to
 * forget the object.  Calls the driver.
 */
bool space_takes_command(const struct object *object, uint64_t offset, uint64_t width);
uint32_t space_command(struct object *object, uint32_t marks, uint64_t offset, uint64_t width,
		       const void *bytes, uint32_t writer);
/*
 * Copies between the host and one object that are held back: one pass, behind the last of them on
 * their stream, is made for several.  Until then nothing may change the bytes that they moved, nor
 * may another pass be made.  space_holds_copy(): whether it can be one of them.
 * space_hold_copy() returns its ticket, or 0; *transfer says whether the digest of what it moves is
 * wanted, and becomes its number.  space_pass_held() makes the pass; false: the device failed.
 * These call the driver.  space_drop_held(): there will be no pass.
 */
bool space_holds_copy(const struct object *object, uint64_t offset, uint64_t width);
uint32_t space_hold_copy(struct object *object, uint32_t marks, uint64_t offset, uint64_t width,
			 uint32_t writer, uint32_t *transfer);
bool space_pass_held(struct space *space, CUstream stream);
void space_drop_held(struct space *space);
/* As space_forget_listed(), by commands.  1: it does not do it. */
int space_forget_by_commands(struct space *space);
/* The stream on which they are at work. */
CUstream space_command_stream(const struct space *space);
/* A call begins that waits for the device: what waits for commands there need not wait longer. */
void space_stop_commands(struct space *space);

/*
 * Somebody may have read everything, or the object, without an API that says so, or from now on can
 * (object_expose()): nothing is unread any more that passes which were enqueued by now have found
 * written there.  space_all_seen() calls no driver; true: something of it may have been unread.
 */
bool space_all_seen(struct space *space);
void object_seen(struct object *object);
void object_expose(struct object *object);
/*
 * Calls `seen` for the objects that were exposed, seen or forgotten since it was called last, if
 * something of them may have been unread; 0: for all.
 */
void space_seen(struct space *space, void (*seen)(void *data, uint32_t object), void *data);

/*
 * Forgets the object: something may have written to it, or read it.  The next space_digests()
 * reports its digest.
 */
void space_forget(struct object *object);
/*
 * Lists an object, all followed objects, or the variables of a module that kernels can write, for
 * space_forget_listed(): nothing may touch them before.
 */
void space_forget_later(struct object *object);
void space_forget_all_later(struct space *space);
void space_forget_variables(struct space *space, CUmodule module);
/* Whether anything is listed. */
bool space_has_forgotten(const struct space *space);
/*
 * Forgets what was listed.  Returns 0: space_digests() is to be called; 1: nothing was listed; -1:
 * the device failed.
 */
int space_forget_listed(struct space *space);
/*
 * The same behind what is on the stream, on which a pass follows; all others are over.  1: it does
 * not do it.
 */
int space_forget_listed_on(struct space *space, CUstream stream);

#endif
