/* query/check.c: variables, patterns and clauses before anything runs. */
#include "query/check.h"

#include <stdlib.h>
#include <string.h>

#include "query/match.h"
#include "query/walk.h"
#include "util/memory.h"

uint32_t check_new_slot(struct checker *checker, bool bound)
{
	struct query *query = checker->query;

	ARENA_RESERVE(&query->arena, checker->bound, query->slot_count, checker->bound_capacity);
	checker->bound[query->slot_count] = bound;
	return query->slot_count++;
}

struct variable *check_find(const struct checker *checker, const char *name)
{
	for (uint32_t i = checker->scope.count; i > 0; i--)
		if (!strcmp(checker->scope.items[i - 1].name, name))
			return &checker->scope.items[i - 1];
	return NULL;
}

void check_declare(struct checker *checker, const char *name, uint32_t slot, unsigned kinds)
{
	struct scope *scope = &checker->scope;

	ARENA_RESERVE(&checker->query->arena, scope->items, scope->count, scope->capacity);
	scope->items[scope->count++] = (struct variable){name, slot, kinds};
}

/* -- patterns -- */

/* The variable of a vertex or edge: known before, or declared here. */
static int check_element(struct checker *checker, struct element *element, unsigned kinds,
			 bool may_declare)
{
	struct variable *variable = element->name ? check_find(checker, element->name) : NULL;

	if (!variable) {
		if (element->name && !may_declare)
			return check_fail(checker, element->at,
					  "there is no variable '%s' here: a pattern in a "
					  "condition declares none",
					  element->name);
		element->declared = true;
		element->slot = check_new_slot(checker, false);
		if (element->name)
			check_declare(checker, element->name, element->slot, kinds);
		return 0;
	}
	element->slot = variable->slot;
	if (variable->kinds != KIND(VALUE_NULL) &&
	    (!(variable->kinds & kinds) || kinds & KIND(VALUE_LIST)))
		return check_fail(checker, element->at, "'%s' is already something else: %s",
				  element->name,
				  value_type_name((enum value_type)__builtin_ctz(
					  variable->kinds & ~1u ? variable->kinds & ~1u : 1)));
	return 0;
}

static struct expr *make(struct checker *checker, enum expr_type type, uint32_t at, uint32_t count)
{
	struct expr *expr = arena_alloc(&checker->query->arena, sizeof(*expr));

	expr->type = type;
	expr->at = at;
	expr->count = expr->capacity = count;
	expr->items = arena_alloc(&checker->query->arena, (count + 1) * sizeof(*expr->items));
	return expr;
}

/* variable.key = value */
static struct expr *make_comparison(struct checker *checker, const struct element *element,
				    const char *key, struct expr *value)
{
	struct expr *comparison = make(checker, EXPR_COMPARE, element->at, 2);
	struct expr *property = make(checker, EXPR_PROPERTY, value->at, 1);

	property->name = key;
	property->of_vertex = engine_column(checker->engine, false, key);
	property->of_edge = engine_column(checker->engine, true, key);
	property->items[0] = make(checker, EXPR_VARIABLE, element->at, 0);
	property->items[0]->slot = element->slot;
	comparison->items[0] = property;
	comparison->items[1] = value;
	comparison->operators = arena_alloc(&checker->query->arena, sizeof(enum comparison));
	comparison->operators[0] = COMPARE_EQUAL;
	return comparison;
}

/* {key: value, ...} becomes variable.key = value AND ... */
static int check_properties(struct checker *checker, struct element *element)
{
	struct expr *map = element->properties, *all;
	unsigned kinds;

	if (!map)
		return 0;
	if (check_expr(checker, map, &kinds) != 0)
		return -1;
	if (map->type == EXPR_PARAMETER) {
		const struct value_map *values = map->literal.map;

		if (map->literal.type != VALUE_MAP)
			return check_fail(checker, map->at, "this parameter has to be a map");
		all = make(checker, EXPR_AND, map->at, values->count);
		for (uint32_t i = 0; i < values->count; i++) {
			struct expr *value = make(checker, EXPR_LITERAL, map->at, 0);

			value->literal = values->entries[i].value;
			all->items[i] =
				make_comparison(checker, element, values->entries[i].key, value);
		}
	} else {
		all = make(checker, EXPR_AND, map->at, map->count);
		for (uint32_t i = 0; i < map->count; i++)
			all->items[i] =
				make_comparison(checker, element, map->keys[i], map->items[i]);
	}
	element->properties = all;
	return 0;
}

