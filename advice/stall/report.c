/* advice/stall/report.c: see report.h. */
#include "advice/stall/report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "advice/report/page.h"
#include "advice/stall/hot.h"
#include "advice/stall/optimizer.h"
#include "advice/stall/worth.h"
#include "advice/words.h"
#include "gpu/stalls/opcodes.h"
#include "graph/symbols.h"
#include "util/memory.h"
#include "util/text.h"

enum { HOTTEST = 5, REASONS = 5, VERTICES = 4 }; /* that are shown of a kernel */

#define LEAST_SHARE 0.02 /* of a kernel's samples, of what is shown of it */

int report_stalls_check(const struct profile *profile, struct error *error)
{
	static const enum coverage_id why[] = {COVERAGE_STALLS_LOST, COVERAGE_STALLS_FAILED,
					       COVERAGE_STALLS_NOT_SAMPLED};

	if (profile->stall_sample_count)
		return 0;
	for (size_t i = 0; i < sizeof(why) / sizeof(*why); i++) {
		const struct profile_coverage *row = profile_find_coverage(profile, why[i]);

		if (row)
			return error_set(error, "%s: %s", row->what, row->reason);
	}
	for (uint32_t i = 0; i < profile->pass_count; i++)
		if (!strcmp(profile->passes[i].name, "stalls"))
			return error_set(error, "no kernel was sampled: the run had none, or they "
						"were too short: collect it with a smaller "
						"--stalls-period");
	return error_set(error, "the profile has no samples of stalls: collect it with --passes "
				"stalls, or flow,stalls, on a GPU");
}

static char *shown_name(const char *mangled)
{
	char *name = symbols_demangle(mangled), *shown;
	struct graph_vertex vertex = {.name = name};

	shown = words_name(&vertex);
	free(name);
	return shown;
}

static char *percent(double part, double whole)
{
	return xasprintf("%.1f%%", whole > 0 ? 100 * part / whole : 0);
}

/* Appends; `text` is owned and may be NULL. */
static char *append(char *text, const char *between, const char *more)
{
	char *longer = xasprintf("%s%s%s", text ? text : "", text ? between : "", more);

	free(text);
	return longer;
}

/* -- what a kernel is --------------------------------------------------------------------- */

static void print_reasons(const struct stall_kernel *kernel, FILE *out)
{
	bool shown[STALL_REASONS] = {[STALL_SELECTED] = true};
	char *latency = percent(kernel->all.latency, kernel->all.samples);
	char *text = xasprintf("in %s of the samples the scheduler had nothing to issue", latency);

	for (int i = 0; i < REASONS; i++) {
		unsigned most = STALL_SELECTED;
		char *share, *line;

		for (unsigned r = 0; r < STALL_REASONS; r++)
			if (!shown[r] &&
			    (most == STALL_SELECTED ||
			     kernel->by_reason[r].samples > kernel->by_reason[most].samples))
				most = r;
		if (kernel->by_reason[most].samples < LEAST_SHARE * kernel->all.samples)
			break;
		shown[most] = true;
		share = percent(kernel->by_reason[most].samples, kernel->all.samples);
		line = xasprintf("%s %s", stall_reason_name((enum stall_reason)most), share);
		text = append(text, i ? ", " : "; ", line);
		free(share);
		free(line);
	}
	page_field(out, "waits", text);
	free(latency);
	free(text);
}

static void print_launches(const struct stall_kernel *kernel, FILE *out)
{
	const struct profile_stall_function *row = kernel->launched;
	double active = stall_active_warps(kernel);
	char *text, *warps;

	if (!row) {
		page_field(out, "launched", "by no call: a function that kernels call");
		return;
	}
	text = xasprintf("%" PRIu64 " time%s, <<<(%u, %u, %u), (%u, %u, %u)>>>, %u registers, "
			 "%" PRIu64 " bytes of shared memory",
			 row->launches, text_plural(row->launches, "", "s"), row->grid_x,
			 row->grid_y, row->grid_z, row->block_x, row->block_y, row->block_z,
			 row->registers, (uint64_t)row->static_bytes + row->dynamic_bytes);
	if (active > 0) {
		warps = xasprintf("%.0f of %u warps on a multiprocessor", active,
				  kernel->device->warps);
		text = append(text, "; ", warps);
		free(warps);
	}
	if (row->geometries > 1)
		text = append(text, "; ", "others, too: this one took most time");
	page_field(out, "launched", text);
	free(text);
}

