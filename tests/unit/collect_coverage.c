/* The rows of collect/coverage/coverage.def: how they must be written, and what finds them again.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collect/coverage/coverage.h"

/* What the table says, read another way: the names as coverage.def has them. */
static const struct {
	const char *name;
	enum coverage_hides hides;
} expected[] = {
	{"CONSTANT_READS", COVERAGE_HIDES_NOTHING}, {"TEXTURE_READS", COVERAGE_HIDES_READS},
	{"MANAGED_MEMORY", COVERAGE_HIDES_NOTHING}, {"SKIPPED_BY_KERNEL", COVERAGE_HIDES_LAUNCHES},
	{"SHADOW_ON_HOST", COVERAGE_HIDES_NOTHING}, {"UNKNOWN", COVERAGE_HIDES_BOTH},
};

static void test_names(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(expected) / sizeof(*expected); i++) {
		const struct coverage_row *row = coverage_named(expected[i].name);

		assert_non_null(row);
		assert_string_equal(row->name, expected[i].name);
		assert_int_equal(row->hides, expected[i].hides);
		assert_ptr_equal(coverage_row(row->id), row);
		assert_true(coverage_is(expected[i].name, row->id));
		assert_false(coverage_is(expected[i].name, row->id + 1));
	}
	assert_false(coverage_is(NULL, COVERAGE_UNKNOWN));
	assert_null(coverage_named(""));
	assert_null(coverage_named("texture reads"));
	assert_null(coverage_named("TEXTURE_READS "));
	assert_null(coverage_row(COVERAGE_NONE));
	assert_null(coverage_row(COVERAGE_END));
	assert_null(coverage_row(UINT32_MAX));
}

static unsigned places(const char *text)
{
	unsigned count = 0;

	for (const char *at = text; (at = strstr(at, "%s")); at += 2)
		count++;
	return count;
}

/* A part of a sentence: see the top of coverage.def. */
static bool is_well_written(const char *text)
{
	size_t length = strlen(text);
	unsigned percents = 0;

	for (size_t i = 0; i < length; i++) {
		percents += text[i] == '%';
		if (text[i] < ' ' || text[i] > '~' || (text[i] == ' ' && text[i + 1] == ' '))
			return false;
	}
	if (!length || text[0] == ' ' || strchr(" .,;:", text[length - 1]))
		return false;
	return percents == places(text) &&
	       (!isupper((unsigned char)text[0]) || isupper((unsigned char)text[1]));
}

static void test_style(void **state)
{
	(void)state;
	for (uint32_t id = COVERAGE_NONE + 1; id < COVERAGE_END; id++) {
		const struct coverage_row *row = coverage_row(id);

		if (!is_well_written(row->words) || !is_well_written(row->sentence) ||
		    places(row->words) + places(row->sentence) > 1)
			fail_msg("%s: %s: %s", row->name, row->words, row->sentence);
		assert_int_equal(strspn(row->name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_"),
				 strlen(row->name));
		for (uint32_t other = id + 1; other < COVERAGE_END; other++)
			if (!strcmp(row->words, coverage_row(other)->words) &&
			    !strcmp(row->sentence, coverage_row(other)->sentence))
				fail_msg("%s and %s read alike", row->name,
					 coverage_row(other)->name);
	}
	assert_false(is_well_written("Reads make no edges"));
	assert_false(is_well_written("reads make no edges."));
	assert_false(is_well_written("100 % of them"));
	assert_true(is_well_written("GPU memory of %s"));
}

/* Every row is found again by what it reads like, whatever its detail. */
static void test_all_texts(void **state)
{
	static const char *const details[] = {"cuFoo", "", "a file: it, and %s", "x is unknown"};

	(void)state;
	for (uint32_t id = COVERAGE_NONE + 1; id < COVERAGE_END; id++)
		for (size_t i = 0; i < sizeof(details) / sizeof(*details); i++) {
			const struct coverage_row *row = coverage_row(id);
			char *what = coverage_text(row->words, details[i]);
			char *reason = coverage_text(row->sentence, details[i]);

			if (coverage_of_text(what, reason) != row)
				fail_msg("%s is not found by '%s: %s'", row->name, what, reason);
			free(what);
			free(reason);
		}
}

static void test_texts(void **state)
{
	static const struct {
		const char *what, *reason;
		enum coverage_id id;
	} texts[] = {
		{"texture reads", "reads through textures and surfaces make no edges",
		 COVERAGE_TEXTURE_READS},
		{"texture reads", "reads through textures", COVERAGE_NONE},
		{"texture", "reads through textures and surfaces make no edges", COVERAGE_NONE},
		{"trace", "cut at offset 4096: No space left on device", COVERAGE_TRACE_CUT},
		{"trace", "process 7: the trace is cut: truncated at offset 4096",
		 COVERAGE_TRACE_DAMAGED},
		{"trace", "", COVERAGE_TRACE_DAMAGED},
		{"traces", "cut at offset 4096: No space left on device", COVERAGE_NONE},
		{"cuMemImportFromShareableHandle",
		 "memory that others can write; what they write is not seen",
		 COVERAGE_CALL_SHARES_MEMORY},
		{"copies of arrays in graphs",
		 "what it does is not followed; it leaves contents unknown",
		 COVERAGE_GRAPH_ARRAY_COPIES},
		{"unknown memory",
		 "accesses to memory without a shadow: of malloc() in kernels, of the CUDA runtime "
		 "(which lets a grid wait), of another device or process, or of an allocation that "
		 "was not seen, by gemm<float>",
		 COVERAGE_UNKNOWN_MEMORY},
		{"symbols", "app: the file is not there", COVERAGE_SYMBOLS_NO_FILE},
		{"symbols", ": the file is not there", COVERAGE_SYMBOLS_NO_FILE},
		{"symbols", "the file is not there", COVERAGE_NONE},
		{"", "", COVERAGE_NONE},
		{"%s", "%s", COVERAGE_NONE},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		const struct coverage_row *row = coverage_of_text(texts[i].what, texts[i].reason);

		if ((row ? row->id : COVERAGE_NONE) != texts[i].id)
			fail_msg("'%s: %s' is %s", texts[i].what, texts[i].reason,
				 row ? row->name : "nothing");
	}
}

static void is_text(const char *words, const char *detail, const char *text)
{
	char *got = coverage_text(words, detail);

	assert_string_equal(got, text);
	free(got);
}

static void test_detail(void **state)
{
	(void)state;
	is_text("by %s", "%s%n", "by %s%n");
	is_text("by %s, at once", "f", "by f, at once");
	is_text("by %s", NULL, "by ");
	is_text("all", "f", "all");
	is_text("%s", "f", "f");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),     cmocka_unit_test(test_style),
		cmocka_unit_test(test_all_texts), cmocka_unit_test(test_texts),
		cmocka_unit_test(test_detail),
	};

	return cmocka_run_group_tests_name("collect_coverage", tests, NULL, NULL);
}
