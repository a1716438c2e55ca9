/* gpu/emulator/device/observe_code.c: see observe_code.h. */
#include "gpu/emulator/device/observe_code.h"

#include "gpu/analysis/loaded_code.h"
#include "gpu/emulator/device/observe.h"

/* What was said last of calls of a context; where two share a place it is said again. */
#define PLACES 4096u

static const struct gpu_sink *sink;
static struct {
	uint32_t context;
	bool steady;
} said[PLACES];

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

void observe_code_stores(const struct gpu_call *call, const struct emulator_kernel *kernel)
{
	const struct gpu_stores stores = {.steady = kernel->ptx->steady_stores};
	const uint32_t place = call->context % PLACES;

	if (!sink || !observe_active() ||
	    (said[place].context == call->context && said[place].steady == stores.steady))
		return;
	said[place].context = call->context;
	said[place].steady = stores.steady;
	sink->record(call, &(struct gpu_record){.kind = GPU_RECORD_STORES,
						.payload = &stores,
						.size = sizeof(stores)});
}
