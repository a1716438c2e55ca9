/*
 * gpu/sanitizer/callback/calls_note.c: what the Sanitizer reports of the running call becomes
 * operations.
 */
#include <string.h>

#include "gpu/sanitizer/callback/calls.h"
#include "gpu/sanitizer/api/launch_call.h"
#include "gpu/sanitizer/callback/calls_internal.h"
#include "gpu/sanitizer/code/loaded.h"
#include "gpu/sanitizer/code/modules.h"
#include "gpu/sanitizer/code/patching.h"
#include "gpu/sanitizer/schedule/events.h"

/*
 * The stream that the innermost call of the driver names: the Sanitizer reports the default stream
 * of a thread as that of the device.
 */
static CUstream called_stream(CUstream reported)
{
	CUstream stream = NULL;

	if (reported || !this_thread.inner)
		return reported;
	if (!this_thread.parameters ||
	    (!calls_copy_stream(this_thread.inner, this_thread.parameters, &stream) &&
	     !launch_stream(this_thread.inner, this_thread.parameters, &stream)))
		stream = api_stream(this_thread.inner, NULL);
	return stream == CU_STREAM_PER_THREAD ? stream : reported;
}

/* -- memory ------------------------------------------------------------------------------- */

/*
 * Whether an allocation or array was noted before.  The Sanitizer reports memory once for each
 * context that reaches it, among them all of its device: it belongs to the one where it was made.
 */
static bool is_known(enum operation_kind kind, CUcontext context, uint64_t address, CUarray array)
{
	for (unsigned i = this_thread.first; i < this_thread.call.count; i++) {
		struct operation *operation = &this_thread.call.operations[i];

		if (operation->kind != kind || operation->address != address ||
		    operation->array.array != array)
			continue;
		if (context == this_thread.call.context)
			operation->context = context;
		return true;
	}
	return false;
}

static void allocated(const Sanitizer_ResourceMemoryData *data)
{
	const uint32_t not_the_programs = SANITIZER_MEMORY_FLAG_MODULE |
					  SANITIZER_MEMORY_FLAG_CG_RUNTIME |
					  SANITIZER_MEMORY_FLAG_CNP | SANITIZER_MEMORY_FLAG_PEER;
	struct operation *operation;

	/* the driver allocates for itself, too, in other calls */
	if (data->flags & not_the_programs || this_thread.effect != API_ALLOC ||
	    is_known(OPERATION_ALLOC, data->context, data->address, NULL))
		return;
	operation = calls_add(OPERATION_ALLOC, data->context);
	if (!operation)
		return;
	operation->address = data->address;
	operation->size = data->size;
	operation->stream = called_stream(data->stream);
	/* mappings are reported each time that their access is set */
	operation->may_be_known = api_is(this_thread.inner, "cuMemSetAccess");
	operation->memory = data->flags & SANITIZER_MEMORY_FLAG_MANAGED ? GPU_MEMORY_MANAGED
			    : data->flags & (SANITIZER_MEMORY_FLAG_HOST_MAPPED |
					     SANITIZER_MEMORY_FLAG_HOST_PINNED)
				    ? GPU_MEMORY_MAPPED_HOST
				    : GPU_MEMORY_DEVICE;
}

static void freed(const Sanitizer_ResourceMemoryData *data)
{
	struct operation *operation = calls_add(OPERATION_FREE, data->context);

	if (!operation)
		return;
	operation->address = data->address;
	operation->stream = called_stream(data->stream);
}

static void array(enum operation_kind kind, const Sanitizer_ResourceArrayData *data)
{
	struct operation *operation;

	if (is_known(kind, data->context, 0, data->hArray))
		return;
	operation = calls_add(kind, data->context);
	if (!operation)
		return;
	operation->array.array = data->hArray;
	operation->width = data->width;
	operation->height = data->height ? data->height : 1;
	operation->depth = data->depth ? data->depth : 1;
}

static void unloading(const Sanitizer_ResourceModuleData *data)
{
	struct operation *operation;

	module_unloading(data->context, data->module);
	launch_functions_gone();
	operation = calls_add(OPERATION_UNLOAD, data->context);
	if (operation)
		operation->module = data->module;
}

