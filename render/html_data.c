/*
 * render/html_data.c: the graph behind the picture as JSON.  Rows are arrays, whose columns are
 * named, with units and titles, in `columns`; what is missing is null.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "advice/advice.h"
#include "advice/report/finding.h"
#include "advice/source.h"
#include "advice/source_files.h"
#include "advice/words.h"
#include "graph/dot_names.h"
#include "graph/json_fields.h"
#include "render/html.h"

enum { SOURCES = 500, SOURCE_WIDTH = 160 }; /* findings that have theirs, bytes of a line */

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

static void put_others(struct json *json, const char *types,
		       const struct graph_attributes *attributes)
{
	bool first = true;

	for (uint32_t i = 0; types && i < attributes->count; i++) {
		const struct graph_attribute *attribute = &attributes->items[i];

		if (!is_declared(types, attribute->name) || is_styling(attribute->name))
			continue;
		if (first)
			json_begin(json, '{');
		json_name(json, attribute->name);
		json_text(json, attribute->value);
		first = false;
	}
	if (!first)
		json_end(json, '}');
}

/* -- columns -- */

/* Figures have a unit, if only an empty one. */
static const char *unit_of(const struct graph_field *field)
{
	static const char *const units[] = {
		[UNIT_NONE] = "", [UNIT_BYTES] = "bytes", [UNIT_CALLS] = "calls", [UNIT_NS] = "ns"};

	if (field->type == FIELD_FRACTION)
		return "share";
	return field->type == FIELD_COUNT ? units[field->unit] : NULL;
}

static void put_field_columns(struct json *json, const struct graph_field *fields)
{
	for (; fields->name; fields++) {
		if (fields->profile_only)
			continue;
		json_begin(json, '{');
		json_named_text(json, "name", fields->name);
		json_named_text(json, "title", fields->title);
		json_named_text(json, "unit", unit_of(fields));
		json_end(json, '}');
	}
}

/* Columns that are no fields, whose names end with NULL. */
static void put_columns(struct json *json, const char *const *names)
{
	for (; *names; names++) {
		json_begin(json, '{');
		json_named_text(json, "name", *names);
		json_end(json, '}');
	}
}

static void put_fields(struct json *json, const struct graph_field *fields, const void *of)
{
	for (; fields->name; fields++)
		if (!fields->profile_only)
			json_field(json, fields, of);
}

/* -- vertices -- */

/* put_vertex() and put_look() write these around the fields; `more` may be missing. */
static const char *const vertex_names[] = {"id", NULL};
static const char *const vertex_looks[] = {"place",   "note",   "strength", "shape", "lines",
					   "finding", "font",   "x",        "y",     "w",
					   "h",       "before", "after",    "more",  NULL};

/* How it is drawn: shape, lines and which of them names findings, size of the first one, place, how
 * many neighbours before and after it are not shown. */
static void put_look(struct json *json, const struct picture_vertex *shown)
{
	json_raw(json, "%d", (int)shown->shape);
	json_begin(json, '[');
	for (uint32_t i = 0; i < PICTURE_LINES && shown->lines[i]; i++)
		json_text(json, shown->lines[i]);
	json_end(json, ']');
	json_count(json, shown->finding_line);
	json_raw(json, "%.3g", shown->font);
	json_raw(json, "%.1f", shown->at.x);
	json_raw(json, "%.1f", shown->at.y);
	json_raw(json, "%.1f", shown->width);
	json_raw(json, "%.1f", shown->height);
	json_count(json, shown->hidden_before);
	json_count(json, shown->hidden_after);
}

static void put_vertex(struct json *json, const char *types, const struct picture_vertex *shown)
{
	struct graph_vertex vertex = *shown->vertex;

	if (!vertex.name || !*vertex.name)
		vertex.name = vertex.node;
	vertex.fields |= VERTEX_NAME;
	json_line(json);
	json_begin(json, '[');
	json_count(json, vertex.id);
	put_fields(json, graph_vertex_fields, &vertex);
	json_text(json, shown->place);
	json_count(json, shown->note);
	json_raw(json, "%d", (int)shown->strength);
	put_look(json, shown);
	put_others(json, types, &vertex.attributes);
	json_end(json, ']');
}

/* -- edges -- */

/* put_edge() and put_line() write these around the fields; `more` may be missing. */
static const char *const edge_names[] = {"from", "to", NULL};
static const char *const edge_looks[] = {"band",    "width",   "points", "label",
					 "label_x", "label_y", "more",   NULL};

