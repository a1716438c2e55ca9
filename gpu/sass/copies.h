/* gpu/sass/copies.h: which values of a function are copies of one another. */
#ifndef VFLOW_GPU_SASS_COPIES_H
#define VFLOW_GPU_SASS_COPIES_H

#include "gpu/sass/flow.h"

/*
 * By value, another value of the same group; the caller frees it.  Groups are what moves,
 * selections, shuffles and joins of paths connect.
 */
uint32_t *copies_join(const struct flow *flow);
/* The one value that stands for the group. */
uint32_t copies_find(uint32_t *parents, uint32_t value);

/* The number of the operand's register, as in sass_instruction.read; -1: none, or always zero. */
int copies_register(const struct sass_operand *operand);
bool copies_is_move(const struct sass_instruction *instruction);
/* IMAD.U32 R3, R3, 0x10000, RZ, as bfloat16 becomes float: which operand it is; 0: it is no such.
 */
unsigned copies_shifts_half(const struct sass_instruction *instruction);

#endif
