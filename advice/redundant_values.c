/*
 * advice/redundant_values.c: an API writes what is there already (ValueExpert Def. 3.1).
 *
 * Per vertex and object: the WRITE edges into the vertex say how many bytes it wrote, how many of
 * them kept their value, and who had left that value.  Bytes that were never initialised are in no
 * edge's redundant bytes.
 */
#include "advice/pattern.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "advice/words.h"
#include "util/memory.h"
#include "util/text.h"

enum { SOURCES_NAMED = 3 };

static const char limits[] =
	"one run, one input; values compared byte by byte; writers known per 4-byte word";
/* what an element of several bytes has to do with that */
static const char partial_limits[] =
	"one run, one input; values compared byte by byte, so bytes that a changed number keeps "
	"(the "
	"upper ones of a small integer, the lower ones of a round fraction) count as unchanged; "
	"writers known per 4-byte word";

/* What is known of the whole run, and the edges in the two orders that questions are asked in. */
struct order {
	const struct graph *graph;
	uint32_t *objects;                /* per vertex: those allocated there */
	bool *host_reads;                 /* per vertex: some of them without being seen */
	bool reads_unseen, writes_unseen; /* elsewhere, as the coverage says */
	uint32_t *by_to, *by_from; /* (end, object, access, redundant bytes downwards, other end) */
	bool *writes_new;          /* per vertex: some byte that it wrote, to any object, changed */
};

struct range {
	const uint32_t *edges;
	uint32_t count;
};

/* One vertex that writes to one object. */
struct writer {
	const struct profile *profile;
	const struct order *order;
	uint32_t vertex, object;
	struct range edges; /* WRITE edges into the vertex, most redundant bytes first */
	uint64_t bytes, unchanged;
};

/* What the unchanged bytes say about the operation. */
enum repetition {
	NOTHING_NEW,       /* every byte it wrote, to any object, in every invocation, was there */
	NOTHING_NEW_HERE,  /* the same of this object; others got new bytes, or may have */
	SAME_AGAIN,        /* mostly its own earlier values: new bytes the first time only */
	MOSTLY_SAME_AGAIN, /* mostly its own earlier values, and new bytes now and then */
	PARTLY_THERE,      /* mostly values of somebody else */
};

static int compare(const struct graph *graph, uint32_t left, uint32_t right, bool to)
{
	const struct graph_edge *a = &graph->edges[left], *b = &graph->edges[right];
	uint32_t end_a = to ? a->to : a->from, end_b = to ? b->to : b->from;
	uint32_t other_a = to ? a->from : a->to, other_b = to ? b->from : b->to;

	if (end_a != end_b)
		return end_a < end_b ? -1 : 1;
	if (a->object != b->object)
		return a->object < b->object ? -1 : 1;
	if (a->access != b->access)
		return a->access < b->access ? -1 : 1;
	if (a->redundant_bytes != b->redundant_bytes)
		return a->redundant_bytes < b->redundant_bytes ? 1 : -1;
	return (other_a > other_b) - (other_a < other_b);
}

static int compare_to(const void *left, const void *right, void *graph)
{
	return compare(graph, *(const uint32_t *)left, *(const uint32_t *)right, true);
}

static int compare_from(const void *left, const void *right, void *graph)
{
	return compare(graph, *(const uint32_t *)left, *(const uint32_t *)right, false);
}

static struct order order_new(const struct profile *profile)
{
	struct graph *graph = profile->graph;
	struct order order = {
		.graph = graph,
		.objects = xcalloc(graph->vertex_count, sizeof(uint32_t)),
		.host_reads = xcalloc(graph->vertex_count, sizeof(bool)),
		.by_to = xcalloc(graph->edge_count, sizeof(uint32_t)),
		.by_from = xcalloc(graph->edge_count, sizeof(uint32_t)),
		.writes_new = xcalloc(graph->vertex_count, sizeof(bool)),
	};

