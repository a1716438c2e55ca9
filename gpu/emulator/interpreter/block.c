/*
 * gpu/emulator/interpreter/block.c: blocks that are resident together, and the warps of each in
 * turn.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/emulator/interpreter/block.h"
#include "gpu/emulator/interpreter/values.h"
#include "util/text.h"

/*
 * Instructions of a warp until the others get a turn.  Few, so that the warps of a block keep
 * step as they do on a GPU: programs whose threads race there by luck have the same luck here.
 */
#define QUANTUM 32u
#define QUANTUM_ALONE 4096u
#define TURNS_PER_LOOK 64u /* at the clock */
#define RESERVED_SHARED 2048u

/*
 * Executors built for AVX2 may leave the upper halves of vector registers behind (gcc 12 forgets
 * vzeroupper after reductions); all SSE code, the program's too, would pay for that.
 */
static inline void clean_upper_halves(bool wide)
{
#if defined(__x86_64__)
	if (wide)
		__asm__ volatile("vzeroupper");
#else
	(void)wide;
#endif
}

/* Runs the warp until it waits, ends, faults or has had its turn.  False: nothing was ready. */
static bool run_warp(struct warp *w)
{
	const struct ptx_instruction *code = w->module->code;
	const bool wide = w->block->wide;
	uint64_t end;

	if (!warp_pick(w))
		return false;
	w->clock = w->block->clock;
	end = w->clock + (w->block->warp_count > 1 ? QUANTUM : QUANTUM_ALONE);
	do {
		while (w->pc < w->limit && w->clock < end) {
			const struct ptx_instruction *i = &code[w->pc++];

			w->clock++;
			w->mask = w->active;
			if (i->guard) {
				w->mask &= warp_predicate(w, i->guard);
				if (!w->mask)
					continue;
			}
			i->execute(w, i);
			clean_upper_halves(wide);
		}
		if (w->event == WARP_FAULT)
			break;
		if (w->event != WARP_GROUP_GONE)
			warp_store(w);
	} while (w->clock < end && warp_pick(w));
	w->block->clock = w->clock;
	return true;
}

/* Special registers that are the same for all warps and blocks, and lane masks. */
static void set_launch_registers(struct warp *w, const struct launch *launch)
{
	uint64_t shared = launch->kernel->shared_bytes + launch->dynamic_shared_bytes;

	for (unsigned n = 0; n < 3; n++) {
		set_row(w->special[PTX_NTID_X + n], launch->block[n]);
		set_row(w->special[PTX_NCTAID_X + n], launch->grid[n]);
		set_row(w->special[PTX_NCLUSTERID_X + n], launch->grid[n] / cluster_of(launch, n));
		set_row(w->special[PTX_CLUSTER_NCTAID_X + n], cluster_of(launch, n));
	}
	set_row(w->special[PTX_WARPID], (uint64_t)(w - w->block->warps));
	set_row(w->special[PTX_NWARPID], w->block->warp_count);
	set_row(w->special[PTX_DYNAMIC_SHARED], launch->dynamic_shared_bytes);
	set_row(w->special[PTX_TOTAL_SHARED], shared);
	set_row(w->special[PTX_CLUSTER_SIZE], w->block->cluster_size);
	set_row(w->special[PTX_ONE], 1);
	set_row(w->special[PTX_WORKSPACE_HIGH], launch->workspace >> 32);
	set_row(w->special[PTX_WORKSPACE_LOW], (uint32_t)launch->workspace);
	set_row(w->special[PTX_RESERVED_SHARED_0], w->block->shared_bytes - RESERVED_SHARED);
	set_row(w->special[PTX_RESERVED_SHARED_1], w->block->shared_bytes - RESERVED_SHARED / 2);
	for (unsigned l = 0; l < PTX_LANES; l++) {
		w->special[PTX_LANEID][l] = l;
		w->special[PTX_LANEMASK_EQ][l] = 1u << l;
		w->special[PTX_LANEMASK_LT][l] = (1u << l) - 1;
		w->special[PTX_LANEMASK_LE][l] = (2ull << l) - 1;
		w->special[PTX_LANEMASK_GT][l] = ~(uint32_t)((2ull << l) - 1);
		w->special[PTX_LANEMASK_GE][l] = ~((1u << l) - 1);
	}
}

