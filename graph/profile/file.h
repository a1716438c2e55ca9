/* graph/profile/file.h: what the reader and the writer of profiles share. */
#ifndef VFLOW_GRAPH_PROFILE_FILE_H
#define VFLOW_GRAPH_PROFILE_FILE_H

#include "graph/profile/profile.h"

#define PROFILE_APPLICATION_ID 0x76666c77 /* "vflw" */
/*
 * user_version is major * 1000 + minor; profile.md says what may change in which.  The minor
 * version of what this vflow writes is the number of columns of all tables.
 */
#define PROFILE_MAJOR_VERSION 1
#define PROFILE_MAJOR(version) ((version) / 1000)

/*
 * Opens the file for reading, if it is a profile of a version that this vflow reads; closed with
 * sqlite3_close().
 */
struct sqlite3;
int profile_open(const char *path, struct sqlite3 **db, uint32_t *version, struct error *error);

/* For sqlite3_open_v2(): SQLite's own way to files, but for longer paths, too. */
const char *profile_vfs(void);

/*
 * What SQLite's last error means.  The reason may be the file or, when it is false, the machine: a
 * disk that is full or fails, memory, rights.
 */
bool profile_sqlite_error(struct sqlite3 *db, struct error *error);
/* When that was for want of room (a full disk, a quota, a limit on files): which, an errno; else 0.
 */
int profile_want_of_room(struct sqlite3 *db);
/* What is wrong with a profile: a row, from 1, that cannot be.  Returns -1. */
int profile_bad_row(struct error *error, const char *table, uint64_t row);
/* Makes "WHAT" of the error "PATH: damaged: WHAT: what to do".  Returns -1. */
int profile_set_damaged(const char *path, struct error *error);
/* The same for what the machine is the reason of. */
int profile_set_unreadable(const char *path, struct error *error);

/* What follows from the other fields of an edge: its redundancy and its key. */
void profile_finish_edge(struct graph_edge *edge);

/* Fills `patterns` and `advice` of the vertices from the findings. */
void profile_mark_vertices(struct profile *profile);

#endif
