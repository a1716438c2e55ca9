#include "query/filter.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>

#include "graph/dot.h"
#include "graph/input.h"
#include "util/command.h"
#include "util/output.h"
#include "util/size.h"

struct totals {
	uint32_t vertices, edges;
	uint64_t bytes;
};

static struct totals totals_of(const struct graph *graph)
{
	struct totals totals = {graph->vertex_count, graph->edge_count, 0};

	for (uint32_t e = 0; e < graph->edge_count; e++)
		if (__builtin_add_overflow(totals.bytes, graph->edges[e].bytes, &totals.bytes))
			totals.bytes = UINT64_MAX; /* only in DOT that was made up */
	return totals;
}

static void say_kept(const char *command, struct totals before, struct totals after)
{
	char kept[16], all[16];

	fprintf(stderr,
		"vflow %s: kept %" PRIu32 " of %" PRIu32 " vertices, %" PRIu32 " of %" PRIu32
		" edges, %s of %s bytes\n",
		command, after.vertices, before.vertices, after.edges, before.edges,
		size_format(after.bytes, kept), size_format(before.bytes, all));
}

static int filter_one(const struct filter *filter, struct graph *graph, FILE *file,
		      struct error *error)
{
	struct totals before = totals_of(graph);

	if (filter->apply(graph, filter->data, error) != 0)
		return -1;
	if (dot_write(graph, file, error) != 0)
		return -1;
	say_kept(filter->command, before, totals_of(graph));
	return 0;
}

static int filter_all(const struct filter *filter, struct input *input, struct output *output,
		      struct error *error)
{
	struct graph *graph;
	int result;

	while ((result = input_next(input, &graph, error)) == 1) {
		result = filter_one(filter, graph, output_file(output), error);
		graph_free(graph);
		if (result != 0)
			break;
	}
	return result;
}

int filter_run(const struct filter *filter)
{
	struct error error;
	struct input *input;
	struct output *output = NULL;
	int result = -1;

	/* `vflow slice ... | head` ends quietly, also under a parent that ignores the signal */
	signal(SIGPIPE, SIG_DFL);
	input = input_open(filter->file, true, &error);
	if (input)
		output = output_open(filter->output, &error);
	if (output) {
		result = filter_all(filter, input, output, &error);
		if (result == 0)
			result = output_commit(output, &error);
		else
			output_discard(output);
	}
	if (input)
		input_close(input);
	if (result != 0)
		fprintf(stderr, "vflow %s: %s\n", filter->command, error.text);
	return result == 0 ? EXIT_OK : EXIT_FAILED;
}
