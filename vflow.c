/* vflow.c: the table of commands, nothing else. */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "advice/cmd.h"
#include "collect/cmd.h"
#include "graph/cmd.h"
#include "query/cmd.h"
#include "render/cmd.h"
#include "replay/cmd.h"
#include "util/cmd.h"
#include "util/command.h"

const struct command vflow_commands[] = {
	{"collect", "run a program and record how values flow through its GPU work", cmd_collect},
	{"report", "ranked findings with advice", cmd_report},
	{"diff", "what changed from one run to another", cmd_diff},
	{"whatif", "how long the run would take without calls, waits or copies", cmd_whatif},
	{"slice", "the flow into and out of one operation", cmd_slice},
	{"prune", "keep only the important vertices and edges", cmd_prune},
	{"path", "the paths from one operation to another", cmd_path},
	{"top", "the operations with the most bytes, runs or time", cmd_top},
	{"stat", "how large a graph is and what is in it", cmd_stat},
	{"query", "ask the graph a question in a query language", cmd_query},
	{"render", "draw a graph: SVG, PNG, PDF, or a page to explore", cmd_render},
	{"export", "the profile as JSON, or its graph as DOT", cmd_export},
	{"deps", "which call has to come after which, and why", cmd_deps},
	{"doctor", "check that this machine can collect and draw", cmd_doctor},
	{"help", "this list, or the help of one command", cmd_help},
	{"version", "version and the optional parts of this build", cmd_version},
	{NULL, NULL, NULL},
};

int main(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : NULL;

	if (!name) {
		fputs("vflow: no command given (see 'vflow help')\n", stderr);
		return EXIT_MISUSE;
	}
	if (!strcmp(name, "--help") || !strcmp(name, "-h")) {
		name = "help";
		argc = 2;
	} else if (!strcmp(name, "--version")) {
		name = "version";
	}
	for (const struct command *command = vflow_commands; command->name; command++)
		if (!strcmp(name, command->name))
			return command_run(command, argc - 1, argv + 1);
	return command_unknown(vflow_commands, name);
}
