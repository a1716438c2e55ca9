/*
 * gpu/cupti/arguments.h: the words of a kernel's parameters that may be pointers.
 */
#ifndef VFLOW_GPU_CUPTI_ARGUMENTS_H
#define VFLOW_GPU_CUPTI_ARGUMENTS_H

#include <stdint.h>

/*
 * Calls `word` for each aligned word that is not 0 of the parameters of a launch: of the kernel
 * (struct operation), with pointers to the values, or with `extra`, as the driver takes them; or
 * either is NULL.  Asks the driver, which tells since CUDA 12.4 where parameters are.  Returns 0,
 * or -1: they are not known.
 */
int arguments_each(uint64_t kernel, const void *values, const void *extra,
		   void (*word)(void *data, uint64_t word), void *data);

/* Code was unloaded: what is kept of functions is forgotten. */
void arguments_functions_gone(void);

#endif
