/*
 * tests/unit/gpu_forms.c: the decoder knows every form of tests/gpu/ptx/forms.txt.
 *
 * With the argument "print" it writes them as one module, for ptxas (tests/gpu/ptx/forms.sh).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "gpu/emulator/interpreter/interpreter.h"
#include "gpu/ptx/instruction.h"

#define FILE_NAME "tests/gpu/ptx/forms.txt"
#define HEADER ".version 8.6\n.target sm_90a\n.address_size 64\n"
#define REGISTERS                                                                                  \
	".reg .b16 %h<10>; .reg .b32 %r<10>; .reg .b64 %d<10>; .reg .b128 %q<5>; "                 \
	".reg .f32 %f<10>; .reg .f64 %e<10>; .reg .pred %p<5>; .shared .align 16 .b8 cell[64];"

static FILE *output;
static unsigned forms;

/* "a{b,c}d" is "abd" and "acd", as often as there are such braces. */
static void expand(const char *form)
{
	for (const char *open = strchr(form, '{'); open; open = strchr(open + 1, '{')) {
		const char *close = strchr(open, '}'), *at = open + 1;

		if (!close)
			break;
		if (!memchr(open, ',', (size_t)(close - open)) ||
		    memchr(open, ' ', (size_t)(close - open)))
			continue;
		for (; at <= close; at += strcspn(at, ",}") + 1) {
			char one[1024];

			snprintf(one, sizeof(one), "%.*s%.*s%s", (int)(open - form), form,
				 (int)strcspn(at, ",}"), at, close + 1);
			expand(one);
		}
		return;
	}
	fprintf(output, ".visible .entry k%u(.param .u64 in) { %s\n%s; END: ret; }\n", forms++,
		REGISTERS, form);
}

static void write_module(void)
{
	FILE *file = fopen(FILE_NAME, "r");
	char line[1024];

	if (!file) {
		perror(FILE_NAME);
		exit(1);
	}
	fputs(HEADER, output);
	while (fgets(line, sizeof(line), file)) {
		line[strcspn(line, "\n")] = 0;
		if (*line && *line != '#')
			expand(line);
	}
	fclose(file);
}

static void test_forms(void **state)
{
	char *text;
	size_t size;
	struct error error;
	struct ptx_module *module;

	(void)state;
	output = open_memstream(&text, &size);
	write_module();
	fclose(output);
	module = ptx_parse(interpreter_machine(), text, size, &error);
	if (!module)
		fail_msg("%s", error.text);
	for (uint32_t n = 0; n < module->text_count; n++)
		print_error("not known: %s\n", module->texts[n]);
	assert_int_equal(module->text_count, 0);
	assert_int_equal(ptx_kernel_count(module), forms);
	assert_true(forms > 2500);
	print_message("%u forms\n", forms);
	ptx_free(module);
	free(text);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_forms)};

	if (argc > 1 && !strcmp(argv[1], "print")) {
		output = stdout;
		write_module();
		return 0;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
