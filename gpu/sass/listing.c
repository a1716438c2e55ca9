/* gpu/sass/listing.c: see listing.h. */
#include "gpu/sass/listing.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/sass/operand.h"
#include "util/memory.h"

#define INSTRUCTION_BYTES 16
#define MAX_NAME 65536
#define CELLS 4 /* of the table of registers: GPR, PRED, UGPR, UPRED, those that there are */
#define TARGETS "(*\"BRANCH_TARGETS "

/* What functions share, so that each list is one allocation; pointers into it are set at the end.
 */
struct sass_pools {
	struct sass_operand *operands;
	uint16_t *registers;
	uint32_t *targets;
	char *text; /* names, opcodes, operands: as long as the listing, for each is a part of it */
	size_t operand_count, operand_capacity, register_count, register_capacity;
	size_t target_count, target_capacity, text_size;
};

/* Where an instruction's lists start, until the pools are complete. */
struct starts {
	size_t operands, written, read, targets;
	char *branches; /* "A,B": where BRX goes; NULL: none are named */
};

struct reader {
	struct sass_listing *listing;
	struct sass_pools *pools;
	struct sass_function *function; /* NULL: outside of code */
	size_t function_capacity;
	uint32_t instruction_capacity, label_capacity;
	struct starts *starts; /* of all instructions of all functions */
	size_t start_count, start_capacity;
	bool half; /* the second word of the last instruction is still to come */
	/* the columns of registers: where a cell starts, its first column, which registers */
	struct cell {
		size_t at, first, end;
		unsigned base, count;
	} cells[CELLS];
	unsigned cell_count;
};

struct sass_control sass_control_of(const uint64_t code[2])
{
	uint64_t bits = code[1] >> 41; /* from bit 105 of 128 */

	return (struct sass_control){.stall = bits & 15,
				     .yield = bits >> 4 & 1,
				     .write_barrier = bits >> 5 & 7,
				     .read_barrier = bits >> 8 & 7,
				     .wait = bits >> 11 & 63,
				     .reuse = bits >> 17 & 15};
}

static void unread(struct reader *reader, const char *line, size_t length)
{
	struct sass_listing *listing = reader->listing;
	size_t kept = 0;
	bool space = true;

	if (!listing->unread++)
		for (size_t i = 0; i < length && kept + 1 < sizeof(listing->first); i++) {
			bool blank = isspace((unsigned char)line[i]) || !line[i];

			if (!blank || !space)
				listing->first[kept++] = blank ? ' ' : line[i];
			space = blank;
		}
}

static char *keep(struct reader *reader, const char *text, size_t length)
{
	char *kept = reader->pools->text + reader->pools->text_size;

	memcpy(kept, text, length);
	kept[length] = 0;
	reader->pools->text_size += length + 1;
	return kept;
}

static struct sass_instruction *last_instruction(struct reader *reader)
{
	struct sass_function *function = reader->function;

	return &function->instructions[function->instruction_count - 1];
}

static void start_function(struct reader *reader, const char *name, size_t length)
{
	struct sass_listing *listing = reader->listing;

	ARRAY_RESERVE(listing->functions, listing->function_count, reader->function_capacity);
	reader->function = &listing->functions[listing->function_count++];
	*reader->function = (struct sass_function){.name = keep(reader, name, length)};
	reader->instruction_capacity = reader->label_capacity = 0;
	reader->cell_count = 0;
	reader->half = false;
}

/* "/ * 0x0123456789abcdef * /", without the blanks */
static bool word(const char *text, size_t length, uint64_t *value)
{
	*value = 0;
	if (length < 24 || strncmp(text, "/* 0x", 5) != 0 || strncmp(text + 21, " */", 3) != 0)
		return false;
	for (int i = 5; i < 21; i++) {
		unsigned char c = (unsigned char)text[i];

		if (!isdigit(c) && (c < 'a' || c > 'f'))
			return false;
		*value = *value << 4 | (unsigned)(isdigit(c) ? c - '0' : c - 'a' + 10);
	}
	return true;
}

