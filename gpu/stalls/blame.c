/* gpu/stalls/blame.c: see blame.h. */
#include "gpu/stalls/blame.h"

#include <stdlib.h>
#include <string.h>

#include "gpu/stalls/opcodes.h"
#include "util/memory.h"

enum { SOURCES_MAX = 256, HOPS_MAX = 8, CONE_MAX = 128 };

struct source {
	uint32_t instruction;
	enum stall_dependency dependency;
};

struct sources {
	struct source all[SOURCES_MAX];
	size_t count;
	uint32_t last; /* the stalled one, or the exit in front of it: paths from a source end here
			*/
};

static void add(struct sources *sources, uint32_t instruction, enum stall_dependency dependency)
{
	for (size_t i = 0; i < sources->count; i++)
		if (sources->all[i].instruction == instruction)
			return;
	if (sources->count < SOURCES_MAX)
		sources->all[sources->count++] = (struct source){instruction, dependency};
}

static const struct sass_instruction *at(const struct flow *flow, uint32_t instruction)
{
	return &flow->function->instructions[instruction];
}

/* -- scoreboards -- */

static bool share_registers(const uint16_t *a, size_t a_count, const uint16_t *b, size_t b_count)
{
	for (size_t i = 0; i < a_count; i++)
		for (size_t k = 0; k < b_count; k++)
			if (a[i] == b[k])
				return true;
	return false;
}

/* Whether the one that waits for the barrier has to do with what this one writes or reads. */
static bool is_related(const struct sass_instruction *setter, unsigned barrier,
		       const struct sass_instruction *waits)
{
	if (setter->control.write_barrier == barrier)
		return share_registers(setter->written, setter->written_count, waits->read,
				       waits->read_count) ||
		       share_registers(setter->written, setter->written_count, waits->written,
				       waits->written_count);
	return share_registers(setter->read, setter->read_count, waits->written,
			       waits->written_count);
}

/*
 * Those that set one barrier: of several the ones whose registers the stalled one uses, if any
 * does.  of_reason: only those whose latency is booked as this reason.
 */
static void add_setters(const struct flow *flow, uint32_t stalled, unsigned barrier,
			enum stall_reason reason, bool of_reason, struct sources *sources)
{
	uint32_t setters[SOURCES_MAX];
	size_t count = flow_setters(flow, stalled, barrier, setters, SOURCES_MAX);
	bool related = false;

	count = count < SOURCES_MAX ? count : SOURCES_MAX;
	for (int pass = 0; pass < 2; pass++)
		for (size_t i = 0; i < count; i++) {
			const struct sass_instruction *setter = at(flow, setters[i]);
			bool is_long = stall_is_long(stall_opcode_of(setter));

			if (of_reason && is_long != (reason == STALL_LONG_SCOREBOARD))
				continue;
			if (!pass)
				related |= is_related(setter, barrier, at(flow, stalled));
			else if (!related || is_related(setter, barrier, at(flow, stalled)))
				add(sources, setters[i],
				    setter->control.write_barrier == barrier ? STALL_AFTER_WRITE
									     : STALL_AFTER_READ);
		}
}

static void find_setters(const struct flow *flow, uint32_t stalled, enum stall_reason reason,
			 struct sources *sources)
{
	uint8_t waits = flow_waits(at(flow, stalled));

	for (int pass = 0; pass < 2 && !sources->count; pass++)
		for (unsigned barrier = 0; barrier < SASS_BARRIERS; barrier++)
			if (waits >> barrier & 1)
				add_setters(flow, stalled, barrier, reason, !pass, sources);
}

/* -- what was before -- */

static void find_before(const struct flow *flow, uint32_t stalled, struct sources *sources)
{
	const struct flow_block *block = &flow->blocks[flow->block_of[stalled]];

	if (stalled > block->first) {
		add(sources, stalled - 1, STALL_ORDER);
		return;
	}
	for (uint32_t i = 0; i < block->predecessor_count; i++)
		add(sources, flow->blocks[block->predecessors[i]].end - 1, STALL_ORDER);
}

static bool synchronizes(const struct sass_instruction *instruction, enum stall_reason reason)
{
	static const struct {
		enum stall_reason reason;
		const char *opcode;
	} kinds[] = {{STALL_BARRIER, "BAR"},
		     {STALL_BARRIER, "UCGABAR_WAIT"},
		     {STALL_MEMBAR, "MEMBAR"},
		     {STALL_MEMBAR, "ERRBAR"},
		     {STALL_MEMBAR, "FENCE"},
		     {STALL_MEMBAR, "CCTL"},
		     {STALL_WARPGROUP_ARRIVE, "WARPGROUP"},
		     {STALL_SLEEPING, "NANOSLEEP"},
		     {STALL_GMMA, "HGMMA"},
		     {STALL_GMMA, "IGMMA"},
		     {STALL_GMMA, "QGMMA"},
		     {STALL_GMMA, "BGMMA"},
		     {STALL_GMMA, "WARPGROUP"}};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (kinds[i].reason == reason && sass_is(instruction, kinds[i].opcode))
			return true;
	return false;
}

