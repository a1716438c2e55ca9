/* advice/stall/kernels.c: see kernels.h. */
#include "advice/stall/kernels.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <zstd.h>

#include "gpu/sass/cubin.h"
#include "gpu/sass/disassemble.h"
#include "gpu/stalls/opcodes.h"
#include "util/memory.h"

enum { WARP = 32, REGISTER_UNIT = 256, SHARED_UNIT = 1024, SHARED_RESERVED = 1024 };
#define TEXT ".text."

/* Where the section of a sampled function is, and where in it the function starts. */
struct place {
	char *section; /* its name without ".text." */
	uint64_t start;
};

/* -- modules -- */

struct finder {
	const struct cubin *cubin;
	const struct profile *profile;
	uint32_t code;
	struct place *places; /* by index of profile->stall_functions */
};

static bool note_symbol(void *data, const struct cubin_symbol *symbol)
{
	struct finder *finder = data;
	const struct profile *profile = finder->profile;
	struct cubin_section section;

	if (symbol->type != STT_FUNC)
		return true;
	section = cubin_section(finder->cubin, symbol->section);
	if (strncmp(section.name, TEXT, strlen(TEXT)) != 0)
		return true;
	for (uint32_t i = 0; i < profile->stall_function_count; i++)
		if (profile->stall_functions[i].code == finder->code &&
		    !finder->places[i].section &&
		    !strcmp(profile->stall_functions[i].name, symbol->name))
			finder->places[i] =
				(struct place){xstrdup(section.name + strlen(TEXT)), symbol->value};
	return true;
}

static char *unpack(const struct profile_stall_code *code, struct error *error)
{
	char *image;
	size_t size;

	if (!code->image.bytes) {
		error_set(error, "the profile does not have its code");
		return NULL;
	}
	if (code->bytes > PROFILE_STALL_CODE_MAX) {
		error_set(error, "its code would be larger than 512 MiB");
		return NULL;
	}
	image = xmalloc(code->bytes + 1);
	size = ZSTD_decompress(image, code->bytes, code->image.bytes, code->image.size);
	if (!ZSTD_isError(size) && size == code->bytes)
		return image;
	error_set(error, "its code in the profile is not what it was packed from");
	free(image);
	return NULL;
}

/* The names of sections with sampled functions, each once. */
static const char **sampled_sections(const struct profile *profile, uint32_t code,
				     const struct place *places, size_t *count)
{
	const char **names = xcalloc((size_t)profile->stall_function_count + 1, sizeof(*names));

	*count = 0;
	for (uint32_t i = 0; i < profile->stall_function_count; i++) {
		bool known = profile->stall_functions[i].code != code || !places[i].section;

		for (size_t k = 0; k < *count && !known; k++)
			known = !strcmp(names[k], places[i].section);
		if (!known)
			names[(*count)++] = places[i].section;
	}
	return names;
}

static struct stall_module read_module(const struct profile *profile, uint32_t code,
				       struct place *places)
{
	const struct profile_stall_code *row = &profile->stall_codes[code];
	struct stall_module module = {0};
	struct error error;
	char *image = unpack(row, &error);
	struct cubin cubin;
	const char **names;
	size_t count;

	if (!image) {
		module.unknown = xstrdup(error.text);
		return module;
	}
	if (cubin_open(&cubin, image, row->bytes)) {
		struct finder finder = {&cubin, profile, code, places};

		cubin_each_symbol(&cubin, note_symbol, &finder);
	}
	names = sampled_sections(profile, code, places, &count);
	if (count)
		module.listing = sass_disassemble(image, row->bytes, names, count, &error);
	else
		error_set(&error, "its code has no function of that name");
	if (module.listing)
		module.lines = sass_lines_read(image, row->bytes);
	else
		module.unknown = xstrdup(error.text);
	free(names);
	free(image);
	return module;
}

/* -- kernels -- */

