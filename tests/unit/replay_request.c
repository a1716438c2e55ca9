/* --after-use without a time: what the pass `use` has measured, on a profile made by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "gpu/records.h"
#include "replay/request.h"

static struct profile_api apis[] = {{.vertex = 7}, {.vertex = PROFILE_NO_VERTEX}};
static struct profile_timed_call timeline[] = {{.api = 1}};
static struct profile_first_use uses[] = {
	{.api = 0, .kind = GPU_USE_INSTRUCTION, .waits = 3, .min_ns = 900, .median_ns = 1000},
	{.api = 0, .kind = GPU_USE_SYSTEM_CALL, .waits = 1, .min_ns = 400, .median_ns = 400},
	{.api = 1,
	 .kind = GPU_USE_NEVER,
	 .waits = 2,
	 .min_ns = PROFILE_UNKNOWN,
	 .median_ns = PROFILE_UNKNOWN},
	{.api = 0,
	 .kind = GPU_USE_UNKNOWN,
	 .waits = 1,
	 .min_ns = PROFILE_UNKNOWN,
	 .median_ns = PROFILE_UNKNOWN},
};

/* The time that the wait moves; 0: the error says this. */
static uint64_t measured(const char *item, uint32_t use_count, const char *says)
{
	const struct profile profile = {.apis = apis,
					.api_count = 2,
					.timeline = timeline,
					.timeline_count = 1,
					.first_uses = uses,
					.first_use_count = use_count};
	const struct option_list list = {&item, 1};
	struct request request = {NULL, 0, 0};
	struct error error = {""};
	uint64_t ns = 0;

	assert_int_equal(request_add(&request, REPLAY_MOVE, &list, &error), 0);
	if (request_measure(&request, &profile, &error) == 0)
		ns = request.changes[0].ns;
	else
		assert_non_null(strstr(error.text, says));
	request_release(&request);
	return ns;
}

static void test_first_use(void **state)
{
	(void)state;
	assert_int_equal(measured("7", 3, ""), 400);
	assert_int_equal(measured("7=5us", 3, ""), 5000);
	assert_int_equal(measured("7", 4, "vertex 7: not all"), 0);
	assert_int_equal(measured("a2", 4, "a2: the host never used"), 0);
	assert_int_equal(measured("c1", 4, "call 1: the host never used"), 0);
	assert_int_equal(measured("c2", 4, "no first use of it"), 0);
	assert_int_equal(measured("8", 4, "no first use of it"), 0);
}

/* The number of the stream; UINT32_MAX: it is none. */
static uint32_t stream_of(const char *item)
{
	const struct option_list list = {&item, 1};
	struct request request = {NULL, 0, 0};
	struct error error = {""};
	uint32_t stream = UINT32_MAX;

	if (request_add(&request, REPLAY_NARROW, &list, &error) == 0)
		stream = request.changes[0].stream;
	else
		assert_non_null(strstr(error.text, "--wait-for "));
	request_release(&request);
	return stream;
}

static void test_wait_for(void **state)
{
	(void)state;
	assert_int_equal(stream_of("a7=3"), 3);
	assert_int_equal(stream_of("31:2-5=0"), 0);
	assert_int_equal(stream_of("a7"), UINT32_MAX);
	assert_int_equal(stream_of("a7="), UINT32_MAX);
	assert_int_equal(stream_of("a7=3us"), UINT32_MAX);
	assert_int_equal(stream_of("a7=4294967295"), UINT32_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_first_use),
					   cmocka_unit_test(test_wait_for)};

	return cmocka_run_group_tests_name("replay_request", tests, NULL, NULL);
}
