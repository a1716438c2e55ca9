/*
 * advice/pattern/structured_values.c: all values with which a kernel accesses an object follow from
 * where they are: value = a * index + b (ValueExpert Def. 3.7).
 */
#include <stdlib.h>

#include "advice/values.h"
#include "gpu/value.h"
#include "graph/accessed_value.h"
#include "util/memory.h"

static void take(const struct values_row *row)
{
	const struct profile_value_stats *value = row->value;
	const bool loads = value->kind == GPU_VALUE_LOAD;
	char *subject, *line;

	/* addresses are others in the next run */
	if (!row->complete || row->exact != VALUES_LINEAR || row->addresses)
		return;
	subject = values_subject(row);
	line = accessed_line_text(value->type, value->slope, value->intercept);
	values_add(row, "structured_values", "compute_value", values_accesses, 1, 1,
		   xasprintf("All %s are %s%s, where i counts elements of the object.", subject,
			     line, value_is_float(value->type) ? ", within 2 ulp" : ""),
		   xasprintf("Compute %s where it is needed instead of %s.", line,
			     loads ? "loading it" : "storing it"));
	free(subject);
	free(line);
}

static void detect_structured_values(const struct run *run)
{
	values_each(run, take);
}

const struct pattern pattern_structured_values = {
	.detect = detect_structured_values,
	.names = (const struct pattern_name[]){{"structured_values", "structured values"},
					       {NULL, NULL}},
};
