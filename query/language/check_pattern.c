/* query/language/check_pattern.c: the variables and conditions of patterns. */
#include <stdlib.h>
#include <string.h>

#include "query/language/check.h"
#include "query/language/match.h"
#include "util/memory.h"

/* The variable of a vertex or edge: known before, or declared here. */
static int check_element(struct checker *checker, struct element *element, unsigned kinds,
			 bool may_declare)
{
	struct variable *variable = element->name ? check_find(checker, element->name) : NULL;

	if (!variable) {
		if (element->name && !may_declare)
			return check_fail(checker, element->at,
					  "there is no variable '%s' here: a pattern in a "
					  "condition declares none, EXISTS { } does",
					  element->name);
		element->declared = true;
		element->slot = check_new_slot(checker, false);
		if (element->name && check_is_outside(checker, element->name))
			check_note(checker, element->at,
				   "'%s' is not the one outside of this CALL, which CALL (%s) "
				   "would hand in",
				   element->name, element->name);
		if (element->name)
			check_declare(checker, element->name, element->slot, kinds);
		return 0;
	}
	element->slot = variable->slot;
	if (variable->kinds != KIND(VALUE_NULL) &&
	    (!(PLAIN_KINDS(variable->kinds) & kinds) || kinds & KIND(VALUE_LIST)))
		return check_fail(checker, element->at, "'%s' is already something else: %s",
				  element->name,
				  value_type_name((enum value_type)__builtin_ctz(
					  variable->kinds & ~1u ? variable->kinds & ~1u : 1)));
	return 0;
}

struct expr *check_make(struct checker *checker, enum expr_type type, uint32_t at, uint32_t count)
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
				    bool of_edge, const char *key, struct expr *value)
{
	struct expr *comparison = check_make(checker, EXPR_COMPARE, element->at, 2);
	struct expr *property = check_make(checker, EXPR_PROPERTY, value->at, 1);

	property->name = key;
	property->of_vertex = engine_column(checker->engine, false, key);
	property->of_edge = engine_column(checker->engine, true, key);
	property->items[0] = check_make(checker, EXPR_VARIABLE, element->at, 0);
	property->items[0]->slot = element->slot;
	checker->used[element->slot]++;
	if (value->type == EXPR_LITERAL || value->type == EXPR_PARAMETER)
		check_sorts(checker, value->at,
			    check_column(of_edge ? property->of_edge : property->of_vertex),
			    KIND(value->literal.type));
	comparison->items[0] = property;
	comparison->items[1] = value;
	comparison->operators = arena_alloc(&checker->query->arena, sizeof(enum comparison));
	comparison->operators[0] = COMPARE_EQUAL;
	return comparison;
}

/* {key: value, ...} becomes variable.key = value AND ... */
static int check_properties(struct checker *checker, struct element *element, bool of_edge)
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
		all = check_make(checker, EXPR_AND, map->at, values->count);
		for (uint32_t i = 0; i < values->count; i++) {
			struct expr *value = check_make(checker, EXPR_LITERAL, map->at, 0);

			value->literal = values->entries[i].value;
			all->items[i] = make_comparison(checker, element, of_edge,
							values->entries[i].key, value);
		}
	} else {
		all = check_make(checker, EXPR_AND, map->at, map->count);
		for (uint32_t i = 0; i < map->count; i++)
			all->items[i] = make_comparison(checker, element, of_edge, map->keys[i],
							map->items[i]);
	}
	element->properties = all;
	return 0;
}

static int check_element_conditions(struct checker *checker, struct element *element, bool of_edge)
{
	struct variable *variable;
	unsigned kinds;
	int result;

	if (check_properties(checker, element, of_edge) != 0)
		return -1;
	if (!element->where)
		return 0;
	variable = element->name ? check_find(checker, element->name) : NULL;
	kinds = variable ? variable->kinds : 0;
	/* in the condition on a range its variable is each single edge */
	if (variable && of_edge)
		variable->kinds = KIND(VALUE_EDGE);
	result = check_condition(checker, element->where);
	variable = element->name ? check_find(checker, element->name) : NULL;
	if (variable)
		variable->kinds = kinds;
	return result;
}

/* (a)-[list*]->(b) with a list from before the MATCH: over just those edges, in their order. */
static int check_range_list(struct checker *checker, struct path_pattern *path,
			    struct edge_pattern *edge)
{
	const struct variable *list = check_find(checker, edge->element.name);

	if (!checker->bound[list->slot] || !(list->kinds & KIND(VALUE_LIST)))
		return check_fail(checker, edge->element.at,
				  "'%s' is already something else: a range declares its variable, "
				  "or takes a list of edges from before",
				  edge->element.name);
	edge->element.slot = list->slot;
	path->choose = path->selector != SELECT_ALL;
	return 0;
}

/* Inside of the group each name is one part, outside the list of them all. */
static void set_group_kinds(struct checker *checker, const struct edge_pattern *edge, bool inside)
{
	const struct element *const parts[] = {&edge->group->left, &edge->element,
					       &edge->group->right};

	for (unsigned i = 0; i < 3; i++) {
		unsigned kind = parts[i] == &edge->element ? KIND(VALUE_EDGE) : KIND(VALUE_VERTEX);
		struct variable *variable =
			parts[i]->name ? check_find(checker, parts[i]->name) : NULL;

		if (variable)
			variable->kinds = inside ? kind : LIST_OF(kind);
	}
}

