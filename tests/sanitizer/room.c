/* Shadows where memory is short: on the device, on the host, or both. */
#include "gpu/sanitizer/api/device_bytes.h"
#include "tests/sanitizer/events.h"

/* Neither the device nor the host has memory for whole shadows. */
static void coarse(void)
{
	CUdeviceptr a, b, c;

	start(200000);
	a = allocate(300000); /* event 1, object 1: the masks fit */
	host_is_full = true;
	set(a, 300000, 7);          /* 2 */
	launch(a, 100, -1, 0);      /* 3 */
	launch(a + 5000, 10, 7, 0); /* 4 */
	set(a, 300000, 7);          /* 5 */
	check(row_is(2, 1, 1, GPU_WRITE, 300000, 0) && row_is(3, 1, 2, GPU_READ, 100, 0) &&
		      calls_of_coverage == 1,
	      "a coarse shadow knows the last writer");
	check(row_is(4, 1, 2, GPU_WRITE, 10, 0) && events[4].rows == 2 &&
		      events[4].row.writer == 4 && events[4].row.bytes == 1024 &&
		      !events[4].row.redundant_bytes,
	      "... of blocks, not of words, and not what is unchanged");
	check(!events[1].contents && !events[4].contents, "... and no digests");
	b = allocate(2000);                        /* 6, object 2 */
	copy(b, context, a, context, 1000);        /* 7 */
	set(b, 1000, 7);                           /* 8 */
	copy(a + 2048, context, b, context, 1000); /* 9 */
	launch(a + 2048, 16, -1, 0);               /* 10 */
	set(b, 10, 7);                             /* 11: and not before launch 10 has ended */
	check(row_is(8, 2, 7, GPU_WRITE, 1000, 0), "what it does not know is equal to nothing");
	check(row_is(10, 1, 9, GPU_READ, 16, 0), "copies into it are seen");
	events_lost_track();
	launch(a, 32, -1, 0); /* 12 */
	c = allocate(10000);  /* 13, object 3 */
	check(row_is(12, 1, GPU_WRITER_UNKNOWN, GPU_READ, 32, 0), "it can be forgotten");
	set(c, 10000, 9); /* 14 */
	calls_of_coverage = 0;
	events_prepare(context, false, NULL, all_but(10000), false);
	set(c, 10000, 9);      /* 15 */
	launch(c, 2000, 9, 0); /* 16 */
	events_stop();
	check(calls_of_coverage == 1 && row_is(14, 3, 13, GPU_WRITE, 10000, 0) &&
		      row_is(15, 3, GPU_WRITER_UNKNOWN, GPU_WRITE, 10000, 0) &&
		      row_is(16, 3, 15, GPU_WRITE, 2000, 0),
	      "shadows that make way and find no room become coarse");
}

/* Shadows make way for the program while a launch runs that nobody waits for. */
static void timed_out(void)
{
	CUdeviceptr a, b, c;

	start_with_timeouts();
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
	check(queues_timed_out() && calls_of_coverage == 1, "a launch is given up");
	host_is_full = true;
	events_prepare(context, false, NULL, all_but(30000), false);
	check(!memory_on_host() && calls_of_coverage == 2 && !released,
	      "the largest shadow is forgotten when the host has no room, and nothing waits");
	host_is_full = false;
	events_prepare(context, false, NULL, all_but(30000),
		       false); /* the host's is the device's here */
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
}

