#include "query/filter/filter.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "graph/dot.h"
#include "graph/input.h"
#include "query/filter/kept.h"
#include "util/command.h"
#include "util/output.h"

static int filter_one(const struct filter *filter, struct graph *graph, struct output *output,
		      struct error *error)
{
	struct kept before = kept_of(graph);

	if (filter->apply(graph, filter->data, error) != 0)
		return -1;
	if (dot_write(graph, output_file(output), error) != 0)
		return error_set(error, "cannot write %s: %s", output_name(output),
				 strerror(errno));
	kept_say(filter->command, before, graph);
	return 0;
}

static int filter_all(const struct filter *filter, struct input *input, struct output *output,
		      struct error *error)
{
	struct graph *graph;
	int result;

	while ((result = input_next(input, &graph, error)) == 1) {
		result = filter_one(filter, graph, output, error);
		graph_free(graph);
		if (result != 0)
			break;
	}
	return result;
}

void filter_keep(struct graph *graph, struct engine *engine, struct selection *keep)
{
	engine_free(engine);
	graph_filter(graph, keep->vertex, keep->edge);
	selection_free(keep);
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
