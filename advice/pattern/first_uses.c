/*
 * advice/pattern/first_uses.c: what the host does with what it has waited for, as the pass `use`
 * has seen it: waits long before the first use (Diogenes 3.5), and downloads of which a part is
 * touched, or nothing.
 */
#include "advice/pattern.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "advice/touches.h"
#include "advice/order/order.h"
#include "gpu/nvidia/apis.h"
#include "gpu/records.h"
#include "util/memory.h"
#include "util/text.h"

enum {
	PAGE = 4096,
	PAGES_LEAST = 4,     /* of a download of which a part may be worth copying */
	EARLY_LEAST = 10000, /* ns; less may be the watching's: told to who asks for all */
};

/* All first uses of a call path of waits. */
struct uses {
	const struct profile_first_use *first; /* the one that comes soonest */
	uint32_t places;                       /* of uses */
	uint64_t waits, bytes, pages, touched;
	bool known;  /* all that was protected was watched */
	bool all;    /* all waits protected something that was used */
	bool any;    /* some of them did */
	bool vacant; /* some of them protected nothing */
};

static void add_use(struct uses *uses, const struct profile_first_use *row)
{
	const bool used = row->min_ns != PROFILE_UNKNOWN;

	if (!uses->waits)
		uses->known = uses->all = true;
	profile_add(&uses->waits, row->waits);
	profile_add(&uses->bytes, row->bytes);
	profile_add(&uses->pages, row->pages);
	profile_add(&uses->touched, row->touched_pages);
	uses->known &= row->kind != GPU_USE_UNKNOWN && !row->unwatched_bytes;
	uses->vacant |= row->kind == GPU_USE_NOTHING;
	uses->all &= used;
	uses->any |= used;
	uses->places += used;
	if (used && (!uses->first || row->min_ns < uses->first->min_ns))
		uses->first = row;
}

static char *place_of(const struct profile_first_use *use)
{
	const char *slash = use->place.file ? strrchr(use->place.file, '/') : NULL;

	if (!use->place.file || !use->place.line)
		return xstrdup("the place where the bytes are first used");
	return xasprintf("%s:%" PRIu32, slash ? slash + 1 : use->place.file, use->place.line);
}

/* -- waits -- */

/* By api: whether no call of it serves anything but what it brings to the host. */
static bool *find_movable(const struct run *run, const unsigned char *needs)
{
	const struct profile *profile = run->profile;
	bool *movable = xcalloc((size_t)profile->api_count + 1, sizeof(*movable));
	bool *fixed = xcalloc((size_t)profile->api_count + 1, sizeof(*fixed));

	for (uint32_t c = 0; c < profile->timeline_count; c++) {
		const uint32_t api = profile->timeline[c].api;

		fixed[api] |= needs[c] != WAIT_UNNEEDED || run->wait_needs[c] == WAIT_UNNEEDED ||
			      run->wait_needs[c] == WAIT_ORDERS;
		movable[api] = !fixed[api];
	}
	free(fixed);
	return movable;
}

static void add_misplaced(const struct run *run, uint32_t api, const struct uses *uses)
{
	const struct profile_api *calls = &run->profile->apis[api];
	const bool is_copy = calls->vertex != PROFILE_NO_VERTEX;
	const uint64_t ns = run->timing->apis[api].wait_ns, all = run->timing->apis[api].calls;
	struct profile_finding *finding = run_add_calls(
		run, "misplaced_wait", is_copy ? "make_async" : "wait_later", api, ns);
	char *time = words_ns(ns), *later = words_ns(uses->first->min_ns);
	char *place = place_of(uses->first), *more;

	finding->invocations = uses->waits;
	finding->evidence = xasprintf(
		"%" PRIu64 " of %" PRIu64 " call%s %s watched: the host first used what they had "
		"brought to it %s later or more, soonest at %s. All calls waited %s.",
		uses->waits, all, text_plural(all, "", "s"), uses->waits == 1 ? "was" : "were",
		later, place, time);
	more = uses->places > 1 ? xasprintf(", and at %" PRIu32 " more place%s", uses->places - 1,
					    text_plural(uses->places - 1, "", "s"))
				: xstrdup("");
	finding->advice = xasprintf(
		is_copy ? "Copy with cudaMemcpyAsync into pinned memory (cudaMallocHost), and wait "
			  "for it (cudaStreamSynchronize) before %s%s, where the bytes are first "
			  "used, %s later: until then the host works beside the device."
			: "Wait before %s%s, where the bytes are first used, %s later: until then "
			  "the host works beside the device.",
		place, more, later);
	finding->limits = xstrdup(
		"one run, one input; when the bytes are used was measured in a run of its own; a "
		"wait that serves to look for errors, or for printf(), looks the same");
	free(time);
	free(later);
	free(place);
	free(more);
}

static bool is_early(const struct run *run, uint32_t api, const struct uses *uses)
{
	const uint64_t ns = run->timing->apis[api].wait_ns;
	const uint64_t early_ns = run->least_ns ? EARLY_LEAST : 1;

	return uses->first && uses->known && uses->all && !uses->vacant && ns &&
	       ns >= run->least_ns && uses->first->min_ns >= early_ns;
}

static void detect_misplaced(const struct run *run, const struct uses *uses)
{
	unsigned char *needs = run->order ? order_late(run->order, run->wait_needs) : NULL;
	bool *movable = needs ? find_movable(run, needs) : NULL;

	for (uint32_t api = 0; needs && api < run->profile->api_count; api++)
		if (movable[api] && is_early(run, api, &uses[api]))
			add_misplaced(run, api, &uses[api]);
	free(movable);
	free(needs);
}