static int check_element_conditions(struct checker *checker, struct element *element,
				    bool single_edge)
{
	struct variable *variable = element->name ? check_find(checker, element->name) : NULL;
	unsigned kinds = variable ? variable->kinds : 0;
	int result;

	if (check_properties(checker, element) != 0)
		return -1;
	if (!element->where)
		return 0;
	/* in the condition on a range its variable is each single edge */
	if (variable && single_edge)
		variable->kinds = KIND(VALUE_EDGE);
	result = check_condition(checker, element->where);
	variable = element->name ? check_find(checker, element->name) : NULL;
	if (variable)
		variable->kinds = kinds;
	return result;
}

static int check_edge(struct checker *checker, struct path_pattern *path, uint32_t index,
		      bool may_declare)
{
	struct edge_pattern *edge = &path->edges[index];
	unsigned kinds = edge->variable ? KIND(VALUE_LIST) : KIND(VALUE_EDGE);
	bool declares = !edge->element.name || !check_find(checker, edge->element.name);

	if (edge->variable && !declares)
		return check_fail(checker, edge->element.at,
				  "'%s' is already something else: a range declares its variable",
				  edge->element.name);
	if (path->selector != SELECT_ALL && !edge->variable)
		return check_fail(checker, edge->element.at,
				  "a shortest path needs a range, like -[*]->");
	if (path->selector != SELECT_ALL && edge->least > 1)
		return check_fail(checker, edge->element.at,
				  "a shortest path starts with a length of 0 or 1");
	return check_element(checker, &edge->element, kinds, may_declare);
}

static int check_path(struct checker *checker, struct path_pattern *path, bool may_declare)
{
	if (path->selector != SELECT_ALL && path->edge_count != 1)
		return check_fail(checker, path->at, "a shortest path is a pattern of one edge");
	for (uint32_t i = 0; i <= path->edge_count; i++) {
		if (check_element(checker, &path->nodes[i], KIND(VALUE_VERTEX), may_declare) != 0)
			return -1;
		if (i < path->edge_count && check_edge(checker, path, i, may_declare) != 0)
			return -1;
	}
	if (!path->name)
		return 0;
	if (check_find(checker, path->name))
		return check_fail(checker, path->at, "'%s' is already something else", path->name);
	path->slot = check_new_slot(checker, false);
	check_declare(checker, path->name, path->slot, KIND(VALUE_PATH));
	return 0;
}

static int check_path_conditions(struct checker *checker, struct path_pattern *path)
{
	for (uint32_t i = 0; i <= path->edge_count; i++) {
		if (check_labels(checker, &path->nodes[i].labels, false) != 0 ||
		    check_element_conditions(checker, &path->nodes[i], false) != 0)
			return -1;
		if (i < path->edge_count &&
		    (check_labels(checker, &path->edges[i].element.labels, true) != 0 ||
		     check_element_conditions(checker, &path->edges[i].element,
					      path->edges[i].variable) != 0))
			return -1;
	}
	return 0;
}

/* One edge with a range, whose ends are all that counts: then each end needs to be found once. */
static bool only_ends_count(const struct match *match)
{
	const struct edge_pattern *range = NULL;
	uint32_t edges = 0;

	for (uint32_t p = 0; p < match->count; p++) {
		edges += match->paths[p].edge_count;
		if (match->paths[p].name || match->paths[p].selector != SELECT_ALL)
			return false;
		if (match->paths[p].edge_count)
			range = match->paths[p].edges;
	}
	/* without direction, a walk back over the same edge is no trail to where it started */
	return edges == 1 && range->variable && range->least <= 1 && !range->element.name &&
	       (range->to_left != range->to_right || !range->least);
}

