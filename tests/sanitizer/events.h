/*
 * The events of gpu/sanitizer without the Sanitizer: the driver is the emulated device, and instead
 * of patched kernels the test marks what they touch.  Says TAP lines.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "gpu/sanitizer/schedule/events.h"
#include "gpu/sanitizer/schedule/events_internal.h"
#include "gpu/sanitizer/shadow/space_internal.h"

/* -- what the events would call, and what the emulated device lacks ------------------------ */

struct driver driver;

bool modules_pending(void)
{
	return false;
}

struct variables_unseen; /* of code/modules.h, which needs the Sanitizer's headers */
void modules_variables(struct space *space, struct variables_unseen *unseen)
{
	(void)space, (void)unseen;
}

void launch_exclude(const char *kernel)
{
	(void)kernel;
}

uint32_t images_function(CUmodule module, const char *name, uint64_t *start, uint64_t *size);
uint32_t images_function(CUmodule module, const char *name, uint64_t *start, uint64_t *size)
{
	(void)module, (void)name, (void)start, (void)size;
	return 0;
}

static CUresult exchange(CUstreamCaptureMode *mode)
{
	(void)mode;
	return CUDA_SUCCESS;
}

static CUresult missing(void)
{
	return CUDA_ERROR_NOT_SUPPORTED;
}

static CUresult registered(void *memory, size_t size, unsigned flags)
{
	(void)memory, (void)size, (void)flags;
	return CUDA_SUCCESS;
}

static CUresult seen_as(CUdeviceptr *device, void *memory, unsigned flags)
{
	(void)flags;
	*device = (CUdeviceptr)(uintptr_t)memory;
	return CUDA_SUCCESS;
}

static bool no_mapping;

/* The emulated device sees no memory but its own. */
void *__wrap_mmap(void *at, size_t size, int protection, int flags, int file, off_t offset)
{
	void *memory = NULL;

	(void)at, (void)protection, (void)flags, (void)file, (void)offset;
	if (no_mapping ||
	    driver.cuMemHostAlloc(&memory, size, CU_MEMHOSTALLOC_DEVICEMAP) != CUDA_SUCCESS)
		return (void *)-1;
	return memset(memory, 0, size);
}

int __wrap_munmap(void *memory, size_t size)
{
	(void)memory, (void)size;
	return 0;
}

/* -- the sink ------------------------------------------------------------------------------ */

#ifndef EVENTS_MAX
#define EVENTS_MAX 10000
#endif

static struct event {
	uint32_t context, contents;
	uint8_t content;        /* of the last one's digest */
	uint32_t all_seen;      /* records that say so behind it */
	uint32_t seen;          /* the last object of which one said so */
	uint32_t received;      /* the object that a copy brought what the host held already */
	struct gpu_order order; /* the last */
	struct gpu_wait wait;
	uint32_t orders, waits;
	bool first, nonblocking;
	struct gpu_transfer transfer; /* the last */
	struct gpu_slice slice;       /* the last */
	uint32_t slices;
	struct gpu_frequency frequency; /* the last */
	uint32_t frequencies;
	enum gpu_api api;
	uint32_t stream;
	uint64_t start_ns, end_ns;
	size_t rows;
	struct gpu_row row;        /* the last */
	uint64_t bytes, redundant; /* of all rows of GPU_WRITE */
} events[EVENTS_MAX];
static char last_begun[64]; /* its name */
static uint32_t begun, ended, objects, calls_of_coverage;
static bool follows_accesses;
/* The last of each object, and how many there were of all. */
static struct gpu_accessed accessed[64];
static unsigned accessed_count;
static struct gpu_device_memory device_memory[2]; /* the first and the last that was told */
static unsigned device_memory_count;
static bool no_passes; /* the driver has no memory for them */
static bool faulted;   /* what is on the program's streams ended with an error */
static unsigned abandoned, failed_launches;

static void sink_begin(struct gpu_call *call)
{
	call->context = ++begun;
	snprintf(last_begun, sizeof(last_begun), "%s", call->name);
	call->start_ns = 1;
}

