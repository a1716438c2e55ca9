/*
 * graph/build/analysis/duplicates.c: the analysis that finds which objects of one process held
 * equal content, and for how long.
 *
 * A class is a content (size and digest) and the live objects that hold it.  An episode begins
 * when a class has two and ends when it has fewer again.  Episodes of all processes in which
 * objects played the same roles are a group: a row of the profile.
 */
#include "graph/build/analysis.h"

#include <stdlib.h>
#include <string.h>

#include <uthash.h>

#include "graph/build/live.h"
#include "util/memory.h"

struct class_key {
	uint64_t size;
	uint8_t digest[GPU_DIGEST_SIZE];
};

struct holder_key {
	uint32_t object, cause;
};

struct holder { /* an object in an episode, once per cause */
	struct holder_key key;
	uint32_t site;
	UT_hash_handle hh;
};

struct member { /* an object that has content */
	struct live_object live;
	uint32_t site, cause;
	struct content_class *in;
	struct member *next, *previous; /* in the class */
};

struct content_class {
	struct class_key key;
	bool zero;
	struct member *members;
	uint32_t count;
	uint64_t start;         /* event of the episode's begin */
	struct holder *holders; /* of the episode; NULL: there is none */
	UT_hash_handle hh;
};

/* A role that objects play in an episode: allocated at a site, made equal by a cause. */
struct role {
	uint32_t site, cause; /* vertices */
	uint64_t objects;
};

struct group {
	uint32_t *roles; /* (site, cause) pairs, and whether the content is zeros: the key */
	uint32_t index;  /* into profile->duplicates */
	UT_hash_handle hh;
};

struct duplicates {
	struct profile *profile;
	struct content_class *classes; /* of the process */
	struct live members;           /* of the process */
	struct group *groups;
};

static void *begin(struct profile *profile)
{
	struct duplicates *duplicates = xcalloc(1, sizeof(*duplicates));

	duplicates->profile = profile;
	duplicates->members = (struct live){.object_size = sizeof(struct member)};
	return duplicates;
}

/* -- groups -- */

static struct profile_duplicate *add_group(struct duplicates *duplicates, const struct role *roles,
					   uint32_t count, bool zero)
{
	struct profile *profile = duplicates->profile;
	struct profile_duplicate *duplicate;

	ARRAY_RESERVE(profile->duplicates, profile->duplicate_count, profile->duplicate_capacity);
	duplicate = &profile->duplicates[profile->duplicate_count++];
	*duplicate = (struct profile_duplicate){
		.zero = zero,
		.members = xcalloc(count, sizeof(*duplicate->members)),
		.member_count = count,
	};
	for (uint32_t i = 0; i < count; i++)
		duplicate->members[i] = (struct profile_duplicate_member){.site = roles[i].site,
									  .cause = roles[i].cause};
	return duplicate;
}

/* The roles are sorted and each there once. */
static struct profile_duplicate *find_group(struct duplicates *duplicates, const struct role *roles,
					    uint32_t count, bool zero)
{
	size_t size = 2 * (size_t)count * sizeof(uint32_t) + sizeof(uint32_t);
	uint32_t *key = xmalloc(size);
	struct group *group;

	for (uint32_t i = 0; i < count; i++) {
		key[2 * i] = roles[i].site;
		key[2 * i + 1] = roles[i].cause;
	}
	key[2 * count] = zero; /* zeros are something else: they need no copy at all */
	HASH_FIND(hh, duplicates->groups, key, size, group);
	if (group) {
		free(key);
		return &duplicates->profile->duplicates[group->index];
	}
	group = xcalloc(1, sizeof(*group));
	group->roles = key;
	group->index = duplicates->profile->duplicate_count;
	HASH_ADD_KEYPTR(hh, duplicates->groups, group->roles, size, group);
	return add_group(duplicates, roles, count, zero);
}

/* One more episode of the group, which lasted for so many events. */
static void add_episode(struct profile_duplicate *group, const struct role *roles, uint64_t bytes,
			uint64_t events)
{
	group->occurrences++;
	profile_add(&group->events, events);
	if (group->bytes < bytes)
		group->bytes = bytes;
	for (uint32_t i = 0; i < group->member_count; i++)
		if (group->members[i].objects < roles[i].objects)
			group->members[i].objects = roles[i].objects;
}

/* -- episodes -- */

static void add_player(struct content_class *class, const struct member *member)
{
	struct holder_key key = {member->live.index, member->cause};
	struct holder *holder;

	HASH_FIND(hh, class->holders, &key, sizeof(key), holder);
	if (holder)
		return;
	holder = xcalloc(1, sizeof(*holder));
	holder->key = key;
	holder->site = member->site;
	HASH_ADD(hh, class->holders, key, sizeof(holder->key), holder);
}

static int compare_roles(const void *left, const void *right)
{
	const struct role *a = left, *b = right;

	if (a->site != b->site)
		return a->site < b->site ? -1 : 1;
	return (a->cause > b->cause) - (a->cause < b->cause);
}

