/* vflow query: the query language on the command line. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "graph/input.h"
#include "query/ask.h"
#include "query/cmd.h"
#include "util/command.h"
#include "util/memory.h"
#include "util/output.h"

/* The text of a query, NULL after a message.  A little more than the limit: the parser refuses it.
 */
static char *read_query(const char *path)
{
	size_t room = QUERY_LIMIT + 2, length;
	FILE *file = strcmp(path, "-") != 0 ? fopen(path, "re") : stdin;
	struct error error;
	int result = 0;
	char *text;

	if (!file) {
		error_set(&error, "cannot read %s: %s", path, strerror(errno));
		fprintf(stderr, "vflow query: %s\n", error.text);
		return NULL;
	}
	output_spare(fileno(file));
	text = xcalloc(room, 1);
	length = fread(text, 1, room - 1, file);
	if (ferror(file))
		result = error_set(&error, "cannot read %s: %s", path, strerror(errno));
	else if (memchr(text, 0, length))
		result = error_set(&error, "%s is not a query: it is not text", path);
	if (file != stdin)
		fclose(file);
	if (result == 0)
		return text;
	fprintf(stderr, "vflow query: %s\n", error.text);
	free(text);
	return NULL;
}

static int run(struct ask *ask, const char *query_file, bool session, int count, char **operands)
{
	int wanted = !session && !query_file;
	char *text;
	int code;

	if (session && (query_file || ask->output))
		return options_misuse("query", "-i takes neither -f nor -o");
	if (count < wanted)
		return options_misuse("query", "the QUERY is missing");
	if (count > wanted + 1)
		return options_misuse("query", "one FILE at a time, not '%s'",
				      operands[wanted + 1]);
	ask->file = count > wanted ? operands[wanted] : NULL;
	if (session)
		return query_session(ask);
	if (!query_file) {
		ask->query = operands[0];
		return query_ask(ask);
	}
	ask->asked_on_stdin = !strcmp(query_file, "-");
	if (ask->asked_on_stdin && ask->file && !strcmp(ask->file, "-"))
		return options_misuse("query",
				      "standard input holds the query: name the FILE of the "
				      "graph");
	ask->query = text = read_query(query_file);
	code = text ? query_ask(ask) : EXIT_FAILED;
	free(text);
	return code;
}

int cmd_query(int argc, char **argv)
{
	struct ask ask = {.command = "query",
			  .limits = {.max_rows = 1000000, .timeout_seconds = 60}};
	const char *query_file = NULL;
	bool session = false;
	const struct command_option options[] = {
		{'p', "param", "NAME=VALUE", "value of $NAME; may be given several times",
		 OPTION_LIST, &ask.parameters},
		{'T', "type", "table|tsv|csv|json|jsonl|dot",
		 "what to write (default: table on a terminal, else tsv)", OPTION_TEXT, &ask.type},
		{'f', "file", "FILE", "read the QUERY from FILE instead; - is standard input",
		 OPTION_TEXT, &query_file},
		{'i', "interactive", NULL,
		 "queries from standard input, one after the other; \\h for help", OPTION_FLAG,
		 &session},
		{'o', "output", "FILE", "write there instead of to standard output", OPTION_TEXT,
		 &ask.output},
		{0, "max-rows", "N", "fail when there are more (default 1000000, 0: any number)",
		 OPTION_NUMBER, &ask.limits.max_rows},
		{0, "timeout", "SECONDS", "fail when it takes longer (default 60, 0: any time)",
		 OPTION_NUMBER, &ask.limits.timeout_seconds},
		{0},
	};
	const struct command_help help = {
		.usage = "vflow query [-p NAME=VALUE] [-T TYPE] [-o FILE] QUERY [FILE]\n"
			 "       vflow query -f FILE [FILE]\n"
			 "       vflow query -i [FILE]",
		.summary =
			"Asks the graph a question in a language that reads like a drawing of the\n"
			"answer: openCypher, reading only, see vflow-query(1).",
		.more = INPUT_HELP
		"\n"
		"  vflow query 'MATCH (k:kernel) RETURN k.name, k.redundant_bytes\n"
		"               ORDER BY k.redundant_bytes DESC LIMIT 10'\n"
		"  vflow query 'MATCH (a:memset)-[w:WRITE]->(k:kernel)\n"
		"               WHERE w.redundancy > 0.9 RETURN GRAPH' | vflow render -o "
		"g.svg\n"
		"  vflow query 'MATCH p = ANY SHORTEST (a {id: 1})-[*]->(b {id: 7}) RETURN "
		"p'\n"
		"  vflow query 'MATCH (o:Object)-[:OF]->(a) RETURN a.callpath, o.bytes\n"
		"               ORDER BY o.bytes DESC LIMIT 1'",
		.options = options,
	};
	int operand, code = options_parse(&help, argc, argv, 2, &operand);

	if (code == OPTIONS_RUN)
		code = run(&ask, query_file, session, argc - operand, argv + operand);
	free(ask.parameters.items);
	return code;
}
