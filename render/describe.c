/* render/describe.c: see describe.h. */
#include "render/describe.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "advice/advice.h"
#include "graph/dot_names.h"
#include "graph/fields.h"
#include "render/style.h"
#include "util/memory.h"
#include "util/size.h"
#include "util/text.h"

enum {
	TEXT_LIMIT = 1000, /* characters of one text of the program in a tooltip */
	PATH_LIMIT = 40,   /* frames */
};

/* Fields that tooltips have in sentences. */
#define VERTEX_IN_WORDS                                                                            \
	(VERTEX_INVOCATIONS | VERTEX_READ_BYTES | VERTEX_WRITTEN_BYTES | VERTEX_REDUNDANT_BYTES |  \
	 VERTEX_REDUNDANT_VALUE_BYTES | VERTEX_TIME_NS | VERTEX_HOST_NS)
#define EDGE_IN_WORDS                                                                              \
	(EDGE_BYTES | EDGE_REDUNDANT_BYTES | EDGE_REDUNDANT_VALUE_BYTES | EDGE_REDUNDANCY |        \
	 EDGE_COUNT | EDGE_OBJECT_BYTES)

/* A text that is built piece by piece. */
struct sentence {
	FILE *file;
	char *text;
	size_t size;
};

static FILE *begin(struct sentence *sentence)
{
	return sentence->file = xopen_memstream(&sentence->text, &sentence->size);
}

static char *end(struct sentence *sentence)
{
	fclose(sentence->file);
	return sentence->text;
}

static void put_cut(FILE *out, const char *text, uint32_t limit)
{
	char *cut = render_cut_end(text, limit);

	fputs(cut, out);
	free(cut);
}

static void put_bytes(FILE *out, uint64_t bytes)
{
	char size[16], exact[32];

	fprintf(out, "%s byte%s", render_count(bytes, exact), text_plural(bytes, "", "s"));
	if (bytes >= 1024)
		fprintf(out, " (%s)", size_format(bytes, size));
}

static void put_share(FILE *out, double share)
{
	char percent[8];

	fprintf(out, " (%s)", render_percent(share, percent));
}

/* "gpu_idle" as the report has it; what it does not know, foreign DOT may have. */
static char *pattern_title(const char *pattern)
{
	const char *title = advice_title(pattern);
	char *text = xstrdup(title);

	for (char *at = text; title == pattern && *at; at++)
		*at = *at == '_' ? ' ' : *at;
	return text;
}

/* "redundant_values,gpu_idle" as people write it */
static void put_patterns(FILE *out, const char *patterns)
{
	char *cut = render_cut_end(patterns, TEXT_LIMIT), *next = cut, *pattern, *title;

	while ((pattern = strsep(&next, ","))) {
		title = pattern_title(pattern);
		fprintf(out, "%s%s", title, next ? ", " : "");
		free(title);
	}
	free(cut);
}

char *describe_patterns(const char *patterns, uint32_t limit)
{
	struct sentence sentence;
	FILE *out = begin(&sentence);
	size_t first = strcspn(patterns, ",");
	char *name = xstrndup(patterns, first), *title = pattern_title(name), *cut, *text;
	uint32_t more = 0;

	for (const char *at = patterns + first; *at; at++)
		more += *at == ',';
	cut = render_cut_end(title, limit);
	fputs(cut, out);
	if (more)
		fprintf(out, " +%u", more);
	text = end(&sentence);
	free(name);
	free(title);
	free(cut);
	return text;
}

static void put_name(FILE *out, const struct graph_vertex *vertex, uint32_t limit)
{
	const char *name = vertex->name && *vertex->name ? vertex->name : vertex->node;

	if (!graph_vertex_is(vertex, "host"))
		fprintf(out, "#%u ", vertex->id);
	put_cut(out, name, limit);
}

char *describe_figures(const struct graph_vertex *vertex, uint64_t object_bytes)
{
	struct sentence sentence;
	FILE *out = begin(&sentence);
	char text[32];

	fprintf(out, "#%u", vertex->id);
	if (object_bytes && graph_vertex_is(vertex, "alloc"))
		fprintf(out, " · %s", size_format(object_bytes, text));
	if ((vertex->fields & VERTEX_INVOCATIONS) && vertex->invocations > 1)
		fprintf(out, " · %s×", render_count(vertex->invocations, text));
	return end(&sentence);
}

