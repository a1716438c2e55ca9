/*
 * render/style.h: from figures and names to what is drawn: shapes, colours, widths, short names.
 *
 * Every format draws from these functions, so that a picture says the same in each of them.
 */
#ifndef VFLOW_RENDER_STYLE_H
#define VFLOW_RENDER_STYLE_H

#include <stdint.h>

#include "graph/graph.h"

enum render_shape {
	SHAPE_BOX,     /* alloc */
	SHAPE_CIRCLE,  /* memcpy, memset */
	SHAPE_OVAL,    /* kernel */
	SHAPE_HOST,    /* dark box */
	SHAPE_DIAMOND, /* unknown, free */
	SHAPE_OTHER,   /* rounded box: a kind that vflow does not know, or none */
	SHAPE_COUNT
};

/*
 * Share of an edge's bytes that were written without a change.  The colours keep a distance of 20
 * in Lab under deuteranopia and a contrast of 3.9 on white; line styles say the same in grey.
 */
enum render_band {
	BAND_LOW,    /* <= 33 %, and all reads */
	BAND_HALF,   /* <= 66 % */
	BAND_HIGH,   /* < 100 % */
	BAND_ALL,    /* every byte */
	BAND_BRIDGE, /* no share: an edge that prune --hide made of a path through hidden vertices
		      */
	/* in the graph of vflow diff: what became of it, in the order of enum render_change */
	BAND_CHANGED,
	BAND_GONE,
	BAND_NEW,
	BAND_COUNT
};

struct render_band_style {
	const char *color;
	const char *line;  /* name of the line style for people and for DOT */
	double dash, gap;  /* in widths of the line; 0: no dashes */
	const char *range; /* for the legend */
};

extern const struct render_band_style render_bands[BAND_COUNT];

#define RENDER_WIDEST 7.0 /* of edges */

enum render_shape render_shape(const struct graph_vertex *vertex);

/* Bytes that it wrote and did not change: of whole values, where these are known. */
uint64_t render_unchanged_by(const struct graph_vertex *vertex);

/* What became of a vertex or an edge between two runs (attribute `change`). */
enum render_change { CHANGE_NONE, CHANGE_SAME, CHANGE_CHANGED, CHANGE_GONE, CHANGE_NEW };

enum render_change render_change(const struct graph_attributes *attributes);

/* Redundant share of a WRITE edge, 0 to 1; 0 for reads and where nothing is known. */
double render_redundancy(const struct graph_edge *edge);

enum render_band render_band(double redundancy);
/* The same of an edge that may be a bridge, or of two runs. */
enum render_band render_edge_band(const struct graph_edge *edge);

/* Whether prune --hide made the edge (bridged=true). */
bool render_is_bridge(const struct graph_edge *edge);

/* Width of an edge: RENDER_WIDEST for the graph's largest, thinner by 0.6 for each halving, >= 1.
 */
double render_edge_width(uint64_t bytes, uint64_t largest);

/* Factor on the size of a vertex: 1 for one invocation, +0.15 for each decade, at most 1.75. */
double render_vertex_scale(uint64_t invocations);

/*
 * How strongly a vertex shows its finding: by what that is worth beside the report's best one.  In
 * the graph of vflow diff it shows what became of it instead.
 */
enum render_strength {
	STRENGTH_NONE,   /* no finding, or less than a hundredth */
	STRENGTH_WEAK,   /* less than a tenth */
	STRENGTH_MIDDLE, /* less than half; also where it is not known */
	STRENGTH_STRONG,
	STRENGTH_CHANGED, /* in the order of enum render_change */
	STRENGTH_GONE,
	STRENGTH_NEW,
	STRENGTH_COUNT
};

struct render_strength_style {
	const char *fill, *badge;
	double line;         /* width of the outline */
	const char *outline; /* its colour; NULL: that of text */
	bool dashed;
	const char *text; /* colour of what it says of the finding, or of what became of it */
};

extern const struct render_strength_style render_strengths[STRENGTH_COUNT];

enum render_strength render_strength(const struct graph_vertex *vertex);

/* Which of the report's findings is the first about the vertex, from 1; 0: that is not known. */
uint32_t render_finding(const struct graph_vertex *vertex);

/*
 * Factor on the size of a vertex: 1.75 for the largest value, less by 0.1 for each halving, at
 * least 1.
 */
double render_vertex_share(uint64_t value, uint64_t most);

/*
 * "92%"; "<1%" and ">99%" where rounding would lie; returns `text`.
 */
char *render_percent(double share, char text[8]);

/* "12,345"; returns `text`. */
char *render_count(uint64_t count, char text[32]);

/*
 * Base name of a demangled function: "void ns::gemm<float>(int)" is "gemm<float>"; of more than
 * `limit` characters template arguments are left out first, then ends are cut.  The caller frees.
 */
char *render_short_name(const char *name, uint32_t limit);

/*
 * "file.c:12" of frame `index`, counted from the innermost, among those that have a line and are no
 * layer's (graph/library_frames.h), unless all are; NULL: there is none.  The caller frees.
 */
char *render_where(const char *callpath, uint32_t index);

/* At most `limit` characters of UTF-8 text, the middle replaced by "…".  The caller frees. */
char *render_cut_middle(const char *text, uint32_t limit);

/* At most `limit` characters of UTF-8 text, the end replaced by "…".  The caller frees. */
char *render_cut_end(const char *text, uint32_t limit);

/*
 * Width of the text in RENDER_FONTS at `size`, from a built-in table: the same on every machine.
 */
double render_text_width(const char *text, double size, int bold);

/* Verdana has the widths of DejaVu Sans; both are what fontconfig and browsers find. */
#define RENDER_FONTS "DejaVu Sans, Verdana, sans-serif"

#endif
