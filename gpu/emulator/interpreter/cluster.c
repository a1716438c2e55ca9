/*
 * gpu/emulator/interpreter/cluster.c: clusters: blocks that run together and see each other's
 * shared memory.  A block that is launched without a cluster is one of its own.
 */
#include "gpu/emulator/interpreter/cluster.h"

#define T(type) PTX_T(type)
#define M(name) PTX_M(name)

uint64_t cluster_address(const struct warp *w, uint64_t address, uint32_t rank)
{
	uint32_t offset = (uint32_t)address & ((1u << PTX_RANK_SHIFT) - 1);

	if (rank != w->block->rank)
		offset |= (rank + 1) << PTX_RANK_SHIFT;
	return offset;
}

static void map_rank(struct warp *w, const struct ptx_instruction *i)
{
	/* a generic address stays one */
	const uint64_t window = i->space == PTX_MOD_SHARED ? 0 : PTX_WINDOW_SHARED;
	const uint64_t *a = warp_row(w, i->a), *b = warp_row(w, i->b);
	uint64_t *d = warp_row(w, i->d);

	for (uint32_t m = w->mask; m; m &= m - 1) {
		unsigned l = (unsigned)__builtin_ctz(m);

		if ((uint32_t)b[l] >= w->block->cluster_size ||
		    (window && a[l] - window >= PTX_WINDOW_SIZE)) {
			warp_fault(w, 1u << l, FAULT_ILLEGAL_ADDRESS,
				   "mapa of 0x%llx to block %u of a cluster of %u",
				   (unsigned long long)a[l], (uint32_t)b[l],
				   w->block->cluster_size);
			return;
		}
		d[l] = window + cluster_address(w, a[l], (uint32_t)b[l]);
	}
}

static void get_rank(struct warp *w, const struct ptx_instruction *i)
{
	const uint64_t *a = warp_row(w, i->a);
	uint64_t *d = warp_row(w, i->d);

	FOR_LANES(w, {
		uint32_t rank = (uint32_t)a[l] >> PTX_RANK_SHIFT;

		d[l] = rank ? rank - 1 : w->block->rank;
	});
}

static void arrive(struct warp *w, const struct ptx_instruction *i)
{
	(void)i;
	w->block->cluster_arrived[w - w->block->warps] |= w->mask;
	w->block->look = true;
	warp_leave(w, WARP_RESCHEDULE); /* others may go on now */
}

/* Lanes pass when all threads of the cluster have arrived, which may have been before. */
static void wait(struct warp *w, const struct ptx_instruction *i)
{
	uint32_t *passed = &w->block->cluster_passed[w - w->block->warps];

	(void)i;
	if ((*passed & w->mask) == w->mask) {
		*passed &= ~w->mask;
		return;
	}
	warp_wait(w, BARRIER_CLUSTER);
}

bool block_check_cluster(struct block *block)
{
	bool any = false;

	for (uint32_t n = 0; n < block->cluster_size; n++)
		for (uint32_t k = 0; k < block->cluster[n].warp_count; k++) {
			const struct block *peer = &block->cluster[n];

			any |= peer->cluster_arrived[k] != 0;
			if (peer->warps[k].live & ~peer->cluster_arrived[k])
				return false;
		}
	for (uint32_t n = 0; any && n < block->cluster_size; n++)
		for (uint32_t k = 0; k < block->cluster[n].warp_count; k++) {
			struct block *peer = &block->cluster[n];

			peer->cluster_passed[k] |= peer->cluster_arrived[k];
			peer->cluster_arrived[k] = 0;
			peer->cluster_passed[k] &= ~warp_release(&peer->warps[k], BARRIER_CLUSTER);
		}
	return any;
}

/* Whether the launch names clusters. */
void execute_mov_explicit_cluster(struct warp *w, const struct ptx_instruction *i)
{
	warp_set_predicate(w, i->d, w->block->launch->cluster[0] ? WARP_ALL : 0);
}

#define ORDERS (M(ALIGNED) | M(ACQUIRE) | M(RELEASE) | M(RELAXED))

const struct ptx_opcode interpreter_cluster[] = {
	{"mapa", "dsu", T(U32) | T(U64), 0, 0, M(SHARED), map_rank},
	{"getctarank", "ds", T(U32) | T(U64), 0, 0, M(SHARED), get_rank},
	{"barrier.cluster.arrive", "", 0, 0, 0, ORDERS, arrive},
	{"barrier.cluster.wait", "", 0, 0, 0, ORDERS, wait},
	{0},
};
