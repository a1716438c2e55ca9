/*
 * util/command.h: a subcommand.  One command = one cmd_*.c = one row in vflow.c.
 */
#ifndef VFLOW_UTIL_COMMAND_H
#define VFLOW_UTIL_COMMAND_H

#define VFLOW_VERSION "0.1"
/* Draws PNG and PDF, where the build found it; loaded when it is needed. */
#define RSVG_LIBRARY "librsvg-2.so.2"

enum exit_code {
	EXIT_OK = 0,
	EXIT_FAILED = 1, /* something went wrong: what happened and what to do is on stderr */
	EXIT_MISUSE = 2, /* one line on stderr */
	/* collect only, as env(1) and timeout(1) use them */
	EXIT_VFLOW_FAILED = 125,
	EXIT_NOT_EXECUTABLE = 126,
	EXIT_NOT_FOUND = 127,
};

struct command {
	const char *name;
	const char *summary;               /* one line for `vflow help` */
	int (*run)(int argc, char **argv); /* argv[0] is the name; returns the exit code */
};

/* The table of vflow.c; ends with a row without a name. */
extern const struct command vflow_commands[];

/*
 * Runs the command.  Standard streams that the caller has closed become ones whose use fails, or
 * the next file to be opened would take their place and messages would end up in it; programs that
 * vflow starts find them closed.  A success is none when what went to stdout did not get there.
 */
int command_run(const struct command *command, int argc, char **argv);

/* Says that there is no such command, and which was meant perhaps.  Returns EXIT_MISUSE. */
int command_unknown(const struct command *commands, const char *name);

#endif
