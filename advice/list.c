#include "advice/list.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "advice/cause.h"
#include "advice/pattern.h"
#include "advice/order/order.h"
#include "advice/words.h"
#include "util/memory.h"
#include "util/text.h"

/* Findings below this share of the bytes that a run reads and writes are left out. */
#define LEAST_SHARE 0.001

/* Whether it says so, and nothing can be done: equal because of this input. */
static bool is_note(const struct profile_finding *finding)
{
	return finding->input && finding->action && !strcmp(finding->action, "none");
}

/* Whether the program is wrong: that comes first, however little it is about. */
static bool is_fault(const struct profile_finding *finding)
{
	return finding->action &&
	       (!strcmp(finding->action, "wait_first") || !strcmp(finding->action, "write_first"));
}

static uint64_t known(uint64_t ns)
{
	return ns == PROFILE_UNKNOWN ? 0 : ns;
}

static int by_weight(const void *left, const void *right)
{
	const struct profile_finding *a = left, *b = right;

	if (is_note(a) != is_note(b))
		return is_note(a) ? 1 : -1;
	if (is_fault(a) != is_fault(b))
		return is_fault(a) ? -1 : 1;
	if (known(a->saves_ns) != known(b->saves_ns))
		return known(a->saves_ns) < known(b->saves_ns) ? 1 : -1;
	if (known(a->saves_most_ns) != known(b->saves_most_ns))
		return known(a->saves_most_ns) < known(b->saves_most_ns) ? 1 : -1;
	if (a->bytes != b->bytes)
		return a->bytes < b->bytes ? 1 : -1;
	if (known(a->time_ns) != known(b->time_ns))
		return known(a->time_ns) < known(b->time_ns) ? 1 : -1;
	if (a->vertex != b->vertex)
		return a->vertex < b->vertex ? -1 : 1;
	if (a->object != b->object)
		return a->object < b->object ? -1 : 1;
	if (a->api != b->api)
		return a->api < b->api ? -1 : 1;
	return strcmp(a->pattern, b->pattern);
}

/* What saves time with any input comes before what does so with this one, and that before the rest,
 * in the same order. */
static int class_of(const struct profile_finding *finding)
{
	const bool saves = known(finding->saves_ns) || known(finding->saves_most_ns);

	if (is_fault(finding))
		return 0;
	return is_note(finding) ? 5 : 1 + 2 * !saves + finding->input;
}

static int by_worth(const void *left, const void *right)
{
	const int a = class_of(left), b = class_of(right);

	return a != b ? a - b : by_weight(left, right);
}

/* Those that were released go. */
static void close_gaps(struct profile *profile)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < profile->finding_count; i++)
		if (profile->findings[i].pattern)
			profile->findings[kept++] = profile->findings[i];
	profile->finding_count = kept;
}

/* -- the largest of each operation and site -- */

static int by_operation(const void *left, const void *right)
{
	const struct profile_finding *a = left, *b = right;

	if (a->vertex != b->vertex)
		return a->vertex < b->vertex ? -1 : 1;
	if (a->object != b->object)
		return a->object < b->object ? -1 : 1;
	if (a->api != b->api)
		return a->api < b->api ? -1 : 1;
	return by_weight(left, right);
}

/*
 * What calls do to the time of a run, and what the values are that a kernel accesses, is told apart
 * by patterns: of one call several may be true.
 */
static bool is_about_same(const struct profile_finding *a, const struct profile_finding *b)
{
	const bool values = a->code_place != PROFILE_NO_ROW || b->code_place != PROFILE_NO_ROW;

	return a->vertex == b->vertex && a->object == b->object && a->api == b->api &&
	       ((a->api == PROFILE_NO_ROW && !values) ||
		(!strcmp(a->pattern, b->pattern) && (!values || a->access == b->access) &&
		 (a->api == PROFILE_NO_ROW || !strcmp(a->action, b->action))));
}

