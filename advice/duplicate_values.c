/*
 * advice/duplicate_values.c: objects that held equal content (ValueExpert Def. 3.2).
 *
 * The analysis has grouped them: a group is a set of (object site, API that gave the object the
 * content).  A group that is part of a larger one, with the same APIs, is not told twice.
 */
#include "advice/pattern.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "advice/words.h"
#include "util/memory.h"
#include "util/text.h"

enum { MEMBERS_NAMED = 4 };

static const char limits[] =
	"one run, one input; how long the objects must stay equal is not known";

/* What gave an object its content. */
enum cause {
	BY_HOST_COPY,
	BY_DEVICE_COPY,
	BY_SET,
	BY_KERNEL,
	BY_ALLOCATION, /* the content that a module global was loaded with */
	BY_OTHER,
	CAUSES
};

/* The edges by their objects: groups can be many. */
struct order {
	const struct graph *graph;
	uint32_t *edges;
};

/* One group, looked at. */
struct group {
	const struct profile *profile;
	const struct profile_duplicate *duplicate;
	uint32_t causes[CAUSES]; /* members by kind of cause */
	bool other_writes;       /* besides those that gave the members the content */
};

/* Like strncmp for members: by site, then by cause. */
static int compare_members(const struct profile_duplicate_member *a,
			   const struct profile_duplicate_member *b)
{
	if (a->site != b->site)
		return a->site < b->site ? -1 : 1;
	return (a->cause > b->cause) - (a->cause < b->cause);
}

/* Whether all members of `part` are members of `whole`, which has more of them. */
static bool is_part_of(const struct profile_duplicate *part, const struct profile_duplicate *whole)
{
	uint32_t w = 0;

	if (part->member_count >= whole->member_count || part->bytes > whole->bytes)
		return false;
	for (uint32_t p = 0; p < part->member_count; p++) {
		while (w < whole->member_count &&
		       compare_members(&whole->members[w], &part->members[p]) < 0)
			w++;
		if (w == whole->member_count ||
		    compare_members(&whole->members[w], &part->members[p]) != 0)
			return false;
	}
	return true;
}

/* Objects of the group that certainly were there at the same time. */
static uint64_t objects_at_once(const struct profile_duplicate *duplicate)
{
	return duplicate->member_count > 1 ? duplicate->member_count : 2;
}

static int compare_objects(const void *left, const void *right, void *data)
{
	const struct graph *graph = data;
	const uint32_t *a = left, *b = right;
	uint32_t object_a = graph->edges[*a].object, object_b = graph->edges[*b].object;

	return (object_a > object_b) - (object_a < object_b);
}

static struct order order_new(struct graph *graph)
{
	struct order order = {graph, xcalloc(graph->edge_count, sizeof(uint32_t))};

	for (uint32_t e = 0; e < graph->edge_count; e++)
		order.edges[e] = e;
	qsort_r(order.edges, graph->edge_count, sizeof(uint32_t), compare_objects, graph);
	return order;
}

