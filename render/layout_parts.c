/* render/layout_parts.c: see layout_parts.h. */
#include "render/layout_parts.h"

#include <math.h>
#include <stdlib.h>

#include "util/memory.h"

static uint32_t root(uint32_t *parents, uint32_t vertex)
{
	while (parents[vertex] != vertex)
		vertex = parents[vertex] = parents[parents[vertex]];
	return vertex;
}

uint32_t layout_find_parts(const struct picture *picture, const bool *skip, uint32_t *part_of)
{
	uint32_t *parents = xcalloc(picture->vertex_count, sizeof(*parents)), count = 0;

	for (uint32_t i = 0; i < picture->vertex_count; i++)
		parents[i] = i;
	for (uint32_t i = 0; i < picture->edge_count; i++) {
		uint32_t a = root(parents, picture->edges[i].from);
		uint32_t b = root(parents, picture->edges[i].to);

		if (skip && skip[i])
			continue;
		/* the root is the first vertex of its part */
		parents[a > b ? a : b] = a < b ? a : b;
	}
	for (uint32_t i = 0; i < picture->vertex_count; i++) {
		uint32_t first = root(parents, i);

		part_of[i] = first == i ? count++ : part_of[first];
	}
	free(parents);
	return count;
}

struct picture_point layout_place_parts(struct layout_part *parts, uint32_t count)
{
	static const double gap = 24;
	struct picture_point size = {0, 0};
	double area = 0, row_width = 0, row_height = 0;
	double x = 0, y = 0, width = 0; /* of the column in the row that is being filled */

	for (uint32_t i = 0; i < count; i++) {
		area += (parts[i].width + gap) * (parts[i].height + gap);
		row_width = fmax(row_width, parts[i].width);
	}
	row_width = fmax(row_width * 1.3, sqrt(area) * 1.2);
	for (uint32_t i = 0; i < count; i++) {
		if (width > 0 && y + parts[i].height > row_height) { /* a new column */
			x += width + gap;
			y = width = 0;
		}
		if (x > 0 && x + parts[i].width > row_width) { /* a new row */
			size.y += row_height + gap;
			x = y = width = row_height = 0;
		}
		parts[i].x = x;
		parts[i].y = size.y + y;
		y += parts[i].height + gap;
		width = fmax(width, parts[i].width);
		row_height = fmax(row_height, parts[i].height);
		size.x = fmax(size.x, x + width);
	}
	size.y += row_height;
	return size;
}

double layout_border(const struct picture_vertex *vertex, double x)
{
	double share = fmin(1, fabs(x) / (vertex->width / 2));

	switch (vertex->shape) {
	case SHAPE_CIRCLE:
	case SHAPE_OVAL:
		return vertex->height / 2 * sqrt(1 - share * share);
	case SHAPE_DIAMOND:
		return vertex->height / 2 * (1 - share);
	default:
		return vertex->height / 2;
	}
}

/* The loops at one vertex: how many, how many are placed, how far to the right these reach. */
struct loops {
	uint32_t count, placed;
	double reach;
};

static double next_reach(const struct picture *picture, const struct picture_edge *edge,
			 struct loops *loops)
{
	double far = loops->placed ? loops->reach + 14 : picture->vertices[edge->to].width / 2 + 22;

	loops->placed++;
	loops->reach =
		far + (edge->label ? render_text_width(edge->label, RENDER_EDGE_FONT, 1) : 0);
	return far;
}

static void place_loop(const struct picture *picture, struct picture_edge *edge,
		       struct loops *loops)
{
	const struct picture_vertex *vertex = &picture->vertices[edge->to];
	/* share of half the height where the line leaves: the outer, the higher */
	double share = 0.35 + 0.5 * loops->placed / fmax(1, loops->count - 1);
	double far = next_reach(picture, edge, loops);
	double up = vertex->height / 2 * share;
	bool round = vertex->shape == SHAPE_CIRCLE || vertex->shape == SHAPE_OVAL;
	double side = vertex->width / 2 *
		      (round                            ? sqrt(1 - share * share)
		       : vertex->shape == SHAPE_DIAMOND ? 1 - share
							: 1);
	/* a cubic curve reaches three quarters of the way to its control points */
	double control = side + (far - side) / 0.75;
	struct picture_point at = vertex->at;
	struct picture_point start = {at.x + side, at.y - up}, end = {start.x, at.y + up};
	struct picture_point first = {at.x + control, at.y - up * 1.4};
	struct picture_point second = {first.x, at.y + up * 1.4};
	double length = hypot(second.x - end.x, second.y - end.y), arrow = picture_arrow(edge);
	struct picture_point base = {end.x + (second.x - end.x) * arrow / length,
				     end.y + (second.y - end.y) * arrow / length};
	double label = edge->label ? render_text_width(edge->label, RENDER_EDGE_FONT, 1) : 0;

	edge->point_count = 4;
	edge->points = xreallocarray(edge->points, 4, sizeof(*edge->points));
	edge->points[0] = start;
	edge->points[1] = first;
	edge->points[2] = second;
	edge->points[3] = base;
	edge->tip = end;
	edge->label_at = (struct picture_point){at.x + far + 6 + label / 2, at.y};
}

double *layout_loop_reach(const struct picture *picture)
{
	double *reach = xcalloc(picture->vertex_count, sizeof(*reach));
	struct loops *loops = xcalloc(picture->vertex_count, sizeof(*loops));

	for (uint32_t i = 0; i < picture->edge_count; i++) {
		const struct picture_edge *edge = &picture->edges[i];

		if (edge->from != edge->to)
			continue;
		next_reach(picture, edge, &loops[edge->to]);
		reach[edge->to] = loops[edge->to].reach + 6;
	}
	free(loops);
	return reach;
}

void layout_loops(struct picture *picture)
{
	struct loops *loops = xcalloc(picture->vertex_count, sizeof(*loops));

	for (uint32_t i = 0; i < picture->edge_count; i++)
		loops[picture->edges[i].to].count += picture->edges[i].from == picture->edges[i].to;
	for (uint32_t i = 0; i < picture->edge_count; i++)
		if (picture->edges[i].from == picture->edges[i].to)
			place_loop(picture, &picture->edges[i], &loops[picture->edges[i].to]);
	free(loops);
}
