/*
 * render/rsvg.c: PNG and PDF of one page from our own SVG, by librsvg and cairo where the build
 * found them.
 *
 * They are loaded when they are needed: the 40 libraries that librsvg needs in turn would take half
 * of the time in which vflow starts.
 */
#include "render/format.h"
#include "render/svg.h"

#if HAVE_RSVG
#include <cairo-pdf.h>
#include <cairo.h>
#include <dlfcn.h>
#include <librsvg/rsvg.h>
#include <math.h>
#include <string.h>

#include "util/command.h"
#include "util/memory.h"

static const double png_sharpness = 2;        /* pixels per pixel of the SVG */
static const double png_most_pixels = 36e6;   /* 144 MB while drawing */
static const double png_longest_side = 32000; /* cairo ends at 32767 */

static const double pdf_points_per_pixel = 0.75;
static const double pdf_longest_side = 14400; /* PDF's own limit: 200 inches */

/* Of RSVG_LIBRARY and those that it needs: cairo, GIO, GObject, GLib. */
/* clang-format off */
#define FUNCTIONS(FUNCTION) \
	FUNCTION(cairo_create) \
	FUNCTION(cairo_destroy) \
	FUNCTION(cairo_get_scaled_font) \
	FUNCTION(cairo_image_surface_create) \
	FUNCTION(cairo_pdf_surface_create_for_stream) \
	FUNCTION(cairo_pdf_surface_set_metadata) \
	FUNCTION(cairo_scaled_font_get_type) \
	FUNCTION(cairo_select_font_face) \
	FUNCTION(cairo_status) \
	FUNCTION(cairo_status_to_string) \
	FUNCTION(cairo_surface_destroy) \
	FUNCTION(cairo_surface_write_to_png_stream) \
	FUNCTION(g_error_free) \
	FUNCTION(g_memory_input_stream_new_from_data) \
	FUNCTION(g_object_unref) \
	FUNCTION(rsvg_handle_get_intrinsic_size_in_pixels) \
	FUNCTION(rsvg_handle_new_from_stream_sync) \
	FUNCTION(rsvg_handle_render_document)
/* clang-format on */

static struct {
#define POINTER(name) __typeof__(name) *name;
	FUNCTIONS(POINTER)
} library;

