/* gpu/emulator/interpreter_table.c: the table of opcodes; each section stands by its executors. */
#include "gpu/ptx/instruction.h"

extern const struct ptx_opcode interpreter_integer[], interpreter_float[], interpreter_compare[],
	interpreter_convert[], interpreter_memory[], interpreter_atomic[], interpreter_control[],
	interpreter_barrier[], interpreter_lanes[], interpreter_half[], interpreter_bits[],
	interpreter_video[], interpreter_matrix[], interpreter_cluster[],
	interpreter_texture[], interpreter_async[];

const struct ptx_opcode *const ptx_opcodes[] = {
	interpreter_integer, interpreter_float,
	interpreter_compare, interpreter_convert,
	interpreter_memory,  interpreter_atomic,
	interpreter_control, interpreter_barrier,
	interpreter_lanes,   interpreter_half,
	interpreter_texture, interpreter_async,
	interpreter_bits,    interpreter_video,
	interpreter_matrix,  interpreter_cluster,
	NULL,
};
