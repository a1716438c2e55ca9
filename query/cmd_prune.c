/* vflow prune: the important part of a graph. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "graph/fields.h"
#include "graph/input.h"
#include "query/cmd.h"
#include "query/filter/filter.h"
#include "query/filter/query.h"
#include "query/filter/select.h"
#include "util/command.h"
#include "util/memory.h"
#include "util/options.h"
#include "util/size.h"

/* What pprof does without being asked. */
#define USUAL_NODECOUNT 80
#define USUAL_NODEFRACTION 0.005
#define USUAL_EDGEFRACTION 0.001

enum { HELP_SIZE = 1000 };
enum { FOCUS, IGNORE, HIDE, SHOW, EXPRESSIONS };

static const char *const expression_options[EXPRESSIONS] = {
	[FOCUS] = "--focus", [IGNORE] = "--ignore", [HIDE] = "--hide", [SHOW] = "--show"};

struct prune {
	struct selectors selectors[EXPRESSIONS]; /* none: not given */
	struct query_threshold edge, vertex;
	char *edge_metric, *vertex_metric; /* what they refer to */
	double nodefraction, edgefraction; /* negative: not given */
	uint64_t nodecount;                /* UINT64_MAX: not given */
};

/* -- thresholds: METRIC>=X -- */

/* Plain decimals: strtod would take "nan" and "0x1p3" too. */
static bool parse_decimal(const char *text, const char *suffix, double *value)
{
	char *end;

	if (!strpbrk(text, "0123456789"))
		return false;
	*value = strtod(text, &end);
	return strspn(text, "-.0123456789") == (size_t)(end - text) && !strcmp(end, suffix);
}

static bool parse_fraction(const char *text, double *value)
{
	if (parse_decimal(text, "%", value)) {
		*value /= 100;
		return true;
	}
	return parse_decimal(text, "", value);
}

static bool is_fraction(const char *metric)
{
	const struct graph_field *of_edge = field_find(graph_edge_fields, metric);
	const struct graph_field *of_vertex = field_find(graph_vertex_fields, metric);

	return (of_edge && of_edge->type == FIELD_FRACTION) ||
	       (of_vertex && of_vertex->type == FIELD_FRACTION);
}

static int parse_value(const char *option, const char *metric, const char *text, double *value)
{
	uint64_t size;

	if (is_fraction(metric)) {
		if (!parse_fraction(text, value))
			return options_misuse("prune",
					      "%s: '%s' is not a fraction, like 0.5 or 50%%",
					      option, text);
		if (*value < 0 || *value > 1)
			return options_misuse("prune", "%s: %s is from 0 to 1 (100%%), '%s' is not",
					      option, metric, text);
		return EXIT_OK;
	}
	if (size_parse(text, &size) == 0) {
		*value = (double)size;
		return EXIT_OK;
	}
	if (parse_decimal(text, "", value))
		return EXIT_OK;
	return options_misuse("prune", "%s: '%s' is not a number or size", option, text);
}

/* Returns EXIT_OK or, after one line on stderr, EXIT_MISUSE. */
static int parse_threshold(const char *option, const char *text, char **metric,
			   struct query_threshold *threshold)
{
	size_t length = text ? strcspn(text, ">=<") : 0;

	if (!text)
		return EXIT_OK;
	if (!length || strncmp(text + length, ">=", 2) != 0)
		return options_misuse("prune", "%s needs METRIC>=X in quotes, like '%s>=%s'",
				      option, !strcmp(option, "--edge") ? "bytes" : "invocations",
				      !strcmp(option, "--edge") ? "1M" : "100");
	*metric = xstrndup(text, length);
	threshold->metric = *metric;
	return parse_value(option, *metric, text + length + 2, &threshold->least);
}

/* -- one graph -- */

/*
 * Marks the vertices that any of the expressions finds: 1, 0 when there are none, or -1.  Of one
 * that finds none there is a note; with `needed` that is a failure: it may be what was meant.
 */
static int find(const struct prune *prune, int which, const struct graph *graph, bool *of,
		bool needed, struct error *error)
{
	const struct selectors *selectors = &prune->selectors[which];
	int result = 0;

	for (uint32_t i = 0; i < selectors->count; i++) {
		int64_t found = selector_mark(selectors->items[i], graph, of, error);

		if (found > 0) {
			result = 1;
			continue;
		}
		error_prefix(error, "%s", expression_options[which]);
		if (found < 0 || needed)
			return -1;
		fprintf(stderr, "vflow prune: %s\n", error->text);
	}
	return result;
}

static bool *room_for_vertices(const struct graph *graph)
{
	return xcalloc((size_t)graph->vertex_count + 1, sizeof(bool));
}

static int filter_flows(const struct prune *prune, int which, struct graph *graph,
			struct error *error)
{
	bool *of = room_for_vertices(graph);
	int found = find(prune, which, graph, of, which == FOCUS, error);

