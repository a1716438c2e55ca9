/*
 * graph/profile/open.c: whether a file is a profile, and SQLite on it under restraint.
 */
#include "graph/profile/file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <sqlite3.h>
#include <string.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "graph/profile/version_2.h"
#include "util/memory.h"

#define MAGIC "SQLite format 3" /* and its NUL */
#define HEADER_SIZE 100
#define TEXT_MAX (64 << 20)

/* *size: the bytes that were read; *file_size: all there are. */
static int read_header(const char *path, unsigned char header[HEADER_SIZE], ssize_t *size,
		       uint64_t *file_size, struct error *error)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat status;

	if (fd < 0)
		return error_set(error, "cannot read %s: %s", path, strerror(errno));
	if (fstat(fd, &status) != 0 || S_ISDIR(status.st_mode)) {
		close(fd);
		return error_set(error, "cannot read %s: it is a folder", path);
	}
	*size = pread(fd, header, HEADER_SIZE, 0);
	*file_size = (uint64_t)status.st_size;
	if (*size < 0)
		error_set(error, "cannot read %s: %s", path, strerror(errno));
	close(fd);
	return *size < 0 ? -1 : 0;
}

/* Or what is left of one. */
static bool has_magic(const unsigned char header[HEADER_SIZE], ssize_t size)
{
	return size >= 2 &&
	       !memcmp(header, MAGIC, (size_t)size < sizeof(MAGIC) ? (size_t)size : sizeof(MAGIC));
}

bool profile_is_profile(const char *path)
{
	unsigned char header[HEADER_SIZE];
	struct error error;
	uint64_t file_size;
	ssize_t size;

	return read_header(path, header, &size, &file_size, &error) == 0 && has_magic(header, size);
}

static uint32_t big_endian(const unsigned char *bytes)
{
	return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 |
	       bytes[3];
}

/* The size that the header tells, if whoever wrote last knew that field; else 0. */
static uint64_t whole_size(const unsigned char header[HEADER_SIZE])
{
	uint64_t page = (uint64_t)header[16] << 8 | header[17];

	if (memcmp(header + 24, header + 92, 4) != 0)
		return 0;
	return big_endian(header + 28) * (page == 1 ? 65536 : page);
}

int profile_set_damaged(const char *path, struct error *error)
{
	struct error what = *error;

	return error_set(error, "%s: damaged: %s: collect it again", path, what.text);
}

int profile_bad_row(struct error *error, const char *table, uint64_t row)
{
	return error_set(error, "row %" PRIu64 " of table %s is not what a profile holds", row,
			 table);
}

/* The errno of SQLite's last error, or 0. */
static int machine_reason(sqlite3 *db)
{
	int code = sqlite3_errcode(db) & 0xff, reason = 0;

	if (code == SQLITE_FULL)
		return ENOSPC;
	if (code == SQLITE_NOMEM || sqlite3_extended_errcode(db) == SQLITE_IOERR_NOMEM)
		return ENOMEM;
	if (code == SQLITE_IOERR)
		sqlite3_file_control(db, "main", SQLITE_FCNTL_LAST_ERRNO, &reason);
	return reason ? reason : sqlite3_system_errno(db); /* sometimes one, sometimes the other */
}

int profile_want_of_room(sqlite3 *db)
{
	int reason = machine_reason(db);

	/* SQLite takes quotas and limits on files for disks that fail */
	return reason == ENOSPC || reason == EDQUOT || reason == EFBIG ? reason : 0;
}

bool profile_sqlite_error(sqlite3 *db, struct error *error)
{
	int code = sqlite3_errcode(db) & 0xff, reason = machine_reason(db);

	if (code == SQLITE_CORRUPT || code == SQLITE_NOTADB ||
	    sqlite3_extended_errcode(db) == SQLITE_IOERR_SHORT_READ) {
		error_set(error, "its pages were changed or cut after it was written");
		return true;
	}
	if (reason)
		error_set(error, "%s", strerror(reason));
	else
		error_set(error, "SQLite says: %s", sqlite3_errmsg(db));
	return !reason && code != SQLITE_IOERR && code != SQLITE_CANTOPEN && code != SQLITE_PERM &&
	       code != SQLITE_READONLY && code != SQLITE_BUSY && code != SQLITE_LOCKED;
}

int profile_set_unreadable(const char *path, struct error *error)
{
	return error_prefix(error, "cannot read %s", path);
}

/* Versions up to 999 are of the time before minor ones; the last was 2. */
static int check_version(const char *path, uint32_t version, struct error *error)
{
	const unsigned major = PROFILE_MAJOR_VERSION;

	if (PROFILE_MAJOR(version) > major)
		return error_set(error,
				 "%s: made by a newer vflow: profile version %u, this one reads "
				 "up to %u: update vflow",
				 path, version, major * 1000 + 999);
	if (version == 1)
		return error_set(error,
				 "%s: made by an older vflow: profile version 1, this one reads %u "
				 "and newer ones: collect it again",
				 path, PROFILE_VERSION_2);
	if (PROFILE_MAJOR(version) == major || version == PROFILE_VERSION_2)
		return 0;
	error_set(error, "profile version %u", version);
	return profile_set_damaged(path, error);
}

