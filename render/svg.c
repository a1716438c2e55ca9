/*
 * render/svg.c: the drawing in SVG: vertices, edges, their texts and tooltips.
 */
#include "render/svg.h"

#include <math.h>
#include <stdlib.h>

#include "render/format.h"
#include "render/layout_parts.h"
#include "util/memory.h"

static const char ink[] = "#1F2328", faint[] = "#57606A";

void svg_put_escaped(FILE *out, const char *text)
{
	for (; *text; text++) {
		switch (*text) {
		case '&':
			fputs("&amp;", out);
			break;
		case '<':
			fputs("&lt;", out);
			break;
		case '>':
			fputs("&gt;", out);
			break;
		case '"':
			fputs("&quot;", out);
			break;
		case '\'':
			fputs("&#39;", out);
			break;
		default:
			fputc(*text, out);
		}
	}
}

void svg_text(FILE *out, double x, double y, double size, enum svg_anchor anchor,
	      const char *attributes, const char *text)
{
	/* the baseline is computed: librsvg and browsers differ in dominant-baseline */
	fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" font-size=\"%.1f\"%s%s%s>", x, y + size * 0.36,
		size, anchor == SVG_MIDDLE ? " text-anchor=\"middle\"" : "", attributes ? " " : "",
		attributes ? attributes : "");
	svg_put_escaped(out, text);
	fputs("</text>\n", out);
}

void svg_line(FILE *out, enum render_band band, double width, const char *curve)
{
	const struct render_band_style *style = &render_bands[band];

	fprintf(out, "<path d=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"%.2f\"", curve,
		style->color, width);
	if (style->dash > 0)
		fprintf(out, " stroke-dasharray=\"%.2f %.2f\"", style->dash * width,
			style->gap * width);
	fputs("/>\n", out);
	if (band == BAND_ALL)
		fprintf(out,
			"<path d=\"%s\" fill=\"none\" stroke=\"#FFFFFF\" stroke-width=\"%.2f\"/>\n",
			curve, width * 0.26);
}

void svg_arrowhead(FILE *out, enum graph_access access, enum render_band band,
		   struct picture_point base, struct picture_point tip)
{
	double x = tip.x - base.x, y = tip.y - base.y;
	double wing = 0.42;

	fprintf(out, "<polygon points=\"%.1f,%.1f %.1f,%.1f %.1f,%.1f\"", tip.x, tip.y,
		base.x - y * wing, base.y + x * wing, base.x + y * wing, base.y - x * wing);
	fprintf(out,
		" fill=\"%s\" stroke=\"%s\" stroke-width=\"1.3\" stroke-linejoin=\"round\"/>\n",
		access == GRAPH_READ ? "#FFFFFF" : render_bands[band].color,
		render_bands[band].color);
}

void svg_shape(FILE *out, enum render_shape shape, enum render_strength strength,
	       struct picture_point at, double width, double height)
{
	const struct render_strength_style *style = &render_strengths[strength];
	const char *fill = !strength && shape == SHAPE_BOX ? "#EEF2F6" : style->fill;
	double x = at.x - width / 2, y = at.y - height / 2;

	switch (shape) {
	case SHAPE_CIRCLE:
		fprintf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\"", at.x, at.y, width / 2);
		break;
	case SHAPE_OVAL:
		fprintf(out, "<ellipse cx=\"%.1f\" cy=\"%.1f\" rx=\"%.1f\" ry=\"%.1f\"", at.x, at.y,
			width / 2, height / 2);
		break;
	case SHAPE_DIAMOND:
		fprintf(out,
			"<polygon points=\"%.1f,%.1f %.1f,%.1f %.1f,%.1f %.1f,%.1f\" "
			"stroke-dasharray=\"5 3\"",
			at.x, y, x + width, at.y, at.x, y + height, x, at.y);
		break;
	default:
		fprintf(out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"", x, y,
			width, height);
		if (shape == SHAPE_HOST || shape == SHAPE_OTHER)
			fputs(" rx=\"8\"", out);
		if (shape == SHAPE_HOST)
			fill = ink;
	}
	if (style->dashed && shape != SHAPE_DIAMOND)
		fputs(" stroke-dasharray=\"9 5\"", out);
	fprintf(out, " fill=\"%s\" stroke=\"%s\" stroke-width=\"%.1f\"/>\n", fill,
		style->outline ? style->outline : ink, style->line);
}

