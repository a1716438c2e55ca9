/*
 * gpu/sanitizer/api/device_bytes.h: how much of the device's memory calls of the driver take.
 */
#ifndef VFLOW_GPU_SANITIZER_API_DEVICE_BYTES_H
#define VFLOW_GPU_SANITIZER_API_DEVICE_BYTES_H

#include <stdint.h>

#include <cuda.h>

/*
 * About how many bytes a function of the driver is going to take, as far as its parameters say; 0:
 * none, or nobody knows.  Calls the driver.
 */
uint64_t api_device_bytes(const char *function, const void *parameters);

/* Bytes of a texel's channel in arrays; 0: of a kind that is not followed. */
uint64_t api_channel_bytes(CUarray_format format);

#endif
