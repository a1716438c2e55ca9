/*
 * gpu/sass/flow.h: where control goes in a function's machine code, and which instruction wrote
 * what another reads.
 *
 * A function that others of its section call is a part of it: a call goes there, and its returns go
 * behind all of its calls.  A call of what is not in the section goes on behind itself.
 */
#ifndef VFLOW_GPU_SASS_FLOW_H
#define VFLOW_GPU_SASS_FLOW_H

#include "gpu/sass/listing.h"

struct flow_block {
	uint32_t first, end; /* instructions; the one behind the last */
	const uint32_t *successors, *predecessors;
	uint32_t successor_count, predecessor_count;
};

/*
 * What a register holds: what one instruction wrote, or, where paths join, one of several values.
 * What was there before all instructions is a join of none.
 */
struct flow_value {
	uint32_t instruction; /* SASS_NONE: a join */
	uint16_t reg;         /* as in sass_instruction.written */
	uint32_t input_count; /* of joins; and 1 of writes that have a guard: the value before */
	uint32_t first_input;
};

struct flow {
	const struct sass_function *function; /* the caller's */
	struct flow_block *blocks;            /* in the order of the code */
	uint32_t block_count;
	uint32_t *block_of; /* by instruction */
	bool open;          /* some jumps may go elsewhere: the listing does not say where to */
	struct flow_value *values;
	uint32_t value_count;
	uint32_t *inputs; /* of values */
	/* by instruction: where its values start, in the order of its `written` and `read` */
	uint32_t *first_written, *first_read;
	uint32_t *reads; /* values */
	struct flow_lists *lists;
};

/* NULL: it is too large.  The caller frees it with flow_free(), before the listing. */
struct flow *flow_build(const struct sass_function *function, struct error *error);
void flow_free(struct flow *flow);

/* The value that an instruction reads or has written, or SASS_NONE: it does not. */
uint32_t flow_read(const struct flow *flow, uint32_t instruction, unsigned reg);
uint32_t flow_written(const struct flow *flow, uint32_t instruction, unsigned reg);

/*
 * The instructions that may have written a value, in the order of the code; how many, of which at
 * most `limit` are put there.
 */
size_t flow_writers(const struct flow *flow, uint32_t value, uint32_t *writers, size_t limit);

/* The barriers that an instruction waits for: its control bits, and of DEPBAR its operands. */
uint8_t flow_waits(const struct sass_instruction *instruction);
/*
 * The instructions that may have set a barrier on which this one waits: backwards on all paths, up
 * to where it was waited for before.  In the order of the code, as above.
 */
size_t flow_setters(const struct flow *flow, uint32_t instruction, unsigned barrier,
		    uint32_t *setters, size_t limit);

#endif