static void sink_end(const struct gpu_call *call, const struct gpu_row *rows, size_t count)
{
	struct event *event = &events[ended++];

	*event = (struct event){.context = call->context,
				.api = call->api,
				.stream = call->stream,
				.start_ns = call->start_ns,
				.end_ns = call->end_ns,
				.rows = count};
	if (count)
		event->row = rows[count - 1];
	for (size_t i = 0; i < count; i++)
		if (rows[i].access == GPU_WRITE) {
			event->bytes += rows[i].bytes;
			event->redundant += rows[i].redundant_bytes;
		}
}

static void sink_abandon(const struct gpu_call *call)
{
	(void)call;
	abandoned++;
	if (no_passes)
		begun--;
	if (no_passes || faulted)
		return;
	puts("not ok - an event was abandoned");
	exit(1);
}

static uint32_t sink_object(const struct gpu_call *call, const struct gpu_object *object)
{
	(void)call, (void)object;
	return ++objects;
}

static void sink_released(const struct gpu_call *call, uint32_t object)
{
	(void)call, (void)object;
}

/* The size of the payload; 0: no such record is to come. */
static size_t size_of_record(const struct gpu_record *record)
{
	switch (record->kind) {
	case GPU_RECORD_READ_UNSEEN:
		return sizeof(struct gpu_read_unseen);
	case GPU_RECORD_CONTENT:
		return record->object ? sizeof(struct gpu_content) : 0;
	case GPU_RECORD_RECEIVED:
		return record->object ? sizeof(struct gpu_received) : 0;
	case GPU_RECORD_TRANSFER:
		return record->object ? sizeof(struct gpu_transfer) : 0;
	case GPU_RECORD_ORDER:
		return sizeof(struct gpu_order);
	case GPU_RECORD_STREAM:
		return sizeof(struct gpu_stream);
	case GPU_RECORD_WAIT:
		return sizeof(struct gpu_wait);
	case GPU_RECORD_ACCESSED:
		return follows_accesses && record->object ? sizeof(struct gpu_accessed) : 0;
	case GPU_RECORD_SLICE:
		return follows_accesses && record->object ? sizeof(struct gpu_slice) : 0;
	case GPU_RECORD_FREQUENCY:
		return follows_accesses && record->object ? sizeof(struct gpu_frequency) : 0;
	case GPU_RECORD_DEVICE_MEMORY:
		return record->object ? 0 : sizeof(struct gpu_device_memory);
	default:
		return 0;
	}
}

static void sink_record(const struct gpu_call *call, const struct gpu_record *record)
{
	struct event *event = &events[ended ? ended - 1 : 0];
	const bool seen = record->kind == GPU_RECORD_READ_UNSEEN;

	if (record->size != size_of_record(record) ||
	    (call && (!ended || call->context != event->context))) {
		puts("not ok - a record is not of the last call that ended");
		exit(1);
	}
	event->contents += record->kind == GPU_RECORD_CONTENT;
	if (record->kind == GPU_RECORD_CONTENT)
		event->content = ((const struct gpu_content *)record->payload)->digest[0];
	event->all_seen += seen && !record->object;
	event->seen = seen && record->object ? record->object : event->seen;
	if (record->kind == GPU_RECORD_RECEIVED)
		event->received = record->object;
	if (record->kind == GPU_RECORD_ORDER)
		event->order = *(const struct gpu_order *)record->payload, event->orders++;
	if (record->kind == GPU_RECORD_WAIT)
		event->wait = *(const struct gpu_wait *)record->payload, event->waits++;
	if (record->kind == GPU_RECORD_STREAM)
		event->first = true,
		event->nonblocking = ((const struct gpu_stream *)record->payload)->nonblocking;
	if (record->kind == GPU_RECORD_TRANSFER)
		event->transfer = *(const struct gpu_transfer *)record->payload;
	if (record->kind == GPU_RECORD_SLICE)
		event->slice = *(const struct gpu_slice *)record->payload, event->slices++;
	if (record->kind == GPU_RECORD_DEVICE_MEMORY)
		device_memory[device_memory_count++ > 0] =
			*(const struct gpu_device_memory *)record->payload;
	if (record->kind == GPU_RECORD_FREQUENCY)
		event->frequency = *(const struct gpu_frequency *)record->payload,
		event->frequencies++;
	if (record->kind == GPU_RECORD_ACCESSED && record->object < 64)
		accessed[record->object] = *(const struct gpu_accessed *)record->payload,
		accessed_count++;
}

