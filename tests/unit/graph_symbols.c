/* Symbols of this very program: lines that the compiler itself knows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <elfutils/libdwfl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "graph/symbol_table.h"
#include "graph/symbols.h"
#include "util/memory.h"

static uint64_t place; /* of the last call of here(), as the trace has it */
static int inner_line, middle_line, outer_line;

static int first_module(struct dl_phdr_info *info, size_t size, void *bias)
{
	(void)size;
	*(uint64_t *)bias = info->dlpi_addr;
	return 1; /* the program comes first */
}

static __attribute__((noinline)) void here(void)
{
	uint64_t bias = 0;

	dl_iterate_phdr(first_module, &bias);
	place = (uint64_t)(uintptr_t)__builtin_return_address(0) - 1 - bias;
}

/* The asm statements keep the calls from becoming jumps. */
static inline __attribute__((always_inline)) void inner(void)
{
	/* clang-format off */
	inner_line = __LINE__; here(); __asm__ volatile("");
	/* clang-format on */
}

static inline __attribute__((always_inline)) void middle(void)
{
	/* clang-format off */
	middle_line = __LINE__; inner(); __asm__ volatile("");
	/* clang-format on */
}

static __attribute__((noinline)) void outer(void)
{
	/* clang-format off */
	outer_line = __LINE__; middle(); __asm__ volatile("");
	/* clang-format on */
}

static char *executable(void)
{
	char path[4096];
	ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 1);

	assert_true(length > 0);
	return xstrndup(path, (size_t)length);
}

static void frame_is(const struct profile_frame *frame, const char *function, int line,
		     bool inlined)
{
	assert_non_null(frame->function);
	assert_string_equal(frame->function, function);
	assert_non_null(frame->file);
	assert_string_equal(strrchr(frame->file, '/') ? strrchr(frame->file, '/') + 1 : frame->file,
			    "graph_symbols.c");
	assert_int_equal(frame->line, line);
	assert_int_equal(frame->inlined, inlined);
}

static void test_inlined(void **state)
{
	struct profile *profile = profile_new();
	struct symbols *symbols = symbols_new(profile);
	char *path = executable();
	struct symbols_module *module = symbols_module(symbols, path, NULL);
	const uint32_t *frames;
	uint32_t first;

	(void)state;
	outer();
	assert_int_equal(symbols_at(symbols, module, place, &frames), 3);
	first = frames[0];
	frame_is(&profile->frames[frames[0]], "inner", inner_line, true);
	frame_is(&profile->frames[frames[1]], "middle", middle_line, true);
	frame_is(&profile->frames[frames[2]], "outer", outer_line, false);
	/* known places are not looked up again */
	assert_ptr_equal(symbols_module(symbols, path, NULL), module);
	assert_int_equal(symbols_at(symbols, module, place, &frames), 3);
	assert_int_equal(frames[0], first);
	assert_int_equal(profile->frame_count, 3);
	/* no function is there */
	assert_int_equal(symbols_at(symbols, module, UINT64_C(1) << 60, &frames), 1);
	assert_null(profile->frames[frames[0]].function);
	assert_int_equal(profile->coverage_count, 0);
	symbols_free(symbols);
	profile_free(profile);
	free(path);
}

/* Without debug information the symbol table still knows the function. */
static void test_stripped(void **state)
{
	char folder[] = "/tmp/vflow-symbols-XXXXXX", *path, *copy, *command;
	struct profile *profile = profile_new();
	struct symbols *symbols = symbols_new(profile);
	const uint32_t *frames;

	(void)state;
	assert_non_null(mkdtemp(folder));
	path = executable();
	copy = xasprintf("%s/copy", folder);
	command = xasprintf("objcopy --strip-debug '%s' '%s'", path, copy);
	assert_int_equal(system(command), 0);
	outer();
	assert_int_equal(symbols_at(symbols, symbols_module(symbols, copy, NULL), place, &frames),
			 1);
	assert_string_equal(profile->frames[frames[0]].function, "outer");
	assert_null(profile->frames[frames[0]].file);
	unlink(copy);
	rmdir(folder);
	symbols_free(symbols);
	profile_free(profile);
	free(path);
	free(copy);
	free(command);
}

/* The table says of code what libdw says, which looks at each symbol for each address. */
static void test_table(void **state)
{
	static const Dwfl_Callbacks callbacks = {
		.find_elf = dwfl_build_id_find_elf,
		.find_debuginfo = dwfl_standard_find_debuginfo,
		.section_address = dwfl_offline_section_address,
	};
	Dwfl *dwfl = dwfl_begin(&callbacks);
	char *path = executable();
	Dwfl_Module *module = dwfl_report_offline(dwfl, path, path, -1);
	struct symbol_table *table;
	GElf_Addr bias = 0, start;
	unsigned known = 0;

	(void)state;
	dwfl_report_end(dwfl, NULL, NULL);
	assert_non_null(dwfl_module_getelf(module, &bias));
	table = symbol_table_new(module);
	outer();
	start = place + bias;
	for (GElf_Addr at = start - 8192; at < start + 8192; at += 7) {
		const char *expected = dwfl_module_addrname(module, at);
		const char *name = symbol_table_at(table, at);

		assert_int_equal(!name, !expected);
		if (name)
			assert_string_equal(name, expected);
		known += name != NULL;
	}
	assert_true(known > 100);
	assert_null(symbol_table_at(table, UINT64_C(1) << 60));
	symbol_table_free(table);
	dwfl_end(dwfl);
	free(path);
}

/* Another file than the one that ran would give wrong lines: better none. */
static void test_unusable(void **state)
{
	static const char *const paths[] = {"/nowhere/libfoo.so", "/dev/null", "/etc/passwd",
					    "/tmp"};
	struct profile *profile = profile_new();
	struct symbols *symbols = symbols_new(profile);
	char *path = executable();
	const uint32_t *frames;

	(void)state;
	outer();
	assert_int_equal(symbols_at(symbols, symbols_module(symbols, path, "00ff"), place, &frames),
			 1);
	assert_null(profile->frames[frames[0]].function);
	assert_int_equal(profile->frames[frames[0]].offset, place);
	assert_string_equal(profile->frames[frames[0]].module, path);
	assert_int_equal(profile->coverage_count, 1);
	assert_string_equal(profile->coverage[0].what, "symbols");
	assert_non_null(strstr(profile->coverage[0].reason, "build id differs"));
	for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++) {
		assert_int_equal(symbols_at(symbols, symbols_module(symbols, paths[i], NULL),
					    0x1234, &frames),
				 1);
		assert_null(profile->frames[frames[0]].function);
	}
	assert_int_equal(profile->coverage_count, 5);
	symbols_free(symbols);
	profile_free(profile);
	free(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_inlined),
		cmocka_unit_test(test_stripped),
		cmocka_unit_test(test_table),
		cmocka_unit_test(test_unusable),
	};

	return cmocka_run_group_tests_name("graph_symbols", tests, NULL, NULL);
}
