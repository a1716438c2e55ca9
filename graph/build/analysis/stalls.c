/*
 * graph/build/analysis/stalls.c: the analysis of the pass `stalls`: samples of all processes, added
 * up by the code that they are in, and which operations launch the kernels.
 */
#include "graph/build/analysis.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <uthash.h>
#include <zstd.h>

#include "graph/build/process.h"
#include "graph/symbols.h"
#include "util/memory.h"
#include "util/pair_map.h"

enum { MOST_FUNCTIONS = 100000, MOST_SAMPLES = 1 << 22, LEVEL = 3 };

struct code {
	uint64_t crc; /* the key */
	uint32_t index;
	char *image; /* NULL: it is not kept */
	uint64_t got;
	UT_hash_handle hh;
};

struct function {       /* key: index of the code, then the name */
	uint32_t index; /* into profile->stall_functions */
	UT_hash_handle hh;
	char key[];
};

struct sample {
	struct {
		uint32_t function, offset, reason;
	} key;
	uint32_t index; /* into profile->stall_samples */
	UT_hash_handle hh;
};

struct kernel {
	struct gpu_stall_launches largest; /* of the process where they take most time */
	uint64_t launches, time_ns;        /* of all */
	char *plain;                       /* the name demangled, once somebody asks */
	UT_hash_handle hh;
	char name[];
};

/* An operation that launches a kernel. */
struct launcher {
	uint32_t vertex;
	char *kernel; /* mangled */
	uint64_t launches, time_ns;
	UT_hash_handle hh;
};

struct stalls {
	struct profile *profile;
	struct code *codes;
	struct function *functions;
	struct sample *samples;
	struct kernel *kernels;
	struct launcher *launchers;
	struct pair_map numbers; /* (number in the trace, process): index of the function */
	uint64_t image_bytes;
	uint64_t left_out, code_left_out, code_left_out_bytes; /* for want of room */
};

static void *begin(struct profile *profile)
{
	struct stalls *stalls = xcalloc(1, sizeof(*stalls));

	stalls->profile = profile;
	return stalls;
}

/* -- which operations launch what -- */

static void note_launch(void *state, const struct build_event *event, const struct build_row *rows,
			uint32_t count)
{
	struct stalls *stalls = state;
	struct launcher *launcher;

	(void)rows;
	(void)count;
	if (event->vertex == PROFILE_NO_VERTEX ||
	    !graph_vertex_is(&stalls->profile->graph->vertices[event->vertex], "kernel"))
		return;
	HASH_FIND(hh, stalls->launchers, &event->vertex, sizeof(event->vertex), launcher);
	if (!launcher) {
		launcher = xcalloc(1, sizeof(*launcher));
		launcher->vertex = event->vertex;
		launcher->kernel = xstrdup(event->name);
		HASH_ADD(hh, stalls->launchers, vertex, sizeof(launcher->vertex), launcher);
	}
	profile_add(&launcher->launches, 1);
}

static void take_time(struct stalls *stalls, const struct build_event *event,
		      const struct gpu_time *time)
{
	struct launcher *launcher;

	HASH_FIND(hh, stalls->launchers, &event->vertex, sizeof(event->vertex), launcher);
	if (launcher && time->time_ns <= PROFILE_NUMBER_MAX)
		profile_add(&launcher->time_ns, time->time_ns);
}

/* -- devices and code -- */

static int take_device(struct stalls *stalls, const struct build_event *event,
		       const struct gpu_stall_device *from, struct error *error)
{
	struct profile *profile = stalls->profile;

	if (from->period >= 64 || from->samples > PROFILE_NUMBER_MAX ||
	    from->other_samples > from->samples)
		return error_set(error, "samples of a device that cannot be");
	ARRAY_RESERVE(profile->stall_devices, profile->stall_device_count,
		      profile->stall_device_capacity);
	profile->stall_devices[profile->stall_device_count++] =
		(struct profile_stall_device){.process = event->process,
					      .device = from->device,
					      .period = from->period,
					      .samples = from->samples,
					      .other_samples = from->other_samples,
					      .multiprocessors = from->multiprocessors,
					      .warps = from->warps,
					      .blocks = from->blocks,
					      .registers = from->registers,
					      .shared_bytes = from->shared_bytes,
					      .kilohertz = from->kilohertz,
					      .memory_kilohertz = from->memory_kilohertz,
					      .bus_bits = from->bus_bits};
	return 0;
}

