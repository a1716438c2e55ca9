/*
 * render/dot.c: DOT with the drawing in it, so that `dot -Tsvg` of Graphviz draws the picture too.
 *
 * The known attributes stay (DESIGN 6), so that filters still work on it; those that a foreign file
 * brought are left out, because they may style or link.
 */
#include <inttypes.h>

#include "render/format.h"

static const struct {
	const char *shape, *style;
} shapes[SHAPE_COUNT] = {
	[SHAPE_BOX] = {"box", "filled"},
	[SHAPE_CIRCLE] = {"ellipse", "filled"},
	[SHAPE_OVAL] = {"ellipse", "filled"},
	[SHAPE_HOST] = {"box", "rounded,filled"},
	[SHAPE_DIAMOND] = {"diamond", "dashed,filled"},
	[SHAPE_OTHER] = {"box", "rounded,filled"},
};

/* Inside quotes.  As in graph/dot.h a backslash is doubled, so that it never escapes anything. */
static void put_escaped(FILE *out, const char *text, bool label)
{
	for (; *text; text++) {
		if (*text == '"')
			fputs("\\\"", out);
		else if (*text == '\\')
			fputs("\\\\", out);
		else if (*text == '\n')
			fputs("\\n", out);
		else if (*text == '&' && label) /* Graphviz decodes entities in labels */
			fputs("&amp;", out);
		else
			fputc(*text, out);
	}
}

static void put(FILE *out, const char *name, const char *text)
{
	fprintf(out, " %s=\"", name);
	put_escaped(out, text ? text : "", false);
	fputc('"', out);
}

static void put_label(FILE *out, const char *name, const char *text)
{
	fprintf(out, " %s=\"", name);
	put_escaped(out, text, true);
	fputc('"', out);
}

static void begin(FILE *out, const struct picture *picture)
{
	fputs("digraph vflow {\n"
	      "graph [vflow_version=1 rankdir=TB nodesep=0.35 ranksep=0.4 bgcolor=\"#FFFFFF\" "
	      "labelloc=t labeljust=l fontname=\"Helvetica\" fontsize=12",
	      out);
	if (picture->vertex_count > 300)
		fputs(" nslimit=1 nslimit1=1 splines=line", out);
	fputs(" label=\"", out);
	put_escaped(out, picture->title, true);
	fputs("\\l", out);
	put_escaped(out, picture->totals, true);
	fputs("\\l", out);
	if (picture->hidden) {
		put_escaped(out, picture->hidden, true);
		fputs("\\l", out);
	}
	fputs("Written bytes that did not change: grey up to 33%, blue dashed up to 66%, orange "
	      "dotted below 100%, purple double all\\lFilled arrowhead: overwrites what the tail "
	      "wrote; empty: reads it\\l",
	      out);
	if (picture->bridges)
		fprintf(out, "Thin, dashed, grey: %s\\l", render_bands[BAND_BRIDGE].range);
	fputs("\"];\n"
	      "node [fixedsize=shape fontname=\"Helvetica\" color=\"#1F2328\"];\n"
	      "edge [fontname=\"Helvetica\" fontsize=12];\n",
	      out);
}

