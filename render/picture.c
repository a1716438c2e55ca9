/*
 * render/picture.c: builds the picture of a graph, all but the positions.
 */
#include "render/picture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "graph/dot_names.h"
#include "render/describe.h"
#include "util/memory.h"
#include "util/size.h"
#include "util/text.h"

#define CIRCLE 9.0 /* diameter of a copy or set, in sizes of its letters */

enum {
	LABELS_ALL = 30,  /* up to here each edge has its figures */
	LABELS_SOME = 24, /* of more edges, the most important */
	NOTES = 8,        /* findings listed under the drawing */
	NAME_LIMIT = 30,  /* characters on a vertex */
	CIRCLE_LIMIT = 18,
	OUTER_LIMIT = 8, /* callers that are tried to tell vertices apart */
};

double picture_line_size(const struct picture_vertex *vertex, uint32_t index)
{
	return index ? vertex->font * RENDER_SMALL : vertex->font;
}

double picture_arrow(const struct picture_edge *edge)
{
	return 8 + 1.6 * edge->width;
}

/* The name without a place and figures on it; a vertex of foreign DOT may have no name. */
static char *shown_name(const struct graph_vertex *vertex, enum render_shape shape)
{
	const char *name = vertex->name && *vertex->name ? vertex->name : vertex->node;

	if (shape == SHAPE_OVAL)
		return render_short_name(name, NAME_LIMIT);
	return render_cut_end(name, shape == SHAPE_BOX || shape == SHAPE_OTHER ? NAME_LIMIT
									       : CIRCLE_LIMIT);
}

/*
 * Where the graph was launched whose node this is, ":34" in the file of `where`; NULL: it is none,
 * or no line is known.
 */
static char *launch_place(const char *callpath, const char *where)
{
	const char *launch = callpath ? strstr(callpath, " < " GRAPH_REPLAYED) : NULL;
	char *place = launch ? render_where(launch + 3, 0) : NULL;
	char *line = place ? strrchr(place, ':') : NULL;

	if (line && where && !strncmp(place, where, (size_t)(line - place) + 1))
		memmove(place, line, strlen(line) + 1);
	return place;
}

static void set_lines(struct picture_vertex *shown, uint32_t outer, uint64_t object_bytes)
{
	const struct graph_vertex *vertex = shown->vertex;
	bool wide = shown->shape == SHAPE_OVAL || shown->shape == SHAPE_BOX;
	uint32_t limit = wide ? NAME_LIMIT : CIRCLE_LIMIT + 4, count = 0;
	char *where = render_where(vertex->callpath, 0);
	char *caller = outer ? render_where(vertex->callpath, outer) : NULL;
	char *launch = launch_place(vertex->callpath, where);

	shown->lines[count++] = shown_name(vertex, shown->shape);
	/* a line that many share is a helper's, and says less than the caller that tells them apart
	 */
	if (where)
		shown->lines[count++] = render_cut_middle(caller ? caller : where, limit);
	if (caller) {
		char *cut = render_cut_middle(where, limit - 4);

		shown->lines[count++] = xasprintf("via %s", cut);
		free(cut);
	} else if (launch) {
		char *cut = render_cut_middle(launch, limit);

		shown->lines[count++] = xasprintf("replayed at %s", cut);
		free(cut);
	}
	if (shown->shape != SHAPE_HOST)
		shown->lines[count++] = describe_figures(vertex, object_bytes);
	if (render_change(&vertex->attributes) > CHANGE_SAME) {
		shown->finding_line = count;
		shown->lines[count] = xstrdup(graph_attribute(&vertex->attributes, DOT_CHANGE));
	} else if (vertex->patterns && *vertex->patterns && !render_change(&vertex->attributes)) {
		shown->finding_line = count;
		shown->lines[count] = describe_patterns(vertex->patterns, limit);
	}
	if (where)
		shown->place = xasprintf("%s%s%s%s%s", caller ? caller : where,
					 caller ? " via " : "", caller ? where : "",
					 launch ? ", replayed at " : "", launch ? launch : "");
	free(where);
	free(caller);
	free(launch);
}

/* A vertex by what it shows, to find those that show the same. */
struct lookalike {
	uint32_t index;
	const char *name, *callpath;
	char *where;
};

static int compare_looks(const void *left, const void *right)
{
	const struct lookalike *a = left, *b = right;
	int order = strcmp(a->name, b->name);

	if (!order)
		order = strcmp(a->where, b->where);
	return order ? order : a->index < b->index ? -1 : a->index > b->index;
}

