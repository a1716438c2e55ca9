/* advice/list.h: one ranked list of what patterns have found. */
#ifndef VFLOW_ADVICE_LIST_H
#define VFLOW_ADVICE_LIST_H

#include "advice/advice.h"

/*
 * Of profile->findings: leaves the largest of each operation and site of objects, one of two that
 * exclude each other, one for each cause (with the bytes of all), those that are worth a look; and
 * ranks them.
 */
void list_findings(struct profile *profile, const struct advice_options *options);

#endif
