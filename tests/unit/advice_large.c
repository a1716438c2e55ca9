/*
 * Profiles that no program makes, with as many rows as a file may hold in one place: findings about
 * them cost no more than their rows.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <time.h>

#include "advice/advice.h"
#include "collect/trace.h"
#include "gpu/records.h"
#include "graph/profile/profile.h"
#include "replay/replay.h"
#include "util/memory.h"

enum { ROWS = 300000 };
/* of processor time; 5 at most are taken, and six times as many under the address sanitizer */
#ifdef __SANITIZE_ADDRESS__
enum { SECONDS = 200 };
#else
enum { SECONDS = 30 };
#endif

static struct profile *profile;

static void add_vertex(const char *kind, const char *name)
{
	uint32_t id = profile->graph->vertex_count;
	struct graph_vertex *vertex = graph_add_vertex(profile->graph, id);

	vertex->kind = xstrdup(kind);
	vertex->name = xstrdup(name);
	vertex->context = xasprintf("%016x", id);
	vertex->invocations = 1;
	vertex->fields = VERTEX_KIND | VERTEX_NAME | VERTEX_CONTEXT | VERTEX_INVOCATIONS;
	if (id == 0)
		vertex->callpath = NULL;
	ARRAY_RESERVE(profile->callpaths, profile->callpath_count, profile->callpath_capacity);
	profile->callpaths[profile->callpath_count++] = (struct profile_callpath){0};
	ARRAY_RESERVE(profile->vertices, id, profile->vertex_capacity);
	profile->vertices[id].callpath = id;
}

static void add_edge(uint32_t from, uint32_t to, uint32_t object, enum graph_access access)
{
	struct graph_edge *edge = graph_add_edge(profile->graph, from, to);

	edge->object = object;
	edge->access = access;
	edge->bytes = 65536;
	edge->fields = EDGE_OBJECT | EDGE_ACCESS | EDGE_BYTES;
}

static uint32_t add_api(const char *kind, const char *name, uint32_t vertex)
{
	ARRAY_RESERVE(profile->apis, profile->api_count, profile->api_capacity);
	profile->apis[profile->api_count] = (struct profile_api){
		.kind = xstrdup(kind), .name = xstrdup(name), .vertex = vertex};
	return profile->api_count++;
}

static void add_pass(const char *name)
{
	ARRAY_RESERVE(profile->passes, profile->pass_count, profile->pass_capacity);
	profile->passes[profile->pass_count++] = (struct profile_pass){
		.name = xstrdup(name), .provider = xstrdup(""), .device = xstrdup("")};
}

/* Vertices: an allocation (1), a kernel that writes to it (2), a copy of it to the host (3). */
static void begin(uint64_t end_ns)
{
	profile = profile_new();
	add_vertex("host", "host");
	add_vertex("alloc", "cudaMalloc");
	add_vertex("kernel", "fill");
	add_vertex("memcpy", "cudaMemcpy");
	add_edge(1, 2, 1, GRAPH_WRITE);
	add_edge(2, 3, 1, GRAPH_READ);
	add_edge(3, 0, 1, GRAPH_WRITE);
	ARRAY_RESERVE(profile->objects, profile->object_count, profile->object_capacity);
	profile->objects[profile->object_count++] =
		(struct profile_object){.site = 1, .size = 65536, .memory = TRACE_MEMORY_DEVICE};
	ARRAY_RESERVE(profile->processes, profile->process_count, profile->process_capacity);
	profile->processes[profile->process_count++] =
		(struct profile_process){.time_start_ns = 0, .time_end_ns = end_ns};
	add_pass("flow");
	add_pass("time");
	add_pass("waits");
}

static void add_call(uint32_t api, uint32_t thread, uint64_t start, uint64_t end)
{
	ARRAY_RESERVE(profile->timeline, profile->timeline_count, profile->timeline_capacity);
	profile->timeline[profile->timeline_count++] =
		(struct profile_timed_call){.api = api,
					    .thread = thread,
					    .range = PROFILE_NO_ROW,
					    .start_ns = start,
					    .end_ns = end};
}

static void add_operation(uint32_t vertex, uint64_t start, uint64_t end)
{
	ARRAY_RESERVE(profile->gpu_times, profile->gpu_time_count, profile->gpu_time_capacity);
	profile->gpu_times[profile->gpu_time_count++] =
		(struct profile_gpu_time){.call = profile->timeline_count - 1,
					  .vertex = vertex,
					  .start_ns = start,
					  .end_ns = end};
}

