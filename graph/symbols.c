/* graph/symbols.c: DWARF and ELF symbols by libdw. */
#include "graph/symbols.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <uthash.h>

#include "graph/symbol_table.h"
#include "util/memory.h"
#include "util/text.h"

#define NAME_LIMIT 4096
#define INLINE_MAX 64

struct place { /* an offset that was asked for */
	uint64_t offset;
	uint32_t first, count; /* frames in the profile: they are added one after the other */
	UT_hash_handle hh;
};

struct unit_range { /* addresses of the debug information that one compilation unit describes */
	Dwarf_Addr low, high;
	Dwarf_Die unit;
	Dwarf_Addr bias;
};

struct symbols_module {
	char *path, *build_id;
	Dwfl *dwfl;
	Dwfl_Module *module;        /* NULL: nothing but offsets */
	Dwarf_Addr bias;            /* of dwfl's addresses against the file's */
	struct symbol_table *table; /* NULL: not read yet */
	struct place *places;
	struct unit_range *units; /* by address */
	size_t unit_count, unit_capacity;
	bool units_listed;
	struct symbols_module *next;
};

struct symbols {
	struct profile *profile;
	struct symbols_module *modules;
	uint32_t *answer;
	uint32_t answer_capacity;
};

static char *clean_copy(const char *text)
{
	return text ? text_clean(text, strlen(text), NAME_LIMIT) : NULL;
}

struct symbols *symbols_new(struct profile *profile)
{
	struct symbols *symbols = xcalloc(1, sizeof(*symbols));

	symbols->profile = profile;
	/* libdw would ask servers for debug information: a profile is made without a network */
	unsetenv("DEBUGINFOD_URLS");
	return symbols;
}

static void free_module(struct symbols_module *module)
{
	struct place *place, *next;

	HASH_ITER(hh, module->places, place, next)
	{
		HASH_DEL(module->places, place);
		free(place);
	}
	symbol_table_free(module->table);
	if (module->dwfl)
		dwfl_end(module->dwfl);
	free(module->units);
	free(module->path);
	free(module->build_id);
	free(module);
}

