/*
 * Which waits are needed, of random programs, held against the order of operations as a graph: with
 * all waits gone that are not needed, what conflicts is as ordered as before, and the host waits
 * for what it can see when it did.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "advice/order/order.h"
#include "collect/trace.h"
#include "gpu/records.h"
#include "util/memory.h"

enum {
	PROGRAMS = 3000,
	CALLS = 24,
	SITES = 3,
	KERNELS = 4,
	DOWNLOAD = 1 + SITES + KERNELS, /* ids of vertices: host, sites, kernels, download */
	STREAMS = 4,                    /* 0; 1, ordered with it; 2 and 3 that are not */
	WAITS = 3,                      /* rows of api after those of vertices */
	STEP = 10,
};

static uint32_t seed = 1;

static uint32_t below(uint32_t limit)
{
	seed = seed * 1664525u + 1013904223u;
	return (seed >> 8) % limit;
}

/* -- the program -- */

struct made_call {
	uint32_t vertex; /* 0: a wait */
	uint32_t stream, thread, scope;
	bool waits;        /* it did wait */
	uint32_t recorded; /* of a wait for an event: how many calls came before that */
	uint32_t
		orders[STREAMS]; /* it waits for so many calls, as far as they are in that stream */
};

static struct made_call calls[CALLS];
/* What streams wait for before each call, with no operation since: as `orders` of a call. */
static uint32_t pending[CALLS][STREAMS][STREAMS];
static bool touches[DOWNLOAD + 1][SITES + 1], writes[DOWNLOAD + 1][SITES + 1];

static void vertex(struct profile *profile, const char *kind, const char *name)
{
	uint32_t id = profile->graph->vertex_count;
	struct graph_vertex *added = graph_add_vertex(profile->graph, id);

	added->kind = xstrdup(kind);
	added->name = xstrdup(name);
	added->fields = VERTEX_KIND | VERTEX_NAME;
	ARRAY_RESERVE(profile->apis, profile->api_count, profile->api_capacity);
	profile->apis[profile->api_count++] =
		(struct profile_api){.kind = xstrdup(kind), .name = xstrdup(name), .vertex = id};
}

static void edge(struct profile *profile, uint32_t from, uint32_t to, uint32_t site,
		 enum graph_access access)
{
	struct graph_edge *added = graph_add_edge(profile->graph, from, to);

	added->object = site;
	added->access = access;
	added->fields = EDGE_OBJECT | EDGE_ACCESS;
}

static struct profile *make_graph(void)
{
	struct profile *profile = profile_new();

	vertex(profile, "host", "host");
	for (int s = 0; s < SITES; s++)
		vertex(profile, "alloc", "cudaMalloc");
	for (int k = 0; k < KERNELS; k++)
		vertex(profile, "kernel", "kernel");
	vertex(profile, "memcpy", "cudaMemcpyAsync");
	memset(touches, 0, sizeof(touches));
	memset(writes, 0, sizeof(writes));
	for (uint32_t v = 1 + SITES; v <= DOWNLOAD; v++) {
		uint32_t site = 1 + below(SITES), other = 1 + below(SITES);

		touches[v][site] = true;
		edge(profile, site, v, site, GRAPH_READ);
		if (v == DOWNLOAD) {
			edge(profile, v, 0, site, GRAPH_WRITE);
		} else if (below(3)) {
			touches[v][other] = writes[v][other] = true;
			edge(profile, other, v, other, GRAPH_WRITE);
		}
	}
	for (int i = 0; i < WAITS; i++) {
		ARRAY_RESERVE(profile->apis, profile->api_count, profile->api_capacity);
		profile->apis[profile->api_count++] =
			(struct profile_api){.kind = xstrdup("sync"),
					     .name = xstrdup("cudaDeviceSynchronize"),
					     .vertex = PROFILE_NO_VERTEX};
	}
	return profile;
}

/* Stream 2 or 3 waits for all that another one has, and waits for, before call c. */
static void join_stream(uint32_t c)
{
	uint32_t stream = 2 + below(2), after = below(STREAMS);

	if (after == stream)
		return;
	for (uint32_t s = 0; s < STREAMS; s++)
		if (s != stream && pending[c][stream][s] < pending[c][after][s])
			pending[c][stream][s] = pending[c][after][s];
	pending[c][stream][after] = c;
}