static void add_wait(uint32_t scope, uint64_t start, uint64_t ns, uint64_t recorded)
{
	ARRAY_RESERVE(profile->waits, profile->wait_count, profile->wait_capacity);
	profile->waits[profile->wait_count++] =
		(struct profile_wait){.call = profile->timeline_count - 1,
				      .scope = scope,
				      .start_ns = start,
				      .wait_ns = ns,
				      .recorded_ns = recorded};
}

static void detect(void)
{
	const struct advice_options options = ADVICE_DEFAULTS;
	clock_t start = clock();

	advice_detect(profile, &options);
	assert_true(clock() - start < SECONDS * CLOCKS_PER_SEC);
}

static void end(void)
{
	profile_free(profile);
}

/* Each of many threads waits for what was there before what the one before it has waited for. */
static void threads_backwards(void **state)
{
	uint32_t launch, wait;

	(void)state;
	begin(4 * ROWS);
	launch = add_api("kernel", "fill", 2);
	wait = add_api("sync", "cudaEventSynchronize", PROFILE_NO_VERTEX);
	for (uint32_t i = 0; i < ROWS; i++) {
		add_call(launch, 0, 2 * i, 2 * i + 1);
		add_operation(2, 2 * i + 1, 2 * i + 2);
	}
	for (uint32_t i = 0; i < ROWS; i++) {
		add_call(wait, i + 1, 2 * ROWS + 2 * i, 2 * ROWS + 2 * i + 1);
		add_wait(GPU_WAIT_EVENT, 2 * ROWS + 2 * i, 1, 2 * (ROWS - i));
	}
	detect();
	end();
}

/* Each of many threads waits for what a later one launches. */
static void threads_forwards(void **state)
{
	uint32_t launch;

	(void)state;
	begin(ROWS);
	launch = add_api("kernel", "fill", 2);
	for (uint32_t i = 0; i < ROWS / 2; i++) {
		add_call(launch, i, ROWS / 2 - i, ROWS / 2 - i + 1);
		add_wait(GPU_WAIT_EVENT, ROWS / 2 - i, 1, UINT64_MAX / 8);
		add_operation(2, ROWS / 2 - i + 1, ROWS / 2 - i + 2);
	}
	detect();
	end();
}

/* All rows are one call's. */
static void one_call(void **state)
{
	const struct replay_change change = {
		.kind = REPLAY_SHORTEN, .subject = REPLAY_API, .index = 0, .ns = 1};
	struct replay_times times;
	struct replay *replay;
	struct error error;
	clock_t start;

	(void)state;
	begin(4 * ROWS);
	add_call(add_api("kernel", "fill", 2), 0, 0, 2 * ROWS);
	for (uint32_t i = 0; i < ROWS; i++) {
		add_operation(2, 2 * i, 2 * i + 1);
		add_wait(GPU_WAIT_STREAM, 2 * i, 1, PROFILE_UNKNOWN);
	}
	detect();
	start = clock();
	replay = replay_new(profile, &error);
	if (replay)
		assert_int_equal(replay_estimate(replay, &change, 1, &times, &error), 0);
	replay_free(replay);
	assert_true(clock() - start < SECONDS * CLOCKS_PER_SEC);
	end();
}

/* Each call has a place of its own, and a first use, and the copy has many edges. */
static void many_uses(void **state)
{
	(void)state;
	begin(10 * (uint64_t)ROWS);
	for (uint32_t i = 0; i < ROWS; i++) {
		add_edge(3, 0, 1, GRAPH_WRITE);
		add_call(add_api("memcpy", "cudaMemcpy", 3), 0, 10 * (uint64_t)i,
			 10 * (uint64_t)i + 9);
		add_operation(3, 10 * (uint64_t)i, 10 * (uint64_t)i + 8);
		add_wait(GPU_WAIT_DEFAULT, 10 * (uint64_t)i, 8, PROFILE_UNKNOWN);
		profile->waits[profile->wait_count - 1].own = true;
		ARRAY_RESERVE(profile->first_uses, profile->first_use_count,
			      profile->first_use_capacity);
		profile->first_uses[profile->first_use_count++] =
			(struct profile_first_use){.api = i,
						   .kind = GPU_USE_INSTRUCTION,
						   .waits = 1,
						   .min_ns = 1000000,
						   .median_ns = 1000000,
						   .bytes = 65536,
						   .pages = 16,
						   .touched_pages = 1};
	}
	detect();
	end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(threads_backwards),
		cmocka_unit_test(threads_forwards),
		cmocka_unit_test(one_call),
		cmocka_unit_test(many_uses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
