/*
 * query/ask.h: a query put to the graphs of an input, the answer written: vflow query, and the
 * commands that are a query by another name.
 */
#ifndef VFLOW_QUERY_ASK_H
#define VFLOW_QUERY_ASK_H

#include <stdio.h>

#include "graph/input.h"
#include "query/print.h"
#include "util/options.h"

struct ask {
	const char *command; /* for messages */
	const char *query;
	struct option_list parameters; /* NAME=VALUE */
	const char *type;              /* -T, may be NULL */
	bool says_kept;                /* rows are vertices: say how many are left out */
	const char *if_none;           /* to say where there are no rows; may be NULL */
	bool tables_only;              /* -T dot is none */
	const char *file, *output;     /* may be NULL */
	bool asked_on_stdin;           /* the query came from there, so the graph does not */
	struct query_limits limits;
};

/* Both return the exit code. */
int query_ask(const struct ask *ask);
/* Queries and commands from stdin, line by line; ask->query is not looked at. */
int query_session(const struct ask *ask);

/* -- what both are made of -- */

struct request {
	const struct ask *ask;
	struct parameter *parameters;
	uint32_t parameter_count;
	struct arena arena;
	int type;                                 /* an enum print_type, or one of the two */
	const volatile sig_atomic_t *interrupted; /* or NULL */
};

enum { REQUEST_DOT = PRINT_JSONL + 1, REQUEST_UNSET };

/* The exit code, after a message unless it is EXIT_OK; then request_close() is due. */
int request_open(struct request *request, const struct ask *ask);
void request_close(struct request *request);
/* -1: there is no such type. */
int request_type(const char *name);

/* A graph that is asked; the engines are made when a query needs them. */
struct asked {
	struct input *input; /* that the graph came from */
	struct graph *graph;
	struct engine *engine, *calls_engine; /* without and with calls and objects */
};

/* The engine of the graph alone. */
struct engine *asked_engine(struct asked *asked);
/* Frees the engines and the graph. */
void asked_free(struct asked *asked);

/*
 * Returns the exit code; without EXIT_OK the error says why.  RETURN GRAPH takes from the graph
 * what it does not return: it is of no use then.
 */
int request_answer(const struct request *request, const char *text, struct asked *asked, FILE *file,
		   struct error *error);

#endif
