/* Queries: whatever the text, an answer or a message; a query that runs is within its limits. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "query/print.h"
#include "query/language/explain.h"
#include "query/language/run.h"
#include "tests/fuzz/fuzz.h"

/* Eight vertices in two cycles with chords, labels A and B, parallel edges and a loop. */
static struct engine *engine(void)
{
	static const char *const labels[] = {"kernel", "alloc"};
	struct engine *made = engine_new();

	for (uint32_t v = 0; v < 8; v++) {
		engine_add_vertex(made, &labels[v % 2], 1);
		engine_set(made, false, v, "name", value_text(v % 3 ? "a" : "bb"));
		engine_set(made, false, v, "invocations", value_integer(v));
	}
	for (uint32_t v = 0; v < 8; v++) {
		uint32_t edge = engine_add_edge(made, v, (v + 1) % 8, v % 2 ? "READ" : "WRITE");

		engine_set(made, true, edge, "bytes", value_integer(v * 1000));
		engine_add_edge(made, v, v / 2, "WRITE");
	}
	engine_finish(made);
	return made;
}

static volatile sig_atomic_t interrupted;

static void interrupt(int signal)
{
	(void)signal;
	interrupted = 1;
}

/* What takes long is interrupted after a while of CPU time: more queries in the same time. */
static void set_timer(long nanoseconds)
{
	static timer_t timer;
	static bool made;
	struct itimerspec value = {.it_value.tv_nsec = nanoseconds};
	struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR2};

	if (!made && (signal(SIGUSR2, interrupt) == SIG_ERR ||
		      timer_create(CLOCK_PROCESS_CPUTIME_ID, &event, &timer) != 0))
		abort();
	made = true;
	interrupted = 0;
	if (timer_settime(timer, 0, &value, NULL) != 0)
		abort();
}

static bool answer(struct query *query, struct engine *graph, struct query_result *result,
		   struct error *error)
{
	static const struct query_limits limits = {
		.max_rows = 300, .timeout_seconds = 10, .interrupted = &interrupted};

	if (!query->explain)
		return query_run(query, graph, &limits, result, error) == 0;
	query_explain(query, graph, result);
	return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct engine *graph;
	struct parameter parameter = {"x", value_integer(3)};
	char *text = malloc(size + 1), *printed;
	struct query_result result;
	struct query *query;
	struct error error;
	size_t length;

	if (!text)
		abort();
	memcpy(text, data, size);
	text[size] = '\0';
	if (!graph)
		graph = engine();
	set_timer(50 * 1000 * 1000);
	query = query_parse(text, &error);
	if (query && query_check(query, graph, &parameter, 1, &error) == 0 &&
	    answer(query, graph, &result, &error)) {
		FILE *file = open_memstream(&printed, &length);

		if (!file)
			abort();
		for (unsigned type = PRINT_TABLE; type <= PRINT_JSONL && !result.is_graph; type++)
			print_result(graph, &result, (enum print_type)type, NULL, file);
		fclose(file);
		free(printed);
		query_result_free(&result);
	}
	set_timer(0);
	query_free(query);
	free(text);
	return 0;
}
