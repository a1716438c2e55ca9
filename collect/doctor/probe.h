/*
 * collect/doctor/probe.h: a tiny CUDA program whose value flow is known, for `vflow doctor`.
 */
#ifndef VFLOW_COLLECT_DOCTOR_PROBE_H
#define VFLOW_COLLECT_DOCTOR_PROBE_H

#include <stdint.h>

#include "graph/profile/profile.h"
#include "util/error.h"

#define PROBE_BYTES 4096u     /* the kernel writes so many over a zeroed object */
#define PROBE_REDUNDANT 2048u /* and the first half of them are zeros again */

/* Runs the program in this process on libcuda.so.1 and checks the values it computed. */
int probe_run(struct error *error);

/*
 * Runs a kernel of PROBE_KERNEL_NS and waits for it, twice: the first time loads what is needed.
 */
#define PROBE_KERNEL_NS 5000000u
int probe_run_wait(struct error *error);

/*
 * Whether the profile of its passes `time` and `waits` has a wait that is as long as the kernel, or
 * a tenth off: *wait_ns and *kernel_ns, of the last one.
 */
int probe_check_wait(const struct profile *profile, uint64_t *wait_ns, uint64_t *kernel_ns,
		     struct error *error);

/* Whether its profile holds the flow that probe_run() must have caused. */
int probe_check(const struct profile *profile, struct error *error);

#endif
