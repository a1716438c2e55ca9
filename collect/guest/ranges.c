/*
 * collect/guest/ranges.c: see guest/ranges.h.
 *
 * Environment: VFLOW_CAPTURE_RANGE is the regular expression of the ranges in which launches are
 * analysed.
 */
#include "collect/guest/ranges.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collect/guest/guest.h"
#include "collect/kernel_filter.h"
#include "util/start_environment.h"

enum { DEPTH_MAX = TRACE_RANGE_DEPTH, RANGES_MAX = 1 << 16 };

struct range {
	uint32_t parent;
	bool captured;    /* --capture-range asks for it */
	uint32_t written; /* its id in the trace; 0: it is not there yet */
	char *name;
};

struct open_range {
	uint32_t range;
	const void *domain;
};

/* Held for nothing but what is here, and by no child of fork(), which has `off`. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool off;
static struct range *ranges; /* ids are indices, plus 1 */
static uint32_t range_count, range_capacity, written_count;
static struct table table;
static uint64_t unnamed, begun; /* counts for coverage */
static struct kernel_filter *filter;
static uint32_t captured; /* ranges that are open and that the filter asks for */

static __thread struct open_range stack[DEPTH_MAX];
static __thread uint32_t depth; /* may be more than the stack holds */

static uint32_t *written_of; /* by thread: the range that the trace has of it */
static uint32_t written_capacity;

static void off_in_child(void)
{
	off = true;
}

static void start(void)
{
	const char *expression = start_variable("VFLOW_CAPTURE_RANGE");
	struct error error;

	if (expression && *expression)
		filter = kernel_filter_new(expression, &error); /* the launcher has checked it */
	if (pthread_atfork(NULL, NULL, off_in_child) != 0)
		off = true;
}

void ranges_start(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, start);
}

/* -- the tree of ranges -- */

/* Whether the filter finds the name.  The lock is held. */
static bool is_captured(const char *name)
{
	return filter && kernel_filter_matches(filter, name) == 1;
}

static uint32_t add(uint32_t parent, const char *name, uint32_t hash)
{
	void *moved = guest_reserve(ranges, range_count, &range_capacity, sizeof(*ranges));
	char *copy;

	if (!moved)
		return 0;
	ranges = moved;
	copy = strdup(name);
	if (!copy || table_add(&table, hash, range_count + 1) != 0) {
		free(copy);
		return 0;
	}
	ranges[range_count++] = (struct range){parent, is_captured(name), 0, copy};
	return range_count;
}

/* The range of this name inside of the parent; the parent where there are too many. */
static uint32_t find(uint32_t parent, const char *name)
{
	uint32_t hash = table_hash(parent, name, strlen(name)), position = 0, id;

	while ((id = table_find(&table, hash, &position)))
		if (ranges[id - 1].parent == parent && !strcmp(ranges[id - 1].name, name))
			return id;
	id = range_count < RANGES_MAX ? add(parent, name, hash) : 0;
	unnamed += !id;
	return id ? id : parent;
}

/* -- the ranges of a thread -- */

static uint32_t held(void)
{
	return depth < DEPTH_MAX ? depth : DEPTH_MAX;
}

uint32_t ranges_here(void)
{
	return held() ? stack[held() - 1].range : 0;
}

/* How many of the domain are on the stack below this position. */
static int count_below(uint32_t position, const void *domain)
{
	int count = 0;

	for (uint32_t i = 0; i < position; i++)
		count += stack[i].domain == domain;
	return count;
}

/* As NVTX tools write it: DOMAIN:NAME.  `text` has room for TRACE_RANGE_NAME. */
static const char *full_name(const char *domain, const char *name, char *text)
{
	snprintf(text, TRACE_RANGE_NAME, "%s%s%s", domain ? domain : "", domain ? ":" : "",
		 *name ? name : "(no name)");
	return text;
}

static bool range_is_captured(uint32_t id)
{
	return id && ranges[id - 1].captured;
}

static void count_captured(bool in, bool out)
{
	if (in)
		__atomic_add_fetch(&captured, 1, __ATOMIC_RELEASE);
	if (out)
		__atomic_sub_fetch(&captured, 1, __ATOMIC_RELEASE);
}

