/*
 * Findings about time, on timelines made by hand: which waits are needed for what, loops that
 * allocate, copies that make the host wait, and who keeps the device idle.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "advice/advice.h"
#include "advice/run.h"
#include "advice/order/order.h"
#include "collect/trace.h"
#include "gpu/records.h"
#include "graph/profile/profile.h"
#include "util/memory.h"

enum {
	US = 1000,
	FILL = 3,        /* vertices: writes site 1 */
	READ = 4,        /* reads site 1, writes site 2 */
	DOWN = 5,        /* copies site 2 to the host */
	UP = 6,          /* copies to site 1 */
	FREE_KERNEL = 7, /* accesses nothing but site 2 */
};

/* The functions, rows of table api. */
struct apis {
	uint32_t alloc, fill, read, down, down_sync, up, up_sync, other, sync, stream_sync,
		event_sync, release, release_async;
};

static struct profile *profile;
static struct apis apis;
static uint64_t now; /* where the next call of thread 0 begins */

static void vertex(const char *kind, const char *name)
{
	uint32_t id = profile->graph->vertex_count;
	struct graph_vertex *added = graph_add_vertex(profile->graph, id);

	added->kind = xstrdup(kind);
	added->name = xstrdup(name);
	added->context = xasprintf("%016x", id);
	added->callpath = id == GRAPH_HOST ? NULL : xstrdup("f net.c");
	added->fields = VERTEX_KIND | VERTEX_NAME | VERTEX_CONTEXT;
	ARRAY_RESERVE(profile->callpaths, profile->callpath_count, profile->callpath_capacity);
	profile->callpaths[profile->callpath_count++] = (struct profile_callpath){0};
	profile->vertices = xreallocarray(profile->vertices, id + 1, sizeof(*profile->vertices));
	profile->vertices[id].callpath = 0;
}

static void edge(uint32_t from, uint32_t to, uint32_t object, enum graph_access access)
{
	struct graph_edge *added = graph_add_edge(profile->graph, from, to);

	added->object = object;
	added->access = access;
	added->bytes = 4096;
	added->fields = EDGE_OBJECT | EDGE_ACCESS | EDGE_BYTES;
}

static void object(uint32_t site, enum trace_memory memory)
{
	ARRAY_RESERVE(profile->objects, profile->object_count, profile->object_capacity);
	profile->objects[profile->object_count++] =
		(struct profile_object){.site = site, .size = 4096, .memory = memory};
}

static uint32_t api(const char *kind, const char *name, uint32_t vertex)
{
	ARRAY_RESERVE(profile->apis, profile->api_count, profile->api_capacity);
	profile->apis[profile->api_count] = (struct profile_api){
		.kind = xstrdup(kind), .name = xstrdup(name), .vertex = vertex, .place.line = 0};
	if (vertex == PROFILE_NO_VERTEX)
		profile->apis[profile->api_count].place.callpath =
			xstrdup("step net.c:30 < main net.c:9");
	return profile->api_count++;
}

static void begin(void)
{
	profile = profile_new();
	now = 0;
	vertex("host", "host");
	vertex("alloc", "cudaMalloc");
	vertex("alloc", "cudaMalloc");
	vertex("kernel", "fill");
	vertex("kernel", "read");
	vertex("memcpy", "cudaMemcpyAsync");
	vertex("memcpy", "cudaMemcpyAsync");
	vertex("kernel", "other");
	vertex("memcpy", "cudaMemcpy");
	object(1, TRACE_MEMORY_DEVICE);
	object(2, TRACE_MEMORY_DEVICE);
	edge(1, FILL, 1, GRAPH_WRITE);
	edge(FILL, READ, 1, GRAPH_READ);
	edge(2, READ, 2, GRAPH_WRITE);
	edge(READ, DOWN, 2, GRAPH_READ);
	edge(DOWN, 0, 2, GRAPH_WRITE);
	edge(0, UP, 1, GRAPH_READ);
	edge(1, UP, 1, GRAPH_WRITE);
	edge(READ, FREE_KERNEL, 2, GRAPH_READ);
	edge(0, 8, 1, GRAPH_READ);
	edge(1, 8, 1, GRAPH_WRITE);
	ARRAY_RESERVE(profile->processes, profile->process_count, profile->process_capacity);
	profile->processes[profile->process_count++] =
		(struct profile_process){.time_start_ns = 0, .time_end_ns = PROFILE_UNKNOWN};
	apis = (struct apis){
		.alloc = api("alloc", "cudaMalloc", 1),
		.fill = api("kernel", "fill", FILL),
		.read = api("kernel", "read", READ),
		.down = api("memcpy", "cudaMemcpyAsync", DOWN),
		.down_sync = api("memcpy", "cudaMemcpy", DOWN),
		.up = api("memcpy", "cudaMemcpyAsync", UP),
		.up_sync = api("memcpy", "cudaMemcpy", 8),
		.other = api("kernel", "other", FREE_KERNEL),
		.sync = api("sync", "cudaDeviceSynchronize", PROFILE_NO_VERTEX),
		.stream_sync = api("sync", "cudaStreamSynchronize", PROFILE_NO_VERTEX),
		.event_sync = api("sync", "cudaEventSynchronize", PROFILE_NO_VERTEX),
		.release = api("free", "cudaFree", PROFILE_NO_VERTEX),
		.release_async = api("free", "cudaFreeAsync", PROFILE_NO_VERTEX),
	};
}

