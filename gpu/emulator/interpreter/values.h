/*
 * gpu/emulator/interpreter/values.h: the values that a launch loads and stores, for the pass
 * `values`: by place in the code, object, kind of access and type.
 */
#ifndef VFLOW_GPU_EMULATOR_INTERPRETER_VALUES_H
#define VFLOW_GPU_EMULATOR_INTERPRETER_VALUES_H

#include "gpu/analysis/value_counts.h"
#include "gpu/analysis/value_stats.h"
#include "gpu/emulator/state/memory.h"
#include "gpu/ptx/instruction.h"

struct values;

/* Of every nth block of a launch.  NULL: no memory. */
struct values *values_create(uint64_t nth);
void values_free(struct values *values);

/* Forgets what was there: a launch begins. */
void values_start(struct values *values);

/* Such values of one place, or of all: `place` NULL. */
struct values_row {
	const struct ptx_place *place;
	const struct ptx_function *function; /* that the place is in */
	uint32_t object;                     /* of the sink; 0: shared memory */
	enum gpu_value_kind kind;
	enum gpu_value_type type;
	const struct value_stats *stats;
	const struct value_counts *counts;
};
struct values_seen {
	uint64_t blocks_left; /* that were not looked at */
	uint64_t left;        /* values for which there was no room */
	uint64_t unseen;      /* instructions of warps whose values are not looked at */
};
/*
 * Of the launch that is over: rows of one object, kind and type one after the other, the one of all
 * places first.
 */
void values_each(struct values *values, void (*each)(void *data, const struct values_row *row),
		 void *data);
/* Of that launch. */
struct values_seen values_seen(const struct values *values);

/* For the interpreter. */
struct block;
struct warp;

/* Blocks begin, as many as these, from this number of the launch on. */
void values_blocks(struct values *values, struct block *blocks, uint32_t count, uint64_t first);
/* The instruction has loaded what is at the lanes' pointers now, or stored its registers there. */
void values_saw_load(struct warp *warp, const struct ptx_instruction *i, uint8_t *const *pointers);
void values_saw_store(struct warp *warp, const struct ptx_instruction *i, uint8_t *const *pointers);
/* The instruction combines its operand with what is there. */
void values_saw_atomic(struct warp *warp, const struct ptx_instruction *i,
		       uint8_t *const *pointers);
/* The instruction loads or stores values that are not looked at. */
void values_saw_other(struct warp *warp);

#endif
