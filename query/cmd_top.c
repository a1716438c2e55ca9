/* vflow top: the operations with the most of something; a query by another name. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "graph/fields.h"
#include "graph/input.h"
#include "query/ask.h"
#include "query/cmd.h"
#include "util/command.h"
#include "util/memory.h"
#include "util/text.h"

#define USUAL "redundant_bytes"

enum { LIST_SIZE = 1000 };

/*
 * What operations can be ranked by: bytes, the last of the fields first, then everything else.
 * Returns how many.
 */
static uint32_t find_metrics(const char *names[VERTEX_FIELD_COUNT])
{
	const struct graph_field *field = graph_vertex_fields + VERTEX_FIELD_COUNT;
	uint32_t count = 0;

	while (field-- > graph_vertex_fields)
		if (field->type == FIELD_COUNT && field->unit == UNIT_BYTES && !field->profile_only)
			names[count++] = field->name;
	for (field = graph_vertex_fields; field->name; field++)
		if (field->type == FIELD_COUNT && field->unit != UNIT_BYTES && !field->profile_only)
			names[count++] = field->name;
	return count;
}

int cmd_top(int argc, char **argv)
{
	struct ask ask = {.command = "top", .says_kept = true, .tables_only = true};
	const char *names[VERTEX_FIELD_COUNT], *by = USUAL;
	uint32_t count = find_metrics(names);
	char metrics[LIST_SIZE], list[LIST_SIZE];
	uint64_t limit = 10;
	const struct command_option options[] = {
		{0, "by", text_alternatives(names, count, metrics, sizeof(metrics)),
		 "what ranks them (default " USUAL ")", OPTION_TEXT, &by},
		{'n', "limit", "N", "how many operations, 0 for all (default 10)", OPTION_NUMBER,
		 &limit},
		{'T', "type", "table|tsv|csv|json|jsonl",
		 "what to write (default: table on a terminal, else tsv)", OPTION_TEXT, &ask.type},
		{'o', "output", "FILE", "write there instead of to standard output", OPTION_TEXT,
		 &ask.output},
		{0},
	};
	const struct command_help help = {
		.usage = "vflow top [--by METRIC] [-n N] [-T TYPE] [-o FILE] [FILE]",
		.summary =
			"Lists the operations that left the most bytes unchanged, or by another\n"
			"metric.",
		.more = INPUT_HELP "\n"
				   "  vflow slice --vertex 5 | vflow top --by written_bytes",
		.options = options,
	};
	int operand, code = options_parse(&help, argc, argv, 1, &operand);
	bool known = false;
	char *query, *none;

	if (code != OPTIONS_RUN)
		return code;
	for (uint32_t i = 0; i < count; i++)
		known |= !strcmp(by, names[i]);
	if (!known)
		return options_misuse("top", "--by takes %s, not '%s'",
				      text_choice(names, count, list, sizeof(list)), by);
	if (limit > INT64_MAX)
		return options_misuse("top", "-n is too large");
	query = xasprintf("MATCH (v) WHERE v.%s > 0 RETURN v.id AS id, v.%s AS %s, v.kind AS kind, "
			  "v.name AS name, v.callpath AS callpath ORDER BY v.%s DESC, v.id LIMIT "
			  "%" PRIu64,
			  by, by, by, by, limit ? limit : (uint64_t)INT64_MAX);
	none = field_find(graph_vertex_fields, by)->unit == UNIT_NS
		       ? xasprintf("no operation has %s: vflow collect --passes flow,time,waits "
				   "records times",
				   by)
		       : xasprintf("%s is not above 0 anywhere", by);
	ask.if_none = none;
	ask.query = query;
	ask.file = argv[operand];
	code = query_ask(&ask);
	free(query);
	free(none);
	return code;
}
