/*
 * gpu/emulator/device/launch.c: launching kernels: the checks that a GPU's driver makes, the
 * parameter block, and what a kernel's fault becomes.
 */
#include <stdlib.h>
#include <string.h>

#include "gpu/emulator/device/graph.h"
#include "gpu/emulator/interpreter/interpreter.h"
#include "gpu/emulator/device/module.h"
#include "gpu/emulator/state/nested.h"
#include "gpu/emulator/device/observe.h"
#include "gpu/emulator/device/observe_access.h"
#include "gpu/emulator/device/observe_calls.h"
#include "gpu/emulator/device/observe_code.h"
#include "gpu/emulator/device/observe_values.h"

#define MULTIPROCESSOR_THREADS 2048
#define MULTIPROCESSOR_BLOCKS 32
#define MULTIPROCESSOR_SHARED 233472
#define REGISTERS_SHOWN 32 /* PTX registers are virtual; a figure that limits no launch */

static int fault_error(enum fault_kind kind)
{
	switch (kind) {
	case FAULT_NONE:
		return 0;
	case FAULT_ILLEGAL_ADDRESS:
		return ILLEGAL_ADDRESS;
	case FAULT_MISALIGNED:
		return MISALIGNED_ADDRESS;
	case FAULT_ILLEGAL_INSTRUCTION:
		return ILLEGAL_INSTRUCTION;
	case FAULT_TRAP:
		return LAUNCH_FAILED;
	case FAULT_ASSERTION:
		return ASSERTION;
	case FAULT_TIMEOUT:
		return LAUNCH_TIMEOUT;
	case FAULT_NO_MEMORY:
		return OUT_OF_MEMORY;
	}
	return ILLEGAL_INSTRUCTION;
}

/* A grid is made of whole clusters; those that the kernel says are the launch's. */
static bool check_cluster(const struct emulator_launch *what)
{
	const uint32_t *own = what->kernel->ptx->cluster;
	uint64_t size = 1;

	for (unsigned n = 0; n < 3; n++) {
		uint32_t side = *what->cluster ? what->cluster[n] : own[n];

		if (*what->cluster && *own && what->cluster[n] != own[n])
			return false;
		if (!side)
			side = 1;
		if (side > EMULATOR_CLUSTER || what->grid[n] % side)
			return false;
		size *= side;
	}
	return size <= EMULATOR_CLUSTER;
}

static int check_shape(const struct emulator_launch *what)
{
	static const uint32_t grid_max[] = {INT32_MAX, 65535, 65535};
	static const uint32_t block_max[] = {1024, 1024, 64};
	const struct emulator_kernel *kernel = what->kernel;
	uint64_t threads = 1;

	for (int i = 0; i < 3; i++) {
		if (!what->grid[i] || what->grid[i] > grid_max[i] || !what->block[i] ||
		    what->block[i] > block_max[i])
			return INVALID_CONFIGURATION;
		threads *= what->block[i];
	}
	if (threads > EMULATOR_BLOCK_THREADS)
		return INVALID_CONFIGURATION;
	if (!check_cluster(what))
		return INVALID_CONFIGURATION;
	if (kernel->ptx->max_threads && threads > kernel->ptx->max_threads)
		return INVALID_CONFIGURATION;
	return what->shared_bytes > kernel->max_dynamic_shared_bytes ? INVALID_VALUE : 0;
}

/* Blocks of that shape that fit one multiprocessor. */
static int fitting(const struct emulator_kernel_facts *facts, int threads, uint64_t shared_bytes)
{
	uint64_t shared = facts->shared_bytes + shared_bytes + 1024; /* the driver's part */
	int blocks;

	if (threads > facts->max_threads || shared_bytes > EMULATOR_SHARED_OPTIN_BYTES)
		return 0;
	/* whole warps */
	blocks = MULTIPROCESSOR_THREADS / ((threads + 31) / 32 * 32);
	if ((uint64_t)blocks > MULTIPROCESSOR_SHARED / shared)
		blocks = (int)(MULTIPROCESSOR_SHARED / shared);
	return blocks > MULTIPROCESSOR_BLOCKS ? MULTIPROCESSOR_BLOCKS : blocks;
}

static struct emulator_kernel_facts facts_of(const struct emulator_kernel *kernel)
{
	return (struct emulator_kernel_facts){
		.name = kernel->ptx->name,
		.shared_bytes = kernel->ptx->shared_bytes,
		.local_bytes = kernel->ptx->local_bytes,
		.max_dynamic_shared_bytes = kernel->max_dynamic_shared_bytes,
		.max_threads = kernel->ptx->max_threads ? (int)kernel->ptx->max_threads
							: EMULATOR_BLOCK_THREADS,
		.registers = REGISTERS_SHOWN,
		.ptx_version = (int)ptx_target(kernel->module->ptx),
		.parameter_count = kernel->ptx->parameter_count,
	};
}

