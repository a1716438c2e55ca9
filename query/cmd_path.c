/* vflow path: the paths from one operation to another. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "graph/input.h"
#include "query/cmd.h"
#include "query/filter/filter.h"
#include "query/filter/query.h"
#include "query/filter/select.h"
#include "util/command.h"
#include "util/memory.h"
#include "util/options.h"
#include "util/text.h"

struct path {
	struct selector *from, *to;
	const char *from_text, *to_text;
	struct query_paths paths;
};

static int apply(struct graph *graph, void *data, struct error *error)
{
	const struct path *path = data;
	struct query_paths paths = path->paths;
	struct engine *engine;
	struct selection keep;
	int64_t found;
	bool *from = xcalloc((size_t)graph->vertex_count + 1, sizeof(*from));
	bool *to = xcalloc((size_t)graph->vertex_count + 1, sizeof(*to));
	int result = 0;

	if (selector_mark(path->from, graph, from, error) <= 0) {
		result = error_prefix(error, "--from");
	} else if (selector_mark(path->to, graph, to, error) <= 0) {
		result = error_prefix(error, "--to");
	} else {
		paths.from = from;
		paths.to = to;
		engine = engine_from_graph(graph);
		keep = selection_new(engine);
		found = query_path(engine, &paths, &keep, error);
		filter_keep(graph, engine, &keep);
		if (found == 0)
			error_set(error, "no path leads from %s to %s%s", path->from_text,
				  path->to_text, paths.one_object ? " along that object" : "");
		result = found > 0 ? 0 : -1;
		if (found > 0 && (uint64_t)found < paths.limit)
			fprintf(stderr, "vflow path: there %s only %" PRId64 " path%s\n",
				text_plural((uint64_t)found, "is", "are"), found,
				text_plural((uint64_t)found, "", "s"));
	}
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
	bool all = false, limited;
	uint64_t limit = UINT64_MAX;  /* not given */
	uint64_t object = UINT64_MAX; /* not given */
	const struct command_option options[] = {
		{0, "from", "ID|REGEX", "where the paths start", OPTION_TEXT, &path.from_text},
		{0, "to", "ID|REGEX", "where they end", OPTION_TEXT, &path.to_text},
		{0, "object", "ID", "only along the object of this allocation", OPTION_NUMBER,
		 &object},
		{0, "all", NULL, "every edge on some path (the default)", OPTION_FLAG, &all},
		{0, "limit", "N", "only the N shortest paths, each without an edge twice",
		 OPTION_NUMBER, &limit},
		{0, "shortest", NULL, "one path with the fewest edges", OPTION_FLAG,
		 &path.paths.shortest},
		{'o', "output", "FILE", "write the DOT there instead of to standard output",
		 OPTION_TEXT, &output},
		{0},
	};
	const struct command_help help = {
		.usage =
			"vflow path --from ID|REGEX --to ID|REGEX [--object ID] [--all [--limit N]|"
			"--shortest] [-o FILE] [FILE]",
		.summary = "Keeps the paths that values can take from one operation to another.",
		.more = "The host vertex always stays.  Exits 1 when there is no path.\n" INPUT_HELP
			"\n"
			"  vflow path --from 3 --to 17 | vflow render -o paths.svg\n"
			"  vflow path --from cudaMemset --to '^gemm' --shortest run.db\n"
			"  vflow path --from 3 --to 17 --limit 5 --object 1",
		.options = options,
	};
	int operand, code = options_parse(&help, argc, argv, 1, &operand);

	if (code != OPTIONS_RUN)
		return code;
	if (!path.from_text || !path.to_text)
		return options_misuse("path", "%s ID|REGEX is missing",
				      path.from_text ? "--to" : "--from");
	limited = limit != UINT64_MAX;
	if (path.paths.shortest && (all || limited))
		return options_misuse("path", "--shortest is one path: not with --all or --limit");
	if (!limit)
		return options_misuse("path", "--limit 0 keeps nothing");
	path.paths.one_object = object != UINT64_MAX;
	path.paths.object = object < UINT32_MAX ? (uint32_t)object : UINT32_MAX;
	path.paths.limit = limited ? limit : 0;
	return run(&path, argv[operand], output);
}
