#include <stdio.h>

#include "util/cmd.h"
#include "util/command.h"
#include "util/options.h"

static void print_part(const char *name, int present, const char *otherwise)
{
	printf("  %-9s %s\n", name, present ? "yes" : otherwise);
}

int cmd_version(int argc, char **argv)
{
	const struct command_option options[] = {{0}};
	const struct command_help help = {
		.usage = "vflow version",
		.summary = "Says which vflow this is and which optional parts it was built with.",
		.options = options,
	};
	int operand, code = options_parse(&help, argc, argv, 0, &operand);

	if (code != OPTIONS_RUN)
		return code;
	printf("vflow %s\n", VFLOW_VERSION);
	print_part("emulator", 1, "");
	print_part("png", HAVE_RSVG, "no: built without librsvg2-dev");
	print_part("editing", HAVE_EDIT, "no: built without libedit-dev");
	return EXIT_OK;
}