/* -- downloads -- */

/* What the copies of a vertex bring to the host. */
struct brought {
	uint32_t site; /* id: of most of it */
	uint64_t most, bytes;
};

/* By vertex. */
static struct brought *find_brought(const struct graph *graph)
{
	struct brought *all = xcalloc((size_t)graph->vertex_count + 1, sizeof(*all));

	for (uint32_t e = 0; e < graph->edge_count; e++) {
		const struct graph_edge *edge = &graph->edges[e];
		struct brought *brought = &all[edge->from];

		if (graph->vertices[edge->to].id != GRAPH_HOST)
			continue;
		profile_add(&brought->bytes, edge->bytes);
		if (edge->bytes > brought->most) {
			brought->most = edge->bytes;
			brought->site = edge->object;
		}
	}
	return all;
}

static void add_partial(const struct run *run, const struct profile_api *api,
			const struct uses *uses, uint32_t site, uint64_t unread)
{
	struct profile_finding *finding = run_add(run, "partial_download", "copy_range",
						  api->vertex, site, unread, uses->bytes);
	char *bytes = words_bytes(uses->bytes);
	char *percent = words_percent(uses->touched, uses->pages);

	finding->access = GRAPH_READ;
	finding->invocations = uses->waits;
	finding->evidence = xasprintf("At most %s of the %s that %" PRIu64
				      " of its invocations brought to the host was "
				      "touched before it was written again or freed: %" PRIu64
				      " of %" PRIu64 " pages of 4 KiB.",
				      percent, bytes, uses->waits, uses->touched, uses->pages);
	finding->advice = xstrdup("Copy only the part that the host looks at, or let the device "
				  "work out what it wants to know of the rest.");
	finding->limits = xstrdup("one run, one input; known by pages: what is touched of them may "
				  "be less; memory that processes share is not watched");
	free(bytes);
	free(percent);
}

static void add_unused(const struct run *run, const struct profile_api *api,
		       const struct uses *uses, uint32_t site, uint64_t invocations)
{
	const bool all = uses->waits == invocations;
	struct profile_finding *finding =
		run_add(run, "unused_download", all ? "delete" : "copy_when_read", api->vertex,
			site, uses->bytes, uses->bytes);
	char *bytes = words_bytes(uses->bytes);

	finding->access = GRAPH_READ;
	finding->invocations = uses->waits;
	finding->evidence = xasprintf(
		"Nothing of the %s that %" PRIu64 " of its %" PRIu64 " invocation%s brought to the "
		"host was touched before it was written again or freed, or the process ended%s.",
		bytes, uses->waits, invocations, text_plural(invocations, "", "s"),
		all ? "" : "; the others were not watched");
	finding->advice =
		xstrdup(all ? "Leave the copy out: the host never looks at what it brings."
			    : "Copy only when the host looks at it: mostly it does not.");
	finding->limits = xstrdup("one run, one input; the call waits for the device, too: where "
				  "something relies on that, wait there; memory that processes "
				  "share is not watched");
	free(bytes);
}

/* A synchronous copy, which waits for nothing that others have copied: the rows are its own. */
static void detect_downloads(const struct run *run, const struct brought *all, uint32_t index,
			     const struct uses *uses)
{
	const struct profile_api *api = &run->profile->apis[index];
	uint32_t v = graph_find(run->profile->graph, api->vertex);
	const struct brought *brought = v == UINT32_MAX ? NULL : &all[v];
	uint64_t invocations;

	if (!brought || !brought->most || !uses->known || uses->vacant || !uses->pages ||
	    !api_is_synchronous_copy(run->profile->graph->vertices[v].name))
		return;
	invocations = run->profile->graph->vertices[v].invocations;
	if (!invocations || brought->bytes / invocations != uses->bytes / uses->waits)
		return;
	if (!uses->any && !uses->touched)
		add_unused(run, api, uses, brought->site, invocations);
	if (uses->any && uses->touched && uses->pages / uses->waits >= PAGES_LEAST &&
	    (double)uses->touched <= run->options->partial_download * (double)uses->pages &&
	    uses->touched < uses->bytes / PAGE)
		add_partial(run, api, uses, brought->site, uses->bytes - uses->touched * PAGE);
}

static void detect_first_uses(const struct run *run)
{
	const struct profile *profile = run->profile;
	struct brought *brought;
	struct uses *uses;

	if (!profile->first_use_count)
		return;
	brought = find_brought(profile->graph);
	uses = xcalloc(profile->api_count, sizeof(*uses));
	for (uint32_t i = 0; i < profile->first_use_count; i++)
		add_use(&uses[profile->first_uses[i].api], &profile->first_uses[i]);
	if (run->timing)
		detect_misplaced(run, uses);
	for (uint32_t api = 0; api < profile->api_count; api++)
		if (uses[api].waits)
			detect_downloads(run, brought, api, &uses[api]);
	free(brought);
	free(uses);
}

const struct pattern pattern_first_uses = {
	.detect = detect_first_uses,
	.names = (const struct pattern_name[]){{"misplaced_wait", "misplaced wait"},
					       {"partial_download", "partial download"},
					       {"unused_download", "unused download"},
					       {NULL, NULL}},
};
