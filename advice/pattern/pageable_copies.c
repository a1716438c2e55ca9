/*
 * advice/pattern/pageable_copies.c: asynchronous copies that made the host wait, because the memory
 * at its side is pageable.
 */
#include "advice/pattern.h"

#include <inttypes.h>
#include <stdlib.h>

#include "advice/words.h"
#include "gpu/nvidia/apis.h"
#include "util/memory.h"
#include "util/text.h"

/* Whether calls of this function return at once if the memory of the host is pinned. */
static bool is_asynchronous_copy(const struct run *run, const struct profile_api *api)
{
	uint32_t v = graph_find(run->profile->graph, api->vertex);

	return v != UINT32_MAX && graph_vertex_is(&run->profile->graph->vertices[v], "memcpy") &&
	       api_asynchronous(api->name) == API_ASYNCHRONOUS_PINNED;
}

/* Calls that waited for their own copy. */
struct tally {
	uint64_t calls, wait_ns;
};

static void add_finding(const struct run *run, uint32_t api, const struct tally *tally)
{
	struct profile_finding *finding =
		run_add_calls(run, "pageable_copy", "pin", api, tally->wait_ns);
	char *time = words_ns(tally->wait_ns);

	finding->invocations = tally->calls;
	finding->evidence = xasprintf(
		"%" PRIu64 " of %" PRIu64
		" call%s of %s waited for the work before and for the copy "
		"itself, %s in all, as if not asynchronous: the memory of the host is pageable.",
		tally->calls, run->timing->apis[api].calls,
		text_plural(run->timing->apis[api].calls, "", "s"), run->profile->apis[api].name,
		time);
	finding->advice =
		xstrdup("Allocate the host's side with cudaMallocHost, or pin it once with "
			"cudaHostRegister: the copy then runs beside the host and other streams. "
			"Wait for it before the host uses the bytes or writes over them.");
	finding->limits = xstrdup("one run, one input; whether the host uses the bytes at once is "
				  "not known");
	free(time);
}

static void detect_pageable_copies(const struct run *run)
{
	const struct profile *profile = run->profile;
	struct tally *tallies;

	if (!run->timing)
		return;
	tallies = xcalloc(profile->api_count, sizeof(*tallies));
	for (uint32_t w = 0; w < profile->wait_count; w++) {
		const struct profile_wait *wait = &profile->waits[w];
		struct tally *tally = &tallies[profile->timeline[wait->call].api];

		if (!wait->own || !wait->wait_ns)
			continue;
		tally->calls++;
		profile_add(&tally->wait_ns, wait->wait_ns);
	}
	for (uint32_t api = 0; api < profile->api_count; api++)
		if (tallies[api].wait_ns && is_asynchronous_copy(run, &profile->apis[api]))
			add_finding(run, api, &tallies[api]);
	free(tallies);
}

const struct pattern pattern_pageable_copies = {
	.detect = detect_pageable_copies,
	.names = (const struct pattern_name[]){{"pageable_copy", "pageable copy"}, {NULL, NULL}},
};
