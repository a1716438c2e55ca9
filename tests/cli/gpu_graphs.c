/*
 * What gpu/sanitizer knows of CUDA graphs, with a driver of our own whose graphs are tables.  Says
 * TAP lines.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/sanitizer/driver.h"
#include "gpu/sanitizer/graphs.h"

struct driver driver;

/* -- the driver: a graph's nodes depend on each other in the order of `after` -------------- */

#define MANY 100000
#define NODES_MAX MANY

static struct fake_node {
	CUgraphNodeType type;
	int after; /* the index of the node before it; -1: none */
	int also;  /* that of another one, and 1; 0: none */
	struct fake *child;
	uint64_t address, size;
	int value; /* a kernel's parameter */
	bool enabled;
	CUevent event, of_exec;
} fake_nodes[32 + MANY];

static struct fake {
	unsigned count;
	struct fake_node *nodes[NODES_MAX];
	bool *destroyed; /* told when it goes */
	bool gone;
} fakes[128];
static unsigned fake_count;

static struct fake *graph_of(CUgraph graph)
{
	return (struct fake *)(void *)graph;
}

static struct fake_node *node_of(CUgraphNode node)
{
	return (struct fake_node *)(void *)node;
}

static CUresult get_nodes(CUgraph graph, CUgraphNode *nodes, size_t *count)
{
	for (unsigned i = 0; nodes && i < graph_of(graph)->count; i++)
		nodes[i] = (CUgraphNode)(void *)graph_of(graph)->nodes[i];
	*count = graph_of(graph)->count;
	return CUDA_SUCCESS;
}

static size_t edges_of(CUgraph graph, CUgraphNode *from, CUgraphNode *to)
{
	struct fake *fake = graph_of(graph);
	size_t count = 0;

	for (unsigned i = 0; i < fake->count; i++) {
		const int before[] = {fake->nodes[i]->after, fake->nodes[i]->also - 1};

		for (unsigned k = 0; k < 2; k++) {
			if (before[k] < 0)
				continue;
			if (from) {
				from[count] = (CUgraphNode)(void *)&fake_nodes[before[k]];
				to[count] = (CUgraphNode)(void *)fake->nodes[i];
			}
			count++;
		}
	}
	return count;
}

#if CUDA_VERSION >= 13000
static CUresult get_edges(CUgraph graph, CUgraphNode *from, CUgraphNode *to, CUgraphEdgeData *data,
			  size_t *count)
{
	(void)data;
	*count = edges_of(graph, from, to);
	return CUDA_SUCCESS;
}
#else
static CUresult get_edges(CUgraph graph, CUgraphNode *from, CUgraphNode *to, size_t *count)
{
	*count = edges_of(graph, from, to);
	return CUDA_SUCCESS;
}
#endif

static CUresult get_type(CUgraphNode node, CUgraphNodeType *type)
{
	*type = node_of(node)->type;
	return CUDA_SUCCESS;
}

static CUresult get_child(CUgraphNode node, CUgraph *child)
{
	*child = (CUgraph)(void *)node_of(node)->child;
	return CUDA_SUCCESS;
}

static CUresult get_kernel(CUgraphNode node, CUDA_KERNEL_NODE_PARAMS *kernel)
{
	static void *values[1];

	values[0] = &node_of(node)->value;
	*kernel = (CUDA_KERNEL_NODE_PARAMS){.func = (CUfunction)(void *)&fakes[0],
					    .kernelParams = values};
	return CUDA_SUCCESS;
}

static int cooperative; /* the value of a kernel */

static CUresult get_kernel_attribute(CUgraphNode node, CUkernelNodeAttrID attribute,
				     CUkernelNodeAttrValue *value)
{
	value->cooperative = attribute == CU_KERNEL_NODE_ATTRIBUTE_COOPERATIVE &&
			     cooperative && node_of(node)->value == cooperative;
	return CUDA_SUCCESS;
}

static CUresult get_alloc(CUgraphNode node, CUDA_MEM_ALLOC_NODE_PARAMS *memory)
{
	*memory = (CUDA_MEM_ALLOC_NODE_PARAMS){.dptr = node_of(node)->address,
					       .bytesize = node_of(node)->size};
	return CUDA_SUCCESS;
}

static CUresult get_free(CUgraphNode node, CUdeviceptr *address)
{
	*address = node_of(node)->address;
	return CUDA_SUCCESS;
}