static struct stall_kernel *find_kernel(struct stall_kernels *kernels,
					const struct stall_module *module, const char *name)
{
	for (size_t i = 0; i < kernels->count; i++)
		if (kernels->all[i].module == module && !strcmp(kernels->all[i].name, name))
			return &kernels->all[i];
	ARRAY_RESERVE(kernels->all, kernels->count, kernels->capacity);
	kernels->all[kernels->count] = (struct stall_kernel){
		.module = module, .name = xstrdup(name), .function = PROFILE_NO_ROW};
	return &kernels->all[kernels->count++];
}

static void read_code(struct stall_kernel *kernel)
{
	const struct sass_function *code =
		kernel->module->listing ? sass_find(kernel->module->listing, kernel->name) : NULL;
	struct error error;

	if (!code) {
		kernel->unknown =
			xstrdup(kernel->module->unknown ? kernel->module->unknown
							: "nvdisasm does not print this function");
		return;
	}
	kernel->flow = flow_build(code, &error);
	if (!kernel->flow)
		kernel->unknown = xstrdup(error.text);
}

static void add_count(struct stall_kernel *kernel, uint32_t instruction, enum stall_reason reason,
		      const struct profile_stall_sample *sample)
{
	ARRAY_RESERVE(kernel->counts, kernel->count_count, kernel->count_capacity);
	kernel->counts[kernel->count_count++] =
		(struct stall_count){instruction, reason, sample->samples, sample->latency};
}

static void add_sample(struct stall_kernel *kernel, const struct place *place,
		       const struct profile_stall_sample *sample)
{
	enum stall_reason reason =
		sample->reason < STALL_REASONS ? (enum stall_reason)sample->reason : STALL_OTHER;
	const struct sass_instruction *at = NULL;

	kernel->all.samples += (double)sample->samples;
	kernel->all.latency += (double)sample->latency;
	kernel->by_reason[reason].samples += (double)sample->samples;
	kernel->by_reason[reason].latency += (double)sample->latency;
	if (reason == STALL_SELECTED)
		kernel->issued += (double)sample->samples;
	if (!kernel->flow)
		return;
	at = sass_at(kernel->flow->function, place->start + sample->offset);
	if (at)
		add_count(kernel, (uint32_t)(at - kernel->flow->function->instructions), reason,
			  sample);
	else
		kernel->off_code += (double)sample->samples;
}

static int by_samples(const void *a, const void *b)
{
	const struct stall_kernel *left = a, *right = b;

	if (left->all.samples != right->all.samples)
		return left->all.samples > right->all.samples ? -1 : 1;
	return strcmp(left->name, right->name);
}

/* The rows are merged: functions of a section are one kernel. */
static void make_kernels(struct stall_kernels *kernels, const struct profile *profile,
			 const struct place *places)
{
	size_t *of = xcalloc((size_t)profile->stall_function_count + 1, sizeof(*of));

	for (uint32_t i = 0; i < profile->stall_function_count; i++) {
		const struct profile_stall_function *row = &profile->stall_functions[i];
		struct stall_kernel *kernel =
			find_kernel(kernels, &kernels->modules[row->code],
				    places[i].section ? places[i].section : row->name);

		kernel->profile = profile;
		if (profile->stall_device_count)
			kernel->device = &profile->stall_devices[0];
		if (row->launches && !strcmp(row->name, kernel->name)) {
			kernel->launched = row;
			kernel->function = i;
		}
		of[i] = (size_t)(kernel - kernels->all);
	}
	for (size_t i = 0; i < kernels->count; i++)
		read_code(&kernels->all[i]);
	for (uint32_t i = 0; i < profile->stall_sample_count; i++) {
		const struct profile_stall_sample *sample = &profile->stall_samples[i];

		add_sample(&kernels->all[of[sample->function]], &places[sample->function], sample);
		kernels->samples += (double)sample->samples;
	}
	free(of);
}

/*
 * Of the turns that the queue to shared memory, special registers, shuffles and slow arithmetic
 * serves, the share that banks cost which several threads want at a time.
 */
