/* render/group.c: see group.h. */
#include "render/group.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "graph/dot_names.h"
#include "graph/fields.h"
#include "graph/library_frames.h"
#include "render/style.h"
#include "util/memory.h"

enum { NAME_LIMIT = 200 };

/* The leading frame without its "file:line"; NULL: there is none. */
static char *function_of(const char *callpath)
{
	const char *frame, *next, *end;

	if (!callpath || !*callpath)
		return NULL;
	frame = leading_frame(callpath);
	end = frame_text_end(frame, &next);
	return xstrndup(frame, (size_t)(frame_function_end(frame, end) - frame));
}

static char *file_of(const char *callpath)
{
	char *where = render_where(callpath, 0);

	if (where)
		*strrchr(where, ':') = '\0';
	return where;
}

/* main() is no group: what it calls is told apart by its line, "main:32". */
static char *function_group_of(const char *callpath)
{
	char *function = function_of(callpath), *where, *name;

	if (!function || strcmp(function, "main") != 0)
		return function;
	where = render_where(callpath, 0);
	name = where ? xasprintf("main%s", strrchr(where, ':')) : NULL;
	free(where);
	if (!name)
		return function;
	free(function);
	return name;
}

static char *path_of(const char *callpath)
{
	char *function = function_of(callpath), *path;
	const char *callers = function ? strstr(leading_frame(callpath), " < ") : NULL;

	path = function ? xasprintf("%s%s", function, callers ? callers : "") : NULL;
	free(function);
	return path;
}

/* The only object that the vertex writes, by index of the vertex; UINT32_MAX: none, or several. */
static uint32_t *written_objects(const struct graph *graph)
{
	uint32_t *objects = xcalloc(graph->vertex_count, sizeof(*objects));
	bool *several = xcalloc(graph->vertex_count, sizeof(*several));

	for (uint32_t i = 0; i < graph->vertex_count; i++)
		objects[i] = graph_vertex_is(&graph->vertices[i], "alloc") ? graph->vertices[i].id
									   : UINT32_MAX;
	for (uint32_t i = 0; i < graph->edge_count; i++) {
		const struct graph_edge *edge = &graph->edges[i];

		if (edge->access != GRAPH_WRITE || !(edge->fields & EDGE_OBJECT))
			continue;
		if (objects[edge->to] != UINT32_MAX && objects[edge->to] != edge->object)
			several[edge->to] = true;
		objects[edge->to] = edge->object;
	}
	for (uint32_t i = 0; i < graph->vertex_count; i++)
		if (several[i])
			objects[i] = UINT32_MAX;
	free(several);
	return objects;
}

static char *object_name(const struct graph *graph, uint32_t object)
{
	uint32_t site = graph_find(graph, object);
	char *where = NULL, *name;

	if (object == UINT32_MAX)
		return NULL;
	if (site != UINT32_MAX)
		where = render_where(graph->vertices[site].callpath, 0);
	name = where ? xasprintf("object #%u, %s", object, where) : xasprintf("object #%u", object);
	free(where);
	return name;
}

/* Where a vertex ran, as far as the events say. */
struct place {
	bool known, several;
	uint32_t process, device, stream;
};

static struct place *find_places(const struct graph *graph, const struct profile *run)
{
	struct place *places = xcalloc(graph->vertex_count, sizeof(*places));

	for (uint32_t i = 0; run && i < run->event_rows; i++) {
		const struct profile_event *event = &run->events[i];
		uint32_t index = graph_find(graph, event->vertex);
		struct place *place = &places[index == UINT32_MAX ? 0 : index];

		if (index == UINT32_MAX)
			continue;
		place->several |= place->known && (place->process != event->process ||
						   place->device != event->device ||
						   place->stream != event->stream);
		place->known = true;
		place->process = event->process;
		place->device = event->device;
		place->stream = event->stream;
	}
	return places;
}

/* Allocations belong to no stream's work, even those that are made in its order. */
static char *stream_name(const struct graph_vertex *vertex, const struct place *place,
			 const struct profile *run)
{
	char process[32] = "", device[32] = "";

	if (!place->known || place->several || graph_vertex_is(vertex, "alloc"))
		return NULL;
	if (run->process_count > 1)
		snprintf(process, sizeof(process), "process %u, ",
			 run->processes[place->process].pid);
	if (place->device)
		snprintf(device, sizeof(device), "device %u, ", place->device);
	return place->stream ? xasprintf("%s%sstream %u", process, device, place->stream)
			     : xasprintf("%s%sdefault stream", process, device);
}

