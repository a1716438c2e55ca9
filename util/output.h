/*
 * util/output.h: where a command writes: stdout, or a file that appears complete or not at all.
 */
#ifndef VFLOW_UTIL_OUTPUT_H
#define VFLOW_UTIL_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

#include "util/error.h"

struct output;

/* Nothing that output_open() writes takes the place of the file that is read there. */
void output_spare(int fd);

/* `path` NULL or "-": stdout; neither a database is written over, nor what is read. Else a
 * temporary file beside it, renamed by output_commit(). */
struct output *output_open(const char *path, struct error *error);
FILE *output_file(struct output *output);
/* Whether text there is for eyes that like colours (https://no-color.org). */
bool output_wants_colour(const char *path);
/* Columns of the terminal that it writes to; 100 where it writes to none. */
size_t output_columns(FILE *file);
/* For messages: the path, or "standard output". */
const char *output_name(const struct output *output);
/* Flushes and checks every write.  Frees `output`, also on failure (the old file then stays). */
int output_commit(struct output *output, struct error *error);
void output_discard(struct output *output);

#endif
