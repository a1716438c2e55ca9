/*
 * The events of gpu/sanitizer without the Sanitizer: its driver is the emulated device, and instead
 * of patched kernels the test marks what they touch.  Says TAP lines.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "gpu/sanitizer/events.h"
#include "gpu/sanitizer/events_internal.h"
#include "gpu/sanitizer/space_internal.h"

/* -- what the events would call, and what the emulated device lacks ------------------------ */

struct driver driver;

bool modules_pending(void)
{
	return false;
}

void modules_variables(struct space *space, uint64_t *skipped, uint64_t *constants)
{
	(void)space, (void)skipped, (void)constants;
}

void launch_never_again(const char *kernel)
{
	(void)kernel;
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
	if (no_mapping || driver.cuMemHostAlloc(&memory, size, CU_MEMHOSTALLOC_DEVICEMAP) != CUDA_SUCCESS)
		return (void *)-1;
	return memset(memory, 0, size);
}

int __wrap_munmap(void *memory, size_t size)
{
	(void)memory, (void)size;
	return 0;
}

/* -- the sink ------------------------------------------------------------------------------ */

#define EVENTS_MAX 10000

static struct event {
	uint32_t context, contents;
	size_t rows;
	struct gpu_row row; /* the last */
} events[EVENTS_MAX];
static uint32_t begun, ended, objects, calls_of_coverage;
static bool no_passes; /* the driver has no memory for them */

static void sink_begin(struct gpu_call *call)
{
	call->context = ++begun;
	call->start_ns = 1;
}

static void sink_end(const struct gpu_call *call, const struct gpu_row *rows, size_t count)
{
	struct event *event = &events[ended++];

	*event = (struct event){.context = call->context, .rows = count};
	if (count)
		event->row = rows[count - 1];
}

static void sink_abandon(const struct gpu_call *call)
{
	(void)call;
	if (no_passes) {
		begun--;
		return;
	}
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

static void sink_content(const struct gpu_call *call, uint32_t object,
			 const uint8_t digest[GPU_DIGEST_SIZE], bool zero)
{
	(void)call, (void)object, (void)digest, (void)zero;
	events[ended ? ended - 1 : 0].contents++;
}

static void sink_coverage(const char *what, const char *reason, uint64_t count, uint64_t bytes)
{
	(void)what, (void)reason, (void)count, (void)bytes;
	calls_of_coverage++;
}

static const struct gpu_sink sink = {.begin = sink_begin,
				     .end = sink_end,
				     .abandon = sink_abandon,
				     .object = sink_object,
				     .released = sink_released,
				     .content = sink_content,
				     .coverage = sink_coverage};

/* -- the program --------------------------------------------------------------------------- */

static CUcontext context; /* the current one */
static CUresult (*create_context)(CUcontext *, unsigned, CUdevice);
static struct thread thread = {.name = "cudaCall"};
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
	thread.operations = &operation;
	thread.count = thread.room = 1;
	thread.context = context;
	events_finish(&thread);
}

/* The call that should have done it failed. */
static void fail(enum operation_kind kind)
{
	struct operation operation = {
		.kind = kind, .context = context, .name = "kernel", .parameters = malloc(8)};

	thread.operations = &operation;
	thread.count = thread.room = 1;
	events_drop(&thread, 1);
	if (thread.count != 1)
		check(false, "what was noted before the call that failed is kept");
	events_drop(&thread, 0);
	if (thread.count)
		check(false, "what failed is not kept");
}

static CUdeviceptr allocate(uint64_t size)
{
	CUdeviceptr address = 0;

	events_prepare(context, false, NULL, 0);
	driver.cuMemAlloc(&address, size);
	finish((struct operation){.kind = OPERATION_ALLOC,
				  .address = address,
				  .size = size,
				  .memory = GPU_MEMORY_DEVICE});
	return address;
}

static void set(CUdeviceptr address, uint64_t size, uint8_t value)
{
	events_prepare(context, false, NULL, 0);
	driver.cuMemsetD8Async(address, value, size, 0);
	finish((struct operation){.kind = OPERATION_SET,
				  .address = address,
				  .width = size,
				  .height = 1,
				  .depth = 1,
				  .pitch = size});
}

static uint64_t threads = 256; /* of launches */
static CUfunction function;

/* A launch whose kernel reads the bytes, or sets them to the value. */
static void launch(CUdeviceptr address, uint64_t size, int value, int stream)
{
	struct object *object = events_find_object(context, address);

	events_prepare(context, true, &streams[stream], 0);
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
	events_start(&sink,
		     &(struct gpu_options){.digests = true, .memory_limit = memory_limit});
}

