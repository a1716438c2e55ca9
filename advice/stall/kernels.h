/*
 * advice/stall/kernels.h: the kernels of a profile whose stalls were sampled, with their machine
 * code and whom the samples blame.
 */
#ifndef VFLOW_ADVICE_STALL_KERNELS_H
#define VFLOW_ADVICE_STALL_KERNELS_H

#include "gpu/sass/flow.h"
#include "gpu/sass/lines.h"
#include "gpu/stalls/blame.h"
#include "gpu/stalls/loops.h"
#include "gpu/stalls/stride.h"
#include "graph/profile/profile.h"

struct stall_sum {
	double samples, latency;
};

/* What a module's code is, for as long as its kernels. */
struct stall_module {
	struct sass_listing *listing; /* NULL: not known */
	struct sass_lines *lines;     /* NULL: it was compiled without */
	char *unknown;                /* why there is no listing */
};

/* A section of code: a kernel with the functions that it alone calls. */
struct stall_kernel {
	const struct profile *profile;
	const struct stall_module *module;
	char *name; /* mangled */
	/* Rows of the profile: of the kernel, NULL if it was not launched itself; NULL, too. */
	const struct profile_stall_function *launched;
	const struct profile_stall_device *device;
	uint32_t function; /* of `launched`; PROFILE_NO_ROW */
	struct stall_sum all, by_reason[STALL_REASONS];
	double issued;   /* samples that are no stalls */
	double off_code; /* samples where the listing has no instruction */
	/* NULL: the code is not known, as `unknown` says; then what follows is empty */
	struct flow *flow;
	char *unknown;
	struct stall_count *counts;
	size_t count_count, count_capacity;
	struct stall_blames blames;
	struct stall_loops loops;
	double needless_turns;  /* the share of the MIO queue's that bank conflicts cost */
	struct stride *strides; /* by instruction; of accesses to memory that are blamed only */
};

struct stall_kernels {
	struct stall_kernel *all; /* those with most samples first */
	size_t count, capacity;
	struct stall_module *modules; /* by index of profile->stall_codes */
	uint32_t module_count;
	double samples;
};

/*
 * Of a profile with its events (profile_read_events()): disassembles what was sampled, which takes
 * nvdisasm.  The profile outlives it.
 */
struct stall_kernels *stall_kernels_read(const struct profile *profile);
void stall_kernels_free(struct stall_kernels *kernels);

/* Fills in what follows from the flow and the counts. */
void stall_kernel_blame(struct stall_kernel *kernel);

/*
 * Warps that a multiprocessor has at a time of this kernel's launches, and the most that it could
 * have if blocks were plenty; 0: not known.
 */
double stall_active_warps(const struct stall_kernel *kernel);
double stall_possible_warps(const struct stall_kernel *kernel);
uint64_t stall_blocks(const struct stall_kernel *kernel);
uint32_t stall_threads(const struct stall_kernel *kernel); /* of a block; 0: not known */

/* "_Z1fv" or "$__internal_0_$__cuda_sm20_div_s64": the function that an instruction is in. */
const char *stall_function_of(const struct stall_kernel *kernel, uint32_t instruction);

/* As sass_lines_find(). */
size_t stall_lines_of(const struct stall_kernel *kernel, uint32_t instruction,
		      struct sass_line lines[SASS_LINES_DEPTH]);
/*
 * "gemm.cu:12", with the lines that it was inlined into: "vec.h:3 < gemm.cu:12"; NULL: it has no
 * line.  Caller frees.
 */
char *stall_places(const struct stall_kernel *kernel, uint32_t instruction);

/* "@P0 LDG.E R2, desc[UR4][R2.64]"; caller frees. */
char *stall_text(const struct stall_kernel *kernel, uint32_t instruction);

#endif
