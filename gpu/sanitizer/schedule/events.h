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
 * While pending calls are waited for in a function that says "yielding", other threads may have the
 * lock: `yield` gives it to them for a moment; false: it did not come back.  `contended`: one of
 * them wants it.
 */
void events_yield_by(bool (*yield)(void), bool (*contended)(void));
/* Another process or API has a hand in memory: kernels may wait for those of other processes. */
void events_note_partners(void);
bool events_have_partners(void);
/*
 * A call of the driver begins in this context: makes its space, takes in the variables of new
 * modules, and before a `launch` that is to be analysed publishes the table; moves shadows to the
 * host when the program wants to allocate `wanted` bytes that are not free.  Pending calls of this
 * context are ended first, yielding, unless this is a launch, copy or set on the same `stream`
 * (NULL: something else, or not known); with `everywhere` those of all contexts are.  False: the
 * lock was lost.  Calls the driver.
 */
bool events_prepare(CUcontext context, bool launch, const CUstream *stream, uint64_t wanted,
		    bool all_contexts);
/* Ends the pending calls only. */
bool events_drain(CUcontext context, bool all_contexts);
/*
 * A call begins, in the current context, that may take this much of the device's memory, or it had
 * too little: releases what is kept of shadows.  Does not wait for what runs.  Calls the driver.
 */
#define EVENTS_CALL_MAY_TAKE (UINT64_C(1) << 30) /* code, stacks, what graphs allocate */
void events_release_cached(uint64_t bytes);
void events_out_of_memory(void);
/* What a launch hands to the patches; NULL: it cannot be followed. */
void *events_callback_data(CUcontext context);
/* What the calls did that are over now.  Calls the driver. */
void events_finish(struct api_call *api_call);
/*
 * They failed: what was noted from operation `first` on did not happen, but for kernels, of which
 * nothing is known.  Needs no lock.
 */
void events_drop(struct api_call *api_call, unsigned first);
/* Whether there are pending calls.  Needs no lock. */
bool events_pending(void);
/* Ends those whose passes have run by now.  Calls no driver. */
void events_poll(void);
/*
 * A call that waits for the device has returned, in this context: its event ends after the calls
 * that are pending there, some of which may have nothing to do with it.  Waits for nothing; calls
 * no driver.
 */
void events_synchronized(const struct api_call *api_call, CUcontext context, CUstream stream);
/* The same could not be said, since another thread held the lock for long.  Needs no lock. */
void events_synchronized_unseen(void);
/* A call in this context gave the error with which a kernel ended.  Calls no driver. */
void events_fault_seen(CUcontext context, CUresult result);
/* Ends all pending calls; waits a second at most for each context.  Calls no driver. */
void events_drain_at_end(void);
/* Whether the lock is held for long because a launch makes progress.  Needs no lock. */
bool events_making_progress(void);
/* A call did something while another thread held the lock for long.  Needs no lock. */
void events_lost_track(void);
/* A module could not be patched.  Needs no lock. */
void events_unpatched(void);
void events_context_gone(CUcontext context);
/* Whether it is asked which launches are to be analysed.  Needs no lock. */
bool events_select_launches(void);
/* Kernels of a context can reach the memory of another one now, or no more. */
void events_peer(CUcontext context, CUcontext peer, bool enabled);
/*
 * Whether kernels of the context are waited for one by one, since they reach the memory of other
 * devices, or others' kernels theirs.
 */
bool events_are_serialized(CUcontext context);
/*
 * A kernel waits for those of other devices: from now on they run beside each other, and what they
 * do in each other's memory is not followed.
 */
void events_run_concurrently(void);
bool events_are_concurrent(void);
/* A graph was launched on the stream of which nothing was noted. */
void events_graph_unobserved(CUcontext context, CUstream stream);
/*
 * Before such a kernel is launched: makes all contexts ready for launches, yielding.  Memory may
 * not be had while it runs: the driver waits for what reaches that of other devices.  False: the
 * lock was lost.
 */
bool events_ready_all(void);
/* Whether there is memory of several devices. */
bool events_multi_device(void);
/* Whether the stream has pending calls of another context. */
bool events_pending_in_others(CUcontext context, CUstream stream);
/* Whether anything was done in the context by now. */
bool events_has_space(CUcontext context);
/* Which context's memory lies there, or NULL. */
CUcontext events_context_at(CUcontext context, uint64_t address);
/* Others may write there without a call of ours. */
void events_share_external(CUcontext context, uint64_t address);

#endif
