/*
 * graph/profile/stall.c: samples of where kernels wait, and the machine code that they are in, by
 * pass `stalls`.  All but the devices are read with the events: only who asks about stalls needs
 * them.
 */
#include "graph/profile/table.h"

#define DEVICE_COLUMN(member, TYPE, ...)                                                           \
	COLUMN(struct profile_stall_device, member, TYPE, __VA_ARGS__)
#define CODE_COLUMN(member, TYPE, ...) COLUMN(struct profile_stall_code, member, TYPE, __VA_ARGS__)
#define FUNCTION_COLUMN(member, TYPE, ...)                                                         \
	COLUMN(struct profile_stall_function, member, TYPE, __VA_ARGS__)
#define SAMPLE_COLUMN(member, TYPE, ...)                                                           \
	COLUMN(struct profile_stall_sample, member, TYPE, __VA_ARGS__)
#define VERTEX_COLUMN(member, TYPE, ...)                                                           \
	COLUMN(struct profile_stall_vertex, member, TYPE, __VA_ARGS__)

static const struct profile_column device_columns[] = {
	KEY("id", ID),
	DEVICE_COLUMN(process, INDEX, .of = &profile_table_process),
	DEVICE_COLUMN(device, 32),
	DEVICE_COLUMN(period, 32),
	DEVICE_COLUMN(samples, COUNT),
	DEVICE_COLUMN(other_samples, COUNT),
	DEVICE_COLUMN(multiprocessors, 32),
	DEVICE_COLUMN(warps, 32),
	DEVICE_COLUMN(blocks, 32),
	DEVICE_COLUMN(registers, 32),
	DEVICE_COLUMN(shared_bytes, 32),
	DEVICE_COLUMN(kilohertz, 32),
	DEVICE_COLUMN(memory_kilohertz, 32),
	DEVICE_COLUMN(bus_bits, 32),
	{0},
};

static bool device_holds(const struct profile *profile, const void *row)
{
	const struct profile_stall_device *device = row;

	(void)profile;
	return device->period < 64 && device->other_samples <= device->samples;
}

const struct profile_table profile_table_stall_device = {
	.name = "stall_device",
	.columns = device_columns,
	.optional = true,
	TABLE_ROWS(stall_devices, stall_device_count, stall_device_capacity),
	.holds = device_holds,
};

static const struct profile_column code_columns[] = {
	KEY("id", ID),
	CODE_COLUMN(crc, WORD),
	CODE_COLUMN(bytes, COUNT),
	CODE_COLUMN(image, BLOB, .nullable = true),
	{0},
};

const struct profile_table profile_table_stall_code = {
	.name = "stall_code",
	.columns = code_columns,
	.optional = true,
	.lazy = true,
	TABLE_ROWS(stall_codes, stall_code_count, stall_code_capacity),
};

static const struct profile_column function_columns[] = {
	KEY("id", ID),
	FUNCTION_COLUMN(code, INDEX, .of = &profile_table_stall_code),
	FUNCTION_COLUMN(name, TEXT),
	FUNCTION_COLUMN(launches, COUNT),
	FUNCTION_COLUMN(time_ns, COUNT),
	FUNCTION_COLUMN(grid_x, 32),
	FUNCTION_COLUMN(grid_y, 32),
	FUNCTION_COLUMN(grid_z, 32),
	FUNCTION_COLUMN(block_x, 32),
	FUNCTION_COLUMN(block_y, 32),
	FUNCTION_COLUMN(block_z, 32),
	FUNCTION_COLUMN(registers, 32),
	FUNCTION_COLUMN(static_bytes, 32),
	FUNCTION_COLUMN(dynamic_bytes, 32),
	FUNCTION_COLUMN(local_bytes, 32),
	FUNCTION_COLUMN(geometries, 32),
	{0},
};

const struct profile_table profile_table_stall_function = {
	.name = "stall_function",
	.columns = function_columns,
	.optional = true,
	.lazy = true,
	TABLE_ROWS(stall_functions, stall_function_count, stall_function_capacity),
};

static const struct profile_column sample_columns[] = {
	KEY("id", ID),
	SAMPLE_COLUMN(function, INDEX, .of = &profile_table_stall_function),
	SAMPLE_COLUMN(offset, 32),
	SAMPLE_COLUMN(reason, 32),
	SAMPLE_COLUMN(samples, COUNT),
	SAMPLE_COLUMN(latency, COUNT),
	{0},
};

static bool sample_holds(const struct profile *profile, const void *row)
{
	const struct profile_stall_sample *sample = row;

	(void)profile;
	return sample->latency <= sample->samples;
}

static const char view[] = "CREATE VIEW stall_samples AS SELECT f.name AS function, s.offset, "
			   "CASE s.reason "
#define STALL_REASON(number, NAME, name, blame) "WHEN " #number " THEN '" name "' "
#include "gpu/stall_reasons.def"
			   "ELSE 'other' END AS reason, s.samples, s.latency "
			   "FROM stall_sample s JOIN stall_function f ON f.id = s.function "
			   "ORDER BY s.samples DESC, s.id;";

const struct profile_table profile_table_stall_sample = {
	.name = "stall_sample",
	.columns = sample_columns,
	.optional = true,
	.lazy = true,
	TABLE_ROWS(stall_samples, stall_sample_count, stall_sample_capacity),
	.holds = sample_holds,
	.views = view,
};

static const struct profile_column vertex_columns[] = {
	KEY("id", ID),
	VERTEX_COLUMN(function, INDEX, .of = &profile_table_stall_function),
	VERTEX_COLUMN(vertex, VERTEX, .of = &profile_table_vertex),
	VERTEX_COLUMN(launches, COUNT),
	VERTEX_COLUMN(time_ns, COUNT),
	{0},
};

const struct profile_table profile_table_stall_vertex = {
	.name = "stall_vertex",
	.columns = vertex_columns,
	.optional = true,
	.lazy = true,
	TABLE_ROWS(stall_vertices, stall_vertex_count, stall_vertex_capacity),
};