char *describe_flow(const struct graph_edge *edge)
{
	double share = render_redundancy(edge);
	char size[16], percent[8];

	if (!(edge->fields & EDGE_BYTES))
		return share > 0 ? xstrdup(render_percent(share, percent)) : NULL;
	if (share > 0)
		return xasprintf("%s · %s", size_format(edge->bytes, size),
				 render_percent(share, percent));
	return xstrdup(size_format(edge->bytes, size));
}

/* One line for each finding; " | " separates them. */
static void put_advice(FILE *out, const char *advice)
{
	char *cut = render_cut_end(advice, TEXT_LIMIT);

	for (const char *text = cut; *text;) {
		const char *end = strstr(text, " | ");
		int length = end ? (int)(end - text) : (int)strlen(text);

		fprintf(out, "\nadvice: %.*s", length, text);
		text += end ? length + 3 : length;
	}
	free(cut);
}

/* Of the node of a CUDA graph the frames that made it, then those of the launch. */
static void put_path(FILE *out, const char *path)
{
	const char *before = "\n  at ";

	for (uint32_t frame = 0; path && *path; frame++) {
		const char *next = strstr(path, " < ");
		char *text;

		if (frame == PATH_LIMIT) {
			fputs("\n  …", out);
			return;
		}
		text = next ? xstrndup(path, (size_t)(next - path)) : xstrdup(path);
		if (!strncmp(text, GRAPH_REPLAYED, strlen(GRAPH_REPLAYED))) {
			before = "\n  replayed at ";
		} else {
			fputs(before, out);
			put_cut(out, text, TEXT_LIMIT);
			before = "\n  from ";
		}
		free(text);
		path = next ? next + 3 : NULL;
	}
}

/* A line for each figure that is there, but for those with these flags, which have their words. */
static void put_figures(FILE *out, const struct graph_field *fields, const void *of,
			uint32_t in_words)
{
	char count[32], percent[8];

	for (; fields->name; fields++) {
		uint64_t number;

		if (fields->flag & in_words || !field_is_there(fields, of))
			continue;
		if (fields->type == FIELD_FRACTION)
			fprintf(out, "\n%s: %s", fields->title,
				render_percent(field_fraction(fields, of), percent));
		if (fields->type != FIELD_COUNT || !field_number(fields, of))
			continue;
		number = field_number(fields, of);
		fprintf(out, "\n%s: ", fields->title);
		if (fields->unit == UNIT_BYTES)
			put_bytes(out, number);
		else if (fields->unit == UNIT_NS)
			fprintf(out, "%.3f ms", (double)number / 1e6);
		else
			fprintf(out, "%s%s", render_count(number, count),
				fields->unit == UNIT_CALLS ? "×" : "");
	}
}

char *describe_vertex(const struct graph_vertex *vertex, uint64_t object_bytes)
{
	struct sentence sentence;
	FILE *out = begin(&sentence);
	const uint64_t unchanged = render_unchanged_by(vertex);
	char count[32];

	put_name(out, vertex, TEXT_LIMIT);
	if (vertex->kind && *vertex->kind && strcmp(vertex->kind, "host") != 0) {
		fputs("\nkind: ", out);
		put_cut(out, vertex->kind, TEXT_LIMIT);
	}
	if (object_bytes && graph_vertex_is(vertex, "alloc")) {
		fputs("\nlargest object: ", out);
		put_bytes(out, object_bytes);
	}
	if ((vertex->fields & VERTEX_INVOCATIONS) && !graph_vertex_is(vertex, "host"))
		fprintf(out, "\ninvocations: %s", render_count(vertex->invocations, count));
	if ((vertex->fields & VERTEX_READ_BYTES) && vertex->read_bytes) {
		fputs("\nreads ", out);
		put_bytes(out, vertex->read_bytes);
	}
	if ((vertex->fields & VERTEX_WRITTEN_BYTES) && vertex->written_bytes) {
		fputs("\nwrites ", out);
		put_bytes(out, vertex->written_bytes);
		if (unchanged) {
			fputs("\nof them unchanged ", out);
			put_bytes(out, unchanged);
			put_share(out, (double)unchanged / (double)vertex->written_bytes);
		}
	}
	if ((vertex->fields & VERTEX_TIME_NS) && vertex->time_ns)
		fprintf(out, "\ntime on the GPU: %.3f ms", (double)vertex->time_ns / 1e6);
	if ((vertex->fields & VERTEX_HOST_NS) && vertex->host_ns)
		fprintf(out, "\nhost time of its calls: %.3f ms", (double)vertex->host_ns / 1e6);
	put_figures(out, graph_vertex_fields, vertex, VERTEX_IN_WORDS);
	put_path(out, vertex->callpath);
	if (vertex->patterns && *vertex->patterns) {
		fputs("\nfindings: ", out);
		put_patterns(out, vertex->patterns);
	}
	if (vertex->advice)
		put_advice(out, vertex->advice);
	return end(&sentence);
}