static void sink_coverage(uint32_t id, const char *detail, uint64_t count, uint64_t bytes)
{
	(void)detail, (void)bytes;
	calls_of_coverage++;
	if (id == COVERAGE_LAUNCH_FAILED)
		failed_launches += count;
}

/* The last call that failed. */
static char last_failed[64];
static uint32_t last_error, failed_calls;

static void sink_failed(const char *name, uint32_t error)
{
	snprintf(last_failed, sizeof(last_failed), "%s", name);
	last_error = error;
	failed_calls++;
}

static const struct gpu_sink sink = {.begin = sink_begin,
				     .end = sink_end,
				     .abandon = sink_abandon,
				     .object = sink_object,
				     .released = sink_released,
				     .record = sink_record,
				     .coverage = sink_coverage,
				     .failed = sink_failed};

/* -- the program --------------------------------------------------------------------------- */

static CUcontext context; /* the current one */
static CUresult (*create_context)(CUcontext *, unsigned, CUdevice);
static struct api_call api_call = {.name = "cudaCall"};
static CUstream streams[2];
static int tests;

static void check(bool fine, const char *what)
{
	printf("%s %d - %s\n", fine ? "ok" : "not ok", ++tests, what);
}

static void finish(struct operation operation)
{
	if (!operation.context)
		operation.context = operation.from_context = context;
	api_call.operations = &operation;
	api_call.count = api_call.room = 1;
	api_call.context = context;
	events_finish(&api_call);
}

/* The call that should have done it failed. */
static void fail(enum operation_kind kind)
{
	struct operation operation = {
		.kind = kind, .context = context, .name = "kernel", .parameters = malloc(8)};

	api_call.operations = &operation;
	api_call.count = api_call.room = 1;
	events_drop(&api_call, 1);
	if (api_call.count != 1)
		check(false, "what was noted before the call that failed is kept");
	events_drop(&api_call, 0);
	if (api_call.count)
		check(false, "what failed is not kept");
}

static CUdeviceptr allocate(uint64_t size)
{
	CUdeviceptr address = 0;

	events_prepare(context, false, NULL, 0, false);
	driver.cuMemAlloc(&address, size);
	finish((struct operation){.kind = OPERATION_ALLOC,
				  .address = address,
				  .size = size,
				  .memory = GPU_MEMORY_DEVICE});
	return address;
}

static void set(CUdeviceptr address, uint64_t size, uint8_t value)
{
	events_prepare(context, false, NULL, 0, false);
	driver.cuMemsetD8Async(address, value, size, 0);
	finish((struct operation){.kind = OPERATION_SET,
				  .address = address,
				  .width = size,
				  .height = 1,
				  .depth = 1,
				  .pitch = size});
}

static uint64_t threads = 256; /* of launches */
static unsigned instructions;  /* of their kernels: gpu/sass/instructions.h */
static CUfunction function;

/* A launch whose kernel reads the bytes, or sets them to the value. */
static void launch(CUdeviceptr address, uint64_t size, int value, int stream)
{
	struct object *object = events_find_object(context, address);

	events_prepare(context, true, &streams[stream], 0, false);
	if (!events_callback_data(context))
		check(false, "a launch can be followed");
	if (value >= 0)
		driver.cuMemsetD8Async(address, (uint8_t)value, size, streams[stream]);
	space_mark(object, space_stream(object->space), address - object->address, size, size, 1,
		   value >= 0 ? MARK_WRITTEN : MARK_READ);
	object->space->expected = 0; /* patches do not say how much it is */
	finish((struct operation){.kind = OPERATION_KERNEL,
				  .name = "kernel",
				  .stream = streams[stream],
				  .function = function,
				  .patched = true,
				  .instructions = instructions,
				  .threads = threads});
}

static bool row_is(uint32_t event, uint32_t object, uint32_t writer, enum gpu_access access,
		   uint64_t bytes, uint64_t redundant)
{
	const struct event *found = &events[event - 1];

	return found->context == event && found->rows == 1 && found->row.object == object &&
	       found->row.writer == writer && found->row.access == access &&
	       found->row.bytes == bytes && found->row.redundant_bytes == redundant;
}

