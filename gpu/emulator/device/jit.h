/*
 * gpu/emulator/device/jit.h: where a program wants to read what the compiler and the linker say.
 */
#ifndef VFLOW_GPU_EMULATOR_DEVICE_JIT_H
#define VFLOW_GPU_EMULATOR_DEVICE_JIT_H

#include "gpu/emulator/device/core.h"

struct jit_log {
	struct jit_buffer {
		char *text; /* the program's; NULL: it wants none */
		size_t room;
		void **length; /* the program's; NULL: it wants none */
	} information, errors;
};

/* The options need not stay, their values must. */
struct jit_log jit_log_of(const struct emulator_jit *jit);
/* Fills the buffers: information is none, errors are the text ("": all went well). */
void jit_log_write(const struct jit_log *log, const char *errors);

#endif
