/*
 * query/language/syntax.h: a query as a tree.  query/language/parse.c builds it,
 * query/language/check.c gives its names a meaning (slots, columns, functions),
 * query/language/run.c runs it.  All of it lives in one arena.
 *
 * Every variable of a query has a slot of its own in the one row that the evaluation works on:
 * a name that WITH declares anew is another slot.
 */
#ifndef VFLOW_QUERY_LANGUAGE_SYNTAX_H
#define VFLOW_QUERY_LANGUAGE_SYNTAX_H

#include <stdbool.h>
#include <stdint.h>

#include "query/arena.h"
#include "query/engine.h"
#include "query/language/lex.h"
#include "query/value.h"

enum {
	DEPTH_LIMIT = 200,    /* of brackets in each other, and of operators on each other */
	CLAUSE_LIMIT = 100,   /* clauses of a query, or of one of its subqueries */
	CLAUSES_LIMIT = 1000, /* with those of all subqueries: rows go from CALL to CALL as deep */
	COLUMN_LIMIT = 1000,  /* of RETURN and WITH */
	NOTE_LIMIT = 20,      /* notes for the user */
	CHAIN_LIMIT = 100,    /* edges of a pattern */
	STEP_LIMIT = 1000,    /* vertices and edges of all patterns: the search nests as deep */
	UNBOUNDED = INT32_MAX,
};

enum expr_type {
	EXPR_LITERAL,
	EXPR_PARAMETER, /* only until the check: literal then */
	EXPR_VARIABLE,
	EXPR_PROPERTY,   /* items[0].name */
	EXPR_HAS_LABELS, /* items[0]:labels */
	EXPR_INDEX,      /* items[0][items[1]] */
	EXPR_SLICE,      /* items[0][items[1]..items[2]], each may be NULL */
	EXPR_LIST,
	EXPR_MAP, /* keys */
	EXPR_OR,
	EXPR_XOR,
	EXPR_AND,
	EXPR_NOT,
	EXPR_COMPARE, /* items[0] operators[0] items[1] operators[1] ... */
	EXPR_ADD,
	EXPR_SUBTRACT,
	EXPR_MULTIPLY,
	EXPR_DIVIDE,
	EXPR_MODULO,
	EXPR_POWER,
	EXPR_NEGATE,
	EXPR_IS_NULL,
	EXPR_IS_NOT_NULL,
	EXPR_IN,
	EXPR_CONTAINS,
	EXPR_STARTS_WITH,
	EXPR_ENDS_WITH,
	EXPR_CALL,
	EXPR_CASE, /* items: subject or NULL, (when, then)..., else or NULL */
	EXPR_ALL,  /* all(name IN items[0] WHERE items[1]), and the three others */
	EXPR_ANY,
	EXPR_NONE,
	EXPR_SINGLE,
	EXPR_COMPREHENSION, /* [name IN items[0] WHERE items[1] | items[2]], each may be NULL */
	EXPR_REDUCE,        /* reduce(second_name = items[0], name IN items[1] | items[2]) */
	EXPR_PATTERN,       /* whether `match` finds anything */
	EXPR_SUBQUERY,
};

/* With a variable of its own: x IN list */
#define EXPR_IS_LOOP(type) ((type) >= EXPR_ALL && (type) <= EXPR_REDUCE)

enum comparison {
	COMPARE_EQUAL,
	COMPARE_NOT_EQUAL,
	COMPARE_LESS,
	COMPARE_AT_MOST,
	COMPARE_MORE,
	COMPARE_AT_LEAST,
	COMPARE_MATCHES,
};

struct label_term {
	const char *name; /* after the check: as the engine has it, NULL: nothing has it */
	bool negated;
	bool alternative; /* '|' before it; else '&' or ':' */
	uint32_t at;
};

struct labels {
	bool calls; /* after the check: it names calls or objects (query/calls.h), or what is theirs
		     */
	uint32_t count, capacity;
	struct label_term *terms;
};

struct function;
struct match;
struct regex;
struct subquery;

struct expr {
	enum expr_type type;
	uint32_t at, end; /* bytes in the query */
	uint32_t depth;
	uint32_t count, capacity;
	struct expr **items;
	const char *name;
	struct value literal;
	const char **keys;          /* EXPR_MAP */
	enum comparison *operators; /* EXPR_COMPARE */
	uint32_t slot;              /* of a variable; of an aggregate's result */
	const char *second_name;    /* EXPR_REDUCE: what adds up */
	uint32_t second_slot;
	bool distinct, star; /* EXPR_CALL */
	const struct function *function;
	struct labels *labels;
	struct match *match;
	struct subquery *subquery;
	const struct column *of_vertex, *of_edge; /* EXPR_PROPERTY */
	struct regex *regex;                      /* of the last expression that was matched */
	char *regex_text;
	struct expr *next_regex;
};

/* (name:labels {properties} WHERE where), the same for an edge. */
struct element {
	const char *name; /* NULL: anonymous */
	uint32_t at;
	uint32_t begin, end; /* bytes in the query, brackets and arrows included */
	uint32_t slot;
	bool declared; /* here, and not before */
	bool calls;    /* it may be a call or an object, which others never are */
	struct labels labels;
	struct expr *properties, *where; /* or NULL */
};

/*
 * ((left)-[edge]->(right) WHERE where){1,3}: what a range repeats.  In its conditions the names are
 * the parts of one repetition; outside of it each is the list of them all.
 */
struct group {
	struct element left, right;
	struct expr *where; /* or NULL */
};

struct edge_pattern {
	struct element element;
	bool to_left, to_right; /* arrows; both or none: either direction */
	bool variable;          /* a range: the slot holds a list */
	struct group *group;    /* of a range; or NULL */
	uint32_t least, most;
};

