/*
 * gpu/ptx/meetings.h: where threads that part at a branch meet again, whatever way they take: the
 * branch's immediate post-dominator.
 */
#ifndef VFLOW_GPU_PTX_MEETINGS_H
#define VFLOW_GPU_PTX_MEETINGS_H

#include <stdbool.h>
#include <stdint.h>

/* Code without branches in it; the number of the code's end is that of blocks. */
struct ptx_block {
	uint32_t next[2]; /* the blocks that may come after it; the same one twice: one */
};

/*
 * meets[b] is where all ways from block b meet; UINT32_MAX: no way leads from it to the end. False:
 * no memory, or so many steps have been made that *steps, which is counted down, is 0.
 */
bool ptx_meetings(const struct ptx_block *blocks, uint32_t count, uint32_t *meets, uint64_t *steps);

#endif
