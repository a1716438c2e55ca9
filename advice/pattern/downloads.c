/*
 * advice/pattern/downloads.c: copies to the host that bring what it holds already, or what an
 * earlier one has brought to other memory of the host (duplicate transfers).
 */
#include "advice/pattern.h"

#include <inttypes.h>
#include <stdlib.h>

#include "advice/words.h"
#include "util/memory.h"

struct mend {
	const char *action, *advice;
};

static struct mend mend_of(const struct profile_download *download)
{
	if (download->same == download->copies)
		return (struct mend){"delete",
				     "Delete this copy: the host held the bytes already."};
	if (!download->changed_later && download->same > download->same_first)
		return (struct mend){"copy_once", "Copy once: neither the bytes nor what the host "
						  "holds have changed since the first time."};
	/* all first ones, and only they: that some objects' are tells of who received them before
	 */
	if (download->same == download->same_first &&
	    download->copies - download->changed_later == download->same)
		return (struct mend){"delete_first",
				     "Skip the first copy: the host held the bytes already."};
	return (struct mend){"copy_when_changed", "Copy only what the host does not hold already."};
}

/* What a kernel computed anew is the same again only with some inputs. */
static bool is_by_input(const struct run *run, const struct profile_download *download)
{
	const bool known = download->same_unwritten != PROFILE_UNKNOWN && !run->launches_unseen;

	return run_copies_results(run, download->vertex) &&
	       (!known || download->same_unwritten < download->same);
}

static void add_elsewhere(const struct run *run, const struct profile_download *download)
{
	struct profile_finding *finding =
		run_add(run, "duplicate_transfer", "copy_on_host", download->vertex, download->site,
			download->elsewhere_bytes, download->bytes);
	char *bytes = words_bytes(download->elsewhere_bytes);

	finding->access = GRAPH_READ;
	finding->invocations = download->copies;
	finding->evidence = xasprintf(
		"%" PRIu64 " of %" PRIu64 " times an earlier copy had brought the same to other "
		"memory of the host, and nobody had written to the object since: %s.",
		download->elsewhere, download->copies, bytes);
	finding->advice = xstrdup(
		"Use what the earlier copy has brought, or copy that with memcpy() if the host "
		"changes one of them; look whether another object was meant.");
	finding->limits = xstrdup("one run, one input; whether the host still holds what the "
				  "earlier copy has brought is not known");
	free(bytes);
}

static void detect_downloads(const struct run *run)
{
	for (uint32_t i = 0; i < run->profile->download_count; i++) {
		const struct profile_download *download = &run->profile->downloads[i];
		struct mend mend = mend_of(download);
		struct profile_finding *finding;
		char *bytes;

		if (download->elsewhere != PROFILE_UNKNOWN && download->elsewhere &&
		    !run->writes_unseen && !run->launches_unseen)
			add_elsewhere(run, download);
		if (!download->same)
			continue;
		finding = run_add(run, "duplicate_transfer", mend.action, download->vertex,
				  download->site, download->same_bytes, download->bytes);
		bytes = words_bytes(download->same_bytes);
		finding->access = GRAPH_READ;
		finding->input = is_by_input(run, download);
		finding->invocations = download->copies;
		finding->evidence =
			xasprintf("%" PRIu64 " of %" PRIu64 " times the host held already "
				  "what it brought: %s.",
				  download->same, download->copies, bytes);
		finding->advice = xstrdup(mend.advice);
		finding->limits =
			xstrdup("one run, one input; compared with what the memory of the "
				"host held before each copy");
		free(bytes);
	}
}

const struct pattern pattern_downloads = {
	.detect = detect_downloads,
	.names = (const struct pattern_name[]){{"duplicate_transfer", "duplicate transfer"},
					       {NULL, NULL}},
};