static uint32_t call_of(uint32_t api, uint32_t thread, uint32_t stream, uint64_t ns)
{
	ARRAY_RESERVE(profile->timeline, profile->timeline_count, profile->timeline_capacity);
	profile->timeline[profile->timeline_count] =
		(struct profile_timed_call){.api = api,
					    .range = PROFILE_NO_ROW,
					    .thread = thread,
					    .stream = stream,
					    .nonblocking = stream >= 100,
					    .start_ns = now,
					    .end_ns = now + ns};
	now += ns;
	return profile->timeline_count++;
}

/* An operation of the latest call, so long after the call's start. */
static void operation(uint64_t after, uint64_t ns)
{
	const uint32_t c = profile->timeline_count - 1;
	const struct profile_timed_call *call = &profile->timeline[c];

	ARRAY_RESERVE(profile->gpu_times, profile->gpu_time_count, profile->gpu_time_capacity);
	profile->gpu_times[profile->gpu_time_count++] =
		(struct profile_gpu_time){.call = c,
					  .vertex = profile->apis[call->api].vertex,
					  .thread = call->thread,
					  .stream = call->stream,
					  .call_ns = call->start_ns,
					  .return_ns = call->end_ns,
					  .start_ns = call->start_ns + after,
					  .end_ns = call->start_ns + after + ns};
}

static void launch(uint32_t api, uint32_t stream)
{
	call_of(api, 0, stream, 5 * US);
	operation(6 * US, 50 * US);
}

/* The latest call waited for all of its time. */
static void waited(uint32_t scope, uint32_t stream, bool own)
{
	const uint32_t c = profile->timeline_count - 1;
	const struct profile_timed_call *call = &profile->timeline[c];

	ARRAY_RESERVE(profile->waits, profile->wait_count, profile->wait_capacity);
	profile->waits[profile->wait_count++] =
		(struct profile_wait){.call = c,
				      .scope = scope,
				      .own = own,
				      .stream = stream,
				      .start_ns = call->start_ns,
				      .wait_ns = call->end_ns - call->start_ns,
				      .recorded_ns = PROFILE_UNKNOWN};
}

static void synchronize(uint32_t stream)
{
	bool all = stream == UINT32_MAX;

	call_of(all ? apis.sync : apis.stream_sync, 0, 0, 100 * US);
	waited(all ? GPU_WAIT_ALL : GPU_WAIT_STREAM, all ? 0 : stream, false);
}

/* The operations of the latest call come after all that is in the stream. */
static void after_stream(uint32_t stream)
{
	const uint32_t c = profile->timeline_count - 1;

	ARRAY_RESERVE(profile->stream_orders, profile->stream_order_count,
		      profile->stream_order_capacity);
	profile->stream_orders[profile->stream_order_count++] = (struct profile_stream_order){
		.call = c, .stream = stream, .recorded_ns = profile->timeline[c].start_ns};
}

static void download_by(uint32_t api, uint32_t stream)
{
	call_of(api, 0, stream, 50 * US);
	operation(6 * US, 10 * US);
	waited(GPU_WAIT_STREAM, stream, true);
}

static void download(uint32_t stream)
{
	download_by(apis.down_sync, stream);
}

/* Findings but those about an idle device. */
static const struct profile_finding *found(uint32_t count)
{
	const struct advice_options options = ADVICE_DEFAULTS;
	const struct profile_finding *first = NULL;
	uint32_t others = 0;

	advice_detect(profile, &options);
	for (uint32_t i = 0; i < profile->finding_count; i++) {
		const struct profile_finding *finding = &profile->findings[i];

		if (!strcmp(finding->pattern, "gpu_idle") ||
		    !strcmp(finding->pattern, "pageable_copy"))
			continue;
		first = first ? first : finding;
		others++;
	}
	if (others != count)
		fail_msg("%u findings, first %s %s: %s", others, first ? first->pattern : "",
			 first ? first->action : "", first ? first->evidence : "");
	return first;
}

static void end(void)
{
	profile_free(profile);
}

static void expect(const struct profile_finding *finding, const char *pattern, const char *action,
		   uint32_t of, uint64_t ns)
{
	assert_string_equal(finding->pattern, pattern);
	assert_string_equal(finding->action, action);
	assert_int_equal(finding->api, of);
	assert_int_equal(finding->time_ns, ns);
	assert_int_equal(finding->object, GRAPH_HOST);
	assert_int_equal(finding->bytes, 0);
}

static void test_unnecessary(void **state)
{
	const struct profile_finding *finding;

	(void)state;
	begin();
	for (int i = 0; i < 3; i++) {
		launch(apis.fill, 0);
		synchronize(UINT32_MAX);
		launch(apis.read, 0);
	}
	download(0);
	finding = found(1);
	expect(finding, "unnecessary_wait", "delete", apis.sync, 300 * US);
	assert_int_equal(finding->vertex, GRAPH_HOST);
	assert_int_equal(finding->invocations, 3);
	assert_non_null(strstr(finding->evidence, "3 of 3 calls waited for work that nobody needed "
						  "to be done then, 300 us in all"));
	end();
}

/* Of two waits for the same the first one can go, not both: the second is the last. */
static void test_last(void **state)
{
	(void)state;
	begin();
	launch(apis.fill, 0);
	synchronize(UINT32_MAX);
	found(0);
	end();
	begin();
	launch(apis.fill, 0);
	synchronize(0);
	launch(apis.fill, 0);
	synchronize(UINT32_MAX);
	expect(found(1), "unnecessary_wait", "delete", apis.stream_sync, 100 * US);
	end();
}

