/* gpu/nvidia/now.h: the clock of all times on the host. */
#ifndef VFLOW_GPU_NVIDIA_NOW_H
#define VFLOW_GPU_NVIDIA_NOW_H

#include <stdint.h>
#include <time.h>

#define SECOND_NS UINT64_C(1000000000)

static inline uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * SECOND_NS + (uint64_t)now.tv_nsec;
}

#endif
