/* tests/sanitizer/graphs_driver.c: see sanitizer/graphs.h. */
#include "tests/sanitizer/graphs.h"

#include <stdlib.h>
#include <string.h>

struct driver driver;
struct fake_node fake_nodes[32 + MANY];
struct fake fakes[128];
unsigned fake_count;

struct fake *graph_of(CUgraph graph)
{
	return (struct fake *)(void *)graph;
}

struct fake_node *node_of(CUgraphNode node)
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

CUresult fake_kernel(CUgraphNode node, CUDA_KERNEL_NODE_PARAMS *kernel)
{
	static void *values[1];

	values[0] = &node_of(node)->value;
	*kernel = (CUDA_KERNEL_NODE_PARAMS){.func = (CUfunction)(void *)&fakes[0],
					    .kernelParams = values};
	return CUDA_SUCCESS;
}

int cooperative;

static CUresult get_kernel_attribute(CUgraphNode node, CUkernelNodeAttrID attribute,
				     CUkernelNodeAttrValue *value)
{
	value->cooperative = attribute == CU_KERNEL_NODE_ATTRIBUTE_COOPERATIVE && cooperative &&
			     node_of(node)->value == cooperative;
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

int events;

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

int refused;

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

CUresult fake_destroy(CUgraph graph)
{
	graph_of(graph)->gone = true;
	if (graph_of(graph)->destroyed)
		*graph_of(graph)->destroyed = true;
	return CUDA_SUCCESS;
}

/* -- copies of nodes ----------------------------------------------------------------------- */

struct fake_node copies[10 * LARGE];
unsigned copy_count;
int execs;
bool refuses_copies, refuses_execs;
int strange;
char here;

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

CUresult fake_copy(CUgraphNode node, CUDA_MEMCPY3D *copy)
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

CUresult fake_set(CUgraphNode node, CUDA_MEMSET_NODE_PARAMS *set)
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

int unchangeable;

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
void *launch_call_block(CUfunction function, void **values, void **extra, size_t *size)
{
	void *block = malloc(4);

	(void)function, (void)extra;
	*size = 4;
	return block ? memcpy(block, values[0], 4) : NULL;
}

CUgraph make(const struct fake_node *nodes, unsigned first, unsigned count)
{
	struct fake *fake = &fakes[fake_count++];

	for (unsigned i = 0; i < count; i++) {
		fake_nodes[first + i] = nodes[i];
		fake_nodes[first + i].enabled = true;
		fake->nodes[fake->count++] = &fake_nodes[first + i];
	}
	return (CUgraph)(void *)fake;
}

CUgraphExec exec_of(uintptr_t number)
{
	return (CUgraphExec)number;
}

void fake_driver(void)
{
	driver = (struct driver){.cuGraphGetNodes = get_nodes,
				 .cuGraphGetEdges = get_edges,
				 .cuGraphNodeGetType = get_type,
				 .cuGraphChildGraphNodeGetGraph = get_child,
				 .cuGraphKernelNodeGetParams = fake_kernel,
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
				 .cuGraphDestroy = fake_destroy,
				 .cuUserObjectCreate = make_object,
				 .cuGraphRetainUserObject = retain,
				 .cuGraphAddKernelNode = add_kernel,
				 .cuGraphAddMemcpyNode = add_memcpy,
				 .cuGraphAddMemsetNode = add_set,
				 .cuGraphMemcpyNodeGetParams = fake_copy,
				 .cuGraphMemsetNodeGetParams = fake_set,
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
}