static void test_guarded(void **state)
{
	(void)state;
	begin(); /* a copy to pinned memory, which did not wait */
	launch(apis.down, 0);
	synchronize(0);
	launch(apis.fill, 0);
	download(0);
	found(0);
	end();
	begin(); /* a copy from pinned memory: the host may write there */
	launch(apis.up, 0);
	synchronize(0);
	launch(apis.read, 0);
	download(0);
	found(0);
	end();
	begin(); /* memory that the host sees */
	profile->objects[0].memory = TRACE_MEMORY_MANAGED;
	launch(apis.fill, 0);
	synchronize(0);
	launch(apis.read, 0);
	download(0);
	found(0);
	end();
	begin(); /* a launch that was not analysed */
	ARRAY_RESERVE(profile->unseen, profile->unseen_count, profile->unseen_capacity);
	profile->unseen[profile->unseen_count++] = (struct profile_unseen){FILL, 1};
	launch(apis.fill, 0);
	synchronize(0);
	launch(apis.read, 0);
	download(0);
	found(0);
	end();
	begin(); /* an operation that the graph does not have */
	profile->apis[apis.fill].vertex = PROFILE_NO_VERTEX;
	launch(apis.fill, 0);
	synchronize(0);
	launch(apis.read, 0);
	download(0);
	found(0);
	end();
}

static void test_sometimes(void **state)
{
	const struct profile_finding *finding;

	(void)state;
	begin();
	for (int i = 0; i < 4; i++) {
		launch(i == 3 ? apis.down : apis.fill, 0);
		synchronize(0);
	}
	launch(apis.fill, 0);
	download(0);
	finding = found(1);
	expect(finding, "unnecessary_wait", "wait_when_needed", apis.stream_sync, 300 * US);
	assert_int_equal(finding->invocations, 3);
	end();
}

/* What one stream wrote another one reads: 1 and 2 are ordered with the default stream, 100 is not.
 */
static void test_streams(void **state)
{
	const struct profile_finding *finding;

	(void)state;
	begin();
	launch(apis.fill, 1);
	synchronize(1);
	launch(apis.read, 2);
	download(2);
	finding = found(1);
	expect(finding, "unnecessary_wait", "order_on_device", apis.stream_sync, 100 * US);
	assert_non_null(strstr(finding->advice, "cudaStreamWaitEvent"));
	end();
	begin(); /* an event orders them */
	launch(apis.fill, 1);
	synchronize(1);
	launch(apis.read, 2);
	after_stream(1);
	download(2);
	expect(found(1), "unnecessary_wait", "delete", apis.stream_sync, 100 * US);
	end();
	begin(); /* the default stream orders them */
	launch(apis.fill, 1);
	synchronize(1);
	launch(apis.read, 0);
	download(0);
	expect(found(1), "unnecessary_wait", "delete", apis.stream_sync, 100 * US);
	end();
	begin(); /* ... but not those that are not ordered with it */
	launch(apis.fill, 100);
	synchronize(100);
	launch(apis.read, 0);
	download(0);
	expect(found(1), "unnecessary_wait", "order_on_device", apis.stream_sync, 100 * US);
	end();
	begin(); /* nothing is shared: `other` reads site 2 only; all is waited for at the end */
	launch(apis.fill, 100);
	synchronize(100);
	launch(apis.other, 101);
	synchronize(UINT32_MAX);
	expect(found(1), "unnecessary_wait", "delete", apis.stream_sync, 100 * US);
	end();
	begin(); /* the other thread launches what needs it */
	launch(apis.fill, 100);
	synchronize(100);
	call_of(apis.read, 1, 101, 5 * US);
	operation(6 * US, 50 * US);
	download(101);
	expect(found(1), "unnecessary_wait", "order_on_device", apis.stream_sync, 100 * US);
	end();
}

/* The later of two waits is enough, and only that one is needed for the order. */
static void test_together(void **state)
{
	(void)state;
	begin();
	launch(apis.fill, 100);
	synchronize(100);
	launch(apis.fill, 100);
	synchronize(UINT32_MAX);
	launch(apis.read, 101);
	download(101);
	found(2);
	for (uint32_t i = 0; i < profile->finding_count; i++) {
		const struct profile_finding *finding = &profile->findings[i];

		if (strcmp(finding->pattern, "unnecessary_wait") != 0)
			continue;
		if (finding->api == apis.stream_sync)
			assert_string_equal(finding->action, "delete");
		if (finding->api == apis.sync)
			assert_string_equal(finding->action, "order_on_device");
	}
	end();
}

/* Memory that is released in another stream may be given to somebody else. */
static void test_release(void **state)
{
	(void)state;
	begin();
	launch(apis.fill, 100);
	synchronize(100);
	call_of(apis.release_async, 0, 101, 5 * US);
	launch(apis.fill, 101);
	synchronize(UINT32_MAX);
	found(0);
	end();
	begin(); /* in the same stream it comes after */
	launch(apis.fill, 100);
	synchronize(100);
	call_of(apis.release_async, 0, 100, 5 * US);
	launch(apis.other, 100);
	synchronize(UINT32_MAX);
	expect(found(1), "unnecessary_wait", "delete", apis.stream_sync, 100 * US);
	end();
	begin(); /* it waits by itself, and what it waits for has to be done */
	launch(apis.fill, 0);
	call_of(apis.release, 0, 0, 60 * US);
	waited(GPU_WAIT_ALL, 0, false);
	launch(apis.read, 0);
	download(0);
	expect(found(1), "unnecessary_wait", "free_async", apis.release, 60 * US);
	end();
}

