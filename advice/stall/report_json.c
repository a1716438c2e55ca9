/* advice/stall/report_json.c: `vflow report --stalls -T json`. */
#include <stdlib.h>
#include <string.h>

#include "advice/stall/hot.h"
#include "advice/stall/optimizer.h"
#include "advice/stall/report.h"
#include "advice/stall/worth.h"
#include "graph/symbols.h"
#include "util/json.h"

enum { HOTTEST = 100 };

static void instruction(struct json *json, const char *name, const struct stall_kernel *kernel,
			uint32_t number)
{
	const struct sass_instruction *at = &kernel->flow->function->instructions[number];
	struct sass_line lines[SASS_LINES_DEPTH];
	size_t count = stall_lines_of(kernel, number, lines);
	char *text = stall_text(kernel, number);

	if (name)
		json_name(json, name);
	json_begin(json, '{');
	json_named_count(json, "offset", at->offset);
	json_named_text(json, "code", text);
	json_name(json, "lines");
	json_begin(json, '[');
	for (size_t i = 0; i < count; i++) {
		json_begin(json, '{');
		json_named_text(json, "file", lines[i].file);
		json_named_count(json, "line", lines[i].line);
		json_end(json, '}');
	}
	json_end(json, ']');
	json_end(json, '}');
	free(text);
}

static void reasons(struct json *json, const struct stall_kernel *kernel)
{
	json_name(json, "reasons");
	json_begin(json, '{');
	for (unsigned i = 0; i < STALL_REASONS; i++) {
		if (kernel->by_reason[i].samples <= 0)
			continue;
		json_name(json, stall_reason_name((enum stall_reason)i));
		json_begin(json, '{');
		json_named_real(json, "samples", kernel->by_reason[i].samples);
		json_named_real(json, "latency", kernel->by_reason[i].latency);
		json_end(json, '}');
	}
	json_end(json, '}');
}

static void launches(struct json *json, const struct stall_kernel *kernel)
{
	const struct profile_stall_function *row = kernel->launched;
	const struct profile *profile = kernel->profile;

	if (!row)
		return;
	json_named_count(json, "launches", row->launches);
	json_named_count(json, "time_ns", row->time_ns);
	json_named_count(json, "blocks", stall_blocks(kernel));
	json_named_count(json, "threads", stall_threads(kernel));
	json_named_count(json, "registers", row->registers);
	json_named_count(json, "shared_bytes", (uint64_t)row->static_bytes + row->dynamic_bytes);
	json_named_real(json, "active_warps", stall_active_warps(kernel));
	json_name(json, "vertices");
	json_begin(json, '[');
	for (uint32_t i = 0; i < profile->stall_vertex_count; i++) {
		const struct profile_stall_vertex *at = &profile->stall_vertices[i];

		if (at->function != kernel->function)
			continue;
		json_begin(json, '{');
		json_named_count(json, "vertex", at->vertex);
		json_named_count(json, "launches", at->launches);
		json_named_count(json, "time_ns", at->time_ns);
		json_end(json, '}');
	}
	json_end(json, ']');
}

static void blames(struct json *json, const struct stall_kernel *kernel)
{
	static const char *const dependencies[] = {[STALL_NO_DEPENDENCY] = "itself",
						   [STALL_AFTER_WRITE] = "write",
						   [STALL_AFTER_READ] = "read",
						   [STALL_ORDER] = "order"};
	size_t count;
	struct stall_hot *hot = stall_hottest(kernel, HOTTEST, &count);

	json_name(json, "blamed");
	json_begin(json, '[');
	for (size_t i = 0; i < count; i++) {
		const struct stall_blame *blame = hot[i].blame;

		json_begin(json, '{');
		json_named_text(json, "reason", stall_reason_name(blame->reason));
		json_named_real(json, "samples", blame->samples);
		json_named_real(json, "latency", blame->latency);
		json_named_text(json, "dependency", dependencies[blame->dependency]);
		json_named_count(json, "distance", blame->distance);
		instruction(json, "source", kernel, blame->source);
		instruction(json, "stalled", kernel, blame->stalled);
		json_name(json, "causes");
		json_begin(json, '[');
		for (uint32_t k = 0; k < hot[i].cause_count; k++)
			instruction(json, NULL, kernel, hot[i].causes[k]);
		json_end(json, ']');
		json_end(json, '}');
	}
	json_end(json, ']');
	free(hot);
}

