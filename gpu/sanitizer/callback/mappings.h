/*
 * gpu/sanitizer/callback/mappings.h: which memory others may write: what came from another process
 * or goes to one, what is mapped twice, and what other devices have access to.
 *
 * The lock of calls.c is held.
 */
#ifndef VFLOW_GPU_SANITIZER_CALLBACK_MAPPINGS_H
#define VFLOW_GPU_SANITIZER_CALLBACK_MAPPINGS_H

#include <stdbool.h>
#include <stdint.h>

#include <cuda.h>

/* Takes in what a function of the driver that has succeeded says of mappings and handles. */
void mappings_call(const char *function, const void *parameters);
/*
 * Iterates over the addresses whose memory others may write since this function, which has
 * succeeded: the next one, or 0.  *at is 0 at first.  Calls the driver.
 */
uint64_t mappings_next(const char *function, const void *parameters, uint32_t *at);
/* Whether others may write the memory that is mapped there. */
bool mappings_is_shared(uint64_t address);

#endif
