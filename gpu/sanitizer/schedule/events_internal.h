/*
 * gpu/sanitizer/schedule/events_internal.h: what the files that make events share.
 *
 * As in events.h, the lock of calls.c is held; functions other than lookups call the driver.
 */
#ifndef VFLOW_GPU_SANITIZER_SCHEDULE_EVENTS_INTERNAL_H
#define VFLOW_GPU_SANITIZER_SCHEDULE_EVENTS_INTERNAL_H

#include "collect/coverage/coverage.h"
#include "gpu/sanitizer/driver.h"
#include "gpu/nvidia/now.h"
#include "gpu/sanitizer/schedule/api_call.h"
#include "gpu/sanitizer/schedule/events.h"
#include "gpu/sanitizer/schedule/schedule.h"
#include "gpu/sanitizer/shadow/space.h"

extern bool events_digests, events_accesses;
extern uint32_t events_value_blocks; /* 0: values are not looked at */
extern unsigned
	events_awaited; /* copies and sets that were awaited: see AWAITED_FIRST in events.c */

/* -- event_spaces.c ----------------------------------------------------------------------- */

enum { EVENT_SPACES_MAX = SPACE_PEERS_MAX };
extern struct space *event_spaces[EVENT_SPACES_MAX];
extern unsigned event_space_count;

/* The shadow memory of a context, or NULL. */
struct space *events_find_space(CUcontext context);
struct space *events_make_space(CUcontext context);
/* The object that holds the address: in this context, else in any. */
struct object *events_find_object(CUcontext context, uint64_t address);
/* The spaces whose memory kernels of this one reach, besides its own.  Returns how many. */
unsigned events_peers(const struct space *space, struct space *peers[EVENT_SPACES_MAX]);
/*
 * Whether kernels of this space mark memory of others, or others' kernels its: then only one of
 * them may run at a time.
 */
bool events_is_dependent(const struct space *space);
/* Whether kernels of this space reach memory of others where the patches cannot mark it. */
bool events_reaches_unmarked(const struct space *space);
/*
 * Whether kernels of this space reach managed or mapped memory of other spaces that they cannot
 * mark; those objects have external writers from then on.
 */
bool events_reaches_shared(const struct space *space);
void events_peers_abandon(CUcontext context);

/*
 * A context made current for calls of our own, which must neither fail nor break what the program
 * captures on this thread.
 */
struct entered_context {
	CUstreamCaptureMode mode;
	bool pushed;
};

bool context_enter(struct entered_context *entered, CUcontext context);
void context_leave(struct entered_context *entered);

/* -- event_unknown.c ---------------------------------------------------------------------- */

int events_unknown_start(void);
/*
 * What launches that are not analysed may write: the objects that there are, and what their kernels
 * wrote in launches that were analysed.
 */
void events_known_object(uint32_t id, uint64_t address);
void events_known_rows(const struct gpu_call *call, const struct gpu_row *rows, size_t count);
void events_object_gone(uint32_t id);
/* After a kernel's event: accounts for its instructions that no patch follows. */
void event_instructions(const struct operation *operation, const struct space *space);
/*
 * `result`: what the driver says of what ran in the space, or CUDA_SUCCESS.  Returns true, once,
 * when a kernel has ended with an error, and reports that.
 */
bool event_fault(struct space *space, CUresult result);
/* The event of a launch that is not analysed; lists what it may have written to be forgotten. */
void event_skipped(const struct api_call *api_call, const struct operation *operation);
/* The event of a copy or set that is made while a queue is timed out; lists the same. */
void event_beside_timed_out(const struct api_call *api_call, const struct operation *operation);
/*
 * Forgets what is listed, or everything if events_lost_track() was called, in one space or in all
 * (NULL).  Comes before anything is analysed.
 */
void events_forget(struct space *space);
/* The same, by commands.  False: it did nothing. */
bool events_forget_by_commands(struct space *space);
/* The same behind what is on a stream, on which the pass of a call follows.  False: it did nothing.
 */
bool events_forget_on(struct space *space, CUstream stream);
/* Whether events_forget() has something to do. */
bool events_must_forget(const struct space *space);

/* -- event_values.c ----------------------------------------------------------------------- */

/* Tells of the values of the launch, whose event has ended, if they are looked at. */
void event_values(const struct gpu_call *call, const struct operation *operation,
		  struct space *space);
/* Several kernels ran at once: whose values are whose is not known. */
void event_drop_values(struct space *space);

/* -- event_call.c ------------------------------------------------------------------------- */

/*
 * The name of a function without its suffix (cudaMemcpy_ptds, cuMemAlloc_v2), as the program spells
 * it.  Valid until the next call.
 */
const char *event_public_name(const char *name);
/* `node`: of a CUDA graph, if the operation is one, or NULL. */
void event_begin(struct gpu_call *call, enum gpu_api api, const char *name, CUstream stream,
		 const struct api_call *api_call, const struct gpu_node *node);
