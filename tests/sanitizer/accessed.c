/* What of objects is accessed, of launches that are pending, of copies and sets, and at the end. */
#include "tests/sanitizer/events.h"

enum { KIB = 1024, MIB = KIB * KIB };

static bool slice_is(uint32_t event, uint64_t offset, uint64_t end)
{
	const struct event *found = &events[event - 1];

	return found->slices == 1 && found->slice.offset == offset && found->slice.end == end;
}

static bool accessed_is(uint32_t object, uint64_t bytes, uint64_t chunks, uint64_t largest,
			uint64_t offset)
{
	const struct gpu_accessed *found = &accessed[object];

	return found->bytes == bytes && found->chunks == chunks &&
	       found->largest_bytes == largest && found->largest_offset == offset;
}

static void release(CUdeviceptr address)
{
	finish((struct operation){.kind = OPERATION_FREE, .address = address});
}

/* By launches, which are pending; what is left over is 768 bytes, and 2560. */
static void launches(void)
{
	CUdeviceptr a = allocate(4096);
	uint32_t begin = begun, of_a = objects;

	launch(a + 1024, 512, 5, 0);
	launch(a, 256, -1, 0);
	launch(a + 1028, 8, 5, 0);
	release(a);
	check(slice_is(begin + 1, 1024, 1536) && slice_is(begin + 2, 0, 256) &&
		      slice_is(begin + 3, 1028, 1036),
	      "each launch has its slice");
	check(accessed_is(of_a, 768, 2, 2560, 1536), "and the object what all have accessed");
}

/* Sets, by passes of their own and by commands; bytes of a last unit that is cut off. */
static void sets(void)
{
	CUdeviceptr b = allocate(1003), c;
	uint32_t begin = begun, of_b = objects;

	for (uint64_t i = 0; i < 40; i++)
		set(b + i * 20, 8, 1);
	set(b + 1001, 1, 2);
	c = allocate(64);
	release(b);
	check(!events[begin].slices, "sets have no slices");
	check(accessed_is(of_b, 40 * 8 + 3, 40, 1000 - 788, 788), "sets access objects, too");
	release(c);
	check(accessed_is(of_b + 1, 0, 1, 64, 0), "of an object that nothing accessed nothing is");
}

/* So many blocks that several blocks of threads go over them; their shadow moves to the host. */
static void many(void)
{
	CUdeviceptr a = allocate(4 * MIB);
	struct object *object = events_find_object(context, a);
	uint32_t begin = begun, of_a = objects;

	threads = UINT64_C(1) << 20;
	function = (CUfunction)(uintptr_t)3;
	launch(a + MIB + 4, 2 * MIB, 1, 0);
	launch(a + MIB, 4, 1, 0);
	queues_drain(NULL);
	check(slice_is(begin + 1, MIB + 4, 3 * MIB + 4) && slice_is(begin + 2, MIB, MIB + 4),
	      "slices of a large object");
	space_evict(object->space, all_but(64 * MIB));
	check(object->base.host, "the shadow moves to the host");
	launch(a + 4 * MIB - 4, 4, 1, 0);
	release(a);
	check(accessed_is(of_a, 2 * MIB + 8, 2, MIB, 0), "what was accessed goes with it");
}

/* As patches do: threads have accessed so many units, from one of them on, so often. */
static void count(CUdeviceptr address, uint64_t unit, uint64_t units, uint32_t times)
{
	struct object *object = events_find_object(context, address);
	struct device_record record;

	object_describe(object, &record);
	for (uint64_t i = unit; i < unit + units; i++) {
		const CUdeviceptr at =
			(CUdeviceptr)(uintptr_t)&record.counts[i >> record.count_shift];
		uint32_t counted = 0;

		driver.cuMemcpyDtoHAsync(&counted, at, sizeof(counted), NULL);
		counted += times;
		driver.cuMemcpyHtoDAsync(at, &counted, sizeof(counted), NULL);
	}
	queues_drain(NULL);
}

static bool frequency_is(uint32_t event, uint64_t elements, uint64_t accesses, uint64_t squares,
			 uint64_t most, uint32_t granularity)
{
	const struct event *found = &events[event - 1];
	const struct gpu_frequency *frequency = &found->frequency;

	return found->frequencies == 1 && frequency->elements == elements &&
	       frequency->accesses == accesses && frequency->squares_low == squares &&
	       !frequency->squares_high && frequency->most == most &&
	       frequency->granularity == granularity;
}

