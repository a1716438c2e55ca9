/* The builder, on traces with NVTX ranges, written by hand. */
#include "tests/unit/made_traces.h"

static void range(uint32_t id, uint32_t parent, const char *name)
{
	struct {
		struct trace_range record;
		char room[64];
	} made = {.record = {.record = {.type = TRACE_RANGE}, .id = id, .parent = parent}};
	size_t at = offsetof(struct trace_range, text);

	memcpy((char *)&made + at, name, strlen(name) + 1);
	assert_int_equal(trace_append(writer, &made.record.record, at + strlen(name) + 1), 0);
}

static void thread_in(uint32_t thread, uint32_t id)
{
	struct trace_thread_range made = {
		.record = {.type = TRACE_THREAD_RANGE}, .thread = thread, .range = id};

	assert_int_equal(trace_append(writer, &made.record, sizeof(made)), 0);
}

static void call_of(uint32_t thread)
{
	u.event.thread = thread;
	event(1, 0, NULL);
}

/* Two processes with the same ranges, in another order: they are the same ones. */
static void test_processes(void **state)
{
	static const char *const names[] = {"train", "step", "step"};
	static const uint32_t outer[] = {PROFILE_NO_ROW, 0, PROFILE_NO_ROW};
	static const uint32_t of[] = {0, 1, 2, PROFILE_NO_ROW, 2, 1};
	static const uint64_t calls[] = {3, 2, 2}; /* of `train` with those of `step` in it */
	struct profile *profile;

	(void)state;
	start(1);
	context(1, TRACE_SET, "cudaMemset", 0);
	range(1, 0, "train");
	thread_in(7, 1);
	call_of(7);
	range(2, 1, "step");
	thread_in(7, 2);
	call_of(7);
	range(3, 0, "step");
	thread_in(8, 3);
	call_of(8);
	call_of(9);
	end();
	start(2);
	context(1, TRACE_SET, "cudaMemset", 0);
	range(1, 0, "step");
	thread_in(0, 1);
	call_of(0);
	range(2, 0, "train");
	range(3, 2, "step");
	thread_in(0, 3);
	call_of(0);
	end();
	profile = build();
	assert_int_equal(profile->range_count, 3);
	for (uint32_t i = 0; i < 3; i++) {
		assert_string_equal(profile->ranges[i].name, names[i]);
		assert_int_equal(profile->ranges[i].outer, outer[i]);
		assert_int_equal(profile->ranges[i].calls, calls[i]);
		assert_int_equal(profile->ranges[i].host_ns, 10 * calls[i]);
	}
	assert_int_equal(profile->event_rows, 6);
	for (uint32_t i = 0; i < 6; i++)
		assert_int_equal(profile->events[i].range, of[i]);
	/* one call was in none */
	assert_false(profile->graph->vertices[1].fields & VERTEX_NVTX_RANGE);
	profile_free(profile);
}

static void after_itself(void)
{
	range(1, 1, "train");
}

static void out_of_order(void)
{
	range(2, 0, "train");
}

static void not_there(void)
{
	range(1, 0, "train");
	thread_in(0, 2);
}

static void too_deep(void)
{
	for (uint32_t i = 0; i <= TRACE_RANGE_DEPTH; i++)
		range(i + 1, i, "deeper");
}

static void deep(void)
{
	for (uint32_t i = 0; i < TRACE_RANGE_DEPTH; i++)
		range(i + 1, i, "deep");
	thread_in(UINT32_MAX, TRACE_RANGE_DEPTH);
}

/* How many calls there are after what comes first. */
static uint64_t calls_after(void (*first)(void))
{
	struct profile *profile;
	uint64_t count;

	remove_folder(NULL);
	make_folder(NULL);
	start(1);
	context(1, TRACE_SET, "cudaMemset", 0);
	first();
	call_of(0);
	end();
	profile = build();
	count = profile->event_count;
	profile_free(profile);
	return count;
}

/* What cannot be ends the trace there. */
static void test_what_cannot_be(void **state)
{
	(void)state;
	assert_int_equal(calls_after(after_itself), 0);
	assert_int_equal(calls_after(out_of_order), 0);
	assert_int_equal(calls_after(not_there), 0);
	assert_int_equal(calls_after(too_deep), 0);
	assert_int_equal(calls_after(deep), 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_folder, remove_folder)

int main(void)
{
	const struct CMUnitTest tests[] = {TEST(test_processes), TEST(test_what_cannot_be)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