	for (uint32_t e = 0; e < graph->edge_count; e++) {
		const struct graph_edge *edge = &graph->edges[e];

		order.by_to[e] = order.by_from[e] = e;
		order.writes_new[edge->to] |=
			edge->access == GRAPH_WRITE && edge->redundant_bytes < edge->bytes;
	}
	qsort_r(order.by_to, graph->edge_count, sizeof(uint32_t), compare_to, graph);
	qsort_r(order.by_from, graph->edge_count, sizeof(uint32_t), compare_from, graph);
	for (uint32_t i = 0; i < profile->object_count; i++) {
		uint32_t site = graph_find(graph, profile->objects[i].site);

		if (site == UINT32_MAX)
			continue;
		order.objects[site]++;
		order.host_reads[site] |= !profile_is_device_memory(&profile->objects[i]);
	}
	for (uint32_t i = 0; i < profile->coverage_count; i++) {
		order.reads_unseen |= profile->coverage[i].hides & COVERAGE_HIDES_READS;
		order.writes_unseen |= profile->coverage[i].hides & COVERAGE_HIDES_WRITES;
	}
	return order;
}

static void order_free(struct order *order)
{
	free(order->by_to);
	free(order->by_from);
	free(order->writes_new);
	free(order->objects);
	free(order->host_reads);
}

/* Edges of one object and access into (`to`) or out of a vertex. */
static struct range find(const struct order *order, bool to, uint32_t vertex, uint32_t object,
			 enum graph_access access)
{
	const uint32_t *edges = to ? order->by_to : order->by_from;
	uint32_t low = 0, high = order->graph->edge_count, end;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		const struct graph_edge *edge = &order->graph->edges[edges[middle]];
		uint32_t at = to ? edge->to : edge->from;

		if (at != vertex             ? at < vertex
		    : edge->object != object ? edge->object < object
					     : edge->access < access)
			low = middle + 1;
		else
			high = middle;
	}
	for (end = low; end < order->graph->edge_count; end++) {
		const struct graph_edge *edge = &order->graph->edges[edges[end]];

		if ((to ? edge->to : edge->from) != vertex || edge->object != object ||
		    edge->access != access)
			break;
	}
	return (struct range){edges + low, end - low};
}

static const struct graph_edge *edge_at(const struct writer *writer, uint32_t index)
{
	return &writer->profile->graph->edges[writer->edges.edges[index]];
}

static bool is(const struct writer *writer, uint32_t vertex, const char *kind)
{
	return graph_vertex_is(&writer->profile->graph->vertices[vertex], kind);
}

static bool reads_object(const struct writer *writer)
{
	return find(writer->order, true, writer->vertex, writer->object, GRAPH_READ).count > 0;
}

/*
 * The kernel that reads most of what the vertex wrote to the object and writes over it: an
 * accumulating kernel after a fill, ValueExpert's Listing 1.  UINT32_MAX: none.
 */
static uint32_t accumulator_after(const struct writer *writer)
{
	struct range reads = find(writer->order, false, writer->vertex, writer->object, GRAPH_READ);
	struct range writes =
		find(writer->order, false, writer->vertex, writer->object, GRAPH_WRITE);
	const struct graph_edge *edges = writer->profile->graph->edges;
	uint32_t best = UINT32_MAX;
	uint64_t most = 0;

	for (uint32_t r = 0; r < reads.count; r++) {
		const struct graph_edge *read = &edges[reads.edges[r]];

		if (read->to == writer->vertex || !is(writer, read->to, "kernel") ||
		    read->bytes <= most)
			continue;
		for (uint32_t w = 0; w < writes.count; w++)
			if (edges[writes.edges[w]].to == read->to) {
				best = read->to;
				most = read->bytes;
			}
	}
	return best;
}

