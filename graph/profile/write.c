/* graph/profile/write.c: a profile into a new SQLite file. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "graph/profile/checksum.h"
#include "graph/profile/file.h"
#include "graph/profile/table.h"
#include "util/memory.h"

static void create(struct profile_writer *writer, const struct profile_table *table)
{
	char *sql = table_sql(table);

	writer_execute(writer, sql);
	free(sql);
	if (table->views)
		writer_execute(writer, table->views);
	if (table->make_views)
		writer_execute(writer, table->make_views());
}

static void write_tables(struct profile_writer *writer, const struct profile *profile)
{
	struct profile *list = profile_new();

	for (size_t t = 0; profile_tables[t]; t++) {
		char sum[DIGEST_SIZE];

		table_write(writer, profile_tables[t], profile);
		digest_end(writer->digest, sum);
		checksum_add(list, profile_tables[t]->name, writer->rows, sum);
	}
	checksum_finish(list);
	table_write(writer, &profile_table_checksum, list);
	profile_free(list);
}

enum { MANY_ROWS = 50000 };

static int user_version(void)
{
	int columns = 0;

	for (size_t t = 0; profile_tables[t]; t++)
		columns += table_column_count(profile_tables[t]);
	return PROFILE_MAJOR_VERSION * 1000 + columns;
}

/* Each table takes a page at least; many rows take less time in large ones. */
static unsigned page_size(const struct profile *profile)
{
	uint64_t rows = 0;

	for (size_t t = 0; profile_tables[t]; t++)
		if (!profile_tables[t]->list_of)
			rows += table_count(profile_tables[t], profile);
	return rows > MANY_ROWS ? 4096 : 1024;
}

static void write_all(struct profile_writer *writer, const struct profile *profile)
{
	char pragmas[240];

	/*
	 * The file is new: when it fails it goes as a whole, so nothing is needed to roll back.
	 * References were checked; SQLite would take twice the time to do it again.  All is one
	 * transaction, since the disk is waited for at the end of each.
	 */
	snprintf(pragmas, sizeof(pragmas),
		 "PRAGMA page_size = %u; PRAGMA journal_mode = OFF; PRAGMA synchronous = FULL;"
		 "PRAGMA foreign_keys = OFF; BEGIN; PRAGMA application_id = %d;"
		 "PRAGMA user_version = %d",
		 page_size(profile), PROFILE_APPLICATION_ID, user_version());
	writer_execute(writer, pragmas);
	for (size_t t = 0; profile_tables[t]; t++)
		create(writer, profile_tables[t]);
	create(writer, &profile_table_checksum);
	write_tables(writer, profile);
	writer_execute(writer, "COMMIT");
}

/* The file's name must survive a crash as well. */
static void sync_folder(const char *path)
{
	const char *slash = strrchr(path, '/');
	char *folder = slash ? xstrndup(path, (size_t)(slash - path + 1)) : xstrdup(".");
	int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd >= 0) {
		fsync(fd); /* not every file system can: the content is safe already */
		close(fd);
	}
	free(folder);
}

static int write_file(const struct profile *profile, const char *path, int *room,
		      struct error *error)
{
	struct profile_writer writer = {.error = error};
	char *name; /* a path that SQLite does not take for a URI or an option */
	int fd = open(path, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0666);

	*room = 0;
	if (fd < 0)
		return error_set(error, "%s", strerror(errno));
	flock(fd, LOCK_EX | LOCK_NB); /* until it is written: see collect/leftovers.h */
	writer.digest = digest_new();
	name = xasprintf("%s%s", path[0] == '/' ? "" : "./", path);
	if (sqlite3_open_v2(name, &writer.db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX,
			    profile_vfs()) != SQLITE_OK)
		writer_fail(&writer);
	write_all(&writer, profile);
	writer_finish(&writer);
	*room = writer.room;
	if (sqlite3_close(writer.db) != SQLITE_OK)
		writer_fail(&writer);
	close(fd); /* not before: that would end SQLite's own locks */
	digest_free(writer.digest);
	free(name);
	if (!writer.failed)
		return 0;
	unlink(path);
	return -1;
}

/* The events are most of the file, and the least of it to miss. */
static int write_without_events(const struct profile *profile, const char *path, int room,
				struct error *error)
{
	const struct coverage_row *row = coverage_row(COVERAGE_EVENTS_NOT_WRITTEN);
	char *what = coverage_text(row->words, NULL);
	char *reason = coverage_text(row->sentence, strerror(room)), *id = xstrdup(row->name);
	struct profile less = *profile;
	int result;

	less.event_rows = less.access_count = 0;
	less.coverage = xcalloc(profile->coverage_count + (size_t)1, sizeof(*less.coverage));
	if (profile->coverage_count)
		memcpy(less.coverage, profile->coverage,
		       profile->coverage_count * sizeof(*less.coverage));
	less.coverage[less.coverage_count++] = (struct profile_coverage){
		.what = what,
		.reason = reason,
		.count = profile->event_rows,
		.id = id,
		.hides = row->hides,
	};
	result = write_file(&less, path, &room, error);
	free(less.coverage);
	free(what);
	free(reason);
	free(id);
	return result;
}

int profile_write(const struct profile *profile, const char *path, struct error *error)
{
	int result, room;

	if (profile_validate(profile, false, error) != 0 ||
	    profile_validate(profile, true, error) != 0)
		return -1;
	result = write_file(profile, path, &room, error);
	if (result != 0 && room && profile->event_rows)
		result = write_without_events(profile, path, room, error);
	if (result == 0)
		sync_folder(path);
	return result;
}
