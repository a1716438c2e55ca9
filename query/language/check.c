/* query/language/check.c: variables, patterns and clauses before anything runs. */
#include "query/language/check.h"

#include <stdlib.h>
#include <string.h>

#include "query/language/match.h"
#include "query/language/walk.h"
#include "util/memory.h"

uint32_t check_new_slot(struct checker *checker, bool bound)
{
	struct query *query = checker->query;

	ARENA_RESERVE(&query->arena, checker->bound, query->slot_count, checker->bound_capacity);
	checker->bound[query->slot_count] = bound;
	ARENA_RESERVE(&query->arena, checker->calls, query->slot_count, checker->call_capacity);
	checker->calls[query->slot_count] = false;
	ARENA_RESERVE(&query->arena, checker->used, query->slot_count, checker->used_capacity);
	checker->used[query->slot_count] = 0;
	return query->slot_count++;
}

/* Every subquery that the variable is from outside of. */
static void note_use(struct checker *checker, uint32_t slot)
{
	for (struct subquery *in = checker->subquery; in && slot < in->first_slot;
	     in = in->around) {
		bool known = false;

		for (uint32_t i = 0; i < in->outer_count && !known; i++)
			known = in->outer[i] == slot;
		if (known)
			continue;
		ARENA_RESERVE(&checker->query->arena, in->outer, in->outer_count,
			      in->outer_capacity);
		in->outer[in->outer_count++] = slot;
	}
}

struct variable *check_find(struct checker *checker, const char *name)
{
	for (uint32_t i = checker->scope.count; i > 0; i--)
		if (!strcmp(checker->scope.items[i - 1].name, name)) {
			note_use(checker, checker->scope.items[i - 1].slot);
			checker->used[checker->scope.items[i - 1].slot]++;
			return &checker->scope.items[i - 1];
		}
	return NULL;
}

void check_declare(struct checker *checker, const char *name, uint32_t slot, unsigned kinds)
{
	struct scope *scope = &checker->scope;

	ARENA_RESERVE(&checker->query->arena, scope->items, scope->count, scope->capacity);
	scope->items[scope->count++] = (struct variable){name, slot, kinds};
}

/* Only what is around a subquery stays visible. */
static void leave_scope(struct checker *checker)
{
	struct scope scope = checker->scope;

	checker->scope = (struct scope){0};
	for (uint32_t i = 0; i < checker->around; i++)
		check_declare(checker, scope.items[i].name, scope.items[i].slot,
			      scope.items[i].kinds);
}

static int check_match(struct checker *checker, struct clause *clause)
{
	if (check_patterns(checker, &clause->match, true) != 0)
		return -1;
	return match_plan(checker->query, &clause->match, checker->bound, checker->error);
}

/* -- projections -- */

/* The variables of the loops around an expression: [x IN ... | ...] */
struct loop {
	const struct expr *expr;
	const struct loop *outer;
};

static bool is_loop_variable(const struct loop *loop, uint32_t slot)
{
	for (; loop; loop = loop->outer)
		if (loop->expr->slot == slot ||
		    (loop->expr->type == EXPR_REDUCE && loop->expr->second_slot == slot))
			return true;
	return false;
}

/* Each part of an item with aggregates is one, a constant, or what the rows are grouped by. */
static int check_grouped(struct checker *checker, const struct projection *projection,
			 const struct expr *expr, const struct loop *outer)
{
	struct loop loop = {expr, outer};

	for (uint32_t i = 0; i < projection->count; i++)
		if (!projection->items[i].aggregates &&
		    (expr->type == EXPR_VARIABLE || expr->type == EXPR_PROPERTY) &&
		    expr_same(projection->items[i].expr, expr))
			return 0;
	if (expr->type == EXPR_CALL && expr->function && expr->function->aggregate)
		return 0;
	if (expr->type == EXPR_VARIABLE && expr->name && !is_loop_variable(outer, expr->slot))
		return check_fail(checker, expr->at,
				  "'%s' differs within a group: project it too, or put it into the "
				  "aggregate",
				  expr->name);
	if (expr->type == EXPR_PATTERN || expr->type == EXPR_SUBQUERY)
		return check_fail(checker, expr->at,
				  "a pattern cannot stand beside an aggregate: give it a column of "
				  "its own, in a WITH before");
	for (uint32_t i = 0; i < expr->count; i++)
		if (expr->items[i] && check_grouped(checker, projection, expr->items[i],
						    EXPR_IS_LOOP(expr->type) ? &loop : outer) != 0)
			return -1;
	return 0;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct item *)a)->name, ((const struct item *)b)->name);
}