/* Only device memory can be released asynchronously. */
static void test_release_of_other_memory(void **state)
{
	static const struct {
		const char *name, *action;
	} cases[] = {{"cuMemFree_v2", "free_async"},
		     {"cudaFreeHost", "free_later"},
		     {"cuMemFreeHost", "free_later"},
		     {"cudaHostUnregister", "free_later"},
		     {"cudaFreeArray", "free_later"}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		const struct profile_finding *finding;

		begin();
		free(profile->apis[apis.release].name);
		profile->apis[apis.release].name = xstrdup(cases[i].name);
		launch(apis.fill, 0);
		call_of(apis.release, 0, 0, 60 * US);
		waited(GPU_WAIT_ALL, 0, false);
		launch(apis.read, 0);
		download(0);
		finding = found(1);
		expect(finding, "unnecessary_wait", cases[i].action, apis.release, 60 * US);
		assert_int_equal(!!strstr(finding->advice, "cudaFreeAsync"),
				 !strcmp(cases[i].action, "free_async"));
		end();
	}
}

/* The wait for a copy to the host cannot come later than a release of memory that the copy may use.
 */
static void test_release_on_host(void **state)
{
	static const char *const names[] = {"cudaFree", "cudaHostUnregister", "cudaFreeHost"};
	const struct advice_options options = ADVICE_DEFAULTS;

	(void)state;
	for (int i = 0; i < 3; i++) {
		unsigned char *needs, *late;
		struct run run;

		begin();
		launch(apis.down, 0);
		synchronize(0);
		call_of(api("free", names[i], PROFILE_NO_VERTEX), 0, 0, 5 * US);
		run = run_of(profile, &options);
		assert_non_null(run.order);
		needs = order_needs(run.order);
		late = order_late(run.order, needs);
		assert_int_equal(late[1], i ? WAIT_NEEDED : WAIT_UNNEEDED);
		free(needs);
		free(late);
		run_release(&run);
		end();
	}
}

/*
 * What fill writes is written again in another stream after two waits; one of them is to be left
 * out.  The other one, for the download, cannot be made later than that as well.
 */
static void test_wait_later_alone(void **state)
{
	const struct advice_options options = ADVICE_DEFAULTS;

	(void)state;
	for (int i = 0; i < 2; i++) {
		unsigned char *needs, *late;
		struct run run;

		begin();
		launch(apis.fill, 101);
		launch(apis.down, 101);
		synchronize(101);
		launch(apis.other, 102);
		synchronize(UINT32_MAX);
		launch(i ? apis.fill : apis.other, 103);
		synchronize(UINT32_MAX);
		run = run_of(profile, &options);
		needs = order_needs(run.order);
		late = order_late(run.order, needs);
		assert_int_equal(needs[2], WAIT_NEEDED);
		assert_int_equal(needs[4], WAIT_UNNEEDED);
		assert_int_equal(late[2], i ? WAIT_ORDERS : WAIT_UNNEEDED);
		free(needs);
		free(late);
		run_release(&run);
		end();
	}
}

/*
 * Fill is in order with stream 101 only because an operation of the default stream stands between
 * it and the event that the host waits for: that one cannot go without a wait in its place.
 */
static void test_left_out_before_event(void **state)
{
	const struct advice_options options = ADVICE_DEFAULTS;

	(void)state;
	for (int between = 0; between < 2; between++) {
		bool gone[9] = {[FREE_KERNEL] = true}, *relied;
		unsigned char *needs;
		struct run run;

		begin();
		launch(apis.fill, between ? 1 : 101);
		launch(apis.other, 0);
		call_of(apis.event_sync, 0, 0, 40 * US);
		waited(GPU_WAIT_EVENT, 3, false);
		profile->waits[profile->wait_count - 1].recorded_ns = now - 40 * US;
		after_stream(0);
		launch(apis.read, 101);
		synchronize(UINT32_MAX);
		run = run_of(profile, &options);
		needs = order_needs(run.order);
		assert_int_equal(needs[2], WAIT_ORDERS);
		relied = order_relied(run.order, needs, gone);
		assert_int_equal(relied[FREE_KERNEL], between);
		free(relied);
		free(needs);
		run_release(&run);
		end();
	}
}

/*
 * Copies to, or from, memory of the host that may be the same are in order only because an
 * operation of the default stream stands between them.
 */
static void test_left_out_between_copies(void **state)
{
	const struct advice_options options = ADVICE_DEFAULTS;

	(void)state;
	for (int i = 0; i < 4; i++) {
		bool gone[9] = {[8] = true}, *relied;
		unsigned char *needs;
		struct run run;

		begin();
		launch(i == 0 ? apis.fill : i == 1 ? apis.up : apis.down, 1);
		launch(apis.up_sync, 0);
		launch(i == 3 ? apis.up : apis.down, 2);
		synchronize(UINT32_MAX);
		run = run_of(profile, &options);
		needs = order_needs(run.order);
		relied = order_relied(run.order, needs, gone);
		assert_int_equal(relied[8], i > 0);
		free(relied);
		free(needs);
		run_release(&run);
		end();
	}
}

/* All calls of the function were watched; bytes: a call's. */
static void used(uint32_t of, uint32_t kind, uint64_t bytes, uint64_t touched)
{
	ARRAY_RESERVE(profile->first_uses, profile->first_use_count, profile->first_use_capacity);
	profile->first_uses[profile->first_use_count++] = (struct profile_first_use){
		.api = of,
		.kind = kind,
		.waits = 1,
		.min_ns = kind == GPU_USE_NEVER ? PROFILE_UNKNOWN : 500 * US,
		.median_ns = kind == GPU_USE_NEVER ? PROFILE_UNKNOWN : 500 * US,
		.bytes = bytes,
		.pages = 1,
		.touched_pages = touched};
}

