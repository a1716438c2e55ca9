/*
 * Copies to the host, as the Sanitizer reports them, and what is known of what the host held
 * before: see sanitizer/events.h.
 */
#include "tests/sanitizer/events.h"

#include <sys/mman.h>

#include "gpu/sanitizer/callback/calls.h"
#include "gpu/sanitizer/callback/calls_internal.h"

void never(void);

/* What the callbacks refer to and these calls do not use. */
void never(void)
{
	check(false, "nothing else is called");
	abort();
}

/* Makes no graphs. */
void calls_node_exit(const Sanitizer_CallbackData *data, bool failed)
{
	(void)data, (void)failed;
}

enum { SIZE = 10000 };

static CUdeviceptr a; /* object 1 */
static uint8_t memory[2 * SIZE];

/* Sets the object to 7s, by two calls. */
static void start_transfers(void)
{
	start_with_timeouts();
	launch_kernel = driver.cuLaunchKernel;
	driver.cuLaunchKernel = launch_or_hold;
	calls_start(&sink, &(struct gpu_options){.digests = true});
	a = allocate(SIZE);
	set(a, SIZE, 7);
	calls_of_coverage = 0;
	memset(memory, 0, sizeof(memory));
}

static void report(const char *name, Sanitizer_ApiCallbackSite site, const void *parameters)
{
	static int result;
	uint32_t id = 5381;
	const Sanitizer_CallbackData data = {.functionName = name,
					     .functionParams = parameters,
					     .functionReturnValue = &result,
					     .context = context,
					     .callbackSite = site};

	for (const char *letter = name; *letter; letter++)
		id = 33 * id + (unsigned char)*letter;
	calls_api(SANITIZER_CB_DOMAIN_DRIVER_API, id % 2000, &data);
}

static CUstream busy; /* a host function is left to be done there when a call enters */
static bool entering;

static CUresult query_busy(CUstream stream)
{
	return entering && stream == busy ? CUDA_ERROR_NOT_READY : CUDA_SUCCESS;
}

struct rows {
	uint64_t width, height, pitch, from_pitch;
};

/* The program calls that function of the driver; `made`: the copy is made, too. */
static const struct event *download_rows(const char *name, void *to, CUdeviceptr from,
					 struct rows rows, CUstream stream, bool made)
{
	const uint64_t words[] = {(uintptr_t)to, from, rows.width, (uintptr_t)stream};
	CUDA_MEMCPY2D box = {0};
	const void *const box_words[] = {&box, stream};
	const Sanitizer_MemcpyData data = {.srcAddress = from,
					   .dstAddress = (uintptr_t)to,
					   .srcContext = context,
					   .apiContext = context,
					   .apiStream = stream,
					   .size = rows.width * rows.height,
					   .width = rows.width,
					   .height = rows.height,
					   .srcPitch = rows.from_pitch,
					   .dstPitch = rows.pitch,
					   .direction = SANITIZER_MEMCPY_DIRECTION_DEVICE_TO_HOST};
	const void *parameters = rows.height > 1 ? (const void *)box_words : words;

	entering = true;
	report(name, SANITIZER_API_ENTER, parameters);
	entering = false;
	calls_copy(&data);
	for (uint64_t i = 0; made && i < rows.height; i++)
		driver.cuMemcpyDtoHAsync((uint8_t *)to + i * rows.pitch, from + i * rows.from_pitch,
					 rows.width, stream);
	report(name, SANITIZER_API_EXIT, parameters);
	return &events[ended - 1];
}

static const struct event *download(const char *name, void *to, CUdeviceptr from, uint64_t bytes)
{
	return download_rows(name, to, from, (struct rows){bytes, 1, bytes, bytes}, NULL, true);
}

/* Of one that brings 5000 bytes from an odd address. */
static void same_or_not(void)
{
	const struct event *first, *again;

	first = download("cuMemcpyDtoH_v2", memory + 1, a + 3, 5000);
	check(first->api == GPU_COPY && first->row.access == GPU_TO_HOST && !first->received,
	      "a copy that brings something else");
	again = download("cuMemcpyDtoH_v2", memory + 1, a + 3, 5000);
	check(again != first && again->received == 1, "one that brings the same again");
	check(download("cuMemcpyDtoH_v2", memory + 1, a, 5000)->received == 1,
	      "from another place, too");
	memory[5000] = 6;
	check(!download("cuMemcpyDtoH_v2", memory + 1, a + 3, 5000)->received,
	      "not where the host's last byte is another");
	memory[0] = memory[5001] = 9;
	check(download("cuMemcpyDtoH_v2", memory + 1, a + 3, 5000)->received == 1,
	      "bytes beside it do not matter");
	set(a + 3 + 4096, 1, 8);
	check(!download("cuMemcpyDtoH_v2", memory + 1, a + 3, 5000)->received,
	      "nor where the device's are");
	check(!calls_of_coverage && memory[1 + 4096] == 8, "all of that is known");
}