static int add_star(struct checker *checker, struct projection *projection, uint32_t at)
{
	struct item *given = projection->items;
	uint32_t count = projection->count;

	if (!checker->scope.count)
		return check_fail(checker, at, "there are no variables for *");
	projection->items = NULL;
	projection->count = projection->capacity = 0;
	for (uint32_t i = 0; i < checker->scope.count + count; i++) {
		struct item *item;

		ARENA_RESERVE(&checker->query->arena, projection->items, projection->count,
			      projection->capacity);
		item = &projection->items[projection->count++];
		if (i >= checker->scope.count) {
			*item = given[i - checker->scope.count];
			continue;
		}
		*item = (struct item){.name = checker->scope.items[i].name, .aliased = true};
		item->expr = check_make(checker, EXPR_VARIABLE, at, 0);
		item->expr->name = item->name;
	}
	qsort(projection->items, checker->scope.count, sizeof(*projection->items), by_name);
	return 0;
}

static int check_item(struct checker *checker, struct clause *clause, struct item *item)
{
	struct projection *projection = &clause->projection;

	if (clause->type == CLAUSE_WITH && !item->aliased && item->expr->type != EXPR_VARIABLE)
		return check_fail(checker, item->expr->at, "an expression in WITH needs AS name");
	if (item->expr->type == EXPR_PATTERN)
		return check_fail(checker, item->expr->at, "a pattern is a condition, not a value");
	for (struct item *other = projection->items; other < item; other++)
		if (!strcmp(other->name, item->name))
			return check_fail(checker, item->expr->at, "two columns have the name '%s'",
					  item->name);
	checker->projection = projection;
	if (check_expr(checker, item->expr, &item->kinds) != 0)
		return -1;
	checker->projection = NULL;
	item->aggregates = expr_aggregates(item->expr);
	projection->grouped |= item->aggregates;
	return 0;
}

/* Whether the expression speaks of a variable of the loops around it. */
static bool uses_loop(const struct expr *expr, const struct loop *loop)
{
	for (const struct loop *in = expr->name ? loop : NULL; in && expr->type == EXPR_VARIABLE;
	     in = in->outer)
		if (!strcmp(expr->name, in->expr->name) ||
		    (in->expr->second_name && !strcmp(expr->name, in->expr->second_name)))
			return true;
	for (uint32_t i = 0; i < expr->count; i++)
		if (expr->items[i] && uses_loop(expr->items[i], loop))
			return true;
	return false;
}

/*
 * Parts of ORDER BY that are columns become those columns.  Beside an aggregate (`simple`) only
 * names, properties and aggregates do: a.x + a.y + count(*) could be grouped by either.
 */
static void use_columns(struct checker *checker, struct projection *projection, struct expr **expr,
			bool simple, const struct loop *outer)
{
	struct loop loop = {*expr, outer};
	uint32_t lists = (*expr)->type == EXPR_REDUCE  ? 2
			 : EXPR_IS_LOOP((*expr)->type) ? 1
						       : (*expr)->count;
	bool may = !simple || (*expr)->type == EXPR_VARIABLE || (*expr)->type == EXPR_PROPERTY ||
		   (*expr)->type == EXPR_CALL;

	for (uint32_t i = 0; i < projection->count && may; i++)
		if (expr_same(projection->items[i].expr, *expr) && !uses_loop(*expr, outer)) {
			uint32_t at = (*expr)->at;

			*expr = check_make(checker, EXPR_VARIABLE, at, 0);
			(*expr)->slot = projection->items[i].slot;
			return;
		}
	for (uint32_t i = 0; i < (*expr)->count; i++)
		if ((*expr)->items[i])
			use_columns(checker, projection, &(*expr)->items[i], simple,
				    i < lists ? outer : &loop);
}