static bool same_place(const char *callpath, const char *other, uint32_t depth)
{
	char *a = render_where(callpath, depth), *b = render_where(other, depth);
	bool same = a && b ? !strcmp(a, b) : a == b;

	free(a);
	free(b);
	return same;
}

/* Index of the first caller's place in which vertices of the same look differ; 0: none. */
static uint32_t distinguishing_depth(const struct lookalike *looks, uint32_t count)
{
	for (uint32_t depth = 1; count > 1 && depth <= OUTER_LIMIT; depth++)
		for (uint32_t i = 1; i < count; i++)
			if (!same_place(looks[0].callpath, looks[i].callpath, depth))
				return depth;
	return 0;
}

/*
 * Programs wrap CUDA calls in helpers, and then the innermost line says nothing: for vertices of
 * the same name and line, which caller tells them apart.  The caller frees.
 */
static uint32_t *find_outer_places(const struct picture *picture)
{
	uint32_t *outer = xcalloc(picture->vertex_count, sizeof(*outer)), count = 0;
	struct lookalike *looks = xcalloc(picture->vertex_count, sizeof(*looks));

	for (uint32_t i = 0; i < picture->vertex_count; i++) {
		const struct graph_vertex *vertex = picture->vertices[i].vertex;
		char *where = render_where(vertex->callpath, 0);

		if (where)
			looks[count++] =
				(struct lookalike){.index = i,
						   .name = vertex->name ? vertex->name : "",
						   .callpath = vertex->callpath,
						   .where = where};
	}
	qsort(looks, count, sizeof(*looks), compare_looks);
	for (uint32_t first = 0, next; first < count; first = next) {
		uint32_t depth;

		for (next = first + 1; next < count; next++)
			if (strcmp(looks[first].name, looks[next].name) != 0 ||
			    strcmp(looks[first].where, looks[next].where) != 0)
				break;
		depth = distinguishing_depth(&looks[first], next - first);
		for (uint32_t i = first; i < next; i++)
			outer[looks[i].index] = depth;
	}
	for (uint32_t i = 0; i < count; i++)
		free(looks[i].where);
	free(looks);
	return outer;
}

static bool is_bold(const struct picture_vertex *shown, uint32_t line)
{
	return !line || line == shown->finding_line;
}

/* The half width of an ellipse of this half height around lines of text that stand on its centre.
 */
static double ellipse_around(const struct picture_vertex *shown, double height, double half)
{
	double y = -height / 2, widest = 0;

	for (uint32_t i = 0; i < PICTURE_LINES && shown->lines[i]; i++) {
		double size = picture_line_size(shown, i), middle = y + size * RENDER_LINE / 2;
		double corner = (fabs(middle) + size * 0.36) / half;
		double width = render_text_width(shown->lines[i], size, is_bold(shown, i));

		widest = fmax(widest, (width / 2 + 5) / sqrt(1 - fmin(0.9, corner * corner)));
		y += size * RENDER_LINE;
	}
	return widest;
}

/* The smallest circle around the lines, by its diameter. */
static double circle_around(const struct picture_vertex *shown, double height)
{
	double diameter = height;

	for (int i = 0; i < 20; i++)
		diameter = fmax(height * 1.1,
				(diameter + 2 * ellipse_around(shown, height, diameter / 2)) / 2);
	return diameter;
}

/* A circle is as large as its font was to be; letters are made smaller where they do not fit. */
static void set_circle(struct picture_vertex *shown, double height)
{
	const double diameter = CIRCLE * shown->font;

	for (double around; (around = circle_around(shown, height)) > diameter + 0.5;) {
		height *= diameter / around;
		shown->font *= diameter / around;
	}
	shown->width = shown->height = diameter;
}

static void set_size(struct picture_vertex *shown)
{
	double width = 0, height = 0;

	for (uint32_t i = 0; i < PICTURE_LINES && shown->lines[i]; i++) {
		double size = picture_line_size(shown, i);

		width = fmax(width, render_text_width(shown->lines[i], size, is_bold(shown, i)));
		height += size * RENDER_LINE;
	}
	switch (shown->shape) {
	case SHAPE_OVAL:
		shown->height = height * 1.35 + 8;
		shown->width = 2 * ellipse_around(shown, height, shown->height / 2) + 4;
		break;
	case SHAPE_CIRCLE:
		set_circle(shown, height);
		break;
	case SHAPE_DIAMOND:
		shown->width = width * 1.5 + 24;
		shown->height = height * 1.9 + 10;
		break;
	default:
		shown->width = width + 20;
		shown->height = height + 12;
	}
}

