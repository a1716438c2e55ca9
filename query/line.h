/*
 * query/line.h: lines from a terminal, with editing and history where libedit is there, or from a
 * file.
 */
#ifndef VFLOW_QUERY_LINE_H
#define VFLOW_QUERY_LINE_H

#include <signal.h>
#include <stdbool.h>

struct line;

/* *interrupted becomes true by SIGINT, which ends a line_read(). */
struct line *line_open(bool terminal, const volatile sig_atomic_t *interrupted);

/* The next line without its end, for free(); NULL: there is none, or SIGINT came. */
char *line_read(struct line *line, const char *prompt);

/* Writes the history: $VFLOW_HISTORY, else ~/.vflow_history; none where that is empty. */
void line_close(struct line *line);

#endif
