/*
 * query/session.c: vflow query -i: one query after the other, from a terminal or a script.
 *
 * A query ends with ';' and may take several lines; a line that starts with '\' is a command.
 */
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "graph/input.h"
#include "query/ask.h"
#include "query/describe.h"
#include "query/line.h"
#include "util/command.h"
#include "util/memory.h"
#include "util/text.h"

struct session {
	struct request request;
	struct asked asked;
	struct line *line;
	char *statement; /* what was read of it */
	size_t length, capacity;
	int code; /* of the first that failed */
};

static volatile sig_atomic_t interrupted;

static void on_interrupt(int signal)
{
	(void)signal;
	interrupted = 1;
}

static void say(struct session *session, const char *text)
{
	fflush(stdout);
	fprintf(stderr, "vflow query: %s\n", text);
	if (session->code == EXIT_OK)
		session->code = EXIT_FAILED;
}

/* -- answers -- */

static bool returns_graph(const char *text)
{
	struct error ignored;
	struct query *query = query_parse(text, &ignored);
	bool graph = query && !query->explain &&
		     query->clauses[query->clause_count - 1].type == CLAUSE_GRAPH;

	query_free(query);
	return graph;
}

/* Writing a graph uses up what it is taken from: a child does it, which has its own copy. */
static void answer_in_child(struct session *session, const char *text)
{
	struct error error;
	int status = 0;
	pid_t child;

	fflush(NULL);
	child = fork();
	if (child == 0) {
		int code = request_answer(&session->request, text, &session->asked, stdout, &error);

		if (code != EXIT_OK)
			fprintf(stderr, "vflow query: %s\n", error.text);
		_exit(fflush(stdout) == 0 ? code : EXIT_FAILED);
	}
	while (child > 0 && waitpid(child, &status, 0) < 0)
		;
	if (child < 0)
		say(session, "cannot start a process for the graph");
	else if (status != 0 && session->code == EXIT_OK)
		session->code = EXIT_FAILED;
}

static void answer(struct session *session, const char *text)
{
	struct error error;

	if (!text[strspn(text, " \t\r\n;")])
		return;
	interrupted = 0;
	if (returns_graph(text) || session->request.type == REQUEST_DOT)
		answer_in_child(session, text);
	else if (request_answer(&session->request, text, &session->asked, stdout, &error) !=
		 EXIT_OK)
		say(session, error.text);
	fflush(stdout);
	interrupted = 0;
}

/* -- statements -- */

/* Length of the first statement with its ';', 0: it has no end yet. */
static size_t statement_length(const char *text)
{
	for (size_t at = 0; text[at]; at++) {
		char c = text[at];
		const char *end = NULL;

		if (c == ';')
			return at + 1;
		if (c == '\'' || c == '"') {
			for (at++; text[at] && text[at] != c; at++)
				at += text[at] == '\\' && text[at + 1];
			if (!text[at])
				return 0;
			continue;
		}
		if (c == '`')
			end = strchr(text + at + 1, '`');
		else if (c == '/' && text[at + 1] == '/')
			end = strchr(text + at, '\n');
		else if (c == '/' && text[at + 1] == '*')
			end = strstr(text + at + 2, "*/");
		else
			continue;
		if (!end)
			return 0;
		at = (size_t)(end - text);
	}
	return 0;
}

static void add_line(struct session *session, const char *line)
{
	size_t length = strlen(line);

	if (session->length + length > 2 * QUERY_LIMIT) { /* will be refused: no need to keep it */
		say(session, "the query is longer than 256 KiB: it is left out up to its ';'");
		session->length = 0;
		return;
	}
	while (session->capacity < session->length + length + 2) {
		session->capacity = session->capacity ? 2 * session->capacity : 256;
		session->statement = xreallocarray(session->statement, session->capacity, 1);
	}
	memcpy(session->statement + session->length, line, length);
	session->length += length;
	session->statement[session->length++] = '\n';
	session->statement[session->length] = '\0';
}

static void answer_statements(struct session *session)
{
	size_t length;

	while (session->length && (length = statement_length(session->statement)) > 0) {
		size_t space = strspn(session->statement, " \t\r\n");
		char *text = xstrndup(session->statement + space, length - space);

		line_remember(session->line, text);
		answer(session, text);
		free(text);
		session->length -= length;
		memmove(session->statement, session->statement + length, session->length + 1);
		if (!session->statement[strspn(session->statement, " \t\r\n")])
			session->length = 0;
	}
}

/* -- commands -- */

