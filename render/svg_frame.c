/*
 * render/svg_frame.c: what stands around the drawing: the header with the totals above it, the
 * findings and the legend below it.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "render/svg.h"
#include "util/memory.h"
#include "util/size.h"
#include "util/text.h"

static const double margin = 24, smallest_width = 760, widest_text = 1100;
static const double heading = 17, text_size = 12, row = 19;
static const double legend_row = 24, icon_width = 38, item_gap = 18;

enum { PARAGRAPH = 4, ADVICES = 3 }; /* lines, paragraphs for one finding */

static const char faint_style[] = "fill=\"#57606A\"";

static double header_height(const struct picture *picture)
{
	return margin + heading + 8 + row + (picture->run ? row : 0) + (picture->hidden ? row : 0) +
	       10;
}

static double page_width(const struct picture *picture)
{
	return fmax(smallest_width, ceil(picture->width) + 2 * margin);
}

static double text_width(const struct picture *picture)
{
	return fmin(widest_text, page_width(picture) - 2 * margin);
}

void svg_header(FILE *out, const struct picture *picture)
{
	double y = margin + heading / 2;

	svg_text(out, margin, y, heading, SVG_LEFT, "font-weight=\"bold\"", picture->title);
	y += heading / 2 + 8 + row / 2;
	if (picture->run) {
		char *cut = render_cut_end(picture->run, (uint32_t)(text_width(picture) / 7.5));

		svg_text(out, margin, y, text_size, SVG_LEFT, NULL, cut);
		free(cut);
		y += row;
	}
	svg_text(out, margin, y, text_size, SVG_LEFT, faint_style, picture->totals);
	if (picture->hidden)
		svg_text(out, margin, y + row, text_size, SVG_LEFT, "font-weight=\"bold\"",
			 picture->hidden);
}

/* Below, with `out` NULL only the height is computed, so that nothing is measured in two ways. */

/* Where the line ends that begins at `text`: the words that fit, or one that does not. */
static const char *line_end(const char *text, double size, double width)
{
	const char *end = text;

	for (const char *at = text; *at;) {
		const char *word_end = at + strspn(at, " ");
		char *line;
		bool fits;

		word_end += strcspn(word_end, " ");
		line = xstrndup(text, (size_t)(word_end - text));
		fits = render_text_width(line, size, 0) <= width;
		free(line);
		if (!fits && end > text)
			break;
		at = end = word_end;
	}
	return end;
}

/* Words in lines of at most `width`, at most PARAGRAPH lines.  Returns the y below them. */
static double paragraph(FILE *out, double x, double y, double width, const char *text)
{
	double size = text_size * 0.92;

	for (int line = 1; line <= PARAGRAPH && *text; line++) {
		const char *end = line_end(text, size, width);
		const char *more = line == PARAGRAPH && *end ? " …" : "";
		char *whole = xasprintf("%.*s%s", (int)(end - text), text, more);
		char *shown = render_cut_end(whole, (uint32_t)(width / size * 4));

		if (out)
			svg_text(out, x, y + row / 2, size, SVG_LEFT, faint_style, shown);
		free(whole);
		free(shown);
		text = end + strspn(end, " ");
		y += row * 0.85;
	}
	return y;
}

/* The advice of each finding, which " | " separates, as a paragraph of its own. */
static double advice(FILE *out, double x, double y, double width, const char *text)
{
	for (int piece = 0; piece < ADVICES && *text; piece++) {
		const char *end = strstr(text, " | ");
		char *sentence = end ? xstrndup(text, (size_t)(end - text)) : xstrdup(text);

		y = paragraph(out, x, y, width, sentence);
		free(sentence);
		text = end ? end + 3 : "";
	}
	return y;
}