/* The row of the table's head with the numbers of columns: "| # 0123 |  # 01 |" */
static void read_columns(struct reader *reader, const char *line, size_t length, size_t bar)
{
	for (unsigned i = 0; i < reader->cell_count; i++) {
		struct cell *cell = &reader->cells[i];
		const char *number;

		if (bar + cell->end > length)
			return;
		number = memchr(line + bar + cell->at, '#', cell->end - cell->at);
		if (!number)
			return;
		cell->first = (size_t)(number + 2 - line) - bar;
		for (cell->count = 0; bar + cell->first + cell->count < length &&
				      isdigit((unsigned char)line[bar + cell->first + cell->count]);
		     cell->count++)
			;
	}
	reader->function->has_registers = reader->cell_count > 0;
}

/* The row with the names of files of registers: "|  GPR  | PRED |" */
static void read_cells(struct reader *reader, const char *line, size_t length, size_t bar)
{
	static const struct {
		const char *name;
		unsigned base;
	} files[] = {{"GPR", 0}, {"PRED", 512}, {"UGPR", 256}, {"UPRED", 520}};
	size_t at = bar + 1;

	reader->cell_count = 0;
	while (at < length && reader->cell_count < CELLS) {
		const char *end = memchr(line + at, '|', length - at);
		size_t from = at, to;

		if (!end)
			return;
		to = (size_t)(end - line);
		for (; from < to && line[from] == ' '; from++)
			;
		for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
			size_t size = strlen(files[i].name);

			if (to - from > size && !strncmp(line + from, files[i].name, size) &&
			    line[from + size] == ' ')
				reader->cells[reader->cell_count++] = (struct cell){
					.at = at - bar, .end = to - bar, .base = files[i].base};
		}
		at = to + 1;
	}
}

static void add_register(struct sass_pools *pools, unsigned number)
{
	ARRAY_RESERVE(pools->registers, pools->register_count, pools->register_capacity);
	pools->registers[pools->register_count++] = (uint16_t)number;
}

/* Those with one of two marks in the columns; how many. */
static uint16_t marked(struct reader *reader, const char *line, size_t length, const char *marks)
{
	size_t before = reader->pools->register_count;

	for (unsigned i = 0; i < reader->cell_count; i++) {
		const struct cell *cell = &reader->cells[i];
		unsigned limit = cell->base >= 512 ? 8 : 256;

		for (unsigned k = 0; k < cell->count && k < limit; k++)
			if (cell->first + k < length && cell->first + k < cell->end &&
			    (line[cell->first + k] == marks[0] ||
			     line[cell->first + k] == marks[1]))
				add_register(reader->pools, cell->base + k);
	}
	return (uint16_t)(reader->pools->register_count - before);
}

/* A line of the table, from its first bar on.  False: it is none. */
static bool read_table(struct reader *reader, const char *line, size_t length, size_t bar)
{
	const char *text = line + bar;
	struct sass_instruction *instruction;
	struct starts *starts;

	if (line[bar] != '|')
		return line[bar] == '+';
	if (!reader->function->instruction_count && !reader->half) {
		if (memmem(text, length - bar, "GPR ", 4))
			read_cells(reader, line, length, bar);
		else if (memchr(text, '#', length - bar))
			read_columns(reader, line, length, bar);
		return true;
	}
	if (!reader->function->has_registers)
		return true;
	instruction = last_instruction(reader);
	starts = &reader->starts[reader->start_count - 1];
	starts->written = reader->pools->register_count;
	instruction->written_count = marked(reader, text, length - bar, "^x");
	starts->read = reader->pools->register_count;
	instruction->read_count = marked(reader, text, length - bar, "vx");
	return true;
}

static void add_operand(struct reader *reader, struct sass_instruction *instruction, char *text)
{
	struct sass_pools *pools = reader->pools;

	ARRAY_RESERVE(pools->operands, pools->operand_count, pools->operand_capacity);
	pools->operands[pools->operand_count++] = sass_operand_of(text);
	instruction->operand_count++;
}

