/* graph/profile/coverage.c: what was not seen, skipped or cut. */
#include <stdlib.h>
#include <string.h>

#include "graph/profile/table.h"
#include "util/memory.h"

#define COVERAGE_COLUMN(member, TYPE) COLUMN(struct profile_coverage, member, TYPE)

static const struct profile_column columns[] = {
	KEY("id", ID),
	COVERAGE_COLUMN(what, TEXT),
	COVERAGE_COLUMN(reason, TEXT),
	COVERAGE_COLUMN(count, COUNT),
	COVERAGE_COLUMN(bytes, COUNT),
	COLUMN_NAMED("kind", struct profile_coverage, id, TEXT, .nullable = true),
	{0},
};

/*
 * What the row hides, by its id or, in files of version 2, which have none, by its texts.  A row
 * that is not known hides reads and writes.
 */
static void identify(struct profile_coverage *row)
{
	const struct coverage_row *known =
		row->id ? coverage_named(row->id) : coverage_of_text(row->what, row->reason);

	if (known && !row->id)
		row->id = xstrdup(known->name);
	row->hides = known ? known->hides : COVERAGE_HIDES_BOTH;
}

static void finish(struct profile_rows *rows, struct profile *profile)
{
	(void)rows;
	for (uint32_t i = 0; i < profile->coverage_count; i++)
		identify(&profile->coverage[i]);
}

const struct profile_table profile_table_coverage = {
	.name = "coverage",
	.columns = columns,
	.optional = true,
	TABLE_ROWS(coverage, coverage_count, coverage_capacity),
	.finish = finish,
};

const struct profile_coverage *profile_find_coverage(const struct profile *profile,
						     enum coverage_id id)
{
	for (uint32_t i = 0; i < profile->coverage_count; i++)
		if (coverage_is(profile->coverage[i].id, id))
			return &profile->coverage[i];
	return NULL;
}

/* Takes over the texts of `added`. */
static void add_coverage(struct profile *profile, struct profile_coverage added)
{
	struct profile_coverage *row = NULL;

	for (uint32_t i = 0; i < profile->coverage_count && !row; i++)
		if (!strcmp(profile->coverage[i].what, added.what) &&
		    !strcmp(profile->coverage[i].reason, added.reason))
			row = &profile->coverage[i];
	if (row) {
		free(added.what);
		free(added.reason);
		free(added.id);
	} else {
		ARRAY_RESERVE(profile->coverage, profile->coverage_count,
			      profile->coverage_capacity);
		row = &profile->coverage[profile->coverage_count++];
		*row = added;
		row->count = row->bytes = 0;
	}
	profile_add(&row->count, added.count);
	profile_add(&row->bytes, added.bytes);
	row->hides |= added.hides;
}

void profile_add_coverage(struct profile *profile, enum coverage_id id, const char *detail,
			  uint64_t count, uint64_t bytes)
{
	const struct coverage_row *row = coverage_row(id);

	add_coverage(profile, (struct profile_coverage){
				      .what = coverage_text(row->words, detail),
				      .reason = coverage_text(row->sentence, detail),
				      .count = count,
				      .bytes = bytes,
				      .id = xstrdup(row->name),
				      .hides = row->hides,
			      });
}

void profile_add_coverage_text(struct profile *profile, const char *what, const char *reason,
			       uint64_t count, uint64_t bytes)
{
	struct profile_coverage row = {
		.what = xstrdup(what), .reason = xstrdup(reason), .count = count, .bytes = bytes};

	identify(&row);
	add_coverage(profile, row);
}
