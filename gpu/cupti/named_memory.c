/* gpu/cupti/named_memory.c: see named_memory.h. */
#include "gpu/cupti/named_memory.h"

#include <stdlib.h>
#include <string.h>

#include "gpu/cupti/arguments.h"
#include "gpu/cupti/driver.h"
#include "gpu/nvidia/apis.h"
#include "util/start_environment.h"

static bool wanted;

bool named_memory_start(void)
{
	const char *calls = start_variable("VFLOW_CALLS");

	wanted = calls && *calls;
	return wanted;
}

bool named_memory_wanted(void)
{
	return wanted;
}

void named_memory_functions_gone(void)
{
	arguments_functions_gone();
}

static const void *pointer(uint64_t word)
{
	return (const void *)(uintptr_t)word;
}

static void add(struct named_memory *touches, struct touch touch)
{
	if (touches->count == touches->capacity) {
		uint32_t capacity = touches->capacity ? 2 * touches->capacity : 16;
		struct touch *more = reallocarray(touches->all, capacity, sizeof(*more));

		if (!more) {
			touches->incomplete = true;
			return;
		}
		touches->all = more;
		touches->capacity = capacity;
	}
	touches->all[touches->count++] = touch;
}

void named_memory_add_any(struct named_memory *touches)
{
	add(touches, (struct touch){.kind = TOUCH_ANY});
}

/* -- copies -- */

struct side {
	uint64_t address;
	bool host;
};

static struct side unified_side(uint64_t address)
{
	return (struct side){address, !operation_is_device(address)};
}

static void add_copy(struct named_memory *touches, struct side to, struct side from, uint64_t bytes)
{
	add(touches, (struct touch){.kind = TOUCH_COPY,
				    .to_host = to.host,
				    .from_host = from.host,
				    .to = to.address,
				    .from = from.address,
				    .bytes = bytes});
}

