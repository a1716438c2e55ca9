/* tests/sanitizer/graphs.c: see sanitizer/graphs.h.  Says TAP lines. */
#include "tests/sanitizer/graphs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int tests;

void check(bool fine, const char *what)
{
	printf("%s %d - %s\n", fine ? "ok" : "not ok", ++tests, what);
}

/* cuGraphDestroy(graph), led or not. */
static CUresult redirected(CUgraph graph, CUgraph substitute)
{
	(void)graph;
	return fake_destroy(substitute);
}

static CUresult not_redirected(CUgraph graph, CUgraph substitute)
{
	(void)substitute;
	return fake_destroy(graph);
}

/*
 * The values of the kernels in the order of steps, each step's alone enabled, steps of several by
 * their sum; restored afterwards.
 */
static int values(struct graph *graph, unsigned first, unsigned count)
{
	unsigned steps = graph_steps(graph);
	CUgraphExec exec;
	int number = 0;

	for (unsigned i = 0; i < steps; i++) {
		const struct graph_kernel *kernel = graph_kernel(graph, i);
		unsigned enabled = 0;
		int sum = 0;

		if (!graph_select(graph, i, &exec))
			return -1;
		for (unsigned k = first; k < first + count; k++)
			if (fake_nodes[k].type == CU_GRAPH_NODE_TYPE_KERNEL &&
			    fake_nodes[k].enabled) {
				sum += fake_nodes[k].value;
				enabled++;
			}
		if (enabled != graph_step_nodes(graph, i) || (enabled == 1) != (kernel != NULL) ||
		    (kernel && sum != *(int *)kernel->parameters))
			return -1;
		number = 10 * number + sum;
	}
	graph_restore(graph, 0);
	return number;
}

/* What the step allocates, less what it frees. */
static void add_memory(void *data, const struct graph_memory *memory)
{
	*(int64_t *)data += memory->size ? (int64_t)memory->address : -(int64_t)memory->address;
}

static int64_t memory_of(const struct graph *graph, uint32_t step)
{
	int64_t sum = 0;

	graph_each_memory(graph, step, add_memory, &sum);
	return sum;
}

/* Whether the graph's launch does 2, 3 and 4, and no more 1, when 2 cannot be done alone. */
static bool goes_on(struct graph *graph)
{
	CUgraphExec exec;
	bool fine = graph_steps(graph) == 4 && graph_select(graph, 0, &exec) && exec == exec_of(4);

	refused = 2;
	fine = fine && !graph_select(graph, 1, &exec) && graph_obstacle(graph);
	for (unsigned k = 0; k < 4; k++)
		fine = fine && fake_nodes[k].enabled == (fake_nodes[k].value != 1);
	graph_restore(graph, 0);
	return fine && fake_nodes[3].enabled;
}

/* Whether each of these records its event in a step of its own, and in that only. */
static bool records(struct graph *graph, const struct fake_node *first,
		    const struct fake_node *second)
{
	unsigned steps = graph_steps(graph), of_first = 0, of_second = 0;
	bool fine = steps == 3;
	CUgraphExec exec;

	for (unsigned i = 0; i < steps && fine; i++) {
		fine = graph_select(graph, i, &exec);
		of_first = 10 * of_first + (first->of_exec == first->event);
		of_second = 10 * of_second + (second->of_exec == second->event);
	}
	graph_restore(graph, 0);
	return fine && of_first == 100 && of_second == 1 && first->of_exec == first->event &&
	       second->of_exec == second->event;
}

/* Whether each of its nodes is enabled alone; the time is that of so many steps, not of its square.
 */
static bool selects_many(void)
{
	struct fake_node *nodes = calloc(MANY, sizeof(*nodes));
	struct graph *graph;
	CUgraphExec exec;
	bool fine = nodes;

	for (unsigned i = 0; fine && i < MANY; i++)
		nodes[i] = (struct fake_node){
			.type = CU_GRAPH_NODE_TYPE_KERNEL, .after = -1, .value = 1};
	if (!fine)
		return false;
	refuses_copies = true;
	graphs_instantiated(exec_of(7), make(nodes, 32, MANY), true, false);
	refuses_copies = false;
	free(nodes);
	graph = graphs_find(exec_of(7));
	fine = graph_steps(graph) == MANY;
	for (unsigned i = 0; fine && i < MANY; i++)
		fine = graph_select(graph, i, &exec) && exec == exec_of(7) &&
		       graph_step_nodes(graph, i) == 1 && graph_kernel(graph, i) &&
		       memory_of(graph, i) == 0 && fake_nodes[32 + i].enabled &&
		       (!i || !fake_nodes[31 + i].enabled) &&
		       (i + 1 == MANY || !fake_nodes[33 + i].enabled);
	graph_restore(graph, 0);
	for (unsigned i = 0; fine && i < MANY; i++)
		fine = fake_nodes[32 + i].enabled;
	graphs_gone(exec_of(7));
	return fine;
}