static double findings(FILE *out, const struct picture *picture, double y)
{
	double width = text_width(picture) - 30;

	for (uint32_t i = 0; i < picture->note_count; i++) {
		const struct picture_note *note = &picture->notes[i];

		y += 6;
		if (out) {
			char *title = render_cut_end(note->title, (uint32_t)(width / 7));

			svg_badge(out, (struct picture_point){margin + 9, y + row / 2},
				  note->number, note->vertex->strength);
			svg_text(out, margin + 28, y + row / 2, text_size, SVG_LEFT,
				 "font-weight=\"bold\"", title);
			free(title);
		}
		y = advice(out, margin + 28, y + row, width, note->text);
	}
	if (picture->notes_left) {
		if (out) {
			char *more = xasprintf("and %u more operation%s %s", picture->notes_left,
					       text_plural(picture->notes_left, "", "s"),
					       picture->changes ? "gone, new or changed: vflow diff"
								: "with findings: vflow report");

			svg_text(out, margin + 28, y + row / 2, text_size, SVG_LEFT, faint_style,
				 more);
			free(more);
		}
		y += row;
	}
	return picture->note_count ? y + 12 : y;
}

/* Legend. */

enum icon {
	ICON_HEADING,
	ICON_NONE,
	ICON_BAND,
	ICON_ARROW,
	ICON_WIDTH,
	ICON_HIDDEN,
	ICON_SHAPE,
	ICON_BADGE
};

struct legend { /* where the next item goes */
	FILE *out;
	double x, y, width;
};

static void icon(FILE *out, enum icon kind, double value, double x, double y)
{
	static const double width = 30;
	char line[64];

	snprintf(line, sizeof(line), "M%.1f,%.1f L%.1f,%.1f", x, y,
		 x + width - (kind == ICON_ARROW ? 12 : 0), y);
	switch (kind) {
	case ICON_HEADING:
	case ICON_NONE:
		return;
	case ICON_BAND:
		svg_line(out, (enum render_band)value, value == BAND_BRIDGE ? 1.8 : 4, line);
		return;
	case ICON_WIDTH:
		svg_line(out, BAND_LOW, value, line);
		return;
	case ICON_HIDDEN:
		fprintf(out,
			"<path d=\"%s\" fill=\"none\" stroke=\"#57606A\" stroke-width=\"1.5\" "
			"stroke-dasharray=\"1.5 2.5\"/>\n",
			line);
		return;
	case ICON_ARROW:
		svg_line(out, BAND_LOW, 2, line);
		svg_arrowhead(out, (enum graph_access)value, BAND_LOW,
			      (struct picture_point){x + width - 12, y},
			      (struct picture_point){x + width, y});
		return;
	case ICON_SHAPE:
		svg_shape(out, (enum render_shape)value, STRENGTH_NONE,
			  (struct picture_point){x + width / 2, y},
			  value == SHAPE_CIRCLE ? 16 : width, 16);
		return;
	case ICON_BADGE:
		svg_badge(out, (struct picture_point){x + width - 10, y}, 1, STRENGTH_STRONG);
		return;
	}
}

static void new_row(struct legend *legend)
{
	legend->x = margin;
	legend->y += legend_row;
}

static void item(struct legend *legend, enum icon kind, double value, const char *text)
{
	double left = kind <= ICON_NONE ? 0 : icon_width;
	double width =
		left + render_text_width(text, text_size * 0.92, kind == ICON_HEADING) + item_gap;

	if (legend->x > margin && legend->x + width > margin + legend->width)
		new_row(legend);
	if (legend->out) {
		double y = legend->y + legend_row / 2;

		icon(legend->out, kind, value, legend->x, y);
		svg_text(legend->out, legend->x + left, y, text_size * 0.92, SVG_LEFT,
			 kind == ICON_HEADING ? "font-weight=\"bold\"" : NULL, text);
	}
	legend->x += width;
}