static void add_orders(struct profile *profile, uint32_t c)
{
	for (uint32_t s = 0; s < STREAMS; s++) {
		if (!calls[c].orders[s])
			continue;
		ARRAY_RESERVE(profile->stream_orders, profile->stream_order_count,
			      profile->stream_order_capacity);
		profile->stream_orders[profile->stream_order_count++] =
			(struct profile_stream_order){.call = c,
						      .stream = s,
						      .recorded_ns =
							      calls[c].orders[s] * (uint64_t)STEP};
	}
}

static void add_wait(struct profile *profile, uint32_t c)
{
	struct made_call *call = &calls[c];

	call->waits = below(4);
	call->recorded = call->scope == GPU_WAIT_EVENT ? below(c + 1) : c;
	if (call->scope == GPU_WAIT_EVENT || call->scope == GPU_WAIT_STREAM)
		memcpy(call->orders, pending[call->recorded][call->stream], sizeof(call->orders));
	ARRAY_RESERVE(profile->waits, profile->wait_count, profile->wait_capacity);
	profile->waits[profile->wait_count++] = (struct profile_wait){
		.call = c,
		.scope = call->scope,
		.stream = call->stream,
		.start_ns = c * (uint64_t)STEP,
		.wait_ns = call->waits,
		.recorded_ns = call->scope == GPU_WAIT_EVENT ? call->recorded * (uint64_t)STEP
							     : PROFILE_UNKNOWN};
}

static void add_operation(struct profile *profile, uint32_t c)
{
	struct made_call *call = &calls[c];
	const uint64_t start = c * (uint64_t)STEP, end = start + STEP;

	memcpy(call->orders, pending[c][call->stream], sizeof(call->orders));
	ARRAY_RESERVE(profile->gpu_times, profile->gpu_time_count, profile->gpu_time_capacity);
	profile->gpu_times[profile->gpu_time_count++] =
		(struct profile_gpu_time){.call = c,
					  .vertex = call->vertex,
					  .stream = call->stream,
					  .call_ns = start,
					  .return_ns = end,
					  .start_ns = start,
					  .end_ns = end};
}

static void add_call(struct profile *profile, uint32_t c)
{
	static const uint32_t scopes[] = {GPU_WAIT_ALL, GPU_WAIT_DEFAULT, GPU_WAIT_STREAM,
					  GPU_WAIT_EVENT};
	struct made_call *call = &calls[c];
	bool is_wait = c && below(3) == 0; /* the first one tells that stream 1 is ordered */

	if (c)
		memcpy(pending[c], pending[c - 1], sizeof(pending[c]));
	else
		memset(pending[c], 0, sizeof(pending[c]));
	if (c && calls[c - 1].vertex)
		memset(pending[c][calls[c - 1].stream], 0, sizeof(pending[c][0]));
	if (below(4) == 0)
		join_stream(c);
	*call = (struct made_call){.stream = c ? below(STREAMS) : 1,
				   .thread = below(4) == 0,
				   .scope = scopes[below(4)]};
	call->vertex = is_wait ? 0 : 1 + SITES + below(KERNELS + 1);
	ARRAY_RESERVE(profile->timeline, profile->timeline_count, profile->timeline_capacity);
	profile->timeline[profile->timeline_count++] = (struct profile_timed_call){
		.api = is_wait ? DOWNLOAD + 1 + below(WAITS) : call->vertex,
		.thread = call->thread,
		.range = PROFILE_NO_ROW,
		.stream = is_wait ? 0 : call->stream,
		.nonblocking = !is_wait && call->stream >= 2,
		.start_ns = c * (uint64_t)STEP,
		.end_ns = (c + 1) * (uint64_t)STEP};
	if (is_wait)
		add_wait(profile, c);
	else
		add_operation(profile, c);
	add_orders(profile, c);
}

/* -- its order -- */

static bool before[CALLS][CALLS];  /* on the device, of operations */
static bool covered[CALLS][CALLS]; /* [wait][operation] */

static bool is_operation(uint32_t c)
{
	return calls[c].vertex != 0;
}

/* Streams that are ordered with the default stream. */
static bool is_blocking(uint32_t stream)
{
	return stream < 2;
}

/* Of streams one of which is the default stream. */
static bool are_ordered(uint32_t a, uint32_t b)
{
	return is_blocking(a) && is_blocking(b) && (!a || !b);
}

/* Whether call i is among the first `count` ones, and what comes into the stream then comes after
 * it. */
static bool is_in(uint32_t i, uint32_t stream, uint32_t count)
{
	return i < count && (calls[i].stream == stream || are_ordered(calls[i].stream, stream));
}

static bool is_ordered(uint32_t i, uint32_t j)
{
	for (uint32_t s = 0; s < STREAMS; s++)
		if (is_in(i, s, calls[j].orders[s]))
			return true;
	return false;
}

