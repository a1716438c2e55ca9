/* gpu/sass/lines.c: see lines.h. */
#include "gpu/sass/lines.h"

#include <stdlib.h>
#include <string.h>

#include "gpu/sass/cubin.h"
#include "util/memory.h"

#define TEXT ".text."
#define RELOCATIONS ".debug_line"
#define MAX_ROWS (1u << 22) /* of a cubin */
#define MAX_FILES 65536u

enum {
	STANDARD_COPY = 1,
	STANDARD_ADVANCE_PC,
	STANDARD_ADVANCE_LINE,
	STANDARD_SET_FILE,
	STANDARD_CONST_ADD_PC = 8,
	STANDARD_FIXED_ADVANCE_PC,
	EXTENDED_END = 1,
	EXTENDED_ADDRESS,
	EXTENDED_INLINED = 0x90, /* NVIDIA's: the row of the call, from 1, and who was called */
};

struct row {
	uint64_t address;
	const char *file;
	uint32_t section, line;
	uint32_t caller; /* row + 1; 0: none */
	bool ends;
};

struct address {
	uint64_t at, value; /* offset in .debug_line of what is to be set; in the section */
	uint32_t section;
};

struct sass_lines {
	struct row *rows; /* as they come; `sorted` has those of one section together */
	uint32_t *sorted;
	size_t count, capacity, sorted_count;
	char **files; /* all names of all tables */
	size_t file_count, file_capacity;
	struct {
		char *name; /* of the function */
		uint32_t number;
	} * sections;
	size_t section_count;
};

struct reader {
	const unsigned char *start, *at, *end;
	bool failed;
	struct sass_lines *lines;
	struct address *addresses; /* by `at` */
	size_t address_count, address_capacity;
	char **folders;
	size_t folder_count, folder_capacity, first_file;
};

/* -- numbers -- */

static uint64_t number(struct reader *reader, unsigned bytes)
{
	uint64_t value = 0;

	if ((size_t)(reader->end - reader->at) < bytes) {
		reader->failed = true;
		reader->at = reader->end;
		return 0;
	}
	for (unsigned i = 0; i < bytes; i++)
		value |= (uint64_t)*reader->at++ << 8 * i;
	return value;
}

static uint64_t leb(struct reader *reader, bool is_signed)
{
	uint64_t value = 0;
	unsigned shift = 0;

	while (reader->at < reader->end) {
		unsigned char byte = *reader->at++;

		if (shift < 64)
			value |= (uint64_t)(byte & 127) << shift;
		shift += 7;
		if (byte & 128)
			continue;
		if (is_signed && byte & 64 && shift < 64)
			value |= ~UINT64_C(0) << shift;
		return value;
	}
	reader->failed = true;
	return 0;
}

static const char *text(struct reader *reader)
{
	const unsigned char *end = memchr(reader->at, 0, (size_t)(reader->end - reader->at)),
			    *text = reader->at;

	if (!end) {
		reader->failed = true;
		reader->at = reader->end;
		return "";
	}
	reader->at = end + 1;
	return (const char *)text;
}

/* -- addresses: .debug_line names functions by relocations -- */

static int by_at(const void *a, const void *b)
{
	const struct address *left = a, *right = b;

	return (left->at > right->at) - (left->at < right->at);
}

static bool read_symbol(const struct cubin_section *symbols, uint64_t number, Elf64_Sym *symbol)
{
	if (!symbols->bytes || number >= symbols->size / sizeof(*symbol))
		return false;
	memcpy(symbol, symbols->bytes + number * sizeof(*symbol), sizeof(*symbol));
	return true;
}

