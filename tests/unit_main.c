/* tests/unit_main.c: main() of all unit tests that are linked together; TESTS names them,
 * TEST(name) each. */
#include <stdio.h>
#include <string.h>

#define TEST(name) int main_of_##name(void);
TESTS
#undef TEST

int main(int argc, char **argv)
{
#define TEST(name) {#name, main_of_##name},
	static const struct {
		const char *name;
		int (*run)(void);
	} tests[] = {TESTS};
	const char *slash = strrchr(argv[0], '/'), *name = slash ? slash + 1 : argv[0];

	(void)argc;
	for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); i++) {
		if (!strcmp(name, tests[i].name))
			return tests[i].run();
	}
	fprintf(stderr, "no unit test is called %s\n", name);
	return 127;
}
