/* advice/memory/report_devices.c: see report_devices.h. */
#include "advice/memory/report_devices.h"

#include <inttypes.h>
#include <stdlib.h>

#include "advice/report/page.h"
#include "advice/words.h"
#include "util/memory.h"

/* What is used of a device beside what the program allocated. */
struct beside {
	uint64_t before; /* when it had allocated nothing */
	uint64_t unseen; /* since then, and not the profiler's */
};

static struct beside beside(const struct profile_device_memory *memory)
{
	const uint64_t used = memory->total - memory->unused;
	struct beside beside = {0, used};
	const uint64_t known[] = {memory->allocated, memory->own};

	if (memory->first_unused < memory->total)
		beside.before = memory->total - memory->first_unused;
	beside.unseen -= beside.before < used ? beside.before : used;
	for (int i = 0; i < 2; i++)
		beside.unseen -= known[i] < beside.unseen ? known[i] : beside.unseen;
	return beside;
}

static void print_part(FILE *out, uint64_t bytes, bool largest, const char *text)
{
	char *label = words_bytes(bytes);
	char *words = xasprintf(
		"%s%s", largest ? "the largest part that no allocation explains: " : "", text);

	if (bytes)
		page_field(out, label, words);
	free(label);
	free(words);
}

static void print_device(const struct report_memory *report,
			 const struct profile_device_memory *memory, FILE *out)
{
	const struct beside parts = beside(memory);
	char *total = words_bytes(memory->total), *unused = words_bytes(memory->unused);
	char *title =
		xasprintf("Device %" PRIu32 " when most was allocated: %s, of which %s is unused",
			  memory->device, total, unused);

	fputc('\n', out);
	page_heading(report->colour, out, title);
	print_part(out, memory->allocated, false, "allocated by the program, as it asked for it");
	print_part(
		out, parts.before, parts.before >= parts.unseen,
		"used before its first allocation: CUDA's context, code that was loaded with it, "
		"other processes");
	print_part(
		out, parts.unseen, parts.unseen > parts.before,
		"used since, by all else: arrays, code and variables of modules, local memory and "
		"heaps of kernels, what pools keep, rounding");
	print_part(out, memory->own, false, "vflow's own, in this run only");
	free(total);
	free(unused);
	free(title);
}

void report_devices_print(const struct report_memory *report, uint32_t process, FILE *out)
{
	const struct profile *profile = report->profile;

	for (uint32_t i = 0; i < profile->device_memory_count; i++)
		if (profile->device_memory[i].process == process)
			print_device(report, &profile->device_memory[i], out);
}

void report_devices_json(const struct profile *profile, uint32_t process, struct json *json)
{
	json_name(json, "devices");
	json_begin(json, '[');
	for (uint32_t i = 0; i < profile->device_memory_count; i++) {
		const struct profile_device_memory *memory = &profile->device_memory[i];
		const struct beside parts = beside(memory);

		if (memory->process != process)
			continue;
		json_begin(json, '{');
		json_named_count(json, "device", memory->device);
		json_named_count(json, "total", memory->total);
		json_named_count(json, "unused", memory->unused);
		json_named_count(json, "allocated", memory->allocated);
		json_named_count(json, "before", parts.before);
		json_named_count(json, "unseen", parts.unseen);
		json_named_count(json, "own", memory->own);
		json_end(json, '}');
	}
	json_end(json, ']');
}
