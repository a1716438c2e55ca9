/* tests/sanitizer/graph_parts.c: large graphs, which are launched in parts.  See
 * sanitizer/graphs.h. */
#include "tests/sanitizer/graphs.h"

#include <string.h>

/* The value of the only copy that a part launches; -1: none, -2: several. */
static int only_value(CUgraphExec exec)
{
	const struct fake *part = graph_of((CUgraph)(void *)exec);
	int value = -1;

	for (unsigned i = 0; i < part->count; i++)
		if (part->nodes[i]->enabled)
			value = value < 0 ? part->nodes[i]->value : -2;
	return value;
}

/* Whether there is to be no copy of the node. */
static bool is_own(const struct fake_node *node)
{
	return node->type == CU_GRAPH_NODE_TYPE_HOST || node->value == strange ||
	       (node->type == CU_GRAPH_NODE_TYPE_MEMCPY &&
		(node->address >= 2000 || node->value == 64));
}

/*
 * Whether its steps but the last are done by copies, in order, without the one that is off, and
 * those without a copy by the program's graph, with all others off.
 */
static bool done_by_copies(struct graph *graph, int off)
{
	unsigned steps = graph_steps(graph), value = 0;
	bool fine = steps == (off < 0 ? LARGE : LARGE - 1), touched = false;
	CUgraphExec exec = NULL;

	for (unsigned i = 0; fine && i < steps; i++, value++) {
		bool own;

		value += (int)value == off;
		own = i + 1 == steps || is_own(&fake_nodes[32 + value]);
		fine = graph_select(graph, i, &exec) && (exec == exec_of(8)) == own &&
		       (own || only_value(exec) == 1 + (int)value);
		touched |= own;
		for (unsigned k = 0; fine && own && k < LARGE; k++)
			fine = fake_nodes[32 + k].enabled == (k == value);
		for (unsigned k = 0; fine && !touched && k < LARGE; k++)
			fine = fake_nodes[32 + k].enabled == ((int)k != off);
	}
	graph_restore(graph, 0);
	for (unsigned k = 0; fine && k < LARGE; k++)
		fine = fake_nodes[32 + k].enabled == ((int)k != off);
	return fine;
}

/* 200 nodes, one after the other, of all kinds that there are copies of. */
static struct graph *make_large(bool for_device)
{
	static struct fake_node nodes[LARGE];

	fake_count = 100;
	copy_count = 0;
	memset(&fakes[100], 0, 28 * sizeof(fakes[0]));
	for (unsigned i = 0; i < LARGE; i++)
		nodes[i] = (struct fake_node){.type = i % 10 == 3   ? CU_GRAPH_NODE_TYPE_MEMCPY
						      : i % 10 == 7 ? CU_GRAPH_NODE_TYPE_MEMSET
								    : CU_GRAPH_NODE_TYPE_KERNEL,
					      .after = i ? 31 + (int)i : -1,
					      .address = 500,
					      .value = 1 + (int)i};
	nodes[13].address = 5000; /* between host and host */
	graphs_instantiated(exec_of(8), make(nodes, 32, LARGE), true, for_device);
	return graphs_find(exec_of(8));
}

/* The graphs of ours that there are. */
static unsigned parts(void)
{
	unsigned count = 0;

	for (unsigned i = 101; i < fake_count; i++) /* the other is larger */
		count += !fakes[i].gone && fakes[i].count != LARGE;
	return count;
}

/* Whether its first step is the program's graph's, and nothing of ours is there. */
static bool has_no_parts(struct graph *graph)
{
	CUgraphExec exec = NULL;
	bool fine = graph_steps(graph) == LARGE && graph_select(graph, 0, &exec) &&
		    exec == exec_of(8) && !fake_nodes[33].enabled;

	graph_restore(graph, 0);
	return fine && !execs && !parts();
}

/* The program changes a node of its executable graph; it does the copy's context's. */
static void change(unsigned node, int value)
{
	CUcontext context = (CUcontext)(void *)&here;
	CUDA_KERNEL_NODE_PARAMS kernel;
	CUDA_MEMSET_NODE_PARAMS set;
	CUDA_MEMCPY3D copy;
	CUgraphNode which = (CUgraphNode)(void *)&fake_nodes[32 + node];

	fake_nodes[32 + node].value = value;
	fake_kernel(which, &kernel);
	fake_set(which, &set);
	fake_copy(which, &copy);
	if (fake_nodes[32 + node].type == CU_GRAPH_NODE_TYPE_KERNEL)
		graphs_node(exec_of(8), which, &kernel, NULL);
	else if (fake_nodes[32 + node].type == CU_GRAPH_NODE_TYPE_MEMCPY)
		graphs_node(exec_of(8), which, &copy, context);
	else
		graphs_node(exec_of(8), which, &set, context);
}

