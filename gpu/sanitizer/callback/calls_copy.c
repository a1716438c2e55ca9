/*
 * gpu/sanitizer/callback/calls_copy.c: what the parameters of copies and sets say: of copies that
 * the Sanitizer does not report (measured with CUDA 13.0), from and to arrays and by
 * cuMemcpyBatchAsync; and which calls need not wait.
 */
#include <string.h>

#include "gpu/nvidia/apis.h"
#include "gpu/sanitizer/api/launch_call.h"
#include "gpu/sanitizer/callback/calls_internal.h"
#include "gpu/sanitizer/driver.h"

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
/* clang-format off */
#define SIDE(p, side)                                                                              \
	{                                                                                          \
		.type = (p)->side##MemoryType,                                                     \
		.address = (p)->side##MemoryType == CU_MEMORYTYPE_HOST ? bits((p)->side##Host)     \
								       : (p)->side##Device,        \
		.array = (p)->side##Array, .x = (p)->side##XInBytes, .y = (p)->side##Y,            \
		.pitch = (p)->side##Pitch                                                          \
	}
/* clang-format on */

/* -- by the words of their parameters ----------------------------------------------------- */

static const void *pointer(uint64_t word)
{
	return (const void *)(uintptr_t)word;
}

static void copy_2d(const uint64_t *words, CUstream stream)
{
	const CUDA_MEMCPY2D *p = pointer(words[0]);
	struct side to = SIDE(p, dst), from = SIDE(p, src);

	note(&to, &from, p->WidthInBytes, p->Height, 1, stream);
}

static void copy_3d(const uint64_t *words, CUstream stream)
{
	const CUDA_MEMCPY3D *p = pointer(words[0]);
	struct side to = SIDE(p, dst), from = SIDE(p, src);

	to.z = p->dstZ, to.height = p->dstHeight;
	from.z = p->srcZ, from.height = p->srcHeight;
	note(&to, &from, p->WidthInBytes, p->Height, p->Depth, stream);
}

static void copy_3d_peer(const uint64_t *words, CUstream stream)
{
	const CUDA_MEMCPY3D_PEER *p = pointer(words[0]);
	struct side to = SIDE(p, dst), from = SIDE(p, src);

	to.z = p->dstZ, to.height = p->dstHeight;
	from.z = p->srcZ, from.height = p->srcHeight;
	note(&to, &from, p->WidthInBytes, p->Height, p->Depth, stream);
}

/* addresses are unified: the objects say which side is the host's */
static struct side memory_at(uint64_t address)
{
	return (struct side){.type = CU_MEMORYTYPE_UNIFIED, .address = address};
}

static struct side array_at(uint64_t handle, uint64_t x)
{
	return (struct side){
		.type = CU_MEMORYTYPE_ARRAY, .array = (CUarray)(uintptr_t)handle, .x = x};
}

static void array_to_array(const uint64_t *words, CUstream stream)
{
	struct side to = array_at(words[0], words[1]), from = array_at(words[2], words[3]);

	note(&to, &from, words[4], 1, 1, stream);
}

static void to_array(const uint64_t *words, CUstream stream)
{
	struct side to = array_at(words[0], words[1]), from = memory_at(words[2]);

	note(&to, &from, words[3], 1, 1, stream);
}

static void from_array(const uint64_t *words, CUstream stream)
{
	struct side to = memory_at(words[0]), from = array_at(words[1], words[2]);

	note(&to, &from, words[3], 1, 1, stream);
}

static void batch(const uint64_t *words, CUstream stream)
{
	const CUdeviceptr *to = pointer(words[0]), *from = pointer(words[1]);
	const size_t *sizes = pointer(words[2]);

	for (uint64_t i = 0; i < words[3]; i++)
		note(&(struct side){.type = CU_MEMORYTYPE_UNIFIED, .address = to[i]},
		     &(struct side){.type = CU_MEMORYTYPE_UNIFIED, .address = from[i]}, sizes[i], 1,
		     1, stream);
}

/* The Sanitizer does not report copies between arrays and memory in a batch of boxes. */
static void batch_3d(const uint64_t *words, CUstream stream)
{
#if CUDA_VERSION >= 12080
	const CUDA_MEMCPY3D_BATCH_OP *copies = pointer(words[1]);
	struct operation *operation;
	bool arrays = false;

	for (uint64_t i = 0; i < words[0]; i++)
		arrays |= copies[i].src.type != CU_MEMCPY_OPERAND_TYPE_POINTER ||
			  copies[i].dst.type != CU_MEMCPY_OPERAND_TYPE_POINTER;
	operation = arrays ? calls_add(OPERATION_UNSEEN, NULL) : NULL;
	if (!operation)
		return;
	operation->stream = stream;
	operation->name = "cuMemcpy3DBatchAsync";
#else
	(void)words;
	(void)stream;
#endif
}

static const struct unreported {
	const char *function;
	void (*note)(const uint64_t *words, CUstream stream);
	unsigned stream; /* index of the parameter; 0: the default stream */
	bool batch;      /* its first version had one parameter more */
} unreported[] = {
	{"cuMemcpy2D", copy_2d, 0, false},
	{"cuMemcpy2DUnaligned", copy_2d, 0, false},
	{"cuMemcpy2DAsync", copy_2d, 1, false},
	{"cuMemcpy3D", copy_3d, 0, false},
	{"cuMemcpy3DAsync", copy_3d, 1, false},
	{"cuMemcpy3DPeer", copy_3d_peer, 0, false},
	{"cuMemcpy3DPeerAsync", copy_3d_peer, 1, false},
	{"cuMemcpyAtoA", array_to_array, 0, false},
	{"cuMemcpyHtoA", to_array, 0, false},
	{"cuMemcpyHtoAAsync", to_array, 4, false},
	{"cuMemcpyDtoA", to_array, 0, false},
	{"cuMemcpyAtoH", from_array, 0, false},
	{"cuMemcpyAtoHAsync", from_array, 4, false},
	{"cuMemcpyAtoD", from_array, 0, false},
	{"cuMemcpyBatchAsync", batch, 7, true},
	{"cuMemcpy3DBatchAsync", batch_3d, 3, true},
};

