/*
 * gpu/sanitizer/calls_copy.c: copies that the Sanitizer does not tell of (measured with CUDA 13.0):
 * those from and to arrays, and cuMemcpyBatchAsync.  Their parameters say what they do.
 */
#include <string.h>

#include "gpu/sanitizer/calls_internal.h"

#define thread calls_thread

/* One side of a copy, as the program describes it. */
struct side {
	CUmemorytype type;
	uint64_t address; /* of the memory, on the host or the device */
	CUarray array;
	uint64_t x, y, z, pitch, height;
};

static void set_side(const struct side *side, const struct operation *operation, uint64_t *address,
		     uint64_t *pitch, uint64_t *slice, struct array_place *array, bool *device)
{
	uint64_t rows = side->height ? side->height : operation->height;

	*device = side->type == CU_MEMORYTYPE_DEVICE || side->type == CU_MEMORYTYPE_ARRAY;
	if (side->type == CU_MEMORYTYPE_ARRAY) {
		*array = (struct array_place){side->array, side->x, side->y, side->z};
		return;
	}
	*pitch = side->pitch ? side->pitch : operation->width;
	*slice = *pitch * rows;
	*address = side->address + side->z * *slice + side->y * *pitch + side->x;
}

static void note(const struct side *to, const struct side *from, uint64_t width, uint64_t height,
		 uint64_t depth, CUstream stream)
{
	struct operation *operation;

	if (!width || !height || !depth)
		return;
	operation = calls_add(OPERATION_COPY, NULL);
	if (!operation)
		return;
	operation->from_context = operation->context;
	operation->stream = stream;
	operation->width = width;
	operation->height = height;
	operation->depth = depth;
	set_side(to, operation, &operation->address, &operation->pitch, &operation->slice,
		 &operation->array, &operation->to_device);
	set_side(from, operation, &operation->from_address, &operation->from_pitch,
		 &operation->from_slice, &operation->from_array, &operation->from_device);
}

static uint64_t bits(const void *pointer)
{
	return (uint64_t)(uintptr_t)pointer;
}

/* The fields have the same names in CUDA_MEMCPY2D, CUDA_MEMCPY3D and CUDA_MEMCPY3D_PEER. */
#define SIDE(p, side)                                                                              \
	{                                                                                          \
		.type = (p)->side##MemoryType,                                                     \
		.address = (p)->side##MemoryType == CU_MEMORYTYPE_HOST ? bits((p)->side##Host)     \
								       : (p)->side##Device,        \
		.array = (p)->side##Array, .x = (p)->side##XInBytes, .y = (p)->side##Y,            \
		.pitch = (p)->side##Pitch                                                          \
	}

static void copy_2d(const CUDA_MEMCPY2D *p, CUstream stream)
{
	struct side to = SIDE(p, dst), from = SIDE(p, src);

	note(&to, &from, p->WidthInBytes, p->Height, 1, stream);
}

static void copy_3d(const CUDA_MEMCPY3D *p, CUstream stream)
{
	struct side to = SIDE(p, dst), from = SIDE(p, src);

	to.z = p->dstZ, to.height = p->dstHeight;
	from.z = p->srcZ, from.height = p->srcHeight;
	note(&to, &from, p->WidthInBytes, p->Height, p->Depth, stream);
}

static void copy_3d_peer(const CUDA_MEMCPY3D_PEER *p, CUstream stream)
{
	struct side to = SIDE(p, dst), from = SIDE(p, src);

	to.z = p->dstZ, to.height = p->dstHeight;
	from.z = p->srcZ, from.height = p->srcHeight;
	note(&to, &from, p->WidthInBytes, p->Height, p->Depth, stream);
}

static void copy_1d(const struct side *to, const struct side *from, uint64_t bytes, CUstream stream)
{
	note(to, from, bytes, 1, 1, stream);
}

static void copy_batch(const uint64_t *words, CUstream stream)
{
	const CUdeviceptr *to = (const CUdeviceptr *)(uintptr_t)words[0];
	const CUdeviceptr *from = (const CUdeviceptr *)(uintptr_t)words[1];
	const size_t *sizes = (const size_t *)(uintptr_t)words[2];

	/* addresses are unified: which side is the host's, the objects will tell */
	for (uint64_t i = 0; i < words[3]; i++)
		copy_1d(&(struct side){.type = CU_MEMORYTYPE_UNIFIED, .address = to[i]},
			&(struct side){.type = CU_MEMORYTYPE_UNIFIED, .address = from[i]}, sizes[i],
			stream);
}

