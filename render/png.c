/*
 * render/png.c: PNG from our own SVG, by librsvg and cairo where the build found them.
 */
#include "render/format.h"
#include "render/rsvg.h"
#include "render/svg.h"

#if HAVE_RSVG
#include <math.h>

#include "util/memory.h"

static const double sharpness = 2;        /* pixels per pixel of the SVG */
static const double most_pixels = 36e6;   /* 144 MB while drawing */
static const double longest_side = 32000; /* cairo ends at 32767 */

static int write_png(cairo_surface_t *surface, void *out)
{
	/* write errors show when the output is closed */
	cairo_surface_write_to_png_stream(surface, rsvg_put, out);
	return 0;
}

static int convert(const char *svg, size_t size, FILE *out, char **remark, struct error *error)
{
	double width = 0, height = 0, scale = sharpness;
	RsvgHandle *handle = rsvg_load(svg, size, "PNG", &width, &height, error);
	cairo_surface_t *surface;
	int result;

	if (!handle)
		return -1;
	scale = fmin(scale, sqrt(most_pixels / (width * height)));
	scale = fmin(scale, longest_side / fmax(width, height));
	*remark = rsvg_font_remark("PNG");
	if (!*remark && scale < 0.8)
		*remark = xasprintf("the PNG is drawn at %.0f%% of its size; SVG stays sharp, "
				    "'vflow prune' makes it smaller",
				    scale * 100);
	width = fmax(1, round(width * scale));
	height = fmax(1, round(height * scale));
	surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)width, (int)height);
	result = rsvg_draw(handle, surface, width, height, "PNG", write_png, out, error);
	g_object_unref(handle);
	return result;
}

#else

static int convert(const char *svg, size_t size, FILE *out, char **remark, struct error *error)
{
	(void)svg, (void)size, (void)out, (void)remark;
	return rsvg_missing("PNG", error);
}

#endif

const struct render_format render_png = {
	.name = "png",
	.endings = {".png"},
	.positions = true,
	.binary = true,
	.bitmap = true,
	.begin = svg_begin,
	.edge = svg_edge,
	.vertex = svg_vertex,
	.end = svg_end,
	.convert = convert,
};