static const struct unreported *find_unreported(const char *function)
{
	for (size_t i = 0; i < sizeof(unreported) / sizeof(*unreported); i++)
		if (api_is(function, unreported[i].function))
			return &unreported[i];
	return NULL;
}

static CUstream stream_of(const struct unreported *copy, const char *function,
			  const uint64_t *words)
{
	unsigned word = copy->stream + (copy->batch && !strstr(function, "_v2"));

	return api_stream(function, copy->stream ? (CUstream)(uintptr_t)words[word] : NULL);
}

void calls_copy_unreported(const char *function, const void *parameters)
{
	const struct unreported *found;
	CUstream stream;

	/* some copies of a batch of boxes are reported */
	if (this_thread.call.count > this_thread.first && !api_is(function, "cuMemcpy3DBatchAsync"))
		return;
	found = find_unreported(function);
	if (!found)
		return;
	stream = stream_of(found, function, parameters);
	if (!calls_capturing(stream))
		found->note(parameters, stream);
}

/* -- copies and sets on one stream -------------------------------------------------------- */

#define WORD(n) (1u << (n))

static const struct stream_copy {
	const char *function;
	unsigned stream; /* index of the parameter; 0: the default stream */
	unsigned hosts;  /* parameters that may be addresses of the host */
	bool waits; /* the function returns when the copy is over, or what is on the stream before
		       it */
	unsigned held; /* see calls_may_hold() */
} stream_copy[] = {
	{"cuMemcpyAsync", 3, WORD(0) | WORD(1), false, 1},
	{"cuMemcpyHtoDAsync", 3, WORD(1), false, 1},
	{"cuMemcpyDtoHAsync", 3, WORD(0), false, 1},
	{"cuMemcpyDtoDAsync", 3, 0, false, 0},
	{"cuMemcpy", 0, 0, true, 0},
	{"cuMemcpyHtoD", 0, 0, true, 0},
	{"cuMemcpyDtoH", 0, 0, true, 0},
	{"cuMemcpyDtoD", 0, 0, false, 0},
	{"cuMemsetD8Async", 3, 0, false, 1},
	{"cuMemsetD16Async", 3, 0, false, 2},
	{"cuMemsetD32Async", 3, 0, false, 4},
	{"cuMemsetD2D8Async", 5, 0, false, 0},
	{"cuMemsetD2D16Async", 5, 0, false, 0},
	{"cuMemsetD2D32Async", 5, 0, false, 0},
	{"cuMemsetD8", 0, 0, false, 0},
	{"cuMemsetD16", 0, 0, false, 0},
	{"cuMemsetD32", 0, 0, false, 0},
	{"cuMemsetD2D8", 0, 0, false, 0},
	{"cuMemsetD2D16", 0, 0, false, 0},
	{"cuMemsetD2D32", 0, 0, false, 0},
};

/* Whether the driver does not know the memory: then the caller waits for the copy. */
static bool is_pageable(uint64_t address)
{
	unsigned type;

	return driver.cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, address) !=
	       CUDA_SUCCESS;
}

/* A call asks several times, and loops make the same ones. */
static const struct stream_copy *find_stream_copy(const char *function)
{
	static __thread struct {
		char function[32];
		const struct stream_copy *found;
	} last;
	const size_t length = strlen(function);
	const struct stream_copy *found = NULL;

	if (length < sizeof(last.function) && !memcmp(last.function, function, length + 1))
		return last.found;
	for (size_t i = 0; !found && i < sizeof(stream_copy) / sizeof(*stream_copy); i++)
		if (api_is(function, stream_copy[i].function))
			found = &stream_copy[i];
	if (length < sizeof(last.function)) {
		memcpy(last.function, function, length + 1);
		last.found = found;
	}
	return found;
}

bool calls_stream_copy(const char *function, const void *parameters, CUstream *stream, bool *waits)
{
	const uint64_t *words = parameters;
	const struct stream_copy *found = find_stream_copy(function);

	if (!found || strstr(function, "_ptds"))
		return false;
	*stream = found->stream ? (CUstream)(uintptr_t)words[found->stream] : NULL;
	*stream = api_stream(function, *stream);
	/* the function of the runtime around it may wait, too */
	*waits = found->waits || (found->hosts && !api_is_asynchronous(this_thread.call.name));
	for (unsigned i = 0; i < 2 && !*waits; i++)
		*waits = (found->hosts & WORD(i)) && is_pageable(words[i]);
	return true;
}

unsigned calls_may_hold(const char *function)
{
	const struct stream_copy *found = find_stream_copy(function);

	return found ? found->held : 0;
}

bool calls_copy_stream(const char *function, const void *parameters, CUstream *stream)
{
	const uint64_t *words = parameters;
	const struct stream_copy *one = find_stream_copy(function);
	const struct unreported *other = one ? NULL : find_unreported(function);

	if (!one && !other)
		return false;
	if (one)
		*stream = api_stream(function,
				     one->stream ? (CUstream)(uintptr_t)words[one->stream] : NULL);
	else
		*stream = stream_of(other, function, words);
	return true;
}
