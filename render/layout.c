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

/*
 * What dot takes depends on how many layers edges pass: of program-like graphs 330 vertices with
 * 2,200 passes took 0.14 s, 450 with 4,500 0.5 s, 660 with 12,000 2.6 s, 800 with 13,000 9 s, and
 * random ones, which are denser, 2.7 s with 3,000 (tests/bench/render).
 */
enum {
	DETAILED_VERTICES = 300, /* above, the network simplex of dot takes minutes */
	DETAILED_EDGES = 700,
	QUICK_VERTICES = 1500, /* above, even with a limit on it */
	QUICK_EDGES = 3500,
	QUICK_PASSES = 5000,
};

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
	limit(RLIMIT_CPU, (rlim_t)seconds + 1);
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
	return error_set(error, WIFSIGNALED(status) ? "Graphviz crashed" : "Graphviz gave up");
}

/* Sets *labelled when the labels have places too. */
static int by_dot(struct picture *picture, double seconds, bool *labelled, struct error *error)
{
	double end = now() + seconds;

	*labelled = true;
	if (picture->vertex_count <= DETAILED_VERTICES && picture->edge_count <= DETAILED_EDGES) {
		double middle = now() + seconds / 2;

		if (attempt(picture, MANNER_BEST, middle - now(), error) == 0 ||
		    attempt(picture, MANNER_SAFE, middle - now(), error) == 0)
			return 0;
	}
	*labelled = false;
	return attempt(picture, MANNER_QUICK, end - now(), error);
}

int layout_picture(struct picture *picture, enum layout_engine engine, double seconds,
		   char **remark, struct error *error)
{
	bool large = picture->vertex_count > QUICK_VERTICES || picture->edge_count > QUICK_EDGES ||
		     (engine == LAYOUT_AUTO && layout_count_passes(picture) > QUICK_PASSES);
	bool labelled = false;
	int result = 0;

	*remark = NULL;
	picture->width = picture->height = 0;
	if (!picture->vertex_count)
		return 0;
	if (engine == LAYOUT_LAYERS || (engine == LAYOUT_AUTO && large))
		layout_by_layers(picture);
	else
		result = by_dot(picture, seconds, &labelled, error);
	if (engine == LAYOUT_AUTO && large) {
		*remark = xasprintf("laid out in layers: %u vertices and %u edges like these take "
				    "Graphviz too long",
				    picture->vertex_count, picture->edge_count);
	} else if (engine == LAYOUT_AUTO && result != 0) {
		*remark = xasprintf("laid out in layers, not by Graphviz: %s", error->text);
		layout_by_layers(picture);
		result = 0;
	}
	if (result != 0) {
		struct error why = *error;

		return error_set(
			error,
			"no layout for %u vertices and %u edges: %s; leave out '--layout "
			"dot', allow more time (--time-limit) or draw less, for example with "
			"'vflow prune --edge-bytes 1M | vflow render'",
			picture->vertex_count, picture->edge_count, why.text);
	}
	layout_loops(picture);
	if (!labelled)
		layout_labels(picture);
	return 0;
}
