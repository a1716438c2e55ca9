/*
 * tests/unit/gpu_variants.c: every row of the table of opcodes is in a test with each type, each
 * pair of types and each modifier that it allows; matrices and video instructions, whose words are
 * languages of their own, apart.
 *
 * Tests are the cases of tests/gpu/ptx and the unit tests of the interpreter: whatever in them
 * looks like an opcode and belongs to the row.
 */
#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "gpu/emulator/interpreter/interpreter.h"
#include "gpu/ptx/parser.h"

#define ROWS 1024u
#define TYPES ((unsigned)PTX_NO_TYPE)

static struct seen {
	const struct ptx_opcode *row;
	uint32_t pairs[PTX_NO_TYPE + 1]; /* second types of each type; bit 31: none */
	ptx_modifiers words;
} rows[ROWS];
static unsigned row_count;

static const char *const modifiers[] = {
#define WORD(name, text) text,
	PTX_MODIFIERS(WORD)
#undef WORD
};

/* Words that change no value here: hints, and the order and scope that accesses are seen in. */
#define HINTS                                                                                      \
	(PTX_M(HINT) | PTX_M(CACHE_HINT) | PTX_M(CA) | PTX_M(CG) | PTX_M(CS) | PTX_M(CV) |         \
	 PTX_M(LU) | PTX_M(WB) | PTX_M(WT) | PTX_M(NC) | PTX_M(UNI) | PTX_M(ALIGNED) |             \
	 PTX_M(PREFETCH_L1) | PTX_M(PREFETCH_L2) | PTX_M(WEAK) | PTX_M(VOLATILE) | PTX_M(MMIO) |   \
	 PTX_M(RELAXED) | PTX_M(ACQUIRE) | PTX_M(RELEASE) | PTX_M(ACQ_REL) | PTX_M(SC) |           \
	 PTX_M(CTA) | PTX_M(CLUSTER) | PTX_M(GPU) | PTX_M(SYS) | PTX_M(GL) | PTX_M(NOFTZ))

/* Families of one executor that reads the type: tests of some of their rows and types will do. */
static const char *const families[] = {
	"cp.async.bulk", "cp.reduce.async.bulk", "st.async", "red.async", "alloca",
	"stacksave",     "stackrestore"};

static bool is_family(const struct ptx_opcode *row)
{
	for (size_t n = 0; n < sizeof(families) / sizeof(*families); n++)
		if (!strncmp(row->name, families[n], strlen(families[n])))
			return true;
	return false;
}

static struct seen *find(const struct ptx_opcode *row)
{
	for (unsigned n = 0; n < row_count; n++)
		if (rows[n].row == row)
			return &rows[n];
	return NULL;
}

static void list_rows(void)
{
	for (const struct ptx_opcode *const *section = interpreter_machine()->opcodes; *section;
	     section++)
		for (const struct ptx_opcode *row = *section; row->name; row++) {
			assert_true(row_count < ROWS);
			rows[row_count++].row = row;
		}
}

static void note(struct ptx_parser *parser, const char *text, size_t length)
{
	const struct ptx_token token = {.kind = PTX_WORD, .text = text, .length = length};
	struct ptx_decoded decoded;
	struct seen *seen;

	assert_int_equal(ptx_opcode_find(parser, &token, &decoded), 0);
	seen = decoded.row ? find(decoded.row) : NULL;
	if (!seen)
		return;
	seen->pairs[decoded.fields.type] |=
		1u << (decoded.fields.second < TYPES ? decoded.fields.second : 31);
	for (size_t at = 0; at < length; at++) {
		size_t size = at + 1;

		if (text[at] != '.')
			continue;
		while (size < length && text[size] != '.')
			size++;
		size -= at + 1;
		for (unsigned n = 0; n < PTX_MODIFIER_COUNT; n++)
			if (!strncmp(modifiers[n], text + at + 1, strlen(modifiers[n])) &&
			    (strlen(modifiers[n]) == size ||
			     !strncmp(text + at + 1 + strlen(modifiers[n]), "::", 2)))
				seen->words |= (ptx_modifiers)1 << n;
	}
}

/* "ab" "cd" is "abcd". */
static void join_literals(char *text)
{
	char *to = text;

	for (const char *at = text; *at; at++) {
		const char *next = at + 1 + strspn(at + 1, " \t\n");

		if (*at == '"' && *next == '"')
			at = next;
		else
			*to++ = *at;
	}
	*to = '\0';
}