static void vertex(FILE *out, const struct picture_vertex *shown)
{
	const struct graph_vertex *vertex = shown->vertex;
	/* a foreign vertex without a name keeps what it is called */
	const char *name = vertex->fields & VERTEX_NAME ? vertex->name : vertex->node;
	const struct {
		uint32_t field;
		const char *name;
		uint64_t value;
	} counters[] = {
		{VERTEX_INVOCATIONS, "invocations", vertex->invocations},
		{VERTEX_READ_BYTES, "read_bytes", vertex->read_bytes},
		{VERTEX_WRITTEN_BYTES, "written_bytes", vertex->written_bytes},
		{VERTEX_REDUNDANT_BYTES, "redundant_bytes", vertex->redundant_bytes},
		{VERTEX_TIME_NS, "time_ns", vertex->time_ns},
	};
	const struct {
		uint32_t field;
		const char *name, *value;
	} texts[] = {
		{VERTEX_KIND, "kind", vertex->kind},
		{VERTEX_NAME, "name", name},
		{VERTEX_CONTEXT, "context", vertex->context},
		{VERTEX_CALLPATH, "callpath", vertex->callpath},
		{VERTEX_PATTERNS, "patterns", vertex->patterns},
		{VERTEX_ADVICE, "advice", vertex->advice},
	};

	fprintf(out, "v%u [", vertex->id);
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		if ((vertex->fields | VERTEX_NAME) & texts[i].field)
			put(out, texts[i].name, texts[i].value);
	for (size_t i = 0; i < sizeof(counters) / sizeof(*counters); i++)
		if (vertex->fields & counters[i].field)
			fprintf(out, " %s=%" PRIu64, counters[i].name, counters[i].value);
	fprintf(out, " shape=%s style=\"%s\" fillcolor=\"%s\" width=%.4f height=%.4f fontsize=%.1f",
		shapes[shown->shape].shape, shapes[shown->shape].style,
		shown->note                  ? "#FFF4C2"
		: shown->shape == SHAPE_HOST ? "#1F2328"
		: shown->shape == SHAPE_BOX  ? "#EEF2F6"
					     : "#FFFFFF",
		shown->width / 72, shown->height / 72, shown->font * 0.92);
	if (shown->shape == SHAPE_HOST)
		fputs(" fontcolor=\"#FFFFFF\"", out);
	if (shown->note)
		fputs(" penwidth=2", out);
	fputs(" label=\"", out);
	for (uint32_t i = 0; i < PICTURE_LINES && shown->lines[i]; i++) {
		fputs(i ? "\\n" : "", out);
		put_escaped(out, shown->lines[i], true);
	}
	fputc('"', out);
	put_label(out, "tooltip", shown->tooltip);
	fputs("];\n", out);
}

static void edge(FILE *out, const struct picture *picture, const struct picture_edge *shown)
{
	const struct graph_edge *edge = shown->edge;
	const char *color = render_bands[shown->band].color;
	char buffer[GRAPH_KEY_SIZE];
	const char *key = graph_edge_key(edge, buffer);
	const struct {
		uint32_t field;
		const char *name;
		uint64_t value;
	} counters[] = {
		{EDGE_OBJECT, "object", edge->object},
		{EDGE_BYTES, "bytes", edge->bytes},
		{EDGE_REDUNDANT_BYTES, "redundant_bytes", edge->redundant_bytes},
		{EDGE_COUNT, "count", edge->count},
		{EDGE_OBJECT_BYTES, "object_bytes", edge->object_bytes},
	};

	fprintf(out, "v%u -> v%u [", picture->vertices[shown->from].vertex->id,
		picture->vertices[shown->to].vertex->id);
	if (key)
		put(out, "key", key);
	if (edge->fields & EDGE_ACCESS)
		put(out, "access", edge->access == GRAPH_READ ? "READ" : "WRITE");
	for (size_t i = 0; i < sizeof(counters) / sizeof(*counters); i++)
		if (edge->fields & counters[i].field)
			fprintf(out, " %s=%" PRIu64, counters[i].name, counters[i].value);
	if (edge->fields & EDGE_REDUNDANCY)
		fprintf(out, " redundancy=%.6g", edge->redundancy);
	if (shown->band == BAND_BRIDGE)
		fputs(" bridged=true", out);
	if (shown->band == BAND_ALL)
		fprintf(out, " color=\"%s:#FFFFFF:%s\" penwidth=%.2f", color, color,
			shown->width / 3);
	else
		fprintf(out, " color=\"%s\" penwidth=%.2f style=%s", color, shown->width,
			render_bands[shown->band].line);
	fprintf(out, " arrowhead=%s arrowsize=%.2f weight=%.0f",
		edge->access == GRAPH_READ ? "empty" : "normal", picture_arrow(shown) / 10,
		shown->width);
	/* back in time: must not pull the earlier vertex down */
	if (picture->vertices[shown->to].vertex->id < picture->vertices[shown->from].vertex->id)
		fputs(" constraint=false", out);
	if (shown->label) { /* blanks: beside a wide line, not on it */
		fputs(" label=\"  ", out);
		put_escaped(out, shown->label, true);
		fputc('"', out);
	}
	put_label(out, "tooltip", shown->tooltip);
	fputs("];\n", out);
}

static void end(FILE *out, const struct picture *picture)
{
	(void)picture;
	fputs("}\n", out);
}

const struct render_format render_dot = {
	.name = "dot",
	.endings = {".dot", ".gv"},
	.vertices_first = true, /* they say in which order a reader sees them */
	.begin = begin,
	.edge = edge,
	.vertex = vertex,
	.end = end,
};
