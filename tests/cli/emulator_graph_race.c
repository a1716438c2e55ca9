/*
 * tests/cli/emulator_graph_race.c: graphs that change while they are drawn, as TAP.
 *
 * The runtime first asks the driver how many nodes there are.  This program stands in for that
 * function, so that another thread's change comes then, every time.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "gpu/emulator/include/cuda.h"

int cudaGraphDebugDotPrint(CUgraph graph, const char *path, unsigned flags);
int vflow_emulator_graph_nodes(void *graph, void **nodes, size_t *count);

static CUgraph graph;
static CUgraphNode nodes[66];
static void (*change)(void);

int vflow_emulator_graph_nodes(void *of, void **list, size_t *count)
{
	int (*real)(void *, void **, size_t *) =
		(int (*)(void *, void **, size_t *))dlsym(RTLD_NEXT, __func__);
	int result = real(of, list, count);

	if (!list && change)
		change();
	return result;
}

static void grow(void)
{
	for (int i = 2; i < 66; i++)
		cuGraphAddEmptyNode(&nodes[i], graph, &nodes[i - 1], 1);
}

static void shrink(void)
{
	for (int i = 1; i < 66; i++)
		cuGraphDestroyNode(nodes[i]);
}

/* Lines of the picture with the text; -1: there is none. */
static int lines(const char *path, const char *text)
{
	char line[200];
	int count = 0;
	FILE *file = cudaGraphDebugDotPrint(graph, path, 0) ? NULL : fopen(path, "r");

	while (file && fgets(line, sizeof(line), file))
		count += strstr(line, text) != NULL;
	return file ? fclose(file), count : -1;
}

static int check(int number, const char *name, int got, int expected)
{
	printf("%s %d - %s\n", got == expected ? "ok" : "not ok", number, name);
	if (got != expected)
		printf("# %d, expected %d\n", got, expected);
	return got != expected;
}

int main(int argc, char **argv)
{
	CUcontext context;
	int failures = 0;

	if (argc != 2 || cuInit(0) || cuDevicePrimaryCtxRetain(&context, 0) ||
	    cuCtxPushCurrent(context) || cuGraphCreate(&graph, 0) ||
	    cuGraphAddEmptyNode(&nodes[0], graph, NULL, 0) ||
	    cuGraphAddEmptyNode(&nodes[1], graph, &nodes[0], 1))
		return 2;
	change = grow;
	failures += check(1, "nodes that came meanwhile are left out", lines(argv[1], "label"), 2);
	change = NULL;
	failures += check(2, "they are there", lines(argv[1], "label"), 66);
	failures += check(3, "and their edges", lines(argv[1], "->"), 65);
	change = shrink;
	failures += check(4, "nodes that went meanwhile, too", lines(argv[1], "label"), 1);
	change = NULL;
	failures += check(5, "with their edges", lines(argv[1], "->"), 0);
	puts("1..5");
	return failures != 0;
}