/* "R2, [R4.64+0x10], P0": parted at commas and blanks outside of brackets. */
static bool read_operands(struct reader *reader, struct sass_instruction *instruction, char *text)
{
	int depth = 0;
	char *start = NULL;

	for (;; text++) {
		bool ends = !*text || (!depth && (*text == ',' || *text == ' '));

		if (ends && start) {
			bool last = !*text;

			*text = 0;
			if (instruction->operand_count == SASS_MAX_OPERANDS)
				return false;
			add_operand(reader, instruction, start);
			start = NULL;
			if (last)
				break;
			continue;
		}
		if (!*text)
			break;
		depth += *text == '[' || *text == '(' || *text == '{';
		depth -= *text == ']' || *text == ')' || *text == '}';
		if (depth < 0)
			return false;
		if (!ends && !start)
			start = text;
	}
	return !depth;
}

static bool read_guard(struct sass_instruction *instruction, char **text)
{
	const char *rest;
	int number;

	if (**text != '@')
		return true;
	++*text;
	instruction->guard_negated = **text == '!';
	*text += instruction->guard_negated;
	instruction->guard_uniform = **text == 'U';
	number = sass_register_of(*text, instruction->guard_uniform ? "UP" : "P", &rest);
	if (number < 0 || *rest != ' ')
		return false;
	instruction->guard = (uint8_t)number;
	for (*text += rest - *text; **text == ' '; ++*text)
		;
	return true;
}

/* "@!P0 LDG.E R2, desc[UR4][R2.64]" */
static bool read_body(struct reader *reader, struct sass_instruction *instruction, char *text)
{
	struct starts *starts = &reader->starts[reader->start_count - 1];
	char *opcode, *targets, *end;

	if (!read_guard(instruction, &text) || !isupper((unsigned char)*text))
		return false;
	for (opcode = text; isalnum((unsigned char)*text) || *text == '_' || *text == '.'; text++)
		;
	if (*text && *text != ' ')
		return false;
	targets = strstr(text, "(*\"");
	if (targets) {
		end = strstr(targets, "\"*)");
		if (!end)
			return false;
		if (!strncmp(targets, TARGETS, strlen(TARGETS)))
			starts->branches = targets + strlen(TARGETS);
		*end = *targets = 0;
	}
	if (*text)
		*text++ = 0;
	if (!read_operands(reader, instruction, text))
		return false;
	instruction->opcode = opcode;
	return true;
}

/* What is between an instruction's offset and its ";", and its first word. */
static void read_instruction(struct reader *reader, const char *line, size_t length)
{
	struct sass_function *function = reader->function;
	struct sass_instruction instruction = {.opcode = "?", .guard = SASS_TRUE};
	const char *at = line + 2, *end = line + length, *code;
	struct sass_pools *pools = reader->pools;
	uint64_t offset = 0;
	size_t operands = pools->operand_count;

	for (; at < end && isxdigit((unsigned char)*at) && offset < UINT32_MAX >> 4; at++)
		offset =
			offset << 4 |
			(unsigned)(isdigit((unsigned char)*at) ? *at - '0' : (*at | 32) - 'a' + 10);
	if (at == line + 2 || end - at < 2 || at[0] != '*' || at[1] != '/' ||
	    offset % INSTRUCTION_BYTES ||
	    (function->instruction_count && offset <= last_instruction(reader)->offset)) {
		unread(reader, line, length);
		return;
	}
	for (at += 2; at < end && *at == ' '; at++)
		;
	code = memmem(at, (size_t)(end - at), "/* 0x", 5);
	instruction.offset = (uint32_t)offset;
	ARRAY_RESERVE(function->instructions, function->instruction_count,
		      reader->instruction_capacity);
	ARRAY_RESERVE(reader->starts, reader->start_count, reader->start_capacity);
	reader->starts[reader->start_count++] = (struct starts){.operands = operands};
	reader->half = code && word(code, (size_t)(end - code), &instruction.code[0]);
	for (end = code ? code : end; end > at && end[-1] == ' '; end--)
		;
	if (!reader->half || end == at || end[-1] != ';' ||
	    !read_body(reader, &instruction, keep(reader, at, (size_t)(end - 1 - at)))) {
		unread(reader, line, length);
		pools->operand_count = operands;
		instruction.opcode = "?";
		instruction.operand_count = 0;
	}
	function->instructions[function->instruction_count++] = instruction;
}