void symbols_free(struct symbols *symbols)
{
	while (symbols->modules) {
		struct symbols_module *next = symbols->modules->next;

		free_module(symbols->modules);
		symbols->modules = next;
	}
	free(symbols->answer);
	free(symbols);
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static bool build_id_matches(const struct symbols_module *module)
{
	const unsigned char *bits;
	GElf_Addr address;
	int size = dwfl_module_build_id(module->module, &bits, &address);

	if (size <= 0 || (size_t)size * 2 != strlen(module->build_id))
		return false;
	for (int i = 0; i < size; i++) {
		char hex[3];

		snprintf(hex, sizeof(hex), "%02x", bits[i]);
		if (memcmp(hex, module->build_id + 2 * (size_t)i, 2) != 0)
			return false;
	}
	return true;
}

/* Why the file is of no use; COVERAGE_NONE: it is. */
static enum coverage_id open_module(struct symbols_module *module)
{
	static const Dwfl_Callbacks callbacks = {
		.find_elf = dwfl_build_id_find_elf,
		.find_debuginfo = dwfl_standard_find_debuginfo,
		.section_address = dwfl_offline_section_address,
	};
	struct stat status;

	if (stat(module->path, &status) != 0 || !S_ISREG(status.st_mode))
		return COVERAGE_SYMBOLS_NO_FILE;
	module->dwfl = dwfl_begin(&callbacks);
	if (!module->dwfl)
		return COVERAGE_SYMBOLS_NO_LIBDW;
	module->module = dwfl_report_offline(module->dwfl, module->path, module->path, -1);
	dwfl_report_end(module->dwfl, NULL, NULL);
	if (!module->module || !dwfl_module_getelf(module->module, &module->bias)) {
		module->module = NULL;
		return COVERAGE_SYMBOLS_NO_ELF;
	}
	if (module->build_id && !build_id_matches(module)) {
		module->module = NULL;
		return COVERAGE_SYMBOLS_OTHER_FILE;
	}
	return COVERAGE_NONE;
}

struct symbols_module *symbols_module(struct symbols *symbols, const char *path,
				      const char *build_id)
{
	struct symbols_module *module;
	enum coverage_id failure;

	for (module = symbols->modules; module; module = module->next)
		if (!strcmp(module->path, path) && !module->build_id == !build_id &&
		    (!build_id || !strcmp(module->build_id, build_id)))
			return module;
	module = xcalloc(1, sizeof(*module));
	module->path = xstrdup(path);
	module->build_id = build_id ? xstrdup(build_id) : NULL;
	module->next = symbols->modules;
	symbols->modules = module;
	failure = open_module(module);
	if (failure) {
		char *name = clean_copy(base_name(path));

		profile_add_coverage(symbols->profile, failure, name, 1, 0);
		free(name);
	}
	return module;
}

static struct profile_frame *add_frame(struct symbols *symbols, const struct symbols_module *module,
				       uint64_t offset)
{
	struct profile *profile = symbols->profile;
	struct profile_frame *frame;

	ARRAY_RESERVE(profile->frames, profile->frame_count, profile->frame_capacity);
	frame = &profile->frames[profile->frame_count++];
	*frame = (struct profile_frame){
		.module = clean_copy(module->path),
		.build_id = module->build_id ? xstrdup(module->build_id) : NULL,
		.offset = offset,
	};
	return frame;
}

static char *die_name(Dwarf_Die *die)
{
	Dwarf_Attribute attribute;
	const char *name = NULL;

	if (dwarf_attr_integrate(die, DW_AT_linkage_name, &attribute) ||
	    dwarf_attr_integrate(die, DW_AT_MIPS_linkage_name, &attribute))
		name = dwarf_formstring(&attribute);
	if (!name && dwarf_attr_integrate(die, DW_AT_name, &attribute))
		name = dwarf_formstring(&attribute);
	return name ? symbols_demangle(name) : NULL;
}

static bool is_function(Dwarf_Die *die)
{
	int tag = dwarf_tag(die);

	return tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine ||
	       tag == DW_TAG_entry_point;
}

/* Where the inlined function was called. */
static void set_call_site(struct profile_frame *frame, Dwarf_Die *unit, Dwarf_Die *inlined)
{
	Dwarf_Attribute attribute;
	Dwarf_Word value;
	Dwarf_Files *files;
	size_t count;

	if (dwarf_formudata(dwarf_attr(inlined, DW_AT_call_file, &attribute), &value) == 0 &&
	    dwarf_getsrcfiles(unit, &files, &count) == 0 && value < count)
		frame->file = clean_copy(dwarf_filesrc(files, value, NULL, NULL));
	if (dwarf_formudata(dwarf_attr(inlined, DW_AT_call_line, &attribute), &value) == 0 &&
	    value <= UINT32_MAX)
		frame->line = (uint32_t)value;
}

/* The chain of scopes around the address, innermost first, through inlined functions. */
static int scopes_at(Dwarf_Die *unit, Dwarf_Addr address, Dwarf_Die **scopes)
{
	Dwarf_Die innermost, *around = NULL;
	int count = dwarf_getscopes(unit, address, &around);

	if (count <= 0)
		return 0;
	innermost = around[0];
	free(around);
	*scopes = NULL;
	/* what dwarf_getscopes() gives outside of an inlined function is where it was defined */
	count = dwarf_getscopes_die(&innermost, scopes);
	return count > 0 ? count : 0;
}

static int by_low(const void *a, const void *b)
{
	const struct unit_range *x = a, *y = b;

	return (x->low > y->low) - (x->low < y->low);
}

/* libdw finds units by .debug_aranges only, which clang does not write. */
static void list_units(struct symbols_module *module)
{
	Dwarf_Addr bias, base, low, high;
	Dwarf_Die *unit = NULL;

	module->units_listed = true;
	while ((unit = dwfl_module_nextcu(module->module, unit, &bias)))
		for (ptrdiff_t at = 0; (at = dwarf_ranges(unit, at, &base, &low, &high)) > 0;) {
			ARRAY_RESERVE(module->units, module->unit_count, module->unit_capacity);
			module->units[module->unit_count++] =
				(struct unit_range){.low = low + bias,
						    .high = high + bias,
						    .unit = *unit,
						    .bias = bias};
		}
	if (module->unit_count)
		qsort(module->units, module->unit_count, sizeof(*module->units), by_low);
}

/* The compilation unit at the address of dwfl's; `bias` is that of its debug information. */
static Dwarf_Die *unit_at(struct symbols_module *module, Dwarf_Addr address, Dwarf_Addr *bias)
{
	Dwarf_Die *unit = dwfl_module_addrdie(module->module, address, bias);
	size_t low = 0, high;

	if (unit)
		return unit;
	if (!module->units_listed)
		list_units(module);
	high = module->unit_count; /* the last range that starts at or before the address */
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (module->units[middle].low <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low || address >= module->units[low - 1].high)
		return NULL;
	*bias = module->units[low - 1].bias;
	return &module->units[low - 1].unit;
}

static void set_line(struct profile_frame *frame, Dwarf_Die *unit, Dwarf_Addr address)
{
	Dwarf_Line *line = dwarf_getsrc_die(unit, address);
	int number = 0;

	if (!line)
		return;
	frame->file = clean_copy(dwarf_linesrc(line, NULL, NULL));
	if (dwarf_lineno(line, &number) == 0 && number > 0)
		frame->line = (uint32_t)number;
}

/* Function names and call sites by DWARF; false when it knows no function there. */
static bool describe_scopes(struct symbols *symbols, struct symbols_module *module, Dwarf_Die *unit,
			    Dwarf_Addr address, uint64_t offset, uint32_t first)
{
	Dwarf_Die *scopes = NULL;
	int count = scopes_at(unit, address, &scopes);
	struct profile *profile = symbols->profile;

	for (int i = 0; i < count; i++) {
		struct profile_frame *frame = &profile->frames[profile->frame_count - 1];

		if (!is_function(&scopes[i]))
			continue;
		frame->function = die_name(&scopes[i]);
		if (dwarf_tag(&scopes[i]) != DW_TAG_inlined_subroutine ||
		    profile->frame_count - first >= INLINE_MAX)
			break;
		frame->inlined = true;
		frame = add_frame(symbols, module, offset);
		set_call_site(frame, unit, &scopes[i]);
	}
	if (count)
		free(scopes);
	return profile->frames[first].function != NULL;
}

const char *symbols_name(struct symbols_module *module, uint64_t offset)
{
	if (!module->module)
		return NULL;
	if (!module->table)
		module->table = symbol_table_new(module->module);
	return symbol_table_at(module->table, offset + module->bias);
}

static void describe(struct symbols *symbols, struct symbols_module *module, uint64_t offset)
{
	uint32_t first = symbols->profile->frame_count;
	struct profile_frame *frame = add_frame(symbols, module, offset);
	Dwarf_Addr bias = 0;
	Dwarf_Die *unit;
	const char *name;

	if (!module->module)
		return;
	unit = unit_at(module, offset + module->bias, &bias);
	if (unit) {
		Dwarf_Addr address = offset + module->bias - bias;

		set_line(frame, unit, address);
		if (describe_scopes(symbols, module, unit, address, offset, first))
			return;
	}
	name = symbols_name(module, offset);
	if (name)
		symbols->profile->frames[first].function = symbols_demangle(name);
}

uint32_t symbols_at(struct symbols *symbols, struct symbols_module *module, uint64_t offset,
		    const uint32_t **frames)
{
	struct place *place;

	HASH_FIND(hh, module->places, &offset, sizeof(offset), place);
	if (!place) {
		place = xcalloc(1, sizeof(*place));
		place->offset = offset;
		place->first = symbols->profile->frame_count;
		describe(symbols, module, offset);
		place->count = symbols->profile->frame_count - place->first;
		HASH_ADD(hh, module->places, offset, sizeof(place->offset), place);
	}
	if (symbols->answer_capacity < place->count) {
		symbols->answer_capacity = place->count;
		symbols->answer =
			xreallocarray(symbols->answer, place->count, sizeof(*symbols->answer));
	}
	for (uint32_t i = 0; i < place->count; i++)
		symbols->answer[i] = place->first + i;
	*frames = symbols->answer;
	return place->count;
}
