/*
 * util/options.h: one table per command that both parses its options and prints its help.
 */
#ifndef VFLOW_UTIL_OPTIONS_H
#define VFLOW_UTIL_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

enum option_kind {
	OPTION_FLAG,     /* bool */
	OPTION_TEXT,     /* const char *: points into argv */
	OPTION_SIZE,     /* uint64_t, see util/size.h */
	OPTION_NUMBER,   /* uint64_t, decimal */
	OPTION_FRACTION, /* double: 0.33 or 33% */
	OPTION_LIST,     /* struct option_list: the option may be given several times */
};

struct option_list {
	const char **items; /* point into argv; the array lives until the process ends */
	uint32_t count;
};

struct command_option {
	char letter; /* 0: none */
	const char *name;
	/*
	 * NULL for flags; shown in the help.  One word, and shells complete what follows from it
	 * (util/completion): FILE, FOLDER, "a|b" for one of these words, "a|b,.." for a list.
	 */
	const char *argument;
	const char *help; /* one line; says the default */
	enum option_kind kind;
	void *value; /* of the kind's type */
};

struct command_help {
	const char *usage;   /* "vflow slice --vertex ID|REGEX [FILE]" */
	const char *summary; /* one or two sentences */
	const char *more;    /* after the options, may be NULL: examples, exit codes */
	const struct command_option *options; /* ends with a row without a name */
};

enum {
	OPTIONS_RUN = -1,     /* a result: go on */
	OPTIONS_PROGRAM = -1, /* for `operands`: they are another program's command line */
};

/*
 * Returns OPTIONS_RUN, with the index of the first operand; else the exit code, after
 * --help on stdout or one line of misuse on stderr.
 *
 * argv[0] is the command's name; it takes at most so many operands, which may be mixed with
 * options.  With OPTIONS_PROGRAM parsing ends at the first.  "--" ends the options, too.
 */
int options_parse(const struct command_help *help, int argc, char **argv, int operands,
		  int *first_operand);

/* Prints "vflow COMMAND: message" as the one line of a misuse and returns 2. */
int options_misuse(const char *command, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif
