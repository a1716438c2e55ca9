/*
 * advice/pattern/frequent_values.c: one value takes a large share of the accesses of a kernel to an
 * object (ValueExpert Def. 3.3; its share is GVProf's spatial redundancy).
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "advice/values.h"
#include "gpu/records.h"
#include "util/memory.h"

enum { NAMED = 3 };      /* values */
#define LEAST_NAMED 0.01 /* of all */

/* "0 (990 times), 1 (20 times)" */
static char *list_of(const struct values_row *row)
{
	char *text = NULL;
	size_t size;
	FILE *out = xopen_memstream(&text, &size);

	for (uint32_t i = 0; i < NAMED && i < row->top_count; i++) {
		const struct profile_top_value *top = &row->top[i];

		/* of so few it is chance which ones are known */
		if (i && (double)top->count < LEAST_NAMED * (double)row->value->count)
			break;
		fprintf(out, "%s%s (%s%" PRIu64 " times)", i ? ", " : "", top->text,
			top->error ? "at least " : "", top->count);
	}
	fclose(out);
	return text;
}

/* How often the most frequent value comes at a place, at least. */
static uint64_t top_at(const struct values_row *row, uint32_t place)
{
	uint32_t count;
	const struct profile_top_value *top = profile_top_values(row->run->profile, place, &count);

	for (uint32_t i = 0; i < count; i++)
		if (top[i].bits == row->top->bits)
			return top[i].count;
	return 0;
}

static void take(const struct values_row *row)
{
	const struct profile_value_stats *value = row->value;
	char *subject, *list, *percent;

	if (row->exact >= VALUES_SINGLE || !row->top || value->count < 2 ||
	    (double)row->top->count < row->run->options->frequent * (double)value->count)
		return;
	subject = values_subject(row);
	list = list_of(row);
	percent = words_percent(row->top->count, value->count);
	values_add(row, "frequent_values", "treat_apart", top_at, row->top->count, value->count,
		   xasprintf("Of the %s %s%s were %s. The most frequent ones: %s.", subject,
			     row->top->error ? "at least " : "", percent, row->top->text, list),
		   xasprintf("Treat %s apart: test for it before the work that it makes needless, "
			     "or keep only the other values and where they are.",
			     row->top->text));
	free(subject);
	free(list);
	free(percent);
}

static void detect_frequent_values(const struct run *run)
{
	values_each(run, take);
}

const struct pattern pattern_frequent_values = {
	.detect = detect_frequent_values,
	.names =
		(const struct pattern_name[]){{"frequent_values", "frequent values"}, {NULL, NULL}},
};
