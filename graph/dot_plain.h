/*
 * graph/dot_plain.h: the part of DOT that vflow itself and canonical printers write, read without
 * cgraph, which takes minutes for a million edges.
 *
 * digraph [name] { ... } with the statements `graph [..]`, `node [..]` and `edge [..]` before any
 * vertex, `v1 [..]` once per vertex, `v1 -> v2 [..]` and `a=b`; no comments, no HTML-like labels,
 * every vertex named v<id>, every value fit for its attribute, no key twice for the same ends.
 * Everything else, errors too, is left to cgraph, which starts again at the graph's first byte: the
 * text stays until the next graph is asked for.
 */
#ifndef VFLOW_GRAPH_DOT_PLAIN_H
#define VFLOW_GRAPH_DOT_PLAIN_H

#include <stdbool.h>
#include <stdio.h>

#include "graph/graph.h"

/* A stream's text from the start of the current graph on. */
struct dot_text {
	FILE *file;
	char *bytes;
	size_t at, size, capacity; /* bytes[0..at) is read */
	const char *limit;         /* what was exceeded, NULL: nothing */
};

/* Reads on to the end of a line, or less of a long one; false: there is no more. */
bool dot_text_fill(struct dot_text *text);

/* NULL: a limit was met, or the rest of the stream is not plain (or at its end); at is then where
 * it was. */
struct graph *dot_read_plain(struct dot_text *text);

#endif
