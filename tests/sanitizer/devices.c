/* Kernels of several devices, which may wait for each other: see sanitizer/events.h. */
#include "tests/sanitizer/events.h"

#include "gpu/sanitizer/callback/mappings.h"

static CUcontext first, second;

/* The emulated device twice: the first context has one, all others the other. */
static CUresult device_of(CUdevice *device)
{
	CUcontext current;

	*device = driver.cuCtxGetCurrent(&current) == CUDA_SUCCESS && current != first;
	return CUDA_SUCCESS;
}

static CUresult (*attribute_of)(int *, CUdevice_attribute, CUdevice);

static CUresult same_attribute(int *value, CUdevice_attribute attribute, CUdevice device)
{
	(void)device;
	return attribute_of(value, attribute, 0);
}

/* What runs does so on streams[0]. */
static CUresult first_or_other(CUstream stream)
{
	return stream == streams[0] ? stream_or_launch(stream) : query_stream(stream);
}

static CUresult all_have_atomics(int *value, CUdevice_P2PAttribute attribute, CUdevice from,
				 CUdevice to)
{
	(void)attribute, (void)from, (void)to;
	*value = 1;
	return CUDA_SUCCESS;
}

/* Two contexts with an object of 10000 bytes each, on whose first streams nothing ends. */
static CUdeviceptr a, b;

static void start_two(void)
{
	start_with_timeouts();
	driver.cuCtxGetDevice = device_of;
	attribute_of = driver.cuDeviceGetAttribute;
	driver.cuDeviceGetAttribute = same_attribute;
	driver.cuStreamQuery = first_or_other;
	driver.cuDeviceGetP2PAttribute = all_have_atomics;
	launch_kernel = driver.cuLaunchKernel;
	driver.cuLaunchKernel = launch_or_hold;
	events_awaited = 100;
	first = context;
	a = allocate(10000); /* event 1, object 1 */
	set(a, 10000, 7);    /* 2 */
	if (create_context(&second, 0, 0) != CUDA_SUCCESS)
		check(false, "a second context");
	context = second;
	b = allocate(10000); /* 3, object 2 */
	set(b, 10000, 7);    /* 4 */
}

static void on(CUcontext one)
{
	CUcontext popped;

	driver.cuCtxPopCurrent(&popped);
	driver.cuCtxPushCurrent(one);
	context = one;
}

/* What streams[0] was given runs now. */
static void end_first(void)
{
	on(first);
	running = false;
	let_run();
}

/* A kernel of the second device is launched while one of the first waits for it. */
static void queues(void)
{
	start_two();
	on(first);
	holding = running = true;
	launch(a, 100, 7, 0); /* 5 */
	on(second);
	launch(b, 100, 7, 1); /* 6 */
	launch(b, 100, 7, 1); /* 7 */
	check(!queues_timed_out() && begun == 7 && ended == 6 && events[5].context == 7 &&
		      events_pending(),
	      "a launch does not wait for what runs on another device");
	check(events[5].row.writer == 6 && events[5].row.redundant_bytes == 100,
	      "... and is known before it");
	events_prepare(second, false, NULL, 0, false);
	check(!queues_timed_out(), "nor do other calls there");
	check(events_pending_in_others(second, streams[0]) &&
		      !events_pending_in_others(second, streams[1]) &&
		      !events_pending_in_others(first, streams[0]),
	      "it is known which stream of another device it is on");
	end_first();
	set(a, 10, 7); /* 8 */
	check(events[6].context == 5 && events[6].row.writer == 2 && events[6].row.bytes == 100 &&
		      events[7].row.writer == 5,
	      "which is known later");
	events_stop();
}

static bool is_contended(void)
{
	return true;
}

/* The same if they reach each other's memory. */
static void reach_each_other(bool contended)
{
	uint64_t before;

	start_two();
	events_yield_by(NULL, contended ? is_contended : NULL);
	events_peer(second, first, true);
	on(second);
	launch(a, 100, 7, 1); /* 5 */
	check(row_is(5, 1, 2, GPU_WRITE, 100, 100), "a kernel marks the memory of another device");
	check(events_are_serialized(first) && events_are_serialized(second),
	      "so one waits for the other");
	on(first);
	running = true;
	before = now_ns();
	launch(a, 100, 7, 0); /* 6 */
	check((now_ns() - before > 5 * SECOND_NS) == !contended,
	      "it is waited for, less when another thread wants to launch something");
	check(queues_timed_out() && calls_of_coverage == 1,
	      "one that does not end is given up, once");
	check(!events_are_serialized(first) && !events_are_serialized(second),
	      "then none is waited for");
	running = false;
	launch(a, 100, -1, 0); /* 7 */
	check(!queues_timed_out() && ended == 7 && events[6].row.writer == GPU_WRITER_UNKNOWN,
	      "what it did has no known writer");
	set(a, 10000, 7); /* 8 */
	holding = running = true;
	launch(a, 100, 7, 0); /* 9 */
	on(second);
	launch(b, 100, 7, 1); /* 10 */
	check(!queues_timed_out() && ended == 9 && events[8].context == 10,
	      "from then on they run side by side");
	end_first();
	set(b, 10000, 7); /* 11 */
	on(first);
	set(a, 10000, 7);                                    /* 12 */
	driver.cuMemsetD8Async(a + 100, 8, 100, streams[0]); /* by the other device */
	launch(a, 300, -1, 0);                               /* 13 */
	events_prepare(first, false, NULL, 0, false);
	check(ended == 13 && events[12].rows == 2 && events[12].row.writer == GPU_WRITER_UNKNOWN &&
		      events[12].row.bytes == 100,
	      "what the other device has written is seen when it is read");
	events_stop();
}

