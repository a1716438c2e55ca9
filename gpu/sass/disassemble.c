/* gpu/sass/disassemble.c: see disassemble.h. */
#include "gpu/sass/disassemble.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gpu/sass/cubin.h"
#include "util/memory.h"

#define MAX_TEXT ((size_t)1 << 30) /* 12 MB of code */
#define MAX_FUNCTIONS 4096

/* The path to give to posix_spawnp(): on PATH, or in a toolkit. */
static char *find_tool(void)
{
	static const char *const folders[] = {"/usr/local/cuda/bin", "/opt/cuda/bin",
					      "/usr/lib/nvidia-cuda-toolkit/bin"};
	const char *home = getenv("CUDA_HOME"), *path = getenv("PATH");
	char *folder_list = xstrdup(path ? path : ""), *rest = folder_list, *folder, *found = NULL;

	while (!found && (folder = strsep(&rest, ":"))) {
		found = xasprintf("%s/nvdisasm", *folder ? folder : ".");
		if (access(found, X_OK)) {
			free(found);
			found = NULL;
		}
	}
	free(folder_list);
	for (size_t i = 0; !found && i <= sizeof(folders) / sizeof(*folders); i++) {
		if (!i && !home)
			continue;
		found = i ? xasprintf("%s/nvdisasm", folders[i - 1])
			  : xasprintf("%s/bin/nvdisasm", home);
		if (access(found, X_OK)) {
			free(found);
			found = NULL;
		}
	}
	return found;
}

/* A file without a name that holds the image; its path while it is open.  -1: none. */
static int image_file(const void *image, size_t size)
{
	int file = memfd_create("cubin", 0);
	size_t done = 0;

	while (file >= 0 && done < size) {
		ssize_t wrote = write(file, (const char *)image + done, size - done);

		if (wrote <= 0) {
			close(file);
			return -1;
		}
		done += (size_t)wrote;
	}
	return file;
}

/* All that comes; false: more than the limit, or no memory. */
static bool read_all(int from, char **text, size_t *size)
{
	size_t capacity = 0;
	ssize_t got;

	*text = NULL;
	*size = 0;
	do {
		if (*size == capacity) {
			char *more;

			capacity = capacity ? 2 * capacity : 65536;
			more = capacity > MAX_TEXT ? NULL : realloc(*text, capacity);
			if (!more)
				return false;
			*text = more;
		}
		got = read(from, *text + *size, capacity - *size);
		*size += got > 0 ? (size_t)got : 0;
	} while (got > 0 || (got < 0 && errno == EINTR));
	return got == 0;
}

struct chosen {
	const char *const *functions;
	size_t count, symbol;
	char *numbers; /* "16,18" */
	size_t found;
	FILE *out;
};

static bool choose(void *data, const struct cubin_symbol *symbol)
{
	struct chosen *chosen = data;
	size_t number = chosen->symbol++;

	for (size_t i = 0; symbol->type == STT_FUNC && i < chosen->count; i++)
		if (!strcmp(symbol->name, chosen->functions[i])) {
			fprintf(chosen->out, "%s%zu", chosen->found++ ? "," : "", number);
			break;
		}
	return chosen->found < MAX_FUNCTIONS;
}

/* The numbers of their symbols, for nvdisasm's -fun; NULL: the image has none of them. */
static char *numbers_of(const void *image, size_t size, const char *const *functions, size_t count)
{
	struct chosen chosen = {.functions = functions, .count = count};
	struct cubin cubin;
	size_t length;

	chosen.out = xopen_memstream(&chosen.numbers, &length);
	if (cubin_open(&cubin, image, size))
		cubin_each_symbol(&cubin, choose, &chosen);
	fclose(chosen.out);
	if (chosen.found)
		return chosen.numbers;
	free(chosen.numbers);
	return NULL;
}

/* Its status, or -1: it did not start.  `numbers` may be NULL. */
static int run(char *tool, int image, char *numbers, char **text, size_t *size, bool *whole)
{
	char *path = xasprintf("/proc/self/fd/%d", image);
	char *argv[] = {tool,    "-c",     "-hex", "-plr",
			"-lrm",  "narrow", path,   numbers ? "-fun" : NULL,
			numbers, NULL};
	posix_spawn_file_actions_t actions;
	int ends[2], status = -1, failure;
	pid_t child;

	*whole = false;
	if (pipe2(ends, O_CLOEXEC)) {
		free(path);
		return -1;
	}
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
	posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
	failure = posix_spawn(&child, tool, &actions, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	close(ends[1]);
	if (!failure)
		*whole = read_all(ends[0], text, size);
	close(ends[0]); /* one that says more is ended by that */
	if (!failure)
		while (waitpid(child, &status, 0) < 0 && errno == EINTR)
			;
	free(path);
	return failure ? -1 : status;
}

struct sass_listing *sass_disassemble(const void *image, size_t size, const char *const *functions,
				      size_t count, struct error *error)
{
	struct sass_listing *listing = NULL;
	char *tool = find_tool(), *text = NULL, *numbers = NULL;
	size_t text_size = 0;
	bool whole;
	int file, status;

	if (!tool) {
		error_set(error, "no nvdisasm, which reads GPU code: install the package "
				 "cuda-nvdisasm of NVIDIA's, or Debian's nvidia-cuda-toolkit");
		return NULL;
	}
	numbers = count ? numbers_of(image, size, functions, count) : NULL;
	if (count && !numbers) {
		error_set(error, "%zu bytes of GPU code have no function %s%s", size, functions[0],
			  count > 1 ? ", nor any of the others that were asked for" : "");
		free(tool);
		return NULL;
	}
	file = image_file(image, size);
	if (file < 0) {
		error_set(error, "%zu bytes of GPU code: no memory for a copy of them", size);
		free(numbers);
		free(tool);
		return NULL;
	}
	status = run(tool, file, numbers, &text, &text_size, &whole);
	if (status || !whole)
		error_set(error, "%s %s %zu bytes of GPU code: %s", tool,
			  whole ? "failed on" : "could not be asked about", size,
			  whole ? "run it by hand to see why, or install a later one"
				: "it does not start, or says more than 1 GiB: ask for fewer "
				  "functions");
	else
		listing = sass_parse(text, text_size, error);
	close(file);
	free(text);
	free(numbers);
	free(tool);
	return listing;
}
