/*
 * Every verb against SQL on the tables of the graph: 1,000 random graphs with parallel edges,
 * loops, cycles, parts that fall apart, edges without an object or bytes, vertices without
 * invocations.
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

#include "graph/dot_names.h"
#include "graph/graph.h"
#include "query/filter/query.h"

enum { VERTICES = 12, EDGES = 40, ROUNDS = 1000, NONE = -1 };

struct random_graph {
	int vertices, edges;
	int calls[VERTICES]; /* NONE: no such attribute, here and below */
	int from[EDGES], to[EDGES], object[EDGES], access[EDGES], bytes[EDGES];
	bool of[VERTICES]; /* some vertices, never host */
};

static int below(unsigned *seed, int limit)
{
	return (int)((unsigned)rand_r(seed) % (unsigned)limit);
}

static struct random_graph random_graph(unsigned *seed)
{
	struct random_graph random = {.vertices = 1 + below(seed, VERTICES)};
	int objects = 1 + below(seed, 3);

	random.edges = below(seed, random.vertices > 1 ? EDGES : 4);
	random.edges /= 1 + below(seed, 3); /* apart: the same graphs with every compiler */
	for (int v = 0; v < random.vertices; v++) {
		random.calls[v] = below(seed, 6) - 1;
		random.of[v] = v && below(seed, 4) == 0;
	}
	for (int e = 0; e < random.edges; e++) {
		random.from[e] = below(seed, random.vertices);
		random.to[e] = below(seed, random.vertices);
		random.object[e] = below(seed, objects + 1) - 1;
		random.access[e] = below(seed, 3);
		random.bytes[e] = below(seed, 10) - 1;
	}
	return random;
}

/* An edge's number is its count. */
static struct graph *graph_of(const struct random_graph *random)
{
	struct graph *graph = graph_new();

	for (int v = 0; v < random->vertices; v++) {
		struct graph_vertex *vertex = graph_add_vertex(graph, (uint32_t)v);

		if (random->calls[v] == NONE)
			continue;
		vertex->fields = VERTEX_INVOCATIONS;
		vertex->invocations = (uint64_t)random->calls[v];
	}
	for (int e = 0; e < random->edges; e++) {
		struct graph_edge *edge =
			graph_add_edge(graph, (uint32_t)random->from[e], (uint32_t)random->to[e]);

		edge->fields = EDGE_COUNT;
		edge->count = (uint64_t)e;
		if (random->object[e] != NONE) {
			edge->fields |= EDGE_OBJECT;
			edge->object = (uint32_t)random->object[e];
		}
		if (random->access[e]) {
			edge->fields |= EDGE_ACCESS;
			edge->access = (enum graph_access)random->access[e];
		}
		if (random->bytes[e] != NONE) {
			edge->fields |= EDGE_BYTES;
			edge->bytes = (uint64_t)random->bytes[e];
		}
	}
	return graph;
}

/* v: vertices; e: edges; h: the vertices that are meant.  NONE is null in the metrics. */
static void store(sqlite3 *db, const struct random_graph *random)
{
	char row[160];

	assert_int_equal(
		sqlite3_exec(db, "DELETE FROM v; DELETE FROM e; DELETE FROM h", NULL, NULL, NULL),
		SQLITE_OK);
	for (int v = 0; v < random->vertices; v++) {
		snprintf(row, sizeof(row), "INSERT INTO v VALUES (%d, nullif(%d, -1)); %s%.0d%s", v,
			 random->calls[v], random->of[v] ? "INSERT INTO h VALUES (" : "",
			 random->of[v] ? v : 0, random->of[v] ? ")" : "");
		assert_int_equal(sqlite3_exec(db, row, NULL, NULL, NULL), SQLITE_OK);
	}
	for (int e = 0; e < random->edges; e++) {
		snprintf(row, sizeof(row),
			 "INSERT INTO e VALUES (%d, %d, %d, %d, %d, nullif(%d, -1))", e,
			 random->from[e], random->to[e], random->object[e], random->access[e],
			 random->bytes[e]);
		assert_int_equal(sqlite3_exec(db, row, NULL, NULL, NULL), SQLITE_OK);
	}
}