static void print_vertices(const struct stall_kernel *kernel, FILE *out)
{
	const struct profile *profile = kernel->profile;
	uint32_t shown = 0, count = 0;
	double all = 0;

	for (uint32_t i = 0; i < profile->stall_vertex_count; i++)
		if (profile->stall_vertices[i].function == kernel->function) {
			all += (double)profile->stall_vertices[i].time_ns;
			count++;
		}
	for (uint32_t i = 0; i < profile->stall_vertex_count && shown < VERTICES; i++) {
		const struct profile_stall_vertex *at = &profile->stall_vertices[i];
		uint32_t index = graph_find(profile->graph, at->vertex);
		char *words, *share, *text;

		if (at->function != kernel->function || index == UINT32_MAX)
			continue;
		words = words_vertex(profile, index);
		share = percent((double)at->time_ns, all);
		text = count > 1 ? xasprintf("%s: %s of the time", words, share) : xstrdup(words);
		page_field(out, shown++ ? "" : "operation", text);
		free(words);
		free(share);
		free(text);
	}
	if (count > 1)
		page_field(out, "",
			   "samples do not say which of these they are of: all that follows is of "
			   "them together");
}

/* -- who is to blame ---------------------------------------------------------------------- */

/* "a load of global memory, LDG.E R2, desc[UR4][R2.64] (a.cu:12)" */
static char *instruction_words(const struct stall_kernel *kernel, uint32_t instruction)
{
	const struct sass_instruction *at = &kernel->flow->function->instructions[instruction];
	char *code = stall_text(kernel, instruction), *place = stall_places(kernel, instruction);
	char *text = xasprintf("%s, %s (%s%s+0x%x)", stall_opcode_words(at), code,
			       place ? place : "", place ? ", " : "", at->offset);

	free(code);
	free(place);
	return text;
}

static char *blame_words(const struct stall_kernel *kernel, const struct stall_hot *hot)
{
	const struct stall_blame *blame = hot->blame;
	char *source = instruction_words(kernel, blame->source), *stalled, *text;

	if (blame->dependency == STALL_NO_DEPENDENCY) {
		text = xasprintf("%s: %s", stall_reason_name(blame->reason), source);
	} else {
		stalled = stall_text(kernel, blame->stalled);
		text = xasprintf("%s: %s; %s waits for it, %u instruction%s later%s",
				 stall_reason_name(blame->reason), source, stalled, blame->distance,
				 text_plural(blame->distance, "", "s"),
				 blame->dependency == STALL_AFTER_READ ? ", to write what it reads"
								       : "");
		free(stalled);
	}
	free(source);
	for (uint32_t i = 0; i < hot->cause_count; i++) {
		source = instruction_words(kernel, hot->causes[i]);
		text = append(text, i ? ", which waited for " : "; it waited itself for ", source);
		free(source);
	}
	return text;
}

static void print_blames(const struct stall_kernel *kernel, FILE *out)
{
	size_t count;
	struct stall_hot *hot = stall_hottest(kernel, HOTTEST, &count);
	char *text;

	for (size_t i = 0; i < count; i++) {
		char *share, *words;

		if (i && hot[i].blame->samples < LEAST_SHARE * kernel->all.samples)
			break;
		share = percent(hot[i].blame->samples, kernel->all.samples);
		words = blame_words(kernel, &hot[i]);
		text = xasprintf("%s %s", share, words);
		page_field(out, i ? "" : "blamed", text);
		free(share);
		free(words);
		free(text);
	}
	free(hot);
}

/* -- what to do --------------------------------------------------------------------------- */

static char *gain_words(const struct report_stalls *report, const struct stall_kernel *kernel,
			const struct stall_advice *advice)
{
	uint64_t worth = stall_worth(report->replay, kernel, advice->speedup);
	double ns = kernel->launched ? (double)kernel->launched->time_ns : 0;
	char *saved = words_ns((uint64_t)(ns * (1 - 1 / advice->speedup)));
	static const char *const bounds[] = {
		[STALL_ABOUT] = "", [STALL_AT_LEAST] = "at least ", [STALL_AT_MOST] = "at most "};
	char *least =
		advice->least < advice->speedup - 0.005
			? xasprintf(", %.2fx if as many instructions come instead", advice->least)
			: xstrdup("");
	char *text = xasprintf("%s%.2fx%s%s%s%s", bounds[advice->bound], advice->speedup, least,
			       ns > 0 ? ", saves " : "", ns > 0 ? saved : "",
			       advice->bounded ? ", as fast as the memory is" : "");

	free(saved);
	free(least);
	if (worth != PROFILE_UNKNOWN) {
		char *run = words_ns(worth), *more = xasprintf("%s of the whole run", run);

		text = append(text, ", ", more);
		free(run);
		free(more);
	}
	if (advice->further < advice->speedup - 0.005) {
		char *more = xasprintf("%.2fx after those above", advice->further);

		text = append(text, "; ", more);
		free(more);
	}
	return text;
}

