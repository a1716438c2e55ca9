/*
 * util/perfetto.h: events of a trace for ui.perfetto.dev, in Chrome's JSON: values of one array.
 */
#ifndef VFLOW_UTIL_PERFETTO_H
#define VFLOW_UTIL_PERFETTO_H

#include "util/json.h"

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

#endif