static void dependent(void)
{
	reach_each_other(false);
}

static void contended(void)
{
	reach_each_other(true);
}

/* Before a kernel that waits for another device's nothing is left to be allocated. */
static void ready(void)
{
	start_two();
	on(first);
	holding = true;
	launch(a, 100, 7, 0); /* 5 */
	on(second);
	allocate(70 << 20); /* 6: has no shadow yet */
	on(first);
	launch(a, 100, 7, 0); /* 7 */
	check(space_lacks_details(events_find_space(second)) && ended == 5,
	      "while something runs nothing is allocated for other devices");
	let_run();
	check(events_ready_all() && ended == 7 && !space_lacks_details(events_find_space(second)) &&
		      space_is_published(events_find_space(second)),
	      "it is waited for, and all is");
	events_stop();
}

static unsigned yields;
static bool keeps_lock, refills;

static bool yield(void)
{
	if (++yields == 2 && refills) {
		on(second);
		launch(b, 100, 7, 0);
		on(first);
	}
	if (yields == 3 && !keeps_lock)
		end_first();
	return !keeps_lock;
}

/* What runs ends when it is looked at. */
static CUresult end_when_queried(CUstream stream)
{
	if (stream == streams[0] && running)
		end_first();
	return first_or_other(stream);
}

/* While one thread waits, another may do what it waits for. */
static void yielding(void)
{
	start_two();
	events_yield_by(yield, NULL);
	launch(b, 100, 7, 1); /* 5 */
	on(first);
	holding = running = true;
	launch(a, 100, 7, 0); /* 6 */
	check(events_prepare(first, false, NULL, 0, false) && yields == 3 && ended == 6 &&
		      !queues_timed_out(),
	      "others have their turn");
	holding = running = keeps_lock = true;
	launch(a, 100, 7, 0); /* 7 */
	check(!events_prepare(first, false, NULL, 0, false) && ended == 6 && !queues_timed_out(),
	      "and may keep it");
	driver.cuStreamQuery = end_when_queried;
	driver.cuMemsetD8Async(a, 7, 100, 0);
	finish((struct operation){.kind = OPERATION_SET, /* 8 */
				  .address = a,
				  .width = 100,
				  .height = 1,
				  .depth = 1,
				  .pitch = 100});
	check(ended == 8 && events[6].context == 7 && row_is(8, 1, 7, GPU_WRITE, 100, 100),
	      "the call that lost it waits when it ends");
	driver.cuStreamQuery = first_or_other;
	holding = running = refills = true;
	keeps_lock = false;
	launch(a, 100, 7, 0); /* 9, and 10 in a turn */
	yields = 0;
	check(events_drain(first, true) && ended == 10 && !events_pending(),
	      "what others put meanwhile where nothing was is waited for, too");
	events_stop();
}

/* A device whose context fails or goes, beside another on which something runs. */
static CUresult fail_or_end(CUstream stream)
{
	CUcontext current;

	if (driver.cuCtxGetCurrent(&current) == CUDA_SUCCESS && current == first)
		return CUDA_ERROR_ILLEGAL_ADDRESS;
	let_run();
	return query_stream(stream);
}

static void other_device(void)
{
	CUcontext third;

	start_two();
	if (create_context(&third, 0, 0) != CUDA_SUCCESS)
		check(false, "a third context");
	on(third);
	launch(allocate(100), 100, 7, 1); /* 5, object 3; 6 */
	on(first);
	holding = running = true;
	launch(a, 100, 7, 0); /* 7 */
	on(third);
	events_context_gone(third);
	running = false;
	check(events_pending() && !calls_of_coverage,
	      "what runs is not given up when the context of another device goes");
	on(second);
	launch(b, 100, 7, 0); /* 8 */
	driver.cuStreamQuery = fail_or_end;
	faulted = true;
	check(!queues_drain(NULL) && !events_pending() && failed_launches == 1 && ended == 7 &&
		      events[6].context == 8 && events[6].row.writer == 4,
	      "nor when one failed: it is waited for");
}

