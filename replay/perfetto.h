/*
 * replay/perfetto.h: the timelines before and after, for ui.perfetto.dev: each as a process of its
 * own, with threads and streams as tracks.
 */
#ifndef VFLOW_REPLAY_PERFETTO_H
#define VFLOW_REPLAY_PERFETTO_H

#include <stdio.h>

#include "replay/outcome.h"

/* outcome->result is there.  Of long runs the first calls; the file says how many are left out. */
void replay_perfetto(FILE *out, const struct outcome *outcome);

#endif
