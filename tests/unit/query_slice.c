/*
 * Vertex slices: Figure 3 of the ValueExpert paper, corner cases worked out by hand, and 1,000
 * random graphs against a recursive query in SQLite.
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
#include "util/memory.h"

enum { NO_OBJECT = -1 };

/* Vertices 0..count-1 with their index as id. */
static struct graph *vertices(uint32_t count)
{
	struct graph *graph = graph_new();

	while (graph->vertex_count < count)
		graph_add_vertex(graph, graph->vertex_count);
	return graph;
}

/* The edge's number is kept in `count`, so that it can be told after others are gone. */
static void edge(struct graph *graph, uint32_t from, uint32_t to, int object)
{
	uint32_t number = graph->edge_count;
	struct graph_edge *added = graph_add_edge(graph, from, to);

	added->count = number;
	if (object != NO_OBJECT) {
		added->fields |= EDGE_OBJECT;
		added->object = (uint32_t)object;
	}
}

/* Edges 0..5 of Figure 3: 1->3 2->4 3->5 4->6 5->7 6->7; objects A = 1, B = 2. */
static struct graph *figure3(void)
{
	struct graph *graph = vertices(8);

	edge(graph, 1, 3, 1);
	edge(graph, 2, 4, 2);
	edge(graph, 3, 5, 1);
	edge(graph, 4, 6, 2);
	edge(graph, 5, 7, 1);
	edge(graph, 6, 7, 2);
	return graph;
}

/* Leaves the union of the slices of the vertices with of[index]. */
static void slice_union(struct graph *graph, const bool *of)
{
	struct engine *engine = engine_from_graph(graph);
	struct selection keep = selection_new(engine);

	query_slice(engine, of, &(struct query_part){0}, &keep);
	engine_free(engine);
	graph_filter(graph, keep.vertex, keep.edge);
	selection_free(&keep);
}

static void slice(struct graph *graph, uint32_t u)
{
	bool *of = xcalloc(graph->vertex_count, sizeof(*of));

	of[u] = true;
	slice_union(graph, of);
	free(of);
}

/* Compares with the numbers of edges and ids of vertices, both ended by -1; frees the graph. */
static void expect(struct graph *graph, const int *edges, const int *ids)
{
	uint32_t e = 0, v = 0;

	for (; edges[e] >= 0; e++) {
		assert_true(e < graph->edge_count);
		assert_int_equal(graph->edges[e].count, edges[e]);
	}
	assert_int_equal(graph->edge_count, e);
	for (; ids[v] >= 0; v++) {
		assert_true(v < graph->vertex_count);
		assert_int_equal(graph->vertices[v].id, ids[v]);
	}
	assert_int_equal(graph->vertex_count, v);
	graph_free(graph);
}

#define LIST(...) ((const int[]){__VA_ARGS__, -1})
#define NOTHING ((const int[]){-1})

static void test_figure3(void **state)
{
	struct graph *graph;

	(void)state;
	slice(graph = figure3(), 6); /* {2->4, 4->6, 6->7} */
	assert_int_equal(graph->vertices[graph->edges[2].from].id, 6);
	assert_int_equal(graph->vertices[graph->edges[2].to].id, 7);
	expect(graph, LIST(1, 3, 5), LIST(0, 2, 4, 6, 7));
	slice(graph = figure3(), 7); /* all six */
	expect(graph, LIST(0, 1, 2, 3, 4, 5), LIST(0, 1, 2, 3, 4, 5, 6, 7));
	slice(graph = figure3(), 1); /* the flow of A */
	expect(graph, LIST(0, 2, 4), LIST(0, 1, 3, 5, 7));
	slice(graph = figure3(), 3);
	expect(graph, LIST(0, 2, 4), LIST(0, 1, 3, 5, 7));
	slice(graph = figure3(), 0); /* host touches nothing here */
	expect(graph, NOTHING, LIST(0));
}

static void test_objects_do_not_mix(void **state)
{
	struct graph *graph = vertices(6);

	(void)state;
	/* 3 reads object 1 and writes object 2: the flow of object 1 ends at 3, 4's begins there */
	edge(graph, 1, 3, 1);
	edge(graph, 2, 3, 2);
	edge(graph, 3, 4, 2);
	edge(graph, 3, 5, 1);
	slice(graph, 4);
	expect(graph, LIST(1, 2), LIST(0, 2, 3, 4));
}

static void test_siblings(void **state)
{
	struct graph *graph = vertices(6);

	(void)state;
	/* 1 -> 2 and 1 -> 3 are both from 1, but 3 is neither before nor after 2 */
	edge(graph, 1, 2, 1);
	edge(graph, 1, 3, 1);
	edge(graph, 2, 4, 1);
	edge(graph, 3, 4, 1); /* into what 2 reaches, from what it does not: not kept */
	edge(graph, 4, 5, 1);
	slice(graph, 2);
	expect(graph, LIST(0, 2, 4), LIST(0, 1, 2, 4, 5));
}