static int check_group_names(struct checker *checker, struct group *group)
{
	struct element *const nodes[] = {&group->left, &group->right};

	for (unsigned i = 0; i < 2; i++)
		if (check_element(checker, nodes[i], LIST_OF(KIND(VALUE_VERTEX)), true) != 0)
			return -1;
	return 0;
}

static int check_group_conditions(struct checker *checker, struct edge_pattern *edge)
{
	struct group *group = edge->group;
	int result;

	set_group_kinds(checker, edge, true);
	result = check_element_conditions(checker, &group->left, false);
	if (result == 0)
		result = check_element_conditions(checker, &edge->element, true);
	if (result == 0)
		result = check_element_conditions(checker, &group->right, false);
	if (result == 0 && group->where)
		result = check_condition(checker, group->where);
	set_group_kinds(checker, edge, false);
	return result;
}

static int check_edge(struct checker *checker, struct path_pattern *path, uint32_t index,
		      bool may_declare)
{
	struct edge_pattern *edge = &path->edges[index];
	unsigned kinds = edge->variable ? LIST_OF(KIND(VALUE_EDGE)) : KIND(VALUE_EDGE);
	bool declares = !edge->element.name || !check_find(checker, edge->element.name);

	if (edge->group && !declares)
		return check_fail(checker, edge->element.at,
				  "'%s' is already something else: a group declares its names",
				  edge->element.name);
	if (edge->variable && !declares)
		return check_range_list(checker, path, edge);
	if (edge->variable && edge->least > edge->most)
		check_note(checker, edge->element.at,
			   "the range is empty: nothing is at least %u and at most %u edges long",
			   edge->least, edge->most);
	if (path->legacy && !edge->variable)
		return check_fail(checker, edge->element.at,
				  "a shortest path needs a range, like -[*]->");
	if (path->legacy && edge->least > 1)
		return check_fail(checker, edge->element.at,
				  "a shortest path starts with a length of 0 or 1: ANY SHORTEST "
				  "may be longer");
	if (path->selector != SELECT_ALL && edge->least > 1 && !path->choose) {
		/* breadth first would miss the longer ones */
		path->groups |= path->selector == SELECT_ALL_SHORTEST;
		path->k = path->selector == SELECT_SHORTEST_K ? path->k : 1;
		path->selector = SELECT_SHORTEST_K;
	}
	if (check_element(checker, &edge->element, kinds, may_declare) != 0)
		return -1;
	return edge->group ? check_group_names(checker, edge->group) : 0;
}

static int check_path(struct checker *checker, struct path_pattern *path, bool may_declare)
{
	if (path->legacy && path->edge_count != 1)
		return check_fail(checker, path->at,
				  "shortestPath() takes one edge: ANY SHORTEST takes more");
	path->choose =
		path->selector != SELECT_ALL && (path->edge_count != 1 || !path->edges[0].variable);
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

static void check_path_labels(struct checker *checker, struct path_pattern *path)
{
	for (uint32_t i = 0; i <= path->edge_count; i++) {
		struct edge_pattern *edge;

		check_labels(checker, &path->nodes[i].labels, false);
		if (i == path->edge_count)
			continue;
		edge = &path->edges[i];
		check_labels(checker, &edge->element.labels, true);
		if (edge->group) {
			check_labels(checker, &edge->group->left.labels, false);
			check_labels(checker, &edge->group->right.labels, false);
		}
	}
}

static int check_path_conditions(struct checker *checker, struct path_pattern *path)
{
	for (uint32_t i = 0; i <= path->edge_count; i++) {
		if (check_element_conditions(checker, &path->nodes[i], false) != 0)
			return -1;
		if (i == path->edge_count)
			continue;
		if (path->edges[i].group
			    ? check_group_conditions(checker, &path->edges[i]) != 0
			    : check_element_conditions(checker, &path->edges[i].element, true) != 0)
			return -1;
	}
	return 0;
}

bool check_only_ends_count(const struct match *match)
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
	       !match_names_group(range) && (range->to_left != range->to_right || !range->least);
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

int check_patterns(struct checker *checker, struct match *match, bool may_declare)
{
	for (uint32_t p = 0; p < match->count; p++)
		if (check_path(checker, &match->paths[p], may_declare) != 0)
			return -1;
	if (check_edges_differ(checker, match) != 0)
		return -1;
	for (uint32_t p = 0; p < match->count; p++)
		check_path_labels(checker, &match->paths[p]);
	check_calls(checker, match); /* conditions have patterns of their own */
	for (uint32_t p = 0; p < match->count; p++)
		if (check_path_conditions(checker, &match->paths[p]) != 0)
			return -1;
	if (match->where && check_condition(checker, match->where) != 0)
		return -1;
	check_calls(checker, match);
	return 0;
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
	match->reachability = check_only_ends_count(match);
	result = match_plan(checker->query, match, bound, checker->error);
	free(bound);
	return result;
}