static int create_warp(struct block *block, uint32_t number)
{
	const struct launch *launch = block->launch;
	struct warp *w = &block->warps[number];
	uint32_t threads = launch->block[0] * launch->block[1] * launch->block[2];

	w->block = block;
	w->module = launch->module;
	w->now.function = launch->kernel->function;
	w->bank[PTX_BANK_CONSTANT] =
		launch->module->constants ? launch->module->constants[0] : NULL;
	w->bank[PTX_BANK_SPECIAL] = w->special[0];
	w->bank[PTX_BANK_SINK] = w->sink;
	set_launch_registers(w, launch);
	for (unsigned l = 0; l < PTX_LANES; l++) {
		uint32_t thread = number * PTX_LANES + l;

		if (thread >= threads)
			break;
		w->special[PTX_TID_X][l] = thread % launch->block[0];
		w->special[PTX_TID_Y][l] = thread / launch->block[0] % launch->block[1];
		w->special[PTX_TID_Z][l] = thread / launch->block[0] / launch->block[1];
	}
	return warp_make_room(w, launch->kernel->function) ? 0 : -1;
}

/* Makes a warp ready for the first instruction of a new block. */
static void start_warp(struct warp *w)
{
	const struct launch *launch = w->block->launch;
	const struct ptx_function *function = launch->kernel->function;
	uint32_t threads = launch->block[0] * launch->block[1] * launch->block[2];
	uint32_t first = (uint32_t)(w - w->block->warps) * PTX_LANES;
	uint32_t lanes = threads - first < PTX_LANES ? (1u << (threads - first)) - 1 : WARP_ALL;

	for (unsigned n = 0; n < 3; n++) {
		const uint32_t size = cluster_of(launch, n);

		set_row(w->special[PTX_CTAID_X + n], w->block->index[n]);
		set_row(w->special[PTX_CLUSTERID_X + n], w->block->index[n] / size);
		set_row(w->special[PTX_CLUSTER_CTAID_X + n], w->block->index[n] % size);
	}
	set_row(w->special[PTX_CLUSTER_RANK], w->block->rank);
	for (unsigned l = 0; l < PTX_LANES && function->frame_bytes; l++)
		memset(w->local + l * w->local_stride, 0, function->frame_bytes);
	w->live = lanes;
	w->carry = 0;
	w->turn = 0;
	w->turns = 0;
	w->rotate = false;
	w->held = false;
	w->event = WARP_RUNS;
	w->groups[0] = (struct group){.mask = lanes, .pc = function->entry, .function = function};
	w->group_count = 1;
}

/* The groups of a warp that waits. */
static const struct group *groups_of(const struct warp *w, uint32_t *count)
{
	*count = w->held ? 1 : w->group_count;
	return w->held ? &w->now : w->groups;
}

/* The lanes of a block that wait at that instruction, and those that wait elsewhere. */
static uint32_t count_waiting(const struct block *block, uint32_t pc, uint32_t *others,
			      uint32_t *other_pc)
{
	uint32_t here = 0, count;

	*others = 0;
	for (uint32_t n = 0; n < block->warp_count; n++) {
		const struct group *groups = groups_of(&block->warps[n], &count);

		for (uint32_t g = 0; g < count && block->warps[n].live; g++) {
			if (groups[g].pc == pc) {
				here += (uint32_t)__builtin_popcount(groups[g].mask);
				continue;
			}
			*others += (uint32_t)__builtin_popcount(groups[g].mask);
			*other_pc = groups[g].pc;
		}
	}
	return here;
}

/* Nobody can go on: names a barrier at which threads wait, and where the others are. */
static void stuck(struct block *block)
{
	for (uint32_t n = 0; n < block->warp_count; n++) {
		struct warp *w = &block->warps[n];
		uint32_t here, others, other_pc = 0, count;
		const struct group *first = groups_of(w, &count);
		char barrier[32] = "barrier.cluster", place[256] = "";

		if (!w->live || !count)
			continue;
		w->pc = first->pc;
		here = count_waiting(block, w->pc, &others, &other_pc);
		if (first->barrier < BARRIERS)
			snprintf(barrier, sizeof(barrier), "barrier %u", first->barrier);
		if (others)
			warp_place(w, other_pc ? other_pc - 1 : 0, place, sizeof(place));
		warp_fault(w, first->mask, FAULT_TIMEOUT,
			   "deadlock: %u thread%s of block (%u, %u, %u) wait%s at %s, which nobody "
			   "can pass%s%s",
			   here, text_plural(here, "", "s"), block->index[0], block->index[1],
			   block->index[2], text_plural(here, "s", ""), barrier,
			   others ? "; others wait at " : ": too few threads are left to come",
			   place);
		return;
	}
}

static void start_block(struct block *block)
{
	for (uint32_t n = 0; n < block->warp_count; n++)
		start_warp(&block->warps[n]);
	memset(block->barriers, 0, sizeof(block->barriers));
	memset(block->cluster_arrived, 0, sizeof(block->cluster_arrived));
	memset(block->cluster_passed, 0, sizeof(block->cluster_passed));
	if (block->shared)
		memset(block->shared, 0, block->shared_bytes);
	block->alive = true;
	block->time++;
}

