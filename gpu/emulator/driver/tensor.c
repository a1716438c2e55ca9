/* gpu/emulator/driver/tensor.c: driver API: tensor maps, which describe what a copy takes. */
#include <string.h>

#include "gpu/emulator/device/core.h"
#include "gpu/emulator/state/tensor_map.h"

#define INVALID_VALUE 1

#pragma GCC visibility push(default)
int cuTensorMapEncodeTiled(void *tensorMap, int tensorDataType, uint32_t tensorRank,
			   void *globalAddress, const uint64_t *globalDim,
			   const uint64_t *globalStrides, const uint32_t *boxDim,
			   const uint32_t *elementStrides, int interleave, int swizzle,
			   int l2Promotion, int oobFill);
int cuTensorMapReplaceAddress(void *tensorMap, void *globalAddress);
#pragma GCC visibility pop

static bool takes_dimension(const struct tensor_map *map, unsigned n, uint64_t size, uint32_t box,
			    uint32_t step)
{
	const uint64_t inner = (uint64_t)box * tensor_element_bytes(map->type);

	if (!size || size > (1ull << 32) || !box || box > 256 || !step || step > 8)
		return false;
	/* rows are multiples of 16 bytes, and at most as long as the swizzle pattern */
	return n || (inner % 16 == 0 && (!map->swizzle || inner <= 16u << map->swizzle));
}

int cuTensorMapEncodeTiled(void *tensorMap, int tensorDataType, uint32_t tensorRank,
			   void *globalAddress, const uint64_t *globalDim,
			   const uint64_t *globalStrides, const uint32_t *boxDim,
			   const uint32_t *elementStrides, int interleave, int swizzle,
			   int l2Promotion, int oobFill)
{
	struct tensor_map map = {.magic = TENSOR_MAP_MAGIC};

	(void)l2Promotion;
	if (!tensorMap || (uintptr_t)tensorMap % 64 || !tensorRank || tensorRank > TENSOR_RANK ||
	    !globalAddress || (uintptr_t)globalAddress % 16 || !globalDim || !boxDim ||
	    !elementStrides || (tensorRank > 1 && !globalStrides) || oobFill < 0 || oobFill > 1 ||
	    tensorDataType < 0 || !tensor_element_bytes((unsigned)tensorDataType))
		return INVALID_VALUE;
	if (interleave || swizzle < 0 || swizzle > 3)
		return vflow_emulator_unsupported("cuTensorMapEncodeTiled (interleaved)");
	map.type = (uint8_t)tensorDataType;
	map.rank = (uint8_t)tensorRank;
	map.swizzle = (uint8_t)swizzle;
	map.fill = (uint8_t)oobFill;
	map.address = (uintptr_t)globalAddress;
	for (uint32_t n = 0; n < tensorRank; n++) {
		if (!takes_dimension(&map, n, globalDim[n], boxDim[n], elementStrides[n]) ||
		    (n && (globalStrides[n - 1] % 16 || globalStrides[n - 1] >= 1ull << 40)))
			return INVALID_VALUE;
		map.last[n] = (uint32_t)(globalDim[n] - 1);
		map.box[n] = (uint16_t)boxDim[n];
		map.steps[n] = (uint8_t)elementStrides[n];
		if (n)
			map.strides[n - 1] = globalStrides[n - 1];
	}
	memset(tensorMap, 0, TENSOR_MAP_BYTES);
	memcpy(tensorMap, &map, sizeof(map));
	return 0;
}

int cuTensorMapReplaceAddress(void *tensorMap, void *globalAddress)
{
	struct tensor_map map;

	if (!tensorMap || !globalAddress || (uintptr_t)globalAddress % 16)
		return INVALID_VALUE;
	memcpy(&map, tensorMap, sizeof(map));
	if (map.magic != TENSOR_MAP_MAGIC)
		return INVALID_VALUE;
	map.address = (uintptr_t)globalAddress;
	memcpy(tensorMap, &map, sizeof(map));
	return 0;
}
