/*
 * graph/build/duplicates.h: which objects of one process held equal content, and for how long.
 *
 * A class is a content (size and digest) and the live objects that hold it.  An episode begins
 * when a class has two and ends when it has fewer again.  Internal to the builder.
 */
#ifndef VFLOW_GRAPH_BUILD_DUPLICATES_H
#define VFLOW_GRAPH_BUILD_DUPLICATES_H

#include <stdbool.h>
#include <stdint.h>

#include "graph/build/merge.h"

struct duplicates;

struct duplicates *duplicates_new(struct merge *merge);
/* Ends all episodes; `event` is the number of the last event. */
void duplicates_free(struct duplicates *duplicates, uint64_t event);

struct duplicates_content {
	uint32_t object; /* id in the trace */
	uint32_t site;   /* index of a vertex */
	uint32_t cause;  /* index of the vertex of the event */
	uint64_t size;
	uint64_t event;        /* number of the event, ascending */
	const uint8_t *digest; /* 32 bytes */
	bool zero;
};

/* After the event the object has this content.  Constant time, but for the ends of episodes. */
void duplicates_content(struct duplicates *duplicates, const struct duplicates_content *content);
/* The event has freed the object. */
void duplicates_freed(struct duplicates *duplicates, uint32_t object, uint64_t event);

#endif
