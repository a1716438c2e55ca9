/*
 * render/svg.h: the parts of an SVG; PNG and HTML are made of them too.  Nothing but these elements
 * occurs: svg title desc g rect circle ellipse polygon path text.  No scripts, links, styles or
 * images.
 */
#ifndef VFLOW_RENDER_SVG_H
#define VFLOW_RENDER_SVG_H

#include <stdio.h>

#include "render/picture.h"

enum svg_anchor { SVG_LEFT, SVG_MIDDLE };

void svg_begin(FILE *out, const struct picture *picture);
void svg_edge(FILE *out, const struct picture *picture, const struct picture_edge *edge);
void svg_vertex(FILE *out, const struct picture_vertex *vertex);
void svg_end(FILE *out, const struct picture *picture);

/* Text as XML character data, also inside quotes. */
void svg_put_escaped(FILE *out, const char *text);

/* One line of text; y is its middle. `attributes` may be NULL, else ends up in the tag as it is. */
void svg_text(FILE *out, double x, double y, double size, enum svg_anchor anchor,
	      const char *attributes, const char *text);

/* A line in the style of a band; `curve` is the data of a path. */
void svg_line(FILE *out, enum render_band band, double width, const char *curve);

void svg_arrowhead(FILE *out, enum graph_access access, enum render_band band,
		   struct picture_point base, struct picture_point tip);

void svg_shape(FILE *out, enum render_shape shape, enum render_strength strength,
	       struct picture_point at, double width, double height);

/* The number of a finding. */
void svg_badge(FILE *out, struct picture_point at, uint32_t number, enum render_strength strength);

/* What stands around the drawing; svg_frame.c. */
struct svg_frame {
	double width, height; /* of the whole */
	double x, y;          /* where the drawing goes */
};

struct svg_frame svg_frame(const struct picture *picture);
void svg_header(FILE *out, const struct picture *picture);
void svg_footer(FILE *out, const struct picture *picture);

#endif
