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
	struct option_list from_texts, to_texts;
	struct selectors from, to;
	struct query_paths paths;
};

/* Marks the vertices that any of them means; each must mean one. */
static int mark(const struct selectors *selectors, const struct graph *graph, bool *of,
		struct error *error)
{
	for (uint32_t i = 0; i < selectors->count; i++)
		if (selector_mark(selectors->items[i], graph, of, error) <= 0)
			return -1;
	return 0;
}

/* "3", "3 and 2 more" */
static char *shown(const struct option_list *texts)
{
	return texts->count > 1
		       ? xasprintf("%s and %" PRIu32 " more", texts->items[0], texts->count - 1)
		       : xstrdup(texts->items[0]);
}

static void say_no_path(const struct path *path, struct error *error)
{
	char *from = shown(&path->from_texts), *to = shown(&path->to_texts);

	error_set(error, "no path leads from %s to %s%s", from, to,
		  path->paths.objects.count > 1 ? " along one of these objects"
		  : path->paths.objects.count   ? " along that object"
						: "");
	free(from);
	free(to);
}

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

	if (mark(&path->from, graph, from, error) != 0) {
		result = error_prefix(error, "--from");
	} else if (mark(&path->to, graph, to, error) != 0) {
		result = error_prefix(error, "--to");
	} else {
		paths.from = from;
		paths.to = to;
		engine = engine_from_graph(graph);
		keep = selection_new(engine);
		found = query_path(engine, &paths, &keep, error);
		filter_keep(graph, engine, &keep);
		if (found == 0)
			say_no_path(path, error);
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

	if (selectors_new(&path->from, &path->from_texts, &error) != 0 ||
	    selectors_new(&path->to, &path->to_texts, &error) != 0)
		code = options_misuse("path", "%s", error.text);
	else
		code = filter_run(&filter);
	selectors_free(&path->from);
	selectors_free(&path->to);
	return code;
}

int cmd_path(int argc, char **argv)
{
	struct path path = {0};
	const char *output = NULL;
	bool all = false, limited;
	uint64_t limit = UINT64_MAX; /* not given */
	struct option_list objects = {0};
	struct error error;
	const struct command_option options[] = {
		{0, "from", "ID|REGEX", "where the paths start; several times: at any of these",
		 OPTION_LIST, &path.from_texts},
		{0, "to", "ID|REGEX", "where they end; several times: at any of these", OPTION_LIST,
		 &path.to_texts},
		{0, "object", "ID",
		 "only along the object of this allocation; several times: of these", OPTION_LIST,
		 &objects},
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

	limited = limit != UINT64_MAX;
	if (code != OPTIONS_RUN)
		;
	else if (!path.from_texts.count || !path.to_texts.count)
		code = options_misuse("path", "%s ID|REGEX is missing",
				      path.from_texts.count ? "--to" : "--from");
	else if (path.paths.shortest && (all || limited))
		code = options_misuse("path", "--shortest is one path: not with --all or --limit");
	else if (!limit)
		code = options_misuse("path", "--limit 0 keeps nothing");
	else if (objects_new(&path.paths.objects, &objects, &error) != 0)
		code = options_misuse("path", "%s", error.text);
	path.paths.limit = limited ? limit : 0;
	if (code == OPTIONS_RUN)
		code = run(&path, argv[operand], output);
	free(path.from_texts.items);
	free(path.to_texts.items);
	free(objects.items);
	free(path.paths.objects.ids);
	return code;
}
