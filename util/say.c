#include "util/say.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

void say(const char *line)
{
	const struct timespec at_once = {0};
	sigset_t broken_pipe, before, pending;
	int saved = errno;

	sigemptyset(&broken_pipe);
	sigaddset(&broken_pipe, SIGPIPE);
	sigpending(&pending);
	if (pthread_sigmask(SIG_BLOCK, &broken_pipe, &before) != 0)
		return;
	/* the signal of a failed write is this thread's; one that was there before is not ours */
	if (write(STDERR_FILENO, line, strlen(line)) < 0 && errno == EPIPE &&
	    !sigismember(&pending, SIGPIPE))
		while (sigtimedwait(&broken_pipe, NULL, &at_once) < 0 && errno == EINTR)
			;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	errno = saved;
}
