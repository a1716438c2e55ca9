/*
 * collect/note.h: what `vflow collect` says on stderr while a program runs.
 */
#ifndef VFLOW_COLLECT_NOTE_H
#define VFLOW_COLLECT_NOTE_H

#include <stdbool.h>

#include "util/error.h"

/*
 * "vflow: MESSAGE": something the user should know; nothing when `quiet`.  A stderr that nobody
 * reads must not keep the target from running, nor its profile from being written.
 */
__attribute__((format(printf, 2, 3))) void note(bool quiet, const char *format, ...);

/* "vflow collect: MESSAGE": an error.  Returns the code. */
int note_failure(int code, const struct error *error);

#endif
