/* advice/memory/report_code.c: see report_code.h. */
#include "advice/memory/report_code.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "advice/memory/code.h"
#include "advice/report/page.h"
#include "advice/words.h"
#include "util/memory.h"
#include "util/text.h"

enum { LIBRARIES = 6 }; /* that are shown */

/* "scale_kernel (1.5K)" */
static char *kernel_words(const struct profile_gpu_function *function)
{
	struct graph_vertex vertex = {.name = function->name};
	char *name = words_name(&vertex), *bytes = words_bytes(function->bytes);
	char *text = xasprintf("%s (%s)", name, bytes);

	free(name);
	free(bytes);
	return text;
}

static void print_library(FILE *out, const struct memory_code *code)
{
	const char *slash = code->path ? strrchr(code->path, '/') : NULL;
	const char *name = slash ? slash + 1 : code->path;
	uint64_t unused = code->kernels - code->launched;
	char *label = words_bytes(code->unused_bytes), *bytes = words_bytes(code->bytes);
	char *largest = code->unused ? kernel_words(code->unused) : NULL;
	char *text = xasprintf("%s: %" PRIu64 " of %" PRIu64 " kernel%s in %" PRIu64
			       " module%s, whose images have %s%s%s",
			       name ? name : "loaded from an unknown place", unused, code->kernels,
			       text_plural(code->kernels, "", "s"), code->modules,
			       text_plural(code->modules, "", "s"), bytes,
			       largest ? "; the largest is " : "", largest ? largest : "");

	page_field(out, label, text);
	free(label);
	free(bytes);
	free(largest);
	free(text);
}

void report_code_print(const struct report_memory *report, uint32_t process, FILE *out)
{
	struct memory_code *list;
	uint32_t count = memory_code(report->profile, process, &list);
	bool lazy = false;

	if (count) {
		fputc('\n', out);
		page_heading(report->colour, out, "GPU code that was loaded and never launched");
	}
	for (uint32_t i = 0; i < count; i++) {
		lazy |= list[i].lazy;
		if (i < LIBRARIES)
			print_library(out, &list[i]);
	}
	if (count > LIBRARIES) {
		char *more = xasprintf("... and of %" PRIu32 " more files", count - LIBRARIES);

		page_field(out, "", more);
		free(more);
	}
	if (lazy) {
		fputs("  ", out);
		page_wrap(
			out, 2,
			"the driver loads code lazily (CUDA_MODULE_LOADING): of kernels that were "
			"never launched it may be in memory of the host only");
	}
	free(list);
}

void report_code_json(const struct report_memory *report, uint32_t process, struct json *json)
{
	struct memory_code *list;
	uint32_t count = memory_code(report->profile, process, &list);

	json_name(json, "gpu_code");
	json_begin(json, '[');
	for (uint32_t i = 0; i < count; i++) {
		const struct memory_code *code = &list[i];

		json_begin(json, '{');
		if (code->path)
			json_named_text(json, "library", code->path);
		json_named_count(json, "modules", code->modules);
		json_named_count(json, "loads", code->loads);
		json_named_count(json, "bytes", code->bytes);
		json_named_count(json, "kernels", code->kernels);
		json_named_count(json, "launched", code->launched);
		json_named_count(json, "kernel_bytes", code->kernel_bytes);
		json_named_count(json, "unused_bytes", code->unused_bytes);
		if (code->unused) {
			json_named_text(json, "largest_unused", code->unused->name);
			json_named_count(json, "largest_unused_bytes", code->unused->bytes);
		}
		json_name(json, "lazy");
		json_raw(json, code->lazy ? "true" : "false");
		json_end(json, '}');
	}
	json_end(json, ']');
	free(list);
}
