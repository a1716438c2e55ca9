/*
 * gpu/emulator/device/thread.c: model time of host threads: a thread begins when the one that
 * creates it does so, and pthread_join() passes its end on.
 *
 * The libraries are preloaded, so these functions stand before the C library's.  Without
 * VFLOW_CLOCK=virtual they do nothing else.  Other ways to wait for a thread pass no time on.
 */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/emulator/device/clock.h"
#include "util/start_environment.h"

#define PUBLIC __attribute__((visibility("default")))

/* A thread that was created and not joined yet; of those that are never joined the last one of each
 * pthread_t stays. */
struct thread {
	pthread_t id;
	void *(*function)(void *);
	void *argument;
	uint64_t begin_ns, end_ns; /* end_ns 0: it had no time of its own */
	bool is_over, is_forgotten;
	struct thread *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct thread *threads;

static struct {
	int (*create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
	int (*join)(pthread_t, void **);
	bool is_virtual;
} next;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void find_next(void)
{
	const char *wanted = start_variable("VFLOW_CLOCK");

	*(void **)&next.create = dlsym(RTLD_NEXT, "pthread_create");
	*(void **)&next.join = dlsym(RTLD_NEXT, "pthread_join");
	next.is_virtual = wanted && !strcmp(wanted, "virtual");
}

/* Takes the thread of that id out of the list; NULL: there is none.  The lock is held. */
static struct thread *take(pthread_t id)
{
	struct thread **link = &threads, *found;

	while (*link && !pthread_equal((*link)->id, id))
		link = &(*link)->next;
	found = *link;
	if (found)
		*link = found->next;
	return found;
}

/* It is in no list any more, and goes when the thread has ended, too.  The lock is held. */
static void forget(struct thread *thread)
{
	if (thread->is_over)
		free(thread);
	else
		thread->is_forgotten = true;
}

static void thread_ends(void *data)
{
	struct thread *thread = data;

	pthread_mutex_lock(&lock);
	thread->end_ns = clock_own();
	thread->is_over = true;
	if (thread->is_forgotten)
		free(thread);
	pthread_mutex_unlock(&lock);
}

static void *run(void *data)
{
	struct thread *thread = data;
	void *result;

	clock_thread(thread->begin_ns);
	pthread_cleanup_push(thread_ends, thread);
	result = thread->function(thread->argument);
	pthread_cleanup_pop(1);
	return result;
}

PUBLIC int pthread_create(pthread_t *id, const pthread_attr_t *attributes,
			  void *(*function)(void *), void *argument)
{
	struct thread *thread, *stale;
	int error;

	pthread_once(&once, find_next);
	thread = next.is_virtual ? calloc(1, sizeof(*thread)) : NULL;
	if (!thread)
		return next.create(id, attributes, function, argument);
	*thread = (struct thread){
		.function = function, .argument = argument, .begin_ns = clock_of_child()};
	error = next.create(id, attributes, run, thread);
	if (error) {
		free(thread);
		return error;
	}
	/* it may have ended by now, but nobody has joined it */
	pthread_mutex_lock(&lock);
	stale = take(*id);
	if (stale)
		forget(stale);
	thread->id = *id;
	thread->next = threads;
	threads = thread;
	pthread_mutex_unlock(&lock);
	return 0;
}

PUBLIC int pthread_join(pthread_t id, void **result)
{
	struct thread *thread;
	uint64_t end_ns = 0;
	int error;

	pthread_once(&once, find_next);
	error = next.join(id, result);
	if (error || !next.is_virtual)
		return error;
	pthread_mutex_lock(&lock);
	thread = take(id);
	if (thread) {
		end_ns = thread->end_ns;
		forget(thread);
	}
	pthread_mutex_unlock(&lock);
	if (end_ns)
		clock_joined(end_ns);
	return 0;
}
