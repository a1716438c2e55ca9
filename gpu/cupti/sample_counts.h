/*
 * gpu/cupti/sample_counts.h: samples of stalls, added up by function, instruction and reason, with
 * the code that they are in and the launches of its kernels, until the process ends.
 *
 * Any thread may call.  What there is no memory for is told as such.
 */
#ifndef VFLOW_GPU_CUPTI_SAMPLE_COUNTS_H
#define VFLOW_GPU_CUPTI_SAMPLE_COUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gpu/provider.h"

/* A module was loaded: keeps a copy of its image, once. */
void sample_counts_code(uint64_t crc, const void *image, size_t size);

/* `reason`: a number of gpu/stall_reasons.def.  The name is copied. */
void sample_counts_add(uint64_t crc, const char *function, uint64_t offset, uint32_t reason,
		       uint64_t samples, bool latency);

struct sample_launch {
	const char *kernel; /* mangled; it is copied */
	uint64_t time_ns;
	struct gpu_stall_launches geometry; /* but for launches, time_ns, geometries and name */
};
void sample_counts_launch(const struct sample_launch *launch);

/* Tells all, once; code only where there are samples. */
void sample_counts_tell(const struct gpu_sink *sink);

#endif
