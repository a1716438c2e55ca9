/* graph/build/build.c: see build/build.h. */
#include "graph/build/build.h"

#include <stdlib.h>

#include "graph/build/flow.h"
#include "graph/build/sources.h"
#include "util/memory.h"

struct profile *build_profile(const char *trace_folder, struct error *error)
{
	return build_profile_with(trace_folder, build_analyses, error);
}

static void read_source(struct run *run, const struct build_source *source)
{
	struct error reason;
	struct trace_reader *reader = trace_open(source->path, &reason);

	if (reader)
		process_read(run, reader);
	else
		coverage_damaged(run->profile, &reason);
	trace_reader_close(reader);
}

struct profile *build_profile_with(const char *trace_folder,
				   const struct build_analysis *const *table, struct error *error)
{
	struct run run = {.role = &flow_role, .profile = profile_new()};
	struct profile *profile = run.profile;
	struct build_source *sources;
	uint32_t count;

	if (build_find_sources(trace_folder, profile, &sources, &count, error) != 0) {
		profile_free(profile);
		return NULL;
	}
	run.merge = merge_new(profile);
	run.analyses = analyses_begin(table, profile);
	run.start_ns = count ? sources[0].start_ns : 0;
	for (uint32_t i = 0; i < count; i++) {
		read_source(&run, &sources[i]);
		free(sources[i].path);
	}
	free(sources);
	merge_finish(run.merge);
	analyses_end(run.analyses);
	merge_free(run.merge);
	profile->command = xstrdup(profile->process_count ? profile->processes[0].arguments : "");
	return profile;
}
