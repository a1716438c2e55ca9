/* replay/listing.c: see replay/listing.h. */
#include "replay/listing.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "graph/frame_words.h"
#include "graph/library_frames.h"
#include "util/cxx_name.h"
#include "util/duration.h"
#include "util/json.h"
#include "util/memory.h"

enum {
	BEFORE = 50, /* columns before what was called, and where */
	WHAT = 50,   /* columns of that */
	FRAMES = 4,  /* at most, of a call path */
	NAME = 30,   /* bytes of a function in it */
};

struct sums {
	uint32_t api;
	uint64_t calls, host_ns, wait_ns, gpu_ns; /* host: without waits */
};

static int compare_sums(const void *a, const void *b)
{
	const struct sums *x = a, *y = b;
	uint64_t first = x->host_ns, second = y->host_ns;

	profile_add(&first, x->wait_ns);
	profile_add(&second, y->wait_ns);
	if (first != second)
		return first > second ? -1 : 1;
	if (x->gpu_ns != y->gpu_ns)
		return x->gpu_ns > y->gpu_ns ? -1 : 1;
	return (x->api > y->api) - (x->api < y->api);
}

/* Of all apis that were called, *count of them; the caller frees. */
static struct sums *sum_up(const struct profile *profile, uint32_t *count)
{
	struct sums *sums = xcalloc(profile->api_count + 1, sizeof(*sums));

	for (uint32_t i = 0; i < profile->api_count; i++)
		sums[i].api = i;
	for (uint32_t i = 0; i < profile->timeline_count; i++) {
		const struct profile_timed_call *call = &profile->timeline[i];

		sums[call->api].calls++;
		profile_add(&sums[call->api].host_ns, call->end_ns - call->start_ns);
	}
	for (uint32_t i = 0; i < profile->wait_count; i++)
		profile_add(&sums[profile->timeline[profile->waits[i].call].api].wait_ns,
			    profile->waits[i].wait_ns);
	for (uint32_t i = 0; i < profile->gpu_time_count; i++)
		if (profile->gpu_times[i].call != PROFILE_NO_ROW)
			profile_add(&sums[profile->timeline[profile->gpu_times[i].call].api].gpu_ns,
				    profile->gpu_times[i].end_ns - profile->gpu_times[i].start_ns);
	*count = 0;
	for (uint32_t i = 0; i < profile->api_count; i++)
		if (sums[i].calls) {
			uint64_t waited = sums[i].wait_ns;

			sums[i].host_ns -= waited < sums[i].host_ns ? waited : sums[i].host_ns;
			sums[(*count)++] = sums[i];
		}
	qsort(sums, *count, sizeof(*sums), compare_sums);
	return sums;
}

/* "launch net.c:12 < main main.c:4"; NULL: not known.  The caller frees it. */
static char *place_of(const struct profile *profile, const struct profile_api *api)
{
	const struct profile_frame **frames;
	uint32_t count, vertex;
	char *text;

	if (api->vertex == PROFILE_NO_VERTEX)
		return api->place.callpath ? xstrdup(api->place.callpath) : NULL;
	vertex = graph_find(profile->graph, api->vertex);
	if (vertex == UINT32_MAX)
		return NULL;
	frames = profile_path(profile, vertex, &count);
	text = profile_frames_text(frames, count);
	free(frames);
	return text;
}

/* "fill, launch net.c:12 < main main.c:4", callers that do not fit below each other. */
static void print_what(FILE *out, const struct profile *profile, const struct profile_api *api)
{
	char *name = cxx_short_name(api->name, WHAT - 1), *place = place_of(profile, api);
	char *path = place ? frame_words_path(place, FRAMES, NAME) : NULL;
	size_t column = strlen(name);
	const char *next;

	fputs(name, out);
	for (const char *frame = path; frame; frame = next) {
		const char *before = frame == path ? "," : " <";
		const char *end = frame_text_end(frame, &next);
		/* a mark is behind it, unless it is the last */
		size_t wide = (size_t)(end - frame) + (next ? 2 : 0);

		if (column + strlen(before) + 1 + wide > WHAT) {
			fprintf(out, "%s\n%*s", before, BEFORE, "");
			column = 0;
		} else {
			column += (size_t)fprintf(out, "%s ", before);
		}
		column += (size_t)fprintf(out, "%.*s", (int)(end - frame), frame);
	}
	fputc('\n', out);
	free(name);
	free(place);
	free(path);
}

static char *name_in_options(const struct profile_api *api, uint32_t index)
{
	return api->vertex == PROFILE_NO_VERTEX ? xasprintf("a%" PRIu32, index + 1)
						: xasprintf("%" PRIu32, api->vertex);
}

static const char *some_time(uint64_t ns, char text[24])
{
	return ns ? duration_format(ns, text) : "-";
}

void listing_text(FILE *out, const struct profile *profile, const struct replay_times *times,
		  bool model_time)
{
	uint32_t count;
	struct sums *sums = sum_up(profile, &count);
	char run[24], span[24], start_up[24];

	fprintf(out, "The run takes %s%s,\n", duration_format(times->measured_ns, run),
		model_time ? " of model time" : "");
	fprintf(out, "%s from the first operation to the last, after a start-up of %s.\n\n",
		duration_format(times->span_ns, span),
		duration_format(times->startup_ns, start_up));
	fprintf(out, "%8s %9s %9s %9s %9s  %s\n", "which", "calls", "host", "waits", "GPU",
		"what, and where");
	for (uint32_t i = 0; i < count; i++) {
		const struct profile_api *api = &profile->apis[sums[i].api];
		char *which = name_in_options(api, sums[i].api);
		char host[24], wait[24], gpu[24];

		fprintf(out, "%8s %9" PRIu64 " %9s %9s %9s  ", which, sums[i].calls,
			some_time(sums[i].host_ns, host), some_time(sums[i].wait_ns, wait),
			some_time(sums[i].gpu_ns, gpu));
		print_what(out, profile, api);
		free(which);
	}
	free(sums);
}

void listing_json(FILE *out, const struct profile *profile, const struct replay_times *times,
		  bool model_time)
{
	struct json json = {.file = out, .style = JSON_INDENTED};
	uint32_t count;
	struct sums *sums = sum_up(profile, &count);

	json_begin(&json, '{');
	json_named_count(&json, "run_ns", times->measured_ns);
	json_named_count(&json, "span_ns", times->span_ns);
	json_named_count(&json, "startup_ns", times->startup_ns);
	json_name(&json, "model_time");
	json_raw(&json, model_time ? "true" : "false");
	json_name(&json, "functions");
	json_begin(&json, '[');
	for (uint32_t i = 0; i < count; i++) {
		const struct profile_api *api = &profile->apis[sums[i].api];
		char *which = name_in_options(api, sums[i].api), *place = place_of(profile, api);

		json_begin(&json, '{');
		json_named_text(&json, "which", which);
		json_named_count(&json, "api", sums[i].api + UINT64_C(1));
		if (api->vertex != PROFILE_NO_VERTEX)
			json_named_count(&json, "vertex", api->vertex);
		json_named_text(&json, "kind", api->kind);
		json_named_text(&json, "name", api->name);
		json_named_text(&json, "callpath", place);
		json_named_count(&json, "calls", sums[i].calls);
		json_named_count(&json, "host_ns", sums[i].host_ns);
		json_named_count(&json, "wait_ns", sums[i].wait_ns);
		json_named_count(&json, "gpu_ns", sums[i].gpu_ns);
		json_end(&json, '}');
		free(which);
		free(place);
	}
	json_end(&json, ']');
	json_end(&json, '}');
	fputc('\n', out);
	free(sums);
}
