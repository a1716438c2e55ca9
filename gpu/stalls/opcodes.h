/* gpu/stalls/opcodes.h: what kind of work a machine instruction is, as stalls see it. */
#ifndef VFLOW_GPU_STALLS_OPCODES_H
#define VFLOW_GPU_STALLS_OPCODES_H

#include "gpu/sass/listing.h"

enum stall_opcode {
	OPCODE_FIXED,  /* of a latency that the compiler knows */
	OPCODE_GLOBAL, /* loads and atomics of global or generic memory, textures */
	OPCODE_GLOBAL_STORE,
	OPCODE_LOCAL, /* spills, arrays of a thread */
	OPCODE_SHARED,
	OPCODE_CONSTANT,       /* LDC */
	OPCODE_CONVERSION,     /* F2F, I2F, F2I, ..: a slow pipe */
	OPCODE_TRANSCENDENTAL, /* MUFU: reciprocals, roots, sines */
	OPCODE_DOUBLE,         /* f64 arithmetic */
	OPCODE_SPECIAL,        /* S2R, shuffles, votes, .. */
	OPCODE_SYNCHRONIZATION,
	OPCODE_CONTROL,
};

enum stall_opcode stall_opcode_of(const struct sass_instruction *instruction);
/* "a load of global memory" */
const char *stall_opcode_words(const struct sass_instruction *instruction);
bool stall_is_atomic(const struct sass_instruction *instruction);
/* Whether who waits for its results is booked as long_scoreboard. */
bool stall_is_long(enum stall_opcode opcode);

#endif
