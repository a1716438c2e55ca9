/* gpu/emulator/device/capture.c: see capture.h. */
#include "gpu/emulator/device/capture.h"

#include <stdlib.h>
#include <string.h>

enum mode { GLOBAL, OF_THREAD, RELAXED };

struct capture {
	void *graph;
	bool own; /* the graph: the program gets it at the end */
	int mode;
	uint64_t thread; /* that began it */
	bool blocking, invalid;
	size_t operations;
	struct capture *next;
};

static struct capture *captures;

static uint64_t threads;
static __thread uint64_t this_thread; /* 1, 2, ...; 0: none yet */
static __thread int thread_mode;

int vflow_emulator_capture_mode(int mode)
{
	int before = thread_mode;

	thread_mode = mode;
	return before;
}

struct capture *capture_begin(void *graph, int mode)
{
	struct capture *capture = calloc(1, sizeof(*capture));

	if (!capture)
		return NULL;
	if (!this_thread)
		this_thread = ++threads;
	*capture = (struct capture){.graph = graph ? graph : graph_new(),
				    .own = !graph,
				    .mode = mode,
				    .thread = this_thread,
				    .next = captures};
	if (!capture->graph) {
		free(capture);
		return NULL;
	}
	captures = capture;
	return capture;
}

void capture_free(struct capture *capture)
{
	struct capture **link = &captures;

	while (*link != capture)
		link = &(*link)->next;
	*link = capture->next;
	free(capture);
}

void *capture_graph(const struct capture *capture)
{
	return capture->graph;
}

bool capture_is_valid(const struct capture *capture)
{
	return !capture->invalid;
}

void capture_is_blocking(struct capture *capture)
{
	capture->blocking = true;
}

int capture_invalidate(struct capture *capture, int error)
{
	capture->invalid = true;
	return error;
}

/* -- what comes before what --------------------------------------------------------------- */

static bool reserve(struct capture_point *point, size_t count)
{
	uint64_t *more;

	if (count <= point->count)
		return true;
	count = count < 2 * point->count ? 2 * point->count : count;
	more = realloc(point->words, count * sizeof(*more));
	if (!more)
		return false;
	memset(more + point->count, 0, (count - point->count) * sizeof(*more));
	point->words = more;
	point->count = count;
	return true;
}

int capture_add(struct capture_point *point)
{
	const size_t number = point->capture->operations;

	if (!reserve(point, number / 64 + 1))
		return capture_invalidate(point->capture, OUT_OF_MEMORY);
	point->words[number / 64] |= UINT64_C(1) << number % 64;
	point->capture->operations++;
	return 0;
}

int capture_follow(struct capture_point *to, const struct capture_point *from)
{
	if (!reserve(to, from->count))
		return OUT_OF_MEMORY;
	to->capture = from->capture;
	for (size_t n = 0; n < from->count; n++)
		to->words[n] |= from->words[n];
	return 0;
}

void capture_leave(struct capture_point *point)
{
	free(point->words);
	*point = (struct capture_point){0};
}

static bool has_all(const struct capture_point *point)
{
	for (size_t n = 0; n < point->capture->operations; n++)
		if (n / 64 >= point->count || !(point->words[n / 64] >> n % 64 & 1))
			return false;
	return true;
}

int capture_end(struct capture *capture, const struct capture_point *origin, void **graph)
{
	int error = 0;

	if (capture->mode != RELAXED && capture->thread != this_thread)
		error = CAPTURE_WRONG_THREAD;
	else if (capture->invalid)
		error = CAPTURE_INVALIDATED;
	else if (!has_all(origin))
		error = CAPTURE_UNJOINED;
	*graph = error ? NULL : capture->graph;
	if (error && capture->own)
		graph_give_up(capture->graph);
	return error;
}

/* -- what is forbidden -------------------------------------------------------------------- */

static bool forbids_unsafe(const struct capture *capture)
{
	if (thread_mode == RELAXED)
		return false;
	if (capture->thread == this_thread)
		return capture->mode != RELAXED;
	return thread_mode == GLOBAL && capture->mode == GLOBAL;
}

int capture_forbids_unsafe(void)
{
	int error = 0;

	for (struct capture *each = captures; each; each = each->next)
		if (forbids_unsafe(each))
			error = capture_invalidate(each, CAPTURE_UNSUPPORTED);
	return error;
}

int capture_forbids_legacy(void)
{
	int error = 0;

	for (struct capture *each = captures; each; each = each->next)
		if (each->blocking)
			error = capture_invalidate(each, CAPTURE_IMPLICIT);
	return error;
}

int capture_forbids_all(void)
{
	int error = 0;

	for (struct capture *each = captures; each; each = each->next)
		error = capture_invalidate(each, CAPTURE_UNSUPPORTED);
	return error;
}

bool capture_blocks_legacy(void)
{
	for (const struct capture *each = captures; each; each = each->next)
		if (each->blocking)
			return true;
	return false;
}