static int check_size(const char *path, const unsigned char header[HEADER_SIZE], uint64_t file_size,
		      struct error *error)
{
	uint64_t whole = whole_size(header);

	if (file_size >= whole)
		return 0;
	error_set(error, "truncated: %" PRIu64 " of its %" PRIu64 " bytes are there", file_size,
		  whole);
	return profile_set_damaged(path, error);
}

/* What can be said before SQLite looks at the file. */
static int check_header(const char *path, uint32_t *version, struct error *error)
{
	unsigned char header[HEADER_SIZE];
	uint64_t file_size;
	ssize_t size;

	if (read_header(path, header, &size, &file_size, error) != 0)
		return -1;
	if (size == 0)
		return error_set(error, "%s: not a profile: the file is empty", path);
	if (!has_magic(header, size))
		return error_set(error, "%s: not a profile", path);
	if (size < HEADER_SIZE) {
		error_set(error, "truncated after %zd bytes", size);
		return profile_set_damaged(path, error);
	}
	if (big_endian(header + 68) != PROFILE_APPLICATION_ID)
		return error_set(error, "%s: an SQLite database, but not a vflow profile", path);
	*version = big_endian(header + 60);
	return check_version(path, *version, error) == 0
		       ? check_size(path, header, file_size, error)
		       : -1;
}

/* "file:..." with what means something in a URI escaped. */
static char *uri_of(const char *path)
{
	/* immutable: no locks and no -wal or -shm beside it, so a read-only folder will do */
	static const char prefix[] = "file:", suffix[] = "?immutable=1";
	char *uri = xmalloc(sizeof(prefix) + sizeof(suffix) + 3 * strlen(path) + 2), *to = uri;

	to = stpcpy(to, prefix);
	if (path[0] != '/')
		to = stpcpy(to, "./");
	for (; *path; path++) {
		if (strchr("%?#", *path)) {
			static const char digits[] = "0123456789abcdef";

			*to++ = '%';
			*to++ = digits[(unsigned char)*path >> 4];
			*to++ = digits[*path & 15];
		} else {
			*to++ = *path;
		}
	}
	strcpy(to, suffix);
	return uri;
}

static void restrain(sqlite3 *db)
{
	sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
	sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
	sqlite3_limit(db, SQLITE_LIMIT_LENGTH, TEXT_MAX);
	sqlite3_limit(db, SQLITE_LIMIT_SQL_LENGTH, 100000);
	sqlite3_limit(db, SQLITE_LIMIT_COLUMN, 100);
	sqlite3_limit(db, SQLITE_LIMIT_EXPR_DEPTH, 100);
	sqlite3_limit(db, SQLITE_LIMIT_COMPOUND_SELECT, 10);
	sqlite3_limit(db, SQLITE_LIMIT_ATTACHED, 0);
	sqlite3_limit(db, SQLITE_LIMIT_TRIGGER_DEPTH, 1);
	sqlite3_exec(db,
		     "PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0; PRAGMA query_only = ON",
		     NULL, NULL, NULL);
}

/* As SQLite does it, which follows no link later, but with room for more than 512 bytes. */
static int full_path(sqlite3_vfs *vfs, const char *path, int size, char *full)
{
	char *real = realpath(path, NULL);
	const char *used = real ? real : path; /* too long in full, or it will fail */
	size_t length = strlen(used);
	int result = SQLITE_CANTOPEN;

	(void)vfs;
	if (length < (size_t)size) {
		memcpy(full, used, length + 1);
		result = SQLITE_OK;
	}
	free(real);
	return result;
}

const char *profile_vfs(void)
{
	static sqlite3_vfs vfs;

	if (!vfs.zName && sqlite3_vfs_find(NULL)) {
		vfs = *sqlite3_vfs_find(NULL);
		vfs.xFullPathname = full_path;
		vfs.mxPathname = PATH_MAX;
		vfs.zName = "vflow";
		sqlite3_vfs_register(&vfs, 0);
	}
	return vfs.zName;
}

int profile_open(const char *path, sqlite3 **db, uint32_t *version, struct error *error)
{
	char *uri;
	int result;

	*db = NULL;
	if (check_header(path, version, error) != 0)
		return -1;
	uri = uri_of(path);
	result = sqlite3_open_v2(uri, db,
				 SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX,
				 profile_vfs());
	free(uri);
	if (result == SQLITE_OK) {
		restrain(*db);
		return 0;
	}
	profile_sqlite_error(*db, error);
	sqlite3_close(*db);
	return profile_set_unreadable(path, error);
}
