/* gpu/nvidia/device_name.h: what the GPU is called. */
#ifndef VFLOW_GPU_NVIDIA_DEVICE_NAME_H
#define VFLOW_GPU_NVIDIA_DEVICE_NAME_H

/*
 * The first device's name, from the kernel module: CUDA need not be initialised.  It is the
 * library's, and the same each time.
 */
const char *device_name(void);

#endif
