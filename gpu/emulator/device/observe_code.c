/* gpu/emulator/device/observe_code.c: see observe_code.h. */
#include "gpu/emulator/device/observe_code.h"

#include "gpu/analysis/loaded_code.h"
#include "gpu/emulator/device/observe.h"

static const struct gpu_sink *sink;

void observe_code_start(const struct gpu_sink *to)
{
	sink = to;
}

static uint64_t bytes_of(const struct emulator_kernel *kernel)
{
	return ptx_kernel_instructions(kernel->ptx) * EMULATOR_INSTRUCTION_BYTES;
}

void observe_code_loaded(struct emulator_module *module)
{
	struct loaded_code code = {
		.record = {.bytes = module->image_bytes,
			   .code_bytes = ptx_instructions(module->ptx) * EMULATOR_INSTRUCTION_BYTES,
			   .loading = GPU_CODE_EAGER},
	};
	uint32_t count = ptx_kernel_count(module->ptx);

	if (!sink || !observe_active())
		return;
	code.record.frame = sink->path();
	for (uint32_t i = 0; i < count; i++) {
		const struct emulator_kernel *kernel = &module->kernels[i];

		loaded_code_add(&code, kernel->ptx->name, bytes_of(kernel));
	}
	module->code = loaded_code_say(sink, &code);
}

void observe_code_launched(struct emulator_kernel *kernel)
{
	if (!sink || !observe_active() || !kernel->module->code || kernel->launched)
		return;
	kernel->launched = true;
	loaded_code_launched(sink, kernel->module->code, kernel->ptx->name, bytes_of(kernel));
}
