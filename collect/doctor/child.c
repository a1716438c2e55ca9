/* collect/doctor/child.c: asks in a process of its own what may crash, hang or change this one. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "collect/doctor/doctor.h"

static bool read_all(int from, char *to, size_t size)
{
	while (size) {
		ssize_t got = read(from, to, size);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return false;
		to += got;
		size -= (size_t)got;
	}
	return true;
}

bool doctor_ask(void (*ask)(void *facts), void *facts, size_t size)
{
	bool told;
	int ends[2];
	pid_t child;

	if (pipe(ends) != 0)
		return false;
	fflush(NULL);
	child = fork();
	if (child == 0) {
		unsetenv("CUDA_INJECTION64_PATH"); /* somebody else's tool */
		alarm(DOCTOR_PATIENCE);
		ask(facts);
		_exit(write(ends[1], facts, size) == (ssize_t)size ? 0 : 1);
	}
	close(ends[1]);
	told = child > 0 && read_all(ends[0], facts, size);
	close(ends[0]);
	while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR)
		;
	return told;
}