/* Gives each warp of the block its turn.  -1: a fault. */
static int run_turn(struct block *block, bool *progress)
{
	bool alive = false;

	for (uint32_t n = 0; n < block->warp_count; n++) {
		struct warp *w = &block->warps[n];

		*progress |= run_warp(w);
		if (w->event == WARP_FAULT)
			return -1;
		alive |= w->live != 0;
	}
	if (!(++block->turns % TURNS_PER_LOOK) && !worker_look(block->worker))
		return -1;
	if (block->look) {
		block->look = false;
		*progress |= block_check_barriers(block);
	}
	block->alive = alive;
	return 0;
}

static int run_blocks(struct block *blocks, uint32_t count)
{
	bool alive = true;

	while (alive) {
		bool progress = false;
		struct block *waiting = NULL;

		alive = false;
		for (uint32_t n = 0; n < count; n++) {
			if (!blocks[n].alive)
				continue;
			if (run_turn(&blocks[n], &progress))
				return -1;
			if (blocks[n].alive)
				waiting = &blocks[n];
			alive |= blocks[n].alive;
		}
		if (alive && !progress) {
			stuck(waiting);
			return -1;
		}
	}
	return 0;
}

static int create_block(struct block *block)
{
	const struct launch *launch = block->launch;
	uint32_t threads = launch->block[0] * launch->block[1] * launch->block[2];
	uint64_t alignment =
		launch->module->dynamic_alignment > 16 ? launch->module->dynamic_alignment : 16;
	uint64_t shared = launch->kernel->shared_bytes;

	if (launch->dynamic_shared_bytes)
		shared = (shared + alignment - 1) / alignment * alignment +
			 launch->dynamic_shared_bytes;
	if (launch->module->reserved_shared)
		shared = (shared + 15) / 16 * 16 + RESERVED_SHARED;
	block->shared_bytes = (uint32_t)shared;
	block->warp_count = (threads + PTX_LANES - 1) / PTX_LANES;
	block->warps = calloc(block->warp_count, sizeof(*block->warps));
	block->shared = malloc(shared ? shared : 1);
	if (!block->warps || !block->shared || !race_start(block))
		return -1;
	for (uint32_t n = 0; n < block->warp_count; n++)
		if (create_warp(block, n))
			return -1;
	return 0;
}

static void destroy_block(struct block *block)
{
	for (uint32_t n = 0; block->warps && n < block->warp_count; n++) {
		free(block->warps[n].registers);
		free(block->warps[n].predicate_file);
		free(block->warps[n].local);
		free(block->warps[n].links);
	}
	free(block->warps);
	free(block->shared);
	free(block->races);
	free(block->matrices);
}

static void place_block(struct block *block, uint64_t number)
{
	const uint64_t size = cluster_size(block->launch);
	uint64_t cluster = number / size, inside = number % size;

	/* blocks are counted cluster by cluster, for those of one lie together */
	for (unsigned n = 0; n < 3; n++) {
		const uint32_t side = cluster_of(block->launch, n),
			       count = block->launch->grid[n] / side;

		block->index[n] = (uint32_t)(cluster % count * side + inside % side);
		cluster /= count;
		inside /= side;
	}
	start_block(block);
}

int blocks_run(struct block *blocks, uint32_t count, uint64_t first)
{
	for (uint32_t n = 0; n < count; n++)
		place_block(&blocks[n], first + n);
	if (blocks->launch->values)
		values_blocks(blocks->launch->values, blocks, count, first);
	return run_blocks(blocks, count);
}

struct block *blocks_create(const struct launch *launch, struct fault *fault, struct worker *worker,
			    uint32_t count)
{
	struct block *blocks = calloc(count, sizeof(*blocks));

	for (uint32_t n = 0; blocks && n < count; n++) {
		blocks[n].launch = launch;
		blocks[n].worker = worker;
		blocks[n].wide = interpreter_is_wide();
		blocks[n].fault = fault;
		blocks[n].all = blocks;
		blocks[n].resident = count;
		blocks[n].cluster_size = cluster_size(launch);
		blocks[n].rank = n % blocks[n].cluster_size;
		blocks[n].cluster = &blocks[n - blocks[n].rank];
		if (create_block(&blocks[n])) {
			blocks_destroy(blocks, n + 1);
			return NULL;
		}
	}
	return blocks;
}

void blocks_destroy(struct block *blocks, uint32_t count)
{
	for (uint32_t n = 0; n < count; n++)
		destroy_block(&blocks[n]);
	free(blocks);
}