static void keep_largest(struct profile *profile)
{
	struct profile_finding *findings = profile->findings;
	const struct profile_finding *kept = NULL;

	qsort(findings, profile->finding_count, sizeof(*findings), by_operation);
	for (uint32_t i = 0; i < profile->finding_count; i++) {
		if (kept && is_about_same(kept, &findings[i]))
			profile_release_finding(&findings[i]);
		else
			kept = &findings[i];
	}
	close_gaps(profile);
}

/* -- findings that exclude each other -- */

static int by_id(const void *left, const void *right)
{
	const uint32_t *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

/* In order, each once. */
static void sort_others(struct profile_finding *finding)
{
	uint32_t kept = 0;

	if (finding->other_count)
		qsort(finding->others, finding->other_count, sizeof(*finding->others), by_id);
	for (uint32_t i = 0; i < finding->other_count; i++)
		if (!kept || finding->others[kept - 1] != finding->others[i])
			finding->others[kept++] = finding->others[i];
	finding->other_count = kept;
}

static bool has_other(const struct profile_finding *finding, uint32_t vertex)
{
	return finding->other_count && bsearch(&vertex, finding->others, finding->other_count,
					       sizeof(vertex), by_id) != NULL;
}

/* Of findings that are ordered by vertex and site: the one that is not about values; NULL: there is
 * none. */
static struct profile_finding *find_finding(const struct profile *profile, uint32_t vertex,
					    uint32_t site)
{
	uint32_t low = 0, high = profile->finding_count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		const struct profile_finding *finding = &profile->findings[middle];

		if (finding->vertex < vertex ||
		    (finding->vertex == vertex && finding->object < site))
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < profile->finding_count; low++) {
		struct profile_finding *finding = &profile->findings[low];

		if (finding->vertex != vertex || finding->object != site)
			break;
		if (finding->code_place == PROFILE_NO_ROW)
			return finding;
	}
	return NULL;
}

/* What is allocated and released in a loop is mended there: no more is said of these calls. */
static void drop_of_loops(struct profile *profile)
{
	const struct graph *graph = profile->graph;
	bool *apis = xcalloc(profile->api_count, sizeof(*apis));
	bool *sites = xcalloc(graph->vertex_count, sizeof(*sites));

	for (uint32_t i = 0; i < profile->finding_count; i++) {
		const struct profile_finding *finding = &profile->findings[i];

		if (strcmp(finding->pattern, "free_in_loop") != 0)
			continue;
		apis[finding->api] = true;
		for (uint32_t k = 0; k < finding->other_count; k++)
			sites[graph_find(graph, finding->others[k])] = true;
	}
	for (uint32_t i = 0; i < profile->finding_count; i++) {
		struct profile_finding *finding = &profile->findings[i];

		if ((!strcmp(finding->pattern, "unnecessary_wait") && apis[finding->api]) ||
		    (!strcmp(finding->pattern, "repeated_allocation") &&
		     sites[graph_find(graph, finding->vertex)]))
			profile_release_finding(finding);
	}
	free(apis);
	free(sites);
	close_gaps(profile);
}

/* Where one writes what another one writes again, unchanged, one of them is needed. */
static void drop_excluded(struct profile *profile)
{
	for (uint32_t i = 0; i < profile->finding_count; i++)
		sort_others(&profile->findings[i]);
	for (uint32_t i = 0; i < profile->finding_count; i++) {
		struct profile_finding *dead = &profile->findings[i];

		if (!dead->pattern || strcmp(dead->pattern, "dead_write") != 0)
			continue;
		for (uint32_t k = 0; k < dead->other_count; k++) {
			struct profile_finding *again =
				find_finding(profile, dead->others[k], dead->object);

			if (!again || !again->pattern || !has_other(again, dead->vertex))
				continue;
			if (again->bytes <= dead->bytes) {
				profile_release_finding(again);
			} else if (!is_note(again)) {
				profile_release_finding(dead);
				break;
			}
		}
	}
	close_gaps(profile);
}

/* -- waits that are to be made later -- */