static char *evidence_of(const struct writer *writer)
{
	const struct graph *graph = writer->profile->graph;
	const struct graph_vertex *vertex = &graph->vertices[writer->vertex];
	char *unchanged = words_bytes(writer->unchanged), *bytes = words_bytes(writer->bytes);
	char *percent = words_percent(writer->unchanged, writer->bytes), *name = words_name(vertex);
	char *text = NULL;
	size_t size;
	uint32_t count = 0;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return xstrdup("");
	if (writer->unchanged == writer->bytes)
		fprintf(out, "All %s (100%%)", bytes);
	else
		fprintf(out, "%s of the %s (%s)", unchanged, bytes, percent);
	fprintf(out, " that %s wrote to the object had that value already, left by ", name);
	while (count < writer->edges.count && edge_at(writer, count)->redundant_bytes)
		count++;
	for (uint32_t i = 0; i < count && i < SOURCES_NAMED; i++) {
		const struct graph_edge *edge = edge_at(writer, i);
		char *source = words_vertex(writer->profile, edge->from);
		char *part = words_bytes(edge->redundant_bytes);

		fprintf(out, "%s%s", i ? ", " : "",
			edge->from == writer->vertex ? "its own earlier invocations" : source);
		if (count > 1)
			fprintf(out, ": %s", part);
		free(source);
		free(part);
	}
	if (count > SOURCES_NAMED)
		fprintf(out, " and %" PRIu32 " more", count - SOURCES_NAMED);
	fputc('.', out);
	fclose(out);
	free(unchanged);
	free(bytes);
	free(percent);
	free(name);
	return text;
}

/*
 * "cudaMemset (vertex 3, a.c:4) and 2 others": who had left the unchanged bytes.  A vertex that
 * finds its own values had someone write them first: the others are named before itself.
 */
static char *sources_of(const struct writer *writer)
{
	uint32_t others = 0, named = edge_at(writer, 0)->from;
	char *name, *text;

	for (uint32_t i = writer->edges.count; i-- > 0;) {
		const struct graph_edge *edge = edge_at(writer, i);

		if (edge->redundant_bytes && edge->from != writer->vertex) {
			named = edge->from;
			others++;
		}
	}
	name = words_vertex(writer->profile, named);
	if (others < 2)
		return name;
	text = xasprintf("%s and %" PRIu32 " other%s", name, others - 1,
			 text_plural(others - 1, "", "s"));
	free(name);
	return text;
}

/* A sentence, or the beginning of one that ends with who had left the values. */
struct sentence {
	const char *text;
	bool names_sources;
};

static const struct sentence set_sentences[] = {
	[NOTHING_NEW] = {"Delete this set: all that it wrote was there already, from ", true},
	[NOTHING_NEW_HERE] = {"Do not set this object here: all that was written to it was there "
			      "already, from ",
			      true},
	[SAME_AGAIN] = {"Set the object once instead of every time: what it wrote over its own "
			"earlier values was the same each time.",
			false},
	[MOSTLY_SAME_AGAIN] = {"Set only the part that has changed since the last time.", false},
	[PARTLY_THERE] = {"Set only the part that needs it: the rest was there already, from ",
			  true},
};

static const struct sentence copy_sentences[] = {
	[NOTHING_NEW] = {"Delete this copy: all that it brought was there already, from ", true},
	[NOTHING_NEW_HERE] = {"Do not copy to this object here: all that was brought to it was "
			      "there already, from ",
			      true},
	[SAME_AGAIN] = {"Copy once and keep the object on the device: what it copied over its own "
			"earlier bytes was the same each time.",
			false},
	[MOSTLY_SAME_AGAIN] = {"Copy only the part that has changed since the last time.", false},
	[PARTLY_THERE] = {"Copy only the part that differs: the rest was there already, from ",
			  true},
};

static const struct sentence kernel_sentences[] = {
	[NOTHING_NEW] = {"Delete this launch: all that the kernel wrote, to any object, was there "
			 "already, from ",
			 true},
	[NOTHING_NEW_HERE] = {"Drop the write to this object from the kernel: all of it was there "
			      "already, from ",
			      true},
	[SAME_AGAIN] = {"Launch it again only when its input has changed, or leave out this store: "
			"what it wrote over its own earlier values was the same each time.",
			false},
	[MOSTLY_SAME_AGAIN] = {"Store only values that have changed since its last launch, or "
			       "launch it only for the part whose input has changed.",
			       false},
	[PARTLY_THERE] = {"Store only values that differ from what is there, from ", true},
};