static CUresult (*host_alloc)(void **, size_t, unsigned);
static bool host_is_full;

static CUresult alloc_on_host(void **memory, size_t size, unsigned flags)
{
	return host_is_full ? CUDA_ERROR_OUT_OF_MEMORY : host_alloc(memory, size, flags);
}

/* Of the emulated driver; NULL: it has none. */
static void *function_of(const char *name)
{
	return dlsym(dlopen("libcuda.so.1", RTLD_NOW), name);
}

static void start(uint64_t memory_limit)
{
	void *function;
	CUresult (*init)(unsigned);

#define NAME_OF(name) #name
#define LOOK_UP(name)                                                                              \
	function = function_of(NAME_OF(name));                                                     \
	if (!function)                                                                             \
		function = (void *)missing;                                                        \
	memcpy(&driver.name, &function, sizeof(function));
	DRIVER_FUNCTIONS(LOOK_UP)
	driver.cuThreadExchangeStreamCaptureMode = exchange;
	driver.cuMemHostRegister = registered;
	host_alloc = driver.cuMemHostAlloc;
	driver.cuMemHostAlloc = alloc_on_host;
	driver.cuMemHostGetDevicePointer = seen_as;
	function = function_of("cuInit");
	memcpy(&init, &function, sizeof(init));
	function = function_of("cuCtxCreate_v2");
	memcpy(&create_context, &function, sizeof(create_context));
	if (init(0) != CUDA_SUCCESS || create_context(&context, 0, 0) != CUDA_SUCCESS)
		check(false, "a context");
	for (int i = 0; i < 2; i++)
		driver.cuStreamCreate(&streams[i], CU_STREAM_NON_BLOCKING);
	events_start(&sink, &(struct gpu_options){.digests = true,
						  .accesses = follows_accesses,
						  .memory_limit = memory_limit});
}

static void copy(CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context,
		 uint64_t size)
{
	events_prepare(context, false, NULL, 0, false);
	driver.cuMemcpyDtoDAsync(to, from, size, 0);
	finish((struct operation){.kind = OPERATION_COPY,
				  .context = to_context,
				  .from_context = from_context,
				  .api_context = context,
				  .address = to,
				  .from_address = from,
				  .width = size,
				  .height = 1,
				  .depth = 1,
				  .pitch = size,
				  .from_pitch = size,
				  .to_device = true,
				  .from_device = true});
}

/* So much of the device's memory that shadows of so many bytes must go. */
static uint64_t all_but(uint64_t bytes)
{
	size_t unused, total;

	if (driver.cuMemGetInfo(&unused, &total) != CUDA_SUCCESS)
		check(false, "the memory's size");
	return unused - total / 256 + bytes; /* a part is left free */
}

static size_t unused(void)
{
	size_t bytes = 0, total;

	if (driver.cuMemGetInfo(&bytes, &total) != CUDA_SUCCESS)
		check(false, "the memory's size");
	return bytes;
}

static CUresult (*make_memory)(CUdeviceptr *, size_t);

static void free_again(CUdeviceptr address)
{
	finish((struct operation){.kind = OPERATION_FREE, .address = address});
	driver.cuMemFree(address);
}

/* -- a launch that does not end ------------------------------------------------------------ */

static bool running; /* what is on the program's streams */
static unsigned released;
static CUresult (*query_stream)(CUstream), (*query_event)(CUevent), (*free_memory)(CUdeviceptr);

static CUresult stream_or_launch(CUstream stream)
{
	if (faulted && (stream == streams[0] || stream == streams[1]))
		return CUDA_ERROR_ILLEGAL_ADDRESS;
	return running && (stream == streams[0] || stream == streams[1]) ? CUDA_ERROR_NOT_READY
									 : query_stream(stream);
}

static CUresult event_or_launch(CUevent event)
{
	if (faulted)
		return CUDA_ERROR_ILLEGAL_ADDRESS;
	return running ? CUDA_ERROR_NOT_READY : query_event(event);
}

static unsigned events_asked;

static CUresult query_event_counted(CUevent event)
{
	events_asked++;
	return event_or_launch(event);
}

