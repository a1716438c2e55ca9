/* gpu/sass/flow.c: see flow.h.  Blocks here; values: flow_values.c. */
#include "gpu/sass/flow.h"

#include <stdlib.h>
#include <string.h>

#include "gpu/sass/flow_lists.h"
#include "util/memory.h"

struct edge {
	uint32_t from, to; /* instructions, then blocks */
};

struct call {
	uint32_t instruction, callee; /* an instruction */
};

struct builder {
	const struct sass_function *function;
	struct flow *flow;
	struct edge *edges;
	size_t edge_count, edge_capacity;
	struct call *calls; /* by callee */
	size_t call_count, call_capacity;
	uint32_t *entries; /* functions of the section, in order */
	size_t entry_count, entry_capacity;
};

static bool always(unsigned number, bool negated)
{
	return number == SASS_TRUE && !negated;
}

static bool is_conditional(const struct sass_instruction *at)
{
	if (!always(at->guard, at->guard_negated) || sass_has(at, "DIV") || sass_has(at, "CONV"))
		return true;
	for (unsigned i = 0; i < at->operand_count; i++) {
		const struct sass_operand *operand = &at->operands[i];

		if ((operand->kind == SASS_PREDICATE || operand->kind == SASS_UNIFORM_PREDICATE) &&
		    !always(operand->number, operand->inverted))
			return true;
	}
	return false;
}

static bool is_one_of(const struct sass_instruction *at, const char *const *names)
{
	for (; *names; names++)
		if (sass_is(at, *names))
			return true;
	return false;
}

static bool is_jump(const struct sass_instruction *at)
{
	static const char *const names[] = {"BRA", "JMP", "BRX", "JMX", "BRXU", "JMXU", NULL};

	return is_one_of(at, names);
}

static bool ends_block(const struct sass_instruction *at)
{
	static const char *const names[] = {"EXIT", "RET", "CALL", NULL};

	return is_jump(at) || is_one_of(at, names) || (at->target_count && !sass_is(at, "BSSY"));
}

static void add_edge(struct builder *builder, uint32_t from, uint32_t to)
{
	if (to >= builder->function->instruction_count)
		return;
	ARRAY_RESERVE(builder->edges, builder->edge_count, builder->edge_capacity);
	builder->edges[builder->edge_count++] = (struct edge){from, to};
}

/* Where the function starts that the instruction is in. */
static uint32_t entry_of(const struct builder *builder, uint32_t instruction)
{
	size_t low = 0, high = builder->entry_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (builder->entries[middle] <= instruction)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? builder->entries[low - 1] : 0;
}

static bool names_register(const struct sass_instruction *at)
{
	for (unsigned i = 0; i < at->operand_count; i++)
		if (at->operands[i].kind == SASS_REGISTER && at->operands[i].number != SASS_ZERO)
			return true;
	return false;
}

static int by_callee(const void *a, const void *b)
{
	const struct call *left = a, *right = b;

	return (left->callee > right->callee) - (left->callee < right->callee);
}

static void find_calls(struct builder *builder)
{
	const struct sass_function *function = builder->function;

	for (uint32_t i = 0; i < function->instruction_count; i++) {
		const struct sass_instruction *at = &function->instructions[i];

		if (!sass_is(at, "CALL") || at->target_count != 1 || names_register(at))
			continue;
		ARRAY_RESERVE(builder->calls, builder->call_count, builder->call_capacity);
		builder->calls[builder->call_count++] = (struct call){i, at->targets[0]};
	}
	if (builder->call_count)
		qsort(builder->calls, builder->call_count, sizeof(*builder->calls), by_callee);
}

static int by_number(const void *a, const void *b)
{
	uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;

	return (left > right) - (left < right);
}

static void find_entries(struct builder *builder)
{
	const struct sass_function *function = builder->function;

	for (uint32_t i = 0; i < function->label_count; i++) {
		if (function->labels[i].name[0] == '.')
			continue;
		ARRAY_RESERVE(builder->entries, builder->entry_count, builder->entry_capacity);
		builder->entries[builder->entry_count++] = function->labels[i].instruction;
	}
	if (builder->entry_count)
		qsort(builder->entries, builder->entry_count, sizeof(*builder->entries), by_number);
}

/* Behind all calls of the function in which it returns. */
static void add_returns(struct builder *builder, uint32_t from)
{
	uint32_t entry = entry_of(builder, from);
	size_t low = 0, high = builder->call_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (builder->calls[middle].callee < entry)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < builder->call_count && builder->calls[low].callee == entry; low++)
		add_edge(builder, from, builder->calls[low].instruction + 1);
}

static void add_edges(struct builder *builder, uint32_t from)
{
	const struct sass_instruction *at = &builder->function->instructions[from];
	bool goes_on = true;

	if (sass_is(at, "EXIT") || is_jump(at)) {
		goes_on = is_conditional(at);
	} else if (sass_is(at, "RET")) {
		goes_on = is_conditional(at);
		add_returns(builder, from);
		if (goes_on)
			add_edge(builder, from, from + 1);
		return;
	} else if (sass_is(at, "CALL")) {
		bool inside = at->target_count == 1 && !names_register(at);

		if (inside)
			add_edge(builder, from, at->targets[0]);
		if (!inside || is_conditional(at))
			add_edge(builder, from, from + 1);
		return;
	}
	if (goes_on)
		add_edge(builder, from, from + 1);
	if (sass_is(at, "BSSY"))
		return;
	builder->flow->open |= is_jump(at) && !at->target_count;
	for (uint32_t i = 0; i < at->target_count; i++)
		add_edge(builder, from, at->targets[i]);
}

