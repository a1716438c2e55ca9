/*
 * gpu/sanitizer/shadow/space.h: the shadow memory of one CUDA context: what gpu/analysis/shadow.h
 * is on the CPU.
 *
 * Work is done on a stream of our own while nothing of the program runs (calls.c sees to that).
 * Functions that say so call the driver: not from callbacks of the Sanitizer other than API entry
 * and exit.  One lock is held around all of them.
 */
#ifndef VFLOW_GPU_SANITIZER_SHADOW_SPACE_H
#define VFLOW_GPU_SANITIZER_SHADOW_SPACE_H

#include <stdbool.h>
#include <stdint.h>

#include <cuda.h>

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
	uint32_t order;    /* of a variable: when it was loaded */
	CUmodule module;   /* of a variable */
	bool constant;     /* ... that no kernel can write */
	uint32_t slot;     /* NO_SLOT: not followed */
	struct shadow_memory base, detail;
	bool coarse;           /* there was no memory for more than a writer per block */
	bool shared;           /* the host writes to it without an API */
	bool external_writers; /* so may somebody else */
	bool unknown;          /* forgotten before it had a detail */
	bool forgotten;        /* since the last space_digests() */
	bool forget_listed;    /* in the list of space_forget_later() */
	bool still_unknown;    /* forgotten, and not touched since */
	bool untouched_detail; /* it has a detail and was not touched yet */
	bool reported;
	uint8_t digest[DIGEST_BYTES];
};

/* An object that an API touched. */
struct touched {
	struct object *object;
	const struct result_object *result; /* NULL: it was forgotten */
};

struct row {
	uint64_t read, written, redundant;
	const struct object *object;
	uint32_t writer;
};

/* What happened to an object's shadow for want of memory. */
enum shortage {
	SHORTAGE_ON_HOST,   /* it is in memory of the host: exact, and slower */
	SHORTAGE_COARSE,    /* it has a writer per block, and no values */
	SHORTAGE_FORGOTTEN, /* what it held is unknown */
	SHORTAGE_GIVEN_UP,  /* ... and the object is not followed any more */
};
typedef void space_shortage(const struct object *object, enum shortage what);

/*
 * `shortage` is called with what happens to the objects' shadows, from any function that calls the
 * driver.  Calls the driver.  NULL: no memory, or the device cannot run the passes.
 */
struct space *space_create(CUcontext context, bool digests, space_shortage *shortage);
/* The context is gone, and with it all memory. */
void space_abandon(struct space *space);
CUcontext space_context(const struct space *space);
CUdevice space_device(const struct space *space);
CUstream space_stream(const struct space *space); /* our own */
/*
 * While something of the program's runs that we do not wait for, nothing may wait for the device:
 * no object is followed any more, and memory is given back when that is over, but for details.
 */
void space_set_busy(struct space *space, bool busy);
/* Memory that passes used.  Calls the driver. */
void space_release(struct space *space, struct shadow_memory *memory);
/*
 * What a running launch does: a number that changes while it touches memory for the first time, and
 * bits for some of the blocks that it touched since this was asked last.  Only the device's copy
 * engine is asked.  False: it cannot be told.
 */
struct progress {
	uint32_t first;
	uint64_t blocks;
};
bool space_progress(struct space *space, struct progress *progress);
/* The device gave an error: nothing more can be learnt from it. */
bool space_failed(const struct space *space);
/*
 * Whether a kernel ended with an error, as the driver says in `result` or said to us before; true
 * once only.
 */
bool space_faulted(struct space *space, CUresult result);

/* -- objects.c, table.c, shadows.c ------------------------------------------------------------- */

/* The object that holds the address, or NULL. */
struct object *space_find(struct space *space, uint64_t address);
/*
 * A new object; with `follow` it gets a record and masks (calls the driver).  It is not followed
 * when there is no memory: see its slot.  NULL: none of the host's.
 */
struct object *space_add(struct space *space, uint64_t address, uint64_t size,
			 enum gpu_memory memory, bool follow);
/* Gives the object a record and masks.  It has a slot then, if there was memory. */
void object_follow(struct object *object); /* calls the driver */
/* Follows one whose memory is never read, by a coarse shadow. */
void object_follow_transient(struct object *object);
void space_remove(struct object *object); /* calls the driver */
/* The host writes to the object without an API; before anything is known of it. */
void object_share(struct object *object);
/* Whether there are such objects: kernels of all contexts reach them. */
bool space_has_shared(const struct space *space);
/*
 * Somebody else may write to the object, or to these of the space, now and later: what has changed
 * when it is read was written by somebody unknown.  Calls the driver.
 */
enum share { SHARE_ALL = 1, SHARE_HOSTS }; /* the latter: those that the host writes to */
void space_share(struct space *space, enum share share);
void object_share_external(struct object *object);
/* The variables of a module. */
void space_remove_module(struct space *space, CUmodule module); /* calls the driver */
/* The object has an id and site now. */
void object_identify(struct object *object, uint32_t id, uint32_t site);
/*
 * These variables hold what was put there when their module was loaded.  No API may be running.
 * Returns 0, or -1: no memory.
 */
