/* gpu/cupti/captures.h: whether a stream is captured into a graph.  Any thread may call. */
#ifndef VFLOW_GPU_CUPTI_CAPTURES_H
#define VFLOW_GPU_CUPTI_CAPTURES_H

#include <stdbool.h>
#include <stdint.h>

/* A stream is captured, from now on some may be. */
void captures_begin(void);
bool captures_stream(uintptr_t stream);

#endif