/* Shadows make way for the program while passes wait behind a launch that does not end. */
static void pending(void)
{
	CUdeviceptr a, b, c;

	start_with_timeouts();
	launch_kernel = driver.cuLaunchKernel;
	driver.cuLaunchKernel = launch_or_hold;
	a = allocate(300000); /* event 1, object 1 */
	b = allocate(20000);  /* 2, object 2 */
	c = allocate(10000);  /* 3, object 3 */
	set(a, 300000, 7);    /* 4 */
	set(b, 20000, 8);     /* 5 */
	set(c, 10000, 9);     /* 6 */
	allocate(5000);       /* 7 */
	events_awaited = 100;
	calls_of_coverage = 0;
	holding = running = true;
	launch(a, 5000, 7, 0); /* 8 */
	put_set(b, 100, 8, 0); /* 9 */
	events_prepare(context, false, NULL, 0, false);
	check(queues_timed_out() && events_pending() && ended == 7,
	      "a launch is given up, and its pass waits");
	events_prepare(context, false, NULL, all_but(30000), false);
	/* of all four: the memory of the host is the device's here, so that none of it gets free */
	check(memory_on_host() && !released && calls_of_coverage == 1 + 4,
	      "shadows move to the host, and nothing waits");
	running = false;
	let_run();
	set(c, 10000, 9); /* 10 */
	check(row_is(8, 1, 4, GPU_WRITE, 5000, 5000) && row_is(9, 2, 5, GPU_WRITE, 100, 100),
	      "what the passes find there is right");
	check(row_is(10, 3, 6, GPU_WRITE, 10000, 10000), "and what they did not touch is known");
	put_copy(b, true, c, true, 100); /* 11 */
	holding = running = true;
	put_copy(b, true, c, true, 100); /* 12 */
	events_prepare(context, false, NULL, 0, false);
	check(queues_timed_out() && queues_hold_copies(),
	      "copies between objects use more than one");
	running = false;
	let_run();
	launch(c, 10, -1, 0); /* 13 */
	events_stop();
	check(ended == 13 && events[11].rows == 2, "they are known when they have ended after all");
}

static CUresult deny_passes(CUfunction kernel, unsigned x, unsigned y, unsigned z, unsigned bx,
			    unsigned by, unsigned bz, unsigned shared, CUstream stream,
			    void **words, void **extra)
{
	if (no_passes && is_pass(events_find_space(context), kernel))
		return CUDA_ERROR_OUT_OF_MEMORY;
	return launch_kernel(kernel, x, y, z, bx, by, bz, shared, stream, words, extra);
}

/* Passes that the driver had no memory for leave no results, after those of many that did. */
static void denied(void)
{
	CUdeviceptr a;

	start(0);
	launch_kernel = driver.cuLaunchKernel;
	driver.cuLaunchKernel = deny_passes;
	a = allocate(1000); /* event 1, object 1 */
	for (int i = 0; i < PASSES; i++)
		set(a, 1000, 7); /* 2 + i */
	no_passes = true;
	for (int i = 0; i < 100;
	     i++) /* more than the rows that one block of threads wants room for */
		set(a, 1000, 7);
	no_passes = false;
	set(a, 1000, 8);      /* the last but two */
	set(a, 1000, 9);      /* ... but one */
	launch(a, 32, -1, 0); /* the last */
	events_stop();
	check(row_is(ended - 2, 1, GPU_WRITER_UNKNOWN, GPU_WRITE, 1000, 0),
	      "what they were about is unknown");
	check(row_is(ended - 1, 1, ended - 2, GPU_WRITE, 1000, 0) &&
		      row_is(ended, 1, ended - 1, GPU_READ, 32, 0),
	      "and what comes after them is known");
}

static bool no_memory;

static CUresult deny_some_memory(CUdeviceptr *memory, size_t size)
{
	/* one bit for each of 2,048 records: the second thing that grows */
	return no_memory && size == 256 ? CUDA_ERROR_OUT_OF_MEMORY : make_memory(memory, size);
}

/* The records of objects have moved when there is no memory for the rest that grows with them. */
static void slots(void)
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
	set(a, 100, 7);   /* 8202 */
	events_stop();
	check(row_is(1029, 1, 2, GPU_READ, 32, 0), "the objects before it are followed");
	check(row_is(1030, 1, 2, GPU_WRITE, 10000, 10000), "and their contents known");
	check(row_is(8200, 1, 1030, GPU_WRITE, 10000, 10000), "without room for more results");
	check(row_is(8202, 1, 8200, GPU_WRITE, 100, 100), "with it");
}

