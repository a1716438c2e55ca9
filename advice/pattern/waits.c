/*
 * advice/pattern/waits.c: waits of the host that protect nothing (Diogenes 3.5): unnecessary ones,
 * and those right after another one.
 */
#include "advice/pattern.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "advice/order/order.h"
#include "gpu/nvidia/apis.h"
#include "util/memory.h"
#include "util/text.h"

enum { NEEDS = WAIT_REPEATED + 1 };

/* The calls of a function from one call path, by what their waits are needed for. */
struct tally {
	uint64_t calls[NEEDS];
	uint64_t wait_ns[NEEDS], host_ns[NEEDS];
	bool orders; /* another stream relies on one of them, maybe on one that found all done */
};

static const char limits[] =
	"one run, one input; memory is told apart by allocations; a wait that serves to look "
	"for errors, or for printf(), looks the same";

/* How long the call waited for what was before it, which was done by `before_ns`. */
static uint64_t wait_of(const struct timing *timing, uint32_t call, uint64_t before_ns)
{
	const struct profile *profile = timing->profile;
	uint64_t wait_ns = timing_wait_ns(timing, call), own_ns;

	if (timing->operations[call] == timing->operations[call + 1])
		return wait_ns;
	/* a copy waits for its own operation, too */
	own_ns = profile->gpu_times[timing->operations[call]].start_ns;
	before_ns = before_ns < own_ns ? before_ns : own_ns;
	before_ns -= before_ns < profile->timeline[call].start_ns
			     ? before_ns
			     : profile->timeline[call].start_ns;
	return wait_ns < before_ns ? wait_ns : before_ns;
}

static void add_call(struct tally *tally, enum wait_need need, uint64_t wait_ns, uint64_t host_ns)
{
	tally->orders |= need == WAIT_ORDERS;
	if ((need == WAIT_UNNEEDED || need == WAIT_ORDERS) && !wait_ns)
		need = WAIT_NOT_JUDGED;
	tally->calls[need]++;
	profile_add(&tally->wait_ns[need], wait_ns);
	profile_add(&tally->host_ns[need], host_ns);
}

static struct tally *tally_of(const struct timing *timing, const unsigned char *needs)
{
	const struct profile *profile = timing->profile;
	struct tally *tallies = xcalloc(profile->api_count, sizeof(*tallies));
	uint64_t before_ns = 0; /* when the process's operations are done */

	for (uint32_t c = 0; c < profile->timeline_count; c++) {
		const struct profile_timed_call *call = &profile->timeline[c];

		if (c && call[-1].process != call->process)
			before_ns = 0;
		add_call(&tallies[call->api], needs[c], wait_of(timing, c, before_ns),
			 call->end_ns - call->start_ns);
		for (uint32_t o = timing->operations[c]; o < timing->operations[c + 1]; o++)
			if (profile->gpu_times[o].end_ns > before_ns)
				before_ns = profile->gpu_times[o].end_ns;
	}
	return tallies;
}

struct mend {
	const char *action, *advice;
};

static const struct mend mend_delete = {
	"delete", "Delete this call: what comes after it on the device is in order without it, and "
		  "the host waits again before it looks at anything."};
static const struct mend mend_sometimes = {
	"wait_when_needed", "Wait only where the host or another stream needs what came before."};
static const struct mend mend_order = {
	"order_on_device",
	"Let the device keep the order: record an event in the stream that is waited for "
	"(cudaEventRecord) and let the stream that needs it wait (cudaStreamWaitEvent)."};
static const struct mend mend_upload = {
	"make_async",
	"Copy with cudaMemcpyAsync in a stream: the copy comes after the work before it without "
	"the host waiting; memory that is pinned must stay as it is until the copy is done."};
static const struct mend mend_some_uploads = {
	"make_async",
	"Copy with cudaMemcpyAsync in a stream, but only where neither the host nor another stream "
	"needs what came before the copy; memory that is pinned must stay as it is until the copy "
	"is done."};
static const struct mend mend_host_copy = {
	"copy_on_host", "Copy with memcpy(): both sides are memory of the host, and cudaMemcpy "
			"waits for the device first."};
