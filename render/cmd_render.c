/*
 * render/cmd_render.c: vflow render: draws one graph.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "graph/input.h"
#include "render/cmd.h"
#include "render/format.h"
#include "render/group.h"
#include "render/lanes.h"
#include "render/layout.h"
#include "render/picture.h"
#include "render/select.h"
#include "util/command.h"
#include "util/memory.h"
#include "util/options.h"
#include "util/output.h"
#include "util/progress.h"
#include "util/text.h"

/* "|svg|html ..." */
#define FORMAT(name) "|" #name
static const char format_names[] =
#include "render/formats.def"
	;

enum {
	DEFAULT_SECONDS = 5,
	MOST_SECONDS = 86400,
	LIST_SIZE = 1000,
	MOST_IN_BITMAP = 5000, /* vertices and edges: librsvg draws some hundred in a second */
};

static int fail(const struct error *error)
{
	fprintf(stderr, "vflow render: %s\n", error->text);
	return EXIT_FAILED;
}

/* -T, else the ending of -o, else SVG.  NULL: misuse, which was printed. */
static const struct render_format *choose_format(const char *type, const char *path)
{
	const struct render_format *format = NULL;
	const char *base = path ? path : "-";

	if (strrchr(base, '/'))
		base = strrchr(base, '/') + 1;
	if (type)
		format = render_format_named(type);
	else if (strchr(base, '.'))
		format = render_format_of_file(base);
	else
		format = &render_svg;
	if (!format && type)
		options_misuse("render", "-T is one of %s, not '%s'", format_names + 1, type);
	else if (!format)
		options_misuse("render", "the ending of '%s' says no format: give -T, one of %s",
			       base, format_names + 1);
	return format;
}

/* The one graph of the input; a picture shows one. */
static struct graph *read_graph(struct input *input, struct error *error)
{
	struct graph *graph = NULL, *second = NULL;
	int more;

	if (input_next(input, &graph, error) != 1)
		return NULL;
	more = input_next(input, &second, error);
	if (more == 0)
		return graph;
	if (more == 1) {
		error_set(error, "the input holds several graphs and a picture shows one: "
				 "keep one of them in the input");
		graph_free(second);
	}
	graph_free(graph);
	return NULL;
}

static struct picture *select_and_describe(const struct graph *graph,
					   const struct render_format *format,
					   const struct render_metric *metric, bool all)
{
	bool *vertices = xcalloc(graph->vertex_count, sizeof(*vertices));
	bool *edges = xcalloc(graph->edge_count, sizeof(*edges));
	struct picture *picture;

	if (all || format->everything) {
		memset(vertices, true, graph->vertex_count * sizeof(*vertices));
		memset(edges, true, graph->edge_count * sizeof(*edges));
	} else {
		render_select(graph, format->explorable ? RENDER_EXPLORABLE : RENDER_STILL,
			      vertices, edges);
	}
	picture = picture_new(graph, metric, vertices, edges);
	free(vertices);
	free(edges);
	if (picture->hidden)
		fprintf(stderr, "vflow render: %s; --all draws everything\n", picture->hidden);
	return picture;
}

static void say(char *remark)
{
	if (remark)
		fprintf(stderr, "vflow render: %s\n", remark);
	free(remark);
}

static int draw(const struct render_format *format, struct picture *picture,
		enum layout_engine engine, double seconds, struct output *output,
		struct error *error)
{
	char *remark = NULL;
	int result = 0;

	if (format->positions) {
		progress("laying out the graph");
		result = layout_picture(picture, engine, seconds, &remark, error);
		progress_end();
	}
	say(remark);
	if (result == 0) {
		if (format->convert) /* never onto a terminal */
			progress("drawing the graph");
		result = render_write(format, picture, output_file(output), &remark, error);
		progress_end();
	}
	if (result != 0) {
		output_discard(output);
		return -1;
	}
	say(remark);
	return output_commit(output, error);
}

static int choose_layout(const char *name, enum layout_engine *engine)
{
	static const char *const names[] = {
		[LAYOUT_AUTO] = "auto", [LAYOUT_DOT] = "dot", [LAYOUT_LAYERS] = "layers"};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		if (strcmp(name, names[i]) != 0)
			continue;
		*engine = (enum layout_engine)i;
		return 0;
	}
	return options_misuse("render", "--layout takes auto, dot or layers, not '%s'", name);
}

static int choose_metric(const char *name, const struct render_metric **metric)
{
	const char *words[RENDER_METRIC_WORDS];
	uint32_t count = render_metric_words(words);
	char list[LIST_SIZE];

	*metric = name ? render_metric_named(name) : NULL;
	if (*metric || !name)
		return 0;
	return options_misuse("render", "--size-by takes %s, not '%s'",
			      text_choice(words, count, list, sizeof(list)), name);
}

/* "a|b|c"; returns `list`. */
static const char *metrics_list(char list[LIST_SIZE])
{
	const char *words[RENDER_METRIC_WORDS];

	return text_alternatives(words, render_metric_words(words), list, LIST_SIZE);
}

