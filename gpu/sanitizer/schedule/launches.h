/*
 * gpu/sanitizer/schedule/launches.h: which launches are analysed, decided before they are made.
 *
 * At the entry of a launch's driver call the sink is asked, and the module of a kernel that is left
 * out is unpatched, so that it runs at native speed.  The lock of calls.c is held.
 *
 * The code of kernels in CUDA graphs must not change (else their launch fails with error 715):
 * those that are left out run patched.  A second, unpatched load of their module could take their
 * place in a step; but only for kernels that use no variable of it, and with every image kept for
 * that.
 */
#ifndef VFLOW_GPU_SANITIZER_SCHEDULE_LAUNCHES_H
#define VFLOW_GPU_SANITIZER_SCHEDULE_LAUNCHES_H

#include <sanitizer.h>

#include "gpu/sanitizer/schedule/api_call.h"

/* What was decided at the entry of a launch's driver call. */
struct launch {
	const char *kernel; /* NULL: nothing was */
	bool wanted;
	void *parameters;
	size_t size;
};

/*
 * A call of the driver begins.  NULL: it is no launch of a kernel, or it is not known which.  Makes
 * the driver load the kernel, which it would do later in the launch: calls the driver.
 */
CUfunction launch_function(CUcontext context, const char *api, const void *parameters);
/* Bytes of the device's memory that such launches are going to take, since this was asked last. */
uint64_t launch_local_memory(void);
/* A module or context goes away. */
void launch_functions_gone(void);
/* The stream of such a launch.  False: the thread's own. */
bool launch_stream(const char *api, const void *parameters, CUstream *stream);
/* Whether the kernel is one of NCCL's, which wait for those of other devices.  Calls the driver. */
bool launch_is_collective(CUfunction function);
/*
 * Decides about the launch of a kernel that comes next.  Whoever calls it gives one that is not
 * wanted its parameter block.  Calls the driver.
 */
void launch_select(struct launch *launch, CUfunction function);
/* The kernel, or unknown ones, may run at any time from now on: their code must not change any
 * more. */
void launch_in_graph(CUfunction function); /* calls the driver */
void launch_freeze(void);
/*
 * The launch is made now: fills in operation->skipped, and what the kernel may write then.  False:
 * it is to get no callback data.
 */
bool launch_begins(struct launch *launch, const Sanitizer_LaunchData *data,
		   struct operation *operation);
/* This kernel did not end for so long that it is not analysed again. */
void launch_exclude(const char *kernel);

#endif