static const struct mend mend_release = {
	"free_async",
	"Free with cudaFreeAsync what cudaMallocAsync allocated, or keep the memory and use it "
	"again: cudaFree waits for all streams first."};
static const struct mend mend_other_release = {
	"free_later", "Release it later, where the device has nothing to do (behind the loop), or "
		      "keep the memory "
		      "and use it again: this call waits for all streams first."};

static const struct mend *mend_of(const struct profile_api *api, const struct tally *tally)
{
	if (!strcmp(api->kind, "free"))
		return api_is(api->name, "cudaFree") || api_is(api->name, "cuMemFree")
			       ? &mend_release
			       : &mend_other_release; /* only that has an asynchronous twin */
	if (api->vertex != PROFILE_NO_VERTEX)
		return tally->calls[WAIT_NEEDED] || tally->orders ? &mend_some_uploads
								  : &mend_upload;
	if (!api_is_synchronization(api->name))
		return &mend_host_copy;
	if (tally->calls[WAIT_NEEDED])
		return &mend_sometimes;
	return tally->orders ? &mend_order : &mend_delete;
}

static void add_unnecessary(const struct run *run, uint32_t api, const struct tally *tally)
{
	const struct mend *mend = mend_of(&run->profile->apis[api], tally);
	uint64_t orders = mend == &mend_order ? tally->calls[WAIT_ORDERS] : 0;
	uint64_t calls = tally->calls[WAIT_UNNEEDED] + orders, all = 0;
	uint64_t ns = tally->wait_ns[WAIT_UNNEEDED];
	struct profile_finding *finding;
	char *time, *ordered;

	for (int need = 0; need < NEEDS; need++)
		all += tally->calls[need];
	if (orders)
		profile_add(&ns, tally->wait_ns[WAIT_ORDERS]);
	if (!calls || !ns)
		return;
	finding = run_add_calls(run, "unnecessary_wait", mend->action, api, ns);
	finding->invocations = calls;
	time = words_ns(ns);
	ordered = orders ? xasprintf(", but that another stream came later in %" PRIu64 " of them",
				     orders)
			 : xstrdup("");
	finding->evidence = xasprintf(
		"%" PRIu64 " of %" PRIu64 " call%s waited for work that nobody needed to be done "
		"then, %s in all: the host could see none of it before a later wait%s.",
		calls, all, text_plural(all, "", "s"), time, ordered);
	finding->advice = xstrdup(mend->advice);
	finding->limits = xstrdup(limits);
	free(time);
	free(ordered);
}

static void add_consecutive(const struct run *run, uint32_t api, const struct tally *tally)
{
	uint64_t calls = tally->calls[WAIT_REPEATED], ns = tally->host_ns[WAIT_REPEATED], all = 0;
	struct profile_finding *finding;
	char *time;

	for (int need = 0; need < NEEDS; need++)
		all += tally->calls[need];
	if (!calls || !ns)
		return;
	finding = run_add_calls(run, "consecutive_waits", calls == all ? "delete" : "wait_once",
				api, ns);
	finding->invocations = calls;
	time = words_ns(ns);
	finding->evidence = xasprintf("%" PRIu64 " of %" PRIu64 " call%s had nothing to wait for, "
				      "%s in all: the wait before had covered all of it.",
				      calls, all, text_plural(all, "", "s"), time);
	finding->advice = xstrdup(calls == all ? "Delete this call: the thread has just waited for "
						 "the same."
					       : "Wait once: where the thread has just waited for "
						 "the same, leave this call out.");
	finding->limits = xstrdup(limits);
	free(time);
}

static void detect_waits(const struct run *run)
{
	struct tally *tallies;

	if (!run->wait_needs)
		return;
	tallies = tally_of(run->timing, run->wait_needs);
	for (uint32_t api = 0; api < run->profile->api_count; api++) {
		add_unnecessary(run, api, &tallies[api]);
		add_consecutive(run, api, &tallies[api]);
	}
	free(tallies);
}

const struct pattern pattern_waits = {
	.detect = detect_waits,
	.names = (const struct pattern_name[]){{"unnecessary_wait", "unnecessary wait"},
					       {"consecutive_waits", "consecutive waits"},
					       {NULL, NULL}},
};
