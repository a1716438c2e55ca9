/*
 * gpu/sanitizer/schedule/host_writes.h: whether calls may still have memory of the host written, so
 * that a loop of small copies to the host asks the driver once, and not before each.
 *
 * Calls are numbered where they begin, once they have the lock of calls.c; those that do not get it
 * also where they end.  One that turns out to have nothing written to memory of the host after it
 * has returned gives its number back.
 */
#ifndef VFLOW_GPU_SANITIZER_SCHEDULE_HOST_WRITES_H
#define VFLOW_GPU_SANITIZER_SCHEDULE_HOST_WRITES_H

#include <stdbool.h>
#include <stdint.h>

#include <cuda.h>

/* A call begins that may write to memory of the host, or have a stream wait for one that does. */
uint64_t host_writes_begin(void);
/* The call with this number does not. */
void host_writes_none(uint64_t number);

/*
 * What lies on the stream before the call with this number is over.  The lock of calls.c is held,
 * here and below.
 */
void host_writes_over(CUcontext context, CUstream stream, uint64_t number);
/* Whether that is known, and nothing has begun since. */
bool host_writes_are_over(CUcontext context, CUstream stream, uint64_t number);

#endif
