/*
 * render/layout.h: where the vertices and edges of a picture go.
 *
 * Two layouts: Graphviz' dot for pictures of up to 300 vertices, layers of our own, which take
 * a second for a hundred thousand edges.  dot cannot be cancelled and has crashed on odd graphs,
 * so it runs in a child process under limits, and only positions come back, over a pipe.
 */
#ifndef VFLOW_RENDER_LAYOUT_H
#define VFLOW_RENDER_LAYOUT_H

#include <stdio.h>

#include "render/picture.h"
#include "util/error.h"

enum layout_engine { LAYOUT_AUTO, LAYOUT_DOT, LAYOUT_LAYERS };

/*
 * Sets the positions and the size of the picture.  LAYOUT_AUTO: dot for small pictures and for
 * `seconds` at most, else layers; *remark (freed by the caller) is NULL or says why dot failed.
 * -1: only for LAYOUT_DOT, which found no layout in that time.
 */
int layout_picture(struct picture *picture, enum layout_engine engine, double seconds,
		   char **remark, struct error *error);

/* Layers by program order, so that time flows down; layout_layers.c. */
void layout_by_layers(struct picture *picture);

/*
 * The child's work: doubles for the picture's width and height, then for each vertex its centre,
 * then for each edge that is no loop its number of points, the tip of its arrow, the centre of its
 * label, its points.  Never frees: the process ends after it.
 */
enum layout_manner {
	MANNER_BEST,  /* loops have room of their own; dot's assertions fail on some graphs */
	MANNER_SAFE,  /* other edges may cross the labels of loops */
	MANNER_QUICK, /* straight lines, labels wherever they come to lie */
};
int layout_by_dot(const struct picture *picture, enum layout_manner manner, FILE *out);

#endif
