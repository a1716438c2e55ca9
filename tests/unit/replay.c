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

#include "replay/diogenes.h"
#include "replay/picture.h"
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

/*
 * Waits for what a stream with nothing in it waits for: of the stream, of an event that is recorded
 * there, and of one recorded in a stream that waits for that.
 */
static void joins(void **state)
{
	const struct step steps[] = {{.what = KERNEL, .stream = A, .ns = 100 * US},
				     {.what = RECORD, .stream = A, .event = 0},
				     {.what = WAIT_EVENT, .stream = B, .event = 0},
				     {.what = SYNC_STREAM, .stream = B, .removed = true},
				     {.what = WORK, .ns = 50 * US},
				     {.what = RECORD, .stream = B, .event = 1},
				     {.what = SYNC_EVENT, .stream = 0, .event = 1},
				     {.what = WORK, .ns = 20 * US}};
	const struct step chain[] = {{.what = KERNEL, .stream = A, .ns = 100 * US},
				     {.what = RECORD, .stream = A, .event = 0},
				     {.what = WAIT_EVENT, .stream = 1, .event = 0},
				     {.what = RECORD, .stream = 1, .event = 1},
				     {.what = WAIT_EVENT, .stream = B, .event = 1},
				     {.what = RECORD, .stream = B, .event = 0},
				     {.what = SYNC_EVENT, .event = 0, .removed = true},
				     {.what = KERNEL, .stream = 2, .ns = 10 * US},
				     {.what = SYNC_STREAM, .stream = 2},
				     {.what = WORK, .ns = 50 * US}};

	(void)state;
	/* 106, 109, 159, 160, 180 | 5 + 50, until 106 again, 109, 129 */
	scenario(steps, COUNT(steps), 200 * 180 * US, 200 * 129 * US);
	/* 106, 109, then a kernel that comes after none of it: 125, 128, 178 | only the kernels of
	 * A */
	scenario(chain, COUNT(chain), 200 * 178 * US, (6 + 200 * 100) * US);
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

/* The program with all steps that say so narrowed, and its mended twin. */
static void narrowed(const struct step *steps, uint32_t count, uint64_t before, uint64_t after)
{
	enum { TIMES = 200 };
	struct replay_change changes[4];
	uint32_t change_count = 0;
	uint64_t end, mended_end;
	struct profile *profile = model_run(steps, count, TIMES, false, &end);
	struct replay_times times;

	profile_free(model_run(steps, count, TIMES, true, &mended_end));
	for (uint32_t i = 0; i < count; i++)
		if (steps[i].narrow)
			changes[change_count++] = (struct replay_change){.kind = REPLAY_NARROW,
									 .subject = REPLAY_API,
									 .index = i,
									 .stream = steps[i].to};
	times = times_with(profile, changes, change_count);
	assert_int_equal(times.before_ns, before);
	assert_int_equal(times.after_ns, after);
	assert_int_equal(end, before);
	assert_int_equal(mended_end, after);
	assert_int_equal(times.changed, change_count * TIMES);
	profile_free(profile);
}

/* Waits for all streams where one is enough, and the default stream as a barrier. */
static void narrowed_waits(void **state)
{
	const struct step device[] = {{.what = KERNEL, .stream = A, .ns = 300 * US},
				      {.what = KERNEL, .stream = B, .ns = 50 * US},
				      {.what = SYNC_DEVICE, .narrow = true, .to = B},
				      {.what = WORK, .ns = 100 * US}};
	const struct step copy[] = {{.what = KERNEL, .stream = 1, .ns = 300 * US},
				    {.what = KERNEL, .stream = 2, .ns = 50 * US},
				    {.what = COPY, .ns = 2 * US, .narrow = true, .to = 2},
				    {.what = WORK, .ns = 100 * US}};
	const struct step barrier[] = {{.what = KERNEL, .stream = 1, .ns = 300 * US},
				       {.what = ASYNC_COPY, .ns = 2 * US, .narrow = true, .to = 2},
				       {.what = KERNEL, .stream = 2, .ns = 300 * US},
				       {.what = SYNC_DEVICE}};
	const struct replay_change unknown = {
		.kind = REPLAY_NARROW, .subject = REPLAY_API, .index = 2, .stream = 77};
	const struct replay_change kernel = {
		.kind = REPLAY_NARROW, .subject = REPLAY_API, .index = 0, .stream = B};
	struct error error = {""};
	struct replay_times times;
	struct profile *profile;
	struct replay *replay;
	uint64_t end;

	(void)state;
	/* 306, 309, 409 | B until 61, 64, 164: the kernels of A are what is waited for */
	narrowed(device, COUNT(device), 200 * 409 * US, (6 + 200 * 300) * US);
	/* 312 to 314, 316, 321, 421 | 67 to 69, 71, 76, 176; the kernels of stream 1 again */
	narrowed(copy, COUNT(copy), 200 * 421 * US, (6 + 200 * 300) * US);
	/* 306 to 308, the other kernel until 608, 611 | 11 to 13, until 316, 319 */
	narrowed(barrier, COUNT(barrier), 200 * 611 * US, 200 * 319 * US);

	profile = model_run(device, COUNT(device), 2, false, &end);
	replay = replay_of(profile);
	assert_int_equal(replay_estimate(replay, &unknown, 1, &times, &error), -1);
	assert_non_null(strstr(error.text, "stream 77"));
	/* a kernel of a stream waits for none */
	assert_int_equal(replay_estimate(replay, &kernel, 1, &times, &error), -1);
	replay_free(replay);
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

/* A program, and what is changed in its mended twin. */
static uint32_t random_steps(struct step *steps, uint32_t count, uint32_t threads,
			     struct replay_change *changes)
{
	uint32_t change_count = 0;

	for (uint32_t i = 0; i < count; i++) {
		struct step *step = &steps[i];

		*step = random_step();
		if (i < threads) /* all threads begin at once */
			*step = (struct step){.what = ALLOC, .thread = i};
		else if (threads > 1 && i == count - 1) /* the first one waits for none */
			*step = (struct step){.what = ALLOC};
		else if (threads > 1)
			step->thread = random_below(threads);
		/* what was recorded while another thread made a call is not known */
		if (threads > 1 &&
		    (step->what == RECORD || step->what == WAIT_EVENT || step->what == SYNC_EVENT))
			step->what = KERNEL;
		if (!has_call(step->what) || i < threads || i == count - 1 || random_below(4))
			continue;
		step->removed = random_below(2);
		step->no_wait = !step->removed;
		changes[change_count++] = (struct replay_change){
			.kind = step->removed ? REPLAY_REMOVE : REPLAY_NO_WAIT,
			.subject = random_below(2) ? REPLAY_API : REPLAY_VERTEX,
			.index = i};
	}
	return change_count;
}

/* The mended program by the model, and by the replay. */
static void random_program(uint32_t number, uint32_t threads)
{
	enum { STEPS = 40 };
	struct step steps[STEPS];
	struct replay_change changes[STEPS];
	struct replay_times times;
	struct profile *profile, *mended;
	uint32_t change_count, repeats;
	uint64_t end, mended_end;

	seed = number;
	change_count = random_steps(steps, STEPS, threads, changes);
	repeats = 1 + random_below(20);
	profile = model_run(steps, STEPS, repeats, false, &end);
	mended = model_run(steps, STEPS, repeats, true, &mended_end);
	times = times_with(profile, changes, change_count);
	if (times.before_ns != end || times.after_ns != mended_end)
		fail_msg("program %u of %u threads: %llu (%llu) -> %llu (%llu)", number, threads,
			 (unsigned long long)times.before_ns, (unsigned long long)end,
			 (unsigned long long)times.after_ns, (unsigned long long)mended_end);
	assert_true(times.after_most_ns >= times.after_ns);
	profile_free(profile);
	profile_free(mended);
}

/* What waits for all streams, or is in the default one, waits for one and is in that. */
static void random_narrowed(void **state)
{
	enum { STEPS = 40 };

	(void)state;
	for (uint32_t number = 1; number <= 500; number++) {
		struct step steps[STEPS];
		struct replay_change changes[STEPS];
		struct replay_times times;
		struct profile *profile;
		uint32_t change_count = 0;
		uint64_t end, mended_end;

		seed = number;
		for (uint32_t i = 0; i < STEPS; i++) {
			struct step *step = &steps[i];

			*step = random_step();
			if (i < STREAMS) /* all streams are there */
				*step = (struct step){.what = KERNEL, .stream = i, .ns = US};
			/* an event behind what has moved waits for both streams */
			if (step->what == RECORD || step->what == WAIT_EVENT ||
			    step->what == SYNC_EVENT)
				step->what = KERNEL;
			if (i < STREAMS || step->stream || step->what == WORK ||
			    step->what == ALLOC || random_below(2))
				continue;
			step->narrow = true;
			step->to = random_below(STREAMS);
			changes[change_count++] = (struct replay_change){.kind = REPLAY_NARROW,
									 .subject = REPLAY_API,
									 .index = i,
									 .stream = step->to};
		}
		profile = model_run(steps, STEPS, 5, false, &end);
		profile_free(model_run(steps, STEPS, 5, true, &mended_end));
		times = times_with(profile, changes, change_count);
		if (times.before_ns != end || times.after_ns != mended_end)
			fail_msg("program %u: %llu (%llu) -> %llu (%llu)", number,
				 (unsigned long long)times.before_ns, (unsigned long long)end,
				 (unsigned long long)times.after_ns,
				 (unsigned long long)mended_end);
		profile_free(profile);
	}
}

static void random_programs(void **state)
{
	(void)state;
	for (uint32_t i = 1; i <= 1500; i++)
		random_program(i, 1);
}

/* What a profiler did between calls is as if it had not been. */
static void random_overhead(void **state)
{
	enum { STEPS = 40 };

	(void)state;
	for (uint32_t i = 1; i <= 500; i++) {
		struct step steps[STEPS];
		struct replay_change changes[STEPS];
		struct replay_times times;
		struct profile *observed;
		uint32_t change_count, repeats;
		uint64_t end, without_end, mended_end;

		seed = i;
		change_count = random_steps(steps, STEPS, 1, changes);
		/* so that the process does not end within the profiler's work */
		steps[STEPS - 1] = (struct step){.what = WORK, .ns = 20 * US};
		while (change_count && changes[change_count - 1].index == STEPS - 1)
			change_count--;
		repeats = 1 + random_below(20);
		profile_free(model_run(steps, STEPS, repeats, false, &without_end));
		profile_free(model_run(steps, STEPS, repeats, true, &mended_end));
		model_overhead = 1 + random_below(5000);
		observed = model_run(steps, STEPS, repeats, false, &end);
		model_overhead = 0;
		times = times_with(observed, changes, change_count);
		profile_free(observed);
		assert_int_equal(times.measured_ns, end);
		/* after the last call there is no next one to tell of the profiler's work */
		assert_in_range(times.before_ns, without_end, without_end + 5000);
		assert_in_range(times.after_ns, mended_end, mended_end + 5000);
	}
}

static void random_threads(void **state)
{
	(void)state;
	for (uint32_t i = 1; i <= 500; i++)
		random_program(i, 2 + i % (THREADS - 1));
}

/* The same on a GPU, where delays vary: what is skipped is as if it had been walked. */
static void random_gpu(void **state)
{
	uint32_t replayed = 0;

	(void)state;
	for (uint32_t i = 1; i <= 500; i++) {
		enum { STEPS = 30 };
		struct step steps[STEPS];
		struct replay_change change = {.kind = REPLAY_REMOVE, .subject = REPLAY_CALL};
		struct profile *profile;
		struct replay *replay;
		struct replay_times times;
		struct error error;
		uint64_t end;

		seed = i;
		for (uint32_t s = 0; s < STEPS; s++)
			steps[s] = random_step();
		steps[0].what = KERNEL;
		profile = model_run(steps, STEPS, 20, false, &end);
		strcpy(profile->processes[0].provider, "cupti");
		for (uint32_t g = 0; g < profile->gpu_time_count; g++) /* jitter */
			profile->gpu_times[g].start_ns += random_below(300);
		replay = replay_new(profile, &error);
		if (replay) { /* else the jitter is too much for so short a run */
			assert_int_equal(replay_estimate(replay, NULL, 0, &times, &error), 0);
			assert_int_equal(times.after_ns, times.before_ns);
			replay_free(replay);
			change.index = random_below(profile->timeline_count);
			times_with(profile, &change, 1);
			change.kind = REPLAY_SHORTEN;
			change.ns = random_below(100000);
			times_with(profile, &change, 1);
			replayed++;
		}
		profile_free(profile);
	}
	assert_true(replayed > 400);
}

/* -- threads and processes, row by row -- */

static void add_timed(struct profile *profile, uint32_t process, uint32_t thread, uint32_t api,
		      uint64_t start, uint64_t end)
{
	ARRAY_RESERVE(profile->timeline, profile->timeline_count, profile->timeline_capacity);
	profile->timeline[profile->timeline_count++] =
		(struct profile_timed_call){.api = api,
					    .range = PROFILE_NO_ROW,
					    .process = process,
					    .thread = thread,
					    .stream = 10 + thread,
					    .nonblocking = true,
					    .start_ns = start,
					    .end_ns = end};
}

static void add_operation(struct profile *profile, uint64_t start, uint64_t end)
{
	ARRAY_RESERVE(profile->gpu_times, profile->gpu_time_count, profile->gpu_time_capacity);
	profile->gpu_times[profile->gpu_time_count++] = (struct profile_gpu_time){
		.call = profile->timeline_count - 1, .start_ns = start, .end_ns = end};
}

static void add_wait(struct profile *profile, uint32_t scope, uint64_t start, uint64_t ns)
{
	const struct profile_timed_call *call = &profile->timeline[profile->timeline_count - 1];

	ARRAY_RESERVE(profile->waits, profile->wait_count, profile->wait_capacity);
	profile->waits[profile->wait_count++] =
		(struct profile_wait){.call = profile->timeline_count - 1,
				      .scope = scope,
				      .stream = call->stream,
				      .start_ns = start,
				      .wait_ns = ns,
				      .recorded_ns = PROFILE_UNKNOWN};
}

/* A kernel of 100 us and the wait for it: 5, 106, 108, 109 after `start`. */
static void add_kernel_and_wait(struct profile *profile, uint32_t process, uint32_t thread,
				uint64_t start)
{
	add_timed(profile, process, thread, 0, start, start + 5 * US);
	add_operation(profile, start + 6 * US, start + 106 * US);
	add_timed(profile, process, thread, 1, start + 5 * US, start + 109 * US);
	add_wait(profile, GPU_WAIT_STREAM, start + 5 * US, 103 * US);
}

static struct profile *kernel_profile(void)
{
	struct profile *profile = model_profile();

	add_api(profile, "kernel", 7);
	add_api(profile, "sync", PROFILE_NO_VERTEX);
	return profile;
}

static const struct replay_change no_kernels = {
	.kind = REPLAY_REMOVE, .subject = REPLAY_VERTEX, .index = 7};
static const struct replay_change no_waits = {
	.kind = REPLAY_REMOVE, .subject = REPLAY_API, .index = 1};

/* main: a call, 10 us, starts a thread, waits for it, 20 us, a call, 30 us to the end. */
static void threads(void **state)
{
	struct profile *profile = kernel_profile();
	struct replay_times times;

	(void)state;
	add_kernel_and_wait(profile, 0, 0, 0);        /* until 109 */
	add_kernel_and_wait(profile, 0, 1, 119 * US); /* until 228 */
	add_kernel_and_wait(profile, 0, 1, 228 * US); /* until 337 */
	add_kernel_and_wait(profile, 0, 0, 357 * US); /* until 466 */
	add_process(profile, 0, 496 * US);
	/* rows are in the order of their ends already */
	times = times_with(profile, &no_kernels, 1);
	assert_int_equal(times.before_ns, 496 * US);
	/* each wait takes 1: 1, 11, 13, 33, 34, 64 */
	assert_int_equal(times.after_ns, 64 * US);
	times = times_with(profile, &no_waits, 1);
	/* 5, the thread from 15 on: 20, 25; 45, 50, 80; its kernels 21 to 221, the last to 151 */
	assert_int_equal(times.after_ns, 221 * US);
	profile_free(profile);
}

/* -- what the first call of a kind pays for all -- */

static void add_named_api(struct profile *profile, const char *kind, const char *name)
{
	add_api(profile, kind, PROFILE_NO_VERTEX);
	free(profile->apis[profile->api_count - 1].name);
	profile->apis[profile->api_count - 1].name = xstrdup(name);
}

/* Ends at `end` the process of a GPU. */
static void end_on_gpu(struct profile *profile, uint64_t end)
{
	struct profile_process *process = add_process(profile, 0, end);

	free(process->provider);
	process->provider = xstrdup("cupti");
}

static uint64_t saved_without(const struct profile *profile, enum replay_subject subject,
			      uint32_t index)
{
	const struct replay_change without = {
		.kind = REPLAY_REMOVE, .subject = subject, .index = index};
	const struct replay_times times = times_with(profile, &without, 1);

	return times.before_ns - times.after_ns;
}

/* Without the call that creates the context, or loads a module, the next one does. */
static void one_time_costs(void **state)
{
	enum { CONTEXT = 200000 * US, ALLOC_F = 2, ALLOC_G, RELEASE, COPY_ON_HOST };
	struct profile *profile = kernel_profile();
	uint64_t at = CONTEXT;

	(void)state;
	add_named_api(profile, "alloc", "f");
	add_named_api(profile, "alloc", "g");
	add_named_api(profile, "free", "f");
	add_named_api(profile, "memcpy", "f");
	add_timed(profile, 0, 0, ALLOC_F, 0, at);
	for (int i = 0; i < 2; i++, at += 10 * US)
		add_timed(profile, 0, 0, ALLOC_F, at, at + 10 * US);
	add_timed(profile, 0, 0, ALLOC_G, at, at + 150 * US);
	at += 150 * US;
	/* the first launch takes 295 more */
	add_timed(profile, 0, 0, 0, at, at + 300 * US);
	add_operation(profile, at + 301 * US, at + 401 * US);
	add_timed(profile, 0, 0, 1, at + 300 * US, at + 404 * US);
	add_wait(profile, GPU_WAIT_STREAM, at + 300 * US, 103 * US);
	at += 404 * US;
	for (int i = 0; i < 2; i++, at += 109 * US)
		add_kernel_and_wait(profile, 0, 0, at);
	add_timed(profile, 0, 0, RELEASE, at, at + 105 * US);
	at += 105 * US;
	add_timed(profile, 0, 0, COPY_ON_HOST, at, at + 5000 * US);
	at += 5000 * US;
	add_timed(profile, 0, 0, COPY_ON_HOST, at, at + 10 * US);
	end_on_gpu(profile, at + 10 * US);
	assert_int_equal(saved_without(profile, REPLAY_CALL, 0), 10 * US);
	assert_int_equal(saved_without(profile, REPLAY_CALL, 1), 10 * US);
	assert_int_equal(saved_without(profile, REPLAY_API, ALLOC_F), 30 * US);
	/* g has no later call: as those of f; there is no other release at all */
	assert_int_equal(saved_without(profile, REPLAY_API, ALLOC_G), 10 * US);
	assert_int_equal(saved_without(profile, REPLAY_API, RELEASE), 5 * US);
	/* copies take what their bytes take */
	assert_int_equal(saved_without(profile, REPLAY_API, COPY_ON_HOST), 5010 * US);
	/* of 109 the wait's own microsecond stays */
	assert_int_equal(saved_without(profile, REPLAY_CALL, 4), 108 * US);
	assert_int_equal(saved_without(profile, REPLAY_CALL, 6), 108 * US);
	/* the model's clock has no such costs: there it was the program's own time */
	free(profile->processes[0].provider);
	profile->processes[0].provider = xstrdup("emulated");
	assert_int_equal(saved_without(profile, REPLAY_CALL, 0), CONTEXT);
	profile_free(profile);
}

/* What the first call of a function has done for the others the next one does without it. */
static void one_time_costs_of_waits(void **state)
{
	struct profile *profile = kernel_profile();
	struct replay_change remove = {.kind = REPLAY_REMOVE, .subject = REPLAY_CALL};
	struct replay_times times;
	uint64_t now = 0;

	(void)state;
	/* three waits that wait for nothing: 200 ms, in which the context is made, 3 us, 5 us */
	for (int i = 0; i < 3; i++) {
		static const uint64_t took[] = {200000 * US, 3 * US, 5 * US};

		add_timed(profile, 0, 0, 1, now, now + took[i]);
		now += took[i];
	}
	/* kernels launched in 900 us, of which 750 after the operation has begun, 5 us and 5 us; 1
	 * us each, and the wait for them */
	for (int i = 0; i < 3; i++) {
		uint64_t took = i ? 5 * US : 900 * US, begins = i ? 6 * US : 150 * US;

		add_timed(profile, 0, 0, 0, now, now + took);
		add_operation(profile, now + begins, now + begins + US);
		now += took;
	}
	end_on_gpu(profile, now + 10 * US);
	times = times_with(profile, &remove, 1); /* the median of the others is 5 us */
	assert_int_equal(times.before_ns - times.after_ns, 5 * US);
	remove.index = 1;
	times = times_with(profile, &remove, 1);
	assert_int_equal(times.before_ns - times.after_ns, 3 * US);
	remove.index = 3;
	times = times_with(profile, &remove, 1);
	assert_int_equal(times.before_ns - times.after_ns, 5 * US);
	profile_free(profile);
}

/* Nor does a copy that waits no more save them. */
static void one_time_costs_of_copies(void **state)
{
	const struct replay_change pin = {.kind = REPLAY_ASYNC, .subject = REPLAY_API, .index = 0};
	struct profile *profile = model_profile();
	struct replay_times times;
	uint64_t at = 0;

	(void)state;
	add_api(profile, "memcpy", 7);
	for (int i = 0; i < 4; i++) {
		uint64_t begun = at + (i ? 6 : 206) * US;

		/* 6 or 206, 50, 2, 1 */
		add_timed(profile, 0, 0, 0, at, begun + 53 * US);
		add_operation(profile, begun, begun + 50 * US);
		add_wait(profile, GPU_WAIT_STREAM, begun - US, 53 * US);
		profile->waits[profile->wait_count - 1].own = true;
		at = begun + 53 * US;
	}
	end_on_gpu(profile, at);
	times = times_with(profile, &pin, 1);
	assert_int_equal(times.before_ns, (4 * 59 + 200) * US);
	/* the first begins when it did; the others behind it, 1.5 us between them as on an H200 */
	assert_int_equal(times.after_ns, 206 * US + 4 * 50 * US + 3 * 1500);
	profile_free(profile);
}

/* The host stages pageable memory itself, so that half of the bytes take half of the call; one from
 * pinned memory goes on. */
static void parts_of_copies(void **state)
{
	const struct replay_change half = {
		.kind = REPLAY_SHORTEN, .subject = REPLAY_API, .scaled = true, .fraction = 0.5};
	struct profile *profile = model_profile();
	struct replay_change pinned = half;
	struct replay_times times;
	uint64_t at = 0;

	(void)state;
	add_api(profile, "memcpy", 7);
	add_api(profile, "memcpy", 8);
	for (int i = 0; i < 2; i++, at += 505 * US) { /* over when it returns */
		add_timed(profile, 0, 0, 0, at, at + 505 * US);
		add_operation(profile, at + 5 * US, at + 505 * US);
	}
	add_timed(profile, 0, 0, 1, at, at + 5 * US);
	add_operation(profile, at + 6 * US, at + 106 * US);
	end_on_gpu(profile, at + 200 * US);
	times = times_with(profile, &half, 1);
	assert_int_equal(times.before_ns - times.after_ns, 500 * US);
	pinned.index = 1; /* the host's own work of 195 us goes on for longer */
	times = times_with(profile, &pinned, 1);
	assert_int_equal(times.before_ns, times.after_ns);
	profile_free(profile);
}

/* Two workers side by side until the end; then one that is faster does not make the run so. */
static void workers(void **state)
{
	struct profile *profile = kernel_profile();
	struct replay_change first_worker = {
		.kind = REPLAY_REMOVE, .subject = REPLAY_CALL, .index = 2};
	struct replay_times times;

	(void)state;
	add_kernel_and_wait(profile, 0, 0, 0);        /* until 109 */
	add_kernel_and_wait(profile, 0, 1, 110 * US); /* until 219 */
	add_kernel_and_wait(profile, 0, 2, 150 * US); /* until 259 */
	add_process(profile, 0, 269 * US);
	times = times_with(profile, &first_worker, 1);
	assert_int_equal(times.before_ns, 269 * US);
	assert_int_equal(times.after_ns, 269 * US);
	times = times_with(profile, &no_kernels, 1);
	/* 1, then 1 + 1 and 1 + 41 on: 43, and 10 to the end */
	assert_int_equal(times.after_ns, 53 * US);
	profile_free(profile);
}

/* Each begins when it did; the run ends with the last. */
static void processes(void **state)
{
	struct profile *profile = kernel_profile();
	struct replay_times times;

	(void)state;
	add_kernel_and_wait(profile, 0, 0, 1000 * US);
	add_kernel_and_wait(profile, 1, 0, 1050 * US);
	add_process(profile, 1000 * US, 1119 * US);
	add_process(profile, 1050 * US, 1179 * US);
	times = times_with(profile, &no_kernels, 1);
	assert_int_equal(times.before_ns, 179 * US);
	assert_int_equal(times.after_ns, (50 + 1 + 20) * US);
	profile_free(profile);
}

/* A wait for an event that another thread recorded is for what that has put there, however late. */
static void events_of_threads(void **state)
{
	struct profile *profile = kernel_profile();
	struct replay_change faster = {.kind = REPLAY_SHORTEN,
				       .subject = REPLAY_VERTEX,
				       .index = 7,
				       .scaled = true,
				       .fraction = 0.1};
	struct replay_times times;

	(void)state;
	add_timed(profile, 0, 0, 0, 0, 5 * US);
	add_operation(profile, 6 * US, 106 * US);
	add_timed(profile, 0, 1, 0, 10 * US, 15 * US); /* on another stream, begins 5 after */
	add_operation(profile, 16 * US, 116 * US);
	add_timed(profile, 0, 1, 1, 15 * US, 109 * US);
	add_wait(profile, GPU_WAIT_EVENT, 15 * US, 93 * US); /* until 106 + 2, then 1 */
	profile->waits[0].stream = 10;
	profile->waits[0].recorded_ns = 8 * US;
	add_process(profile, 0, 129 * US);
	times = times_with(profile, &faster, 1);
	assert_int_equal(times.before_ns, 129 * US);
	/* kernels until 16 and 26; the wait until 18, 19, and 20 to the end */
	assert_int_equal(times.after_ns, 39 * US);
	profile_free(profile);
}

/* Operations of a launch that overlapped (branches of a graph) do so still. */
static void branches(void **state)
{
	struct profile *profile = kernel_profile();
	struct replay_change half = {.kind = REPLAY_SHORTEN,
				     .subject = REPLAY_VERTEX,
				     .index = 7,
				     .scaled = true,
				     .fraction = 0.5};
	struct replay_times times;

	(void)state;
	add_timed(profile, 0, 0, 0, 0, 5 * US);
	add_operation(profile, 6 * US, 106 * US);
	add_operation(profile, 10 * US, 206 * US); /* beside the first */
	add_operation(profile, 206 * US, 306 * US);
	add_timed(profile, 0, 0, 1, 5 * US, 309 * US);
	add_wait(profile, GPU_WAIT_STREAM, 5 * US, 303 * US);
	add_process(profile, 0, 309 * US);
	times = times_with(profile, &half, 1);
	assert_int_equal(times.before_ns, 309 * US);
	/* 6 to 56 and 10 to 108, then to 158, 160, 161 */
	assert_int_equal(times.after_ns, 161 * US);
	profile_free(profile);
}

/* The third launch finds the queue full until the first kernel has ended. */
static void full_queue(void **state)
{
	struct profile *profile = kernel_profile();
	struct replay_change half = {.kind = REPLAY_SHORTEN,
				     .subject = REPLAY_VERTEX,
				     .index = 7,
				     .scaled = true,
				     .fraction = 0.5};
	struct replay_times times;

	(void)state;
	for (uint64_t i = 0; i < 2; i++) {
		add_timed(profile, 0, 0, 0, 5 * US * i, 5 * US * (i + 1));
		add_operation(profile, (6 + 100 * i) * US, (106 + 100 * i) * US);
	}
	add_timed(profile, 0, 0, 0, 10 * US, 111 * US);
	add_operation(profile, 206 * US, 306 * US);
	add_wait(profile, GPU_WAIT_QUEUE, 11 * US, 96 * US); /* until 107 */
	add_process(profile, 0, 411 * US);
	times = times_with(profile, &half, 1);
	assert_int_equal(times.before_ns, 411 * US);
	/* until 56 + 1, 4 to its end, 300 more */
	assert_int_equal(times.after_ns, 361 * US);
	profile_free(profile);
}

/* A first launch that loads its module for 1 ms begins then, whatever was before it. */
static void long_launch(void **state)
{
	struct profile *profile = kernel_profile();
	const struct replay_change first = {.kind = REPLAY_REMOVE, .subject = REPLAY_CALL};
	struct replay_times times;

	(void)state;
	add_timed(profile, 0, 0, 0, 0, 5 * US);
	add_operation(profile, 6 * US, 2006 * US);
	add_timed(profile, 0, 0, 0, 5 * US, 1005 * US);
	add_operation(profile, 2006 * US, 4006 * US);
	add_timed(profile, 0, 0, 1, 1005 * US, 4009 * US);
	add_wait(profile, GPU_WAIT_STREAM, 1005 * US, 3003 * US);
	add_process(profile, 0, 4009 * US);
	times = times_with(profile, &first, 1);
	/* issued 20 before the call's end at 1000, begins 6 later, and then 2000, 2, 1 */
	assert_int_equal(times.after_ns, (980 + 6 + 2003) * US);
	profile_free(profile);
}

/* -- changes -- */

static void hoist_and_invocations(void **state)
{
	const struct step steps[] = {
		{.what = ALLOC}, {.what = WORK, .ns = 10 * US}, {.what = FREE}};
	struct replay_change changes[2] = {
		{.kind = REPLAY_HOIST, .subject = REPLAY_API, .index = 0},
		{.kind = REPLAY_HOIST, .subject = REPLAY_VERTEX, .index = 2}};
	struct replay_times times;
	struct profile *profile;
	uint64_t end;

	(void)state;
	profile = model_run(steps, COUNT(steps), 100, false, &end);
	times = times_with(profile, changes, 2);
	assert_int_equal(times.before_ns, 100 * 45 * US);
	assert_int_equal(times.after_ns, (100 * 10 + 5 + 30) * US);
	assert_int_equal(times.changed, 198);
	for (uint32_t i = 0; i < profile->timeline_count; i++)
		profile->timeline[i].invocation = i / 2;
	changes[0] = (struct replay_change){.kind = REPLAY_REMOVE,
					    .subject = REPLAY_API,
					    .index = 2,
					    .some = true,
					    .first = 10,
					    .last = 19};
	times = times_with(profile, changes, 1);
	assert_int_equal(times.after_ns, (100 * 45 - 10 * 30) * US);
	/* of a free its own time; 40% is 12 us */
	changes[0].kind = REPLAY_SHORTEN;
	changes[0].scaled = true;
	changes[0].fraction = 0.4;
	times = times_with(profile, changes, 1);
	assert_int_equal(times.after_ns, (100 * 45 - 10 * 18) * US);
	profile_free(profile);
}

/* The copy is issued at once and the host goes on; what waits later waits for it. */
static void asynchronous(void **state)
{
	const struct step steps[] = {{.what = KERNEL, .stream = 1, .ns = 100 * US},
				     {.what = COPY, .ns = 50 * US},
				     {.what = WORK, .ns = 40 * US},
				     {.what = SYNC_DEVICE}};
	const struct replay_change change = {
		.kind = REPLAY_ASYNC, .subject = REPLAY_API, .index = 1};
	struct replay_times times;
	struct profile *profile;
	uint64_t end;

	(void)state;
	profile = model_run(steps, COUNT(steps), 1, false, &end);
	times = times_with(profile, &change, 1);
	/* 5; the kernel until 106, the copy 112 to 162, 164, 169; 209; nothing to wait for: 210 */
	assert_int_equal(times.before_ns, 210 * US);
	/* 5, 10, 50; the copy 106 to 156; 158, 159 */
	assert_int_equal(times.after_ns, 159 * US);
	profile_free(profile);
}

static void diogenes(void **state)
{
	const struct step six[] = {{.what = KERNEL, .stream = A, .ns = 200 * US},
				   {.what = SYNC_STREAM, .stream = A, .removed = true},
				   {.what = KERNEL, .stream = B, .ns = 200 * US},
				   {.what = SYNC_STREAM, .stream = B},
				   {.what = WORK, .ns = 20 * US}};
	const struct step nine[] = {{.what = KERNEL, .stream = B, .ns = 800 * US},
				    {.what = KERNEL, .stream = A, .ns = 100 * US},
				    {.what = SYNC_STREAM, .stream = A, .removed = true},
				    {.what = WORK, .ns = 100 * US},
				    {.what = KERNEL, .stream = A, .ns = 100 * US},
				    {.what = SYNC_STREAM, .stream = A},
				    {.what = WORK, .ns = 100 * US},
				    {.what = SYNC_STREAM, .stream = B}};
	const struct step ten[] = {{.what = KERNEL, .stream = A, .ns = 50 * US},
				   {.what = SYNC_STREAM, .stream = A},
				   {.what = WORK, .ns = 520 * US}};
	const struct step copy[] = {{.what = COPY, .ns = 48 * US}, {.what = WORK, .ns = 1000}};
	struct replay_change change = {.kind = REPLAY_REMOVE, .subject = REPLAY_API, .index = 1};
	const struct {
		const struct step *steps;
		uint32_t count, index;
		enum replay_change_kind kind;
		uint64_t saves;
	} cases[] = {
		/* until the next wait there is a launch only */
		{six, COUNT(six), 1, REPLAY_REMOVE, 200 * 5 * US},
		/* the wait takes 114 - 10, less than the 105 until the next one */
		{nine, COUNT(nine), 2, REPLAY_NO_WAIT, 200 * 104 * US},
		/* more than the wait takes: so says the paper */
		{ten, COUNT(ten), 1, REPLAY_MOVE, 200 * 500 * US},
		/* a transfer: the call, 6 + 48 + 2 + 5 */
		{copy, COUNT(copy), 0, REPLAY_REMOVE, 200 * 61 * US},
	};

	(void)state;
	for (uint32_t i = 0; i < COUNT(cases); i++) {
		struct replay_times times;
		struct profile *profile;
		struct replay *replay;
		struct error error;
		uint64_t end;

		profile = model_run(cases[i].steps, cases[i].count, 200, false, &end);
		replay = replay_of(profile);
		change.index = cases[i].index;
		change.kind = cases[i].kind;
		change.ns = 500 * US;
		assert_int_equal(diogenes_estimate(replay, &change, 1, &times, &error), 0);
		assert_int_equal(times.before_ns, end);
		assert_int_equal(times.before_ns - times.after_ns, cases[i].saves);
		change.kind = REPLAY_SHORTEN;
		assert_int_equal(diogenes_estimate(replay, &change, 1, &times, &error), -1);
		replay_free(replay);
		profile_free(profile);
	}
}

/* -- refusals -- */

static void refused(const struct profile *profile, const char *why)
{
	struct error error = {""};

	assert_null(replay_new(profile, &error));
	if (!strstr(error.text, why))
		fail_msg("'%s' in: %s", why, error.text);
}

static void refusals(void **state)
{
	struct profile *profile = profile_new();
	struct replay *replay;
	struct replay_times times;
	struct replay_change change = {
		.kind = REPLAY_MOVE, .subject = REPLAY_CALL, .at_call = true};
	struct error error;

	(void)state;
	refused(profile, "no pass time: vflow collect --passes flow,time,waits");
	add_pass(profile, "time");
	refused(profile, "no pass waits: vflow collect --passes flow,time,waits");
	add_pass(profile, "waits");
	refused(profile, "no CUDA call");
	profile_free(profile);
	/* a GPU's wait that ends 2 ms after all that it can have been for, in a run of 10 ms */
	profile = kernel_profile();
	add_kernel_and_wait(profile, 0, 0, 0);
	add_timed(profile, 0, 0, 0, 109 * US, 114 * US);
	add_operation(profile, 115 * US, 215 * US);
	add_timed(profile, 0, 0, 1, 114 * US, 2220 * US);
	add_wait(profile, GPU_WAIT_STREAM, 114 * US, 2105 * US);
	add_process(profile, 0, 10000 * US);
	strcpy(profile->processes[0].provider, "cupti");
	refused(profile, "takes 0.00799");
	profile->timeline[3].end_ns = 220 * US;
	profile->waits[1].wait_ns = 105 * US;
	replay = replay_of(profile);
	/* what is not there */
	change.call = 2;
	change.index = 4;
	assert_int_equal(replay_estimate(replay, &change, 1, &times, &error), -1);
	change.index = 2;
	assert_int_equal(replay_estimate(replay, &change, 1, &times, &error), -1);
	change.index = 1;
	assert_int_equal(replay_estimate(replay, &change, 1, &times, &error), 0);
	change = (struct replay_change){.subject = REPLAY_API, .index = 2};
	assert_int_equal(replay_estimate(replay, &change, 1, &times, &error), -1);
	change.subject = REPLAY_VERTEX;
	assert_int_equal(replay_estimate(replay, &change, 1, &times, &error), -1);
	assert_non_null(strstr(error.text, "vertex 2"));
	replay_free(replay);
	profile_free(profile);
}

/* Of the picture without one invocation. */
static size_t picture_size(const struct replay *replay, const struct profile *profile)
{
	struct replay_change change = {.kind = REPLAY_REMOVE, .subject = REPLAY_API, .some = true};
	struct outcome outcome = {.profile = profile, .changes = &change, .change_count = 1};
	struct replay_result *result;
	struct error error;
	size_t size;
	char *text;
	FILE *out = xopen_memstream(&text, &size);

	result = replay_run(replay, &change, 1, &error);
	assert_non_null(result);
	outcome.result = result;
	outcome.times = result->times;
	picture_svg(out, &outcome);
	fclose(out);
	free(text);
	replay_result_free(result);
	return size;
}

/* Only the first calls are kept: the run is these. */
static void truncated(void **state)
{
	struct profile *profile = kernel_profile();
	struct replay *replay;
	struct replay_times times;
	struct error error;

	(void)state;
	for (uint64_t i = 0; i < PROFILE_TIMELINE_MAX / 2; i++)
		add_kernel_and_wait(profile, 0, 0, i * 109 * US);
	add_process(profile, 0, UINT64_C(1) << 50);
	add_process(profile, UINT64_C(1) << 49, UINT64_C(1) << 50); /* none of its calls is kept */
	replay = replay_of(profile);
	assert_true(replay_is_truncated(replay));
	assert_int_equal(replay_estimate(replay, &no_kernels, 1, &times, &error), 0);
	assert_int_equal(times.before_ns, UINT64_C(500000) * 109 * US);
	assert_int_equal(times.after_ns, UINT64_C(500000) * US);
	assert_true(picture_size(replay, profile) < 1000000);
	replay_free(replay);
	profile_free(profile);
}

/* Rows that no run makes: whatever comes out, it ends. */
static void hostile(void **state)
{
	(void)state;
	for (uint32_t i = 1; i <= 500; i++) {
		enum { CALLS = 24 };
		struct profile *profile = kernel_profile();
		const uint32_t bits = random_below(2) ? 60 : 12;
		struct replay_change changes[3];
		struct replay_times times;
		struct replay *replay;
		struct error error;

		seed = i;
		for (uint32_t c = 0; c < CALLS; c++) {
			uint64_t start = random_below(1u << 12), length = random_below(600);

			if (!random_below(8))
				start = (uint64_t)random_below(1u << 30)
					<< (bits - 30 > bits ? 0 : bits - 30);
			add_timed(profile, c * 3 / CALLS, random_below(4), random_below(2), start,
				  start + length);
			profile->timeline[c].stream = random_below(4);
			profile->timeline[c].nonblocking = random_below(2);
			for (uint32_t o = random_below(3); o; o--)
				add_operation(profile, start + random_below(100),
					      start + 100 + random_below(1u << 12));
			for (uint32_t w = random_below(3); w; w--) {
				add_wait(profile, 1 + random_below(7), start + random_below(100),
					 random_below(1000));
				profile->waits[profile->wait_count - 1].own = random_below(2);
				profile->waits[profile->wait_count - 1].stream = random_below(9);
				profile->waits[profile->wait_count - 1].device = random_below(2);
				profile->waits[profile->wait_count - 1].recorded_ns =
					random_below(2) ? start : UINT64_MAX;
			}
			if (random_below(2)) {
				ARRAY_RESERVE(profile->stream_orders, profile->stream_order_count,
					      profile->stream_order_capacity);
				profile->stream_orders[profile->stream_order_count++] =
					(struct profile_stream_order){.call = c,
								      .stream = random_below(5),
								      .recorded_ns = start};
			}
		}
		for (uint32_t p = 0; p < 3; p++)
			add_process(profile, random_below(100),
				    random_below(2) ? PROFILE_UNKNOWN : random_below(1u << 13));
		replay = replay_new(profile, &error);
		for (uint32_t c = 0; replay && c < 20; c++) {
			for (uint32_t k = 0; k < COUNT(changes); k++)
				changes[k] = (struct replay_change){
					.kind = random_below(REPLAY_HOIST + 1),
					.subject = random_below(2) ? REPLAY_CALL : REPLAY_API,
					.index = random_below(2),
					.ns = random_below(2) ? random_below(1000) : UINT64_MAX,
				};
			times_with(profile, changes, COUNT(changes));
			changes[0].kind = REPLAY_NARROW;
			changes[0].stream = random_below(9);
			replay_estimate(replay, changes, COUNT(changes), &times, &error);
		}
		replay_free(replay);
		profile_free(profile);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(scenarios),
		cmocka_unit_test(joins),
		cmocka_unit_test(moved_waits),
		cmocka_unit_test(overlap),
		cmocka_unit_test(narrowed_waits),
		cmocka_unit_test(random_narrowed),
		cmocka_unit_test(random_programs),
		cmocka_unit_test(random_overhead),
		cmocka_unit_test(random_threads),
		cmocka_unit_test(random_gpu),
		cmocka_unit_test(threads),
		cmocka_unit_test(one_time_costs),
		cmocka_unit_test(one_time_costs_of_copies),
		cmocka_unit_test(parts_of_copies),
		cmocka_unit_test(workers),
		cmocka_unit_test(processes),
		cmocka_unit_test(events_of_threads),
		cmocka_unit_test(branches),
		cmocka_unit_test(full_queue),
		cmocka_unit_test(long_launch),
		cmocka_unit_test(one_time_costs_of_waits),
		cmocka_unit_test(hoist_and_invocations),
		cmocka_unit_test(asynchronous),
		cmocka_unit_test(diogenes),
		cmocka_unit_test(refusals),
		cmocka_unit_test(truncated),
		cmocka_unit_test(hostile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
