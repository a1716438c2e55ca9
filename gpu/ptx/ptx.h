/*
 * gpu/ptx/ptx.h: a PTX module, parsed and decoded.
 *
 * Text in, typed instructions out: nothing is looked up by name at run time.  PTX is hostile:
 * every limit ends in an error that names line, token and what to do.
 */
#ifndef VFLOW_GPU_PTX_PTX_H
#define VFLOW_GPU_PTX_PTX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/error.h"

struct ptx_module;
struct ptx_machine; /* what it is decoded for: see instruction.h */

/* `text` need not be NUL-terminated and is not kept.  NULL on error ("line 12: ..."). */
struct ptx_module *ptx_parse(const struct ptx_machine *machine, const char *text, size_t size,
			     struct error *error);

/*
 * Parses several texts as one module, as nvcc -rdc=true links them: names that are .visible,
 * .weak, .common or .extern mean the same in all of them, others only in their own text.  Of
 * several .weak definitions the first counts.
 */
struct ptx_text {
	const char *text;
	size_t size;
};
struct ptx_module *ptx_link(const struct ptx_machine *machine, const struct ptx_text *texts,
			    size_t count, struct error *error);
void ptx_free(struct ptx_module *module);

struct ptx_relocation {
	uint64_t offset;
	uint32_t width; /* bytes: 4 or 8 */
	const char *symbol;
	int64_t addend;
};

/* A module-scope .global or .const variable.  Owned by the module. */
struct ptx_variable {
	const char *name;
	uint64_t size, alignment;
	bool constant;          /* .const */
	bool external;          /* .extern: no storage here */
	const uint8_t *initial; /* `size` bytes, NULL: all zero */
	/* Words inside `initial` that hold addresses of variables or functions. */
	struct ptx_relocation *relocations;
	uint32_t relocation_count;
	/* where the emulator put it; written by the loader before the first launch */
	uint64_t address;
};

uint32_t ptx_variable_count(const struct ptx_module *module);
struct ptx_variable *ptx_variable(struct ptx_module *module, uint32_t index);

struct ptx_parameter {
	uint32_t offset, size, alignment;
};

struct ptx_shared_use {
	uint32_t index, offset;
};

/* A kernel (.entry) as its callers see it.  Owned by the module. */
struct ptx_kernel {
	const char *name; /* mangled */
	struct ptx_parameter *parameters;
	uint32_t parameter_count;
	uint32_t parameter_bytes;            /* of the whole parameter block */
	uint64_t shared_bytes;               /* static shared memory */
	uint64_t local_bytes;                /* per thread, .local depots of the kernel itself */
	uint32_t register_count;             /* virtual registers */
	uint32_t max_threads;                /* .maxntid product, 0: none */
	uint32_t cluster[3];                 /* .reqnctapercluster; 0: none */
	bool steady_stores;                  /* see gpu/ptx/steady_stores.h */
	const struct ptx_function *function; /* private to gpu/ptx and the interpreter */
	/* ... as are these: shared variables of the module that it reaches, in order; its own place
	 */
	struct ptx_shared_use *shared;
	uint32_t shared_count, shared_room;
};

/*
 * Whether the order in which blocks run can be seen in what the kernel computes or prints, as long
 * as no block stores where another one loads or stores: there are atomics, volatile or ordered
 * accesses and fences beyond the block, clocks, printf, malloc, free or calls of unknown functions
 * in its code or in that of any function of the module that it may call.
 */
bool ptx_observes_order(const struct ptx_module *module, const struct ptx_kernel *kernel);

/*
 * The address that a relocation to a function stands for: a number that only indirect calls
 * understand.  0: the module has no such function.
 */
uint64_t ptx_function_address(const struct ptx_module *module, const char *name);

/* How many instructions the kernel has, as decoded, or all functions of the module. */
uint32_t ptx_kernel_instructions(const struct ptx_kernel *kernel);
uint32_t ptx_instructions(const struct ptx_module *module);

/* The architecture that the module was made for: 75; 0: it does not say. */
uint32_t ptx_target(const struct ptx_module *module);

uint32_t ptx_kernel_count(const struct ptx_module *module);
const struct ptx_kernel *ptx_kernel(const struct ptx_module *module, uint32_t index);
const struct ptx_kernel *ptx_find_kernel(const struct ptx_module *module, const char *name);

#endif
