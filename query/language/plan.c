/* query/language/plan.c: in which order the parts of a MATCH are looked for. */
#include <string.h>

#include "query/language/match.h"

struct condition {
	struct expr *expr; /* NULL: has its place */
	bool own;          /* stands inside the pattern */
};

struct planner {
	struct query *query;
	struct match *match;
	bool *bound;
	struct error *error;
	struct condition *conditions;
	uint32_t condition_count, condition_capacity;
	const bool *held; /* what WHERE may ask for before the shortest are chosen; NULL: all */
};

static bool is_ready(const struct expr *expr, const bool *bound);

static bool element_ready(const struct element *element, const bool *bound)
{
	return (element->declared || bound[element->slot]) &&
	       (!element->properties || is_ready(element->properties, bound)) &&
	       (!element->where || is_ready(element->where, bound));
}

/* Whether every variable of the expression is bound. */
static bool is_ready(const struct expr *expr, const bool *bound)
{
	if (expr->type == EXPR_VARIABLE && !bound[expr->slot])
		return false;
	if (expr->type == EXPR_PATTERN) {
		const struct path_pattern *path = expr->match->paths;

		for (uint32_t i = 0; i <= path->edge_count; i++)
			if (!element_ready(&path->nodes[i], bound) ||
			    (i && !element_ready(&path->edges[i - 1].element, bound)))
				return false;
	}
	for (uint32_t i = 0; expr->subquery && i < expr->subquery->outer_count; i++)
		if (!bound[expr->subquery->outer[i]])
			return false;
	for (uint32_t i = 0; i < expr->count; i++)
		if (expr->items[i] && !is_ready(expr->items[i], bound))
			return false;
	return true;
}

static void add_condition(struct planner *planner, struct expr *expr, bool own)
{
	ARENA_RESERVE(&planner->query->arena, planner->conditions, planner->condition_count,
		      planner->condition_capacity);
	planner->conditions[planner->condition_count++] = (struct condition){expr, own};
}

static void add_conjuncts(struct planner *planner, struct expr *expr, bool own)
{
	if (expr && expr->type == EXPR_AND)
		for (uint32_t i = 0; i < expr->count; i++)
			add_conjuncts(planner, expr->items[i], own);
	else if (expr)
		add_condition(planner, expr, own);
}

/* The check has made of {key: value} an AND of comparisons. */
static void add_element(struct planner *planner, struct element *element)
{
	add_conjuncts(planner, element->properties, true);
	add_conjuncts(planner, element->where, true);
}

/* Hands the conditions that are ready to the step. */
static void settle(struct planner *planner, struct step *step)
{
	for (uint32_t i = 0; i < planner->condition_count; i++) {
		struct expr *condition = planner->conditions[i].expr;

		if (!condition || !is_ready(condition, planner->bound) ||
		    (planner->held && !planner->conditions[i].own &&
		     !is_ready(condition, planner->held)))
			continue;
		ARENA_RESERVE(&planner->query->arena, step->filters, step->filter_count,
			      step->filter_capacity);
		step->filters[step->filter_count++] = condition;
		planner->conditions[i].expr = NULL;
	}
}

static struct step *add_step(struct planner *planner, struct path_pattern *path,
			     enum step_type type)
{
	struct match *match = planner->match;
	struct step *step;

	ARENA_RESERVE(&planner->query->arena, match->steps, match->step_count,
		      match->step_capacity);
	step = &match->steps[match->step_count++];
	*step = (struct step){.type = type, .path = path};
	return step;
}

static bool is_id_of(const struct expr *expr, uint32_t slot)
{
	bool has = (expr->type == EXPR_PROPERTY && !strcmp(expr->name, "id") && expr->of_vertex &&
		    expr->of_vertex->hidden) ||
		   (expr->type == EXPR_CALL && !strcasecmp(expr->function->name, "id"));

	return has && expr->items[0]->type == EXPR_VARIABLE && expr->items[0]->slot == slot;
}

/* The value that a condition demands of the vertex' id: a look-up instead of a search. */
static struct expr *seek_of(const struct planner *planner, const struct element *node)
{
	uint32_t slot = node->slot;