static CUresult get_host(CUgraphNode node, CUDA_HOST_NODE_PARAMS *host)
{
	(void)node;
	*host = (CUDA_HOST_NODE_PARAMS){0};
	return CUDA_SUCCESS;
}

static CUresult get_event(CUgraphNode node, CUevent *event)
{
	*event = node_of(node)->event;
	return CUDA_SUCCESS;
}

static CUresult set_event(CUgraphExec exec, CUgraphNode node, CUevent event)
{
	(void)exec;
	node_of(node)->of_exec = event;
	return CUDA_SUCCESS;
}

static int events; /* that there are */

static CUresult create_event(CUevent *event, unsigned flags)
{
	(void)flags;
	events++;
	*event = (CUevent)(void *)&events;
	return CUDA_SUCCESS;
}

static CUresult destroy_event(CUevent event)
{
	(void)event;
	events--;
	return CUDA_SUCCESS;
}

static CUresult get_enabled(CUgraphExec exec, CUgraphNode node, unsigned *enabled)
{
	(void)exec;
	*enabled = node_of(node)->enabled;
	return CUDA_SUCCESS;
}

static int refused; /* the value of a node that is not enabled, once */

static CUresult set_enabled(CUgraphExec exec, CUgraphNode node, unsigned enabled)
{
	(void)exec;
	if (enabled && node_of(node)->value == refused) {
		refused = 0;
		return CUDA_ERROR_NOT_SUPPORTED;
	}
	node_of(node)->enabled = enabled;
	return CUDA_SUCCESS;
}

static CUresult create(CUgraph *graph, unsigned flags)
{
	unsigned i = 101; /* behind those of the tests */

	(void)flags;
	while (i < fake_count && !fakes[i].gone)
		i++;
	if (i >= fake_count)
		i = fake_count++;
	fakes[i].gone = false;
	fakes[i].count = 0;
	*graph = (CUgraph)(void *)&fakes[i];
	return CUDA_SUCCESS;
}

static CUresult destroy(CUgraph graph)
{
	graph_of(graph)->gone = true;
	if (graph_of(graph)->destroyed)
		*graph_of(graph)->destroyed = true;
	return CUDA_SUCCESS;
}

/* -- copies of nodes ----------------------------------------------------------------------- */

enum { LARGE = 200 };
static struct fake_node copies[10 * LARGE];
static unsigned copy_count;
static int execs; /* that there are of copies */
static bool refuses_copies, refuses_execs;
static int strange; /* the value of a node whose attributes cannot be copied */
static char here;   /* the context */

/* Each is to follow the one before it. */
static CUresult add_copy(CUgraphNode *node, CUgraph into, const CUgraphNode *after, size_t count,
			 int value)
{
	struct fake *fake = graph_of(into);

	if (refuses_copies || count != (fake->count > 0) ||
	    (count && node_of(*after) != fake->nodes[fake->count - 1]))
		return CUDA_ERROR_NOT_SUPPORTED;
	copies[copy_count] = (struct fake_node){.value = value};
	fake->nodes[fake->count++] = &copies[copy_count];
	*node = (CUgraphNode)(void *)&copies[copy_count++];
	return CUDA_SUCCESS;
}

/* A copy, which is the last of its graph. */
static CUresult destroy_node(CUgraphNode node)
{
	for (unsigned i = 0; i < fake_count; i++)
		if (fakes[i].count && fakes[i].nodes[fakes[i].count - 1] == node_of(node))
			fakes[i].count--;
	return CUDA_SUCCESS;
}

/* Below 1000 memory is the context's, below 2000 of a pool; all else is pageable. */
static CUresult get_attribute(void *value, CUpointer_attribute attribute, CUdeviceptr address)
{
	if (address >= 2000)
		return CUDA_ERROR_INVALID_VALUE;
	if (attribute == CU_POINTER_ATTRIBUTE_CONTEXT)
		*(CUcontext *)value = address < 1000 ? (CUcontext)(void *)&here : NULL;
	else
		*(int *)value = 3;
	return CUDA_SUCCESS;
}

static CUresult get_device(CUdevice *device)
{
	*device = 3;
	return CUDA_SUCCESS;
}

static CUresult exchange_mode(CUstreamCaptureMode *mode)
{
	static CUstreamCaptureMode now = CU_STREAM_CAPTURE_MODE_GLOBAL;
	CUstreamCaptureMode before = now;

	now = *mode;
	*mode = before;
	return CUDA_SUCCESS;
}