static CUresult second_runs(CUstream stream)
{
	CUcontext current;

	return stream == streams[0] && driver.cuCtxGetCurrent(&current) == CUDA_SUCCESS &&
			       current == second
		       ? CUDA_ERROR_NOT_READY
		       : query_stream(stream);
}

/* What was given up is over; what was launched before on another device is not, for long. */
static void timed_out_twice(void)
{
	start_two();
	on(first);
	holding = running = true;
	launch(a, 100, 7, 0); /* 5 */
	on(second);
	launch(b, 100, 7, 0); /* 6 */
	on(first);
	events_prepare(first, false, NULL, 0, false);
	check(queues_timed_out() && ended == 4, "a launch is given up");
	driver.cuStreamQuery = second_runs;
	driver.cuEventQuery = query_event;
	kept_back = events_find_space(second);
	let_run();
	events_prepare(first, false, NULL, 0, false);
	check(queues_timed_out() && row_is(5, 1, 2, GPU_WRITE, 100, 100),
	      "when it is over, the next is");
	driver.cuStreamQuery = first_or_other;
	running = false;
	kept_back = NULL;
	let_run();
	on(second);
	set(b, 10, 7); /* 7 */
	check(!queues_timed_out() && ended == 7 && row_is(6, 2, 4, GPU_WRITE, 100, 100),
	      "what it did is known in the end");
	events_stop();
}

/* Memory that others write. */
static void external_writers(void)
{
	const CUmemGenericAllocationHandle mine = 5, theirs = 6;
	const CUmemAccessDesc access[] = {
		{{CU_MEM_LOCATION_TYPE_DEVICE, .id = 0}, CU_MEM_ACCESS_FLAGS_PROT_READWRITE},
		{{CU_MEM_LOCATION_TYPE_DEVICE, .id = 1}, CU_MEM_ACCESS_FLAGS_PROT_READ},
		{{CU_MEM_LOCATION_TYPE_DEVICE, .id = 1}, CU_MEM_ACCESS_FLAGS_PROT_READWRITE}};
	uint64_t words[4] = {0};
	CUdeviceptr managed;
	uint32_t at = 0;

	start_two();
	on(first);
	events_share_external(first, a + 10);
	driver.cuMemsetD8Async(a, 8, 100, streams[0]);
	launch(a, 200, -1, 0); /* 5 */
	events_prepare(first, false, NULL, 0, false);
	check(events[4].rows == 2 && events[4].row.writer == GPU_WRITER_UNKNOWN &&
		      events[4].row.bytes == 100,
	      "what somebody else has written is seen when it is read");
	launch(a, 200, 7, 0); /* 6 */
	events_prepare(first, false, NULL, 0, false);
	check(events[5].rows == 2 && events[5].row.redundant_bytes == 0 &&
		      events[5].row.writer == GPU_WRITER_UNKNOWN,
	      "... and not redundant to overwrite");
	driver.cuMemAlloc(&managed, 1000);
	finish((struct operation){.kind = OPERATION_ALLOC, /* 7, object 3 */
				  .address = managed,
				  .size = 1000,
				  .memory = GPU_MEMORY_MANAGED});
	set(managed, 1000, 1); /* 8 */
	driver.cuMemsetD8Async(managed, 2, 100, streams[0]);
	launch(managed, 100, -1, 0); /* 9 */
	events_prepare(first, false, NULL, 0, false);
	check(row_is(9, 3, GPU_WRITER_HOST, GPU_READ, 100, 0), "the host writes managed memory");
	on(second);
	holding = running = true;
	launch(b, 100, 7, 0); /* 10 */
	on(first);
	launch(a, 100, 7, 1); /* 11 */
	check(!queues_timed_out() && calls_of_coverage,
	      "kernels of other devices may, and are not waited for");
	on(second);
	running = false;
	let_run();
	on(first);
	driver.cuMemsetD8Async(managed, 3, 100, streams[0]);
	launch(managed, 100, -1, 0); /* 12 */
	events_prepare(first, false, NULL, 0, true);
	check(ended == 12 && events[10].context == 12 &&
		      events[10].row.writer == GPU_WRITER_UNKNOWN,
	      "who it was is not known then");
	launch(a + 5000, 100, -1, 0); /* 13 */
	events_prepare(first, false, NULL, 0, true);
	check(row_is(13, 1, 2, GPU_READ, 100, 0), "what nobody else has written keeps its writer");
	words[0] = 0x1000, words[1] = 0x100, words[3] = mine;
	mappings_call("cuMemMap", words);
	check(!mappings_next("cuMemMap", words, &at) && !mappings_is_shared(0x1000), "a mapping");
	words[1] = mine;
	mappings_call("cuMemExportToShareableHandle", words);
	check(mappings_next("cuMemExportToShareableHandle", words, &(uint32_t){0}) == 0x1000 &&
		      mappings_is_shared(0x10ff) && !mappings_is_shared(0x1100),
	      "... that another process gets");
	words[0] = (uintptr_t)&theirs;
	mappings_call("cuMemImportFromShareableHandle", words);
	words[0] = 0x2000, words[1] = 0x100, words[3] = theirs;
	mappings_call("cuMemMap", words);
	check(mappings_is_shared(0x2000), "... that comes from one");
	words[0] = 0x3000, words[3] = 7;
	mappings_call("cuMemMap", words);
	words[0] = 0x4000;
	mappings_call("cuMemMap", words);
	at = 0;
	check(mappings_next("cuMemMap", words, &at) == 0x3000 &&
		      mappings_next("cuMemMap", words, &at) == 0x4000 &&
		      !mappings_next("cuMemMap", words, &at) && mappings_is_shared(0x3000),
	      "... that is there twice");
	words[1] = 0x1000;
	mappings_call("cuMemUnmap", words);
	words[0] = 0x4000, words[1] = 0x100, words[3] = 8;
	mappings_call("cuMemMap", words);
	check(!mappings_is_shared(0x4000), "and one that has taken the place of another");
	words[2] = (uintptr_t)access, words[3] = 2;
	check(!mappings_next("cuMemSetAccess", words, &(uint32_t){0}), "devices that only read");
	words[3] = 3;
	check(mappings_next("cuMemSetAccess", words, &(uint32_t){0}) == 0x4000,
	      "devices that write");
	words[0] = 0x4100, words[3] = 9;
	mappings_call("cuMemMap", words);
	words[0] = 0x5000, words[3] = 10;
	mappings_call("cuMemMap", words);
	words[0] = 0x4080, words[1] = 0x100, words[2] = (uintptr_t)access, words[3] = 3;
	at = 0;
	check(mappings_next("cuMemSetAccess", words, &at) == 0x4000 &&
		      mappings_next("cuMemSetAccess", words, &at) == 0x4100 &&
		      !mappings_next("cuMemSetAccess", words, &at),
	      "... all that is mapped there");
	words[1] = 0x5000;
	check(mappings_next("cuIpcGetMemHandle", words, &(uint32_t){0}) == 0x5000,
	      "memory whose handle is asked for");
	events_stop();
}

