/*
 * collect/guest/nvtx.h: NVTX's names, of ranges and of memory.
 */
#ifndef VFLOW_COLLECT_GUEST_NVTX_H
#define VFLOW_COLLECT_GUEST_NVTX_H

#include "collect/trace.h"

/* NVTX_MESSAGE_TYPE_... */
enum { NVTX_ASCII = 1, NVTX_UNICODE = 2, NVTX_REGISTERED = 3 };

/* What the program has of a domain and of a registered string is a pointer to one of these. */
struct nvtx_named {
	char name[TRACE_RANGE_NAME];
};

/* In UTF-8, empty if there is none; `to` has room for TRACE_RANGE_NAME. */
void nvtx_copy_message(char *to, int type, const void *message);

/* Says in coverage what was not read of memory annotations; with the guest's lock held. */
void nvtx_memory_cover(void);

#endif