static void read_relocations(struct reader *reader, const struct cubin *cubin)
{
	for (unsigned i = 0; i < cubin->sections; i++) {
		struct cubin_section section = cubin_section(cubin, i), symbols;
		bool with_addend = section.type == SHT_RELA;
		size_t size = with_addend ? sizeof(Elf64_Rela) : sizeof(Elf64_Rel);
		const char *of = section.name + (with_addend ? 5 : 4);

		if ((!with_addend && section.type != SHT_REL) || !section.bytes ||
		    strlen(section.name) < 5 || strcmp(of, RELOCATIONS) != 0)
			continue;
		symbols = cubin_section(cubin, section.link);
		for (uint64_t k = 0; k < section.size / size; k++) {
			Elf64_Rela from = {0};
			Elf64_Sym symbol;

			memcpy(&from, section.bytes + k * size, size);
			if (!read_symbol(&symbols, ELF64_R_SYM(from.r_info), &symbol))
				continue;
			ARRAY_RESERVE(reader->addresses, reader->address_count,
				      reader->address_capacity);
			reader->addresses[reader->address_count++] =
				(struct address){.at = from.r_offset,
						 .value = symbol.st_value + (uint64_t)from.r_addend,
						 .section = symbol.st_shndx};
		}
	}
	if (reader->address_count)
		qsort(reader->addresses, reader->address_count, sizeof(*reader->addresses), by_at);
}

static const struct address *address_at(const struct reader *reader, uint64_t offset)
{
	struct address wanted = {.at = offset};

	return reader->address_count ? bsearch(&wanted, reader->addresses, reader->address_count,
					       sizeof(wanted), by_at)
				     : NULL;
}

/* -- a table of lines -- */

static void add_file(struct reader *reader, const char *name, uint64_t folder)
{
	struct sass_lines *lines = reader->lines;
	bool in_folder = name[0] != '/' && folder && folder <= reader->folder_count;

	ARRAY_RESERVE(lines->files, lines->file_count, lines->file_capacity);
	lines->files[lines->file_count++] =
		in_folder ? xasprintf("%s/%s", reader->folders[folder - 1], name) : xstrdup(name);
}

static void read_names(struct reader *reader)
{
	struct sass_lines *lines = reader->lines;
	const char *name;

	reader->folder_count = 0;
	reader->first_file = lines->file_count;
	while (!reader->failed && *(name = text(reader)) && reader->folder_count < MAX_FILES) {
		ARRAY_RESERVE(reader->folders, reader->folder_count, reader->folder_capacity);
		reader->folders[reader->folder_count++] = xstrdup(name);
	}
	while (!reader->failed && *(name = text(reader)) && lines->file_count < MAX_FILES) {
		uint64_t folder = leb(reader, false);

		leb(reader, false); /* when it was changed, its size */
		leb(reader, false);
		add_file(reader, name, folder);
	}
	for (size_t i = 0; i < reader->folder_count; i++)
		free(reader->folders[i]);
}

struct machine {
	uint64_t address, file;
	uint32_t section, line, caller;
	size_t first; /* row of the sequence, of one function: callers are counted from there */
};

static void add_row(struct reader *reader, const struct machine *machine, bool ends)
{
	struct sass_lines *lines = reader->lines;
	uint64_t file = machine->file - 1 + reader->first_file;
	bool known = machine->file && machine->file <= lines->file_count - reader->first_file;
	size_t caller = machine->first + machine->caller;

	if (lines->count == MAX_ROWS) {
		reader->failed = true;
		return;
	}
	ARRAY_RESERVE(lines->rows, lines->count, lines->capacity);
	lines->rows[lines->count] = (struct row){
		.address = machine->address,
		.section = machine->section,
		.line = machine->line,
		.file = known ? lines->files[file] : "",
		/* a row is called by earlier ones only: so there is no circle */
		.caller = machine->caller && caller <= lines->count ? (uint32_t)caller : 0,
		.ends = ends};
	lines->count++;
}