/* The fields have the same names in CUDA_MEMCPY2D, CUDA_MEMCPY3D and CUDA_MEMCPY3D_PEER. */
#define SIDE(p, which)                                                                             \
	((p)->which##MemoryType == CU_MEMORYTYPE_ARRAY                                             \
		 ? (struct side){(uintptr_t)(p)->which##Array, false}                              \
	 : (p)->which##MemoryType == CU_MEMORYTYPE_HOST                                            \
		 ? (struct side){(uintptr_t)(p)->which##Host, true}                                \
	 : (p)->which##MemoryType == CU_MEMORYTYPE_DEVICE                                          \
		 ? (struct side){(p)->which##Device, false}                                        \
		 : unified_side((p)->which##Device))

static void add_rows(struct named_memory *touches, const CUDA_MEMCPY2D *p)
{
	add_copy(touches, SIDE(p, dst), SIDE(p, src), (uint64_t)p->WidthInBytes * p->Height);
}

static void add_box(struct named_memory *touches, const CUDA_MEMCPY3D *p)
{
	add_copy(touches, SIDE(p, dst), SIDE(p, src),
		 (uint64_t)p->WidthInBytes * p->Height * p->Depth);
}

static void add_peer_box(struct named_memory *touches, const CUDA_MEMCPY3D_PEER *p)
{
	add_copy(touches, SIDE(p, dst), SIDE(p, src),
		 (uint64_t)p->WidthInBytes * p->Height * p->Depth);
}

static void add_batch(struct named_memory *touches, const uint64_t *words)
{
	const CUdeviceptr *to = pointer(words[0]), *from = pointer(words[1]);
	const size_t *sizes = pointer(words[2]);

	for (uint64_t i = 0, added = 0; i < words[3] && added < OPERATION_COUNT_MAX; i++) {
		if (!sizes[i])
			continue;
		add_copy(touches, unified_side(to[i]), unified_side(from[i]), sizes[i]);
		added++;
	}
}

#if CUDA_VERSION >= 12080
static void add_batch_of_boxes(struct named_memory *touches, const uint64_t *words)
{
	const CUDA_MEMCPY3D_BATCH_OP *copies = pointer(words[1]);

	for (uint64_t i = 0, added = 0; i < words[0] && added < OPERATION_COUNT_MAX; i++) {
		const CUDA_MEMCPY3D_BATCH_OP *copy = &copies[i];

		if (copy->src.type != CU_MEMCPY_OPERAND_TYPE_POINTER ||
		    copy->dst.type != CU_MEMCPY_OPERAND_TYPE_POINTER)
			continue;
		add_copy(touches, unified_side(copy->dst.op.ptr.ptr),
			 unified_side(copy->src.op.ptr.ptr),
			 (uint64_t)copy->extent.width * copy->extent.height * copy->extent.depth);
		added++;
	}
}
#endif

/* Functions whose parameters are words: which are the sides, and the bytes. */
static const struct plain {
	const char *function;
	unsigned char to, from, bytes;
	bool to_host, from_host, unified;
} plain[] = {
	{"cuMemcpy", 0, 1, 2, .unified = true},
	{"cuMemcpyAsync", 0, 1, 2, .unified = true},
	{"cuMemcpyHtoD", 0, 1, 2, .from_host = true},
	{"cuMemcpyHtoDAsync", 0, 1, 2, .from_host = true},
	{"cuMemcpyDtoH", 0, 1, 2, .to_host = true},
	{"cuMemcpyDtoHAsync", 0, 1, 2, .to_host = true},
	{"cuMemcpyDtoD", 0, 1, 2, .to_host = false},
	{"cuMemcpyDtoDAsync", 0, 1, 2, .to_host = false},
	{"cuMemcpyPeer", 0, 2, 4, .to_host = false},
	{"cuMemcpyPeerAsync", 0, 2, 4, .to_host = false},
	{"cuMemcpyAtoA", 0, 2, 4, .to_host = false},
	{"cuMemcpyAtoD", 0, 1, 3, .to_host = false},
	{"cuMemcpyDtoA", 0, 2, 3, .to_host = false},
	{"cuMemcpyAtoH", 0, 1, 3, .to_host = true},
	{"cuMemcpyAtoHAsync", 0, 1, 3, .to_host = true},
	{"cuMemcpyHtoA", 0, 2, 3, .from_host = true},
	{"cuMemcpyHtoAAsync", 0, 2, 3, .from_host = true},
};

static void add_plain(struct named_memory *touches, const char *function, const uint64_t *words)
{
	for (size_t i = 0; i < sizeof(plain) / sizeof(*plain); i++) {
		const struct plain *row = &plain[i];

		if (!api_is(function, row->function))
			continue;
		if (row->unified)
			add_copy(touches, unified_side(words[row->to]),
				 unified_side(words[row->from]), words[row->bytes]);
		else
			add_copy(touches, (struct side){words[row->to], row->to_host},
				 (struct side){words[row->from], row->from_host},
				 words[row->bytes]);
		return;
	}
	named_memory_add_any(touches);
}

static void add_copies(struct named_memory *touches, const char *function, const uint64_t *words)
{
	if (!strncmp(function, "cuMemcpy2D", strlen("cuMemcpy2D")))
		add_rows(touches, pointer(words[0]));
	else if (api_is(function, "cuMemcpy3D") || api_is(function, "cuMemcpy3DAsync"))
		add_box(touches, pointer(words[0]));
	else if (api_is(function, "cuMemcpy3DPeer") || api_is(function, "cuMemcpy3DPeerAsync"))
		add_peer_box(touches, pointer(words[0]));
	else if (api_is(function, "cuMemcpyBatchAsync"))
		add_batch(touches, words);
#if CUDA_VERSION >= 12080
	else if (api_is(function, "cuMemcpy3DBatchAsync"))
		add_batch_of_boxes(touches, words);
#endif
	else
		add_plain(touches, function, words);
}

/* -- sets -- */

static void add_set(struct named_memory *touches, uint64_t to, uint64_t bytes)
{
	add(touches, (struct touch){.kind = TOUCH_SET, .to = to, .bytes = bytes});
}

static void add_words_of_batch(struct named_memory *touches, const uint64_t *words)
{
	const CUstreamBatchMemOpParams *all = pointer(words[2]);
	uint32_t count = (uint32_t)words[1], added = 0;

	for (uint32_t i = 0; i < count && added < OPERATION_COUNT_MAX; i++)
		if (all[i].operation == CU_STREAM_MEM_OP_WRITE_VALUE_32 ||
		    all[i].operation == CU_STREAM_MEM_OP_WRITE_VALUE_64) {
			add_set(touches, all[i].writeValue.address,
				all[i].operation == CU_STREAM_MEM_OP_WRITE_VALUE_32 ? 4 : 8);
			added++;
		}
}

static void add_sets(struct named_memory *touches, const char *function, const uint64_t *words)
{
	static const char flat[] = "cuMemsetD", rows[] = "cuMemsetD2D";

	if (api_is(function, "cuStreamBatchMemOp"))
		add_words_of_batch(touches, words);
	else if (!strncmp(function, "cuStreamWriteValue", strlen("cuStreamWriteValue")))
		add_set(touches, words[1], strstr(function, "64") ? 8 : 4);
	else if (!strncmp(function, rows, strlen(rows)))
		add_set(touches, words[0],
			words[3] * words[4] * (strtoul(function + strlen(rows), NULL, 10) / 8));
	else
		add_set(touches, words[0],
			words[2] * (strtoul(function + strlen(flat), NULL, 10) / 8));
}

/* -- launches -- */

static void add_argument(void *data, uint64_t word)
{
	add(data, (struct touch){.kind = TOUCH_ARGUMENT, .to = word});
}

static void add_launch(struct named_memory *touches, const struct operation *operation,
		       const char *function, const uint64_t *words)
{
	unsigned values;

	if (api_is(function, "cuLaunchKernelEx"))
		values = 2;
	else if (api_is(function, "cuLaunchKernel") ||
		 api_is(function, "cuLaunchCooperativeKernel"))
		values = 6;
	else
		values = 0;
	/* cooperative launches have no `extra` */
	if (!values ||
	    arguments_each(operation->kernel, pointer(words[values]),
			   strstr(function, "Cooperative") ? NULL : pointer(words[values + 1]),
			   add_argument, touches) != 0)
		named_memory_add_any(touches);
}

void named_memory_add(struct named_memory *touches, const struct operation *operation,
		      const char *function, const void *parameters)
{
	switch (operation->api) {
	case GPU_COPY:
		add_copies(touches, function, parameters);
		break;
	case GPU_SET:
		add_sets(touches, function, parameters);
		break;
	case GPU_KERNEL:
		add_launch(touches, operation, function, parameters);
		break;
	case GPU_ALLOC:
	case GPU_FREE:
	case GPU_SYNC:
		break;
	}
}

/* -- memory -- */

static unsigned format_bytes(CUarray_format format)
{
	switch (format) {
	case CU_AD_FORMAT_UNSIGNED_INT16:
	case CU_AD_FORMAT_SIGNED_INT16:
	case CU_AD_FORMAT_HALF:
		return 2;
	case CU_AD_FORMAT_UNSIGNED_INT32:
	case CU_AD_FORMAT_SIGNED_INT32:
	case CU_AD_FORMAT_FLOAT:
		return 4;
	default:
		return 1;
	}
}

static uint64_t array_size(uint64_t handle)
{
	CUDA_ARRAY3D_DESCRIPTOR d;

	if (!driver.cuArray3DGetDescriptor ||
	    driver.cuArray3DGetDescriptor(&d, (CUarray)(uintptr_t)handle) != CUDA_SUCCESS)
		return 0;
	return (uint64_t)d.Width * (d.Height ? d.Height : 1) * (d.Depth ? d.Depth : 1) *
	       d.NumChannels * format_bytes(d.Format);
}

uint64_t named_memory_size(const struct operation *operation, const char *function,
			   const void *parameters, enum gpu_memory *memory)
{
	const uint64_t *words = parameters;
	CUdeviceptr start;
	size_t size = 0;

	*memory = GPU_MEMORY_DEVICE;
	if (api_is(function, "cuMemAllocPitch"))
		return *(const size_t *)pointer(words[1]) * words[3];
	if (api_is(function, "cuArrayCreate") || api_is(function, "cuArray3DCreate")) {
		*memory = GPU_MEMORY_ARRAY;
		return array_size(operation->address);
	}
	if (api_is(function, "cuMemHostRegister")) {
		*memory = GPU_MEMORY_MAPPED_HOST;
		return words[1];
	}
	if (api_is(function, "cuMemSetAccess"))
		return words[1];
	if (!driver.cuMemGetAddressRange ||
	    driver.cuMemGetAddressRange(&start, &size, operation->address) != CUDA_SUCCESS)
		return 0;
	return size - (operation->address - start);
}

uint64_t named_memory_texture(const char *function, const void *parameters)
{
	const uint64_t *words = parameters;
	const CUDA_RESOURCE_DESC *resource;

	if (api_is(function, "cuTexRefSetAddress") || api_is(function, "cuTexRefSetAddress2D"))
		return words[2];
	if (!api_is(function, "cuTexObjectCreate") && !api_is(function, "cuSurfObjectCreate"))
		return 0;
	resource = pointer(words[1]);
	if (resource->resType == CU_RESOURCE_TYPE_LINEAR)
		return resource->res.linear.devPtr;
	return resource->resType == CU_RESOURCE_TYPE_PITCH2D ? resource->res.pitch2D.devPtr : 0;
}