/* The rows' first column, as bits. */
static uint64_t ask(sqlite3 *db, const char *sql, int count, const int *values)
{
	sqlite3_stmt *statement;
	uint64_t found = 0;

	if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL) != SQLITE_OK)
		fail_msg("%s: %s", sqlite3_errmsg(db), sql);
	for (int i = 0; i < count; i++)
		sqlite3_bind_int(statement, i + 1, values[i]);
	while (sqlite3_step(statement) == SQLITE_ROW)
		found |= UINT64_C(1) << sqlite3_column_int(statement, 0);
	sqlite3_finalize(statement);
	return found;
}

#define ASK(db, sql, ...)                                                                          \
	ask(db, sql, sizeof((int[]){__VA_ARGS__}) / sizeof(int), (int[]){__VA_ARGS__})

static uint64_t bits(const bool *set, uint32_t count)
{
	uint64_t found = 0;

	for (uint32_t i = 0; i < count; i++)
		found |= (uint64_t)set[i] << i;
	return found;
}

/* How much was kept and dropped in all rounds: a test in which all or nothing is says little. */
struct tally {
	uint64_t kept, all;
};

struct round {
	sqlite3 *db;
	const struct random_graph *random;
	struct engine *engine;
	struct selection keep;
};

static void begin(struct round *round)
{
	round->keep = selection_new(round->engine);
}

/* Edges go with their ends, as graph_filter() has it. */
static void end(struct round *round, uint64_t edges, uint64_t vertices, struct tally *tally)
{
	struct engine *engine = round->engine;

	for (uint32_t e = 0; e < engine->edge_count; e++)
		round->keep.edge[e] &=
			round->keep.vertex[engine->from[e]] && round->keep.vertex[engine->to[e]];
	assert_int_equal(bits(round->keep.edge, engine->edge_count), edges);
	assert_int_equal(bits(round->keep.vertex, engine->vertex_count), vertices | 1);
	tally->kept += (uint64_t)__builtin_popcountll(edges);
	tally->all += engine->edge_count;
	selection_free(&round->keep);
}

/* The ends of the edges in the set. */
static uint64_t ends_of(const struct random_graph *random, uint64_t edges)
{
	uint64_t ends = 0;

	for (int e = 0; e < random->edges; e++)
		if (edges >> e & 1)
			ends |= UINT64_C(1) << random->from[e] | UINT64_C(1) << random->to[e];
	return ends;
}

/* ?1 up, ?2 down, ?3 depth, ?4 object or -2 */
static const char slice_oracle[] =
	"WITH RECURSIVE t(k) AS (SELECT DISTINCT k FROM e WHERE (i IN h OR j IN h)"
	"  AND (?4 = -2 OR k = ?4)),"
	" back(k, v, d) AS (SELECT k, id, 1 FROM t, h UNION SELECT e.k, e.i, d + 1 FROM back"
	"  JOIN e ON e.k = back.k AND e.j = back.v WHERE d < ?3),"
	" forth(k, v, d) AS (SELECT k, id, 1 FROM t, h UNION SELECT e.k, e.j, d + 1 FROM forth"
	"  JOIN e ON e.k = forth.k AND e.i = forth.v WHERE d < ?3)"
	" SELECT n FROM e WHERE (?2 = 0 AND (k, j) IN (SELECT k, v FROM back))"
	" OR (?1 = 0 AND (k, i) IN (SELECT k, v FROM forth))";

static void check_slice(struct round *round, unsigned *seed, struct tally *tally)
{
	int way = below(seed, 3), depth = below(seed, 5), object = below(seed, 4) - 1;
	uint32_t of_object = (uint32_t)object;
	struct query_part part = {.up = way == 1,
				  .down = way == 2,
				  .depth = (uint32_t)depth,
				  .objects = {&of_object, object >= 0}};
	uint64_t edges = ASK(round->db, slice_oracle, way == 1, way == 2, depth ? depth : 20,
			     object >= 0 ? object : -2);

	begin(round);
	query_slice(round->engine, round->random->of, &part, &round->keep);
	end(round, edges, ends_of(round->random, edges), tally);
}