/* Largest object of each site, by index of the site's vertex. */
static uint64_t *site_sizes(const struct graph *graph)
{
	uint64_t *sizes = xcalloc(graph->vertex_count, sizeof(*sizes));

	for (uint32_t i = 0; i < graph->edge_count; i++) {
		const struct graph_edge *edge = &graph->edges[i];
		uint32_t site;

		if (!(edge->fields & EDGE_OBJECT) || !(edge->fields & EDGE_OBJECT_BYTES))
			continue;
		site = graph_find(graph, edge->object);
		if (site != UINT32_MAX && edge->object_bytes > sizes[site])
			sizes[site] = edge->object_bytes;
	}
	return sizes;
}

static double vertex_scale(const struct graph_vertex *vertex, const struct render_metric *metric,
			   uint64_t most)
{
	uint64_t value = render_metric_of(vertex, metric);

	if (metric == &render_by_invocations)
		return render_vertex_scale(value);
	return render_vertex_share(value, most);
}

static uint32_t *add_vertices(struct picture *picture, const struct graph *graph, const bool *keep)
{
	uint32_t *index = xcalloc(graph->vertex_count, sizeof(*index));
	uint64_t *sizes = site_sizes(graph), most = 0;
	const struct render_metric *metric =
		picture->metric ? picture->metric : &render_by_invocations;
	uint32_t *outer;

	for (uint32_t i = 0; i < graph->vertex_count; i++)
		if (render_metric_of(&graph->vertices[i], metric) > most)
			most = render_metric_of(&graph->vertices[i], metric);

	picture->vertices = xcalloc(graph->vertex_count, sizeof(*picture->vertices));
	for (uint32_t i = 0; i < graph->vertex_count; i++) {
		struct picture_vertex *shown = &picture->vertices[picture->vertex_count];

		if (!keep[i])
			continue;
		index[i] = picture->vertex_count++;
		shown->vertex = &graph->vertices[i];
		shown->shape = render_shape(shown->vertex);
		shown->font = RENDER_FONT;
		if (shown->shape != SHAPE_HOST)
			shown->font *= vertex_scale(shown->vertex, metric, most);
		picture->shapes[shown->shape] = true;
	}
	outer = find_outer_places(picture);
	for (uint32_t i = 0; i < graph->vertex_count; i++) {
		struct picture_vertex *shown = &picture->vertices[index[i]];

		if (!keep[i])
			continue;
		set_lines(shown, outer[index[i]], sizes[i]);
		set_size(shown);
		shown->tooltip = describe_vertex(shown->vertex, sizes[i]);
	}
	free(outer);
	free(sizes);
	return index;
}

static void add_edges(struct picture *picture, const struct graph *graph, const bool *keep,
		      const uint32_t *index)
{
	picture->edges = xcalloc(graph->edge_count, sizeof(*picture->edges));
	for (uint32_t i = 0; i < graph->edge_count; i++) {
		const struct graph_edge *edge = &graph->edges[i];
		struct picture_edge *shown = &picture->edges[picture->edge_count];

		if (!keep[i])
			continue;
		picture->edge_count++;
		shown->edge = edge;
		shown->from = index[edge->from];
		shown->to = index[edge->to];
		shown->band = render_edge_band(edge);
		picture->bridges |= shown->band == BAND_BRIDGE;
		shown->tooltip = describe_edge(graph, edge);
		if (edge->bytes > picture->largest)
			picture->largest = edge->bytes;
		picture->reads |= edge->access == GRAPH_READ;
		picture->writes |= edge->access == GRAPH_WRITE;
	}
	for (uint32_t i = 0; i < picture->edge_count; i++) {
		struct picture_edge *shown = &picture->edges[i];

		shown->width = render_edge_width(shown->edge->bytes, picture->largest);
		/* two lines with a gap need the room */
		if (shown->band == BAND_ALL)
			shown->width = fmax(shown->width, 4);
		else if (shown->band != BAND_LOW)
			shown->width = fmax(shown->width, 1.8);
	}
}

/* A vertex that is shown and a neighbour that is not. */
struct hidden {
	uint32_t shown, neighbour;
	bool after;
};

