/*
 * render/layout_labels.c: where the figures of edges stand, for layouts that leave no room for
 * them: beside their line, the most important first, never on a vertex or on each other.  What
 * finds no place stays in the tooltip.
 */
#include <math.h>
#include <stdlib.h>

#include "render/layout_parts.h"
#include "util/memory.h"

enum { MOST_EDGES = 3000 }; /* of more, lines may cross labels: to look at all takes too long */

struct box {
	double left, top, right, bottom;
};

static bool overlap(const struct box *a, const struct box *b)
{
	return a->left < b->right && b->left < a->right && a->top < b->bottom && b->top < a->bottom;
}

static struct picture_point curve_at(const struct picture_point *p, double t)
{
	double s = 1 - t;
	double a = s * s * s, b = 3 * s * s * t, c = 3 * s * t * t, d = t * t * t;

	return (struct picture_point){a * p[0].x + b * p[1].x + c * p[2].x + d * p[3].x,
				      a * p[0].y + b * p[1].y + c * p[2].y + d * p[3].y};
}

static struct picture_point edge_at(const struct picture_edge *edge, double share)
{
	uint32_t curves = (edge->point_count - 1) / 3;
	uint32_t index = (uint32_t)fmin(share * curves, curves - 1);

	return curve_at(&edge->points[3 * (size_t)index], share * curves - index);
}

static bool may_touch(const struct picture_point *p, const struct box *box)
{
	return overlap(box, &(struct box){fmin(fmin(p[0].x, p[1].x), fmin(p[2].x, p[3].x)),
					  fmin(fmin(p[0].y, p[1].y), fmin(p[2].y, p[3].y)),
					  fmax(fmax(p[0].x, p[1].x), fmax(p[2].x, p[3].x)) + 1e-9,
					  fmax(fmax(p[0].y, p[1].y), fmax(p[2].y, p[3].y)) + 1e-9});
}

/* How many points of lines lie in the box, about every four pixels. */
static uint32_t count_lines(const struct picture *picture, const struct box *box)
{
	uint32_t count = 0;

	for (uint32_t i = 0; picture->edge_count <= MOST_EDGES && i < picture->edge_count; i++) {
		const struct picture_edge *edge = &picture->edges[i];

		for (uint32_t k = 0; k + 3 < edge->point_count; k += 3) {
			const struct picture_point *p = &edge->points[k];
			int steps = (int)fmin(200, 8 + hypot(p[3].x - p[0].x, p[3].y - p[0].y) / 4);

			for (int step = 0; step < steps && may_touch(p, box); step++) {
				struct picture_point at = curve_at(p, (double)step / steps);

				count += at.x > box->left && at.x < box->right && at.y > box->top &&
					 at.y < box->bottom;
			}
		}
	}
	return count;
}

static bool is_free(const struct picture *picture, const struct box *box, const struct box *placed,
		    uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		if (overlap(box, &placed[i]))
			return false;
	for (uint32_t i = 0; i < picture->vertex_count; i++) {
		const struct picture_vertex *vertex = &picture->vertices[i];

		if (overlap(box, &(struct box){vertex->at.x - vertex->width / 2,
					       vertex->at.y - vertex->height / 2,
					       vertex->at.x + vertex->width / 2,
					       vertex->at.y + vertex->height / 2}))
			return false;
	}
	return box->left >= 0 && box->right <= picture->width;
}

static struct box box_at(const struct picture_edge *edge, struct picture_point centre)
{
	double half = render_text_width(edge->label, RENDER_EDGE_FONT, edge->band != BAND_LOW) / 2;

	return (struct box){centre.x - half - 1, centre.y - RENDER_EDGE_FONT * 0.6,
			    centre.x + half + 1, centre.y + RENDER_EDGE_FONT * 0.6};
}

/* The place that the label has; the drawing moves it by half of the line's width. */
static struct box box_of(const struct picture_edge *edge)
{
	return box_at(edge,
		      (struct picture_point){edge->label_at.x + edge->width / 2, edge->label_at.y});
}

/* false: there is no place that fewer than `most` lines cross. */
static bool place(const struct picture *picture, struct picture_edge *edge, struct box *placed,
		  uint32_t count, uint32_t most)
{
	static const double shares[] = {0.5, 0.4, 0.6, 0.3, 0.7, 0.2, 0.8, 0.12, 0.88};
	double x = render_text_width(edge->label, RENDER_EDGE_FONT, 1) / 2 + edge->width / 2 + 4;
	double y = RENDER_EDGE_FONT * 0.6 + edge->width / 2 + 2;
	const struct picture_point sides[] = {{x, 0}, {-x, 0}, {0, -y}, {0, y}};
	uint32_t best = most;

	for (size_t i = 0; i < 4 * sizeof(shares) / sizeof(*shares) && best; i++) {
		struct picture_point at = edge_at(edge, shares[i / 4]);
		struct box box;
		uint32_t lines;

		at.x += sides[i % 4].x;
		at.y += sides[i % 4].y;
		box = box_at(edge, at);
		if (!is_free(picture, &box, placed, count))
			continue;
		lines = count_lines(picture, &box);
		if (lines >= best)
			continue;
		best = lines;
		placed[count] = box;
		/* the drawing moves it by half of the line's width */
		edge->label_at = (struct picture_point){at.x - edge->width / 2, at.y};
	}
	return best < most;
}

/*
 * Graphviz leaves room for labels, and then may lead other lines through it: those labels move to
 * where fewer lines are, if there is such a place.
 */
void layout_crossed_labels(struct picture *picture)
{
	struct box *placed = xcalloc((size_t)picture->edge_count + 1, sizeof(*placed));
	uint32_t *lines = xcalloc((size_t)picture->edge_count + 1, sizeof(*lines)), count = 0;

	for (uint32_t i = 0; i < picture->edge_count; i++) {
		const struct picture_edge *edge = &picture->edges[i];
		struct box box;

		if (!edge->label)
			continue;
		box = box_of(edge);
		lines[i] = edge->from == edge->to ? 0 : count_lines(picture, &box);
		if (!lines[i])
			placed[count++] = box;
	}
	for (uint32_t i = 0; i < picture->edge_count; i++) {
		if (!lines[i])
			continue;
		if (!place(picture, &picture->edges[i], placed, count, lines[i]))
			placed[count] = box_of(&picture->edges[i]);
		count++;
	}
	free(placed);
	free(lines);
}

void layout_labels(struct picture *picture)
{
	struct picture_edge **order = xcalloc(picture->edge_count, sizeof(*order));
	struct box *placed = xcalloc(picture->edge_count, sizeof(*placed));
	uint32_t labels = 0, count = 0;

	for (uint32_t i = 0; i < picture->edge_count; i++) {
		struct picture_edge *edge = &picture->edges[i];

		if (edge->label && edge->from == edge->to) /* has its place */
			placed[count++] = box_at(edge, edge->label_at);
		else if (edge->label && edge->stub)
			placed[count++] = box_at(edge, edge->label_at);
		else if (edge->label)
			order[labels++] = edge;
	}
	qsort(order, labels, sizeof(*order), picture_edge_order);
	for (uint32_t i = 0; i < labels; i++) {
		if (place(picture, order[i], placed, count, UINT32_MAX)) {
			count++;
			continue;
		}
		free(order[i]->label);
		order[i]->label = NULL;
	}
	free(order);
	free(placed);
}
