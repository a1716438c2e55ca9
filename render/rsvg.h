/*
 * render/rsvg.h: our own SVG drawn by librsvg on a surface of cairo, where the build found them.
 */
#ifndef VFLOW_RENDER_RSVG_H
#define VFLOW_RENDER_RSVG_H

#include "util/error.h"

#if HAVE_RSVG
#include <cairo.h>
#include <librsvg/rsvg.h>

/* NULL on failure; else g_object_unref().  `format` is for messages. */
RsvgHandle *rsvg_load(const char *svg, size_t size, const char *format, double *width,
		      double *height, struct error *error);

/* Draws on a new surface, which it ends and frees. */
int rsvg_draw(RsvgHandle *handle, cairo_surface_t *surface, double width, double height,
	      const char *format, int (*finish)(cairo_surface_t *surface, void *data), void *data,
	      struct error *error);

/* What to do on a machine without fonts, where letters become boxes; NULL: it has some. */
char *rsvg_font_remark(const char *format);

/* For cairo: `file` is a FILE. */
cairo_status_t rsvg_put(void *file, const unsigned char *bytes, unsigned size);
#else

/* Says what the build lacks; -1. */
int rsvg_missing(const char *format, struct error *error);
#endif

#endif
