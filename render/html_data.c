/*
 * render/html_data.c: the graph behind the picture as JSON.  Rows are arrays, in the order that
 * web-static/graph.js names; a missing attribute is null.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "render/html.h"
#include "render/json.h"
#include "util/memory.h"

static void put_number(FILE *out, bool there, uint64_t value)
{
	if (there)
		fprintf(out, "%" PRIu64, value);
	else
		fputs("null", out);
}

/* Attributes of Graphviz that style, link or load: never data, whatever the input declares. */
static bool is_styling(const char *name)
{
	static const char *const names[] = {
		"_background",
		"arrowhead",
		"arrowsize",
		"arrowtail",
		"bgcolor",
		"center",
		"charset",
		"class",
		"color",
		"colorscheme",
		"comment",
		"decorate",
		"dir",
		"edgehref",
		"fillcolor",
		"fixedsize",
		"fontcolor",
		"fontname",
		"fontnames",
		"fontpath",
		"fontsize",
		"gradientangle",
		"headclip",
		"headport",
		"height",
		"href",
		"id",
		"image",
		"imagepath",
		"imagepos",
		"imagescale",
		"label",
		"labelfloat",
		"labelfontcolor",
		"labelfontname",
		"labelfontsize",
		"layer",
		"layers",
		"layout",
		"lp",
		"margin",
		"nojustify",
		"ordering",
		"orientation",
		"pencolor",
		"penwidth",
		"peripheries",
		"pos",
		"rects",
		"shape",
		"shapefile",
		"sides",
		"skew",
		"splines",
		"src",
		"style",
		"stylesheet",
		"tailclip",
		"tailport",
		"target",
		"tooltip",
		"vertices",
		"width",
		"xlabel",
		"xlp",
		"z",
	};
	static const char *const endings[] = {"url", "href", "target", "tooltip", "label", "_lp"};
	size_t length = strlen(name);

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strcasecmp(name, names[i]))
			return true;
	for (size_t i = 0; i < sizeof(endings) / sizeof(*endings); i++)
		if (length >= strlen(endings[i]) &&
		    !strcasecmp(name + length - strlen(endings[i]), endings[i]))
			return true;
	return !strncasecmp(name, "on", 2) || !strncasecmp(name, "xlink", 5);
}

/* Whether vflow_types ("num:int,name:str") names the attribute. */
static bool is_declared(const char *types, const char *name)
{
	size_t length = strlen(name);

	for (const char *at = types; at && *at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
		if (!strncmp(at, name, length) && at[length] == ':')
			return true;
	return false;
}

static void put_others(FILE *out, const char *types, const struct graph_attributes *attributes)
{
	bool first = true;

	for (uint32_t i = 0; types && i < attributes->count; i++) {
		const struct graph_attribute *attribute = &attributes->items[i];

		if (!is_declared(types, attribute->name) || is_styling(attribute->name))
			continue;
		fputs(first ? ",{" : ",", out);
		json_put_string(out, attribute->name);
		fputc(':', out);
		json_put_string(out, attribute->value);
		first = false;
	}
	if (!first)
		fputc('}', out);
}

/* How it is drawn: shape, lines and which of them names findings, size of the first one, place, how
 * many neighbours before and after it are not shown. */
static void put_look(FILE *out, const struct picture_vertex *shown)
{
	fprintf(out, "%d,[", (int)shown->shape);
	for (uint32_t i = 0; i < PICTURE_LINES && shown->lines[i]; i++) {
		fputs(i ? "," : "", out);
		json_put_string(out, shown->lines[i]);
	}
	fprintf(out, "],%u,%.3g,%.1f,%.1f,%.1f,%.1f,%u,%u", shown->finding_line, shown->font,
		shown->at.x, shown->at.y, shown->width, shown->height, shown->hidden_before,
		shown->hidden_after);
}

static void put_vertex(FILE *out, const char *types, const struct picture_vertex *shown)
{
	const struct graph_vertex *vertex = shown->vertex;
	const struct {
		uint32_t field;
		uint64_t value;
	} numbers[] = {
		{VERTEX_INVOCATIONS, vertex->invocations},
		{VERTEX_READ_BYTES, vertex->read_bytes},
		{VERTEX_WRITTEN_BYTES, vertex->written_bytes},
		{VERTEX_REDUNDANT_BYTES, vertex->redundant_bytes},
		{VERTEX_TIME_NS, vertex->time_ns},
	};
	const char *const texts[] = {
		vertex->kind,     vertex->name && *vertex->name ? vertex->name : vertex->node,
		shown->place,     vertex->context,
		vertex->callpath, vertex->patterns,
		vertex->advice,
	};

	fprintf(out, "[%u", vertex->id);
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		fputc(',', out);
		json_put_string(out, texts[i]);
	}
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
		fputc(',', out);
		put_number(out, vertex->fields & numbers[i].field, numbers[i].value);
	}
	fprintf(out, ",%u,", shown->note);
	put_look(out, shown);
	put_others(out, types, &vertex->attributes);
	fputc(']', out);
}

