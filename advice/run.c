/* advice/run.c: see advice/run.h. */
#include "advice/run.h"

#include <stdlib.h>

#include "advice/order/order.h"
#include "util/memory.h"
#include "util/text.h"

#define PROFILE_WITH_UNSEEN 1002 /* the version that has table unseen */
/* Older ones count objects that were alive when a process was killed as never used. */
#define PROFILE_WITH_ENDS 1225

/* -- rows by vertex and site -- */

struct entry {
	uint32_t vertex, site, row;
};

struct table { /* sorted, equal ones by row */
	struct entry *entries;
	uint32_t *rows; /* of the entries */
	uint32_t count;
};

/* Of the writes of a vertex that changed most: how few changed nothing, plus 1; 0 if later ones
 * did. */
struct changes {
	uint64_t least, of_others; /* of any site; of all but this one */
	uint32_t site;
};

struct run_index {
	struct table writes, fates, edges_to, edges_from;
	struct changes *changes; /* per vertex */
};

static int by_key(const void *left, const void *right)
{
	const struct entry *a = left, *b = right;

	if (a->vertex != b->vertex)
		return a->vertex < b->vertex ? -1 : 1;
	if (a->site != b->site)
		return a->site < b->site ? -1 : 1;
	return (a->row > b->row) - (a->row < b->row);
}

static void table_add(struct table *table, uint32_t vertex, uint32_t site, uint32_t row)
{
	table->entries[table->count++] = (struct entry){vertex, site, row};
}

static void table_sort(struct table *table)
{
	if (table->count)
		qsort(table->entries, table->count, sizeof(*table->entries), by_key);
	table->rows = xcalloc(table->count, sizeof(*table->rows));
	for (uint32_t i = 0; i < table->count; i++)
		table->rows[i] = table->entries[i].row;
}

static void table_release(struct table *table)
{
	free(table->entries);
	free(table->rows);
}