static double find_needless_turns(const struct stall_kernel *kernel)
{
	double turns = 0, needless = 0;

	for (size_t i = 0; i < kernel->count_count; i++) {
		const struct stall_count *count = &kernel->counts[i];
		enum stall_opcode opcode =
			stall_opcode_of(&kernel->flow->function->instructions[count->instruction]);
		unsigned ways = 1;

		if (count->reason != STALL_SELECTED ||
		    (opcode != OPCODE_SHARED && opcode != OPCODE_SPECIAL &&
		     opcode != OPCODE_CONVERSION && opcode != OPCODE_TRANSCENDENTAL))
			continue;
		if (opcode == OPCODE_SHARED)
			ways = stride_conflicts(&kernel->strides[count->instruction]);
		turns += (double)count->samples * ways;
		needless += (double)count->samples * (ways - 1);
	}
	return turns > 0 ? needless / turns : 0;
}

void stall_kernel_blame(struct stall_kernel *kernel)
{
	const struct sass_function *code = kernel->flow->function;
	bool *known = xcalloc((size_t)code->instruction_count + 1, sizeof(*known));

	kernel->blames = stall_blame(kernel->flow, kernel->counts, kernel->count_count);
	kernel->loops = stall_loops_find(kernel->flow);
	kernel->strides = xcalloc((size_t)code->instruction_count + 1, sizeof(*kernel->strides));
	for (size_t i = 0; i < kernel->blames.count; i++) {
		uint32_t source = kernel->blames.all[i].source;
		enum stall_opcode opcode;

		if (known[source])
			continue;
		known[source] = true;
		opcode = stall_opcode_of(&code->instructions[source]);
		if (opcode == OPCODE_GLOBAL || opcode == OPCODE_GLOBAL_STORE ||
		    opcode == OPCODE_SHARED)
			kernel->strides[source] = stride_find(kernel->flow, source);
	}
	free(known);
	kernel->needless_turns = find_needless_turns(kernel);
}

struct stall_kernels *stall_kernels_read(const struct profile *profile)
{
	struct stall_kernels *kernels = xcalloc(1, sizeof(*kernels));
	struct place *places = xcalloc((size_t)profile->stall_function_count + 1, sizeof(*places));

	kernels->module_count = profile->stall_code_count;
	kernels->modules = xcalloc((size_t)kernels->module_count + 1, sizeof(*kernels->modules));
	for (uint32_t i = 0; i < kernels->module_count; i++)
		kernels->modules[i] = read_module(profile, i, places);
	make_kernels(kernels, profile, places);
	for (size_t i = 0; i < kernels->count; i++) {
		struct stall_kernel *kernel = &kernels->all[i];

		if (!kernel->flow)
			continue;
		stall_kernel_blame(kernel);
	}
	if (kernels->count)
		qsort(kernels->all, kernels->count, sizeof(*kernels->all), by_samples);
	for (uint32_t i = 0; i < profile->stall_function_count; i++)
		free(places[i].section);
	free(places);
	return kernels;
}

void stall_kernels_free(struct stall_kernels *kernels)
{
	for (size_t i = 0; i < kernels->count; i++) {
		struct stall_kernel *kernel = &kernels->all[i];

		if (kernel->flow)
			stall_loops_free(&kernel->loops);
		free(kernel->blames.all);
		free(kernel->strides);
		flow_free(kernel->flow);
		free(kernel->counts);
		free(kernel->unknown);
		free(kernel->name);
	}
	for (uint32_t i = 0; i < kernels->module_count; i++) {
		sass_free(kernels->modules[i].listing);
		sass_lines_free(kernels->modules[i].lines);
		free(kernels->modules[i].unknown);
	}
	free(kernels->modules);
	free(kernels->all);
	free(kernels);
}

/* -- launches -- */

uint64_t stall_blocks(const struct stall_kernel *kernel)
{
	const struct profile_stall_function *row = kernel->launched;

	return row ? (uint64_t)row->grid_x * row->grid_y * row->grid_z : 0;
}

uint32_t stall_threads(const struct stall_kernel *kernel)
{
	const struct profile_stall_function *row = kernel->launched;
	uint64_t threads = row ? (uint64_t)row->block_x * row->block_y * row->block_z : 0;

	return threads <= 1024 ? (uint32_t)threads : 0;
}

