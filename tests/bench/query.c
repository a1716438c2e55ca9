/*
 * A graph of 100,000 vertices and a million edges: how long it takes to read from a profile, to
 * slice, to prune, and to ask, and how much memory.  With a folder as argument it leaves big.db and
 * big.dot there for other programs to be measured on.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "graph/dot.h"
#include "graph/profile/profile.h"
#include "query/filter/query.h"
#include "query/language/run.h"
#include "util/memory.h"

enum { SITES = 2000, FRAMES = 5000, DEPTH = 8 };

static uint32_t vertex_count = 100 * 1000; /* and ten times as many edges */

static uint32_t below(uint32_t limit)
{
	static uint64_t seed = 1;

	seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(seed >> 33) % limit;
}

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void fail(const struct error *error)
{
	fprintf(stderr, "query: %s\n", error->text);
	exit(1);
}

static void add_vertices(struct graph *graph)
{
	static const char *const kinds[] = {"memcpy", "memset", "kernel", "kernel", "kernel"};

	for (uint32_t id = 0; id < vertex_count; id++) {
		struct graph_vertex *vertex = graph_add_vertex(graph, id);

		vertex->fields = VERTEX_KIND | VERTEX_NAME | VERTEX_INVOCATIONS | VERTEX_CONTEXT |
				 VERTEX_READ_BYTES | VERTEX_WRITTEN_BYTES | VERTEX_REDUNDANT_BYTES;
		vertex->kind = xstrdup(!id ? "host" : id <= SITES ? "alloc" : kinds[id % 5]);
		vertex->name = xasprintf("f%u(char*)", id % 1000);
		vertex->context = xasprintf("%016x", id);
		vertex->invocations = 1 + id % 50;
	}
}

static void add_edges(struct graph *graph)
{
	for (uint32_t e = 0; e < 10 * vertex_count; e++) {
		/* all over the place, but one edge for each pair of ends, object and access */
		uint32_t from = (uint32_t)((uint64_t)e * 7919 % vertex_count);
		uint32_t ahead = from + below(2000);
		struct graph_edge *edge =
			graph_add_edge(graph, from, ahead < vertex_count ? ahead : from);
		bool write = below(2);

		edge->fields = EDGE_OBJECT | EDGE_ACCESS | EDGE_BYTES | EDGE_COUNT |
			       EDGE_OBJECT_BYTES |
			       (write ? EDGE_REDUNDANT_BYTES | EDGE_REDUNDANCY : 0);
		edge->object = 1 + (e + e / vertex_count) % SITES;
		edge->access = write ? GRAPH_WRITE : GRAPH_READ;
		edge->bytes = 1 + below(1 << 22);
		edge->redundant_bytes = write ? edge->bytes / 2 : 0;
		edge->redundancy = (double)edge->redundant_bytes / (double)edge->bytes;
		edge->count = 3;
		edge->object_bytes = 1 << 20;
		edge->fields |= EDGE_KEY;
	}
}

/* Every operation has a call path of its own, of DEPTH frames. */
static void add_paths(struct profile *profile)
{
	profile->frames = xcalloc(FRAMES, sizeof(*profile->frames));
	profile->frame_count = FRAMES;
	for (uint32_t i = 0; i < FRAMES; i++)
		profile->frames[i] = (struct profile_frame){.function = xasprintf("function_%u", i),
							    .file = xstrdup("/src/solver/step.c"),
							    .line = i,
							    .module = xstrdup("/usr/bin/solver"),
							    .offset = 16 * i};
	profile->vertices = xcalloc(vertex_count, sizeof(*profile->vertices));
	profile->callpaths = xcalloc(vertex_count, sizeof(*profile->callpaths));
	profile->callpath_count = vertex_count;
	for (uint32_t v = 0; v < vertex_count; v++) {
		struct profile_callpath *path = &profile->callpaths[v];
		struct graph_vertex *vertex = &profile->graph->vertices[v];
		char text[DEPTH * 40] = "";

		profile->vertices[v].callpath = v;
		path->frames = xcalloc(DEPTH, sizeof(*path->frames));
		for (; path->count < DEPTH; path->count++) {
			size_t used = strlen(text);
			uint32_t frame = below(FRAMES);

			path->frames[path->count] = frame;
			snprintf(text + used, sizeof(text) - used, "%sfunction_%u step.c:%u",
				 used ? " < " : "", frame, frame);
		}
		vertex->callpath = xstrdup(text);
		vertex->fields |= VERTEX_CALLPATH;
	}
}

static void make(const char *db, const char *dot)
{
	struct profile *profile = profile_new();
	struct error error;
	FILE *file;

	add_vertices(profile->graph);
	add_edges(profile->graph);
	add_paths(profile);
	profile->command = xstrdup("bench");
	if (profile_write(profile, db, &error) != 0)
		fail(&error);
	file = dot ? fopen(dot, "w") : NULL;
	if (file && (dot_write(profile->graph, file, &error) != 0 || fclose(file) != 0))
		fail(&error);
	profile_free(profile);
}

static struct profile *load(const char *db)
{
	struct error error;
	struct profile *profile = profile_read(db, &error);

	if (!profile)
		fail(&error);
	return profile;
}

