#include "query/language/walk.h"

#include <stdlib.h>
#include <string.h>

#include "query/language/match.h"
#include "util/memory.h"

enum { MOVE_LIMIT = 200 }; /* of one MATCH; each holds a set of vertices */

/* The steps of a match, ranges taken apart. */
enum move_type {
	MOVE_EDGE,    /* over one edge */
	MOVE_MAYBE,   /* over one edge or none */
	MOVE_CLOSURE, /* over any number */
	MOVE_ARRIVE,  /* the vertex after a range meets its conditions */
};

struct move {
	enum move_type type;
	const struct step *step;
};

/* One direction from the start of a pattern; sets[i] is what is reached before moves[i]. */
struct arm {
	struct move *moves;
	uint32_t count, capacity;
	bool **sets; /* count + 1 */
};

struct walk {
	struct run *run;
	const struct clause *graph;
	const struct walk_source *source; /* or NULL */
	uint32_t *queue;                  /* room for all vertices */
	bool *reached, *whole;            /* room for sets */
};

/* -- whether it fits -- */

static bool uses_only(const struct expr *expr, const bool *allowed, uint32_t first_slot)
{
	if (expr->type == EXPR_VARIABLE && expr->slot >= first_slot && !allowed[expr->slot])
		return false;
	if (expr->type == EXPR_PATTERN) {
		const struct path_pattern *path = expr->match->paths;

		for (uint32_t i = 0; i <= path->edge_count; i++) {
			const struct element *node = &path->nodes[i];

			if (!node->declared && node->slot >= first_slot && !allowed[node->slot])
				return false;
			if (i && !path->edges[i - 1].element.declared)
				return false;
		}
	}
	for (uint32_t i = 0; expr->subquery && i < expr->subquery->outer_count; i++)
		if (expr->subquery->outer[i] >= first_slot && !allowed[expr->subquery->outer[i]])
			return false;
	for (uint32_t i = 0; i < expr->count; i++)
		if (expr->items[i] && !uses_only(expr->items[i], allowed, first_slot))
			return false;
	return true;
}

static void allow_loops(const struct expr *expr, bool *allowed)
{
	if (EXPR_IS_LOOP(expr->type))
		allowed[expr->slot] = true;
	if (expr->type == EXPR_REDUCE)
		allowed[expr->second_slot] = true;
	for (uint32_t i = 0; i < expr->count; i++)
		if (expr->items[i])
			allow_loops(expr->items[i], allowed);
}

/* What the conditions of a range may ask for: the parts of one repetition. */
static void allow_range(const struct edge_pattern *edge, bool *allowed, bool may)
{
	allowed[edge->element.slot] = may;
	if (edge->group)
		allowed[edge->group->left.slot] = allowed[edge->group->right.slot] = may;
}

static bool step_fits(const struct step *step, bool *allowed, uint32_t first_slot)
{
	bool fits = true;

	if (step->type == STEP_PATH)
		return !step->filter_count;
	if (step->path->selector != SELECT_ALL ||
	    (step->to_bound && step->to->slot >= first_slot) || step->edge_bound)
		return false;
	allowed[step->to->slot] = true;
	if (step->edge)
		allowed[step->edge->element.slot] = !step->edge->variable;
	for (uint32_t i = 0; i < step->filter_count && fits; i++) {
		allow_loops(step->filters[i], allowed);
		fits = uses_only(step->filters[i], allowed, first_slot);
	}
	if (step->edge)
		allow_range(step->edge, allowed, true);
	for (uint32_t i = 0; i < step->edge_filter_count && fits; i++) {
		allow_loops(step->edge_filters[i], allowed);
		fits = uses_only(step->edge_filters[i], allowed, first_slot);
	}
	allowed[step->to->slot] = false;
	if (step->edge)
		allow_range(step->edge, allowed, false);
	return fits;
}

/* How many moves the step takes. */
static uint32_t moves_of(const struct step *step)
{
	const struct edge_pattern *edge = step->edge;

	if (!edge)
		return 0;
	return edge->variable ? (edge->most == UNBOUNDED ? edge->least + 1 : edge->most) + 1 : 1;
}

