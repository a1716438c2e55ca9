/*
 * collect/guest/sources.h: pass `use`: who writes to the source of an asynchronous copy before a
 * wait covers the copy.
 *
 * A source is watched (watch/watch.h) from the copy's call to the first call that may cover it: a
 * wait for its stream, or for more; a wait for another stream once streams were put in order; any
 * call after which the program may know that the copy is over.  What is not known to be a race is
 * none.  The guest's lock is held.
 */
#ifndef VFLOW_COLLECT_GUEST_SOURCES_H
#define VFLOW_COLLECT_GUEST_SOURCES_H

#include <stdbool.h>
#include <stdint.h>

#include "gpu/provider.h"

/* Sources that are watched at a time; the others of WATCHES_MAX are for what waits protect. */
#define SOURCES_MAX 64

void sources_start(const struct gpu_provider *provider);
/* A call has begun, was abandoned, or has waited. */
void sources_begin(const struct gpu_call *call);
void sources_abandon(const struct gpu_call *call);
void sources_returned(const struct gpu_call *call);
/* See gpu_sink. */
void sources_reached(enum gpu_reach how);
/* Says what is known of all, and watches none any more. */
void sources_end(void);

#endif
