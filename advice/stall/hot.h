/* advice/stall/hot.h: who is to blame for most of a kernel's samples. */
#ifndef VFLOW_ADVICE_STALL_HOT_H
#define VFLOW_ADVICE_STALL_HOT_H

#include "advice/stall/kernels.h"

/* All that wait at one instruction for one reason because of one other. */
struct stall_hot {
	const struct stall_blame *blame;
	/* What the source itself waited for, and that, ...; how many */
	uint32_t causes[8], cause_count;
};

/* Those with most samples first, at most `limit`; the caller frees the array. */
struct stall_hot *stall_hottest(const struct stall_kernel *kernel, size_t limit, size_t *count);

#endif
