/* Launches, copies and sets become events: those that are not waited for as those that are. */
#include "tests/sanitizer/events.h"

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
	y = allocate(1024);             /* + 2 */
	copy(y, second, x, first, 512); /* + 3 */
	launch(y, 512, 0, 0);           /* + 4 */
	set(y, 512, 0);                 /* + 5 */
	check(events[begin + 2].rows == 2 && events[begin + 2].row.object == objects &&
		      events[begin + 2].row.writer == begin + 2,
	      "a copy between contexts has rows of both");
	copy(y + 512, second, z, first, 512); /* + 6 */
	set(y + 512, 512, 0);                 /* + 7 */
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

/* A launch that is not analysed, with the address for its only parameter. */
static void skip(CUdeviceptr address, int stream)
{
	void *parameters = memcpy(malloc(8), &address, 8);

	events_prepare(context, false, &streams[stream], 0, false);
	finish((struct operation){.kind = OPERATION_KERNEL,
				  .name = "skipped",
				  .stream = streams[stream],
				  .skipped = true,
				  .parameters = parameters,
				  .parameters_size = 8});
}

/* Launches that are not analysed run on; who must not change the code under them asks. */
static void skipped(void)
{
	unsigned before;
	CUdeviceptr a, b;

	start_with_timeouts();
	driver.cuEventQuery = query_event_counted;
	a = allocate(1000); /* event 1, object 1 */
	b = allocate(1000); /* 2, object 2 */
	set(a, 1000, 7);    /* 3 */
	set(b, 1000, 7);    /* 4 */
	check(skipped_drain() && !events_asked, "where there is none nobody asks");
	running = true;
	skip(a, 0); /* 5 */
	check(ended == 5 && !events[4].rows && !calls_of_coverage, "one has an event without rows");
	check(!skipped_drain() && events_asked > 1, "it is waited for, not for ever");
	before = events_asked;
	check(!skipped_drain() && events_asked == before + 1, "... and then asked about");
	skip(a, 0); /* 6 */
	check(!skipped_drain() && events_asked == before + 2, "so is another on its stream");
	running = false;
	check(skipped_drain(), "it is over");
	before = events_asked;
	skip(a, 1); /* 7 */
	check(skipped_drain() && events_asked == before + 1,
	      "one of another stream is asked about");
	check(skipped_drain() && events_asked == before + 1, "once");
	set(a, 1000, 7); /* 8 */
	set(b, 1000, 7); /* 9 */
	check(row_is(8, 1, GPU_WRITER_UNKNOWN, GPU_WRITE, 1000, 0) &&
		      row_is(9, 2, 4, GPU_WRITE, 1000, 1000),
	      "what its parameters point to is unknown, and nothing else");
	skip(a, 0); /* 10 */
	faulted = true;
	check(skipped_drain() && failed_launches == 1, "one that ended with an error is told of");
	events_context_gone(context);
	before = events_asked;
	faulted = running = true;
	check(skipped_drain() && events_asked == before, "none is left of a context that has gone");
}

/* What goes while a launch runs that nobody waits for is given back when it is over. */
static void timed_out(void)
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

	start_with_timeouts();
	create_array = (CUresult(*)(CUarray *, const CUDA_ARRAY_DESCRIPTOR *))function_of(
		"cuArrayCreate_v2");
	destroy_array = (CUresult(*)(CUarray))function_of("cuArrayDestroy");
	a = allocate(10000);  /* event 1, object 1 */
	set(a, 10000, 7);     /* 2 */
	launch(a, 32, -1, 0); /* 3 */
	before = unused();
	b = allocate(
		70 << 20);   /* 4, object 2: has no shadow yet, so that launches are waited for */
	c = allocate(20000); /* 5, object 3 */
	set(c, 20000, 7);    /* 6 */
	if (create_array(&array, &shape) != CUDA_SUCCESS)
		check(false, "an array");
	finish((struct operation){.kind = OPERATION_ARRAY, /* 7, object 4 */
				  .array.array = array,
				  .width = shape.Width,
				  .height = shape.Height,
				  .depth = 1});
	running = true;
	launch(b, 64, 1, 0); /* 8 */
	check(queues_timed_out(), "a launch is given up");
	finish((struct operation){.kind = OPERATION_FREE, .address = b});
	finish((struct operation){.kind = OPERATION_FREE, .address = c});
	finish((struct operation){.kind = OPERATION_ARRAY_GONE, .array.array = array});
	check(queues_timed_out() && ended == 11 && !released,
	      "nothing waits for it while the program frees memory");
	running = false;
	free_memory(b);
	free_memory(c);
	destroy_array(array);
	set(a, 10000, 7); /* 12 */
	check(row_is(12, 1, 2, GPU_WRITE, 10000, 10000), "what it did not touch is known");
	check(unused() == before, "when it is over nothing is left of what went");
	events_stop();
}

