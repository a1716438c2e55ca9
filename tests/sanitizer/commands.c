/*
 * Small copies and sets whose passes are commands, or several copies with one pass, against the
 * same as passes of their own: `commands passes|commands|held SEED` makes random calls and prints
 * their events, which are the same in all modes.  See sanitizer/events.h.
 */
#include "tests/sanitizer/events.h"

enum { SIZE = 9000, OBJECTS = 3, STEPS = 400, WRITERS = 300 };

static CUdeviceptr memory[OBJECTS];
static uint8_t host[SIZE];
static bool by_commands, by_holding;
static uint64_t state;
static unsigned command_launches, pass_launches, held_launches;

static unsigned below(unsigned limit)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)((state >> 33) % limit);
}

static CUresult launch_counted(CUfunction kernel, unsigned x, unsigned y, unsigned z, unsigned bx,
			       unsigned by, unsigned bz, unsigned shared, CUstream stream,
			       void **words, void **extra)
{
	const struct space *space = events_find_space(context);

	command_launches += kernel == space->kernels[PASS_COMMANDS];
	pass_launches += is_pass(space, kernel);
	held_launches += kernel == space->kernels[PASS_COPIES];
	return launch_kernel(kernel, x, y, z, bx, by, bz, shared, stream, words, extra);
}

/* A call begins that writes so many bytes at the address: see calls.c. */
static void begin(bool may_join, CUdeviceptr to, uint64_t bytes)
{
	api_call.may_hold = may_join && by_holding && events_join_held(context, NULL, to, bytes);
	if (!api_call.may_hold)
		events_pass_held();
}

/* A small call of the program, which waits for it unless copies are held back. */
static void small(struct operation operation)
{
	operation.height = operation.depth = 1;
	operation.pitch = operation.from_pitch = operation.width;
	if (!by_commands)
		operation.value_size = 0;
	events_prepare(context, false, &operation.stream, 0, false);
	api_call.may_pend = true;
	api_call.host_waited = by_commands;
	finish(operation);
	api_call.may_pend = api_call.host_waited = false;
}

static void set_values(CUdeviceptr address, uint64_t bytes, uint32_t value, uint32_t size)
{
	uint8_t pattern[SIZE];

	for (uint64_t i = 0; i < bytes; i += size)
		memcpy(pattern + i, &value, size);
	begin(true, address, bytes);
	driver.cuMemcpyHtoDAsync(address, pattern, bytes, 0);
	small((struct operation){.kind = OPERATION_SET,
				 .address = address,
				 .width = bytes,
				 .value = value,
				 .value_size = size});
}

static void upload(CUdeviceptr address, uint64_t bytes)
{
	for (uint64_t i = 0; i < bytes; i++)
		host[i] = (uint8_t)below(3);
	begin(true, address, bytes);
	driver.cuMemcpyHtoDAsync(address, host, bytes, 0);
	small((struct operation){.kind = OPERATION_COPY,
				 .address = address,
				 .from_address = (uintptr_t)host,
				 .width = bytes,
				 .to_device = true});
}

static void download(CUdeviceptr address, uint64_t bytes)
{
	begin(true, (uintptr_t)host, bytes);
	driver.cuMemcpyDtoHAsync(host, address, bytes, 0);
	small((struct operation){.kind = OPERATION_COPY,
				 .address = (uintptr_t)host,
				 .from_address = address,
				 .width = bytes,
				 .from_device = true});
}

/* Between objects, by a function that may be any copy: it is not waited for. */
static void copy_small(CUdeviceptr to, CUdeviceptr from, uint64_t bytes)
{
	const CUstream stream = NULL;

	begin(true, to, bytes);
	events_prepare(context, false, &stream, 0, false);
	driver.cuMemcpyDtoDAsync(to, from, bytes, stream);
	api_call.may_pend = true;
	finish((struct operation){.kind = OPERATION_COPY,
				  .address = to,
				  .from_address = from,
				  .width = bytes,
				  .height = 1,
				  .depth = 1,
				  .pitch = bytes,
				  .from_pitch = bytes,
				  .to_device = true,
				  .from_device = true});
	api_call.may_pend = false;
}

