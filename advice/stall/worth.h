/* advice/stall/worth.h: what a faster kernel is worth to the whole run. */
#ifndef VFLOW_ADVICE_STALL_WORTH_H
#define VFLOW_ADVICE_STALL_WORTH_H

#include "advice/stall/kernels.h"
#include "replay/replay.h"

/*
 * ns that the run would take less if all launches of the kernel took so many times less; `replay`
 * may be NULL.  PROFILE_UNKNOWN: the profile does not say.
 */
uint64_t stall_worth(const struct replay *replay, const struct stall_kernel *kernel,
		     double speedup);

/*
 * The next finding (index into profile->findings) from `from` on that is about an operation that
 * launches the kernel: work that may not be needed at all; PROFILE_NO_ROW: there is none.
 */
uint32_t stall_next_finding(const struct stall_kernel *kernel, uint32_t from);

#endif
