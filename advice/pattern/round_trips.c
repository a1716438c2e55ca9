/*
 * advice/pattern/round_trips.c: uploads of what the device had given to the host, and still held.
 */
#include "advice/pattern.h"

#include <inttypes.h>
#include <stdlib.h>

#include "advice/words.h"
#include "util/memory.h"
#include "util/text.h"

static void detect_round_trips(const struct run *run)
{
	for (uint32_t i = 0; i < run->profile->round_trip_count && !run->writes_unseen; i++) {
		const struct profile_round_trip *trip = &run->profile->round_trips[i];
		uint32_t v = graph_find(run->profile->graph, trip->download);
		uint64_t bytes = trip->upload_bytes + trip->download_bytes;
		char *download = words_vertex(run->profile, v);
		char *up = words_bytes(trip->upload_bytes),
		     *down = words_bytes(trip->download_bytes);
		struct profile_finding *finding = run_add(run, "round_trip", "keep_on_device",
							  trip->upload, trip->site, bytes, 0);

		finding->evidence = xasprintf(
			"%" PRIu64 " time%s it sent what %s had fetched before, while the device "
			"still held it: %s up, %s down.",
			trip->uploads, text_plural(trip->uploads, "", "s"), download, up, down);
		finding->advice = xasprintf(
			"Keep it on the device: use there what it holds, and drop this copy; "
			"%s can go, too, where the host does not need the bytes.",
			download);
		finding->limits = xstrdup("one run, one input; whole transfers; whether "
					  "the host looks at the bytes is not known");
		finding->invocations = trip->uploads;
		finding_add_other(finding, trip->download);
		free(download);
		free(up);
		free(down);
	}
}

const struct pattern pattern_round_trips = {
	.detect = detect_round_trips,
	.names = (const struct pattern_name[]){{"round_trip", "round trip"}, {NULL, NULL}},
};