static unsigned made;

static CUresult count_memory(CUdeviceptr *memory, size_t size)
{
	made++;
	return make_memory(memory, size);
}

/* What objects that went had serves those that come. */
static void cached(void)
{
	CUdeviceptr a, b;
	size_t before;

	start(0);
	make_memory = driver.cuMemAlloc;
	driver.cuMemAlloc = count_memory;
	a = allocate(1000);   /* event 1 */
	launch(a, 100, 7, 0); /* 2: there is a table now */
	before = unused();
	b = allocate(1000); /* 3, object 2 */
	set(b, 1000, 7);    /* 4 */
	free_again(b);      /* 5 */
	made = 0;
	b = allocate(1000);    /* 6, object 3 */
	launch(b, 100, 7, 0);  /* 7 */
	launch(b, 100, -1, 0); /* 8 */
	free_again(b);         /* 9 */
	check(made == 1, "the program's memory is all that was allocated");
	check(row_is(7, 3, 6, GPU_WRITE, 100, 0) && row_is(8, 3, 7, GPU_READ, 100, 0),
	      "and nothing is known of who had it before");
	for (int i = 0; i < 300; i++)
		free_again(allocate(1000 + 600 * i));
	check(memory_release_cached(context, false) && unused() == before,
	      "what is kept can be had back");
	set(a, 100, 7);
	events_stop();
}

static CUresult (*get_info)(size_t *, size_t *);
static size_t left; /* that the driver says is free; 0: what there is */
static unsigned asked_info;

static CUresult say_left(size_t *bytes, size_t *total)
{
	CUresult result = get_info(bytes, total);

	asked_info++;
	if (left)
		*bytes = left;
	return result;
}

/* The driver says that so much is left. */
static void leave(size_t bytes)
{
	left = bytes;
	memory_requery();
}

static void cache_some(void)
{
	CUdeviceptr a = allocate(1000);

	set(a, 1000, 7);
	free_again(a);
}

/* Something is kept.  Returns an object without a shadow, so that launches are waited for. */
static CUdeviceptr start_with_cached(void)
{
	CUdeviceptr a;

	start_with_timeouts();
	get_info = driver.cuMemGetInfo;
	driver.cuMemGetInfo = say_left;
	cache_some();
	a = allocate(70 << 20);
	released = 0;
	return a;
}

/* What is kept goes before calls that take nobody knows how much. */
static void unknown(void)
{
	start_with_cached();
	asked_info = 0;
	for (int i = 0; i < 100; i++)
		events_release_cached(EVENTS_CALL_MAY_TAKE);
	check(!asked_info && memory_is_cached(UINT64_MAX),
	      "not while there is plenty, and the driver is not asked each time");
	leave(EVENTS_CALL_MAY_TAKE);
	events_release_cached(EVENTS_CALL_MAY_TAKE);
	check(!memory_is_cached(UINT64_MAX) && !released,
	      "when there is not it goes, and nothing waits");
	leave(0);
	cache_some();
	check(memory_is_cached(UINT64_MAX), "there is something again");
	events_out_of_memory();
	check(!memory_is_cached(UINT64_MAX), "that goes when the program found too little");
	events_stop();
}

static CUresult deny_shadows(CUdeviceptr *memory, size_t size)
{
	return no_memory && size != 100000 ? CUDA_ERROR_OUT_OF_MEMORY : make_memory(memory, size);
}

/* The driver has less memory than it said. */
static void wrong(void)
{
	start_with_cached();
	make_memory = driver.cuMemAlloc;
	driver.cuMemAlloc = deny_shadows;
	events_prepare(context, false, NULL, 1, false);
	asked_info = 0;
	events_prepare(context, false, NULL, 1, false);
	check(!asked_info, "as long as there is plenty it is not asked");
	no_memory = true;
	allocate(100000);
	no_memory = false;
	asked_info = 0;
	events_prepare(context, false, NULL, 1, false);
	check(asked_info, "it is when there was not");
	events_stop();
}

