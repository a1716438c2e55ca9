/*
 * render/layout_parts.h: what both layouts share: the connected parts of a picture, which are laid
 * out one by one, and the loops at one vertex.
 */
#ifndef VFLOW_RENDER_LAYOUT_PARTS_H
#define VFLOW_RENDER_LAYOUT_PARTS_H

#include "render/picture.h"

struct layout_part {
	double x, y, width, height;
};

/*
 * Sets the part of each vertex, numbered by their first vertices; returns how many there are.
 * Edges with skip[index] connect nothing; `skip` may be NULL.
 */
uint32_t layout_find_parts(const struct picture *picture, const bool *skip, uint32_t *part_of);

/* Puts the parts beside each other, in rows of about the shape of a page; returns the size. */
struct picture_point layout_place_parts(struct layout_part *parts, uint32_t count);

/* How far the loops of each vertex reach to the right of its centre, with their labels: 0 where
 * there are none.  One entry per vertex; the caller frees. */
double *layout_loop_reach(const struct picture *picture);

/* Draws the edges from a vertex to itself, inside each other on its right side. */
void layout_loops(struct picture *picture);

/* Puts labels beside their lines, for layouts that do not; those that find no place go.
 * layout_labels.c. */
void layout_labels(struct picture *picture);
/* Moves those that have a place to one where fewer lines cross them. */
void layout_crossed_labels(struct picture *picture);

/* Half of the vertex's height at `x` to the side of its centre: where a line meets its border. */
double layout_border(const struct picture_vertex *vertex, double x);

#endif
