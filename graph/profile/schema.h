/* graph/profile/schema.h: which tables and columns a file has; the file is hostile. */
#ifndef VFLOW_GRAPH_PROFILE_SCHEMA_H
#define VFLOW_GRAPH_PROFILE_SCHEMA_H

#include "graph/profile/table.h"

/* A real table: a view or a virtual one would run what it likes. */
bool schema_has_table(struct profile_rows *rows, const char *name);

/*
 * Sets at[i] to the number, among all columns of the file's table, of the i-th column of `table`;
 * -1 where an older version did not have it yet.  Fails `rows` where the table cannot be read.
 */
void schema_find_columns(struct profile_rows *rows, const struct profile_table *table, int *at);

#endif
