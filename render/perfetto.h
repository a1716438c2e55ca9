/*
 * render/perfetto.h: the parts of a trace for ui.perfetto.dev: events, which are values of one
 * array.
 */
#ifndef VFLOW_RENDER_PERFETTO_H
#define VFLOW_RENDER_PERFETTO_H

#include "render/picture.h"
#include "util/json.h"

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

/* Begins an event of this phase, on a line of its own; json_end() ends it. */
void perfetto_event(struct json *json, const char *phase);
/* A member with the time in microseconds. */
void perfetto_time(struct json *json, const char *name, uint64_t ns);
/*
 * Begins an event that says something (`what`) of a process or, if it is not 0, of a track: what
 * follows are its arguments.
 */
void perfetto_name(struct json *json, const char *what, uint32_t process, uint32_t track);
/* Names a process, and says where it stands among the others. */
void perfetto_name_process(struct json *json, uint32_t process, const char *name, uint32_t order);
/* The same for a track; tracks stand in the order of their numbers. */
void perfetto_name_track(struct json *json, uint32_t process, uint32_t track, const char *name);
/* "device 1, stream 3", without device 0, and "the default stream" for 0.  Caller frees. */
char *perfetto_stream(uint32_t device, uint32_t stream);
/* Ends the arguments of an event, and the event. */
void perfetto_end(struct json *json);

/* The picture's vertex with this id; NULL: there is none. */
const struct picture_vertex *perfetto_vertex(const struct picture *picture, uint32_t id);

#endif
