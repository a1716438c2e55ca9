/*
 * graph/demangle.c: C++ names by libstdc++.
 *
 * A name can stand for one that is longer by orders of magnitude (util/mangled.h).  libstdc++ has
 * no limit for that, so such names are demangled in a child with a second of processor time.
 */
#include "graph/symbols.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "util/mangled.h"
#include "util/memory.h"
#include "util/text.h"

#define NAME_LIMIT 4096

/* libstdc++'s; there is no header for C */
char *__cxa_demangle(const char *mangled, char *buffer, size_t *size, int *status);

static void demangle_in_child(const char *mangled, int fd)
{
	const struct rlimit second = {1, 1}, no_core = {0, 0};
	char *plain;
	int status;

	setrlimit(RLIMIT_CPU, &second);
	setrlimit(RLIMIT_CORE, &no_core);
	signal(SIGXCPU, SIG_DFL);
	signal(SIGPIPE, SIG_DFL);
	plain = __cxa_demangle(mangled, NULL, NULL, &status);
	if (plain) {
		size_t size = strlen(plain);

		/* one byte more than is shown, so that the cut shows */
		size = size > NAME_LIMIT ? NAME_LIMIT + 1 : size;
		if (write(fd, plain, size) == (ssize_t)size)
			_exit(0);
	}
	_exit(1);
}

static char *demangle_apart(const char *mangled)
{
	char *plain = xcalloc(1, NAME_LIMIT + 2);
	size_t size = 0;
	ssize_t got = 1;
	int ends[2], status = -1;
	pid_t child;

	if (pipe(ends) != 0) {
		free(plain);
		return NULL;
	}
	child = fork();
	if (child == 0)
		demangle_in_child(mangled, ends[1]);
	close(ends[1]);
	while (child > 0 && size <= NAME_LIMIT && got) {
		got = read(ends[0], plain + size, NAME_LIMIT + 1 - size);
		if (got < 0 && errno != EINTR)
			break;
		size += got > 0 ? (size_t)got : 0;
	}
	close(ends[0]);
	while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	if (status == 0)
		return plain;
	free(plain);
	return NULL;
}

char *symbols_demangle(const char *name)
{
	char *plain = NULL, *clean;
	int status;

	name = mangled_in_source(name);
	if (name[0] == '_' && name[1] == 'Z' && strnlen(name, MANGLED_MAX) < MANGLED_MAX)
		plain = mangled_is_short(name) ? __cxa_demangle(name, NULL, NULL, &status)
					       : demangle_apart(name);
	if (plain)
		name = plain;
	clean = text_clean(name, strlen(name), NAME_LIMIT);
	free(plain);
	return clean;
}
