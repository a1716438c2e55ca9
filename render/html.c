/*
 * render/html.c: one page that needs nothing else: the drawing as SVG, the data behind it, and the
 * style and script of web-static/, which a content security policy names by their hashes.
 */
#include "render/html.h"

#include <math.h>
#include <openssl/evp.h>
#include <stdlib.h>
#include <string.h>

#include "render/format.h"
#include "render/svg.h"
#include "util/memory.h"

/* 'sha256-...' for the policy; returns `text`. */
static char *source_hash(const char *content, char text[64])
{
	unsigned char digest[EVP_MAX_MD_SIZE];
	unsigned size = 0;

	/* without a hash the browser runs nothing, and that is the right failure */
	if (EVP_Digest(content, strlen(content), digest, &size, EVP_sha256(), NULL) != 1)
		size = 0;
	strcpy(text, "'sha256-");
	EVP_EncodeBlock((unsigned char *)text + strlen(text), digest, (int)size);
	return strcat(text, "'");
}

static void begin(FILE *out, const struct picture *picture)
{
	char style[64], script[64];

	fprintf(out,
		"<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
		"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
		"script-src %s; style-src %s; img-src data:; base-uri 'none'; form-action "
		"'none'\">\n<meta name=\"viewport\" content=\"width=device-width\">\n<title>",
		source_hash(html_script, script), source_hash(html_style, style));
	svg_put_escaped(out, picture->title);
	fprintf(out, "</title>\n<style>%s</style>\n</head>\n<body>\n%s", html_style, html_page);
	fprintf(out,
		"<div id=\"stage\" class=\"%s\">\n"
		"<svg id=\"drawing\" role=\"graphics-document document\" "
		"aria-roledescription=\"value-flow graph\" aria-label=\"",
		picture->vertex_count > 1000 ? "large" : "small");
	svg_put_escaped(out, picture->totals);
	fprintf(out, "\" font-family=\"%s\" fill=\"#1F2328\"><g id=\"view\">\n", RENDER_FONTS);
}

static void edge(FILE *out, const struct picture *picture, const struct picture_edge *edge)
{
	struct picture_point base = edge->points[edge->point_count - 1], tip = edge->tip;
	char *curve = svg_curve(edge);

	/* a person who does not see them has the table of edges */
	fprintf(out, "<g id=\"e%u\" class=\"edge b%d %s\" aria-hidden=\"true\">",
		(unsigned)(edge - picture->edges), (int)edge->band,
		edge->edge->access == GRAPH_READ ? "read" : "write");
	svg_line(out, edge->band, edge->width, curve);
	if (hypot(tip.x - base.x, tip.y - base.y) >= 1)
		svg_arrowhead(out, edge->edge->access, edge->band, base, tip);
	if (edge->label)
		svg_edge_label(out, edge);
	fputs("</g>\n", out);
	free(curve);
}

static void vertex(FILE *out, const struct picture_vertex *vertex)
{
	fprintf(out, "<g id=\"v%u\" class=\"vertex %s%s\" role=\"graphics-symbol\" aria-label=\"",
		vertex->vertex->id, svg_shape_name(vertex->shape), vertex->note ? " flagged" : "");
	for (uint32_t i = 0; i < PICTURE_LINES && vertex->lines[i]; i++) {
		fputs(i ? ", " : "", out);
		svg_put_escaped(out, vertex->lines[i]);
	}
	fputs(vertex->note ? ", has findings\">" : "\">", out);
	svg_vertex_body(out, vertex);
	fputs("</g>\n", out);
}

static void end(FILE *out, const struct picture *picture)
{
	fputs("<rect id=\"veil\"/><g id=\"lit\" "
	      "aria-hidden=\"true\"></g></g></svg>\n</div>\n<script type=\"application/json\" "
	      "id=\"data\">",
	      out);
	html_write_data(out, picture);
	fprintf(out, "</script>\n<script>%s</script>\n</body>\n</html>\n", html_script);
}

const struct render_format render_html = {
	.name = "html",
	.endings = {".html", ".htm"},
	.positions = true,
	.explorable = true,
	.begin = begin,
	.edge = edge,
	.vertex = vertex,
	.end = end,
};