bool walk_fits(const struct match *match, uint32_t first_slot, uint32_t slot_count)
{
	bool range = false, fits = !match->optional;
	uint64_t moves = 0;
	bool *allowed;

	for (uint32_t i = 0; i < match->step_count; i++) {
		range |= match->steps[i].edge && match->steps[i].edge->variable;
		moves += moves_of(&match->steps[i]);
	}
	if (!range || !fits || moves > MOVE_LIMIT)
		return false;
	allowed = xcalloc((size_t)slot_count + 1, sizeof(*allowed));
	for (uint32_t i = 0; i < match->step_count && fits; i++)
		fits = step_fits(&match->steps[i], allowed, first_slot);
	free(allowed);
	return fits;
}

/* -- what it has to do with slots from before -- */

/* Conservative: true as well where that is not easily decided. */
static bool mentions(const struct expr *expr, uint32_t slot)
{
	bool does = expr->type == EXPR_PATTERN || expr->subquery ||
		    (expr->type == EXPR_VARIABLE && expr->slot == slot);

	for (uint32_t i = 0; i < expr->count && !does; i++)
		does = expr->items[i] && mentions(expr->items[i], slot);
	return does;
}

static bool step_depends_on(const struct step *step, uint32_t slot)
{
	bool does = (step->to_bound && step->to->slot == slot) ||
		    (step->seek && mentions(step->seek, slot));

	for (uint32_t i = 0; i < step->filter_count && !does; i++)
		does = mentions(step->filters[i], slot);
	for (uint32_t i = 0; i < step->edge_filter_count && !does; i++)
		does = mentions(step->edge_filters[i], slot);
	return does;
}

static bool begins_at(const struct step *step, uint32_t slot)
{
	return step->type == STEP_VERTEX && step->to_bound && step->to->slot == slot;
}

bool walk_depends_on(const struct match *match, uint32_t slot)
{
	bool does = false;

	for (uint32_t i = 0; i < match->step_count && !does; i++)
		does = step_depends_on(&match->steps[i], slot);
	return does;
}

bool walk_begins_at(const struct match *match, uint32_t slot)
{
	bool begins = false;

	for (uint32_t i = 0; i < match->step_count; i++) {
		const struct step *step = &match->steps[i];

		if (begins_at(step, slot))
			begins = true;
		else if (step_depends_on(step, slot))
			return false;
	}
	return begins;
}

/* -- moves -- */

static bool vertex_holds(const struct walk *walk, const struct step *step, uint32_t vertex)
{
	struct run *run = walk->run;
	struct value *slot = &run->row[step->to->slot];

	if (walk->source && begins_at(step, walk->source->slot)) {
		if (!walk->source->vertices[vertex])
			return false;
		*slot = value_vertex(vertex);
	} else if (!step->to_bound)
		*slot = value_vertex(vertex);
	else if (slot->type != VALUE_VERTEX || slot->index != vertex)
		return false;
	return labels_hold(run->engine, &step->to->labels, value_vertex(vertex)) &&
	       match_filters(run, step->filters, step->filter_count);
}

static bool edge_holds(const struct walk *walk, const struct step *step, uint32_t edge, uint32_t to)
{
	struct run *run = walk->run;

	if (!match_edge(run, step, edge))
		return false;
	if (step->edge->variable)
		return true;
	run->row[step->edge->element.slot] = value_edge(edge);
	return vertex_holds(walk, step, to);
}

/* to = what `from` reaches by the move. */
static void forwards(struct walk *walk, const struct move *move, const bool *from, bool *to)
{
	struct run *run = walk->run;
	const struct step *step = move->step;
	uint32_t count = run->engine->vertex_count, tail = 0, edge, other;

	for (uint32_t v = 0; v < count; v++) {
		to[v] = from[v] && (move->type == MOVE_ARRIVE ? vertex_holds(walk, step, v)
							      : move->type != MOVE_EDGE);
		if (from[v] && move->type != MOVE_ARRIVE)
			walk->queue[tail++] = v;
	}
	for (uint32_t head = 0; head < tail; head++) {
		struct cursor cursor =
			cursor_start(run->engine, walk->queue[head], step->edge, step->backwards);

		while (cursor_next(&cursor, &edge, &other)) {
			if (!run_step(run))
				return;
			if (to[other] || !edge_holds(walk, step, edge, other))
				continue;
			to[other] = true;
			if (move->type == MOVE_CLOSURE)
				walk->queue[tail++] = other;
		}
	}
}

