/*
 * render/metric.h: what the size of a vertex stands for: one of its fields, or the sum of some.
 */
#ifndef VFLOW_RENDER_METRIC_H
#define VFLOW_RENDER_METRIC_H

#include "graph/graph.h"

struct render_metric {
	const char *word; /* of --size-by; NULL: only vflow itself asks for it */
	const char *text; /* for people */
	uint32_t fields;  /* enum graph_vertex_field */
};

extern const struct render_metric render_by_invocations, render_by_bytes;
extern const struct render_metric render_by_time;      /* on the GPU */
extern const struct render_metric render_by_host_time; /* of the calls */

/* NULL: there is none of this word. */
const struct render_metric *render_metric_named(const char *word);

/* All words, in the order in which people read them; returns how many. */
enum { RENDER_METRIC_WORDS = 4 + VERTEX_FIELD_COUNT };
uint32_t render_metric_words(const char *words[RENDER_METRIC_WORDS]);

/* The vertex's value, 0 where it is not known. */
uint64_t render_metric_of(const struct graph_vertex *vertex, const struct render_metric *metric);

#endif