static void awaited(void)
{
	start_transfers();
	same_or_not();
}

static void pending(void)
{
	start_transfers();
	events_awaited = 100;
	same_or_not();
}

/* So large that both ends are looked at before anything is hashed. */
static void large(void)
{
	const uint64_t bytes = UINT64_C(1) << 20;
	uint8_t *to = calloc(bytes, 1);
	CUdeviceptr from;

	start_transfers();
	from = allocate(bytes); /* object 2 */
	set(from, bytes, 7);
	check(!download("cuMemcpyDtoH_v2", to, from, bytes)->received && this_thread.call.differs,
	      "one end shows that a large copy brings something else");
	check(download("cuMemcpyDtoH_v2", to, from, bytes)->received == 2 &&
		      !this_thread.call.differs,
	      "one that brings the same");
	to[bytes - 1] = 8;
	check(!download("cuMemcpyDtoH_v2", to, from, bytes)->received && this_thread.call.differs,
	      "the other end shows it");
	to[bytes / 2] = 8;
	check(!download("cuMemcpyDtoH_v2", to, from, bytes)->received && !this_thread.call.differs,
	      "or none of them does");
	check(!calls_of_coverage && to[bytes / 2] == 7 && to[bytes - 1] == 7,
	      "all of that is known");
	free(to);
}

static void rows(void)
{
	const struct rows box = {1500, 3, 2000, 3000}, side_by_side = {2000, 3, 2000, 2000};
	const char *name = "cuMemcpy2DUnaligned_v2";

	start_transfers();
	check(!download_rows(name, memory, a, box, NULL, true)->received &&
		      download_rows(name, memory, a, box, NULL, true)->received == 1,
	      "rows that come again");
	memory[1500] = 1;
	check(download_rows(name, memory, a, box, NULL, true)->received == 1,
	      "what lies between them does not matter");
	memory[2 * 2000 + 1499] = 1;
	check(!download_rows(name, memory, a, box, NULL, true)->received, "the last of them does");
	calls_of_coverage = 0;
	check(!download_rows(name, memory, a, box, NULL, true)->transfer.bytes &&
		      calls_of_coverage == 1,
	      "rows are not compared with other copies");
	memset(memory, 7, sizeof(memory));
	check(download_rows(name, memory, a, side_by_side, NULL, true)->received == 1,
	      "rows side by side");
}

static bool is_pinned;