static bool is_before(uint32_t i, uint32_t j)
{
	return is_in(i, calls[j].stream, j) || is_ordered(i, j);
}

static bool waits_for(uint32_t w, uint32_t i)
{
	const struct made_call *wait = &calls[w];

	if (wait->scope == GPU_WAIT_ALL)
		return true;
	if (wait->scope == GPU_WAIT_DEFAULT)
		return is_blocking(calls[i].stream);
	return is_in(i, wait->stream, wait->recorded) || is_ordered(i, w);
}

static void find_order(void)
{
	memset(before, 0, sizeof(before));
	memset(covered, 0, sizeof(covered));
	for (uint32_t j = 0; j < CALLS; j++)
		for (uint32_t i = j; i-- > 0;) {
			if (!is_operation(i) || !is_operation(j) || !is_before(i, j))
				continue;
			before[i][j] = true;
			for (uint32_t k = 0; k < i; k++)
				before[k][j] |= before[k][i];
		}
	for (uint32_t w = 0; w < CALLS; w++)
		for (uint32_t i = 0; !is_operation(w) && i < w; i++) {
			if (!is_operation(i) || !waits_for(w, i))
				continue;
			covered[w][i] = true;
			for (uint32_t k = 0; k < i; k++)
				covered[w][k] |= before[k][i];
		}
}

static bool conflict(uint32_t i, uint32_t j)
{
	for (int s = 1; s <= SITES; s++)
		if ((touches[calls[i].vertex][s] && writes[calls[j].vertex][s]) ||
		    (writes[calls[i].vertex][s] && touches[calls[j].vertex][s]))
			return true;
	return false;
}

/* Whether some wait between the calls, and one that stays, covers the first of them. */
static void waited(const unsigned char *needs, uint32_t i, uint32_t j, bool *any, bool *stays)
{
	*any = *stays = false;
	for (uint32_t w = i + 1; w < j; w++)
		if (!is_operation(w) && covered[w][i]) {
			*any = true;
			*stays |= needs[w] != WAIT_UNNEEDED && needs[w] != WAIT_REPEATED;
		}
}

static void check_order(const unsigned char *needs, uint32_t i, uint32_t j)
{
	bool any, stays;

	waited(needs, i, j, &any, &stays);
	if (any && !stays && !before[i][j] && conflict(i, j))
		fail_msg("calls %u and %u are not ordered any more", i, j);
}

/* The first wait of each thread that covers what the host can see. */
static void check_host(const unsigned char *needs, uint32_t i)
{
	for (uint32_t thread = 0; thread < 2; thread++)
		for (uint32_t w = i + 1; w < CALLS; w++)
			if (!is_operation(w) && calls[w].thread == thread && covered[w][i]) {
				if (needs[w] != WAIT_NEEDED)
					fail_msg("wait %u for download %u: %u", w, i, needs[w]);
				break;
			}
}

static void check_program(const unsigned char *needs, uint64_t counts[WAIT_REPEATED + 1])
{
	bool any, stays;

	for (uint32_t i = 0; i < CALLS; i++) {
		if (!is_operation(i)) {
			counts[needs[i]]++;
			assert_true(needs[i] != WAIT_REPEATED || !calls[i].waits);
			continue;
		}
		assert_int_equal(needs[i], WAIT_NOT_JUDGED);
		for (uint32_t j = i + 1; j < CALLS; j++)
			if (is_operation(j))
				check_order(needs, i, j);
		if (calls[i].vertex == DOWNLOAD)
			check_host(needs, i);
		/* the process does not end before what it waited for */
		waited(needs, i, CALLS, &any, &stays);
		assert_true(stays || !any);
	}
}

static void test_random(void **state)
{
	const struct advice_options options = ADVICE_DEFAULTS;
	uint64_t counts[WAIT_REPEATED + 1] = {0};

	(void)state;
	for (int program = 0; program < PROGRAMS; program++) {
		struct profile *profile = make_graph();
		struct run run;

		for (uint32_t c = 0; c < CALLS; c++)
			add_call(profile, c);
		find_order();
		run = run_of(profile, &options);
		if (profile->wait_count) {
			assert_non_null(run.wait_needs);
			check_program(run.wait_needs, counts);
		}
		run_release(&run);
		profile_free(profile);
	}
	/* all kinds were there, and not too few could go */
	for (int need = WAIT_NEEDED; need <= WAIT_REPEATED; need++)
		assert_true(counts[need] > PROGRAMS / 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
