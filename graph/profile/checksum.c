#include "graph/profile/checksum.h"

#include <stdlib.h>
#include <string.h>

#include "graph/profile/table.h"
#include "util/memory.h"

static const char itself[] = "checksum"; /* the row of the list itself */

#define CHECKSUM_COLUMN(member, TYPE) COLUMN(struct profile_checksum, member, TYPE)

/* These columns and no others, in any version: the sum of the list is over them. */
static const struct profile_column columns[] = {
	CHECKSUM_COLUMN(name, TEXT),
	CHECKSUM_COLUMN(rows, COUNT),
	CHECKSUM_COLUMN(sha256, TEXT),
	{0},
};

const struct profile_table profile_table_checksum = {
	.name = itself,
	.columns = columns,
	TABLE_ROWS(checksums, checksum_count, checksum_capacity),
};

const struct profile_checksum *checksum_of(const struct profile *profile, const char *table)
{
	for (uint32_t i = 0; i < profile->checksum_count; i++)
		if (!strcmp(profile->checksums[i].name, table))
			return &profile->checksums[i];
	return NULL;
}

void checksum_add(struct profile *profile, const char *table, uint64_t rows, const char *sha256)
{
	ARRAY_RESERVE(profile->checksums, profile->checksum_count, profile->checksum_capacity);
	profile->checksums[profile->checksum_count++] = (struct profile_checksum){
		.name = xstrdup(table), .rows = rows, .sha256 = xstrdup(sha256)};
}

static int by_name(const void *left, const void *right)
{
	const struct profile_checksum *a = left, *b = right;

	return strcmp(a->name, b->name);
}

/* Over all rows but its own. */
static void sum_list(const struct profile *profile, char hex[DIGEST_SIZE])
{
	struct digest *digest = digest_new();

	table_digest_columns(digest, &profile_table_checksum);
	for (uint32_t i = 0; i < profile->checksum_count; i++) {
		const struct profile_checksum *row = &profile->checksums[i];

		if (!strcmp(row->name, itself))
			continue;
		digest_text(digest, row->name, strlen(row->name));
		digest_integer(digest, row->rows);
		digest_text(digest, row->sha256, strlen(row->sha256));
	}
	digest_end(digest, hex);
	digest_free(digest);
}

void checksum_finish(struct profile *profile)
{
	uint32_t count = profile->checksum_count;
	char hex[DIGEST_SIZE];

	qsort(profile->checksums, count, sizeof(*profile->checksums), by_name);
	sum_list(profile, hex);
	checksum_add(profile, itself, count, hex);
	qsort(profile->checksums, count + (size_t)1, sizeof(*profile->checksums), by_name);
}

bool checksum_list_holds(const struct profile *profile)
{
	const struct profile_checksum *own = checksum_of(profile, itself);
	char hex[DIGEST_SIZE];

	sum_list(profile, hex);
	return own && own->rows + 1 == profile->checksum_count && !strcmp(own->sha256, hex);
}
