/* graph/profile/unread.c: where lies what operations wrote and nobody read, which invocations were
 * not analysed, and what kernels loaded before anybody had written it. */
#include "graph/profile/table.h"

#define UNREAD_COLUMN(member, TYPE, ...) COLUMN(struct profile_unread, member, TYPE, __VA_ARGS__)

static const struct profile_column columns[] = {
	KEY("id", ID),
	UNREAD_COLUMN(vertex, VERTEX, .of = &profile_table_vertex),
	UNREAD_COLUMN(object, VERTEX, .of = &profile_table_vertex),
	UNREAD_COLUMN(first, COUNT),
	UNREAD_COLUMN(last, COUNT),
	UNREAD_COLUMN(bytes, COUNT),
	{0},
};

static bool holds(const struct profile *profile, const void *row)
{
	const struct profile_unread *unread = row;

	(void)profile;
	return unread->first <= unread->last;
}

const struct profile_table profile_table_unread = {
	.name = "unread",
	.columns = columns,
	.optional = true,
	TABLE_ROWS(unread, unread_count, unread_capacity),
	.holds = holds,
};

#define UNSEEN_COLUMN(member, TYPE, ...) COLUMN(struct profile_unseen, member, TYPE, __VA_ARGS__)

static const struct profile_column unseen_columns[] = {
	KEY("id", ID),
	UNSEEN_COLUMN(vertex, VERTEX, .of = &profile_table_vertex),
	UNSEEN_COLUMN(invocations, COUNT),
	{0},
};

const struct profile_table profile_table_unseen = {
	.name = "unseen",
	.columns = unseen_columns,
	.optional = true,
	TABLE_ROWS(unseen, unseen_count, unseen_capacity),
};

#define UNWRITTEN_COLUMN(member, TYPE, ...)                                                        \
	COLUMN(struct profile_unwritten, member, TYPE, __VA_ARGS__)

static const struct profile_column unwritten_columns[] = {
	KEY("id", ID),
	UNWRITTEN_COLUMN(vertex, VERTEX, .of = &profile_table_vertex),
	UNWRITTEN_COLUMN(object, VERTEX, .of = &profile_table_vertex),
	UNWRITTEN_COLUMN(invocations, COUNT),
	UNWRITTEN_COLUMN(bytes, COUNT),
	{0},
};

static bool unwritten_holds(const struct profile *profile, const void *row)
{
	const struct profile_unwritten *unwritten = row;

	(void)profile;
	return unwritten->invocations && unwritten->invocations <= unwritten->bytes;
}

const struct profile_table profile_table_unwritten = {
	.name = "unwritten",
	.columns = unwritten_columns,
	.optional = true,
	TABLE_ROWS(unwritten, unwritten_count, unwritten_capacity),
	.holds = unwritten_holds,
};
