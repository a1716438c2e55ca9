/* gpu/cupti/operations.c: see operations.h. */
#include "gpu/cupti/operations.h"

#include <stddef.h>
#include <string.h>

#include "gpu/cupti/driver.h"
#include "gpu/nvidia/apis.h"
#include "gpu/nvidia/streams.h"

/*
 * Parameters are words of 8 bytes, but for those of plain launches, where sizes of grids and blocks
 * share words.  NONE: the function has no such parameter.
 */
enum { NONE = 255 };

static const void *pointer(uint64_t word)
{
	return (const void *)(uintptr_t)word;
}

/* -- copies -- */

bool operation_is_device(uint64_t address)
{
	unsigned type;

	return driver.cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, address) ==
		       CUDA_SUCCESS &&
	       type != CU_MEMORYTYPE_HOST;
}

static void set_host(struct operation *operation, uint64_t address, uint64_t bytes)
{
	unsigned type;

	operation->host_address = address;
	operation->host_bytes = bytes;
	operation->host_is_pageable =
		driver.cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, address) !=
		CUDA_SUCCESS;
}

/* Copies within memory of the host have no event, pinned or not. */
static void set_sides(struct operation *operation, bool to_device, bool from_device)
{
	if (!to_device && !from_device)
		operation->count = 0;
}

/* Pageable memory has been read when the call returns. */
static void set_source(struct operation *operation, uint64_t address, uint64_t bytes)
{
	unsigned type;

	if (driver.cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, address) !=
		    CUDA_SUCCESS ||
	    type != CU_MEMORYTYPE_HOST)
		return;
	operation->source_address = address;
	operation->source_bytes = bytes;
}

static void from_host(struct operation *operation, const uint64_t *words)
{
	set_source(operation, words[1], words[2]);
}

static void unified(struct operation *operation, const uint64_t *words)
{
	bool to_device = operation_is_device(words[0]);

	set_sides(operation, to_device, operation_is_device(words[1]));
	if (!to_device)
		set_host(operation, words[0], words[2]);
	else
		set_source(operation, words[1], words[2]);
}

static void to_host(struct operation *operation, const uint64_t *words)
{
	set_host(operation, words[0], words[2]);
}

static void array_from_host(struct operation *operation, const uint64_t *words)
{
	set_source(operation, words[2], words[3]);
}

static void array_to_host(struct operation *operation, const uint64_t *words)
{
	set_host(operation, words[0], words[3]);
}

static bool side(CUmemorytype type, CUdeviceptr device)
{
	return type == CU_MEMORYTYPE_UNIFIED ? operation_is_device(device)
					     : type != CU_MEMORYTYPE_HOST;
}

/* The fields have the same names in CUDA_MEMCPY2D, CUDA_MEMCPY3D and CUDA_MEMCPY3D_PEER. */
#define SET_SIDES(operation, p)                                                                    \
	set_sides(operation, side((p)->dstMemoryType, (p)->dstDevice),                             \
		  side((p)->srcMemoryType, (p)->srcDevice))

/* Between rows that lie apart the program may write. */
static void set_source_rows(struct operation *operation, const CUDA_MEMCPY2D *p)
{
	uint64_t address, pitch = p->srcPitch ? p->srcPitch : p->WidthInBytes;

	if (p->srcMemoryType == CU_MEMORYTYPE_DEVICE)
		return;
	address = p->srcMemoryType == CU_MEMORYTYPE_HOST ? (uintptr_t)p->srcHost : p->srcDevice;
	set_source(operation, address + p->srcY * pitch + p->srcXInBytes,
		   p->Height * p->WidthInBytes);
	if (p->Height > 1 && pitch != p->WidthInBytes)
		operation->source_address = 0;
}

