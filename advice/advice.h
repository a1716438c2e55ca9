/*
 * advice/advice.h: the catalogue of patterns: detect, explain (doc/definitions.md, "Patterns").
 */
#ifndef VFLOW_ADVICE_ADVICE_H
#define VFLOW_ADVICE_ADVICE_H

#include <stddef.h>

#include "graph/profile/profile.h"

struct advice_options {
	double redundancy;        /* redundant values: fraction of an API's writes to an object */
	uint64_t duplicate_bytes; /* duplicate values: objects larger than this */
	double partial_download;  /* partial download: at most this share of the pages is touched */
	double frequent;          /* frequent values: share of a kernel's accesses to an object */
	double repeated_accesses; /* temporal redundancy: the same */
	uint64_t min_bytes;       /* findings of fewer are left out */
	double min_time; /* findings about time that save less of the operations' are left out */
	bool by_path;    /* a finding for each call path and object, not for each cause */
	/*
	 * Of each of the ranked findings whether it is left out of what they save together; the
	 * array is freed.  NULL: none is.
	 */
	bool *(*left_out)(const struct profile *profile, void *data);
	void *left_out_data;
};

#define ADVICE_DEFAULTS                                                                            \
	((struct advice_options){.redundancy = 0.33,                                               \
				 .duplicate_bytes = 1024,                                          \
				 .partial_download = 0.5,                                          \
				 .frequent = 0.5,                                                  \
				 .repeated_accesses = 0.33,                                        \
				 .min_bytes = 1024,                                                \
				 .min_time = 0.01})

/* A member of struct advice_options, as profiles store it; the list ends with one without a name.
 */
struct advice_threshold {
	const char *name; /* in profiles; with "-" for "_" an option of `vflow report` */
	enum { THRESHOLD_FRACTION, THRESHOLD_BYTES } type; /* double, uint64_t */
	size_t at;
};

extern const struct advice_threshold advice_thresholds[];
double advice_threshold_value(const struct advice_threshold *threshold,
			      const struct advice_options *options);

/*
 * "redundancy 0.9 instead of 0.33, ...": where these differ from what the profile's findings were
 * made with, as far as it says that.  Caller frees; NULL: nowhere.
 */
char *advice_other_thresholds(const struct profile *profile, const struct advice_options *options);

/* Whether the profile holds what patterns ask for; those of an older vflow hold its findings only.
 */
bool advice_can_detect(const struct profile *profile);

/*
 * Replaces profile->findings and their groups: one for each cause, most time saved first where the
 * run can be replayed, then most bytes, then those that call for nothing (ties: by vertex, then by
 * object).  Left out are those below min_bytes, and, where that is not 0, those below a thousandth
 * of the bytes that the run read and wrote, but for those that save min_time.  Sets the profile's
 * thresholds.
 */
void advice_detect(struct profile *profile, const struct advice_options *options);

/* "redundant values" for "redundant_values"; the name itself when it is not in the catalogue. */
const char *advice_title(const char *pattern);

/* Of all names in the catalogue, one may come twice; NULL: there are no more. */
const char *advice_pattern(uint32_t index);

#endif
