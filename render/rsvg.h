/*
 * render/rsvg.h: our own SVG drawn by librsvg on a surface of cairo, where the build found them.
 */
#ifndef VFLOW_RENDER_RSVG_H
#define VFLOW_RENDER_RSVG_H

#if HAVE_RSVG
#include <cairo.h>
#include <librsvg/rsvg.h>
#include <stdbool.h>

#include "util/error.h"

/* NULL on failure; else g_object_unref().  `format` is for messages. */
RsvgHandle *rsvg_load(const char *svg, size_t size, const char *format, double *width,
		      double *height, struct error *error);

/* Draws on a new surface, which it ends and frees. */
int rsvg_draw(RsvgHandle *handle, cairo_surface_t *surface, double width, double height,
	      const char *format, int (*finish)(cairo_surface_t *surface, void *data), void *data,
	      struct error *error);

/* librsvg then draws boxes for letters and says nothing; cairo falls back to a font of its own. */
bool rsvg_has_no_fonts(void);

/* For cairo: `file` is a FILE. */
cairo_status_t rsvg_put(void *file, const unsigned char *bytes, unsigned size);
#endif

#endif
