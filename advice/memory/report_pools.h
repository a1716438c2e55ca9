/*
 * advice/memory/report_pools.h: what pools of memory have handed out, and to whom.
 */
#ifndef VFLOW_ADVICE_MEMORY_REPORT_POOLS_H
#define VFLOW_ADVICE_MEMORY_REPORT_POOLS_H

#include <stdint.h>
#include <stdio.h>

#include "advice/memory/report.h"
#include "util/json.h"

/* Of this process's pools: each with the call paths that have most at its peak. */
void report_pools_print(const struct report_memory *report, uint32_t process, FILE *out);

/* Those pools with so many of their call paths, or with all of them (0), as an array. */
void report_pools_json(const struct profile *profile, uint32_t process, uint32_t most,
		       struct json *json);

#endif
