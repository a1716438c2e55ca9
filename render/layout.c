/* render/layout.c: the child process that computes a layout, and its limits. */
#include "render/layout.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "render/layout_parts.h"
#include "util/memory.h"
#include "util/text.h"

/*
 * Above, dot takes seconds to minutes, or draws straight lines across vertices when it must not: on
 * graphs like those of programs it took 0.9 s for 330 vertices, 2.6 s for 660, 9 s for 800, where
 * layers, which lead lines around vertices, take some hundredths (tests/bench/render).
 */
enum { DOT_VERTICES = 300, DOT_EDGES = 700 };

static const rlim_t memory_limit = (rlim_t)4 << 30;
static const size_t answer_limit = (size_t)1 << 30;
static const double largest_position = 1e7;

#ifdef __SANITIZE_ADDRESS__
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZED 1
#endif
#endif
#ifndef SANITIZED
#define SANITIZED 0
#endif

static void limit(int resource, rlim_t value)
{
	struct rlimit old;

	if (getrlimit(resource, &old) == 0 &&
	    (old.rlim_max == RLIM_INFINITY || old.rlim_max > value))
		setrlimit(resource, &(struct rlimit){value, value});
}

static void child(const struct picture *picture, enum layout_manner manner, double seconds, int fd)
{
	FILE *out = fdopen(fd, "w");

	limit(RLIMIT_CORE, 0);
	if (!SANITIZED && !freopen("/dev/null", "w", stderr)) /* Graphviz talks to itself */
		_exit(1);
	/* for when the parent is gone: never met before its deadline */
	limit(RLIMIT_CPU, (rlim_t)ceil(seconds) + 1);
	if (!SANITIZED) /* whose shadow takes terabytes of address space */
		limit(RLIMIT_AS, memory_limit);
	_exit(out && layout_by_dot(picture, manner, out) == 0 ? 0 : 1);
}

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/* All that comes through the pipe until its end or the deadline; the caller frees. */
static char *read_until(int fd, double deadline, size_t *size)
{
	char *buffer = NULL;
	size_t capacity = 0;

	*size = 0;
	for (;;) {
		struct pollfd wait = {.fd = fd, .events = POLLIN};
		double left = deadline - now();
		ssize_t got;

		if (left <= 0 || *size > answer_limit)
			break;
		if (poll(&wait, 1, (int)(left * 1000) + 1) <= 0)
			continue;
		if (*size + PIPE_BUF > capacity) {
			capacity = capacity ? capacity * 2 : 1 << 16;
			buffer = xreallocarray(buffer, capacity, 1);
		}
		got = read(fd, buffer + *size, capacity - *size);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		*size += (size_t)got;
	}
	return buffer;
}

struct numbers { /* what came through the pipe */
	const char *at, *end;
	bool failed;
};

static double next(struct numbers *numbers)
{
	double value = 0;

	if (numbers->failed || (size_t)(numbers->end - numbers->at) < sizeof(value)) {
		numbers->failed = true;
		return 0;
	}
	memcpy(&value, numbers->at, sizeof(value));
	numbers->at += sizeof(value);
	if (!(fabs(value) <= largest_position)) /* also NaN */
		numbers->failed = true;
	return value;
}

static struct picture_point next_point(struct numbers *numbers)
{
	double x = next(numbers), y = next(numbers);

	return (struct picture_point){x, y};
}

static void decode_edge(struct numbers *numbers, struct picture_edge *edge)
{
	double count = next(numbers);

	if (numbers->failed || count < 4 || count > 100000 || fmod(count, 3) != 1) {
		numbers->failed = true;
		return;
	}
	edge->tip = next_point(numbers);
	edge->label_at = next_point(numbers);
	edge->point_count = (uint32_t)count;
	edge->points = xreallocarray(edge->points, edge->point_count, sizeof(*edge->points));
	for (uint32_t i = 0; i < edge->point_count; i++)
		edge->points[i] = next_point(numbers);
}

