/*
 * util/progress.h: what vflow is at, for people who wait: a line on stderr where that is a
 * terminal, once it has taken a second, gone when it is done.
 */
#ifndef VFLOW_UTIL_PROGRESS_H
#define VFLOW_UTIL_PROGRESS_H

#include <stdint.h>

/*
 * "vflow: WHAT, 3 s" from now on, until progress_end(); WHAT is a string that stays.  What is begun
 * before the end of the last goes on as that: its second counts from there.
 */
void progress(const char *what);

/* ", 3 of 7"; nothing where no progress is shown. */
void progress_part(uint64_t part, uint64_t parts);

/* Before anything else is written that may be for the terminal.  More than one does no harm. */
void progress_end(void);

#endif
