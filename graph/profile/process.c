/* graph/profile/process.c: the processes of a run, the memory of devices that they used, and
 * the GPU code that they loaded. */
#include "graph/profile/table.h"

#define PROCESS_COLUMN(member, TYPE, ...) COLUMN(struct profile_process, member, TYPE, __VA_ARGS__)

static const struct profile_column columns[] = {
	KEY("id", ID),
	PROCESS_COLUMN(pid, 32),
	PROCESS_COLUMN(parent, 32),
	PROCESS_COLUMN(executable, TEXT),
	PROCESS_COLUMN(arguments, TEXT),
	PROCESS_COLUMN(provider, TEXT),
	PROCESS_COLUMN(device, TEXT),
	PROCESS_COLUMN(ended, FLAG),
	PROCESS_COLUMN(time_start_ns, COUNT, .nullable = true),
	PROCESS_COLUMN(time_end_ns, COUNT, .nullable = true),
	PROCESS_COLUMN(rank, TEXT, .nullable = true),
	COLUMN_NAMED("end_call", struct profile_process, end.call, COUNT, .nullable = true),
	COLUMN_NAMED("end_time", struct profile_process, end.time, COUNT, .nullable = true),
	COLUMN_NAMED("end_kernels", struct profile_process, end.kernels, COUNT, .nullable = true),
	{0},
};

const struct profile_table profile_table_process = {
	.name = "process",
	.columns = columns,
	TABLE_ROWS(processes, process_count, process_capacity),
};

/* -- memory of the devices that they used -- */

#define MEMORY_COLUMN(member, TYPE, ...)                                                           \
	COLUMN(struct profile_device_memory, member, TYPE, __VA_ARGS__)

static const struct profile_column memory_columns[] = {
	KEY("id", ID),
	MEMORY_COLUMN(process, INDEX, .of = &profile_table_process),
	MEMORY_COLUMN(device, 32),
	MEMORY_COLUMN(total, COUNT),
	MEMORY_COLUMN(first_unused, COUNT),
	MEMORY_COLUMN(unused, COUNT),
	MEMORY_COLUMN(allocated, COUNT),
	MEMORY_COLUMN(own, COUNT),
	{0},
};

static bool memory_holds(const struct profile *profile, const void *row)
{
	const struct profile_device_memory *memory = row;

	(void)profile;
	return memory->unused <= memory->total;
}

const struct profile_table profile_table_device_memory = {
	.name = "device_memory",
	.columns = memory_columns,
	.optional = true,
	TABLE_ROWS(device_memory, device_memory_count, device_memory_capacity),
	.holds = memory_holds,
};

/* -- the GPU code that they loaded -- */

#define MODULE_COLUMN(member, TYPE, ...)                                                           \
	COLUMN(struct profile_gpu_module, member, TYPE, __VA_ARGS__)
#define FUNCTION_COLUMN(member, TYPE, ...)                                                         \
	COLUMN(struct profile_gpu_function, member, TYPE, __VA_ARGS__)

static const struct profile_column module_columns[] = {
	KEY("id", ID),
	MODULE_COLUMN(process, INDEX, .of = &profile_table_process),
	MODULE_COLUMN(loads, COUNT),
	MODULE_COLUMN(bytes, COUNT),
	MODULE_COLUMN(code_bytes, COUNT),
	MODULE_COLUMN(kernel_bytes, COUNT),
	MODULE_COLUMN(kernels, COUNT),
	MODULE_COLUMN(launched, COUNT),
	MODULE_COLUMN(launched_bytes, COUNT),
	MODULE_COLUMN(loading, 32),
	MODULE_COLUMN(library, TEXT, .nullable = true),
	PLACE_COLUMNS(struct profile_gpu_module, place),
	{0},
};

static const struct profile_column function_columns[] = {
	KEY("id", ID),
	FUNCTION_COLUMN(module, INDEX, .of = &profile_table_gpu_module),
	FUNCTION_COLUMN(name, TEXT),
	FUNCTION_COLUMN(bytes, COUNT),
	FUNCTION_COLUMN(launched, FLAG),
	{0},
};

static bool module_holds(const struct profile *profile, const void *row)
{
	const struct profile_gpu_module *module = row;

	(void)profile;
	return module->loads && module->launched <= module->kernels &&
	       module->launched_bytes <= module->kernel_bytes &&
	       module->kernel_bytes <= module->code_bytes;
}

const struct profile_table profile_table_gpu_module = {
	.name = "gpu_module",
	.columns = module_columns,
	.optional = true,
	TABLE_ROWS(gpu_modules, gpu_module_count, gpu_module_capacity),
	.holds = module_holds,
	.views = "CREATE VIEW gpu_code AS SELECT m.library, p.pid, count(*) AS modules, "
		 "sum(m.bytes * m.loads) AS bytes, sum(m.kernels) AS kernels, "
		 "sum(m.launched) AS launched, sum(m.kernel_bytes) AS kernel_bytes, "
		 "sum(m.launched_bytes) AS launched_bytes FROM gpu_module m "
		 "JOIN process p ON p.id = m.process GROUP BY m.process, m.library "
		 "ORDER BY m.process, m.library;",
};

const struct profile_table profile_table_gpu_function = {
	.name = "gpu_function",
	.columns = function_columns,
	.optional = true,
	TABLE_ROWS(gpu_functions, gpu_function_count, gpu_function_capacity),
};
