/* query/language/aggregate.h: count() and its kin, for one group of rows. */
#ifndef VFLOW_QUERY_LANGUAGE_AGGREGATE_H
#define VFLOW_QUERY_LANGUAGE_AGGREGATE_H

#include "query/language/eval.h"

struct accumulator {
	int64_t count;
	int64_t integers; /* sum */
	double numbers;   /* sum */
	bool is_float;
	struct value best;    /* of min, max; the percentile */
	struct value *values; /* of collect and percentiles */
	uint32_t value_count, value_capacity;
	struct value_set *distinct;
};

void accumulate(struct run *run, const struct expr *call, struct accumulator *accumulator);
struct value accumulated(struct run *run, const struct expr *call, struct accumulator *accumulator);
void accumulator_free(struct accumulator *accumulator);

#endif
