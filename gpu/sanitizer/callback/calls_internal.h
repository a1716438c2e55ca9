/*
 * gpu/sanitizer/callback/calls_internal.h: what the files that watch API calls share.
 */
#ifndef VFLOW_GPU_SANITIZER_CALLBACK_CALLS_INTERNAL_H
#define VFLOW_GPU_SANITIZER_CALLBACK_CALLS_INTERNAL_H

#include <sanitizer.h>

#include "gpu/sanitizer/callback/thread.h"

/* Notes an operation of the running call; NULL: no room, and what it does is not seen. */
struct operation *calls_add(enum operation_kind kind, CUcontext context);
/* Whether what happens now belongs to a call of the program. */
bool calls_noting(void);
/* Whether the stream is being captured into a graph: nothing is done then. */
bool calls_capturing(CUstream stream);

/* -- calls_note.c ------------------------------------------------------------------------- */

void calls_note_resource(Sanitizer_CallbackId id, const void *data);
/* A kernel of the program's starts on the stream. */
void calls_note_kernel(const Sanitizer_LaunchData *data, CUstream stream);
/* A launch that must not use the patches. */
void calls_exclude_launch(const Sanitizer_LaunchData *data);

/* -- calls_copy.c ------------------------------------------------------------------------- */

/*
 * A copy of the driver succeeded.  Notes, from its parameters, what no callback told of: one that
 * touches an array, a batch.
 */
void calls_copy_unreported(const char *function, const void *parameters);
/*
 * Whether a function of the driver is a copy or set on one stream, which one, and whether the
 * caller waits for it or what is there.  Calls the driver.
 */
bool calls_stream_copy(const char *function, const void *parameters, CUstream *stream, bool *waits);

/* -- calls_graph.c ------------------------------------------------------------------------ */

/* A function about graphs begins or ended; the lock is held. */
void calls_graph_enter(const Sanitizer_CallbackData *data);
void calls_graph_exit(const Sanitizer_CallbackData *data);
/* Our own call that destroys a graph begins: it gets this_thread.instead. */
void calls_graph_redirect(const Sanitizer_CallbackData *data);

#endif
