/* graph/profile/site.c: how the objects of a site were used. */
#include "graph/profile/table.h"

#define SITE_COLUMN(member, TYPE, ...) COLUMN(struct profile_site, member, TYPE, __VA_ARGS__)

static const struct profile_column site_columns[] = {
	KEY("id", ID),
	SITE_COLUMN(site, VERTEX, .of = &profile_table_vertex),
	SITE_COLUMN(objects, COUNT),
	SITE_COLUMN(bytes, COUNT),
	SITE_COLUMN(untouched, COUNT),
	SITE_COLUMN(untouched_bytes, COUNT),
	SITE_COLUMN(repeated, COUNT),
	SITE_COLUMN(repeated_bytes, COUNT),
	{0},
};

const struct profile_table profile_table_site = {
	.name = "site",
	.columns = site_columns,
	.optional = true,
	TABLE_ROWS(sites, site_count, site_capacity),
};