static void pending(void)
{
	static uint8_t memory[10000];
	const uint64_t host = (uintptr_t)memory;
	CUdeviceptr a, b, managed;
	void *replaced[8]; /* of the size of objects, from where they were */

	start_with_timeouts();
	driver.cuStreamQuery = query_counted;
	driver.cuStreamSynchronize = synchronize_counted;
	launch_kernel = driver.cuLaunchKernel;
	driver.cuLaunchKernel = launch_or_hold;
	a = allocate(10000);     /* event 1, object 1 */
	b = allocate(10000);     /* 2, object 2 */
	set(a, 10000, 7);        /* 3 */
	put_set(b, 10000, 8, 0); /* 4: both have shadows now, and something is known of them */
	check(waits && on_ours && !on_program,
	      "the first copies and sets are waited for, should the program be killed");
	events_awaited = 100;
	waits = on_program = on_ours = 0;
	put_set(a, 9000, 7, 0);                      /* 5 */
	put_copy(b, true, host, false, 5000);        /* 6: zeros */
	put_copy(a + 100, true, b, true, 1000);      /* 7 */
	put_copy(host, false, a, true, 10000);       /* 8 */
	put_copy(b + 4000, true, host, false, 2000); /* 9 */
	/* passes hash small copies themselves */
	check(!waits && !on_ours && on_program == 7 + 1,
	      "sets and copies are marked, hashed and settled on their stream, and not waited for");
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
	check(begun == 11 && ended == 9 && events_pending(), "their results are read later");
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
	events_prepare(context, false, &streams[1], 0, false);
	check(queues_timed_out() && !calls_of_coverage,
	      "a set that does not end is given up, and no kernel for it");
	running = false;
	let_run();
	launch(a, 100, -1, 0); /* 18 */
	check(row_is(18, 1, 17, GPU_READ, 100, 0), "it is known when it has ended after all");
	holding = running = true;
	put_copy(host, false, b, true, 100); /* 19 */
	events_prepare(context, false, &streams[1], 0, false);
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
	record_event = driver.cuEventRecord;
	driver.cuEventRecord = record_counted;
	holding = running = true;
	queries = 0;
	put_set(a, 100, 9, 0); /* 22 */
	events_prepare(context, false, &streams[1], 0, false);
	check(queues_timed_out() && !queries && !recorded,
	      "a stream that is captured now is not asked, and no event comes into the graph");
	running = false;
	events_prepare(context, false, NULL, 0, false);
	check(queues_timed_out() && ended == 21, "what is late is not over before its pass is");
	let_run();
	set(a, 100, 9); /* 23 */
	check(!queues_timed_out() && row_is(22, 1, 17, GPU_WRITE, 100, 100), "then it is");
	put_set(a, 100, 9, 0); /* 24: waited for, as something is to be forgotten */
	holding = running = true;
	put_set(a, 100, 9, 0); /* 25 */
	put_set(a, 100, 9, 0); /* 26 */
	calls_of_coverage = 0;
	events_stop();
	check(begun == 26 && ended == 26 && calls_of_coverage == 1,
	      "what has not ended when the program does is said");
}

/* -- what passes expect --------------------------------------------------------------------- */

static unsigned grid; /* of the last pass */
static enum pass_strategy strategy;

