/*
 * advice/pattern/idle.c: the device had nothing to do between two operations, by what kept it
 * waiting: one finding for each reason, about the calls from the path at which it was longest.
 */
#include "advice/pattern.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "util/memory.h"
#include "util/pair_map.h"
#include "util/text.h"

/* Why a device was idle, of the calls of a function from one call path. */
enum reason {
	WORK,   /* the host was at its own work before the call */
	CALL,   /* in the call, which is not that of the next operation */
	WAIT,   /* it waited in the call, and issued the next operation only then */
	LAUNCH, /* from the call to its operation */
	REASONS
};

struct gaps {
	uint64_t count, ns, longest_ns;
	uint32_t next; /* row of table api: whose operation came after the longest */
};

struct culprit {
	struct gaps of[REASONS];
};

struct idle {
	const struct run *run;
	struct culprit *culprits; /* per row of table api */
	uint32_t *before;         /* per call: the call before it of its thread; PROFILE_NO_ROW */
};

struct operation_row { /* in order of device and start */
	uint32_t process, device, row;
	uint64_t start_ns;
};

static int by_start(const void *left, const void *right)
{
	const struct operation_row *a = left, *b = right;

	if (a->process != b->process)
		return a->process < b->process ? -1 : 1;
	if (a->device != b->device)
		return a->device < b->device ? -1 : 1;
	if (a->start_ns != b->start_ns)
		return a->start_ns < b->start_ns ? -1 : 1;
	return (a->row > b->row) - (a->row < b->row);
}

static uint64_t overlap(uint64_t start, uint64_t end, uint64_t from, uint64_t to)
{
	start = start > from ? start : from;
	end = end < to ? end : to;
	return end > start ? end - start : 0;
}

static void blame(struct idle *idle, uint32_t call, enum reason reason, uint64_t ns,
		  uint32_t launched)
{
	const struct profile_timed_call *calls = idle->run->profile->timeline;
	struct gaps *gaps = &idle->culprits[calls[call].api].of[reason];
	const uint64_t once = idle->run->timing->once[call];

	/* what it pays for all would be paid wherever it were */
	if (reason != WORK)
		ns -= once < ns ? once : ns;
	gaps->count += ns > 0;
	profile_add(&gaps->ns, ns);
	if (ns > gaps->longest_ns) {
		gaps->longest_ns = ns;
		gaps->next = calls[launched].api;
	}
}

/* The device was idle until an operation of the call began. */
static void take_gap(struct idle *idle, uint64_t from, uint64_t to, uint32_t launched)
{
	const struct profile_timed_call *calls = idle->run->profile->timeline;
	uint64_t until = calls[launched].start_ns, launch = overlap(until, to, from, to);
	uint32_t call = launched;

	/* backwards, as long as the device was idle */
	while (until > from) {
		uint32_t before = idle->before[call];
		uint64_t end = before == PROFILE_NO_ROW ? 0 : calls[before].end_ns;

		blame(idle, call, WORK, overlap(end, until, from, to), launched);
		if (before == PROFILE_NO_ROW || end < from)
			break;
		until = calls[before].start_ns;
		if (timing_wait_ns(idle->run->timing, before)) {
			blame(idle, before, WAIT, launch + overlap(until, end, from, to), launched);
			return;
		}
		blame(idle, before, CALL, overlap(until, end, from, to), launched);
		call = before;
	}
	blame(idle, launched, LAUNCH, launch, launched);
}

/* Calls come in order of their ends: the one before, of the same process and thread. */
static uint32_t *calls_before(const struct profile *profile)
{
	uint32_t *before = xcalloc(profile->timeline_count, sizeof(*before)), threads = 0;
	struct pair_map map = {0};
	uint32_t *last = NULL, capacity = 0;

	for (uint32_t c = 0; c < profile->timeline_count; c++) {
		const struct profile_timed_call *call = &profile->timeline[c];
		uint32_t thread;

		if (!pair_map_find(&map, call->process, call->thread, threads, &thread)) {
			ARRAY_RESERVE(last, threads, capacity);
			last[threads++] = PROFILE_NO_ROW;
		}
		/* hostile files may have calls in calls */
		before[c] = last[thread];
		if (before[c] != PROFILE_NO_ROW &&
		    profile->timeline[before[c]].end_ns > call->start_ns)
			before[c] = PROFILE_NO_ROW;
		last[thread] = c;
	}
	pair_map_release(&map);
	free(last);
	return before;
}

static bool is_kernel(const struct run *run, const struct profile_gpu_time *time)
{
	return time->vertex != PROFILE_NO_VERTEX &&
	       run_operation(run, time->vertex) == OPERATION_KERNEL;
}

static bool has_kernels(const struct run *run)
{
	for (uint32_t i = 0; i < run->profile->gpu_time_count; i++)
		if (is_kernel(run, &run->profile->gpu_times[i]))
			return true;
	return false;
}

/* Before its first kernel a program gets ready: what is between copies then is no gap. */
static void find_gaps(struct idle *idle)
{
	const struct profile *profile = idle->run->profile;
	struct operation_row *rows = xcalloc(profile->gpu_time_count, sizeof(*rows));
	uint32_t count = 0;
	uint64_t end = 0;
	bool kernels = has_kernels(idle->run), started = false;

	for (uint32_t i = 0; i < profile->gpu_time_count; i++) {
		const struct profile_gpu_time *time = &profile->gpu_times[i];

		if (time->call != PROFILE_NO_ROW)
			rows[count++] = (struct operation_row){time->process, time->device, i,
							       time->start_ns};
	}
	if (count)
		qsort(rows, count, sizeof(*rows), by_start);
	for (uint32_t i = 0; i < count; i++) {
		const struct profile_gpu_time *time = &profile->gpu_times[rows[i].row];
		bool first = !i || rows[i].process != rows[i - 1].process ||
			     rows[i].device != rows[i - 1].device;

		started = !kernels || (started && !first);
		if (!first && started && time->start_ns > end)
			take_gap(idle, end, time->start_ns, time->call);
		started |= is_kernel(idle->run, time);
		end = first || time->end_ns > end ? time->end_ns : end;
	}
	free(rows);
}