	/* calls and objects have ids of their own */
	for (uint32_t i = 0; i < planner->condition_count && !node->calls; i++) {
		const struct expr *condition = planner->conditions[i].expr;

		if (!condition || condition->type != EXPR_COMPARE || condition->count != 2 ||
		    condition->operators[0] != COMPARE_EQUAL)
			continue;
		for (unsigned side = 0; side < 2; side++)
			if (is_id_of(condition->items[side], slot) &&
			    is_ready(condition->items[!side], planner->bound))
				return condition->items[!side];
	}
	return NULL;
}

/* Whether the expression is the same for every vertex that a step looks at, and cheap. */
static bool is_steady(const struct expr *expr, const bool *bound)
{
	if (expr->type == EXPR_PATTERN || expr->type == EXPR_SUBQUERY ||
	    (expr->type == EXPR_CALL && !strcasecmp(expr->function->name, "rand")))
		return false;
	for (uint32_t i = 0; i < expr->count; i++)
		if (expr->items[i] && !is_steady(expr->items[i], bound))
			return false;
	return expr->type != EXPR_VARIABLE || bound[expr->slot];
}

static void add_lookups(struct planner *planner, struct step *step, const struct expr *condition,
			const bool *before)
{
	if (condition->type != EXPR_COMPARE || condition->count != 2 ||
	    condition->operators[0] != COMPARE_EQUAL)
		return;
	for (unsigned side = 0; side < 2; side++) {
		const struct expr *key = condition->items[side], *value = condition->items[!side];

		if (key->type != EXPR_PROPERTY || !key->of_vertex ||
		    key->items[0]->type != EXPR_VARIABLE || key->items[0]->slot != step->to->slot ||
		    !is_steady(value, before))
			continue;
		ARENA_RESERVE(&planner->query->arena, step->lookups, step->lookup_count,
			      step->lookup_capacity);
		step->lookups[step->lookup_count++] = (struct lookup){.key = key, .value = value};
	}
}

/* Hands the step its conditions, and what they say about the vertex that it comes to. */
static void settle_vertex(struct planner *planner, struct step *step)
{
	uint32_t slots = planner->query->slot_count;
	bool *before = arena_alloc(&planner->query->arena, slots + 1);

	memcpy(before, planner->bound, slots);
	planner->bound[step->to->slot] = true;
	if (step->edge)
		planner->bound[step->edge->element.slot] = true;
	settle(planner, step);
	if (step->to_bound || step->seek || step->edge_bound ||
	    (step->edge && (step->edge->variable || step->path->selector != SELECT_ALL)))
		return;
	for (uint32_t i = 0; i < step->filter_count; i++)
		add_lookups(planner, step, step->filters[i], before);
}

/* Bound before, known by its id, one with labels, or the first. */
static uint32_t choose_start(const struct planner *planner, const struct path_pattern *path)
{
	uint32_t best = 0;
	int best_score = -1;

	for (uint32_t i = 0; i <= path->edge_count; i++) {
		const struct element *node = &path->nodes[i];
		int score = planner->bound[node->slot] ? 3
			    : seek_of(planner, node)   ? 2
			    : node->labels.count       ? 1
						       : 0;

		if (score > best_score) {
			best = i;
			best_score = score;
		}
	}
	return best;
}

static int plan_edge(struct planner *planner, struct path_pattern *path, uint32_t edge,
		     bool backwards)
{
	struct step *step = add_step(planner, path, STEP_EDGE);
	bool *bound = planner->bound;
	struct group *group;
	uint32_t slot;

	step->edge = &path->edges[edge];
	group = step->edge->group;
	slot = step->edge->element.slot;
	step->from = &path->nodes[edge + backwards];
	step->to = &path->nodes[edge + !backwards];
	step->backwards = backwards;
	step->to_bound = bound[step->to->slot];
	step->edge_bound = bound[slot];
	if (step->edge->variable) {
		struct planner single = {.query = planner->query};

		add_element(&single, &step->edge->element);
		bound[slot] = true;
		if (group) {
			add_element(&single, &group->left);
			add_element(&single, &group->right);
			add_conjuncts(&single, group->where, true);
			bound[group->left.slot] = bound[group->right.slot] = true;
		}
		for (uint32_t i = 0; i < single.condition_count; i++)
			if (!is_ready(single.conditions[i].expr, bound))
				return query_error_at(planner->error, planner->query->text,
						      single.conditions[i].expr->at,
						      "a condition on the edges of a range may "
						      "only use what was matched before it");
		for (uint32_t i = 0; i < single.condition_count; i++) {
			ARENA_RESERVE(&planner->query->arena, step->edge_filters,
				      step->edge_filter_count, step->edge_filter_capacity);
			step->edge_filters[step->edge_filter_count++] = single.conditions[i].expr;
		}
	}
	settle_vertex(planner, step);
	return 0;
}

