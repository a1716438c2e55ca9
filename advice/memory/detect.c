/* advice/memory/detect.c: see detect.h. */
#include "advice/memory/detect.h"

#include <stdlib.h>

#include "advice/memory/words.h"
#include "graph/input.h"
#include "util/memory.h"

/* What is to be changed: where it is not the allocation, what accesses the object. */
static uint32_t operation_of(const struct memory_finding *finding)
{
	if (finding->pattern == MEMORY_DEAD_WRITE)
		return finding->worst->dead_vertex;
	if (finding->pattern == MEMORY_NONUNIFORM)
		return finding->access.frequency->vertex;
	return finding->site;
}

static void add(struct profile *profile, const struct report_memory *report,
		const struct memory *memory, const struct words_site *sites,
		const struct memory_finding *found)
{
	const bool lowers = found->peak < memory->peak;
	struct profile_finding *finding = profile_add_finding(profile);

	finding->pattern = xstrdup(memory_patterns[found->pattern].name);
	finding->action = xstrdup(memory_action(profile, memory, found));
	finding->vertex = operation_of(found);
	finding->object = found->site;
	finding->access = GRAPH_ACCESS_NONE;
	finding->bytes = found->bytes;
	finding->saves_peak_bytes = lowers ? memory->peak - found->peak : 0;
	finding->fraction = lowers ? (double)finding->saves_peak_bytes / (double)memory->peak : 0;
	finding->places = 1;
	finding->invocations = found->objects;
	finding->evidence = memory_evidence(report, sites, found);
	finding->advice = memory_advice(profile, memory, found);
}

struct memory *memory_detect(struct profile *profile, const struct memory_options *options)
{
	const struct report_memory report = {.profile = profile, .options = *options};
	struct words_site *sites = words_sites(profile);
	struct memory *memory = memory_new(profile, options);

	profile_clear_findings(profile);
	for (uint32_t i = 0; memory && i < memory->finding_count; i++)
		add(profile, &report, memory, sites, &memory->findings[i]);
	free(sites);
	return memory;
}

int memory_check(const struct profile *profile, const char *file, struct error *error)
{
	if (profile->lifetime_count ||
	    (profile_has_table(profile, "lifetime") && profile_sees_accesses(profile)))
		return 0;
	return error_set(error, "%s does not say when memory was accessed: %s",
			 file ? file : "the profile", profile_lacks_lifetimes(profile));
}

struct profile *memory_read(const char *file, const struct memory_options *options,
			    struct error *error)
{
	struct profile *profile = input_timed_profile(file, error);

	if (profile && memory_check(profile, file, error) != 0) {
		profile_free(profile);
		return NULL;
	}
	if (profile)
		memory_free(memory_detect(profile, options));
	return profile;
}