uint32_t event_introduce(const struct gpu_call *call, const struct object *object);
/* Makes the alloc event of a module's variable, just before the first API that touches it. */
void event_announce(struct object *object);
/* The same for the variables that the last pass found touched. */
void event_announce_touched(struct space *space);
/*
 * Ends the event of an API that touched objects of these spaces: makes its passes and delivers
 * their rows.
 */
void event_settle(struct gpu_call *call, struct space *const *spaces, unsigned space_count,
		  const struct host_row *hosts, size_t host_count);
/* The same with the results of a pass that were taken. */
void event_results(const struct gpu_call *call, struct space *space, int result,
		   const struct host_row *hosts, size_t host_count);
/* Reports the accesses of a kernel (NULL: of a graph's nodes) that missed all objects. */
void event_unknown_memory(struct space *space, const char *kernel);
/* Says that all objects were seen, or which: see space_seen().  `call`: by which, or NULL. */
void event_read_unseen(const struct gpu_call *call);
void event_seen(const struct gpu_call *call, struct space *space);
/* The call may have read anything that kernels of the space reach (NULL: nothing is known there).
 */
void event_all_seen(const struct gpu_call *call, struct space *space);
/* The digests and more of objects that were forgotten, or touched by no call that we know. */
void event_contents(struct space *space);
/* For space_digests(). */
void event_content(void *call, uint32_t object, const uint8_t digest[DIGEST_BYTES], bool zero);

/* -- event_access.c ----------------------------------------------------------------------- */

/*
 * event_device.c: tells the sink what memory devices have: of that of the current context, before
 * its first space is made; and when the program has allocated more than before.
 */
void event_device_begins(void);
void event_device_allocated(const struct space *space);

/* After the event of a launch: what the last pass found that it accessed. */
void event_slices(const struct gpu_call *call, struct space *space);
/* What was accessed of the object, if that is asked for and known; its queue is empty. */
bool event_accessed(struct object *object, struct gpu_accessed *accessed);
void event_tell_accessed(const struct gpu_call *call, uint32_t object,
			 const struct gpu_accessed *accessed);

/* -- event_memory.c, event_copy.c --------------------------------------------------------- */

void event_alloc(const struct api_call *api_call, const struct operation *operation);
void event_free(const struct api_call *api_call, const struct operation *operation);
/* For space_create(). */
space_shortage event_shortage;
/* The operation (NULL: not known which) of the running call freed the object, which is destroyed.
 */
void event_release(const struct api_call *api_call, const struct operation *operation,
		   struct object *object);
/*
 * Makes a call pending that is one copy or set: with at most one object on each side, of this space
 * and known already.  False: it must be awaited.
 */
bool event_copy_pending(const struct api_call *api_call, const struct operation *operation,
			struct space *space);
/*
 * Makes a call pending whose pass is a command: a small copy between the host and one object, or a
 * small set.  event_is_command(): whether it may be; false: it is nothing like that.
 */
bool event_is_command(const struct api_call *api_call, const struct operation *operation,
		      struct space *space);
bool event_by_command(const struct api_call *api_call, const struct operation *operation);
/*
 * Makes a call pending whose pass is made later, with others': a small copy between the host and
 * one object, or a small set.  False: it is nothing like that.
 */
bool event_copy_held(const struct api_call *api_call, const struct operation *operation,
		     struct space *space);
void event_copy(const struct api_call *api_call, const struct operation *operation);
void event_set(const struct api_call *api_call, const struct operation *operation);

/* -- event_transfer.c --------------------------------------------------------------------- */

/*
 * Puts the digest of what a copy from or to the host moves behind what is on the stream; `to` and
 * `from` are both sides, of the same size.  Calls the driver.
 */
void event_transfer_begin(struct host_row *row, const struct operation *operation, CUstream stream,
			  struct transfer_box to, struct transfer_box from);
/* The same of bytes that the host has, from `offset` in the row's object on. */
void event_transfer_of_host(struct host_row *row, const struct operation *operation,
			    uint64_t offset, const void *bytes);
/* After the event of a copy: what is known of the bytes that it moved. */
void event_transfer_end(const struct gpu_call *call, const struct host_row *row);

/* -- event_array.c ------------------------------------------------------------------------ */

void event_array(const struct api_call *api_call, const struct operation *operation);
void event_array_gone(const struct api_call *api_call, const struct operation *operation);
/* The space is about to go. */
void event_arrays_abandon(const struct space *space);
/*
 * The object of an array, and the address in its mirror of a place of it.  NULL: it is not
 * followed.
 */
struct object *event_array_find(const struct array_place *place, uint64_t *address, uint64_t *pitch,
				uint64_t *slice);
/* Copies a box of bytes of the array into its mirror. */
bool event_array_mirror(const struct array_place *place, uint64_t width, uint64_t height,
			uint64_t depth);
/* A kernel may have stored into any array that allows surface stores. */
void event_arrays_stored(const struct space *space);

static inline bool object_is_followed(const struct object *object)
{
	return object && object->slot != NO_SLOT;
}

#endif