static void help(void)
{
	puts("A query ends with ';' and may take several lines.\n"
	     "  \\d          labels, types and properties, with examples\n"
	     "  \\T TYPE     answers as table, tsv, csv, json, jsonl or dot\n"
	     "  \\h          this help\n"
	     "  \\q          the end; Ctrl-D, too\n"
	     "Tab completes keywords, functions, labels, types and properties.\n"
	     "Ctrl-C ends the query that runs, not the session.  The language: man vflow-query.\n"
	     "  MATCH (k:kernel) RETURN k.name, k.redundant_bytes ORDER BY k.redundant_bytes "
	     "DESC LIMIT 10;");
}

/* False: the session ends. */
static bool run_command(struct session *session, char *line)
{
	char *word = strtok(line, " \t\r\n"), *argument = strtok(NULL, " \t\r\n");
	char text[200], *clean;

	if (!strcmp(word, "\\q"))
		return false;
	if (!strcmp(word, "\\d")) {
		describe(asked_engine(&session->asked), stdout);
		if (input_run(session->asked.input))
			puts("Besides, where a query names them: labels Call, Object; types OF, "
			     "READS, WRITES");
	} else if (!strcmp(word, "\\h") || !strcmp(word, "\\?")) {
		help();
	} else if (!strcmp(word, "\\T")) {
		int type = argument ? request_type(argument) : -1;

		if (type < 0)
			say(session, "\\T takes table, tsv, csv, json, jsonl or dot");
		else
			session->request.type = type;
	} else {
		clean = text_clean(word, strlen(word), 40);
		snprintf(text, sizeof(text), "there is no command %s: \\h lists them", clean);
		free(clean);
		say(session, text);
	}
	fflush(stdout);
	return true;
}

static bool is_command(const struct session *session, const char *line)
{
	return !session->length && line[strspn(line, " \t")] == '\\';
}

static void complete_line(void *of, const char *line, struct completion *completion)
{
	struct session *session = of;
	char *text = xasprintf("%s%s", session->length ? session->statement : "", line);

	complete(asked_engine(&session->asked), text, completion);
	free(text);
}

static void read_all(struct session *session)
{
	bool more = true;

	while (more) {
		char *line = line_read(session->line, session->length ? "   ...> " : "vflow> ");

		if (!line && interrupted) { /* Ctrl-C at the prompt: what was typed is gone */
			interrupted = 0;
			if (session->length)
				line_remember(session->line, session->statement);
			session->length = 0;
			continue;
		}
		if (!line)
			break;
		if (is_command(session, line)) {
			line_remember(session->line, line);
			more = run_command(session, line);
		} else {
			add_line(session, line);
			answer_statements(session);
		}
		free(line);
	}
	if (more && session->length) { /* the last ';' may be missing */
		line_remember(session->line, session->statement);
		answer(session, session->statement);
	}
}

int query_session(const struct ask *ask)
{
	struct session session = {.code = EXIT_OK};
	struct sigaction action = {.sa_handler = on_interrupt};
	struct error error;
	struct input *input;
	struct graph *another;
	bool terminal = isatty(STDIN_FILENO);

	if (ask->file && !strcmp(ask->file, "-"))
		return options_misuse("query", "with -i standard input holds the queries: name the "
					       "FILE of the graph");
	session.code = request_open(&session.request, ask);
	if (session.code != EXIT_OK)
		return session.code;
	input = input_open(ask->file, false, &error);
	if (!input || input_next(input, &session.asked.graph, &error) != 1) {
		fprintf(stderr, "vflow query: %s\n", error.text);
		session.code = EXIT_FAILED;
	} else {
		if (input_next(input, &another, &error) == 1) {
			fprintf(stderr, "vflow query: note: -i asks the first of several graphs\n");
			graph_free(another);
		}
		session.asked.input = input;
		session.request.interrupted = &interrupted;
		if (terminal) {
			sigaction(SIGINT, &action,
				  NULL); /* without SA_RESTART: reading ends, too */
			printf("%" PRIu32 " %s, %" PRIu32 " edge%s.  \\h for help.\n",
			       session.asked.graph->vertex_count,
			       text_plural(session.asked.graph->vertex_count, "vertex", "vertices"),
			       session.asked.graph->edge_count,
			       text_plural(session.asked.graph->edge_count, "", "s"));
		}
		session.line = line_open(terminal, complete_line, &session, &interrupted);
		read_all(&session);
		line_close(session.line);
		asked_free(&session.asked);
	}
	if (input)
		input_close(input);
	free(session.statement);
	request_close(&session.request);
	return terminal ? EXIT_OK : session.code;
}
