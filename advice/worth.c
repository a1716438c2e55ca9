/* advice/worth.c: see advice/worth.h. */
#include "advice/worth.h"

#include <stdlib.h>
#include <string.h>

#include "advice/worth_internal.h"
#include "util/memory.h"

/* So many calls, operations, waits and orders are replayed in all, as far as the first estimates
 * allow. */
#define ROWS_MOST UINT64_C(100000000)
enum { ESTIMATES_LEAST = 40, ESTIMATES_MOST = 1000 };

struct worth *worth_new(const struct run *run)
{
	struct replay *replay;
	struct worth *worth;
	struct replay_times times = {0};
	struct error error;
	uint64_t rows;

	if (!run->timing)
		return NULL;
	replay = replay_new(run->profile, &error);
	if (!replay) {
		struct profile_finding_group *group = profile_add_finding_group(run->profile);

		group->kind = xstrdup("none");
		group->label = xstrdup(error.text);
		return NULL;
	}
	worth = xcalloc(1, sizeof(*worth));
	worth->run = run;
	worth->replay = replay;
	if (replay_estimate(replay, NULL, 0, &times, &error) == 0) {
		worth->run_ns = times.before_ns;
		worth->span_ns = times.span_ns;
		worth->startup_ns = times.startup_ns;
	}
	worth->index = mend_index_new(run);
	rows = (uint64_t)run->profile->timeline_count + run->profile->gpu_time_count +
	       run->profile->wait_count + run->profile->stream_order_count;
	worth->estimates_left = (uint32_t)(ROWS_MOST / rows);
	if (worth->estimates_left < ESTIMATES_LEAST)
		worth->estimates_left = ESTIMATES_LEAST;
	if (worth->estimates_left > ESTIMATES_MOST)
		worth->estimates_left = ESTIMATES_MOST;
	return worth;
}

void worth_free(struct worth *worth)
{
	if (!worth)
		return;
	for (uint32_t i = 0; i < worth->mend_count; i++)
		mend_release(&worth->mends[i]);
	free(worth->mends);
	free(worth->left_out);
	mend_index_free(worth->index);
	replay_free(worth->replay);
	free(worth);
}

void worth_take(struct worth *worth)
{
	const struct profile *profile = worth->run->profile;

	worth->mend_count = profile->finding_count;
	worth->mends = xcalloc(worth->mend_count, sizeof(*worth->mends));
	for (uint32_t i = 0; i < profile->finding_count; i++) {
		worth->mends[i] = mend_of(worth->index, &profile->findings[i]);
		profile->findings[i].mend = i;
	}
}

void worth_fold(struct worth *worth, const struct profile_finding *into,
		const struct profile_finding *from)
{
	mend_add(&worth->mends[into->mend], &worth->mends[from->mend]);
	mend_release(&worth->mends[from->mend]);
}

bool worth_of_changes(struct worth *worth, const struct replay_change *changes, uint32_t count,
		      struct worth_saving *saving)
{
	struct replay_times times;
	struct error error;

	if (!count || !worth->estimates_left)
		return false;
	worth->estimates_left--;
	if (replay_estimate(worth->replay, changes, count, &times, &error) != 0)
		return false;
	*saving = (struct worth_saving){0};
	if (times.after_most_ns < times.before_ns)
		saving->least_ns = times.before_ns - times.after_most_ns;
	if (times.after_ns < times.before_ns)
		saving->most_ns = times.before_ns - times.after_ns;
	return true;
}

bool worth_is_sure(const struct worth *worth, const struct profile_finding *finding)
{
	const struct mend *mend = &worth->mends[finding->mend];

	if (worth->left_out && worth->left_out[finding - worth->run->profile->findings])
		return false;
	return mend->sure && !mend->at_most && finding->saves_ns != PROFILE_UNKNOWN;
}

void worth_estimate_one(struct worth *worth, struct profile_finding *finding)
{
	const struct mend *mend = &worth->mends[finding->mend];
	struct worth_saving saving;

	if (!strcmp(finding->pattern, "gpu_idle"))
		finding->saves_most_ns = finding->time_ns < worth->run->timing->span_ns
						 ? finding->time_ns
						 : worth->run->timing->span_ns;
	if (!worth_of_changes(worth, mend->changes, mend->sure, &saving))
		return;
	finding->saves_ns = saving.least_ns;
	finding->saves_most_ns = saving.most_ns;
	if (mend->count > mend->sure &&
	    worth_of_changes(worth, mend->changes, mend->count, &saving) &&
	    saving.most_ns > finding->saves_most_ns)
		finding->saves_most_ns = saving.most_ns;
	if (mend->at_least)
		finding->saves_most_ns = PROFILE_UNKNOWN;
	if (!mend->at_most)
		return;
	/* of a part of the calls, of which something has to stay: nothing is known */
	finding->saves_ns = PROFILE_UNKNOWN;
}

void worth_estimate(struct worth *worth)
{
	struct profile *profile = worth->run->profile;

	for (uint32_t i = 0; i < profile->finding_count; i++)
		worth_estimate_one(worth, &profile->findings[i]);
}

static uint64_t known(uint64_t ns)
{
	return ns == PROFILE_UNKNOWN ? 0 : ns;
}

/* What all but one that can be followed together save; PROFILE_UNKNOWN. */
static uint64_t saved_without(struct worth *worth, const struct profile_finding *without)
{
	const struct profile *profile = worth->run->profile;
	struct worth_saving saving = {0};
	struct mend all = {0};
	bool is_known;

	/* the rest is for the groups */
	if (worth->estimates_left <= ESTIMATES_LEAST / 2)
		return PROFILE_UNKNOWN;
	for (uint32_t i = 0; i < profile->finding_count; i++) {
		const struct profile_finding *finding = &profile->findings[i];
		struct mend sure = worth->mends[finding->mend];

		if (finding == without || !worth_is_sure(worth, finding))
			continue;
		sure.count = sure.sure;
		mend_add(&all, &sure);
	}
	is_known = !all.count || worth_of_changes(worth, all.changes, all.count, &saving);
	mend_release(&all);
	return is_known ? saving.least_ns : PROFILE_UNKNOWN;
}

bool *worth_matters(struct worth *worth, uint64_t least_ns)
{
	const struct profile *profile = worth->run->profile;
	bool *matters = xcalloc(profile->finding_count + (size_t)1, sizeof(*matters));
	uint64_t all_ns = saved_without(worth, NULL);

	for (uint32_t i = 0; i < profile->finding_count; i++) {
		const struct profile_finding *finding = &profile->findings[i];
		uint64_t others_ns;

		matters[i] = finding->time_ns == PROFILE_UNKNOWN ||
			     known(finding->saves_ns) >= least_ns ||
			     known(finding->saves_most_ns) >= least_ns;
		if (matters[i])
			continue;
		if (finding->saves_most_ns == PROFILE_UNKNOWN)
			matters[i] = finding->time_ns >= least_ns;
		if (matters[i] || !worth_is_sure(worth, finding))
			continue;
		others_ns = all_ns == PROFILE_UNKNOWN ? all_ns : saved_without(worth, finding);
		if (others_ns == PROFILE_UNKNOWN)
			matters[i] = finding->time_ns >= least_ns;
		else
			matters[i] = all_ns > others_ns && all_ns - others_ns >= least_ns;
	}
	return matters;
}
