/*
 * render/perfetto.h: the parts of a trace for ui.perfetto.dev: events, which are values of one
 * array.
 */
#ifndef VFLOW_RENDER_PERFETTO_H
#define VFLOW_RENDER_PERFETTO_H

#include "render/picture.h"
#include "util/perfetto.h"

/* Every call as a slice on a track of its stream, and arrows from who wrote values to who read
 * them; perfetto_calls.c. */
void perfetto_put_calls(struct json *json, const struct picture *picture);

/*
 * What the device did, as slices on tracks of streams, with the calls that asked for it, by the run
 * of the pass `time`; nothing without that pass.  perfetto_gpu.c.
 */
void perfetto_put_gpu(struct json *json, const struct picture *picture);

/* Peaks of memory, and where its findings say that an object is not needed;
 * memory/perfetto.c. */
void perfetto_put_memory(struct json *json, const struct picture *picture);

/* The picture's vertex with this id; NULL: there is none. */
const struct picture_vertex *perfetto_vertex(const struct picture *picture, uint32_t id);

#endif
