/*
 * vflow-passes: `vflow collect` with passes of the test's own beside `flow`, for collect_passes.sh.
 * On the emulated device they record what `flow` does: what is tested is how they are run.
 */
#include <stddef.h>
#include <string.h>

#include "collect/cmd_collect.h"
#include "util/command.h"

static const struct pass_option word = {
	.option = {.name = "word",
		   .argument = "WORD",
		   .help = "for the program",
		   .kind = OPTION_TEXT},
	.variable = "WORD_OF_PASS",
};

static const struct pass_library none = {.name = "libvflow-none.so", .install = "nothing"};
static const struct pass_provider emulated[] = {{&device_emulated, NULL}, {NULL, NULL}};
static const struct pass_provider gpu[] = {{&device_gpu, &none}, {NULL, NULL}};

static const struct pass early = {.name = "early",
				  .gives = "runs before flow",
				  .role = PASS_JOINS_GRAPH,
				  .providers = emulated,
				  .options = (const struct pass_option *const[]){&word, NULL}};
static const struct pass one = {.name = "one",
				.gives = "shares a run with two",
				.role = PASS_JOINS_GRAPH,
				.run = "both",
				.providers = emulated};
static const struct pass two = {.name = "two",
				.gives = "shares a run with one",
				.role = PASS_JOINS_GRAPH,
				.run = "both",
				.providers = emulated};
static const struct pass never = {.name = "never",
				  .gives = "needs a GPU and a library that is not built",
				  .role = PASS_JOINS_GRAPH,
				  .providers = gpu};

static const struct pass *const table[] = {&early, &pass_flow, &one, &two, &never, NULL};

int main(int argc, char **argv)
{
	if (argc < 2 || strcmp(argv[1], "collect") != 0)
		return EXIT_MISUSE;
	return collect_with_passes(table, build_analyses, argc - 1, argv + 1);
}