/*
 * Whether its steps, whose nodes have values from `first` on, but for those that were changed, are
 * done by copies, but for the last and those of `own_begin` to `own_end`.
 */
static bool does(struct graph *graph, const struct fake_node *nodes, unsigned own_begin,
		 unsigned own_end)
{
	unsigned steps = graph_steps(graph);
	bool fine = steps == LARGE;

	for (unsigned i = 0; fine && i < steps; i++) {
		bool own = i + 1 == steps || (i >= own_begin && i < own_end) || is_own(&nodes[i]);
		const struct graph_kernel *kernel = graph_kernel(graph, i);
		CUgraphExec exec;

		fine = graph_select(graph, i, &exec) && (exec == exec_of(8)) == own &&
		       (own || only_value(exec) == nodes[i].value) &&
		       (!kernel || *(int *)kernel->parameters == nodes[i].value);
		for (unsigned k = 0; fine && own && k < LARGE; k++)
			fine = fake_nodes[32 + k].enabled == (k == i);
	}
	graph_restore(graph, 0);
	return fine;
}

static void step_with_changes(void)
{
	struct graph *graph = make_large(false);
	bool fine;

	change(5, 3005);  /* its part was not launched yet */
	change(23, 3023); /* a copy */
	fine = does(graph, &fake_nodes[32], 0, 0);
	change(27, 3027); /* a set */
	change(8, 3008);
	change(15, 3015); /* the one that is enabled in its part */
	check(fine && does(graph, &fake_nodes[32], 0, 0) && execs == 13,
	      "parts do what the program changes in its graph");
	unchangeable = 3040; /* a part has 16 copies; there are none of 13 and 63 */
	change(40, 3040);
	check(does(graph, &fake_nodes[32], 33, 49) && execs == 12 && parts() == 12,
	      "... but those that cannot, which are left to its own");
	unchangeable = 0;
	graphs_node(exec_of(8), (CUgraphNode)(void *)&fake_nodes[32 + 52], NULL, NULL);
	check(does(graph, &fake_nodes[32], 33, 66) && execs == 11 && !graph_kernel(graph, 52),
	      "... as are those where it tried to change something");
	change(40, 3041);
	check(does(graph, &fake_nodes[32], 33, 66), "... also if that changes later");
	refuses_execs = true;
	graph = make_large(false);
	change(5, 3005);
	refuses_execs = false;
	check(does(graph, &fake_nodes[32], 0, 17) && parts() == 12,
	      "... and parts that cannot be made executable then");
}

/* As many nodes of the same kinds, with values 1000 higher. */
static CUgraph make_other(void)
{
	static struct fake_node nodes[LARGE];

	for (unsigned i = 0; i < LARGE; i++) {
		nodes[i] = fake_nodes[32 + i];
		nodes[i].after = i ? 31 + LARGE + (int)i : -1;
		nodes[i].value = 1001 + (int)i;
	}
	return make(nodes, 32 + LARGE, LARGE);
}

/* The program's update by a graph. */
static void update(CUgraph from)
{
	graphs_changing(exec_of(8));
	graphs_updated(exec_of(8), from);
}

static struct graph *make_again(void)
{
	copy_count = 0;
	graphs_instantiated(exec_of(8), (CUgraph)(void *)&fakes[100], true, false);
	return graphs_find(exec_of(8));
}

/* Other edges: a fork, two chains, a join. */
static void bend(unsigned first, unsigned form)
{
	if (form == 0)
		fake_nodes[first + 90].after = (int)first + 88;
	else if (form == 1)
		fake_nodes[first + 90].after = -1;
	else
		fake_nodes[first + 1].after = -1, fake_nodes[first + 2].also = (int)first + 1;
}

