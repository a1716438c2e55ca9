/*
 * render/dot.c: DOT with the drawing in it, so that `dot -Tsvg` of Graphviz draws the picture too.
 *
 * The known attributes stay (vflow-export(1)), so that filters still work on it; those that a
 * foreign file brought are left out, because they may style or link.
 */
#include "graph/dot_list.h"
#include "graph/dot_names.h"
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

static void put_change(struct dot_list *list, const struct graph_attributes *attributes)
{
	if (render_change(attributes))
		dot_list_text(list, DOT_CHANGE, graph_attribute(attributes, DOT_CHANGE));
}

static void put_label(FILE *out, const char *name, const char *text)
{
	fprintf(out, " %s=\"", name);
	dot_put_label(out, text);
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
	dot_put_label(out, picture->title);
	fputs("\\l", out);
	dot_put_label(out, picture->totals);
	fputs("\\l", out);
	if (picture->hidden) {
		dot_put_label(out, picture->hidden);
		fputs("\\l", out);
	}
	fputs(picture->changes ? "From the first run to the second: red dashed gone, green new, "
				 "brown changed, grey "
				 "as before\\l"
			       : "Written bytes that did not change: grey up to 33%, blue dashed "
				 "up to 66%, orange "
				 "dotted below 100%, purple double all\\l",
	      out);
	fputs("Filled arrowhead: overwrites what the tail wrote; empty: reads it\\l", out);
	if (picture->bridges)
		fprintf(out, "Thin, dashed, grey: %s\\l", render_bands[BAND_BRIDGE].range);
	fputs("\"];\n"
	      "node [fixedsize=shape fontname=\"Helvetica\" color=\"#1F2328\"];\n"
	      "edge [fontname=\"Helvetica\" fontsize=12];\n",
	      out);
}

static void vertex(FILE *out, const struct picture_vertex *shown)
{
	struct graph_vertex vertex = *shown->vertex;
	struct dot_list list = {.file = out, .inside = true};

	if (!(vertex.fields & VERTEX_NAME)) /* a foreign vertex keeps what it is called */
		vertex.name = vertex.node;
	vertex.fields |= VERTEX_NAME;
	fprintf(out, "v%u [", vertex.id);
	dot_list_fields(&list, graph_vertex_fields, &vertex, FIELD_TEXT);
	dot_list_fields(&list, graph_vertex_fields, &vertex, FIELD_ALL & ~FIELD_TEXT);
	put_change(&list, &vertex.attributes);
	fprintf(out, " shape=%s style=\"%s\" fillcolor=\"%s\" width=%.4f height=%.4f fontsize=%.1f",
		shapes[shown->shape].shape, shapes[shown->shape].style,
		shown->strength              ? render_strengths[shown->strength].fill
		: shown->shape == SHAPE_HOST ? "#1F2328"
		: shown->shape == SHAPE_BOX  ? "#EEF2F6"
					     : "#FFFFFF",
		shown->width / 72, shown->height / 72, shown->font * 0.92);
	if (shown->shape == SHAPE_HOST)
		fputs(" fontcolor=\"#FFFFFF\"", out);
	if (shown->strength)
		fprintf(out, " penwidth=%.1f", render_strengths[shown->strength].line);
	if (render_strengths[shown->strength].outline)
		fprintf(out, " color=\"%s\"", render_strengths[shown->strength].outline);
	fputs(" label=\"", out);
	for (uint32_t i = 0; i < PICTURE_LINES && shown->lines[i]; i++) {
		fputs(i ? "\\n" : "", out);
		dot_put_label(out, shown->lines[i]);
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
	struct dot_list list = {.file = out, .inside = true};

	fprintf(out, "v%u -> v%u [", picture->vertices[shown->from].vertex->id,
		picture->vertices[shown->to].vertex->id);
	dot_list_text(&list, DOT_KEY, graph_edge_key(edge, buffer));
	dot_list_fields(&list, graph_edge_fields, edge, FIELD_TEXT | FIELD_ACCESS);
	dot_list_fields(&list, graph_edge_fields, edge, FIELD_COUNT | FIELD_ID);
	dot_list_fields(&list, graph_edge_fields, edge, FIELD_FRACTION);
	put_change(&list, &edge->attributes);
	if (shown->band == BAND_BRIDGE)
		fputs(" " DOT_BRIDGED "=true", out);
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
		dot_put_label(out, shown->label);
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