void svg_badge(FILE *out, struct picture_point at, uint32_t number, enum render_strength strength)
{
	char text[16];

	snprintf(text, sizeof(text), "%u", number);
	fprintf(out,
		"<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\" fill=\"%s\" stroke=\"%s\" "
		"stroke-width=\"1.5\"/>\n",
		at.x, at.y, number < 100 ? 9.0 : 12.0, render_strengths[strength].badge, ink);
	svg_text(out, at.x, at.y, 11, SVG_MIDDLE, "font-weight=\"bold\" fill=\"#1F2328\"", text);
}

void svg_begin(FILE *out, const struct picture *picture)
{
	struct svg_frame frame = svg_frame(picture);

	fprintf(out,
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" "
		"viewBox=\"0 0 %.0f %.0f\" role=\"graphics-document document\" "
		"aria-roledescription=\"value-flow graph\" aria-labelledby=\"title summary\" "
		"font-family=\"%s\" fill=\"%s\">\n<title id=\"title\">",
		frame.width, frame.height, frame.width, frame.height, RENDER_FONTS, ink);
	svg_put_escaped(out, picture->title);
	fputs("</title>\n<desc id=\"summary\">", out);
	svg_put_escaped(out, picture->totals);
	if (picture->hidden) {
		fputs("; ", out);
		svg_put_escaped(out, picture->hidden);
	}
	fputs("</desc>\n<rect width=\"100%\" height=\"100%\" fill=\"#FFFFFF\"/>\n", out);
	svg_header(out, picture);
	fprintf(out, "<g id=\"graph\" transform=\"translate(%.1f %.1f)\">\n", frame.x, frame.y);
}

/* "-12.3"; printf takes most of the time of a large picture.  Returns the end. */
static char *put_tenths(char *out, double value)
{
	long long tenths = llround(value * 10);
	unsigned long long size = (unsigned long long)(tenths < 0 ? -tenths : tenths);
	char digits[24];
	int count = 0;

	for (unsigned long long left = size / 10; left || !count; left /= 10)
		digits[count++] = (char)('0' + left % 10);
	if (tenths < 0)
		*out++ = '-';
	while (count)
		*out++ = digits[--count];
	if (size % 10) {
		*out++ = '.';
		*out++ = (char)('0' + size % 10);
	}
	return out;
}

/* The data of a path; the caller frees. */
static char *curve_of(const struct picture_edge *edge)
{
	char *curve = xmalloc(48 * ((size_t)edge->point_count + 1)), *at = curve;

	for (uint32_t i = 0; i < edge->point_count; i++) {
		const struct picture_point *point = &edge->points[i];

		if (i % 3 == 1 && point[-1].x == point[0].x && point[0].x == point[1].x &&
		    point[1].x == point[2].x) { /* straight down: a third of the text */
			*at++ = 'V';
			at = put_tenths(at, point[2].y);
			i += 2;
			continue;
		}
		*at++ = i == 0 ? 'M' : i % 3 == 1 ? 'C' : ' ';
		at = put_tenths(at, point->x);
		*at++ = ',';
		at = put_tenths(at, point->y);
	}
	*at = '\0';
	return curve;
}

static void put_label(FILE *out, const struct picture_edge *edge)
{
	char style[160];

	/* a white halo keeps it readable where lines cross */
	snprintf(style, sizeof(style),
		 "fill=\"%s\" stroke=\"#FFFFFF\" stroke-width=\"3\" paint-order=\"stroke\"%s",
		 edge->band == BAND_LOW ? faint : render_bands[edge->band].color,
		 edge->band == BAND_LOW ? "" : " font-weight=\"bold\"");
	svg_text(out, edge->label_at.x + edge->width / 2, edge->label_at.y, RENDER_EDGE_FONT,
		 SVG_MIDDLE, style, edge->label);
}

void svg_edge(FILE *out, const struct picture *picture, const struct picture_edge *edge)
{
	struct picture_point base = edge->points[edge->point_count - 1], tip = edge->tip;
	char *curve = curve_of(edge);

	fprintf(out, "<g id=\"e%u\" class=\"edge %s\" role=\"graphics-symbol\">\n<title>",
		(unsigned)(edge - picture->edges),
		edge->edge->access == GRAPH_READ    ? "read"
		: edge->edge->access == GRAPH_WRITE ? "write"
						    : "other");
	svg_put_escaped(out, edge->tooltip);
	fputs("</title>\n", out);
	svg_line(out, edge->band, edge->width, curve);
	if (hypot(tip.x - base.x, tip.y - base.y) >= 1)
		svg_arrowhead(out, edge->edge->access, edge->band, base, tip);
	if (edge->label)
		put_label(out, edge);
	fputs("</g>\n", out);
	free(curve);
}