static void edge_items(struct legend *legend, const struct picture *picture)
{
	char size[16], text[64];

	if (picture->changes) {
		item(legend, ICON_HEADING, 0, "From the first run to the second:");
		item(legend, ICON_BAND, BAND_GONE, render_bands[BAND_GONE].range);
		item(legend, ICON_BAND, BAND_NEW, render_bands[BAND_NEW].range);
		item(legend, ICON_BAND, BAND_CHANGED, render_bands[BAND_CHANGED].range);
		item(legend, ICON_BAND, BAND_LOW, "as before");
		new_row(legend);
	} else if (picture->writes) {
		item(legend, ICON_HEADING, 0, "Written bytes left unchanged:");
		for (int band = BAND_LOW; band <= BAND_ALL; band++)
			item(legend, ICON_BAND, band, render_bands[band].range);
		new_row(legend);
	}
	item(legend, ICON_HEADING, 0, "Arrows:");
	if (picture->writes)
		item(legend, ICON_ARROW, GRAPH_WRITE, "overwrites values");
	if (picture->reads)
		item(legend, ICON_ARROW, GRAPH_READ, "reads values");
	if (picture->largest) {
		snprintf(text, sizeof(text), "%s byte%s", size_format(picture->largest, size),
			 text_plural(picture->largest, "", "s"));
		item(legend, ICON_WIDTH, RENDER_WIDEST, text);
		snprintf(text, sizeof(text), "%s byte%s or less",
			 size_format(picture->largest >> 10, size),
			 text_plural(picture->largest >> 10, "", "s"));
		if (picture->largest >> 10)
			item(legend, ICON_WIDTH, 1, text);
	}
	if (picture->bridges)
		item(legend, ICON_BAND, BAND_BRIDGE, render_bands[BAND_BRIDGE].range);
	if (picture->hides)
		item(legend, ICON_HIDDEN, 0, "+N: neighbours that are not shown");
	new_row(legend);
}

static double legend(FILE *out, const struct picture *picture, double y)
{
	const struct {
		enum render_shape shape;
		const char *text;
	} shapes[] = {
		{SHAPE_HOST, "host"},
		{SHAPE_BOX, "allocation"},
		{SHAPE_CIRCLE, "copy or set"},
		{SHAPE_OVAL, "kernel"},
		{SHAPE_DIAMOND, "not analysed"},
		{SHAPE_OTHER, picture->whole ? "several kinds" : "other"},
	};
	const struct render_metric *metric =
		picture->metric ? picture->metric : &render_by_invocations;
	struct legend legend = {.out = out, .x = margin, .y = y + 14, .width = text_width(picture)};

	if (out)
		fprintf(out,
			"<path d=\"M%.1f,%.1f L%.1f,%.1f\" fill=\"none\" stroke=\"#D0D7DE\" "
			"stroke-width=\"1\"/>\n",
			margin, y + 6, page_width(picture) - margin, y + 6);
	if (picture->reads || picture->writes)
		edge_items(&legend, picture);
	item(&legend, ICON_HEADING, 0, "Shapes:");
	for (size_t i = 0; i < sizeof(shapes) / sizeof(*shapes); i++)
		if (picture->shapes[shapes[i].shape])
			item(&legend, ICON_SHAPE, shapes[i].shape, shapes[i].text);
	if (picture->note_count && !picture->changes)
		item(&legend, ICON_BADGE, 0, "finding, the stronger the more it is worth");
	new_row(&legend);
	item(&legend, ICON_HEADING, 0, "Size:");
	item(&legend, ICON_NONE, 0, metric->text);
	item(&legend, ICON_HEADING, 0, "Texts:");
	item(&legend, ICON_NONE, 0,
	     "name, file:line, via line of a helper, #id · object size · invocations×");
	return legend.y + legend_row;
}

static double below(FILE *out, const struct picture *picture)
{
	double y = header_height(picture) + picture->height + 24;

	return legend(out, picture, findings(out, picture, y)) + margin / 2;
}

void svg_footer(FILE *out, const struct picture *picture)
{
	fputs("<g id=\"legend\">\n", out);
	below(out, picture);
	fputs("</g>\n", out);
}

struct svg_frame svg_frame(const struct picture *picture)
{
	double width = page_width(picture);

	return (struct svg_frame){
		.width = width,
		.height = ceil(below(NULL, picture)),
		.x = (width - picture->width) / 2,
		.y = header_height(picture),
	};
}