static void ask(const char *db, const char *text)
{
	struct profile *profile = load(db);
	static const struct query_limits limits = {0};
	double start = now(), built;
	struct engine *engine = engine_from_graph(profile->graph);
	struct query_result result;
	struct error error;
	struct query *query = query_parse(text, &error);

	built = now();
	if (!query || query_check(query, engine, NULL, 0, &error) != 0 ||
	    query_run(query, engine, &limits, &result, &error) != 0)
		fail(&error);
	printf("  %6.3f s (and %.3f s for the engine)  %s\n", now() - built, built - start, text);
	query_result_free(&result);
	query_free(query);
	engine_free(engine);
	profile_free(profile);
}

static void slice(struct engine *engine, struct selection *keep)
{
	bool *of = xcalloc(vertex_count, sizeof(*of));

	of[vertex_count / 2] = true;
	query_slice(engine, of, &(struct query_part){0}, keep);
	free(of);
}

static void prune(struct engine *engine, struct selection *keep)
{
	const struct query_threshold edge = {"bytes", 1 << 21}, vertex = {NULL, 0};
	struct error error;

	if (query_prune(engine, &edge, &vertex, keep, &error) != 0)
		fail(&error);
}

static void ignore(struct engine *engine, struct selection *keep)
{
	bool *of = xcalloc(vertex_count, sizeof(*of));

	for (uint32_t v = 1; v < vertex_count; v += 10)
		of[v] = true;
	query_ignore(engine, of, keep);
	free(of);
}

static void path(struct engine *engine, struct selection *keep)
{
	bool *from = xcalloc(vertex_count, sizeof(*from)), *to = xcalloc(vertex_count, sizeof(*to));
	struct query_paths paths = {.from = from, .to = to};
	struct error error;

	from[vertex_count / 10] = to[vertex_count / 2] = true;
	query_path(engine, &paths, keep, &error);
	free(from);
	free(to);
}

/* The whole of a verb after loading: engine, selection, what is left. */
static void time_verb(const char *db, const char *name,
		      void (*verb)(struct engine *engine, struct selection *keep))
{
	struct profile *profile = load(db);
	double start = now(), selected;
	struct engine *engine = engine_from_graph(profile->graph);
	struct selection keep = selection_new(engine);

	verb(engine, &keep);
	engine_free(engine);
	selected = now();
	graph_filter(profile->graph, keep.vertex, keep.edge);
	printf("  %6.3f s  %s, and %.3f s to drop the rest: %u edges are left\n", selected - start,
	       name, now() - selected, profile->graph->edge_count);
	selection_free(&keep);
	profile_free(profile);
}

/* query [FOLDER [VERTICES]]: the folder keeps big.db and big.dot for other benches */
int main(int argc, char **argv)
{
	char folder[] = "/tmp/vflow-bench-XXXXXX", db[4096], dot[4096];
	const char *place = argc > 1 ? argv[1] : mkdtemp(folder);
	struct rusage usage;
	double start;

	if (!place)
		return 1;
	if (argc > 2)
		vertex_count = (uint32_t)strtoul(argv[2], NULL, 10);
	snprintf(db, sizeof(db), "%s/big.db", place);
	snprintf(dot, sizeof(dot), "%s/big.dot", place);
	if (access(db, F_OK) != 0 && fork() == 0) { /* a child: its memory does not count */
		make(db, argc > 1 ? dot : NULL);
		_exit(0);
	}
	while (wait(NULL) > 0)
		;
	printf("%u vertices, %u edges:\n", vertex_count, 10 * vertex_count);
	start = now();
	profile_free(load(db));
	printf("  %6.3f s  read the profile\n", now() - start);
	time_verb(db, "slice", slice);
	time_verb(db, "prune", prune);
	time_verb(db, "ignore", ignore);
	time_verb(db, "path", path);
	getrusage(RUSAGE_SELF, &usage);
	printf("  %ld MiB at most so far\n", usage.ru_maxrss / 1024);
	ask(db, "MATCH ()-[e]->() WHERE e.bytes >= 2M RETURN GRAPH");
	ask(db, "MATCH p = (a {id: 5000})-[*]->() RETURN GRAPH p");
	ask(db, "MATCH (a:memset)-[w:WRITE]->(k:kernel) WHERE w.redundancy > 0.4 RETURN count(*)");
	ask(db, "MATCH ()-[e]->(v) RETURN v.kind, count(*), sum(e.bytes)");
	ask(db, "MATCH ()-[e:WRITE]->() RETURN count(*)");
	ask(db, "MATCH (v) WHERE v.name CONTAINS 'f99' RETURN count(*)");
	ask(db, "MATCH (a {id: 5000})-[*1..3]->(b) RETURN DISTINCT b.id");
	ask(db, "MATCH (a:alloc)-[*]->(b:kernel) RETURN count(DISTINCT b)");
	ask(db, "MATCH p = SHORTEST 10 (a {id: 5000})-[*]->(b {id: 6000}) RETURN length(p)");
	getrusage(RUSAGE_SELF, &usage);
	printf("  %ld MiB at most\n", usage.ru_maxrss / 1024);
	if (argc < 2) {
		unlink(db);
		rmdir(place);
	}
	return 0;
}