static unsigned freed_twice;

static CUresult free_counted(CUdeviceptr memory)
{
	CUresult result = free_memory(memory);

	released++;
	freed_twice += result != CUDA_SUCCESS;
	return result;
}

int __real_clock_gettime(clockid_t clock, struct timespec *now);

/* Nobody has to wait: when something runs, each look at the clock takes a second. */
int __wrap_clock_gettime(clockid_t clock, struct timespec *now)
{
	static time_t ahead;
	int result = __real_clock_gettime(clock, now);

	ahead += running;
	now->tv_sec += ahead;
	return result;
}

static CUdeviceptr freed[8]; /* in the order of the stream: gone when that is waited for */
static unsigned freed_count;
static CUresult (*synchronize_stream)(CUstream);
static bool stream_fails; /* ours, when it is waited for */

static CUresult free_in_order(CUdeviceptr memory, CUstream stream)
{
	(void)stream;
	if (freed_count == sizeof(freed) / sizeof(*freed))
		return CUDA_ERROR_OUT_OF_MEMORY;
	freed[freed_count++] = memory;
	return CUDA_SUCCESS;
}

static CUresult synchronize(CUstream stream)
{
	while (freed_count)
		free_memory(freed[--freed_count]);
	return stream_fails ? CUDA_ERROR_UNKNOWN : synchronize_stream(stream);
}

static void start_with_timeouts(void)
{
	start(0);
	query_stream = driver.cuStreamQuery;
	query_event = driver.cuEventQuery;
	free_memory = driver.cuMemFree;
	driver.cuStreamQuery = stream_or_launch;
	driver.cuEventQuery = event_or_launch;
	driver.cuMemFree = free_counted;
	driver.cuMemFreeAsync = free_in_order;
	synchronize_stream = driver.cuStreamSynchronize;
	driver.cuStreamSynchronize = synchronize;
}

/* -- copies and sets that are not waited for ------------------------------------------------ */

static CUresult (*launch_kernel)(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned,
				 unsigned, unsigned, CUstream, void **, void **);
static unsigned on_program, on_ours,
	waits;           /* our kernels on streams[0], on others; looks at streams */
static unsigned queries; /* looks at streams[0] */
static bool holding;     /* those on streams[0] do not run yet */
static struct {
	const struct space *space;
	CUfunction kernel;
	unsigned blocks;
	struct device_state view;
	union {
		struct marks marks;
		struct transfer_box box;
	} structure;
	uint64_t words[9];
} held[16];
static unsigned held_count;
static const struct space *kept_back; /* whose do not run when the others do */

static bool is_pass(const struct space *space, CUfunction kernel)
{
	return kernel == space->kernels[PASS_SETTLE] ||
	       kernel == space->kernels[PASS_SETTLE_COPY] ||
	       kernel == space->kernels[PASS_SETTLE_MANY];
}

/* What a kernel's words are, and which of them is a structure, with a copy of that. */
static unsigned words_of(const struct space *space, CUfunction kernel, unsigned *structure)
{
	*structure = is_pass(space, kernel)                    ? 7
		     : kernel == space->kernels[PASS_MARK]     ? 1
		     : kernel == space->kernels[PASS_TRANSFER] ? 2
							       : 9;
	return kernel == space->kernels[PASS_TRANSFER] ? 4 : *structure == 9 ? 9 : *structure + 1;
}

static size_t size_of(const struct space *space, CUfunction kernel)
{
	return kernel == space->kernels[PASS_TRANSFER] ? sizeof(struct transfer_box)
						       : sizeof(struct marks);
}

/* Whether a word is of 32 bits: see passes.cu. */
static bool is_short(const struct space *space, CUfunction kernel, unsigned word)
{
	return is_pass(space, kernel)                    ? word >= 2 && word <= 4
	       : kernel == space->kernels[PASS_TRANSFER] ? word == 3
							 : word == 1;
}

