#include "query/language/choice.h"
#include "query/language/match.h"

#include <stdlib.h>
#include <string.h>

#include "util/memory.h"

struct matcher {
	struct run *run;
	struct match *match;
	bool (*emit)(void *data);
	void *data;
};

/* What a step that is under way needs to go on with the next. */
struct arrival {
	struct matcher *matcher;
	uint32_t step;
};

static bool run_steps(struct matcher *matcher, uint32_t index);

/* -- edges at a vertex -- */

struct cursor cursor_start(const struct engine *engine, uint32_t vertex,
			   const struct edge_pattern *edge, bool backwards)
{
	bool both = edge->to_left == edge->to_right;
	bool incoming = !both && edge->to_left != backwards;
	const uint32_t *first = incoming ? engine->in_first : engine->out_first;

	return (struct cursor){engine, vertex, first[vertex], first[vertex + 1], incoming, both};
}

bool cursor_next(struct cursor *cursor, uint32_t *edge, uint32_t *other)
{
	const struct engine *engine = cursor->engine;

	for (;;) {
		if (cursor->at < cursor->end) {
			*edge = (cursor->incoming ? engine->in : engine->out)[cursor->at++];
			*other = (cursor->incoming ? engine->from : engine->to)[*edge];
			/* in either direction a loop is one edge, not two */
			if (cursor->both && cursor->incoming && *other == cursor->vertex)
				continue;
			return true;
		}
		if (!cursor->both || cursor->incoming)
			return false;
		cursor->incoming = true;
		cursor->at = engine->in_first[cursor->vertex];
		cursor->end = engine->in_first[cursor->vertex + 1];
	}
}

/* -- conditions -- */

bool match_filters(struct run *run, struct expr **filters, uint32_t count)
{
	struct arena_mark mark = arena_mark(&run->scratch);
	bool holds = true;

	for (uint32_t i = 0; i < count && holds; i++)
		holds = eval_condition(run, filters[i]) == TRUTH_TRUE;
	arena_release(&run->scratch, mark);
	return holds && !run->failed;
}

bool match_type(const struct engine *engine, const struct step *step, uint32_t edge)
{
	const struct labels *labels = &step->edge->element.labels;

	if (edge >= engine->flow_edges && !step->edge->element.calls && !step->edge_bound)
		return false;
	return labels_hold(engine, labels, value_edge(edge));
}

static uint32_t group_end(const struct engine *engine, const struct edge_pattern *pattern,
			  uint32_t edge, bool right)
{
	return (pattern->to_left == right ? engine->from : engine->to)[edge];
}

void match_bind_group(struct run *run, const struct edge_pattern *edge)
{
	const struct value_list *edges = run->row[edge->element.slot].list;

	for (unsigned right = 0; right < 2; right++) {
		const struct element *node = right ? &edge->group->right : &edge->group->left;
		struct value_list *list;

		if (!node->name)
			continue;
		list = value_new_list(&run->scratch, edges->count);
		for (uint32_t i = 0; i < edges->count; i++)
			list->items[i] = value_vertex(
				group_end(run->engine, edge, edges->items[i].index, right));
		run->row[node->slot] = value_of_list(list);
	}
}

/* One repetition: its labels and conditions. */
static bool group_holds(struct run *run, const struct step *step, uint32_t edge)
{
	const struct edge_pattern *pattern = step->edge;
	struct value left = value_vertex(group_end(run->engine, pattern, edge, false));
	struct value right = value_vertex(group_end(run->engine, pattern, edge, true));
	struct value *slots[] = {&run->row[pattern->group->left.slot],
				 &run->row[pattern->group->right.slot],
				 &run->row[pattern->element.slot]};
	struct value before[] = {*slots[0], *slots[1], *slots[2]};
	bool holds = labels_hold(run->engine, &pattern->group->left.labels, left) &&
		     labels_hold(run->engine, &pattern->group->right.labels, right);

	*slots[0] = left;
	*slots[1] = right;
	*slots[2] = value_edge(edge);
	holds = holds && match_filters(run, step->edge_filters, step->edge_filter_count);
	for (unsigned i = 0; i < 3; i++)
		*slots[i] = before[i];
	return holds;
}