static void plan_vertex(struct planner *planner, struct path_pattern *path, uint32_t node)
{
	struct step *step = add_step(planner, path, STEP_VERTEX);

	step->to = &path->nodes[node];
	step->to_bound = planner->bound[step->to->slot];
	if (!step->to_bound)
		step->seek = seek_of(planner, step->to);
	settle_vertex(planner, step);
}

/* From any vertex over one edge: that is every edge, and faster in the order of the edges. */
static void may_scan(struct match *match, uint32_t first)
{
	struct step *vertex = &match->steps[first], *edge = vertex + 1;

	if (first + 2 != match->step_count || vertex->to_bound || vertex->seek ||
	    vertex->filter_count || vertex->to->labels.count || edge->type != STEP_EDGE ||
	    edge->edge->variable || edge->edge_bound || edge->path->selector != SELECT_ALL)
		return;
	vertex->scan = edge->edge->to_left != edge->edge->to_right;
}

/* Until the shortest have been chosen, WHERE is asked only about the ends and what was before. */
static const bool *hold(struct planner *planner, const struct path_pattern *path)
{
	uint32_t slots = planner->query->slot_count;
	bool *held = arena_alloc(&planner->query->arena, slots + 1);

	memcpy(held, planner->bound, slots);
	held[path->nodes[0].slot] = held[path->nodes[path->edge_count].slot] = true;
	return held;
}

static int plan_path(struct planner *planner, struct path_pattern *path)
{
	uint32_t start = choose_start(planner, path), first = planner->match->step_count;
	struct step *step;

	planner->held = path->choose ? hold(planner, path) : NULL;
	plan_vertex(planner, path, start);
	/* one search finds the shortest paths to all ends, but k of them only to one end */
	if ((path->selector == SELECT_SHORTEST_K && !path->choose) ||
	    (path->selector != SELECT_ALL && !path->choose &&
	     seek_of(planner, &path->nodes[!start])))
		plan_vertex(planner, path, !start);
	for (uint32_t e = start; e < path->edge_count; e++)
		if (plan_edge(planner, path, e, false) != 0)
			return -1;
	for (uint32_t e = start; e > 0; e--)
		if (plan_edge(planner, path, e - 1, true) != 0)
			return -1;
	if (path->choose) {
		step = add_step(planner, path, STEP_CHOOSE);
		planner->match->steps[first].choose = planner->match->step_count - 1;
		planner->held = NULL;
		settle(planner, step);
	}
	may_scan(planner->match, first);
	if (path->name) {
		step = add_step(planner, path, STEP_PATH);
		planner->bound[path->slot] = true;
		settle(planner, step);
	}
	return 0;
}

int match_plan(struct query *query, struct match *match, bool *bound, struct error *error)
{
	struct planner planner = {.query = query, .match = match, .bound = bound, .error = error};
	struct step *last;

	add_conjuncts(&planner, match->where, false);
	for (uint32_t p = 0; p < match->count; p++) {
		struct path_pattern *path = &match->paths[p];

		for (uint32_t i = 0; i <= path->edge_count; i++) {
			add_element(&planner, &path->nodes[i]);
			if (i && !path->edges[i - 1].variable)
				add_element(&planner, &path->edges[i - 1].element);
		}
	}
	for (uint32_t p = 0; p < match->count; p++)
		if (plan_path(&planner, &match->paths[p]) != 0)
			return -1;
	query->step_count += match->step_count;
	if (query->step_count > STEP_LIMIT)
		return query_error_at(error, query->text, match->paths[0].at,
				      "the patterns of a query have at most %d vertices and edges",
				      STEP_LIMIT);
	last = &match->steps[match->step_count - 1];
	for (uint32_t i = 0; i < planner.condition_count; i++) {
		struct expr *condition = planner.conditions[i].expr;

		if (!condition)
			continue;
		ARENA_RESERVE(&query->arena, last->filters, last->filter_count,
			      last->filter_capacity);
		last->filters[last->filter_count++] = condition;
	}
	return 0;
}