static void read_label(struct reader *reader, const char *name, size_t length)
{
	struct sass_function *function = reader->function;

	if (!strncmp(name, ".text.", 6))
		return;
	ARRAY_RESERVE(function->labels, function->label_count, reader->label_capacity);
	function->labels[function->label_count++] =
		(struct sass_label){keep(reader, name, length), function->instruction_count};
}

/* .global, .type, .size, ...: what the section and its symbols are */
static bool is_directive(const char *line, size_t length)
{
	return length > 1 && line[0] == '.' && islower((unsigned char)line[1]);
}

/* A line without the blanks before it, of which there were `indent`. */
static void read_line(struct reader *reader, const char *line, size_t indent, size_t length)
{
	static const char text[] = ".section\t.text.", rule[] = "//---";
	const char *comment = memmem(line, length, "// ", 3);
	size_t code = comment ? (size_t)(comment - line) : length;
	uint64_t second;

	for (; code && isspace((unsigned char)line[code - 1]); code--)
		;
	if (length > strlen(text) && !strncmp(line, text, strlen(text))) {
		const char *name = line + strlen(text);
		const char *end = memchr(name, ',', length - strlen(text));

		if (end && end > name && end - name < MAX_NAME)
			start_function(reader, name, (size_t)(end - name));
		else
			unread(reader, line, length);
		return;
	}
	if (length >= strlen(rule) && !strncmp(line, rule, strlen(rule)))
		reader->function = NULL;
	if (!reader->function)
		return;
	if (code > 2 && !strncmp(line, "/*", 2) && isxdigit((unsigned char)line[2])) {
		if (reader->half)
			unread(reader, line, length);
		read_instruction(reader, line, code);
		return; /* the table's line is that of the second word */
	}
	if (code > 2 && !strncmp(line, "/*", 2)) {
		if (!reader->half || !word(line, code, &second)) {
			unread(reader, line, length);
			return;
		}
		last_instruction(reader)->code[1] = second;
		last_instruction(reader)->control = sass_control_of(last_instruction(reader)->code);
		reader->half = false;
		if (comment && (size_t)(comment - line) + 3 < length &&
		    !read_table(reader, line, length, (size_t)(comment - line) + 3))
			unread(reader, line, length);
		return;
	}
	if (code > 1 && line[code - 1] == ':' && !indent)
		read_label(reader, line, code - 1);
	else if (code && !is_directive(line, code))
		unread(reader, line, length);
	else if (!code && comment && !reader->function->instruction_count && length > 3)
		read_table(reader, line, length, 3);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct sass_label *)a)->name, ((const struct sass_label *)b)->name);
}

static void add_target(struct sass_pools *pools, const struct sass_function *function,
		       struct sass_instruction *instruction, const char *name)
{
	const struct sass_label wanted = {.name = name}, *label = NULL;

	if (function->label_count)
		label = bsearch(&wanted, function->labels, function->label_count, sizeof(wanted),
				by_name);
	if (!label || label->instruction >= function->instruction_count)
		return;
	ARRAY_RESERVE(pools->targets, pools->target_count, pools->target_capacity);
	pools->targets[pools->target_count++] = label->instruction;
	instruction->target_count++;
}

static void find_targets(struct sass_pools *pools, const struct sass_function *function,
			 struct sass_instruction *instruction, struct starts *starts)
{
	starts->targets = pools->target_count;
	for (unsigned i = 0; i < instruction->operand_count; i++)
		if (pools->operands[starts->operands + i].kind == SASS_LABEL)
			add_target(pools, function, instruction,
				   pools->operands[starts->operands + i].text);
	for (char *rest = starts->branches, *name; (name = strsep(&rest, ","));)
		add_target(pools, function, instruction, name);
}

