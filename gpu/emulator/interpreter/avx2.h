/*
 * gpu/emulator/interpreter/avx2.h: names of the executors' second build, for CPUs with AVX2.
 *
 * The files whose executors loop over lanes are compiled twice (Makefile, lane_sources): same
 * source, same results.  interpreter/table.c chooses the tables of one or the other.
 */
#ifndef VFLOW_GPU_EMULATOR_INTERPRETER_AVX2_H
#define VFLOW_GPU_EMULATOR_INTERPRETER_AVX2_H

#define interpreter_integer interpreter_integer_avx2
#define interpreter_bits interpreter_bits_avx2
#define interpreter_float interpreter_float_avx2
#define interpreter_compare interpreter_compare_avx2
#define interpreter_convert interpreter_convert_avx2
#define interpreter_memory interpreter_memory_avx2
#define interpreter_half interpreter_half_avx2
#define interpreter_matrix interpreter_matrix_avx2
#define half_to_float half_to_float_avx2
#define double_to_half double_to_half_avx2
#define double_to_bf16 double_to_bf16_avx2
#define execute_mov_predicate execute_mov_predicate_avx2
#define execute_mov_pack execute_mov_pack_avx2
#define execute_mov_unpack execute_mov_unpack_avx2
#define execute_mov_frame execute_mov_frame_avx2
#define execute_mov_clock execute_mov_clock_avx2
#define execute_ld_parameter execute_ld_parameter_avx2

#endif