static char *sentence_text(const struct sentence *sentence, const char *sources)
{
	return sentence->names_sources ? xasprintf("%s%s.", sentence->text, sources)
				       : xstrdup(sentence->text);
}

/* Whether nothing read what the vertex wrote to the object, in the whole run. */
static bool is_unread(const struct writer *writer, uint32_t vertex)
{
	uint32_t site = graph_find(writer->order->graph, writer->object);

	return (is(writer, vertex, "memset") || is(writer, vertex, "memcpy") ||
		is(writer, vertex, "kernel")) &&
	       !find(writer->order, false, vertex, writer->object, GRAPH_READ).count &&
	       !writer->order->reads_unseen && site != UINT32_MAX &&
	       !writer->order->host_reads[site];
}

static bool has_other_objects(const struct writer *writer, enum graph_access access)
{
	const struct order *order = writer->order;
	const struct graph_edge *edges = order->graph->edges;
	uint32_t at = (uint32_t)(writer->edges.edges - order->by_to);
	bool has = false;

	/* the edges into a vertex are together */
	while (at > 0 && edges[order->by_to[at - 1]].to == writer->vertex)
		at--;
	for (; at < order->graph->edge_count && edges[order->by_to[at]].to == writer->vertex; at++)
		has |= edges[order->by_to[at]].access == access &&
		       edges[order->by_to[at]].object != writer->object;
	return has;
}

static char *advise_unread(const struct writer *writer)
{
	bool set = is(writer, writer->vertex, "memset");

	if (has_other_objects(writer, GRAPH_WRITE))
		return xasprintf("Do not %s this object here: nothing was seen to read what was "
				 "written to it.",
				 set ? "set" : "copy to");
	return xasprintf("Delete this %s: nothing was seen to read what it wrote.",
			 set ? "set" : "copy");
}

static char *advise_kernel(const struct writer *writer, enum repetition repetition,
			   const char *sources, bool unread)
{
	char *main, *text;

	if (repetition == PARTLY_THERE && unread) {
		main = words_vertex(writer->profile, edge_at(writer, 0)->from);
		text = xasprintf("Drop the write to this object by %s: nothing was seen to read it "
				 "before this kernel wrote over it.",
				 main);
		free(main);
		return text;
	}
	if (repetition == PARTLY_THERE && reads_object(writer))
		return xasprintf("Store only values that change: the kernel reads the object and "
				 "stores in part what was there already, from %s.",
				 sources);
	return sentence_text(&kernel_sentences[repetition], sources);
}

/* Whether the bytes that changed were others', and those at most once for each object. */
static bool changed_once(const struct writer *writer)
{
	uint32_t site = graph_find(writer->order->graph, writer->object);
	uint32_t objects = site == UINT32_MAX ? 0 : writer->order->objects[site];

	for (uint32_t i = 0; i < writer->edges.count; i++) {
		const struct graph_edge *edge = edge_at(writer, i);

		if (edge->redundant_bytes < edge->bytes &&
		    (edge->from == writer->vertex || edge->count > objects))
			return false;
	}
	return true;
}

static enum repetition repetition_of(const struct writer *writer)
{
	if (writer->unchanged == writer->bytes)
		return writer->order->writes_new[writer->vertex] || writer->order->writes_unseen
			       ? NOTHING_NEW_HERE
			       : NOTHING_NEW;
	if (edge_at(writer, 0)->from != writer->vertex)
		return PARTLY_THERE;
	return changed_once(writer) ? SAME_AGAIN : MOSTLY_SAME_AGAIN;
}

static char *advise_accumulator(const struct writer *writer, uint32_t kernel,
				enum repetition repetition, const char *sources)
{
	char *user = words_vertex(writer->profile, kernel);
	bool kernel_fills = is(writer, writer->vertex, "kernel");
	const char *user_again = kernel_fills ? "that one" : "it";
	char *text =
		xasprintf("%s reads these values and writes over them: if %s%s adds one result to "
			  "each, let %s store the result instead (no accumulate, beta = 0) and "
			  "delete this fill.",
			  user, kernel_fills ? "this kernel stores one value everywhere and " : "",
			  user_again, user_again);