static int choose_groups(const char *name, enum group_by *by)
{
	static const char *const names[] = {[GROUP_FILE] = "file",
					    [GROUP_FUNCTION] = "function",
					    [GROUP_CALL_PATH] = "call-path",
					    [GROUP_OBJECT] = "object",
					    [GROUP_STREAM] = "stream"};

	for (size_t i = 1; name && i < sizeof(names) / sizeof(*names); i++) {
		if (strcmp(name, names[i]) != 0)
			continue;
		*by = (enum group_by)i;
		return 0;
	}
	return !name ? 0
		     : options_misuse("render",
				      "--group-by takes file, function, call-path, object or "
				      "stream, not '%s'",
				      name);
}

/* What the graph stands for. */
struct grouping {
	const char *by;      /* NULL: it is the input's */
	struct graph *whole; /* the input's, else NULL */
	uint32_t *ids;       /* of its vertices' groups */
};

static void end_grouping(struct grouping *grouping)
{
	graph_free(grouping->whole);
	free(grouping->ids);
}

/* Replaces the graph by `groups`. */
static struct graph *take_groups(struct graph *graph, struct graph *groups, uint32_t *ids,
				 const char *by, struct grouping *grouping)
{
	*grouping = (struct grouping){by, graph, ids};
	fprintf(stderr, "vflow render: %u %s and %u edge%s drawn as %u and %u, grouped by %s\n",
		graph->vertex_count, text_plural(graph->vertex_count, "vertex", "vertices"),
		graph->edge_count, text_plural(graph->edge_count, "", "s"), groups->vertex_count,
		groups->edge_count, by);
	return groups;
}

/* NULL on failure. */
static struct graph *group(struct graph *graph, enum group_by by, const char *name,
			   const struct profile *run, struct grouping *grouping,
			   struct error *error)
{
	struct graph *groups;
	uint32_t *ids;

	if (!graph || by == GROUP_NONE)
		return graph;
	groups = group_graph(graph, by, run, &ids, error);
	if (groups)
		return take_groups(graph, groups, ids, name, grouping);
	graph_free(graph);
	return NULL;
}

/* A graph too large for a page, as the smallest groups that are not; as it is when none are. */
static struct graph *collapse(struct graph *graph, struct grouping *grouping)
{
	static const struct {
		enum group_by by;
		const char *name;
	} rungs[] = {{GROUP_CALL_PATH, "call-path"}, {GROUP_FUNCTION, "function"}};
	struct error error;

	for (size_t i = 0; i < sizeof(rungs) / sizeof(*rungs); i++) {
		struct graph *groups;
		uint32_t *ids;

		if (render_fits(graph, RENDER_EXPLORABLE))
			return graph;
		groups = group_graph(graph, rungs[i].by, NULL, &ids, &error);
		if (groups && render_fits(groups, RENDER_EXPLORABLE))
			return take_groups(graph, groups, ids, rungs[i].name, grouping);
		if (groups)
			free(ids);
		graph_free(groups);
	}
	return graph;
}

static bool any_has(const struct graph *graph, const struct render_metric *metric)
{
	for (uint32_t i = 0; i < graph->vertex_count; i++)
		if (render_metric_of(&graph->vertices[i], metric))
			return true;
	return false;
}

/* Without times of the GPU, those of the host will do, but never unsaid. */
static int settle_metric(const struct graph *graph, const struct render_metric **metric,
			 struct error *error)
{
	if (*metric != &render_by_time || any_has(graph, &render_by_time))
		return 0;
	if (!any_has(graph, &render_by_host_time))
		return error_set(error,
				 "--size-by time: the input has no times: DOT only has those "
				 "of a timing pass on a GPU, name a profile");
	*metric = &render_by_host_time;
	fprintf(stderr, "vflow render: no GPU timing in the input: sizes stand for the host time "
			"of the calls\n");
	return 0;
}

/* Without --all there are never too many. */
static int check_size(const struct render_format *format, const struct graph *graph, bool all,
		      struct error *error)
{
	if (!format->convert || !all ||
	    (uint64_t)graph->vertex_count + graph->edge_count <= MOST_IN_BITMAP)
		return 0;
	return error_set(error,
			 "%u vertices and %u edges are too many for %s, which would take minutes: "
			 "draw SVG or HTML, leave out --all, or draw less ('vflow prune')",
			 graph->vertex_count, graph->edge_count, format->name);
}

/* Long runs keep their first events only. */
static int read_events(struct input *input, struct error *error)
{
	const struct profile *run;

	if (input_read_events(input, error) != 0)
		return -1;
	run = input_run(input);
	if (run->event_rows < run->event_count)
		fprintf(stderr,
			"vflow render: the profile keeps the first %u of %llu calls; later ones "
			"are not drawn\n",
			run->event_rows, (unsigned long long)run->event_count);
	return 0;
}

