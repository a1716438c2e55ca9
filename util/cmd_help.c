#include <stdio.h>
#include <string.h>

#include "util/cmd.h"
#include "util/command.h"
#include "util/options.h"

static void print_list(void)
{
	puts("usage: vflow COMMAND [OPTION]... [ARGUMENT]...\n\n"
	     "vflow records how values flow through the GPU work of an unmodified CUDA program\n"
	     "and says which of that work is superfluous.\n\ncommands:");
	for (const struct command *command = vflow_commands; command->name; command++)
		printf("  %-9s %s\n", command->name, command->summary);
	puts("\n"
	     "  vflow collect ./app                               # writes vflow.db\n"
	     "  vflow report                                      # findings with advice\n"
	     "  vflow slice --vertex 5 | vflow render -o flow.svg # the flow through vertex 5\n"
	     "\n'vflow COMMAND --help' describes a command.");
}

int cmd_help(int argc, char **argv)
{
	char *ask[] = {NULL, "--help", NULL};

	if (argc > 2)
		return options_misuse("help", "one command at a time");
	if (argc < 2 || !strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") ||
	    !strcmp(argv[1], "help")) {
		print_list();
		return EXIT_OK;
	}
	for (const struct command *command = vflow_commands; command->name; command++)
		if (!strcmp(argv[1], command->name)) {
			ask[0] = argv[1];
			return command->run(2, ask);
		}
	return command_unknown(vflow_commands, argv[1]);
}