static void advice(struct json *json, const struct stall_kernel *kernel,
		   const struct replay *replay)
{
	size_t count;
	struct stall_advice *all = stall_advise(kernel, &count);

	json_name(json, "advice");
	json_begin(json, '[');
	for (size_t i = 0; i < count; i++) {
		uint64_t worth;

		json_begin(json, '{');
		json_named_text(json, "optimizer", all[i].optimizer->name);
		json_named_text(json, "title", all[i].optimizer->title);
		json_named_text(json, "advice", all[i].optimizer->advice);
		json_named_text(json, "limits", all[i].optimizer->limits);
		json_named_real(json, "speedup", all[i].speedup);
		json_named_real(json, "least_speedup", all[i].least);
		json_named_real(json, "further_speedup", all[i].further);
		worth = stall_worth(replay, kernel, all[i].speedup);
		if (worth != PROFILE_UNKNOWN)
			json_named_count(json, "run_saves_ns", worth);
		json_named_flag(json, "at_least", all[i].bound == STALL_AT_LEAST);
		json_named_flag(json, "at_most", all[i].bound == STALL_AT_MOST);
		json_named_flag(json, "memory_bound", all[i].bounded);
		json_named_real(json, "samples", all[i].matched.samples);
		json_named_real(json, "latency", all[i].matched.latency);
		if (all[i].source != SASS_NONE) {
			json_named_text(json, "reason", stall_reason_name(all[i].reason));
			json_named_count(json, "distance", all[i].distance);
			instruction(json, "source", kernel, all[i].source);
			instruction(json, "stalled", kernel, all[i].stalled);
		}
		json_end(json, '}');
	}
	json_end(json, ']');
	free(all);
}

static void findings(struct json *json, const struct stall_kernel *kernel)
{
	json_name(json, "findings");
	json_begin(json, '[');
	for (uint32_t i = stall_next_finding(kernel, 0); i != PROFILE_NO_ROW;
	     i = stall_next_finding(kernel, i + 1))
		json_count(json, i + UINT64_C(1));
	json_end(json, ']');
}

static void print_kernel(struct json *json, const struct stall_kernel *kernel,
			 const struct replay *replay)
{
	char *name = symbols_demangle(kernel->name);

	json_begin(json, '{');
	json_named_text(json, "name", name);
	json_named_text(json, "mangled", kernel->name);
	json_named_real(json, "samples", kernel->all.samples);
	json_named_real(json, "latency", kernel->all.latency);
	launches(json, kernel);
	reasons(json, kernel);
	findings(json, kernel);
	json_named_text(json, "unknown", kernel->unknown);
	if (kernel->flow) {
		json_named_count(json, "waits", kernel->blames.nodes);
		json_named_count(json, "single_cause", kernel->blames.single);
		json_named_real(json, "off_code_samples", kernel->off_code);
		blames(json, kernel);
		advice(json, kernel, replay);
	}
	json_end(json, '}');
	free(name);
}

void report_stalls_json(const struct report_stalls *report, FILE *out)
{
	struct json json = {.file = out, .style = JSON_INDENTED};
	size_t shown = report->kernels->count;

	if (report->top && shown > report->top)
		shown = report->top;
	json_begin(&json, '{');
	json_named_real(&json, "samples", report->kernels->samples);
	json_named_count(
		&json, "period",
		report->profile->stall_device_count ? report->profile->stall_devices[0].period : 0);
	json_name(&json, "kernels");
	json_begin(&json, '[');
	for (size_t i = 0; i < shown; i++)
		print_kernel(&json, &report->kernels->all[i], report->replay);
	json_end(&json, ']');
	json_end(&json, '}');
	fputc('\n', out);
}