static CUresult launch_seen(CUfunction kernel, unsigned x, unsigned y, unsigned z, unsigned bx,
			    unsigned by, unsigned bz, unsigned shared, CUstream stream,
			    void **words, void **extra)
{
	if (kernel == events_find_space(context)->kernels[PASS_SETTLE]) {
		grid = x;
		memcpy(&strategy, words[4], sizeof(strategy));
	}
	return launch_kernel(kernel, x, y, z, bx, by, bz, shared, stream, words, extra);
}

/* What the last pass of a launch found; it is over. */
static const volatile struct result_pass *found(void)
{
	const struct space *space = events_find_space(context);

	events_prepare(context, false, NULL, 0, false);
	return &space->result_passes[space->ticket % PASSES];
}

/* A pass of many threads is done by one block of them if the last of its kernel had little to do.
 */
static void predictions(void)
{
	CUdeviceptr a, b;

	start(0);
	launch_kernel = driver.cuLaunchKernel;
	driver.cuLaunchKernel = launch_seen;
	function = (CUfunction)0x1230;
	threads = 2000;
	a = allocate(300000);                         /* event 1, object 1 */
	events_find_space(context)->pass_blocks = 64; /* at most */
	set(a, 300000, 7);                            /* 2 */
	launch(a, 5000, 7, 0);                        /* 3 */
	check(grid == 2000 / PASS_THREADS + 1 && strategy == PASS_SMALL &&
		      found()->strategy == PASS_SMALL && found()->blocks == 5 &&
		      row_is(3, 1, 2, GPU_WRITE, 5000, 5000),
	      "the first block of threads tries, and does it all");
	launch(a, 300000, 7, 0); /* 4 */
	check(strategy == PASS_SMALL && found()->strategy == PASS_LARGE && found()->blocks >= 293 &&
		      events[3].rows == 2,
	      "or all do it, when it is too much");
	launch(a, 5000, 7, 0); /* 5 */
	check(grid == 63 && found()->strategy == PASS_SPREAD && found()->blocks == 5 &&
		      row_is(5, 1, 4, GPU_WRITE, 5000, 5000),
	      "then the next share it");
	launch(a, 300000, 7, 0); /* 6 */
	check(grid == 63 && found()->strategy == PASS_SPREAD && found()->blocks == 293 &&
		      events[5].rows == 2,
	      "... whether it is more or less");
	for (int i = 0; i < 13; i++)
		launch(a, 5000, 7, 0); /* 7 + i */
	check(strategy == PASS_SPREAD && found()->strategy == PASS_SPREAD, "... for a while");
	launch(a, 5000, 7, 0); /* 20 */
	check(strategy == PASS_SMALL && found()->strategy == PASS_SMALL, "until one tries again");
	threads = 100;
	launch(a, 300000, 7, 0); /* 21: another size */
	check(grid == 1 && found()->strategy == PASS_LARGE && ended == 21,
	      "a single block of threads does what it must");
	launch(a, 300000, 7, 0); /* 22 */
	check(grid == 63 && found()->strategy == PASS_SPREAD &&
		      row_is(22, 1, 21, GPU_WRITE, 300000, 300000),
	      "... and is not alone the next time");
	b = allocate(2000000);    /* 23, object 2 */
	set(b, 2000000, 7);       /* 24 */
	launch(b, 2000000, 7, 0); /* 25 */
	check(grid == 63 && strategy == PASS_SPREAD && found()->strategy == PASS_LARGE &&
		      row_is(25, 2, 24, GPU_WRITE, 2000000, 2000000),
	      "too many blocks are not shared");
	launch(b, 100000, 7, 0); /* 26 */
	check(grid == 64 && strategy == PASS_LARGE && row_is(26, 2, 25, GPU_WRITE, 100000, 100000),
	      "... nor what comes after them");
	events_find_space(context)->detail_blocks += 1 << 20;
	set(a, 100, 7); /* 27 */
	check(grid == 1 && found()->strategy == PASS_SMALL,
	      "a small set needs no more in the presence of large objects");
	events_stop();
}

