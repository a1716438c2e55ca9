/* Source lines that the report shows, of files that may be anything. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "advice/source.h"
#include "advice/source_files.h"

static struct source_files files; /* of one text */
static char path[] = "/tmp/vflow-source.XXXXXX";

static void write_text(const char *text)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	fputs(text, file);
	fclose(file);
	source_files_release(&files);
}

static void check(uint32_t line, uint32_t first, const char *a, const char *b, const char *c)
{
	const char *expected[] = {a, b, c};
	struct source source = source_read(&files, path, line, 12);

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

/* Of a file from Windows the carriage return ends the line; one within a line is shown. */
static void test_carriage_returns(void **state)
{
	(void)state;
	write_text("one\r\ntwo \r\n\r\na\rb\r\n");
	check(1, 1, "one", "two", "");
	check(4, 3, "", "a\\x0db", NULL);
}

static void test_no_file(void **state)
{
	(void)state;
	assert_null(source_read(&files, "/dev/zero", 1, 80).lines[0]);
	assert_null(source_read(&files, "/tmp", 1, 80).lines[0]);
	assert_null(source_read(&files, "/nowhere/a.c", 1, 80).lines[0]);
	assert_null(source_files_read_code(&files, "/dev/zero").bytes);
}

static void append(const char *bytes, size_t size)
{
	FILE *file = fopen(path, "a");

	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, size, file), size);
	fclose(file);
	source_files_release(&files);
}

static void test_bytes(void **state)
{
	(void)state;
	write_text("one\n");
	check(1, 1, "one", NULL, NULL);
	check(2, 0, NULL, NULL, NULL);
	append("a\0b\nlast\n", 9);
	check(2, 1, "one", "a", "last");
	check(4, 0, NULL, NULL, NULL);
	assert_null(source_files_read_code(&files, path).bytes);
	write_text("");
	check(1, 0, NULL, NULL, NULL);
	assert_string_equal(source_files_read_code(&files, path).bytes, "");
}

static void test_once(void **state)
{
	(void)state;
	write_text("int a; // one\n");
	check(1, 1, "int a; //...", NULL, NULL);
	assert_string_equal(source_files_read_code(&files, path).bytes, "int a;       \n");
	assert_int_equal(truncate(path, 0), 0);
	check(1, 1, "int a; //...", NULL, NULL);
	source_files_release(&files);
	check(1, 0, NULL, NULL, NULL);
}

/* Large files are cut, and not all of them kept. */
static void test_limits(void **state)
{
	char name[64];

	(void)state;
	write_text("one\n");
	assert_int_equal(truncate(path, 20 << 20), 0);
	for (int slashes = 1; slashes <= 7; slashes++) { /* each another name */
		snprintf(name, sizeof(name), "%.*s%s", slashes, "///////", path);
		assert_int_equal(source_files_read(&files, name).size, 16 << 20);
		assert_null(source_files_read_code(&files, name).bytes);
		assert_true(files.bytes < 81 << 20);
	}
	source_files_release(&files);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines),   cmocka_unit_test(test_carriage_returns),
		cmocka_unit_test(test_no_file), cmocka_unit_test(test_bytes),
		cmocka_unit_test(test_once),    cmocka_unit_test(test_limits),
	};
	int failed, fd = mkstemp(path);

	if (fd < 0)
		return 1;
	close(fd);
	failed = cmocka_run_group_tests_name("advice_source", tests, NULL, NULL);
	unlink(path);
	return failed;
}
