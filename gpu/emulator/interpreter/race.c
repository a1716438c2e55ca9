/*
 * gpu/emulator/interpreter/race.c: shared memory that warps use at once (VFLOW_EMULATOR_RACES=1).
 *
 * Every byte remembers who wrote and who read it last, and when.  Time is counted in points at
 * which threads may have waited for each other: a barrier that let threads go, a fence, an atomic,
 * a volatile access or an mbarrier operation of any thread of the block.  Two accesses of different
 * warps between two such points, one of them a store, are a race.  So nothing is reported that is
 * ordered, and what fences alone keep apart, lanes of one warp, and global memory are not seen.
 */
#include <stdio.h>
#include <stdlib.h>

#include "gpu/emulator/interpreter/warp.h"

#define NOBODY 0u
#define SEVERAL UINT16_MAX /* warps have read it */

struct access {
	uint32_t time, pc;
	uint16_t warp; /* + 1 */
};

struct race_cell {
	struct access write, read;
};

bool races_wanted(const struct launch *launch)
{
	const char *wanted = getenv("VFLOW_EMULATOR_RACES");

	return launch->say && wanted && *wanted && *wanted != '0';
}

bool race_start(struct block *block)
{
	if (!races_wanted(block->launch))
		return true;
	block->races = calloc(block->shared_bytes + 1u, sizeof(*block->races));
	return block->races != NULL;
}

static bool meets(const struct access *other, const struct block *block, uint16_t warp)
{
	return other->warp != NOBODY && other->time == block->time && other->warp != warp;
}

static void report(struct warp *w, const struct access *other, bool wrote, bool writes,
		   uint64_t offset)
{
	char here[224], there[224], text[832];

	warp_place(w, w->pc ? w->pc - 1 : 0, here, sizeof(here));
	warp_place(w, other->pc, there, sizeof(there));
	snprintf(text, sizeof(text),
		 "kernel %.200s: race on shared memory at offset 0x%llx: %s at %s and %s at %s by "
		 "different warps, with no barrier between",
		 w->block->launch->kernel->name, (unsigned long long)offset,
		 writes ? "written" : "read", here, wrote ? "written" : "read", there);
	w->block->launch->say(text);
	/* one is enough: the next blocks would say the same */
	w->block->raced = true;
}

void race_access(struct warp *w, uint64_t offset, unsigned size, bool read, bool write)
{
	struct block *block = w->block;
	const uint16_t me = (uint16_t)(w - block->warps + 1);
	const struct access now = {block->time, w->pc ? w->pc - 1 : 0, me};

	const enum ptx_modifier order = w->module->code[now.pc].rounding;

	/* an atomic, or ld.volatile, st.release ... */
	if (block->raced || (read && write) ||
	    (order >= PTX_MOD_VOLATILE && order <= PTX_MOD_ACQ_REL)) {
		block->time++;
		return;
	}
	for (uint64_t n = offset; n < offset + size && !block->raced; n++) {
		struct race_cell *cell = &block->races[n];

		if (meets(&cell->write, block, me))
			report(w, &cell->write, true, write, n);
		else if (write && meets(&cell->read, block, me))
			report(w, &cell->read, false, true, n);
		if (write)
			cell->write = now;
		else if (meets(&cell->read, block, me))
			cell->read.warp = SEVERAL;
		else
			cell->read = now;
	}
}
