/*
 * advice/pattern/broad_waits.c: waits that are needed, and wait for too much: for all streams,
 * where what is needed is in one; and operations of the default stream, which other streams wait
 * for.
 */
#include "advice/pattern.h"

#include <inttypes.h>
#include <stdlib.h>

#include "advice/order/order.h"
#include "gpu/nvidia/apis.h"
#include "util/memory.h"
#include "util/text.h"

static const char limits[] =
	"one run, one input; memory is told apart by allocations; a wait that serves to look "
	"for errors, or to measure time, looks the same";

/* By row of table api: whether some of its calls could be left out, as another pattern says. */
static bool *superfluous_apis(const struct run *run)
{
	const struct profile *profile = run->profile;
	bool *superfluous = xcalloc((size_t)profile->api_count + 1, sizeof(*superfluous));

	for (uint32_t c = 0; c < profile->timeline_count; c++)
		superfluous[profile->timeline[c].api] |=
			run->wait_needs[c] != WAIT_NOT_JUDGED && run->wait_needs[c] != WAIT_NEEDED;
	return superfluous;
}

static char *needed_of(const struct run *run, const struct wait_breadth *breadth)
{
	uint32_t v = breadth->vertex == PROFILE_NO_VERTEX
			     ? UINT32_MAX
			     : graph_find(run->profile->graph, breadth->vertex);
	char *operation, *text;

	if (v == UINT32_MAX)
		return xasprintf("what is in stream %" PRIu32, breadth->stream);
	operation = words_vertex(run->profile, v);
	text = xasprintf("what %s did, in stream %" PRIu32, operation, breadth->stream);
	free(operation);
	return text;
}

static void add_finding(const struct run *run, uint32_t api, const struct wait_breadth *breadth)
{
	const char *name = run->profile->apis[api].name;
	const bool only_waits = api_is_synchronization(name);
	const bool waits = only_waits || api_is_synchronous_copy(name);
	const uint64_t ns = run->timing->apis[api].wait_ns;
	struct profile_finding *finding = run_add_calls(
		run, "broad_wait", only_waits ? "wait_for_stream" : "use_stream", api, ns);
	char *needed = needed_of(run, breadth), *time = words_ns(ns);
	const char *s = text_plural(breadth->calls, "", "s");

	finding->invocations = breadth->calls;
	if (only_waits)
		finding->evidence =
			xasprintf("%" PRIu64 " call%s waited for several streams, %s in "
				  "all: needed before a later wait is only %s.",
				  breadth->calls, s, time, needed);
	else
		finding->evidence = xasprintf(
			"%" PRIu64
			" call%s of the default stream waited for other streams, and these "
			"for the default stream: of that is needed only %s.",
			breadth->calls, s, needed);
	finding->advice =
		only_waits
			? xasprintf("Wait for stream %" PRIu32 " only (cudaStreamSynchronize), or "
				    "for an event that is recorded in it (cudaEventSynchronize).",
				    breadth->stream)
			: xasprintf("Put it into stream %" PRIu32 ", with the function's "
				    "asynchronous form%s: the other streams then go on beside it.",
				    breadth->stream,
				    waits ? ", and wait for that stream (cudaStreamSynchronize)"
					  : "");
	finding->limits = xstrdup(limits);
	free(needed);
	free(time);
}

static void detect_broad_waits(const struct run *run)
{
	const struct wait_breadth *breadths = run->wait_breadths;
	bool *superfluous;

	if (!breadths)
		return;
	superfluous = superfluous_apis(run);
	for (uint32_t api = 0; api < run->profile->api_count; api++)
		if (breadths[api].calls && !superfluous[api])
			add_finding(run, api, &breadths[api]);
	free(superfluous);
}

const struct pattern pattern_broad_waits = {
	.detect = detect_broad_waits,
	.names = (const struct pattern_name[]){{"broad_wait", "broad wait"}, {NULL, NULL}},
};
