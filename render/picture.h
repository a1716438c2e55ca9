/*
 * render/picture.h: what is drawn, before any format: shapes with sizes and texts, edges with
 * styles, the header, the notes.  layout.h adds the positions; format.h writes it.
 *
 * Lengths are in pixels of 1/96 inch; y grows downwards.
 *
 * Words: a vertex's place is where in the source it was called; a note a finding in the list under
 * the drawing, and the badge its number on the vertex; a band the class of an edge by its share
 * of unchanged bytes (style.h); hidden vertices are in the graph, but not drawn; a stub is an edge
 * to host of which only the end is drawn (layout_layers.h).
 */
#ifndef VFLOW_RENDER_PICTURE_H
#define VFLOW_RENDER_PICTURE_H

#include <stdbool.h>

#include "graph/profile/profile.h"
#include "render/metric.h"
#include "render/style.h"

struct picture_point {
	double x, y;
};

enum { PICTURE_LINES = 5 };

struct picture_vertex {
	const struct graph_vertex *vertex;
	enum render_shape shape;
	char *lines[PICTURE_LINES]; /* name, places, id and figures, findings; NULL: fewer */
	uint32_t finding_line;      /* index of the findings among them; 0: none */
	char *place;                /* "file.c:12" or "caller.c:3 via helper.c:12"; may be NULL */
	char *tooltip;              /* lines end with newlines, except the last */
	double font;                /* size of the first line */
	double width, height;
	uint32_t note; /* number on its badge, 0: no badge */
	enum render_strength strength;
	/* neighbours that are not shown: they wrote what it uses, or use what it wrote */
	uint32_t hidden_before, hidden_after;
	struct picture_point at; /* centre */
};

struct picture_edge {
	const struct graph_edge *edge;
	uint32_t from, to; /* indices into picture->vertices */
	enum render_band band;
	double width;
	char *label; /* NULL: none */
	char *tooltip;
	struct picture_point *points; /* of Bezier curves: 1 + 3n */
	uint32_t point_count;
	struct picture_point tip; /* of the arrow; its base is the last point */
	struct picture_point label_at;
	bool stub; /* drawn at one end only; the label says what is at the other */
};

struct picture_note { /* a finding, for the list under the drawing */
	uint32_t number;
	const struct picture_vertex *vertex; /* its place may be NULL */
	char *title, *text;
};

struct picture {
	const struct graph *graph;
	const struct profile *profile;      /* NULL: the input is DOT */
	const struct render_metric *metric; /* that sizes stand for; NULL: the format's usual one */
	/* where vertices are groups of operations: those, and by their vertex the id of the group
	 */
	const struct graph *whole;
	const uint32_t *group_ids;
	char *title;
	char *run;  /* "./app on an H200, 2026-11-20 12:33 UTC"; NULL: the input does not say */
	char *file; /* what to name in commands that are suggested; NULL: nothing */
	char *totals;
	char *hidden; /* "showing 80 of 12,345 vertices, ..."; NULL: everything is shown */
	struct picture_vertex *vertices;
	uint32_t vertex_count;
	struct picture_edge *edges;
	uint32_t edge_count;
	struct picture_note *notes;
	uint32_t note_count, notes_left; /* left: findings that are not listed */
	uint64_t largest;                /* bytes of the widest edge */
	bool shapes[SHAPE_COUNT], reads, writes, bridges, hides; /* what the legend must explain */
	bool changes;         /* it is of two runs: colours say what became of what */
	double width, height; /* of the drawing, without header and legend */
};

/* Sizes of text relative to a vertex's font; a line takes RENDER_LINE of its size. */
#define RENDER_FONT 12.0
#define RENDER_SMALL 0.85
#define RENDER_LINE 1.25
#define RENDER_EDGE_FONT 10.0

/* `keep_*` as render_select() says.  The picture refers to the graph, which must outlive it. */
struct picture *picture_new(const struct graph *graph, const struct render_metric *metric,
			    const bool *keep_vertex, const bool *keep_edge);
/*
 * Says in the header that the graph stands for a larger one, "grouped by file", whose vertices are
 * in the groups of these ids; the picture refers to both.
 */
void picture_set_groups(struct picture *picture, const char *by, const struct graph *whole,
			const uint32_t *ids);
/* Says in the header which run it was; the picture refers to the profile from then on. */
void picture_set_run(struct picture *picture, const struct profile *profile);
void picture_free(struct picture *picture);

/* Size of the text of line `index` on the vertex. */
double picture_line_size(const struct picture_vertex *vertex, uint32_t index);
/* Length of the arrowhead of an edge. */
double picture_arrow(const struct picture_edge *edge);
/* Compares pointers to edges, for qsort(): redundant bytes first, then bytes, then the graph's
 * order. */
int picture_edge_order(const void *left, const void *right);

#endif