/* Leaves those in `from` that get to `to` by the move; keep_edge, unless NULL: the edges of it. */
static void backwards(struct walk *walk, const struct move *move, bool *from, const bool *to,
		      bool *keep_edge)
{
	struct run *run = walk->run;
	const struct step *step = move->step;
	uint32_t count = run->engine->vertex_count, tail = 0, edge, other;
	const bool *inside = from;
	bool *reached = walk->reached;

	if (move->type == MOVE_CLOSURE) { /* `to` may have been reduced since it was the closure */
		forwards(walk, move, from, walk->whole);
		inside = walk->whole;
	}
	for (uint32_t v = 0; v < count; v++) {
		reached[v] = to[v] && move->type != MOVE_EDGE;
		if (to[v] && move->type != MOVE_ARRIVE)
			walk->queue[tail++] = v;
	}
	for (uint32_t head = 0; head < tail; head++) {
		uint32_t end = walk->queue[head];
		struct cursor cursor = cursor_start(run->engine, end, step->edge, !step->backwards);

		while (cursor_next(&cursor, &edge, &other)) {
			if (!run_step(run))
				return;
			if (!inside[other] || (reached[other] && !keep_edge) ||
			    !edge_holds(walk, step, edge, end))
				continue;
			if (keep_edge)
				keep_edge[edge] = true;
			if (move->type == MOVE_CLOSURE && !reached[other])
				walk->queue[tail++] = other;
			reached[other] = true;
		}
	}
	for (uint32_t v = 0; v < count; v++)
		from[v] &= reached[v];
}

/* -- arms -- */

static bool is_wanted(const struct clause *graph, uint32_t slot, const struct path_pattern *path)
{
	for (uint32_t i = 0; i < graph->name_count; i++)
		if (graph->slots[i] == slot || (path->name && graph->slots[i] == path->slot))
			return true;
	return false;
}

static void add_move(struct walk *walk, struct arm *arm, const struct step *step,
		     enum move_type type)
{
	ARENA_RESERVE(&walk->run->scratch, arm->moves, arm->count, arm->capacity);
	arm->moves[arm->count++] = (struct move){type, step};
}

static void add_step(struct walk *walk, struct arm *arm, const struct step *step)
{
	const struct edge_pattern *edge = step->edge;

	if (!edge->variable) {
		add_move(walk, arm, step, MOVE_EDGE);
		return;
	}
	for (uint32_t i = 0; i < edge->least; i++)
		add_move(walk, arm, step, MOVE_EDGE);
	if (edge->most == UNBOUNDED)
		add_move(walk, arm, step, MOVE_CLOSURE);
	for (uint32_t i = edge->least; edge->most != UNBOUNDED && i < edge->most; i++)
		add_move(walk, arm, step, MOVE_MAYBE);
	add_move(walk, arm, step, MOVE_ARRIVE);
}

static void walk_arm(struct walk *walk, struct arm *arm, const bool *start, bool keep)
{
	struct run *run = walk->run;
	uint32_t count = run->engine->vertex_count;

	memcpy(arm->sets[0], start, count * sizeof(**arm->sets));
	for (uint32_t i = 0; i < arm->count; i++)
		forwards(walk, &arm->moves[i], arm->sets[i], arm->sets[i + 1]);
	for (uint32_t i = arm->count; i > 0; i--) {
		const struct step *step = arm->moves[i - 1].step;
		bool edges = keep && is_wanted(walk->graph, step->edge->element.slot, step->path);

		backwards(walk, &arm->moves[i - 1], arm->sets[i - 1], arm->sets[i],
			  edges ? run->keep_edge : NULL);
		if (!keep || (step->edge->variable && arm->moves[i - 1].type != MOVE_ARRIVE) ||
		    !is_wanted(walk->graph, step->to->slot, step->path))
			continue;
		for (uint32_t v = 0; v < count; v++)
			run->keep_vertex[v] |= arm->sets[i][v];
	}
}

