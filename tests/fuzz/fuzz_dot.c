/*
 * DOT: what is read can be written, and written once it stays the same; what the plain reader
 * understands, cgraph understands alike.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "graph/dot.h"
#include "graph/graph.h"
#include "tests/fuzz/fuzz.h"

#define GRAPHS 16

static char *write_graph(const struct graph *graph, size_t *size)
{
	struct error error;
	char *text;
	FILE *file = open_memstream(&text, size);

	if (!file || dot_write(graph, file, &error) || fclose(file))
		abort();
	return text;
}

static bool parses(char *text)
{
	FILE *file = fmemopen(text, strlen(text), "r");
	struct graph *graph;
	struct error error;
	bool good;

	if (!file)
		abort();
	good = dot_read(file, "reset", &graph, &error) == 1;
	if (good)
		graph_free(graph);
	dot_read_end();
	fclose(file);
	return good;
}

/*
 * The lexer of cgraph remembers between streams that one ended inside a string, a comment or an
 * HTML-like label.  A command reads one stream only; here it must be brought out of that.
 */
static void reset_lexer(void)
{
	static char brackets[8192], *closing[] = {"\"", "*/", brackets};
	static char empty[] = "/**/digraph {}"; /* the comment: for cgraph */

	memset(brackets, '>', sizeof(brackets) - 1);
	for (unsigned i = 0; i < 3; i++) {
		if (parses(empty))
			return;
		parses(closing[i]);
	}
	if (!parses(empty))
		abort();
}

static struct graph *read_graph(char *text, size_t size)
{
	struct graph *graph, *second;
	struct error error;
	FILE *file = fmemopen(text, size, "r");

	if (!file || dot_read(file, "written", &graph, &error) != 1 ||
	    dot_read(file, "written", &second, &error) != 0)
		abort();
	dot_read_end();
	fclose(file);
	return graph;
}

static char *rewrite(char *text, size_t *size)
{
	struct graph *graph = read_graph(text, *size);

	free(text);
	text = write_graph(graph, size);
	graph_free(graph);
	return text;
}

/* Written text may still change once: attributes are ordered by name, and names became clean. */
static void round_trip(const struct graph *graph)
{
	size_t size, again_size;
	char *text = write_graph(graph, &size), *again;

	text = rewrite(text, &size);
	again_size = size;
	again = malloc(size + 1);
	if (!again)
		abort();
	memcpy(again, text, size);
	again = rewrite(again, &again_size);
	if (size != again_size || memcmp(text, again, size))
		abort();
	free(text);
	free(again);
}

/* All graphs of the text: streams cannot be read in turns. */
static unsigned read_all(char *text, size_t size, struct graph **graphs)
{
	FILE *file = fmemopen(text, size, "r");
	unsigned count = 0;
	struct error error;

	if (!file)
		abort();
	while (count < GRAPHS && dot_read(file, "fuzz", &graphs[count], &error) > 0)
		count++;
	dot_read_end();
	fclose(file);
	reset_lexer();
	return count;
}

/* A comment before it makes it cgraph's. */
static void compare_readers(const uint8_t *data, size_t size, struct graph *const *graphs,
			    unsigned count)
{
	struct graph *others[GRAPHS];
	char *text = malloc(size + 4);
	unsigned found;

	if (!text)
		abort();
	memcpy(text, "/**/", 4);
	memcpy(text + 4, data, size);
	found = read_all(text, size + 4, others);
	/* cgraph meets a NUL when it reads the line, not when it comes to it */
	if (found < count && !memchr(data, '\0', size))
		abort();
	for (unsigned i = 0; i < found; i++) {
		size_t size_a, size_b;
		char *a, *b = write_graph(others[i], &size_b);

		graph_free(others[i]);
		if (i < count) {
			a = write_graph(graphs[i], &size_a);
			if (size_a != size_b || memcmp(a, b, size_a))
				abort();
			free(a);
		}
		free(b);
	}
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct graph *graphs[GRAPHS];
	unsigned count;
	char *copy;

	if (!size)
		return 0;
	copy = malloc(size);
	if (!copy)
		abort();
	memcpy(copy, data, size);
	count = read_all(copy, size, graphs);
	free(copy);
	compare_readers(data, size, graphs, count);
	while (count) {
		round_trip(graphs[--count]);
		graph_free(graphs[count]);
	}
	return 0;
}
