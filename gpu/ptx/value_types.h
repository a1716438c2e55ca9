/*
 * gpu/ptx/value_types.h: what the values are that loads and stores of a function move.
 *
 * An access may only say how many bits it moves (.b32, and .u16 and .u32 of compilers).  Its values
 * then are what the instructions that compute or use the register say, through moves, selections
 * and shuffles, as gpu/sass/types.h does it for machine code.
 */
#ifndef VFLOW_GPU_PTX_VALUE_TYPES_H
#define VFLOW_GPU_PTX_VALUE_TYPES_H

#include "gpu/ptx/instruction.h"
#include "gpu/records.h"

struct ptx_value_types;

/* Of one function of the module; NULL: no memory.  Freed by ptx_value_types_free(). */
struct ptx_value_types *ptx_value_types_of(const struct ptx_machine *machine,
					   const struct ptx_module *module,
					   const struct ptx_function *function);
void ptx_value_types_free(struct ptx_value_types *types);
/*
 * Of an element of such an access, a value of this type, in the register; it may be that of two
 * values, of half the size each.
 */
enum gpu_value_type ptx_value_type(const struct ptx_value_types *types, enum ptx_type type,
				   uint32_t operand);

#endif