static void put_object(FILE *out, const struct graph *graph, const struct graph_edge *edge)
{
	uint32_t site = graph_find(graph, edge->object);
	char *where = NULL;

	fputs("\nobject: ", out);
	if (site == UINT32_MAX) {
		fprintf(out, "#%u", edge->object);
	} else {
		put_name(out, &graph->vertices[site], 80);
		where = render_where(graph->vertices[site].callpath, 0);
	}
	if (where) {
		fputs(", ", out);
		put_cut(out, where, 80);
	}
	if (edge->fields & EDGE_OBJECT_BYTES) {
		fputs(", ", out);
		put_bytes(out, edge->object_bytes);
	}
	free(where);
}

char *describe_edge(const struct graph *graph, const struct graph_edge *edge)
{
	static const char *const verbs[] = {
		[GRAPH_ACCESS_NONE] = "uses",
		[GRAPH_READ] = "reads",
		[GRAPH_WRITE] = "overwrites",
	};
	const struct graph_vertex *from = &graph->vertices[edge->from];
	const struct graph_vertex *to = &graph->vertices[edge->to];
	struct sentence sentence;
	FILE *out = begin(&sentence);
	double share = render_redundancy(edge);
	char count[32];

	if (graph_vertex_is(to, "host")) {
		put_name(out, from, 80);
		fputs(" copies to host", out);
	} else {
		put_name(out, to, 80);
		fprintf(out, " %s values of ", verbs[edge->access]);
		put_name(out, from, 80);
	}
	if (render_is_bridge(edge))
		fprintf(out, "\n%s", render_bands[BAND_BRIDGE].range);
	if (edge->fields & EDGE_BYTES) {
		fputs("\n", out);
		put_bytes(out, edge->bytes);
	}
	if (edge->fields & EDGE_COUNT)
		fprintf(out, " in %s invocation%s", render_count(edge->count, count),
			text_plural(edge->count, "", "s"));
	if (share > 0) {
		fputs("\nof them unchanged ", out);
		if (edge->fields & (EDGE_REDUNDANT_BYTES | EDGE_REDUNDANT_VALUE_BYTES))
			put_bytes(out, graph_edge_unchanged(edge));
		put_share(out, share);
	}
	put_figures(out, graph_edge_fields, edge, EDGE_IN_WORDS);
	if (edge->fields & EDGE_OBJECT)
		put_object(out, graph, edge);
	return end(&sentence);
}

char *describe_finding(const struct graph_vertex *vertex, const char *name, const char *place)
{
	struct sentence sentence;
	FILE *out = begin(&sentence);

	fprintf(out, "#%u %s", vertex->id, name);
	if (place) {
		fputs(", ", out);
		put_cut(out, place, 80);
	}
	fputs(": ", out);
	if (render_change(&vertex->attributes))
		fputs(graph_attribute(&vertex->attributes, DOT_CHANGE), out);
	else
		put_patterns(out, vertex->patterns);
	return end(&sentence);
}

static uint64_t add(uint64_t a, uint64_t b)
{
	return a + b < a ? UINT64_MAX : a + b;
}

/* "44 vertices: 5 gone, 4 new, 1 changed; 90 edges: ..."; NULL: the graph is of one run. */
static char *describe_changes(const struct graph *graph)
{
	uint32_t vertices[CHANGE_NEW + 1] = {0}, edges[CHANGE_NEW + 1] = {0};
	char a[32], b[32], c[32], d[32];
	struct sentence sentence;
	FILE *out;

	for (uint32_t i = 0; i < graph->vertex_count; i++)
		vertices[render_change(&graph->vertices[i].attributes)]++;
	for (uint32_t i = 0; i < graph->edge_count; i++)
		edges[render_change(&graph->edges[i].attributes)]++;
	if (vertices[CHANGE_NONE] == graph->vertex_count)
		return NULL;
	out = begin(&sentence);
	fprintf(out, "%s %s: %s gone, %s new, %s changed; ", render_count(graph->vertex_count, a),
		text_plural(graph->vertex_count, "vertex", "vertices"),
		render_count(vertices[CHANGE_GONE], b), render_count(vertices[CHANGE_NEW], c),
		render_count(vertices[CHANGE_CHANGED], d));
	fprintf(out, "%s edge%s: %s gone, %s new, %s changed", render_count(graph->edge_count, a),
		text_plural(graph->edge_count, "", "s"), render_count(edges[CHANGE_GONE], b),
		render_count(edges[CHANGE_NEW], c), render_count(edges[CHANGE_CHANGED], d));
	return end(&sentence);
}