/* Of a batch of boxes only copies between arrays and memory are not told. */
static void batch_3d(const char *function, const uint64_t *words)
{
#if CUDA_VERSION >= 12080
	const CUDA_MEMCPY3D_BATCH_OP *copies = (const void *)(uintptr_t)words[1];
	unsigned at =
		strstr(function, "_v2") ? 3 : 4; /* the first version had one more parameter */
	CUstream stream = calls_stream(function, (CUstream)(uintptr_t)words[at]);
	bool arrays = false;

	for (uint64_t i = 0; i < words[0]; i++)
		arrays |= copies[i].src.type != CU_MEMCPY_OPERAND_TYPE_POINTER ||
			  copies[i].dst.type != CU_MEMCPY_OPERAND_TYPE_POINTER;
	if (arrays && !calls_capturing(stream)) {
		struct operation *operation = calls_add(OPERATION_UNSEEN, NULL);

		if (!operation)
			return;
		operation->stream = stream;
		operation->name = function;
	}
#else
	(void)function;
	(void)words;
#endif
}

void calls_copy_silent(const char *function, const void *parameters)
{
	const uint64_t *words = parameters;
	const void *block = (const void *)(uintptr_t)words[0];
	const CUstream second = calls_stream(function, (CUstream)(uintptr_t)words[1]);
	const struct side array_0 = {.type = CU_MEMORYTYPE_ARRAY,
				     .array = (CUarray)(uintptr_t)words[0]},
			  array_1 = {.type = CU_MEMORYTYPE_ARRAY,
				     .array = (CUarray)(uintptr_t)words[1]};
	struct side to, from;

	if (api_is(function, "cuMemcpy3DBatchAsync"))
		batch_3d(function, words);
	else if (thread.count > thread.first)
		return;
	if (api_is(function, "cuMemcpy2D") || api_is(function, "cuMemcpy2DUnaligned")) {
		copy_2d(block, NULL);
	} else if (api_is(function, "cuMemcpy3D")) {
		copy_3d(block, NULL);
	} else if (api_is(function, "cuMemcpy3DPeer")) {
		copy_3d_peer(block, NULL);
	} else if (api_is(function, "cuMemcpy2DAsync")) {
		if (!calls_capturing(second))
			copy_2d(block, second);
	} else if (api_is(function, "cuMemcpy3DAsync")) {
		if (!calls_capturing(second))
			copy_3d(block, second);
	} else if (api_is(function, "cuMemcpy3DPeerAsync")) {
		if (!calls_capturing(second))
			copy_3d_peer(block, second);
	} else if (api_is(function, "cuMemcpyBatchAsync")) {
		/* the first version had one more parameter before the stream */
		bool old = !strstr(function, "_v2");
		CUstream stream = calls_stream(function, (CUstream)(uintptr_t)words[old ? 8 : 7]);

		if (!calls_capturing(stream))
			copy_batch(words, stream);
	} else if (api_is(function, "cuMemcpyAtoA")) {
		to = array_0, to.x = words[1];
		from = (struct side){.type = CU_MEMORYTYPE_ARRAY,
				     .array = (CUarray)(uintptr_t)words[2],
				     .x = words[3]};
		copy_1d(&to, &from, words[4], NULL);
	} else if (!strncmp(function, "cuMemcpyHtoA", strlen("cuMemcpyHtoA")) ||
		   api_is(function, "cuMemcpyDtoA")) {
		CUstream stream = strstr(function, "Async")
					  ? calls_stream(function, (CUstream)(uintptr_t)words[4])
					  : NULL;

		to = array_0, to.x = words[1];
		from = (struct side){.type = CU_MEMORYTYPE_UNIFIED, .address = words[2]};
		if (!calls_capturing(stream))
			copy_1d(&to, &from, words[3], stream);
	} else if (!strncmp(function, "cuMemcpyAtoH", strlen("cuMemcpyAtoH")) ||
		   api_is(function, "cuMemcpyAtoD")) {
		CUstream stream = strstr(function, "Async")
					  ? calls_stream(function, (CUstream)(uintptr_t)words[4])
					  : NULL;

		to = (struct side){.type = CU_MEMORYTYPE_UNIFIED, .address = words[0]};
		from = array_1, from.x = words[2];
		if (!calls_capturing(stream))
			copy_1d(&to, &from, words[3], stream);
	}
}