static int open_library(const char *format, struct error *error)
{
	static bool ready;
	void *opened, *function;

	if (ready)
		return 0;
	opened = dlopen(RSVG_LIBRARY, RTLD_NOW);
	if (!opened)
		return error_set(error,
				 "cannot draw a %s: %s: install librsvg, or draw SVG ('-T svg')",
				 format, dlerror());
#define LOOK_UP(name)                                                                              \
	function = dlsym(opened, #name);                                                           \
	if (!function)                                                                             \
		return error_set(error,                                                            \
				 "cannot draw a %s: %s lacks " #name "; draw SVG ('-T svg')",      \
				 format, RSVG_LIBRARY);                                            \
	memcpy(&library.name, &function, sizeof(function));
	FUNCTIONS(LOOK_UP)
	ready = true;
	return 0;
}

static cairo_status_t put(void *file, const unsigned char *bytes, unsigned size)
{
	return fwrite(bytes, 1, size, file) == size ? CAIRO_STATUS_SUCCESS
						    : CAIRO_STATUS_WRITE_ERROR;
}

/* librsvg says nothing then; cairo falls back to a font of its own. */
static bool has_no_fonts(void)
{
	cairo_surface_t *surface = library.cairo_image_surface_create(CAIRO_FORMAT_A8, 1, 1);
	cairo_t *cairo = library.cairo_create(surface);
	bool none;

	library.cairo_select_font_face(cairo, "sans-serif", CAIRO_FONT_SLANT_NORMAL,
				       CAIRO_FONT_WEIGHT_NORMAL);
	none = library.cairo_scaled_font_get_type(library.cairo_get_scaled_font(cairo)) ==
	       CAIRO_FONT_TYPE_USER;
	library.cairo_destroy(cairo);
	library.cairo_surface_destroy(surface);
	return none;
}

static char *font_remark(const char *format)
{
	return has_no_fonts()
		       ? xasprintf("the %s has no readable text, because this machine has no "
				   "fonts: install fonts-dejavu-core, or draw SVG",
				   format)
		       : NULL;
}

/* NULL on failure; `format` is for messages. */
static RsvgHandle *load(const char *svg, size_t size, const char *format, double *width,
			double *height, struct error *error)
{
	GInputStream *stream;
	GError *why = NULL;
	RsvgHandle *handle;

	if (open_library(format, error) != 0)
		return NULL;
	stream = library.g_memory_input_stream_new_from_data(svg, (gssize)size, NULL);
	/* "unlimited": of the XML parser's limits on size, meant for files of others */
	handle = library.rsvg_handle_new_from_stream_sync(stream, NULL, RSVG_HANDLE_FLAG_UNLIMITED,
							  NULL, &why);
	library.g_object_unref(stream);
	if (!handle) {
		error_set(error, "cannot draw the %s: %s; SVG may work ('-T svg')", format,
			  why->message);
		library.g_error_free(why);
		return NULL;
	}
	library.rsvg_handle_get_intrinsic_size_in_pixels(handle, width, height);
	return handle;
}

static int draw(RsvgHandle *handle, cairo_surface_t *surface, double width, double height,
		const char *format, struct error *error)
{
	RsvgRectangle page = {0, 0, width, height};
	cairo_t *cairo = library.cairo_create(surface);
	GError *why = NULL;
	int result = 0;

	if (library.cairo_status(cairo) != CAIRO_STATUS_SUCCESS)
		result = error_set(error, "cannot draw a %s of %.0f x %.0f: %s", format, width,
				   height,
				   library.cairo_status_to_string(library.cairo_status(cairo)));
	else if (!library.rsvg_handle_render_document(handle, cairo, &page, &why))
		result = error_set(error, "cannot draw the %s: %s; SVG may work ('-T svg')", format,
				   why->message);
	if (why)
		library.g_error_free(why);
	library.cairo_destroy(cairo);
	return result;
}

/* Write errors show when the output is closed. */
static int to_png(const char *svg, size_t size, FILE *out, char **remark, struct error *error)
{
	double width = 0, height = 0, scale = png_sharpness;
	RsvgHandle *handle = load(svg, size, "PNG", &width, &height, error);
	cairo_surface_t *surface;
	int result;

	if (!handle)
		return -1;
	scale = fmin(scale, sqrt(png_most_pixels / (width * height)));
	scale = fmin(scale, png_longest_side / fmax(width, height));
	*remark = font_remark("PNG");
	if (!*remark && scale < 0.8)
		*remark = xasprintf("the PNG is drawn at %.0f%% of its size; SVG stays sharp, "
				    "'vflow prune' makes it smaller",
				    scale * 100);
	width = fmax(1, round(width * scale));
	height = fmax(1, round(height * scale));
	surface = library.cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)width, (int)height);
	result = draw(handle, surface, width, height, "PNG", error);
	if (result == 0)
		library.cairo_surface_write_to_png_stream(surface, put, out);
	library.cairo_surface_destroy(surface);
	library.g_object_unref(handle);
	return result;
}

static int to_pdf(const char *svg, size_t size, FILE *out, char **remark, struct error *error)
{
	double width = 0, height = 0, scale = pdf_points_per_pixel;
	RsvgHandle *handle = load(svg, size, "PDF", &width, &height, error);
	cairo_surface_t *surface;
	int result;

	if (!handle)
		return -1;
	scale = fmin(scale, pdf_longest_side / fmax(width, height));
	*remark = font_remark("PDF");
	surface = library.cairo_pdf_surface_create_for_stream(put, out, width * scale,
							      height * scale);
	library.cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_TITLE, "vflow");
	/* the same picture, the same bytes */
	library.cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_CREATE_DATE,
					       "2000-01-01T00:00:00Z");
	result = draw(handle, surface, width * scale, height * scale, "PDF", error);
	library.cairo_surface_destroy(surface);
	library.g_object_unref(handle);
	return result;
}

#else

static int missing(const char *svg, size_t size, FILE *out, char **remark, struct error *error)
{
	(void)svg, (void)size, (void)out, (void)remark;
	return error_set(error,
			 "this vflow was built without PNG and PDF: install librsvg2-dev and "
			 "run make again, or draw SVG ('-T svg')");
}
#define to_png missing
#define to_pdf missing

#endif

#define AS_SVG                                                                                     \
	.binary = true, .positions = true, .begin = svg_begin, .edge = svg_edge,                   \
	.vertex = svg_vertex, .end = svg_end

const struct render_format render_png = {
	.name = "png",
	.endings = {".png"},
	AS_SVG,
	.convert = to_png,
};

const struct render_format render_pdf = {
	.name = "pdf",
	.endings = {".pdf"},
	AS_SVG,
	.convert = to_pdf,
};
