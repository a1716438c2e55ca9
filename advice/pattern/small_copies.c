/*
 * advice/pattern/small_copies.c: many small copies between the host and the device, one after the
 * other, that one copy could make: each call costs more than the bytes that it moves.
 */
#include "advice/pattern.h"

#include <inttypes.h>
#include <stdlib.h>

#include "advice/words.h"
#include "util/memory.h"
#include "util/text.h"

enum { SHAPES = PROFILE_COPY_RUN_SCATTERED + 1 };

/* The runs of a vertex that have one shape. */
struct tally {
	uint64_t runs, copies, bytes;
	const struct profile_copy_run *longest;
	bool same_strides; /* of all: those of `longest` */
};

static void add_run(struct tally *tally, const struct profile_copy_run *run)
{
	tally->same_strides =
		!tally->runs ||
		(tally->same_strides && tally->longest->device_stride == run->device_stride &&
		 tally->longest->host_stride == run->host_stride);
	if (!tally->runs || run->copies > tally->longest->copies)
		tally->longest = run;
	tally->runs++;
	profile_add(&tally->copies, run->copies);
	profile_add(&tally->bytes, run->bytes);
}

static char *advice_of_rows(const struct tally *tally)
{
	const struct profile_copy_run *run = tally->longest;
	char *width = words_bytes(run->bytes / run->copies);
	char *device = words_bytes(run->device_stride), *host = words_bytes(run->host_stride);
	char *text;

	if (tally->same_strides)
		text = xasprintf("Copy them at once with cudaMemcpy2D or cudaMemcpy2DAsync: they "
				 "are rows of %s, %s apart on the device and %s on the host.",
				 width, device, host);
	else
		text = xstrdup("Copy them at once with cudaMemcpy2D or cudaMemcpy2DAsync: they are "
			       "rows of one width, and the distance between them is the same.");
	free(width);
	free(device);
	free(host);
	return text;
}

static const char *action_of(uint32_t shape)
{
	static const char *const actions[SHAPES] = {
		[PROFILE_COPY_RUN_ADJOINING] = "copy_together",
		[PROFILE_COPY_RUN_ROWS] = "copy_2d",
		[PROFILE_COPY_RUN_SCATTERED] = "pack",
	};

	return actions[shape];
}

static char *advice_of(const struct tally *tally)
{
	switch (tally->longest->shape) {
	case PROFILE_COPY_RUN_ROWS:
		return advice_of_rows(tally);
	case PROFILE_COPY_RUN_SCATTERED:
		return xstrdup("Put what they send side by side in one buffer of the host, and "
			       "copy that at once: to one allocation of the device that has room "
			       "for all of it, of which the kernels get addresses.");
	default:
		return xstrdup("Copy the whole range at once: each of them begins where the one "
			       "before ends, on the device and on the host.");
	}
}

static void add_finding(const struct run *run, uint32_t api, const struct tally *tally)
{
	const struct timing_api *timing = &run->timing->apis[api];
	const uint64_t superfluous = tally->copies - tally->runs;
	const double part = timing->calls ? (double)superfluous / (double)timing->calls : 0;
	struct profile_finding *finding =
		run_add_calls(run, "many_small_copies", action_of(tally->longest->shape), api,
			      (uint64_t)((double)timing->host_ns * (part < 1 ? part : 1)));
	const bool from_host = tally->longest->from_host;
	char *bytes = words_bytes(tally->bytes), *each = words_bytes(tally->bytes / tally->copies);

	finding->invocations = tally->copies;
	finding->evidence = xasprintf(
		"%" PRIu64
		" copies of %s on average, %s in all, came one after the other, in %" PRIu64
		" sequence%s: no other call in between %s.",
		tally->copies, each, bytes, tally->runs, text_plural(tally->runs, "", "s"),
		from_host ? "touched what they had written" : "wrote what they had read");
	finding->advice = advice_of(tally);
	finding->limits = xasprintf(
		"one run, one input; %s",
		from_host ? "what the first of them send has to stay as it is on the host until "
			    "the last one's bytes are there, too"
			  : "the memory of the host must be free for all of them when the first "
			    "one comes");
	free(bytes);
	free(each);
}

/* Of each vertex the shape with most copies: by shape, in order. */
static struct tally *tallies_of(const struct run *run)
{
	const struct profile *profile = run->profile;
	struct tally *tallies =
		xcalloc((size_t)profile->graph->vertex_count * SHAPES + 1, sizeof(*tallies));

	for (uint32_t i = 0; i < profile->copy_run_count; i++) {
		const struct profile_copy_run *of = &profile->copy_runs[i];
		const size_t v = graph_find(profile->graph, of->vertex);

		add_run(&tallies[v * SHAPES + of->shape], of);
	}
	return tallies;
}

static void detect_small_copies(const struct run *run)
{
	const struct profile *profile = run->profile;
	struct tally *tallies;

	if (!run->timing || !profile->copy_run_count || run->reads_unseen || run->writes_unseen)
		return;
	tallies = tallies_of(run);
	for (uint32_t api = 0; api < profile->api_count; api++) {
		const uint32_t v = graph_find(profile->graph, profile->apis[api].vertex);
		const struct tally *most = NULL;

		for (uint32_t shape = 0; v != UINT32_MAX && shape < SHAPES; shape++) {
			const struct tally *tally = &tallies[(size_t)v * SHAPES + shape];

			if (tally->runs && (!most || tally->copies > most->copies))
				most = tally;
		}
		if (most && run->timing->apis[api].calls)
			add_finding(run, api, most);
	}
	free(tallies);
}

const struct pattern pattern_small_copies = {
	.detect = detect_small_copies,
	.names = (const struct pattern_name[]){{"many_small_copies", "many small copies"},
					       {NULL, NULL}},
};