/* Pointers into the pools, which do not move any more. */
static void link_pools(struct reader *reader)
{
	struct sass_listing *listing = reader->listing;
	struct sass_pools *pools = reader->pools;
	struct starts *starts = reader->starts;

	for (size_t f = 0; f < listing->function_count; f++) {
		struct sass_function *function = &listing->functions[f];

		if (function->label_count)
			qsort(function->labels, function->label_count, sizeof(*function->labels),
			      by_name);
		for (uint32_t i = 0; i < function->instruction_count; i++)
			find_targets(pools, function, &function->instructions[i], starts++);
	}
	starts = reader->starts;
	for (size_t f = 0; f < listing->function_count; f++)
		for (uint32_t i = 0; i < listing->functions[f].instruction_count; i++, starts++) {
			struct sass_instruction *at = &listing->functions[f].instructions[i];

			at->operands =
				at->operand_count ? pools->operands + starts->operands : NULL;
			at->written = at->written_count ? pools->registers + starts->written : NULL;
			at->read = at->read_count ? pools->registers + starts->read : NULL;
			at->targets = at->target_count ? pools->targets + starts->targets : NULL;
		}
}

struct sass_listing *sass_parse(const char *text, size_t size, struct error *error)
{
	struct sass_listing *listing = xcalloc(1, sizeof(*listing));
	struct reader reader = {.listing = listing, .pools = xcalloc(1, sizeof(*listing->pools))};
	uint64_t instructions = 0;

	listing->pools = reader.pools;
	reader.pools->text = xmalloc(size + 2);
	for (size_t at = 0, next; at < size; at = next + 1) {
		const char *end = memchr(text + at, '\n', size - at);
		size_t indent = 0, length;

		next = end ? (size_t)(end - text) : size;
		length = next - at;
		for (; indent < length && (text[at + indent] == ' ' || text[at + indent] == '\t');
		     indent++)
			;
		read_line(&reader, text + at + indent, indent, length - indent);
	}
	link_pools(&reader);
	free(reader.starts);
	for (size_t f = 0; f < listing->function_count; f++)
		instructions += listing->functions[f].instruction_count;
	if (instructions)
		return listing;
	error_set(error,
		  "no instructions in what nvdisasm printed (%zu bytes, %llu lines unlike its own)",
		  size, (unsigned long long)listing->unread);
	sass_free(listing);
	return NULL;
}

void sass_free(struct sass_listing *listing)
{
	if (!listing)
		return;
	for (size_t f = 0; f < listing->function_count; f++) {
		free(listing->functions[f].instructions);
		free(listing->functions[f].labels);
	}
	free(listing->functions);
	free(listing->pools->operands);
	free(listing->pools->registers);
	free(listing->pools->targets);
	free(listing->pools->text);
	free(listing->pools);
	free(listing);
}

const struct sass_function *sass_find(const struct sass_listing *listing, const char *name)
{
	for (size_t i = 0; i < listing->function_count; i++)
		if (!strcmp(listing->functions[i].name, name))
			return &listing->functions[i];
	return NULL;
}

const struct sass_instruction *sass_at(const struct sass_function *function, uint64_t offset)
{
	uint32_t low = 0, high = function->instruction_count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (function->instructions[middle].offset == offset)
			return &function->instructions[middle];
		if (function->instructions[middle].offset < offset)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

bool sass_is(const struct sass_instruction *instruction, const char *name)
{
	size_t length = strlen(name);

	return !strncmp(instruction->opcode, name, length) &&
	       (!instruction->opcode[length] || instruction->opcode[length] == '.');
}

bool sass_has(const struct sass_instruction *instruction, const char *modifier)
{
	size_t length = strlen(modifier);

	for (const char *at = strchr(instruction->opcode, '.'); at; at = strchr(at, '.'))
		if (!strncmp(++at, modifier, length) && (!at[length] || at[length] == '.'))
			return true;
	return false;
}
