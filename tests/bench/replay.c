/*
 * Speed of replays of a million calls: getting ready, a replay with all that becomes of it, an
 * estimate of a change to one call in six, and of one call; with one thread, and with four.
 */
#include <stdio.h>
#include <time.h>

#include "replay/replay.h"
#include "tests/unit/replay_model.h"

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void measure(uint32_t threads)
{
	const struct step steps[] = {{.what = KERNEL, .stream = 3, .ns = 100000},
				     {.what = SYNC_STREAM, .stream = 3},
				     {.what = KERNEL, .stream = 4, .ns = 5000},
				     {.what = COPY, .ns = 20000},
				     {.what = WORK, .ns = 3000},
				     {.what = KERNEL, .stream = 3, .ns = 100000},
				     {.what = ASYNC_COPY, .stream = 4, .ns = 5000}};
	struct step all[THREADS * sizeof(steps) / sizeof(steps[0])];
	const uint32_t count = sizeof(steps) / sizeof(steps[0]);
	const struct replay_change many = {
		.kind = REPLAY_REMOVE, .subject = REPLAY_API, .index = 1};
	const struct replay_change one = {
		.kind = REPLAY_REMOVE, .subject = REPLAY_CALL, .index = 500000};
	struct profile *profile;
	struct replay_times times;
	struct replay *replay;
	struct error error;
	double since;
	uint64_t end;

	for (uint32_t i = 0; i < threads; i++)
		for (uint32_t s = 0; s < count; s++) {
			all[i * count + s] = steps[s];
			all[i * count + s].thread = i;
		}
	profile = model_run(all, threads * count, 166667 / threads, false, &end);
	since = seconds();
	replay = replay_new(profile, &error);
	if (!replay) {
		fprintf(stderr, "replay: %s\n", error.text);
		exit(1);
	}
	printf("replay of %u calls of %u thread%s: ready %.0f ms,", profile->timeline_count,
	       threads, threads > 1 ? "s" : "", 1e3 * (seconds() - since));
	since = seconds();
	replay_result_free(replay_run(replay, &many, 1, &error));
	printf(" whole %.0f ms,", 1e3 * (seconds() - since));
	since = seconds();
	replay_estimate(replay, &many, 1, &times, &error);
	printf(" 1 call in 6 %.0f ms,", 1e3 * (seconds() - since));
	since = seconds();
	replay_estimate(replay, &one, 1, &times, &error);
	printf(" 1 call %.1f ms\n", 1e3 * (seconds() - since));
	replay_free(replay);
	profile_free(profile);
}

int main(void)
{
	measure(1);
	measure(4);
	return 0;
}