static struct code *find_code(struct stalls *stalls, uint64_t crc)
{
	struct profile *profile = stalls->profile;
	struct code *code;

	HASH_FIND(hh, stalls->codes, &crc, sizeof(crc), code);
	if (code)
		return code;
	code = xcalloc(1, sizeof(*code));
	code->crc = crc;
	code->index = profile->stall_code_count;
	HASH_ADD(hh, stalls->codes, crc, sizeof(code->crc), code);
	ARRAY_RESERVE(profile->stall_codes, profile->stall_code_count,
		      profile->stall_code_capacity);
	profile->stall_codes[profile->stall_code_count++] = (struct profile_stall_code){.crc = crc};
	return code;
}

static int take_code(struct stalls *stalls, const struct gpu_stall_code *from, struct error *error)
{
	struct profile_stall_code *row;
	struct code *code;

	if (from->offset > from->bytes || from->size > from->bytes - from->offset)
		return error_set(error, "a piece of GPU code that is not in it");
	if (stalls->profile->stall_code_count == MOST_FUNCTIONS)
		return 0;
	code = find_code(stalls, from->crc);
	row = &stalls->profile->stall_codes[code->index];
	if (!from->offset && !row->bytes && from->bytes) {
		if (from->bytes > PROFILE_STALL_CODE_MAX - stalls->image_bytes) {
			stalls->code_left_out++;
			profile_add(&stalls->code_left_out_bytes,
				    from->bytes < PROFILE_NUMBER_MAX ? from->bytes : 0);
			return 0;
		}
		row->bytes = from->bytes;
		stalls->image_bytes += from->bytes;
		code->image = xmalloc(from->bytes + 1);
	}
	/* of a process before it may not be whole */
	if (!from->offset && code->got < row->bytes)
		code->got = 0;
	if (!code->image || code->got == row->bytes)
		return 0;
	if (from->bytes != row->bytes || from->offset != code->got)
		return error_set(error, "a piece of GPU code that is not the next one");
	memcpy(code->image + code->got, (const char *)from + offsetof(struct gpu_stall_code, piece),
	       from->size);
	code->got += from->size;
	return 0;
}

/* -- samples -- */

static int take_function(struct stalls *stalls, const struct build_event *event,
			 const struct build_record *record, struct error *error)
{
	const struct gpu_stall_function *from = record->payload;
	const char *name =
		(const char *)record->payload + offsetof(struct gpu_stall_function, name);
	struct profile *profile = stalls->profile;
	struct function *function, *found;
	uint32_t code, number;
	size_t size;

	if (profile->stall_function_count == MOST_FUNCTIONS)
		return 0;
	code = find_code(stalls, from->crc)->index;
	size = sizeof(code) + strlen(name);
	function = xcalloc(1, sizeof(*function) + size);
	memcpy(function->key, &code, sizeof(code));
	memcpy(function->key + sizeof(code), name, size - sizeof(code));
	HASH_FIND(hh, stalls->functions, function->key, size, found);
	if (found) {
		free(function);
		function = found;
	} else {
		function->index = profile->stall_function_count;
		HASH_ADD_KEYPTR(hh, stalls->functions, function->key, size, function);
		ARRAY_RESERVE(profile->stall_functions, profile->stall_function_count,
			      profile->stall_function_capacity);
		profile->stall_functions[profile->stall_function_count++] =
			(struct profile_stall_function){.code = code,
							.name = process_clean_name(name)};
	}
	if (pair_map_find(&stalls->numbers, from->function, event->process, function->index,
			  &number))
		return error_set(error, "sampled function %u comes twice", from->function);
	return 0;
}