	if (found > 0) {
		struct engine *engine = engine_from_graph(graph);
		struct selection keep = selection_new(engine);

		if (which == FOCUS)
			query_slice(engine, of, &(struct query_part){0}, &keep);
		else
			query_ignore(engine, of, &keep);
		filter_keep(graph, engine, &keep);
	}
	free(of);
	return found < 0 ? -1 : 0;
}

static int filter_hidden(const struct prune *prune, struct graph *graph, struct error *error)
{
	bool *hidden = room_for_vertices(graph), *shown = room_for_vertices(graph);
	int found = 1;

	if (prune->selectors[HIDE].count)
		found = find(prune, HIDE, graph, hidden, false, error);
	if (prune->selectors[SHOW].count && found >= 0)
		found = find(prune, SHOW, graph, shown, true, error);
	for (uint32_t v = 0; v < graph->vertex_count; v++) {
		hidden[v] |= prune->selectors[SHOW].count && !shown[v];
		hidden[v] &= graph->vertices[v].id != GRAPH_HOST;
	}
	if (found >= 0)
		found = query_bridge(graph, hidden, error);
	free(hidden);
	free(shown);
	return found < 0 ? -1 : 0;
}

static int filter_thresholds(struct graph *graph, const struct query_threshold *edge,
			     const struct query_threshold *vertex, struct error *error)
{
	struct engine *engine = engine_from_graph(graph);
	struct selection keep = selection_new(engine);
	int result = query_prune(engine, edge, vertex, &keep, error);

	filter_keep(graph, engine, &keep);
	return result;
}

/* By the bytes at a vertex. */
static void filter_vertices(const struct prune *prune, struct graph *graph, double total)
{
	for (int most = 0; most < 2; most++) {
		struct engine *engine;
		struct selection keep;

		if (most ? prune->nodecount == UINT64_MAX : prune->nodefraction < 0)
			continue;
		engine = engine_from_graph(graph);
		keep = selection_new(engine);
		if (most)
			query_keep_most(engine, prune->nodecount, &keep);
		else
			query_keep_large(engine, prune->nodefraction * total, &keep);
		filter_keep(graph, engine, &keep);
	}
}

static int apply(struct graph *graph, void *data, struct error *error)
{
	const struct prune *prune = data;
	const struct query_threshold none = {NULL, 0};
	struct query_threshold edge = {EDGE_NAME(BYTES), 0};
	double total = 0;

	if (prune->nodefraction >= 0 || prune->edgefraction >= 0) {
		struct engine *engine = engine_from_graph(graph);

		total = query_bytes(engine);
		engine_free(engine);
	}
	for (int which = FOCUS; which <= IGNORE; which++)
		if (prune->selectors[which].count && filter_flows(prune, which, graph, error) != 0)
			return -1;
	if ((prune->selectors[HIDE].count || prune->selectors[SHOW].count) &&
	    filter_hidden(prune, graph, error) != 0)
		return -1;
	if ((prune->edge.metric || prune->vertex.metric) &&
	    filter_thresholds(graph, &prune->edge, &prune->vertex, error) != 0)
		return -1;
	filter_vertices(prune, graph, total);
	edge.least = prune->edgefraction * total;
	return prune->edgefraction < 0 ? 0 : filter_thresholds(graph, &edge, &none, error);
}

/* -- the command line -- */

struct texts {
	struct option_list expressions[EXPRESSIONS];
	const char *edge, *vertex, *nodefraction, *edgefraction;
	uint64_t edge_bytes, nodecount; /* UINT64_MAX: not given */
	bool trim;
};

static int parse_part(const char *option, const char *text, double usual, double *fraction)
{
	*fraction = usual;
	if (!text || (parse_fraction(text, fraction) && *fraction >= 0 && *fraction <= 1))
		return EXIT_OK;
	return options_misuse("prune",
			      "%s: '%s' is not a fraction from 0 to 1, like 0.005 or 0.5%%", option,
			      text);
}

static int parse(const struct texts *texts, struct prune *prune)
{
	bool any = texts->trim || texts->edge || texts->vertex || texts->nodefraction ||
		   texts->edgefraction || texts->edge_bytes != UINT64_MAX ||
		   texts->nodecount != UINT64_MAX;
	struct error error;
	int code;

	if (texts->edge_bytes != UINT64_MAX && texts->edge)
		return options_misuse("prune", "--edge-bytes and --edge: one threshold for edges");
	for (int which = 0; which < EXPRESSIONS; which++) {
		any |= texts->expressions[which].count;
		if (selectors_new(&prune->selectors[which], &texts->expressions[which], &error) !=
		    0)
			return options_misuse("prune", "%s: %s", expression_options[which],
					      error.text);
	}
	if (!any)
		return options_misuse("prune", "nothing is asked for, like --edge-bytes 1M, "
					       "--focus gemm or --trim");
	prune->nodecount = texts->nodecount != UINT64_MAX ? texts->nodecount
			   : texts->trim                  ? (uint64_t)USUAL_NODECOUNT
							  : UINT64_MAX;
	if (texts->edge_bytes != UINT64_MAX)
		prune->edge = (struct query_threshold){EDGE_NAME(BYTES), (double)texts->edge_bytes};
	code = parse_threshold("--edge", texts->edge, &prune->edge_metric, &prune->edge);
	if (code == EXIT_OK)
		code = parse_threshold("--vertex", texts->vertex, &prune->vertex_metric,
				       &prune->vertex);
	if (code == EXIT_OK)
		code = parse_part("--nodefraction", texts->nodefraction,
				  texts->trim ? USUAL_NODEFRACTION : -1, &prune->nodefraction);
	if (code == EXIT_OK)
		code = parse_part("--edgefraction", texts->edgefraction,
				  texts->trim ? USUAL_EDGEFRACTION : -1, &prune->edgefraction);
	return code;
}