/* All blocks of a cooperative grid must fit the device at once. */
static int check_cooperative(const struct emulator_launch *what)
{
	const struct emulator_kernel_facts facts = facts_of(what->kernel);
	int threads = (int)(what->block[0] * what->block[1] * what->block[2]);
	uint64_t blocks = (uint64_t)what->grid[0] * what->grid[1] * what->grid[2];
	uint64_t room =
		(uint64_t)fitting(&facts, threads, what->shared_bytes) * EMULATOR_MULTIPROCESSORS;

	return what->cooperative && blocks > room ? COOPERATIVE_TOO_LARGE : 0;
}

/* The parameter block of a launch; `buffer` is used for small ones.  NULL: *error says why. */
static uint8_t *gather(const struct emulator_launch *what, uint8_t *buffer, size_t size, int *error)
{
	const struct ptx_kernel *kernel = what->kernel->ptx;
	uint8_t *block = buffer;

	*error = INVALID_VALUE;
	if (what->packed ? what->packed_bytes < kernel->parameter_bytes
			 : kernel->parameter_count && !what->arguments)
		return NULL;
	for (uint32_t i = 0; !what->packed && i < kernel->parameter_count; i++)
		if (!what->arguments[i])
			return NULL;
	*error = OUT_OF_MEMORY;
	if (!buffer || kernel->parameter_bytes > size)
		block = malloc(kernel->parameter_bytes + 1u);
	if (!block)
		return NULL;
	*error = 0;
	if (what->packed) {
		memcpy(block, what->packed, kernel->parameter_bytes);
		return block;
	}
	memset(block, 0, kernel->parameter_bytes);
	for (uint32_t i = 0; i < kernel->parameter_count; i++) {
		const struct ptx_parameter *parameter = &kernel->parameters[i];

		memcpy(block + parameter->offset, what->arguments[i], parameter->size);
	}
	return block;
}

/* What the kernel did to the allocation and its shadow does not know. */
static void settle_unseen(struct allocation *allocation, void *data)
{
	(void)data;
	if (allocation->stored)
		observe_forget(allocation);
	if (allocation->looked_at)
		observe_seen(allocation);
	allocation->stored = allocation->looked_at = false;
}

/* A launch that was not analysed may have written what its parameters and its module name. */
static void forget_written(const struct emulator_kernel *kernel, const uint8_t *parameters)
{
	struct emulator_module *module = kernel->module;

	if (observe_calls_active())
		observe_calls_launch(kernel->ptx, parameters);
	else
		observe_unanalysed(kernel->ptx->name, parameters, kernel->ptx->parameter_bytes);
	for (uint32_t i = 0; i < ptx_variable_count(module->ptx); i++)
		if (module->variables[i] && !ptx_variable(module->ptx, i)->constant)
			observe_forget(module->variables[i]);
}

static void say_race(const char *text)
{
	device_say("%s", text);
}

/* The kernel was launched and went wrong: as on a GPU, the calls that follow say so. */
#define FAULTED (-1)

static int run(const struct emulator_launch *what, const uint8_t *parameters, int64_t stream,
	       struct nested *nested)
{
	const struct ptx_kernel *kernel = what->kernel->ptx;
	struct allocation *workspace = NULL;
	bool stored = false;
	uint64_t instructions = 0;
	struct launch launch = {
		.module = what->kernel->module->ptx,
		.kernel = kernel,
		.dynamic_shared_bytes = what->shared_bytes,
		.parameters = parameters,
		.observed = observe_wanted(kernel->name),
		.counted = observe_access_active(),
		.cooperative = what->cooperative,
		.nested = nested,
		.print = print_add,
		.say = say_race,
		.note = observe_coverage,
		.stored = &stored,
		.instructions = clock_is_virtual() ? &instructions : NULL,
	};
	uint64_t start = observe_active() ? clock_now() : 0;
	struct fault fault = {0};
	struct gpu_call call;
	int error, result;

	memcpy(launch.grid, what->grid, sizeof(launch.grid));
	memcpy(launch.block, what->block, sizeof(launch.block));
	memcpy(launch.cluster, *what->cluster ? what->cluster : kernel->cluster,
	       sizeof(launch.cluster));
	if (what->cooperative) {
		workspace = memory_allocate(MEMORY_ALIGNMENT, MEMORY_ALIGNMENT);
		if (!workspace)
			return OUT_OF_MEMORY;
		workspace->kind = MEMORY_KIND_HEAP;
		launch.workspace = workspace->address;
		memset((void *)(uintptr_t)workspace->address, 0, MEMORY_ALIGNMENT);
	}
	if (launch.observed)
		launch.values = observe_values_launch(launch.module);
	print_flush();
	result = interpreter_run(&launch, &fault);
	if (workspace)
		memory_release(workspace);
	if (result) {
		observe_drop();
		device_say("%s", fault.text);
		error = fault_error(fault.kind);
		if (error == OUT_OF_MEMORY)
			return error;
		device_fail(error);
		observe_coverage(COVERAGE_LAUNCH_FAILED, NULL, 1, 0);
		return FAULTED;
	}
	observe_begin_kernel(&call, kernel->name, stream, start);
	observe_work(&(struct clock_work){.amount = instructions});
	if (!launch.observed && observe_active())
		forget_written(what->kernel, parameters);
	observe_end(&call);
	observe_code_launched(what->kernel);
	if (launch.observed)
		observe_code_stores(&call, what->kernel);
	if (stored)
		memory_each(settle_unseen, NULL);
	return 0;
}

