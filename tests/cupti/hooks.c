/*
 * The looks of libcuda: a library of that name that waits in its own ways (-DDRIVER), and a program
 * that hooks it.  The clock is the program's own, which goes on by TICK_NS at each look, so that
 * what is measured does not depend on the machine.  Says TAP lines.
 */
#ifdef DRIVER
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <time.h>
#include <unistd.h>

int spin(uint64_t ns);
int block(uint64_t ns);
int yield_once(void);
int read_byte(int file);
int work(void);

static uint64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

int spin(uint64_t ns)
{
	uint64_t end = now() + ns;

	while (now() < end)
		;
	return 0;
}

int block(uint64_t ns)
{
	static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
	static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
	struct timespec time;

	clock_gettime(CLOCK_REALTIME, &time);
	time.tv_nsec += (long)ns;
	time.tv_sec += time.tv_nsec / 1000000000;
	time.tv_nsec %= 1000000000;
	pthread_mutex_lock(&mutex);
	pthread_cond_timedwait(&never, &mutex, &time);
	pthread_mutex_unlock(&mutex);
	return 0;
}

int yield_once(void)
{
	return sched_yield();
}

int read_byte(int file)
{
	char byte;

	return (int)read(file, &byte, 1);
}

int work(void)
{
	return getpid() > 0;
}
#else
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "gpu/cupti/hooks.h"

enum { TICK_NS = 10000 };

static uint64_t clock_ns = 1000000000;

/* In place of libc's, for the hooks and for the driver: the program is linked with -rdynamic. */
int clock_gettime(clockid_t clock, struct timespec *time)
{
	(void)clock;
	clock_ns += TICK_NS;
	time->tv_sec = (time_t)(clock_ns / 1000000000);
	time->tv_nsec = (long)(clock_ns % 1000000000);
	return 0;
}

int pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex,
			   const struct timespec *time)
{
	(void)condition;
	(void)mutex;
	clock_ns = (uint64_t)time->tv_sec * 1000000000 + (uint64_t)time->tv_nsec;
	return ETIMEDOUT;
}

static unsigned checks, failures;

static void check(bool good, const char *what)
{
	printf("%sok %u - %s\n", good ? "" : "not ", ++checks, what);
	failures += !good;
}

static void *find(void *library, const char *name)
{
	void *symbol = dlsym(library, name);

	if (!symbol)
		abort();
	return symbol;
}

static struct looks looks, reads;

static void leave(void)
{
	looks = hooks_looks(&reads);
	hooks_leave();
}

static bool looked(uint64_t count, uint64_t ns)
{
	return looks.count == count && looks.last_ns - looks.first_ns == ns;
}

int main(int argc, char **argv)
{
	void *driver = argc == 2 ? dlopen(argv[1], RTLD_NOW) : NULL;
	int (*spin)(uint64_t), (*block)(uint64_t), (*work)(void), (*yield)(void), (*get)(int);
	uint64_t ns;
	int ends[2];

	if (!driver || pipe(ends) != 0 || write(ends[1], "12", 2) != 2)
		abort();
	spin = (int (*)(uint64_t))find(driver, "spin");
	block = (int (*)(uint64_t))find(driver, "block");
	work = (int (*)(void))find(driver, "work");
	yield = (int (*)(void))find(driver, "yield_once");
	get = (int (*)(int))find(driver, "read_byte");
	check(hooks_install() == 0, "the imports are there");
	spin(1000);
	check(hooks_outside(&ns) == 0, "a thread that has not called is none of the program's");
	hooks_enter();
	spin(2000000);
	leave();
	/* a hooked look takes two ticks, its own and the driver's: one says when to end, 100 wait
	 */
	check(looked(101, 2000000) && !reads.count, "a call that spins");
	hooks_enter();
	block(2000000);
	leave();
	/* the look for the end, 2 ms from its second tick, and the wait, which looks once more
	 * after it */
	check(looked(2, 2000000 + 2 * TICK_NS), "a call that blocks");
	hooks_enter();
	work();
	leave();
	check(!looks.count && !reads.count, "a call that does not wait");
	hooks_enter();
	yield();
	leave();
	check(looks.count == 1 && looks.first_ns == looks.last_ns, "a single look takes no time");
	hooks_enter();
	check(get(ends[0]) == 1, "what is read arrives");
	leave();
	check(!looks.count && reads.count == 1, "reads are told apart");
	check(hooks_outside(&ns) == 0, "all that was inside of calls");
	yield();
	check(hooks_outside(&ns) == 0, "a single look outside is no wait");
	clock_ns += 1000000;
	spin(2000000);
	check(hooks_outside(&ns) == 1 && ns == 2000000, "a wait outside is");
	hooks_remove();
	hooks_enter();
	spin(1000);
	check(get(ends[0]) == 1, "without hooks all goes on");
	leave();
	check(!looks.count && !reads.count, "and nothing is seen");
	printf("1..%u\n", checks);
	return failures ? 1 : 0;
}
#endif
