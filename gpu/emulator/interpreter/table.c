/* gpu/emulator/interpreter/table.c: the table of opcodes; each section stands by its executors. */
#include "gpu/emulator/interpreter/warp.h"

#define SECTION(name) extern const struct ptx_opcode interpreter_##name[];
/* sections that loop over lanes, built twice on x86-64; and those that do not */
#define LANE_SECTIONS(X)                                                                           \
	X(integer) X(float) X(compare) X(convert) X(memory) X(bits) X(half) X(matrix)
/* clang-format off */
#define AVX2_SECTIONS(X)                                                                           \
	X(integer_avx2)                                                                            \
	X(float_avx2) X(compare_avx2) X(convert_avx2) X(memory_avx2) X(bits_avx2) X(half_avx2)     \
		X(matrix_avx2)
#define SECTIONS(X) X(atomic) X(control) X(barrier) X(lanes) X(texture) X(async) X(video) X(cluster) X(wide) X(remote) \
	X(stack) X(tensor) X(group)
/* clang-format on */
LANE_SECTIONS(SECTION)
SECTIONS(SECTION)
#define ENTRY(name) interpreter_##name,

/* clang-format off */
#define MACHINE(sections)                                                                          \
	{                                                                                          \
		.opcodes = sections, .unsupported = execute_unsupported, .ret = execute_ret,       \
		.ld_parameter = execute_ld_parameter, .mov_predicate = execute_mov_predicate,      \
		.mov_explicit_cluster = execute_mov_explicit_cluster,                              \
		.mov_pack = execute_mov_pack, .mov_unpack = execute_mov_unpack,                    \
		.mov_wide = execute_mov_wide, .mov_frame = execute_mov_frame,                      \
		.mov_clock = execute_mov_clock,                                                    \
	}
/* clang-format on */

static const struct ptx_opcode *const plain_sections[] = {LANE_SECTIONS(ENTRY) SECTIONS(ENTRY)
								  NULL};
static const struct ptx_machine plain = MACHINE(plain_sections);

bool interpreter_plain;

#if defined(__x86_64__)
AVX2_SECTIONS(SECTION)
static const struct ptx_opcode *const avx2_sections[] = {AVX2_SECTIONS(ENTRY) SECTIONS(ENTRY) NULL};
static const struct ptx_machine avx2 = MACHINE(avx2_sections);

bool interpreter_is_wide(void)
{
	const bool able = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
			  __builtin_cpu_supports("bmi2");

	return able && !interpreter_plain;
}

const struct ptx_machine *interpreter_machine(void)
{
	return interpreter_is_wide() ? &avx2 : &plain;
}
#else
bool interpreter_is_wide(void)
{
	return false;
}

const struct ptx_machine *interpreter_machine(void)
{
	return &plain;
}
#endif
