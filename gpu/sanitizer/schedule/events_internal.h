/*
 * gpu/sanitizer/schedule/events_internal.h: what the files that make events share.
 *
 * As in events.h, the lock of calls.c is held; functions other than lookups call the driver.
 */
#ifndef VFLOW_GPU_SANITIZER_SCHEDULE_EVENTS_INTERNAL_H
#define VFLOW_GPU_SANITIZER_SCHEDULE_EVENTS_INTERNAL_H

#include "collect/coverage.h"
#include "gpu/sanitizer/driver.h"
#include "gpu/sanitizer/now.h"
#include "gpu/sanitizer/schedule/api_call.h"
#include "gpu/sanitizer/schedule/events.h"
#include "gpu/sanitizer/schedule/schedule.h"
#include "gpu/sanitizer/shadow/space.h"

extern bool events_digests;
extern unsigned events_awaited; /* copies and sets: see events.c */

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
/* Whether there are others that they reach, where they cannot be followed. */
bool events_reaches_unmarked(const struct space *space);
/*
 * Whether kernels of this space reach managed or mapped memory of others that they cannot mark:
 * from then on it is known that somebody writes there.
 */
bool events_reaches_shared(const struct space *space);
void events_peers_abandon(CUcontext context);
/* 0 is the default stream. */
uint32_t events_stream_number(CUstream stream);

/* Our calls of the driver must neither fail nor break what the program captures. */
struct entered {
	CUstreamCaptureMode mode;
	bool pushed;
};

bool context_enter(struct entered *entered, CUcontext context);
void context_leave(struct entered *entered);

/* -- event_unknown.c ---------------------------------------------------------------------- */

int events_unknown_start(void);
/* What later launches that are not analysed may write: objects, what kernels wrote, no more. */
void events_known_object(uint32_t id, uint64_t address);
void events_known_rows(const struct gpu_call *call, const struct gpu_row *rows, size_t count);
void events_object_gone(uint32_t id);
/* After a kernel's event: what instructions that no patch sees may have done. */
void event_instructions(const struct operation *operation, const struct space *space);
/*
 * The driver's answer about what ran in the space, or CUDA_SUCCESS: says once that a kernel ended
 * with an error, and then returns true.
 */
bool event_fault(struct space *space, CUresult result);
/* A launch that was left out: its event; lists what it may have written. */
void event_skipped(const struct api_call *api_call, const struct operation *operation);
/* A copy or set while something runs that we do not wait for; the same. */
void event_beside_timed_out(const struct api_call *api_call, const struct operation *operation);
/*
 * Forgets what is listed, or everything if something was missed; before anything is analysed.  Of
 * one space, or of all: NULL.
 */
void events_forget(struct space *space);
/* Whether events_forget() has something to do. */
bool events_must_forget(const struct space *space);

/* -- event_call.c ------------------------------------------------------------------------- */

/* cudaMemcpy_ptds, cuMemAlloc_v2: as the program spells them.  Valid until the next call. */
const char *event_public_name(const char *name);
void event_begin(struct gpu_call *call, enum gpu_api api, const char *name, CUstream stream,
		 const struct api_call *api_call);
uint32_t event_introduce(const struct gpu_call *call, const struct object *object);
/* The alloc vertex of a variable comes just before the first API that touches it. */
void event_announce(struct object *object);
/* The same for those that space_settle() found touched. */
void event_announce_touched(struct space *space);
/* The passes after an API that touched objects of these spaces, and its event's end. */
void event_settle(struct gpu_call *call, struct space *const *spaces, unsigned space_count,
		  const struct host_row *hosts, size_t host_count);
/* The same for a pass whose results were taken. */
void event_results(const struct gpu_call *call, struct space *space, int result,
		   const struct host_row *hosts, size_t host_count);
/* Says what a kernel (NULL: the nodes of a graph) touched that is no object's. */
void event_unknown_memory(struct space *space, const char *kernel);
/* For space_digests(). */
void event_content(void *call, uint32_t object, const uint8_t digest[DIGEST_BYTES], bool zero);

/* -- event_memory.c, event_copy.c --------------------------------------------------------- */

void event_alloc(const struct api_call *api_call, const struct operation *operation);
void event_free(const struct api_call *api_call, const struct operation *operation);
/* For space_create(). */
space_shortage event_shortage;
/* The call freed the object, which is gone then. */
void event_release(const struct api_call *api_call, CUstream stream, struct object *object);
/*
 * The only copy or set of a call, if it need not be waited for: one object on each side at most, of
 * this space, that is known already.  False: it must be.
 */
bool event_copy_pending(const struct api_call *api_call, const struct operation *operation,
			struct space *space);
void event_copy(const struct api_call *api_call, const struct operation *operation);
void event_set(const struct api_call *api_call, const struct operation *operation);

/* -- event_array.c ------------------------------------------------------------------------ */

void event_array(const struct api_call *api_call, const struct operation *operation);
void event_array_gone(const struct api_call *api_call, const struct operation *operation);
/* The space is about to go. */
void event_arrays_abandon(const struct space *space);
/* Where a place of an array lies in its mirror.  NULL: an array that is not followed. */
struct object *event_array_find(const struct array_place *place, uint64_t *address, uint64_t *pitch,
				uint64_t *slice);
/* Brings a box of bytes in the mirror up to date. */
bool event_array_mirror(const struct array_place *place, uint64_t width, uint64_t height,
			uint64_t depth);
/* A kernel may have stored into the arrays that allow it. */
void event_arrays_stored(const struct space *space);

static inline bool object_is_followed(const struct object *object)
{
	return object && object->slot != NO_SLOT;
}

#endif
