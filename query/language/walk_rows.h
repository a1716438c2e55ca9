/*
 * query/language/walk_rows.h: the rows before a MATCH that RETURN GRAPH takes as sets of vertices.
 *
 * They wait until the last one is there, each different one once; then there is one walk for all
 * that differ only in where it begins, not one for each.
 */
#ifndef VFLOW_QUERY_LANGUAGE_WALK_ROWS_H
#define VFLOW_QUERY_LANGUAGE_WALK_ROWS_H

#include "query/language/eval.h"

/* The row of the run waits.  `clause` is the MATCH, the RETURN GRAPH follows it.  False when the
 * run has failed. */
bool walk_rows_add(struct run *run, struct clause *clause);

/* Keeps what the RETURN GRAPH names, of every row. */
void walk_rows_finish(struct run *run, struct clause *clause);

void walk_rows_free(struct clause *clause);

#endif
