/*
 * Profiles of the pass `stalls` as files that people can read, and back: the samples as a text, the
 * code as the cubin that it is; both may be packed by zstd.
 *
 *     stalls-profile make SAMPLES CUBIN PROFILE [BASE]    # what else there is to know: as in BASE
 *     stalls-profile dump PROFILE FOLDER        # FOLDER/1.samples, FOLDER/1.cubin, ...
 *
 * A line of the text is one of
 *     device PERIOD MULTIPROCESSORS WARPS BLOCKS REGISTERS SHARED_BYTES KHZ MEMORY_KHZ BUS_BITS
 *     function NAME LAUNCHES TIME_NS GRID{3} BLOCK{3} REGISTERS STATIC DYNAMIC LOCAL GEOMETRIES
 *     sample OFFSET REASON SAMPLES LATENCY      # of the function before; the offset in hex
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <zstd.h>

#include "gpu/stalls/reasons.h"
#include "graph/profile/profile.h"
#include "graph/symbols.h"
#include "util/memory.h"

static int fail(const char *what, const char *why)
{
	fprintf(stderr, "stalls-profile: %s: %s\n", what, why);
	return 1;
}

static uint32_t reason_of(const char *name)
{
	uint32_t i = 0;

	while (i < STALL_REASONS && strcmp(stall_reason_name((enum stall_reason)i), name) != 0)
		i++;
	return i;
}

static bool read_line(struct profile *profile, const char *line)
{
	struct profile_stall_device device = {0};
	struct profile_stall_function function = {0};
	struct profile_stall_sample sample = {0};
	char name[4096];

	if (sscanf(line, "device %u %u %u %u %u %u %u %u %u", &device.period,
		   &device.multiprocessors, &device.warps, &device.blocks, &device.registers,
		   &device.shared_bytes, &device.kilohertz, &device.memory_kilohertz,
		   &device.bus_bits) == 9) {
		profile->stall_devices = xcalloc(1, sizeof(device));
		profile->stall_devices[0] = device;
		profile->stall_device_count = 1;
		return true;
	}
	if (sscanf(line, "function %4095s %" SCNu64 " %" SCNu64 " %u %u %u %u %u %u %u %u %u %u %u",
		   name, &function.launches, &function.time_ns, &function.grid_x, &function.grid_y,
		   &function.grid_z, &function.block_x, &function.block_y, &function.block_z,
		   &function.registers, &function.static_bytes, &function.dynamic_bytes,
		   &function.local_bytes, &function.geometries) == 14) {
		function.name = xstrdup(name);
		ARRAY_RESERVE(profile->stall_functions, profile->stall_function_count,
			      profile->stall_function_capacity);
		profile->stall_functions[profile->stall_function_count++] = function;
		return true;
	}
	if (sscanf(line, "sample %x %4095s %" SCNu64 " %" SCNu64, &sample.offset, name,
		   &sample.samples, &sample.latency) != 4 ||
	    !profile->stall_function_count)
		return false;
	sample.function = profile->stall_function_count - 1;
	sample.reason = reason_of(name);
	ARRAY_RESERVE(profile->stall_samples, profile->stall_sample_count,
		      profile->stall_sample_capacity);
	profile->stall_samples[profile->stall_sample_count++] = sample;
	if (profile->stall_device_count)
		profile->stall_devices[0].samples += sample.samples;
	return sample.reason < STALL_REASONS;
}

/* What a file has, unpacked if zstd packed it; NULL: it cannot be read. */
static char *read_whole(const char *path, size_t *size)
{
	FILE *file = fopen(path, "r");
	size_t room = (size_t)64 << 20;
	char *bytes, *text;
	unsigned long long whole;

	if (!file)
		return NULL;
	bytes = xmalloc(room);
	*size = fread(bytes, 1, room, file);
	fclose(file);
	whole = ZSTD_getFrameContentSize(bytes, *size);
	if (whole == ZSTD_CONTENTSIZE_ERROR || whole == ZSTD_CONTENTSIZE_UNKNOWN || whole > room)
		return bytes;
	text = xmalloc(room);
	*size = ZSTD_decompress(text, room, bytes, *size);
	free(bytes);
	if (ZSTD_isError(*size)) {
		free(text);
		return NULL;
	}
	return text;
}

static bool read_code(struct profile *profile, const char *path)
{
	size_t size, packed;
	char *image = read_whole(path, &size);
	void *bytes;

	if (!image || !size) {
		free(image);
		return false;
	}
	bytes = xmalloc(ZSTD_compressBound(size));
	packed = ZSTD_compress(bytes, ZSTD_compressBound(size), image, size, 3);
	free(image);
	profile->stall_codes = xcalloc(1, sizeof(*profile->stall_codes));
	profile->stall_codes[0] =
		(struct profile_stall_code){.crc = 1, .bytes = size, .image = {bytes, packed}};
	profile->stall_code_count = 1;
	return !ZSTD_isError(packed);
}