static int take_samples(struct stalls *stalls, const struct build_event *event,
			const struct gpu_stall_samples *from, struct error *error)
{
	uint32_t index = pair_map_get(&stalls->numbers, from->function, event->process);
	struct profile *profile = stalls->profile;
	struct profile_stall_sample *row;
	struct sample wanted = {.key = {index, from->offset, from->reason}}, *sample;

	if (from->samples > PROFILE_NUMBER_MAX || from->latency > from->samples)
		return error_set(error, "samples that cannot be");
	if (index == UINT32_MAX && profile->stall_function_count < MOST_FUNCTIONS)
		return error_set(error, "samples of function %u, which is not there",
				 from->function);
	HASH_FIND(hh, stalls->samples, &wanted.key, sizeof(wanted.key), sample);
	if (index == UINT32_MAX || (!sample && profile->stall_sample_count == MOST_SAMPLES)) {
		profile_add(&stalls->left_out, from->samples);
		return 0;
	}
	if (!sample) {
		sample = xcalloc(1, sizeof(*sample));
		sample->key = wanted.key;
		sample->index = profile->stall_sample_count;
		HASH_ADD(hh, stalls->samples, key, sizeof(sample->key), sample);
		ARRAY_RESERVE(profile->stall_samples, profile->stall_sample_count,
			      profile->stall_sample_capacity);
		profile->stall_samples[profile->stall_sample_count++] =
			(struct profile_stall_sample){
				.function = index, .offset = from->offset, .reason = from->reason};
	}
	row = &profile->stall_samples[sample->index];
	profile_add(&row->samples, from->samples);
	profile_add(&row->latency, from->latency);
	return 0;
}

static int take_launches(struct stalls *stalls, const struct build_record *record,
			 struct error *error)
{
	const struct gpu_stall_launches *from = record->payload;
	const char *name =
		(const char *)record->payload + offsetof(struct gpu_stall_launches, name);
	struct kernel *kernel;

	if (from->launches > PROFILE_NUMBER_MAX || from->time_ns > PROFILE_NUMBER_MAX)
		return error_set(error, "launches that cannot be");
	HASH_FIND(hh, stalls->kernels, name, strlen(name), kernel);
	if (!kernel) {
		if (HASH_COUNT(stalls->kernels) == MOST_FUNCTIONS)
			return 0;
		kernel = xcalloc(1, sizeof(*kernel) + strlen(name) + 1);
		strcpy(kernel->name, name);
		kernel->largest = *from;
		HASH_ADD_STR(stalls->kernels, name, kernel);
	}
	profile_add(&kernel->launches, from->launches);
	profile_add(&kernel->time_ns, from->time_ns);
	if (from->time_ns > kernel->largest.time_ns)
		kernel->largest = *from;
	return 0;
}

static int take_record(void *state, const struct build_event *event,
		       const struct build_record *record, struct error *error)
{
	struct stalls *stalls = state;

	switch (record->kind) {
	case GPU_RECORD_TIME:
		if (record->of_call && event->vertex != PROFILE_NO_VERTEX)
			take_time(stalls, event, record->payload);
		return 0;
	case GPU_RECORD_STALL_DEVICE:
		return take_device(stalls, event, record->payload, error);
	case GPU_RECORD_STALL_CODE:
		return take_code(stalls, record->payload, error);
	case GPU_RECORD_STALL_FUNCTION:
		return take_function(stalls, event, record, error);
	case GPU_RECORD_STALL_SAMPLES:
		return take_samples(stalls, event, record->payload, error);
	case GPU_RECORD_STALL_LAUNCHES:
		return take_launches(stalls, record, error);
	}
	return 0;
}

/* -- all of it -- */

/* Images become packed ones; one that is not whole is not kept. */
static void pack(struct stalls *stalls)
{
	struct profile *profile = stalls->profile;

	for (struct code *code = stalls->codes; code; code = code->hh.next) {
		struct profile_stall_code *row = &profile->stall_codes[code->index];
		size_t room, size;
		void *packed;

		if (!code->image || code->got < row->bytes || !row->bytes) {
			free(code->image);
			continue;
		}
		room = ZSTD_compressBound(row->bytes);
		packed = xmalloc(room);
		size = ZSTD_compress(packed, room, code->image, row->bytes, LEVEL);
		free(code->image);
		if (ZSTD_isError(size)) {
			free(packed);
			continue;
		}
		row->image = (struct profile_bytes){xreallocarray(packed, size, 1), size};
	}
}

/* Names are mangled, but nobody promises that of those of samples. */
static void set_mangled(struct stalls *stalls, struct profile_stall_function *function)
{
	struct kernel *kernel;

	if (!strchr(function->name, '('))
		return;
	for (kernel = stalls->kernels; kernel; kernel = kernel->hh.next) {
		if (!kernel->plain)
			kernel->plain = symbols_demangle(kernel->name);
		if (strcmp(kernel->plain, function->name) != 0)
			continue;
		free(function->name);
		function->name = process_clean_name(kernel->name);
		return;
	}
}

