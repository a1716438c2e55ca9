/*
 * render/perfetto.h: the parts of a trace for ui.perfetto.dev.  Each writes lines that end with
 * ",\n".  Times are the host's.
 */
#ifndef VFLOW_RENDER_PERFETTO_H
#define VFLOW_RENDER_PERFETTO_H

#include <stdio.h>

#include "render/picture.h"

/* Every call as a slice on a track of its stream, and arrows from who wrote values to who read
 * them; perfetto_calls.c. */
void perfetto_put_calls(FILE *out, const struct picture *picture);

/* "ts" and the time in microseconds, without a comma. */
void perfetto_put_time(FILE *out, const char *name, uint64_t ns);

/* The picture's vertex with this id; NULL: there is none. */
const struct picture_vertex *perfetto_vertex(const struct picture *picture, uint32_t id);

#endif
