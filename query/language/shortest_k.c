/*
 * query/language/shortest_k.c: the k shortest trails to an end, or all trails of the k shortest
 * lengths.
 *
 * A* with the exact distance to the end as the estimate: beginnings of trails wait in one heap per
 * length that they will have at least, so nearly only what becomes an answer is looked at.
 */
#include <stdlib.h>
#include <string.h>

#include "query/language/match.h"
#include "util/memory.h"

#define NONE UINT32_MAX

/* The beginning of a trail: one edge more than another beginning. */
struct trail {
	uint32_t before; /* NONE: starts here */
	uint32_t edge, vertex, length;
	uint32_t next; /* that waits for the same length */
};

struct trails {
	struct run *run;
	const struct step *step;
	uint32_t *distance; /* to the end; NONE: does not get there */
	uint32_t *queue;    /* room for all vertices */
	struct trail *items;
	uint32_t count, capacity;
	uint32_t *waiting, lengths; /* per whole length: the first that waits */
	bool (*arrive)(void *data, uint32_t vertex, const uint32_t *edges, uint32_t count);
	void *data;
};

/* How far every vertex is from the end, going against the direction of the pattern. */
static bool measure(struct trails *trails, uint32_t end)
{
	const struct step *step = trails->step;
	uint32_t count = trails->run->engine->vertex_count, tail = 0, edge, other;

	memset(trails->distance, 0xff, count * sizeof(*trails->distance));
	trails->distance[end] = 0;
	trails->queue[tail++] = end;
	for (uint32_t head = 0; head < tail; head++) {
		uint32_t at = trails->queue[head];
		struct cursor cursor =
			cursor_start(trails->run->engine, at, step->edge, !step->backwards);

		while (cursor_next(&cursor, &edge, &other)) {
			if (!run_step(trails->run))
				return false;
			if (trails->distance[other] != NONE || !match_edge(trails->run, step, edge))
				continue;
			trails->distance[other] = trails->distance[at] + 1;
			trails->queue[tail++] = other;
		}
	}
	return true;
}

static bool has_edge(const struct trails *trails, uint32_t at, uint32_t edge)
{
	for (; trails->items[at].before != NONE; at = trails->items[at].before)
		if (trails->items[at].edge == edge)
			return true;
	return false;
}

static void add(struct trails *trails, uint32_t before, uint32_t edge, uint32_t vertex)
{
	uint32_t length = before == NONE ? 0 : trails->items[before].length + 1;
	uint32_t whole = trails->distance[vertex], old = trails->capacity;

	if (whole == NONE || whole > trails->step->edge->most - length)
		return;
	whole += length;
	ARRAY_RESERVE(trails->items, trails->count, trails->capacity);
	trails->run->elsewhere += (trails->capacity - old) * sizeof(*trails->items);
	if (whole >= trails->lengths) {
		uint32_t lengths = 2 * whole + 64;

		trails->waiting = xreallocarray(trails->waiting, lengths, sizeof(*trails->waiting));
		memset(trails->waiting + trails->lengths, 0xff,
		       (lengths - trails->lengths) * sizeof(*trails->waiting));
		trails->lengths = lengths;
	}
	trails->items[trails->count] =
		(struct trail){before, edge, vertex, length, trails->waiting[whole]};
	trails->waiting[whole] = trails->count++;
}

static bool arrive(struct trails *trails, uint32_t at)
{
	uint32_t length = trails->items[at].length, vertex = trails->items[at].vertex;
	uint32_t *edges = xcalloc((size_t)length + 1, sizeof(*edges));
	bool more;

	for (uint32_t i = length; i > 0; i--) {
		edges[i - 1] = trails->items[at].edge;
		at = trails->items[at].before;
	}
	more = trails->arrive(trails->data, vertex, edges, length);
	free(edges);
	return more;
}

/* distance[] is that to the target. */
static bool search(struct trails *trails, uint32_t start, uint32_t target)
{
	const struct path_pattern *path = trails->step->path;
	uint32_t found = 0, last = NONE, edge, other;
	bool more = true;

	trails->count = 0;
	if (trails->lengths)
		memset(trails->waiting, 0xff, trails->lengths * sizeof(*trails->waiting));
	add(trails, NONE, 0, start);
	for (uint32_t whole = 0; more && whole < trails->lengths;) {
		uint32_t at = trails->waiting[whole], vertex;
		struct cursor cursor;

		if (at == NONE) {
			whole++;
			continue;
		}
		trails->waiting[whole] = trails->items[at].next;
		vertex = trails->items[at].vertex;
		if (vertex == target && trails->items[at].length >= trails->step->edge->least) {
			found += !path->groups || whole != last;
			last = whole;
			if (found > path->k)
				break;
			more = arrive(trails, at);
		}
		cursor = cursor_start(trails->run->engine, vertex, trails->step->edge,
				      trails->step->backwards);
		while (more && cursor_next(&cursor, &edge, &other)) {
			more = run_work(trails->run, 1 + trails->items[at].length / 64, 0);
			if (!has_edge(trails, at, edge) &&
			    match_edge(trails->run, trails->step, edge))
				add(trails, at, edge, other);
		}
	}
	return more && !trails->run->failed;
}

bool shortest_k_run(struct run *run, const struct step *step, uint32_t start, uint32_t target,
		    bool (*arrive)(void *data, uint32_t vertex, const uint32_t *edges,
				   uint32_t count),
		    void *data)
{
	size_t vertices = run->engine->vertex_count;
	struct trails trails = {
		.run = run,
		.step = step,
		.distance = xcalloc(vertices, sizeof(*trails.distance)),
		.queue = xcalloc(vertices, sizeof(*trails.queue)),
		.arrive = arrive,
		.data = data,
	};
	bool more = measure(&trails, target) && search(&trails, start, target);

	run->elsewhere -= trails.capacity * sizeof(*trails.items);
	free(trails.distance);
	free(trails.queue);
	free(trails.items);
	free(trails.waiting);
	return more && !run->failed;
}
