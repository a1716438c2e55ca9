/*
 * advice/pattern/fates.c: what was written and never read: dead writes, transfers and stores that
 * nobody reads; and fills of what is then accumulated into.
 */
#include "advice/pattern.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "advice/words.h"
#include "util/memory.h"
#include "util/text.h"

static const char limits[] =
	"one run, one input; what is known to be read by others (textures, the host, launches "
	"that were not analysed) counts as read";

struct fate {
	const struct run *run;
	const struct profile_fate *fate;
	enum operation operation;
	const char *pattern;
	uint64_t bytes;  /* that nobody read */
	uint64_t ends;   /* of these, before and after all that is read, for sure; or 0 */
	bool all;        /* that it wrote to the object */
	bool of_all;     /* and to any other one */
	bool whole;      /* mostly all bytes of some invocations, not some bytes of each */
	uint64_t unseen; /* launches of which nothing is known */
};

static const char *action_of(const struct fate *fate)
{
	switch (fate->operation) {
	case OPERATION_SET:
		return fate->all ? "delete" : fate->whole ? "set_when_read" : "set_range";
	case OPERATION_UPLOAD:
	case OPERATION_DEVICE_COPY:
		return fate->all ? "delete" : fate->whole ? "copy_when_read" : "copy_range";
	default:
		if (fate->unseen)
			return "collect_all";
		return fate->of_all ? "delete" : "drop_store";
	}
}

/* Who wrote over most of what nobody had read, index; UINT32_MAX: nobody. */
static uint32_t main_overwriter(const struct fate *fate)
{
	const struct run_edges over =
		run_edges_from(fate->run, fate->fate->vertex, fate->fate->site);
	const struct graph *graph = fate->run->profile->graph;
	uint32_t best = UINT32_MAX;
	uint64_t most = 0;

	for (uint32_t i = 0; i < over.count; i++) {
		const struct graph_edge *edge = &graph->edges[over.items[i]];

		if (edge->dead_bytes <= most)
			continue;
		best = edge->to;
		most = edge->dead_bytes;
	}
	return best;
}

/* Whether it writes over the same bytes with any input. */
static bool is_steady(const struct fate *fate, uint32_t overwriter)
{
	const struct run *run = fate->run;
	const enum operation operation = run->operations[overwriter];
	const struct profile_fate *own =
		run_fate(run, run->profile->graph->vertices[overwriter].id, fate->fate->site);

	return operation == OPERATION_KERNEL ? own && own->steady == 1
					     : operation != OPERATION_OTHER;
}

/*
 * Whether some of it was written over by kernels that with another input may store elsewhere, or
 * nothing: what was there is read then.
 */
static bool depends_on_stores(const struct fate *fate)
{
	const struct run_edges over =
		run_edges_from(fate->run, fate->fate->vertex, fate->fate->site);
	const struct graph *graph = fate->run->profile->graph;
	uint64_t surely = 0;

	for (uint32_t i = 0; i < over.count; i++) {
		const struct graph_edge *edge = &graph->edges[over.items[i]];

		if (is_steady(fate, edge->to))
			profile_add(&surely, edge->dead_bytes);
	}
	return surely < fate->fate->dead_bytes;
}

/* Adds where lies what is read; `text` is freed. */
static char *with_range(const struct fate *fate, char *text)
{
	char *first = words_bytes(fate->fate->read_first), *end = words_bytes(fate->fate->read_end);
	char *more = xasprintf("%s What is read lies between %s and %s of the object.", text, first,
			       end);

	free(first);
	free(end);
	free(text);
	return more;
}

/* Adds in how many invocations it was so; `text` is freed. */
static char *with_invocations(const struct fate *fate, char *text)
{
	char *more = xasprintf("%s Of %" PRIu64 " of the invocations nobody read a byte.", text,
			       fate->fate->unread_writes);

	free(text);
	return more;
}

/* Adds of how many launches that is known; `text` is freed. */
static char *with_seen(const struct fate *fate, char *text)
{
	const struct graph *graph = fate->run->profile->graph;
	uint64_t launches = graph->vertices[graph_find(graph, fate->fate->vertex)].invocations;
	uint64_t seen = launches > fate->unseen ? launches - fate->unseen : 0;
	char *more = xasprintf("%s %" PRIu64 " of its %" PRIu64 " launches %s seen.", text, seen,
			       launches, seen == 1 ? "was" : "were");

	free(text);
	return more;
}