bool match_edge(struct run *run, const struct step *step, uint32_t edge)
{
	const struct element *element = &step->edge->element;
	struct value *slot = &run->row[element->slot], before = *slot;
	bool holds;

	if (!match_type(run->engine, step, edge))
		return false;
	if (step->edge->group)
		return group_holds(run, step, edge);
	if (!step->edge_filter_count)
		return true;
	*slot = value_edge(edge);
	holds = match_filters(run, step->edge_filters, step->edge_filter_count);
	*slot = before;
	return holds;
}

/* Binds the vertex at the end of a step, or compares it with what is bound. */
static bool take_vertex(struct run *run, const struct step *step, uint32_t vertex)
{
	struct value *slot = &run->row[step->to->slot];

	if (step->to_bound) {
		if (slot->type != VALUE_VERTEX || slot->index != vertex)
			return false;
	} else {
		*slot = value_vertex(vertex);
	}
	return labels_hold(run->engine, &step->to->labels, value_vertex(vertex)) &&
	       match_filters(run, step->filters, step->filter_count);
}

/* -- single edges -- */

static bool is_used(const struct match *match, uint32_t edge)
{
	return match->used[edge / 64] >> edge % 64 & 1;
}

static void flip_used(struct match *match, uint32_t edge)
{
	match->used[edge / 64] ^= UINT64_C(1) << edge % 64;
}

static bool take_edge(struct matcher *matcher, uint32_t index, uint32_t edge, uint32_t other)
{
	const struct step *step = &matcher->match->steps[index];
	struct run *run = matcher->run;
	bool more = true;

	if (is_used(matcher->match, edge) || !match_edge(run, step, edge))
		return true;
	if (!step->edge_bound)
		run->row[step->edge->element.slot] = value_edge(edge);
	if (!take_vertex(run, step, other))
		return !run->failed;
	flip_used(matcher->match, edge);
	more = run_steps(matcher, index + 1);
	flip_used(matcher->match, edge);
	return more;
}

static bool run_edge(struct matcher *matcher, uint32_t index, uint32_t start)
{
	struct step *step = &matcher->match->steps[index];
	struct run *run = matcher->run;
	const struct engine *engine = run->engine;
	struct cursor cursor = cursor_start(engine, start, step->edge, step->backwards);
	struct arena_mark mark = arena_mark(&run->scratch);
	uint32_t found = 0, *edges = lookup_edges(run, step, &cursor, &found);
	struct value wanted = run->row[step->edge->element.slot];
	uint32_t edge, other;
	bool more = true;

	for (uint32_t i = 0; more && i < found; i++) {
		other = engine->from[edges[i]] == start ? engine->to[edges[i]]
							: engine->from[edges[i]];
		more = run_step(run) && take_edge(matcher, index, edges[i], other);
	}
	arena_release(&run->scratch, mark);
	if (edges)
		return more && !run->failed;
	while (cursor_next(&cursor, &edge, &other)) {
		if (step->edge_bound && (wanted.type != VALUE_EDGE || wanted.index != edge))
			continue;
		if (!run_step(run) || !take_edge(matcher, index, edge, other))
			return false;
	}
	return true;
}

/* Every edge, for a vertex before it of which nothing is asked. */
static bool run_scan(struct matcher *matcher, uint32_t index)
{
	const struct step *step = &matcher->match->steps[index];
	struct run *run = matcher->run;
	const struct engine *engine = run->engine;
	bool incoming = step->edge->to_left != step->backwards;
	const uint32_t *starts = incoming ? engine->to : engine->from;
	const uint32_t *ends = incoming ? engine->from : engine->to;

	for (uint32_t edge = 0; edge < match_edges(engine, step); edge++) {
		run->row[step->from->slot] = value_vertex(starts[edge]);
		if (!run_step(run) || !take_edge(matcher, index, edge, ends[edge]))
			return false;
	}
	return true;
}