static void rows(struct operation *operation, const uint64_t *words)
{
	const CUDA_MEMCPY2D *p = pointer(words[0]);

	uint64_t address, pitch = p->dstPitch ? p->dstPitch : p->WidthInBytes;

	operation->count = p->WidthInBytes && p->Height;
	SET_SIDES(operation, p);
	if (operation->count && p->srcMemoryType != CU_MEMORYTYPE_ARRAY)
		set_source_rows(operation, p);
	if (!operation->count || p->dstMemoryType == CU_MEMORYTYPE_ARRAY ||
	    side(p->dstMemoryType, p->dstDevice))
		return;
	address = p->dstMemoryType == CU_MEMORYTYPE_HOST ? (uintptr_t)p->dstHost : p->dstDevice;
	set_host(operation, address + p->dstY * pitch + p->dstXInBytes,
		 (p->Height - 1) * pitch + p->WidthInBytes);
}

/* The same between slices. */
static void set_source_box(struct operation *operation, const CUDA_MEMCPY3D *p)
{
	uint64_t pitch = p->srcPitch ? p->srcPitch : p->WidthInBytes, address;
	uint64_t slice = pitch * (p->srcHeight ? p->srcHeight : p->Height);

	if (p->srcMemoryType == CU_MEMORYTYPE_DEVICE || p->srcMemoryType == CU_MEMORYTYPE_ARRAY)
		return;
	address = p->srcMemoryType == CU_MEMORYTYPE_HOST ? (uintptr_t)p->srcHost : p->srcDevice;
	set_source(operation, address + p->srcZ * slice + p->srcY * pitch + p->srcXInBytes,
		   p->Depth * p->Height * p->WidthInBytes);
	if ((p->Height > 1 && pitch != p->WidthInBytes) ||
	    (p->Depth > 1 && slice != p->Height * p->WidthInBytes))
		operation->source_address = 0;
}

static void box(struct operation *operation, const uint64_t *words)
{
	const CUDA_MEMCPY3D *p = pointer(words[0]);

	uint64_t pitch = p->dstPitch ? p->dstPitch : p->WidthInBytes, address;
	uint64_t slice = pitch * (p->dstHeight ? p->dstHeight : p->Height);

	operation->count = p->WidthInBytes && p->Height && p->Depth;
	SET_SIDES(operation, p);
	if (operation->count)
		set_source_box(operation, p);
	if (!operation->count || p->dstMemoryType == CU_MEMORYTYPE_ARRAY ||
	    side(p->dstMemoryType, p->dstDevice))
		return;
	address = p->dstMemoryType == CU_MEMORYTYPE_HOST ? (uintptr_t)p->dstHost : p->dstDevice;
	set_host(operation, address + p->dstZ * slice + p->dstY * pitch + p->dstXInBytes,
		 (p->Depth - 1) * slice + (p->Height - 1) * pitch + p->WidthInBytes);
}

static void peer_box(struct operation *operation, const uint64_t *words)
{
	const CUDA_MEMCPY3D_PEER *p = pointer(words[0]);

	operation->count = p->WidthInBytes && p->Height && p->Depth;
	SET_SIDES(operation, p);
}

/*
 * Of a single copy it is known where; of several, of which each is an operation, that the host's
 * memory has a part in some, and a share of the bytes.
 */
static void batch(struct operation *operation, const uint64_t *words)
{
	const size_t *sizes = pointer(words[2]);
	const CUdeviceptr *to = pointer(words[0]), *from = pointer(words[1]);
	uint64_t bytes = 0, last = 0;

	operation->count = 0;
	for (uint64_t i = 0; i < words[3] && operation->count < OPERATION_COUNT_MAX; i++) {
		if (!sizes[i])
			continue;
		operation->count++;
		last = i;
		if (!operation_is_device(to[i]))
			operation->host_bytes = GPU_HOST_ANYWHERE;
		else
			set_source(operation, from[i], sizes[i]);
		bytes += operation->source_bytes;
		operation->source_bytes = 0;
	}
	if (operation->count != 1)
		operation->source_address = 0;
	if (operation->count)
		operation->source_bytes = (bytes + operation->count - 1) / operation->count;
	if (operation->count == 1 && operation->host_bytes)
		set_host(operation, to[last], sizes[last]);
}