static uint64_t round_up(uint64_t value, uint64_t unit)
{
	return (value + unit - 1) / unit * unit;
}

/* Blocks that a multiprocessor has room for, as NVIDIA's occupancy calculator counts; 0: unknown.
 */
static uint64_t resident_blocks(const struct stall_kernel *kernel)
{
	const struct profile_stall_function *row = kernel->launched;
	const struct profile_stall_device *device = kernel->device;
	uint64_t warps = (stall_threads(kernel) + WARP - 1) / WARP, most, registers, shared;

	if (!row || !device || !warps || !device->warps)
		return 0;
	most = device->warps / warps;
	if (device->blocks && device->blocks < most)
		most = device->blocks;
	registers = warps * round_up((uint64_t)row->registers * WARP, REGISTER_UNIT);
	if (device->registers && registers && device->registers / registers < most)
		most = device->registers / registers;
	shared = round_up((uint64_t)row->static_bytes + row->dynamic_bytes + SHARED_RESERVED,
			  SHARED_UNIT / 8);
	if (device->shared_bytes && device->shared_bytes / shared < most)
		most = device->shared_bytes / shared;
	return most ? most : 1;
}

double stall_possible_warps(const struct stall_kernel *kernel)
{
	return (double)resident_blocks(kernel) *
	       (double)((stall_threads(kernel) + WARP - 1) / WARP);
}

double stall_active_warps(const struct stall_kernel *kernel)
{
	double possible = stall_possible_warps(kernel), there;
	uint64_t blocks = stall_blocks(kernel);

	if (possible == 0 || !blocks || !kernel->device->multiprocessors)
		return 0;
	/* of those multiprocessors that have any */
	there = ceil((double)blocks / kernel->device->multiprocessors) *
		(double)((stall_threads(kernel) + WARP - 1) / WARP);
	return there < possible ? there : possible;
}

/* -- words -- */

const char *stall_function_of(const struct stall_kernel *kernel, uint32_t instruction)
{
	const struct sass_function *code = kernel->flow->function;
	const struct sass_label *last = NULL;

	for (uint32_t i = 0; i < code->label_count; i++)
		if (code->labels[i].name[0] != '.' && code->labels[i].instruction <= instruction &&
		    (!last || code->labels[i].instruction > last->instruction))
			last = &code->labels[i];
	return last ? last->name : code->name;
}

size_t stall_lines_of(const struct stall_kernel *kernel, uint32_t instruction,
		      struct sass_line lines[SASS_LINES_DEPTH])
{
	return sass_lines_find(kernel->module->lines, kernel->name,
			       kernel->flow->function->instructions[instruction].offset, lines);
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

char *stall_places(const struct stall_kernel *kernel, uint32_t instruction)
{
	struct sass_line lines[SASS_LINES_DEPTH];
	size_t count = stall_lines_of(kernel, instruction, lines);
	char *text = NULL;

	for (size_t i = 0; i < count; i++) {
		char *longer = xasprintf("%s%s%s:%u", text ? text : "", text ? " < " : "",
					 base_name(lines[i].file), lines[i].line);

		free(text);
		text = longer;
	}
	return text;
}

char *stall_text(const struct stall_kernel *kernel, uint32_t instruction)
{
	const struct sass_instruction *at = &kernel->flow->function->instructions[instruction];
	bool guarded = at->guard != SASS_TRUE || at->guard_negated;
	char guard[16] = "", *text;

	if (guarded && at->guard == SASS_TRUE)
		snprintf(guard, sizeof(guard), "@!%sPT ", at->guard_uniform ? "U" : "");
	else if (guarded)
		snprintf(guard, sizeof(guard), "@%s%sP%u ", at->guard_negated ? "!" : "",
			 at->guard_uniform ? "U" : "", at->guard);
	text = xasprintf("%s%s", guard, at->opcode);

	for (unsigned i = 0; i < at->operand_count; i++) {
		char *longer = xasprintf("%s%s %s", text, i ? "," : "", at->operands[i].text);

		free(text);
		text = longer;
	}
	return text;
}
