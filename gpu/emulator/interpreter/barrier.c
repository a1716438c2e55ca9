/*
 * gpu/emulator/interpreter/barrier.c: barriers of a block.
 *
 * Threads are counted, not warps: lanes of a warp may arrive one after the other.
 */
#include "gpu/emulator/interpreter/warp.h"

#define T(type) PTX_T(type)
#define M(name) PTX_M(name)

/* The barrier that the lanes arrive at; NULL: a fault is set. */
static struct barrier *arrive(struct warp *w, const struct ptx_instruction *i, uint32_t *number)
{
	struct block *block = w->block;
	unsigned first = (unsigned)__builtin_ctz(w->mask);
	uint32_t expected = 0;
	struct barrier *barrier;

	*number = i->a == PTX_MISSING ? 0 : (uint32_t)warp_row(w, i->a)[first];
	if (i->b != PTX_MISSING)
		expected = (uint32_t)warp_row(w, i->b)[first];
	if (*number >= BARRIERS || expected % PTX_LANES) {
		warp_fault(w, w->mask, FAULT_ILLEGAL_INSTRUCTION,
			   "barrier %u with %u threads: there are %u barriers, for whole warps",
			   *number, expected, BARRIERS);
		return NULL;
	}
	barrier = &block->barriers[*number];
	if (!barrier->used)
		*barrier = (struct barrier){.used = true, .all = true};
	barrier->expected = expected;
	block->look = true;
	barrier->arrived[w - block->warps] |= w->mask;
	return barrier;
}

void warp_wait(struct warp *w, uint32_t number)
{
	uint32_t others = w->active & ~w->mask;

	if (others) {
		struct group part = w->now;

		part.mask = others;
		part.pc = w->pc;
		warp_insert(w, part);
	}
	w->active = w->mask;
	w->now.state = GROUP_AT_BARRIER;
	w->now.barrier = number;
	warp_leave(w, WARP_RESCHEDULE);
}

static void barrier_sync(struct warp *w, const struct ptx_instruction *i)
{
	uint32_t number;

	if (arrive(w, i, &number))
		warp_wait(w, number);
}

static void barrier_arrive(struct warp *w, const struct ptx_instruction *i)
{
	uint32_t number;

	if (arrive(w, i, &number))
		warp_leave(w, WARP_RESCHEDULE); /* others may go on now */
}

static void barrier_reduce(struct warp *w, const struct ptx_instruction *i)
{
	uint32_t number, value = warp_predicate(w, i->e) & w->mask;
	struct barrier *barrier = arrive(w, i, &number);

	if (!barrier)
		return;
	barrier->count += (uint32_t)__builtin_popcount(value);
	barrier->any |= value != 0;
	barrier->all &= value == w->mask;
	warp_wait(w, number);
}

static bool complete(const struct block *block, const struct barrier *barrier)
{
	uint32_t sum = 0;

	for (uint32_t n = 0; n < block->warp_count; n++) {
		uint32_t missing = block->warps[n].live & ~barrier->arrived[n];

		if (!barrier->expected && missing)
			return false;
		/* a warp counts whole when all its threads that are left are there */
		if (barrier->arrived[n])
			sum += missing ? (uint32_t)__builtin_popcount(barrier->arrived[n])
				       : PTX_LANES;
	}
	return sum >= barrier->expected;
}

/* Writes the result of bar.red for the lanes of a group that waited. */
static void give_result(struct warp *w, const struct group *group, const struct barrier *barrier)
{
	const struct ptx_instruction *i = &w->module->code[group->pc - 1];
	uint32_t *predicate;

	if (i->execute != barrier_reduce)
		return;
	if (i->boolean == PTX_MOD_POPC) {
		uint64_t *row =
			i->d >> 30 == PTX_BANK_SINK
				? w->sink
				: w->registers + ((size_t)group->register_base + i->d) * PTX_LANES;

		for (uint32_t m = group->mask; m; m &= m - 1)
			row[__builtin_ctz(m)] = barrier->count;
		return;
	}
	predicate = &w->predicate_file[group->predicate_base + i->d];
	*predicate &= ~group->mask;
	if (i->boolean == PTX_MOD_AND ? barrier->all : barrier->any)
		*predicate |= group->mask;
}

uint32_t warp_release(struct warp *w, uint32_t number)
{
	uint32_t released = 0;

	w->block->time++;
	if (w->held) {
		if (w->now.state != GROUP_AT_BARRIER || w->now.barrier != number)
			return 0;
		if (number < BARRIERS)
			give_result(w, &w->now, &w->block->barriers[number]);
		w->now.state = GROUP_READY;
		return w->now.mask;
	}

	for (uint32_t g = 0; g < w->group_count; g++) {
		struct group group = w->groups[g];

		if (group.state != GROUP_AT_BARRIER || group.barrier != number)
			continue;
		if (number < BARRIERS)
			give_result(w, &group, &w->block->barriers[number]);
		released |= group.mask;
		group.state = GROUP_READY;
		w->groups[g] = w->groups[--w->group_count];
		warp_insert(w, group);
		g = UINT32_MAX; /* the list has changed: look from the start */
	}
	return released;
}

bool block_check_barriers(struct block *block)
{
	bool released = false;

	for (uint32_t number = 0; number < BARRIERS; number++) {
		if (!block->barriers[number].used || !complete(block, &block->barriers[number]))
			continue;
		for (uint32_t n = 0; n < block->warp_count; n++)
			warp_release(&block->warps[n], number);
		block->barriers[number].used = false;
		released = true;
	}
	return released | block_check_cluster(block);
}

const struct ptx_opcode interpreter_barrier[] = {
	{"bar", "u?u", 0, 0, M(SYNC), M(CTA) | M(ALIGNED), barrier_sync},
	{"barrier", "u?u", 0, 0, M(SYNC), M(CTA) | M(ALIGNED), barrier_sync},
	{"bar", "uu", 0, 0, M(ARRIVE), M(CTA) | M(ALIGNED), barrier_arrive},
	{"barrier", "uu", 0, 0, M(ARRIVE), M(CTA) | M(ALIGNED), barrier_arrive},
	{"bar", "duQ/duuQ", T(U32), 0, M(RED) | M(POPC), M(CTA) | M(ALIGNED), barrier_reduce},
	{"barrier", "duQ/duuQ", T(U32), 0, M(RED) | M(POPC), M(CTA) | M(ALIGNED), barrier_reduce},
	{"bar", "puQ/puuQ", T(PRED), 0, M(RED) | M(AND), M(CTA) | M(ALIGNED), barrier_reduce},
	{"bar", "puQ/puuQ", T(PRED), 0, M(RED) | M(OR), M(CTA) | M(ALIGNED), barrier_reduce},
	{"barrier", "puQ/puuQ", T(PRED), 0, M(RED) | M(AND), M(CTA) | M(ALIGNED), barrier_reduce},
	{"barrier", "puQ/puuQ", T(PRED), 0, M(RED) | M(OR), M(CTA) | M(ALIGNED), barrier_reduce},
	{0},
};
