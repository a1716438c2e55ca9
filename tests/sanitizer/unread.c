/* What is unread of objects, and what is not since it may have been read unseen. */
#include "tests/sanitizer/events.h"

#include "gpu/sass/instructions.h"

/* Of the only row of an event, which wrote. */
static bool wrote(uint32_t event, uint64_t bytes, uint64_t dead, uint64_t unread, uint64_t taken)
{
	const struct event *found = &events[event - 1];

	return found->rows == 1 && found->row.access == GPU_WRITE && found->row.bytes == bytes &&
	       found->row.dead_bytes == dead && found->row.unread_bytes == unread &&
	       found->row.taken_bytes == taken;
}

/* ... which read. */
static bool has_read(uint32_t event, uint64_t bytes, uint64_t first)
{
	const struct event *found = &events[event - 1];

	return found->rows == 1 && found->row.access == GPU_READ && found->row.bytes == bytes &&
	       found->row.first_read_bytes == first;
}

static bool is_seen(uint32_t event, uint32_t all, uint32_t object)
{
	return events[event - 1].all_seen == all && events[event - 1].seen == object;
}

/* A launch that is not analysed, and writes nothing that is known. */
static void skip(void)
{
	events_prepare(context, false, &streams[0], 0, false);
	finish((struct operation){.kind = OPERATION_KERNEL,
				  .name = "skipped",
				  .stream = streams[0],
				  .skipped = true,
				  .parameters = calloc(1, 8),
				  .parameters_size = 8});
}

static void rows(void)
{
	CUdeviceptr a;

	start(0);
	a = allocate(4000);     /* event 1, object 1 */
	set(a, 4000, 7);        /* 2 */
	set(a, 3000, 7);        /* 3 */
	launch(a, 1024, -1, 0); /* 4 */
	launch(a, 2048, -1, 0); /* 5 */
	set(a + 1, 2998, 8);    /* 6: the units at its ends were partly written */
	queues_drain(NULL);
	check(wrote(2, 4000, 0, 4000, 0), "what was allocated is not dead");
	check(wrote(3, 3000, 3000, 3000, 0) && events[2].row.redundant_value_bytes == 3000,
	      "what was never read is, the same values or not");
	check(events[2].row.first_block == 0 && events[2].row.last_block == 2, "its blocks");
	check(has_read(4, 1024, 1024) && events[3].row.last_block == 0, "what is read first");
	check(has_read(5, 2048, 1024) && events[4].row.last_block == 1, "... and again");
	/* bytes 1 to 2998 of 0 to 2999; 2048 to 2998 were unread, and 2999 still is */
	check(wrote(6, 2998, 951, 2998, 1), "what is left in the units of another writer");
}

static void unseen(void)
{
	CUdeviceptr a, b;

	start_with_timeouts();
	a = allocate(1000); /* event 1, object 1 */
	b = allocate(1000); /* 2, object 2 */
	set(a, 1000, 7);    /* 3 */
	set(b, 1000, 7);    /* 4 */
	skip();             /* 5 */
	check(is_seen(5, 1, 0), "a launch that is not analysed may have read everything");
	skip(); /* 6 */
	check(is_seen(6, 0, 0), "of nothing else it is said");
	set(a, 1000, 7); /* 7 */
	set(a, 1000, 7); /* 8 */
	check(wrote(7, 1000, 0, 1000, 0) && events[6].row.redundant_bytes == 1000 &&
		      wrote(8, 1000, 1000, 1000, 0),
	      "what was written before it is not dead, what is written after it is");
	events_expose(context, a + 10);
	check(is_seen(8, 0, 1), "what a texture reads");
	events_expose(context, a + 20);
	set(a, 1000, 7); /* 9 */
	set(a, 1000, 7); /* 10 */
	set(b, 1000, 7); /* 11 */
	check(wrote(9, 1000, 0, 0, 0) && wrote(10, 1000, 0, 0, 0), "... is never dead nor unread");
	check(wrote(11, 1000, 0, 1000, 0), "other objects are");
	instructions = INSTRUCTIONS_TEXTURE_READ;
	launch(b, 100, 8, 0); /* 12 */
	instructions = INSTRUCTIONS_TENSOR_READ;
	launch(b, 100, 8, 0); /* 13 */
	instructions = 0;
	launch(b, 200, 8, 0); /* 14 */
	queues_drain(NULL);
	check(wrote(12, 100, 100, 100, 0) && is_seen(12, 0, 0), "a kernel with textures");
	check(is_seen(13, 1, 0) && is_seen(14, 0, 0) && events[13].rows == 2 &&
		      !events[13].row.dead_bytes && events[13].row.unread_bytes == 100,
	      "one that reads tensors may read all");
	events_lost_track();
	set(b, 1000, 7); /* 15 */
	check(is_seen(14, 1, 0) && wrote(15, 1000, 0, 1000, 0), "so may what is not known at all");
	finish((struct operation){.kind = OPERATION_GRAPH, .stream = streams[0]});
	check(is_seen(15, 1, 0), "... and a graph that was launched as a whole");
	api_call.name = "cuMemUnmap";
	set(b, 1000, 7);                                                  /* 16 */
	finish((struct operation){.kind = OPERATION_FREE, .address = b}); /* 17 */
	check(wrote(16, 1000, 0, 1000, 0) && is_seen(16, 0, 2),
	      "who is unmapped can be mapped elsewhere");
}

/* What can be read unseen from its allocation on. */
static void memory(void)
{
	static const enum gpu_memory kinds[] = {GPU_MEMORY_MANAGED, GPU_MEMORY_MAPPED_HOST};
	CUdeviceptr managed;
	uint32_t at;

	start(0);
	for (int i = 0; i < 2; i++) {
		driver.cuMemAlloc(&managed, 1000);
		finish((struct operation){.kind = OPERATION_ALLOC,
					  .address = managed,
					  .size = 1000,
					  .memory = kinds[i]});
		set(managed, 1000, 1);
		set(managed, 1000, 1);
		at = ended;
		check(wrote(at - 1, 1000, 0, 0, 0) && wrote(at, 1000, 0, 0, 0),
		      "memory of the host is never unread");
	}
	driver.cuMemAlloc(&managed, 1000);
	finish((struct operation){.kind = OPERATION_ALLOC,
				  .address = managed,
				  .size = 1000,
				  .external_writers = true,
				  .memory = GPU_MEMORY_DEVICE});
	set(managed, 1000, 1);
	set(managed, 1000, 1);
	check(wrote(ended, 1000, 0, 0, 0), "nor is another process's");
	managed = allocate(1000);
	set(managed, 1000, 1);
	events_share_external(context, managed);
	check(is_seen(ended, 0, objects), "what is given to another process");
	set(managed, 1000, 1);
	check(wrote(ended, 1000, 0, 0, 0), "... is not any more");
}

int main(int argc, char **argv)
{
	static const struct test_case cases[] = {
		{"rows", rows}, {"unseen", unseen}, {"memory", memory}};

	return run_case(cases, sizeof(cases) / sizeof(*cases), argc, argv);
}
