/* tests/cupti/sink_text.h: what a sink gets, as text, and whether that is right, as TAP lines. */
#ifndef VFLOW_TESTS_CUPTI_SINK_TEXT_H
#define VFLOW_TESTS_CUPTI_SINK_TEXT_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned checks, failures;
static char *told;
static size_t told_size;
static FILE *out; /* by open_memstream(), of `told` */

static void check(bool good, const char *what)
{
	printf("%sok %u - %s\n", good ? "" : "not ", ++checks, what);
	failures += !good;
}

/* What the sink was told since the last time. */
static void is(const char *expected, const char *what)
{
	fclose(out);
	check(!strcmp(told, expected), what);
	if (strcmp(told, expected) != 0)
		printf("# expected:\n%s# got:\n%s", expected, told);
	free(told);
	out = open_memstream(&told, &told_size);
}

#endif