static CUresult pointer_attribute(void *data, CUpointer_attribute attribute, CUdeviceptr pointer)
{
	(void)data, (void)attribute, (void)pointer;
	return is_pinned ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/* Copies that the program does not wait for. */
static void asynchronous(void)
{
	const struct rows all = {SIZE, 1, SIZE, SIZE};
	const struct event *event;

	start_transfers();
	driver.cuPointerGetAttribute = pointer_attribute;
	is_pinned = true;
	events_awaited = 100;
	memset(memory, 7, sizeof(memory));
	event = download_rows("cuMemcpyDtoHAsync_v2", memory, a, all, streams[0], true);
	check(event->received == 1 && !calls_of_coverage, "one that nothing is before");
	finish((struct operation){.kind = OPERATION_ALLOC, /* object 2 */
				  .address = (uintptr_t)memory,
				  .size = SIZE,
				  .memory = GPU_MEMORY_MAPPED_HOST});
	calls_of_coverage = 0;
	event = download_rows("cuMemcpyAsync", memory, a, all, streams[0], true);
	check(event->received == 1 && !calls_of_coverage, "pinned memory is the host's");
	holding = true;
	put_set(a, 100, 7, 0);
	download_rows("cuMemcpyDtoHAsync_v2", memory, a, all, streams[0], true);
	check(calls_of_coverage == 1 && events_pending(),
	      "behind others it is not known what they write to the host");
	let_run();
	events_poll();
	check(events[ended - 1].api == GPU_COPY && events[ended - 1].rows &&
		      !events[ended - 1].received,
	      "... and nothing is said");
	is_pinned = false;
	check(download_rows("cuMemcpyDtoHAsync_v2", memory, a, all, streams[0], true)->received ==
			      1 &&
		      calls_of_coverage == 1,
	      "one to pageable memory is waited for");
}

/* Copies of rows behind a host function, which may write to their destination. */
static void rows_behind(void)
{
	const struct rows box = {1500, 3, 2000, 3000};
	const char *name = "cuMemcpy2DAsync_v2";

	start_transfers();
	driver.cuStreamQuery = query_busy;
	memset(memory, 7, sizeof(memory));
	busy = streams[1];
	check(download_rows(name, memory, a, box, streams[0], true)->received == 1 &&
		      calls_of_coverage == 1,
	      "a host function on another stream does not matter");
	busy = streams[0];
	check(!download_rows(name, memory, a, box, streams[0], true)->received &&
		      calls_of_coverage == 3,
	      "behind one on its own it is not known what the host holds");
	busy = CU_STREAM_PER_THREAD;
	check(!download_rows("cuMemcpy2DAsync_v2_ptsz", memory, a, box, NULL, true)->received &&
		      calls_of_coverage == 5,
	      "nor on the thread's stream");
	check(!download("cuMemcpyDtoH_v2_ptds", memory, a, SIZE)->received &&
		      calls_of_coverage == 6,
	      "by whatever function");
	busy = streams[1];
	check(download("cuMemcpyDtoH_v2_ptds", memory, a, SIZE)->received == 1 &&
		      calls_of_coverage == 6,
	      "when it is over, it is");
}

/* Whether the event moved these bytes, from `offset` on in the object. */
static bool moved(const struct event *event, const void *bytes, uint64_t size, uint64_t offset,
		  bool from_host)
{
	struct transfer_sum sum = {.nonzero = 0};
	uint8_t digest[LEAF_DIGEST];

	transfer_add(&sum, 0, bytes, size);
	transfer_digest(&sum, size, digest);
	return event->transfer.bytes == size && event->transfer.offset == offset &&
	       event->transfer.from_host == from_host && event->transfer.zero == !sum.nonzero &&
	       !memcmp(event->transfer.digest, digest, LEAF_DIGEST);
}

/* What copies move, in both directions, as the CPU hashes it. */
static void digests(void)
{
	static const uint64_t places[][2] = {{0, SIZE}, {0, 1024},  {1, 1},
					     {4, 2000}, {16, 4096}, {1234, 5677}};
	const uint64_t host = (uintptr_t)memory;

	start_transfers();
	for (int pending = 0; pending < 2; pending++)
		for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
			const uint64_t at = places[i][0], bytes = places[i][1];

			events_awaited = pending ? 100 : 0;
			for (int k = 0; k < SIZE; k++)
				memory[k] = (uint8_t)(k * k >> 3);
			put_copy(a + at, true, host + 3, false, bytes);
			events_drain(context, true);
			check(moved(&events[ended - 1], memory + 3, bytes, at, true),
			      "what a copy brings");
			memset(memory, 0, sizeof(memory));
			put_copy(host, false, a + at, true, bytes);
			events_drain(context, true);
			check(moved(&events[ended - 1], memory, bytes, at, false), "what it takes");
		}
	put_copy(a, true, host + SIZE, false, 3000);
	events_drain(context, true);
	check(events[ended - 1].transfer.zero == 1, "zeros");
}

/* A function of the driver without an effect on memory of the device. */
static void other(const char *name)
{
	const uint64_t words[4] = {0};

	report(name, SANITIZER_API_ENTER, words);
	report(name, SANITIZER_API_EXIT, words);
}

/* Small copies on streams[0] that nothing waits for. */
static void take(CUdeviceptr from, uint64_t bytes)
{
	const struct rows row = {bytes, 1, bytes, bytes};

	download_rows("cuMemcpyDtoHAsync_v2", memory, from, row, streams[0], true);
}

static void bring(CUdeviceptr to, uint8_t value, uint64_t bytes)
{
	const uint64_t words[] = {to, (uintptr_t)memory, bytes, (uintptr_t)streams[0]};
	const Sanitizer_MemcpyData data = {.srcAddress = (uintptr_t)memory,
					   .dstAddress = to,
					   .dstContext = context,
					   .apiContext = context,
					   .apiStream = streams[0],
					   .size = bytes,
					   .width = bytes,
					   .height = 1,
					   .srcPitch = bytes,
					   .dstPitch = bytes,
					   .direction = SANITIZER_MEMCPY_DIRECTION_HOST_TO_DEVICE};

	memset(memory, value, bytes);
	report("cuMemcpyHtoDAsync_v2", SANITIZER_API_ENTER, words);
	calls_copy(&data);
	driver.cuMemcpyHtoDAsync(to, memory, bytes, streams[0]);
	report("cuMemcpyHtoDAsync_v2", SANITIZER_API_EXIT, words);
}