/* -- ranges -- */

/* At the end of a walk over `count` edges: goes on with the next step. */
static bool arrive(void *data, uint32_t vertex, const uint32_t *edges, uint32_t count)
{
	struct arrival *arrival = data;
	struct matcher *matcher = arrival->matcher;
	const struct step *step = &matcher->match->steps[arrival->step];
	struct run *run = matcher->run;
	struct arena_mark mark = arena_mark(&run->scratch);
	bool more = true;

	if (edges && (step->edge->element.name || step->path->name || step->path->choose ||
		      match_names_group(step->edge) || matcher->match->keep_paths)) {
		struct value_list *list = value_new_list(&run->scratch, count);

		for (uint32_t i = 0; i < count; i++)
			list->items[step->backwards ? count - 1 - i : i] = value_edge(edges[i]);
		run->row[step->edge->element.slot] = value_of_list(list);
		if (step->edge->group)
			match_bind_group(run, step->edge);
	}
	if (take_vertex(run, step, vertex))
		more = run_steps(matcher, arrival->step + 1);
	arena_release(&run->scratch, mark);
	return more && !run->failed;
}

/* Depth first over all trails, on a stack of its own: trails are as long as the graph is large. */
static bool run_trails(struct matcher *matcher, uint32_t index, uint32_t start)
{
	const struct step *step = &matcher->match->steps[index];
	struct arrival arrival = {matcher, index};
	struct run *run = matcher->run;
	struct cursor *cursors = NULL;
	uint32_t *edges = NULL, depth = 0, capacity = 0, edge_capacity = 0, edge, other;
	bool more = true;

	ARRAY_RESERVE(edges, depth, edge_capacity);
	if (!step->edge->least)
		more = arrive(&arrival, start, edges, 0);
	ARRAY_RESERVE(cursors, depth, capacity);
	cursors[0] = cursor_start(run->engine, start, step->edge, step->backwards);
	if (!step->edge->most)
		cursors[0].at = cursors[0].end = cursors[0].both = 0;
	while (more && run_step(run)) {
		if (!cursor_next(&cursors[depth], &edge, &other)) {
			if (!depth)
				break;
			flip_used(matcher->match, edges[--depth]);
			continue;
		}
		if (is_used(matcher->match, edge) || !match_edge(run, step, edge))
			continue;
		flip_used(matcher->match, edge);
		ARRAY_RESERVE(edges, depth, edge_capacity);
		edges[depth++] = edge;
		if (depth >= step->edge->least)
			more = arrive(&arrival, other, edges, depth);
		if (depth == step->edge->most) {
			flip_used(matcher->match, edges[--depth]);
			continue;
		}
		ARRAY_RESERVE(cursors, depth, capacity);
		cursors[depth] = cursor_start(run->engine, other, step->edge, step->backwards);
	}
	while (depth)
		flip_used(matcher->match, edges[--depth]);
	free(edges);
	free(cursors);
	return more && !run->failed;
}

/* Over just the edges of a list, in its order. */
static bool run_list_of_edges(struct matcher *matcher, uint32_t index, uint32_t start)
{
	const struct step *step = &matcher->match->steps[index];
	struct value value = matcher->run->row[step->edge->element.slot];
	struct arrival arrival = {matcher, index};
	uint32_t count, done = 0, at = start, edge, other;
	bool fits = true, more = true;

	if (value.type != VALUE_LIST)
		return true;
	count = value.list->count;
	if (count < step->edge->least || count > step->edge->most)
		return true;
	while (fits && done < count && run_step(matcher->run)) {
		struct value item = value.list->items[step->backwards ? count - 1 - done : done];
		struct cursor cursor =
			cursor_start(matcher->run->engine, at, step->edge, step->backwards);

		fits = false;
		while (!fits && item.type == VALUE_EDGE && cursor_next(&cursor, &edge, &other))
			fits = edge == item.index && !is_used(matcher->match, edge) &&
			       match_edge(matcher->run, step, edge);
		if (!fits)
			break;
		flip_used(matcher->match, edge);
		done++;
		at = other;
	}
	if (fits && !matcher->run->failed)
		more = arrive(&arrival, at, NULL, 0);
	while (done) {
		done--;
		flip_used(matcher->match,
			  value.list->items[step->backwards ? count - 1 - done : done].index);
	}
	return more && !matcher->run->failed;
}