static const struct profile_finding *find_of(const char *pattern)
{
	for (uint32_t i = 0; i < profile->finding_count; i++)
		if (!strcmp(profile->findings[i].pattern, pattern))
			return &profile->findings[i];
	return NULL;
}

static void detect_all(void)
{
	struct advice_options options = ADVICE_DEFAULTS;

	options.min_time = 0;
	options.min_bytes = 0;
	advice_detect(profile, &options);
}

/*
 * What fill writes is read in a stream of its own after a wait and a copy that nobody looks at.
 * Either of them keeps the order: where the wait is to be made later, the copy cannot go as well.
 */
static void test_late_and_left_out(void **state)
{
	(void)state;
	for (int late = 0; late < 2; late++) {
		const struct profile_finding *unused;
		uint32_t copy;

		begin();
		vertex("memcpy", "cudaMemcpy");
		profile->graph->vertices[9].invocations = 1;
		profile->graph->vertices[9].fields |= VERTEX_INVOCATIONS;
		edge(READ, 9, 2, GRAPH_READ);
		edge(9, 0, 2, GRAPH_WRITE);
		copy = api("memcpy", "cudaMemcpy", 9);
		launch(apis.fill, 1);
		launch(apis.down, 1);
		synchronize(1);
		call_of(copy, 0, 0, 50 * US);
		operation(6 * US, 10 * US);
		waited(GPU_WAIT_DEFAULT, 0, true);
		launch(apis.read, 101);
		synchronize(UINT32_MAX);
		used(copy, GPU_USE_NEVER, 4096, 0);
		if (late)
			used(apis.stream_sync, GPU_USE_INSTRUCTION, 4096, 1);
		detect_all();
		unused = find_of("unused_download");
		assert_non_null(unused);
		assert_int_equal(!!find_of("misplaced_wait"), late);
		assert_int_equal(!!strstr(unused->advice, "in its place"), late);
		end();
	}
}

/*
 * Stream 103 writes what 101 copies to the host and reads what 102 writes.  The wait for all
 * streams is needed for 102 only if the one for 101 stays before it.
 */
static void test_late_and_broad(void **state)
{
	(void)state;
	for (int late = 0; late < 2; late++) {
		uint32_t context_sync, idle;

		begin();
		profile->objects[0].memory = TRACE_MEMORY_MANAGED; /* the host sees it */
		vertex("kernel", "idle");
		idle = api("kernel", "idle", 9);
		context_sync = api("sync", "cuCtxSynchronize", PROFILE_NO_VERTEX);
		launch(apis.down, 101);
		synchronize(101);
		launch(apis.fill, 102);
		launch(idle, 104); /* nobody needs it to be done */
		call_of(context_sync, 0, 0, 100 * US);
		waited(GPU_WAIT_ALL, 0, false);
		launch(apis.read, 103);
		synchronize(UINT32_MAX);
		if (late)
			used(apis.stream_sync, GPU_USE_INSTRUCTION, 4096, 1);
		detect_all();
		assert_int_equal(!!find_of("misplaced_wait"), late);
		assert_int_equal(!!find_of("broad_wait"), !late);
		end();
	}
}

/* An event covers what was in the stream when it was recorded. */
static void test_event(void **state)
{
	uint64_t recorded;

	(void)state;
	begin();
	launch(apis.fill, 1);
	recorded = now;
	launch(apis.down, 1); /* not covered */
	call_of(apis.event_sync, 0, 0, 40 * US);
	waited(GPU_WAIT_EVENT, 1, false);
	profile->waits[profile->wait_count - 1].recorded_ns = recorded;
	synchronize(1);
	expect(found(1), "unnecessary_wait", "delete", apis.event_sync, 40 * US);
	end();
	begin();
	launch(apis.fill, 1);
	launch(apis.down, 1); /* covered */
	call_of(apis.event_sync, 0, 0, 40 * US);
	waited(GPU_WAIT_EVENT, 1, false);
	profile->waits[profile->wait_count - 1].recorded_ns = now - 40 * US;
	synchronize(1);
	profile->waits[profile->wait_count - 1].wait_ns = 0;
	expect(found(1), "consecutive_waits", "delete", apis.stream_sync, 100 * US);
	end();
}

static void test_consecutive(void **state)
{
	(void)state;
	begin();
	for (int i = 0; i < 2; i++) {
		launch(apis.down, 0);
		synchronize(0);
		synchronize(UINT32_MAX);
		profile->waits[profile->wait_count - 1].wait_ns = 0;
	}
	expect(found(1), "consecutive_waits", "delete", apis.sync, 200 * US);
	end();
	begin(); /* the first is not needed, and the second has nothing new: one of both stays */
	launch(apis.fill, 0);
	synchronize(0);
	synchronize(UINT32_MAX);
	profile->waits[profile->wait_count - 1].wait_ns = 0;
	expect(found(1), "consecutive_waits", "delete", apis.sync, 100 * US);
	end();
	begin(); /* the second has waited, for what is not seen */
	launch(apis.down, 0);
	synchronize(0);
	synchronize(UINT32_MAX);
	found(0);
	end();
}

/* The copy waits 56 us for the kernel, and then for itself. */
static void test_synchronous_upload(void **state)
{
	(void)state;
	begin();
	launch(apis.fill, 0);
	call_of(apis.up_sync, 0, 0, 80 * US);
	operation(51 * US, 20 * US);
	waited(GPU_WAIT_DEFAULT, 0, true);
	launch(apis.read, 0);
	download(0);
	expect(found(1), "unnecessary_wait", "make_async", apis.up_sync, 51 * US);
	end();
}