static void fill(CUdeviceptr to, uint32_t value, uint64_t count)
{
	const uint64_t words[] = {to, value, count, (uintptr_t)streams[0]};
	const Sanitizer_MemsetData data = {.context = context,
					   .stream = streams[0],
					   .address = to,
					   .width = count,
					   .height = 1,
					   .pitch = 4 * count,
					   .elementSize = 4,
					   .value = value};

	report("cuMemsetD32Async", SANITIZER_API_ENTER, words);
	calls_set(&data);
	for (uint64_t i = 0; i < count; i++)
		driver.cuMemcpyHtoDAsync(to + 4 * i, &value, 4, streams[0]);
	report("cuMemsetD32Async", SANITIZER_API_EXIT, words);
}

/* Whether so many of our kernels were launched on streams[0] since this was asked last. */
static bool launched(unsigned count)
{
	const unsigned found = on_program;

	on_program = 0;
	return found == count;
}

/* Copies that share a pass. */
static void held_back(void)
{
	uint8_t sevens[200], values[2][100];
	uint32_t before;

	start_transfers();
	driver.cuPointerGetAttribute = pointer_attribute;
	is_pinned = true;
	events_awaited = 100;
	memset(sevens, 7, sizeof(sevens));
	before = ended;
	for (unsigned i = 0; i < 3; i++)
		take(a + 50 * i, 100 + i);
	other("cuMemGetInfo_v2");
	check(launched(0) && ended == before, "small copies are held back");
	other("cuStreamQuery");
	events_poll();
	check(launched(1) && ended == before + 3, "they have one pass, before the program asks");
	for (unsigned i = 0; i < 3; i++)
		check(events[before + i].row.access == GPU_TO_HOST &&
			      events[before + i].row.bytes == 100 + i &&
			      moved(&events[before + i], sevens, 100 + i, 50 * i, false),
		      "which says of each what it moved");
	for (unsigned i = 0; i < HELD_MOST - 1; i++)
		take(a, 10);
	check(launched(0), "not too many");
	take(a, 10);
	check(launched(1), "are held back");
	take(a, COMMAND_MOST + 1);
	check(launched(1), "nor what is large");
	take(a, 10);
	other("cuMemsetD2D8Async");
	check(launched(1), "nor before other calls that may write there");

	events_poll();
	before = ended;
	memset(values[0], 1, 100);
	memset(values[1], 2, 100);
	bring(a + 300, 1, 100);
	bring(a + 400, 2, 100);
	check(launched(0), "copies to the device beside each other are held back");
	bring(a + 399, 2, 100);
	check(launched(1), "but not before one that writes over them");
	other("cuCtxSynchronize"); /* which is an event, too */
	events_poll();
	check(launched(1) && ended == before + 4 &&
		      moved(&events[before], values[0], 100, 300, true) &&
		      moved(&events[before + 1], values[1], 100, 400, true) &&
		      events[before].redundant == 0 && events[before + 1].redundant == 0 &&
		      events[before + 2].redundant == 99,
	      "what each brought is known");

	before = ended;
	bring(a + 300, 1, 100);
	fill(a + 400, 5, 25); /* to 499 */
	fill(a + 500, 5, 25);
	check(launched(0), "sets are held back, too");
	fill(a + 496, 5, 1);
	check(launched(1), "unless they write over one");
	events_drain(context, true);
	/* the last one by a command, since nothing else was pending */
	check(launched(0) && ended == before + 4 && events[before + 1].api == GPU_SET &&
		      events[before + 1].bytes == 100 && events[before + 1].redundant == 0 &&
		      events[before + 3].bytes == 4 && events[before + 3].redundant == 4,
	      "and known");

	skipped_launched(events_find_space(context), streams[1]);
	running = true;
	take(a, 10);
	running = false;
	check(launched(1), "nor beside a launch that may write there");
	take(a, 10);
	check(launched(0), "until it is over");
	before = ended;
	events_drain(context, true);
	check(launched(1) && ended == before + 1, "who waits has it passed");
}

/* A launch on streams[0] that is not analysed, and may write to the object. */
static void skip(CUdeviceptr address)
{
	finish((struct operation){.kind = OPERATION_KERNEL,
				  .name = "skipped",
				  .stream = streams[0],
				  .skipped = true,
				  .parameters = memcpy(malloc(8), &address, 8),
				  .parameters_size = 8});
}