/* Operations of the profile that launch kernels of these names. */
static void link_vertices(struct profile *profile)
{
	for (uint32_t f = 0; f < profile->stall_function_count; f++) {
		char *name = symbols_demangle(profile->stall_functions[f].name);

		for (uint32_t v = 0; v < profile->graph->vertex_count; v++) {
			const struct graph_vertex *vertex = &profile->graph->vertices[v];

			if (strcmp(vertex->name, name) != 0)
				continue;
			ARRAY_RESERVE(profile->stall_vertices, profile->stall_vertex_count,
				      profile->stall_vertex_capacity);
			profile->stall_vertices[profile->stall_vertex_count++] =
				(struct profile_stall_vertex){.function = f,
							      .vertex = vertex->id,
							      .launches = vertex->invocations,
							      .time_ns = vertex->time_ns};
		}
		free(name);
	}
}

static void describe_run(struct profile *profile)
{
	profile->command = xstrdup("made up");
	profile->processes = xcalloc(1, sizeof(*profile->processes));
	profile->processes[0] = (struct profile_process){.pid = 1,
							 .executable = xstrdup("app"),
							 .arguments = xstrdup(""),
							 .provider = xstrdup("gpu"),
							 .device = xstrdup("a GPU"),
							 .ended = true};
	profile->process_count = 1;
}

static int make(const char *samples, const char *cubin, const char *path, const char *base)
{
	struct error error;
	struct profile *profile = base ? profile_read(base, &error) : profile_new();
	size_t size = 0;
	char line[8192], *text = read_whole(samples, &size);
	FILE *file = text && size ? fmemopen(text, size, "r") : NULL;
	int result = 0;

	if (!profile || (base && profile_read_events(profile, base, &error) != 0))
		return fail(base, error.text);
	if (!file)
		return fail(samples, "cannot be read");
	if (!base)
		describe_run(profile);
	while (fgets(line, sizeof(line), file) && !result)
		if (line[0] != '#' && line[0] != '\n' && !read_line(profile, line))
			result = fail(line, "no line of samples");
	fclose(file);
	free(text);
	link_vertices(profile);
	if (!read_code(profile, cubin))
		return fail(cubin, "cannot be read");
	remove(path);
	if (!result && profile_write(profile, path, &error) != 0)
		result = fail(path, error.text);
	profile_free(profile);
	return result;
}

static void dump_samples(const struct profile *profile, uint32_t code, FILE *out)
{
	const struct profile_stall_device *device = profile->stall_devices;

	if (profile->stall_device_count)
		fprintf(out, "device %u %u %u %u %u %u %u %u %u\n", device->period,
			device->multiprocessors, device->warps, device->blocks, device->registers,
			device->shared_bytes, device->kilohertz, device->memory_kilohertz,
			device->bus_bits);
	for (uint32_t f = 0; f < profile->stall_function_count; f++) {
		const struct profile_stall_function *at = &profile->stall_functions[f];

		if (at->code != code)
			continue;
		fprintf(out,
			"function %s %" PRIu64 " %" PRIu64 " %u %u %u %u %u %u %u %u %u %u %u\n",
			at->name, at->launches, at->time_ns, at->grid_x, at->grid_y, at->grid_z,
			at->block_x, at->block_y, at->block_z, at->registers, at->static_bytes,
			at->dynamic_bytes, at->local_bytes, at->geometries);
		for (uint32_t i = 0; i < profile->stall_sample_count; i++) {
			const struct profile_stall_sample *sample = &profile->stall_samples[i];

			if (sample->function == f)
				fprintf(out, "sample %x %s %" PRIu64 " %" PRIu64 "\n",
					sample->offset,
					stall_reason_name((enum stall_reason)sample->reason),
					sample->samples, sample->latency);
		}
	}
}

static int dump(const char *path, const char *folder)
{
	struct error error;
	struct profile *profile = profile_read(path, &error);

	if (!profile || profile_read_events(profile, path, &error) != 0)
		return fail(path, error.text);
	for (uint32_t i = 0; i < profile->stall_code_count; i++) {
		const struct profile_stall_code *code = &profile->stall_codes[i];
		char *samples = xasprintf("%s/%u.samples", folder, i + 1);
		char *cubin = xasprintf("%s/%u.cubin", folder, i + 1), *image;
		FILE *out = fopen(samples, "w");

		if (!out)
			return fail(samples, "cannot be written");
		dump_samples(profile, i, out);
		fclose(out);
		image = xmalloc(code->bytes + 1);
		out = fopen(cubin, "w");
		if (out && code->image.bytes &&
		    ZSTD_decompress(image, code->bytes, code->image.bytes, code->image.size) ==
			    code->bytes)
			fwrite(image, 1, code->bytes, out);
		if (out)
			fclose(out);
		free(image);
		free(samples);
		free(cubin);
	}
	profile_free(profile);
	return 0;
}

int main(int argc, char **argv)
{
	if ((argc == 5 || argc == 6) && !strcmp(argv[1], "make"))
		return make(argv[2], argv[3], argv[4], argv[5]);
	if (argc == 4 && !strcmp(argv[1], "dump"))
		return dump(argv[2], argv[3]);
	fputs("stalls-profile make SAMPLES CUBIN PROFILE [BASE]\nstalls-profile dump PROFILE "
	      "FOLDER\n",
	      stderr);
	return 2;
}
