/* advice/stall/optimizer.c: see optimizer.h. */
#include "advice/stall/optimizer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/stalls/opcodes.h"
#include "util/memory.h"

#define LEAST_SPEEDUP 1.02
#define MOST_HIDDEN 2.0
#define MOST_FETCHES 0.3
#define BANDWIDTH 0.9 /* of what clock and bus give, that programs reach */

/* ROW(name) of each file of advice/stall/optimizer/, by the Makefile. */
#define ROW(name) extern const struct stall_optimizer optimizer_##name;
#include "rows/advice/stall/optimizer.def"
#undef ROW

static const struct stall_optimizer *const optimizers[] = {
#define ROW(name) &optimizer_##name,
#include "rows/advice/stall/optimizer.def"
#undef ROW
	NULL,
};

const struct sass_instruction *stall_source(const struct stall_kernel *kernel,
					    const struct stall_blame *blame)
{
	return &kernel->flow->function->instructions[blame->source];
}

bool stall_waits_for_result(const struct stall_blame *blame)
{
	enum stall_rule rule = stall_rule_of(blame->reason);

	return rule == STALL_RULE_BARRIERS || rule == STALL_RULE_BEFORE;
}

bool stall_is_of_compiler(const char *function)
{
	return strstr(function, "cuda_sm") || strstr(function, "__internal_");
}

bool stall_fetches_much(const struct stall_kernel *kernel)
{
	return kernel->by_reason[STALL_NO_INSTRUCTIONS].samples >
	       MOST_FETCHES * kernel->all.samples;
}

double stall_issue_share(double issue, double warps)
{
	return 1 - pow(1 - issue, warps);
}

/* -- samples -- */

/* Samples without latency that are in the loop, or in any block. */
static double active_in(const struct stall_kernel *kernel, uint32_t loop)
{
	double active = 0;

	for (size_t i = 0; i < kernel->count_count; i++) {
		const struct stall_count *at = &kernel->counts[i];
		uint32_t in = kernel->loops.innermost[kernel->flow->block_of[at->instruction]];

		while (loop != SASS_NONE && in != SASS_NONE && in != loop)
			in = kernel->loops.all[in].parent;
		if (loop == SASS_NONE || in == loop)
			active += (double)(at->samples - at->latency);
	}
	return active;
}

/* An instruction that is blamed, and its line. */
struct blamed {
	uint32_t instruction, line; /* 0: it has none */
	const char *file;
	struct stall_sum sum;
};

static int by_instruction(const struct blamed *a, const struct blamed *b)
{
	return (a->instruction > b->instruction) - (a->instruction < b->instruction);
}

/* All instructions of a line are equal; those without one are not. */
static int by_line_alone(const void *a, const void *b)
{
	const struct blamed *left = a, *right = b;
	int files = strcmp(left->file, right->file);

	if (files || left->line != right->line)
		return files ? files : left->line < right->line ? -1 : 1;
	return left->line ? 0 : by_instruction(left, right);
}

static int by_line(const void *a, const void *b)
{
	int lines = by_line_alone(a, b);

	return lines ? lines : by_instruction(a, b);
}

static struct blamed blamed_at(const struct stall_kernel *kernel, uint32_t instruction)
{
	struct blamed at = {.instruction = instruction, .file = ""};
	struct sass_line lines[SASS_LINES_DEPTH];

	if (stall_lines_of(kernel, instruction, lines)) {
		at.line = lines[0].line;
		at.file = lines[0].file;
	}
	return at;
}

/* Those that match, by line; caller frees. */
static struct blamed *find_blamed(const struct stall_kernel *kernel, const double *shares,
				  size_t *count)
{
	uint32_t instructions = kernel->flow->function->instruction_count;
	struct blamed *blamed = xcalloc((size_t)instructions + 1, sizeof(*blamed));

	*count = 0;
	for (size_t i = 0; i < kernel->blames.count; i++)
		if (shares[i] > 0) {
			struct stall_sum *sum = &blamed[kernel->blames.all[i].source].sum;

			sum->samples += kernel->blames.all[i].samples * shares[i];
			sum->latency += kernel->blames.all[i].latency * shares[i];
		}
	for (uint32_t i = 0; i < instructions; i++) {
		struct stall_sum sum = blamed[i].sum;

		if (sum.samples <= 0)
			continue;
		blamed[*count] = blamed_at(kernel, i);
		blamed[(*count)++].sum = sum;
	}
	if (*count)
		qsort(blamed, *count, sizeof(*blamed), by_line);
	return blamed;
}

bool stall_may_go(const struct sass_instruction *at)
{
	enum stall_opcode opcode = stall_opcode_of(at);

	return opcode != OPCODE_GLOBAL && opcode != OPCODE_GLOBAL_STORE && opcode != OPCODE_LOCAL &&
	       opcode != OPCODE_SHARED && opcode != OPCODE_SYNCHRONIZATION &&
	       opcode != OPCODE_CONTROL;
}