static void count_short_lived(void *data, const struct graph_memory *memory)
{
	*(unsigned *)data += memory->size && memory->transient;
}

static unsigned kernels;

static void count_kernel(CUfunction function)
{
	kernels += function != NULL;
}

int main(int argc, char **argv)
{
	const CUgraphNodeType kernel = CU_GRAPH_NODE_TYPE_KERNEL;
	const CUgraphNodeType alloc = CU_GRAPH_NODE_TYPE_MEM_ALLOC;
	const CUgraphNodeType mark = CU_GRAPH_NODE_TYPE_EVENT_RECORD;
	const CUgraphNodeType release = CU_GRAPH_NODE_TYPE_MEM_FREE;
	CUgraph inner, outer, memory, own, choice, timed;
	struct graph *graph;
	unsigned count = 0;
	bool redirects = argc > 1 && !strcmp(argv[1], "redirects"), fine;
	CUgraph substitute;

	fake_driver();
	fake_count = 1;
	/* 4 in a child graph, which comes after 2, which comes after 1; 3 depends on the child */
	inner = make((struct fake_node[]){{.type = kernel, .after = -1, .value = 4}}, 0, 1);
	outer = make(
		(struct fake_node[]){
			{.type = kernel, .after = 4, .value = 3},
			{.type = kernel, .after = 3, .value = 2},
			{.type = kernel, .after = -1, .value = 1},
			{.type = CU_GRAPH_NODE_TYPE_GRAPH, .after = 2, .child = graph_of(inner)}},
		1, 4);
	graphs_instantiated(exec_of(1), outer, true, false);
	graph = graphs_find(exec_of(1));
	check(graph && !graph_obstacle(graph) && values(graph, 0, 5) == 1243,
	      "steps keep the dependencies, also those of child graphs");
	graphs_instantiated(exec_of(4), outer, true, false);
	check(goes_on(graphs_find(exec_of(4))), "a step that cannot be done alone");
	graphs_gone(exec_of(4));
	check(graph_each_kernel(outer, count_kernel) && kernels == 4, "all kernels of a graph");
	substitute = graphs_substitute(outer, redirects ? redirected : not_redirected);
	check(redirects ? substitute && !graph_of(substitute)->gone && !graph_obstacle(graph)
			: !substitute && graph_obstacle(graph) == COVERAGE_GRAPH_NOT_KEPT,
	      redirects ? "a graph that the program destroys is kept"
			: "a driver that lets no graph be kept is noticed");
	graphs_gone(exec_of(1));
	check(!graphs_find(exec_of(1)) && graph_of(outer)->gone == redirects,
	      "what was kept goes with what was made of it");
	memory = make(
		(struct fake_node[]){
			{.type = CU_GRAPH_NODE_TYPE_MEM_ALLOC,
			 .after = -1,
			 .address = 4096,
			 .size = 100},
			{.type = CU_GRAPH_NODE_TYPE_MEM_ALLOC,
			 .after = 5,
			 .address = 8192,
			 .size = 200},
			{.type = CU_GRAPH_NODE_TYPE_MEM_FREE, .after = 6, .address = 4096},
			{.type = CU_GRAPH_NODE_TYPE_MEM_FREE, .after = 7, .address = 1024}},
		5, 4);
	graphs_instantiated(exec_of(2), memory, false, false);
	graph = graphs_find(exec_of(2));
	graph_each_memory(graph, GRAPH_WHOLE, count_short_lived, &count);
	check(graph_obstacle(graph) == COVERAGE_GRAPH_OTHERS_MEMORY && count == 1 &&
		      memory_of(graph, GRAPH_WHOLE) == 8192 - 1024,
	      "memory that the graph frees, and memory that it keeps");
	/* 1, [4096 2], 3, [8192 1 [4096 4] 2], 5 */
	own = make((struct fake_node[]){{.type = kernel, .after = -1, .value = 1},
					{.type = alloc, .after = 10, .address = 4096, .size = 100},
					{.type = kernel, .after = 11, .value = 2},
					{.type = release, .after = 12, .address = 4096},
					{.type = kernel, .after = 13, .value = 3},
					{.type = alloc, .after = 14, .address = 8192, .size = 100},
					{.type = kernel, .after = 15, .value = 1},
					{.type = alloc, .after = 16, .address = 4096, .size = 100},
					{.type = kernel, .after = 17, .value = 4},
					{.type = release, .after = 18, .address = 4096},
					{.type = release, .after = 19, .address = 8192},
					{.type = kernel, .after = 20, .value = 5}},
		   10, 12);
	graphs_instantiated(exec_of(5), own, true, false);
	graph = graphs_find(exec_of(5));
	check(!graph_obstacle(graph) && values(graph, 10, 12) == 12355,
	      "what lies between an allocation and its free is launched at once");
	fake_nodes[12].enabled = false;
	check(values(graph, 10, 12) == 10355 && !fake_nodes[12].enabled && fake_nodes[18].enabled,
	      "an allocation of which nothing is left");
	check(memory_of(graph, 0) == 0 && memory_of(graph, 1) == 0 && !graph_step_nodes(graph, 1) &&
		      graph_step_nodes(graph, 3) == 2,
	      "a step has its memory");
	/* the memory of others, given back before some of the same address is taken */
	fake_nodes[11].type = release, fake_nodes[13].type = alloc, fake_nodes[13].size = 100;
	graphs_instantiated(exec_of(5), own, true, false);
	check(graph_obstacle(graphs_find(exec_of(5))),
	      "what a graph did not allocate is not freed twice");
	graphs_gone(exec_of(5));
	graph = graphs_find(exec_of(2));
	choice = make((struct fake_node[]){{.type = (CUgraphNodeType)13, .after = -1}}, 9, 1);
	graphs_instantiated(exec_of(3), choice, false, false);
	check(!graph_each_kernel(choice, count_kernel) &&
		      graph_is_conditional(graphs_find(exec_of(3))) &&
		      graph_obstacle(graphs_find(exec_of(3))) && !graph_is_conditional(graph),
	      "conditional nodes");
	check(!graphs_substitute(memory, redirects ? redirected : not_redirected) &&
		      graph_obstacle(graph) == COVERAGE_GRAPH_OTHERS_MEMORY,
	      "a graph that is launched as a whole loses nothing");
	graphs_gone(exec_of(2));
	graphs_gone(exec_of(3));
	timed = make(
		(struct fake_node[]){
			{.type = mark, .after = -1, .event = (CUevent)(void *)&fakes[1]},
			{.type = kernel, .after = 22, .value = 1},
			{.type = mark, .after = 23, .event = (CUevent)(void *)&fakes[2]}},
		22, 3);
	fake_nodes[22].of_exec = fake_nodes[22].event,
	fake_nodes[24].of_exec = fake_nodes[24].event;
	graphs_instantiated(exec_of(6), timed, true, false);
	check(records(graphs_find(exec_of(6)), &fake_nodes[22], &fake_nodes[24]),
	      "an event is recorded in its step");
	fake_nodes[24].event =
		(CUevent)(void *)&fakes[3]; /* by cuGraphExecEventRecordNodeSetEvent() */
	graphs_event_node(exec_of(6), (CUgraphNode)(void *)&fake_nodes[24], fake_nodes[24].event);
	fake_nodes[24].of_exec = fake_nodes[24].event;
	check(records(graphs_find(exec_of(6)), &fake_nodes[22], &fake_nodes[24]),
	      "... also one that the program has put there later");
	graphs_updated(exec_of(6), NULL);
	check(graph_obstacle(graphs_find(exec_of(6))), "after an update nobody knows which");
	graphs_gone(exec_of(6));
	check(!events, "no event of ours stays");
	graphs_instantiated(exec_of(6), timed, true, false);
	fine = records(graphs_find(exec_of(6)), &fake_nodes[22], &fake_nodes[24]) && events == 1;
	graphs_context_gone();
	events = 0; /* it went with the context */
	graphs_gone(exec_of(6));
	check(fine && !events, "what went with its context is not destroyed");
	check(selects_many(), "100,000 nodes, step by step");
	check_parts();
	check_paths();
	printf("1..%d\n", tests);
	return 0;
}