/* Those from or to arrays have no event. */
static void batch_of_boxes(struct operation *operation, const uint64_t *words)
{
	operation->count = 0;
#if CUDA_VERSION >= 12080
	const CUDA_MEMCPY3D_BATCH_OP *copies = pointer(words[1]);

	for (uint64_t i = 0; i < words[0] && operation->count < OPERATION_COUNT_MAX; i++) {
		const CUmemcpy3DOperand *to = &copies[i].dst;

		operation->count += copies[i].src.type == CU_MEMCPY_OPERAND_TYPE_POINTER &&
				    to->type == CU_MEMCPY_OPERAND_TYPE_POINTER;
		if (to->type == CU_MEMCPY_OPERAND_TYPE_POINTER &&
		    !operation_is_device(to->op.ptr.ptr))
			operation->host_bytes = GPU_HOST_ANYWHERE;
	}
#else
	(void)words;
#endif
}

/* -- words that a stream writes: the device does them, and CUPTI has no records of them -- */

static void word(struct operation *operation, const uint64_t *words)
{
	(void)words;
	operation->timed = false;
}

static void words_of_batch(struct operation *operation, const uint64_t *words)
{
	const CUstreamBatchMemOpParams *all = pointer(words[2]);
	uint32_t count = (uint32_t)words[1];

	operation->timed = false;
	operation->count = 0;
	for (uint32_t i = 0; i < count && operation->count < OPERATION_COUNT_MAX; i++)
		operation->count += all[i].operation == CU_STREAM_MEM_OP_WRITE_VALUE_32 ||
				    all[i].operation == CU_STREAM_MEM_OP_WRITE_VALUE_64;
}

/* -- kernels -- */

static void launched(struct operation *operation, const uint64_t *words)
{
	operation->kernel = words[0];
}

static void configured(struct operation *operation, const uint64_t *words)
{
	const CUlaunchConfig *configuration = pointer(words[0]);

	if (configuration)
		operation->stream = (uintptr_t)configuration->hStream;
	operation->kernel = words[1];
}

/* -- memory -- */

/* Its address is where the first parameter points. */
static void made(struct operation *operation, const uint64_t *words)
{
	operation->address = *(const uint64_t *)pointer(words[0]);
}

static void plain_memory(struct operation *operation, const uint64_t *words)
{
	made(operation, words);
	operation->size = words[1];
	operation->memory = GPU_MEMORY_DEVICE;
}

static void managed_memory(struct operation *operation, const uint64_t *words)
{
	plain_memory(operation, words);
	operation->memory = GPU_MEMORY_MANAGED;
}

static void pinned_memory(struct operation *operation, const uint64_t *words)
{
	plain_memory(operation, words);
	operation->memory = GPU_MEMORY_MAPPED_HOST;
}

static void by_address(struct operation *operation, const uint64_t *words)
{
	operation->address = words[0];
}