enum selector_type { SELECT_ALL, SELECT_ANY_SHORTEST, SELECT_ALL_SHORTEST, SELECT_SHORTEST_K };

struct path_pattern {
	const char *name;
	uint32_t at, slot;
	enum selector_type selector;
	uint32_t k;  /* SELECT_SHORTEST_K: so many paths */
	bool groups; /* so many lengths instead */
	bool choose; /* more than a range: all fits are looked for (query/language/choice.c) */
	bool legacy; /* shortestPath(), allShortestPaths() */
	struct element *nodes;
	struct edge_pattern *edges;
	uint32_t edge_count, node_capacity, edge_capacity;
};

struct step;

struct match {
	bool optional;
	struct path_pattern *paths;
	uint32_t count, capacity;
	struct expr *where;
	/* after the check */
	bool keep_paths;   /* a path or the list of its edges is used */
	bool reachability; /* it is enough to find each end once */
	bool any_start;    /* and that from any start */
	bool started;      /* with any_start: what is seen holds for the starts to come */
	struct step *steps;
	uint32_t step_count, step_capacity;
	uint32_t first_slot; /* slots below are from before */
	uint64_t *used;      /* bits: edges of the running match */
};

struct item {
	struct expr *expr;
	const char *name; /* alias, or the text of the expression */
	bool aliased;
	uint32_t slot, kinds;
	bool aggregates;
};

struct sort {
	struct expr *expr;
	bool descending;
};

struct projection {
	bool distinct, star;
	struct item *items;
	uint32_t count, capacity;
	struct sort *sorts;
	uint32_t sort_count, sort_capacity;
	struct expr *skip, *limit, *where;
	/* after the check */
	struct expr **aggregates; /* calls */
	uint32_t aggregate_count, aggregate_capacity;
	bool grouped;
	uint32_t *scope; /* slots that were visible before, but for those around a subquery */
	uint32_t scope_count;
	bool keep_scope; /* ORDER BY or WHERE looks at them */
	struct projection_state *state;
};

/* What follows a RETURN: the end, or another part, whose rows come with those before. */
enum union_type { UNION_NONE, UNION_DISTINCT, UNION_ALL };

enum clause_type {
	CLAUSE_MATCH,
	CLAUSE_UNWIND,
	CLAUSE_CALL,
	CLAUSE_WITH,
	CLAUSE_RETURN,
	CLAUSE_GRAPH
};

struct call;

struct clause {
	enum clause_type type;
	uint32_t at;
	struct match match;
	struct expr *list; /* UNWIND list AS name */
	const char *name;
	uint32_t slot;
	struct projection projection;
	struct call *call;
	/* RETURN GRAPH names: without names, all that is in scope */
	const char **names;
	uint32_t *slots, *name_at, name_count, name_capacity;
	uint32_t at_capacity;
	bool walk; /* RETURN GRAPH takes this MATCH as sets of vertices (query/language/walk.c) */
	struct walk_rows *walk_rows; /* then, while it runs: the rows before it */
	enum union_type then;        /* RETURN: in all parts of a query the same */
};

/* Index after the last clause of the part that begins at `from`. */
static inline uint32_t clause_part_end(const struct clause *clauses, uint32_t from, uint32_t count)
{
	while (from < count && clauses[from].then == UNION_NONE)
		from++;
	return from < count ? from + 1 : count;
}

/*
 * EXISTS { ... }, COUNT { ... }, COLLECT { ... } and [pattern | expr]: clauses that run for a row
 * of what is around them.  A pattern alone is a MATCH.
 */
struct subquery {
	enum { SUBQUERY_EXISTS, SUBQUERY_COUNT, SUBQUERY_COLLECT } type;
	struct clause *clauses; /* RETURN may be missing at the end unless the type is COLLECT */
	uint32_t clause_count, clause_capacity;
	/* after the check */
	uint32_t first_slot;                          /* slots below belong to what is around */
	uint32_t *outer, outer_count, outer_capacity; /* those of them that it uses */
	struct subquery *around;                      /* the subquery that it stands in */
};

/* CALL { ... }: clauses that run for each row, which goes on once with each row that they return.
 */
struct call {
	struct subquery body;
	bool optional; /* a row for which they return nothing goes on with nulls */
	bool given; /* CALL (names): these are visible in all of it; else what its first WITH names
		     */
	bool star;  /* CALL (*) */
	const char **names;
	uint32_t *name_at, name_count, name_capacity, at_capacity;
	uint32_t
		*columns; /* after the check: slots of what it returns, for the clauses around it */
	uint32_t column_count;
};

struct query {
	const char *text;
	bool calls;   /* it has names of query/calls.h: its engine should have them */
	bool explain; /* say what it would do instead (query/language/explain.h) */
	struct arena arena;
	struct clause *clauses;
	uint32_t clause_count, clause_capacity;
	uint32_t slot_count, step_count;
	struct expr *regexes;
	char **notes; /* for the user: names that nothing has */
	uint32_t note_count, note_capacity;
};

/* In capitals, ends with NULL. */
extern const char *const query_keywords[];

/* NULL when it is not a query: the error has line, column and caret. */
struct query *query_parse(const char *text, struct error *error);
/* One expression, for the values of parameters. */
struct expr *query_parse_expression(const char *text, struct query *query, struct error *error);
void query_free(struct query *query);

struct parameter {
	const char *name;
	struct value value;
};

/* Gives names their meaning on this engine.  -1: error has line, column and caret. */
int query_check(struct query *query, struct engine *engine, const struct parameter *parameters,
		uint32_t parameter_count, struct error *error);

#endif