static char *evidence_of(const struct fate *fate)
{
	char *bytes = words_bytes(fate->bytes), *all = words_bytes(fate->fate->bytes);
	char *dead = words_bytes(fate->fate->dead_bytes);
	char *percent = words_percent(fate->bytes, fate->fate->bytes), *text;
	uint32_t over = main_overwriter(fate);
	char *by = fate->fate->dead_bytes && over != UINT32_MAX
			   ? words_vertex(fate->run->profile, over)
			   : NULL;

	text = xasprintf("%s of the %s (%s) that it wrote to the object in %" PRIu64
			 " invocation%s were never read%s%s%s%s.",
			 bytes, all, percent, fate->fate->writes,
			 text_plural(fate->fate->writes, "", "s"), by ? "; " : "", by ? dead : "",
			 by ? " of them were written over before anybody had read them, mostly by "
			    : "",
			 by ? by : "");
	if (fate->whole)
		text = with_invocations(fate, text);
	else if (!fate->all && fate->fate->read_end)
		text = with_range(fate, text);
	if (fate->unseen)
		text = with_seen(fate, text);
	free(bytes);
	free(all);
	free(dead);
	free(percent);
	free(by);
	return text;
}

static char *advice_of(const struct fate *fate)
{
	const char *verb = operation_verb(fate->operation, 1);

	if (fate->unseen)
		return xstrdup("Nobody reads these stores of the launches that were seen: collect "
			       "all launches, without --sample-kernels, before leaving them out.");
	if (fate->operation == OPERATION_KERNEL && fate->whole)
		return xstrdup("Leave out the kernel's stores to this object in the launches after "
			       "which nobody reads them.");
	if (fate->operation == OPERATION_KERNEL && !fate->of_all)
		return xasprintf("Leave out the kernel's stores to this object%s: nobody reads "
				 "them.",
				 fate->all ? "" : ", or to the part of it that is never read");
	if (fate->all)
		return xasprintf("Delete this %s: nobody reads what it writes.", verb);
	if (fate->whole)
		return xasprintf("%s only when somebody will read it: nobody reads what the others "
				 "write.",
				 fate->operation == OPERATION_SET ? "Set" : "Copy");
	if (fate->ends)
		return xasprintf("%s only the range in which something is read: nobody reads what "
				 "lies before and after it.",
				 fate->operation == OPERATION_SET ? "Set" : "Copy");
	return xasprintf("%s only the part that is read, if it is known before%s: nobody reads the "
			 "rest.",
			 fate->operation == OPERATION_SET ? "Set" : "Copy",
			 fate->fate->read_end ? " (it is scattered, and with another input it may "
						"be another one)"
					      : "");
}

static void add_finding(const struct fate *fate)
{
	const struct run_edges over =
		run_edges_from(fate->run, fate->fate->vertex, fate->fate->site);
	const struct graph *graph = fate->run->profile->graph;
	struct profile_finding *finding =
		run_add(fate->run, fate->pattern, action_of(fate), fate->fate->vertex,
			fate->fate->site, fate->ends ? fate->ends : fate->bytes, fate->fate->bytes);

	finding->input = !fate->unseen && depends_on_stores(fate);
	finding->invocations = fate->fate->writes;
	finding->evidence = evidence_of(fate);
	finding->advice = advice_of(fate);
	finding->limits = xstrdup(limits);
	for (uint32_t i = 0; i < over.count; i++)
		finding_add_other(finding, graph->vertices[graph->edges[over.items[i]].to].id);
}

/* Profiles made before these columns came do not know. */
static bool is_whole(const struct fate *fate)
{
	const struct profile_fate *row = fate->fate;

	return !fate->all && row->unread_writes && row->unread_writes != PROFILE_UNKNOWN &&
	       row->unread_writes_bytes != PROFILE_UNKNOWN &&
	       row->unread_writes_bytes > fate->bytes / 2;
}

/* Whether the advice is to copy or set a part of what each of them does. */
static bool is_part(const struct fate *fate)
{
	return !fate->all && !fate->whole && fate->operation != OPERATION_KERNEL;
}

/* What copies and sets of the one range that is read would leave out, for sure. */
static uint64_t unread_ends(const struct fate *fate)
{
	const struct profile_fate *row = fate->fate;
	const uint64_t range = row->read_end - row->read_first;

	if (!row->read_end || !row->writes || row->bytes / row->writes <= range)
		return 0;
	return row->bytes - row->writes * range;
}

/*
 * Of a part it tells the ends alone, but where what nobody reads is most of what is written and
 * lies between what is read: to pick a little out of the middle is no mend.  Whether there is
 * anything to tell.
 */
static bool find_part(struct fate *fate)
{
	const uint64_t ends = unread_ends(fate);

	if (!fate->fate->read_end ||
	    (ends < fate->bytes / 2 && fate->bytes >= fate->fate->bytes - fate->bytes))
		return true;
	fate->ends = ends < fate->bytes ? ends : fate->bytes;
	return ends > 0;
}

