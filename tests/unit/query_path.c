/*
 * Ways between vertices, and the query language's walks and reachability, against recursive queries
 * in SQLite on 1,000 random graphs with parallel edges, loops, cycles and parts that fall apart.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "graph/graph.h"
#include "query/filter/query.h"
#include "query/language/run.h"

enum { EDGES = 40, ROUNDS = 1000 };

struct random_graph {
	uint32_t vertices, edges;
	uint32_t from[EDGES], to[EDGES], object[EDGES];
};

static struct random_graph random_graph(unsigned *seed)
{
	struct random_graph random = {.vertices = 1 + (uint32_t)rand_r(seed) % 12};

	random.edges = (uint32_t)rand_r(seed) % EDGES / (1 + (uint32_t)rand_r(seed) % 3);
	for (uint32_t e = 0; e < random.edges; e++) {
		random.from[e] = (uint32_t)rand_r(seed) % random.vertices;
		random.to[e] = (uint32_t)rand_r(seed) % random.vertices;
		random.object[e] = (uint32_t)rand_r(seed) % 3;
	}
	return random;
}

/* The edge's number is its count. */
static struct graph *graph_of(const struct random_graph *random)
{
	struct graph *graph = graph_new();

	for (uint32_t v = 0; v < random->vertices; v++)
		graph_add_vertex(graph, v);
	for (uint32_t e = 0; e < random->edges; e++) {
		struct graph_edge *edge = graph_add_edge(graph, random->from[e], random->to[e]);

		edge->fields = EDGE_OBJECT | EDGE_COUNT;
		edge->object = random->object[e];
		edge->count = e;
	}
	return graph;
}

static void store(sqlite3 *db, const struct random_graph *random)
{
	char row[128];

	assert_int_equal(sqlite3_exec(db, "DELETE FROM e", NULL, NULL, NULL), SQLITE_OK);
	for (uint32_t e = 0; e < random->edges; e++) {
		snprintf(row, sizeof(row), "INSERT INTO e VALUES (%u, %u, %u, %u)", e,
			 random->from[e], random->to[e], random->object[e]);
		assert_int_equal(sqlite3_exec(db, row, NULL, NULL, NULL), SQLITE_OK);
	}
}

/* Numbers of the rows of a statement on (start, end, object or -1), as bits. */
static uint64_t ask(sqlite3 *db, const char *sql, uint32_t a, uint32_t b, int object)
{
	sqlite3_stmt *statement;
	uint64_t found = 0;

	assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &statement, NULL), SQLITE_OK);
	sqlite3_bind_int(statement, 1, (int)a);
	sqlite3_bind_int(statement, 2, (int)b);
	sqlite3_bind_int(statement, 3, object);
	while (sqlite3_step(statement) == SQLITE_ROW)
		found |= UINT64_C(1) << sqlite3_column_int(statement, 0);
	sqlite3_finalize(statement);
	return found;
}

static const char on_a_walk[] =
	"WITH RECURSIVE u AS (SELECT * FROM e WHERE ?3 < 0 OR k = ?3),"
	" forth(v) AS (SELECT ?1 UNION SELECT u.j FROM forth JOIN u ON u.i = forth.v),"
	" back(v) AS (SELECT ?2 UNION SELECT u.i FROM back JOIN u ON u.j = back.v)"
	" SELECT n FROM u WHERE i IN forth AND j IN back";

/* One row: the number of edges of a shortest walk of at least one edge. */
static const char shortest[] = "WITH RECURSIVE u AS (SELECT * FROM e WHERE ?3 < 0 OR k = ?3),"
			       " walk(v, l) AS (SELECT j, 1 FROM u WHERE i = ?1 UNION"
			       "  SELECT u.j, l + 1 FROM walk JOIN u ON u.i = walk.v WHERE l < 13)"
			       " SELECT min(l) FROM walk WHERE v = ?2 HAVING min(l) > 0";

static const char reached[] =
	"WITH RECURSIVE u AS (SELECT * FROM e WHERE ?3 < 0 OR k = ?3),"
	" r(v) AS (SELECT j FROM u WHERE i = ?1 UNION SELECT u.j FROM r JOIN u ON u.i = r.v)"
	" SELECT v FROM r WHERE ?2 >= 0";