static int compare_hidden(const void *left, const void *right)
{
	const struct hidden *a = left, *b = right;

	if (a->shown != b->shown)
		return a->shown < b->shown ? -1 : 1;
	if (a->after != b->after)
		return a->after ? 1 : -1;
	return a->neighbour < b->neighbour ? -1 : a->neighbour > b->neighbour;
}

static void say_hidden(struct picture_vertex *shown)
{
	char before[32], after[32];
	char *longer;

	if (!shown->hidden_before && !shown->hidden_after)
		return;
	longer = xasprintf("%s\nnot shown: %s before it, %s after it", shown->tooltip,
			   render_count(shown->hidden_before, before),
			   render_count(shown->hidden_after, after));
	free(shown->tooltip);
	shown->tooltip = longer;
}

static void count_hidden(struct picture *picture, const struct graph *graph, const bool *keep,
			 const uint32_t *index)
{
	struct hidden *all = xcalloc(graph->edge_count, sizeof(*all));
	uint32_t count = 0;

	for (uint32_t i = 0; i < graph->edge_count; i++) {
		const struct graph_edge *edge = &graph->edges[i];

		if (keep[edge->from] != keep[edge->to])
			all[count++] =
				keep[edge->from]
					? (struct hidden){index[edge->from], edge->to, true}
					: (struct hidden){index[edge->to], edge->from, false};
	}
	qsort(all, count, sizeof(*all), compare_hidden);
	for (uint32_t i = 0; i < count; i++) {
		struct picture_vertex *shown = &picture->vertices[all[i].shown];

		if (i && !compare_hidden(&all[i - 1], &all[i]))
			continue;
		*(all[i].after ? &shown->hidden_after : &shown->hidden_before) += 1;
	}
	for (uint32_t i = 0; i < picture->vertex_count; i++)
		say_hidden(&picture->vertices[i]);
	picture->hides = count != 0;
	free(all);
}

int picture_edge_order(const void *left, const void *right)
{
	const struct picture_edge *a = *(struct picture_edge *const *)left;
	const struct picture_edge *b = *(struct picture_edge *const *)right;
	const uint64_t unchanged_a = graph_edge_unchanged(a->edge);
	const uint64_t unchanged_b = graph_edge_unchanged(b->edge);

	if (unchanged_a != unchanged_b)
		return unchanged_a > unchanged_b ? -1 : 1;
	if (a->edge->bytes != b->edge->bytes)
		return a->edge->bytes > b->edge->bytes ? -1 : 1;
	return a < b ? -1 : a > b;
}

static void add_labels(struct picture *picture)
{
	uint32_t count = picture->edge_count;
	struct picture_edge **order = xcalloc(count, sizeof(*order));

	for (uint32_t i = 0; i < count; i++)
		order[i] = &picture->edges[i];
	qsort(order, count, sizeof(*order), picture_edge_order);
	if (count > LABELS_ALL)
		count = LABELS_SOME;
	for (uint32_t i = 0; i < count; i++)
		order[i]->label = describe_flow(order[i]->edge);
	free(order);
}

/* Orders findings as the report does; where that is not known, most unchanged bytes first. */
static int worse(const void *left, const void *right)
{
	const struct picture_vertex *a = *(struct picture_vertex *const *)left;
	const struct picture_vertex *b = *(struct picture_vertex *const *)right;
	uint32_t number_a = render_finding(a->vertex) - 1;
	uint32_t number_b = render_finding(b->vertex) - 1;
	const uint64_t unchanged_a = render_unchanged_by(a->vertex);
	const uint64_t unchanged_b = render_unchanged_by(b->vertex);

	if (number_a != number_b)
		return number_a < number_b ? -1 : 1;
	if (unchanged_a != unchanged_b)
		return unchanged_a > unchanged_b ? -1 : 1;
	return a < b ? -1 : a > b;
}

/* Of two runs: what went and what came before what changed, each by bytes. */
static int changed_more(const void *left, const void *right)
{
	const struct picture_vertex *a = *(struct picture_vertex *const *)left;
	const struct picture_vertex *b = *(struct picture_vertex *const *)right;
	const bool changed_a = a->strength == STRENGTH_CHANGED;
	const bool changed_b = b->strength == STRENGTH_CHANGED;
	const uint64_t bytes_a = render_metric_of(a->vertex, &render_by_bytes);
	const uint64_t bytes_b = render_metric_of(b->vertex, &render_by_bytes);

	if (changed_a != changed_b)
		return changed_a ? 1 : -1;
	if (bytes_a != bytes_b)
		return bytes_a > bytes_b ? -1 : 1;
	return a < b ? -1 : a > b;
}

