/*
 * advice/worth_groups.c: what findings save together: all of them, and the groups of Diogenes
 * (3.5.2): single points, functions, sequences.
 */
#include "advice/worth_internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "graph/frame_words.h"
#include "graph/library_frames.h"
#include "util/memory.h"
#include "util/pair_map.h"

enum {
	ALL_MOST = 50, /* findings that are tried together */
	GROUPS_MOST = 20,
	SEQUENCE_MOST = 64, /* different findings in a row */
};

/* -- any group -- */

static void add_member(struct profile_finding_group *group, uint32_t finding, uint64_t adds_ns)
{
	uint32_t count = group->member_count;

	/* the capacity is a power of two */
	if (!(count & (count - 1)))
		group->members = xreallocarray(group->members, count ? 2 * (size_t)count : 1,
					       sizeof(*group->members));
	group->members[group->member_count++] = (struct profile_group_member){finding, adds_ns};
}

static void add_sure(const struct worth *worth, struct mend *mend, uint32_t finding)
{
	struct mend sure = worth->mends[worth->run->profile->findings[finding].mend];

	sure.count = sure.sure;
	mend_add(mend, &sure);
}

static void set_saving(const struct worth *worth, struct profile_finding_group *group,
		       const struct worth_saving *saving, bool at_least)
{
	group->run_ns = worth->run_ns;
	group->span_ns = worth->span_ns;
	group->startup_ns = worth->startup_ns;
	group->saves_ns = saving->least_ns;
	group->saves_most_ns = at_least ? PROFILE_UNKNOWN : saving->most_ns;
}

/* The label is owned by the group. */
static void add_group(struct worth *worth, const char *kind, char *label, const uint32_t *findings,
		      uint32_t count)
{
	struct profile_finding_group *group;
	struct worth_saving saving;
	struct mend mend = {0};

	for (uint32_t i = 0; i < count; i++)
		add_sure(worth, &mend, findings[i]);
	if (worth_of_changes(worth, mend.changes, mend.sure, &saving)) {
		group = profile_add_finding_group(worth->run->profile);
		group->kind = xstrdup(kind);
		group->label = label;
		for (uint32_t i = 0; i < count; i++)
			add_member(group, findings[i], PROFILE_UNKNOWN);
		set_saving(worth, group, &saving, mend.at_least);
	} else {
		free(label);
	}
	mend_release(&mend);
}

/* -- all -- */

struct candidate {
	uint32_t finding;
	uint64_t adds_ns; /* what it was seen to add, to fewer others */
};

static int by_adds(const void *left, const void *right)
{
	const struct candidate *a = left, *b = right;

	if (a->adds_ns != b->adds_ns)
		return a->adds_ns < b->adds_ns ? 1 : -1;
	return (a->finding > b->finding) - (a->finding < b->finding);
}

/* What the finding adds to what the mend saves; its changes are added. */
static bool try_finding(struct worth *worth, const struct mend *mend, uint32_t finding,
			struct mend *with, struct worth_saving *saving)
{
	*with = (struct mend){0};
	mend_add(with, mend);
	add_sure(worth, with, finding);
	if (worth_of_changes(worth, with->changes, with->sure, saving))
		return true;
	mend_release(with);
	return false;
}

/*
 * The best first, then what adds most to it, and so on.  What a finding adds mostly gets less by
 * others: where it is still more than what the next one added before, that need not be tried.
 */
static void add_all(struct worth *worth)
{
	const struct profile *profile = worth->run->profile;
	struct candidate *candidates = xcalloc(ALL_MOST, sizeof(*candidates));
	struct profile_finding_group *group;
	struct worth_saving saving = {0}, total = {0};
	struct mend mend = {0}, with;
	uint32_t count = 0, tried = 0;

	for (uint32_t i = 0; i < profile->finding_count && count < ALL_MOST; i++)
		if (worth_is_sure(worth, &profile->findings[i]))
			candidates[count++] = (struct candidate){i, profile->findings[i].saves_ns};
	/* without members it says how long the run took */
	group = profile_add_finding_group(worth->run->profile);
	group->kind = xstrdup("all");
	group->label = xstrdup("");
	while (count) {
		qsort(candidates, count, sizeof(*candidates), by_adds);
		if (!try_finding(worth, &mend, candidates[0].finding, &with, &saving))
			break;
		candidates[0].adds_ns =
			saving.least_ns > total.least_ns ? saving.least_ns - total.least_ns : 0;
		if (count > 1 && candidates[0].adds_ns < candidates[1].adds_ns && ++tried < count) {
			mend_release(&with);
			continue;
		}
		tried = 0;
		/* others may be worth something only after it: it is applied, too */
		mend_release(&mend);
		mend = with;
		add_member(group, candidates[0].finding, candidates[0].adds_ns);
		total = saving;
		memmove(candidates, candidates + 1, --count * sizeof(*candidates));
	}
	set_saving(worth, group, &total, mend.at_least || count);
	mend_release(&mend);
	free(candidates);
}

