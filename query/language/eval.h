/*
 * query/language/eval.h: a running query, and the value of an expression in its current row.
 *
 * Whatever fails sets run->failed once; everybody then returns quickly.
 */
#ifndef VFLOW_QUERY_LANGUAGE_EVAL_H
#define VFLOW_QUERY_LANGUAGE_EVAL_H

#include <signal.h>

#include "query/language/syntax.h"

struct run {
	struct engine *engine;
	struct query *query;
	struct value *row;          /* one value per slot */
	struct arena scratch;       /* of the current row: released when it is done */
	struct arena kept;          /* of rows that wait: groups, sorting, the result */
	struct arena whole;         /* of the whole run */
	const struct arena *result; /* counted, too; may be NULL */
	size_t elsewhere;           /* bytes in use besides the arenas */
	struct error *error;
	bool failed;
	uint64_t steps, next_look;
	int64_t deadline_ns; /* CLOCK_MONOTONIC, 0: none */
	const volatile sig_atomic_t *interrupted;
	uint64_t random;
	uint64_t max_rows; /* 0: any number */
	/* RETURN GRAPH */
	bool *keep_vertex, *keep_edge;
};

/* Counts a step of the search; false when the query has to end: time or memory is up. */
bool run_step(struct run *run);
/* run_step() for work that takes as long as `count` steps, and `bytes` more memory. */
bool run_work(struct run *run, uint64_t count, uint64_t bytes);
/* Whether there is room for copies of the values. */
bool run_room(struct run *run, const struct value *values, uint32_t count);
/* A copy in the arena, one of those that the run counts; null where there is no room. */
struct value run_copy(struct run *run, struct arena *arena, struct value value);
/* Fails with line and column; the place is that of the expression. */
void run_fail(struct run *run, uint32_t at, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* The list as a value; fails where it is too deep or large. */
struct value run_list(struct run *run, const struct expr *expr, struct value_list *list);

/* RETURN GRAPH keeps the vertices and edges of the value. */
void run_keep(struct run *run, struct value value);

struct value eval(struct run *run, const struct expr *expr);
/* A condition: null is unknown; anything but a boolean fails. */
enum truth eval_condition(struct run *run, const struct expr *expr);

/* query/language/subquery.c */
struct value eval_subquery(struct run *run, const struct expr *expr);

/* of.name */
struct value eval_property(struct run *run, const struct expr *expr, struct value of);
/* Whether a vertex has the labels, or an edge the type. */
bool labels_hold(const struct engine *engine, const struct labels *labels, struct value of);

/* -- functions -- */

/* Sets of types: what an expression can be, apart from null. */
#define KIND(type) (1u << (type))
#define KIND_ANY 0xffffu
/* The types of a list's items are in the upper half; 0: any. */
#define LIST_OF(kinds) (KIND(VALUE_LIST) | PLAIN_KINDS(kinds) << 16)
#define ITEM_KINDS(kinds) ((kinds) >> 16 ? (kinds) >> 16 : KIND_ANY)
#define PLAIN_KINDS(kinds) (0xffffu & (kinds))
#define KIND_NUMBER (KIND(VALUE_INTEGER) | KIND(VALUE_FLOAT))

enum aggregate {
	AGGREGATE_NONE,
	COUNT,
	SUM,
	AVG,
	MIN,
	MAX,
	COLLECT,
	PERCENTILE_CONT,
	PERCENTILE_DISC
};

struct function {
	const char *name;
	uint32_t least, most; /* arguments */
	unsigned takes;       /* kinds of the first argument */
	unsigned gives;       /* kinds of the result */
	struct value (*call)(struct run *run, const struct expr *expr, const struct value *values);
	enum aggregate aggregate;
};

/* The function of that name in any case; NULL: none, then *nearest is one like it or NULL. */
const struct function *function_find(const char *name, const char **nearest);
/* Of all functions; NULL: there are no more. */
const char *function_name(uint32_t index);

#endif
