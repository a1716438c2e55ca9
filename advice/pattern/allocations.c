/*
 * advice/pattern/allocations.c: objects that no operation accesses, and lines that allocate and
 * free the same again and again.
 */
#include "advice/pattern.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "advice/words.h"
#include "gpu/nvidia/apis.h"
#include "util/memory.h"
#include "util/text.h"

enum { REPEATED = 2 }; /* times after the first */

static void add_unused(const struct run *run, const struct profile_site *site)
{
	struct profile_finding *finding = run_add(run, "unused_allocation", "delete", site->site,
						  site->site, site->untouched_bytes, site->bytes);
	char *bytes = words_bytes(site->untouched_bytes);

	finding->access = GRAPH_ACCESS_NONE;
	finding->invocations = site->objects;
	finding->evidence =
		xasprintf("No operation accessed any of its %" PRIu64 " object%s of %s.",
			  site->objects, text_plural(site->objects, "", "s"), bytes);
	finding->advice = xstrdup("Delete this allocation: nothing uses it.");
	finding->limits = xstrdup("one run, one input");
	free(bytes);
}

static void add_repeated(const struct run *run, const struct profile_site *site)
{
	struct profile_finding *finding =
		run_add(run, "repeated_allocation", "allocate_once", site->site, site->site,
			site->repeated_bytes, site->bytes);
	char *bytes = words_bytes(site->repeated_bytes);

	finding->access = GRAPH_ACCESS_NONE;
	finding->evidence =
		xasprintf("%" PRIu64 " of its %" PRIu64 " objects, %s, were as large "
			  "as one that it had allocated before and that had been freed.",
			  site->repeated, site->objects, bytes);
	finding->advice = xstrdup("Allocate once and use the same memory each time, or take it "
				  "from a pool (cudaMallocAsync).");
	finding->limits = xstrdup("one run, one input");
	free(bytes);
}

/* What comes from a pool costs little. */
static bool is_pooled(const struct run *run, uint32_t site)
{
	uint32_t v = graph_find(run->profile->graph, site);
	const char *name = v == UINT32_MAX ? NULL : run->profile->graph->vertices[v].name;

	return api_is_asynchronous(name);
}

/* A library has allocated it (cuBLAS its workspace): nobody can delete that. */
static bool is_of_library(const struct profile *profile, uint32_t vertex_index)
{
	uint32_t count, own = 0;
	const struct profile_frame **frames = profile_own_path(profile, vertex_index, &count);
	bool library;

	while (own < count && !frames[own]->file)
		own++;
	library = own && own < count && frames[0]->module && frames[own]->module &&
		  strcmp(frames[0]->module, frames[own]->module) != 0;
	free(frames);
	return library;
}

static void detect_allocations(const struct run *run)
{
	const struct profile *profile = run->profile;
	bool sees = profile_sees_accesses(profile) && !run->reads_unseen && !run->writes_unseen &&
		    !run->launches_unseen;

	for (uint32_t i = 0; i < profile->site_count; i++) {
		const struct profile_site *site = &profile->sites[i];
		uint32_t v = graph_find(profile->graph, site->site);
		bool allocated = v != UINT32_MAX && profile->graph->vertices[v].callpath;

		if (allocated && sees && site->untouched == site->objects && !run->host_writes[v] &&
		    !is_of_library(profile, v))
			add_unused(run, site);
		else if (allocated && site->repeated >= REPEATED && !is_pooled(run, site->site))
			add_repeated(run, site);
	}
}

const struct pattern pattern_allocations = {
	.detect = detect_allocations,
	.names = (const struct pattern_name[]){{"unused_allocation", "unused allocation"},
					       {"repeated_allocation", "repeated allocation"},
					       {NULL, NULL}},
};
