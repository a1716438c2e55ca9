/*
 * query/language/check.h: what the parts of the check, check.c (clauses), check_pattern.c and
 * check_expr.c, know of each other.
 */
#ifndef VFLOW_QUERY_LANGUAGE_CHECK_H
#define VFLOW_QUERY_LANGUAGE_CHECK_H

#include "query/language/eval.h"

struct variable {
	const char *name;
	uint32_t slot;
	unsigned kinds;
};

struct scope {
	struct variable *items;
	uint32_t count, capacity;
};

struct checker {
	struct query *query;
	struct engine *engine;
	const struct parameter *parameters;
	uint32_t parameter_count;
	struct error *error;
	struct scope scope;
	uint32_t around;           /* the first variables of the scope, which are from around ... */
	struct subquery *subquery; /* ... this one; NULL outside of any */
	const struct scope *outside; /* what is around the innermost CALL; NULL: there is none */
	bool imports; /* of that its parts see what a WITH at their beginning names */
	bool *bound;  /* per slot: bound by the clauses so far */
	uint32_t bound_capacity;
	bool *calls; /* per slot: it may be a call or an object */
	uint32_t call_capacity;
	uint32_t *used; /* per slot: how often something asks for it */
	uint32_t used_capacity;
	struct projection *projection; /* whose aggregates are being found, NULL: none allowed */
	bool in_aggregate;
	const char *once; /* SKIP, LIMIT: the same for all rows; else NULL */
	bool merged;      /* the rows of the projection: only its columns are visible */
};

int check_fail(struct checker *checker, uint32_t at, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
void check_note(struct checker *checker, uint32_t at, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
uint32_t check_new_slot(struct checker *checker, bool bound);
/* NULL: no such variable is visible.  A subquery notes that it uses what is around it. */
struct variable *check_find(struct checker *checker, const char *name);
void check_declare(struct checker *checker, const char *name, uint32_t slot, unsigned kinds);

/* -1 after an error; *kinds is what the value can be. */
int check_expr(struct checker *checker, struct expr *expr, unsigned *kinds);
int check_call(struct checker *checker, struct expr *expr, unsigned *kinds);
int check_compare(struct checker *checker, struct expr *expr);
/* Notes that values of these kinds cannot be compared. */
void check_sorts(struct checker *checker, uint32_t at, unsigned left, unsigned right);
unsigned check_column(const struct column *column); /* kinds of its values */
int check_need(struct checker *checker, const struct expr *expr, unsigned kinds, unsigned wanted,
	       const char *what);
int check_condition(struct checker *checker, struct expr *expr);
void check_labels(struct checker *checker, struct labels *labels, bool of_edge);
/* The patterns of a MATCH and its WHERE.  Outside of MATCH a pattern declares no variables. */
int check_patterns(struct checker *checker, struct match *match, bool may_declare);
/* Says of its parts which may be calls and objects. */
void check_calls(struct checker *checker, struct match *match);
/* A pattern as a condition. */
int check_pattern(struct checker *checker, struct match *match);
/* One edge with a range, whose ends are all that counts: then each end needs to be found once. */
bool check_only_ends_count(const struct match *match);
int check_subquery(struct checker *checker, struct expr *expr, unsigned *kinds);
/* Of a query, or a subquery.  once: nothing but whether there is a row counts at the end. */
int check_clauses(struct checker *checker, struct clause *clauses, uint32_t count, bool once);
/* CALL { ... } */
int check_called(struct checker *checker, struct clause *clause);
/* Whether a variable of this name is around the innermost CALL (and was not handed in). */
bool check_is_outside(const struct checker *checker, const char *name);
/* At the beginning of each part of a query: in CALL, its first WITH may see what is outside. */
void check_import(struct checker *checker, const struct clause *first);
struct expr *check_make(struct checker *checker, enum expr_type type, uint32_t at, uint32_t count);

bool expr_same(const struct expr *a, const struct expr *b);
bool expr_aggregates(const struct expr *expr);

#endif