/* Where the edges of the object begin in the order. */
static uint32_t first_edge(const struct order *order, uint32_t object)
{
	const struct graph *graph = order->graph;
	uint32_t low = 0, high = graph->edge_count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (graph->edges[order->edges[middle]].object < object)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The edge at that position; NULL: it is not of the object. */
static const struct graph_edge *edge_of(const struct order *order, uint32_t object, uint32_t at)
{
	const struct graph *graph = order->graph;

	return at < graph->edge_count && graph->edges[order->edges[at]].object == object
		       ? &graph->edges[order->edges[at]]
		       : NULL;
}

static enum cause cause_of(const struct order *order, const struct profile_duplicate_member *member)
{
	const struct graph *graph = order->graph;
	uint32_t v = graph_find(graph, member->cause), site = member->site;
	const struct graph_edge *edge;

	if (v == UINT32_MAX)
		return BY_OTHER;
	if (graph_vertex_is(&graph->vertices[v], "memset"))
		return BY_SET;
	if (graph_vertex_is(&graph->vertices[v], "kernel"))
		return BY_KERNEL;
	if (graph_vertex_is(&graph->vertices[v], "alloc"))
		return BY_ALLOCATION;
	if (!graph_vertex_is(&graph->vertices[v], "memcpy"))
		return BY_OTHER;
	for (uint32_t at = first_edge(order, site); (edge = edge_of(order, site, at)); at++)
		if (edge->to == v && graph->vertices[edge->from].id == GRAPH_HOST)
			return BY_HOST_COPY;
	return BY_DEVICE_COPY;
}

static struct group group_of(const struct profile *profile, const struct order *order,
			     const struct profile_duplicate *duplicate)
{
	struct group group = {.profile = profile, .duplicate = duplicate};
	const struct graph *graph = profile->graph;

	for (uint32_t m = 0; m < duplicate->member_count; m++) {
		const struct profile_duplicate_member *member = &duplicate->members[m];
		uint32_t v = graph_find(graph, member->cause), site = member->site;
		const struct graph_edge *edge;

		group.causes[cause_of(order, member)]++;
		for (uint32_t at = first_edge(order, site); (edge = edge_of(order, site, at)); at++)
			group.other_writes |= edge->access == GRAPH_WRITE &&
					      graph->vertices[edge->to].id != GRAPH_HOST &&
					      (edge->to != v || edge->from == v);
	}
	return group;
}

static char *evidence_of(const struct group *group)
{
	const struct profile_duplicate *duplicate = group->duplicate;
	char *bytes = words_bytes(duplicate->bytes), *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return xstrdup("");
	fprintf(out, "%" PRIu64 " objects of %s held equal content%s: ", objects_at_once(duplicate),
		bytes, duplicate->zero ? ", all zeros" : "");
	for (uint32_t m = 0; m < duplicate->member_count && m < MEMBERS_NAMED; m++) {
		const struct profile_duplicate_member *member = &duplicate->members[m];
		uint32_t v = graph_find(group->profile->graph, member->cause);
		char *object = words_object(group->profile, member->site);
		char *cause = v == UINT32_MAX ? xstrdup("an unknown operation")
					      : words_vertex(group->profile, v);

		fprintf(out, "%s%s after %s", m ? "; " : "", object, cause);
		free(object);
		free(cause);
	}
	if (duplicate->member_count > MEMBERS_NAMED)
		fprintf(out, "; and %" PRIu32 " more", duplicate->member_count - MEMBERS_NAMED);
	fprintf(out, ". They were equal ");
	if (duplicate->occurrences == 1)
		fprintf(out, "once");
	else
		fprintf(out, "%" PRIu64 " times", duplicate->occurrences);
	fprintf(out, ", during %" PRIu64 " operation%s.", duplicate->events,
		text_plural(duplicate->events, "", "s"));
	fclose(out);
	free(bytes);
	return text;
}

/* The graph has no times: only when there was one write can sharing be promised. */
static const char *sharing(const struct group *group)
{
	return group->other_writes
		       ? "Other writes to them were seen: one object can serve for all only while "
			 "they are equal."
		       : "No other write to them was seen: one object can serve for all.";
}

static char *advice_of(const struct group *group)
{
	const uint32_t *causes = group->causes;
	uint32_t all = group->duplicate->member_count;
	bool zero = group->duplicate->zero;

	if (causes[BY_HOST_COPY] && zero)
		return xasprintf(
			"Set the objects to zero with cudaMemset instead of copying zeros from "
			"the host. %s",
			sharing(group));
	if (causes[BY_HOST_COPY] == all)
		return xasprintf(
			"Copy the bytes from the host once, then share the object or copy it "
			"on the device. %s",
			sharing(group));
	if (causes[BY_HOST_COPY])
		return xasprintf("Do not send from the host what the device has already: share the "
				 "object or copy it on the device. %s",
				 sharing(group));
	if (causes[BY_DEVICE_COPY])
		return xasprintf("The copy on the device is needed only if one of the objects is "
				 "changed while the other is still in use. %s",
				 sharing(group));
	if (causes[BY_SET] == all || zero)
		return xasprintf("%s An object that is never given other content is not needed. %s",
				 zero ? "All are set to zero." : "All are set to the same value.",
				 sharing(group));
	if (causes[BY_KERNEL] == all)
		return xasprintf("Compute the content once and let the users share it. %s",
				 sharing(group));
	return xasprintf("Keep the content once. %s", sharing(group));
}

static int compare_ids(const void *left, const void *right)
{
	const uint32_t *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

/* The operations and objects of the group but for the finding's own, each once, in order. */
static void add_others(struct profile_finding *finding, const struct profile_duplicate *duplicate)
{
	uint32_t count = 0, *ids = xcalloc((size_t)duplicate->member_count * 2, sizeof(*ids));

	for (uint32_t m = 0; m < duplicate->member_count; m++) {
		ids[count++] = duplicate->members[m].site;
		ids[count++] = duplicate->members[m].cause;
	}
	qsort(ids, count, sizeof(*ids), compare_ids);
	finding->others = ids;
	for (uint32_t i = 0; i < count; i++)
		if (ids[i] != finding->vertex && ids[i] != finding->object &&
		    (!finding->other_count || ids[finding->other_count - 1] != ids[i]))
			ids[finding->other_count++] = ids[i];
}

/* The operation of the finding is the last one: it made equal what another had made before. */
static void add_finding(struct profile *profile, const struct group *group)
{
	const struct profile_duplicate *duplicate = group->duplicate;
	const struct profile_duplicate_member *last = &duplicate->members[0];
	struct profile_finding *finding = profile_add_finding(profile);

	for (uint32_t m = 1; m < duplicate->member_count; m++)
		if (duplicate->members[m].cause >= last->cause)
			last = &duplicate->members[m];
	finding->pattern = xstrdup("duplicate_values");
	finding->vertex = last->cause;
	finding->object = last->site;
	finding->access = GRAPH_WRITE;
	/* SQLite's largest number, should a profile be made up */
	if (__builtin_mul_overflow(objects_at_once(duplicate) - 1, duplicate->bytes,
				   &finding->bytes) ||
	    finding->bytes > INT64_MAX)
		finding->bytes = INT64_MAX;
	finding->fraction = 1;
	finding->evidence = evidence_of(group);
	finding->advice = advice_of(group);
	finding->whole = group->causes[BY_HOST_COPY] > 0;
	finding->limits = xstrdup(limits);
	add_others(finding, duplicate);
}

void detect_duplicate_values(struct profile *profile, const struct advice_options *options)
{
	struct order order = order_new(profile->graph);

	for (uint32_t d = 0; d < profile->duplicate_count; d++) {
		const struct profile_duplicate *duplicate = &profile->duplicates[d];
		bool part =
			duplicate->bytes <= options->duplicate_bytes || !duplicate->member_count;
		struct group group;

		for (uint32_t w = 0; w < profile->duplicate_count && !part; w++)
			part = is_part_of(duplicate, &profile->duplicates[w]);
		if (part)
			continue;
		group = group_of(profile, &order, duplicate);
		add_finding(profile, &group);
	}
	free(order.edges);
}