struct member {
	char *key; /* NULL: stays alone */
	uint32_t index;
};

static int compare_members(const void *left, const void *right)
{
	const struct member *a = left, *b = right;
	int order = a->key && b->key ? strcmp(a->key, b->key) : !b->key - !a->key;

	return order ? order : a->index < b->index ? -1 : a->index > b->index;
}

static struct member *find_members(const struct graph *graph, enum group_by by,
				   const struct profile *run)
{
	struct member *members = xcalloc(graph->vertex_count, sizeof(*members));
	uint32_t *objects = by == GROUP_OBJECT ? written_objects(graph) : NULL;
	struct place *places = by == GROUP_STREAM ? find_places(graph, run) : NULL;

	for (uint32_t i = 0; i < graph->vertex_count; i++) {
		const char *callpath = graph->vertices[i].callpath;

		members[i].index = i;
		if (graph_vertex_is(&graph->vertices[i], "host"))
			continue;
		members[i].key = by == GROUP_FILE        ? file_of(callpath)
				 : by == GROUP_FUNCTION  ? function_group_of(callpath)
				 : by == GROUP_CALL_PATH ? path_of(callpath)
				 : by == GROUP_STREAM
					 ? stream_name(&graph->vertices[i], &places[i], run)
					 : object_name(graph, objects[i]);
	}
	free(objects);
	free(places);
	qsort(members, graph->vertex_count, sizeof(*members), compare_members);
	return members;
}

/* The first of the report's findings that is about any of them. */
static void take_number(struct graph_vertex *group, const struct graph_vertex *member)
{
	uint32_t number = render_finding(member), before = render_finding(group);
	const char *share = graph_attribute(&member->attributes, DOT_FINDING_SHARE);

	if (!number || (before && number >= before))
		return;
	graph_set_attribute(&group->attributes, DOT_FINDING,
			    graph_attribute(&member->attributes, DOT_FINDING));
	if (share)
		graph_set_attribute(&group->attributes, DOT_FINDING_SHARE, share);
}

/* In the graph of two runs: what became of all of them, or that something did. */
static void take_change(struct graph_attributes *group, const struct graph_attributes *member)
{
	const char *one = graph_attribute(member, DOT_CHANGE);
	const char *before = graph_attribute(group, DOT_CHANGE);

	if (one && (!before || strcmp(before, one) != 0))
		graph_set_attribute(group, DOT_CHANGE, before ? "changed" : one);
}

static void copy_vertex(struct graph_vertex *to, const struct graph_vertex *from)
{
	fields_copy(graph_vertex_fields, to, from);
	if (!to->name || !*to->name) {
		free(to->name);
		to->name = xstrdup(from->node);
	}
	take_number(to, from);
	take_change(&to->attributes, &from->attributes);
}

static void add_member(struct graph_vertex *group, const struct graph_vertex *member)
{
	fields_merge(graph_vertex_fields, group, member);
	if (group->kind && member->kind && strcmp(group->kind, member->kind) != 0) {
		free(group->kind);
		group->kind = xstrdup("group");
	}
	take_number(group, member);
	take_change(&group->attributes, &member->attributes);
}

static int compare_firsts(const void *left, const void *right)
{
	const uint32_t *a = left, *b = right;

	return *a < *b ? -1 : *a > *b;
}

/* Sets group_of[vertex] to the vertex of the new graph. */
static void add_groups(struct graph *new, const struct graph *graph, const struct member *members,
		       enum group_by by, uint32_t *group_of)
{
	uint32_t *first_of = xcalloc(graph->vertex_count, sizeof(*first_of)), at = 0;
	uint32_t *firsts = xcalloc(graph->vertex_count, sizeof(*firsts)), count = 0;
	uint32_t *sizes = xcalloc(graph->vertex_count, sizeof(*sizes));
	const char **names = xcalloc(graph->vertex_count, sizeof(*names));