/* The same twice, but what the second one waits for brings something to the host. */
static void test_some_uploads(void **state)
{
	const struct profile_finding *finding;

	(void)state;
	begin();
	for (int i = 0; i < 2; i++) {
		launch(i ? apis.down : apis.fill, 0);
		call_of(apis.up_sync, 0, 0, 80 * US);
		operation(51 * US, 20 * US);
		waited(GPU_WAIT_DEFAULT, 0, true);
	}
	launch(apis.read, 0);
	download(0);
	finding = found(1);
	expect(finding, "unnecessary_wait", "make_async", apis.up_sync, 51 * US);
	assert_int_equal(finding->invocations, 1);
	assert_non_null(strstr(finding->advice, "only where neither the host"));
	end();
}

static void test_threshold(void **state)
{
	(void)state;
	begin(); /* 20 ms of the host's own work */
	launch(apis.fill, 0);
	synchronize(0);
	now += 20000 * US;
	launch(apis.read, 0);
	download(0);
	found(0);
	end();
}

static void event(const char *name, uint64_t end_ns)
{
	ARRAY_RESERVE(profile->events, profile->event_rows, profile->event_capacity);
	profile->events[profile->event_rows++] = (struct profile_event){.vertex = PROFILE_NO_VERTEX,
									.range = PROFILE_NO_ROW,
									.name = xstrdup(name),
									.start_ns = end_ns,
									.end_ns = end_ns};
}

/* Three times 5 us allocating and 80 us releasing, of which 50 waiting. */
static void allocate_in_loop(void)
{
	begin();
	profile->object_count = 0;
	object(2, TRACE_MEMORY_DEVICE);
	for (int i = 0; i < 3; i++) {
		object(1, TRACE_MEMORY_DEVICE);
		profile->objects[profile->object_count - 1].end_ns = 1000 + (uint64_t)i;
		event("cudaFree", 1000 + (uint64_t)i);
		call_of(apis.alloc, 0, 0, 5 * US);
		launch(apis.fill, 0);
		call_of(apis.release, 0, 0, 80 * US);
		waited(GPU_WAIT_ALL, 0, false);
		profile->waits[profile->wait_count - 1].wait_ns = 50 * US;
	}
	launch(apis.read, 0);
	download(0);
	ARRAY_RESERVE(profile->sites, profile->site_count, profile->site_capacity);
	profile->sites[profile->site_count++] = (struct profile_site){
		.site = 1, .objects = 3, .bytes = 3 * 4096, .repeated = 2, .repeated_bytes = 8192};
}

static void test_allocation_in_loop(void **state)
{
	const struct profile_finding *finding;

	(void)state;
	allocate_in_loop();
	finding = found(1);
	expect(finding, "free_in_loop", "allocate_once", apis.release, 255 * US);
	assert_int_equal(finding->other_count, 1);
	assert_int_equal(finding->others[0], 1);
	assert_non_null(strstr(finding->evidence,
			       "3 times it released what cudaMalloc (vertex 1) "
			       "had allocated: the releases took 240 us, of which "
			       "150 us waiting for the device, the allocations "
			       "15.0 us."));
	end();
	allocate_in_loop(); /* of different sizes, maybe: each was the first one of its size */
	profile->sites[0].repeated = 0;
	expect(found(1), "unnecessary_wait", "free_async", apis.release, 150 * US);
	end();
	allocate_in_loop(); /* which call releases what is not known */
	profile->events[0].thread = 1;
	found(2);
	end();
}

/* The findings of the pattern, which are at most two, in their order. */
static uint32_t all(const char *pattern, const struct profile_finding *findings[2])
{
	const struct advice_options options = ADVICE_DEFAULTS;
	uint32_t count = 0;

	advice_detect(profile, &options);
	for (uint32_t i = 0; i < profile->finding_count; i++)
		if (!strcmp(profile->findings[i].pattern, pattern)) {
			assert_true(count < 2);
			findings[count++] = &profile->findings[i];
		}
	return count;
}

static const struct profile_finding *only(const char *pattern)
{
	const struct profile_finding *findings[2] = {NULL};

	assert_true(all(pattern, findings) < 2);
	return findings[0];
}

static void test_pageable(void **state)
{
	const struct profile_finding *finding;

	(void)state;
	begin();
	launch(apis.fill, 0);
	download_by(apis.down, 0);
	finding = only("pageable_copy");
	expect(finding, "pageable_copy", "pin", apis.down, 50 * US);
	assert_int_equal(finding->vertex, DOWN);
	end();
	begin(); /* pinned, as it is told, the copy needs the wait after it */
	launch(apis.fill, 0);
	for (int i = 0; i < 3; i++) {
		download_by(apis.down, 0);
		call_of(apis.stream_sync, 0, 0, 10 * US);
		waited(GPU_WAIT_STREAM, 0, false);
	}
	assert_non_null(only("pageable_copy"));
	assert_null(only("consecutive_waits"));
	assert_null(only("unnecessary_wait"));
	end();
	begin(); /* pinned */
	launch(apis.fill, 0);
	launch(apis.down, 0);
	synchronize(0);
	assert_null(only("pageable_copy"));
	end();
}

/* Between the ends and starts of operations the host does this and that. */
static void pass(const char *name)
{
	ARRAY_RESERVE(profile->passes, profile->pass_count, profile->pass_capacity);
	profile->passes[profile->pass_count++] = (struct profile_pass){
		.name = xstrdup(name), .provider = xstrdup("cupti"), .device = xstrdup("")};
}