void calls_note_resource(Sanitizer_CallbackId id, const void *data)
{
	switch (id) {
	case SANITIZER_CBID_RESOURCE_DEVICE_MEMORY_ALLOC:
	case SANITIZER_CBID_RESOURCE_HOST_MEMORY_ALLOC:
	case SANITIZER_CBID_RESOURCE_MEMORY_ALLOC_ASYNC:
	case SANITIZER_CBID_RESOURCE_MEMPOOL_IMPORT_POINTER:
		allocated(data);
		break;
	case SANITIZER_CBID_RESOURCE_DEVICE_MEMORY_FREE:
	case SANITIZER_CBID_RESOURCE_HOST_MEMORY_FREE:
	case SANITIZER_CBID_RESOURCE_MEMORY_FREE_ASYNC:
		freed(data);
		break;
	case SANITIZER_CBID_RESOURCE_ARRAY_CREATED:
		array(OPERATION_ARRAY, data);
		break;
	case SANITIZER_CBID_RESOURCE_ARRAY_DESTROYED:
		array(OPERATION_ARRAY_GONE, data);
		break;
	case SANITIZER_CBID_RESOURCE_MODULE_UNLOAD_STARTING:
		unloading(data);
		break;
	default:
		break;
	}
}

/* Memory of another API was mapped. */
void calls_mapped(const Sanitizer_ExternalMemoryData *data)
{
	struct operation *operation;

	if (!calls_noting() || this_thread.effect != API_ALLOC)
		return;
	operation = calls_add(OPERATION_ALLOC, data->context);
	if (!operation)
		return;
	operation->address = data->address;
	operation->size = data->size;
	operation->memory = GPU_MEMORY_DEVICE;
	operation->may_be_known = true; /* it may be reported as a resource, too */
}

/* -- kernels ------------------------------------------------------------------------------ */

void calls_exclude_launch(const Sanitizer_LaunchData *data)
{
	/* the patches would take anything for their data in a launch that was given none */
	sanitizerSetCallbackData(data->function, NULL);
	sanitizerSetLaunchCallbackData(data->hLaunch, data->function, data->hStream, NULL);
}

void calls_note_kernel(const Sanitizer_LaunchData *data, CUstream stream)
{
	struct operation *operation = calls_add(OPERATION_KERNEL, data->context);
	void *state;

	if (!operation) {
		calls_exclude_launch(data);
		return;
	}
	operation->stream = stream;
	operation->name = data->functionName;
	operation->module = data->module;
	operation->function = data->function;
	operation->threads = (uint64_t)data->gridDim_x * data->gridDim_y * data->gridDim_z *
			     data->blockDim_x * data->blockDim_y * data->blockDim_z;
	operation->instructions = module_instructions(data->module, data->functionName);
	loaded_launch(data->module, data->functionName);
	if (!this_thread.locked) /* it is not known when the launch ends */
		launch_freeze();
	/* without the lock, or with a table that is out of date, the launch is not followed */
	state = this_thread.locked && launch_begins(&this_thread.launch, data, operation)
			? events_callback_data(data->context)
			: NULL;
	if (operation->skipped) {
		/* without patches nothing looks at the data; graphs are launched later, perhaps
		 * with */
		if (this_thread.call.graph || this_thread.of_node || this_thread.unordered ||
		    patching_is_on(data->module))
			calls_exclude_launch(data);
		return;
	}
	operation->patched =
		sanitizerSetLaunchCallbackData(data->hLaunch, data->function, data->hStream,
					       state) == SANITIZER_SUCCESS &&
		state;
}

void calls_launch(Sanitizer_CallbackId id, const Sanitizer_LaunchData *data)
{
	if (id != SANITIZER_CBID_LAUNCH_BEGIN || !calls_are_noted())
		return;
	if (calls_noting())
		calls_note_kernel(data, called_stream(data->stream));
	else
		calls_exclude_launch(data);
}

/* -- copies and sets ---------------------------------------------------------------------- */

/*
 * The heights of the slices of the next copy between pointers in a batch.  False: they are not
 * known.
 */
static bool batch_heights(uint64_t *to, uint64_t *from)
{
#if CUDA_VERSION >= 12080
	const uint64_t *words = this_thread.parameters;
	const CUDA_MEMCPY3D_BATCH_OP *copies = (const void *)(uintptr_t)words[1];
	unsigned before = this_thread.call.count - 1 - this_thread.first;

	if (!api_is(this_thread.inner, "cuMemcpy3DBatchAsync"))
		return false;
	for (uint64_t i = 0; i < words[0]; i++) {
		if (copies[i].src.type != CU_MEMCPY_OPERAND_TYPE_POINTER ||
		    copies[i].dst.type != CU_MEMCPY_OPERAND_TYPE_POINTER || before--)
			continue;
		*to = copies[i].dst.op.ptr.layerHeight;
		*from = copies[i].src.op.ptr.layerHeight;
		return true;
	}
#else
	(void)to;
	(void)from;
#endif
	return false;
}