int ranges_push(const void *domain, const char *domain_name, const char *name)
{
	char text[TRACE_RANGE_NAME];
	uint32_t here = ranges_here(), id;
	int saved = errno, outside;

	if (off)
		return 0;
	outside = count_below(held(), domain);
	if (depth < DEPTH_MAX) {
		pthread_mutex_lock(&lock);
		id = find(here, full_name(domain_name, name, text));
		count_captured(id != here && range_is_captured(id), false);
		pthread_mutex_unlock(&lock);
		stack[depth] = (struct open_range){id, domain};
	}
	depth++;
	errno = saved;
	return outside;
}

/* Those above the position are no longer in the range that was there. */
static void close_gap(uint32_t position, uint32_t outer)
{
	for (; position < depth; position++) {
		stack[position] = stack[position + 1];
		if (stack[position].range)
			outer = find(outer, ranges[stack[position].range - 1].name);
		stack[position].range = outer;
	}
}

int ranges_pop(const void *domain)
{
	uint32_t at = held(), outer;
	int saved = errno;

	if (off)
		return 0;
	if (depth > DEPTH_MAX) { /* it is one of those that the stack does not hold */
		depth--;
		return count_below(DEPTH_MAX, domain);
	}
	while (at && stack[at - 1].domain != domain)
		at--;
	if (!at)
		return -1;
	at--;
	outer = at ? stack[at - 1].range : 0;
	pthread_mutex_lock(&lock);
	count_captured(false, stack[at].range != outer && range_is_captured(stack[at].range));
	depth--;
	close_gap(at, outer);
	pthread_mutex_unlock(&lock);
	errno = saved;
	return count_below(at, domain);
}

uint64_t ranges_begin(const char *domain_name, const char *name)
{
	static uint64_t last;
	char text[TRACE_RANGE_NAME];
	int saved = errno;
	bool counts = false;
	uint64_t id;

	if (off)
		return 2;
	pthread_mutex_lock(&lock);
	counts = is_captured(full_name(domain_name, name, text));
	id = ++last;
	begun++;
	pthread_mutex_unlock(&lock);
	count_captured(counts, false);
	errno = saved;
	return 2 * id + counts; /* so that nothing need be kept of it */
}

void ranges_end(uint64_t id)
{
	count_captured(false, id & 1);
}

bool ranges_limit_capture(void)
{
	return filter != NULL;
}

bool ranges_capture(void)
{
	return __atomic_load_n(&captured, __ATOMIC_ACQUIRE) != 0;
}

/* -- the trace -- */

/* Writes what the range is, after those around it.  Returns its id in the trace; 0: it failed. */
static uint32_t define(uint32_t id)
{
	union {
		struct trace_range range;
		char bytes[sizeof(struct trace_range) + TRACE_RANGE_NAME];
	} record;
	struct range *range = &ranges[id - 1];
	size_t start = offsetof(struct trace_range, text), length = strlen(range->name);

	if (range->written)
		return range->written;
	record.range = (struct trace_range){.record = {.type = TRACE_RANGE}};
	if (range->parent && !(record.range.parent = define(range->parent)))
		return 0;
	record.range.id = written_count + 1;
	memcpy(record.bytes + start, range->name, length + 1);
	if (guest_append(&record.range.record, start + length + 1) == 0)
		range->written = ++written_count;
	return range->written;
}

uint32_t ranges_id(uint32_t range)
{
	uint32_t id;

	if (!range)
		return 0;
	pthread_mutex_lock(&lock);
	id = define(range);
	pthread_mutex_unlock(&lock);
	return id;
}

void ranges_write(uint32_t thread, uint32_t range)
{
	struct trace_thread_range record = {.record = {.type = TRACE_THREAD_RANGE},
					    .thread = thread};

	while (thread >= written_capacity) {
		uint32_t before = written_capacity;
		void *moved =
			guest_reserve(written_of, before, &written_capacity, sizeof(*written_of));

		if (!moved)
			return;
		written_of = moved;
		memset(written_of + before, 0, (written_capacity - before) * sizeof(*written_of));
	}
	if (written_of[thread] == range)
		return;
	record.range = ranges_id(range);
	written_of[thread] = range;
	guest_append(&record.record, sizeof(record));
}

void ranges_cover(void)
{
	if (unnamed)
		coverage_add(COVERAGE_RANGES_TOO_MANY, NULL, unnamed, 0);
	if (begun)
		coverage_add(COVERAGE_RANGES_OF_NO_THREAD, NULL, begun, 0);
}
