/*
 * render/layout_layers.h: what layout_layers.c, which finds places, and layout_routes.c, which
 * draws the edges between them, share.
 */
#ifndef VFLOW_RENDER_LAYOUT_LAYERS_H
#define VFLOW_RENDER_LAYOUT_LAYERS_H

#include "render/picture.h"

#define LAYERS_BEND_GAP 10.0 /* between edges that pass a layer */

struct node {                   /* a vertex or a bend */
	double x, left, right;  /* centre, and how far it reaches with half of the gap */
	uint32_t layer, vertex; /* UINT32_MAX: a bend */
};

struct link { /* between nodes of two layers, almost always neighbouring ones */
	uint32_t upper, lower;
	double weight;
};

struct neighbour {
	uint32_t node;
	double weight;
};

struct neighbours { /* node n has items[first[n]] to items[first[n + 1] - 1] */
	uint32_t *first;
	struct neighbour *items;
};

struct route {
	uint32_t upper, lower; /* indices into the picture: the earlier and the later vertex */
	uint32_t bend, bends;  /* nodes from the upper one down */
	double upper_port, lower_port; /* where it leaves: x beside the centre */
};

struct layers {
	const struct picture *picture;
	const double *loop_reach;
	const uint32_t *part_of;
	const bool *stubs;  /* per edge */
	struct node *nodes; /* the vertices of the picture, then the bends */
	uint32_t node_count;
	struct route *routes; /* of each edge of the picture */
	struct link *links;
	uint32_t link_count;
	struct neighbours above, below;
	/* the layers of all parts, one part after the other: nodes in their order */
	uint32_t *first, *order, layer_count;
	double *top, *height;
};

bool layers_is_host(const struct layers *layers, uint32_t vertex);

/* The curves of all edges but the loops, once every node has its place. */
void layers_draw_edges(struct layers *layers, struct picture *picture);

#endif
