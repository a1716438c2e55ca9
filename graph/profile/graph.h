/*
 * graph/profile/graph.h: tables vertex and edge, whose columns follow from graph/fields.def.
 */
#ifndef VFLOW_GRAPH_PROFILE_GRAPH_H
#define VFLOW_GRAPH_PROFILE_GRAPH_H

#include "graph/profile/rows.h"
#include "graph/profile/rows_write.h"

/* What makes the tables, and the views `flows` and `vertices` of them; static. */
const char *profile_vertex_sql(void);
const char *profile_edge_sql(void);
const char *profile_graph_views(void);

void profile_write_graph(struct profile_writer *writer, const struct profile *profile);
/* Vertices make room for the call paths as well, and come before edges. */
void profile_read_vertices(struct profile_rows *rows, struct profile *profile);
void profile_read_edges(struct profile_rows *rows, struct profile *profile);

#endif
