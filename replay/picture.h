/* replay/picture.h: the timelines before and after, as SVG: threads and streams as lanes. */
#ifndef VFLOW_REPLAY_PICTURE_H
#define VFLOW_REPLAY_PICTURE_H

#include <stdio.h>

#include "replay/outcome.h"

/* outcome->result is there.  The size does not grow with the run, but with its lanes: the first are
 * shown. */
void picture_svg(FILE *out, const struct outcome *outcome);

#endif