/* By row of table api; NULL: there are none. */
static bool *find_late(const struct run *run)
{
	const struct profile *profile = run->profile;
	bool *late = xcalloc((size_t)profile->api_count + 1, sizeof(*late)), any = false;

	for (uint32_t i = 0; run->order && i < profile->finding_count; i++)
		if (!strcmp(profile->findings[i].pattern, "misplaced_wait"))
			late[profile->findings[i].api] = any = true;
	if (any)
		return late;
	free(late);
	return NULL;
}

/* What waits are needed for, as if those were not there; but for the calls of one function. */
static unsigned char *needs_without(const struct run *run, const bool *late, uint32_t but)
{
	const struct profile *profile = run->profile;
	unsigned char *needs = xcalloc((size_t)profile->timeline_count + 1, 1);

	for (uint32_t c = 0; c < profile->timeline_count; c++) {
		const uint32_t api = profile->timeline[c].api;

		needs[c] = late[api] && api != but ? WAIT_UNNEEDED : run->wait_needs[c];
	}
	return needs;
}

/* How broad waits are, as if those were not there; but for the calls of one function. */
static struct wait_breadth *breadths_without(const struct run *run, const bool *late, uint32_t but)
{
	unsigned char *needs = needs_without(run, late, but);
	struct wait_breadth *breadths = order_breadths(run->order, needs);

	free(needs);
	return breadths;
}

static bool is_narrow(const struct wait_breadth *now, const struct wait_breadth *before)
{
	return now->calls && now->device == before->device && now->stream == before->stream;
}

/* A wait may wait for less only because another one stays where it is. */
static void drop_beside_late(const struct run *run)
{
	struct profile *profile = run->profile;
	struct wait_breadth *breadths = NULL; /* without all that are made later */
	bool *late = find_late(run);

	for (uint32_t i = 0; late && i < profile->finding_count; i++) {
		struct profile_finding *finding = &profile->findings[i];
		struct wait_breadth *own = NULL;
		const uint32_t api = finding->api;

		if (strcmp(finding->pattern, "broad_wait") != 0)
			continue;
		if (late[api])
			own = breadths_without(run, late, api);
		else if (!breadths)
			breadths = breadths_without(run, late, PROFILE_NO_ROW);
		if (!is_narrow(&(own ? own : breadths)[api], &run->wait_breadths[api]))
			profile_release_finding(finding);
		free(own);
	}
	free(breadths);
	free(late);
	close_gaps(profile);
}

/* -- one for each cause -- */

/* Says of the first one that it stands for the other, too. */
static void fold(struct profile_finding *into, const struct profile_finding *from)
{
	profile_add(&into->bytes, from->bytes);
	if (into->time_ns != PROFILE_UNKNOWN)
		profile_add(&into->time_ns, known(from->time_ns));
	into->places += from->places;
	into->invocations += from->invocations;
	into->input |= from->input;
	finding_add_other(into, from->vertex);
	finding_add_other(into, from->object);
	for (uint32_t i = 0; i < from->other_count; i++)
		finding_add_other(into, from->others[i]);
}

static void say_places(struct profile_finding *finding)
{
	char *bytes, *text;

	if (finding->places < 2)
		return;
	bytes = finding->time_ns == PROFILE_UNKNOWN ? words_bytes(finding->bytes)
						    : words_ns(finding->time_ns);
	text = xasprintf(
		"%s The same holds of %" PRIu64 " more call path%s or object%s: %s in all.",
		finding->evidence, finding->places - 1, text_plural(finding->places - 1, "", "s"),
		text_plural(finding->places - 1, "", "s"), bytes);
	free(bytes);
	free(finding->evidence);
	finding->evidence = text;
}

static void say_more(struct profile_finding *finding, char *more)
{
	char *advice = xasprintf("%s %s", finding->advice, more);

	free(finding->advice);
	free(more);
	finding->advice = advice;
}