/* What is on streams[0] is not over. */
static CUresult query_at_work(CUstream stream)
{
	queries += stream == streams[0];
	return stream == streams[0] ? CUDA_ERROR_NOT_READY : CUDA_SUCCESS;
}

static CUresult event_at_work(CUevent event)
{
	(void)event;
	return CUDA_ERROR_NOT_READY;
}

/* Copies behind a launch that is not analysed do not wait for it. */
static void behind_skipped(void)
{
	CUresult (*stream_query)(CUstream), (*event_query)(CUevent);
	uint32_t before;

	start_transfers();
	driver.cuPointerGetAttribute = pointer_attribute;
	is_pinned = true;
	events_awaited = 100;
	stream_query = driver.cuStreamQuery;
	event_query = driver.cuEventQuery;
	skip(a);
	before = ended;
	driver.cuStreamQuery = query_at_work;
	driver.cuEventQuery = event_at_work;
	queries = 0;
	take(a, 10);
	check(queries == 1, "nobody asks again whether the launch is over");
	check(launched(1) && events_hold() && ended == before,
	      "the object is forgotten on the stream, and the copy is held back");
	take(a, 20);
	driver.cuStreamQuery = stream_query;
	driver.cuEventQuery = event_query;
	check(launched(0) && events_hold(), "another one follows");
	events_drain(context, true);
	check(launched(1) && ended == before + 2 && events[before].rows &&
		      events[before].row.access == GPU_TO_HOST && events[before].row.bytes == 10 &&
		      events[before + 1].row.bytes == 20,
	      "both are known");
	skip(a);
	skipped_launched(events_find_space(context), streams[1]);
	before = ended;
	take(a, 30);
	check(launched(1) && events_hold(), "the same beside another stream that is over");
	events_drain(context, true);
	check(ended == before + 1 && !queues_timed_out(), "and that one");
}

/* How often the driver is asked about the stream of a small copy. */
static unsigned asked_for_small(void)
{
	waits = 0;
	check(download("cuMemcpyDtoH_v2", memory, a, 100)->received == 1, "a small copy");
	return waits;
}

/* Small copies in a loop ask the driver no more than is needed. */
static void loop(void)
{
	start_transfers();
	driver.cuStreamQuery = query_counted;
	events_awaited = 100;
	memset(memory, 7, sizeof(memory));
	check(asked_for_small() > 0, "the first asks whether something is before it");
	check(asked_for_small() == 0 && asked_for_small() == 0, "those behind it do not");
	other("cuMemGetInfo_v2");
	check(asked_for_small() == 0, "nor behind a mere question");
	other("cuLaunchHostFunc");
	check(asked_for_small() > 0 && asked_for_small() == 0, "but behind a host function");
	other("cuStreamWaitEvent");
	check(asked_for_small() > 0 && asked_for_small() == 0, "or where streams are joined");
	download("cuMemcpyDtoHAsync_v2", memory, a, 5000);
	check(asked_for_small() > 0, "or behind a copy that may still run");
}

static void unknown(void)
{
	const struct rows all = {SIZE, 1, SIZE, SIZE};
	uint8_t *page = (uint8_t *)(((uintptr_t)memory + 4095) / 4096 * 4096);
	struct operation large = {.kind = OPERATION_COPY,
				  .from_device = true,
				  .width = (UINT64_C(1) << 30) + 1,
				  .height = 1,
				  .depth = 1};

	start_transfers();
	mprotect(page, 4096, PROT_NONE);
	check(!download_rows("cuMemcpyDtoH_v2", memory, a, all, NULL, false)->received &&
		      calls_of_coverage == 1,
	      "memory that cannot be read is not");
	mprotect(page, 4096, PROT_READ | PROT_WRITE);
	this_thread.call.settled = true;
	destination_note(&large);
	check(!large.destination_known && large.destination_coverage == COVERAGE_DOWNLOADS_LARGE,
	      "nor is very much");
	large.height = UINT64_MAX / 2;
	destination_note(&large);
	check(!large.destination_known, "however much it is");
	set(a, SIZE, 0);
	events_stop();
	check(ended == 4 && !events[3].received, "what is set is not received");
}

int main(int argc, char **argv)
{
	static const struct test_case cases[] = {{"awaited", awaited},
						 {"pending", pending},
						 {"large", large},
						 {"rows", rows},
						 {"rows_behind", rows_behind},
						 {"asynchronous", asynchronous},
						 {"digests", digests},
						 {"held_back", held_back},
						 {"behind_skipped", behind_skipped},
						 {"loop", loop},
						 {"unknown", unknown}};

	return run_case(cases, sizeof(cases) / sizeof(*cases), argc, argv);
}
