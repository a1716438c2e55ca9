/*
 * gpu/sanitizer/schedule/events.h: turns what an API call did into the sink's events.  See
 * schedule.h for the states of calls: "pending" ones are over for the program, but their passes
 * have not been read.
 *
 * The lock of calls.c is held unless a function says otherwise; those that call the driver are
 * called at the entry or exit of an API call.
 */
#ifndef VFLOW_GPU_SANITIZER_SCHEDULE_EVENTS_H
#define VFLOW_GPU_SANITIZER_SCHEDULE_EVENTS_H

#include "gpu/provider.h"
#include "gpu/sanitizer/driver.h"
#include "gpu/sanitizer/schedule/api_call.h"

extern const struct gpu_sink *events_sink; /* NULL: stopped */

void events_start(const struct gpu_sink *sink, const struct gpu_options *options);
void events_stop(void);

/*
 * How other threads get the lock while a function that says "yielding" waits for pending calls:
 * `yield` releases it for a moment and takes it again, false: it could not; `contended` says
 * whether another thread wants it.
 */
void events_yield_by(bool (*yield)(void), bool (*contended)(void));
/* Memory is shared with another process or API from now on: kernels may wait for theirs. */
void events_note_partners(void);
bool events_have_partners(void);
/*
 * Prepares a context for a call of the driver that begins in it: makes its space, takes in the
 * variables of new modules, and before a `launch` that is to be analysed publishes the table of
 * objects; evicts shadows when the program wants to allocate `wanted` bytes that are not free.
 * Pending calls of this context (with `all_contexts` of all) end first, yielding, unless the call
 * is a launch, copy or set on the same `stream` (NULL: something else, or not known).  False: the
 * lock was lost.  Calls the driver.
 */
bool events_prepare(CUcontext context, bool launch, const CUstream *stream, uint64_t wanted,
		    bool all_contexts);
/*
 * Whether nothing is left to be done on the stream that calls of this context which are analysed,
 * or others before it on the stream, have put there.  `wait`: waits for it, as long as the watchdog
 * allows.  Calls the driver.
 */
bool events_settled(CUcontext context, CUstream stream, bool wait);
/*
 * Copies so many bytes at this address of the device, at most EVENTS_PEEK_MAX, which nothing
 * changes meanwhile.  False: they are not in one object of the context, or cannot be copied.  Calls
 * the driver.
 */
#define EVENTS_PEEK_MAX 4096
bool events_peek(CUcontext context, uint64_t address, uint64_t bytes, void *to);
/* Copies memory of the program on the host.  False: it cannot be read. */
bool events_read_host(void *to, uint64_t address, size_t size);
/* Ends the pending calls of this context, or of all, yielding.  False: the lock was lost. */
bool events_drain(CUcontext context, bool all_contexts);
/*
 * A call begins in the current context that may take so much of the device's memory, or failed for
 * want of it: frees memory of shadows that is cached.  Does not wait for what runs.  Calls the
 * driver.
 */
#define EVENTS_CALL_MAY_TAKE (UINT64_C(1) << 30) /* code, stacks, what graphs allocate */
void events_release_cached(uint64_t bytes);
void events_out_of_memory(void);
/* The callback data of a launch, which the patches get; NULL: it cannot be followed. */
void *events_callback_data(CUcontext context);
/* Makes events of the operations of a call, which has returned.  Calls the driver. */
void events_finish(struct api_call *api_call);
/*
 * The functions that noted the operations from `first` on failed: these did not happen, but for
 * kernels, of which nothing is known.  Needs no lock.
 */
void events_drop(struct api_call *api_call, unsigned first);
/* Whether there are pending calls.  Needs no lock. */
bool events_pending(void);
/* Ends the pending calls whose passes have run by now.  Calls no driver. */
void events_poll(void);
/*
 * A call that waits for the device has returned, in this context: its event ends after the calls
 * that are pending there, some of which may have nothing to do with it.  Waits for nothing; calls
 * no driver.
 */
void events_synchronized(const struct api_call *api_call, CUcontext context, CUstream stream);
/* The same call has no event, since another thread held the lock for long.  Needs no lock. */
void events_synchronized_unseen(void);
/* A call in this context returned the error with which a kernel ended.  Calls no driver. */
void events_fault_seen(CUcontext context, CUresult result);
/* Ends all pending calls; waits a second at most for each context.  Calls no driver. */
void events_drain_at_end(void);
/* Whether the lock is held for long because a launch makes progress.  Needs no lock. */
bool events_making_progress(void);
/*
 * Something ran that was not observed: all contents are forgotten before anything else is analysed.
 * Needs no lock.
 */
void events_lost_track(void);
/* A module could not be patched.  Needs no lock. */
void events_unpatched(void);
void events_context_gone(CUcontext context);
/* Whether the sink is to be told what was accessed of objects that live at the end, and the same.
 */
bool events_have_accesses(void);
void events_accessed_at_end(void);
/* Whether the sink selects the launches that are analysed.  Needs no lock. */
bool events_select_launches(void);
/*
 * cuCtxEnablePeerAccess(), or its end: kernels of `context` can reach the memory of `peer`, or no
 * more.
 */
void events_peer(CUcontext context, CUcontext peer, bool enabled);
/*
 * Whether launches in the context run one by one, since its kernels reach the memory of other
 * devices, or others' kernels reach its.
 */
bool events_are_serialized(CUcontext context);
/*
 * A kernel was launched that waits for those of other devices (NCCL's): from now on kernels of
 * several devices run at the same time, and what they do in each other's memory is not followed.
 */
void events_run_concurrently(void);
bool events_are_concurrent(void);
/* A graph was launched on the stream, and none of its nodes was observed. */
void events_graph_unobserved(CUcontext context, CUstream stream);
/*
 * Makes all contexts ready for launches, yielding, before a kernel is launched that waits for those
 * of other devices: memory cannot be allocated while it runs, since the driver waits for what
 * reaches other devices' memory.  False: the lock was lost.
 */
bool events_ready_all(void);
/* Whether the process has memory on several devices. */
bool events_multi_device(void);
/* Whether what is pending in the context is copies and sets on this stream. */
bool events_pend_transfers(CUcontext context, CUstream stream);
/* Whether what is pending in the context needs no stream. */
bool events_pend_commands(CUcontext context);
/*
 * Copies and sets are held back whose pass is not made yet.  events_pass_held() makes it: it is
 * called before any other call of the driver that may do, wait for, order or learn of anything on
 * the device; but one of so many bytes to `to` on `stream`, at most EVENTS_HELD_BYTES, may join
 * them, if events_join_held() says that it does not change what they moved or set.  events_hold()
 * needs no lock.  Calls the driver.
 */
#define EVENTS_HELD_BYTES 4096
bool events_hold(void);
void events_pass_held(void);
bool events_join_held(CUcontext context, CUstream stream, uint64_t to, uint64_t bytes);
/* A call begins that waits for the device.  Calls no driver. */
void events_stop_commands(void);
/* Whether calls of another context are pending on the stream. */
bool events_pending_in_others(CUcontext context, CUstream stream);
/* Whether the context has a space by now: something was done in it. */
bool events_has_space(CUcontext context);
/* The context whose object holds the address, or NULL. */
CUcontext events_context_at(CUcontext context, uint64_t address);
/* Whether an object holds the address that is not memory of the host. */
bool events_is_device_memory(CUcontext context, uint64_t address);
/* Others may write to the object at this address without a call that we see. */
void events_share_external(CUcontext context, uint64_t address);
/* Kernels can read the object at this address unseen from now on: through a texture. */
void events_expose(CUcontext context, uint64_t address);

#endif
