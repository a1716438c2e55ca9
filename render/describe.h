/*
 * render/describe.h: the sentences of a picture: labels, tooltips, totals.  The caller frees.
 */
#ifndef VFLOW_RENDER_DESCRIBE_H
#define VFLOW_RENDER_DESCRIBE_H

#include <stdbool.h>

#include "graph/profile/profile.h"

/* "#5 · 4.0K · 24×": id, size of the object of an allocation, invocations above 1. */
char *describe_figures(const struct graph_vertex *vertex, uint64_t object_bytes);
/* "4.0K · 92%": bytes and redundant share of an edge, NULL where neither is known. */
char *describe_flow(const struct graph_edge *edge);
/* "redundant values +1": the first patterns of the list that fit, and how many do not. */
char *describe_patterns(const char *patterns, uint32_t limit);
/* Tooltips: several lines, the full name, the call path, exact figures, advice. */
char *describe_vertex(const struct graph_vertex *vertex, uint64_t object_bytes);
char *describe_edge(const struct graph *graph, const struct graph_edge *edge);
/* "#5 gemm, conv.cu:33: redundant values, duplicate values"; of two runs "... : gone" */
char *describe_finding(const struct graph_vertex *vertex, const char *name, const char *place);
/* "7 vertices, 6 edges; 8.0K of 17.0K written bytes did not change (47%)" */
char *describe_totals(const struct graph *graph);
/* "./app 5 · emulated device · 2026-11-20 12:33 UTC" */
char *describe_run(const struct profile *profile);
/* "showing 80 of 12,345 vertices, ..."; NULL when all is shown. */
char *describe_hidden(const struct graph *graph, const bool *vertices, const bool *edges);

#endif
