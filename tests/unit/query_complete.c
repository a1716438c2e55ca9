/* How the last word of a query goes on, by what is before it; all words are those of the graph
 * below. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "query/complete.h"
#include "util/memory.h"

static struct engine *engine;

/* Vertices: a kernel with name and bytes, an alloc with "odd name"; edges: READ, WRITE with bytes.
 */
static int set_up(void **state)
{
	const char *const kernel[] = {"kernel", "key value"}, *const alloc[] = {"alloc"};
	const struct value one = {.type = VALUE_INTEGER, .integer = 1};

	(void)state;
	engine = engine_new();
	engine_add_vertex(engine, kernel, 2);
	engine_add_vertex(engine, alloc, 1);
	engine_add_edge(engine, 0, 1, "READ");
	engine_add_edge(engine, 1, 0, "WRITE");
	engine_set(engine, false, 0, "name", one);
	engine_set(engine, false, 0, "bytes", one);
	engine_set(engine, false, 1, "odd name", one);
	engine_set(engine, false, 1, "bell\a", one);
	engine_set(engine, true, 0, "bytes", one);
	engine_set(engine, true, 1, "count", one);
	engine_finish(engine);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	engine_free(engine);
	return 0;
}

/* "TYPED > WORD WORD": how many bytes they stand for, and the words. */
static char *completed(const char *text)
{
	struct completion completion = {0};
	char *result, *longer;

	complete(engine, text, &completion);
	assert_true(completion.typed <= strlen(text));
	result = xasprintf("%s >", text + strlen(text) - completion.typed);
	for (uint32_t i = 0; i < completion.count; i++) {
		longer = xasprintf("%s %s", result, completion.words[i]);
		free(result);
		result = longer;
	}
	completion_free(&completion);
	return result;
}

static void check(const char *text, const char *expected)
{
	char *got = completed(text);

	assert_string_equal(got, expected);
	free(got);
}

static void test_labels(void **state)
{
	(void)state;
	check("MATCH (v:", " > `key value` alloc kernel");
	check("MATCH (v:ke", "ke > `key value` kernel");
	check("MATCH (v:`ke", "`ke > `kernel` `key value`");
	check("MATCH (v:alloc|ker", "ker > kernel");
	check("MATCH (v:KER", "KER >"); /* labels have their case */
	check("MATCH (v)-[:", " > READ WRITE");
	check("MATCH (v)-[e:READ|W", "W > WRITE");
	check("MATCH (v)-[e]->() WHERE e:W", "W > WRITE");
	check("MATCH (v:none", "none >");
}

static void test_properties(void **state)
{
	(void)state;
	check("MATCH (v) RETURN v.", " > `odd name` bytes name");
	check("MATCH (v)-[e]->() RETURN e.", " > bytes count");
	check("MATCH (v)-[e]->() RETURN v.name, e . c", "c > count");
	check("MATCH (v)-[e]->() RETURN count(e.b", "b > bytes");
	check("RETURN x.", " > `odd name` bytes count name"); /* may be either */
	check("MATCH (v) RETURN collect(v)[0].c", "c > count");
	check("MATCH ({na", "na > name");
	check("MATCH (v {name: 'x', by", "by > bytes");
	check("MATCH ()-[{co", "co > count");
	check("MATCH (v {name: tr", "tr > trim( true");
	check("RETURN 1.", " >");
	check("MATCH ()-[*1..", " >");
}

static void test_words(void **state)
{
	(void)state;
	check("mat", "mat > match");
	check("MAT", "MAT > MATCH");
	check("MATCH (v) RETURN toU", "toU > toUpper(");
	check("MATCH (v) RETURN TOU", "TOU > toUpper(");
	check("MATCH p = any short", "short > shortest shortestPath(");
	check("MATCH (v:kernel) WH", "WH > WHEN WHERE");
	check("MATCH (v); OPT", "OPT > OPTIONAL");
	check("MATCH (v) RETURN 12", "12 >");
	check("MATCH (v) WHERE v.id = $MA", "MA >");
	check("\\d", "d >");
}

static void test_texts(void **state)
{
	(void)state;
	check("RETURN 'mat", " >");
	check("RETURN \"it\\\"s mat", " >");
	check("RETURN 'it\\'s' + toU", "toU > toUpper(");
	check("// mat", " >");
	check("// mat\nmat", "mat > match");
	check("/* (v:", " >");
	check("/* a *//* b */ mat", "mat > match");
	check("RETURN ')' AS x /* { */ OR", "OR > OR ORDER");
	check("",
	      " > ALL AND ANY AS ASC ASCENDING BY CALL CASE CONTAINS DESC DESCENDING DISTINCT ELSE "
	      "END ENDS EXISTS EXPLAIN FALSE GRAPH GROUP GROUPS IN IS LIMIT MATCH NOT NULL "
	      "OPTIONAL "
	      "OR ORDER PATH PATHS RETURN SHORTEST SKIP STARTS THEN TRUE UNION UNWIND WHEN WHERE "
	      "WITH XOR");
}

/* Deeper than what is kept of the brackets; nothing but closing ones; every byte. */
static void test_hostile(void **state)
{
	char text[5000];

	(void)state;
	memset(text, '{', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	free(completed(text));
	memset(text, ')', sizeof(text) - 1);
	free(completed(text));
	for (int byte = 1; byte < 256; byte++)
		for (int other = 1; other < 256; other++) {
			text[0] = (char)byte;
			text[1] = (char)other;
			text[2] = '\0';
			free(completed(text));
		}
}

static void test_common(void **state)
{
	char *words[] = {"na\xc3\xa9", "na\xc3\xa8", "naa"};
	struct completion completion = {.words = words, .count = 2};

	(void)state;
	assert_int_equal(completion_common(&completion), 2); /* no half character */
	completion.count = 1;
	assert_int_equal(completion_common(&completion), 4);
	completion.count = 0;
	assert_int_equal(completion_common(&completion), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_labels),  cmocka_unit_test(test_properties),
		cmocka_unit_test(test_words),   cmocka_unit_test(test_texts),
		cmocka_unit_test(test_hostile), cmocka_unit_test(test_common),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