/* One edge cannot be in two places of a MATCH. */
static int check_edges_differ(struct checker *checker, const struct match *match)
{
	for (uint32_t p = 0; p < match->count; p++)
		for (uint32_t i = 0; i < match->paths[p].edge_count; i++) {
			const struct element *edge = &match->paths[p].edges[i].element;

			for (uint32_t q = 0; edge->name && q <= p; q++)
				for (uint32_t k = 0; k < (q < p ? match->paths[q].edge_count : i);
				     k++)
					if (match->paths[q].edges[k].element.slot == edge->slot)
						return check_fail(checker, edge->at,
								  "the edge '%s' is in this MATCH "
								  "already",
								  edge->name);
		}
	return 0;
}

static int check_patterns(struct checker *checker, struct match *match, bool may_declare)
{
	for (uint32_t p = 0; p < match->count; p++)
		if (check_path(checker, &match->paths[p], may_declare) != 0)
			return -1;
	if (check_edges_differ(checker, match) != 0)
		return -1;
	for (uint32_t p = 0; p < match->count; p++)
		if (check_path_conditions(checker, &match->paths[p]) != 0)
			return -1;
	return match->where ? check_condition(checker, match->where) : 0;
}

int check_pattern(struct checker *checker, struct match *match)
{
	bool *bound;
	int result;

	if (check_patterns(checker, match, false) != 0)
		return -1;
	/* all that is visible is there when the condition is looked at */
	bound = xcalloc(checker->query->slot_count + 1, sizeof(*bound));
	memcpy(bound, checker->bound, checker->query->slot_count * sizeof(*bound));
	for (uint32_t i = 0; i < checker->scope.count; i++)
		bound[checker->scope.items[i].slot] = true;
	match->reachability = only_ends_count(match);
	result = match_plan(checker->query, match, bound, checker->error);
	free(bound);
	return result;
}

static int check_match(struct checker *checker, struct clause *clause)
{
	if (check_patterns(checker, &clause->match, true) != 0)
		return -1;
	return match_plan(checker->query, &clause->match, checker->bound, checker->error);
}

/* -- projections -- */

