/*
 * gpu/emulator/device/module.c: loading code: PTX is parsed, its variables get memory and content.
 */
#include "gpu/emulator/device/module.h"

#include <stdlib.h>
#include <string.h>

#include "gpu/emulator/device/fatbin.h"
#include "gpu/emulator/device/jit.h"
#include "gpu/emulator/device/observe.h"
#include "gpu/emulator/device/observe_code.h"
#include "gpu/emulator/interpreter/interpreter.h"
#include "gpu/ptx/lexer.h"

static struct emulator_module *modules;

bool module_alive(const struct emulator_module *module)
{
	const struct emulator_module *each = modules;

	while (each && each != module)
		each = each->next;
	return each != NULL;
}

bool module_kernel_alive(const struct emulator_kernel *kernel)
{
	for (const struct emulator_module *each = modules; each; each = each->next) {
		uint32_t count = ptx_kernel_count(each->ptx);

		if (kernel >= each->kernels && kernel < each->kernels + count)
			return true;
	}
	return false;
}

static void destroy(struct emulator_module *module)
{
	uint32_t count = module->ptx ? ptx_variable_count(module->ptx) : 0;

	for (uint32_t i = 0; module->variables && i < count; i++)
		if (module->variables[i]) {
			observe_variable_gone(module->variables[i]);
			memory_release(module->variables[i]);
		}
	free(module->variables);
	free(module->kernels);
	ptx_free(module->ptx);
	free(module);
}

static int place_variables(struct emulator_module *module)
{
	uint32_t count = ptx_variable_count(module->ptx);

	module->variables = calloc(count + 1, sizeof(struct allocation *));
	if (!module->variables)
		return OUT_OF_MEMORY;
	for (uint32_t i = 0; i < count; i++) {
		struct ptx_variable *variable = ptx_variable(module->ptx, i);
		struct allocation *allocation;

		if (variable->external) {
			device_say("the module uses %s, which no translation unit defines",
				   variable->name);
			return INVALID_PTX;
		}
		/* an array without elements still has an address */
		allocation =
			memory_allocate(variable->size ? variable->size : 1, variable->alignment);
		if (!allocation)
			return OUT_OF_MEMORY;
		allocation->kind = GPU_MEMORY_GLOBAL;
		allocation->context = module->context;
		module->variables[i] = allocation;
		variable->address = allocation->address;
	}
	return 0;
}

static const struct ptx_variable *find_variable(struct emulator_module *module, const char *name)
{
	uint32_t count = ptx_variable_count(module->ptx);

	for (uint32_t i = 0; i < count; i++) {
		const struct ptx_variable *variable = ptx_variable(module->ptx, i);

		if (!strcmp(variable->name, name))
			return variable;
	}
	return NULL;
}

/* Content comes after all addresses are known: it may hold addresses. */
static int fill_variables(struct emulator_module *module)
{
	uint32_t count = ptx_variable_count(module->ptx), constants = 0;

	for (uint32_t i = 0; i < count; i++) {
		const struct ptx_variable *variable = ptx_variable(module->ptx, i);
		uint8_t *memory = (uint8_t *)(uintptr_t)variable->address;

		if (variable->initial)
			memcpy(memory, variable->initial, variable->size);
		else
			memset(memory, 0, variable->size);
		for (uint32_t j = 0; j < variable->relocation_count; j++) {
			const struct ptx_relocation *relocation = &variable->relocations[j];
			const struct ptx_variable *target =
				find_variable(module, relocation->symbol);
			uint64_t address =
				target ? target->address
				       : ptx_function_address(module->ptx, relocation->symbol);

			if (!address) {
				device_say("the content of %s needs the address of %s, which the "
					   "module lacks",
					   variable->name, relocation->symbol);
				return INVALID_PTX;
			}
			address += (uint64_t)relocation->addend;
			memcpy(memory + relocation->offset, &address, relocation->width);
		}
		observe_variable(module->variables[i], variable->name);
		if (variable->constant)
			observe_exposed(module->variables[i]);
		constants += variable->constant;
	}
	observe_constants(constants);
	return 0;
}

static int list_kernels(struct emulator_module *module)
{
	uint32_t count = ptx_kernel_count(module->ptx);

	module->kernels = calloc(count + 1, sizeof(*module->kernels));
	if (!module->kernels)
		return OUT_OF_MEMORY;
	for (uint32_t i = 0; i < count; i++) {
		struct emulator_kernel *kernel = &module->kernels[i];

		kernel->module = module;
		kernel->ptx = ptx_kernel(module->ptx, i);
		if (kernel->ptx->shared_bytes < EMULATOR_SHARED_BYTES)
			kernel->max_dynamic_shared_bytes =
				EMULATOR_SHARED_BYTES - kernel->ptx->shared_bytes;
	}
	return 0;
}

/*
 * NVIDIA's runtime for launches from kernels, which ours replaces (interpreter/nested.c): the unit
 * that defines its version in global memory.
 */
static bool is_device_runtime(const struct fatbin_ptx *ptx)
{
	static const char name[] = "__CNPRT_VERSION_NUMBER__";
	bool global = false, external = false;
	struct ptx_lexer lexer;
	struct ptx_token token;
	struct error error;

	if (!memmem(ptx->text, ptx->size, name, sizeof(name) - 1))
		return false;
	ptx_lexer_start(&lexer, ptx->text, ptx->size);
	while (!ptx_lexer_next(&lexer, &token, &error) && token.kind != PTX_END) {
		if (token.kind == PTX_MARK && memchr(";{}=", *token.text, 4))
			global = external = false;
		global |= ptx_token_is(&token, ".global");
		external |= ptx_token_is(&token, ".extern");
		if (global && !external && ptx_token_is(&token, name))
			return true;
	}
	return false;
}