/* Where the pattern can start. */
static void fill_start(const struct walk *walk, const struct step *step, bool *start)
{
	struct run *run = walk->run;
	uint32_t first = 0, end = match_vertices(run->engine, step->to);

	if (step->to_bound)
		end = run->engine->vertex_count;
	if (step->seek) {
		struct value id = eval(run, step->seek);

		if (id.type == VALUE_INTEGER) {
			first = engine_find(run->engine, id.integer);
			end = first == UINT32_MAX ? first : first + 1;
		}
	}
	for (uint32_t v = first; v < end && run_step(run); v++)
		start[v] = vertex_holds(walk, step, v);
}

/* A pattern from its first step on; with `keep`, the second time, `start` is what remained. */
static bool walk_path(struct walk *walk, const struct match *match, uint32_t first, bool *start,
		      bool keep)
{
	struct run *run = walk->run;
	uint32_t count = run->engine->vertex_count;
	const struct step *step = &match->steps[first];
	bool any = false;

	if (!keep)
		fill_start(walk, step, start);
	for (unsigned side = 0; side < 2; side++) {
		struct arena_mark mark = arena_mark(&run->scratch);
		struct arm arm = {0};

		for (uint32_t i = first + 1; i < match->step_count; i++) {
			if (match->steps[i].path != step->path)
				break;
			if (match->steps[i].type == STEP_EDGE && match->steps[i].backwards == side)
				add_step(walk, &arm, &match->steps[i]);
		}
		arm.sets = arena_alloc(&run->scratch, (arm.count + 1) * sizeof(*arm.sets));
		for (uint32_t i = 0; i <= arm.count; i++)
			arm.sets[i] = arena_alloc(&run->scratch, count + 1);
		walk_arm(walk, &arm, start, keep);
		for (uint32_t v = 0; v < count; v++)
			start[v] &= arm.sets[0][v];
		arena_release(&run->scratch, mark);
	}
	for (uint32_t v = 0; v < count; v++) {
		any |= start[v];
		if (keep && start[v] && is_wanted(walk->graph, step->to->slot, step->path))
			run->keep_vertex[v] = true;
	}
	return any;
}

/* The source's vertices that all patterns that begin there fit at: in `vertices` and each start. */
static bool agree_on_source(const struct walk *walk, const struct match *match, bool **starts)
{
	uint32_t count = walk->run->engine->vertex_count;
	bool *vertices = walk->source->vertices, any = false;

	for (uint32_t i = 0; i < match->step_count; i++)
		for (uint32_t v = 0; begins_at(&match->steps[i], walk->source->slot) && v < count;
		     v++)
			vertices[v] &= starts[i][v];
	for (uint32_t i = 0; i < match->step_count; i++)
		if (begins_at(&match->steps[i], walk->source->slot))
			memcpy(starts[i], vertices, count * sizeof(*vertices));
	for (uint32_t v = 0; v < count && !any; v++)
		any = vertices[v];
	return any;
}

bool walk_run(struct run *run, const struct match *match, const struct clause *graph,
	      const struct walk_source *source)
{
	const struct engine *engine = run->engine;
	struct arena_mark mark = arena_mark(&run->scratch);
	uint32_t count = engine->vertex_count;
	struct walk walk = {
		.run = run,
		.graph = graph,
		.source = source,
		.queue = xcalloc((size_t)count + 1, sizeof(*walk.queue)),
		.reached = xcalloc((size_t)count + 1, sizeof(bool)),
		.whole = xcalloc((size_t)count + 1, sizeof(bool)),
	};
	bool **starts = arena_alloc(&run->scratch, match->step_count * sizeof(*starts));
	bool all = true;

	/* every pattern has to fit somewhere before anything of them is kept */
	for (unsigned keep = 0; keep < 2 && all; keep++) {
		for (uint32_t i = 0; i < match->step_count && all && !run->failed; i++) {
			if (match->steps[i].type != STEP_VERTEX)
				continue;
			if (!keep)
				starts[i] = arena_alloc(&run->scratch, count + 1);
			all = walk_path(&walk, match, i, starts[i], keep);
		}
		if (!keep && all && source && !run->failed)
			all = agree_on_source(&walk, match, starts);
	}
	free(walk.queue);
	free(walk.reached);
	free(walk.whole);
	arena_release(&run->scratch, mark);
	return all && !run->failed;
}
