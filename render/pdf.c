/*
 * render/pdf.c: PDF of one page from our own SVG, by librsvg and cairo where the build found them.
 */
#include "render/format.h"
#include "render/rsvg.h"
#include "render/svg.h"

#if HAVE_RSVG
#include <cairo-pdf.h>
#include <math.h>

static const double points_per_pixel = 0.75;
static const double longest_side = 14400; /* PDF's own limit: 200 inches */

static int convert(const char *svg, size_t size, FILE *out, char **remark, struct error *error)
{
	double width = 0, height = 0, scale = points_per_pixel;
	RsvgHandle *handle = rsvg_load(svg, size, "PDF", &width, &height, error);
	cairo_surface_t *surface;
	int result;

	if (!handle)
		return -1;
	scale = fmin(scale, longest_side / fmax(width, height));
	*remark = rsvg_font_remark("PDF");
	surface = cairo_pdf_surface_create_for_stream(rsvg_put, out, width * scale, height * scale);
	cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_TITLE, "vflow");
	/* the same picture, the same bytes */
	cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_CREATE_DATE,
				       "2000-01-01T00:00:00Z");
	result =
		rsvg_draw(handle, surface, width * scale, height * scale, "PDF", NULL, NULL, error);
	g_object_unref(handle);
	return result;
}

#else

static int convert(const char *svg, size_t size, FILE *out, char **remark, struct error *error)
{
	(void)svg, (void)size, (void)out, (void)remark;
	return rsvg_missing("PDF", error);
}

#endif

const struct render_format render_pdf = {
	.name = "pdf",
	.endings = {".pdf"},
	.positions = true,
	.binary = true,
	.bitmap = true,
	.begin = svg_begin,
	.edge = svg_edge,
	.vertex = svg_vertex,
	.end = svg_end,
	.convert = convert,
};
