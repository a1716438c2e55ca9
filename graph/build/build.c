/* graph/build/build.c: see build/build.h. */
#include "graph/build/build.h"

#include <stdlib.h>
#include <string.h>

#include "graph/build/flow.h"
#include "graph/build/joined.h"
#include "graph/build/pairs/pairs.h"
#include "graph/build/places.h"
#include "graph/build/sources.h"
#include "util/memory.h"
#include "util/progress.h"

static void read_source(struct run *run, const struct build_source *source)
{
	struct error reason;
	struct trace_reader *reader = trace_open(source->path, &reason);

	if (reader)
		process_read(run, reader);
	else
		coverage_damaged(run->profile, run->passes, &reason);
	trace_reader_close(reader);
}

/* Adds the passes of a run to the profile; `like` has what they have in common. */
static void add_passes(struct profile *profile, const char *names, const struct profile_pass *like)
{
	while (names && *names) {
		size_t length = strcspn(names, ",");
		struct profile_pass *pass;

		ARRAY_RESERVE(profile->passes, profile->pass_count, profile->pass_capacity);
		pass = &profile->passes[profile->pass_count++];
		*pass = *like;
		pass->name = xstrndup(names, length);
		pass->provider = xstrdup(like->provider ? like->provider : "");
		pass->device = xstrdup(like->device ? like->device : "");
		names += length + (names[length] == ',');
	}
}

/* The run that makes the graph. */
static void read_graph(struct run *run, const struct build_run *from,
		       const struct build_source *sources, uint32_t count)
{
	struct profile *profile = run->profile;
	struct profile_pass like = {.run = 1, .seconds = from->seconds, .makes_graph = true};

	run->role = &flow_role;
	run->failed_calls = failed_calls_new();
	run->start_ns = count ? sources[0].start_ns : 0;
	analyses_choose(run->analyses, from->passes, true);
	for (uint32_t i = 0; i < count; i++) {
		progress_part(i + UINT64_C(1), count > 1 ? count : 0);
		read_source(run, &sources[i]);
	}
	progress_part(0, 0);
	merge_finish(run->merge);
	failed_calls_finish(run->failed_calls, profile, run->merge);
	failed_calls_free(run->failed_calls);
	run->failed_calls = NULL;
	if (profile->process_count) {
		like.provider = profile->processes[0].provider;
		like.device = profile->processes[0].device;
	}
	add_passes(profile, from->passes, &like);
}

/* The n-th run, from 1, which joins the graph. */
static void read_joined(struct run *run, const struct build_run *from, uint32_t n)
{
	struct profile *profile = run->profile;
	struct profile_pass like = {.run = n, .seconds = from->seconds};
	struct build_source *sources;
	uint32_t count;
	struct error reason;

	run->passes = from->passes;
	if (build_find_sources(from->folder, profile, run->passes, &sources, &count, &reason) !=
	    0) {
		coverage_damaged(profile, run->passes, &reason);
		return;
	}
	run->role = &joined_role;
	run->start_ns = count ? sources[0].start_ns : 0;
	run->events = run->calls = 0;
	analyses_choose(run->analyses, from->passes, false);
	pairs_find(profile, run->merge, run->join, run->passes, sources, count, &like);
	for (uint32_t i = 0; i < count; i++) {
		run->partner = sources[i].process;
		if (run->partner != PAIRS_EXTRA)
			read_source(run, &sources[i]);
	}
	join_end_run(run->join, profile, run->passes);
	add_passes(profile, from->passes, &like);
	free(like.provider);
	free(like.device);
	build_free_sources(sources, count);
}

struct profile *build_runs(const struct build_run *runs, uint32_t count,
			   const struct build_analysis *const *table, struct error *error)
{
	struct profile *profile = profile_new();
	struct run run = {.profile = profile};
	struct build_source *sources;
	uint32_t source_count;

	if (build_find_sources(runs[0].folder, profile, NULL, &sources, &source_count, error) !=
	    0) {
		profile_free(profile);
		return NULL;
	}
	run.merge = merge_new(profile);
	run.analyses = analyses_begin(table, profile);
	run.join = count > 1 ? join_new(profile, run.merge) : NULL;
	read_graph(&run, &runs[0], sources, source_count);
	build_free_sources(sources, source_count);
	for (uint32_t i = 1; i < count; i++)
		read_joined(&run, &runs[i], i + 1);
	analyses_end(run.analyses);
	places_finish(profile, run.merge);
	ranges_finish(profile);
	join_free(run.join);
	merge_free(run.merge);
	profile->command = xstrdup(profile->process_count ? profile->processes[0].arguments : "");
	return profile;
}

struct profile *build_profile(const char *folder, struct error *error)
{
	const struct build_run run = {.folder = folder};

	return build_runs(&run, 1, build_analyses, error);
}
