/*
 * gpu/emulator/interpreter_matrix.h: products of matrices with fragments of their own.
 * `rows`: operands of the registers of d, a, b and c, one after the other.
 */
#ifndef VFLOW_GPU_EMULATOR_INTERPRETER_MATRIX_H
#define VFLOW_GPU_EMULATOR_INTERPRETER_MATRIX_H

#include "gpu/emulator/interpreter_warp.h"

/* interpreter_quads.c */
void matrix_multiply_quads(struct warp *warp, const struct ptx_matrix *matrix,
			   const uint32_t *rows);

#endif
