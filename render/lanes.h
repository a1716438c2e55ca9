/* render/lanes.h: the dependency graph of a run's calls, a lane for each stream. */
#ifndef VFLOW_RENDER_LANES_H
#define VFLOW_RENDER_LANES_H

#include "render/format.h"

/* The format of the same name, which draws the calls of the picture's profile instead: SVG, or what
 * the format converts SVG into. */
struct render_format lanes_format(const struct render_format *format);

#endif
