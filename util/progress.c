#include "util/progress.h"

#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#define ERASE "\r\033[K"

enum { AFTER_MS = 1000, EVERY_MS = 500 };

/*
 * What takes long cannot be asked to look at the clock: Graphviz, SQLite.  So a thread does, from
 * the first progress() to the end of the process.  All but `thread` and `owner` is under `lock`.
 */
static struct {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	bool thread;
	pid_t owner; /* a child of fork() has no thread, and the lock may be taken for ever */
	const char *what;
	uint64_t part, parts;
	int64_t since_ms;
	bool shown;
} state = {.lock = PTHREAD_MUTEX_INITIALIZER};

static int64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * INT64_C(1000) + now.tv_nsec / 1000000;
}

/* In the background the terminal is somebody else's. */
static bool in_foreground(void)
{
	return tcgetpgrp(STDERR_FILENO) == getpgrp();
}

static void put(const char *text)
{
	size_t length = strlen(text);

	/* a terminal that is gone has nothing to be erased */
	state.shown = write(STDERR_FILENO, text, length) == (ssize_t)length;
}

static void show(int64_t now)
{
	char line[200], part[60] = "", text[sizeof(line) + sizeof(ERASE)];
	struct winsize size;
	int width = 80;

	if (!in_foreground())
		return;
	if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col)
		width = size.ws_col;
	if (state.parts)
		snprintf(part, sizeof(part), ", %" PRIu64 " of %" PRIu64, state.part, state.parts);
	snprintf(line, sizeof(line), "vflow: %s%s, %" PRId64 " s", state.what, part,
		 (now - state.since_ms) / 1000);
	/* a line that wraps could not be erased */
	snprintf(text, sizeof(text), "%s%.*s", ERASE, width - 1, line);
	put(text);
}

static void *watch(void *unused)
{
	pthread_mutex_lock(&state.lock);
	for (;;) {
		int64_t now = now_ms(), next = state.since_ms + AFTER_MS;
		struct timespec until;

		if (!state.what) {
			pthread_cond_wait(&state.changed, &state.lock);
			continue;
		}
		if (now >= next) {
			show(now);
			next = now + EVERY_MS;
		}
		until.tv_sec = next / 1000;
		until.tv_nsec = next % 1000 * 1000000;
		pthread_cond_timedwait(&state.changed, &state.lock, &until);
	}
	return unused;
}

/* Signals are the main thread's: its reads and waits end by them. */
static bool start_thread(void)
{
	pthread_condattr_t attributes;
	pthread_t thread;
	sigset_t all, before;
	int result;

	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&state.changed, &attributes);
	pthread_condattr_destroy(&attributes);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	result = pthread_create(&thread, NULL, watch, NULL);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (result == 0)
		pthread_detach(thread);
	return result == 0;
}

static bool is_wanted(void)
{
	const char *terminal = getenv("TERM");

	return isatty(STDERR_FILENO) && terminal && *terminal && strcmp(terminal, "dumb") != 0;
}

static bool is_ours(void)
{
	return state.thread && state.owner == getpid();
}

void progress(const char *what)
{
	if (!state.thread && is_wanted()) {
		state.owner = getpid();
		state.thread = start_thread();
	}
	if (!is_ours())
		return;
	pthread_mutex_lock(&state.lock);
	if (!state.what)
		state.since_ms = now_ms();
	state.what = what;
	state.part = state.parts = 0;
	pthread_cond_signal(&state.changed);
	pthread_mutex_unlock(&state.lock);
}

void progress_part(uint64_t part, uint64_t parts)
{
	if (!is_ours())
		return;
	pthread_mutex_lock(&state.lock);
	state.part = part;
	state.parts = parts;
	pthread_mutex_unlock(&state.lock);
}

void progress_end(void)
{
	if (!is_ours())
		return;
	pthread_mutex_lock(&state.lock);
	if (state.shown)
		put(ERASE);
	state.what = NULL;
	state.shown = false;
	pthread_mutex_unlock(&state.lock);
}