static CUresult set_host(CUgraphExec exec, CUgraphNode node, const CUDA_HOST_NODE_PARAMS *host)
{
	(void)exec;
	node_of(node)->enabled = !host->fn; /* get_host() gives none */
	return CUDA_SUCCESS;
}

static CUresult add_kernel(CUgraphNode *node, CUgraph into, const CUgraphNode *after, size_t count,
			   const CUDA_KERNEL_NODE_PARAMS *kernel)
{
	return add_copy(node, into, after, count, *(int *)kernel->kernelParams[0]);
}

static CUresult get_copy(CUgraphNode node, CUDA_MEMCPY3D *copy)
{
	*copy = (CUDA_MEMCPY3D){.srcMemoryType = CU_MEMORYTYPE_UNIFIED,
				.srcDevice = 5000,
				.dstMemoryType = CU_MEMORYTYPE_DEVICE,
				.dstDevice = node_of(node)->address,
				.WidthInBytes = (size_t)node_of(node)->value,
				.Height = 1,
				.Depth = 1};
	return CUDA_SUCCESS;
}

static CUresult add_memcpy(CUgraphNode *node, CUgraph into, const CUgraphNode *after, size_t count,
			   const CUDA_MEMCPY3D *copy, CUcontext context)
{
	if (!context || copy->srcDevice != 5000)
		return CUDA_ERROR_INVALID_CONTEXT;
	if (add_copy(node, into, after, count, (int)copy->WidthInBytes) != CUDA_SUCCESS)
		return CUDA_ERROR_NOT_SUPPORTED;
	/* one that comes out as another */
	node_of(*node)->address = copy->WidthInBytes == 64 ? 0 : copy->dstDevice;
	return CUDA_SUCCESS;
}

static CUresult get_set(CUgraphNode node, CUDA_MEMSET_NODE_PARAMS *set)
{
	*set = (CUDA_MEMSET_NODE_PARAMS){.dst = 1500, .value = (unsigned)node_of(node)->value};
	return CUDA_SUCCESS;
}

static CUresult add_set(CUgraphNode *node, CUgraph into, const CUgraphNode *after, size_t count,
			const CUDA_MEMSET_NODE_PARAMS *set, CUcontext context)
{
	if (!context)
		return CUDA_ERROR_INVALID_CONTEXT;
	return add_copy(node, into, after, count, (int)set->value);
}

static CUresult copy_attributes(CUgraphNode to, CUgraphNode from)
{
	return node_of(to)->value == node_of(from)->value && node_of(to)->value != strange
		       ? CUDA_SUCCESS
		       : CUDA_ERROR_INVALID_VALUE;
}

static CUresult instantiate(CUgraphExec *exec, CUgraph graph, unsigned long long flags)
{
	(void)flags;
	if (refuses_execs)
		return CUDA_ERROR_OUT_OF_MEMORY;
	for (unsigned i = 0; i < graph_of(graph)->count; i++)
		graph_of(graph)->nodes[i]->enabled = true;
	execs++;
	*exec = (CUgraphExec)(void *)graph;
	return CUDA_SUCCESS;
}

static CUresult destroy_exec(CUgraphExec exec)
{
	(void)exec;
	execs--;
	return CUDA_SUCCESS;
}

static CUresult get_context(CUcontext *context)
{
	*context = (CUcontext)(void *)&here;
	return CUDA_SUCCESS;
}

static int unchangeable; /* the value that a copy does not take */

/* A copy is changed, and enabled by that, for all that is known. */
static CUresult change_copy(CUgraphExec exec, CUgraphNode node, int value)
{
	(void)exec;
	if (node_of(node) < copies || node_of(node) >= copies + copy_count || value == unchangeable)
		return CUDA_ERROR_INVALID_VALUE;
	node_of(node)->value = value;
	node_of(node)->enabled = true;
	return CUDA_SUCCESS;
}

static CUresult change_kernel(CUgraphExec exec, CUgraphNode node,
			      const CUDA_KERNEL_NODE_PARAMS *kernel)
{
	return change_copy(exec, node, *(int *)kernel->kernelParams[0]);
}

static CUresult change_memcpy(CUgraphExec exec, CUgraphNode node, const CUDA_MEMCPY3D *copy,
			      CUcontext context)
{
	return context ? change_copy(exec, node, (int)copy->WidthInBytes)
		       : CUDA_ERROR_INVALID_CONTEXT;
}