/* Breadth first: every end once, when nothing else of the walk is asked for. */
static bool run_reach(struct matcher *matcher, uint32_t index, uint32_t start)
{
	struct step *step = &matcher->match->steps[index];
	struct arrival arrival = {matcher, index};
	struct run *run = matcher->run;
	uint32_t count = run->engine->vertex_count, head = 0, tail = 0, level_end, depth = 0;
	uint32_t edge, other;
	bool more = true;

	if (!step->queue) {
		step->queue = arena_alloc(&run->whole, ((size_t)count + 1) * sizeof(uint32_t));
		step->seen = arena_alloc(&run->whole, ((size_t)count + 1) * sizeof(uint32_t));
	}
	step->round += !matcher->match->started;
	matcher->match->started = matcher->match->any_start;
	if (step->seen[start] == step->round) /* from here all has been seen */
		return true;
	step->queue[tail++] = start;
	if (!step->edge->least) {
		step->seen[start] = step->round;
		more = arrive(&arrival, start, NULL, 0);
	}
	while (more && head < tail && depth++ < step->edge->most) {
		for (level_end = tail; more && head < level_end; head++) {
			struct cursor cursor = cursor_start(run->engine, step->queue[head],
							    step->edge, step->backwards);

			while (more && cursor_next(&cursor, &edge, &other)) {
				more = run_step(run);
				if (step->seen[other] == step->round ||
				    !match_edge(run, step, edge))
					continue;
				step->seen[other] = step->round;
				if (other != start)
					step->queue[tail++] = other;
				more = more && arrive(&arrival, other, NULL, 0);
			}
		}
	}
	return more && !run->failed;
}

/* -- paths -- */

static struct value path_value(struct run *run, const struct path_pattern *path)
{
	const struct engine *engine = run->engine;
	uint32_t length = 0, at = 0, vertex;
	struct value_path *made;

	for (uint32_t e = 0; e < path->edge_count; e++) {
		struct value value = run->row[path->edges[e].element.slot];

		length += path->edges[e].variable ? value.list->count : 1;
	}
	made = arena_alloc(&run->scratch,
			   sizeof(*made) + (2 * (size_t)length + 1) * sizeof(*made->items));
	made->length = length;
	made->items[at++] = vertex = run->row[path->nodes[0].slot].index;
	for (uint32_t e = 0; e < path->edge_count; e++) {
		struct value value = run->row[path->edges[e].element.slot];
		uint32_t count = path->edges[e].variable ? value.list->count : 1;

		for (uint32_t i = 0; i < count; i++) {
			uint32_t edge =
				path->edges[e].variable ? value.list->items[i].index : value.index;

			vertex = engine->from[edge] == vertex ? engine->to[edge]
							      : engine->from[edge];
			made->items[at++] = edge;
			made->items[at++] = vertex;
		}
	}
	return (struct value){.type = VALUE_PATH, .path = made};
}

static bool run_path(struct matcher *matcher, uint32_t index)
{
	const struct step *step = &matcher->match->steps[index];
	struct run *run = matcher->run;
	struct arena_mark mark = arena_mark(&run->scratch);
	bool more = true;

	run->row[step->path->slot] = path_value(run, step->path);
	if (match_filters(run, step->filters, step->filter_count))
		more = run_steps(matcher, index + 1);
	arena_release(&run->scratch, mark);
	return more && !run->failed;
}

/* -- steps -- */