static CUfunction last_pass;

static CUresult pass_seen(CUfunction kernel, unsigned x, unsigned y, unsigned z, unsigned bx,
			  unsigned by, unsigned bz, unsigned shared, CUstream stream, void **words,
			  void **extra)
{
	if (is_pass(events_find_space(context), kernel))
		last_pass = kernel;
	return launch_kernel(kernel, x, y, z, bx, by, bz, shared, stream, words, extra);
}

/* Kernels over hundreds of objects, of which a few are large. */
static void many(void)
{
	enum { MANY = 300, LARGE = 70 }; /* every 70th */
	static CUdeviceptr at[MANY];
	static uint64_t size[MANY];
	uint64_t all = 0;
	const struct space *space;

	start(0);
	launch_kernel = driver.cuLaunchKernel;
	driver.cuLaunchKernel = pass_seen;
	function = (CUfunction)0x4560;
	threads = 100000;
	for (int i = 0; i < MANY; i++) { /* events and objects 1 + i */
		size[i] = i % LARGE ? 100 + (uint64_t)i * 37 % 3000 : 300000;
		at[i] = allocate(size[i]);
		all += size[i];
	}
	events_find_space(context)->pass_blocks = 6;
	for (int turn = 0; turn < 3; turn++) { /* 301 + turn */
		events_prepare(context, true, &streams[0], 0, false);
		for (int i = 0; i < MANY; i++) {
			struct object *object = events_find_object(context, at[i]);

			driver.cuMemsetD8Async(at[i], turn == 2 && i % 2 ? 9 : 7, size[i], 0);
			space_mark(object, space_stream(object->space), 0, size[i], size[i], 1,
				   MARK_WRITTEN);
		}
		finish((struct operation){.kind = OPERATION_KERNEL,
					  .name = "kernel",
					  .stream = streams[0],
					  .function = function,
					  .patched = true,
					  .threads = threads});
		found();
		space = events_find_space(context);
		check(last_pass == space->kernels[PASS_SETTLE_MANY], "many may be touched");
	}
	check(ended == MANY + 3 && events[MANY].rows == MANY && events[MANY + 1].rows == MANY &&
		      events[MANY + 2].rows == MANY,
	      "each object has its row");
	check(events[MANY].bytes == all && !events[MANY].redundant &&
		      events[MANY + 1].bytes == all && events[MANY + 1].redundant == all,
	      "... of all its bytes");
	for (int i = 1; i < MANY; i += 2)
		all -= size[i];
	check(events[MANY + 2].redundant == all && events[MANY + 2].row.writer == MANY + 2,
	      "... which were compared");
	function = (CUfunction)0x7890;
	launch(at[1], 100, 7, 0);
	found();
	launch(at[1], 100, 7, 0);
	check(last_pass == space->kernels[PASS_SETTLE], "a kernel that touches few is known");
	events_stop();
}

/* Launches before there is any object. */
static void nothing(void)
{
	const CUstream waited_for = CU_STREAM_PER_THREAD;
	CUdeviceptr a;

	start(0);
	for (int i = 0; i < 2; i++) { /* events 1, 2 */
		events_prepare(context, true, i ? &waited_for : &streams[0], 0, false);
		finish((struct operation){.kind = OPERATION_KERNEL,
					  .name = "kernel",
					  .stream = i ? waited_for : streams[0],
					  .patched = true,
					  .threads = 1000000});
	}
	check(events_find_space(context)->view.listed &&
		      events_find_space(context)->view.listed_words,
	      "what patches look at is there");
	a = allocate(1000);   /* 3, object 1 */
	set(a, 1000, 7);      /* 4 */
	launch(a, 32, -1, 0); /* 5 */
	events_stop();
	check(ended == 5 && !events[0].rows && !events[1].rows &&
		      row_is(4, 1, 3, GPU_WRITE, 1000, 0) && row_is(5, 1, 4, GPU_READ, 32, 0),
	      "launches without any memory");
}

