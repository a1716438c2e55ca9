/*
 * gpu/emulator/driver/unsupported.h: where the entries of unsupported.c lie, so that
 * cuGetProcAddress() prefers others.
 */
#ifndef VFLOW_GPU_EMULATOR_DRIVER_UNSUPPORTED_H
#define VFLOW_GPU_EMULATOR_DRIVER_UNSUPPORTED_H

#define UNSUPPORTED_SECTION "vflow_unsupported"
/* The linker's names for the section's bounds. */
extern const char __start_vflow_unsupported[], __stop_vflow_unsupported[];

#endif
