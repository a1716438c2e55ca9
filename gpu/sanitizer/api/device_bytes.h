/*
 * gpu/sanitizer/api/device_bytes.h: how much of the device's memory a call of the driver is going
 * to take.
 */
#ifndef VFLOW_GPU_SANITIZER_API_DEVICE_BYTES_H
#define VFLOW_GPU_SANITIZER_API_DEVICE_BYTES_H

#include <stdint.h>

#include <cuda.h>

/*
 * About how many bytes, as far as the parameters of the function say; 0: none, or it is not known.
 * Calls the driver.
 */
uint64_t api_device_bytes(const char *function, const void *parameters);

/* Bytes of a texel's channel in arrays; 0: arrays of this format are not followed. */
uint64_t api_channel_bytes(CUarray_format format);

#endif