/* A whole column, or parts of it. */
static void use_any_columns(struct checker *checker, struct projection *projection,
			    struct expr **expr)
{
	for (uint32_t i = 0; i < projection->count; i++)
		if (expr_same(projection->items[i].expr, *expr)) {
			use_columns(checker, projection, expr, false, NULL);
			return;
		}
	use_columns(checker, projection, expr, expr_aggregates(*expr), NULL);
}

static int check_count(struct checker *checker, struct expr *expr, const char *clause)
{
	struct scope none = {0}, scope = checker->scope;
	unsigned kinds;
	int result;

	if (!expr)
		return 0;
	checker->scope = none;
	checker->once = clause;
	result = check_expr(checker, expr, &kinds);
	checker->once = NULL;
	checker->scope = scope;
	if (result != 0)
		return -1;
	if (!(kinds & KIND(VALUE_INTEGER)) ||
	    ((expr->type == EXPR_LITERAL || expr->type == EXPR_PARAMETER) &&
	     expr->literal.integer < 0))
		return check_fail(checker, expr->at, "%s needs an integer of 0 or more", clause);
	return 0;
}

/* ORDER BY and WHERE see the columns, and what was visible before unless rows were merged. */
static int check_after(struct checker *checker, struct clause *clause)
{
	struct projection *projection = &clause->projection;
	bool merged = projection->grouped || projection->distinct;
	unsigned kinds;

	checker->merged = merged;
	if (merged)
		leave_scope(checker);
	else
		projection->keep_scope = projection->sort_count || projection->where;
	for (uint32_t i = 0; i < projection->count; i++)
		check_declare(checker, projection->items[i].name, projection->items[i].slot,
			      projection->items[i].kinds);
	for (uint32_t i = 0; i < projection->sort_count; i++) {
		struct expr **expr = &projection->sorts[i].expr;

		if ((*expr)->type != EXPR_VARIABLE || !check_find(checker, (*expr)->name))
			use_any_columns(checker, projection, expr);
		if (expr_aggregates(*expr))
			return check_fail(checker, (*expr)->at,
					  "ORDER BY takes an aggregate only when it is a column, "
					  "too");
		if (check_expr(checker, *expr, &kinds) != 0)
			return -1;
		if ((*expr)->type == EXPR_LITERAL)
			check_note(checker, (*expr)->at,
				   "the same for all rows, so it orders nothing: name a column");
	}
	if (projection->where && merged)
		use_any_columns(checker, projection, &projection->where);
	if (projection->where && check_condition(checker, projection->where) != 0)
		return -1;
	checker->merged = false;
	return 0;
}

static int check_projection(struct checker *checker, struct clause *clause)
{
	struct projection *projection = &clause->projection;

	if (projection->star && add_star(checker, projection, clause->at) != 0)
		return -1;
	for (uint32_t i = 0; i < projection->count; i++)
		if (check_item(checker, clause, &projection->items[i]) != 0)
			return -1;
	for (uint32_t i = 0; i < projection->count; i++) {
		if (projection->items[i].aggregates &&
		    check_grouped(checker, projection, projection->items[i].expr, NULL) != 0)
			return -1;
		projection->items[i].slot = check_new_slot(checker, true);
		if (projection->items[i].expr->type == EXPR_VARIABLE)
			checker->calls[projection->items[i].slot] =
				checker->calls[projection->items[i].expr->slot];
	}
	projection->scope_count = checker->scope.count - checker->around;
	projection->scope = arena_alloc(&checker->query->arena,
					(projection->scope_count + 1) * sizeof(*projection->scope));
	for (uint32_t i = 0; i < projection->scope_count; i++)
		projection->scope[i] = checker->scope.items[checker->around + i].slot;
	if (check_count(checker, projection->skip, "SKIP") != 0 ||
	    check_count(checker, projection->limit, "LIMIT") != 0 ||
	    check_after(checker, clause) != 0)
		return -1;
	leave_scope(checker);
	for (uint32_t i = 0; i < projection->count; i++)
		check_declare(checker, projection->items[i].name, projection->items[i].slot,
			      projection->items[i].kinds);
	return 0;
}

