/* vflow stat: how large a graph is and what is in it; a query by another name. */
#include "graph/input.h"
#include "query/ask.h"
#include "query/cmd.h"
#include "util/command.h"

/* One row per kind of vertex, then one per type of edge. */
static const char statistics[] =
	"MATCH (v) WITH coalesce(v.kind, '') AS kind, count(*) AS number, "
	"sum(v.invocations) AS invocations "
	"WITH collect({part: 'vertex', kind: kind, number: number, invocations: invocations}) AS "
	"vertices "
	"OPTIONAL MATCH ()-[e]->() WITH vertices, coalesce(type(e), '') AS kind, count(e) AS "
	"number, "
	"sum(e.count) AS invocations, sum(e.bytes) AS bytes, sum(e.redundant_bytes) AS redundant, "
	"sum(e.redundant_value_bytes) AS values, sum(e.dead_bytes) AS dead "
	"WITH vertices, collect({part: 'edge', kind: kind, number: number, "
	"invocations: invocations, bytes: bytes, redundant: redundant, values: values, "
	"dead: dead}) AS edges "
	"UNWIND vertices + edges AS x WITH x WHERE x.number > 0 "
	"RETURN x.part AS part, x.kind AS kind, x.number AS number, x.invocations AS invocations, "
	"x.bytes AS bytes, x.redundant AS redundant_bytes, x.values AS redundant_value_bytes, "
	"x.dead AS dead_bytes ORDER BY part DESC, kind";

int cmd_stat(int argc, char **argv)
{
	struct ask ask = {.command = "stat", .query = statistics, .tables_only = true};
	const struct command_option options[] = {
		{'T', "type", "table|tsv|csv|json|jsonl",
		 "what to write (default: table on a terminal, else tsv)", OPTION_TEXT, &ask.type},
		{'o', "output", "FILE", "write there instead of to standard output", OPTION_TEXT,
		 &ask.output},
		{0},
	};
	const struct command_help help = {
		.usage = "vflow stat [-T TYPE] [-o FILE] [FILE]",
		.summary = "Counts the vertices of a graph by kind and its edges by access, with\n"
			   "their invocations and bytes.",
		.more = INPUT_HELP "\n"
				   "  vflow prune --edge-bytes 1M | vflow stat",
		.options = options,
	};
	int operand, code = options_parse(&help, argc, argv, 1, &operand);

	if (code != OPTIONS_RUN)
		return code;
	ask.file = argv[operand];
	return query_ask(&ask);
}
