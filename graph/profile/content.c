/* graph/profile/content.c: contents that were there before, and copies that one could make. */
#include "graph/profile/table.h"

#define DOWNLOAD_COLUMN(member, TYPE, ...)                                                         \
	COLUMN(struct profile_download, member, TYPE, __VA_ARGS__)

static const struct profile_column download_columns[] = {
	KEY("id", ID),
	DOWNLOAD_COLUMN(vertex, VERTEX, .of = &profile_table_vertex),
	DOWNLOAD_COLUMN(site, VERTEX, .of = &profile_table_vertex),
	DOWNLOAD_COLUMN(copies, COUNT),
	DOWNLOAD_COLUMN(bytes, COUNT),
	DOWNLOAD_COLUMN(same, COUNT),
	DOWNLOAD_COLUMN(same_bytes, COUNT),
	DOWNLOAD_COLUMN(same_first, COUNT),
	DOWNLOAD_COLUMN(changed_later, COUNT),
	DOWNLOAD_COLUMN(same_unwritten, COUNT, .nullable = true),
	DOWNLOAD_COLUMN(elsewhere, COUNT, .nullable = true),
	DOWNLOAD_COLUMN(elsewhere_bytes, COUNT, .nullable = true),
	{0},
};

const struct profile_table profile_table_download = {
	.name = "download",
	.columns = download_columns,
	.optional = true,
	TABLE_ROWS(downloads, download_count, download_capacity),
};

#define UPLOAD_COLUMN(member, TYPE, ...) COLUMN(struct profile_upload, member, TYPE, __VA_ARGS__)

static const struct profile_column upload_columns[] = {
	KEY("id", ID),
	UPLOAD_COLUMN(vertex, VERTEX, .of = &profile_table_vertex),
	UPLOAD_COLUMN(site, VERTEX, .of = &profile_table_vertex),
	UPLOAD_COLUMN(copies, COUNT),
	UPLOAD_COLUMN(bytes, COUNT),
	UPLOAD_COLUMN(repeated, COUNT),
	UPLOAD_COLUMN(repeated_bytes, COUNT),
	UPLOAD_COLUMN(contents, COUNT),
	UPLOAD_COLUMN(content_bytes, COUNT),
	{0},
};

const struct profile_table profile_table_upload = {
	.name = "upload",
	.columns = upload_columns,
	.optional = true,
	TABLE_ROWS(uploads, upload_count, upload_capacity),
};

#define SHARE_COLUMN(member, TYPE, ...) COLUMN(struct profile_share, member, TYPE, __VA_ARGS__)

static const struct profile_column share_columns[] = {
	KEY("id", ID),
	SHARE_COLUMN(vertex, VERTEX, .of = &profile_table_vertex),
	SHARE_COLUMN(site, VERTEX, .of = &profile_table_vertex),
	SHARE_COLUMN(holder, VERTEX, .of = &profile_table_vertex),
	SHARE_COLUMN(writes, COUNT),
	SHARE_COLUMN(spared, COUNT),
	SHARE_COLUMN(bytes, COUNT),
	{0},
};

const struct profile_table profile_table_share = {
	.name = "share",
	.columns = share_columns,
	.optional = true,
	TABLE_ROWS(shares, share_count, share_capacity),
};

#define ROUND_TRIP_COLUMN(member, TYPE, ...)                                                       \
	COLUMN(struct profile_round_trip, member, TYPE, __VA_ARGS__)

static const struct profile_column round_trip_columns[] = {
	KEY("id", ID),
	ROUND_TRIP_COLUMN(upload, VERTEX, .of = &profile_table_vertex),
	ROUND_TRIP_COLUMN(site, VERTEX, .of = &profile_table_vertex),
	ROUND_TRIP_COLUMN(download, VERTEX, .of = &profile_table_vertex),
	ROUND_TRIP_COLUMN(uploads, COUNT),
	ROUND_TRIP_COLUMN(upload_bytes, COUNT),
	ROUND_TRIP_COLUMN(downloads, COUNT),
	ROUND_TRIP_COLUMN(download_bytes, COUNT),
	{0},
};

const struct profile_table profile_table_round_trip = {
	.name = "round_trip",
	.columns = round_trip_columns,
	.optional = true,
	TABLE_ROWS(round_trips, round_trip_count, round_trip_capacity),
};

#define RUN_COLUMN(member, TYPE, ...) COLUMN(struct profile_copy_run, member, TYPE, __VA_ARGS__)

static const struct profile_column copy_run_columns[] = {
	KEY("id", ID),
	RUN_COLUMN(vertex, VERTEX, .of = &profile_table_vertex),
	RUN_COLUMN(site, VERTEX, .of = &profile_table_vertex),
	RUN_COLUMN(process, INDEX, .of = &profile_table_process),
	RUN_COLUMN(shape, 32),
	RUN_COLUMN(first, COUNT),
	RUN_COLUMN(copies, COUNT),
	RUN_COLUMN(bytes, COUNT),
	RUN_COLUMN(device_stride, COUNT),
	RUN_COLUMN(host_stride, COUNT),
	RUN_COLUMN(from_host, FLAG),
	{0},
};

static bool copy_run_holds(const struct profile *profile, const void *row)
{
	const struct profile_copy_run *run = row;

	(void)profile;
	return run->copies && run->first <= PROFILE_NUMBER_MAX - run->copies &&
	       run->shape >= PROFILE_COPY_RUN_ADJOINING && run->shape <= PROFILE_COPY_RUN_SCATTERED;
}

const struct profile_table profile_table_copy_run = {
	.name = "copy_run",
	.columns = copy_run_columns,
	.optional = true,
	.most = PROFILE_COPY_RUNS_MAX,
	TABLE_ROWS(copy_runs, copy_run_count, copy_run_capacity),
	.holds = copy_run_holds,
};