/* "edges by bytes, count, ..."; returns `help`. */
static const char *metrics_help(const char *start, const struct graph_field *fields,
				char help[HELP_SIZE])
{
	char names[HELP_SIZE - 100];

	fields_names(fields, FIELD_COUNT | FIELD_FRACTION, ", ", names, sizeof(names));
	snprintf(help, HELP_SIZE, "%s%s, ...", start, names);
	return help;
}

int cmd_prune(int argc, char **argv)
{
	char edge_help[HELP_SIZE], vertex_help[HELP_SIZE];
	struct texts texts = {.edge_bytes = UINT64_MAX, .nodecount = UINT64_MAX};
	const char *output = NULL;
	const struct command_option options[] = {
		{0, "focus", "ID|REGEX", "only flows through these operations, whole", OPTION_LIST,
		 &texts.expressions[FOCUS]},
		{0, "ignore", "ID|REGEX", "no flows through these operations", OPTION_LIST,
		 &texts.expressions[IGNORE]},
		{0, "hide", "ID|REGEX", "takes these operations out and joins their neighbours",
		 OPTION_LIST, &texts.expressions[HIDE]},
		{0, "show", "ID|REGEX", "hides all but these operations", OPTION_LIST,
		 &texts.expressions[SHOW]},
		{0, "edge-bytes", "SIZE", "edges with at least SIZE bytes: --edge 'bytes>=SIZE'",
		 OPTION_SIZE, &texts.edge_bytes},
		{0, "edge", "METRIC>=X", metrics_help("edges by ", graph_edge_fields, edge_help),
		 OPTION_TEXT, &texts.edge},
		{0, "vertex", "METRIC>=X", metrics_help("by ", graph_vertex_fields, vertex_help),
		 OPTION_TEXT, &texts.vertex},
		{0, "nodefraction", "F", "vertices with at least F of all bytes at their edges",
		 OPTION_TEXT, &texts.nodefraction},
		{0, "nodecount", "N", "the N vertices with the most bytes at their edges",
		 OPTION_NUMBER, &texts.nodecount},
		{0, "edgefraction", "F", "edges with at least F of all bytes", OPTION_TEXT,
		 &texts.edgefraction},
		{0, "trim", NULL,
		 "--nodecount 80 --nodefraction 0.005 --edgefraction 0.001, as pprof does",
		 OPTION_FLAG, &texts.trim},
		{'o', "output", "FILE", "write the DOT there instead of to standard output",
		 OPTION_TEXT, &output},
		{0},
	};
	const struct command_help help = {
		.usage = "vflow prune [--focus|--ignore|--hide|--show ID|REGEX] [--edge METRIC>=X] "
			 "[--vertex METRIC>=X] [--nodecount N] ... [-o FILE] [FILE]",
		.summary = "Keeps the important part of a graph.  The options work one after the\n"
			   "other, in the order of this list; those with ID|REGEX may be given "
			   "several\n"
			   "times.",
		.more = "With --edge alone, a vertex stays if one of its edges does; with "
			"--vertex\n"
			"alone, an edge stays if both its ends do; with both, a vertex stays for\n"
			"either reason and an edge for its own metric.\n"
			"The host vertex always stays.  X is a number or size (1K = 1024,\n"
			"1KB = 1000) or, for redundancy, a fraction (0.5 or 50%).  Quote\n"
			"METRIC>=X: '>' means something to the shell.  Edges that --hide and\n"
			"--show make have the attribute bridged=true and no bytes.\n" INPUT_HELP
			"\n"
			"  vflow prune --trim | vflow render -o big.svg\n"
			"  vflow prune --focus gemm --hide cudaMemcpy --edge-bytes 1M\n"
			"  vflow prune --edge 'redundancy>=0.9' --vertex 'invocations>=100'",
		.options = options,
	};
	struct prune prune = {0};
	struct filter filter = {.command = "prune", .apply = apply, .data = &prune};
	int operand, code = options_parse(&help, argc, argv, 1, &operand);

	if (code != OPTIONS_RUN)
		return code;
	filter.file = argv[operand];
	filter.output = output;
	code = parse(&texts, &prune);
	if (code == EXIT_OK)
		code = filter_run(&filter);
	for (int which = 0; which < EXPRESSIONS; which++) {
		selectors_free(&prune.selectors[which]);
		free(texts.expressions[which].items);
	}
	free(prune.edge_metric);
	free(prune.vertex_metric);
	return code;
}