	for (uint32_t i = 0; i < graph->vertex_count; i++) {
		bool same = i && members[i].key && members[i - 1].key &&
			    !strcmp(members[i].key, members[i - 1].key);

		at = same ? at : members[i].index;
		if (!same)
			firsts[count++] = at;
		first_of[members[i].index] = at;
		sizes[at]++;
		names[at] = members[i].key;
	}
	qsort(firsts, count, sizeof(*firsts), compare_firsts); /* the order of the graph */
	for (uint32_t i = 0; i < count; i++) {
		const struct graph_vertex *first = &graph->vertices[firsts[i]];

		group_of[firsts[i]] = new->vertex_count;
		copy_vertex(graph_add_vertex(new, first->id), first);
	}
	for (uint32_t i = 0; i < graph->vertex_count; i++) {
		group_of[i] = group_of[first_of[i]];
		if (first_of[i] != i)
			add_member(&new->vertices[group_of[i]], &graph->vertices[i]);
	}
	for (uint32_t i = 0; i < count; i++) {
		struct graph_vertex *group = &new->vertices[group_of[firsts[i]]];
		char *name;

		if (sizes[firsts[i]] < 2)
			continue;
		free(group->name);
		name = by == GROUP_FUNCTION ? render_short_name(names[firsts[i]], NAME_LIMIT)
					    : render_cut_end(names[firsts[i]], NAME_LIMIT);
		group->name = xasprintf("%s (%u)", name, sizes[firsts[i]]);
		free(name);
		group->fields |= VERTEX_NAME;
	}
	free(first_of);
	free(firsts);
	free(sizes);
	free(names);
}

struct bundle {
	uint32_t from, to;
	const struct graph_edge *edge;
};

static int compare_ends(const void *left, const void *right)
{
	const struct bundle *a = left, *b = right;

	if (a->from != b->from)
		return a->from < b->from ? -1 : 1;
	if (a->to != b->to)
		return a->to < b->to ? -1 : 1;
	if (a->edge->access != b->edge->access)
		return a->edge->access < b->edge->access ? -1 : 1;
	if (render_is_bridge(a->edge) != render_is_bridge(b->edge))
		return render_is_bridge(a->edge) ? 1 : -1;
	return a->edge < b->edge ? -1 : a->edge > b->edge;
}

static void add_edges(struct graph *new, const struct graph *graph, const uint32_t *group_of)
{
	struct bundle *bundles = xcalloc(graph->edge_count, sizeof(*bundles));
	struct graph_edge *sum = NULL;

	for (uint32_t i = 0; i < graph->edge_count; i++)
		bundles[i] = (struct bundle){group_of[graph->edges[i].from],
					     group_of[graph->edges[i].to], &graph->edges[i]};
	qsort(bundles, graph->edge_count, sizeof(*bundles), compare_ends);
	for (uint32_t i = 0; i < graph->edge_count; i++) {
		const struct graph_edge *edge = bundles[i].edge;

		if (!sum || sum->from != bundles[i].from || sum->to != bundles[i].to ||
		    sum->access != edge->access ||
		    render_is_bridge(sum) != render_is_bridge(edge)) {
			sum = graph_add_edge(new, bundles[i].from, bundles[i].to);
			fields_copy(graph_edge_fields, sum, edge);
			sum->fields &= ~(uint32_t)EDGE_REDUNDANCY; /* follows from the sums */
			if (render_is_bridge(edge))
				graph_set_attribute(&sum->attributes, DOT_BRIDGED, "true");
			take_change(&sum->attributes, &edge->attributes);
			continue;
		}
		fields_merge(graph_edge_fields, sum, edge);
		take_change(&sum->attributes, &edge->attributes);
		if (!(sum->fields & EDGE_OBJECT)) /* the size is the object's */
			sum->fields &= ~(uint32_t)EDGE_OBJECT_BYTES;
	}
	free(bundles);
}

struct graph *group_graph(const struct graph *graph, enum group_by by, const struct profile *run,
			  uint32_t **ids, struct error *error)
{
	struct member *members = find_members(graph, by, run);
	uint32_t *group_of = xcalloc(graph->vertex_count, sizeof(*group_of));
	struct graph *new = graph_new();
	bool any = false;

	add_groups(new, graph, members, by, group_of);
	add_edges(new, graph, group_of);
	for (uint32_t i = 0; i < graph->vertex_count; i++) {
		any |= members[i].key != NULL;
		free(members[i].key);
	}
	free(members);
	for (uint32_t i = 0; i < graph->vertex_count; i++)
		group_of[i] = new->vertices[group_of[i]].id;
	*ids = group_of;
	if (any || !graph->vertex_count)
		return new;
	free(group_of);
	graph_free(new);
	error_set(error, "nothing to group by: no operation says its %s",
		  by == GROUP_OBJECT   ? "object"
		  : by == GROUP_STREAM ? "stream"
				       : "call path");
	return NULL;
}
