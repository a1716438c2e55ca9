/*
 * Runs a fuzz entry without a fuzzer: every file of its corpus as it is, cut short at many places
 * and with single bits flipped.  The program's name, replay_NAME, says which corpus:
 * tests/fuzz/corpus/NAME, and $BUILD/tests/fuzz/seeds/NAME, which seeds.c makes.
 */
#include <dirent.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/fuzz/fuzz.h"

#define SECONDS_PER_INPUT 30
#define VARIANTS 600 /* at most, of each kind and file */

static char current[2 * PATH_MAX];

void __sanitizer_set_death_callback(void (*callback)(void)) __attribute__((weak));

static void say_current(void)
{
	ssize_t written = write(STDOUT_FILENO, current, strlen(current));

	(void)written;
}

static void on_signal(int number)
{
	say_current();
	signal(number, SIG_DFL);
	raise(number);
}

static void run(const char *path, const char *variant, size_t at, const uint8_t *data, size_t size)
{
	/* of that size exactly: ASan watches its end */
	uint8_t *copy = malloc(size ? size : 1);

	if (!copy)
		abort();
	memcpy(copy, data, size);
	snprintf(current, sizeof(current), "not ok 1 - %s%s %zu\n", path, variant, at);
	alarm(SECONDS_PER_INPUT);
	LLVMFuzzerTestOneInput(copy, size);
	alarm(0);
	free(copy);
}

static uint8_t *read_file(const char *path, size_t *size)
{
	FILE *file = fopen(path, "rb");
	uint8_t *data = NULL;
	long end;

	if (!file)
		return NULL;
	if (!fseek(file, 0, SEEK_END) && (end = ftell(file)) >= 0 && !fseek(file, 0, SEEK_SET)) {
		*size = (size_t)end;
		data = malloc(*size + 1);
		if (data && fread(data, 1, *size, file) != *size) {
			free(data);
			data = NULL;
		}
	}
	fclose(file);
	return data;
}

static unsigned replay_file(const char *path)
{
	size_t size, step;
	uint8_t *data = read_file(path, &size);
	unsigned count = 1;

	if (!data)
		return 0;
	step = size / VARIANTS + 1;
	run(path, "", size, data, size);
	for (size_t at = 0; at < size; at += step, count++)
		run(path, " cut at", at, data, at);
	for (size_t at = 0; at < size; at += step, count++) {
		uint8_t bit = (uint8_t)(1 << (at / step * 5 + at) % 8);

		data[at] ^= bit;
		run(path, " with a flipped bit in byte", at, data, size);
		data[at] ^= bit;
	}
	free(data);
	return count;
}

static unsigned replay_folder(const char *path)
{
	struct dirent **entries;
	int count = scandir(path, &entries, NULL, alphasort);
	unsigned runs = 0;

	for (int i = 0; i < count; i++) {
		char file[PATH_MAX];

		if (entries[i]->d_name[0] != '.') {
			snprintf(file, sizeof(file), "%s/%s", path, entries[i]->d_name);
			runs += replay_file(file);
		}
		free(entries[i]);
	}
	if (count >= 0)
		free(entries);
	return runs;
}

int main(int argc, char **argv)
{
	const char *name = strrchr(argv[0], '_'), *build = getenv("BUILD");
	static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGABRT, SIGALRM};
	char path[PATH_MAX];
	unsigned runs = 0;

	if (!name)
		return 2;
	for (unsigned i = 0; i < sizeof(signals) / sizeof(*signals); i++)
		signal(signals[i], on_signal);
	if (__sanitizer_set_death_callback)
		__sanitizer_set_death_callback(say_current);
	for (int i = 1; i < argc; i++)
		runs += replay_file(argv[i]);
	if (argc == 1) {
		snprintf(path, sizeof(path), "tests/fuzz/corpus/%s", name + 1);
		runs += replay_folder(path);
		snprintf(path, sizeof(path), "%s/tests/fuzz/seeds/%s", build ? build : "build",
			 name + 1);
		runs += replay_folder(path);
	}
	if (!runs) {
		printf("not ok 1 - the corpus of %s is empty\n", name + 1);
		return 1;
	}
	printf("ok 1 - %u inputs for %s\n", runs, name + 1);
	return 0;
}
