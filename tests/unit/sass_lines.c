/*
 * tests/unit/sass_lines.c: lines of instructions, from an image that is put together here.
 *
 * The table's bytes are written by hand after DWARF 2, section 6.2.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <elf.h>

#include "gpu/sass/lines.h"

/* Sections: names, code of f and g, symbols, the table, its relocations. */
enum { NAMES = 1, TEXT_F, TEXT_G, SYMBOLS, LINES, RELOCATIONS, SECTIONS };

#define SHSTR "\0.names\0.text.f\0.text.g\0.symtab\0.debug_line\0.rela.debug_line"

static const unsigned char table[] = {
	0x69,
	0,
	0,
	0, /* length of what follows */
	2,
	0, /* version */
	0x20,
	0,
	0,
	0, /* length of the header after this */
	1,
	1,
	0xfb,
	14,
	10, /* unit, is_stmt, base -5, range, opcodes */
	0,
	1,
	1,
	1,
	1,
	0,
	0,
	0,
	1, /* their operands */
	'd',
	0,
	0, /* folders */
	'a',
	'.',
	'c',
	'u',
	0,
	1,
	0,
	0, /* files: d/a.cu */
	'/',
	'h',
	0,
	0,
	0,
	0,
	0, /* /h */
	0,
	9,
	2,
	0,
	0,
	0,
	0,
	0,
	0,
	0,
	0, /* address: of f */
	3,
	9,
	1,                    /* line 10 at 0 */
	10 + 16 * 14 + 5 + 2, /* +16: line 12 */
	0,
	3,
	0x90,
	2,
	0, /* called by the second row */
	4,
	2,
	3,
	0x79,
	2,
	16,
	1, /* file 2, line 12 - 7 = 5, at 32 */
	0,
	3,
	0x90,
	0,
	0, /* no longer */
	4,
	1,
	3,
	8,
	2,
	16,
	1, /* line 13 at 48 */
	2,
	16,
	0,
	1,
	1, /* ends at 64 */
	0,
	9,
	2,
	16,
	0,
	0,
	0,
	0,
	0,
	0,
	0, /* g + 16 */
	3,
	29,
	1, /* line 30 */
	0,
	3,
	0x90,
	1,
	0,
	10 + 16 * 14 + 5,
	0,
	1,
	1, /* the same, called by g's first row */
};

struct image {
	Elf64_Ehdr header;
	Elf64_Shdr sections[SECTIONS];
	Elf64_Sym symbols[3];
	Elf64_Rela relocations[2];
	char names[sizeof(SHSTR)];
	unsigned char table[sizeof(table)];
};

static Elf64_Shdr section(unsigned name, unsigned type, size_t at, size_t size, unsigned link)
{
	return (Elf64_Shdr){.sh_name = name,
			    .sh_type = type,
			    .sh_offset = at,
			    .sh_size = size,
			    .sh_link = link};
}

static struct image make_image(void)
{
	struct image image = {.header = {.e_ident = ELFMAG,
					 .e_shoff = offsetof(struct image, sections),
					 .e_shentsize = sizeof(Elf64_Shdr),
					 .e_shnum = SECTIONS,
					 .e_shstrndx = NAMES},
			      .symbols = {[1] = {.st_shndx = TEXT_F}, [2] = {.st_shndx = TEXT_G}},
			      /* where the two addresses are in the table */
			      .relocations = {{.r_offset = 0x2d, .r_info = ELF64_R_INFO(1, 2)},
					      {.r_offset = 0x59, .r_info = ELF64_R_INFO(2, 2)}}};

	memcpy(image.names, SHSTR, sizeof(SHSTR));
	memcpy(image.table, table, sizeof(table));
	image.sections[NAMES] =
		section(1, SHT_STRTAB, offsetof(struct image, names), sizeof(image.names), 0);
	image.sections[TEXT_F] = section(8, SHT_PROGBITS, 0, 0, 0);
	image.sections[TEXT_G] = section(16, SHT_PROGBITS, 0, 0, 0);
	image.sections[SYMBOLS] =
		section(24, SHT_SYMTAB, offsetof(struct image, symbols), sizeof(image.symbols), 0);
	image.sections[LINES] =
		section(32, SHT_PROGBITS, offsetof(struct image, table), sizeof(table), 0);
	image.sections[RELOCATIONS] = section(44, SHT_RELA, offsetof(struct image, relocations),
					      sizeof(image.relocations), SYMBOLS);
	return image;
}

static void assert_lines(const struct sass_lines *lines, const char *function, uint64_t offset,
			 const char *wanted)
{
	struct sass_line found[SASS_LINES_DEPTH];
	size_t count = sass_lines_find(lines, function, offset, found);
	char text[256] = "";

	for (size_t i = 0; i < count; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%s:%u",
			 i ? " < " : "", found[i].file, found[i].line);
	assert_string_equal(text, wanted);
}

static void test_lines(void **state)
{
	struct image image = make_image();
	struct sass_lines *lines = sass_lines_read(&image, sizeof(image));

	(void)state;
	assert_non_null(lines);
	assert_lines(lines, "f", 0, "d/a.cu:10");
	assert_lines(lines, "f", 15, "d/a.cu:10");
	assert_lines(lines, "f", 16, "d/a.cu:12");
	assert_lines(lines, "f", 32, "/h:5 < d/a.cu:12");
	assert_lines(lines, "f", 48, "d/a.cu:13");
	assert_lines(lines, "f", 64, "");
	assert_lines(lines, "g", 0, "");
	assert_lines(lines, "g", 16, "d/a.cu:30");
	assert_lines(lines, "g", 32, "d/a.cu:30 < d/a.cu:30");
	assert_lines(lines, "h", 0, "");
	assert_lines(NULL, "f", 0, "");
	sass_lines_free(lines);
}

/* Each byte changed to some others: no harm is all that is asked. */
static void test_damaged(void **state)
{
	static const unsigned char values[] = {0, 1, 9, 0x7f, 0x80, 0x90, 0xff};
	struct sass_line found[SASS_LINES_DEPTH];
	struct image image = make_image();

	(void)state;
	for (size_t i = 0; i < sizeof(image); i++)
		for (size_t k = 0; k < sizeof(values); k++) {
			unsigned char *byte = (unsigned char *)&image + i, before = *byte;
			struct sass_lines *lines;

			*byte = values[k];
			lines = sass_lines_read(&image, sizeof(image));
			assert_true(sass_lines_find(lines, "f", 32, found) <= SASS_LINES_DEPTH);
			sass_lines_free(lines);
			*byte = before;
		}
	for (size_t size = 0; size < sizeof(image); size++)
		sass_lines_free(sass_lines_read(&image, size));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_damaged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