static bool decode(struct picture *picture, const char *answer, size_t size)
{
	struct numbers numbers = {.at = answer, .end = answer + size};

	picture->width = next(&numbers);
	picture->height = next(&numbers);
	for (uint32_t i = 0; i < picture->vertex_count; i++)
		picture->vertices[i].at = next_point(&numbers);
	for (uint32_t i = 0; i < picture->edge_count; i++)
		if (picture->edges[i].from != picture->edges[i].to)
			decode_edge(&numbers, &picture->edges[i]);
	return !numbers.failed;
}

static int attempt(struct picture *picture, enum layout_manner manner, double seconds,
		   struct error *error)
{
	double deadline = now() + seconds;
	int fds[2], status = 0;
	size_t size;
	char *answer;
	bool good;
	pid_t pid;

	if (seconds <= 0)
		return error_set(error, "it takes too long");
	if (pipe(fds) != 0)
		return error_set(error, "cannot make a pipe: %s", strerror(errno));
	fflush(NULL); /* else the child would write it a second time */
	pid = fork();
	if (pid < 0) {
		close(fds[0]);
		close(fds[1]);
		return error_set(error, "cannot start a process: %s", strerror(errno));
	}
	if (pid == 0) {
		close(fds[0]);
		child(picture, manner, seconds, fds[1]);
	}
	close(fds[1]);
	answer = read_until(fds[0], deadline, &size);
	close(fds[0]);
	good = answer && decode(picture, answer, size);
	free(answer);
	if (now() >= deadline)
		kill(pid, SIGKILL);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (good)
		return 0;
	if (now() >= deadline)
		return error_set(error, "it takes too long");
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
		return error_set(error, "Graphviz was killed (does the machine have too little "
					"memory for it?)");
	if (WIFSIGNALED(status))
		return error_set(error, "Graphviz crashed: %s", strsignal(WTERMSIG(status)));
	return error_set(error, "Graphviz gave up");
}

static bool is_small(const struct picture *picture)
{
	return picture->vertex_count <= DOT_VERTICES && picture->edge_count <= DOT_EDGES;
}

/* In the best manner for half of the time, in a quick one if there must be dot. */
static int by_dot(struct picture *picture, enum layout_engine engine, double seconds,
		  bool *labelled, struct error *error)
{
	double start = now(), share = engine == LAYOUT_DOT ? 0.5 : 1;

	*labelled = true;
	if (is_small(picture) &&
	    (attempt(picture, MANNER_BEST, seconds * share, error) == 0 ||
	     attempt(picture, MANNER_SAFE, start + seconds * share - now(), error) == 0))
		return 0;
	*labelled = false;
	if (engine != LAYOUT_DOT)
		return -1;
	return attempt(picture, MANNER_QUICK, start + seconds - now(), error);
}

int layout_picture(struct picture *picture, enum layout_engine engine, double seconds,
		   char **remark, struct error *error)
{
	bool labelled = false;
	int result = 0;

	*remark = NULL;
	picture->width = picture->height = 0;
	if (!picture->vertex_count)
		return 0;
	if (engine == LAYOUT_LAYERS || (engine == LAYOUT_AUTO && !is_small(picture)))
		layout_by_layers(picture);
	else
		result = by_dot(picture, engine, seconds, &labelled, error);
	if (engine == LAYOUT_AUTO && result != 0) {
		*remark = xasprintf("laid out in layers, not by Graphviz: %s", error->text);
		layout_by_layers(picture);
		result = 0;
	}
	if (result != 0) {
		struct error why = *error;

		return error_set(
			error,
			"no layout for %u %s and %u edge%s: %s; leave out '--layout "
			"dot', allow more time (--time-limit) or draw less, for example with "
			"'vflow prune --edge-bytes 1M | vflow render'",
			picture->vertex_count,
			text_plural(picture->vertex_count, "vertex", "vertices"),
			picture->edge_count, text_plural(picture->edge_count, "", "s"), why.text);
	}
	layout_loops(picture);
	(labelled ? layout_crossed_labels : layout_labels)(picture);
	return 0;
}