/* A launch that is not analysed, with the address for its only parameter. */
static void skip(CUdeviceptr address)
{
	void *parameters = memcpy(malloc(8), &address, 8);

	begin(false, address, 500);
	events_prepare(context, false, &streams[0], 0, false);
	driver.cuMemsetD8Async(address, (uint8_t)below(3), 500, 0);
	finish((struct operation){.kind = OPERATION_KERNEL,
				  .name = "skipped",
				  .stream = streams[0],
				  .skipped = true,
				  .parameters = parameters,
				  .parameters_size = 8});
}

static void step(void)
{
	CUdeviceptr object = memory[below(OBJECTS)];
	unsigned at = below(2) ? 4 * below(SIZE / 4) : below(SIZE);
	unsigned bytes = 1 + below(below(2) ? 100 : COMMAND_MOST);
	unsigned size = 1u << below(3);

	bytes = bytes < SIZE - at ? bytes : SIZE - at;
	switch (below(9)) {
	case 0:
	case 1:
		size = at % size || bytes % size ? 1 : size;
		set_values(object + at, bytes, below(3) * 0x01020101u, size);
		break;
	case 2:
	case 3:
		upload(object + at, bytes);
		break;
	case 4:
	case 5:
		download(object + at, bytes);
		break;
	case 6:
		/* of what has just come, which may be initialised by that */
		upload(memory[0] + at, bytes);
		if (object != memory[0])
			copy_small(object + at, memory[0] + at, bytes);
		break;
	case 7:
		begin(false, object, SIZE);
		launch(object + at, bytes, below(2) ? (int)below(3) : -1, 0);
		break;
	default:
		if (below(3) == 0)
			skip(object);
	}
}

static void print_events(void)
{
	for (uint32_t i = 0; i < ended; i++) {
		const struct event *event = &events[i];

		printf("%u api %d contents %u %02x all %u seen %u rows %zu bytes %lu redundant %lu "
		       "last "
		       "%u %u %d %lu",
		       event->context, event->api, event->contents, event->content, event->all_seen,
		       event->seen, event->rows, event->bytes, event->redundant, event->row.object,
		       event->row.writer, event->row.access, event->row.bytes);
		printf(" moved %lu at %lu %02x%02x zero %d\n", event->transfer.bytes,
		       event->transfer.offset, event->transfer.digest[0],
		       event->transfer.digest[31], event->transfer.zero);
		if (event->slices)
			printf("slice from %lu to %lu\n", event->slice.offset, event->slice.end);
	}
}

/* What has been accessed by now. */
static void print_accessed(void)
{
	events_drain(context, true);
	events_accessed_at_end();
	for (uint32_t i = 1; i <= objects; i++)
		printf("object %u: %lu bytes, %lu chunks, %lu from %lu on\n", i, accessed[i].bytes,
		       accessed[i].chunks, accessed[i].largest_bytes, accessed[i].largest_offset);
}

int main(int argc, char **argv)
{
	if (argc < 3)
		return 2;
	follows_accesses = argc > 3;
	by_commands = !strcmp(argv[1], "commands");
	by_holding = !strcmp(argv[1], "held");
	state = strtoull(argv[2], NULL, 10);
	start_with_timeouts();
	launch_kernel = driver.cuLaunchKernel;
	driver.cuLaunchKernel = launch_counted;
	events_awaited = 100;
	for (int i = 0; i < OBJECTS; i++) {
		memory[i] = allocate(SIZE);
		set(memory[i], follows_accesses ? 40 : SIZE / 2, 0);
	}
	for (int i = 0; i < STEPS; i++) {
		step();
		if (follows_accesses && !(i & (i - 1)))
			print_accessed();
	}
	/* a block of more writers than a block of threads has rows for */
	for (int i = 0; i < WRITERS; i++)
		set_values(memory[0] + 4 * i, 4, (uint32_t)i, 4);
	download(memory[0], COMMAND_MOST);
	upload(memory[0], 2000);
	events_drain(context, true);
	print_events();
	fprintf(stderr, "%u launches for commands, %u for passes, %u for held copies\n",
		command_launches, pass_launches, held_launches);
	return !command_launches == by_commands || !held_launches == by_holding;
}
