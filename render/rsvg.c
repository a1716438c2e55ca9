/* render/rsvg.c: see rsvg.h. */
#include "render/rsvg.h"

#if HAVE_RSVG
#include <stdbool.h>
#include <stdio.h>

#include "util/memory.h"

cairo_status_t rsvg_put(void *file, const unsigned char *bytes, unsigned size)
{
	return fwrite(bytes, 1, size, file) == size ? CAIRO_STATUS_SUCCESS
						    : CAIRO_STATUS_WRITE_ERROR;
}

/* librsvg says nothing then; cairo falls back to a font of its own. */
static bool has_no_fonts(void)
{
	cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_A8, 1, 1);
	cairo_t *cairo = cairo_create(surface);
	bool none;

	cairo_select_font_face(cairo, "sans-serif", CAIRO_FONT_SLANT_NORMAL,
			       CAIRO_FONT_WEIGHT_NORMAL);
	none = cairo_scaled_font_get_type(cairo_get_scaled_font(cairo)) == CAIRO_FONT_TYPE_USER;
	cairo_destroy(cairo);
	cairo_surface_destroy(surface);
	return none;
}

char *rsvg_font_remark(const char *format)
{
	return has_no_fonts()
		       ? xasprintf("the %s has no readable text, because this machine has no "
				   "fonts: install fonts-dejavu-core, or draw SVG",
				   format)
		       : NULL;
}

RsvgHandle *rsvg_load(const char *svg, size_t size, const char *format, double *width,
		      double *height, struct error *error)
{
	GInputStream *stream = g_memory_input_stream_new_from_data(svg, (gssize)size, NULL);
	GError *why = NULL;
	/* "unlimited": of the XML parser's limits on size, meant for files of others */
	RsvgHandle *handle = rsvg_handle_new_from_stream_sync(
		stream, NULL, RSVG_HANDLE_FLAG_UNLIMITED, NULL, &why);

	g_object_unref(stream);
	if (!handle) {
		error_set(error, "cannot draw the %s: %s; SVG may work ('-T svg')", format,
			  why->message);
		g_clear_error(&why);
		return NULL;
	}
	rsvg_handle_get_intrinsic_size_in_pixels(handle, width, height);
	return handle;
}

int rsvg_draw(RsvgHandle *handle, cairo_surface_t *surface, double width, double height,
	      const char *format, int (*finish)(cairo_surface_t *surface, void *data), void *data,
	      struct error *error)
{
	RsvgRectangle page = {0, 0, width, height};
	cairo_t *cairo = cairo_create(surface);
	GError *why = NULL;
	int result = 0;

	if (cairo_status(cairo) != CAIRO_STATUS_SUCCESS)
		result = error_set(error, "cannot draw a %s of %.0f x %.0f: %s", format, width,
				   height, cairo_status_to_string(cairo_status(cairo)));
	else if (!rsvg_handle_render_document(handle, cairo, &page, &why))
		result = error_set(error, "cannot draw the %s: %s; SVG may work ('-T svg')", format,
				   why->message);
	else if (finish && finish(surface, data) != 0)
		result = error_set(error, "cannot write the %s", format);
	g_clear_error(&why);
	cairo_destroy(cairo);
	cairo_surface_destroy(surface);
	return result;
}

#else

int rsvg_missing(const char *format, struct error *error)
{
	return error_set(error,
			 "this vflow was built without %s: install librsvg2-dev and run make "
			 "again, or draw SVG ('-T svg')",
			 format);
}
#endif