static void test_loops_and_parallels(void **state)
{
	struct graph *graph = vertices(4);

	(void)state;
	edge(graph, 2, 2, 1);
	edge(graph, 1, 2, 1);
	edge(graph, 1, 2, 1);
	edge(graph, 1, 1, 1);
	edge(graph, 3, 3, 1);
	slice(graph, 2);
	expect(graph, LIST(0, 1, 2, 3), LIST(0, 1, 2));

	graph = vertices(5); /* a cycle: 2 -> 3 -> 2; 4 hangs on it */
	edge(graph, 1, 2, 1);
	edge(graph, 2, 3, 1);
	edge(graph, 3, 2, 1);
	edge(graph, 3, 4, 1);
	slice(graph, 3);
	expect(graph, LIST(0, 1, 2, 3), LIST(0, 1, 2, 3, 4));
}

static void test_through_host(void **state)
{
	struct graph *graph = vertices(5);

	(void)state;
	/* 1 written by 2, copied out by 2, in again by 3: formally one path */
	edge(graph, 1, 2, 1);
	edge(graph, 2, 0, 1);
	edge(graph, 0, 3, 1);
	edge(graph, 0, 4, 9); /* another object */
	slice(graph, 3);
	expect(graph, LIST(0, 1, 2), LIST(0, 1, 2, 3));
}

static void test_no_object(void **state)
{
	struct graph *graph = vertices(5);

	(void)state;
	/* DOT of others: edges without an object are of one object more, not of object 0 */
	edge(graph, 1, 2, NO_OBJECT);
	edge(graph, 2, 3, NO_OBJECT);
	edge(graph, 3, 4, 0);
	slice(graph, 3);
	expect(graph, LIST(0, 1, 2), LIST(0, 1, 2, 3, 4));

	graph = vertices(5);
	edge(graph, 1, 2, NO_OBJECT);
	edge(graph, 2, 3, NO_OBJECT);
	edge(graph, 3, 4, 0);
	slice(graph, 2);
	expect(graph, LIST(0, 1), LIST(0, 1, 2, 3));
}

static void test_union(void **state)
{
	struct graph *graph = figure3();
	bool of[8] = {[5] = true, [6] = true};

	(void)state;
	slice_union(graph, of);
	expect(graph, LIST(0, 1, 2, 3, 4, 5), LIST(0, 1, 2, 3, 4, 5, 6, 7));
	graph = figure3();
	memset(of, 0, sizeof(of));
	slice_union(graph, of);
	expect(graph, NOTHING, LIST(0));
}

static void test_long_chain(void **state)
{
	enum { LENGTH = 200000 };
	struct graph *graph = vertices(LENGTH);

	(void)state;
	for (uint32_t v = 0; v + 1 < LENGTH; v++)
		edge(graph, v, v + 1, 1);
	slice(graph, LENGTH / 2);
	assert_int_equal(graph->edge_count, LENGTH - 1);
	graph_free(graph);
}

static void test_many_objects(void **state)
{
	enum { OBJECTS = 100000 };
	struct graph *graph = vertices(OBJECTS + 2);

	(void)state;
	/* one kernel that touches them all: objects x edges would not end */
	for (int object = 2; object < OBJECTS + 2; object++) {
		edge(graph, (uint32_t)object, 1, object);
		edge(graph, 1, (uint32_t)object, object + 1);
	}
	slice(graph, 1);
	assert_int_equal(graph->edge_count, 2 * OBJECTS);
	graph_free(graph);
}

/* The definition once more, by SQLite. */
static const char oracle[] =
	"WITH RECURSIVE touched(k) AS (SELECT DISTINCT k FROM e WHERE i = ?1 OR j = ?1),"
	" back(k, v) AS (SELECT k, ?1 FROM touched UNION"
	"  SELECT e.k, e.i FROM back JOIN e ON e.k = back.k AND e.j = back.v),"
	" forth(k, v) AS (SELECT k, ?1 FROM touched UNION"
	"  SELECT e.k, e.j FROM forth JOIN e ON e.k = forth.k AND e.i = forth.v)"
	" SELECT n, i, j FROM e WHERE EXISTS (SELECT 1 FROM back b WHERE b.k = e.k AND b.v = e.j)"
	" OR EXISTS (SELECT 1 FROM forth f WHERE f.k = e.k AND f.v = e.i) ORDER BY n";

struct random_graph {
	uint32_t vertices, edges;
	uint32_t from[64], to[64];
	int object[64];
};