static void extended(struct reader *reader, struct machine *machine)
{
	uint64_t length = leb(reader, false);
	const unsigned char *end = reader->at + length;
	unsigned char opcode;

	if (!length || length > (uint64_t)(reader->end - reader->at)) {
		reader->failed = true;
		return;
	}
	opcode = *reader->at++;
	if (opcode == EXTENDED_END) {
		add_row(reader, machine, true);
		*machine = (struct machine){.file = 1, .line = 1, .first = reader->lines->count};
	} else if (opcode == EXTENDED_ADDRESS) {
		const struct address *address =
			address_at(reader, (uint64_t)(reader->at - reader->start));
		uint64_t value = number(reader, length - 1 < 8 ? (unsigned)length - 1 : 8);

		machine->section = address ? address->section : SHN_UNDEF;
		machine->address = address ? value + address->value : value;
	} else if (opcode == EXTENDED_INLINED) {
		uint64_t caller = leb(reader, false);

		leb(reader, false); /* the name of the function that was inlined */
		machine->caller = caller < MAX_ROWS ? (uint32_t)caller : 0;
		end = reader->at > end ? reader->at : end;
	}
	if (!reader->failed)
		reader->at = end;
}

static void run_program(struct reader *reader, uint64_t unit, int base, unsigned range,
			unsigned first_special, const unsigned char *lengths)
{
	struct machine machine = {.file = 1, .line = 1, .first = reader->lines->count};

	while (reader->at < reader->end && !reader->failed) {
		unsigned char opcode = *reader->at++;

		if (opcode >= first_special) {
			unsigned special = opcode - first_special;

			machine.address += special / range * unit;
			machine.line += (uint32_t)(base + (int)(special % range));
			add_row(reader, &machine, false);
			continue;
		}
		switch (opcode) {
		case 0:
			extended(reader, &machine);
			break;
		case STANDARD_COPY:
			add_row(reader, &machine, false);
			break;
		case STANDARD_ADVANCE_PC:
			machine.address += leb(reader, false) * unit;
			break;
		case STANDARD_ADVANCE_LINE:
			machine.line += (uint32_t)leb(reader, true);
			break;
		case STANDARD_SET_FILE:
			machine.file = leb(reader, false);
			break;
		case STANDARD_CONST_ADD_PC:
			machine.address += (255 - first_special) / range * unit;
			break;
		case STANDARD_FIXED_ADVANCE_PC:
			machine.address += number(reader, 2);
			break;
		default:
			for (unsigned i = 0; i < lengths[opcode - 1]; i++)
				leb(reader, false);
		}
	}
}

/* One table; false: there is no other behind it. */
static bool read_table(struct reader *reader, const unsigned char *end)
{
	unsigned char lengths[256] = {0};
	const unsigned char *whole = reader->end, *program;
	unsigned version, first_special, range;
	uint64_t length, header, unit;
	int base;

	length = number(reader, 4);
	if (reader->failed || length > (uint64_t)(end - reader->at))
		return false;
	reader->end = reader->at + length;
	version = (unsigned)number(reader, 2);
	header = number(reader, 4);
	if (version < 2 || version > 4 || header > (uint64_t)(reader->end - reader->at))
		goto next;
	program = reader->at + header;
	unit = number(reader, 1);
	if (version >= 4)
		number(reader, 1);
	number(reader, 1);
	base = (signed char)number(reader, 1);
	range = (unsigned)number(reader, 1);
	first_special = (unsigned)number(reader, 1);
	if (!range || !first_special)
		goto next;
	for (unsigned i = 1; i < first_special; i++)
		lengths[i - 1] = (unsigned char)number(reader, 1);
	read_names(reader);
	if (!reader->failed) {
		reader->at = program;
		run_program(reader, unit, base, range, first_special, lengths);
	}
next:
	reader->at = reader->end;
	reader->end = whole;
	reader->failed = false;
	return reader->at < end;
}

/* -- all of it -- */

static const struct row *compared; /* of by_place() */

