/* gpu/sanitizer/callback/textures.h: which memory textures read. */
#ifndef VFLOW_GPU_SANITIZER_CALLBACK_TEXTURES_H
#define VFLOW_GPU_SANITIZER_CALLBACK_TEXTURES_H

#include <stdint.h>

/* The address that this function of the driver (API_TEXTURE) bound; 0: that of an array. */
uint64_t texture_address(const char *function, const void *parameters);

#endif