/* A flow begins where nothing leads to that does not lead back, and ends likewise. */
static const char ignore_oracle[] =
	"WITH RECURSIVE p(k, v) AS (SELECT k, i FROM e UNION SELECT k, j FROM e),"
	" r(k, a, b) AS (SELECT k, v, v FROM p UNION SELECT e.k, r.a, e.j FROM r"
	"  JOIN e ON e.k = r.k AND e.i = r.b),"
	" first(k, v) AS (SELECT * FROM p WHERE NOT EXISTS (SELECT 1 FROM r WHERE r.k = p.k"
	"  AND r.b = p.v AND (p.k, p.v, r.a) NOT IN (SELECT * FROM r))),"
	" last(k, v) AS (SELECT * FROM p WHERE NOT EXISTS (SELECT 1 FROM r WHERE r.k = p.k"
	"  AND r.a = p.v AND (p.k, r.b, p.v) NOT IN (SELECT * FROM r))),"
	" forth(k, v) AS (SELECT * FROM first WHERE v NOT IN h UNION SELECT e.k, e.j FROM forth"
	"  JOIN e ON e.k = forth.k AND e.i = forth.v WHERE e.j NOT IN h),"
	" back(k, v) AS (SELECT * FROM last WHERE v NOT IN h UNION SELECT e.k, e.i FROM back"
	"  JOIN e ON e.k = back.k AND e.j = back.v WHERE e.i NOT IN h)"
	" SELECT n FROM e WHERE (k, i) IN (SELECT * FROM forth) AND (k, j) IN (SELECT * FROM back)";

static void check_ignore(struct round *round, struct tally *tally)
{
	uint64_t edges = ask(round->db, ignore_oracle, 0, NULL);
	uint64_t alone = ask(round->db,
			     "SELECT id FROM v WHERE id NOT IN h AND id NOT IN (SELECT i FROM e"
			     " UNION SELECT j FROM e)",
			     0, NULL);

	begin(round);
	query_ignore(round->engine, round->random->of, &round->keep);
	end(round, edges, alone | ends_of(round->random, edges), tally);
}

/* ?1 least bytes or -1: no threshold; ?2 least invocations, likewise */
static void check_prune(struct round *round, unsigned *seed, struct tally *tally)
{
	int bytes = below(seed, 8) - 1, calls = below(seed, 6) - 1;
	const struct query_threshold edge = {bytes >= 0 ? "bytes" : NULL, bytes};
	const struct query_threshold vertex = {calls >= 0 ? "invocations" : NULL, calls};
	uint64_t vertices = ASK(round->db,
				"SELECT id FROM v WHERE id = 0 OR (?1 < 0 AND ?2 < 0)"
				" OR (?2 >= 0 AND calls >= ?2)"
				" OR (?1 >= 0 AND id IN (SELECT i FROM e WHERE b >= ?1"
				"  UNION SELECT j FROM e WHERE b >= ?1))",
				bytes, calls);
	uint64_t edges = ASK(round->db,
			     "WITH m AS (SELECT id FROM v WHERE id = 0 OR ?2 < 0 OR calls >= ?2)"
			     " SELECT n FROM e WHERE CASE WHEN ?1 >= 0 THEN b >= ?1"
			     " ELSE i IN m AND j IN m END",
			     bytes, calls);
	struct error error;

	begin(round);
	assert_int_equal(query_prune(round->engine, &edge, &vertex, &round->keep, &error), 0);
	end(round, edges, vertices, tally);
}

#define AT "at(id, bytes) AS (SELECT id, (SELECT total(b) FROM e WHERE i = id OR j = id) FROM v)"