/* The last one in front of `end` that synchronizes; false: the block has none. */
static bool search_block(const struct flow *flow, uint32_t first, uint32_t end,
			 enum stall_reason reason, struct sources *sources)
{
	while (end-- > first)
		if (synchronizes(at(flow, end), reason)) {
			add(sources, end, STALL_ORDER);
			return true;
		}
	return false;
}

/* The stall is booked on the instruction behind the one that synchronizes. */
static void find_synchronization(const struct flow *flow, uint32_t stalled,
				 enum stall_reason reason, struct sources *sources)
{
	bool *seen = xcalloc(flow->block_count, sizeof(*seen)), ends;
	uint32_t *todo = xcalloc(flow->block_count, sizeof(*todo)), todo_count = 0;
	uint32_t block = flow->block_of[stalled];

	ends = search_block(flow, flow->blocks[block].first, stalled, reason, sources);
	for (;;) {
		for (uint32_t i = 0; !ends && i < flow->blocks[block].predecessor_count; i++) {
			uint32_t before = flow->blocks[block].predecessors[i];

			if (!seen[before])
				todo[todo_count++] = before;
			seen[before] = true;
		}
		if (!todo_count)
			break;
		block = todo[--todo_count];
		ends = search_block(flow, flow->blocks[block].first, flow->blocks[block].end,
				    reason, sources);
	}
	free(todo);
	free(seen);
}

static void add_stores(const struct flow *flow, uint32_t first, uint32_t end,
		       struct sources *sources)
{
	for (uint32_t i = first; i < end; i++)
		if (stall_opcode_of(at(flow, i)) == OPCODE_GLOBAL_STORE)
			add(sources, i, STALL_ORDER);
}

/*
 * Warps that are done are seen at the exit or behind it, on instructions that are never executed.
 * They wait for what they wrote to memory, wherever that was on the way to the exit.
 */
static void find_exit(const struct flow *flow, uint32_t stalled, struct sources *sources)
{
	bool *seen;
	uint32_t *todo, todo_count = 0, exit = stalled + 1;

	while (exit-- > 0 && !sass_is(at(flow, exit), "EXIT"))
		;
	if (exit == UINT32_MAX)
		return;
	sources->last = exit;
	seen = xcalloc(flow->block_count, sizeof(*seen));
	todo = xcalloc((size_t)flow->block_count + 1, sizeof(*todo));
	add_stores(flow, flow->blocks[flow->block_of[exit]].first, exit, sources);
	todo[todo_count++] = flow->block_of[exit];
	while (todo_count) {
		const struct flow_block *block = &flow->blocks[todo[--todo_count]];

		for (uint32_t i = 0; i < block->predecessor_count; i++) {
			uint32_t before = block->predecessors[i];

			if (seen[before])
				continue;
			seen[before] = true;
			todo[todo_count++] = before;
			add_stores(flow, flow->blocks[before].first, flow->blocks[before].end,
				   sources);
		}
	}
	if (!sources->count)
		add(sources, exit, exit == stalled ? STALL_NO_DEPENDENCY : STALL_ORDER);
	free(todo);
	free(seen);
}

static void find_branch(const struct flow *flow, uint32_t stalled, struct sources *sources)
{
	struct sources before = {.count = 0};

	if (stall_opcode_of(at(flow, stalled)) == OPCODE_CONTROL) {
		add(sources, stalled, STALL_NO_DEPENDENCY);
		return;
	}
	find_before(flow, stalled, &before);
	for (size_t i = 0; i < before.count; i++)
		if (stall_opcode_of(at(flow, before.all[i].instruction)) == OPCODE_CONTROL)
			add(sources, before.all[i].instruction, STALL_ORDER);
}

/* True: its cause is another instruction, found or not. */
static bool find_sources(const struct flow *flow, uint32_t stalled, enum stall_reason reason,
			 struct sources *sources)
{
	sources->count = 0;
	sources->last = stalled;
	switch (stall_rule_of(reason)) {
	case STALL_RULE_BARRIERS:
		find_setters(flow, stalled, reason, sources);
		return true;
	case STALL_RULE_BEFORE:
		find_before(flow, stalled, sources);
		return true;
	case STALL_RULE_SYNCHRONIZATION:
		find_synchronization(flow, stalled, reason, sources);
		if (!synchronizes(at(flow, stalled), reason))
			return true;
		/* that one, unless another is just in front of it */
		for (size_t i = 0; i < sources->count; i++)
			if (stall_distance(flow, sources->all[i].instruction, stalled) == 1)
				return true;
		sources->count = 0;
		add(sources, stalled, STALL_NO_DEPENDENCY);
		return false;
	case STALL_RULE_EXIT:
		find_exit(flow, stalled, sources);
		return false;
	case STALL_RULE_BRANCH:
		find_branch(flow, stalled, sources);
		return false;
	case STALL_RULE_ITSELF:
	case STALL_RULE_NONE:
		break;
	}
	add(sources, stalled, STALL_NO_DEPENDENCY);
	return false;
}

