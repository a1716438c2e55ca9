/* vflow top: the operations with the most of something; a query by another name. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "graph/input.h"
#include "query/ask.h"
#include "query/cmd.h"
#include "util/command.h"
#include "util/memory.h"

static const char *const metrics[] = {"redundant_bytes", "written_bytes", "read_bytes",
				      "invocations", "time_ns"};

int cmd_top(int argc, char **argv)
{
	struct ask ask = {.command = "top", .says_kept = true, .tables_only = true};
	const char *by = metrics[0];
	uint64_t limit = 10;
	const struct command_option options[] = {
		{0, "by", "METRIC",
		 "redundant_bytes (default) written_bytes read_bytes invocations time_ns",
		 OPTION_TEXT, &by},
		{'n', "limit", "N", "how many operations, 0 for all (default 10)", OPTION_NUMBER,
		 &limit},
		{'T', "type", "TYPE",
		 "table tsv csv json jsonl (default: table on a terminal, else tsv)", OPTION_TEXT,
		 &ask.type},
		{'o', "output", "FILE", "write there instead of to standard output", OPTION_TEXT,
		 &ask.output},
		{0},
	};
	const struct command_help help = {
		.usage = "vflow top [--by METRIC] [-n N] [-T TYPE] [-o FILE] [FILE]",
		.summary =
			"Lists the operations with the most bytes left unchanged, or by another\n"
			"metric.",
		.more = INPUT_HELP "\n"
				   "  vflow slice --vertex 5 | vflow top --by written_bytes",
		.options = options,
	};
	int rest, code = options_parse(&help, argc, argv, 1, &rest);
	bool known = false;
	char *query;

	if (code != OPTIONS_RUN)
		return code;
	for (size_t i = 0; i < sizeof(metrics) / sizeof(*metrics); i++)
		known |= !strcmp(by, metrics[i]);
	if (!known)
		return options_misuse("top",
				      "--by takes redundant_bytes, written_bytes, "
				      "read_bytes, invocations or time_ns, not '%s'",
				      by);
	if (limit > INT64_MAX)
		return options_misuse("top", "-n is too large");
	query = xasprintf("MATCH (v) WHERE v.%s > 0 RETURN v.id AS id, v.%s AS %s, v.kind AS kind, "
			  "v.name AS name, v.callpath AS callpath ORDER BY v.%s DESC, v.id LIMIT "
			  "%" PRIu64,
			  by, by, by, by, limit ? limit : (uint64_t)INT64_MAX);
	ask.query = query;
	ask.file = argv[rest];
	code = query_ask(&ask);
	free(query);
	return code;
}
