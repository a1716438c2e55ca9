/* tests/cli/collect_join.h: the record that the pass `noted` of the tests makes of each call. */
#ifndef VFLOW_TESTS_CLI_COLLECT_JOIN_H
#define VFLOW_TESTS_CLI_COLLECT_JOIN_H

#include "gpu/records.h"

#define NOTED_KIND (GPU_RECORD_TRIAL + 9)

struct noted {
	uint64_t bytes; /* of the device's that the call read and wrote */
};

#endif
