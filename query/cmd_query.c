/* vflow query: the query language on the command line. */
#include <stdlib.h>

#include "query/ask.h"
#include "query/cmd.h"
#include "util/command.h"

int cmd_query(int argc, char **argv)
{
	struct ask ask = {.command = "query",
			  .limits = {.max_rows = 1000000, .timeout_seconds = 60}};
	const struct command_option options[] = {
		{'p', "param", "NAME=VALUE", "value of $NAME; may be given several times",
		 OPTION_LIST, &ask.parameters},
		{'T', "type", "TYPE",
		 "table tsv csv json jsonl dot (table; tsv into pipes and files)", OPTION_TEXT,
		 &ask.type},
		{'o', "output", "FILE", "write there instead of to standard output", OPTION_TEXT,
		 &ask.output},
		{0, "max-rows", "N", "fail when there are more (default 1000000, 0: any number)",
		 OPTION_NUMBER, &ask.limits.max_rows},
		{0, "timeout", "SECONDS", "fail when it takes longer (default 60, 0: any time)",
		 OPTION_NUMBER, &ask.limits.timeout_seconds},
		{0},
	};
	const struct command_help help = {
		.usage = "vflow query [-p NAME=VALUE] [-T TYPE] [-o FILE] QUERY [FILE]",
		.summary =
			"Asks the graph a question in a language that reads like a drawing of the\n"
			"answer: openCypher, reading only, see vflow-query(1).",
		.more = "FILE is a profile or DOT; else standard input, $VFLOW_PROFILE,\n"
			"./vflow.db.\n\n"
			"  vflow query 'MATCH (k:kernel) RETURN k.name, k.redundant_bytes\n"
			"               ORDER BY k.redundant_bytes DESC LIMIT 10'\n"
			"  vflow query 'MATCH (a:memset)-[w:WRITE]->(k:kernel)\n"
			"               WHERE w.redundancy > 0.9 RETURN GRAPH' | vflow render -o "
			"g.svg\n"
			"  vflow query 'MATCH p = ANY SHORTEST (a {id: 1})-[*]->(b {id: 7}) RETURN "
			"p'",
		.options = options,
	};
	int rest, code = EXIT_OK;

	switch (options_parse(&help, argc, argv, false, &rest)) {
	case OPTIONS_HELP:
		break;
	case OPTIONS_MISUSE:
		code = EXIT_MISUSE;
		break;
	case OPTIONS_RUN:
		ask.query = argv[rest];
		ask.file = ask.query ? argv[rest + 1] : NULL;
		if (argc - rest < 1)
			code = options_misuse("query", "the QUERY is missing");
		else if (argc - rest > 2)
			code = options_misuse("query", "one FILE at a time, not '%s'",
					      argv[rest + 2]);
		else
			code = query_ask(&ask);
		break;
	}
	free(ask.parameters.items);
	return code;
}
