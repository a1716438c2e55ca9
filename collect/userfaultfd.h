/*
 * collect/userfaultfd.h: what the pass `use` needs of the kernel.
 *
 * Part of the guest, which uses it, and of `vflow doctor`, which asks whether it is there.
 */
#ifndef VFLOW_COLLECT_USERFAULTFD_H
#define VFLOW_COLLECT_USERFAULTFD_H

#include <stdbool.h>

#include "util/error.h"

/* A descriptor to watch memory of this process with; -1: why not, and what to do. */
int userfaultfd_open(struct error *why);
/* Whether those that were opened can protect all memory from being written. */
bool userfaultfd_protects(void);

#endif