static void print_advice(const struct report_stalls *report, const struct stall_kernel *kernel,
			 size_t number, const struct stall_advice *advice, FILE *out)
{
	char *gain = gain_words(report, kernel, advice), *text, *label;

	text = xasprintf("%s (%s): %s", advice->optimizer->title, gain, advice->optimizer->advice);
	label = xasprintf("advice %zu", number);
	page_field(out, label, text);
	free(label);
	free(text);
	free(gain);
	if (advice->source != SASS_NONE) {
		char *share = percent(advice->at_line.samples, kernel->all.samples);
		char *source = instruction_words(kernel, advice->source);
		char *used = advice->stalled == advice->source
				     ? NULL
				     : instruction_words(kernel, advice->stalled);

		text = xasprintf("%s of the samples: %s%s%s", share, source,
				 used ? "; waited for at " : "", used ? used : "");
		page_field(out, "  where", text);
		free(share);
		free(source);
		free(used);
		free(text);
	}
	page_field(out, "  limits", advice->optimizer->limits);
}

/* What is not needed is to go, not to become faster. */
static void print_findings(const struct stall_kernel *kernel, FILE *out)
{
	bool first = true;

	for (uint32_t i = stall_next_finding(kernel, 0); i != PROFILE_NO_ROW;
	     i = stall_next_finding(kernel, i + 1)) {
		const struct profile_finding *finding = &kernel->profile->findings[i];
		char *pattern = words_action(finding->pattern),
		     *bytes = words_bytes(finding->bytes);
		char *text = xasprintf("finding %u of vflow report (%s, %s) is about this kernel: "
				       "see first whether this work is needed",
				       i + 1, pattern, bytes);

		page_field(out, first ? "values" : "", text);
		first = false;
		free(pattern);
		free(bytes);
		free(text);
	}
}

static void print_kernel(const struct report_stalls *report, size_t number, FILE *out)
{
	const struct stall_kernel *kernel = &report->kernels->all[number];
	char *name = shown_name(kernel->name);
	char *share = percent(kernel->all.samples, report->kernels->samples);
	char *time = kernel->launched ? words_ns(kernel->launched->time_ns) : NULL;
	char *title = xasprintf("%zu. %s: %s of the samples%s%s", number + 1, name, share,
				time ? ", " : "", time ? time : "");
	struct stall_advice *advice;
	size_t count;

	fputc('\n', out);
	page_heading(report->colour, out, title);
	print_vertices(kernel, out);
	print_launches(kernel, out);
	print_reasons(kernel, out);
	print_findings(kernel, out);
	if (kernel->unknown) {
		page_field(out, "blamed", kernel->unknown);
	} else {
		print_blames(kernel, out);
		advice = stall_advise(kernel, &count);
		for (size_t i = 0; i < count; i++)
			print_advice(report, kernel, i + 1, &advice[i], out);
		if (!count)
			page_field(out, "advice", "none that would make it 2 % faster");
		free(advice);
	}
	if (kernel->flow && kernel->blames.nodes) {
		char *text = xasprintf(
			"%.0f%% of %" PRIu64 " waits have a single cause%s",
			100.0 * (double)kernel->blames.single / (double)kernel->blames.nodes,
			kernel->blames.nodes,
			kernel->module->lines ? "" : "; no lines: compile with -lineinfo");

		page_field(out, "seen", text);
		free(text);
	}
	free(title);
	free(time);
	free(share);
	free(name);
}

static void print_devices(const struct report_stalls *report, FILE *out)
{
	const struct profile *profile = report->profile;
	uint64_t samples = 0, others = 0;

	for (uint32_t i = 0; i < profile->stall_device_count; i++) {
		profile_add(&samples, profile->stall_devices[i].samples);
		profile_add(&others, profile->stall_devices[i].other_samples);
	}
	fprintf(out,
		"%" PRIu64 " samples, of each multiprocessor every 2^%u cycles; %zu function%s",
		samples, profile->stall_device_count ? profile->stall_devices[0].period : 0,
		report->kernels->count, text_plural(report->kernels->count, "", "s"));
	if (others)
		fprintf(out, "; %" PRIu64 " samples were in kernels of the driver", others);
	fputc('\n', out);
}

void report_stalls_print(const struct report_stalls *report, FILE *out)
{
	size_t shown = report->kernels->count;

	if (report->top && shown > report->top)
		shown = report->top;
	print_devices(report, out);
	for (size_t i = 0; i < shown; i++)
		print_kernel(report, i, out);
	if (shown < report->kernels->count)
		fprintf(out, "\n%zu more: --top 0 shows all\n", report->kernels->count - shown);
	fputs("\nEstimates are of this run on this device, each as if it were followed alone; none "
	      "is a promise.\n",
	      out);
}