/* The holders as roles, each once, with the number of objects. */
static uint32_t collect_roles(const struct content_class *class, struct role *roles)
{
	uint32_t count = 0, used = 0;
	const struct holder *holder;

	for (holder = class->holders; holder; holder = holder->hh.next)
		roles[count++] = (struct role){holder->site, holder->key.cause, 1};
	qsort(roles, count, sizeof(*roles), compare_roles);
	for (uint32_t i = 0; i < count; i++) {
		if (used && compare_roles(&roles[used - 1], &roles[i]) == 0)
			roles[used - 1].objects++;
		else
			roles[used++] = roles[i];
	}
	return used;
}

/* `end`: the first event after which the content was not shared any more. */
static void end_episode(struct duplicates *duplicates, struct content_class *class, uint64_t end)
{
	struct role *roles = xcalloc(HASH_COUNT(class->holders), sizeof(*roles));
	struct holder *holder, *next;

	/* one event may change two objects in a row: in between is no time */
	if (end > class->start) {
		uint32_t count = collect_roles(class, roles);

		add_episode(find_group(duplicates, roles, count, class->zero), roles,
			    class->key.size, end - class->start);
	}
	HASH_ITER(hh, class->holders, holder, next)
	{
		HASH_DEL(class->holders, holder);
		free(holder);
	}
	free(roles);
}

static void leave_class(struct duplicates *duplicates, struct member *member, uint64_t event)
{
	struct content_class *class = member->in;

	if (member->previous)
		member->previous->next = member->next;
	else
		class->members = member->next;
	if (member->next)
		member->next->previous = member->previous;
	class->count--;
	if (class->count == 1)
		end_episode(duplicates, class, event);
	if (!class->count) {
		HASH_DEL(duplicates->classes, class);
		free(class);
	}
	member->in = NULL;
}

static void join_class(struct duplicates *duplicates, struct member *member,
		       const struct build_event *event, const struct gpu_content *content)
{
	const struct profile_object *object = &duplicates->profile->objects[member->live.index];
	struct class_key key = {.size = object->size};
	struct content_class *class;

	memcpy(key.digest, content->digest, sizeof(key.digest));
	HASH_FIND(hh, duplicates->classes, &key, sizeof(key), class);
	if (!class) {
		class = xcalloc(1, sizeof(*class));
		class->key = key;
		class->zero = content->zero;
		HASH_ADD(hh, duplicates->classes, key, sizeof(class->key), class);
	}
	member->site = object->site;
	/* during a call without a vertex only the host can have written it */
	member->cause = event->vertex == PROFILE_NO_VERTEX ? GRAPH_HOST : event->vertex;
	member->in = class;
	member->previous = NULL;
	member->next = class->members;
	if (class->members)
		class->members->previous = member;
	class->members = member;
	class->count++;
	if (class->count == 2) {
		class->start = event->number;
		add_player(class, member->next);
	}
	if (class->count >= 2)
		add_player(class, member);
}

/* -- calls and records -- */

/* Constant time, but for the ends of episodes. */
static int take_content(void *state, const struct build_event *event,
			const struct build_record *record, struct error *error)
{
	const struct gpu_content *content = record->payload;
	struct duplicates *duplicates = state;
	struct member *member;

	if (content->zero > 1)
		return error_set(error, "content that is %u times zero: expected 0 or 1",
				 content->zero);
	if (record->freed)
		return 0;
	member = live_object(&duplicates->members, record->object);
	if (member->in && !memcmp(member->in->key.digest, content->digest, GPU_DIGEST_SIZE))
		return 0; /* it has held this since the earlier event, which is its cause */
	if (member->in)
		leave_class(duplicates, member, event->number);
	join_class(duplicates, member, event, content);
	return 0;
}

static void freed(void *state, const struct build_event *event, uint32_t object)
{
	struct duplicates *duplicates = state;
	struct member *member = live_find(&duplicates->members, object);

	if (!member)
		return;
	leave_class(duplicates, member, event->number);
	live_drop(&duplicates->members, member);
}

/* Ends all episodes. */
static void process_end(void *state, const struct build_event *last)
{
	struct duplicates *duplicates = state;
	struct content_class *class, *next_class;
	struct member *member;

	/* in the order in which the contents appeared: equal runs give equal profiles */
	HASH_ITER(hh, duplicates->classes, class, next_class)
	if (class->count >= 2)
		end_episode(duplicates, class, last->number + 1);
	HASH_ITER(hh, duplicates->classes, class, next_class)
	{
		HASH_DEL(duplicates->classes, class);
		free(class);
	}
	while ((member = live_any(&duplicates->members)))
		live_drop(&duplicates->members, member);
}

static void end(void *state)
{
	struct duplicates *duplicates = state;
	struct group *group, *next;

	HASH_ITER(hh, duplicates->groups, group, next)
	{
		HASH_DEL(duplicates->groups, group);
		free(group->roles);
		free(group);
	}
	live_release(&duplicates->members);
	free(duplicates);
}

const struct build_analysis build_duplicates = {
	.name = "duplicates",
	.kinds = (const uint32_t[]){GPU_RECORD_CONTENT, 0},
	.begin = begin,
	.freed = freed,
	.record = take_content,
	.process_end = process_end,
	.end = end,
};