static void cut_blocks(struct builder *builder)
{
	const struct sass_function *function = builder->function;
	uint32_t count = function->instruction_count;
	bool *starts = xcalloc((size_t)count + 1, sizeof(*starts));
	struct flow *flow = builder->flow;

	starts[0] = true;
	for (uint32_t i = 0; i < count; i++)
		starts[i + 1] |= ends_block(&function->instructions[i]);
	for (size_t i = 0; i < builder->edge_count; i++)
		starts[builder->edges[i].to] |= builder->edges[i].to != builder->edges[i].from + 1;
	for (uint32_t i = 0; i < function->label_count; i++)
		starts[function->labels[i].instruction] = true;
	for (uint32_t i = 0; i < count; i++)
		flow->block_count += starts[i];
	flow->blocks = xcalloc(flow->block_count, sizeof(*flow->blocks));
	for (uint32_t i = 0, block = UINT32_MAX; i < count; i++) {
		block += starts[i];
		if (starts[i])
			flow->blocks[block].first = i;
		flow->blocks[block].end = i + 1;
		flow->block_of[i] = block;
	}
	free(starts);
}

static int by_edge(const void *a, const void *b)
{
	const struct edge *left = a, *right = b;

	if (left->from != right->from)
		return left->from < right->from ? -1 : 1;
	return (left->to > right->to) - (left->to < right->to);
}

/* Edges between blocks, each once, as lists of both ends. */
static void link_blocks(struct builder *builder)
{
	struct flow *flow = builder->flow;
	struct edge *edges = builder->edges;
	uint32_t *successors, *predecessors, at = 0;
	size_t count = 0;

	for (size_t i = 0; i < builder->edge_count; i++)
		edges[i] =
			(struct edge){flow->block_of[edges[i].from], flow->block_of[edges[i].to]};
	if (builder->edge_count)
		qsort(edges, builder->edge_count, sizeof(*edges), by_edge);
	for (size_t i = 0; i < builder->edge_count; i++)
		if (!i || by_edge(&edges[i], &edges[i - 1]))
			edges[count++] = edges[i];
	flow->lists->successors = successors = xcalloc(count + 1, sizeof(*successors));
	flow->lists->predecessors = predecessors = xcalloc(count + 1, sizeof(*predecessors));
	for (size_t i = 0; i < count; i++) {
		flow->blocks[edges[i].from].successor_count++;
		flow->blocks[edges[i].to].predecessor_count++;
	}
	for (uint32_t i = 0; i < flow->block_count; i++) {
		flow->blocks[i].predecessors = predecessors + at;
		at += flow->blocks[i].predecessor_count;
		flow->blocks[i].predecessor_count = 0;
	}
	for (size_t i = 0; i < count; i++) {
		struct flow_block *from = &flow->blocks[edges[i].from],
				  *to = &flow->blocks[edges[i].to];

		if (!i || edges[i].from != edges[i - 1].from)
			from->successors = successors + i;
		successors[i] = edges[i].to;
		predecessors[to->predecessors - predecessors + to->predecessor_count++] =
			edges[i].from;
	}
}

struct flow *flow_build(const struct sass_function *function, struct error *error)
{
	struct builder builder = {.function = function, .flow = xcalloc(1, sizeof(struct flow))};
	uint32_t count = function->instruction_count;
	struct flow *flow = builder.flow;
	size_t kept = 0;
	bool fits;

	flow->function = function;
	flow->lists = xcalloc(1, sizeof(*flow->lists));
	flow->block_of = xcalloc((size_t)count + 1, sizeof(*flow->block_of));
	find_entries(&builder);
	find_calls(&builder);
	for (uint32_t i = 0; i < count && builder.edge_count < FLOW_MAX; i++)
		if (ends_block(&function->instructions[i]))
			add_edges(&builder, i);
		else
			add_edge(&builder, i, i + 1);
	fits = builder.edge_count < FLOW_MAX;
	cut_blocks(&builder);
	/* edges inside blocks are none of theirs */
	for (size_t i = 0; i < builder.edge_count; i++) {
		struct edge edge = builder.edges[i];

		if (flow->blocks[flow->block_of[edge.from]].end == edge.from + 1)
			builder.edges[kept++] = edge;
	}
	builder.edge_count = kept;
	link_blocks(&builder);
	free(builder.edges);
	free(builder.calls);
	free(builder.entries);
	if (fits && flow_find_values(flow))
		return flow;
	error_set(error, "function %s: %u instructions in %u blocks are more than vflow can follow",
		  function->name, count, flow->block_count);
	flow_free(flow);
	return NULL;
}

void flow_free(struct flow *flow)
{
	if (!flow)
		return;
	free(flow->lists->successors);
	free(flow->lists->predecessors);
	free(flow->lists);
	free(flow->blocks);
	free(flow->block_of);
	free(flow->values);
	free(flow->inputs);
	free(flow->first_written);
	free(flow->first_read);
	free(flow->reads);
	free(flow);
}