static void copy(CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context,
		 uint64_t size)
{
	events_prepare(context, false, NULL, 0);
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

static unsigned uploads;
static CUresult (*copy_to_device)(CUdeviceptr, const void *, size_t, CUstream);

static CUresult count_upload(CUdeviceptr to, const void *from, size_t size, CUstream stream)
{
	uploads++;
	return copy_to_device(to, from, size, stream);
}

/* What was copied from another context has the copy for its writer. */
static void two_contexts(void)
{
	CUcontext first = context, second, popped;
	CUdeviceptr z = allocate(512), x = allocate(1024), y, later; /* begin - 1, begin */
	uint32_t begin = begun, of_x = objects;

	set(x, 1024, 0); /* begin + 1 */
	if (create_context(&second, 0, 0) != CUDA_SUCCESS)
		check(false, "a second context");
	context = second;
	y = allocate(1024);		/* + 2 */
	copy(y, second, x, first, 512); /* + 3 */
	launch(y, 512, 0, 0);		/* + 4 */
	set(y, 512, 0);			/* + 5 */
	check(events[begin + 2].rows == 2 && events[begin + 2].row.object == objects &&
		      events[begin + 2].row.writer == begin + 2,
	      "a copy between contexts has rows of both");
	copy(y + 512, second, z, first, 512); /* + 6 */
	set(y + 512, 512, 0);		      /* + 7 */
	check(row_is(begin + 7, objects, begin + 6, GPU_WRITE, 512, 0),
	      "... of bytes that were never written, too: they are equal to none");
	check(row_is(begin + 4, objects, begin + 3, GPU_WRITE, 512, 512) &&
		      row_is(begin + 5, objects, begin + 4, GPU_WRITE, 512, 512),
	      "... and is the writer of what it copied");
	launch(x, 16, 0, 0); /* + 8: in the second context */
	check(row_is(begin + 8, of_x, begin + 1, GPU_WRITE, 16, 16),
	      "kernels reach what another context of their device has");
	copy_to_device = driver.cuMemcpyHtoDAsync;
	driver.cuMemcpyHtoDAsync = count_upload;
	launch(x, 16, 0, 0); /* + 9 */
	check(!uploads && row_is(begin + 9, of_x, begin + 8, GPU_WRITE, 16, 16),
	      "which the device is told once");
	context = first;
	later = allocate(64); /* + 10 */
	set(later, 64, 3);    /* + 11 */
	context = second;
	launch(later, 64, 3, 0); /* + 12 */
	check(uploads && row_is(begin + 12, objects, begin + 11, GPU_WRITE, 64, 64),
	      "and again when something has changed there");
	driver.cuMemcpyHtoDAsync = copy_to_device;
	finish((struct operation){.kind = OPERATION_FREE, .address = y});
	context = first;
	driver.cuCtxPopCurrent(&popped);
	finish((struct operation){.kind = OPERATION_FREE, .address = x});
	finish((struct operation){.kind = OPERATION_FREE, .address = z});
	finish((struct operation){.kind = OPERATION_FREE, .address = later});
	events_context_gone(second);
	finish((struct operation){.kind = OPERATION_UNLOAD, .context = second});
	check(!events_find_space(second), "of a context that has gone nothing is left");
}

/* So much of the device's memory that shadows of so many bytes must go. */
static uint64_t all_but(uint64_t bytes)
{
	size_t unused, total;

	if (driver.cuMemGetInfo(&unused, &total) != CUDA_SUCCESS)
		check(false, "the memory's size");
	return unused - total / 256 + bytes; /* a part is left free */
}

/* Neither the device nor the host has memory for whole shadows. */
static int coarse(void)
{
	CUdeviceptr a, b, c;

	start(200000);
	a = allocate(300000); /* event 1, object 1: the masks fit */
	host_is_full = true;
	set(a, 300000, 7);	   /* 2 */
	launch(a, 100, -1, 0);	   /* 3 */
	launch(a + 5000, 10, 7, 0); /* 4 */
	set(a, 300000, 7);	   /* 5 */
	check(row_is(2, 1, 1, GPU_WRITE, 300000, 0) && row_is(3, 1, 2, GPU_READ, 100, 0) &&
		      calls_of_coverage == 1,
	      "a coarse shadow knows the last writer");
	check(row_is(4, 1, 2, GPU_WRITE, 10, 0) && events[4].rows == 2 &&
		      events[4].row.writer == 4 && events[4].row.bytes == 1024 &&
		      !events[4].row.redundant_bytes,
	      "... of blocks, not of words, and not what is unchanged");
	check(!events[1].contents && !events[4].contents, "... and no digests");
	b = allocate(2000);		      /* 6, object 2 */
	copy(b, context, a, context, 1000);   /* 7 */
	set(b, 1000, 7);		      /* 8 */
	copy(a + 2048, context, b, context, 1000); /* 9 */
	launch(a + 2048, 16, -1, 0);	      /* 10 */
	set(b, 10, 7);			      /* 11: and not before launch 10 has ended */
	check(row_is(8, 2, 7, GPU_WRITE, 1000, 0), "what it does not know is equal to nothing");
	check(row_is(10, 1, 9, GPU_READ, 16, 0), "copies into it are seen");
	events_missed();
	launch(a, 32, -1, 0); /* 12 */
	c = allocate(10000);  /* 13, object 3 */
	check(row_is(12, 1, GPU_WRITER_UNKNOWN, GPU_READ, 32, 0), "it can be forgotten");
	set(c, 10000, 9); /* 14 */
	calls_of_coverage = 0;
	events_prepare(context, false, NULL, all_but(10000));
	set(c, 10000, 9);      /* 15 */
	launch(c, 2000, 9, 0); /* 16 */
	events_stop();
	check(calls_of_coverage == 1 && row_is(14, 3, 13, GPU_WRITE, 10000, 0) &&
		      row_is(15, 3, GPU_WRITER_UNKNOWN, GPU_WRITE, 10000, 0) &&
		      row_is(16, 3, 15, GPU_WRITE, 2000, 0),
	      "shadows that make way and find no room become coarse");
	printf("1..%d\n", tests);
	return 0;
}

/* -- a launch that does not end ------------------------------------------------------------ */

static bool running; /* what is on the program's streams */
static unsigned released;
static CUresult (*query_stream)(CUstream), (*query_event)(CUevent), (*free_memory)(CUdeviceptr);

static CUresult stream_or_launch(CUstream stream)
{
	return running && (stream == streams[0] || stream == streams[1]) ? CUDA_ERROR_NOT_READY
									  : query_stream(stream);
}

static CUresult event_or_launch(CUevent event)
{
	return running ? CUDA_ERROR_NOT_READY : query_event(event);
}

static CUresult free_counted(CUdeviceptr memory)
{
	released++;
	return free_memory(memory);
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

static size_t unused(void)
{
	size_t bytes = 0, total;

	if (driver.cuMemGetInfo(&bytes, &total) != CUDA_SUCCESS)
		check(false, "the memory's size");
	return bytes;
}

static CUdeviceptr freed[8]; /* in the order of the stream: gone when that is waited for */
static unsigned freed_count;
static CUresult (*synchronize_stream)(CUstream);

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
	return synchronize_stream(stream);
}

static void start_late(void)
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

/* Shadows make way for the program while a launch runs that nobody waits for. */
static int late_room(void)
{
	CUdeviceptr a, b, c;

	start_late();
	a = allocate(10000);  /* event 1, object 1 */
	b = allocate(300000); /* 2, object 2 */
	c = allocate(20000);  /* 3, object 3 */
	set(a, 10000, 7);     /* 4 */
	set(b, 300000, 7);    /* 5 */
	set(c, 20000, 7);     /* 6 */
	allocate(70 << 20);   /* 7: has no shadow yet, so that launches are waited for */
	calls_of_coverage = 0;
	running = true;
	launch(c, 20000, 8, 0); /* 8 */
	check(events_is_late() && calls_of_coverage == 1, "a launch is given up");
	host_is_full = true;
	events_prepare(context, false, NULL, all_but(30000));
	check(!memory_on_host() && calls_of_coverage == 2 && !released,
	      "the largest shadow is forgotten when the host has no room, and nothing waits");
	host_is_full = false;
	events_prepare(context, false, NULL, all_but(30000)); /* the host's is the device's here */
	check(memory_on_host() && calls_of_coverage == 4 && !released,
	      "else they move to the host");
	running = false;
	set(b, 300000, 7); /* 9 */
	set(a, 10000, 7);  /* 10 */
	set(c, 20000, 8);  /* 11 */
	check(row_is(9, 2, GPU_WRITER_UNKNOWN, GPU_WRITE, 300000, 0) &&
		      row_is(11, 3, GPU_WRITER_UNKNOWN, GPU_WRITE, 20000, 0),
	      "what was forgotten is unknown, as is what the launch wrote");
	check(row_is(10, 1, 4, GPU_WRITE, 10000, 10000), "what moved is known");
	events_stop();
	printf("1..%d\n", tests);
	return 0;
}

/* What goes while a launch runs that nobody waits for is given back when it is over. */
static int late(void)
{
	CUresult (*create_array)(CUarray *, const CUDA_ARRAY_DESCRIPTOR *);
	CUresult (*destroy_array)(CUarray);
	const CUDA_ARRAY_DESCRIPTOR shape = {.Width = 1000,
					     .Height = 10,
					     .Format = CU_AD_FORMAT_UNSIGNED_INT8,
					     .NumChannels = 1};
	CUdeviceptr a, b, c;
	CUarray array;
	size_t before;

	start_late();
	create_array = (CUresult(*)(CUarray *, const CUDA_ARRAY_DESCRIPTOR *))function_of(
		"cuArrayCreate_v2");
	destroy_array = (CUresult(*)(CUarray))function_of("cuArrayDestroy");
	a = allocate(10000);  /* event 1, object 1 */
	set(a, 10000, 7);     /* 2 */
	launch(a, 32, -1, 0); /* 3 */
	before = unused();
	b = allocate(70 << 20); /* 4, object 2: has no shadow yet, so that launches are waited for */
	c = allocate(20000);  /* 5, object 3 */
	set(c, 20000, 7);     /* 6 */
	if (create_array(&array, &shape) != CUDA_SUCCESS)
		check(false, "an array");
	finish((struct operation){.kind = OPERATION_ARRAY, /* 7, object 4 */
				  .array.array = array,
				  .width = shape.Width,
				  .height = shape.Height,
				  .depth = 1});
	running = true;
	launch(b, 64, 1, 0); /* 8 */
	check(events_is_late(), "a launch is given up");
	finish((struct operation){.kind = OPERATION_FREE, .address = b});
	finish((struct operation){.kind = OPERATION_FREE, .address = c});
	finish((struct operation){.kind = OPERATION_ARRAY_GONE, .array.array = array});
	check(events_is_late() && ended == 11 && !released,
	      "nothing waits for it while the program frees memory");
	running = false;
	free_memory(b);
	free_memory(c);
	destroy_array(array);
	set(a, 10000, 7); /* 12 */
	check(row_is(12, 1, 2, GPU_WRITE, 10000, 10000), "what it did not touch is known");
	check(unused() == before, "when it is over nothing is left of what went");
	events_stop();
	printf("1..%d\n", tests);
	return 0;
}

/* -- copies and sets that are not waited for ------------------------------------------------ */

static CUresult (*launch_kernel)(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned,
				 unsigned, unsigned, CUstream, void **, void **);
static unsigned on_program, on_ours, waits; /* our kernels on streams[0], on others; looks at streams */
static unsigned asked;			    /* looks at streams[0] */
static bool holding;			    /* those on streams[0] do not run yet */
static struct {
	CUfunction kernel;
	unsigned blocks;
	struct device_state view;
	struct marks marks;
	uint64_t words[9];
} held[16];
static unsigned held_count;

/* What a kernel's words are, and which of them are marks, with a copy of these. */
static unsigned words_of(CUfunction kernel, unsigned *marks)
{
	const struct space *space = events_find_space(context);

	*marks = kernel == space->kernels[PASS_SETTLE] ? 7 : kernel == space->kernels[PASS_MARK] ? 1 : 9;
	return *marks == 9 ? 9 : *marks + 1;
}

/* Whether a word is of 32 bits: see passes.cu. */
static bool is_short(CUfunction kernel, unsigned word)
{
	return kernel == events_find_space(context)->kernels[PASS_SETTLE] ? word >= 2 && word <= 4
									   : word == 1;
}

static CUresult launch_or_hold(CUfunction kernel, unsigned x, unsigned y, unsigned z, unsigned bx,
			       unsigned by, unsigned bz, unsigned shared, CUstream stream,
			       void **words, void **extra)
{
	unsigned count, marks;

	on_program += stream == streams[0];
	on_ours += stream != streams[0];
	if (!holding || stream != streams[0])
		return launch_kernel(kernel, x, y, z, bx, by, bz, shared, stream, words, extra);
	held[held_count].kernel = kernel;
	held[held_count].blocks = x;
	count = words_of(kernel, &marks);
	for (unsigned i = 0; i < count; i++)
		memcpy(&held[held_count].words[i], words[i], is_short(kernel, i) ? 4 : 8);
	if (marks < count)
		memcpy(&held[held_count].marks, words[marks], sizeof(struct marks));
	held[held_count].view = events_find_space(context)->view;
	held_count++;
	return CUDA_SUCCESS;
}

static void let_run(void)
{
	holding = false;
	for (unsigned i = 0; i < held_count; i++) {
		unsigned marks;
		void *words[9];

		for (unsigned k = 0; k < words_of(held[i].kernel, &marks); k++)
			words[k] = &held[i].words[k];
		if (marks < 9)
			words[marks] = &held[i].marks;
		if (held[i].kernel == events_find_space(context)->kernels[PASS_SETTLE])
			words[1] = &held[i].view;
		launch_kernel(held[i].kernel, held[i].blocks, 1, 1, PASS_THREADS, 1, 1, 0,
			      streams[0], words, NULL);
	}
	held_count = 0;
}

static CUresult query_counted(CUstream stream)
{
	waits++;
	asked += stream == streams[0];
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
	events_prepare(context, false, &operation.stream, 0);
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
	thread.quick = true;
	finish(operation);
	thread.quick = false;
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

static int behind(void)
{
	static uint8_t memory[10000];
	const uint64_t host = (uintptr_t)memory;
	CUdeviceptr a, b, managed;
	void *replaced[8]; /* of the size of objects, from where they were */

	start_late();
	driver.cuStreamQuery = query_counted;
	driver.cuStreamSynchronize = synchronize_counted;
	launch_kernel = driver.cuLaunchKernel;
	driver.cuLaunchKernel = launch_or_hold;
	a = allocate(10000); /* event 1, object 1 */
	b = allocate(10000); /* 2, object 2 */
	set(a, 10000, 7);    /* 3 */
	put_set(b, 10000, 8, 0); /* 4: both have shadows now, and something is known of them */
	check(waits && on_ours && !on_program, "the first copies and sets are waited for, should the program be killed");
	events_waited_for = 100;
	waits = on_program = on_ours = 0;
	put_set(a, 9000, 7, 0);			   /* 5 */
	put_copy(b, true, host, false, 5000);	   /* 6: zeros */
	put_copy(a + 100, true, b, true, 1000);	   /* 7 */
	put_copy(host, false, a, true, 10000);	   /* 8 */
	put_copy(b + 4000, true, host, false, 2000); /* 9 */
	check(!waits && !on_ours && on_program == 7,
	      "sets and copies are marked and settled on their stream, and not waited for");
	check(row_is(5, 1, 3, GPU_WRITE, 9000, 9000), "a set");
	check(events[5].rows == 2 && events[5].row.writer == GPU_WRITER_HOST &&
		      events[5].row.access == GPU_FROM_HOST && events[5].row.bytes == 5000,
	      "a copy from the host, with the host's row");
	/* it writes 1000 of 5, too */
	check(events[6].rows == 2 && events[6].row.object == 2 && events[6].row.writer == 6 &&
		      events[6].row.access == GPU_READ && events[6].row.bytes == 1000,
	      "a copy of what the copy before it brought");
	/* 8000 from 5, 1000 from 7, 1000 from 3; to the host */
	check(events[7].rows == 4 && events[7].row.access == GPU_TO_HOST &&
		      events[7].row.bytes == 10000,
	      "a copy to the host");
	check(ended == 9 && begun == 9, "all have ended, in order");
	holding = true;
	put_set(a, 100, 7, 0); /* 10 */
	put_set(a, 100, 7, 0); /* 11 */
	check(begun == 11 && ended == 9 && events_deferred(), "their results are read later");
	let_run();
	put_set(b, 10000, 8, 1); /* 12: on the other stream */
	check(ended == 12 && row_is(10, 1, 5, GPU_WRITE, 100, 100) &&
		      row_is(11, 1, 10, GPU_WRITE, 100, 100),
	      "... before another stream's begins");
	driver.cuMemAlloc(&managed, 1000);
	finish((struct operation){.kind = OPERATION_ALLOC, /* 13, object 3 */
				  .address = managed,
				  .size = 1000,
				  .memory = GPU_MEMORY_MANAGED});
	put_set(managed, 1000, 1, 0); /* 14 */
	waits = 0;
	put_set(managed, 1000, 1, 0); /* 15 */
	check(waits && row_is(15, 3, 14, GPU_WRITE, 1000, 1000),
	      "what the host may write itself is waited for");
	waits = 0;
	set(a, 10000, 7); /* 16 */
	check(waits && events[15].rows == 4, "and what is not alone on one stream");
	calls_of_coverage = 0;
	holding = running = true;
	put_set(a, 100, 9, 0); /* 17 */
	events_prepare(context, false, &streams[1], 0);
	check(events_is_late() && !calls_of_coverage,
	      "a set that does not end is given up, and no kernel for it");
	running = false;
	let_run();
	launch(a, 100, -1, 0); /* 18 */
	check(row_is(18, 1, 17, GPU_READ, 100, 0), "it is known when it has ended after all");
	holding = running = true;
	put_copy(host, false, b, true, 100); /* 19 */
	events_prepare(context, false, &streams[1], 0);
	finish((struct operation){.kind = OPERATION_FREE, .address = b}); /* 20 */
	for (unsigned i = 0; i < 8; i++)
		replaced[i] = memset(malloc(sizeof(struct object)), 0, sizeof(struct object));
	running = false;
	let_run();
	launch(a, 100, -1, 0); /* 21 */
	check(ended == 21 && !events[20 - 1].rows && row_is(21, 1, 17, GPU_READ, 100, 0),
	      "what a copy that did not end gave the host of memory that went is not told");
	for (unsigned i = 0; i < 8; i++)
		free(replaced[i]);
	driver.cuStreamIsCapturing = is_captured;
	holding = running = true;
	asked = 0;
	put_set(a, 100, 9, 0); /* 22 */
	events_prepare(context, false, &streams[1], 0);
	check(events_is_late() && !asked, "a stream that is captured now is not asked");
	running = false;
	let_run();
	set(a, 100, 9); /* 23 */
	put_set(a, 100, 9, 0); /* 24: waited for, as something is to be forgotten */
	holding = running = true;
	put_set(a, 100, 9, 0); /* 25 */
	put_set(a, 100, 9, 0); /* 26 */
	calls_of_coverage = 0;
	events_stop();
	check(begun == 26 && ended == 26 && calls_of_coverage == 1,
	      "what has not ended when the program does is said");
	printf("1..%d\n", tests);
	return 0;
}

/* Shadows make way for the program while passes wait behind a launch that does not end. */
static int behind_room(void)
{
	CUdeviceptr a, b, c;

	start_late();
	launch_kernel = driver.cuLaunchKernel;
	driver.cuLaunchKernel = launch_or_hold;
	a = allocate(300000); /* event 1, object 1 */
	b = allocate(20000);  /* 2, object 2 */
	c = allocate(10000);  /* 3, object 3 */
	set(a, 300000, 7);    /* 4 */
	set(b, 20000, 8);     /* 5 */
	set(c, 10000, 9);     /* 6 */
	allocate(5000);       /* 7 */
	events_waited_for = 100;
	calls_of_coverage = 0;
	holding = running = true;
	launch(a, 5000, 7, 0); /* 8 */
	put_set(b, 100, 8, 0); /* 9 */
	events_prepare(context, false, NULL, 0);
	check(events_is_late() && events_deferred() && ended == 7, "a launch is given up, and its pass waits");
	events_prepare(context, false, NULL, all_but(30000));
	/* of all four: the memory of the host is the device's here, so that none of it gets free */
	check(memory_on_host() && !released && calls_of_coverage == 1 + 4,
	      "shadows move to the host, and nothing waits");
	running = false;
	let_run();
	set(c, 10000, 9);      /* 10 */
	check(row_is(8, 1, 4, GPU_WRITE, 5000, 5000) && row_is(9, 2, 5, GPU_WRITE, 100, 100),
	      "what the passes find there is right");
	check(row_is(10, 3, 6, GPU_WRITE, 10000, 10000), "and what they did not touch is known");
	put_copy(b, true, c, true, 100); /* 11 */
	holding = running = true;
	put_copy(b, true, c, true, 100); /* 12 */
	events_prepare(context, false, NULL, 0);
	check(events_is_late() && events_deferred_copies(), "copies between objects use more than one");
	running = false;
	let_run();
	launch(c, 10, -1, 0); /* 13 */
	events_stop();
	check(ended == 13 && events[11].rows == 2, "they are known when they have ended after all");
	printf("1..%d\n", tests);
	return 0;
}

/* -- what passes expect --------------------------------------------------------------------- */

static unsigned grid; /* of the last pass */
static uint32_t tried;

static CUresult launch_seen(CUfunction kernel, unsigned x, unsigned y, unsigned z, unsigned bx,
			    unsigned by, unsigned bz, unsigned shared, CUstream stream,
			    void **words, void **extra)
{
	if (kernel == events_find_space(context)->kernels[PASS_SETTLE]) {
		grid = x;
		memcpy(&tried, words[4], sizeof(tried));
	}
	return launch_kernel(kernel, x, y, z, bx, by, bz, shared, stream, words, extra);
}

/* What the last pass of a launch found; it is over. */
static const volatile struct result_pass *found(void)
{
	const struct space *space = events_find_space(context);

	events_prepare(context, false, NULL, 0);
	return &space->result_passes[space->ticket % PASSES];
}

/* A pass of many threads is done by one block of them if the last of its kernel had little to do. */
static int guesses(void)
{
	CUdeviceptr a;

	start(0);
	launch_kernel = driver.cuLaunchKernel;
	driver.cuLaunchKernel = launch_seen;
	function = (CUfunction)0x1230;
	threads = 2000;
	a = allocate(300000); /* event 1, object 1 */
	events_find_space(context)->pass_blocks = 64; /* at most */
	set(a, 300000, 7);     /* 2 */
	launch(a, 5000, 7, 0); /* 3 */
	check(grid == 2000 / PASS_THREADS + 1 && tried && found()->small && found()->blocks == 5 &&
		      row_is(3, 1, 2, GPU_WRITE, 5000, 5000),
	      "the first block of threads tries, and does it all");
	launch(a, 300000, 7, 0); /* 4 */
	check(tried && !found()->small && found()->blocks >= 293 && events[3].rows == 2,
	      "or all do it, when it is too much");
	launch(a, 5000, 7, 0); /* 5 */
	check(!tried && grid == 64 && !found()->small && found()->blocks == 5 &&
		      row_is(5, 1, 4, GPU_WRITE, 5000, 5000),
	      "then the next does not try, and has blocks of threads enough");
	launch(a, 5000, 7, 0); /* 6 */
	check(!tried && grid == 2000 / PASS_THREADS + 1, "nor do some after it, though there is less to do");
	for (int i = 0; i < 14; i++)
		launch(a, 5000, 7, 0); /* 7 + i */
	found();
	launch(a, 5000, 7, 0); /* 21 */
	check(tried && found()->small, "until one tries again");
	threads = 100;
	launch(a, 300000, 7, 0); /* 22: another size */
	check(grid == 1 && !found()->small && ended == 22, "a single block of threads does what it must");
	launch(a, 300000, 7, 0); /* 23 */
	check(grid == 64 && found()->blocks >= 293 && row_is(23, 1, 22, GPU_WRITE, 300000, 300000),
	      "... and is not alone the next time");
	events_find_space(context)->body_blocks += 1 << 20;
	set(a, 100, 7); /* 24 */
	check(grid == 1 && found()->small, "a small set needs no more in the presence of large objects");
	events_stop();
	printf("1..%d\n", tests);
	return 0;
}

static CUresult deny_passes(CUfunction kernel, unsigned x, unsigned y, unsigned z, unsigned bx,
			    unsigned by, unsigned bz, unsigned shared, CUstream stream,
			    void **words, void **extra)
{
	if (no_passes && kernel == events_find_space(context)->kernels[PASS_SETTLE])
		return CUDA_ERROR_OUT_OF_MEMORY;
	return launch_kernel(kernel, x, y, z, bx, by, bz, shared, stream, words, extra);
}

/* Passes that the driver had no memory for leave no results, after those of many that did. */
static int denied(void)
{
	CUdeviceptr a;

	start(0);
	launch_kernel = driver.cuLaunchKernel;
	driver.cuLaunchKernel = deny_passes;
	a = allocate(1000); /* event 1, object 1 */
	for (int i = 0; i < PASSES; i++)
		set(a, 1000, 7); /* 2 + i */
	no_passes = true;
	for (int i = 0; i < 100; i++) /* more than the rows that one block of threads wants room for */
		set(a, 1000, 7);
	no_passes = false;
	set(a, 1000, 8);      /* the last but two */
	set(a, 1000, 9);      /* ... but one */
	launch(a, 32, -1, 0); /* the last */
	events_stop();
	check(row_is(ended - 2, 1, GPU_WRITER_UNKNOWN, GPU_WRITE, 1000, 0), "what they were about is unknown");
	check(row_is(ended - 1, 1, ended - 2, GPU_WRITE, 1000, 0) &&
		      row_is(ended, 1, ended - 1, GPU_READ, 32, 0),
	      "and what comes after them is known");
	printf("1..%d\n", tests);
	return 0;
}

/* Launches before there is any object. */
static int nothing(void)
{
	const CUstream waited_for = CU_STREAM_PER_THREAD;
	CUdeviceptr a;

	start(0);
	for (int i = 0; i < 2; i++) { /* events 1, 2 */
		events_prepare(context, true, i ? &waited_for : &streams[0], 0);
		finish((struct operation){.kind = OPERATION_KERNEL,
					  .name = "kernel",
					  .stream = i ? waited_for : streams[0],
					  .patched = true,
					  .threads = 1000000});
	}
	a = allocate(1000);   /* 3, object 1 */
	set(a, 1000, 7);      /* 4 */
	launch(a, 32, -1, 0); /* 5 */
	events_stop();
	check(ended == 5 && !events[0].rows && !events[1].rows && row_is(4, 1, 3, GPU_WRITE, 1000, 0) &&
		      row_is(5, 1, 4, GPU_READ, 32, 0),
	      "launches without any memory");
	printf("1..%d\n", tests);
	return 0;
}

/* Calls that fail. */
static int failed(void)
{
	CUdeviceptr a;

	start(0);
	a = allocate(1000);   /* event 1, object 1 */
	set(a, 1000, 7);      /* 2 */
	fail(OPERATION_FREE);
	fail(OPERATION_SET);
	launch(a, 32, -1, 0); /* 3 */
	fail(OPERATION_KERNEL);
	launch(a, 32, -1, 0); /* 4 */
	events_stop();
	check(row_is(3, 1, 2, GPU_READ, 32, 0), "a free or set that failed did nothing");
	check(row_is(4, 1, GPU_WRITER_UNKNOWN, GPU_READ, 32, 0), "a launch may have");
	printf("1..%d\n", tests);
	return 0;
}

static CUresult (*make_memory)(CUdeviceptr *, size_t);
static bool no_memory;

static CUresult deny_some_memory(CUdeviceptr *memory, size_t size)
{
	/* one bit for each of 2,048 records: the second thing that grows */
	return no_memory && size == 256 ? CUDA_ERROR_OUT_OF_MEMORY : make_memory(memory, size);
}

/* The records of objects have moved when there is no memory for the rest that grows with them. */
static int slots(void)
{
	CUdeviceptr a;

	start(0);
	make_memory = driver.cuMemAlloc;
	driver.cuMemAlloc = deny_some_memory;
	a = allocate(10000);  /* 1 */
	set(a, 10000, 7);     /* 2 */
	launch(a, 32, -1, 0); /* 3 */
	for (int i = 0; i < 1023; i++)
		allocate(16);
	launch(a, 32, -1, 0); /* 1027: with a table of all */
	no_memory = true;
	allocate(16); /* 1028: the 1,025th record */
	no_memory = false;
	launch(a, 32, -1, 0); /* 1029 */
	set(a, 10000, 7);     /* 1030 */
	for (int i = 0; i < 7168; i++)
		allocate(16);
	no_mapping = true;
	allocate(16); /* 8199: with 8,192 records the ring of results is to grow */
	no_mapping = false;
	set(a, 10000, 7); /* 8200 */
	allocate(16);     /* 8201: it can */
	set(a, 100, 7);	  /* 8202 */
	events_stop();
	check(row_is(1029, 1, 2, GPU_READ, 32, 0), "the objects before it are followed");
	check(row_is(1030, 1, 2, GPU_WRITE, 10000, 10000), "and their contents known");
	check(row_is(8200, 1, 1030, GPU_WRITE, 10000, 10000), "without room for more results");
	check(row_is(8202, 1, 8200, GPU_WRITE, 100, 100), "with it");
	printf("1..%d\n", tests);
	return 0;
}

static unsigned made;

static CUresult count_memory(CUdeviceptr *memory, size_t size)
{
	made++;
	return make_memory(memory, size);
}

static void free_again(CUdeviceptr address)
{
	finish((struct operation){.kind = OPERATION_FREE, .address = address});
	driver.cuMemFree(address);
}

/* What objects that went had serves those that come. */
static int kept(void)
{
	CUdeviceptr a, b;
	size_t before;

	start(0);
	make_memory = driver.cuMemAlloc;
	driver.cuMemAlloc = count_memory;
	a = allocate(1000);	/* event 1 */
	launch(a, 100, 7, 0);	/* 2: there is a table now */
	before = unused();
	b = allocate(1000);	/* 3, object 2 */
	set(b, 1000, 7);	/* 4 */
	free_again(b);		/* 5 */
	made = 0;
	b = allocate(1000);	/* 6, object 3 */
	launch(b, 100, 7, 0);	/* 7 */
	launch(b, 100, -1, 0);	/* 8 */
	free_again(b);		/* 9 */
	check(made == 1, "the program's memory is all that was allocated");
	check(row_is(7, 3, 6, GPU_WRITE, 100, 0) && row_is(8, 3, 7, GPU_READ, 100, 0),
	      "and nothing is known of who had it before");
	for (int i = 0; i < 300; i++)
		free_again(allocate(1000 + 600 * i));
	check(memory_release_kept(context, false) && unused() == before, "what is kept can be had back");
	set(a, 100, 7);
	events_stop();
	printf("1..%d\n", tests);
	return 0;
}

static int enough(void)
{
	CUdeviceptr a, b;
	uint32_t more;
	bool right = true;

	start(0);
	a = allocate(10000);  /* event 1, object 1 */
	b = allocate(300000); /* event 2, object 2 */
	set(a, 10000, 7);     /* 3 */
	check(row_is(3, 1, 1, GPU_WRITE, 10000, 0) && events[2].contents == 1, "a set");
	launch(a, 5000, -1, 0); /* 4 */
	launch(b, 5000, 0, 0);  /* 5: the object has no shadow yet */
	check(row_is(4, 1, 3, GPU_READ, 5000, 0) && !events[3].contents, "a launch that reads");
	check(ended == 5 && row_is(5, 2, 2, GPU_WRITE, 5000, 0), "the first that writes");
	for (int i = 0; i < 300; i++)
		launch(b + 100 * i, 100, i % 256, 0); /* 6 + i */
	launch(b, 64, -1, 1);			      /* 306, after all of the other stream's */
	check(ended >= 305, "another stream's launch waits for what ran before");
	set(a, 32, 7); /* 307 */
	check(ended == 307 && begun == 307, "all events have ended, in order");
	/* the first 50 write what launch 5 wrote, the first of them with the same value */
	for (int i = 0; i < 300; i++)
		right &= row_is(6 + i, 2, i < 50 ? 5 : 2, GPU_WRITE, 100, i == 0 ? 100 : 0) &&
			 events[5 + i].contents == (i != 0);
	check(right, "300 launches, each with its row and digest");
	check(row_is(306, 2, 6, GPU_READ, 64, 0), "the launch after them sees what they wrote");
	check(row_is(307, 1, 3, GPU_WRITE, 32, 32), "a set of the same bytes is redundant");
	launch(a, 32, -1, 1); /* 308 */
	events_missed();
	launch(a, 32, -1, 1); /* 309 */
	finish((struct operation){.kind = OPERATION_FREE, .address = b}); /* 310 */
	check(row_is(308, 1, 307, GPU_READ, 32, 0) &&
		      row_is(309, 1, GPU_WRITER_UNKNOWN, GPU_READ, 32, 0),
	      "after something that was missed nothing is known");
	check(ended == 310 && events[309].rows == 0, "a free");
	check(!calls_of_coverage, "everything was seen");
	two_contexts();
	more = ended - 310; /* events of these */
	calls_of_coverage = 0;
	set(a, 10000, 9); /* 311 and more */
	check(row_is(more + 311, 1, GPU_WRITER_UNKNOWN, GPU_WRITE, 10000, 0) && !memory_on_host(),
	      "shadows lie on the device");
	events_prepare(context, false, NULL, all_but(30000));
	check(!memory_on_host() && !calls_of_coverage, "what was kept of others makes way first");
	events_prepare(context, false, NULL, all_but(30000));
	check(memory_on_host() && calls_of_coverage == 1, "they make way for the program");
	set(a, 10000, 9);     /* 312 */
	launch(a, 32, -1, 1); /* 313 */
	launch(a, 32, 9, 1);  /* 314 */
	events_stop();
	check(row_is(more + 312, 1, more + 311, GPU_WRITE, 10000, 10000) &&
		      row_is(more + 313, 1, more + 312, GPU_READ, 32, 0),
	      "nothing is lost when they move");
	check(ended == more + 314 &&
		      row_is(more + 314, 1, more + 312, GPU_WRITE, 32, 32),
	      "what is under way when the process ends is taken in");
	printf("1..%d\n", tests);
	return 0;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		int (*run)(void);
	} cases[] = {
		{"enough", enough},
		{"coarse", coarse},
		{"late", late},
		{"room", late_room},
		{"behind", behind},
		{"kept", kept},
		{"behind-room", behind_room},
		{"guesses", guesses},
		{"denied", denied},
		{"nothing", nothing},
		{"failed", failed},
		{"slots", slots},
	};

	for (size_t i = 0; argc == 2 && i < sizeof(cases) / sizeof(*cases); i++)
		if (!strcmp(argv[1], cases[i].name))
			return cases[i].run();
	return 2;
}