/* ?1 least bytes, or how many; host stays and does not count */
static void check_vertices(struct round *round, unsigned *seed, struct tally *tally)
{
	static const char induced[] = "SELECT n FROM e WHERE (?1 >> i & 1) AND (?1 >> j & 1)";
	int least = below(seed, 20), count = below(seed, VERTICES);
	uint64_t vertices = ASK(
		round->db, "WITH " AT " SELECT id FROM at WHERE bytes >= ?1 UNION SELECT 0", least);

	begin(round);
	query_keep_large(round->engine, least, &round->keep);
	end(round, ASK(round->db, induced, (int)vertices), vertices, tally);
	vertices = ASK(round->db,
		       "WITH " AT " SELECT 0 UNION SELECT id FROM (SELECT id FROM at WHERE id > 0"
		       " ORDER BY bytes DESC, id LIMIT ?1)",
		       count);
	begin(round);
	query_keep_most(round->engine, (uint64_t)count, &round->keep);
	end(round, ASK(round->db, induced, (int)vertices), vertices, tally);
}

/* -- hide: new edges -- */

static const char bridge_oracle[] =
	"WITH RECURSIVE t(k, s, v) AS (SELECT k, i, j FROM e WHERE i NOT IN h AND j IN h"
	" UNION SELECT e.k, t.s, e.j FROM t JOIN e ON e.k = t.k AND e.i = t.v WHERE e.j IN h)"
	" SELECT DISTINCT t.s, e.j, e.k, e.a FROM t JOIN e ON e.k = t.k AND e.i = t.v"
	" WHERE e.j NOT IN h ORDER BY 1, 2, 3, 4";

static int by_all(const void *left, const void *right)
{
	const int *a = left, *b = right;

	for (int i = 0; i < 4; i++)
		if (a[i] != b[i])
			return a[i] < b[i] ? -1 : 1;
	return 0;
}

static void check_bridge(sqlite3 *db, const struct random_graph *random, uint64_t *bridges)
{
	struct graph *graph = graph_of(random);
	static int got[VERTICES * VERTICES * 12][4];
	sqlite3_stmt *statement;
	struct error error;
	uint32_t count = 0, at = 0, old = 0;

	assert_int_equal(query_bridge(graph, random->of, &error), 0);
	for (int v = 0; v < random->vertices; v++)
		if (!random->of[v])
			assert_int_equal(graph->vertices[at++].id, v);
	assert_int_equal(graph->vertex_count, at);
	for (int e = 0; e < random->edges; e++) {
		if (random->of[random->from[e]] || random->of[random->to[e]])
			continue;
		assert_int_equal(graph->edges[old].count, e); /* as it was, and first */
		assert_null(graph_attribute(&graph->edges[old].attributes, DOT_BRIDGED));
		old++;
	}
	for (uint32_t e = old; e < graph->edge_count; e++) {
		const struct graph_edge *edge = &graph->edges[e];

		assert_string_equal(graph_attribute(&edge->attributes, DOT_BRIDGED), "true");
		assert_false(edge->fields & (EDGE_BYTES | EDGE_COUNT));
		got[count][0] = (int)graph->vertices[edge->from].id;
		got[count][1] = (int)graph->vertices[edge->to].id;
		got[count][2] = edge->fields & EDGE_OBJECT ? (int)edge->object : NONE;
		got[count++][3] = (int)edge->access;
	}
	qsort(got, count, sizeof(*got), by_all);
	assert_int_equal(sqlite3_prepare_v2(db, bridge_oracle, -1, &statement, NULL), SQLITE_OK);
	for (at = 0; sqlite3_step(statement) == SQLITE_ROW; at++) {
		assert_true(at < count);
		for (int i = 0; i < 4; i++)
			assert_int_equal(got[at][i], sqlite3_column_int(statement, i));
	}
	assert_int_equal(at, count);
	sqlite3_finalize(statement);
	*bridges += count;
	graph_free(graph);
}

/* One after the other is the same as both at once. */
static void check_two_bridges(const struct random_graph *random)
{
	struct graph *once = graph_of(random), *twice = graph_of(random);
	bool of[VERTICES] = {false};
	struct error error;
	int first = 0;

	while (first < random->vertices && !random->of[first])
		first++;
	of[first % VERTICES] = first < random->vertices;
	assert_int_equal(query_bridge(once, random->of, &error), 0);
	assert_int_equal(query_bridge(twice, of, &error), 0);
	for (uint32_t v = 0; v < twice->vertex_count; v++)
		of[v] = random->of[twice->vertices[v].id];
	assert_int_equal(query_bridge(twice, of, &error), 0);
	assert_int_equal(once->vertex_count, twice->vertex_count);
	assert_int_equal(once->edge_count, twice->edge_count);
	graph_free(once);
	graph_free(twice);
}

