#include "util/output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/memory.h"

enum { COLUMNS_USUAL = 100 };

struct output {
	FILE *file;
	char *path;      /* NULL: stdout */
	char *temporary; /* what is renamed to path; NULL: path is written directly (a device) */
};

static struct output *opened(struct output *output)
{
	return memcpy(xmalloc(sizeof(*output)), output, sizeof(*output));
}

/* A profile is worth more than any text about it: nothing that is written here is a database. */
static bool is_database(const char *path)
{
	static const char magic[16] = "SQLite format 3";
	char bytes[sizeof(magic)];
	FILE *file = fopen(path, "re");
	bool is = file && fread(bytes, sizeof(bytes), 1, file) == 1 &&
		  !memcmp(bytes, magic, sizeof(magic));

	if (file)
		fclose(file);
	return is;
}

/* What the command reads, as long as it runs. */
struct read_file {
	dev_t device;
	ino_t file;
};
static struct read_file *read_files;
static size_t read_count, read_capacity;

void output_spare(int fd)
{
	struct stat status;

	if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode))
		return;
	ARRAY_RESERVE(read_files, read_count, read_capacity);
	read_files[read_count].device = status.st_dev;
	read_files[read_count++].file = status.st_ino;
}

static bool is_read(const struct stat *status)
{
	for (size_t i = 0; i < read_count; i++)
		if (read_files[i].device == status->st_dev && read_files[i].file == status->st_ino)
			return true;
	return false;
}

struct output *output_open(const char *path, struct error *error)
{
	struct stat status;
	struct output output = {0};
	mode_t mask;
	int fd;

	if (!path || !strcmp(path, "-")) {
		output.file = stdout;
		return opened(&output);
	}
	if (stat(path, &status) == 0 && S_ISDIR(status.st_mode)) {
		error_set(error, "cannot write %s: it is a folder", path);
		return NULL;
	}
	if (stat(path, &status) == 0 && is_read(&status)) {
		error_set(error,
			  "cannot write %s: it is what is read, which would be lost: name another "
			  "file",
			  path);
		return NULL;
	}
	if (stat(path, &status) == 0 && S_ISREG(status.st_mode) && is_database(path)) {
		error_set(error,
			  "cannot write %s: it is a profile or another database, which would "
			  "be lost: name another file, or remove it first",
			  path);
		return NULL;
	}
	/* /dev/full, /dev/stdout, a named pipe: nothing to rename over */
	if (stat(path, &status) == 0 && !S_ISREG(status.st_mode)) {
		output.file = fopen(path, "w");
	} else {
		output.temporary = xasprintf("%s.XXXXXX", path);
		fd = mkstemp(output.temporary);
		umask(mask = umask(0));
		if (fd >= 0 &&
		    (fchmod(fd, 0666 & ~mask) != 0 || !(output.file = fdopen(fd, "w")))) {
			close(fd);
			unlink(output.temporary);
		}
	}
	if (!output.file) {
		error_set(error, "cannot write %s: %s", path, strerror(errno));
		free(output.temporary);
		return NULL;
	}
	output.path = xstrdup(path);
	return opened(&output);
}

FILE *output_file(struct output *output)
{
	return output->file;
}

bool output_wants_colour(const char *path)
{
	const char *no_color = getenv("NO_COLOR"), *terminal = getenv("TERM");

	return !path && isatty(STDOUT_FILENO) && !(no_color && *no_color) && terminal &&
	       strcmp(terminal, "dumb") != 0;
}

size_t output_columns(FILE *file)
{
	struct winsize size;

	return ioctl(fileno(file), TIOCGWINSZ, &size) == 0 && size.ws_col ? size.ws_col
									  : COLUMNS_USUAL;
}

const char *output_name(const struct output *output)
{
	return output->path ? output->path : "standard output";
}

static void release(struct output *output)
{
	free(output->path);
	free(output->temporary);
	free(output);
}

int output_commit(struct output *output, struct error *error)
{
	bool failed = ferror(output->file) != 0;
	int result = 0;

	/* a write error may only show when the file is closed (disk full, quota, network) */
	errno = 0;
	failed |= fflush(output->file) != 0;
	if (output->path)
		failed |= fclose(output->file) != 0;
	if (!failed && output->temporary)
		failed |= rename(output->temporary, output->path) != 0;
	if (failed) {
		/* of an earlier write that failed, nobody kept the reason */
		result = error_set(error, "cannot write %s: %s", output_name(output),
				   errno ? strerror(errno) : "it is closed or full");
		if (output->temporary)
			unlink(output->temporary);
	}
	release(output);
	return result;
}

void output_discard(struct output *output)
{
	if (output->path)
		fclose(output->file);
	if (output->temporary)
		unlink(output->temporary);
	release(output);
}
