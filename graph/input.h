/*
 * graph/input.h: where a command gets its graph from: FILE, else stdin when it is a
 * pipe or a file, else $VFLOW_PROFILE, else ./vflow.db.
 */
#ifndef VFLOW_GRAPH_INPUT_H
#define VFLOW_GRAPH_INPUT_H

#include <stdbool.h>

#include "graph/graph.h"
#include "graph/profile/profile.h"
#include "util/error.h"

/* For the help of commands that read a graph. */
#define INPUT_HELP                                                                                 \
	"FILE is a profile or DOT.  Without it: standard input when that is a pipe\n"              \
	"or a file, else $VFLOW_PROFILE, else ./vflow.db.\n"

struct input;

/* `file` may be NULL; "-" is stdin.  With `use_stdin` false, stdin is never read. */
struct input *input_open(const char *file, bool use_stdin, struct error *error);

/*
 * The next graph: 1, 0 at the end, -1.  A profile holds one graph; DOT may hold several.  An input
 * that holds no graph at all is an error.  The caller frees *graph with graph_free().
 */
int input_next(struct input *input, struct graph **graph, struct error *error);

/*
 * Reads the events of the profile as well; before the first input_next().  -1: damaged, or the
 * input is DOT, which has none.
 */
int input_read_events(struct input *input, struct error *error);
/* The same after the first input_next(), which gave this graph. */
int input_read_events_late(struct input *input, struct graph *graph, struct error *error);

/* What else the profile says, without the graph that was taken; NULL when the input is DOT. */
const struct profile *input_run(const struct input *input);
void input_close(struct input *input);

/* The profile of a command that works on nothing else (report, export): NULL on failure. */
struct profile *input_profile(const char *file, struct error *error);
/* The same with its events (profile_read_events()). */
struct profile *input_profile_events(const char *file, struct error *error);
/* With its events only where it has a timeline. */
struct profile *input_timed_profile(const char *file, struct error *error);

#endif