/* -- clauses -- */

static int check_unwind(struct checker *checker, struct clause *clause)
{
	unsigned kinds;

	if (check_expr(checker, clause->list, &kinds) != 0)
		return -1;
	if (check_find(checker, clause->name))
		return check_fail(checker, clause->at, "'%s' is already something else",
				  clause->name);
	clause->slot = check_new_slot(checker, true);
	check_declare(checker, clause->name, clause->slot,
		      PLAIN_KINDS(kinds) == KIND(VALUE_LIST) ? ITEM_KINDS(kinds) : KIND_ANY);
	return 0;
}

/* Without names: the named and unnamed parts of every MATCH since the last WITH. */
static void add_graph_slot(struct checker *checker, struct clause *clause, uint32_t slot)
{
	ARENA_RESERVE(&checker->query->arena, clause->slots, clause->name_count,
		      clause->name_capacity);
	clause->slots[clause->name_count++] = slot;
}

static void add_matched(struct checker *checker, struct clause *clause)
{
	clause->name_count = clause->name_capacity = 0;
	for (uint32_t i = 0; i < checker->scope.count; i++)
		add_graph_slot(checker, clause, checker->scope.items[i].slot);
	for (struct clause *before = clause - 1; before >= checker->query->clauses; before--) {
		if (before->type == CLAUSE_WITH || before->then)
			return;
		if (before->type != CLAUSE_MATCH)
			continue;
		before->match.keep_paths = true;
		for (uint32_t p = 0; p < before->match.count; p++) {
			struct path_pattern *path = &before->match.paths[p];

			for (uint32_t i = 0; i <= path->edge_count; i++) {
				if (path->nodes[i].declared)
					add_graph_slot(checker, clause, path->nodes[i].slot);
				if (i && path->edges[i - 1].element.declared)
					add_graph_slot(checker, clause,
						       path->edges[i - 1].element.slot);
			}
		}
	}
}

static int check_graph(struct checker *checker, struct clause *clause)
{
	if (!clause->name_count) {
		add_matched(checker, clause);
	} else {
		clause->slots = arena_alloc(&checker->query->arena,
					    clause->name_count * sizeof(*clause->slots));
		for (uint32_t i = 0; i < clause->name_count; i++) {
			struct variable *variable = check_find(checker, clause->names[i]);

			if (!variable)
				return check_fail(checker, clause->name_at[i],
						  "there is no variable '%s' here",
						  clause->names[i]);
			clause->slots[i] = variable->slot;
		}
	}
	return 0;
}

/* Whether what follows does not care how often a row comes. */
static bool ignores_repetition(const struct clause *clause, const struct clause *end, bool once)
{
	const struct projection *projection;

	while (clause < end && clause->type < CLAUSE_WITH)
		clause++;
	if (clause == end || clause->type == CLAUSE_GRAPH)
		return clause < end || once;
	projection = &clause->projection;
	if (once && clause + 1 == end && !projection->grouped && !projection->skip &&
	    !projection->limit)
		return true;
	for (uint32_t i = 0; i < projection->aggregate_count; i++) {
		const struct expr *call = projection->aggregates[i];

		if (!call->distinct && call->function->aggregate != MIN &&
		    call->function->aggregate != MAX)
			return false;
	}
	return projection->distinct || projection->grouped;
}

static int check_clause(struct checker *checker, struct clause *clause)
{
	switch (clause->type) {
	case CLAUSE_MATCH:
		return check_match(checker, clause);
	case CLAUSE_UNWIND:
		return check_unwind(checker, clause);
	case CLAUSE_CALL:
		return check_called(checker, clause);
	case CLAUSE_GRAPH:
		return check_graph(checker, clause);
	default:
		return check_projection(checker, clause);
	}
}

static uint32_t times_in(const struct expr *expr, uint32_t slot)
{
	uint32_t times = expr->type == EXPR_VARIABLE && expr->slot == slot;

	for (uint32_t i = 0; i < expr->count; i++)
		times += expr->items[i] ? times_in(expr->items[i], slot) : 0;
	return times;
}

/*
 * Whether it does not matter from where an end is reached: nothing asks for the start but its own
 * conditions, and no length, which depends on it, is a limit.
 */