static bool run_vertex(struct matcher *matcher, uint32_t index)
{
	struct step *step = &matcher->match->steps[index];
	struct run *run = matcher->run;
	uint32_t first = 0, all = match_vertices(run->engine, step->to), end = all;
	uint32_t vertex, found;
	const uint32_t *vertices = NULL;

	if (step->to_bound) {
		struct value value = run->row[step->to->slot];

		if (value.type != VALUE_VERTEX)
			return true;
		first = value.index;
		end = first + 1;
	} else if (step->seek) {
		struct arena_mark mark = arena_mark(&run->scratch);
		struct value id = eval(run, step->seek);

		arena_release(&run->scratch, mark);
		first = id.type == VALUE_INTEGER ? engine_find(run->engine, id.integer)
						 : UINT32_MAX;
		if (id.type == VALUE_FLOAT) /* 5.0 is 5, too: look at all */
			first = 0;
		else
			end = first == UINT32_MAX ? 0 : first + 1;
	}
	if (lookup_find(run, step, end - first, &vertices, &found))
		end = found;
	else
		vertices = NULL;
	for (uint32_t v = first; v < end; v++) {
		vertex = vertices ? vertices[v] : v;
		if (!run_step(run))
			return false;
		if (vertices && vertex >= all) /* of a kind that the pattern is not about */
			continue;
		if (take_vertex(run, step, vertex) && !run_steps(matcher, index + 1))
			return false;
		if (run->failed)
			return false;
	}
	return true;
}

/* Looks for all fits of a path, and goes on with the shortest. */
static bool run_choice(struct matcher *matcher, uint32_t index)
{
	uint32_t end = matcher->match->steps[index].choose;
	struct step *last = &matcher->match->steps[end];
	struct run *run = matcher->run;
	struct choice *choice = last->choice = choice_new(last->path);
	bool more = run_vertex(matcher, index);

	last->choice = NULL;
	while (more) {
		struct arena_mark mark = arena_mark(&run->scratch);
		bool found = choice_next(choice, run);

		if (found && match_filters(run, last->filters, last->filter_count))
			more = run_steps(matcher, end + 1);
		arena_release(&run->scratch, mark);
		if (!found)
			break;
	}
	choice_free(choice, run);
	return more && !run->failed;
}

static bool run_steps(struct matcher *matcher, uint32_t index)
{
	const struct step *step = &matcher->match->steps[index];
	struct run *run = matcher->run;
	struct arrival arrival = {matcher, index};
	struct value from, to;

	if (index == matcher->match->step_count)
		return matcher->emit(matcher->data);
	if (step->type == STEP_CHOOSE)
		return choice_add(step->choice, run);
	if (step->choose)
		return run_choice(matcher, index);
	if (step->type == STEP_VERTEX)
		return step->scan ? run_scan(matcher, index + 1) : run_vertex(matcher, index);
	if (step->type == STEP_PATH)
		return run_path(matcher, index);
	from = run->row[step->from->slot];
	if (from.type != VALUE_VERTEX)
		return true;
	if (step->path->selector != SELECT_ALL && !step->path->choose) {
		uint32_t target = UINT32_MAX;

		to = run->row[step->to->slot];
		if (step->to_bound && to.type != VALUE_VERTEX)
			return true;
		if (step->to_bound)
			target = to.index;
		return (step->path->selector == SELECT_SHORTEST_K ? shortest_k_run : shortest_run)(
			run, step, from.index, target, arrive, &arrival);
	}
	if (!step->edge->variable)
		return run_edge(matcher, index, from.index);
	if (step->edge_bound)
		return run_list_of_edges(matcher, index, from.index);
	if (matcher->match->reachability)
		return run_reach(matcher, index, from.index);
	return run_trails(matcher, index, from.index);
}

bool match_run(struct run *run, struct match *match, bool (*emit)(void *data), void *data)
{
	struct matcher matcher = {run, match, emit, data};

	if (!match->used)
		match->used = arena_alloc(&run->whole,
					  (run->engine->edge_count / 64 + 1) * sizeof(uint64_t));
	match->started = false;
	return run_steps(&matcher, 0) && !run->failed;
}

static bool stop(void *data)
{
	*(bool *)data = true;
	return false;
}

bool match_exists(struct run *run, struct match *match)
{
	bool found = false;

	match_run(run, match, stop, &found);
	return found;
}
