/* gpu/ptx/module.c: what a parsed module has, for the driver API. */
#include <string.h>

#include "gpu/ptx/parser.h"

uint32_t ptx_variable_count(const struct ptx_module *module)
{
	return module->variable_count;
}

struct ptx_variable *ptx_variable(struct ptx_module *module, uint32_t index)
{
	return module->variables[index];
}

uint32_t ptx_kernel_count(const struct ptx_module *module)
{
	return module->kernel_count;
}

const struct ptx_kernel *ptx_kernel(const struct ptx_module *module, uint32_t index)
{
	return module->kernels[index];
}

const struct ptx_kernel *ptx_find_kernel(const struct ptx_module *module, const char *name)
{
	for (uint32_t n = 0; n < module->kernel_count; n++)
		if (!strcmp(module->kernels[n]->name, name))
			return module->kernels[n];
	return NULL;
}

int ptx_kernel_number(struct ptx_parser *parser, const struct ptx_token *name, uint32_t *number)
{
	struct ptx_module *module = parser->module;

	for (*number = 0; *number < module->launched_count; ++*number)
		if (ptx_token_is(name, module->launched[*number]))
			return 0;
	if (ptx_grow((void **)&module->launched, &module->launched_capacity, module->launched_count,
		     sizeof(*module->launched), parser->error))
		return -1;
	module->launched[*number] = ptx_pool_text(module, name->text, name->length);
	if (!module->launched[*number])
		return ptx_out_of_memory(parser);
	module->launched_count++;
	return 0;
}

const struct ptx_kernel *ptx_kernel_at(const struct ptx_module *module, uint64_t address)
{
	uint64_t number = (address - PTX_WINDOW_KERNEL) / PTX_FUNCTION_STRIDE;

	if (address < PTX_WINDOW_KERNEL || address % PTX_FUNCTION_STRIDE ||
	    number >= module->launched_count)
		return NULL;
	return ptx_find_kernel(module, module->launched[number]);
}

bool ptx_observes_order(const struct ptx_module *module, const struct ptx_kernel *kernel)
{
	return kernel->function->observes_order ||
	       (kernel->function->calls && module->functions_observe_order);
}

uint64_t ptx_function_address(const struct ptx_module *module, const char *name)
{
	for (uint32_t n = 0; n < module->function_count; n++)
		if (!strcmp(module->functions[n]->name, name))
			return PTX_WINDOW_FUNCTION + (uint64_t)(n + 1) * PTX_FUNCTION_STRIDE;
	return 0;
}

/* Each body ends with a return of ours. */
static uint32_t count_instructions(const struct ptx_function *function)
{
	return function->defined ? function->end - function->entry - 1 : 0;
}

uint32_t ptx_kernel_instructions(const struct ptx_kernel *kernel)
{
	return count_instructions(kernel->function);
}

uint32_t ptx_instructions(const struct ptx_module *module)
{
	uint32_t count = 0;

	for (uint32_t n = 0; n < module->kernel_count; n++)
		count += count_instructions(module->kernels[n]->function);
	for (uint32_t n = 0; n < module->function_count; n++)
		count += count_instructions(module->functions[n]);
	return count;
}

uint32_t ptx_target(const struct ptx_module *module)
{
	return module->target;
}
