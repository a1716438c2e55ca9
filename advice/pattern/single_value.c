/*
 * advice/pattern/single_value.c: all values with which a launch loads from an object, or stores to
 * it, are one (ValueExpert Def. 3.4), or all are zero (3.5).
 */
#include <stdlib.h>

#include "advice/values.h"
#include "gpu/records.h"
#include "util/memory.h"

static const char *advice_of(const struct values_row *row)
{
	const bool zero = row->exact == VALUES_ZERO;

	if (row->value->kind == GPU_VALUE_STORE)
		return zero ? "Leave out these stores, and let the object be zero from the start, "
			      "or let its readers do without it."
			    : "Let the readers of the object take this value as an argument, and "
			      "leave out these stores.";
	return zero ? "Leave out these loads and what is computed from them where all is zero: a "
		      "flag, or a kernel of its own, tells that."
		    : "Give the kernel this value as an argument instead of loading it.";
}

static void take(const struct values_row *row)
{
	const struct profile_value_stats *value = row->value;
	const bool zero = row->exact == VALUES_ZERO;
	char *subject, *evidence;

	if (!row->complete || row->exact < VALUES_SINGLE)
		return;
	subject = values_subject(row);
	if (zero)
		evidence = xasprintf("All %s were 0.", subject);
	else if (value->all == value->any && row->top)
		evidence = xasprintf("All %s were %s.", subject, row->top->text);
	else
		evidence = xasprintf(
			"All %s were one in each launch, and not the same in all of them.",
			subject);
	free(subject);
	values_add(row, zero ? "single_zero" : "single_value", zero ? "skip_zeros" : "use_argument",
		   values_accesses, 1, 1, evidence, xstrdup(advice_of(row)));
}

static void detect_single_value(const struct run *run)
{
	values_each(run, take);
}

const struct pattern pattern_single_value = {
	.detect = detect_single_value,
	.names = (const struct pattern_name[]){{"single_zero", "single zero"},
					       {"single_value", "single value"},
					       {NULL, NULL}},
};
