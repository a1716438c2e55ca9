/* gpu/ptx/module.c: what a parsed module has, for the driver API. */
#include <string.h>

#include "gpu/ptx/instruction.h"

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

uint32_t ptx_target(const struct ptx_module *module)
{
	return module->target;
}
