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
	const char *kernel; /* NULL: nothing was decided */
	bool wanted;
	void *parameters;
	size_t size;
};

/*
 * The function that a call of the driver is about to launch; NULL: it launches no kernel, or it is
 * not known which.  Makes the driver load the kernel now, not later in the launch: calls the
 * driver.
 */
CUfunction launch_function(CUcontext context, const char *api, const void *parameters);
/*
 * Bytes of local memory that the driver is going to allocate for the launches since this was asked
 * last.
 */
uint64_t launch_local_memory(void);
/* A module or context goes away: functions are not valid any more. */
void launch_functions_gone(void);
/* The stream of a call that launches a kernel.  False: the thread's own. */
bool launch_stream(const char *api, const void *parameters, CUstream *stream);
/* Whether the kernel is one of NCCL's, which wait for those of other devices.  Calls the driver. */
bool launch_is_collective(CUfunction function);
/*
 * Decides whether the launch of a kernel that comes next, as this node of a graph or (NULL) by
 * itself, is analysed.  The caller gives one that is not its parameter block.  Calls the driver.
 */
void launch_select(struct launch *launch, CUfunction function, const struct gpu_node *node);
/*
 * The kernel may be launched by a CUDA graph at any time from now on; launch_freeze(): any kernel
 * may. Their code must not change any more.
 */
void launch_in_graph(CUfunction function); /* calls the driver */
void launch_freeze(void);
/*
 * The launch is made now: fills in operation->skipped, and for a skipped one its parameters.
 * False: it is to get no callback data.
 */
bool launch_begins(struct launch *launch, const Sanitizer_LaunchData *data,
		   struct operation *operation);
/* Launches of this kernel are not analysed any more: one of them was timed out. */
void launch_exclude(const char *kernel);

#endif
