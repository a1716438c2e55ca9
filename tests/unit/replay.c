/*
 * How long runs would take with changes: ten scenarios of synchronization whose figures are worked
 * out by hand, random programs against a model of a device, threads, processes, and timelines that
 * no run makes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "replay/replay.h"
#include "tests/unit/replay_model.h"

enum { US = 1000 };

#define COUNT(array) ((uint32_t)(sizeof(array) / sizeof((array)[0])))

static struct replay *replay_of(const struct profile *profile)
{
	struct error error = {""};
	struct replay *replay = replay_new(profile, &error);

	if (!replay)
		fail_msg("%s", error.text);
	return replay;
}

/* Both ways, which must agree. */
static struct replay_times times_with(const struct profile *profile,
				      const struct replay_change *changes, uint32_t count)
{
	struct replay *replay = replay_of(profile);
	struct replay_times times, all;
	struct replay_result *result;
	struct error error = {""};

	assert_int_equal(replay_estimate(replay, changes, count, &times, &error), 0);
	result = replay_run(replay, changes, count, &error);
	assert_non_null(result);
	all = result->times;
	replay_result_free(result);
	replay_free(replay);
	assert_int_equal(times.before_ns, all.before_ns);
	assert_int_equal(times.after_ns, all.after_ns);
	assert_int_equal(times.after_most_ns, all.after_most_ns);
	assert_int_equal(times.changed, all.changed);
	return times;
}

/* What the program with `n` iterations saves, in ns an iteration; and its mended twin's time. */
static void scenario(const struct step *steps, uint32_t count, uint64_t before, uint64_t after)
{
	enum { TIMES = 200 };
	struct replay_change changes[16];
	uint32_t change_count = 0;
	uint64_t end, mended_end;
	struct profile *profile = model_run(steps, count, TIMES, false, &end);
	struct profile *mended = model_run(steps, count, TIMES, true, &mended_end);
	struct replay_times times;

	for (uint32_t i = 0; i < count; i++)
		if (steps[i].removed)
			changes[change_count++] = (struct replay_change){
				.kind = REPLAY_REMOVE, .subject = REPLAY_API, .index = i};
	times = times_with(profile, changes, change_count);
	assert_int_equal(times.before_ns, end);
	assert_int_equal(times.after_ns, mended_end);
	assert_int_equal(end, before);
	assert_int_equal(mended_end, after);
	profile_free(profile);
	profile_free(mended);
}

enum { A = 3, B = 4 }; /* streams that are not ordered with the default one */

/* The costs are the model's: a launch takes 5 us, its kernel begins 6 us after it, a wait ends 2 us
 * after what it is for and takes 1 more.  Removed are the waits that say so. */