/* Calls that fail. */
static void failed(void)
{
	CUdeviceptr a;

	start(0);
	a = allocate(1000); /* event 1, object 1 */
	set(a, 1000, 7);    /* 2 */
	fail(OPERATION_FREE);
	fail(OPERATION_SET);
	launch(a, 32, -1, 0); /* 3 */
	fail(OPERATION_KERNEL);
	launch(a, 32, -1, 0); /* 4 */
	events_stop();
	check(row_is(3, 1, 2, GPU_READ, 32, 0), "a free or set that failed did nothing");
	check(row_is(4, 1, GPU_WRITER_UNKNOWN, GPU_READ, 32, 0), "a launch may have");
}

/* -- where patches find objects ------------------------------------------------------------- */

static size_t bytes_up;

static CUresult add_upload(CUdeviceptr to, const void *from, size_t size, CUstream stream)
{
	bytes_up += size;
	return copy_to_device(to, from, size, stream);
}

/* As find_record() of patches.cu: the emulated device's memory is ours. */
static const struct device_record *find_record(uint64_t address)
{
	const struct device_state *state =
		(const void *)(uintptr_t)events_find_space(context)->state;
	uint64_t hint = state->hints[(uint32_t)(address >> state->granule_bits) & state->hint_mask];
	const struct device_candidates *several = (const void *)(uintptr_t)hint;
	const struct device_entry *entry;
	uint32_t count;

	if (several->tag != CANDIDATES)
		return (const void *)(uintptr_t)hint;
	entry = several->first;
	for (count = several->count; count > 1; count -= count / 2)
		if (entry[count / 2].start <= address)
			entry += count / 2;
	return address - entry->start < entry->size ? entry->record : entry->miss_record;
}

/* The record is that of the object which holds the address, or holds it not. */
static bool is_found(uint64_t address)
{
	const struct device_record *record = find_record(address);
	const struct object *object = events_find_object(context, address);

	if (!object)
		return address - record->address >= record->size;
	return record->address == object->address && record->size == object->size &&
	       record->slot == object->slot;
}

/* Objects come and go between launches. */
static void table(void)
{
	enum { COUNT = 3000, TURNS = 600 };
	static CUdeviceptr all[COUNT];
	uint64_t random = 1, least = UINT64_MAX, most = 0;
	bool found = true;

	start(0);
	copy_to_device = driver.cuMemcpyHtoDAsync;
	driver.cuMemcpyHtoDAsync = add_upload;
	for (int i = 0; i < COUNT; i++) {
		all[i] = allocate(16 + i % 50 * 100);
		least = all[i] < least ? all[i] : least;
		most = all[i] > most ? all[i] : most;
	}
	events_prepare(context, true, &streams[0], 0, false);
	for (int i = 0; i < COUNT; i++)
		found &= is_found(all[i]) && is_found(all[i] + i % 50 * 100 + 15);
	check(found, "patches find all objects");
	for (int i = 0; i < TURNS; i++) {
		unsigned k;

		random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
		k = (unsigned)(random >> 33) % COUNT;
		if (i == TURNS / 2)
			bytes_up = 0;
		free_again(all[k]);
		all[k] = allocate(16 + random % 7000);
		events_prepare(context, true, &streams[0], 0, false);
		found &= is_found(all[k]) && is_found(all[k] - 1) && is_found(all[k] + 7100);
		for (int n = 0; n < 20; n++)
			found &= is_found(least + (random >> n) % (most - least));
	}
	check(found, "... those that come, and none that went");
	check(bytes_up / (TURNS / 2) < 20000, "one that changes takes little");
	printf("# %zu bytes a turn\n", bytes_up / (TURNS / 2));
	while (events_find_space(context)->free_count > 2)
		allocate(16);
	events_prepare(context, true, &streams[0], 0, false);
	for (int i = 0; i < 4; i++)
		allocate(16);
	events_prepare(context, true, &streams[0], 0, false);
	for (int i = 0; i < COUNT; i++)
		found &= is_found(all[i]);
	check(found, "all, when their records have moved");
	for (int i = 0; i < COUNT; i++)
		if (i % 20)
			free_again(all[i]);
	events_prepare(context, true, &streams[0], 0, false);
	for (int i = 0; i < COUNT; i++)
		found &= is_found(all[i]);
	check(found, "and a few of many");
	events_stop();
}

