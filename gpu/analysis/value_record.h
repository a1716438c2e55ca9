/*
 * gpu/analysis/value_record.h: the records of pass `values`, from what was counted.
 */
#ifndef VFLOW_GPU_ANALYSIS_VALUE_RECORD_H
#define VFLOW_GPU_ANALYSIS_VALUE_RECORD_H

#include "gpu/analysis/value_counts.h"
#include "gpu/analysis/value_stats.h"

/* A struct gpu_top_values with as many as there may be. */
struct value_top {
	uint32_t count, unused;
	struct gpu_top_value values[GPU_TOP_VALUES];
};

/* `place`: 0: of all places. */
struct gpu_values value_record(const struct value_stats *stats, const struct value_counts *counts,
			       uint32_t place, enum gpu_value_kind kind, enum gpu_value_type type);
/* Returns its size in bytes. */
size_t value_record_top(const struct value_counts *counts, struct value_top *top);

#endif
