/*
 * For tests of what happens after some time: in a program or a preloaded library that includes
 * this, time stands still until it is said to pass, so that nothing depends on how fast the machine
 * is.
 */
#ifndef VFLOW_TESTS_STOPPED_CLOCK_H
#define VFLOW_TESTS_STOPPED_CLOCK_H

#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Of the process and of its children: what takes long may go on in one of them.  Members are
 * atomic. */
static struct {
	int64_t ms;
	unsigned waits; /* how often a thread began to wait */
} * stopped;

__attribute__((constructor)) static void stop_clock(void)
{
	stopped = mmap(NULL, sizeof(*stopped), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		       -1, 0);
	if (stopped == MAP_FAILED)
		abort();
	stopped->ms = 1000000;
}

int clock_gettime(clockid_t clock, struct timespec *time)
{
	/* other constructors may come before */
	int64_t ms = stopped ? __atomic_load_n(&stopped->ms, __ATOMIC_SEQ_CST) : 1000000;

	(void)clock;
	*time = (struct timespec){.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};
	return 0;
}

/* Wakes up every millisecond, as a condition variable may: who waits looks at the clock again. */
static int wait_a_little(pthread_cond_t *condition, pthread_mutex_t *mutex)
{
	struct timespec time;

	__atomic_fetch_add(&stopped->waits, 1, __ATOMIC_SEQ_CST);
	syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &time);
	time.tv_nsec += 1000000;
	time.tv_sec += time.tv_nsec / 1000000000;
	time.tv_nsec %= 1000000000;
	pthread_cond_clockwait(condition, mutex, CLOCK_MONOTONIC, &time);
	return 0;
}

int pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex,
			   const struct timespec *time)
{
	(void)time;
	return wait_a_little(condition, mutex);
}

int pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex)
{
	return wait_a_little(condition, mutex);
}

static inline void pass_unseen_ms(int64_t ms)
{
	__atomic_fetch_add(&stopped->ms, ms, __ATOMIC_SEQ_CST);
}

/* The thread that waits, and there must be one, has looked at the clock when this returns. */
static inline void pass_ms(int64_t ms)
{
	unsigned before;

	pass_unseen_ms(ms);
	before = __atomic_load_n(&stopped->waits, __ATOMIC_SEQ_CST);
	while (__atomic_load_n(&stopped->waits, __ATOMIC_SEQ_CST) - before < 2)
		usleep(100);
}

#endif
