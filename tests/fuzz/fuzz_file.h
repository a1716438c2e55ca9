/* tests/fuzz/fuzz_file.h: the input as a file, for readers that want a path. */
#ifndef VFLOW_TESTS_FUZZ_FUZZ_FILE_H
#define VFLOW_TESTS_FUZZ_FUZZ_FILE_H

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char fuzz_folder[] = "/tmp/vflow-fuzz-XXXXXX";
static char fuzz_file[64];

static void fuzz_remove(void)
{
	unlink(fuzz_file);
	rmdir(fuzz_folder);
}

/* Writes the input to a file of this name in a folder of its own; both go at exit. */
static const char *fuzz_write(const char *name, const uint8_t *data, size_t size)
{
	int file;

	if (!*fuzz_file) {
		if (!mkdtemp(fuzz_folder))
			abort();
		snprintf(fuzz_file, sizeof(fuzz_file), "%s/%s", fuzz_folder, name);
		atexit(fuzz_remove);
	}
	file = open(fuzz_file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (file < 0 || write(file, data, size) != (ssize_t)size)
		abort();
	close(file);
	return fuzz_file;
}

#endif
