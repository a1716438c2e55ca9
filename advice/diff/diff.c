/* advice/diff/diff.c: see diff.h. */
#include "advice/diff/diff.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "advice/advice.h"
#include "advice/memory/report.h"
#include "advice/report/worth.h"
#include "advice/words.h"
#include "util/memory.h"

/* -- what was done ------------------------------------------------------------------------ */

static struct diff_work *work_of(const struct profile *profile)
{
	const struct graph *graph = profile->graph;
	struct diff_work *work = xcalloc((size_t)graph->vertex_count + 1, sizeof(*work));

	for (uint32_t v = 0; v < graph->vertex_count; v++) {
		const struct graph_vertex *vertex = &graph->vertices[v];

		work[v].calls = vertex->invocations;
		work[v].time_ns =
			vertex->fields & VERTEX_TIME_NS ? vertex->time_ns : PROFILE_UNKNOWN;
	}
	for (uint32_t e = 0; e < graph->edge_count; e++) {
		const struct graph_edge *edge = &graph->edges[e];
		struct diff_work *to = &work[edge->to];

		if (edge->access == GRAPH_WRITE)
			profile_add(&to->written_bytes, edge->bytes);
		else if (edge->access == GRAPH_READ)
			profile_add(&to->read_bytes, edge->bytes);
	}
	return work;
}

static bool is_known(uint64_t a, uint64_t b)
{
	return a != PROFILE_UNKNOWN && b != PROFILE_UNKNOWN;
}

static bool did_the_same(const struct diff_work *a, const struct diff_work *b)
{
	return a->calls == b->calls && a->read_bytes == b->read_bytes &&
	       a->written_bytes == b->written_bytes;
}

