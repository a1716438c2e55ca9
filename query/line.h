/*
 * query/line.h: lines from a terminal, with editing and history where libedit is there, or from a
 * file.
 */
#ifndef VFLOW_QUERY_LINE_H
#define VFLOW_QUERY_LINE_H

#include <signal.h>
#include <stdbool.h>

#include "query/complete.h"

struct line;

/* How a line that is typed up to `text` goes on; of: what line_open() was given. */
typedef void line_complete(void *of, const char *text, struct completion *completion);

/* *interrupted becomes true by SIGINT, which ends a line_read(). */
struct line *line_open(bool terminal, line_complete *complete, void *of,
		       const volatile sig_atomic_t *interrupted);

/*
 * The next line without its end, for free(); NULL: there is none, or SIGINT came.  From the history
 * it may be several lines at once.
 */
char *line_read(struct line *line, const char *prompt);

/* Adds what one would like to have again, of one line or several, to the history. */
void line_remember(struct line *line, const char *text);

/*
 * Writes the history: $VFLOW_HISTORY (none where that is empty), else vflow/query_history in
 * $XDG_STATE_HOME or ~/.local/state.
 */
void line_close(struct line *line);

#endif