/* How many entries are before the first one of these that is at `row` or later. */
static uint32_t entries_before(const struct table *table, uint32_t vertex, uint32_t site,
			       uint32_t row)
{
	const struct entry key = {vertex, site, row};
	uint32_t low = 0, high = table->count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (by_key(&table->entries[middle], &key) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static struct run_edges find_rows(const struct table *table, uint32_t vertex, uint32_t site)
{
	uint32_t first = entries_before(table, vertex, site, 0);

	/* no table has a row UINT32_MAX */
	return (struct run_edges){table->rows + first,
				  entries_before(table, vertex, site, UINT32_MAX) - first};
}

/* -- who changes most -- */

static uint64_t unchanged_of(const struct profile_write *write)
{
	return write->changed_later ? 0 : write->unchanged_writes + 1;
}

static void add_changes(struct changes *changes, const struct profile_write *write)
{
	uint64_t unchanged = unchanged_of(write);
	uint64_t *least = write->site == changes->site ? &changes->least : &changes->of_others;

	if (write->site != changes->site && unchanged < changes->least)
		*changes = (struct changes){unchanged, changes->least, write->site};
	else if (unchanged < *least)
		*least = unchanged;
}

static struct changes *changes_of(const struct profile *profile)
{
	struct changes *changes = xcalloc(profile->graph->vertex_count, sizeof(*changes));

	for (uint32_t v = 0; v < profile->graph->vertex_count; v++)
		changes[v] = (struct changes){UINT64_MAX, UINT64_MAX, UINT32_MAX};
	for (uint32_t i = 0; i < profile->write_count; i++)
		add_changes(&changes[graph_find(profile->graph, profile->writes[i].vertex)],
			    &profile->writes[i]);
	return changes;
}

bool run_changes_others(const struct run *run, const struct profile_write *write)
{
	const struct changes *changes =
		&run->index->changes[graph_find(run->profile->graph, write->vertex)];

	return (changes->site == write->site ? changes->of_others : changes->least) <
	       write->unchanged_writes + 1;
}

/* -- the index -- */

static struct run_index *index_of(const struct profile *profile)
{
	const struct graph *graph = profile->graph;
	struct run_index *index = xcalloc(1, sizeof(*index));

	index->writes.entries = xcalloc(profile->write_count, sizeof(struct entry));
	index->fates.entries = xcalloc(profile->fate_count, sizeof(struct entry));
	index->edges_to.entries = xcalloc(graph->edge_count, sizeof(struct entry));
	index->edges_from.entries = xcalloc(graph->edge_count, sizeof(struct entry));
	for (uint32_t i = 0; i < profile->write_count; i++)
		table_add(&index->writes, profile->writes[i].vertex, profile->writes[i].site, i);
	for (uint32_t i = 0; i < profile->fate_count; i++)
		table_add(&index->fates, profile->fates[i].vertex, profile->fates[i].site, i);
	for (uint32_t e = 0; e < graph->edge_count; e++) {
		const struct graph_edge *edge = &graph->edges[e];

		if (edge->access != GRAPH_WRITE)
			continue;
		table_add(&index->edges_to, graph->vertices[edge->to].id, edge->object, e);
		table_add(&index->edges_from, graph->vertices[edge->from].id, edge->object, e);
	}
	table_sort(&index->writes);
	table_sort(&index->fates);
	table_sort(&index->edges_to);
	table_sort(&index->edges_from);
	index->changes = changes_of(profile);
	return index;
}

static void index_free(struct run_index *index)
{
	table_release(&index->writes);
	table_release(&index->fates);
	table_release(&index->edges_to);
	table_release(&index->edges_from);
	free(index->changes);
	free(index);
}

const struct profile_write *run_write(const struct run *run, uint32_t vertex, uint32_t site)
{
	struct run_edges rows = find_rows(&run->index->writes, vertex, site);

	return rows.count ? &run->profile->writes[rows.items[0]] : NULL;
}

const struct profile_fate *run_fate(const struct run *run, uint32_t vertex, uint32_t site)
{
	struct run_edges rows = find_rows(&run->index->fates, vertex, site);

	return rows.count ? &run->profile->fates[rows.items[0]] : NULL;
}

struct run_edges run_edges_to(const struct run *run, uint32_t vertex, uint32_t site)
{
	return find_rows(&run->index->edges_to, vertex, site);
}

struct run_edges run_edges_from(const struct run *run, uint32_t vertex, uint32_t site)
{
	return find_rows(&run->index->edges_from, vertex, site);
}

/* -- operations -- */

static enum operation operation_of(const struct graph_vertex *vertex)
{
	if (graph_vertex_is(vertex, "memset"))
		return OPERATION_SET;
	if (graph_vertex_is(vertex, "memcpy"))
		return OPERATION_DEVICE_COPY;
	return graph_vertex_is(vertex, "kernel") ? OPERATION_KERNEL : OPERATION_OTHER;
}

/* Whether the profile has what came with this version of the format. */
static bool is_since(const struct profile *profile, uint32_t version)
{
	return !profile->version || profile->version >= version;
}

static void set_hidden(struct run *run)
{
	const struct profile *profile = run->profile;

	for (uint32_t i = 0; i < profile->coverage_count; i++) {
		unsigned hides = profile->coverage[i].hides;

		/* older files do not say which launches were not analysed: any could be */
		if ((hides & COVERAGE_HIDES_LAUNCHES && !is_since(profile, PROFILE_WITH_UNSEEN)) ||
		    (hides & COVERAGE_HIDES_ENDS && !is_since(profile, PROFILE_WITH_ENDS)))
			hides |= COVERAGE_HIDES_BOTH;
		run->reads_unseen |= hides & COVERAGE_HIDES_READS;
		run->writes_unseen |= hides & COVERAGE_HIDES_WRITES;
		run->launches_unseen |= hides & COVERAGE_HIDES_LAUNCHES;
	}
}

/* What kernels compute from memory of the device is the same again only with some inputs. */
static void find_copies(struct run *run)
{
	const struct graph *graph = run->profile->graph;

	for (uint32_t e = 0; e < graph->edge_count; e++) {
		const struct graph_edge *edge = &graph->edges[e];

		if (edge->access == GRAPH_READ && run->operations[edge->from] == OPERATION_KERNEL &&
		    run->operations[edge->to] == OPERATION_DEVICE_COPY && run->reads[edge->from] &&
		    graph->vertices[edge->from].invocations > 1)
			run->copies_results[edge->to] = true;
	}
}

/* What the operations read and write, by their edges and rows. */
static void look_at_operations(struct run *run)
{
	const struct profile *profile = run->profile;
	const struct graph *graph = profile->graph;

	for (uint32_t v = 0; v < graph->vertex_count; v++)
		run->operations[v] = operation_of(&graph->vertices[v]);
	for (uint32_t e = 0; e < graph->edge_count; e++) {
		const struct graph_edge *edge = &graph->edges[e];
		bool from_host = graph->vertices[edge->from].id == GRAPH_HOST;

		if (edge->access != GRAPH_READ)
			continue;
		run->reads[edge->to] |= !from_host;
		if (from_host && run->operations[edge->to] == OPERATION_DEVICE_COPY)
			run->operations[edge->to] = OPERATION_UPLOAD;
	}
	find_copies(run);
	for (uint32_t i = 0; i < profile->write_count; i++) {
		uint32_t site = graph_find(graph, profile->writes[i].site);

		if (site != UINT32_MAX)
			run->writers[site]++;
	}
	for (uint32_t i = 0; i < profile->fate_count; i++) {
		const struct profile_fate *fate = &profile->fates[i];

		run->is_read[graph_find(graph, fate->vertex)] |=
			fate->dead_bytes + fate->unread_bytes < fate->bytes;
	}
}

struct run run_of(struct profile *profile, const struct advice_options *options)
{
	const struct graph *graph = profile->graph;
	struct run run = {
		.profile = profile,
		.options = options,
		.operations = xcalloc(graph->vertex_count, sizeof(*run.operations)),
		.reads = xcalloc(graph->vertex_count, sizeof(bool)),
		.copies_results = xcalloc(graph->vertex_count, sizeof(bool)),
		.host_writes = xcalloc(graph->vertex_count, sizeof(bool)),
		.is_read = xcalloc(graph->vertex_count, sizeof(bool)),
		.unseen = xcalloc(graph->vertex_count, sizeof(*run.unseen)),
		.sites = words_sites(profile),
		.writers = xcalloc(graph->vertex_count, sizeof(*run.writers)),
		.index = index_of(profile),
	};

	look_at_operations(&run);
	for (uint32_t i = 0; i < profile->object_count; i++) {
		uint32_t site = graph_find(graph, profile->objects[i].site);

		if (site != UINT32_MAX)
			run.host_writes[site] |= !profile_is_device_memory(&profile->objects[i]);
	}
	for (uint32_t i = 0; i < profile->unseen_count; i++)
		run.unseen[graph_find(graph, profile->unseen[i].vertex)] =
			profile->unseen[i].invocations;
	set_hidden(&run);
	run.timing = timing_new(profile);
	if (run.timing)
		run.least_ns = (uint64_t)(options->min_time * (double)run.timing->span_ns);
	if (run.timing && profile->wait_count)
		run.order = order_new(&run);
	if (run.order) {
		run.wait_needs = order_needs(run.order);
		run.wait_breadths = order_breadths(run.order, run.wait_needs);
	}
	return run;
}

void run_release(struct run *run)
{
	free(run->operations);
	free(run->reads);
	free(run->copies_results);
	free(run->host_writes);
	free(run->is_read);
	free(run->unseen);
	free(run->sites);
	free(run->writers);
	order_free(run->order);
	timing_free(run->timing);
	free(run->wait_needs);
	free(run->wait_breadths);
	index_free(run->index);
}

uint64_t run_unseen(const struct run *run, uint32_t vertex)
{
	uint32_t index = graph_find(run->profile->graph, vertex);

	return index == UINT32_MAX ? 0 : run->unseen[index];
}

bool run_copies_results(const struct run *run, uint32_t vertex)
{
	uint32_t index = graph_find(run->profile->graph, vertex);

	return index != UINT32_MAX && run->copies_results[index];
}

enum operation run_operation(const struct run *run, uint32_t vertex)
{
	uint32_t index = graph_find(run->profile->graph, vertex);

	return index == UINT32_MAX ? OPERATION_OTHER : run->operations[index];
}

const char *operation_verb(enum operation operation, uint64_t count)
{
	static const char *const verbs[OPERATIONS][2] = {
		[OPERATION_OTHER] = {"call", "calls"},
		[OPERATION_SET] = {"set", "sets"},
		[OPERATION_UPLOAD] = {"copy", "copies"},
		[OPERATION_DEVICE_COPY] = {"copy", "copies"},
		[OPERATION_DOWNLOAD] = {"copy", "copies"},
		[OPERATION_KERNEL] = {"launch", "launches"},
	};

	return text_plural(count, verbs[operation][0], verbs[operation][1]);
}

uint64_t run_first_use_ns(const struct run *run, uint32_t api)
{
	const struct profile *profile = run->profile;
	uint64_t least = PROFILE_UNKNOWN;

	for (uint32_t i = 0; i < profile->first_use_count; i++)
		if (profile->first_uses[i].api == api && profile->first_uses[i].min_ns < least)
			least = profile->first_uses[i].min_ns;
	return least;
}

bool run_is_watched(uint64_t invocation)
{
	enum { ALWAYS_WATCHED = 100 }; /* as collect/guest/uses.c */

	return invocation < ALWAYS_WATCHED || !(invocation & (invocation - 1));
}
