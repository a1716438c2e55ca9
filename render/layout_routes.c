/*
 * render/layout_routes.c: the edges of a layered layout: where they leave their vertices, and the
 * curves through their bends.
 */
#include <math.h>
#include <stdlib.h>

#include "render/layout_layers.h"
#include "render/layout_parts.h"
#include "util/memory.h"

static const double stub_length = 32;

/* Ports: lines leave a vertex side by side, in the order of where they go. */

struct port {
	uint32_t vertex, route;
	bool bottom;
	double toward;
};

static int compare_ports(const void *left, const void *right)
{
	const struct port *a = left, *b = right;

	if (a->vertex != b->vertex)
		return a->vertex < b->vertex ? -1 : 1;
	if (a->bottom != b->bottom)
		return a->bottom ? 1 : -1;
	if (a->toward != b->toward)
		return a->toward < b->toward ? -1 : 1;
	return a->route < b->route ? -1 : a->route > b->route;
}

static void place_ports(struct layers *layers)
{
	struct port *ports = xcalloc((size_t)layers->picture->edge_count * 2 + 1, sizeof(*ports));
	uint32_t count = 0;

	for (uint32_t i = 0; i < layers->picture->edge_count; i++) {
		const struct route *route = &layers->routes[i];
		uint32_t after = route->bends ? route->bend : route->lower;
		uint32_t before = route->bends ? route->bend + route->bends - 1 : route->upper;

		if (route->upper == route->lower)
			continue;
		if (layers->stubs[i]) { /* at the right end of the other vertex's side */
			bool up = layers_is_host(layers, layers->picture->edges[i].from);

			ports[count++] = (struct port){route->lower, i, !up, INFINITY};
			continue;
		}
		ports[count++] = (struct port){route->upper, i, true, layers->nodes[after].x};
		ports[count++] = (struct port){route->lower, i, false, layers->nodes[before].x};
	}
	qsort(ports, count, sizeof(*ports), compare_ports);
	for (uint32_t begin = 0, end; begin < count; begin = end) {
		double width = layers->picture->vertices[ports[begin].vertex].width * 0.7;
		double step;

		for (end = begin + 1; end < count; end++)
			if (ports[end].vertex != ports[begin].vertex ||
			    ports[end].bottom != ports[begin].bottom)
				break;
		step = fmin(16, width / (end - begin));
		for (uint32_t i = begin; i < end; i++) {
			struct route *route = &layers->routes[ports[i].route];
			double x = (i - begin - (end - begin - 1) / 2.0) * step;

			if (route->upper == ports[i].vertex)
				route->upper_port = x;
			else
				route->lower_port = x;
		}
	}
	free(ports);
}

/* Curves. */

static void curve_to(struct picture_edge *edge, struct picture_point to)
{
	struct picture_point from = edge->points[edge->point_count - 1];
	struct picture_point *next = &edge->points[edge->point_count];
	double down = (to.y - from.y) / 2;

	next[0] = (struct picture_point){from.x, from.y + down};
	next[1] = (struct picture_point){to.x, to.y - down};
	next[2] = to;
	edge->point_count += 3;
}

/* Between the vertex and nothing: what it has to do with host. */
static void draw_stub(const struct layers *layers, const struct route *route,
		      struct picture_edge *edge)
{
	const struct picture_vertex *vertex = &layers->picture->vertices[route->lower];
	bool up = edge->to == route->lower; /* comes from host, above the vertex */
	double x = vertex->at.x + route->lower_port,
	       border = layout_border(vertex, route->lower_port);
	double y = up ? vertex->at.y - border - stub_length : vertex->at.y + border;

	edge->points = xreallocarray(edge->points, 4, sizeof(*edge->points));
	edge->points[0] = (struct picture_point){x, y};
	edge->point_count = 1;
	curve_to(edge, (struct picture_point){x, y + stub_length - picture_arrow(edge)});
	edge->tip = (struct picture_point){x, y + stub_length};
	edge->label_at = (struct picture_point){x, up ? y - 6 : y + stub_length + 7};
	free(edge->label);
	edge->label = xstrdup("host");
	edge->stub = true;
}

/*
 * How many bends from `first` on one vertical line can replace, when each may move by `slack`; the
 * line's x is in *x.
 */
static uint32_t straight_run(const struct layers *layers, const struct route *route, uint32_t first,
			     double *x)
{
	const double slack = LAYERS_BEND_GAP / 2;
	double left = -INFINITY, right = INFINITY;
	uint32_t count = 0;

	for (; first + count < route->bends; count++) {
		double at = layers->nodes[route->bend + first + count].x;

		if (fmax(left, at - slack) > fmin(right, at + slack))
			break;
		left = fmax(left, at - slack);
		right = fmin(right, at + slack);
	}
	*x = round((left + right) / 2);
	return count;
}

static void draw_route(const struct layers *layers, const struct route *route,
		       struct picture_edge *edge)
{
	const struct picture_vertex *upper = &layers->picture->vertices[route->upper];
	const struct picture_vertex *lower = &layers->picture->vertices[route->lower];
	struct picture_point start = {upper->at.x + route->upper_port,
				      upper->at.y + layout_border(upper, route->upper_port)};
	struct picture_point end = {lower->at.x + route->lower_port,
				    lower->at.y - layout_border(lower, route->lower_port)};
	bool back = edge->to == route->upper; /* the values flow up */
	double arrow = picture_arrow(edge), share;

	edge->points =
		xreallocarray(edge->points, 4 + 6 * (size_t)route->bends, sizeof(*edge->points));
	edge->tip = back ? start : end;
	*(back ? &start.y : &end.y) += back ? arrow : -arrow;
	edge->points[0] = start;
	edge->point_count = 1;
	for (uint32_t i = 0, count; i < route->bends; i += count) {
		const struct node *bend = &layers->nodes[route->bend + i];
		struct picture_point at = {.y = layers->top[bend->layer]};

		count = straight_run(layers, route, i, &at.x);
		curve_to(edge, at);
		bend += count - 1;
		at.y = layers->top[bend->layer] + layers->height[bend->layer];
		curve_to(edge, at);
	}
	curve_to(edge, end);
	/* not all at one height, where several edges lead the same way */
	share = 0.35 + 0.15 * ((edge - layers->picture->edges) % 3);
	edge->label_at = (struct picture_point){
		edge->points[0].x + (edge->points[3].x - edge->points[0].x) * share,
		edge->points[0].y + (edge->points[3].y - edge->points[0].y) * share};
	for (uint32_t i = 0; back && i < edge->point_count / 2; i++) {
		struct picture_point other = edge->points[edge->point_count - 1 - i];

		edge->points[edge->point_count - 1 - i] = edge->points[i];
		edge->points[i] = other;
	}
}

void layers_draw_edges(struct layers *layers, struct picture *picture)
{
	place_ports(layers);
	for (uint32_t i = 0; i < picture->edge_count; i++)
		if (layers->stubs[i])
			draw_stub(layers, &layers->routes[i], &picture->edges[i]);
		else if (picture->edges[i].from != picture->edges[i].to)
			draw_route(layers, &layers->routes[i], &picture->edges[i]);
}