/* Which of the calls that stand on one line this is, where not all of them are meant. */
static char *which_call(const struct cause *cause)
{
	static const char *const ends[] = {"th", "st", "nd", "rd"};
	uint32_t last = cause->which % 100 / 10 == 1 ? 0 : cause->which % 10;

	return xasprintf("%" PRIu32 "%s of the %" PRIu32 " calls", cause->which,
			 ends[last < 4 ? last : 0], cause->of);
}

/* Where others need what was found to be superfluous here. */
static void say_caller(struct profile_finding *finding, const struct cause *cause)
{
	char *which = which_call(cause);

	if (cause->shared && !strcmp(finding->action, "delete")) {
		free(finding->action);
		finding->action = xstrdup("delete_one");
		say_more(finding,
			 cause->of > 1
				 ? xasprintf("Another call from the same line is needed: leave out "
					     "only this one, the %s.",
					     which)
				 : xstrdup("Another call from the same line is needed: leave out "
					   "only this one."));
	} else if (cause->others) {
		say_more(finding, xasprintf("Only where it is called from %s: others need it.",
					    cause->caller));
	} else if (cause->shared && cause->of > 1) {
		say_more(finding, xasprintf("It is the %s from the same line.", which));
	}
	free(which);
}

/* Whether some calls of the operation go when the advice is followed. */
static bool leaves_out(const struct profile_finding *finding)
{
	static const char *const actions[] = {
		"delete",   "delete_first",  "copy_once",   "copy_when_changed", "copy_when_read",
		"set_once", "set_when_read", "launch_once", "keep_on_device",    "copy_on_host"};

	for (size_t i = 0; i < sizeof(actions) / sizeof(*actions); i++)
		if (finding->action && !strcmp(finding->action, actions[i]))
			return finding->vertex != GRAPH_HOST;
	return false;
}

/* By vertex: whether something relies on the order that the calls make that go. */
static bool *find_relied_vertices(const struct run *run, const bool *gone)
{
	bool *relied = order_relied(run->order, run->wait_needs, gone), *late = find_late(run);
	unsigned char *needs = late ? needs_without(run, late, PROFILE_NO_ROW) : NULL;
	bool *more = needs ? order_relied(run->order, needs, gone) : NULL;

	for (uint32_t v = 0; more && v < run->profile->graph->vertex_count; v++)
		relied[v] |= more[v];
	free(more);
	free(needs);
	free(late);
	return relied;
}

/* Likewise, by finding. */
static bool *find_relied(const struct run *run)
{
	const struct profile *profile = run->profile;
	const struct graph *graph = profile->graph;
	bool *gone = xcalloc((size_t)graph->vertex_count + 1, sizeof(*gone));
	bool *relied = xcalloc((size_t)profile->finding_count + 1, sizeof(*relied)), *of_gone;
	uint32_t count = 0;

	for (uint32_t i = 0; i < profile->finding_count; i++)
		if (leaves_out(&profile->findings[i])) {
			gone[graph_find(graph, profile->findings[i].vertex)] = true;
			count++;
		}
	of_gone = count && run->order ? find_relied_vertices(run, gone) : NULL;
	for (uint32_t i = 0; of_gone && i < profile->finding_count; i++)
		if (leaves_out(&profile->findings[i]))
			relied[i] = of_gone[graph_find(graph, profile->findings[i].vertex)];
	free(of_gone);
	free(gone);
	return relied;
}

/* The findings are ranked: each goes into the largest of its cause. */
static void fold_causes(const struct run *run, struct worth *worth, bool by_path)
{
	struct profile *profile = run->profile;
	uint32_t count = profile->finding_count;
	bool *relied = find_relied(run);
	struct cause *causes = causes_find(profile);

	for (uint32_t i = 0; i < count && !by_path; i++) {
		if (causes[i].first == i)
			continue;
		fold(&profile->findings[causes[i].first], &profile->findings[i]);
		relied[causes[i].first] |= relied[i];
		if (worth)
			worth_fold(worth, &profile->findings[causes[i].first],
				   &profile->findings[i]);
		profile_release_finding(&profile->findings[i]);
	}
	for (uint32_t i = 0; i < count; i++) {
		if (!profile->findings[i].pattern)
			continue;
		sort_others(&profile->findings[i]);
		say_places(&profile->findings[i]);
		if (profile->findings[i].code_place == PROFILE_NO_ROW)
			say_caller(&profile->findings[i], &causes[i]);
		if (relied[i])
			say_more(
				&profile->findings[i],
				xstrdup("Wait for its stream in its place (cudaStreamSynchronize): "
					"something that comes later is in order only by this "
					"call."));
	}
	causes_free(causes, count);
	free(relied);
	close_gaps(profile);
}