static void step_after_updates(void)
{
	struct graph *graph = make_large(false);
	CUgraph own = (CUgraph)(void *)&fakes[100], other = make_other();
	struct fake_node *nodes = &fake_nodes[32], *others = &fake_nodes[32 + LARGE];
	bool fine = true;

	update(other);
	check(does(graph, others, 0, 0) && execs == 13 && parts() == 13,
	      "after an update by a graph that was made alike its nodes are known");
	nodes[60].type = others[60].type = CU_GRAPH_NODE_TYPE_HOST;
	graph = make_again();
	update(other);
	check(!graph_obstacle(graph) && does(graph, others, 0, 0), "... those of the host, too");
	others[90].type = CU_GRAPH_NODE_TYPE_MEMSET;
	update(other);
	check(graph_obstacle(graph), "... but not if they are others");
	for (unsigned form = 0; form < 12; form++) {
		graph = make_large(false);
		other = make_other();
		if (form % 4 < 3)
			bend(32, form % 4);
		if (form / 4 < 3)
			bend(32 + LARGE, form / 4);
		graph = make_again();
		update(other);
		fine = fine &&
		       (form % 4 == form / 4 ? does(graph, others, 0, 0)
					     : has_no_parts(graph) && !graph_kernel(graph, 5));
	}
	check(fine, "... nor if their edges are");
	for (unsigned i = 0; i < LARGE; i++)
		nodes[i].value = 2001 + (int)i;
	update(own);
	check(does(graph, nodes, 0, 0), "... but if it is the one that it was made from");
	graph = make_large(true);
	update(own);
	check(has_no_parts(graph) && graph_kernel(graph, 5),
	      "... and there are no parts where there were none");
	graph = make_large(false);
	other = make_other();
	cooperative = 1005;
	update(other);
	cooperative = 0;
	check(has_no_parts(graph), "... nor where the other cannot be launched step by step");
	graphs_gone(exec_of(8));
}

static void step_in_parts(void)
{
	struct graph *graph = make_large(false);
	bool fine = parts() == 13 && !execs; /* of 16 copies, the last of 8 */
	CUgraphExec exec;

	check(fine && done_by_copies(graph, -1) && execs == 13 && done_by_copies(graph, -1) &&
		      execs == 13,
	      "a large graph is launched in parts");
	fake_nodes[32 + 40].enabled = false;
	check(done_by_copies(graph, 40) && !fake_nodes[32 + 40].enabled, "... without what is off");
	fake_nodes[32 + 40].enabled = true;
	graphs_changing(exec_of(8));
	check(has_no_parts(graph), "... but not once it was changed");
	strange = 21;
	graph = make_large(false);
	fake_nodes[32 + 60].type = CU_GRAPH_NODE_TYPE_HOST;
	fake_nodes[32 + 13].address = 2000; /* both sides are pageable */
	graphs_instantiated(exec_of(8), (CUgraph)(void *)&fakes[100], true, false);
	graph = graphs_find(exec_of(8));
	check(done_by_copies(graph, -1) && done_by_copies(graph, -1),
	      "... but for the nodes that cannot be copied");
	strange = 0;
	graphs_gone(exec_of(8));
	check(!execs && !parts() && !events, "... and nothing of ours stays");
	refuses_execs = true;
	check(has_no_parts(make_large(false)),
	      "... but not if our graphs cannot be made executable");
	refuses_execs = false;
	check(has_no_parts(make_large(true)), "... nor one that kernels may launch");
	cooperative = 50;
	graph = make_large(false);
	check(graph_obstacle(graph) == COVERAGE_GRAPH_COOPERATIVE && !parts(),
	      "... nor one with cooperative kernels, which is launched as a whole");
	cooperative = 0;
	graph = make_large(false);
	fake_nodes[32 + 100].type = CU_GRAPH_NODE_TYPE_WAIT_EVENT;
	graphs_instantiated(exec_of(8), (CUgraph)(void *)&fakes[100], true, false);
	graph = graphs_find(exec_of(8));
	fine = graph_steps(graph) == LARGE - 1 && graph_select(graph, 0, &exec) &&
	       exec == exec_of(8);
	graph_restore(graph, 0);
	check(fine && !parts(), "... nor one that waits for an event");
	graph = make_large(false);
	fine = done_by_copies(graph, -1) && execs == 13;
	graphs_context_gone();
	fine = fine && graph_steps(graph) == LARGE && graph_select(graph, 0, &exec) &&
	       exec == exec_of(8);
	graph_restore(graph, 0);
	graphs_gone(exec_of(8));
	check(fine && execs == 13, "... and parts that went with a context are left alone");
	execs = 0;
}

/* Kernels 1 to 40 and 41 to 80 in child graphs; 81, 82 and 83 before, between and behind them. */
static struct graph *make_family(void)
{
	const CUgraphNodeType kernel = CU_GRAPH_NODE_TYPE_KERNEL, child = CU_GRAPH_NODE_TYPE_GRAPH;
	static struct fake_node nodes[40];
	CUgraph inner[2];