/* What is kept while something runs that nobody waits for. */
static void stream_hung(void)
{
	CUdeviceptr a = start_with_cached();

	running = true;
	launch(a, 64, 1, 0);
	check(queues_timed_out(), "a launch is given up");
	leave(1);
	stream_fails = true;
	events_prepare(context, false, NULL, 1 << 20, false);
	check(!memory_is_cached(UINT64_MAX) && !released, "it goes, and nothing waits");
	stream_fails = running = false;
	leave(0);
	set(a, 64, 1);
	check(!memory_release_cached(context, false) && !freed_twice,
	      "once, though the stream on which it went failed then");
	cache_some();
	a = allocate(70 << 20); /* the other has a shadow now */
	running = true;
	launch(a, 64, 1, 0);
	leave(1);
	events_find_space(context)->stream_hung = true;
	events_prepare(context, false, NULL, 1 << 20, false);
	check(queues_timed_out() && memory_is_cached(UINT64_MAX), "not on a stream that is stuck");
	running = false;
	leave(0);
	set(a, 64, 1);
	check(memory_release_cached(context, false) && !freed_twice, "but when it is not any more");
	events_stop();
}

/* Nor does anything wait in other contexts. */
static void other_context(void)
{
	CUdeviceptr a = start_with_cached(), large;
	CUcontext first = context, second;

	if (create_context(&second, 0, 0) != CUDA_SUCCESS)
		check(false, "a second context");
	context = second;
	large = allocate(40 << 20);
	cache_some();
	context = first;
	running = true;
	launch(a, 64, 1, 0);
	check(queues_timed_out(), "a launch is given up");
	context = second;
	leave(1);
	released = 0;
	allocate(50000); /* more than what is kept was for */
	check(!released && memory_on_host(), "another context gets memory of the host");
	leave(0);
	finish((struct operation){.kind = OPERATION_FREE, .address = large});
	check(!released, "what it has no use for is put off");
	free_again(allocate(1000));
	check(!memory_release_cached(second, false), "and not kept: the launch may still mark it");
	released = 0;
	running = false;
	set(allocate(1000), 1000, 7);
	check(released, "until the launch is over");
	events_stop();
}

/* What calls are about to take. */
static void limits(void)
{
	const struct {
		CUlimit limit;
		size_t value;
	} stack = {CU_LIMIT_STACK_SIZE, 3000}, heap = {CU_LIMIT_MALLOC_HEAP_SIZE, 7 << 20},
	  fetch = {CU_LIMIT_MAX_L2_FETCH_GRANULARITY, 128};
	int processors = 0, resident = 0;

	start(0);
	driver.cuDeviceGetAttribute(&processors, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 0);
	driver.cuDeviceGetAttribute(&resident, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR,
				    0);
	check(resident && api_device_bytes("cuCtxSetLimit", &stack) ==
				  3000 * (uint64_t)processors * (uint64_t)resident,
	      "stacks, of all threads that fit on the device");
	check(api_device_bytes("cuCtxSetLimit", &heap) == 7 << 20, "the heap");
	check(!api_device_bytes("cuCtxSetLimit", &fetch), "other limits take nothing");
}

int main(int argc, char **argv)
{
	static const struct test_case cases[] = {
		{"coarse", coarse},
		{"timed_out", timed_out},
		{"pending", pending},
		{"denied", denied},
		{"slots", slots},
		{"cached", cached},
		{"unknown", unknown},
		{"wrong", wrong},
		{"stream_hung", stream_hung},
		{"other_context", other_context},
		{"limits", limits},
	};

	return run_case(cases, sizeof(cases) / sizeof(*cases), argc, argv);
}