/* -- path: so many ways -- */

/* Ways without an edge twice, of at most ?3 edges, from ?1 to ?2; `used` are their edges as bits.
 */
#define TRAILS                                                                                     \
	"WITH RECURSIVE t(v, d, used) AS (SELECT j, 1, 1 << n FROM e WHERE i = ?1"                 \
	" UNION ALL SELECT e.j, d + 1, used | (1 << n) FROM t JOIN e ON e.i = t.v"                 \
	" WHERE d < ?3 AND NOT used >> n & 1) "

static int64_t number(sqlite3 *db, const char *sql, int from, int to, int most)
{
	sqlite3_stmt *statement;
	int64_t result;

	assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &statement, NULL), SQLITE_OK);
	sqlite3_bind_int(statement, 1, from);
	sqlite3_bind_int(statement, 2, to);
	sqlite3_bind_int(statement, 3, most);
	assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
	result = sqlite3_column_int64(statement, 0);
	sqlite3_finalize(statement);
	return result;
}

/* As many ways as have at most `most` edges: which those are is not a matter of order. */
static void check_ways(struct round *round, unsigned *seed, struct tally *tally)
{
	const struct random_graph *random = round->random;
	int from = below(seed, random->vertices), to = below(seed, random->vertices);
	int most = 1 + below(seed, 4);
	bool at_from[VERTICES] = {false}, at_to[VERTICES] = {false};
	struct query_paths ways = {.from = at_from, .to = at_to};
	int64_t count =
		number(round->db, TRAILS "SELECT count(*) FROM t WHERE v = ?2", from, to, most);
	uint64_t edges = ASK(round->db,
			     TRAILS "SELECT n FROM e WHERE EXISTS"
				    " (SELECT 1 FROM t WHERE v = ?2 AND used >> n & 1)",
			     from, to, most);
	struct error error;

	if (!count)
		return;
	at_from[from] = at_to[to] = true;
	ways.limit = (uint64_t)count;
	begin(round);
	assert_int_equal(query_path(round->engine, &ways, &round->keep, &error), count);
	end(round, edges, ends_of(random, edges), tally);
}

static void test_random(void **state)
{
	struct tally slice = {0}, ignore = {0}, prune = {0}, vertices = {0}, ways = {0};
	const struct tally *tallies[] = {&slice, &ignore, &prune, &vertices, &ways};
	uint64_t bridges = 0;
	unsigned seed = 23;
	sqlite3 *db;

	(void)state;
	assert_int_equal(sqlite3_open(":memory:", &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db,
				      "CREATE TABLE v (id, calls); CREATE TABLE h (id);"
				      "CREATE TABLE e (n, i, j, k, a, b)",
				      NULL, NULL, NULL),
			 SQLITE_OK);
	for (int i = 0; i < ROUNDS; i++) {
		struct random_graph random = random_graph(&seed);
		struct graph *graph = graph_of(&random);
		struct round round = {.db = db, .random = &random};

		store(db, &random);
		round.engine = engine_from_graph(graph);
		check_slice(&round, &seed, &slice);
		check_ignore(&round, &ignore);
		check_prune(&round, &seed, &prune);
		check_vertices(&round, &seed, &vertices);
		check_ways(&round, &seed, &ways);
		check_bridge(db, &random, &bridges);
		check_two_bridges(&random);
		engine_free(round.engine);
		graph_free(graph);
	}
	sqlite3_close(db);
	for (size_t i = 0; i < sizeof(tallies) / sizeof(*tallies); i++)
		assert_true(tallies[i]->kept > tallies[i]->all / 20 &&
			    tallies[i]->kept < tallies[i]->all * 19 / 20);
	assert_true(bridges > ROUNDS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_random)};

	return cmocka_run_group_tests_name("query_oracle", tests, NULL, NULL);
}