int cmd_render(int argc, char **argv)
{
	const char *type = NULL, *path = NULL, *layout = "auto", *size_by = NULL, *group_by = NULL;
	enum group_by groups = GROUP_NONE;
	const struct render_metric *metric = NULL;
	char metrics[LIST_SIZE];
	enum layout_engine engine = LAYOUT_AUTO;
	uint64_t seconds = DEFAULT_SECONDS;
	bool all = false, lanes = false, failed = false;
	const struct command_option options[] = {
		{'T', "type", format_names + 1, "what to write (default: as -o ends, else svg)",
		 OPTION_TEXT, &type},
		{'o', "output", "FILE", "write there instead of to standard output", OPTION_TEXT,
		 &path},
		{0, "all", NULL, "draw everything, however large the graph is", OPTION_FLAG, &all},
		{0, "lanes", NULL,
		 "draw the calls of a profile and what each comes after, a lane for each stream",
		 OPTION_FLAG, &lanes},
		{0, "size-by", metrics_list(metrics),
		 "what makes a vertex large (default invocations)", OPTION_TEXT, &size_by},
		{0, "group-by", "file|function|call-path|object|stream", "what to draw as one",
		 OPTION_TEXT, &group_by},
		{0, "layout", "auto|dot|layers",
		 "who lays it out (default auto: dot while that is fast, else layers)", OPTION_TEXT,
		 &layout},
		{0, "time-limit", "SECONDS", "for Graphviz; after that layers are used (default 5)",
		 OPTION_NUMBER, &seconds},
		{0},
	};
	const struct command_help help = {
		.usage = "vflow render [-T FORMAT] [-o FILE] [--all] [--size-by METRIC] "
			 "[--group-by WHAT] [FILE]\n"
			 "vflow render --lanes [-T svg|png|pdf] [-o FILE] [FILE]",
		.summary = "Draws a graph: rectangles are allocations, circles copies and sets,\n"
			   "ovals kernels; a wide edge stands for many bytes, a coloured one for\n"
			   "bytes that did not change.",
		.more = "Of more than 300 vertices or 600 edges the 80 vertices that matter most\n"
			"are drawn; an HTML page holds 5,000.\n" INPUT_HELP "\n"
			"  vflow render -o picture.svg\n"
			"  vflow render -o explore.html\n"
			"  vflow slice --vertex 5 | vflow render -o slice.png",
		.options = options,
	};
	const struct render_format *format;
	struct render_format in_lanes;
	struct error error;
	struct output *output = NULL;
	struct input *input;
	struct picture *picture;
	struct graph *graph = NULL;
	struct grouping grouping = {0};
	int operand, result, code = options_parse(&help, argc, argv, 1, &operand);

	if (code != OPTIONS_RUN)
		return code;
	if (!seconds || seconds > MOST_SECONDS)
		return options_misuse("render", "--time-limit takes 1 to %d", MOST_SECONDS);
	if (choose_layout(layout, &engine) != 0 || choose_metric(size_by, &metric) != 0 ||
	    choose_groups(group_by, &groups) != 0)
		return EXIT_MISUSE;
	format = choose_format(type, path);
	if (!format)
		return EXIT_MISUSE;
	if (lanes) {
		if (groups || size_by || all)
			return options_misuse("render", "--lanes goes with no --group-by, "
							"--size-by or --all");
		if (format != &render_svg && !format->convert)
			return options_misuse("render", "--lanes takes svg, png and pdf, not %s",
					      format->name);
		in_lanes = lanes_format(format);
		format = &in_lanes;
	}
	if (groups && format->everything)
		return options_misuse("render", "%s does not take --group-by", format->name);
	if (format->binary && (!path || !strcmp(path, "-")) && isatty(STDOUT_FILENO))
		return options_misuse("render", "%s is not for terminals: write to a file with -o",
				      format->name);
	input = input_open(argv[operand], true, &error);
	if (!input)
		return fail(&error);
	if (format->events && input_run(input))
		failed = input_read_events(input, &error) != 0;
	else if (format->times || groups == GROUP_STREAM)
		failed = read_events(input, &error) != 0;
	if (!failed)
		graph = group(read_graph(input, &error), groups, group_by, input_run(input),
			      &grouping, &error);
	if (graph && format->explorable && !all && !groups)
		graph = collapse(graph, &grouping);
	if (graph && check_size(format, graph, all, &error) == 0 &&
	    settle_metric(graph, &metric, &error) == 0)
		output = output_open(path, &error);
	if (!output) {
		graph_free(graph);
		end_grouping(&grouping);
		input_close(input);
		return fail(&error);
	}
	picture = select_and_describe(graph, format, metric, all);
	if (grouping.by)
		picture_set_groups(picture, grouping.by, grouping.whole, grouping.ids);
	if (input_run(input))
		picture_set_run(picture, input_run(input));
	if (argv[operand] && strcmp(argv[operand], "-") != 0)
		picture->file = text_clean(argv[operand], strlen(argv[operand]), 0);
	result = draw(format, picture, engine, (double)seconds, output, &error);
	picture_free(picture);
	graph_free(graph);
	end_grouping(&grouping);
	input_close(input);
	return result == 0 ? EXIT_OK : fail(&error);
}