/* Whether each has a number of its own; they are in order. */
static bool numbers_differ(struct picture_vertex **order, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		if (!render_finding(order[i]->vertex) ||
		    (i && render_finding(order[i]->vertex) == render_finding(order[i - 1]->vertex)))
			return false;
	return true;
}

static void add_notes(struct picture *picture)
{
	struct picture_vertex **order = xcalloc(picture->vertex_count, sizeof(*order));
	uint32_t count = 0;
	bool numbered;

	for (uint32_t i = 0; i < picture->vertex_count; i++) {
		const struct graph_vertex *vertex = picture->vertices[i].vertex;

		picture->vertices[i].strength = render_strength(vertex);
		picture->changes |= render_change(&vertex->attributes) != CHANGE_NONE;
		if (picture->vertices[i].strength)
			order[count++] = &picture->vertices[i];
	}
	qsort(order, count, sizeof(*order), picture->changes ? changed_more : worse);
	numbered = !picture->changes && numbers_differ(order, count);
	picture->notes = xcalloc(NOTES, sizeof(*picture->notes));
	for (uint32_t i = 0; i < count; i++) {
		order[i]->note = numbered ? render_finding(order[i]->vertex) : i + 1;
		if (i < NOTES)
			picture->notes[picture->note_count++] = (struct picture_note){
				.number = order[i]->note,
				.vertex = order[i],
				.title = describe_finding(order[i]->vertex, order[i]->lines[0],
							  order[i]->place),
				.text = xstrdup(!picture->changes && order[i]->vertex->advice
							? order[i]->vertex->advice
							: ""),
			};
	}
	picture->notes_left = count - picture->note_count;
	free(order);
}

struct picture *picture_new(const struct graph *graph, const struct render_metric *metric,
			    const bool *keep_vertex, const bool *keep_edge)
{
	struct picture *picture = xcalloc(1, sizeof(*picture));
	uint32_t *index;

	picture->metric = metric;
	index = add_vertices(picture, graph, keep_vertex);

	picture->graph = graph;
	add_edges(picture, graph, keep_edge, index);
	count_hidden(picture, graph, keep_vertex, index);
	add_labels(picture);
	add_notes(picture);
	picture->title = xstrdup("vflow: how values flow");
	picture->totals = describe_totals(graph);
	picture->hidden = describe_hidden(graph, keep_vertex, keep_edge);
	free(index);
	return picture;
}

void picture_set_groups(struct picture *picture, const char *by, const struct graph *whole,
			const uint32_t *ids)
{
	const uint32_t vertices = whole->vertex_count, edges = whole->edge_count;
	char v[32], e[32];
	char *more = picture->hidden;

	picture->whole = whole;
	picture->group_ids = ids;
	picture->hidden =
		xasprintf("%s %s and %s edge%s, grouped by %s%s%s", render_count(vertices, v),
			  text_plural(vertices, "vertex", "vertices"), render_count(edges, e),
			  text_plural(edges, "", "s"), by, more ? "; " : "", more ? more : "");
	free(more);
}

void picture_set_run(struct picture *picture, const struct profile *profile)
{
	picture->profile = profile;
	picture->run = describe_run(profile);
}

void picture_free(struct picture *picture)
{
	if (!picture)
		return;
	for (uint32_t i = 0; i < picture->vertex_count; i++) {
		for (uint32_t line = 0; line < PICTURE_LINES; line++)
			free(picture->vertices[i].lines[line]);
		free(picture->vertices[i].place);
		free(picture->vertices[i].tooltip);
	}
	for (uint32_t i = 0; i < picture->edge_count; i++) {
		free(picture->edges[i].label);
		free(picture->edges[i].tooltip);
		free(picture->edges[i].points);
	}
	for (uint32_t i = 0; i < picture->note_count; i++) {
		free(picture->notes[i].title);
		free(picture->notes[i].text);
	}
	free(picture->vertices);
	free(picture->edges);
	free(picture->notes);
	free(picture->title);
	free(picture->run);
	free(picture->file);
	free(picture->totals);
	free(picture->hidden);
	free(picture);
}
