/*
 * render/format.h: one walker over the picture, one row of functions per format
 * (formats.def).
 */
#ifndef VFLOW_RENDER_FORMAT_H
#define VFLOW_RENDER_FORMAT_H

#include <stdbool.h>
#include <stdio.h>

#include "render/picture.h"
#include "util/error.h"

struct render_format {
	const char *name;
	const char *endings[3]; /* of file names, with the dot */
	bool positions;         /* needs layout_picture() */
	bool explorable;        /* finds its way in thousands of vertices */
	bool everything;        /* no picture: of a large graph nothing is left out */
	bool times;             /* needs a profile with its events */
	bool events;            /* has use for them where there is a profile */
	bool binary;            /* not for terminals */
	bool vertices_first;    /* else last, so that they lie on top */
	/*
	 * Writes all of it, instead of what follows; *remark is set to a sentence for the user when
	 * something had to be left out (freed by the caller).
	 */
	void (*write)(const struct picture *picture, FILE *out, char **remark);
	/* all but begin may be NULL */
	void (*begin)(FILE *out, const struct picture *picture);
	void (*edge)(FILE *out, const struct picture *picture, const struct picture_edge *edge);
	void (*vertex)(FILE *out, const struct picture_vertex *vertex);
	void (*end)(FILE *out, const struct picture *picture);
	/*
	 * Turns what the functions wrote, SVG, into a binary format, slowly; NULL: it is the
	 * format.  *remark is set to a sentence for the user when the result is less than it could
	 * be (freed by the caller).
	 */
	int (*convert)(const char *text, size_t size, FILE *out, char **remark,
		       struct error *error);
};

extern const struct render_format *const render_formats[]; /* ends with NULL */

/* The format with this name; NULL: there is none. */
const struct render_format *render_format_named(const char *name);
/* The format with the longest ending that the file name has, in any case.  NULL: none. */
const struct render_format *render_format_of_file(const char *path);

/* Write errors of `out` are left to its owner. */
int render_write(const struct render_format *format, const struct picture *picture, FILE *out,
		 char **remark, struct error *error);

#define FORMAT(name) extern const struct render_format render_##name;
#include "render/formats.def"

#endif
