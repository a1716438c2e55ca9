/* advice/report/gate.h: which findings make `vflow report --fail-above` and `--fail-at-most` fail.
 */
#ifndef VFLOW_ADVICE_REPORT_GATE_H
#define VFLOW_ADVICE_REPORT_GATE_H

#include "graph/profile/profile.h"

/*
 * What a finding is worth: bytes, of memory those by which the peak falls, or the time that it
 * saves for sure (0 where only the most is known), or with `at_most` the most that it may save.
 */
struct gate {
	bool is_time, at_most;
	uint64_t limit; /* a finding worth more fails; 0: any does */
};

/* "64K", "1.5ms"; -1: neither a size nor a time. */
int gate_parse(const char *text, struct gate *gate);

bool gate_is_above(const struct gate *gate, const struct profile_finding *finding);

#endif