/* 120 units once and 8 nine times, of 1024 in parts of 64; then all of them once. */
static void frequencies(void)
{
	CUdeviceptr a = allocate(4096);
	uint32_t begin = begun;
	const struct gpu_frequency *found;

	count(a, 256, 128, 1);
	count(a, 320, 8, 8);
	launch(a + 1024, 512, 5, 0);
	queues_drain(NULL);
	found = &events[begin].frequency;
	check(frequency_is(begin + 1, 128, 192, 120 + 8 * 81, 9, 4),
	      "how often units are accessed");
	check(found->parts[4] == 64 && found->parts[5] == 128 && found->often[0] == 120 &&
		      found->often[3] == 8,
	      "by parts of the object, and by how often");
	count(a, 256, 128, 1);
	launch(a + 1024, 512, -1, 0);
	queues_drain(NULL);
	check(events[begin + 1].slices == 1 && !events[begin + 1].frequencies,
	      "nothing is said where all are accessed as often");
	count(a, 0, 2, 1);
	count(a, 0, 1, 1);
	launch(a, 8, -1, 0);
	release(a);
	check(frequency_is(begin + 3, 2, 3, 1 + 4, 2, 4), "counts begin anew with each launch");
}

/*
 * A sixteenth of the memory is less: stretches of 32 units have a count.  Of the first one two
 * units have 10 accesses together, of the second one all have two each.
 */
static void coarse_frequencies(void)
{
	CUdeviceptr a;
	uint32_t begin;

	memory_limit(64 * MIB);
	a = allocate(8 * MIB);
	memory_limit(0);
	begin = begun;
	check(events_find_object(context, a)->coarse_counts, "counts are coarse");
	count(a, 30, 1, 9);
	count(a, 31, 33, 1);
	count(a, 32, 32, 1);
	launch(a + 120, 136, 1, 0);
	release(a);
	check(frequency_is(begin + 1, 34, 74, 2 * 25 + 32 * 4, 5, 128),
	      "units of a stretch share its accesses");
}

/* What was not analysed may have accessed what there was. */
static void unseen(void)
{
	CUdeviceptr a = allocate(256), b, c;
	unsigned before = accessed_count;
	uint32_t of_b;

	launch(a, 128, 1, 0);
	event_all_seen(NULL, events_find_space(context));
	b = allocate(256);
	of_b = objects;
	c = allocate(256);
	launch(b, 128, 1, 0);
	launch(c, 128, 1, 0);
	queues_drain(NULL);
	events_expose(context, c);
	release(a);
	release(c);
	check(accessed_count == before, "of an object that something else may have accessed "
					"nothing is said");
	release(b);
	check(accessed_count == before + 1 && accessed_is(of_b, 128, 1, 128, 128),
	      "of one that was made later it is");
}

/* Objects that are not freed. */
static void at_end(void)
{
	CUdeviceptr a = allocate(256);
	uint32_t of_a = objects;
	unsigned before;

	allocate(64);
	launch(a + 128, 128, 1, 0);
	before = accessed_count;
	events_drain_at_end();
	check(events_have_accesses(), "there is something to be said at the end");
	events_accessed_at_end();
	check(accessed_count == before + 2 && accessed_is(of_a, 128, 1, 128, 0) &&
		      accessed_is(of_a + 1, 0, 1, 64, 0),
	      "at the end what was accessed of objects that live is said");
}

/* Two objects of 1 MiB each are most; the third takes the place of the first. */
static void memory_of_device(void)
{
	const struct gpu_device_memory *first = &device_memory[0], *last = &device_memory[1];
	CUdeviceptr a = allocate(MIB), b;
	uint64_t used;

	check(device_memory_count == 2 && first->first && !first->allocated && !first->own &&
		      !last->first && last->allocated == MIB && last->own > MIB,
	      "memory of the device before the first allocation, and behind it");
	b = allocate(MIB);
	check(device_memory_count == 3 && last->allocated == 2 * MIB, "when there is more of it");
	/* rings of results are memory of the host, which here is the device's, too */
	used = first->unused - last->unused;
	check(last->total == first->total && used >= last->allocated + last->own &&
		      used - last->allocated - last->own < 8 * MIB,
	      "all that is used since is the program's or vflow's own");
	release(a);
	a = allocate(MIB);
	set(a, MIB, 1);
	allocate(64 * KIB);
	check(device_memory_count == 3, "not when there is no more, or little");
	release(a);
	release(b);
}

int main(void)
{
	follows_accesses = true;
	start(0);
	memory_of_device();
	launches();
	sets();
	many();
	frequencies();
	coarse_frequencies();
	unseen();
	at_end();
	return 0;
}
