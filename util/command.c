/* util/command.c: what every command needs before and after it. */
#include "util/command.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "util/error.h"
#include "util/nearest.h"

static void guard_streams(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		/* the lowest free number is this one */
		if (fcntl(fd, F_GETFD) < 0 &&
		    open("/dev/null", (fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) | O_CLOEXEC) < 0)
			return;
}

static int check_output(const char *name)
{
	bool failed = ferror(stdout) != 0;

	errno = failed ? EIO : 0;
	failed |= fflush(stdout) != 0;
	if (!failed)
		return EXIT_OK;
	fprintf(stderr, "vflow %s: cannot write standard output: %s\n", name, strerror(errno));
	return EXIT_FAILED;
}

int command_run(const struct command *command, int argc, char **argv)
{
	int code;

	guard_streams();
	code = command->run(argc, argv);
	return code == EXIT_OK ? check_output(command->name) : code;
}

int command_unknown(const struct command *commands, const char *name)
{
	const char *names[64], *nearest;
	struct error error;
	uint32_t count = 0;

	while (commands[count].name && count < 64) {
		names[count] = commands[count].name;
		count++;
	}
	nearest = nearest_word(name, names, count);
	error_set(&error, "'%s' is not a command%s%s%s (see 'vflow help')", name,
		  nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
	fprintf(stderr, "vflow: %s\n", error.text);
	return EXIT_MISUSE;
}
