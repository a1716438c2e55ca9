#include "util/say.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* What a write that fails sends besides. */
static int signal_of(int failure)
{
	return failure == EPIPE ? SIGPIPE : failure == EFBIG ? SIGXFSZ : 0;
}

void say(const char *line)
{
	const struct timespec at_once = {0};
	sigset_t ours, before, pending;
	int saved = errno, sent = 0;

	sigemptyset(&ours);
	sigaddset(&ours, SIGPIPE);
	sigaddset(&ours, SIGXFSZ);
	sigpending(&pending);
	if (pthread_sigmask(SIG_BLOCK, &ours, &before) != 0)
		return;
	if (write(STDERR_FILENO, line, strlen(line)) < 0)
		sent = signal_of(errno);
	/* the signal of a failed write is this thread's; one that was there before is not ours */
	if (sent && !sigismember(&pending, sent)) {
		sigemptyset(&ours);
		sigaddset(&ours, sent);
		while (sigtimedwait(&ours, NULL, &at_once) < 0 && errno == EINTR)
			;
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	errno = saved;
}