static CUresult change_set(CUgraphExec exec, CUgraphNode node, const CUDA_MEMSET_NODE_PARAMS *set,
			   CUcontext context)
{
	return context ? change_copy(exec, node, (int)set->value) : CUDA_ERROR_INVALID_CONTEXT;
}

static CUresult make_object(CUuserObject *object, void *data, CUhostFn function, unsigned count,
			    unsigned flags)
{
	(void)function, (void)count, (void)flags;
	*object = (CUuserObject)data;
	return CUDA_SUCCESS;
}

static CUresult retain(CUgraph graph, CUuserObject object, unsigned count, unsigned flags)
{
	(void)count, (void)flags;
	graph_of(graph)->destroyed = (bool *)(void *)object;
	return CUDA_SUCCESS;
}

/* One parameter of 4 bytes. */
void *launch_block(CUfunction function, void **values, void **extra, size_t *size)
{
	void *block = malloc(4);

	(void)function, (void)extra;
	*size = 4;
	return block ? memcpy(block, values[0], 4) : NULL;
}

/* -- the tests ----------------------------------------------------------------------------- */

static int tests;

static void check(bool fine, const char *what)
{
	printf("%s %d - %s\n", fine ? "ok" : "not ok", ++tests, what);
}

static CUgraph make(const struct fake_node *nodes, unsigned first, unsigned count)
{
	struct fake *fake = &fakes[fake_count++];

	for (unsigned i = 0; i < count; i++) {
		fake_nodes[first + i] = nodes[i];
		fake_nodes[first + i].enabled = true;
		fake->nodes[fake->count++] = &fake_nodes[first + i];
	}
	return (CUgraph)(void *)fake;
}

static CUgraphExec exec_of(uintptr_t number)
{
	return (CUgraphExec)number;
}

/* cuGraphDestroy(graph), led or not. */
static CUresult led(CUgraph graph, CUgraph instead)
{
	(void)graph;
	return destroy(instead);
}

