/* vflow path: the ways from one operation to another. */
#include <stdlib.h>

#include "query/cmd.h"
#include "query/filter.h"
#include "query/query.h"
#include "query/select.h"
#include "util/command.h"
#include "util/memory.h"
#include "util/options.h"

struct path {
	struct selector *from, *to;
	const char *from_text, *to_text;
	bool shortest, one_object;
	uint32_t object;
};

static int apply(struct graph *graph, void *data, struct error *error)
{
	const struct path *path = data;
	bool *from = xcalloc((size_t)graph->vertex_count + 1, sizeof(*from));
	bool *to = xcalloc((size_t)graph->vertex_count + 1, sizeof(*to));
	int result = 0;

	if (selector_mark(path->from, graph, from, error) < 0 ||
	    selector_mark(path->to, graph, to, error) < 0)
		result = -1;
	else if (!query_path(graph, from, to, path->shortest, path->one_object, path->object))
		result = error_set(error, "no way leads from %s to %s%s", path->from_text,
				   path->to_text, path->one_object ? " along that object" : "");
	free(from);
	free(to);
	return result;
}

static int run(struct path *path, const char *file, const char *output)
{
	struct filter filter = {
		.command = "path", .file = file, .output = output, .apply = apply, .data = path};
	struct error error;
	int code;

	path->from = selector_new(path->from_text, &error);
	path->to = path->from ? selector_new(path->to_text, &error) : NULL;
	code = path->to ? filter_run(&filter) : options_misuse("path", "%s", error.text);
	selector_free(path->from);
	selector_free(path->to);
	return code;
}

int cmd_path(int argc, char **argv)
{
	struct path path = {0};
	const char *output = NULL;
	bool all = false;
	uint64_t object = UINT64_MAX; /* not given */
	const struct command_option options[] = {
		{0, "from", "ID|REGEX", "where the ways start", OPTION_TEXT, &path.from_text},
		{0, "to", "ID|REGEX", "where they end", OPTION_TEXT, &path.to_text},
		{0, "object", "ID", "only along the object of this allocation", OPTION_NUMBER,
		 &object},
		{0, "all", NULL, "every edge on some way (the default)", OPTION_FLAG, &all},
		{0, "shortest", NULL, "one way with the fewest edges", OPTION_FLAG, &path.shortest},
		{'o', "output", "FILE", "write the DOT there instead of to standard output",
		 OPTION_TEXT, &output},
		{0},
	};
	const struct command_help help = {
		.usage =
			"vflow path --from ID|REGEX --to ID|REGEX [--object ID] [--all|--shortest] "
			"[-o FILE] [FILE]",
		.summary = "Keeps the ways that values can take from one operation to another.",
		.more = "The host vertex always stays.  Exits 1 when there is no way.\n"
			"FILE is a profile or DOT; else standard input, $VFLOW_PROFILE,\n"
			"./vflow.db.\n\n"
			"  vflow path --from 3 --to 17 | vflow render -o ways.svg\n"
			"  vflow path --from cudaMemset --to '^gemm' --shortest run.db",
		.options = options,
	};
	int rest;

	switch (options_parse(&help, argc, argv, false, &rest)) {
	case OPTIONS_HELP:
		return EXIT_OK;
	case OPTIONS_MISUSE:
		return EXIT_MISUSE;
	case OPTIONS_RUN:
		break;
	}
	if (!path.from_text || !path.to_text)
		return options_misuse("path", "%s ID|REGEX is missing",
				      path.from_text ? "--to" : "--from");
	if (all && path.shortest)
		return options_misuse("path", "--all or --shortest, not both");
	if (argc - rest > 1)
		return options_misuse("path", "one FILE at a time, not '%s'", argv[rest + 1]);
	path.one_object = object != UINT64_MAX;
	path.object = object < UINT32_MAX ? (uint32_t)object : UINT32_MAX;
	return run(&path, argv[rest], output);
}
