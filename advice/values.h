/*
 * advice/values.h: what patterns of pass `values` have in common: the values with which a kernel
 * loads, or stores, what objects of a site hold, at all places together, and the findings about
 * them.
 */
#ifndef VFLOW_ADVICE_VALUES_H
#define VFLOW_ADVICE_VALUES_H

#include "advice/pattern.h"

/* The strongest that holds exactly; the weaker ones are not said then (doc/definitions.md,
 * "Patterns"). */
enum values_exact {
	VALUES_ANY,
	VALUES_LINEAR,
	VALUES_SINGLE,
	VALUES_ZERO, /* all bits are 0 */
};

struct values_row {
	const struct run *run;
	const struct profile_value_stats *value;
	uint32_t index;                      /* of `value` in profile->values */
	const struct profile_top_value *top; /* NULL: none is known */
	uint32_t top_count;
	enum values_exact exact;
	/*
	 * What all kernels access in the objects of the site: their range, what fits, and at most
	 * how many different values.  NULL: part of that is not known, or they are not all floats
	 * of one type, or integers of one size.
	 */
	const struct profile_value_stats *site;
	bool addresses; /* 8-byte integers that lie where the program's objects do */
	bool complete;  /* these are all values of this type with which the launches accessed it */
	uint64_t bytes; /* distinct bytes of the accesses, of all launches, as the graph counts them
			 */
	uint64_t all_bytes; /* ... with values of other types, of the same kind of access */
};

/* Whether rows are of one kernel, site and kind of access; such rows stand side by side. */
bool values_side_by_side(const struct profile_value_stats *a, const struct profile_value_stats *b);
/* The first of those beside a row. */
uint32_t values_first(const struct profile *profile, uint32_t row);

/* For each kernel, site, and type of its loads and of its stores; not of shared memory, not of
   kernels that only fill. */
void values_each(const struct run *run, void (*take)(const struct values_row *row));

/* Of the accesses at a place (a row of it), those that a finding is about. */
typedef uint64_t values_part(const struct values_row *row, uint32_t place);
values_part values_accesses; /* all */

/*
 * A finding about `part` of `of` of the row's accesses, and the place with the most of these;
 * evidence and advice are allocated and taken over.
 */
void values_add(const struct values_row *row, const char *pattern, const char *action,
		values_part *at_place, uint64_t part, uint64_t of, char *evidence, char *advice);

/* "1024 f32 values that it loaded in 2 launches"; the caller frees. */
char *values_subject(const struct values_row *row);
/* "loaded", "stored" */
const char *values_verb(const struct values_row *row);

#endif
