/*
 * advice/pattern/duplicate_values.c: objects that are given what another one holds (ValueExpert
 * Def. 3.2), and uploads of zeros.
 *
 * Only those are told that could have been spared: whoever read them could have read the other one.
 */
#include "advice/pattern.h"

#include <inttypes.h>
#include <stdlib.h>

#include "advice/words.h"
#include "util/memory.h"
#include "util/text.h"

static const char limits[] = "one run, one input; contents of whole objects are compared";

/* Whether somebody else writes to the site's objects: they are needed for that. */
static bool has_other_writers(const struct run *run, const struct profile_share *share)
{
	uint32_t site = graph_find(run->profile->graph, share->site);

	return run->writers[site] > (run_write(run, share->vertex, share->site) ? 1 : 0);
}

static char *advice_of(const struct run *run, const struct profile_share *share, bool always,
		       const char *holder)
{
	const char *verb = operation_verb(run_operation(run, share->vertex), 1);

	if (!always)
		return xstrdup("Nothing to do: they were equal, maybe by coincidence.");
	if (has_other_writers(run, share))
		return xasprintf("Let those who read what this %s writes use %s, and delete the "
				 "%s; its object stays, others write to it.",
				 verb, holder, verb);
	return xasprintf("Let the readers use %s, and delete this %s and its object.", holder,
			 verb);
}

static void add_share(const struct run *run, const struct profile_share *share)
{
	const struct profile *profile = run->profile;
	enum operation operation = run_operation(run, share->vertex);
	const struct profile_write *write = run_write(run, share->vertex, share->site);
	uint64_t writes = write ? write->writes : 0;
	/* a kernel's result that equals something may do so by chance */
	bool always = share->spared >= writes && operation != OPERATION_KERNEL;
	struct profile_finding *finding =
		run_add(run, "duplicate_values", always ? "share" : "none", share->vertex,
			share->site, share->bytes, 0);
	char *holder = words_object(profile, run->sites, share->holder),
	     *bytes = words_bytes(share->bytes);

	finding->input = !always;
	finding->invocations = writes;
	finding->evidence =
		xasprintf("%" PRIu64 " of %" PRIu64 " times it gave the object what %s held "
			  "already, and held as long as anybody read it: %s.",
			  share->spared, writes, holder, bytes);
	finding->advice = advice_of(run, share, always, holder);
	finding->limits = xstrdup(limits);
	finding_add_other(finding, share->holder);
	free(holder);
	free(bytes);
}

static void add_zeros(const struct run *run, const struct profile_write *write)
{
	struct profile_finding *finding = run_add(run, "duplicate_values", "set_instead",
						  write->vertex, write->site, write->bytes, 0);
	char *bytes = words_bytes(write->bytes);

	finding->invocations = write->writes;
	finding->evidence = xasprintf("All %s that it sent in %" PRIu64 " cop%s were zeros.", bytes,
				      write->writes, text_plural(write->writes, "y", "ies"));
	finding->advice = xstrdup("Set the object to zero with cudaMemset instead of copying zeros "
				  "from the host.");
	finding->limits = xstrdup(limits);
	free(bytes);
}

static void detect_duplicate_values(const struct run *run)
{
	const struct profile *profile = run->profile;

	const bool known = !run->writes_unseen && !run->reads_unseen && !run->launches_unseen;

	for (uint32_t i = 0; i < profile->share_count && known; i++) {
		const struct profile_share *share = &profile->shares[i];

		if (share->spared && share->bytes > run->options->duplicate_bytes &&
		    !run->host_writes[graph_find(profile->graph, share->site)] &&
		    !run->host_writes[graph_find(profile->graph, share->holder)])
			add_share(run, share);
	}
	for (uint32_t i = 0; i < profile->write_count; i++) {
		const struct profile_write *write = &profile->writes[i];

		if (write->writes == write->zero_writes &&
		    run_operation(run, write->vertex) == OPERATION_UPLOAD)
			add_zeros(run, write);
	}
}

const struct pattern pattern_duplicate_values = {
	.detect = detect_duplicate_values,
	.names = (const struct pattern_name[]){{"duplicate_values", "duplicate values"},
					       {NULL, NULL}},
};
