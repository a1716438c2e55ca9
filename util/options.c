#include "util/options.h"

#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/command.h"
#include "util/error.h"
#include "util/memory.h"
#include "util/nearest.h"
#include "util/size.h"

enum {
	FIRST_OPTION = 256, /* getopt values of table rows; below are letters */
	HELP_COLUMN = 32,
};

/* The help stands beside the option or, where that is long, below it: util/completion reads it. */
static void print_option(const struct command_option *option)
{
	char letter[8] = "    ";
	int width;

	if (option->letter)
		snprintf(letter, sizeof(letter), "-%c, ", option->letter);
	width = printf("  %s--%s%s%s", letter, option->name, option->argument ? " " : "",
		       option->argument ? option->argument : "");
	if (width > HELP_COLUMN - 2)
		printf("\n%*s%s\n", HELP_COLUMN, "", option->help);
	else
		printf("%*s%s\n", HELP_COLUMN - width, "", option->help);
}

static void print_help(const struct command_help *help)
{
	printf("usage: %s\n\n%s\n\noptions:\n", help->usage, help->summary);
	for (const struct command_option *o = help->options; o->name; o++)
		print_option(o);
	printf("  -h, --help                    print this text\n");
	if (help->more)
		printf("\n%s\n", help->more);
}

int options_misuse(const char *command, const char *format, ...)
{
	struct error error;
	va_list args;

	va_start(args, format);
	error_vset(&error, format, args);
	va_end(args);
	fprintf(stderr, "vflow %s: %s (see 'vflow %s --help')\n", command, error.text, command);
	return EXIT_MISUSE;
}

static int parse_fraction(const char *text, double *value)
{
	char *end;

	*value = strtod(text, &end);
	if (end == text || (*end && strcmp(end, "%") != 0))
		return -1;
	if (*end)
		*value /= 100;
	return *value >= 0 && *value <= 1 ? 0 : -1;
}

static int parse_number(const char *text, uint64_t *value)
{
	char *end;

	errno = 0;
	*value = strtoull(text, &end, 10);
	return errno || end == text || *end || strchr(text, '-') ? -1 : 0;
}

/* "a number": what assign() wants. */
static const char *kind_name(enum option_kind kind)
{
	switch (kind) {
	case OPTION_SIZE:
		return "a size, like 4096, 64K or 1.5M";
	case OPTION_FRACTION:
		return "a fraction, like 0.33 or 33%";
	default:
		return "a number";
	}
}

static int assign(const struct command_option *option, const char *argument)
{
	switch (option->kind) {
	case OPTION_FLAG:
		*(bool *)option->value = true;
		return 0;
	case OPTION_TEXT:
		*(const char **)option->value = argument;
		return 0;
	case OPTION_SIZE:
		return size_parse(argument, option->value);
	case OPTION_NUMBER:
		return parse_number(argument, option->value);
	case OPTION_FRACTION:
		return parse_fraction(argument, option->value);
	case OPTION_LIST: {
		struct option_list *list = option->value;

		list->items = xreallocarray(list->items, list->count + 1, sizeof(*list->items));
		list->items[list->count++] = argument;
		return 0;
	}
	}
	return -1;
}

/* The tables of <getopt.h>; `letters` has room for every printable character twice. */
static struct option *getopt_tables(const struct command_option *options, char *letters)
{
	size_t count = 0;
	struct option *table;

	while (options[count].name)
		count++;
	table = xcalloc(count + 2, sizeof(*table));
	for (size_t i = 0; i < count; i++) {
		bool argument = options[i].argument != NULL;

		table[i] = (struct option){
			.name = options[i].name, .has_arg = argument, .val = FIRST_OPTION + (int)i};
		if (!options[i].letter)
			continue;
		*letters++ = options[i].letter;
		if (argument)
			*letters++ = ':';
	}
	table[count] = (struct option){.name = "help", .val = 'h'};
	*letters++ = 'h';
	*letters = '\0';
	return table;
}

static const struct command_option *option_of(const struct command_option *options, int value)
{
	if (value >= FIRST_OPTION)
		return &options[value - FIRST_OPTION];
	while (options->letter != value)
		options++;
	return options;
}

static int misuse_unknown(const char *command, const struct command_option *options,
			  const char *word)
{
	char *name = xstrndup(word + 2, strcspn(word + 2, "="));
	const char *names[64], *nearest;
	uint32_t count = 0;
	int code;

	for (const struct command_option *o = options; o->name && count < 64; o++)
		names[count++] = o->name;
	nearest = nearest_word(name, names, count);
	code = options_misuse(command, "unknown or ambiguous option --%s%s%s%s", name,
			      nearest ? "; did you mean --" : "", nearest ? nearest : "",
			      nearest ? "?" : "");
	free(name);
	return code;
}

int options_parse(const struct command_help *help, int argc, char **argv, int operands,
		  int *first_operand)
{
	char letters[256] = ":+:";
	/* GNU order: '+' (stop at the first operand) must come before ':' (quiet errors) */
	char *start = letters + (operands == OPTIONS_PROGRAM ? 1 : 2);
	struct option *table = getopt_tables(help->options, letters + 3);
	int result = OPTIONS_RUN, value;

	optind = 0; /* restart: one process may parse several command lines */
	opterr = 0;
	while (result == OPTIONS_RUN &&
	       (value = getopt_long(argc, argv, start, table, NULL)) != -1) {
		const char *word = argv[optind - 1];
		const struct command_option *option;

		if (value == 'h') {
			print_help(help);
			result = EXIT_OK;
		} else if (value == '?') {
			if (optopt && optopt < FIRST_OPTION)
				result = options_misuse(argv[0], "unknown option -%c", optopt);
			else if (optopt)
				result = options_misuse(argv[0], "--%s takes no value",
							option_of(help->options, optopt)->name);
			else
				result = misuse_unknown(argv[0], help->options, word);
		} else if (value == ':') {
			result = options_misuse(argv[0], "%s needs a value", word);
		} else if (assign(option = option_of(help->options, value), optarg) != 0) {
			result = options_misuse(argv[0], "--%s takes %s, not '%s'", option->name,
						kind_name(option->kind), optarg);
		}
	}
	*first_operand = optind;
	if (result == OPTIONS_RUN && operands == 0 && optind < argc)
		result = options_misuse(argv[0], "it takes no operands, but '%s' is given",
					argv[optind]);
	else if (result == OPTIONS_RUN && operands > 0 && optind + operands < argc)
		result = options_misuse(argv[0], "one FILE at a time, not '%s'",
					argv[optind + operands]);
	free(table);
	return result;
}
