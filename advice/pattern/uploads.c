/*
 * advice/pattern/uploads.c: copies from the host that bring again what the same call path had sent
 * before (duplicate transfers), where redundant_values.c does not say so already: the device's
 * memory held something else in between, or they go elsewhere.
 */
#include "advice/pattern.h"

#include <inttypes.h>
#include <stdlib.h>

#include "advice/words.h"
#include "util/memory.h"

/* Bytes of its copies that changed nothing where they went. */
static uint64_t unchanged_bytes(const struct run *run, const struct profile_upload *upload)
{
	const struct profile_write *write = run_write(run, upload->vertex, upload->site);

	return write ? write->unchanged_writes_bytes : 0;
}

static char *advice_of(const struct profile_upload *upload)
{
	char *bytes = words_bytes(upload->content_bytes), *text;

	if (upload->contents < 2)
		text = xstrdup("Upload it once and keep it on the device; where it is changed in "
			       "place there, copy it from what is kept.");
	else
		text = xasprintf("Keep what it sends again on the device, if that has room: "
				 "%" PRIu64 " different contents, %s.",
				 upload->contents, bytes);
	free(bytes);
	return text;
}

static void add_finding(const struct run *run, const struct profile_upload *upload)
{
	struct profile_finding *finding =
		run_add(run, "duplicate_transfer", "keep_on_device", upload->vertex, upload->site,
			upload->repeated_bytes, upload->bytes);
	char *bytes = words_bytes(upload->repeated_bytes);

	finding->access = GRAPH_WRITE;
	finding->invocations = upload->copies;
	finding->input = upload->repeated == 1;
	finding->evidence =
		xasprintf("%" PRIu64 " of %" PRIu64 " times it sent bytes that it had sent "
			  "before: %s.",
			  upload->repeated, upload->copies, bytes);
	finding->advice = advice_of(upload);
	finding->limits = xstrdup("one run, one input; whole transfers of 1 KiB and more, by "
				  "their contents");
	free(bytes);
}

static void detect_uploads(const struct run *run)
{
	for (uint32_t i = 0; i < run->profile->upload_count; i++) {
		const struct profile_upload *upload = &run->profile->uploads[i];

		if (upload->repeated && upload->repeated_bytes > unchanged_bytes(run, upload))
			add_finding(run, upload);
	}
}

const struct pattern pattern_uploads = {
	.detect = detect_uploads,
	.names = (const struct pattern_name[]){{"duplicate_transfer", "duplicate transfer"},
					       {NULL, NULL}},
};