int space_initialised(struct space *space, struct object *const *variables, uint32_t count);
/*
 * Brings the table that the patches search up to date, with the objects of peers, at most
 * SPACE_PEERS_MAX, whose memory kernels of this context reach.
 */
int space_publish(struct space *space, struct space *const *peers, unsigned peer_count);
/* The peers are others now. */
void space_unpublish(struct space *space);
/* False: space_publish() must be called before a kernel is launched. */
bool space_is_published(const struct space *space);
/* The callback data of a launch. */
void *space_state(const struct space *space);
/*
 * Makes room on the device for `bytes` of the program's: shadows move to the host; those that find
 * no room there become coarse, or are given up.
 */
void space_evict(struct space *space, uint64_t bytes); /* calls the driver */
/* The same with what is kept of shadows only; does not wait for what runs. */
void space_release_cached(struct space *space); /* calls the driver */
/*
 * The same without waiting for what runs; passes may wait for that, but no copies between objects.
 * What finds no room on the host is forgotten.
 */
void space_evict_nowait(struct space *space, uint64_t bytes); /* calls the driver */
/* Larger ones are not followed: the patches count words of 32 bits of a mask with 32 bits. */
#define OBJECT_SIZE_LIMIT (UINT64_C(1) << 37)

/* -- pass.c: the running API -------------------------------------------------------------- */

/* Rows of bytes inside the object.  MARK_*; on our own stream or that of the next
 * space_enqueue_pass(). */
int space_mark(struct object *object, CUstream stream, uint64_t offset, uint64_t pitch,
	       uint64_t width, uint64_t height, uint32_t marks);
/* The same if there are no other marks until the next space_enqueue_pass(), which makes them. */
void space_mark_in_pass(struct object *object, uint64_t offset, uint64_t pitch, uint64_t width,
			uint64_t height, uint32_t marks);
/* Between objects of one device. */
int space_mark_copy(struct object *to, CUstream stream, uint64_t offset, uint64_t pitch,
		    struct object *from, uint64_t from_offset, uint64_t from_pitch, uint64_t width,
		    uint64_t height);
/*
 * A launch of so many threads was made whose patches may touch objects.  `kernel`: whatever tells
 * kernels apart; 0: not one kernel, or not known.
 */
void space_launched(struct space *space, uint64_t threads, uint64_t kernel);

/*
 * The pass over what the API `writer` touched.  Returns 0; 1: there were too many rows, the touched
 * objects were forgotten; -1: the device fails.
 */
int space_settle(struct space *space, uint32_t writer);
/*
 * The same without waiting, on the stream of a launch, copy or set; its ticket, or 0: the device
 * fails.  Every pass after that must be on the same stream until its results are taken.
 */
bool space_can_enqueue_pass(const struct space *space); /* now */
/*
 * Launches must be waited for while an object without a detail might be touched: whether that
 * happens often though there is memory for those details, and giving them theirs (before a launch;
 * calls the driver).
 */
bool space_wants_details(struct space *space);
bool space_lacks_details(const struct space *space);
void space_allocate_details(struct space *space);
uint32_t space_enqueue_pass(struct space *space, CUstream stream, uint32_t writer);
/* Whether the results are there; calls no driver. */
bool space_pass_is_done(const struct space *space, uint32_t ticket);
/* Takes them, in the order of tickets.  Returns 0, or 1: rows or objects were too many. */
int space_take_results(struct space *space, uint32_t ticket);
/* The objects that it touched, in no order; valid until the next pass is taken. */
const struct touched *space_touched(const struct space *space, uint32_t *count);
/* Accesses of launches to memory that is no object's, in the passes that were taken since it was
 * asked. */
uint64_t space_missed(struct space *space, uint64_t *bytes);
/* Its rows, ordered by object id and writer; all touched objects have ids by now. */
const struct row *space_rows(struct space *space, uint32_t *count);
/*
 * Hands the digests that changed to `content`, ordered by id: of the objects that the pass touched,
 * and of those that were forgotten.
 */
void space_digests(struct space *space,
		   void (*content)(void *data, uint32_t object, const uint8_t digest[DIGEST_BYTES],
				   bool zero),
		   void *data);
/* It may have been written: unknown from now on.  The next space_digests() reports its digest. */
void space_forget(struct object *object);
/*
 * The same when space_forget_listed() is called, for one or for whatever is followed: nothing may
 * touch it before.  Calls no driver.
 */
void space_forget_later(struct object *object);
void space_forget_all_later(struct space *space);
void space_forget_variables(struct space *space, CUmodule module); /* that kernels can write */
bool space_has_forgotten(const struct space *space);
/* Returns 0, then space_digests() is to be called; 1: there was nothing to do; -1: no device. */
int space_forget_listed(struct space *space);

#endif
