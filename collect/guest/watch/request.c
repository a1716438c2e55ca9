/* collect/guest/watch/request.c: see request.h. */
#include "collect/guest/watch/request.h"

#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "collect/guest/watch/who.h"

/* Held with all signals blocked: a handler may make a request, too. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct {
	uint32_t waiting; /* a futex: 1 until the watcher has done it */
	void (*act)(void *argument);
	_Alignas(max_align_t) char argument[REQUEST_BYTES];
	bool closed;
} request;

void request_take(void)
{
	if (!__atomic_load_n(&request.waiting, __ATOMIC_ACQUIRE))
		return;
	request.act(request.argument);
	__atomic_store_n(&request.waiting, 0, __ATOMIC_RELEASE);
	syscall(SYS_futex, &request.waiting, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

void request_close(void)
{
	request.closed = true;
}

bool request_make(pid_t watcher, void (*act)(void *argument), void *argument, size_t size)
{
	sigset_t all, before;
	bool open;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	pthread_mutex_lock(&lock);
	open = !request.closed;
	if (open) {
		request.act = act;
		memcpy(request.argument, argument, size);
		__atomic_store_n(&request.waiting, 1, __ATOMIC_RELEASE);
		syscall(SYS_tgkill, getpid(), watcher, who_signal());
	}
	while (__atomic_load_n(&request.waiting, __ATOMIC_ACQUIRE))
		syscall(SYS_futex, &request.waiting, FUTEX_WAIT_PRIVATE, 1, NULL, NULL, 0);
	if (open)
		memcpy(argument, request.argument, size);
	pthread_mutex_unlock(&lock);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return open;
}