static void scenarios(void **state)
{
	const struct step one[] = {{.what = KERNEL, .stream = A, .ns = 300 * US},
				   {.what = SYNC_STREAM, .stream = A, .removed = true},
				   {.what = WORK, .ns = 100 * US}};
	const struct step two[] = {{.what = KERNEL, .stream = A, .ns = 100 * US},
				   {.what = SYNC_STREAM, .stream = A, .removed = true},
				   {.what = WORK, .ns = 300 * US}};
	const struct step three[] = {{.what = ALLOC, .removed = true},
				     {.what = KERNEL, .stream = A, .ns = 150 * US},
				     {.what = FREE, .removed = true},
				     {.what = WORK, .ns = 200 * US}};
	const struct step four[] = {
		{.what = COPY, .ns = 211715, .removed = true}, /* 4 MiB at 20 bytes a ns */
		{.what = KERNEL, .stream = A, .ns = 100 * US},
		{.what = SYNC_STREAM, .stream = A},
		{.what = WORK, .ns = 50 * US}};
	const struct step six[] = {{.what = KERNEL, .stream = A, .ns = 200 * US},
				   {.what = SYNC_STREAM, .stream = A, .removed = true},
				   {.what = KERNEL, .stream = B, .ns = 200 * US},
				   {.what = SYNC_STREAM, .stream = B},
				   {.what = WORK, .ns = 20 * US}};
	const struct step seven[] = {{.what = KERNEL, .stream = A, .ns = 200 * US},
				     {.what = SYNC_STREAM, .stream = A, .removed = true},
				     {.what = WORK, .ns = 10 * US},
				     {.what = KERNEL, .stream = A, .ns = 200 * US},
				     {.what = ASYNC_COPY, .stream = A, .ns = 2074}, /* 4 KiB */
				     {.what = SYNC_STREAM, .stream = A},
				     {.what = WORK, .ns = 30 * US}};
	const struct step eight[] = {{.what = KERNEL, .stream = A, .ns = 100 * US},
				     {.what = SYNC_STREAM, .stream = A, .removed = true},
				     {.what = WORK, .ns = 60 * US},
				     {.what = KERNEL, .stream = A, .ns = 100 * US},
				     {.what = SYNC_STREAM, .stream = A, .removed = true},
				     {.what = WORK, .ns = 60 * US},
				     {.what = KERNEL, .stream = A, .ns = 100 * US},
				     {.what = SYNC_STREAM, .stream = A},
				     {.what = WORK, .ns = 60 * US}};
	const struct step nine[] = {{.what = KERNEL, .stream = B, .ns = 800 * US},
				    {.what = KERNEL, .stream = A, .ns = 100 * US},
				    {.what = SYNC_STREAM, .stream = A, .removed = true},
				    {.what = WORK, .ns = 100 * US},
				    {.what = KERNEL, .stream = A, .ns = 100 * US},
				    {.what = SYNC_STREAM, .stream = A},
				    {.what = WORK, .ns = 100 * US},
				    {.what = SYNC_STREAM, .stream = B}};

	(void)state;
	/* 5, 306 until the kernel's end, 2 + 1, 100 | the kernels, from 6 on */
	scenario(one, COUNT(one), 200 * 409 * US, (6 + 200 * 300) * US);
	/* the host is the bottleneck */
	scenario(two, COUNT(two), 200 * 409 * US, 200 * 305 * US);
	/* 5 + 5, until 161, 2 + 30, 200 | 5 + 200 */
	scenario(three, COUNT(three), 200 * 393 * US, 200 * 205 * US);
	/* 6 + 211.715 + 2 + 5, then 6 + 100 + 2 + 1 + 50 | only these */
	scenario(four, COUNT(four), 200 * 383715, 200 * 159 * US);
	/* 209, 214, 415, 418, 438 | the other one ends at 5 + 6 + 200 */
	scenario(six, COUNT(six), 200 * 438 * US, 200 * 234 * US);
	/* 209, 219, 425, 427.074, 430.074, 460.074 | 406, 408.074, 411.074, 441.074 */
	scenario(seven, COUNT(seven), 200 * 460074, 200 * 441074);
	/* 3 * 169 | 306, 309, 369 */
	scenario(eight, COUNT(eight), 200 * 507 * US, 200 * 369 * US);
	/* the other stream: until 806 + 2 + 1, either way */
	scenario(nine, COUNT(nine), 200 * 809 * US, 200 * 809 * US);
}

/* Scenarios 5 and 10: waits that move behind what the host does before it needs the data. */
static void moved_waits(void **state)
{
	const struct step five[] = {{.what = KERNEL, .stream = A, .ns = 200 * US},
				    {.what = ASYNC_COPY, .stream = A, .ns = 2074},
				    {.what = SYNC_STREAM, .stream = A},
				    {.what = WORK, .ns = 170 * US}};
	const struct step ten[] = {{.what = KERNEL, .stream = A, .ns = 50 * US},
				   {.what = ASYNC_COPY, .stream = A, .ns = 2074},
				   {.what = SYNC_STREAM, .stream = A},
				   {.what = WORK, .ns = 520 * US}};
	struct replay_change move = {
		.kind = REPLAY_MOVE, .subject = REPLAY_API, .index = 2, .ns = 150 * US};
	struct replay_times times;
	struct profile *profile;
	uint64_t end;

	(void)state;
	profile = model_run(five, COUNT(five), 200, false, &end);
	times = times_with(profile, &move, 1);
	assert_int_equal(times.before_ns, 200 * 381074); /* 206, 208.074, 211.074, + 170 */
	assert_int_equal(times.after_ns, 200 * 231074);  /* 10 + 150, still until 211.074, 20 */
	profile_free(profile);
	profile = model_run(ten, COUNT(ten), 200, false, &end);
	move.ns = 500 * US;
	times = times_with(profile, &move, 1);
	assert_int_equal(times.before_ns, 200 * 581074);  /* 56, 58.074, 61.074, + 520 */
	assert_int_equal(times.after_ns, 200 * 531 * US); /* 10 + 500, nothing to wait for: 1, 20 */
	/* the first invocation only, to the launch of the second iteration, after its own 520 */
	move = (struct replay_change){.kind = REPLAY_MOVE,
				      .subject = REPLAY_CALL,
				      .index = 2,
				      .at_call = true,
				      .call = 3};
	times = times_with(profile, &move, 1);
	assert_int_equal(times.after_ns, 199 * 581074 + 531 * US);
	profile_free(profile);
}

