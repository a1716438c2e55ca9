/* vflow prune: the important graph. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "query/cmd.h"
#include "query/filter.h"
#include "query/query.h"
#include "util/command.h"
#include "util/options.h"
#include "util/size.h"

enum unit { UNIT_SIZE, UNIT_FRACTION };

struct metric {
	const char *name;
	int value; /* of the enum that the table is for */
	enum unit unit;
};

static const struct metric edge_metrics[] = {
	{"bytes", EDGE_METRIC_BYTES, UNIT_SIZE},
	{"redundant_bytes", EDGE_METRIC_REDUNDANT_BYTES, UNIT_SIZE},
	{"redundancy", EDGE_METRIC_REDUNDANCY, UNIT_FRACTION},
	{"count", EDGE_METRIC_COUNT, UNIT_SIZE},
	{"object_bytes", EDGE_METRIC_OBJECT_BYTES, UNIT_SIZE},
	{NULL, 0, UNIT_SIZE},
};

static const struct metric vertex_metrics[] = {
	{"invocations", VERTEX_METRIC_INVOCATIONS, UNIT_SIZE},
	{"read_bytes", VERTEX_METRIC_READ_BYTES, UNIT_SIZE},
	{"written_bytes", VERTEX_METRIC_WRITTEN_BYTES, UNIT_SIZE},
	{"redundant_bytes", VERTEX_METRIC_REDUNDANT_BYTES, UNIT_SIZE},
	{"time_ns", VERTEX_METRIC_TIME_NS, UNIT_SIZE},
	{NULL, 0, UNIT_SIZE},
};

/* The same for the help and for messages. */
static const char edge_names[] = "bytes, redundant_bytes, redundancy, count, object_bytes";
static const char vertex_names[] =
	"invocations, read_bytes, written_bytes, redundant_bytes, time_ns";

static int parse_value(const char *text, enum unit unit, double *value)
{
	uint64_t size;
	char *end;

	if (unit == UNIT_SIZE) {
		if (size_parse(text, &size) != 0)
			return -1;
		*value = (double)size;
		return 0;
	}
	/* only plain decimals: strtod would take "nan" and "0x1p3" too */
	if (!*text || text[strspn(text, "0123456789.%")])
		return -1;
	*value = strtod(text, &end);
	if (end == text || (*end && strcmp(end, "%") != 0))
		return -1;
	if (*end)
		*value /= 100;
	return 0;
}

/* "METRIC>=X".  Returns EXIT_OK or, after one line on stderr, EXIT_MISUSE. */
static int parse_threshold(const char *option, const char *text, const char *names,
			   const struct metric *metrics, int *metric, double *value)
{
	size_t length = strcspn(text, ">=<");

	for (; metrics->name; metrics++)
		if (strlen(metrics->name) == length && !strncmp(metrics->name, text, length))
			break;
	if (!metrics->name)
		return options_misuse("prune", "%s: '%.*s' is not one of %s", option, (int)length,
				      text, names);
	if (strncmp(text + length, ">=", 2) != 0)
		return options_misuse("prune", "%s needs METRIC>=X in quotes, like '%s>=%s'",
				      option, metrics->name,
				      metrics->unit == UNIT_SIZE ? "1M" : "0.5");
	if (parse_value(text + length + 2, metrics->unit, value) != 0)
		return options_misuse("prune", "%s: '%s' is not a %s", option, text + length + 2,
				      metrics->unit == UNIT_SIZE ? "number or size" : "fraction");
	*metric = metrics->value;
	return EXIT_OK;
}

static int apply(struct graph *graph, void *data, struct error *error)
{
	(void)error;
	query_prune(graph, data);
	return 0;
}

int cmd_prune(int argc, char **argv)
{
	const char *output = NULL, *edge = NULL, *vertex = NULL;
	uint64_t edge_bytes = UINT64_MAX; /* not given */
	const struct command_option options[] = {
		{0, "edge-bytes", "SIZE", "edges with at least SIZE bytes: --edge 'bytes>=SIZE'",
		 OPTION_SIZE, &edge_bytes},
		{0, "edge", "METRIC>=X", edge_names, OPTION_TEXT, &edge},
		{0, "vertex", "METRIC>=X", vertex_names, OPTION_TEXT, &vertex},
		{'o', "output", "FILE", "write the DOT there instead of to standard output",
		 OPTION_TEXT, &output},
		{0},
	};
	const struct command_help help = {
		.usage = "vflow prune [--edge-bytes SIZE] [--edge METRIC>=X] [--vertex METRIC>=X] "
			 "[-o FILE] [FILE]",
		.summary = "Keeps the important edges and vertices of a graph.\n"
			   "With edges only, a vertex stays through a kept edge; with vertices\n"
			   "only, an edge stays between kept ones; with both, a vertex stays for\n"
			   "either reason and an edge by its own metric.",
		.more = "The host vertex always stays.  X is a number or size (1K = 1024,\n"
			"1KB = 1000) or, for redundancy, a fraction (0.5 or 50%).  Quote\n"
			"METRIC>=X: '>' means something to the shell.\n"
			"FILE is a profile or DOT; else standard input, $VFLOW_PROFILE,\n"
			"./vflow.db.\n\n"
			"  vflow prune --edge-bytes 1M | vflow render -o big.svg\n"
			"  vflow prune --edge 'redundancy>=0.9' --vertex 'invocations>=100'",
		.options = options,
	};
	struct query_importance importance = {0};
	struct filter filter = {.command = "prune", .apply = apply, .data = &importance};
	int rest, metric = 0, code = EXIT_OK;

	switch (options_parse(&help, argc, argv, false, &rest)) {
	case OPTIONS_HELP:
		return EXIT_OK;
	case OPTIONS_MISUSE:
		return EXIT_MISUSE;
	case OPTIONS_RUN:
		break;
	}
	if (argc - rest > 1)
		return options_misuse("prune", "one FILE at a time, not '%s'", argv[rest + 1]);
	if (edge_bytes != UINT64_MAX && edge)
		return options_misuse("prune", "--edge-bytes and --edge: one threshold for edges");
	if (edge_bytes == UINT64_MAX && !edge && !vertex)
		return options_misuse("prune", "no threshold given, like --edge-bytes 1M");
	if (edge_bytes != UINT64_MAX) {
		importance.edge_metric = EDGE_METRIC_BYTES;
		importance.edge_threshold = (double)edge_bytes;
	}
	if (edge) {
		code = parse_threshold("--edge", edge, edge_names, edge_metrics, &metric,
				       &importance.edge_threshold);
		importance.edge_metric = metric;
	}
	if (vertex && code == EXIT_OK) {
		code = parse_threshold("--vertex", vertex, vertex_names, vertex_metrics, &metric,
				       &importance.vertex_threshold);
		importance.vertex_metric = metric;
	}
	if (code != EXIT_OK)
		return code;
	filter.file = argv[rest];
	filter.output = output;
	return filter_run(&filter);
}