static CUresult not_led(CUgraph graph, CUgraph instead)
{
	(void)instead;
	return destroy(graph);
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
			if (fake_nodes[k].type == CU_GRAPH_NODE_TYPE_KERNEL && fake_nodes[k].enabled) {
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
static bool records(struct graph *graph, const struct fake_node *first, const struct fake_node *second)
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

/* Whether each of its nodes is enabled alone; the time is that of so many steps, not of its square. */
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
		       graph_step_nodes(graph, i) == 1 &&
		       graph_kernel(graph, i) && memory_of(graph, i) == 0 && fake_nodes[32 + i].enabled &&
		       (!i || !fake_nodes[31 + i].enabled) && (i + 1 == MANY || !fake_nodes[33 + i].enabled);
	graph_restore(graph, 0);
	for (unsigned i = 0; fine && i < MANY; i++)
		fine = fake_nodes[32 + i].enabled;
	graphs_gone(exec_of(7));
	return fine;
}

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
 * Whether its steps but the last are done by copies, in order, without the one that is off, and those
 * without a copy by the program's graph, with all others off.
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
	get_kernel(which, &kernel);
	get_set(which, &set);
	get_copy(which, &copy);
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
		fine = fine && (form % 4 == form / 4
					? does(graph, others, 0, 0)
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
	check(has_no_parts(make_large(false)), "... but not if our graphs cannot be made executable");
	refuses_execs = false;
	check(has_no_parts(make_large(true)), "... nor one that kernels may launch");
	cooperative = 50;
	graph = make_large(false);
	check(strstr(graph_obstacle(graph), "cooperative") && !parts(),
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

static void step_after_unseen(void)
{
	struct graph *graph = make_large(false);
	bool fine = done_by_copies(graph, -1);

	graphs_changing_unseen();
	check(fine && has_no_parts(graph), "no parts once any of them changed unseen");
	graphs_gone(exec_of(8));
}

static void count_short_lived(void *data, const struct graph_memory *memory)
{
	*(unsigned *)data += memory->size && memory->short_lived;
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
	bool leads = argc > 1 && !strcmp(argv[1], "leads"), fine;
	CUgraph instead;

	driver = (struct driver){.cuGraphGetNodes = get_nodes,
				 .cuGraphGetEdges = get_edges,
				 .cuGraphNodeGetType = get_type,
				 .cuGraphChildGraphNodeGetGraph = get_child,
				 .cuGraphKernelNodeGetParams = get_kernel,
				 .cuGraphMemAllocNodeGetParams = get_alloc,
				 .cuGraphMemFreeNodeGetParams = get_free,
				 .cuGraphHostNodeGetParams = get_host,
				 .cuGraphEventRecordNodeGetEvent = get_event,
				 .cuGraphExecEventRecordNodeSetEvent = set_event,
				 .cuEventCreate = create_event,
				 .cuEventDestroy = destroy_event,
				 .cuGraphNodeGetEnabled = get_enabled,
				 .cuGraphNodeSetEnabled = set_enabled,
				 .cuGraphCreate = create,
				 .cuGraphDestroy = destroy,
				 .cuUserObjectCreate = make_object,
				 .cuGraphRetainUserObject = retain,
				 .cuGraphAddKernelNode = add_kernel,
				 .cuGraphAddMemcpyNode = add_memcpy,
				 .cuGraphAddMemsetNode = add_set,
				 .cuGraphMemcpyNodeGetParams = get_copy,
				 .cuGraphMemsetNodeGetParams = get_set,
				 .cuGraphKernelNodeCopyAttributes = copy_attributes,
				 .cuGraphInstantiateWithFlags = instantiate,
				 .cuGraphExecDestroy = destroy_exec,
				 .cuGraphDestroyNode = destroy_node,
				 .cuGraphKernelNodeGetAttribute = get_kernel_attribute,
				 .cuGraphExecHostNodeSetParams = set_host,
				 .cuGraphExecKernelNodeSetParams = change_kernel,
				 .cuGraphExecMemcpyNodeSetParams = change_memcpy,
				 .cuGraphExecMemsetNodeSetParams = change_set,
				 .cuPointerGetAttribute = get_attribute,
				 .cuThreadExchangeStreamCaptureMode = exchange_mode,
				 .cuCtxGetCurrent = get_context,
				 .cuCtxGetDevice = get_device};
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
	instead = graphs_instead_of(outer, leads ? led : not_led);
	check(leads ? instead && !graph_of(instead)->gone && !graph_obstacle(graph)
		    : !instead && strstr(graph_obstacle(graph), "driver"),
	      leads ? "a graph that the program destroys is kept"
		    : "a driver that lets no graph be kept is noticed");
	graphs_gone(exec_of(1));
	check(!graphs_find(exec_of(1)) && graph_of(outer)->gone == leads,
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
	check(graph_obstacle(graph) && strstr(graph_obstacle(graph), "memory") && count == 1 &&
		      memory_of(graph, GRAPH_WHOLE) == 8192 - 1024,
	      "memory that the graph frees, and memory that it keeps");
	/* 1, [4096 2], 3, [8192 1 [4096 4] 2], 5 */
	own = make(
		(struct fake_node[]){
			{.type = kernel, .after = -1, .value = 1},
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
	check(graph_obstacle(graphs_find(exec_of(5))), "what a graph did not allocate is not freed twice");
	graphs_gone(exec_of(5));
	graph = graphs_find(exec_of(2));
	choice = make((struct fake_node[]){{.type = (CUgraphNodeType)13, .after = -1}}, 9, 1);
	graphs_instantiated(exec_of(3), choice, false, false);
	check(!graph_each_kernel(choice, count_kernel) &&
		      graph_is_conditional(graphs_find(exec_of(3))) &&
		      graph_obstacle(graphs_find(exec_of(3))) && !graph_is_conditional(graph),
	      "conditional nodes");
	check(!graphs_instead_of(memory, leads ? led : not_led) &&
		      strstr(graph_obstacle(graph), "memory"),
	      "a graph that is launched as a whole loses nothing");
	graphs_gone(exec_of(2));
	graphs_gone(exec_of(3));
	timed = make((struct fake_node[]){{.type = mark, .after = -1, .event = (CUevent)(void *)&fakes[1]},
					  {.type = kernel, .after = 22, .value = 1},
					  {.type = mark, .after = 23, .event = (CUevent)(void *)&fakes[2]}},
		     22, 3);
	fake_nodes[22].of_exec = fake_nodes[22].event, fake_nodes[24].of_exec = fake_nodes[24].event;
	graphs_instantiated(exec_of(6), timed, true, false);
	check(records(graphs_find(exec_of(6)), &fake_nodes[22], &fake_nodes[24]),
	      "an event is recorded in its step");
	fake_nodes[24].event = (CUevent)(void *)&fakes[3]; /* by cuGraphExecEventRecordNodeSetEvent() */
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
	step_in_parts();
	step_with_changes();
	step_after_updates();
	step_after_unseen();
	printf("1..%d\n", tests);
	return 0;
}