static const struct known {
	const char *function;
	enum gpu_api api;
	unsigned char stream;  /* index of the parameter */
	unsigned char size[2]; /* ... of what must not be 0: bytes, elements, rows */
	unsigned char longer;  /* how many parameters more come before the stream without _v2 */
	void (*read)(struct operation *operation, const uint64_t *words); /* NULL: that is all */
} known[] = {
	{"cuMemcpy", GPU_COPY, NONE, {2, NONE}, 0, unified},
	{"cuMemcpyAsync", GPU_COPY, 3, {2, NONE}, 0, unified},
	{"cuMemcpyHtoD", GPU_COPY, NONE, {2, NONE}, 0, NULL},
	{"cuMemcpyHtoDAsync", GPU_COPY, 3, {2, NONE}, 0, from_host},
	{"cuMemcpyDtoH", GPU_COPY, NONE, {2, NONE}, 0, to_host},
	{"cuMemcpyDtoHAsync", GPU_COPY, 3, {2, NONE}, 0, to_host},
	{"cuMemcpyDtoD", GPU_COPY, NONE, {2, NONE}, 0, NULL},
	{"cuMemcpyDtoDAsync", GPU_COPY, 3, {2, NONE}, 0, NULL},
	{"cuMemcpyPeer", GPU_COPY, NONE, {4, NONE}, 0, NULL},
	{"cuMemcpyPeerAsync", GPU_COPY, 5, {4, NONE}, 0, NULL},
	{"cuMemcpyAtoA", GPU_COPY, NONE, {4, NONE}, 0, NULL},
	{"cuMemcpyAtoD", GPU_COPY, NONE, {3, NONE}, 0, NULL},
	{"cuMemcpyDtoA", GPU_COPY, NONE, {3, NONE}, 0, NULL},
	{"cuMemcpyAtoH", GPU_COPY, NONE, {3, NONE}, 0, array_to_host},
	{"cuMemcpyAtoHAsync", GPU_COPY, 4, {3, NONE}, 0, array_to_host},
	{"cuMemcpyHtoA", GPU_COPY, NONE, {3, NONE}, 0, NULL},
	{"cuMemcpyHtoAAsync", GPU_COPY, 4, {3, NONE}, 0, array_from_host},
	{"cuMemcpy2D", GPU_COPY, NONE, {NONE, NONE}, 0, rows},
	{"cuMemcpy2DUnaligned", GPU_COPY, NONE, {NONE, NONE}, 0, rows},
	{"cuMemcpy2DAsync", GPU_COPY, 1, {NONE, NONE}, 0, rows},
	{"cuMemcpy3D", GPU_COPY, NONE, {NONE, NONE}, 0, box},
	{"cuMemcpy3DAsync", GPU_COPY, 1, {NONE, NONE}, 0, box},
	{"cuMemcpy3DPeer", GPU_COPY, NONE, {NONE, NONE}, 0, peer_box},
	{"cuMemcpy3DPeerAsync", GPU_COPY, 1, {NONE, NONE}, 0, peer_box},
	{"cuMemcpyBatchAsync", GPU_COPY, 7, {NONE, NONE}, 1, batch},
	{"cuMemcpy3DBatchAsync", GPU_COPY, 3, {NONE, NONE}, 1, batch_of_boxes},

	{"cuMemsetD8", GPU_SET, NONE, {2, NONE}, 0, NULL},
	{"cuMemsetD8Async", GPU_SET, 3, {2, NONE}, 0, NULL},
	{"cuMemsetD16", GPU_SET, NONE, {2, NONE}, 0, NULL},
	{"cuMemsetD16Async", GPU_SET, 3, {2, NONE}, 0, NULL},
	{"cuMemsetD32", GPU_SET, NONE, {2, NONE}, 0, NULL},
	{"cuMemsetD32Async", GPU_SET, 3, {2, NONE}, 0, NULL},
	{"cuMemsetD2D8", GPU_SET, NONE, {3, 4}, 0, NULL},
	{"cuMemsetD2D8Async", GPU_SET, 5, {3, 4}, 0, NULL},
	{"cuMemsetD2D16", GPU_SET, NONE, {3, 4}, 0, NULL},
	{"cuMemsetD2D16Async", GPU_SET, 5, {3, 4}, 0, NULL},
	{"cuMemsetD2D32", GPU_SET, NONE, {3, 4}, 0, NULL},
	{"cuMemsetD2D32Async", GPU_SET, 5, {3, 4}, 0, NULL},
	{"cuStreamWriteValue32", GPU_SET, 0, {NONE, NONE}, 0, word},
	{"cuStreamWriteValue64", GPU_SET, 0, {NONE, NONE}, 0, word},
	{"cuStreamBatchMemOp", GPU_SET, 0, {NONE, NONE}, 0, words_of_batch},

	{"cuLaunchKernel", GPU_KERNEL, 5, {NONE, NONE}, 0, launched},
	{"cuLaunchCooperativeKernel", GPU_KERNEL, 5, {NONE, NONE}, 0, launched},
	{"cuLaunchKernelEx", GPU_KERNEL, NONE, {NONE, NONE}, 0, configured},
	{"cuLaunch", GPU_KERNEL, NONE, {NONE, NONE}, 0, launched},
	{"cuLaunchGrid", GPU_KERNEL, NONE, {NONE, NONE}, 0, launched},
	{"cuLaunchGridAsync", GPU_KERNEL, NONE, {NONE, NONE}, 0, launched},

	{"cuMemAlloc", GPU_ALLOC, NONE, {NONE, NONE}, 0, plain_memory},
	{"cuMemAllocAsync", GPU_ALLOC, 2, {NONE, NONE}, 0, plain_memory},
	{"cuMemAllocFromPoolAsync", GPU_ALLOC, 3, {NONE, NONE}, 0, plain_memory},
	{"cuMemAllocManaged", GPU_ALLOC, NONE, {NONE, NONE}, 0, managed_memory},
	{"cuMemAllocHost", GPU_ALLOC, NONE, {NONE, NONE}, 0, pinned_memory},
	{"cuMemHostAlloc", GPU_ALLOC, NONE, {NONE, NONE}, 0, pinned_memory},
	{"cuMemAllocPitch", GPU_ALLOC, NONE, {NONE, NONE}, 0, made},
	{"cuMemHostRegister", GPU_ALLOC, NONE, {NONE, NONE}, 0, by_address},
	{"cuMemSetAccess", GPU_ALLOC, NONE, {NONE, NONE}, 0, by_address},
	{"cuIpcOpenMemHandle", GPU_ALLOC, NONE, {NONE, NONE}, 0, made},
	{"cuMemPoolImportPointer", GPU_ALLOC, NONE, {NONE, NONE}, 0, made},
	{"cuExternalMemoryGetMappedBuffer", GPU_ALLOC, NONE, {NONE, NONE}, 0, made},
	{"cuArrayCreate", GPU_ALLOC, NONE, {NONE, NONE}, 0, made},
	{"cuArray3DCreate", GPU_ALLOC, NONE, {NONE, NONE}, 0, made},

	{"cuMemFree", GPU_FREE, NONE, {NONE, NONE}, 0, by_address},
	{"cuMemFreeAsync", GPU_FREE, 1, {NONE, NONE}, 0, by_address},
	{"cuMemFreeHost", GPU_FREE, NONE, {NONE, NONE}, 0, by_address},
	{"cuMemHostUnregister", GPU_FREE, NONE, {NONE, NONE}, 0, by_address},
	{"cuMemUnmap", GPU_FREE, NONE, {NONE, NONE}, 0, by_address},
	{"cuIpcCloseMemHandle", GPU_FREE, NONE, {NONE, NONE}, 0, by_address},
	{"cuArrayDestroy", GPU_FREE, NONE, {NONE, NONE}, 0, by_address},
};

