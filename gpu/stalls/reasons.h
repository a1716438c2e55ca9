/* gpu/stalls/reasons.h: see gpu/stall_reasons.def. */
#ifndef VFLOW_GPU_STALLS_REASONS_H
#define VFLOW_GPU_STALLS_REASONS_H

enum stall_reason {
	STALL_OTHER, /* one that the list lacks */
#define STALL_REASON(number, NAME, name, blame) STALL_##NAME = (number),
#include "gpu/stall_reasons.def"
	STALL_REASONS
};

/* Where the cause of a stall is. */
enum stall_rule {
	STALL_RULE_NONE, /* it is no stall */
	STALL_RULE_ITSELF,
	STALL_RULE_BARRIERS,        /* who set the barriers that it waits for */
	STALL_RULE_BEFORE,          /* the instruction before it, whose latency is fixed */
	STALL_RULE_SYNCHRONIZATION, /* the last of the kind on each path to it */
	STALL_RULE_EXIT,            /* writes to global memory that may have come before the exit */
	STALL_RULE_BRANCH,
};

/* "long_scoreboard"; "other". */
const char *stall_reason_name(enum stall_reason reason);
enum stall_rule stall_rule_of(enum stall_reason reason);

#endif