static uint64_t path(const struct random_graph *random, uint32_t a, uint32_t b, bool one,
		     int object)
{
	bool from[12] = {false}, to[12] = {false};
	struct graph *graph = graph_of(random);
	struct query_paths paths = {.from = from, .to = to, .shortest = one};
	struct engine *engine;
	struct selection keep;
	struct error error;
	uint64_t edges = 0;
	uint32_t of_object;
	int64_t found;

	from[a] = to[b] = true;
	engine = engine_from_graph(graph);
	keep = selection_new(engine);
	of_object = (uint32_t)object;
	paths.objects = (struct query_objects){&of_object, object >= 0};
	found = query_path(engine, &paths, &keep, &error);
	for (uint32_t e = 0; e < graph->edge_count; e++)
		edges |= (uint64_t)keep.edge[e] << e;
	assert_true(found == (edges != 0));
	selection_free(&keep);
	engine_free(engine);
	graph_free(graph);
	return edges;
}

/* The first column of the answer, or the edges of RETURN GRAPH, as bits. */
static uint64_t query(const struct random_graph *random, const char *text, uint32_t a, uint32_t b,
		      int object)
{
	const struct parameter parameters[] = {
		{"a", value_integer(a)}, {"b", value_integer(b)}, {"k", value_integer(object)}};
	static const struct query_limits limits = {.timeout_seconds = 60};
	struct graph *graph = graph_of(random);
	struct engine *engine = engine_from_graph(graph);
	struct query_result result;
	struct error error = {""};
	struct query *parsed = query_parse(text, &error);
	uint64_t found = 0;

	if (!parsed || query_check(parsed, engine, parameters, 3, &error) != 0 ||
	    query_run(parsed, engine, &limits, &result, &error) != 0)
		fail_msg("%s", error.text);
	for (uint64_t row = 0; row < result.count; row++)
		found |= UINT64_C(1) << result.rows[row * result.width].integer;
	for (uint32_t e = 0; result.is_graph && e < graph->edge_count; e++)
		found |= (uint64_t)result.keep_edge[e] << e;
	query_result_free(&result);
	query_free(parsed);
	engine_free(engine);
	graph_free(graph);
	return found;
}

static void test_random(void **state)
{
	uint64_t ways = 0, none = 0;
	unsigned seed = 11;
	sqlite3 *db;

	(void)state;
	assert_int_equal(sqlite3_open(":memory:", &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, "CREATE TABLE e (n, i, j, k)", NULL, NULL, NULL),
			 SQLITE_OK);
	for (int round = 0; round < ROUNDS; round++) {
		struct random_graph random = random_graph(&seed);
		uint32_t a = (uint32_t)rand_r(&seed) % random.vertices;
		uint32_t b = (uint32_t)rand_r(&seed) % random.vertices;
		int object = rand_r(&seed) % 4 - 1;
		uint64_t expected, length, got;

		store(db, &random);
		expected = ask(db, on_a_walk, a, b, object);
		assert_int_equal(path(&random, a, b, false, object), expected);
		assert_int_equal(query(&random,
				       "MATCH p = (a)-[e* WHERE $k < 0 OR e.object = $k]->(b) "
				       "WHERE a.id = $a AND b.id = $b RETURN GRAPH p",
				       a, b, object),
				 expected);
		length = ask(db, shortest, a, b, object);
		got = path(&random, a, b, true, object);
		assert_int_equal(got ? UINT64_C(1) << __builtin_popcountll(got) : 0, length);
		assert_int_equal(got & ~expected, 0);
		if (a != b)
			assert_int_equal(query(&random,
					       "MATCH p = ANY SHORTEST (a {id: $a})-[e* WHERE $k < "
					       "0 OR e.object = $k]->(b {id: $b}) RETURN length(p)",
					       a, b, object),
					 length);
		assert_int_equal(query(&random,
				       "MATCH (a {id: $a})-[* WHERE true]->(b) WHERE $b >= 0 AND "
				       "$k < 9 RETURN DISTINCT b.id",
				       a, b, object),
				 ask(db, reached, a, b, -1));
		ways += expected != 0;
		none += expected == 0;
	}
	sqlite3_close(db);
	/* the graphs were of both kinds */
	assert_true(ways > ROUNDS / 4 && none > ROUNDS / 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_random)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