static bool from_any_start(const struct checker *checker, const struct match *match)
{
	const struct step *start = match->steps;
	uint32_t times = 0;

	if (!match->reachability || match->count != 1 || start->to_bound ||
	    match->steps[1].edge->most != UNBOUNDED)
		return false;
	for (uint32_t i = 0; i < start->filter_count; i++)
		times += times_in(start->filters[i], start->to->slot);
	return times == checker->used[start->to->slot];
}

/* once: nothing but whether there is a row counts at the end. */
static int check_part(struct checker *checker, struct clause *clauses, uint32_t count, bool once)
{
	for (uint32_t i = 0; i < count; i++) {
		clauses[i].match.first_slot = checker->query->slot_count;
		if (check_clause(checker, &clauses[i]) != 0)
			return -1;
	}
	for (uint32_t i = 0; i < count; i++)
		if (clauses[i].type == CLAUSE_MATCH && !clauses[i].match.keep_paths &&
		    check_only_ends_count(&clauses[i].match)) {
			clauses[i].match.reachability =
				ignores_repetition(&clauses[i + 1], clauses + count, once);
			clauses[i].match.any_start = from_any_start(checker, &clauses[i].match);
		}
	return 0;
}

/* What two parts of a UNION return has the same names, in the same order. */
static int check_columns(struct checker *checker, const struct clause *first,
			 const struct clause *other)
{
	const struct projection *a = &first->projection, *b = &other->projection;

	if (first->type != other->type)
		return check_fail(checker, other->at,
				  "RETURN GRAPH and columns cannot stand in one UNION");
	if (a->count != b->count)
		return check_fail(checker, other->at,
				  "all parts of a UNION return the same columns: %u here, %u in "
				  "the first",
				  b->count, a->count);
	for (uint32_t i = 0; i < a->count; i++)
		if (strcmp(a->items[i].name, b->items[i].name) != 0)
			return check_fail(
				checker, b->items[i].expr->at,
				"all parts of a UNION return the same columns: '%s' here, "
				"'%s' in the first: name it with AS",
				b->items[i].name, a->items[i].name);
	return 0;
}

int check_clauses(struct checker *checker, struct clause *clauses, uint32_t count, bool once)
{
	uint32_t first = clause_part_end(clauses, 0, count);

	once |= clauses[first - 1].then == UNION_DISTINCT;
	for (uint32_t from = 0, end; from < count; from = end) {
		end = clause_part_end(clauses, from, count);
		if (from)
			leave_scope(checker);
		check_import(checker, &clauses[from]);
		if (check_part(checker, &clauses[from], end - from, once) != 0 ||
		    check_columns(checker, &clauses[first - 1], &clauses[end - 1]) != 0)
			return -1;
	}
	return 0;
}

/* Whether RETURN GRAPH names the vertices of a group, which sets of vertices do not tell apart. */
static bool names_group(const struct clause *graph, const struct match *match)
{
	for (uint32_t p = 0; p < match->count && graph->names; p++)
		for (uint32_t e = 0; e < match->paths[p].edge_count; e++)
			for (uint32_t i = 0; i < graph->name_count; i++) {
				const struct group *group = match->paths[p].edges[e].group;

				if (group && (graph->slots[i] == group->left.slot ||
					      graph->slots[i] == group->right.slot))
					return true;
			}
	return false;
}

int query_check(struct query *query, struct engine *engine, const struct parameter *parameters,
		uint32_t parameter_count, struct error *error)
{
	struct checker checker = {.query = query,
				  .engine = engine,
				  .parameters = parameters,
				  .parameter_count = parameter_count,
				  .error = error};

	if (check_clauses(&checker, query->clauses, query->clause_count, false) != 0)
		return -1;
	for (uint32_t i = 1; i < query->clause_count; i++) {
		struct clause *before = &query->clauses[i - 1];

		if (before->type == CLAUSE_MATCH && query->clauses[i].type == CLAUSE_GRAPH)
			before->walk = walk_fits(&before->match, before->match.first_slot,
						 query->slot_count) &&
				       !names_group(&query->clauses[i], &before->match);
	}
	return 0;
}
