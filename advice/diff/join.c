/* advice/diff/join.c: see join.h. */
#include "advice/diff/join.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "advice/operation_names.h"
#include "util/memory.h"

struct joining {
	struct diff_join *join;
	struct operation_names *before, *after;
	uint32_t *to_before; /* vertex index of the second run: of the first, or DIFF_NONE */
};

static void add_operation(struct joining *joining, uint32_t before, uint32_t after)
{
	struct diff_join *join = joining->join;

	join->operations[join->operation_count++] = (struct diff_pair){before, after};
	if (before != DIFF_NONE && after != DIFF_NONE)
		joining->to_before[after] = before;
}

/* -- operations --------------------------------------------------------------------------- */

/* Items of one name, not joined yet. */
struct same_name {
	const struct operation_name *items;
	uint32_t count;
	bool *done;
};

static uint32_t count_same(const struct operation_names *names, uint32_t first)
{
	uint32_t count = first < names->count;

	while (first + count < names->count &&
	       !strcmp(names->items[first].name, names->items[first + count].name))
		count++;
	return count;
}

/* Both are in the order of places. */
static void join_equal_places(struct joining *joining, struct same_name *before,
			      struct same_name *after)
{
	for (uint32_t b = 0, a = 0; b < before->count && a < after->count;) {
		int order = strcmp(before->items[b].place, after->items[a].place);

		if (order == 0) {
			before->done[b] = after->done[a] = true;
			add_operation(joining, before->items[b].vertex, after->items[a].vertex);
		}
		b += order <= 0;
		a += order >= 0;
	}
}

static uint32_t next(const struct same_name *same, uint32_t i)
{
	while (i < same->count && same->done[i])
		i++;
	return i;
}

static void join_in_order(struct joining *joining, struct same_name *before,
			  struct same_name *after)
{
	uint32_t b = next(before, 0), a = next(after, 0);

	for (; b < before->count && a < after->count; b = next(before, b), a = next(after, a)) {
		before->done[b] = after->done[a] = true;
		add_operation(joining, before->items[b].vertex, after->items[a].vertex);
	}
}

static void join_same(struct joining *joining, struct same_name *before, struct same_name *after)
{
	before->done = xcalloc((size_t)before->count + 1, sizeof(bool));
	after->done = xcalloc((size_t)after->count + 1, sizeof(bool));
	if (before->count != after->count)
		join_equal_places(joining, before, after);
	join_in_order(joining, before, after);
	free(before->done);
	free(after->done);
}

/* Those of one name that are in one run, and not in the other. */
static void add_single(struct joining *joining, const bool *is_joined,
		       const struct operation_names *names, bool after)
{
	for (uint32_t i = 0; i < names->count; i++) {
		uint32_t v = names->items[i].vertex;

		if (!is_joined[v])
			add_operation(joining, after ? DIFF_NONE : v, after ? v : DIFF_NONE);
	}
}

static void join_operations(struct joining *joining)
{
	struct diff_join *join = joining->join;
	const uint32_t all = joining->before->count + joining->after->count;
	uint32_t kept = 0;
	bool *in_before = xcalloc((size_t)joining->before->count + 1, sizeof(bool));
	bool *in_after = xcalloc((size_t)joining->after->count + 1, sizeof(bool));

	join->operations = xcalloc((size_t)all + 1, sizeof(*join->operations));
	for (uint32_t b = 0, a = 0; b < joining->before->count && a < joining->after->count;) {
		struct same_name before = {&joining->before->items[b],
					   count_same(joining->before, b), NULL};
		struct same_name after = {&joining->after->items[a], count_same(joining->after, a),
					  NULL};
		int order = strcmp(before.items->name, after.items->name);

		if (order == 0)
			join_same(joining, &before, &after);
		b += order <= 0 ? before.count : 0;
		a += order >= 0 ? after.count : 0;
	}
	for (uint32_t i = 0; i < join->operation_count; i++) {
		const struct diff_pair pair = join->operations[i];

		in_before[pair.before] = in_after[pair.after] = true;
		if (join->before->graph->vertices[pair.before].id != GRAPH_HOST)
			join->operations[kept++] = pair;
	}
	join->operation_count = join->joined_operations = kept;
	add_single(joining, in_before, joining->before, false);
	add_single(joining, in_after, joining->after, true);
	free(in_before);
	free(in_after);
}

/* -- findings ----------------------------------------------------------------------------- */

struct finding_name {
	char *text;
	uint32_t finding;
};

/* The vertex as the first run has it; a number that no vertex has: the first run does not. */
static uint64_t number_of(const struct joining *joining, const struct profile *profile, uint32_t id)
{
	uint32_t v = graph_find(profile->graph, id);

	if (v == UINT32_MAX || profile == joining->join->before)
		return v;
	return joining->to_before[v] == DIFF_NONE ? UINT64_C(1) << 32 | v : joining->to_before[v];
}

/* `exact`: of the operation and object that it is about, not only of their names. */
static char *name_of(const struct joining *joining, const struct profile *profile, uint32_t f,
		     bool exact)
{
	const struct profile_finding *finding = &profile->findings[f];
	const struct operation_names *names =
		profile == joining->join->before ? joining->before : joining->after;
	char *about, *text;

	if (finding->vertex == GRAPH_HOST && finding->api != PROFILE_NO_ROW)
		about = operation_names_of_calls(&profile->apis[finding->api]);
	else if (exact)
		about = xasprintf("%" PRIu64 " %" PRIu64,
				  number_of(joining, profile, finding->vertex),
				  number_of(joining, profile, finding->object));
	else
		about = xasprintf("%s\n\n%s", operation_names_of(names, profile, finding->vertex),
				  operation_names_of(names, profile, finding->object));
	text = xasprintf("%s\n%s", finding->pattern, about);
	free(about);
	return text;
}