static int run_nested(const struct nested_operation *operation, struct emulator_module *module,
		      int64_t stream, struct nested *nested)
{
	struct emulator_launch what = {.shared_bytes = operation->shared_bytes};
	int error;

	if (!operation->kernel)
		return copy_now("cudaMemcpyAsync", stream,
				&(struct emulator_copy){.to = operation->to,
							.from = operation->from,
							.width = operation->bytes,
							.height = 1});
	for (uint32_t i = 0; i < ptx_kernel_count(module->ptx); i++)
		if (module->kernels[i].ptx == operation->kernel)
			what.kernel = &module->kernels[i];
	memcpy(what.grid, operation->grid, sizeof(what.grid));
	memcpy(what.block, operation->block, sizeof(what.block));
	error = check_shape(&what);
	return error ? error
		     : run(&what, (const uint8_t *)(uintptr_t)operation->parameters->address,
			   stream, nested);
}

/* The kernel and all that it launches, and that launch in turn. */
static int run_all(const struct emulator_launch *what, const uint8_t *parameters, int64_t stream)
{
	struct nested_operation *operation;
	struct nested nested;
	int error;

	nested_start(&nested);
	error = run(what, parameters, stream, &nested);
	while ((operation = nested_take(&nested))) {
		clock_by_device(true);
		/* one whose parameters were asked for, and no more, is no launch */
		if (!error && (operation->launched || !operation->kernel))
			error = run_nested(operation, what->kernel->module, stream, &nested);
		clock_by_device(false);
		nested_end(operation);
	}
	return error;
}

int launch_pack(const struct emulator_launch *what, uint8_t **block)
{
	int error = module_kernel_alive(what->kernel) ? check_shape(what) : INVALID_HANDLE;

	*block = error ? NULL : gather(what, NULL, 0, &error);
	return error;
}

const char *launch_kernel_name(const struct emulator_launch *what)
{
	return module_kernel_alive(what->kernel) ? what->kernel->ptx->name : NULL;
}

int vflow_emulator_launch(void *stream, const struct emulator_launch *what)
{
	uint8_t buffer[1024] __attribute__((aligned(16)));
	uint8_t *parameters;
	int64_t number;
	int error = device_enter(true);

	if (error)
		return error;
	number = stream_number(stream);
	error = module_kernel_alive(what->kernel) ? stream_takes(stream) : INVALID_HANDLE;
	if (!error)
		error = check_shape(what);
	if (!error)
		error = check_cooperative(what);
	if (!error && stream_captures(stream)) {
		error = stream_capture(
			stream, &(struct emulator_node){.kind = NODE_KERNEL, .launch = *what});
	} else if (!error) {
		parameters = gather(what, buffer, sizeof(buffer), &error);
		if (parameters) {
			error = run_all(what, parameters, number);
			if (error == FAULTED)
				error = 0;
			if (parameters != buffer)
				free(parameters);
		}
	}
	device_leave();
	return error;
}

int vflow_emulator_kernel_facts(struct emulator_kernel *kernel, struct emulator_kernel_facts *facts)
{
	int error = device_enter(true);

	if (error)
		return error;
	if (module_kernel_alive(kernel))
		*facts = facts_of(kernel);
	else
		error = INVALID_HANDLE;
	device_leave();
	return error;
}

int vflow_emulator_kernel_parameter(struct emulator_kernel *kernel, uint64_t index,
				    uint64_t *offset, uint64_t *size)
{
	int error = device_enter(true);

	if (error)
		return error;
	if (!module_kernel_alive(kernel)) {
		error = INVALID_HANDLE;
	} else if (index >= kernel->ptx->parameter_count) {
		error = INVALID_VALUE;
	} else {
		*offset = kernel->ptx->parameters[index].offset;
		*size = kernel->ptx->parameters[index].size;
	}
	device_leave();
	return error;
}

int vflow_emulator_kernel_set_shared(struct emulator_kernel *kernel, int bytes)
{
	int error = device_enter(true);

	if (error)
		return error;
	if (!module_kernel_alive(kernel))
		error = INVALID_HANDLE;
	else if (bytes < 0 ||
		 (uint64_t)bytes + kernel->ptx->shared_bytes > EMULATOR_SHARED_OPTIN_BYTES)
		error = INVALID_VALUE;
	else
		kernel->max_dynamic_shared_bytes = (uint64_t)bytes;
	device_leave();
	return error;
}

int vflow_emulator_occupancy(struct emulator_kernel *kernel, int threads, uint64_t shared_bytes,
			     int *blocks)
{
	struct emulator_kernel_facts facts;
	int error = vflow_emulator_kernel_facts(kernel, &facts);

	if (error)
		return error;
	if (threads < 1)
		return INVALID_VALUE;
	*blocks = fitting(&facts, threads, shared_bytes);
	return 0;
}