/* A variable as modules_variables() makes it: managed memory that its module has initialised. */
static struct object *managed_variable(uint64_t size)
{
	struct space *space;
	struct object *object;
	CUdeviceptr address;

	events_prepare(context, false, NULL, 0, false);
	space = events_find_space(context);
	driver.cuMemAlloc(&address, size);
	driver.cuMemsetD8Async(address, 1, size, 0);
	object = space_add(space, address, size, GPU_MEMORY_GLOBAL, true);
	object_share(object);
	space_initialised(space, &object, 1);
	return object;
}

/*
 * Whether a launch that reads `size` bytes finds `written` of them changed by the host, and the
 * others as the variable's module left them.  The variable's event ends just before the launch's.
 */
static bool finds_host(const struct object *object, uint64_t size, uint64_t written)
{
	const struct event *event;

	driver.cuMemsetD8Async(object->address, 2, written, streams[0]);
	launch(object->address, size, -1, 0);
	events_prepare(context, false, NULL, 0, false);
	event = &events[ended - 1];
	return event->rows == 2 && event->row.writer == events[ended - 2].context &&
	       event->row.bytes == size - written;
}

/* The host writes to `__managed__` variables without an API. */
static void variables(void)
{
	struct object *small, *large;

	start(0);
	allocate(1000);
	small = managed_variable(64);
	check(small->detail.device && finds_host(small, 64, 32),
	      "a managed variable whose detail shadow is made at once");
	large = managed_variable(70 << 20);
	check(finds_host(large, 100000, 5000), "... when it is initialised");
	events_stop();
}

int main(int argc, char **argv)
{
	static const struct test_case cases[] = {
		{"queues", queues},
		{"dependent", dependent},
		{"contended", contended},
		{"ready", ready},
		{"yielding", yielding},
		{"other_device", other_device},
		{"timed_out_twice", timed_out_twice},
		{"external_writers", external_writers},
		{"variables", variables},
	};

	return run_case(cases, sizeof(cases) / sizeof(*cases), argc, argv);
}