static const struct {
	const char *action, *seen, *advice;
} mends[REASONS] = {
	[WORK] = {"launch_earlier", "the host was at its own work before it came to this call",
		  "Let the host work while the device does: launch before that work what does not "
		  "depend on it, or prepare the next step meanwhile."},
	[CALL] = {"call_earlier", "the host was in this call",
		  "Make this call before the loop, or while the device is busy."},
	[WAIT] = {"launch_before_wait",
		  "the host waited in this call, and issued the next operation only then",
		  "Issue what comes next before this wait, where it does not depend on what the "
		  "host does after it."},
	[LAUNCH] = {"batch", "the device had done all before it got the operation of this call",
		    "Put many small operations into one kernel, or into a CUDA graph, which is "
		    "launched at once."},
};

struct by_time {
	uint64_t ns;
	uint32_t api;
};

/* For one reason. */
struct ranking {
	struct by_time *places; /* most time first */
	uint32_t count;
	uint64_t gaps, ns;
};

static char *place(const struct profile *profile, uint32_t api)
{
	const uint32_t vertex = profile->apis[api].vertex;

	return vertex == PROFILE_NO_VERTEX
		       ? words_calls(&profile->apis[api])
		       : words_vertex(profile, graph_find(profile->graph, vertex));
}

/* " The longest gap ended with fill (vertex 3, a.c:12). Here: 2 ms; elsewhere: 1 ms at sum (vertex
 * 5, a.c:30)." */
static char *places(const struct idle *idle, enum reason reason, const struct ranking *ranking)
{
	enum { NAMED_MOST = 4 };
	const struct profile *profile = idle->run->profile;
	const struct gaps *here = &idle->culprits[ranking->places[0].api].of[reason];
	char *text, *time = words_ns(here->ns), *next = place(profile, here->next);
	size_t size;
	FILE *out = xopen_memstream(&text, &size);

	if (here->next != ranking->places[0].api)
		fprintf(out, " The longest gap ended with %s.", next);
	if (ranking->count > 1)
		fprintf(out, " Here: %s; elsewhere:", time);
	free(next);
	free(time);
	for (uint32_t i = 1; i < ranking->count && i < NAMED_MOST; i++) {
		time = words_ns(ranking->places[i].ns);
		next = place(profile, ranking->places[i].api);
		fprintf(out, "%s %s at %s", i > 1 ? "," : "", time, next);
		free(next);
		free(time);
	}
	if (ranking->count > NAMED_MOST)
		fprintf(out, ", and at %u more", ranking->count - NAMED_MOST);
	if (ranking->count > 1)
		fputc('.', out);
	fclose(out);
	return text;
}

static void add_finding(const struct idle *idle, enum reason reason, const struct ranking *ranking)
{
	struct profile_finding *finding = run_add_calls(idle->run, "gpu_idle", mends[reason].action,
							ranking->places[0].api, ranking->ns);
	char *time = words_ns(ranking->ns), *where = places(idle, reason, ranking);

	finding->invocations = ranking->gaps;
	finding->evidence = xasprintf("The device had nothing to do for %s in all, in %" PRIu64
				      " gap%s between operations: %s.%s",
				      time, ranking->gaps, text_plural(ranking->gaps, "", "s"),
				      mends[reason].seen, where);
	finding->advice = xstrdup(mends[reason].advice);
	finding->limits = xstrdup("one run, one input; the thread that issued the next operation "
				  "is held responsible, also where it waited for other threads; "
				  "at most this time can be saved");
	free(time);
	free(where);
}

static int most_first(const void *left, const void *right)
{
	const struct by_time *a = left, *b = right;

	if (a->ns != b->ns)
		return a->ns < b->ns ? 1 : -1;
	return (a->api > b->api) - (a->api < b->api);
}

static void take_reason(const struct idle *idle, enum reason reason)
{
	const uint32_t api_count = idle->run->profile->api_count;
	struct ranking ranking = {.places = xcalloc(api_count, sizeof(*ranking.places))};

	for (uint32_t api = 0; api < api_count; api++) {
		const struct gaps *gaps = &idle->culprits[api].of[reason];

		/* one gap is not many small operations, and one call is in no loop */
		if (!gaps->ns || ((reason == LAUNCH || reason == CALL) && gaps->count == 1))
			continue;
		ranking.places[ranking.count++] = (struct by_time){gaps->ns, api};
		ranking.gaps += gaps->count;
		profile_add(&ranking.ns, gaps->ns);
	}
	if (ranking.count)
		qsort(ranking.places, ranking.count, sizeof(*ranking.places), most_first);
	if (ranking.count && ranking.ns >= idle->run->least_ns)
		add_finding(idle, reason, &ranking);
	free(ranking.places);
}

static void detect_idle(const struct run *run)
{
	struct idle idle = {.run = run};

	if (!run->timing || !run->profile->gpu_time_count)
		return;
	idle.culprits = xcalloc(run->profile->api_count, sizeof(*idle.culprits));
	idle.before = calls_before(run->profile);
	find_gaps(&idle);
	for (enum reason reason = WORK; reason < REASONS; reason++)
		take_reason(&idle, reason);
	free(idle.before);
	free(idle.culprits);
}

const struct pattern pattern_idle = {
	.detect = detect_idle,
	.names = (const struct pattern_name[]){{"gpu_idle", "GPU idle"}, {NULL, NULL}},
};