bool stall_is_slow(const struct sass_instruction *at)
{
	enum stall_opcode opcode = stall_opcode_of(at);

	return (opcode == OPCODE_CONVERSION || opcode == OPCODE_TRANSCENDENTAL) &&
	       !sass_has(at, "F64") && !sass_has(at, "RCP64H") && !sass_has(at, "RSQ64H");
}

/*
 * What it takes to issue the instructions of the sources' lines that go.  In T - L of T samples the
 * scheduler issued some warp's instruction; which ones these were, the samples of warps that were
 * just issuing say.  Where a warp waited while others issued, nothing is taken by it.
 */
static double issue_of_lines(const struct stall_kernel *kernel,
			     const struct stall_optimizer *optimizer, const double *shares)
{
	const struct sass_instruction *code = kernel->flow->function->instructions;
	size_t blamed_count;
	struct blamed *blamed = find_blamed(kernel, shares, &blamed_count);
	double issued = 0;

	for (size_t i = 0; i < kernel->count_count; i++) {
		const struct stall_count *count = &kernel->counts[i];
		const struct sass_instruction *at = &code[count->instruction];
		struct blamed wanted;

		if (count->reason != STALL_SELECTED ||
		    !(optimizer->goes ? optimizer->goes : stall_may_go)(at))
			continue;
		wanted = blamed_at(kernel, count->instruction);
		if (blamed_count &&
		    bsearch(&wanted, blamed, blamed_count, sizeof(wanted), by_line_alone))
			issued += (double)count->samples;
	}
	free(blamed);
	return kernel->issued > 0
		       ? issued / kernel->issued * (kernel->all.samples - kernel->all.latency)
		       : 0;
}

/* Of what matches and is not used up, how much latency could go. */
static double removable(const struct stall_kernel *kernel, const struct stall_optimizer *optimizer,
			const double *shares, const double *left)
{
	double latency = 0, *by_loop, hidden = 0;

	if (optimizer->estimate != STALL_HIDDEN_IN_LOOP) {
		for (size_t i = 0; i < kernel->blames.count; i++)
			latency += kernel->blames.all[i].latency * fmin(shares[i], left[i]);
		if (optimizer->estimate == STALL_HIDDEN)
			latency = fmin(latency, active_in(kernel, SASS_NONE));
		if (optimizer->estimate == STALL_REPLACED)
			latency += issue_of_lines(kernel, optimizer, shares);
		return latency;
	}
	by_loop = xcalloc((size_t)kernel->loops.count + 1, sizeof(*by_loop));
	for (size_t i = 0; i < kernel->blames.count; i++) {
		const struct stall_blame *blame = &kernel->blames.all[i];
		uint32_t loop = stall_loops_common(&kernel->loops, kernel->flow, blame->source,
						   blame->stalled);

		if (loop != SASS_NONE)
			by_loop[loop] += blame->latency * fmin(shares[i], left[i]);
	}
	for (uint32_t i = 0; i < kernel->loops.count; i++)
		if (by_loop[i] > 0)
			hidden += fmin(by_loop[i], active_in(kernel, i));
	free(by_loop);
	return hidden;
}

static double speedup_of(const struct stall_kernel *kernel, const struct stall_optimizer *optimizer,
			 const double *shares, const double *left)
{
	double all = kernel->all.samples, gone, most;

	if (optimizer->estimate == STALL_MORE_BLOCKS)
		return optimizer->speedup(kernel);
	if (optimizer->estimate == STALL_MORE_WARPS) /* they hide latency, and no more */
		return fmin(optimizer->speedup(kernel), all / fmax(all - kernel->all.latency, 1));
	gone = removable(kernel, optimizer, shares, left);
	gone = fmin(gone, all - 1); /* something stays */
	most = optimizer->estimate == STALL_HIDDEN || optimizer->estimate == STALL_HIDDEN_IN_LOOP
		       ? MOST_HIDDEN
		       : HUGE_VAL;
	return fmin(all / (all - gone), most);
}

/*
 * The bytes that the kernel reads and writes, by pass `flow`, have to come and go: how much faster
 * it could be at most; HUGE_VAL: not known.
 */
static double memory_bound(const struct stall_kernel *kernel)
{
	const struct profile_stall_device *device = kernel->device;
	const struct profile *profile = kernel->profile;
	double bytes = 0, ns = 0, rate;

	if (!device || !device->memory_kilohertz || !device->bus_bits)
		return HUGE_VAL;
	for (uint32_t i = 0; i < profile->stall_vertex_count; i++) {
		const struct profile_stall_vertex *at = &profile->stall_vertices[i];
		uint32_t index = graph_find(profile->graph, at->vertex);
		const struct graph_vertex *vertex =
			index == UINT32_MAX ? NULL : &profile->graph->vertices[index];

		if (at->function != kernel->function || !vertex || !vertex->invocations)
			continue;
		bytes += (double)(vertex->read_bytes + vertex->written_bytes) /
			 (double)vertex->invocations * (double)at->launches;
		ns += (double)at->time_ns;
	}
	/* bytes in a ns: both edges of the clock */
	rate = BANDWIDTH * 2 * device->memory_kilohertz * 1e3 * device->bus_bits / 8 / 1e9;
	if (bytes <= 0 || ns <= 0)
		return HUGE_VAL;
	return fmax(ns / (bytes / rate), 1);
}