static void detect_dead_writes(const struct run *run)
{
	for (uint32_t i = 0; i < run->profile->fate_count && !run->reads_unseen; i++) {
		const struct profile_fate *row = &run->profile->fates[i];
		struct fate fate = {
			.run = run, .fate = row, .operation = run_operation(run, row->vertex)};
		uint32_t site = graph_find(run->profile->graph, row->site);

		fate.bytes = row->dead_bytes + row->unread_bytes;
		if (!fate.bytes || fate.operation == OPERATION_OTHER || run->host_writes[site])
			continue;
		fate.unseen = run_unseen(run, row->vertex);
		fate.all = fate.bytes >= row->bytes;
		fate.whole = is_whole(&fate);
		fate.of_all =
			fate.all && !run->is_read[graph_find(run->profile->graph, row->vertex)];
		fate.pattern = row->dead_bytes >= row->unread_bytes ? "dead_write"
			       : fate.operation == OPERATION_UPLOAD ? "unused_transfer"
								    : "never_read";
		if (!is_part(&fate) || find_part(&fate))
			add_finding(&fate);
	}
}

/* -- fill, then accumulate -- */

/* A set, or a kernel that reads nothing and leaves zeros. */
static bool is_fill(const struct run *run, const struct profile_fate *fate)
{
	const struct profile_write *write = run_write(run, fate->vertex, fate->site);
	uint32_t v = graph_find(run->profile->graph, fate->vertex);

	if (run->operations[v] != OPERATION_KERNEL || run->reads[v])
		return run->operations[v] == OPERATION_SET;
	return write && write->zero_writes == write->writes;
}

/* Whether launches of the same function, from elsewhere in the program, go on with its result. */
static bool is_step(const struct run *run, uint32_t vertex, uint32_t site)
{
	const struct graph *graph = run->profile->graph;
	const char *name = graph->vertices[graph_find(graph, vertex)].name;
	const struct run_edges over = run_edges_from(run, vertex, site);

	for (uint32_t i = 0; name && i < over.count; i++) {
		const struct graph_vertex *next = &graph->vertices[graph->edges[over.items[i]].to];

		if (next->id != vertex && next->name && !strcmp(next->name, name))
			return true;
	}
	return false;
}

/*
 * Whether the function adds to what the fill has left there just once: no launch of it, from
 * wherever, reads what another one has stored there.  With atomics nobody can tell.
 */
static bool adds_once(const struct run *run, const struct profile_fate *fill)
{
	const struct profile_fate *fate = run_fate(run, fill->consumer, fill->site);

	return run_operation(run, fill->consumer) == OPERATION_KERNEL && fate && !fate->read_own &&
	       !fate->atomics && !is_step(run, fill->consumer, fill->site);
}

static void add_fill(const struct run *run, const struct profile_fate *fate)
{
	struct profile_finding *finding =
		run_add(run, "fill_then_accumulate", "store_instead", fate->vertex, fate->site,
			fate->bytes, fate->bytes);
	char *user = words_vertex(run->profile, graph_find(run->profile->graph, fate->consumer));
	char *bytes = words_bytes(fate->bytes);

	finding->invocations = fate->writes;
	finding->evidence =
		xasprintf("All %s of its %" PRIu64 " fill%s were read and written over "
			  "by %s alone.",
			  bytes, fate->writes, text_plural(fate->writes, "", "s"), user);
	finding->advice =
		xasprintf("Let %s store its result instead of adding to what is there (no "
			  "accumulate, beta = 0), and delete this fill, if each element is added "
			  "to once.",
			  user);
	finding->limits = xstrdup("one run, one input; what the kernel does with the values that "
				  "it reads is not known");
	finding_add_other(finding, fate->consumer);
	free(user);
	free(bytes);
}

static void detect_fill_then_accumulate(const struct run *run)
{
	for (uint32_t i = 0; i < run->profile->fate_count && !run->reads_unseen; i++) {
		const struct profile_fate *fate = &run->profile->fates[i];
		uint32_t site = graph_find(run->profile->graph, fate->site);

		if (fate->bytes && fate->consumed_bytes == fate->bytes && !fate->dead_bytes &&
		    !fate->unread_bytes && fate->consumer != PROFILE_NO_VERTEX &&
		    !run_unseen(run, fate->vertex) && !run_unseen(run, fate->consumer) &&
		    !run->host_writes[site] && is_fill(run, fate) && adds_once(run, fate))
			add_fill(run, fate);
	}
}

static void detect_fates(const struct run *run)
{
	detect_dead_writes(run);
	detect_fill_then_accumulate(run);
}

const struct pattern pattern_fates = {
	.detect = detect_fates,
	.names = (const struct pattern_name[]){{"dead_write", "dead write"},
					       {"never_read", "never read"},
					       {"unused_transfer", "unused transfer"},
					       {"fill_then_accumulate", "fill, then accumulate"},
					       {NULL, NULL}},
};