static int by_place(const void *a, const void *b)
{
	const struct stall_blame *left = a, *right = b;

	if (left->stalled != right->stalled)
		return left->stalled < right->stalled ? -1 : 1;
	if (left->reason != right->reason)
		return left->reason < right->reason ? -1 : 1;
	return (left->source > right->source) - (left->source < right->source);
}

struct stall_blames stall_blame(const struct flow *flow, const struct stall_count *counts,
				size_t count)
{
	uint32_t instructions = flow->function->instruction_count;
	uint64_t *issued = xcalloc((size_t)instructions + 1, sizeof(*issued));
	struct sources *sources = xcalloc(1, sizeof(*sources));
	struct stall_blames blames = {0};
	size_t capacity = 0;

	for (size_t i = 0; i < count; i++)
		if (counts[i].reason == STALL_SELECTED && counts[i].instruction < instructions)
			issued[counts[i].instruction] += counts[i].samples;
	for (size_t i = 0; i < count; i++) {
		const struct stall_count *node = &counts[i];
		double weights[SOURCES_MAX], sum = 0;
		bool depends;

		if (stall_rule_of(node->reason) == STALL_RULE_NONE || !node->samples ||
		    node->instruction >= instructions)
			continue;
		depends = find_sources(flow, node->instruction, node->reason, sources);
		blames.nodes += depends;
		blames.node_samples += depends ? (double)node->samples : 0;
		if (depends && sources->count == 1) {
			blames.single++;
			blames.single_samples += (double)node->samples;
		}
		blames.unknown += depends && !sources->count;
		if (!sources->count)
			add(sources, node->instruction, STALL_NO_DEPENDENCY);
		for (size_t k = 0; k < sources->count; k++) {
			uint32_t source = sources->all[k].instruction;
			uint32_t distance = stall_distance(flow, source, sources->last);

			weights[k] = (double)(issued[source] ? issued[source] : 1) /
				     (distance ? distance : 1);
			sum += weights[k];
			ARRAY_RESERVE(blames.all, blames.count, capacity);
			blames.all[blames.count++] =
				(struct stall_blame){.stalled = node->instruction,
						     .source = source,
						     .reason = node->reason,
						     .dependency = sources->all[k].dependency,
						     .distance = distance};
		}
		for (size_t k = 0; k < sources->count; k++) {
			struct stall_blame *blame = &blames.all[blames.count - sources->count + k];

			blame->samples = (double)node->samples * weights[k] / sum;
			blame->latency = (double)node->latency * weights[k] / sum;
		}
	}
	if (blames.count)
		qsort(blames.all, blames.count, sizeof(*blames.all), by_place);
	free(sources);
	free(issued);
	return blames;
}

/* -- chains -- */

size_t stall_blames_of(const struct stall_blames *blames, uint32_t stalled)
{
	size_t low = 0, high = blames->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (blames->all[middle].stalled < stalled)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The instructions that make what one reads, through those of fixed latency. */
struct cone {
	uint32_t all[CONE_MAX], hops[CONE_MAX];
	size_t count;
};

static void widen(struct cone *cone, uint32_t instruction, uint32_t hops)
{
	for (size_t i = 0; i < cone->count; i++)
		if (cone->all[i] == instruction)
			return;
	if (cone->count == CONE_MAX)
		return;
	cone->all[cone->count] = instruction;
	cone->hops[cone->count++] = hops;
}

static void find_cone(const struct flow *flow, uint32_t source, struct cone *cone)
{
	widen(cone, source, 0);
	for (size_t i = 0; i < cone->count; i++) {
		const struct sass_instruction *reader = at(flow, cone->all[i]);

		if (cone->hops[i] == HOPS_MAX)
			continue;
		for (uint16_t k = 0; k < reader->read_count; k++) {
			uint32_t value = flow_read(flow, cone->all[i], reader->read[k]);
			uint32_t writers[SOURCES_MAX];
			size_t count = value == SASS_NONE
					       ? 0
					       : flow_writers(flow, value, writers, SOURCES_MAX);

			for (size_t w = 0; w < count && w < SOURCES_MAX; w++)
				if (stall_opcode_of(at(flow, writers[w])) == OPCODE_FIXED)
					widen(cone, writers[w], cone->hops[i] + 1);
		}
	}
}

uint32_t stall_cause_before(const struct flow *flow, const struct stall_blames *blames,
			    uint32_t source)
{
	struct cone *cone = xcalloc(1, sizeof(*cone));
	uint32_t best = SASS_NONE;
	double most = 0;

	find_cone(flow, source, cone);
	for (size_t i = 0; i < cone->count; i++)
		for (size_t k = stall_blames_of(blames, cone->all[i]);
		     k < blames->count && blames->all[k].stalled == cone->all[i]; k++) {
			const struct stall_blame *blame = &blames->all[k];
			enum stall_rule rule = stall_rule_of(blame->reason);

			if ((rule != STALL_RULE_BARRIERS && rule != STALL_RULE_SYNCHRONIZATION) ||
			    blame->dependency == STALL_NO_DEPENDENCY || blame->source == source ||
			    blame->samples <= most)
				continue;
			most = blame->samples;
			best = blame->source;
		}
	free(cone);
	return best;
}