static CUdeviceptr in_new_context(uint64_t size)
{
	faulted = holding = false;
	held_count = 0;
	if (create_context(&context, 0, 0) != CUDA_SUCCESS)
		check(false, "another context");
	return allocate(size);
}

/* Kernels that end with an error. */
static void faults(void)
{
	CUdeviceptr a;

	start_with_timeouts();
	launch_kernel = driver.cuLaunchKernel;
	driver.cuLaunchKernel = launch_or_hold;
	a = allocate(10000); /* event 1, object 1 */
	set(a, 10000, 7);    /* 2 */
	events_awaited = 100;
	holding = true;
	launch(a, 5000, 7, 0); /* 3 */
	put_set(a, 100, 7, 0); /* 4 */
	faulted = true;
	events_prepare(context, false, NULL, 0, false);
	check(begun == 4 && ended == 2 && abandoned == 2 && failed_launches == 1 &&
		      calls_of_coverage == 1,
	      "one that was not waited for leaves no event, nor does what is behind it");
	set(a, 10000, 7);
	check(begun == 4 && failed_launches == 1 && !events_callback_data(context),
	      "nothing is followed after it, and it is said once");
	a = in_new_context(
		70 << 20); /* 5, object 2: has no shadow yet, so that launches are waited for */
	faulted = true;
	launch(a, 100, 7, 0);
	check(begun == 5 && failed_launches == 2, "one that is waited for leaves none");
	a = in_new_context(70 << 20); /* 6 */
	running = true;
	launch(a, 100, 7, 0); /* 7 */
	running = false;
	faulted = true;
	check(queues_timed_out(), "one that does not end in time");
	events_prepare(context, false, NULL, 0, false);
	check(ended == 7 - 2 && failed_launches == 3, "... is told of when it does");
	a = in_new_context(1000); /* 8 */
	set(a, 1000, 7);          /* 9 */
	holding = true;
	launch(a, 100, 7, 0); /* 10 */
	faulted = true;
	events_fault_seen(NULL, CUDA_ERROR_ILLEGAL_ADDRESS);
	check(events_pending() && failed_launches == 3,
	      "another context's error says nothing of it");
	events_fault_seen(context, CUDA_ERROR_ILLEGAL_ADDRESS);
	check(!events_pending() && abandoned == 3 && failed_launches == 4,
	      "the program's own calls tell of it");
	events_stop();
}

static void enough(void)
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
	launch(b, 64, -1, 1);                         /* 306, after all of the other stream's */
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
	events_lost_track();
	launch(a, 32, -1, 1);                                             /* 309 */
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
	events_prepare(context, false, NULL, all_but(30000), false);
	check(!memory_on_host() && !calls_of_coverage, "what was kept of others makes way first");
	events_prepare(context, false, NULL, all_but(30000), false);
	check(memory_on_host() && calls_of_coverage == 1, "they make way for the program");
	set(a, 10000, 9);     /* 312 */
	launch(a, 32, -1, 1); /* 313 */
	launch(a, 32, 9, 1);  /* 314 */
	events_stop();
	check(row_is(more + 312, 1, more + 311, GPU_WRITE, 10000, 10000) &&
		      row_is(more + 313, 1, more + 312, GPU_READ, 32, 0),
	      "nothing is lost when they move");
	check(ended == more + 314 && row_is(more + 314, 1, more + 312, GPU_WRITE, 32, 32),
	      "what is under way when the process ends is taken in");
}

int main(int argc, char **argv)
{
	static const struct test_case cases[] = {
		{"enough", enough},   {"timed_out", timed_out},
		{"pending", pending}, {"predictions", predictions},
		{"nothing", nothing}, {"failed", failed},
		{"faults", faults},   {"table", table},
		{"skipped", skipped}, {"many", many},
	};

	return run_case(cases, sizeof(cases) / sizeof(*cases), argc, argv);
}
