/* Source lines that the report shows, of files that may be anything. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "advice/source.h"

static char path[] = "/tmp/vflow-source.XXXXXX";

static void write_text(const char *text)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static void check(uint32_t line, uint32_t first, const char *a, const char *b, const char *c)
{
	const char *expected[] = {a, b, c};
	struct source source = source_read(path, line, 12);

	for (int i = 0; i < SOURCE_LINES; i++)
		if (expected[i])
			assert_string_equal(source.lines[i], expected[i]);
		else
			assert_null(source.lines[i]);
	if (a)
		assert_int_equal(source.first, first);
	source_free(&source);
}

static void test_lines(void **state)
{
	(void)state;
	write_text("one\n\ttwo  \n\nfour \x1b[31m red and long\nfive");
	check(1, 1, "one", " two", "");
	check(2, 1, "one", " two", "");
	check(3, 2, " two", "", "four \\x1b...");
	check(5, 4, "four \\x1b...", "five", NULL);
	check(6, 0, NULL, NULL, NULL);
	check(0, 0, NULL, NULL, NULL);
	check(UINT32_MAX, 0, NULL, NULL, NULL);
}

static void test_no_file(void **state)
{
	size_t size;

	(void)state;
	assert_null(source_read("/dev/zero", 1, 80).lines[0]);
	assert_null(source_read("/tmp", 1, 80).lines[0]);
	assert_null(source_read("/nowhere/a.c", 1, 80).lines[0]);
	assert_null(source_read_all("/dev/zero", &size));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_no_file),
	};
	int failed, fd = mkstemp(path);

	if (fd < 0)
		return 1;
	close(fd);
	failed = cmocka_run_group_tests_name("advice_source", tests, NULL, NULL);
	unlink(path);
	return failed;
}