/* What goes wrong is in *error as well. */
static int parse(struct emulator_module *module, const struct fatbin_ptx *list, size_t count,
		 struct error *error)
{
	struct ptx_text *texts = calloc(count + 1, sizeof(*texts));
	size_t used = 0;
	int code;

	if (!texts)
		return OUT_OF_MEMORY;
	for (size_t n = 0; n < count; n++)
		if (!is_device_runtime(&list[n])) {
			texts[used++] = (struct ptx_text){list[n].text, list[n].size};
			module->image_bytes += list[n].size;
		}
	module->ptx = ptx_link(interpreter_machine(), texts, used, error);
	free(texts);
	if (!module->ptx) {
		error_prefix(error, "PTX");
		device_say("%s", error->text);
		return INVALID_PTX;
	}
	code = list_kernels(module);
	if (!code)
		code = place_variables(module);
	return code ? code : fill_variables(module);
}

bool module_is_ptx(const char *text, size_t size, struct error *error)
{
	struct ptx_module *module = ptx_parse(interpreter_machine(), text, size, error);

	if (!module) {
		error_prefix(error, "PTX");
		return false;
	}
	ptx_free(module);
	return true;
}

static int load(struct emulator_module *module, const void *image, size_t size, struct error *error)
{
	static const int results[] = {
		[-FATBIN_DAMAGED] = INVALID_IMAGE,
		[-FATBIN_NO_PTX] = NO_BINARY,
		[-FATBIN_NO_MEMORY] = OUT_OF_MEMORY,
		[-FATBIN_NO_LIBRARY] = INVALID_IMAGE,
	};
	unsigned architecture = 10 * EMULATOR_MAJOR + EMULATOR_MINOR;
	struct fatbin_ptx *list;
	size_t count;
	enum fatbin_result result =
		fatbin_find_all(image, size, architecture, &list, &count, error);
	int code;

	if (result == FATBIN_NO_PTX)
		observe_coverage(COVERAGE_MODULE_WITHOUT_PTX, NULL, 1, 0);
	if (result) {
		device_say("%s", error->text);
		return results[-result];
	}
	code = parse(module, list, count, error);
	fatbin_free(list, count);
	return code;
}

int vflow_emulator_module_load(const void *image, size_t size, const struct emulator_jit *jit,
			       struct emulator_module **module)
{
	const struct jit_log log = jit_log_of(jit);
	struct error failure = {""};
	struct emulator_module *made;
	int error = image ? device_enter(true) : INVALID_VALUE;

	if (error)
		return error;
	made = calloc(1, sizeof(*made));
	if (made)
		made->context = context_current();
	error = made ? load(made, image, size, &failure) : OUT_OF_MEMORY;
	jit_log_write(&log, error ? failure.text : "");
	if (error) {
		if (made)
			destroy(made);
	} else {
		made->next = modules;
		modules = made;
		*module = made;
		observe_code_loaded(made);
	}
	device_leave();
	return error;
}

int vflow_emulator_module_unload(struct emulator_module *module)
{
	struct emulator_module **link = &modules;
	int error = device_enter(true);

	if (error)
		return error;
	while (*link && *link != module)
		link = &(*link)->next;
	if (*link) {
		*link = module->next;
		destroy(module);
	} else {
		error = INVALID_HANDLE;
	}
	device_leave();
	return error;
}

void modules_release(const struct emulator_context *context)
{
	struct emulator_module **link = &modules;

	while (*link) {
		struct emulator_module *module = *link;

		if (context && module->context != context) {
			link = &module->next;
			continue;
		}
		*link = module->next;
		destroy(module);
	}
}

int vflow_emulator_module_kernel(struct emulator_module *module, const char *name,
				 struct emulator_kernel **kernel)
{
	int error = name ? device_enter(true) : INVALID_VALUE;

	if (error)
		return error;
	error = module_alive(module) ? NOT_FOUND : INVALID_HANDLE;
	if (error == NOT_FOUND) {
		const struct ptx_kernel *found = ptx_find_kernel(module->ptx, name);
		uint32_t count = ptx_kernel_count(module->ptx);

		for (uint32_t i = 0; found && i < count; i++)
			if (module->kernels[i].ptx == found) {
				*kernel = &module->kernels[i];
				error = 0;
			}
	}
	device_leave();
	return error;
}

int vflow_emulator_module_kernels(struct emulator_module *module, struct emulator_kernel **kernels,
				  unsigned room, unsigned *count)
{
	int error = device_enter(true);

	if (error)
		return error;
	error = module_alive(module) ? 0 : INVALID_HANDLE;
	if (!error) {
		*count = ptx_kernel_count(module->ptx);
		for (unsigned i = 0; i < *count && i < room; i++)
			kernels[i] = &module->kernels[i];
	}
	device_leave();
	return error;
}

int vflow_emulator_module_variable(struct emulator_module *module, const char *name,
				   uint64_t *address, uint64_t *size)
{
	int error = name ? device_enter(true) : INVALID_VALUE;

	if (error)
		return error;
	error = module_alive(module) ? NOT_FOUND : INVALID_HANDLE;
	if (error == NOT_FOUND) {
		const struct ptx_variable *variable = find_variable(module, name);

		if (variable) {
			*address = variable->address;
			*size = variable->size;
			error = 0;
		}
	}
	device_leave();
	return error;
}

void vflow_emulator_variable_shared(uint64_t address)
{
	struct allocation *allocation;

	if (device_enter(true))
		return;
	allocation = memory_find(address);
	if (allocation && allocation->kind == GPU_MEMORY_GLOBAL)
		observe_variable_shared(allocation);
	device_leave();
}