	make_large(false);
	graphs_gone(exec_of(8));
	for (unsigned k = 0; k < 2; k++) {
		for (int i = 0; i < 40; i++)
			nodes[i] = (struct fake_node){.type = kernel,
						      .after = i ? 31 + 40 * (int)k + i : -1,
						      .value = 1 + 40 * (int)k + i};
		inner[k] = make(nodes, 32 + 40 * k, 40);
	}
	graphs_instantiated(
		exec_of(8),
		make(
			(struct fake_node[]){
				{.type = kernel, .after = -1, .value = 81},
				{.type = child, .after = 112, .child = graph_of(inner[0])},
				{.type = kernel, .after = 113, .value = 82},
				{.type = child, .after = 114, .child = graph_of(inner[1])},
				{.type = kernel, .after = 115, .value = 83}},
			112, 5),
		true, false);
	return graphs_find(exec_of(8));
}

/* As the first child graph, with values `by` higher; its last node comes after number `last`. */
static CUgraph make_child(int by, int last)
{
	static struct fake_node nodes[40];

	for (int i = 0; i < 40; i++) {
		nodes[i] = fake_nodes[32 + i];
		nodes[i].after = i == 39 ? 200 + last : i ? 199 + i : -1;
		nodes[i].value += by;
	}
	return make(nodes, 200, 40);
}

/*
 * Whether the first child graph does what it did at first, values `by` higher, by copies or `own`,
 * and whether its kernels are known; all else as at first.
 */
static bool family_does(struct graph *graph, int by, bool own, bool known)
{
	unsigned steps = graph_steps(graph);
	bool fine = steps == 83;

	for (unsigned i = 0; fine && i < steps; i++) {
		bool first = i >= 1 && i < 41;
		int value = first     ? (int)i + by
			    : i < 1   ? 81
			    : i == 41 ? 82
			    : i == 82 ? 83
				      : (int)i - 1;
		const struct graph_kernel *kernel = graph_kernel(graph, i);
		CUgraphExec exec;

		fine = graph_select(graph, i, &exec) &&
		       (exec == exec_of(8)) == (i == 82 || (first && own)) &&
		       (exec == exec_of(8) || only_value(exec) == value) &&
		       (first && !known ? !kernel : kernel && *(int *)kernel->parameters == value);
		for (unsigned k = 32; fine && first && own && k < 72; k++)
			fine = fake_nodes[k].enabled == (k == 31 + i);
	}
	graph_restore(graph, 0);
	return fine;
}

static void step_with_children(void)
{
	const CUgraphNode first = (CUgraphNode)(void *)&fake_nodes[113];
	struct graph *graph = make_family();
	bool fine = family_does(graph, 0, false, true) && execs == 8; /* 3 for each child */

	graphs_child_node(exec_of(8), first, make_child(1000, 38));
	check(fine && execs == 5 && family_does(graph, 1000, false, true) && execs == 8,
	      "after an update of a child graph its nodes are known");
	graphs_child_node(exec_of(8), first, NULL);
	check(execs == 5 && family_does(graph, 1000, true, true) && execs == 5,
	      "... but if that failed they are left to the program's");
	graphs_child_node(exec_of(8), first, make_child(2000, 38));
	check(family_does(graph, 2000, false, true), "... until another does not");
	graphs_child_node(exec_of(8), first, make_child(0, 37));
	check(family_does(graph, 0, true, false), "... and not known if it is another");
	graphs_node_gone(first);
	check(graph_obstacle(graph) == COVERAGE_GRAPH_NODE_DESTROYED,
	      "... and have gone when it has");
	graphs_gone(exec_of(8));
	check(!execs, "... and nothing of ours stays");
}

static void step_after_unseen(void)
{
	struct graph *graph = make_large(false);
	bool fine = done_by_copies(graph, -1);

	graphs_changing_unseen();
	check(fine && has_no_parts(graph), "no parts while any of them changes unseen");
	graphs_gone(exec_of(8));
	graph = make_large(false);
	graphs_changed_unseen();
	check(has_no_parts(graph), "none of those that were there until then");
	graphs_gone(exec_of(8));
	graph = make_large(false);
	check(done_by_copies(graph, -1), "those of graphs that are made later");
	graphs_gone(exec_of(8));
}

void check_parts(void)
{
	step_in_parts();
	step_with_changes();
	step_after_updates();
	step_with_children();
	step_after_unseen();
}