/* The name of the shape, for the class of a group. */
static const char *shape_name(enum render_shape shape)
{
	static const char *const names[SHAPE_COUNT] = {
		[SHAPE_BOX] = "allocation", [SHAPE_CIRCLE] = "copy-or-set", [SHAPE_OVAL] = "kernel",
		[SHAPE_HOST] = "host",      [SHAPE_DIAMOND] = "unknown",    [SHAPE_OTHER] = "other",
	};

	return names[shape];
}

/* A dotted line to neighbours that are not shown, with their number: up, or down. */
static void put_hidden(FILE *out, const struct picture_vertex *vertex, uint32_t count, bool down)
{
	static const double length = 13, size = 9;
	double x = -vertex->width * 0.28;
	double y = vertex->at.y + (down ? 1 : -1) * layout_border(vertex, x);
	double end = y + (down ? length : -length);
	char number[32], text[40];

	if (!count)
		return;
	fprintf(out,
		"<path d=\"M%.1f,%.1f L%.1f,%.1f\" fill=\"none\" stroke=\"%s\" "
		"stroke-width=\"1.5\" stroke-dasharray=\"1.5 2.5\"/>\n",
		vertex->at.x + x, y, vertex->at.x + x, end, faint);
	snprintf(text, sizeof(text), "+%s", render_count(count, number));
	svg_text(out, vertex->at.x + x - 3 - render_text_width(text, size, 0),
		 (y + end) / 2 + (down ? 2 : -2), size, SVG_LEFT,
		 "fill=\"#57606A\" stroke=\"#FFFFFF\" stroke-width=\"2\" paint-order=\"stroke\"",
		 text);
}

/* Shape, lines and badge, without the group around them. */
static void put_body(FILE *out, const struct picture_vertex *vertex)
{
	bool host = vertex->shape == SHAPE_HOST;
	double height = 0, y;

	svg_shape(out, vertex->shape, vertex->strength, vertex->at, vertex->width, vertex->height);
	for (uint32_t i = 0; i < PICTURE_LINES && vertex->lines[i]; i++)
		height += picture_line_size(vertex, i) * RENDER_LINE;
	y = vertex->at.y - height / 2;
	for (uint32_t i = 0; i < PICTURE_LINES && vertex->lines[i]; i++) {
		double size = picture_line_size(vertex, i);
		const char *style = i == 0 ? "font-weight=\"bold\"" : "fill=\"#57606A\"";
		char finding[48];

		if (i && i == vertex->finding_line) {
			snprintf(finding, sizeof(finding), "font-weight=\"bold\" fill=\"%s\"",
				 render_strengths[vertex->strength].text);
			style = finding;
		}
		if (host)
			style = i == 0 ? "font-weight=\"bold\" fill=\"#FFFFFF\""
				       : "fill=\"#FFFFFF\"";
		svg_text(out, vertex->at.x, y + size * RENDER_LINE / 2, size, SVG_MIDDLE, style,
			 vertex->lines[i]);
		y += size * RENDER_LINE;
	}
	put_hidden(out, vertex, vertex->hidden_before, false);
	put_hidden(out, vertex, vertex->hidden_after, true);
	if (vertex->note) {
		bool round = vertex->shape == SHAPE_CIRCLE || vertex->shape == SHAPE_OVAL;
		double out_there = round ? 0.354 : vertex->shape == SHAPE_DIAMOND ? 0.25 : 0.5;

		svg_badge(out,
			  (struct picture_point){vertex->at.x + vertex->width * out_there + 4,
						 vertex->at.y - vertex->height * out_there - 4},
			  vertex->note, vertex->strength);
	}
}

void svg_vertex(FILE *out, const struct picture_vertex *vertex)
{
	fprintf(out, "<g id=\"v%u\" class=\"vertex %s\" role=\"graphics-symbol\">\n<title>",
		vertex->vertex->id, shape_name(vertex->shape));
	svg_put_escaped(out, vertex->tooltip);
	fputs("</title>\n", out);
	put_body(out, vertex);
	fputs("</g>\n", out);
}

void svg_end(FILE *out, const struct picture *picture)
{
	fputs("</g>\n", out);
	svg_footer(out, picture);
	fputs("</svg>\n", out);
}

const struct render_format render_svg = {
	.name = "svg",
	.endings = {".svg"},
	.positions = true,
	.begin = svg_begin,
	.edge = svg_edge,
	.vertex = svg_vertex,
	.end = svg_end,
};