static int by_place(const void *a, const void *b)
{
	uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
	const struct row *x = &compared[left], *y = &compared[right];

	if (x->section != y->section)
		return x->section < y->section ? -1 : 1;
	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	if (x->ends != y->ends) /* what ends at an address is before what begins there */
		return x->ends ? -1 : 1;
	return (left > right) - (left < right);
}

static void name_sections(struct sass_lines *lines, const struct cubin *cubin)
{
	lines->sections = xcalloc((size_t)cubin->sections + 1, sizeof(*lines->sections));
	for (unsigned i = 0; i < cubin->sections; i++) {
		const char *name = cubin_section(cubin, i).name;

		if (strncmp(name, TEXT, strlen(TEXT)) != 0)
			continue;
		lines->sections[lines->section_count].name = xstrdup(name + strlen(TEXT));
		lines->sections[lines->section_count++].number = i;
	}
}

struct sass_lines *sass_lines_read(const void *image, size_t size)
{
	struct reader reader = {.lines = NULL};
	struct sass_lines *lines;
	struct cubin cubin;

	if (!cubin_open(&cubin, image, size))
		return NULL;
	reader.lines = lines = xcalloc(1, sizeof(*lines));
	read_relocations(&reader, &cubin);
	for (unsigned i = 0; i < cubin.sections; i++) {
		struct cubin_section section = cubin_section(&cubin, i);

		if (strcmp(section.name, ".debug_line") != 0 || !section.bytes || !section.size)
			continue;
		reader.start = reader.at = (const unsigned char *)section.bytes;
		reader.end = reader.start + section.size;
		while (read_table(&reader, (const unsigned char *)section.bytes + section.size))
			;
	}
	free(reader.addresses);
	free(reader.folders);
	if (!lines->count) {
		sass_lines_free(lines);
		return NULL;
	}
	name_sections(lines, &cubin);
	lines->sorted = xcalloc(lines->count, sizeof(*lines->sorted));
	for (size_t i = 0; i < lines->count; i++)
		if (lines->rows[i].section != SHN_UNDEF)
			lines->sorted[lines->sorted_count++] = (uint32_t)i;
	compared = lines->rows;
	if (lines->sorted_count)
		qsort(lines->sorted, lines->sorted_count, sizeof(*lines->sorted), by_place);
	return lines;
}

void sass_lines_free(struct sass_lines *lines)
{
	if (!lines)
		return;
	for (size_t i = 0; i < lines->file_count; i++)
		free(lines->files[i]);
	for (size_t i = 0; i < lines->section_count; i++)
		free(lines->sections[i].name);
	free(lines->sections);
	free(lines->files);
	free(lines->sorted);
	free(lines->rows);
	free(lines);
}

/* The last row that is not behind the place; NULL: none. */
static const struct row *row_at(const struct sass_lines *lines, uint32_t section, uint64_t offset)
{
	size_t low = 0, high = lines->sorted_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct row *row = &lines->rows[lines->sorted[middle]];

		if (row->section < section || (row->section == section && row->address <= offset))
			low = middle + 1;
		else
			high = middle;
	}
	if (!low || lines->rows[lines->sorted[low - 1]].section != section ||
	    lines->rows[lines->sorted[low - 1]].ends)
		return NULL;
	return &lines->rows[lines->sorted[low - 1]];
}

size_t sass_lines_find(const struct sass_lines *lines, const char *function, uint64_t offset,
		       struct sass_line found[SASS_LINES_DEPTH])
{
	const struct row *row = NULL;
	size_t count = 0;

	for (size_t i = 0; lines && i < lines->section_count && !row; i++)
		if (!strcmp(lines->sections[i].name, function))
			row = row_at(lines, lines->sections[i].number, offset);
	for (; row && row->line && count < SASS_LINES_DEPTH;
	     row = row->caller ? &lines->rows[row->caller - 1] : NULL)
		found[count++] = (struct sass_line){row->file, row->line};
	return count;
}
