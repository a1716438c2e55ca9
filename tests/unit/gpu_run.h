/*
 * tests/unit/gpu_run.h: runs a kernel k of a PTX text; for tests of the interpreter.
 */
#ifndef VFLOW_TESTS_UNIT_GPU_RUN_H
#define VFLOW_TESTS_UNIT_GPU_RUN_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "gpu/emulator/interpreter/interpreter.h"
#include "gpu/emulator/state/memory.h"

#define GPU_HEADER ".version 8.3\n.target sm_90a\n.address_size 64\n"
/* %r1 is the thread's number, %d1 the address of `out`, %d3 that of the thread's word there. */
#define GPU_KERNEL                                                                                 \
	".visible .entry k(.param .u64 out) {\n.reg .b32 %r<32>; .reg .b64 %d<16>; "               \
	".reg .b128 %q<8>; .reg .pred %p<8>; .reg .b16 %h<8>;\n"                                   \
	"ld.param.u64 %d1, [out]; mov.u32 %r1, %tid.x; mul.wide.u32 %d2, %r1, 4; "                 \
	"add.s64 %d3, %d1, %d2;\n"

/* The module of a text that must be good. */
static inline struct ptx_module *gpu_parse(const char *text)
{
	struct error error;
	struct ptx_module *module = ptx_parse(interpreter_machine(), text, strlen(text), &error);

	if (!module)
		fail_msg("%s in:\n%s", error.text, text);
	return module;
}

/* Runs its kernel k. */
static inline int gpu_launch(struct ptx_module *module, const void *parameters, unsigned blocks,
			     unsigned threads, unsigned shared, bool observed, struct fault *fault)
{
	struct launch launch = {.module = module,
				.kernel = ptx_find_kernel(module, "k"),
				.grid = {blocks, 1, 1},
				.block = {threads, 1, 1},
				.dynamic_shared_bytes = shared,
				.parameters = parameters,
				.observed = observed};

	assert_non_null(launch.kernel);
	return interpreter_run(&launch, fault);
}

/*
 * Runs kernel k(out) of `text`, shaped as `launch` says; results are in `out`, `count` words that
 * start as 0.
 */
static inline int gpu_run_words(const char *text, struct launch launch, uint32_t *out,
				unsigned count, struct fault *fault)
{
	struct ptx_module *module = gpu_parse(text);
	struct allocation *memory = memory_allocate(count * 4, 512);
	int result;

	assert_non_null(memory);
	memset((void *)(uintptr_t)memory->address, 0, count * 4);
	launch.module = module;
	launch.kernel = ptx_find_kernel(module, "k");
	launch.parameters = (const uint8_t *)&memory->address;
	assert_non_null(launch.kernel);
	result = interpreter_run(&launch, fault);
	memcpy(out, (void *)(uintptr_t)memory->address, count * 4);
	memory_release(memory);
	ptx_free(module);
	return result;
}

/* The same.  The fault's text, "" for none. */
static inline const char *gpu_run(const char *text, uint32_t blocks, uint32_t threads,
				  uint32_t cluster, uint32_t *out, unsigned count)
{
	static struct fault fault;

	fault.text[0] = 0;
	gpu_run_words(text,
		      (struct launch){.grid = {blocks, 1, 1},
				      .block = {threads, 1, 1},
				      .cluster = {cluster, 1, 1}},
		      out, count, &fault);
	return fault.text;
}

#endif