static struct random_graph random_graph(unsigned *seed)
{
	struct random_graph random = {.vertices = 1 + rand_r(seed) % 12};
	uint32_t objects = 1 + rand_r(seed) % 4;

	random.edges = (uint32_t)rand_r(seed) % (random.vertices > 1 ? 40 : 4);
	for (uint32_t e = 0; e < random.edges; e++) {
		random.from[e] = (uint32_t)rand_r(seed) % random.vertices;
		random.to[e] = (uint32_t)rand_r(seed) % random.vertices;
		random.object[e] = (int)((uint32_t)rand_r(seed) % objects) - 1;
	}
	/* many graphs should fall apart: thin them out */
	if (rand_r(seed) % 2)
		random.edges /= 3;
	return random;
}

static struct graph *graph_of(const struct random_graph *random)
{
	struct graph *graph = vertices(random->vertices);

	for (uint32_t e = 0; e < random->edges; e++)
		edge(graph, random->from[e], random->to[e], random->object[e]);
	return graph;
}

static void store(sqlite3 *db, const struct random_graph *random)
{
	char row[128];

	assert_int_equal(sqlite3_exec(db, "DELETE FROM e", NULL, NULL, NULL), SQLITE_OK);
	for (uint32_t e = 0; e < random->edges; e++) {
		snprintf(row, sizeof(row), "INSERT INTO e VALUES (%u, %u, %u, %d)", e,
			 random->from[e], random->to[e], random->object[e]);
		assert_int_equal(sqlite3_exec(db, row, NULL, NULL, NULL), SQLITE_OK);
	}
}

/* Adds the numbers of the edges of u's slice to `keep`. */
static void ask(sqlite3_stmt *statement, uint32_t u, bool *keep)
{
	sqlite3_bind_int(statement, 1, (int)u);
	while (sqlite3_step(statement) == SQLITE_ROW)
		keep[sqlite3_column_int(statement, 0)] = true;
	assert_int_equal(sqlite3_reset(statement), SQLITE_OK);
}

static void compare(const struct random_graph *random, struct graph *graph, const bool *keep)
{
	bool vertex[12] = {[0] = true};
	uint32_t at = 0;

	for (uint32_t e = 0; e < random->edges; e++) {
		if (!keep[e])
			continue;
		assert_true(at < graph->edge_count);
		assert_int_equal(graph->edges[at].count, e);
		assert_int_equal(graph->vertices[graph->edges[at].from].id, random->from[e]);
		assert_int_equal(graph->vertices[graph->edges[at].to].id, random->to[e]);
		vertex[random->from[e]] = vertex[random->to[e]] = true;
		at++;
	}
	assert_int_equal(graph->edge_count, at);
	at = 0;
	for (uint32_t v = 0; v < random->vertices; v++)
		if (vertex[v])
			assert_int_equal(graph->vertices[at++].id, v);
	assert_int_equal(graph->vertex_count, at);
	graph_free(graph);
}

static void test_random(void **state)
{
	unsigned seed = 5;
	sqlite3 *db;
	sqlite3_stmt *statement;
	uint64_t kept = 0, all = 0;

	(void)state;
	assert_int_equal(sqlite3_open(":memory:", &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, "CREATE TABLE e (n, i, j, k)", NULL, NULL, NULL),
			 SQLITE_OK);
	assert_int_equal(sqlite3_prepare_v2(db, oracle, -1, &statement, NULL), SQLITE_OK);
	for (int round = 0; round < 1000; round++) {
		struct random_graph random = random_graph(&seed);
		uint32_t u = (uint32_t)rand_r(&seed) % random.vertices;
		uint32_t w = (uint32_t)rand_r(&seed) % random.vertices;
		bool keep[64] = {false}, of[12] = {false};
		struct graph *graph;

		store(db, &random);
		ask(statement, u, keep);
		for (uint32_t e = 0; e < random.edges; e++, all++)
			kept += keep[e];
		slice(graph = graph_of(&random), u);
		compare(&random, graph, keep);
		ask(statement, w, keep);
		of[u] = of[w] = true;
		slice_union(graph = graph_of(&random), of);
		compare(&random, graph, keep);
	}
	/* a test in which all or nothing is kept would say little */
	assert_true(kept > all / 10 && kept < all * 9 / 10);
	sqlite3_finalize(statement);
	sqlite3_close(db);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_figure3),      cmocka_unit_test(test_objects_do_not_mix),
		cmocka_unit_test(test_siblings),     cmocka_unit_test(test_loops_and_parallels),
		cmocka_unit_test(test_through_host), cmocka_unit_test(test_no_object),
		cmocka_unit_test(test_union),        cmocka_unit_test(test_long_chain),
		cmocka_unit_test(test_many_objects), cmocka_unit_test(test_random),
	};

	return cmocka_run_group_tests_name("query_slice", tests, NULL, NULL);
}
