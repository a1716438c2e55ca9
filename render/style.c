/* render/style.c: see style.h. */
#include "render/style.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "graph/dot_names.h"
#include "util/memory.h"

/* clang-format off */
const struct render_band_style render_bands[BAND_COUNT] = {
	[BAND_LOW]  = {"#6E7781", "solid",  0,   0,   "up to 33%"},
	[BAND_HALF] = {"#0072B2", "dashed", 3,   1.5, "33 to 66%"},
	[BAND_HIGH] = {"#D55E00", "dotted", 1,   0.9, "66 to 99%"},
	[BAND_ALL]  = {"#7A0177", "double", 0,   0,   "100%"},
	[BAND_BRIDGE] = {"#6E7781", "dashed", 4, 2.5, "through operations that were hidden"},
	[BAND_CHANGED] = {"#9A5B00", "solid", 0,  0,   "changed"},
	[BAND_GONE] = {"#B00020", "dashed", 3,   1.5, "gone"},
	[BAND_NEW]  = {"#00702E", "solid",  0,   0,   "new"},
};

/* What stands on them keeps a contrast of 4.5. */
const struct render_strength_style render_strengths[STRENGTH_COUNT] = {
	[STRENGTH_NONE]    = {"#FFFFFF", "#FFFFFF", 1.2, NULL, false, "#7A4B00"},
	[STRENGTH_WEAK]    = {"#FFF8DB", "#FFF4C2", 1.6, NULL, false, "#7A4B00"},
	[STRENGTH_MIDDLE]  = {"#FFE999", "#FFD33D", 2, NULL, false, "#7A4B00"},
	[STRENGTH_STRONG]  = {"#FFD257", "#F59E0B", 3, NULL, false, "#7A4B00"},
	[STRENGTH_CHANGED] = {"#FFF3E0", "#FFFFFF", 2, "#9A5B00", false, "#7A4B00"},
	[STRENGTH_GONE]    = {"#FFEBEE", "#FFFFFF", 3, "#B00020", true, "#B00020"},
	[STRENGTH_NEW]     = {"#DDF4E4", "#FFFFFF", 3, "#00702E", false, "#00602A"},
};
/* clang-format on */

enum render_shape render_shape(const struct graph_vertex *vertex)
{
	static const struct {
		const char *kind;
		enum render_shape shape;
	} shapes[] = {
		{"host", SHAPE_HOST},     {"alloc", SHAPE_BOX},   {"memcpy", SHAPE_CIRCLE},
		{"memset", SHAPE_CIRCLE}, {"kernel", SHAPE_OVAL}, {"unknown", SHAPE_DIAMOND},
		{"free", SHAPE_DIAMOND},
	};

	for (size_t i = 0; vertex->kind && i < sizeof(shapes) / sizeof(*shapes); i++)
		if (graph_vertex_is(vertex, shapes[i].kind))
			return shapes[i].shape;
	return SHAPE_OTHER;
}

uint64_t render_unchanged_by(const struct graph_vertex *vertex)
{
	return vertex->fields & VERTEX_REDUNDANT_VALUE_BYTES ? vertex->redundant_value_bytes
							     : vertex->redundant_bytes;
}

double render_redundancy(const struct graph_edge *edge)
{
	const uint64_t unchanged = graph_edge_unchanged(edge);
	double share = 0;

	if (edge->access == GRAPH_READ)
		return 0;
	/* the attribute `redundancy` is rounded; only the counters can tell "all" from "nearly" */
	if ((edge->fields & EDGE_BYTES) &&
	    (edge->fields & (EDGE_REDUNDANT_BYTES | EDGE_REDUNDANT_VALUE_BYTES))) {
		if (edge->bytes)
			share = (double)unchanged / (double)edge->bytes;
		if (share >= 1 && unchanged < edge->bytes)
			share = nextafter(1, 0);
	} else if (edge->fields & EDGE_REDUNDANCY) {
		share = edge->redundancy;
	}
	return share > 0 ? fmin(share, 1) : 0; /* also for NaN */
}

enum render_band render_band(double redundancy)
{
	if (redundancy >= 1)
		return BAND_ALL;
	return redundancy > 0.66 ? BAND_HIGH : redundancy > 0.33 ? BAND_HALF : BAND_LOW;
}

bool render_is_bridge(const struct graph_edge *edge)
{
	const char *bridged = graph_attribute(&edge->attributes, DOT_BRIDGED);

	return bridged && !strcmp(bridged, "true");
}

enum render_change render_change(const struct graph_attributes *attributes)
{
	static const char *const names[] = {NULL, "same", "changed", "gone", "new"};
	const char *text = graph_attribute(attributes, DOT_CHANGE);

	for (int i = CHANGE_SAME; text && i <= CHANGE_NEW; i++)
		if (!strcmp(text, names[i]))
			return (enum render_change)i;
	return CHANGE_NONE;
}

enum render_band render_edge_band(const struct graph_edge *edge)
{
	enum render_change change = render_change(&edge->attributes);

	if (change >= CHANGE_CHANGED)
		return BAND_CHANGED + (change - CHANGE_CHANGED);
	if (change == CHANGE_SAME)
		return BAND_LOW;
	return render_is_bridge(edge) ? BAND_BRIDGE : render_band(render_redundancy(edge));
}

double render_edge_width(uint64_t bytes, uint64_t largest)
{
	if (!bytes)
		return 1;
	return fmax(1, fmin(RENDER_WIDEST,
			    RENDER_WIDEST - 0.6 * log2((double)largest / (double)bytes)));
}

double render_vertex_scale(uint64_t invocations)
{
	return invocations > 1 ? fmin(1.75, 1 + 0.15 * log10((double)invocations)) : 1;
}

uint32_t render_finding(const struct graph_vertex *vertex)
{
	const char *text = graph_attribute(&vertex->attributes, DOT_FINDING);
	unsigned long number = text ? strtoul(text, NULL, 10) : 0;

	return number < UINT32_MAX ? (uint32_t)number : 0;
}

enum render_strength render_strength(const struct graph_vertex *vertex)
{
	const char *text = graph_attribute(&vertex->attributes, DOT_FINDING_SHARE);
	double share = text ? strtod(text, NULL) : 0.1;
	enum render_change change = render_change(&vertex->attributes);

	if (change >= CHANGE_CHANGED)
		return STRENGTH_CHANGED + (change - CHANGE_CHANGED);
	if (change == CHANGE_SAME)
		return STRENGTH_NONE;
	if (!vertex->patterns || !*vertex->patterns || share < 0.01)
		return STRENGTH_NONE;
	return share < 0.1 ? STRENGTH_WEAK : share < 0.5 ? STRENGTH_MIDDLE : STRENGTH_STRONG;
}

double render_vertex_share(uint64_t value, uint64_t most)
{
	return value ? fmax(1, 1.75 - 0.1 * log2((double)most / (double)value)) : 1;
}

char *render_percent(double share, char text[8])
{
	double percent = share * 100;

	if (percent > 0 && percent < 1)
		strcpy(text, "<1%");
	else if (percent > 99 && share < 1)
		strcpy(text, ">99%");
	else
		snprintf(text, 8, "%.0f%%", fmax(0, fmin(100, percent)));
	return text;
}

char *render_count(uint64_t count, char text[32])
{
	char digits[24];
	int length = snprintf(digits, sizeof(digits), "%llu", (unsigned long long)count);
	char *out = text;

	for (int i = 0; i < length; i++) {
		if (i && (length - i) % 3 == 0)
			*out++ = ',';
		*out++ = digits[i];
	}
	*out = '\0';
	return text;
}
