/* graph/profile/written.c: what operations wrote to objects, and what became of it. */
#include "graph/profile/table.h"

#define WRITE_COLUMN(member, TYPE, ...) COLUMN(struct profile_write, member, TYPE, __VA_ARGS__)

static const struct profile_column write_columns[] = {
	KEY("id", ID),
	WRITE_COLUMN(vertex, VERTEX, .of = &profile_table_vertex),
	WRITE_COLUMN(site, VERTEX, .of = &profile_table_vertex),
	WRITE_COLUMN(writes, COUNT),
	WRITE_COLUMN(bytes, COUNT),
	WRITE_COLUMN(unchanged_bytes, COUNT),
	WRITE_COLUMN(unchanged_writes, COUNT),
	WRITE_COLUMN(unchanged_writes_bytes, COUNT),
	WRITE_COLUMN(unchanged_first, COUNT),
	WRITE_COLUMN(changed_later, COUNT),
	WRITE_COLUMN(same_input, COUNT),
	WRITE_COLUMN(zero_writes, COUNT),
	{0},
};

const struct profile_table profile_table_write = {
	.name = "write",
	.columns = write_columns,
	.optional = true,
	TABLE_ROWS(writes, write_count, write_capacity),
};

#define FATE_COLUMN(member, TYPE, ...) COLUMN(struct profile_fate, member, TYPE, __VA_ARGS__)

static const struct profile_column fate_columns[] = {
	KEY("id", ID),
	FATE_COLUMN(vertex, VERTEX, .of = &profile_table_vertex),
	FATE_COLUMN(site, VERTEX, .of = &profile_table_vertex),
	FATE_COLUMN(writes, COUNT),
	FATE_COLUMN(bytes, COUNT),
	FATE_COLUMN(dead_bytes, COUNT),
	FATE_COLUMN(unread_bytes, COUNT),
	FATE_COLUMN(read_first, COUNT),
	FATE_COLUMN(read_end, COUNT),
	FATE_COLUMN(readers, COUNT),
	FATE_COLUMN(consumer, VERTEX, .nullable = true, .of = &profile_table_vertex),
	FATE_COLUMN(consumed_bytes, COUNT),
	FATE_COLUMN(read_own, COUNT),
	FATE_COLUMN(atomics, COUNT),
	FATE_COLUMN(unread_writes, COUNT, .nullable = true),
	FATE_COLUMN(unread_writes_bytes, COUNT, .nullable = true),
	FATE_COLUMN(steady, COUNT, .nullable = true),
	{0},
};

const struct profile_table profile_table_fate = {
	.name = "fate",
	.columns = fate_columns,
	.optional = true,
	TABLE_ROWS(fates, fate_count, fate_capacity),
};
