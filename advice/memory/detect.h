/*
 * advice/memory/detect.h: findings of memory in the place of the profile's own, for what takes
 * findings of any kind: forms of the report, ids, limits, baselines, suppressions, vflow diff.
 */
#ifndef VFLOW_ADVICE_MEMORY_DETECT_H
#define VFLOW_ADVICE_MEMORY_DETECT_H

#include "advice/memory/findings.h"
#include "util/error.h"

/*
 * Replaces profile->findings and their groups by memory->findings, in their order.  Returns what
 * memory_new() does, which is freed before the profile; NULL: there are no findings then.
 */
struct memory *memory_detect(struct profile *profile, const struct memory_options *options);

/* -1: the profile cannot say that there are none; the error names the file, NULL: the profile. */
int memory_check(const struct profile *profile, const char *file, struct error *error);

/* The profile with its findings of memory, for what needs no more; NULL: an error, as above. */
struct profile *memory_read(const char *file, const struct memory_options *options,
			    struct error *error);

#endif