/* A kernel of 50 us, and a wait for it: 5, 56, 58, 59. */
static void launch_and_wait(uint32_t launched, uint32_t sync, uint64_t more)
{
	call_of(launched, 0, 0, 5 * US + more);
	operation(6 * US + more, 50 * US);
	call_of(sync, 0, 0, 54 * US);
	waited(GPU_WAIT_STREAM, 0, false);
	profile->waits[profile->wait_count - 1].wait_ns -= US;
}

/*
 * The context takes 200 ms and the first kernel's module 1 ms: shares are of what comes then, and
 * nobody saves these.
 */
static void test_start_up(void **state)
{
	const uint64_t context = 200000 * US, module = 1000 * US;
	const struct profile_finding_group *all;
	const struct profile_finding *waits;

	(void)state;
	begin();
	pass("time");
	pass("waits");
	call_of(apis.alloc, 0, 0, context);
	call_of(apis.alloc, 0, 0, 5 * US);
	launch_and_wait(apis.fill, apis.sync, module);
	launch_and_wait(apis.fill, apis.sync, 0);
	launch_and_wait(apis.fill, apis.sync, 0);
	launch_and_wait(apis.read, apis.stream_sync, 0);
	call_of(apis.release, 0, 0, 400 * US);
	waits = found(1);
	/* each of them waited 53 us: not a thousandth of the run */
	expect(waits, "unnecessary_wait", "delete", apis.sync, 159 * US);
	/* of 4 * 59, all but the wait's own microsecond behind the last one */
	assert_true(waits->fraction > 159.0 / 235 - 1e-9 && waits->fraction < 159.0 / 235 + 1e-9);
	all = &profile->finding_groups[0];
	assert_string_equal(all->kind, "all");
	assert_int_equal(all->run_ns, context + 5 * US + module + 4 * 59 * US + 400 * US);
	assert_int_equal(all->startup_ns, context + 5 * US + module);
	assert_int_equal(all->span_ns, 235 * US);
	end();
}

/*
 * Two waits for the same, of a kernel of 500 us: without one of them the other waits, and 1 us in
 * 510 is saved; without both 10, as the next kernel follows at once.  That is what counts.
 */
static void test_pair(void **state)
{
	const struct profile_finding_group *all;

	(void)state;
	begin();
	pass("time");
	pass("waits");
	for (int i = 0; i < 20; i++) {
		call_of(apis.fill, 0, 0, 5 * US);
		operation(6 * US, 500 * US);
		call_of(apis.sync, 0, 0, 504 * US);
		waited(GPU_WAIT_STREAM, 0, false);
		profile->waits[profile->wait_count - 1].wait_ns -= US;
		call_of(apis.stream_sync, 0, 0, US);
		waited(GPU_WAIT_STREAM, 0, false);
		profile->waits[profile->wait_count - 1].wait_ns = 0;
	}
	call_of(apis.fill, 0, 0, 5 * US);
	operation(6 * US, 500 * US);
	call_of(apis.event_sync, 0, 0, 504 * US);
	waited(GPU_WAIT_STREAM, 0, false);
	profile->waits[profile->wait_count - 1].wait_ns -= US;
	found(2);
	for (uint32_t i = 0; i < profile->finding_count; i++)
		if (strcmp(profile->findings[i].pattern, "gpu_idle") != 0)
			assert_int_equal(profile->findings[i].saves_ns, 20 * US);
	all = &profile->finding_groups[0];
	assert_string_equal(all->kind, "all");
	assert_int_equal(all->member_count, 2);
	/* no gap is known between kernels that follow each other: 1.5 us, as on an H200 */
	assert_int_equal(all->saves_ns, 20 * (10 * US - 1500));
	end();
}

/* A wait beside which another stream has more to do takes much and saves nothing. */
static void test_beside(void **state)
{
	(void)state;
	begin();
	pass("time");
	pass("waits");
	call_of(apis.other, 0, 101, 5 * US);
	operation(6 * US, 2000 * US);
	for (int i = 0; i < 5; i++) {
		call_of(apis.fill, 0, 100, 5 * US);
		operation(6 * US, 100 * US);
		call_of(apis.stream_sync, 0, 0, 104 * US);
		waited(GPU_WAIT_STREAM, 100, false);
		profile->waits[profile->wait_count - 1].wait_ns -= US;
	}
	call_of(apis.sync, 0, 0, 2014 * US - now);
	waited(GPU_WAIT_ALL, 0, false);
	found(0);
	end();
}

