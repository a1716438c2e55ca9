/*
 * util/perfetto/perfetto.h: traces for ui.perfetto.dev: what is in them, and two writers of it:
 * Chrome's JSON and Perfetto's own protobuf.
 *
 * Times are in ns.  Processes, tracks and arrows have numbers above 0; processes and tracks are
 * named before their first event.
 */
#ifndef VFLOW_UTIL_PERFETTO_PERFETTO_H
#define VFLOW_UTIL_PERFETTO_PERFETTO_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum perfetto_type {
	PERFETTO_SLICE, /* on a track, where no two overlap; written in the order of their starts */
	PERFETTO_SPAN,  /* on none: spans may overlap */
	PERFETTO_INSTANT, /* of the process */
	PERFETTO_COUNTER, /* `value` from start_ns on */
};

/* Of an event, or of the trace. */
struct perfetto_argument {
	const char *name;
	const char *text; /* NULL: a number, or yes or no */
	uint64_t number;
	bool is_flag;
};

enum { PERFETTO_ARGUMENTS = 12 };

struct perfetto_event {
	enum perfetto_type type;
	const char *category, *name;
	uint32_t process;
	uint32_t track;            /* of a slice */
	uint64_t start_ns, end_ns; /* end: of slices and spans */
	uint64_t value;
	uint32_t id; /* of a span, among those of its category */
	/* Spans and instants with the same one of these are shown in one place. */
	const char *place;
	/*
	 * Arrows between slices, by numbers that are unique in the trace: those that start at this
	 * one, and those that end here.  The slice where one starts is written before, and starts
	 * no later.
	 */
	const uint32_t *starts;
	uint32_t start_count;
	uint32_t first_end, end_count; /* first_end, first_end + 1, ... */
	const char *arrows;            /* what to call the arrows that start or end here */
	struct perfetto_argument arguments[PERFETTO_ARGUMENTS];
	uint32_t argument_count;
};

/* Arguments, up to PERFETTO_ARGUMENTS; no text is none. */
void perfetto_text(struct perfetto_event *event, const char *name, const char *text);
void perfetto_number(struct perfetto_event *event, const char *name, uint64_t number);
void perfetto_flag(struct perfetto_event *event, const char *name, bool flag);

struct perfetto {
	const struct perfetto_writer *writer;
	FILE *file; /* its errors are left to its owner */
};

struct perfetto_writer {
	/* Begins the trace with what there is to say of it. */
	struct perfetto *(*begin)(FILE *file, const struct perfetto_argument *about,
				  uint32_t count);
	/* Names a process and says where it stands among the others; `label`, NULL or not, is shown
	 * beside the name. */
	void (*process)(struct perfetto *trace, uint32_t process, const char *name,
			const char *label, uint32_t order);
	/* The same for a track; tracks stand in the order of their numbers. */
	void (*track)(struct perfetto *trace, uint32_t process, uint32_t track, const char *name);
	void (*event)(struct perfetto *trace, const struct perfetto_event *event);
	/* Ends and frees the trace, not the file. */
	void (*end)(struct perfetto *trace);
};

extern const struct perfetto_writer perfetto_json, perfetto_proto;

/* "device 1, stream 3", without device 0, and "the default stream" for 0.  Caller frees. */
char *perfetto_stream(uint32_t device, uint32_t stream);

#endif