enum { UNKNOWN_FUNCTION = sizeof(known) / sizeof(*known) };

static unsigned find(const char *function)
{
	unsigned i = 0;

	while (i < UNKNOWN_FUNCTION && !api_is(function, known[i].function))
		i++;
	return i;
}

/* The row of the function; NULL: it does nothing of that kind. */
static const struct known *row_of(uint32_t id, const char *function)
{
	static uint8_t rows_by_id[2048]; /* + 1; 0: not looked up yet */
	unsigned row =
		id < sizeof(rows_by_id) ? __atomic_load_n(&rows_by_id[id], __ATOMIC_RELAXED) : 0;

	if (!row) {
		row = find(function) + 1;
		if (id < sizeof(rows_by_id))
			__atomic_store_n(&rows_by_id[id], (uint8_t)row, __ATOMIC_RELAXED);
	}
	return row > UNKNOWN_FUNCTION ? NULL : &known[row - 1];
}

struct operation operation_of(uint32_t id, const char *function, const void *parameters)
{
	const struct known *row = row_of(id, function);
	const uint64_t *words = parameters;
	struct operation operation = {.count = 0};

	if (!row || !words)
		return operation;
	operation = (struct operation){.api = row->api, .count = 1};
	operation.timed = row->api == GPU_COPY || row->api == GPU_SET || row->api == GPU_KERNEL;
	if (row->stream != NONE) {
		unsigned more = strstr(function, "_v2") ? 0 : row->longer;

		operation.stream = (uintptr_t)words[row->stream + more];
	}
	for (unsigned i = 0; i < 2; i++)
		if (row->size[i] != NONE && !words[row->size[i]])
			operation.count = 0;
	if (row->read && operation.count)
		row->read(&operation, words);
	operation.stream = stream_handle(function, operation.stream);
	return operation;
}