/* -- places and functions -- */

struct keyed { /* a finding, by where it is */
	char *key;
	uint32_t finding;
};

static int by_key(const void *left, const void *right)
{
	const struct keyed *a = left, *b = right;
	int order = strcmp(a->key, b->key);

	return order ? order : (a->finding > b->finding) - (a->finding < b->finding);
}

/* The call path as text; NULL: not known. */
static const char *path_of(const struct profile *profile, const struct profile_finding *finding)
{
	if (finding->vertex != GRAPH_HOST)
		return profile->graph->vertices[graph_find(profile->graph, finding->vertex)]
			.callpath;
	return finding->api == PROFILE_NO_ROW ? NULL : profile->apis[finding->api].place.callpath;
}

/* "main a.c:30" */
static char *place_key(const struct profile *profile, const struct profile_finding *finding)
{
	const char *path = path_of(profile, finding), *frame, *next;

	if (!path || !*path)
		return NULL;
	frame = leading_frame(path);
	return frame_words(frame, frame_text_end(frame, &next), FRAME_NAME_LIMIT);
}

/* "ns::fill" of "void ns::fill<float>(float*, int) a.cu:12" */
static char *function_key(const struct profile *profile, const struct profile_finding *finding)
{
	char *place = place_key(profile, finding);
	const char *end, *name;
	size_t length;
	char *key;

	if (!place)
		return NULL;
	end = frame_function_end(place, place + strlen(place));
	name = place;
	length = strcspn(name, "<(");
	if (length > (size_t)(end - place))
		length = (size_t)(end - place);
	/* what stands before the name is a type */
	for (const char *at = name; at < place + length; at++)
		if (*at == ' ')
			name = at + 1;
	length -= (size_t)(name - place);
	key = length ? xstrndup(name, length) : NULL;
	free(place);
	return key;
}

static void add_by_key(struct worth *worth, const char *kind,
		       char *(*key)(const struct profile *, const struct profile_finding *))
{
	const struct profile *profile = worth->run->profile;
	struct keyed *keyed = xcalloc(profile->finding_count, sizeof(*keyed));
	uint32_t *findings = xcalloc(profile->finding_count, sizeof(*findings));
	uint32_t count = 0, groups = 0;

	for (uint32_t i = 0; i < profile->finding_count; i++) {
		char *text = worth_is_sure(worth, &profile->findings[i])
				     ? key(profile, &profile->findings[i])
				     : NULL;

		if (text)
			keyed[count++] = (struct keyed){text, i};
	}
	if (count)
		qsort(keyed, count, sizeof(*keyed), by_key);
	for (uint32_t i = 0, end; i < count; i = end) {
		for (end = i; end < count && !strcmp(keyed[end].key, keyed[i].key); end++)
			findings[end - i] = keyed[end].finding;
		if (end - i > 1 && groups++ < GROUPS_MOST)
			add_group(worth, kind, xstrdup(keyed[i].key), findings, end - i);
	}
	for (uint32_t i = 0; i < count; i++)
		free(keyed[i].key);
	free(keyed);
	free(findings);
}

/* -- sequences -- */

struct sequence { /* of findings, in order of their first calls */
	uint32_t findings[SEQUENCE_MOST], count;
	uint32_t first, last; /* calls */
	uint64_t times;
};

struct sequences {
	struct worth *worth;
	uint32_t *of_call; /* the finding whose advice changes the call; PROFILE_NO_ROW */
	struct sequence *found;
	uint32_t found_count;
};

static void mark(uint32_t *of, uint32_t index, uint32_t finding)
{
	if (of[index] == PROFILE_NO_ROW)
		of[index] = finding;
}

