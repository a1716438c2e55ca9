/*
 * tests/unit/gpu_operations.c: every instruction of tests/gpu/ptx/cases.txt on edge values, against
 * what a GPU gave (expected.txt, whose head names it) or, where PTX says only how near a result
 * must be, within that error.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "gpu/emulator/interpreter/interpreter.h"
#include "gpu/emulator/state/memory.h"
#include "gpu/ptx/instruction.h"
#include "tests/gpu/ptx/cases.h"

#define FOLDER "tests/gpu/ptx/"

static bool run_case(const struct ptx_case *c, uint64_t *results)
{
	char text[8192];
	struct error error;
	struct ptx_module *module;
	struct allocation *input = memory_allocate(CASES_THREADS * CASES_WORDS * 4, 512);
	struct allocation *output = memory_allocate(CASES_THREADS * CASES_STRIDE * 8, 512);
	uint64_t parameters[] = {input->address, output->address};
	struct fault fault;
	size_t used = (size_t)snprintf(text, sizeof(text), "%s", CASES_HEADER);
	int result;

	cases_kernel(c, "k", text + used, sizeof(text) - used);
	module = ptx_parse(interpreter_machine(), text, strlen(text), &error);
	if (!module)
		fail_msg("%s: %s in\n%s", c->line, error.text, text);
	for (unsigned t = 0; t < CASES_THREADS; t++)
		cases_input(c, t, (uint32_t *)(uintptr_t)input->address + t * CASES_WORDS);
	memset((void *)(uintptr_t)output->address, 0, CASES_THREADS * CASES_STRIDE * 8);
	struct launch launch = {.module = module,
				.kernel = ptx_kernel(module, 0),
				.grid = {1, 1, 1},
				.block = {CASES_THREADS, 1, 1},
				.parameters = (const uint8_t *)parameters};
	result = interpreter_run(&launch, &fault);
	if (result)
		print_error("%s: %s\n", c->line, fault.text);
	memcpy(results, (void *)(uintptr_t)output->address, CASES_THREADS * CASES_STRIDE * 8);
	ptx_free(module);
	memory_release(input);
	memory_release(output);
	return !result;
}

static double number_of(const char *type, uint64_t bits)
{
	uint32_t low = (uint32_t)bits;
	float single;
	double wide;

	if (!strcmp(type, "f64")) {
		memcpy(&wide, &bits, 8);
		return wide;
	}
	if (type[0] == 'b')
		low <<= 16;
	if (!strncmp(type, "f16", 3)) {
		int exponent = bits >> 10 & 31;

		wide = exponent == 31 ? (bits & 0x3ff ? NAN : INFINITY)
				      : ldexp((exponent ? 1024 : 0) + (double)(bits & 0x3ff),
					      (exponent ? exponent : 1) - 25);
		return bits & 0x8000 ? -wide : wide;
	}
	memcpy(&single, &low, 4);
	return single;
}

/* How far apart two results are, in the unit of the case's tolerance. */
static double distance(const struct ptx_case *c, uint64_t got, uint64_t expected)
{
	const char *type = c->result;
	double a = number_of(type, got), b = number_of(type, expected), unit;

	if (a == b || (a != a && b != b))
		return 0;
	if (c->absolute)
		return fabs(a - b);
	if (isinf(a) || isinf(b) || a != a || b != b)
		return INFINITY;
	unit = !strcmp(type, "f64")        ? ldexp(1, ilogb(b) - 52)
	       : !strncmp(type, "f16", 3)  ? ldexp(1, (ilogb(b) > -14 ? ilogb(b) : -14) - 10)
	       : !strncmp(type, "bf16", 4) ? ldexp(1, ilogb(b) - 7)
					   : ldexp(1, (ilogb(b) > -126 ? ilogb(b) : -126) - 23);
	return fabs(a - b) / unit;
}

static bool is_alike(const struct ptx_case *c, uint64_t got, uint64_t expected)
{
	if (!c->tolerance)
		return got == expected;
	if (strstr(c->result, "x2"))
		return distance(c, got & 0xffff, expected & 0xffff) <= c->tolerance &&
		       distance(c, got >> 16, expected >> 16) <= c->tolerance;
	return distance(c, got, expected) <= c->tolerance;
}

/* Compares the results with the line's; tells the first difference. */
static bool compare(const struct ptx_case *c, const uint64_t *results, const char *expected)
{
	unsigned wrong = 0;

	for (unsigned t = 0; t < CASES_THREADS; t++)
		for (unsigned k = 0; k < c->shown; k++) {
			char *end;
			uint64_t value = strtoull(expected, &end, 16),
				 got = results[t * CASES_STRIDE + k];
			uint32_t words[CASES_WORDS];
			uint64_t in[3];

			if (end == expected) {
				print_error("%s: expected.txt has too few values\n", c->line);
				return false;
			}
			expected = *end == ',' ? end + 1 : end;
			if (is_alike(c, got, value) || wrong++)
				continue;
			cases_input(c, t, words);
			memcpy(in, words, sizeof(in));
			print_error("%s: thread %u result %u (0x%llx 0x%llx 0x%llx): 0x%llx, "
				    "expected 0x%llx\n",
				    c->line, t, k, (unsigned long long)in[0],
				    (unsigned long long)in[1], (unsigned long long)in[2],
				    (unsigned long long)got, (unsigned long long)value);
		}
	return !wrong;
}

/* The values behind "line = "; NULL: not recorded. */
static const char *recorded(char *text, const char *line)
{
	size_t length = strlen(line);

	for (char *at = text; at; at = strchr(at, '\n')) {
		at += *at == '\n';
		if (!strncmp(at, line, length) && !strncmp(at + length, " =", 2))
			return at + length + 2;
	}
	return NULL;
}

static char *read_file(const char *path)
{
	FILE *file = fopen(path, "r");
	size_t size = 0, capacity = 1 << 22;
	char *text = malloc(capacity + 1);

	if (!text || !file) {
		free(text);
		return NULL;
	}
	size = fread(text, 1, capacity, file);
	text[size] = '\0';
	fclose(file);
	return text;
}

static void run_cases(void)
{
	const char *path = getenv("PTX_EXPECTED") ? getenv("PTX_EXPECTED") : FOLDER "expected.txt";
	char *expected = read_file(path);
	FILE *cases = fopen(FOLDER "cases.txt", "r"), *out = NULL;
	static uint64_t results[CASES_THREADS * CASES_STRIDE];
	unsigned wrong = 0, count = 0, known = 0;
	struct ptx_case c;

	assert_non_null(cases);
	assert_non_null(expected);
	if (getenv("PTX_RESULTS"))
		out = fopen(getenv("PTX_RESULTS"), "w");
	while (cases_next(cases, &c)) {
		const char *line = recorded(expected, c.line);

		count++;
		if (!run_case(&c, results)) {
			wrong++;
			continue;
		}
		if (out)
			cases_print(out, &c, results);
		known += line != NULL;
		if (line && !compare(&c, results, line))
			wrong++;
	}
	print_message("%u cases, %u recorded, %u wrong\n", count, known, wrong);
	if (out)
		fclose(out);
	fclose(cases);
	free(expected);
	assert_int_equal(wrong, 0);
	assert_int_equal(known, count);
}

/* With the executors that this CPU gets, and with those that every CPU can run. */
static void test_operations(void **state)
{
	(void)state;
	run_cases();
}

static void test_plain_operations(void **state)
{
	(void)state;
	interpreter_plain = true;
	run_cases();
	interpreter_plain = false;
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_operations),
					   cmocka_unit_test(test_plain_operations)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
