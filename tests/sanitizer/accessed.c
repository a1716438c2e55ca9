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

int main(void)
{
	follows_accesses = true;
	start(0);
	launches();
	sets();
	many();
	unseen();
	at_end();
	return 0;
}