	free(user);
	if (repetition == NOTHING_NEW) {
		char *both =
			xasprintf("%s In this run the fill could go as it is: all that it wrote "
				  "was there already, from %s.",
				  text, sources);

		free(text);
		text = both;
	}
	return text;
}

/* *whole: an operation can go, or need not be repeated. */
static char *advice_of(const struct writer *writer, bool *whole)
{
	enum repetition repetition = repetition_of(writer);
	bool set = is(writer, writer->vertex, "memset");
	bool kernel = is(writer, writer->vertex, "kernel");
	/* of what is written over, or over what */
	bool unread = is_unread(writer, kernel ? edge_at(writer, 0)->from : writer->vertex);
	char *sources = sources_of(writer);
	uint32_t accumulator = UINT32_MAX;
	char *advice;

	/* a kernel that reads nothing may be a fill: one that does computes what it stores */
	if (set || (kernel && !reads_object(writer) && !has_other_objects(writer, GRAPH_READ)))
		accumulator = accumulator_after(writer);
	if (accumulator != UINT32_MAX)
		advice = advise_accumulator(writer, accumulator, repetition, sources);
	else if (kernel)
		advice = advise_kernel(writer, repetition, sources, unread);
	else if (unread && repetition > NOTHING_NEW_HERE)
		advice = advise_unread(writer);
	else
		advice = sentence_text(
			set ? &set_sentences[repetition] : &copy_sentences[repetition], sources);
	*whole = accumulator != UINT32_MAX || repetition <= SAME_AGAIN ||
		 (unread && (!kernel || repetition == PARTLY_THERE));
	free(sources);
	return advice;
}

static void add_finding(struct profile *profile, const struct writer *writer)
{
	struct profile_finding *finding = profile_add_finding(profile);
	const struct graph *graph = profile->graph;

	finding->pattern = xstrdup("redundant_values");
	finding->vertex = graph->vertices[writer->vertex].id;
	finding->object = writer->object;
	finding->access = GRAPH_WRITE;
	finding->bytes = writer->unchanged;
	finding->fraction = (double)writer->unchanged / (double)writer->bytes;
	finding->evidence = evidence_of(writer);
	finding->advice = advice_of(writer, &finding->whole);
	finding->limits = xstrdup(finding->whole ? limits : partial_limits);
	finding->others = xcalloc(writer->edges.count, sizeof(*finding->others));
	for (uint32_t i = 0; i < writer->edges.count; i++) {
		const struct graph_edge *edge = edge_at(writer, i);

		if (edge->redundant_bytes && edge->from != writer->vertex)
			finding->others[finding->other_count++] = graph->vertices[edge->from].id;
	}
}

void detect_redundant_values(struct profile *profile, const struct advice_options *options)
{
	struct order order = order_new(profile);
	const struct graph *graph = profile->graph;

	for (uint32_t begin = 0, end; begin < graph->edge_count; begin = end) {
		const struct graph_edge *first = &graph->edges[order.by_to[begin]];
		struct writer writer = {
			.profile = profile,
			.order = &order,
			.vertex = first->to,
			.object = first->object,
			.edges = {order.by_to + begin, 0},
		};

		for (end = begin; end < graph->edge_count; end++) {
			const struct graph_edge *edge = &graph->edges[order.by_to[end]];

			if (edge->to != first->to || edge->object != first->object ||
			    edge->access != first->access)
				break;
			writer.bytes += edge->bytes;
			writer.unchanged += edge->redundant_bytes;
		}
		writer.edges.count = end - begin;
		if (first->access != GRAPH_WRITE || graph->vertices[first->to].id == GRAPH_HOST ||
		    !writer.unchanged ||
		    (double)writer.unchanged / (double)writer.bytes < options->redundancy)
			continue;
		add_finding(profile, &writer);
	}
	order_free(&order);
}
