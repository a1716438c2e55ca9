/*
 * tests/unit/made_traces.h: traces written by hand, a record a line, in a folder of the test's own,
 * and questions to the profile that is built from them.
 */
#ifndef VFLOW_TESTS_UNIT_MADE_TRACES_H
#define VFLOW_TESTS_UNIT_MADE_TRACES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collect/trace.h"
#include "graph/build/build.h"
#include "util/memory.h"

static char folder[] = "/tmp/vflow-build-XXXXXX";
static struct trace_writer *writer;
static char *path;
static unsigned traces;

static int make_folder(void **state)
{
	(void)state;
	strcpy(folder, "/tmp/vflow-build-XXXXXX");
	assert_non_null(mkdtemp(folder));
	traces = 0;
	return 0;
}

static int remove_folder(void **state)
{
	(void)state;
	for (unsigned i = 0; i <= traces; i++) {
		char *name = xasprintf("%s/%u.trace", folder, i);

		unlink(name);
		free(name);
	}
	free(path);
	path = NULL;
	return rmdir(folder);
}

/* -- records -- */

static union {
	struct trace_record record;
	struct trace_process process;
	struct trace_module module;
	struct trace_frame frame;
	struct trace_context context;
	struct trace_object object;
	struct trace_event event;
	struct trace_free free;
	struct trace_content content;
	struct trace_fact fact;
	struct trace_coverage coverage;
	struct trace_end end;
	char bytes[4096];
} u;

static void append(enum trace_type type, size_t size)
{
	u.record.type = (uint16_t)type;
	assert_int_equal(trace_append(writer, &u.record, size), 0);
	memset(&u, 0, sizeof(u));
}

static void append_text(enum trace_type type, size_t at, const void *text, size_t size)
{
	memcpy(u.bytes + at, text, size);
	append(type, at + size);
}

/* The trace of a process with these texts, in a folder. */
static void start_in(const char *where, uint32_t pid, const char *texts, size_t size)
{
	struct error error;

	free(path);
	path = xasprintf("%s/%u.trace", where, ++traces);
	writer = trace_create(path, traces, &error);
	assert_non_null(writer);
	memset(&u, 0, sizeof(u));
	u.process.process = pid;
	u.process.parent = 1;
	u.process.start_realtime_ns = UINT64_C(1700000000000000000);
	append_text(TRACE_PROCESS, offsetof(struct trace_process, text), texts, size);
}

static void start(uint32_t pid)
{
	static const char texts[] = "emulated\0a device\0/bin/app\0./app\0a b\0";

	start_in(folder, pid, texts, sizeof(texts));
}

static void module(uint32_t id, const char *file)
{
	u.module.id = id;
	append_text(TRACE_MODULE, offsetof(struct trace_module, text), file, strlen(file) + 1);
}

static void frame(uint32_t id, uint32_t parent, uint32_t of, uint64_t offset)
{
	u.frame.id = id;
	u.frame.parent = parent;
	u.frame.module = of;
	u.frame.kind = TRACE_FRAME_NATIVE;
	u.frame.offset = offset;
	append(TRACE_FRAME, sizeof(u.frame));
}

static void context(uint32_t id, enum trace_kind kind, const char *name, uint32_t innermost)
{
	u.context.id = id;
	u.context.kind = kind;
	u.context.frame = innermost;
	append_text(TRACE_CONTEXT, offsetof(struct trace_context, text), name, strlen(name) + 1);
}

static void object(uint32_t id, uint32_t of, uint64_t size)
{
	u.object.id = id;
	u.object.context = of;
	u.object.size = size;
	u.object.address = 0x700000000 + id * 0x10000;
	u.object.memory = TRACE_MEMORY_DEVICE;
	append_text(TRACE_OBJECT, offsetof(struct trace_object, text), "", 1);
}

static uint64_t clock_ns;

/* Rows are (object, writer, access, bytes, redundant bytes). */
static void event(uint32_t of, uint32_t count, const uint64_t (*rows)[5])
{
	u.event.context = of;
	u.event.row_count = count;
	u.event.row_size = TRACE_ROW_SIZE(TRACE_METRICS);
	u.event.start_ns = clock_ns += 10;
	u.event.end_ns = clock_ns += 10;
	for (uint32_t i = 0; i < count; i++)
		u.event.rows[i] = (struct trace_row){.object = (uint32_t)rows[i][0],
						     .writer = (uint32_t)rows[i][1],
						     .access = (uint32_t)rows[i][2],
						     .bytes = rows[i][3],
						     .redundant_bytes = rows[i][4]};
	append(TRACE_EVENT, sizeof(u.event) + count * sizeof(struct trace_row));
}

#define EVENT(context, ...)                                                                        \
	event(context, sizeof((const uint64_t[][5]){__VA_ARGS__}) / (5 * sizeof(uint64_t)),        \
	      (const uint64_t[][5]){__VA_ARGS__})

static void released(uint32_t id, uint32_t of)
{
	u.free.object = id;
	u.free.context = of;
	append(TRACE_FREE, sizeof(u.free));
}

static void fact(uint32_t kind, uint32_t about, uint32_t of, const void *payload, uint32_t size)
{
	u.fact.kind = kind;
	u.fact.object = about;
	u.fact.context = of;
	u.fact.size = size;
	append_text(TRACE_FACT, offsetof(struct trace_fact, payload), payload, size);
}