/* Each part of an item with aggregates is one, a constant, or what the rows are grouped by. */
static int check_grouped(struct checker *checker, const struct projection *projection,
			 const struct expr *expr)
{
	for (uint32_t i = 0; i < projection->count; i++)
		if (!projection->items[i].aggregates &&
		    (expr->type == EXPR_VARIABLE || expr->type == EXPR_PROPERTY) &&
		    expr_same(projection->items[i].expr, expr))
			return 0;
	if (expr->type == EXPR_CALL && expr->function && expr->function->aggregate)
		return 0;
	if (expr->type == EXPR_VARIABLE && expr->name)
		return check_fail(checker, expr->at,
				  "'%s' differs within a group: project it too, or put it into the "
				  "aggregate",
				  expr->name);
	if (expr->type == EXPR_PATTERN)
		return check_fail(checker, expr->at, "a pattern cannot stand beside an aggregate");
	for (uint32_t i = 0; i < expr->count; i++)
		if (expr->items[i] &&
		    !(i && expr->type >= EXPR_ALL && expr->type <= EXPR_COMPREHENSION) &&
		    check_grouped(checker, projection, expr->items[i]) != 0)
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
		item->expr = make(checker, EXPR_VARIABLE, at, 0);
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

/* Parts of ORDER BY that are columns become those columns. */
static void use_columns(struct checker *checker, struct projection *projection, struct expr **expr)
{
	for (uint32_t i = 0; i < projection->count; i++)
		if (expr_same(projection->items[i].expr, *expr)) {
			uint32_t at = (*expr)->at;

			*expr = make(checker, EXPR_VARIABLE, at, 0);
			(*expr)->slot = projection->items[i].slot;
			return;
		}
	for (uint32_t i = 0; i < (*expr)->count; i++)
		if ((*expr)->items[i])
			use_columns(checker, projection, &(*expr)->items[i]);
}

static int check_count(struct checker *checker, struct expr *expr, const char *clause)
{
	struct scope none = {0}, scope = checker->scope;
	unsigned kinds;
	int result;

	if (!expr)
		return 0;
	checker->scope = none;
	result = check_expr(checker, expr, &kinds);
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

	if (merged)
		checker->scope = (struct scope){0};
	else
		projection->keep_scope = projection->sort_count || projection->where;
	for (uint32_t i = 0; i < projection->count; i++)
		check_declare(checker, projection->items[i].name, projection->items[i].slot,
			      projection->items[i].kinds);
	for (uint32_t i = 0; i < projection->sort_count; i++) {
		struct expr **expr = &projection->sorts[i].expr;

		if ((*expr)->type != EXPR_VARIABLE || !check_find(checker, (*expr)->name))
			use_columns(checker, projection, expr);
		if (expr_aggregates(*expr))
			return check_fail(checker, (*expr)->at,
					  "ORDER BY takes an aggregate only when it is a column, "
					  "too");
		if (check_expr(checker, *expr, &kinds) != 0)
			return -1;
	}
	if (!projection->where)
		return 0;
	if (merged)
		use_columns(checker, projection, &projection->where);
	return check_condition(checker, projection->where);
}

static int check_projection(struct checker *checker, struct clause *clause)
{
	struct projection *projection = &clause->projection;
	struct scope scope;

	if (projection->star && add_star(checker, projection, clause->at) != 0)
		return -1;
	for (uint32_t i = 0; i < projection->count; i++)
		if (check_item(checker, clause, &projection->items[i]) != 0)
			return -1;
	for (uint32_t i = 0; i < projection->count; i++) {
		if (projection->items[i].aggregates &&
		    check_grouped(checker, projection, projection->items[i].expr) != 0)
			return -1;
		projection->items[i].slot = check_new_slot(checker, true);
	}
	scope = checker->scope;
	projection->scope_count = scope.count;
	projection->scope =
		arena_alloc(&checker->query->arena, (scope.count + 1) * sizeof(*projection->scope));
	for (uint32_t i = 0; i < scope.count; i++)
		projection->scope[i] = scope.items[i].slot;
	if (check_count(checker, projection->skip, "SKIP") != 0 ||
	    check_count(checker, projection->limit, "LIMIT") != 0 ||
	    check_after(checker, clause) != 0)
		return -1;
	checker->scope = (struct scope){0};
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
	check_declare(checker, clause->name, clause->slot, KIND_ANY);
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
		if (before->type == CLAUSE_WITH)
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
static bool ignores_repetition(const struct clause *clause, const struct clause *end)
{
	const struct projection *projection;

	while (clause < end && (clause->type == CLAUSE_MATCH || clause->type == CLAUSE_UNWIND))
		clause++;
	if (clause == end || clause->type == CLAUSE_GRAPH)
		return false;
	projection = &clause->projection;
	for (uint32_t i = 0; i < projection->aggregate_count; i++) {
		const struct expr *call = projection->aggregates[i];

		if (!call->distinct && call->function->aggregate != MIN &&
		    call->function->aggregate != MAX)
			return false;
	}
	return projection->distinct || projection->grouped;
}

int query_check(struct query *query, struct engine *engine, const struct parameter *parameters,
		uint32_t parameter_count, struct error *error)
{
	struct checker checker = {.query = query,
				  .engine = engine,
				  .parameters = parameters,
				  .parameter_count = parameter_count,
				  .error = error};

	for (uint32_t i = 0; i < query->clause_count; i++) {
		struct clause *clause = &query->clauses[i], *last = clause + 1;
		uint32_t slots = query->slot_count;
		int result = clause->type == CLAUSE_MATCH    ? check_match(&checker, clause)
			     : clause->type == CLAUSE_UNWIND ? check_unwind(&checker, clause)
			     : clause->type == CLAUSE_GRAPH  ? check_graph(&checker, clause)
							     : check_projection(&checker, clause);

		if (result != 0)
			return -1;
		clause->match.first_slot = slots;
		if (clause->type == CLAUSE_MATCH &&
		    last == &query->clauses[query->clause_count - 1] && last->type == CLAUSE_GRAPH)
			clause->walk = walk_fits(&clause->match, slots, query->slot_count);
	}
	for (uint32_t i = 0; i < query->clause_count; i++) {
		struct clause *clause = &query->clauses[i];

		if (clause->type == CLAUSE_MATCH && only_ends_count(&clause->match))
			clause->match.reachability = ignores_repetition(
				clause + 1, query->clauses + query->clause_count);
	}
	return 0;
}