static uint64_t distance(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

static uint64_t bytes_changed(const struct diff_change *change)
{
	uint64_t sum = distance(change->before.read_bytes, change->after.read_bytes);

	profile_add(&sum, distance(change->before.written_bytes, change->after.written_bytes));
	return sum;
}

static uint64_t time_of(const struct diff_work *work)
{
	return work->time_ns == PROFILE_UNKNOWN ? 0 : work->time_ns;
}

static uint64_t time_changed(const struct diff_change *change)
{
	return distance(time_of(&change->before), time_of(&change->after));
}

static int by_change(const void *a, const void *b, void *data)
{
	const struct diff *diff = data;
	const struct diff_change *x = a, *y = b;
	uint64_t p = diff->timed ? time_changed(x) : 0, q = diff->timed ? time_changed(y) : 0;

	if (p == q)
		p = bytes_changed(x), q = bytes_changed(y);
	if (p != q)
		return p < q ? 1 : -1;
	return (x->vertices.before > y->vertices.before) - (x->vertices.before < y->vertices.before)
		       ?: (x->vertices.after > y->vertices.after) -
				  (x->vertices.after < y->vertices.after);
}

static bool has_times(const struct profile *profile)
{
	for (uint32_t v = 0; v < profile->graph->vertex_count; v++)
		if (profile->graph->vertices[v].fields & VERTEX_TIME_NS)
			return true;
	return false;
}

static void find_changes(struct diff *diff)
{
	const struct diff_join *join = diff->join;
	struct diff_work *before = work_of(join->before), *after = work_of(join->after);

	diff->changes = xcalloc((size_t)join->operation_count + 1, sizeof(*diff->changes));
	for (uint32_t i = 0; i < join->operation_count; i++) {
		struct diff_change change = {.vertices = join->operations[i]};

		if (change.vertices.before != DIFF_NONE)
			change.before = before[change.vertices.before];
		if (change.vertices.after != DIFF_NONE)
			change.after = after[change.vertices.after];
		if (i >= join->joined_operations || !did_the_same(&change.before, &change.after))
			diff->changes[diff->change_count++] = change;
	}
	free(before);
	free(after);
	diff->timed = has_times(join->before) && has_times(join->after);
	qsort_r(diff->changes, diff->change_count, sizeof(*diff->changes), by_change, diff);
}

/* -- numbers of the run ------------------------------------------------------------------- */

/* Of the process that ran for longest. */
static uint64_t run_time(const struct profile *profile)
{
	uint64_t most = PROFILE_UNKNOWN;

	for (uint32_t p = 0; p < profile->process_count; p++) {
		const struct profile_process *process = &profile->processes[p];
		uint64_t time = process->time_end_ns - process->time_start_ns;

		if (is_known(process->time_start_ns, process->time_end_ns) &&
		    process->time_end_ns >= process->time_start_ns &&
		    (most == PROFILE_UNKNOWN || time > most))
			most = time;
	}
	return most;
}

static uint64_t gpu_time(const struct profile *profile)
{
	uint64_t sum = 0;

	if (!has_times(profile))
		return PROFILE_UNKNOWN;
	for (uint32_t v = 0; v < profile->graph->vertex_count; v++)
		if (profile->graph->vertices[v].fields & VERTEX_TIME_NS)
			profile_add(&sum, profile->graph->vertices[v].time_ns);
	return sum;
}

static uint64_t calls(const struct profile *profile)
{
	uint64_t sum = 0;

	for (uint32_t v = 0; v < profile->graph->vertex_count; v++)
		if (profile->graph->vertices[v].id != GRAPH_HOST)
			profile_add(&sum, profile->graph->vertices[v].invocations);
	return sum;
}

static uint64_t bytes(const struct profile *profile, enum graph_access access)
{
	uint64_t sum = 0;

	for (uint32_t e = 0; e < profile->graph->edge_count; e++)
		if (profile->graph->edges[e].access == access)
			profile_add(&sum, profile->graph->edges[e].bytes);
	return sum;
}

static uint64_t read_bytes(const struct profile *profile)
{
	return bytes(profile, GRAPH_READ);
}

static uint64_t written_bytes(const struct profile *profile)
{
	return bytes(profile, GRAPH_WRITE);
}

static uint64_t findings(const struct profile *profile)
{
	return profile->finding_count;
}

void diff_count(struct diff *diff)
{
	static const struct {
		const char *name, *title;
		int unit;
		uint64_t (*of)(const struct profile *profile);
	} numbers[] = {
		{"run_ns", "whole run", DIFF_NS, run_time},
		{"gpu_ns", "GPU time", DIFF_NS, gpu_time},
		{"calls", "calls", DIFF_COUNT, calls},
		{"read_bytes", "read", DIFF_BYTES, read_bytes},
		{"written_bytes", "written", DIFF_BYTES, written_bytes},
		{"peak_bytes", "memory peak", DIFF_BYTES, report_memory_peak},
		{"findings", "findings", DIFF_COUNT, findings},
	};

	diff->number_count = sizeof(numbers) / sizeof(*numbers);
	diff->numbers = xcalloc(diff->number_count, sizeof(*diff->numbers));
	for (uint32_t i = 0; i < diff->number_count; i++)
		diff->numbers[i] = (struct diff_number){.name = numbers[i].name,
							.title = numbers[i].title,
							.unit = numbers[i].unit,
							.before = numbers[i].of(diff->join->before),
							.after = numbers[i].of(diff->join->after)};
	find_changes(diff);
}

void diff_release(struct diff *diff)
{
	free(diff->numbers);
	free(diff->changes);
}

bool diff_is_alike(const struct diff *diff)
{
	return diff->join->joined_operations || !diff->join->operation_count;
}

/* -- words -------------------------------------------------------------------------------- */

const char *diff_change_name(struct diff_pair vertices)
{
	return vertices.after == DIFF_NONE    ? "gone"
	       : vertices.before == DIFF_NONE ? "new"
					      : "changed";
}

char *diff_amount(const struct diff_number *number, uint64_t value)
{
	if (value == PROFILE_UNKNOWN)
		return xstrdup("not known");
	return number->unit == DIFF_BYTES ? words_bytes(value)
	       : number->unit == DIFF_NS  ? words_ns(value)
					  : xasprintf("%" PRIu64, value);
}

char *diff_ratio(uint64_t before, uint64_t after)
{
	char *percent, *text;

	if (!is_known(before, after) || before == after || !before)
		return xstrdup("");
	if (after > before)
		return xasprintf(", %.1f%% more",
				 100 * ((double)after - (double)before) / (double)before);
	percent = words_percent(before - after, before);
	text = xasprintf(", %s less", percent);
	free(percent);
	return text;
}

static void put_pair(FILE *out, char *before, char *after, const char *unit)
{
	fprintf(out, "%s%s -> %s%s", ftell(out) ? ", " : "", before, after, unit);
	free(before);
	free(after);
}

static void put_one(FILE *out, const struct diff_work *work)
{
	char *read = words_bytes(work->read_bytes), *written = words_bytes(work->written_bytes);

	fprintf(out, "%" PRIu64 " call%s", work->calls, work->calls == 1 ? "" : "s");
	if (work->read_bytes)
		fprintf(out, ", %s read", read);
	if (work->written_bytes)
		fprintf(out, ", %s written", written);
	free(read);
	free(written);
	read = words_ns(time_of(work));
	if (time_of(work))
		fprintf(out, ", %s", read);
	free(read);
}

char *diff_work_words(const struct diff_change *change)
{
	const struct diff_work *before = &change->before, *after = &change->after;
	char *text;
	size_t size;
	FILE *out = xopen_memstream(&text, &size);

	if (change->vertices.before == DIFF_NONE || change->vertices.after == DIFF_NONE) {
		put_one(out, change->vertices.before == DIFF_NONE ? after : before);
		fclose(out);
		return text;
	}
	if (before->calls != after->calls)
		put_pair(out, xasprintf("%" PRIu64, before->calls),
			 xasprintf("%" PRIu64, after->calls), " calls");
	if (before->read_bytes != after->read_bytes)
		put_pair(out, words_bytes(before->read_bytes), words_bytes(after->read_bytes),
			 " read");
	if (before->written_bytes != after->written_bytes)
		put_pair(out, words_bytes(before->written_bytes), words_bytes(after->written_bytes),
			 " written");
	if (is_known(before->time_ns, after->time_ns))
		put_pair(out, words_ns(before->time_ns), words_ns(after->time_ns), "");
	fclose(out);
	return text;
}
