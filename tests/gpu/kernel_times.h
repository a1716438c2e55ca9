/*
 * tests/gpu/kernel_times.h: how long the GPU is at work on kernels, for tests/gpu/overhead.
 *
 * Linked into floor.c's library, and by kernel_times_hook.c into a provider of the benchmark's own.
 *
 * VFLOW_KERNEL_TIMES=FILE: at its end a process that launched kernels appends a line to FILE:
 *
 *   kernels MS N passes MS N untimed N unheld N nothing MS N
 *
 * the milliseconds and number of the program's own kernels; the same of vflow's, but for the last
 * ones, which nobody waits for; the program's launches that were not timed, those of CUDA graphs
 * above all; launches that were timed without holding their stream; and what is measured when there
 * is nothing between two events: as much of each kernel's time is no kernel's.
 *
 * A kernel's time is that between two events around it on its stream.  Were they recorded while the
 * stream is idle, the time between the two calls on the host would count: so the stream is made to
 * wait until event, kernel and event are all there.  That slows down the process as a whole.
 */
#ifndef VFLOW_TESTS_GPU_KERNEL_TIMES_H
#define VFLOW_TESTS_GPU_KERNEL_TIMES_H

#include <stdbool.h>

#include <cuda.h>
#include <sanitizer.h>

/*
 * Reads the variable, once driver_load() has succeeded.  From then on what is launched by
 * driver.cuLaunchKernel is vflow's.
 */
void times_start(void);

/* What the provider does not call of the driver; times_start() looks up what is NULL here. */
struct times_driver {
	CUresult (*elapsed)(float *milliseconds, CUevent before, CUevent after);
	CUresult (*wait_value)(CUstream stream, CUdeviceptr at, cuuint32_t value, unsigned flags);
};
extern struct times_driver times_driver;

extern bool times_wanted;
/*
 * Around each call of the driver that the program makes, as close to it as can be: the last thing
 * at its entry, the first at its exit.  Calls the driver, and makes it load kernels.
 */
void times_call(const Sanitizer_CallbackData *call);

#endif