static void set_launches(struct stalls *stalls, struct profile_stall_function *function)
{
	const struct gpu_stall_launches *from;
	struct kernel *kernel;

	HASH_FIND_STR(stalls->kernels, function->name, kernel);
	if (!kernel)
		return;
	from = &kernel->largest;
	function->launches = kernel->launches;
	function->time_ns = kernel->time_ns;
	function->grid_x = from->grid[0];
	function->grid_y = from->grid[1];
	function->grid_z = from->grid[2];
	function->block_x = from->block[0];
	function->block_y = from->block[1];
	function->block_z = from->block[2];
	function->registers = from->registers;
	function->static_bytes = from->static_bytes;
	function->dynamic_bytes = from->dynamic_bytes;
	function->local_bytes = from->local_bytes;
	function->geometries = from->geometries;
}

static int by_vertex(struct launcher *a, struct launcher *b)
{
	return (a->vertex > b->vertex) - (a->vertex < b->vertex);
}

static void set_vertices(struct stalls *stalls, uint32_t index)
{
	struct profile *profile = stalls->profile;
	const char *name = profile->stall_functions[index].name;

	for (struct launcher *at = stalls->launchers; at; at = at->hh.next) {
		if (strcmp(at->kernel, name) != 0)
			continue;
		ARRAY_RESERVE(profile->stall_vertices, profile->stall_vertex_count,
			      profile->stall_vertex_capacity);
		profile->stall_vertices[profile->stall_vertex_count++] =
			(struct profile_stall_vertex){.function = index,
						      .vertex = at->vertex,
						      .launches = at->launches,
						      .time_ns = at->time_ns};
	}
}

static void free_all(struct stalls *stalls)
{
	struct code *code, *next_code;
	struct function *function, *next_function;
	struct sample *sample, *next_sample;
	struct kernel *kernel, *next_kernel;
	struct launcher *launcher, *next_launcher;

	HASH_ITER(hh, stalls->codes, code, next_code)
	{
		HASH_DEL(stalls->codes, code);
		free(code);
	}
	HASH_ITER(hh, stalls->functions, function, next_function)
	{
		HASH_DEL(stalls->functions, function);
		free(function);
	}
	HASH_ITER(hh, stalls->samples, sample, next_sample)
	{
		HASH_DEL(stalls->samples, sample);
		free(sample);
	}
	HASH_ITER(hh, stalls->kernels, kernel, next_kernel)
	{
		HASH_DEL(stalls->kernels, kernel);
		free(kernel->plain);
		free(kernel);
	}
	HASH_ITER(hh, stalls->launchers, launcher, next_launcher)
	{
		HASH_DEL(stalls->launchers, launcher);
		free(launcher->kernel);
		free(launcher);
	}
	pair_map_release(&stalls->numbers);
	free(stalls);
}

static void end(void *state)
{
	struct stalls *stalls = state;
	struct profile *profile = stalls->profile;

	pack(stalls);
	HASH_SORT(stalls->launchers, by_vertex);
	for (uint32_t i = 0; i < profile->stall_function_count; i++) {
		set_mangled(stalls, &profile->stall_functions[i]);
		set_launches(stalls, &profile->stall_functions[i]);
		set_vertices(stalls, i);
	}
	if (stalls->left_out)
		profile_add_coverage(profile, COVERAGE_STALLS_TOO_MANY, NULL, stalls->left_out, 0);
	if (stalls->code_left_out)
		profile_add_coverage(profile, COVERAGE_STALLS_CODE_LEFT_OUT, NULL,
				     stalls->code_left_out, stalls->code_left_out_bytes);
	free_all(stalls);
}

const struct build_analysis build_stalls = {
	.name = "stalls",
	.pass = "stalls",
	.kinds = (const uint32_t[]){GPU_RECORD_TIME, GPU_RECORD_STALL_DEVICE, GPU_RECORD_STALL_CODE,
				    GPU_RECORD_STALL_FUNCTION, GPU_RECORD_STALL_SAMPLES,
				    GPU_RECORD_STALL_LAUNCHES, 0},
	.begin = begin,
	.event = note_launch,
	.record = take_record,
	.end = end,
};
