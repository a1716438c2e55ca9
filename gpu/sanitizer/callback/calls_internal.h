/*
 * gpu/sanitizer/callback/calls_internal.h: what the files that watch API calls share.
 */
#ifndef VFLOW_GPU_SANITIZER_CALLBACK_CALLS_INTERNAL_H
#define VFLOW_GPU_SANITIZER_CALLBACK_CALLS_INTERNAL_H

#include <sanitizer.h>

#include "gpu/sanitizer/callback/thread.h"

/* Notes an operation of the running call.  NULL: no memory; then everything is forgotten. */
struct operation *calls_add(enum operation_kind kind, CUcontext context);
/* Whether what the Sanitizer reports now belongs to a call of the program. */
bool calls_noting(void);
/* Whether the stream is captured into a graph: nothing that is put there is done. */
bool calls_capturing(CUstream stream);

/* -- calls_note.c ------------------------------------------------------------------------- */

void calls_note_resource(Sanitizer_CallbackId id, const void *data);
/* Notes a kernel of the program that is put on the stream. */
void calls_note_kernel(const Sanitizer_LaunchData *data, CUstream stream);
/* Lets a launch run without our callback data: the patches do nothing then. */
void calls_exclude_launch(const Sanitizer_LaunchData *data);

/* -- destination.c ------------------------------------------------------------------------ */

/*
 * Whether what the host's memory holds is what the call that begins will write over, if it is a
 * copy to the host: all that might still write there is over, host functions on its stream, too.
 * `stream`: see events_prepare(), which comes before it; `waits`: the call waits for the stream.
 * Calls the driver.
 */
bool destination_settled(const Sanitizer_CallbackData *data, const CUstream *stream, bool waits);
/*
 * Before a copy to the host: notes the digest of what its memory holds, or why that is not known.
 * Calls no driver.
 */
void destination_note(struct operation *operation);

/* -- calls_copy.c ------------------------------------------------------------------------- */

/*
 * After a copy of the driver succeeded: notes, from its parameters, what the Sanitizer does not
 * report: copies that touch an array, batches.
 */
void calls_copy_unreported(const char *function, const void *parameters);
/*
 * Whether a function of the driver is a copy or set on one stream; *stream is that, *waits whether
 * it returns when the copy, or what is there before it, is over.  Calls the driver.
 */
bool calls_stream_copy(const char *function, const void *parameters, CUstream *stream, bool *waits);
/*
 * Whether it is a copy or set that can be held back: its first parameter is where to, the third how
 * many of what this says the bytes of are; 0: it cannot.
 */
unsigned calls_may_hold(const char *function);
/* The stream on which a function of the driver copies.  False: not known. */
bool calls_copy_stream(const char *function, const void *parameters, CUstream *stream);

/* -- calls_node.c ------------------------------------------------------------------------- */

/* A function of the driver has ended: notes where it made nodes of graphs. */
void calls_node_exit(const Sanitizer_CallbackData *data, bool failed);

/* -- calls_graph.c ------------------------------------------------------------------------ */

/* A function about graphs begins or has ended; the lock is held. */
void calls_graph_enter(const Sanitizer_CallbackData *data);
void calls_graph_exit(const Sanitizer_CallbackData *data);
/*
 * A call of cuGraphDestroy() by the provider begins: destroys this_thread.substitute in its place.
 */
void calls_graph_redirect(const Sanitizer_CallbackData *data);

#endif