static uint32_t *findings_of_calls(const struct worth *worth)
{
	const struct profile *profile = worth->run->profile;
	uint32_t *of_call = xcalloc(profile->timeline_count, sizeof(*of_call));
	uint32_t *of_api = xcalloc(profile->api_count, sizeof(*of_api));
	uint32_t *of_vertex = xcalloc(profile->graph->vertex_count, sizeof(*of_vertex));

	memset(of_call, 0xff, profile->timeline_count * sizeof(*of_call));
	memset(of_api, 0xff, profile->api_count * sizeof(*of_api));
	memset(of_vertex, 0xff, profile->graph->vertex_count * sizeof(*of_vertex));
	for (uint32_t i = 0; i < profile->finding_count; i++) {
		const struct profile_finding *finding = &profile->findings[i];
		const struct mend *mend = &worth->mends[finding->mend];

		for (uint32_t k = 0; k < mend->sure && worth_is_sure(worth, finding); k++) {
			const struct replay_change *change = &mend->changes[k];

			if (change->subject == REPLAY_CALL)
				mark(of_call, change->index, i);
			else if (change->subject == REPLAY_API)
				mark(of_api, change->index, i);
			else
				mark(of_vertex, graph_find(profile->graph, change->index), i);
		}
	}
	for (uint32_t c = 0; c < profile->timeline_count; c++) {
		uint32_t api = profile->timeline[c].api, vertex = profile->apis[api].vertex;

		mark(of_call, c, of_api[api]);
		if (vertex != PROFILE_NO_VERTEX)
			mark(of_call, c, of_vertex[graph_find(profile->graph, vertex)]);
	}
	free(of_api);
	free(of_vertex);
	return of_call;
}

static bool same_findings(const struct sequence *a, const struct sequence *b)
{
	return a->count == b->count &&
	       !memcmp(a->findings, b->findings, a->count * sizeof(*a->findings));
}

/* It ends; what follows begins a new one. */
static void end_sequence(struct sequences *all, struct sequence *sequence)
{
	uint32_t i = 0;

	while (i < all->found_count && !same_findings(&all->found[i], sequence))
		i++;
	if (sequence->count > 1 && i < GROUPS_MOST) {
		if (i == all->found_count)
			all->found[all->found_count++] = *sequence;
		all->found[i].times++;
	}
	*sequence = (struct sequence){.count = 0};
}

static void continue_sequence(struct sequence *sequence, uint32_t call, uint32_t finding)
{
	uint32_t i = 0;

	if (!sequence->count)
		sequence->first = call;
	sequence->last = call;
	while (i < sequence->count && sequence->findings[i] != finding)
		i++;
	if (i == sequence->count && i < SEQUENCE_MOST)
		sequence->findings[sequence->count++] = finding;
}

/* Calls of the threads of a process one by one: a needed wait of a thread ends its sequence. */
static void find_sequences(struct sequences *all)
{
	const struct profile *profile = all->worth->run->profile;
	struct sequence *threads = NULL;
	struct pair_map map = {0};
	uint32_t count = 0, capacity = 0;

	for (uint32_t c = 0; c < profile->timeline_count; c++) {
		const struct profile_timed_call *call = &profile->timeline[c];
		uint32_t thread;

		if (!pair_map_find(&map, call->process, call->thread, count, &thread)) {
			ARRAY_RESERVE(threads, count, capacity);
			threads[count++] = (struct sequence){.count = 0};
		}
		if (all->of_call[c] != PROFILE_NO_ROW)
			continue_sequence(&threads[thread], c, all->of_call[c]);
		else if (timing_wait_ns(all->worth->run->timing, c))
			end_sequence(all, &threads[thread]);
	}
	for (uint32_t i = 0; i < count; i++)
		end_sequence(all, &threads[i]);
	pair_map_release(&map);
	free(threads);
}

static char *words_call(const struct profile *profile, uint32_t call)
{
	const struct profile_api *api = &profile->apis[profile->timeline[call].api];

	return api->vertex == PROFILE_NO_VERTEX
		       ? words_calls(api)
		       : words_vertex(profile, graph_find(profile->graph, api->vertex));
}

static void add_sequences(struct worth *worth)
{
	const struct profile *profile = worth->run->profile;
	struct sequences all = {.worth = worth,
				.of_call = findings_of_calls(worth),
				.found = xcalloc(GROUPS_MOST, sizeof(*all.found))};

	find_sequences(&all);
	for (uint32_t i = 0; i < all.found_count; i++) {
		struct sequence *sequence = &all.found[i];
		char *first = words_call(profile, sequence->first),
		     *last = words_call(profile, sequence->last);
		char *times = sequence->times > 1
				      ? xasprintf(", %" PRIu64 " times", sequence->times)
				      : xstrdup("");

		add_group(worth, "sequence", xasprintf("from %s to %s%s", first, last, times),
			  sequence->findings, sequence->count);
		free(first);
		free(last);
		free(times);
	}
	free(all.found);
	free(all.of_call);
}

void worth_add_groups(struct worth *worth)
{
	const struct advice_options *options = worth->run->options;

	if (options->left_out)
		worth->left_out = options->left_out(worth->run->profile, options->left_out_data);
	add_all(worth);
	add_by_key(worth, "single_point", place_key);
	add_by_key(worth, "function", function_key);
	add_sequences(worth);
}