/* Finds the heights of slices, which only the parameters of the call say. */
static void find_slices(struct operation *operation)
{
	uint64_t height, from_height;

	operation->slice = operation->pitch * operation->height;
	operation->from_slice = operation->from_pitch * operation->height;
	if (operation->depth == 1)
		return;
	if (api_is(this_thread.inner, "cuMemcpy3D") ||
	    api_is(this_thread.inner, "cuMemcpy3DAsync")) {
		const CUDA_MEMCPY3D *copy = *(const CUDA_MEMCPY3D *const *)this_thread.parameters;

		if (copy->dstHeight)
			operation->slice = operation->pitch * copy->dstHeight;
		if (copy->srcHeight)
			operation->from_slice = operation->from_pitch * copy->srcHeight;
	} else if (api_is(this_thread.inner, "cuMemcpy3DPeer") ||
		   api_is(this_thread.inner, "cuMemcpy3DPeerAsync")) {
		const CUDA_MEMCPY3D_PEER *copy =
			*(const CUDA_MEMCPY3D_PEER *const *)this_thread.parameters;

		if (copy->dstHeight)
			operation->slice = operation->pitch * copy->dstHeight;
		if (copy->srcHeight)
			operation->from_slice = operation->from_pitch * copy->srcHeight;
	} else if (batch_heights(&height, &from_height)) {
		if (height)
			operation->slice = operation->pitch * height;
		if (from_height)
			operation->from_slice = operation->from_pitch * from_height;
	} else {
		/* a copy in a graph */
		operation->kind = OPERATION_UNSEEN;
		operation->name = this_thread.inner;
	}
}

/* Whether a copy of a graph was reported already: some are twice, as a node and as a copy. */
static bool is_reported(const Sanitizer_MemcpyData *data)
{
	const struct operation *last = &this_thread.call.operations[this_thread.call.count - 1];

	return (this_thread.call.graph || this_thread.unordered) &&
	       this_thread.call.count > this_thread.node_first && last->kind == OPERATION_COPY &&
	       last->address == data->dstAddress && last->from_address == data->srcAddress;
}

void calls_copy(const Sanitizer_MemcpyData *data)
{
	struct operation *operation;

	if (!calls_noting() || !data->size || (this_thread.call.count && is_reported(data)))
		return;
	operation =
		calls_add(OPERATION_COPY, data->dstContext ? data->dstContext : data->apiContext);
	if (!operation)
		return;
	operation->from_context = data->srcContext ? data->srcContext : data->apiContext;
	operation->api_context = data->apiContext;
	operation->stream = this_thread.call.graph || this_thread.unordered
				    ? this_thread.graph_stream
				    : called_stream(data->apiStream);
	operation->address = data->dstAddress;
	operation->from_address = data->srcAddress;
	operation->width = data->width;
	operation->height = data->height ? data->height : 1;
	operation->depth = data->depth ? data->depth : 1;
	operation->pitch = data->dstPitch;
	operation->from_pitch = data->srcPitch;
	operation->to_device = data->direction == SANITIZER_MEMCPY_DIRECTION_HOST_TO_DEVICE ||
			       data->direction == SANITIZER_MEMCPY_DIRECTION_DEVICE_TO_DEVICE;
	operation->from_device = data->direction == SANITIZER_MEMCPY_DIRECTION_DEVICE_TO_HOST ||
				 data->direction == SANITIZER_MEMCPY_DIRECTION_DEVICE_TO_DEVICE;
	if (operation->height == 1 && operation->depth == 1)
		operation->width = operation->pitch = operation->from_pitch = data->size;
	find_slices(operation);
	destination_note(operation);
}

static struct operation *note_set(CUcontext context, CUstream stream, uint64_t address,
				  uint64_t width)
{
	struct operation *operation =
		calls_noting() && width ? calls_add(OPERATION_SET, context) : NULL;

	if (!operation)
		return NULL;
	operation->stream = this_thread.call.graph || this_thread.unordered
				    ? this_thread.graph_stream
				    : called_stream(stream);
	operation->address = address;
	operation->width = width;
	operation->height = operation->depth = 1;
	return operation;
}

void calls_set(const Sanitizer_MemsetData *data)
{
	struct operation *operation = note_set(data->context, data->stream, data->address,
					       data->width * data->elementSize);

	if (operation && data->height) {
		operation->height = data->height;
		operation->pitch = data->pitch;
	}
	if (operation) {
		operation->value = data->value;
		operation->value_size = data->elementSize;
	}
}

/* A stream writes a word. */
void calls_word(const Sanitizer_BatchMemopData *data)
{
	note_set(data->context, data->stream, data->address,
		 data->type == SANITIZER_BATCH_MEMOP_TYPE_64B ? 8 : 4);
}