static CUresult launch_or_hold(CUfunction kernel, unsigned x, unsigned y, unsigned z, unsigned bx,
			       unsigned by, unsigned bz, unsigned shared, CUstream stream,
			       void **words, void **extra)
{
	const struct space *space = events_find_space(context);
	unsigned count, structure;

	on_program += stream == streams[0];
	on_ours += stream != streams[0];
	if (!holding || stream != streams[0])
		return launch_kernel(kernel, x, y, z, bx, by, bz, shared, stream, words, extra);
	held[held_count].space = space;
	held[held_count].kernel = kernel;
	held[held_count].blocks = x;
	count = words_of(space, kernel, &structure);
	for (unsigned i = 0; i < count; i++)
		memcpy(&held[held_count].words[i], words[i], is_short(space, kernel, i) ? 4 : 8);
	if (structure < count)
		memcpy(&held[held_count].structure, words[structure], size_of(space, kernel));
	held[held_count].view = space->view;
	held_count++;
	return CUDA_SUCCESS;
}

static void let_run(void)
{
	unsigned left = 0;

	holding = false;
	for (unsigned i = 0; i < held_count; i++) {
		const struct space *space = held[i].space;
		unsigned structure;
		void *words[9];

		if (space == kept_back) {
			held[left++] = held[i];
			continue;
		}
		for (unsigned k = 0; k < words_of(space, held[i].kernel, &structure); k++)
			words[k] = &held[i].words[k];
		if (structure < 9)
			words[structure] = &held[i].structure;
		if (is_pass(space, held[i].kernel))
			words[1] = &held[i].view;
		launch_kernel(held[i].kernel, held[i].blocks, 1, 1, PASS_THREADS, 1, 1, 0,
			      streams[0], words, NULL);
	}
	held_count = left;
}

static unsigned recorded;
static CUresult (*record_event)(CUevent, CUstream);

static CUresult record_counted(CUevent event, CUstream stream)
{
	recorded++;
	return record_event(event, stream);
}

static CUresult query_counted(CUstream stream)
{
	waits++;
	queries += stream == streams[0];
	return stream_or_launch(stream);
}

static CUresult is_captured(CUstream stream, CUstreamCaptureStatus *status)
{
	(void)stream;
	*status = CU_STREAM_CAPTURE_STATUS_ACTIVE;
	return CUDA_SUCCESS;
}

static CUresult synchronize_counted(CUstream stream)
{
	waits++;
	return synchronize(stream);
}

/* What the program does on streams[0] without waiting. */
static void put(struct operation operation)
{
	operation.stream = operation.stream ? operation.stream : streams[0];
	operation.height = operation.depth = 1;
	operation.pitch = operation.from_pitch = operation.width;
	events_prepare(context, false, &operation.stream, 0, false);
	if (operation.kind == OPERATION_SET)
		driver.cuMemsetD8Async(operation.address, (uint8_t)operation.size, operation.width,
				       operation.stream);
	else if (!operation.from_device)
		driver.cuMemcpyHtoDAsync(operation.address,
					 (const void *)(uintptr_t)operation.from_address,
					 operation.width, operation.stream);
	else if (!operation.to_device)
		driver.cuMemcpyDtoHAsync((void *)(uintptr_t)operation.address,
					 operation.from_address, operation.width, operation.stream);
	else
		driver.cuMemcpyDtoDAsync(operation.address, operation.from_address, operation.width,
					 operation.stream);
	api_call.may_pend = true;
	finish(operation);
	api_call.may_pend = false;
}

static void put_set(CUdeviceptr address, uint64_t bytes, uint8_t value, int stream)
{
	put((struct operation){.kind = OPERATION_SET,
			       .address = address,
			       .width = bytes,
			       .size = value,
			       .stream = streams[stream]});
}

static void put_copy(uint64_t to, bool to_device, uint64_t from, bool from_device, uint64_t bytes)
{
	put((struct operation){.kind = OPERATION_COPY,
			       .address = to,
			       .from_address = from,
			       .width = bytes,
			       .to_device = to_device,
			       .from_device = from_device});
}

/* -- the cases ----------------------------------------------------------------------------- */

struct test_case {
	const char *name;
	void (*run)(void);
};

static int run_case(const struct test_case *cases, size_t count, int argc, char **argv)
{
	for (size_t i = 0; argc == 2 && i < count; i++)
		if (!strcmp(argv[1], cases[i].name)) {
			cases[i].run();
			printf("1..%d\n", tests);
			return 0;
		}
	return 2;
}
