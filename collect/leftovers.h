/*
 * collect/leftovers.h: what a launcher that was killed has left beside its output: a half-written
 * profile ("OUTPUT.1234.tmp"), a folder of traces ("OUTPUT.trace-1").  Whoever writes them holds a
 * lock (flock), which goes when its process does.
 */
#ifndef VFLOW_COLLECT_LEFTOVERS_H
#define VFLOW_COLLECT_LEFTOVERS_H

#include <stdbool.h>

#include "collect/pass/pass.h"

/*
 * Removes half-written profiles and folders without a trace that nobody holds any more; of a folder
 * with traces, which a profile can be made of, says once how.
 */
void leftovers_clear(const struct pass *const *table, const char *output, bool quiet);

#endif
