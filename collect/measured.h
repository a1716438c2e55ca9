/*
 * collect/measured.h: what a run of the passes `time` and `waits` has measured, as far as it says
 * what later runs are for: which launches matter, and which waits.
 */
#ifndef VFLOW_COLLECT_MEASURED_H
#define VFLOW_COLLECT_MEASURED_H

#include <stdint.h>

struct measured;

/* From the traces in the folder; those that are damaged count as far as they can be read. */
struct measured *measured_read(const char *folder);
void measured_free(struct measured *measured);

/*
 * How many launches of each kernel and call path, the first ones, take at most this part of the
 * GPU's time for all kernels: kernels that are launched often are looked at less often.  At least
 * 1; 0: no kernel was timed.
 */
uint64_t measured_launches(const struct measured *measured, double part);

/*
 * "cudaMemcpy,cudaDeviceSynchronize": the functions whose waits took this part or more of the time
 * from the device's first operation to its last one, or to the last wait; "" for none.  Caller
 * frees.  NULL: waits were not measured.
 */
char *measured_waits(const struct measured *measured, double part);

#endif