/* -- the advice -- */

/* On the line on which most latency is blamed the instruction with most, and who waits for it. */
static void find_place(const struct stall_kernel *kernel, const double *shares,
		       struct stall_advice *advice)
{
	const struct stall_blames *blames = &kernel->blames;
	size_t count;
	struct blamed *blamed = find_blamed(kernel, shares, &count);
	double most = -1;

	for (size_t i = 0, next; i < count; i = next) {
		const struct blamed *best = &blamed[i];
		struct stall_sum sum = {0};

		for (next = i; next < count && !by_line_alone(&blamed[i], &blamed[next]); next++) {
			sum.samples += blamed[next].sum.samples;
			sum.latency += blamed[next].sum.latency;
			if (blamed[next].sum.latency > best->sum.latency)
				best = &blamed[next];
		}
		if (advice->source != SASS_NONE && sum.latency <= advice->at_line.latency)
			continue;
		advice->source = advice->stalled = best->instruction;
		advice->at_line = sum;
	}
	for (size_t i = 0; i < blames->count; i++)
		if (shares[i] > 0 && blames->all[i].source == advice->source &&
		    blames->all[i].latency > most) {
			most = blames->all[i].latency;
			advice->stalled = blames->all[i].stalled;
			advice->distance = blames->all[i].distance;
			advice->reason = blames->all[i].reason;
		}
	free(blamed);
}

static int by_speedup(const void *a, const void *b)
{
	const struct stall_advice *left = a, *right = b;

	if (left->speedup != right->speedup)
		return left->speedup > right->speedup ? -1 : 1;
	return strcmp(left->optimizer->name, right->optimizer->name);
}

static double *find_shares(const struct stall_kernel *kernel,
			   const struct stall_optimizer *optimizer)
{
	double *shares = xcalloc(kernel->blames.count + 1, sizeof(*shares));

	for (size_t i = 0; optimizer->share && i < kernel->blames.count; i++)
		shares[i] = optimizer->share(kernel, &kernel->blames.all[i]);
	return shares;
}

static double *all_left(const struct stall_kernel *kernel)
{
	double *left = xcalloc(kernel->blames.count + 1, sizeof(*left));

	for (size_t i = 0; i < kernel->blames.count; i++)
		left[i] = 1;
	return left;
}

/* Samples that a better one takes away are no more there for those after it. */
static void subtract(const struct stall_kernel *kernel, struct stall_advice *all, size_t count)
{
	double *left = all_left(kernel);

	for (size_t i = 0; i < count; i++) {
		double *shares = find_shares(kernel, all[i].optimizer);

		all[i].further =
			fmin(speedup_of(kernel, all[i].optimizer, shares, left), all[i].speedup);
		for (size_t k = 0; k < kernel->blames.count; k++)
			left[k] -= fmin(shares[k], left[k]);
		free(shares);
	}
	free(left);
}

struct stall_advice *stall_advise(const struct stall_kernel *kernel, size_t *count)
{
	struct stall_advice *all = xcalloc(sizeof(optimizers) / sizeof(*optimizers), sizeof(*all));
	double bound = memory_bound(kernel), *left = all_left(kernel);

	*count = 0;
	for (size_t i = 0; optimizers[i] && kernel->flow; i++) {
		struct stall_advice advice = {
			.optimizer = optimizers[i], .source = SASS_NONE, .stalled = SASS_NONE};
		double *shares = find_shares(kernel, optimizers[i]);

		advice.bound = optimizers[i]->bound;
		for (size_t k = 0; k < kernel->blames.count; k++) {
			if (shares[k] > 0 && optimizers[i]->certain &&
			    !optimizers[i]->certain(kernel, &kernel->blames.all[k]))
				advice.bound = STALL_ABOUT;
			advice.matched.samples += kernel->blames.all[k].samples * shares[k];
			advice.matched.latency += kernel->blames.all[k].latency * shares[k];
		}
		advice.speedup = speedup_of(kernel, optimizers[i], shares, left);
		advice.bounded = advice.speedup > bound;
		advice.speedup = fmin(advice.speedup, bound);
		advice.least = advice.speedup;
		if (optimizers[i]->estimate == STALL_REPLACED)
			advice.least =
				fmin(kernel->all.samples /
					     fmax(kernel->all.samples - advice.matched.latency, 1),
				     advice.speedup);
		if (advice.speedup >= LEAST_SPEEDUP) {
			if (advice.matched.samples > 0)
				find_place(kernel, shares, &advice);
			all[(*count)++] = advice;
		}
		free(shares);
	}
	free(left);
	if (*count)
		qsort(all, *count, sizeof(*all), by_speedup);
	subtract(kernel, all, *count);
	return all;
}
