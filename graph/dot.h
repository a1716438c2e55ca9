/*
 * graph/dot.h: DOT in and out, by cgraph (the attributes: vflow-export(1)).
 */
#ifndef VFLOW_GRAPH_DOT_H
#define VFLOW_GRAPH_DOT_H

#include <stdio.h>

#include "graph/graph.h"
#include "util/error.h"

/*
 * The next graph of a stream.  1: *graph is new and the caller frees it; 0: end of the stream;
 * -1: the message names `name`, the line and what was wrong.
 */
int dot_read(FILE *file, const char *name, struct graph **graph, struct error *error);

/* Forgets a stream that was not read to its end: call it before the file is closed. */
void dot_read_end(void);

/* Same graph, same bytes.  -1 when writing failed. */
int dot_write(const struct graph *graph, FILE *file, struct error *error);

#endif