/* Whatever looks like an opcode. */
static void read_test(struct ptx_parser *parser, const char *path)
{
	static const char letters[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789.:";
	static char text[1 << 20];
	FILE *file = fopen(path, "r");
	size_t size;

	assert_non_null(file);
	size = fread(text, 1, sizeof(text) - 1, file);
	text[size] = '\0';
	fclose(file);
	join_literals(text);
	for (const char *at = text; *at;) {
		size_t length = strspn(at, letters);

		if (*at == '\\') { /* an escape of C */
			at += at[1] ? 2 : 1;
			continue;
		}
		if (length && at[0] >= 'a' && at[0] <= 'z')
			note(parser, at, length);
		at += length ? length : 1;
	}
}

static const char *const types[] = {"b8",   "u8",    "s8",    "b16",    "u16",    "s16",   "f16",
				    "bf16", "b32",   "u32",   "s32",    "f32",    "f16x2", "bf16x2",
				    "tf32", "u16x2", "s16x2", "e4m3x2", "e5m2x2", "b64",   "u64",
				    "s64",  "f64",   "b128",  "pred"};

/* An opcode of the row; false: an earlier row has it. */
static bool compose(struct ptx_parser *parser, const struct ptx_opcode *row, unsigned word,
		    unsigned type, unsigned second, char text[256])
{
	struct ptx_token token = {.kind = PTX_WORD, .text = text};
	struct ptx_decoded decoded;
	int used = snprintf(text, 256, "%s", row->name);

	for (unsigned n = 0; n < PTX_MODIFIER_COUNT; n++)
		if (row->required >> n & 1 || n == word)
			used += snprintf(text + used, 256 - (size_t)used, ".%s", modifiers[n]);
	if (row->types)
		used += snprintf(text + used, 256 - (size_t)used, ".%s", types[type]);
	if (row->second)
		used += snprintf(text + used, 256 - (size_t)used, ".%s", types[second]);
	token.length = (size_t)used;
	assert_int_equal(ptx_opcode_find(parser, &token, &decoded), 0);
	return decoded.row == row;
}

static unsigned check(struct ptx_parser *parser, const struct seen *seen)
{
	const struct ptx_opcode *row = seen->row;
	const uint32_t first = row->types ? row->types : 1, then = row->second ? row->second : 1;
	ptx_modifiers left = row->allowed & ~row->required & ~HINTS & ~seen->words;
	unsigned missing = 0;
	char text[256];

	for (unsigned n = 0; n < TYPES * TYPES; n++) {
		const unsigned type = n / TYPES, second = n % TYPES;
		const uint32_t pairs = seen->pairs[row->types ? type : PTX_NO_TYPE];

		if (!(first >> type & 1) || !(then >> second & 1))
			continue;
		if (!(pairs >> (row->second ? second : 31) & 1) &&
		    compose(parser, row, PTX_MODIFIER_COUNT, type, second, text)) {
			print_error("no test of %s\n", text);
			missing++;
		}
		for (unsigned word = 0; word < PTX_MODIFIER_COUNT; word++)
			if (left >> word & 1 && compose(parser, row, word, type, second, text)) {
				print_error("no test of %s and the like\n", text);
				left &= ~((ptx_modifiers)1 << word);
				missing++;
			}
	}
	return missing;
}

static void test_variants(void **state)
{
	struct ptx_parser *parser = calloc(1, sizeof(*parser));
	unsigned missing = 0;
	glob_t files;

	(void)state;
	assert_non_null(parser);
	parser->machine = interpreter_machine();
	list_rows();
	assert_int_equal(glob("tests/unit/gpu_*.c", 0, NULL, &files), 0);
	for (size_t n = 0; n < files.gl_pathc; n++)
		read_test(parser, files.gl_pathv[n]);
	globfree(&files);
	read_test(parser, "tests/gpu/ptx/cases.txt");
	for (unsigned n = 0; n < row_count; n++)
		/* those with a '-' are no text's: tests/unit/gpu_contract.c */
		if (*rows[n].row->shape != 'W' && *rows[n].row->shape != 'V' &&
		    !strchr(rows[n].row->name, '-') && !is_family(rows[n].row))
			missing += check(parser, &rows[n]);
	ptx_opcodes_free(parser);
	free(parser);
	assert_int_equal(missing, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_variants)};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
