/*
 * gpu/ptx/shared.c: shared variables that no kernel declares.
 *
 * nvcc -rdc=true puts all of them there.  As a linker does, each kernel gets room for those that
 * its code names and, if it calls functions, for those that any function names.
 */
#include <stdlib.h>
#include <string.h>

#include "gpu/ptx/parser.h"

int ptx_shared_declare(struct ptx_parser *parser, uint64_t size, uint64_t alignment,
		       uint32_t *index)
{
	struct ptx_module *module = parser->module;

	if (size > PTX_SHARED_LIMIT || module->shared_count == PTX_SHARED_VARIABLES)
		return error_set(parser->error, "line %u: more than %u bytes of shared memory",
				 parser->token.line, PTX_SHARED_LIMIT);
	if (ptx_grow((void **)&module->shared, &module->shared_capacity, module->shared_count,
		     sizeof(*module->shared), parser->error))
		return -1;
	module->shared[module->shared_count] =
		(struct ptx_shared){.size = (uint32_t)size, .alignment = (uint32_t)alignment};
	*index = module->shared_count++;
	return 0;
}

static int add_use(struct ptx_parser *parser, struct ptx_kernel *kernel, uint32_t index)
{
	uint32_t room = kernel->shared_room;

	if (kernel->shared_count == room) { /* the pool keeps the smaller ones too */
		struct ptx_shared_use *uses;

		room = room ? 2 * room : 8;
		uses = ptx_pool(parser->module, room * sizeof(*uses));
		if (!uses)
			return ptx_out_of_memory(parser);
		if (kernel->shared_count)
			memcpy(uses, kernel->shared, kernel->shared_count * sizeof(*uses));
		kernel->shared = uses;
		kernel->shared_room = room;
	}
	kernel->shared[kernel->shared_count++] = (struct ptx_shared_use){index, 0};
	return 0;
}

int ptx_shared_use(struct ptx_parser *parser, uint32_t index)
{
	struct ptx_shared *variable = &parser->module->shared[index];

	if (!parser->kernel)
		variable->in_function = true;
	if (!parser->kernel || variable->used_in == parser->kernel)
		return 0;
	variable->used_in = parser->kernel;
	return add_use(parser, parser->kernel, index);
}

static int compare_uses(const void *left, const void *right)
{
	const struct ptx_shared_use *a = left, *b = right;

	return (a->index > b->index) - (a->index < b->index);
}

/* Behind the kernel's own variables. */
static int place(struct ptx_parser *parser, struct ptx_kernel *kernel)
{
	const struct ptx_module *module = parser->module;

	for (uint32_t n = 0; n < kernel->shared_count; n++)
		module->shared[kernel->shared[n].index].used_in = kernel;
	for (uint32_t n = 0; kernel->function->calls && n < module->shared_count; n++)
		if (module->shared[n].in_function && module->shared[n].used_in != kernel &&
		    add_use(parser, kernel, n))
			return -1;
	for (uint32_t n = 0; n < kernel->shared_count; n++) {
		const struct ptx_shared *variable = &module->shared[kernel->shared[n].index];
		uint64_t at = (kernel->shared_bytes + variable->alignment - 1) /
			      variable->alignment * variable->alignment;

		if (at + variable->size > PTX_SHARED_LIMIT)
			return error_set(parser->error,
					 "kernel %.200s: more than %u bytes of shared memory",
					 kernel->name, PTX_SHARED_LIMIT);
		kernel->shared[n].offset = (uint32_t)at;
		kernel->shared_bytes = at + variable->size;
	}
	if (kernel->shared_count)
		qsort(kernel->shared, kernel->shared_count, sizeof(*kernel->shared), compare_uses);
	return 0;
}

int ptx_shared_place(struct ptx_parser *parser)
{
	for (uint32_t n = 0; n < parser->module->kernel_count; n++)
		if (place(parser, parser->module->kernels[n]))
			return -1;
	return 0;
}

uint32_t ptx_shared_offset(const struct ptx_kernel *kernel, uint32_t index)
{
	const struct ptx_shared_use key = {.index = index}, *use = NULL;

	if (kernel->shared_count)
		use = bsearch(&key, kernel->shared, kernel->shared_count, sizeof(key),
			      compare_uses);
	return use ? use->offset : 0; /* 0: not reached by this kernel */
}