/* As it is found out between two calls. */
static void content(uint32_t of, unsigned char what)
{
	struct gpu_content now = {.zero = what == 0};

	memset(now.digest, what, sizeof(now.digest));
	fact(GPU_RECORD_CONTENT, of, 0, &now, sizeof(now));
}

/* The same as traces had it before there were facts. */
static void old_content(uint32_t of, unsigned char what)
{
	u.content.object = of;
	u.content.zero = what == 0;
	memset(u.content.digest, what, sizeof(u.content.digest));
	append(TRACE_CONTENT, sizeof(u.content));
}

static void end(void)
{
	append(TRACE_END, sizeof(u.end));
	trace_close(writer);
}

/* As `vflow collect --passes` would. */
static struct profile *build_passes(const char *passes)
{
	const struct build_run run = {.folder = folder, .passes = passes};
	struct error error;
	struct profile *profile = build_runs(&run, 1, build_analyses, &error);

	if (!profile)
		print_message("%s\n", error.text);
	assert_non_null(profile);
	return profile;
}

static struct profile *build(void)
{
	struct error error;
	struct profile *profile = build_profile(folder, &error);

	if (!profile)
		print_message("%s\n", error.text);
	assert_non_null(profile);
	return profile;
}

/* The profile after it was written and read; takes the one that is given. */
static struct profile *written(struct profile *profile)
{
	char *db = xasprintf("%s/0.trace", folder); /* a name that is removed */
	struct profile *read;
	struct error error;

	assert_int_equal(profile_write(profile, db, &error), 0);
	read = profile_read(db, &error);
	if (!read)
		print_message("%s\n", error.text);
	assert_non_null(read);
	profile_free(profile);
	free(db);
	return read;
}

/* -- what came out -- */

static const struct graph_edge *edge_of(const struct profile *profile, uint32_t from, uint32_t to,
					uint32_t site, enum graph_access access)
{
	const struct graph *graph = profile->graph;
	const struct graph_edge *found = NULL;

	for (uint32_t e = 0; e < graph->edge_count; e++) {
		const struct graph_edge *edge = &graph->edges[e];

		if (graph->vertices[edge->from].id != from || graph->vertices[edge->to].id != to ||
		    edge->object != site || edge->access != access)
			continue;
		assert_null(found);
		found = edge;
	}
	assert_non_null(found);
	return found;
}

static void edge_is(const struct profile *profile, uint32_t from, uint32_t to, uint32_t site,
		    enum graph_access access, uint64_t bytes, uint64_t redundant, uint64_t count,
		    uint64_t object_bytes)
{
	const struct graph_edge *edge = edge_of(profile, from, to, site, access);
	bool has_redundancy = access == GRAPH_WRITE && to != 0;

	assert_int_equal(edge->bytes, bytes);
	assert_int_equal(edge->redundant_bytes, redundant);
	assert_int_equal(edge->count, count);
	assert_int_equal(edge->object_bytes, object_bytes);
	assert_int_equal((edge->fields & EDGE_REDUNDANT_BYTES) != 0, has_redundancy);
	assert_int_equal((edge->fields & EDGE_REDUNDANCY) != 0, has_redundancy);
}

static void vertex_is(const struct profile *profile, uint32_t id, const char *kind,
		      const char *name, uint64_t invocations)
{
	const struct graph_vertex *vertex =
		&profile->graph->vertices[graph_find(profile->graph, id)];

	assert_int_equal(graph_find(profile->graph, id), id);
	assert_string_equal(vertex->kind, kind);
	assert_string_equal(vertex->name, name);
	assert_int_equal(vertex->invocations, invocations);
	assert_int_equal(strlen(vertex->context), 16);
	assert_int_equal(strspn(vertex->context, "0123456789abcdef"), 16);
}

static const char *coverage_of(const struct profile *profile, const char *what)
{
	for (uint32_t i = 0; i < profile->coverage_count; i++)
		if (!strcmp(profile->coverage[i].what, what))
			return profile->coverage[i].reason;
	return "";
}

/* Whether a reason in the coverage has such a part. */
static bool coverage_has(const struct profile *profile, const char *part)
{
	for (uint32_t i = 0; i < profile->coverage_count; i++)
		if (strstr(profile->coverage[i].reason, part))
			return true;
	return false;
}

/* -- a trace with a record that makes no sense -- */

static void good_beginning(void)
{
	start(1);
	module(1, "/nowhere/app");
	frame(1, 0, 1, 0x100);
	context(1, TRACE_ALLOC, "cudaMalloc", 1);
	context(2, TRACE_SET, "cudaMemset", 1);
	context(3, TRACE_SYNC, "cudaDeviceSynchronize", 1);
	object(1, 1, 64);
	event(1, 0, NULL);
}

/* The bad record has been written after good_beginning(): what was before it counts. */
static void cut_there(const char *message)
{
	struct profile *profile;

	event(1, 0, NULL);
	end();
	profile = build();
	if (!strstr(coverage_of(profile, "trace"), message))
		print_message("got: %s\n", coverage_of(profile, "trace"));
	assert_non_null(strstr(coverage_of(profile, "trace"), "damaged at offset "));
	assert_non_null(strstr(coverage_of(profile, "trace"), message));
	assert_int_equal(profile->graph->vertices[1].invocations, 1);
	assert_int_equal(profile->graph->edge_count, 0);
	assert_false(profile->processes[0].ended);
	profile_free(profile);
	unlink(path);
}

#endif
