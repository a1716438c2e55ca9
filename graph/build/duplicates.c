#include "graph/build/duplicates.h"

#include <stdlib.h>
#include <string.h>

#include <uthash.h>

#include "util/memory.h"

#define DIGEST_SIZE 32

struct class_key {
	uint64_t size;
	uint8_t digest[DIGEST_SIZE];
};

struct player_key {
	uint32_t object, cause;
};

struct player { /* an object in an episode, once per cause */
	struct player_key key;
	uint32_t site;
	UT_hash_handle hh;
};

struct member { /* an object that has content */
	uint32_t object, site, cause;
	struct content_class *in;
	struct member *next, *previous; /* in the class */
	UT_hash_handle hh;
};

struct content_class {
	struct class_key key;
	bool zero;
	struct member *members;
	uint32_t count;
	uint64_t start;         /* event of the episode's begin */
	struct player *players; /* of the episode; NULL: there is none */
	UT_hash_handle hh;
};

struct duplicates {
	struct merge *merge;
	struct content_class *classes;
	struct member *members; /* by object */
};

struct duplicates *duplicates_new(struct merge *merge)
{
	struct duplicates *duplicates = xcalloc(1, sizeof(*duplicates));

	duplicates->merge = merge;
	return duplicates;
}

static void add_player(struct content_class *class, const struct member *member)
{
	struct player_key key = {member->object, member->cause};
	struct player *player;

	HASH_FIND(hh, class->players, &key, sizeof(key), player);
	if (player)
		return;
	player = xcalloc(1, sizeof(*player));
	player->key = key;
	player->site = member->site;
	HASH_ADD(hh, class->players, key, sizeof(player->key), player);
}

static int compare_roles(const void *left, const void *right)
{
	const struct merge_role *a = left, *b = right;

	if (a->site != b->site)
		return a->site < b->site ? -1 : 1;
	return (a->cause > b->cause) - (a->cause < b->cause);
}

/* The players as roles, each once, with the number of objects. */
static uint32_t collect_roles(const struct content_class *class, struct merge_role *roles)
{
	uint32_t count = 0, used = 0;
	const struct player *player;

	for (player = class->players; player; player = player->hh.next)
		roles[count++] = (struct merge_role){player->site, player->key.cause, 1};
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
	struct merge_role *roles = xcalloc(HASH_COUNT(class->players), sizeof(*roles));
	struct player *player, *next;

	/* one event may change two objects in a row: in between is no time */
	if (end > class->start)
		merge_episode(duplicates->merge, roles, collect_roles(class, roles),
			      class->key.size, end - class->start, class->zero);
	HASH_ITER(hh, class->players, player, next)
	{
		HASH_DEL(class->players, player);
		free(player);
	}
	free(roles);
}

static void leave(struct duplicates *duplicates, struct member *member, uint64_t event)
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

static void join(struct duplicates *duplicates, struct member *member,
		 const struct duplicates_content *content)
{
	struct content_class *class;
	struct class_key key = {.size = content->size};

	memcpy(key.digest, content->digest, DIGEST_SIZE);
	HASH_FIND(hh, duplicates->classes, &key, sizeof(key), class);
	if (!class) {
		class = xcalloc(1, sizeof(*class));
		class->key = key;
		class->zero = content->zero;
		HASH_ADD(hh, duplicates->classes, key, sizeof(class->key), class);
	}
	member->site = content->site;
	member->cause = content->cause;
	member->in = class;
	member->previous = NULL;
	member->next = class->members;
	if (class->members)
		class->members->previous = member;
	class->members = member;
	class->count++;
	if (class->count == 2) {
		class->start = content->event;
		add_player(class, member->next);
	}
	if (class->count >= 2)
		add_player(class, member);
}

void duplicates_content(struct duplicates *duplicates, const struct duplicates_content *content)
{
	struct member *member;

	HASH_FIND(hh, duplicates->members, &content->object, sizeof(content->object), member);
	if (!member) {
		member = xcalloc(1, sizeof(*member));
		member->object = content->object;
		HASH_ADD(hh, duplicates->members, object, sizeof(member->object), member);
	} else if (member->in->key.size == content->size &&
		   !memcmp(member->in->key.digest, content->digest, DIGEST_SIZE)) {
		return; /* it has held this content since the earlier event, which is its cause */
	} else {
		leave(duplicates, member, content->event);
	}
	join(duplicates, member, content);
}

void duplicates_freed(struct duplicates *duplicates, uint32_t object, uint64_t event)
{
	struct member *member;

	HASH_FIND(hh, duplicates->members, &object, sizeof(object), member);
	if (!member)
		return;
	leave(duplicates, member, event);
	HASH_DEL(duplicates->members, member);
	free(member);
}

void duplicates_free(struct duplicates *duplicates, uint64_t event)
{
	struct member *member, *next;
	struct content_class *class, *next_class;

	/* in the order in which the contents appeared: equal runs give equal profiles */
	HASH_ITER(hh, duplicates->classes, class, next_class)
	if (class->count >= 2)
		end_episode(duplicates, class, event + 1);
	HASH_ITER(hh, duplicates->classes, class, next_class)
	{
		HASH_DEL(duplicates->classes, class);
		free(class);
	}
	HASH_ITER(hh, duplicates->members, member, next)
	{
		HASH_DEL(duplicates->members, member);
		free(member);
	}
	free(duplicates);
}