static void test_idle(void **state)
{
	const struct profile_finding *finding, *both[2];

	(void)state;
	begin(); /* fill runs from 6 to 56 us */
	launch(apis.fill, 0);
	call_of(apis.sync, 0, 0, 53 * US); /* until 58: 2 us, which with read's 6 are 8 */
	waited(GPU_WAIT_ALL, 0, false);
	now += 200 * US;
	launch(apis.read, 0); /* called at 258, runs from 264 */
	call_of(apis.sync, 0, 0, 60 * US);
	waited(GPU_WAIT_ALL, 0, false);
	assert_int_equal(all("gpu_idle", both), 2);
	expect(both[0], "gpu_idle", "launch_earlier", apis.read, 200 * US);
	assert_int_equal(both[0]->vertex, READ);
	expect(both[1], "gpu_idle", "launch_before_wait", apis.sync, 8 * US);
	end();
	begin(); /* one for the host's work at both places, and one for the waits before */
	launch(apis.fill, 0);
	for (int i = 0; i < 2; i++) {
		call_of(apis.sync, 0, 0, 51 * US);
		waited(GPU_WAIT_ALL, 0, false);
		now += i ? 60 * US : 100 * US;
		launch(i ? apis.fill : apis.read, 0);
	}
	call_of(apis.sync, 0, 0, 600 * US);
	waited(GPU_WAIT_ALL, 0, false);
	assert_int_equal(all("gpu_idle", both), 2);
	expect(both[0], "gpu_idle", "launch_earlier", apis.read, 160 * US);
	assert_non_null(strstr(both[0]->evidence, "Here: 100 us; elsewhere: 60.0 us at "));
	assert_int_equal(both[1]->api, apis.sync);
	end();
	begin(); /* the allocation keeps it waiting, twice */
	launch(apis.fill, 0);
	for (int i = 0; i < 2; i++) {
		call_of(apis.sync, 0, 0, 51 * US); /* until 56, and 412, when the kernel ends */
		waited(GPU_WAIT_ALL, 0, false);
		call_of(apis.alloc, 0, 0, 300 * US);
		launch(apis.read, 0);
	}
	call_of(apis.sync, 0, 0, 600 * US);
	waited(GPU_WAIT_ALL, 0, false);
	finding = only("gpu_idle");
	expect(finding, "gpu_idle", "call_earlier", apis.alloc, 600 * US);
	end();
	begin(); /* the first one, for a pool: the second one would pay for it */
	launch(apis.fill, 0);
	for (int i = 0; i < 2; i++) {
		call_of(apis.sync, 0, 0, 51 * US); /* until 56 us after the launch */
		waited(GPU_WAIT_ALL, 0, false);
		call_of(apis.alloc, 0, 0, i ? 20 * US : 300 * US);
		launch(apis.fill, 0);
	}
	call_of(apis.sync, 0, 0, 51 * US);
	waited(GPU_WAIT_ALL, 0, false);
	assert_int_equal(all("gpu_idle", both), 2);
	expect(both[0], "gpu_idle", "call_earlier", apis.alloc, 40 * US);
	end();
	begin(); /* once: it is in no loop */
	launch(apis.fill, 0);
	call_of(apis.sync, 0, 0, 51 * US);
	waited(GPU_WAIT_ALL, 0, false);
	call_of(apis.alloc, 0, 0, 300 * US);
	launch(apis.read, 0);
	call_of(apis.sync, 0, 0, 600 * US);
	waited(GPU_WAIT_ALL, 0, false);
	assert_null(only("gpu_idle"));
	end();
	begin(); /* before the first kernel it gets ready */
	for (int i = 0; i < 3; i++) {
		call_of(apis.up, 0, 0, 5 * US);
		operation(6 * US, 50 * US);
		now += 400 * US;
	}
	launch(apis.fill, 0);
	call_of(apis.sync, 0, 0, 600 * US);
	waited(GPU_WAIT_ALL, 0, false);
	assert_null(only("gpu_idle"));
	end();
	for (int more = 0; more < 2; more++) { /* 100 us are 1 % of 10 ms, and less of more */
		begin();
		launch(apis.fill, 0);
		call_of(apis.sync, 0, 0, 51 * US);
		waited(GPU_WAIT_ALL, 0, false);
		now += 100 * US;
		launch(apis.read, 0); /* called at 156 us, its one launch takes 6 */
		call_of(apis.sync, 0, 0, (uint64_t)(10000 - 161 + more) * US);
		waited(GPU_WAIT_ALL, 0, false);
		finding = only("gpu_idle");
		if (more)
			assert_null(finding);
		else
			expect(finding, "gpu_idle", "launch_earlier", apis.read, 100 * US);
		end();
	}
	begin(); /* one launch that comes late is not many small ones */
	launch(apis.fill, 0);
	call_of(apis.read, 0, 0, 5 * US);
	operation(151 * US, 50 * US);
	download(0);
	assert_null(only("gpu_idle"));
	end();
	begin(); /* each launch comes after the one before is done */
	for (int i = 0; i < 3; i++) {
		launch(apis.fill, 0);
		now += 50 * US;
	}
	call_of(apis.read, 0, 0, 5 * US);
	operation(6 * US, 500 * US);
	download(0);
	finding = only("gpu_idle"); /* fill is done 1 us after the next call's start, three times */
	expect(finding, "gpu_idle", "batch", apis.fill, 10 * US);
	assert_int_equal(finding->invocations, 2);
	end();
	begin(); /* busy throughout: read waits in the stream */
	launch(apis.fill, 0);
	call_of(apis.read, 0, 0, 5 * US);
	operation(51 * US, 50 * US);
	download(0);
	assert_null(only("gpu_idle"));
	end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_unnecessary),
		cmocka_unit_test(test_last),
		cmocka_unit_test(test_guarded),
		cmocka_unit_test(test_sometimes),
		cmocka_unit_test(test_streams),
		cmocka_unit_test(test_together),
		cmocka_unit_test(test_release),
		cmocka_unit_test(test_release_of_other_memory),
		cmocka_unit_test(test_release_on_host),
		cmocka_unit_test(test_wait_later_alone),
		cmocka_unit_test(test_left_out_before_event),
		cmocka_unit_test(test_left_out_between_copies),
		cmocka_unit_test(test_late_and_left_out),
		cmocka_unit_test(test_late_and_broad),
		cmocka_unit_test(test_event),
		cmocka_unit_test(test_consecutive),
		cmocka_unit_test(test_synchronous_upload),
		cmocka_unit_test(test_some_uploads),
		cmocka_unit_test(test_threshold),
		cmocka_unit_test(test_allocation_in_loop),
		cmocka_unit_test(test_pageable),
		cmocka_unit_test(test_idle),
		cmocka_unit_test(test_start_up),
		cmocka_unit_test(test_pair),
		cmocka_unit_test(test_beside),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
