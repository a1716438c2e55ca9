/* vflow slice: the flow into and out of one operation. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "graph/input.h"
#include "query/cmd.h"
#include "query/filter/filter.h"
#include "query/filter/query.h"
#include "query/filter/select.h"
#include "util/command.h"
#include "util/memory.h"
#include "util/options.h"
#include "util/text.h"

enum {
	NAMED = 10, /* vertices that are listed when several are meant */
	LARGE = 30, /* vertices: who sees fewer needs no smaller slice */
};

struct slice {
	struct selectors selectors;
	struct query_part part;
};

/* Which vertices the expression found: the user may have meant fewer. */
static void say_union(const struct graph *graph, const bool *of, uint64_t count)
{
	uint64_t named = 0;

	fprintf(stderr, "vflow slice: the union of the slices of %" PRIu64 " vertices:", count);
	for (uint32_t v = 0; v < graph->vertex_count && named < NAMED; v++) {
		const char *name = selector_name(&graph->vertices[v]);
		char *shown;

		if (!of[v])
			continue;
		shown = text_clean(name, strlen(name), 60);
		fprintf(stderr, "%s %" PRIu32 " %s", named++ ? "," : "", graph->vertices[v].id,
			shown);
		free(shown);
	}
	fputs(count > named ? ", ...\n" : "\n", stderr);
}

/* Where the slice is no smaller than the graph, for a person: what makes it smaller. */
static void say_large(const struct graph *kept, uint32_t all, const struct query_part *part)
{
	if (all < LARGE || kept->vertex_count < all - all / 5)
		return;
	fprintf(stderr,
		"vflow slice: nearly everything is in the slice; to narrow it:%s%s%s or "
		"'vflow prune --edge-bytes SIZE'\n",
		part->objects.count ? "" : " --object ID,", part->depth ? "" : " --depth N,",
		part->up || part->down ? "" : " --up, --down,");
}

static int apply(struct graph *graph, void *data, struct error *error)
{
	const struct slice *slice = data;
	bool *of = xcalloc((size_t)graph->vertex_count + 1, sizeof(*of));
	struct engine *engine;
	struct selection keep;
	const uint32_t all = graph->vertex_count;
	uint64_t count = 0;
	int result = 0;

	for (uint32_t i = 0; i < slice->selectors.count && result == 0; i++)
		result = selector_mark(slice->selectors.items[i], graph, of, error) > 0 ? 0 : -1;
	if (result == 0) {
		for (uint32_t v = 0; v < graph->vertex_count; v++)
			count += of[v];
		if (count > 1)
			say_union(graph, of, count);
		engine = engine_from_graph(graph);
		keep = selection_new(engine);
		query_slice(engine, of, &slice->part, &keep);
		filter_keep(graph, engine, &keep);
		if (graph->edge_count == 0)
			fputs("vflow slice: nothing flows there: the slice has no edges\n", stderr);
		else
			say_large(graph, all, &slice->part);
	}
	free(of);
	return result;
}

static int run(const struct option_list *wanted, const struct query_part *part, const char *file,
	       const char *output)
{
	struct slice slice = {.part = *part};
	struct filter filter = {
		.command = "slice", .file = file, .output = output, .apply = apply, .data = &slice};
	struct error error;
	int code;

	if (selectors_new(&slice.selectors, wanted, &error) != 0)
		return options_misuse("slice", "%s", error.text);
	code = filter_run(&filter);
	selectors_free(&slice.selectors);
	return code;
}

int cmd_slice(int argc, char **argv)
{
	struct option_list wanted = {0}, objects = {0};
	const char *output = NULL;
	struct query_part part = {0};
	uint64_t depth = 0;
	struct error error;
	const struct command_option options[] = {
		{0, "vertex", "ID|REGEX", "the operation; may be given several times", OPTION_LIST,
		 &wanted},
		{0, "up", NULL, "only what leads to it", OPTION_FLAG, &part.up},
		{0, "down", NULL, "only what follows from it", OPTION_FLAG, &part.down},
		{0, "object", "ID",
		 "only along the object of this allocation; several times: of these", OPTION_LIST,
		 &objects},
		{0, "depth", "N", "only edges at most N steps away", OPTION_NUMBER, &depth},
		{'o', "output", "FILE", "write the DOT there instead of to standard output",
		 OPTION_TEXT, &output},
		{0},
	};
	const struct command_help help = {
		.usage = "vflow slice --vertex ID|REGEX [--up|--down] [--object ID] [--depth N] "
			 "[-o FILE] [FILE]",
		.summary = "Keeps what flows into and out of one operation: for every object that\n"
			   "it touches, the operations that lead to it and that follow from it.",
		.more = "REGEX is a Perl-compatible expression, found anywhere in the name or the\n"
			"call path; when it finds several vertices, the result is the union of\n"
			"their slices.\n" INPUT_HELP "\n"
			"  vflow slice --vertex 5 | vflow render -o flow.svg\n"
			"  vflow slice --vertex gemm run.db | vflow prune --edge-bytes 1M",
		.options = options,
	};
	int operand, code = options_parse(&help, argc, argv, 1, &operand);

	if (code == OPTIONS_RUN) {
		part.depth = depth < UINT32_MAX ? (uint32_t)depth : 0;
		if (!wanted.count)
			code = options_misuse("slice", "--vertex ID|REGEX is missing");
		else if (part.up && part.down)
			code = options_misuse("slice", "--up and --down exclude each other; "
						       "without them the slice goes both ways");
		else if (objects_new(&part.objects, &objects, &error) != 0)
			code = options_misuse("slice", "%s", error.text);
		else
			code = run(&wanted, &part, argv[operand], output);
	}
	free(wanted.items);
	free(objects.items);
	free(part.objects.ids);
	return code;
}