/* What was so once may be otherwise the next time. */
static void say_input(struct profile *profile)
{
	for (uint32_t i = 0; i < profile->finding_count; i++) {
		struct profile_finding *finding = &profile->findings[i];

		finding->input |= finding->invocations == 1 && !strcmp(finding->action, "delete");
		if (finding->input)
			say_more(finding, xstrdup("That holds with this input."));
	}
}

/* -- what is worth a look -- */

/* The share is no floor for who asks for all. */
static uint64_t least_bytes(const struct profile *profile, const struct advice_options *options)
{
	double bytes = 0, least;

	if (!options->min_bytes)
		return 0;
	for (uint32_t e = 0; e < profile->graph->edge_count; e++)
		bytes += (double)profile->graph->edges[e].bytes;
	least = bytes * LEAST_SHARE;
	return least > (double)options->min_bytes ? (uint64_t)least : options->min_bytes;
}

/* What is few bytes and, where that is known, little time. */
static void drop_small(struct profile *profile, uint64_t least, uint64_t least_ns)
{
	for (uint32_t i = 0; i < profile->finding_count; i++) {
		const struct profile_finding *finding = &profile->findings[i];
		const bool saves = finding->saves_most_ns != PROFILE_UNKNOWN
					   ? finding->saves_most_ns >= least_ns
					   : known(finding->saves_ns) > least_ns;

		if (!is_fault(finding) && finding->time_ns == PROFILE_UNKNOWN &&
		    finding->bytes < least && !saves)
			profile_release_finding(&profile->findings[i]);
	}
	close_gaps(profile);
}

/* Of those about time, what saves too little; to wait later, or for less, has to save that for
 * sure. */
static void drop_unsaved(struct profile *profile, struct worth *worth, uint64_t least_ns)
{
	bool *matters = worth ? worth_matters(worth, least_ns) : NULL;

	for (uint32_t i = 0; i < profile->finding_count; i++) {
		const struct profile_finding *finding = &profile->findings[i];
		bool stays = matters ? matters[i]
				     : finding->time_ns == PROFILE_UNKNOWN ||
					       finding->time_ns >= least_ns;

		if (!strcmp(finding->pattern, "misplaced_wait") ||
		    !strcmp(finding->pattern, "broad_wait"))
			stays = !least_ns ||
				(known(finding->saves_ns) && known(finding->saves_ns) >= least_ns);
		if (!stays)
			profile_release_finding(&profile->findings[i]);
	}
	free(matters);
	close_gaps(profile);
}

static void rank(struct profile *profile, int (*order)(const void *, const void *))
{
	qsort(profile->findings, profile->finding_count, sizeof(*profile->findings), order);
}

void list_findings(const struct run *run)
{
	struct profile *profile = run->profile;
	struct worth *worth;

	if (!profile->finding_count)
		return;
	keep_largest(profile);
	drop_of_loops(profile);
	drop_excluded(profile);
	drop_beside_late(run);
	rank(profile, by_weight);
	worth = worth_new(run);
	if (worth)
		worth_take(worth);
	fold_causes(run, worth, run->options->by_path);
	say_input(profile);
	if (worth)
		worth_estimate(worth);
	drop_small(profile, least_bytes(profile, run->options), run->least_ns);
	drop_unsaved(profile, worth, run->least_ns);
	rank(profile, by_worth);
	if (worth)
		worth_add_groups(worth);
	worth_free(worth);
}