char *describe_totals(const struct graph *graph)
{
	char *changes = describe_changes(graph);
	struct graph_vertex all = {0}; /* as if every edge led into it */
	struct sentence sentence;
	uint64_t unchanged = 0;
	char a[32], b[32];
	FILE *out;

	if (changes)
		return changes;
	out = begin(&sentence);
	for (uint32_t i = 0; i < graph->edge_count; i++) {
		const struct graph_edge *edge = &graph->edges[i];

		fields_add_edge(&all, edge, UINT64_MAX);
		unchanged += edge->access == GRAPH_WRITE ? graph_edge_unchanged(edge) : 0;
	}
	fprintf(out, "%s %s, %s edge%s; ", render_count(graph->vertex_count, a),
		text_plural(graph->vertex_count, "vertex", "vertices"),
		render_count(graph->edge_count, b), text_plural(graph->edge_count, "", "s"));
	fprintf(out, "%s byte%s read, %s written", size_format(all.read_bytes, a),
		text_plural(all.read_bytes, "", "s"), size_format(all.written_bytes, b));
	if (all.written_bytes) {
		fprintf(out, ", %s of them unchanged", size_format(unchanged, a));
		put_share(out, (double)unchanged / (double)all.written_bytes);
	}
	return end(&sentence);
}

char *describe_run(const struct profile *profile)
{
	struct sentence sentence;
	FILE *out = begin(&sentence);
	time_t date = (time_t)profile->date;
	struct tm day;
	char text[32];

	put_cut(out, profile->command ? profile->command : "a program", 120);
	if (profile->process_count && profile->processes[0].device) {
		fputs(" · ", out);
		put_cut(out, profile->processes[0].device, 80);
	}
	if (profile->process_count > 1)
		fprintf(out, " · %s processes", render_count(profile->process_count, text));
	if (profile->date && gmtime_r(&date, &day) &&
	    strftime(text, sizeof(text), "%Y-%m-%d %H:%M UTC", &day))
		fprintf(out, " · %s", text);
	return end(&sentence);
}

char *describe_hidden(const struct graph *graph, const bool *vertices, const bool *edges)
{
	uint32_t vertex_count = 0, edge_count = 0;
	uint64_t shown = 0, all = 0;
	bool findings = false, changes = false;
	struct sentence sentence;
	char a[32], b[32], c[32], d[32], percent[8];
	FILE *out;

	for (uint32_t i = 0; i < graph->vertex_count; i++) {
		vertex_count += vertices[i];
		changes |= render_change(&graph->vertices[i].attributes) != CHANGE_NONE;
		findings |= graph->vertices[i].patterns && *graph->vertices[i].patterns;
	}
	for (uint32_t i = 0; i < graph->edge_count; i++) {
		edge_count += edges[i];
		all = add(all, graph->edges[i].bytes);
		shown = add(shown, edges[i] ? graph->edges[i].bytes : 0);
	}
	if (vertex_count == graph->vertex_count && edge_count == graph->edge_count)
		return NULL;
	out = begin(&sentence);
	fprintf(out, "showing %s of %s %s, %s of %s edge%s", render_count(vertex_count, a),
		render_count(graph->vertex_count, b),
		text_plural(graph->vertex_count, "vertex", "vertices"), render_count(edge_count, c),
		render_count(graph->edge_count, d), text_plural(graph->edge_count, "", "s"));
	if (all)
		fprintf(out, "; %s of %s byte%s",
			render_percent((double)shown / (double)all, percent), size_format(all, a),
			text_plural(all, "", "s"));
	if (vertex_count < graph->vertex_count)
		fputs(changes    ? "; chosen around what went and came"
		      : findings ? "; chosen around the findings"
				 : "; chosen by bytes",
		      out);
	return end(&sentence);
}