/* In tenths of a pixel, each point from the one before it: a third of the text. */
static void put_points(struct json *json, const struct picture_edge *shown)
{
	long x = 0, y = 0;

	json_begin(json, '[');
	for (uint32_t i = 0; i <= shown->point_count; i++) {
		const struct picture_point *point =
			i < shown->point_count ? &shown->points[i] : &shown->tip;
		long to_x = lround(point->x * 10), to_y = lround(point->y * 10);

		json_raw(json, "%ld,%ld", to_x - x, to_y - y);
		x = to_x;
		y = to_y;
	}
	json_end(json, ']');
}

/* How it is drawn: band, width, points of Bezier curves and the arrow's tip, label and its place.
 */
static void put_line(struct json *json, const struct picture_edge *shown)
{
	json_raw(json, "%d", (int)shown->band);
	json_raw(json, "%.3g", shown->width);
	put_points(json, shown);
	json_text(json, shown->label);
	json_raw(json, "%.1f", shown->label ? shown->label_at.x + shown->width / 2 : 0);
	json_raw(json, "%.1f", shown->label ? shown->label_at.y : 0);
}

static void put_edge(struct json *json, const char *types, const struct picture_edge *shown)
{
	struct graph_edge edge = *shown->edge;

	edge.redundancy = render_redundancy(&edge);
	edge.fields |= EDGE_REDUNDANCY;
	if (edge.access != GRAPH_WRITE)
		edge.fields &= ~(uint32_t)EDGE_REDUNDANCY;
	json_line(json);
	json_begin(json, '[');
	json_count(json, shown->from);
	json_count(json, shown->to);
	put_fields(json, graph_edge_fields, &edge);
	put_line(json, shown);
	put_others(json, types, &edge.attributes);
	json_end(json, ']');
}

/* Frees the sentence; NULL is null. */
static void put_sentence(struct json *json, char *sentence)
{
	json_text(json, sentence);
	free(sentence);
}

/* -- findings -- */

/* Where vertices are groups: of the group that it is in. */
static uint32_t shown_id(const struct picture *picture, uint32_t vertex)
{
	uint32_t index = picture->whole ? graph_find(picture->whole, vertex) : UINT32_MAX;

	return index == UINT32_MAX ? vertex : picture->group_ids[index];
}

static void put_object(struct json *json, const struct picture *picture, uint32_t object)
{
	if (object == GRAPH_HOST) /* about none */
		json_text(json, NULL);
	else
		json_count(json, shown_id(picture, object));
}

static void put_time(struct json *json, uint64_t ns)
{
	if (ns == PROFILE_UNKNOWN)
		json_text(json, NULL);
	else
		json_count(json, ns);
}

static const char *const finding_names[] = {"number",  "vertex", "object",   "bytes",  "share",
					    "pattern", "action", "evidence", "advice", "limits",
					    "calls",   "saves",  "source",   NULL};

/* Pages are passed on: a hostile profile must not bring lines of any other file into them. */
static bool is_source(const char *file)
{
	static const char *const endings[] = {".c",   ".cc",  ".cpp", ".cxx", ".cu", ".cuh", ".h",
					      ".hh",  ".hpp", ".hxx", ".inl", ".py", ".f90", ".F90",
					      ".cuf", ".jl",  ".rs",  ".C",   ".H"};
	const char *dot = strrchr(file, '.');

	for (size_t i = 0; dot && i < sizeof(endings) / sizeof(*endings); i++)
		if (!strcmp(dot, endings[i]))
			return true;
	return false;
}

/*
 * The line of the finding with those around it, as they are now; null without `files`, and where
 * nothing can be read.
 */
static void put_source(struct json *json, const struct picture *picture, struct source_files *files,
		       uint32_t index)
{
	struct finding_line line = finding_line(
		picture->profile, picture->whole ? picture->whole : picture->graph, index, "");
	struct source source = {0};

	if (files && line.file && is_source(line.file))
		source = source_read(files, line.file, line.line, SOURCE_WIDTH);
	if (!source.lines[0]) {
		json_text(json, NULL);
		return;
	}
	json_begin(json, '[');
	json_text(json, line.file);
	json_count(json, line.line);
	json_count(json, source.first);
	for (uint32_t i = 0; i < SOURCE_LINES && source.lines[i]; i++)
		json_text(json, source.lines[i]);
	json_end(json, ']');
	source_free(&source);
}

