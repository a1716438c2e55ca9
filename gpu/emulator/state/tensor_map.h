/*
 * gpu/emulator/state/tensor_map.h: what cuTensorMapEncodeTiled() writes into a CUtensorMap, and
 * copies of tensors read.  The real one's layout is NVIDIA's secret; programs do not look inside.
 */
#ifndef VFLOW_GPU_EMULATOR_STATE_TENSOR_MAP_H
#define VFLOW_GPU_EMULATOR_STATE_TENSOR_MAP_H

#include <stdint.h>

#define TENSOR_RANK 5u
#define TENSOR_MAP_MAGIC 0x70614d54u
#define TENSOR_MAP_BYTES 128u

struct tensor_map {
	uint32_t magic;
	uint8_t type; /* CUtensorMapDataType */
	uint8_t rank, swizzle, fill;
	uint64_t address;
	uint64_t strides[TENSOR_RANK - 1]; /* bytes, of the dimensions from the second on */
	uint32_t last[TENSOR_RANK];        /* elements of a dimension, less 1 */
	uint16_t box[TENSOR_RANK];         /* elements that a copy covers */
	uint8_t steps[TENSOR_RANK];        /* every so many of them are copied */
};
_Static_assert(sizeof(struct tensor_map) <= TENSOR_MAP_BYTES, "CUtensorMap is smaller");

/* Bytes of an element; 0: no such type. */
static inline unsigned tensor_element_bytes(unsigned type)
{
	static const uint8_t bytes[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};

	return type < sizeof(bytes) ? bytes[type] : 0;
}

#endif
