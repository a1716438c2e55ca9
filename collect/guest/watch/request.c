/* collect/guest/watch/request.c: see request.h. */
#include "collect/guest/watch/request.h"

#include <linux/futex.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "collect/guest/watch/who.h"

static struct {
	uint32_t waiting; /* a futex: 1 until the watcher has done it */
	void (*act)(void *argument);
	void *argument;
} request;

void request_take(void)
{
	if (!__atomic_load_n(&request.waiting, __ATOMIC_ACQUIRE))
		return;
	request.act(request.argument);
	__atomic_store_n(&request.waiting, 0, __ATOMIC_RELEASE);
	syscall(SYS_futex, &request.waiting, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

void request_make(pid_t watcher, void (*act)(void *argument), void *argument)
{
	request.act = act;
	request.argument = argument;
	__atomic_store_n(&request.waiting, 1, __ATOMIC_RELEASE);
	syscall(SYS_tgkill, getpid(), watcher, who_signal());
	while (__atomic_load_n(&request.waiting, __ATOMIC_ACQUIRE))
		syscall(SYS_futex, &request.waiting, FUTEX_WAIT_PRIVATE, 1, NULL, NULL, 0);
}
