/*
 * render/html.h: the parts of the page that `-T html` writes.
 */
#ifndef VFLOW_RENDER_HTML_H
#define VFLOW_RENDER_HTML_H

#include <stdio.h>

#include "render/picture.h"
#include "util/json.h"

/* The files of web-static/: what is around the drawing, and what makes it move. */
extern const char html_page[], html_style[], html_script[];

/*
 * The data behind the picture as JSON, for <script type="application/json">: safe inside HTML.
 * Holds the attributes of vflow-export(1) and those that the graph attribute `vflow_types`
 * declares; those that style or link never, declared or not.
 */
void html_write_data(FILE *out, const struct picture *picture);
/*
 * A value of that data, of bounded size: the memory of the process that had most, over its GPU API
 * calls; null: nothing was allocated, it is not known, or vertices are groups.
 */
void html_write_memory(struct json *json, const struct picture *picture);

#endif