/* In tenths of a pixel, each point from the one before it: a third of the text. */
static void put_points(FILE *out, const struct picture_edge *shown)
{
	long x = 0, y = 0;

	for (uint32_t i = 0; i <= shown->point_count; i++) {
		const struct picture_point *point =
			i < shown->point_count ? &shown->points[i] : &shown->tip;
		long to_x = lround(point->x * 10), to_y = lround(point->y * 10);

		fprintf(out, "%s%ld,%ld", i ? "," : "", to_x - x, to_y - y);
		x = to_x;
		y = to_y;
	}
}

/* How it is drawn: band, width, points of Bezier curves and the arrow's tip, label and its place.
 */
static void put_line(FILE *out, const struct picture_edge *shown)
{
	fprintf(out, ",%d,%.3g,[", (int)shown->band, shown->width);
	put_points(out, shown);
	fputs("],", out);
	json_put_string(out, shown->label);
	if (shown->label)
		fprintf(out, ",%.1f,%.1f", shown->label_at.x + shown->width / 2, shown->label_at.y);
	else
		fputs(",0,0", out);
}

static void put_edge(FILE *out, const char *types, const struct picture_edge *shown)
{
	static const char *const accesses[] = {[GRAPH_ACCESS_NONE] = "null",
					       [GRAPH_READ] = "\"READ\"",
					       [GRAPH_WRITE] = "\"WRITE\""};
	const struct graph_edge *edge = shown->edge;
	const struct {
		uint32_t field;
		uint64_t value;
	} numbers[] = {
		{EDGE_OBJECT, edge->object},
		{EDGE_BYTES, edge->bytes},
		{EDGE_REDUNDANT_BYTES, edge->redundant_bytes},
		{EDGE_COUNT, edge->count},
		{EDGE_OBJECT_BYTES, edge->object_bytes},
	};
	double share = render_redundancy(edge);

	fprintf(out, "[%u,%u,%s", shown->from, shown->to, accesses[edge->access]);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
		fputc(',', out);
		put_number(out, edge->fields & numbers[i].field, numbers[i].value);
	}
	if (edge->access == GRAPH_WRITE)
		fprintf(out, ",%.6g", share);
	else
		fputs(",null", out);
	put_line(out, shown);
	put_others(out, types, &edge->attributes);
	fputc(']', out);
}

/* The findings of a profile, also about vertices that are not shown; DOT has but their names. */
static void put_findings(FILE *out, const struct picture *picture)
{
	const struct profile *profile = picture->grouped ? NULL : picture->profile;
	bool first = true;

	for (uint32_t i = 0; profile && i < profile->finding_count; i++) {
		const struct profile_finding *finding = &profile->findings[i];
		const char *const texts[] = {finding->pattern, finding->evidence, finding->advice,
					     finding->limits};

		fprintf(out, "%s\n[%u,%u,%" PRIu64 ",%.6g", first ? "" : ",", finding->vertex,
			finding->object, finding->bytes, finding->fraction);
		for (size_t k = 0; k < sizeof(texts) / sizeof(*texts); k++) {
			fputc(',', out);
			json_put_string(out, texts[k]);
		}
		fputc(']', out);
		first = false;
	}
}

void html_write_data(FILE *out, const struct picture *picture)
{
	const char *types = graph_attribute(&picture->graph->attributes, "vflow_types");

	fputs("{\"title\":", out);
	json_put_string(out, picture->title);
	fputs(",\"run\":", out);
	json_put_string(out, picture->run);
	fputs(",\"totals\":", out);
	json_put_string(out, picture->totals);
	fputs(",\"hidden\":", out);
	json_put_string(out, picture->hidden);
	fputs(",\"file\":", out);
	json_put_string(out, picture->file);
	fprintf(out, ",\"grouped\":%s", picture->grouped ? "true" : "false");
	fprintf(out, ",\"width\":%.0f,\"height\":%.0f,\"vertices\":[", picture->width,
		picture->height);
	for (uint32_t i = 0; i < picture->vertex_count; i++) {
		fputs(i ? ",\n" : "\n", out);
		put_vertex(out, types, &picture->vertices[i]);
	}
	fputs("],\"edges\":[", out);
	for (uint32_t i = 0; i < picture->edge_count; i++) {
		fputs(i ? ",\n" : "\n", out);
		put_edge(out, types, &picture->edges[i]);
	}
	fputs("],\"findings\":[", out);
	put_findings(out, picture);
	fputs("]}\n", out);
}