static int by_text(const void *a, const void *b)
{
	const struct finding_name *x = a, *y = b;
	int order = strcmp(x->text, y->text);

	return order ? order : (x->finding > y->finding) - (x->finding < y->finding);
}

static struct finding_name *names_of(const struct joining *joining, const struct profile *profile,
				     const uint32_t *other, bool exact, uint32_t *count)
{
	struct finding_name *names = xcalloc((size_t)profile->finding_count + 1, sizeof(*names));

	*count = 0;
	for (uint32_t f = 0; f < profile->finding_count; f++)
		if (other[f] == DIFF_NONE)
			names[(*count)++] =
				(struct finding_name){name_of(joining, profile, f, exact), f};
	qsort(names, *count, sizeof(*names), by_text);
	return names;
}

static void free_names(struct finding_name *names, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		free(names[i].text);
	free(names);
}

/* Joins those that are not yet: `others` are of each finding which of the other run it is. */
static void join_round(const struct joining *joining, uint32_t *others[2], bool exact)
{
	uint32_t before_count, after_count;
	struct finding_name *before =
		names_of(joining, joining->join->before, others[0], exact, &before_count);
	struct finding_name *after =
		names_of(joining, joining->join->after, others[1], exact, &after_count);

	for (uint32_t b = 0, a = 0; b < before_count && a < after_count;) {
		int order = strcmp(before[b].text, after[a].text);

		if (order == 0) {
			others[0][before[b].finding] = after[a].finding;
			others[1][after[a].finding] = before[b].finding;
		}
		b += order <= 0;
		a += order >= 0;
	}
	free_names(before, before_count);
	free_names(after, after_count);
}

static uint32_t *no_others(uint32_t count)
{
	uint32_t *others = xcalloc((size_t)count + 1, sizeof(*others));

	for (uint32_t i = 0; i < count; i++)
		others[i] = DIFF_NONE;
	return others;
}

static void join_findings(const struct joining *joining)
{
	struct diff_join *join = joining->join;
	const uint32_t before = join->before->finding_count, after = join->after->finding_count;
	uint32_t *others[] = {no_others(before), no_others(after)}, count = 0;

	join_round(joining, others, true);
	join_round(joining, others, false);
	join->findings = xcalloc((size_t)before + after + 1, sizeof(*join->findings));
	for (uint32_t f = 0; f < after; f++)
		if (others[1][f] != DIFF_NONE)
			join->findings[count++] = (struct diff_pair){others[1][f], f};
	join->joined_findings = count;
	for (uint32_t f = 0; f < before; f++)
		if (others[0][f] == DIFF_NONE)
			join->findings[count++] = (struct diff_pair){f, DIFF_NONE};
	join->gone_findings = count - join->joined_findings;
	for (uint32_t f = 0; f < after; f++)
		if (others[1][f] == DIFF_NONE)
			join->findings[count++] = (struct diff_pair){DIFF_NONE, f};
	join->new_findings = count - join->joined_findings - join->gone_findings;
	free(others[0]);
	free(others[1]);
}

struct diff_join *diff_join_new(const struct profile *before, const struct profile *after)
{
	struct joining joining = {.join = xcalloc(1, sizeof(struct diff_join)),
				  .before = operation_names_new(before),
				  .after = operation_names_new(after),
				  .to_before = no_others(after->graph->vertex_count)};

	joining.join->before = before;
	joining.join->after = after;
	join_operations(&joining);
	join_findings(&joining);
	operation_names_free(joining.before);
	operation_names_free(joining.after);
	free(joining.to_before);
	return joining.join;
}

/* Keeps those that the other run does not have, either; returns how many. */
static uint32_t drop_near(struct diff_pair *pairs, uint32_t count, const struct profile *before,
			  const struct profile *after, bool gone)
{
	struct diff_join *join = diff_join_new(before, after);
	const uint32_t all = gone ? before->finding_count : after->finding_count;
	bool *found = xcalloc((size_t)all + 1, sizeof(*found));
	uint32_t kept = 0;

	for (uint32_t i = 0; i < join->joined_findings; i++)
		found[gone ? join->findings[i].before : join->findings[i].after] = true;
	for (uint32_t i = 0; i < count; i++)
		if (!found[gone ? pairs[i].before : pairs[i].after])
			pairs[kept++] = pairs[i];
	free(found);
	diff_join_free(join);
	return kept;
}

void diff_join_near(struct diff_join *join, const struct profile *before,
		    const struct profile *after)
{
	struct diff_pair *gone = join->findings + join->joined_findings;
	struct diff_pair *new = gone + join->gone_findings;
	const uint32_t all = join->gone_findings + join->new_findings;

	if (after)
		join->gone_findings =
			drop_near(gone, join->gone_findings, join->before, after, true);
	if (before)
		join->new_findings = drop_near(new, join->new_findings, before, join->after, false);
	memmove(gone + join->gone_findings, new, join->new_findings * sizeof(*new));
	join->near_findings = all - join->gone_findings - join->new_findings;
}

void diff_join_free(struct diff_join *join)
{
	if (!join)
		return;
	free(join->operations);
	free(join->findings);
	free(join);
}
