/*
 * advice/buffer_name.h: what the program calls the memory that it allocates, read from its source.
 *
 * The lines are read as text, not compiled: where they leave a doubt (two allocations on one line,
 * a macro that hides the call, a parameter whose caller is unknown) there is no name.
 */
#ifndef VFLOW_ADVICE_BUFFER_NAME_H
#define VFLOW_ADVICE_BUFFER_NAME_H

#include <stdint.h>

struct profile_frame;
struct source_files;

/*
 * "d.mass" of `cudaMalloc((void **)&d.mass, n)`, where `api` is the function called ("cudaMalloc")
 * and frames[0] the frame that calls it, its callers behind it.  A parameter, or a variable that
 * the function returns, is called what the caller calls it: "p" of `float *p = device_alloc(n)`.
 * NULL: not known.  Caller frees.
 */
char *buffer_name_find(struct source_files *files, const char *api,
		       const struct profile_frame *const *frames, uint32_t count);

#endif