/* Kernels that newly run side by side may slow each other down: at worst as if they did not. */
static void overlap(void **state)
{
	const struct step steps[] = {{.what = KERNEL, .stream = A, .ns = 200 * US},
				     {.what = SYNC_STREAM, .stream = A, .removed = true},
				     {.what = KERNEL, .stream = B, .ns = 200 * US},
				     {.what = SYNC_STREAM, .stream = B},
				     {.what = WORK, .ns = 20 * US}};
	const struct step beside[] = {{.what = KERNEL, .stream = A, .ns = 200 * US},
				      {.what = SYNC_STREAM, .stream = A, .removed = true},
				      {.what = ASYNC_COPY, .stream = B, .ns = 200 * US},
				      {.what = SYNC_STREAM, .stream = B},
				      {.what = WORK, .ns = 20 * US}};
	const struct replay_change remove = {
		.kind = REPLAY_REMOVE, .subject = REPLAY_API, .index = 1};
	struct replay_times times;
	struct profile *profile;
	uint64_t end;

	(void)state;
	profile = model_run(steps, COUNT(steps), 200, false, &end);
	times = times_with(profile, &remove, 1);
	assert_int_equal(times.after_ns, 200 * 234 * US);
	/* the second kernel from 206 to 406, 409, 429 */
	assert_int_equal(times.after_most_ns, 200 * 429 * US);
	profile_free(profile);
	/* a copy beside a kernel: as fast as ever */
	profile = model_run(beside, COUNT(beside), 200, false, &end);
	times = times_with(profile, &remove, 1);
	assert_int_equal(times.after_ns, 200 * 234 * US);
	assert_int_equal(times.after_most_ns, times.after_ns);
	profile_free(profile);
}

/* -- random programs -- */

static uint64_t seed;

static uint32_t random_below(uint32_t limit)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(seed >> 33) % limit;
}

static struct step random_step(void)
{
	static const enum what most[] = {KERNEL, KERNEL, WORK, WORK, ASYNC_COPY, SYNC_STREAM};
	struct step step = {.stream = random_below(STREAMS), .event = random_below(EVENTS)};
	uint32_t pick = random_below(COUNT(most) + WHATS);

	step.what = pick < COUNT(most) ? most[pick] : (enum what)(pick - COUNT(most));
	step.ns = (uint64_t)(1 + random_below(400)) * 500 + random_below(1000);
	if (step.what == COPY || step.what == FREE || step.what == ALLOC ||
	    step.what == SYNC_DEVICE)
		step.stream = 0;
	if (step.what == WAIT_EVENT && !step.stream)
		step.stream = A;
	return step;
}

static bool has_call(enum what what)
{
	return what != WORK && what != RECORD && what != WAIT_EVENT;
}

/* The mended program by the model, and by the replay. */
static void random_program(uint32_t number)
{
	enum { STEPS = 40 };
	struct step steps[STEPS];
	struct replay_change changes[STEPS];
	uint32_t change_count = 0;
	struct replay_times times;
	struct profile *profile, *mended;
	uint64_t end, mended_end;

	seed = number;
	for (uint32_t i = 0; i < STEPS; i++) {
		struct step *step = &steps[i];

		*step = random_step();
		if (!has_call(step->what) || random_below(4))
			continue;
		step->removed = random_below(2);
		step->no_wait = !step->removed;
		changes[change_count++] = (struct replay_change){
			.kind = step->removed ? REPLAY_REMOVE : REPLAY_NO_WAIT,
			.subject = random_below(2) ? REPLAY_API : REPLAY_VERTEX,
			.index = i};
	}
	profile = model_run(steps, STEPS, 1 + random_below(20), false, &end);
	seed = number;
	for (uint32_t i = 0; i < STEPS; i++) /* the same number of times */
		if (random_step(), has_call(steps[i].what) && !random_below(4))
			random_below(2), random_below(2);
	mended = model_run(steps, STEPS, 1 + random_below(20), true, &mended_end);
	if (profile->timeline_count) {
		times = times_with(profile, changes, change_count);
		if (times.before_ns != end || times.after_ns != mended_end)
			fail_msg("program %u: %llu (%llu) -> %llu (%llu)", number,
				 (unsigned long long)times.before_ns, (unsigned long long)end,
				 (unsigned long long)times.after_ns,
				 (unsigned long long)mended_end);
		assert_true(times.after_most_ns >= times.after_ns);
	}
	profile_free(profile);
	profile_free(mended);
}

static void random_programs(void **state)
{
	(void)state;
	for (uint32_t i = 1; i <= 3000; i++)
		random_program(i);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(scenarios),
		cmocka_unit_test(moved_waits),
		cmocka_unit_test(overlap),
		cmocka_unit_test(random_programs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
