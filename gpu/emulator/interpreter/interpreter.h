/*
 * gpu/emulator/interpreter/interpreter.h: runs one kernel launch, warp by warp, deterministically.
 *
 * 32 lanes in lockstep with divergence and reconvergence; blocks one after the other, those of a
 * cluster or of a cooperative launch in turns.  Kernels whose code cannot see the order of blocks
 * (ptx_observes_order()) run on VFLOW_EMULATOR_THREADS host threads, or as many as there are
 * processors, once they have taken a while; the result is the same.
 * Every global access is checked against the device's allocations and, when `observed`, marked in
 * their shadows (shadow_touch semantics; shared, local, param and const accesses are not).
 */
#ifndef VFLOW_GPU_EMULATOR_INTERPRETER_INTERPRETER_H
#define VFLOW_GPU_EMULATOR_INTERPRETER_INTERPRETER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gpu/ptx/ptx.h"

struct launch {
	struct ptx_module *module;
	const struct ptx_kernel *kernel;
	uint32_t grid[3], block[3];
	uint64_t dynamic_shared_bytes;
	const uint8_t *parameters; /* kernel->parameter_bytes bytes, laid out by the kernel */
	bool observed;
	bool counted; /* ... and how often elements of objects are accessed, too */
	/*
	 * All blocks are resident and get their turns: they may wait for each other.
	 * `workspace`: zeroed device memory that the grid's barrier lives in.
	 */
	bool cooperative;
	uint64_t workspace;
	/* blocks of a cluster, which run together; 0 or 1: each block is its own */
	uint32_t cluster[3];
	/* takes what the kernel launches; NULL: it cannot */
	struct nested *nested;
	/* a race that VFLOW_EMULATOR_RACES looks for, one line; NULL: nobody wants to know */
	void (*say)(const char *text);
	/* what device code prints; NULL: nowhere */
	void (*print)(const char *text, size_t size);
	uint64_t *instructions; /* of warps, added up; may be NULL */
	uint32_t *host_threads; /* that ran its blocks, set; may be NULL */
	/* set where an allocation is stored to or looked at unseen (memory.h); may be NULL */
	bool *stored;
	struct values *values; /* looks at the values that are loaded and stored; may be NULL */
	/* as gpu_sink's coverage(); NULL: nobody wants to know */
	void (*note)(uint32_t id, const char *detail, uint64_t count, uint64_t bytes);
};

enum fault_kind {
	FAULT_NONE,
	FAULT_ILLEGAL_ADDRESS, /* out of bounds, null, or not device memory */
	FAULT_MISALIGNED,
	FAULT_ILLEGAL_INSTRUCTION, /* unknown or unsupported opcode: found when reached, not before
				    */
	FAULT_TRAP,
	FAULT_ASSERTION, /* a failed device assertion */
	FAULT_TIMEOUT,   /* VFLOW_EMULATOR_TIMEOUT, or a barrier nobody can pass */
	FAULT_NO_MEMORY, /* the host could not give memory for the launch */
};

struct fault {
	enum fault_kind kind;
	uint64_t address;
	uint32_t block[3], thread[3];
	char text[512]; /* "kernel zero(float*), fig3.cu:12: 4-byte store at 0x... : 4 bytes past
			   the end of a 4096-byte allocation" */
};

/* What modules that are to run here are decoded for, on this CPU. */
const struct ptx_machine *interpreter_machine(void);
bool interpreter_is_wide(void); /* its executors are those for AVX2 */
/* For tests: without what only some CPUs have. */
extern bool interpreter_plain;

/* Returns 0, or -1 with *fault filled in; memory then holds what was written until the fault. */
int interpreter_run(const struct launch *launch, struct fault *fault);

#endif
