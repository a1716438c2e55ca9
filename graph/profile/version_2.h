/*
 * graph/profile/version_2.h: profiles of version 2, the one before 1000.  Their tables are those of
 * version 1000 that they have, with the columns that they have; what is here is where they differ:
 * one check sum for all tables and one for the events, and one threshold, in columns of table run.
 */
#ifndef VFLOW_GRAPH_PROFILE_VERSION_2_H
#define VFLOW_GRAPH_PROFILE_VERSION_2_H

#include "graph/profile/table.h"

#define PROFILE_VERSION_2 2

/* Whether each of them had the table. */
bool version_2_has_table(const char *name);
/* Reads what is in columns of table run. */
void version_2_read_run(struct profile_rows *rows, struct profile *profile);
/* Compares the sum of the tables that are lazy, or of all others.  Fails `rows`. */
void version_2_verify(struct profile_rows *rows, const struct profile *profile, bool lazy);

#endif