/* The findings of a profile, also about vertices that are not shown; DOT has but their names. */
static void put_findings(struct json *json, const struct picture *picture)
{
	const struct profile *profile = picture->profile;
	struct source_files files = {0};

	json_begin(json, '[');
	for (uint32_t i = 0; profile && i < profile->finding_count; i++) {
		const struct profile_finding *finding = &profile->findings[i];

		json_line(json);
		json_begin(json, '[');
		json_count(json, i + 1);
		json_count(json, shown_id(picture, finding->vertex));
		put_object(json, picture, finding->object);
		json_count(json, finding->bytes);
		json_real(json, finding->fraction);
		json_text(json, finding->pattern);
		put_sentence(json, finding->action ? words_action(finding->action) : NULL);
		json_text(json, finding->evidence);
		json_text(json, finding->advice);
		json_text(json, finding->limits);
		put_sentence(json, finding->vertex == GRAPH_HOST && finding->api != PROFILE_NO_ROW
					   ? words_calls(&profile->apis[finding->api])
					   : NULL);
		put_time(json, finding->saves_ns);
		put_source(json, picture, i < SOURCES ? &files : NULL, i);
		json_end(json, ']');
	}
	source_files_release(&files);
	json_end(json, ']');
}

/* -- what is missing in the run -- */

/* Lists of sentences, each after its title; none without a profile: then nobody knows. */
static void put_gaps(struct json *json, const struct profile *profile)
{
	json_begin(json, '[');
	if (profile && profile->failed_call_count) {
		json_begin(json, '[');
		json_text(json, "Calls that failed");
		for (uint32_t i = 0; i < profile->failed_call_count; i++)
			put_sentence(json, words_failed_call(&profile->failed_calls[i]));
		json_end(json, ']');
	}
	if (profile) {
		json_begin(json, '[');
		json_text(json, "What was not seen, or not in full");
		for (uint32_t i = 0; i < profile->coverage_count; i++)
			put_sentence(json, words_gap(&profile->coverage[i]));
		if (!profile->coverage_count)
			json_text(json, "no gap was recorded");
		json_end(json, ']');
	}
	json_end(json, ']');
}

static void put_all_columns(struct json *json)
{
	json_begin(json, '{');
	json_name(json, "vertices");
	json_begin(json, '[');
	put_columns(json, vertex_names);
	put_field_columns(json, graph_vertex_fields);
	put_columns(json, vertex_looks);
	json_end(json, ']');
	json_name(json, "edges");
	json_begin(json, '[');
	put_columns(json, edge_names);
	put_field_columns(json, graph_edge_fields);
	put_columns(json, edge_looks);
	json_end(json, ']');
	json_name(json, "findings");
	json_begin(json, '[');
	put_columns(json, finding_names);
	json_end(json, ']');
	json_end(json, '}');
}

static bool came_before(const char *pattern, uint32_t index)
{
	for (uint32_t i = 0; i < index; i++)
		if (!strcmp(advice_pattern(i), pattern))
			return true;
	return false;
}

/* What people call the patterns, as the report does. */
static void put_titles(struct json *json)
{
	const char *pattern;

	json_begin(json, '{');
	for (uint32_t i = 0; (pattern = advice_pattern(i)); i++)
		if (!came_before(pattern, i))
			json_named_text(json, pattern, advice_title(pattern));
	json_end(json, '}');
}

static void put_header(struct json *json, const struct picture *picture)
{
	const struct {
		const char *name, *text;
	} texts[] = {
		{"title", picture->title},   {"run", picture->run},   {"totals", picture->totals},
		{"hidden", picture->hidden}, {"file", picture->file},
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		json_name(json, texts[i].name);
		json_text(json, texts[i].text);
	}
	json_name(json, "grouped");
	json_raw(json, picture->whole ? "true" : "false");
	json_name(json, "width");
	json_raw(json, "%.0f", picture->width);
	json_name(json, "height");
	json_raw(json, "%.0f", picture->height);
}

void html_write_data(FILE *out, const struct picture *picture)
{
	const char *types = graph_attribute(&picture->graph->attributes, DOT_TYPES);
	struct json json = {.file = out, .style = JSON_IN_HTML};

	json_begin(&json, '{');
	put_header(&json, picture);
	json_name(&json, "columns");
	put_all_columns(&json);
	json_name(&json, "titles");
	put_titles(&json);
	json_name(&json, "vertices");
	json_begin(&json, '[');
	for (uint32_t i = 0; i < picture->vertex_count; i++)
		put_vertex(&json, types, &picture->vertices[i]);
	json_end(&json, ']');
	json_name(&json, "edges");
	json_begin(&json, '[');
	for (uint32_t i = 0; i < picture->edge_count; i++)
		put_edge(&json, types, &picture->edges[i]);
	json_end(&json, ']');
	json_name(&json, "findings");
	put_findings(&json, picture);
	json_name(&json, "gaps");
	put_gaps(&json, picture->profile);
	json_name(&json, "memory");
	html_write_memory(&json, picture);
	json_end(&json, '}');
	putc('\n', out);
}
