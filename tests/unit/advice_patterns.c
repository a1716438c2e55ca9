/*
 * Findings on profiles made by hand: what the facts about an operation make the advice say, one
 * list of them, and the report.
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
#include <unistd.h>

#include "advice/advice.h"
#include "advice/cmd.h"
#include "advice/report/report.h"
#include "collect/trace.h"
#include "graph/profile/profile.h"
#include "util/memory.h"

enum { N = 65536 };

/* A vertex whose call path is one frame, "f" in /src/net.c at line 100 + id. */
static void vertex(struct profile *profile, const char *kind, const char *name,
		   uint64_t invocations)
{
	uint32_t id = profile->graph->vertex_count;
	struct graph_vertex *added = graph_add_vertex(profile->graph, id);
	struct profile_frame *frame;
	struct profile_callpath *path;

	added->kind = xstrdup(kind);
	added->name = xstrdup(name);
	added->context = xasprintf("%016x", id);
	added->callpath = xstrdup("f net.c");
	added->invocations = invocations;
	added->fields =
		VERTEX_KIND | VERTEX_NAME | VERTEX_INVOCATIONS | VERTEX_CONTEXT | VERTEX_CALLPATH;
	ARRAY_RESERVE(profile->frames, profile->frame_count, profile->frame_capacity);
	frame = &profile->frames[profile->frame_count++];
	*frame = (struct profile_frame){.module = xstrdup("/src/net")};
	if (id != GRAPH_HOST) {
		frame->function = xstrdup("f");
		frame->file = xstrdup("/src/net.c");
		frame->line = 100 + id;
	}
	ARRAY_RESERVE(profile->callpaths, profile->callpath_count, profile->callpath_capacity);
	path = &profile->callpaths[profile->callpath_count++];
	path->frames = xcalloc(1, sizeof(*path->frames));
	path->frames[0] = id;
	path->count = 1;
	profile->vertices = xreallocarray(profile->vertices, id + 1, sizeof(*profile->vertices));
	profile->vertices[id].callpath = id;
}

static struct graph_edge *edge(struct profile *profile, uint32_t from, uint32_t to, uint32_t object,
			       enum graph_access access, uint64_t bytes, uint64_t redundant)
{
	struct graph_edge *added = graph_add_edge(profile->graph, from, to);

	added->object = object;
	added->access = access;
	added->bytes = bytes;
	added->redundant_bytes = redundant;
	added->fields = EDGE_OBJECT | EDGE_ACCESS | EDGE_BYTES;
	if (access == GRAPH_WRITE)
		added->fields |= EDGE_REDUNDANT_BYTES;
	return added;
}

static void object(struct profile *profile, uint32_t site, uint64_t size)
{
	struct profile_object *added;

	ARRAY_RESERVE(profile->objects, profile->object_count, profile->object_capacity);
	added = &profile->objects[profile->object_count++];
	*added = (struct profile_object){.site = site, .size = size, .memory = TRACE_MEMORY_DEVICE};
}

static void contains(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("'%s' is not in: %s", part, text);
}

static void contains_not(const char *text, const char *part)
{
	if (strstr(text, part))
		fail_msg("'%s' is in: %s", part, text);
}

static void detect(struct profile *profile)
{
	struct advice_options options = ADVICE_DEFAULTS;

	options.min_bytes = 0;
	advice_detect(profile, &options);
}

/* What a vertex wrote to the objects of site 1. */
static struct profile_write *write_of(struct profile *profile, uint32_t vertex, uint64_t writes,
				      uint64_t bytes)
{
	struct profile_write *added;

	ARRAY_RESERVE(profile->writes, profile->write_count, profile->write_capacity);
	added = &profile->writes[profile->write_count++];
	*added = (struct profile_write){
		.vertex = vertex, .site = 1, .writes = writes, .bytes = bytes};
	return added;
}

/* Of these, so many writes of equal size changed nothing. */
static struct profile_write *unchanged(struct profile_write *write, uint64_t writes, uint64_t first)
{
	write->unchanged_writes = writes;
	write->unchanged_first = first;
	write->unchanged_writes_bytes = write->unchanged_bytes =
		write->bytes / write->writes * writes;
	write->changed_later = write->writes - writes - !first;
	return write;
}

static struct profile_fate *fate_of(struct profile *profile, uint32_t vertex, uint64_t bytes,
				    uint64_t dead, uint64_t unread)
{
	struct profile_fate *added;

	ARRAY_RESERVE(profile->fates, profile->fate_count, profile->fate_capacity);
	added = &profile->fates[profile->fate_count++];
	*added = (struct profile_fate){.vertex = vertex,
				       .site = 1,
				       .consumer = PROFILE_NO_VERTEX,
				       .writes = 2,
				       .bytes = bytes,
				       .dead_bytes = dead,
				       .unread_bytes = unread};
	return added;
}

/*
 * Three inferences of a layer: output (1) and x (3) start as copies of zeros from the host; the
 * fill writes zeros over the copy (N bytes, all zero already), then twice over the product
 * (2 N, of which N/2 are zero); the product is accumulated on top.
 */
static struct profile *darknet(void)
{
	struct profile *profile = profile_new();

	if (!profile->graph->vertex_count)
		vertex(profile, "host", "host", 0);
	vertex(profile, "alloc", "cudaMalloc", 1);
	vertex(profile, "memcpy", "cudaMemcpy", 1);
	vertex(profile, "alloc", "cudaMalloc", 1);
	vertex(profile, "memcpy", "cudaMemcpy", 1);
	vertex(profile, "kernel", "fill_kernel(float*, int)", 3);
	vertex(profile, "kernel", "void gemm<float>(float const*, float*)", 3);
	object(profile, 1, N);
	object(profile, 3, N);
	edge(profile, 0, 2, 1, GRAPH_READ, N, 0);
	edge(profile, 1, 2, 1, GRAPH_WRITE, N, 0);
	edge(profile, 0, 4, 3, GRAPH_READ, N, 0);
	edge(profile, 3, 4, 3, GRAPH_WRITE, N, 0);
	edge(profile, 2, 5, 1, GRAPH_WRITE, N, N);
	edge(profile, 6, 5, 1, GRAPH_WRITE, 2 * N, N / 2);
	edge(profile, 5, 6, 1, GRAPH_READ, 3 * N, 0);
	edge(profile, 5, 6, 1, GRAPH_WRITE, 3 * N, N / 4);
	write_of(profile, 2, 1, N)->zero_writes = 1;
	write_of(profile, 4, 1, N)->zero_writes = 1;
	profile->writes[1].site = 3;
	/* the first fill changes nothing, the two after it a quarter each */
	unchanged(write_of(profile, 5, 3, 3 * N), 1, 1)->unchanged_bytes += N / 2;
	write_of(profile, 6, 3, 3 * N)->unchanged_bytes = N / 4;
	return profile;
}

static void test_darknet(void **state)
{
	struct profile *profile = darknet();
	const struct profile_finding *finding;

	(void)state;
	detect(profile);
	assert_int_equal(profile->finding_count, 3);

	finding = &profile->findings[0];
	assert_string_equal(finding->pattern, "duplicate_values");
	assert_string_equal(finding->action, "set_instead");
	assert_int_equal(finding->vertex, 2);
	assert_int_equal(finding->bytes, N);
	contains(finding->evidence, "All 64.0K that it sent in 1 copy were zeros.");
	contains(finding->advice, "cudaMemset instead of copying zeros");
	assert_int_equal(profile->findings[1].vertex, 4);

	/* what a kernel without input fills was there the first time: nothing to do about it */
	finding = &profile->findings[2];
	assert_string_equal(finding->pattern, "redundant_values");
	assert_string_equal(finding->action, "none");
	assert_true(finding->input);
	assert_int_equal(finding->vertex, 5);
	assert_int_equal(finding->object, 1);
	assert_int_equal(finding->access, GRAPH_WRITE);
	assert_int_equal(finding->bytes, N);
	assert_int_equal(finding->other_count, 2);
	assert_int_equal(finding->others[0], 2);
	assert_int_equal(finding->others[1], 6);
	contains(finding->evidence, "1 of 3 times it changed nothing: 64.0K had that value");
	contains(finding->advice, "cudaMemcpy (vertex 2, net.c:102)");
	contains(finding->advice, "with this input");
	profile_free(profile);
}

/* Object 1, first written by `earlier` (2), then by the operation in question (3); 4 reads that. */
static struct profile *two_writers(const char *earlier, const char *kind)
{
	struct profile *profile = profile_new();

	if (!profile->graph->vertex_count)
		vertex(profile, "host", "host", 0);
	vertex(profile, "alloc", "cudaMalloc", 1);
	vertex(profile, earlier, "earlier", 1);
	vertex(profile, kind, "later", 10);
	vertex(profile, "kernel", "user", 10);
	object(profile, 1, 1000);
	edge(profile, 1, 2, 1, GRAPH_WRITE, 1000, 0);
	edge(profile, 3, 4, 1, GRAPH_READ, 1000, 0);
	return profile;
}

static const char *only_advice(struct profile *profile)
{
	detect(profile);
	assert_int_equal(profile->finding_count, 1);
	assert_int_equal(profile->findings[0].vertex, 3);
	return profile->findings[0].advice;
}

static void test_helper(void **state)
{
	struct profile *profile = darknet();
	struct profile_callpath *path = &profile->callpaths[2];

	(void)state;
	/* copy 2 is in f at net.c:102, called from net.c:106 and that from net.c:105 */
	free(path->frames);
	path->frames = xcalloc(3, sizeof(*path->frames));
	path->frames[0] = 2;
	path->frames[1] = 6;
	path->frames[2] = 5;
	path->count = 3;
	detect(profile);
	contains(profile->findings[0].evidence,
		 "cudaMemcpy (vertex 2, net.c:102 < net.c:106): 64.0K");
	profile_free(profile);
}

static void test_threshold(void **state)
{
	struct profile *profile = two_writers("memset", "kernel");
	struct profile_write *write = write_of(profile, 3, 10, 1000);

	(void)state;
	write->changed_later = 9;
	write->unchanged_bytes = 330;
	detect(profile); /* exactly 33 % is enough */
	assert_int_equal(profile->finding_count, 1);
	assert_true(profile_threshold(profile, "redundancy") == 0.33);
	assert_true(profile_threshold(profile, "min_bytes") == 0);
	write->unchanged_bytes = 329;
	detect(profile); /* and findings are replaced, not added */
	assert_int_equal(profile->finding_count, 0);
	advice_detect(profile, &(struct advice_options){.redundancy = 0.3});
	assert_int_equal(profile->finding_count, 1);
	/* no redundant byte, no finding, whatever the threshold */
	write->unchanged_bytes = 0;
	advice_detect(profile, &(struct advice_options){.redundancy = 0});
	assert_int_equal(profile->finding_count, 0);
	profile_free(profile);
}

static void test_plural(void **state)
{
	static const struct {
		const char *kind;
		uint64_t writes;
		const char *words;
	} rows[] = {
		{"kernel", 1, "The 1 launch changed"}, {"kernel", 2, "All 2 launches changed"},
		{"memcpy", 1, "The 1 copy changed"},   {"memcpy", 2, "All 2 copies changed"},
		{"memset", 1, "The 1 set changed"},    {"memset", 2, "All 2 sets changed"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct profile *profile = two_writers("kernel", rows[i].kind);

		unchanged(write_of(profile, 3, rows[i].writes, 1000 * rows[i].writes),
			  rows[i].writes, 1);
		detect(profile);
		assert_int_equal(profile->finding_count, 1);
		contains(profile->findings[0].evidence, rows[i].words);
		profile_free(profile);
	}
}

/* By what was unchanged and when: the action, whether it is for this input only, the bytes. */
static void check_when(const char *kind, bool upload, uint64_t writes, uint64_t same,
		       uint64_t first, const char *pattern, const char *action, bool input)
{
	struct profile *profile = two_writers("kernel", kind);

	if (upload)
		edge(profile, 0, 3, 1, GRAPH_READ, 100 * writes, 0);
	edge(profile, 2, 3, 1, GRAPH_WRITE, 100 * writes, 100 * same);
	unchanged(write_of(profile, 3, writes, 100 * writes), same, first);
	only_advice(profile);
	assert_string_equal(profile->findings[0].pattern, pattern);
	assert_string_equal(profile->findings[0].action, action);
	assert_int_equal(profile->findings[0].input, input);
	assert_int_equal(profile->findings[0].bytes, 100 * same);
	(input ? contains : contains_not)(profile->findings[0].advice, "with this input");
	profile_free(profile);
}

static void test_when(void **state)
{
	static const char transfer[] = "duplicate_transfer", values[] = "redundant_values";

	(void)state;
	check_when("memcpy", true, 3, 3, 1, transfer, "delete", false);
	check_when("memcpy", true, 1, 1, 1, transfer, "delete", true);
	check_when("memcpy", true, 8, 7, 0, transfer, "copy_once", false);
	check_when("memcpy", true, 4, 1, 1, transfer, "delete_first", false);
	check_when("memcpy", true, 16, 12, 0, transfer, "copy_when_changed", false);
	check_when("memcpy", true, 16, 12, 1, transfer, "copy_when_changed", false);
	check_when("memcpy", false, 8, 7, 0, values, "copy_once", false);
	check_when("memset", false, 3, 3, 1, values, "delete", false);
	check_when("memset", false, 1, 1, 1, values, "delete", true);
	check_when("memset", false, 6, 5, 0, values, "set_once", true);
	check_when("memset", false, 6, 3, 0, values, "none", true);
	/* a kernel without input fills; what it does depends on its parameters */
	check_when("kernel", false, 3, 3, 1, values, "delete", true);
	check_when("kernel", false, 4, 1, 1, values, "none", true);
}

/* A kernel that reads: whether it has read the same again is what counts. */
static void test_kernel(void **state)
{
	struct profile *profile = two_writers("memset", "kernel");
	struct profile_write *write;

	(void)state;
	edge(profile, 2, 3, 9, GRAPH_READ, 1000, 0);
	edge(profile, 2, 3, 1, GRAPH_WRITE, 1000, 0);
	edge(profile, 3, 3, 1, GRAPH_WRITE, 5000, 5000);
	write = unchanged(write_of(profile, 3, 6, 6000), 5, 0);
	write->same_input = 5;
	only_advice(profile);
	assert_string_equal(profile->findings[0].action, "launch_once");
	assert_true(profile->findings[0].input);
	/* it has not: that the results were equal may be a coincidence */
	write->same_input = 4;
	contains(only_advice(profile), "coincidence");
	assert_string_equal(profile->findings[0].action, "none");
	/* it has, but changed another object each time */
	write->same_input = 5;
	write_of(profile, 3, 6, 6000)->site = 9;
	profile->writes[1].changed_later = 5;
	only_advice(profile);
	assert_string_equal(profile->findings[0].action, "none");
	profile_free(profile);
}

static void test_partly(void **state)
{
	static const struct {
		const char *kind, *action;
	} cases[] = {{"memcpy", "copy_range"}, {"memset", "set_range"}, {"kernel", "none"}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct profile *profile = two_writers("kernel", cases[i].kind);
		struct profile_write *write = write_of(profile, 3, 10, 10000);

		edge(profile, 2, 3, 1, GRAPH_WRITE, 10000, 3300);
		write->changed_later = 9;
		write->unchanged_bytes = 3300;
		contains(only_advice(profile), "earlier (vertex 2, net.c:102)");
		contains(profile->findings[0].evidence, "(33.0%)");
		assert_string_equal(profile->findings[0].pattern, "redundant_values");
		assert_string_equal(profile->findings[0].action, cases[i].action);
		assert_false(profile->findings[0].input);
		/* one byte less is below the threshold */
		write->unchanged_bytes = 3299;
		detect(profile);
		assert_int_equal(profile->finding_count, 0);
		profile_free(profile);
	}
}

/* So many invocations of the vertex were not analysed. */
static void unseen_of(struct profile *profile, uint32_t vertex, uint64_t invocations)
{
	ARRAY_RESERVE(profile->unseen, profile->unseen_count, profile->unseen_capacity);
	profile->unseen[profile->unseen_count++] =
		(struct profile_unseen){.vertex = vertex, .invocations = invocations};
	profile->graph->vertices[vertex].invocations += invocations;
	profile_add_coverage(profile, COVERAGE_SKIPPED_BY_SAMPLE_KERNELS, NULL, invocations, 0);
	profile_add_coverage(profile, COVERAGE_SKIPPED_POINTERS, NULL, invocations, 0);
}

/* A dead write, an unchanged one and an object that is not accessed: which are told. */
static void check_hidden(enum coverage_id id, bool dead, bool unchanged_too, bool untouched)
{
	struct profile *profile = two_writers("memset", "memset");
	bool found[3] = {false};

	edge(profile, 2, 3, 1, GRAPH_WRITE, 3000, 3000);
	fate_of(profile, 2, 2000, 2000, 0);
	unchanged(write_of(profile, 4, 3, 9000), 3, 1);
	ARRAY_RESERVE(profile->sites, profile->site_count, profile->site_capacity);
	profile->sites[profile->site_count++] = (struct profile_site){
		.site = 1, .objects = 1, .bytes = 4000, .untouched = 1, .untouched_bytes = 4000};
	if (id != COVERAGE_NONE)
		profile_add_coverage(profile, id, "detail", 1, 0);
	detect(profile);
	for (uint32_t i = 0; i < profile->finding_count; i++) {
		const char *pattern = profile->findings[i].pattern;

		found[0] |= !strcmp(pattern, "dead_write");
		found[1] |= !strcmp(pattern, "redundant_values");
		found[2] |= !strcmp(pattern, "unused_allocation");
	}
	if (found[0] != dead || found[1] != unchanged_too || found[2] != untouched)
		fail_msg("%s: dead write %d, redundant values %d, unused allocation %d",
			 id == COVERAGE_NONE ? "no coverage" : coverage_row(id)->name, found[0],
			 found[1], found[2]);
	profile_free(profile);
}

/* What each row means for findings, where that is not all of them. */
static void test_hidden(void **state)
{
	static const enum coverage_id nothing[] = {
		COVERAGE_NONE,
		COVERAGE_KERNEL_FILTER_SLOW,       /* such kernels are analysed */
		COVERAGE_SLOW_FIXED_CODE,          /* its launch is counted as skipped */
		COVERAGE_CALL_UNSUPPORTED,         /* it returned an error */
		COVERAGE_MODULE_WITHOUT_PTX,       /* its kernels do not run */
		COVERAGE_GRAPH_CONDITIONS_EARLIER, /* what it does is seen */
		COVERAGE_GRAPH_MEMORY_NOT_COMPARED,
		COVERAGE_NESTED_LAUNCHES, /* their accesses are those of the outer one */
		COVERAGE_HEAP_MALLOC,     /* no object's */
		COVERAGE_HEAP_CUDA_MALLOC,
		COVERAGE_MANAGED_MEMORY, /* patterns ask the object */
		COVERAGE_PINNED_MEMORY,
		COVERAGE_CONSTANT_READS,
		COVERAGE_PARTIAL_COPIES, /* they count as larger reads */
		COVERAGE_FAILED_CALLS_LEFT_OUT,
		COVERAGE_SHADOW_ON_HOST,
	};

	(void)state;
	for (size_t i = 0; i < sizeof(nothing) / sizeof(*nothing); i++)
		check_hidden(nothing[i], true, true, true);
	/* reads are seen, and what they wrote is forgotten, but for what pointers in memory hide */
	check_hidden(COVERAGE_SURFACE_STORES, true, false, false);
	check_hidden(COVERAGE_SKIPPED_POINTERS, true, false, false);
	check_hidden(COVERAGE_SKIPPED_BY_KERNEL, true, true, false);
	check_hidden(COVERAGE_SKIPPED_BY_SAMPLE_KERNELS, true, true, false);
	check_hidden(COVERAGE_SKIPPED_BY_SAMPLE_BLOCKS, true, true, false);
	check_hidden(COVERAGE_TEXTURE_READS, false, true, false);
	check_hidden(COVERAGE_TENSOR_READS, false, true, false);
	check_hidden(COVERAGE_MULTICAST_READS, false, true, false);
	check_hidden(COVERAGE_TENSOR_WRITES, false, false, false);
	check_hidden(COVERAGE_UNKNOWN_MEMORY, false, false, false);
	check_hidden(COVERAGE_LAUNCH_TIMED_OUT, false, false, false);
	check_hidden(COVERAGE_SKIPPED_AFTER_TIME_OUT, false, false, false);
	check_hidden(COVERAGE_SKIPPED_FIXED_CODE, false, false, false);
	check_hidden(COVERAGE_SKIPPED_NOT_IN_GRAPHS, false, false, false);
}

/* Of a kernel of which not all launches were analysed nothing is said of all. */
static void test_unseen(void **state)
{
	struct profile *profile = two_writers("alloc", "kernel");

	(void)state;
	edge(profile, 3, 4, 1, GRAPH_WRITE, 2000, 0);
	fate_of(profile, 3, 2000, 2000, 0);
	profile->graph->vertices[3].invocations = 5;
	unseen_of(profile, 3, 5);
	contains(only_advice(profile), "of the launches that were seen: collect all launches");
	assert_string_equal(profile->findings[0].action, "collect_all");
	contains(profile->findings[0].evidence, " 5 of its 10 launches were seen.");
	contains_not(profile->findings[0].advice, "Delete");
	/* files that do not say which: nothing */
	profile->version = 1001;
	detect(profile);
	assert_int_equal(profile->finding_count, 0);
	profile->version = 1002;
	detect(profile);
	assert_int_equal(profile->finding_count, 1);
	profile_free(profile);
	/* another kernel's launches do not matter */
	profile = two_writers("kernel", "kernel");
	edge(profile, 3, 4, 1, GRAPH_WRITE, 2000, 0);
	fate_of(profile, 3, 2000, 2000, 0);
	unseen_of(profile, 2, 5);
	only_advice(profile);
	assert_string_equal(profile->findings[0].action, "delete");
	contains_not(profile->findings[0].evidence, "launches were seen");
	profile_free(profile);
	/* sets and copies are all seen */
	profile = two_writers("kernel", "memset");
	edge(profile, 3, 4, 1, GRAPH_WRITE, 2000, 0);
	fate_of(profile, 3, 2000, 2000, 0);
	unseen_of(profile, 2, 5);
	contains(only_advice(profile), "Delete this set");
	profile_free(profile);
}

/* Not unless every access was seen. */
static void test_coverage(void **state)
{
	const struct coverage_row *row;

	(void)state;
	for (uint32_t id = COVERAGE_NONE + 1; (row = coverage_row(id)); id++) {
		struct profile *profile = two_writers("kernel", "memset");

		edge(profile, 2, 3, 1, GRAPH_WRITE, 3000, 3000);
		unchanged(write_of(profile, 3, 3, 3000), 3, 1);
		profile_add_coverage(profile, row->id, "detail", 1, 0);
		detect(profile);
		assert_int_equal(profile->finding_count, !(row->hides & COVERAGE_HIDES_WRITES));
		profile_free(profile);

		profile = two_writers("kernel", "memset");
		fate_of(profile, 3, 2000, 2000, 0);
		profile_add_coverage(profile, row->id, "detail", 1, 0);
		detect(profile);
		assert_int_equal(profile->finding_count, !(row->hides & COVERAGE_HIDES_READS));
		profile_free(profile);
	}
}

static void check_fate(const char *kind, bool upload, uint64_t dead, uint64_t unread,
		       const char *pattern, const char *action)
{
	struct profile *profile = two_writers("alloc", kind);

	if (upload)
		edge(profile, 0, 3, 1, GRAPH_READ, 2000, 0);
	edge(profile, 3, 4, 1, GRAPH_WRITE, 2000, 0);
	fate_of(profile, 3, 2000, dead, unread);
	only_advice(profile);
	assert_string_equal(profile->findings[0].pattern, pattern);
	assert_string_equal(profile->findings[0].action, action);
	assert_int_equal(profile->findings[0].bytes, dead + unread);
	profile->objects[0].memory = TRACE_MEMORY_MANAGED; /* which the host reads unseen */
	detect(profile);
	assert_int_equal(profile->finding_count, 0);
	profile_free(profile);
}

/*
 * A range is advised only where it leaves something out of the 1000 bytes of each of two copies,
 * and only that is saved; what is scattered only if it is most of them.
 */
static void test_scattered_reads(void **state)
{
	static const struct {
		uint64_t unread, first, end, saved;
		bool scattered, certain;
	} cases[] = {{500, 0, 1024, 0, false, false},
		     {500, 1024, 2048, 0, false, false},
		     {500, 100, 1000, 200, false, true}, /* 100 before what is read, twice */
		     {999, 0, 1000, 0, false, false},
		     {1000, 0, 1000, 1000, true, false}, /* a half */
		     {1200, 0, 900, 1200, true, false},  /* the ends are 200 of 1200 */
		     {1200, 100, 600, 1000, false, true},
		     {500, 0, 0, 500, false, false}}; /* where it lies nobody knows */

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct profile *profile = two_writers("alloc", "memcpy");
		struct profile_fate *fate;

		edge(profile, 0, 3, 1, GRAPH_READ, 2000, 0);
		fate = fate_of(profile, 3, 2000, 0, cases[i].unread);
		fate->read_first = cases[i].first;
		fate->read_end = cases[i].end;
		detect(profile);
		assert_int_equal(profile->finding_count, cases[i].saved > 0);
		if (cases[i].saved) {
			const struct profile_finding *finding = profile->findings;

			assert_int_equal(finding->bytes, cases[i].saved);
			assert_true(finding->fraction == (double)cases[i].saved / 2000);
			assert_int_equal(!!strstr(finding->advice, "scattered"),
					 cases[i].scattered);
			assert_int_equal(!strstr(finding->advice, "if it is known before"),
					 cases[i].certain);
		}
		profile_free(profile);
	}
}

/* Of a set three of four times; of a copy so, but most of what nobody reads is of the others. */
static void test_unread_invocations(void **state)
{
	static const struct {
		const char *kind, *action;
		uint64_t writes, bytes;
	} cases[] = {{"memset", "set_when_read", 3, 1500},
		     {"memcpy", "copy_when_read", 3, 1500},
		     {"memcpy", "copy_range", 1, 500},
		     {"memset", "set_range", 0, 0},
		     {"memset", "set_range", PROFILE_UNKNOWN, PROFILE_UNKNOWN},
		     {"kernel", "drop_store", 3, 1500}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct profile *profile = two_writers("alloc", cases[i].kind);
		struct profile_fate *fate = fate_of(profile, 3, 2000, 1500, 0);

		edge(profile, 3, 4, 1, GRAPH_WRITE, 2000, 0)->dead_bytes = 1500;
		fate->unread_writes = cases[i].writes;
		fate->unread_writes_bytes = cases[i].bytes;
		fate->read_end = 250; /* 750 of each 1000 lie behind it */
		only_advice(profile);
		assert_string_equal(profile->findings[0].action, cases[i].action);
		assert_int_equal(!!strstr(profile->findings[0].evidence,
					  "Of 3 of the invocations nobody read a byte."),
				 cases[i].writes == 3);
		profile_free(profile);
	}
}

/* Who wrote over what nobody had read, not who wrote over most. */
static void test_overwriter(void **state)
{
	struct profile *profile = two_writers("alloc", "memset");

	(void)state;
	vertex(profile, "kernel", "eager", 1);
	edge(profile, 3, 4, 1, GRAPH_WRITE, 2000, 0)->dead_bytes = 100;
	edge(profile, 3, 5, 1, GRAPH_WRITE, 500, 0)->dead_bytes = 400;
	fate_of(profile, 3, 2000, 500, 0);
	only_advice(profile);
	contains(profile->findings[0].evidence, "mostly by eager (vertex 5, net.c:105)");
	profile_free(profile);
}

/* Unless it is known of all of them that they store alike with any input. */
static void test_overwritten_by_steady_kernels(void **state)
{
	static const struct {
		uint64_t first, second;
		bool input;
	} cases[] = {{1, 1, false}, {1, 0, true}, {PROFILE_UNKNOWN, 1, true}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct profile *profile = two_writers("alloc", "memset");

		vertex(profile, "kernel", "other", 10);
		edge(profile, 3, 4, 1, GRAPH_WRITE, 1000, 0)->dead_bytes = 1000;
		edge(profile, 3, 5, 1, GRAPH_WRITE, 1000, 0)->dead_bytes = 1000;
		fate_of(profile, 3, 2000, 2000, 0);
		fate_of(profile, 4, 1000, 0, 0)->steady = cases[i].first;
		fate_of(profile, 5, 1000, 0, 0)->steady = cases[i].second;
		only_advice(profile);
		assert_int_equal(profile->findings[0].input, cases[i].input);
		/* some of it was written over by nobody knows whom */
		profile->fates[0].bytes = profile->fates[0].dead_bytes = 2004;
		only_advice(profile);
		assert_true(profile->findings[0].input);
		profile_free(profile);
	}
}

/* What kernels wrote over may be needed with another input, what sets wrote over is not: it comes
 * first. */
static void test_overwritten_by_kernels(void **state)
{
	struct profile *profile = two_writers("alloc", "memset");

	(void)state;
	vertex(profile, "memset", "cleared", 10);
	vertex(profile, "memset", "cleared again", 10);
	edge(profile, 3, 4, 1, GRAPH_WRITE, 2000, 0)->dead_bytes = 2000;
	edge(profile, 5, 6, 1, GRAPH_WRITE, 1000, 0)->dead_bytes = 1000;
	fate_of(profile, 3, 2000, 2000, 0);
	fate_of(profile, 5, 1000, 1000, 0);
	detect(profile);
	assert_int_equal(profile->finding_count, 2);
	assert_int_equal(profile->findings[0].vertex, 5);
	assert_false(profile->findings[0].input);
	assert_int_equal(profile->findings[1].vertex, 3);
	assert_true(profile->findings[1].input);
	contains(profile->findings[1].advice,
		 "Delete this set: nobody reads what it writes. That holds with this input.");
	profile_free(profile);
}

static void test_fates(void **state)
{
	struct profile *profile = two_writers("alloc", "kernel");

	(void)state;
	check_fate("memset", false, 2000, 0, "dead_write", "delete");
	check_fate("memset", false, 1900, 0, "dead_write", "set_range");
	check_fate("memset", false, 1000, 1000, "dead_write", "delete");
	check_fate("memset", false, 0, 2000, "never_read", "delete");
	check_fate("memcpy", false, 2000, 0, "dead_write", "delete");
	check_fate("memcpy", true, 500, 0, "dead_write", "copy_range");
	check_fate("memcpy", true, 0, 2000, "unused_transfer", "delete");
	check_fate("memcpy", true, 0, 1000, "unused_transfer", "copy_range");
	check_fate("kernel", false, 2000, 0, "dead_write", "delete");
	check_fate("kernel", false, 0, 1000, "never_read", "drop_store");
	/* a kernel that writes something else that is read */
	fate_of(profile, 3, 2000, 0, 2000);
	fate_of(profile, 3, 2000, 0, 0)->site = 9;
	only_advice(profile);
	assert_string_equal(profile->findings[0].action, "drop_store");
	profile_free(profile);
}

/* Two sets in a row: the first one is dead, the second changes nothing.  One can go, not both. */
static void test_two_sets(void **state)
{
	struct profile *profile = two_writers("memset", "memset");

	(void)state;
	edge(profile, 2, 3, 1, GRAPH_WRITE, 2000, 2000);
	fate_of(profile, 2, 2000, 2000, 0);
	unchanged(write_of(profile, 3, 2, 2000), 2, 1);
	detect(profile);
	assert_int_equal(profile->finding_count, 1);
	assert_string_equal(profile->findings[0].pattern, "dead_write");
	assert_int_equal(profile->findings[0].vertex, 2);
	profile_free(profile);
}

static void test_round_trip(void **state)
{
	struct profile *profile = two_writers("memcpy", "memcpy");

	(void)state;
	edge(profile, 0, 3, 1, GRAPH_READ, 3000, 0);
	edge(profile, 3, 3, 1, GRAPH_WRITE, 3000, 3000);
	/* what it sends is there already, too: the larger one counts */
	unchanged(write_of(profile, 3, 3, 3000), 2, 0);
	ARRAY_RESERVE(profile->round_trips, profile->round_trip_count,
		      profile->round_trip_capacity);
	profile->round_trips[profile->round_trip_count++] =
		(struct profile_round_trip){.upload = 3,
					    .site = 1,
					    .download = 2,
					    .uploads = 2,
					    .upload_bytes = 2000,
					    .downloads = 2,
					    .download_bytes = 2000};
	contains(only_advice(profile), "earlier (vertex 2, net.c:102) can go, too");
	assert_string_equal(profile->findings[0].pattern, "round_trip");
	assert_string_equal(profile->findings[0].action, "keep_on_device");
	assert_int_equal(profile->findings[0].bytes, 4000);
	profile_free(profile);
}

/* Sent again; `unchanged_bytes`: in as many bytes it changed nothing where they went. */
static struct profile *sent_again(uint64_t repeated, uint64_t contents, uint64_t unchanged_copies)
{
	struct profile *profile = two_writers("kernel", "memcpy");

	edge(profile, 0, 3, 1, GRAPH_READ, 5000, 0);
	edge(profile, 3, 3, 1, GRAPH_WRITE, 5000, 1000 * unchanged_copies);
	if (unchanged_copies)
		unchanged(write_of(profile, 3, 5, 5000), unchanged_copies, 0);
	ARRAY_RESERVE(profile->uploads, profile->upload_count, profile->upload_capacity);
	profile->uploads[profile->upload_count++] =
		(struct profile_upload){.vertex = 3,
					.site = 1,
					.copies = 5,
					.bytes = 5000,
					.repeated = repeated,
					.repeated_bytes = 1000 * repeated,
					.contents = contents,
					.content_bytes = 1000 * contents};
	return profile;
}

static void test_uploads(void **state)
{
	struct profile *profile = sent_again(4, 1, 0);

	(void)state;
	contains(only_advice(profile), "Upload it once and keep it on the device");
	assert_string_equal(profile->findings[0].pattern, "duplicate_transfer");
	assert_string_equal(profile->findings[0].action, "keep_on_device");
	assert_int_equal(profile->findings[0].bytes, 4000);
	assert_false(profile->findings[0].input);
	contains(profile->findings[0].evidence, "4 of 5 times");
	profile_free(profile);

	profile = sent_again(3, 2, 0);
	contains(only_advice(profile), "2 different contents, 2.0K");
	profile_free(profile);

	/* once may be chance */
	profile = sent_again(2, 1, 0);
	profile->uploads[0].repeated = 1;
	only_advice(profile);
	assert_true(profile->findings[0].input);
	profile_free(profile);

	/* what is there already is said as that; the larger one counts */
	profile = sent_again(4, 1, 4);
	only_advice(profile);
	assert_string_not_equal(profile->findings[0].action, "keep_on_device");
	assert_int_equal(profile->findings[0].bytes, 4000);
	profile_free(profile);
	profile = sent_again(4, 1, 2);
	only_advice(profile);
	assert_string_equal(profile->findings[0].action, "keep_on_device");
	profile_free(profile);
}

static void check_download(uint64_t copies, uint64_t same, uint64_t first, uint64_t changed_later,
			   const char *action)
{
	struct profile *profile = two_writers("kernel", "memcpy");
	struct profile_download *download;

	ARRAY_RESERVE(profile->downloads, profile->download_count, profile->download_capacity);
	download = &profile->downloads[profile->download_count++];
	*download = (struct profile_download){.vertex = 3,
					      .site = 1,
					      .copies = copies,
					      .bytes = 100 * copies,
					      .same = same,
					      .same_bytes = 100 * same,
					      .same_first = first,
					      .changed_later = changed_later};
	only_advice(profile);
	assert_string_equal(profile->findings[0].pattern, "duplicate_transfer");
	assert_string_equal(profile->findings[0].action, action);
	assert_int_equal(profile->findings[0].input, copies == 1);
	assert_int_equal(profile->findings[0].bytes, 100 * same);
	profile_free(profile);
}

static void test_downloads(void **state)
{
	(void)state;
	check_download(3, 3, 1, 0, "delete");
	check_download(1, 1, 1, 0, "delete");
	check_download(6, 5, 0, 0, "copy_once");
	check_download(6, 1, 1, 5, "delete_first");
	check_download(6, 3, 0, 2, "copy_when_changed");
	/* of 7 objects, to 3 buffers in turn: the first copies of 4 came to a buffer that had been
	 * filled */
	check_download(7, 4, 4, 0, "copy_when_changed");
}

/* Copies of what a kernel computes in each step, and of what one computes once. */
static void test_copies_of_results(void **state)
{
	struct profile_download *download;

	(void)state;
	for (uint64_t launches = 1; launches < 3; launches++) {
		struct profile *profile = two_writers("kernel", "memcpy");

		profile->graph->vertices[2].invocations = launches;
		edge(profile, 1, 2, 1, GRAPH_READ, 300, 0);
		edge(profile, 2, 3, 1, GRAPH_READ, 300, 0);
		ARRAY_RESERVE(profile->downloads, profile->download_count,
			      profile->download_capacity);
		download = &profile->downloads[profile->download_count++];
		*download = (struct profile_download){.vertex = 3,
						      .site = 1,
						      .copies = 3,
						      .bytes = 300,
						      .same = 3,
						      .same_bytes = 300,
						      .same_first = 1};
		only_advice(profile);
		assert_string_equal(profile->findings[0].action, "delete");
		assert_int_equal(profile->findings[0].input, launches == 2);
		/* nothing was computed anew in between, or so files of before do not say */
		download->same_unwritten = 3;
		only_advice(profile);
		assert_false(profile->findings[0].input);
		download->same_unwritten = PROFILE_UNKNOWN;
		only_advice(profile);
		assert_int_equal(profile->findings[0].input, launches == 2);
		profile->download_count = 0;
		unchanged(write_of(profile, 3, 3, 300), 3, 1);
		only_advice(profile);
		assert_string_equal(profile->findings[0].action, "delete");
		assert_int_equal(profile->findings[0].input, launches == 2);
		profile_free(profile);
	}
}

/* Filled by what the kernel 4 then adds to. */
static struct profile_fate *filled(struct profile *profile)
{
	struct profile_fate *fill = fate_of(profile, 3, 2000, 0, 0);

	fill->consumed_bytes = 2000;
	fill->consumer = 4;
	fate_of(profile, 4, 2000, 0, 0);
	return &profile->fates[0];
}

static void test_fill_then_accumulate(void **state)
{
	struct profile *profile = two_writers("alloc", "memset");

	(void)state;
	filled(profile);
	contains(only_advice(profile), "Let user (vertex 4, net.c:104) store its result");
	contains(profile->findings[0].advice, "if each element is added to once");
	assert_string_equal(profile->findings[0].pattern, "fill_then_accumulate");
	assert_string_equal(profile->findings[0].action, "store_instead");
	assert_int_equal(profile->findings[0].bytes, 2000);
	/* it adds more than once, or with atomics */
	profile->fates[1].read_own = 1;
	detect(profile);
	assert_int_equal(profile->finding_count, 0);
	profile->fates[1].read_own = 0;
	profile->fates[1].atomics = 1;
	detect(profile);
	assert_int_equal(profile->finding_count, 0);
	profile->fates[1].atomics = 0;
	/* not all of it, or not it alone */
	profile->fates[0].consumed_bytes = 1999;
	detect(profile);
	assert_int_equal(profile->finding_count, 0);
	profile->fates[0].consumed_bytes = 2000;
	profile->fates[0].consumer = PROFILE_NO_VERTEX;
	detect(profile);
	assert_int_equal(profile->finding_count, 0);
	/* nor where not all of its launches were analysed: it may have added again */
	profile->fates[0].consumer = 4;
	detect(profile);
	assert_int_equal(profile->finding_count, 1);
	unseen_of(profile, 4, 1);
	detect(profile);
	assert_int_equal(profile->finding_count, 0);
	profile_free(profile);

	/* a kernel is a fill if it reads nothing and leaves zeros; a copy is none */
	profile = two_writers("alloc", "kernel");
	filled(profile);
	detect(profile);
	assert_int_equal(profile->finding_count, 0);
	write_of(profile, 3, 2, 2000)->zero_writes = 2;
	contains(only_advice(profile), "delete this fill");
	profile_free(profile);
	profile = two_writers("alloc", "memcpy");
	filled(profile);
	detect(profile);
	assert_int_equal(profile->finding_count, 0);
	profile_free(profile);
}

static void test_shares(void **state)
{
	struct profile *profile = two_writers("kernel", "memcpy");
	struct profile_share *share;

	(void)state;
	vertex(profile, "alloc", "cudaMalloc", 1);
	write_of(profile, 3, 4, 8000);
	ARRAY_RESERVE(profile->shares, profile->share_count, profile->share_capacity);
	share = &profile->shares[profile->share_count++];
	*share = (struct profile_share){
		.vertex = 3, .site = 1, .holder = 5, .writes = 4, .spared = 4, .bytes = 8000};
	contains(only_advice(profile), "Let the readers use cudaMalloc (vertex 5, net.c:105)");
	contains(profile->findings[0].advice, "delete this copy and its object");
	assert_string_equal(profile->findings[0].action, "share");
	assert_false(profile->findings[0].input);
	/* a kernel writes to the object later */
	write_of(profile, 2, 1, 2000);
	contains(only_advice(profile), "delete the copy; its object stays");
	profile->write_count--;
	/* now and then: by coincidence */
	share->spared = 1;
	share->bytes = 2000;
	contains(only_advice(profile), "coincidence");
	assert_string_equal(profile->findings[0].action, "none");
	assert_true(profile->findings[0].input);
	share->bytes = 1024; /* not more than --duplicate-bytes */
	detect(profile);
	assert_int_equal(profile->finding_count, 0);
	profile_free(profile);
}

static void test_allocations(void **state)
{
	struct profile *profile = two_writers("memset", "kernel");
	uint32_t edges = profile->graph->edge_count;
	struct profile_site *site;

	(void)state;
	ARRAY_RESERVE(profile->sites, profile->site_count, profile->site_capacity);
	site = &profile->sites[profile->site_count++];
	*site = (struct profile_site){
		.site = 1, .objects = 3, .bytes = 3000, .untouched = 3, .untouched_bytes = 3000};
	detect(profile);
	assert_int_equal(profile->finding_count, 1);
	assert_string_equal(profile->findings[0].pattern, "unused_allocation");
	/* as the passes time and waits on a GPU, which see no accesses */
	ARRAY_RESERVE(profile->passes, profile->pass_count, profile->pass_capacity);
	profile->passes[profile->pass_count++] = (struct profile_pass){.name = xstrdup("time"),
								       .provider = xstrdup("gpu"),
								       .device = xstrdup(""),
								       .run = 1,
								       .makes_graph = true};
	profile->graph->edge_count = 0;
	detect(profile);
	assert_int_equal(profile->finding_count, 0);
	free(profile->passes[0].provider);
	profile->passes[0].provider = xstrdup("emulated"); /* which sees them in each pass */
	detect(profile);
	assert_int_equal(profile->finding_count, 1);
	profile->graph->edge_count = edges;
	assert_string_equal(profile->findings[0].action, "delete");
	assert_false(profile->findings[0].input);
	assert_int_equal(profile->findings[0].bytes, 3000);
	/* a library has allocated it for the program */
	free(profile->frames[0].module);
	profile->frames[0].module = xstrdup("/usr/lib/libblas.so");
	free(profile->callpaths[1].frames);
	profile->callpaths[1].frames = xcalloc(2, sizeof(*profile->callpaths[1].frames));
	profile->callpaths[1].frames[1] = 1;
	profile->callpaths[1].count = 2;
	detect(profile);
	assert_int_equal(profile->finding_count, 0);
	profile->callpaths[1].frames[0] = 1;
	site->untouched = 2; /* one of them is used: the line is needed */
	site->repeated = 2;
	site->repeated_bytes = 2000;
	detect(profile);
	assert_int_equal(profile->finding_count, 1);
	assert_string_equal(profile->findings[0].pattern, "repeated_allocation");
	assert_string_equal(profile->findings[0].action, "allocate_once");
	assert_int_equal(profile->findings[0].bytes, 2000);
	site->repeated = 1;
	detect(profile);
	assert_int_equal(profile->finding_count, 0);
	profile_free(profile);
}

static char *report_of(struct profile *profile, uint64_t top, const char *file);

/* Most bytes first; what calls for nothing last; equal ones by vertex. */
static void test_order(void **state)
{
	struct profile *profile = profile_new();
	static const uint64_t bytes[] = {0, 0, 0, 100, 100, 101, 5000};
	char *text;

	(void)state;
	if (!profile->graph->vertex_count)
		vertex(profile, "host", "host", 0);
	vertex(profile, "alloc", "cudaMalloc", 1);
	for (int i = 0; i < 4; i++)
		vertex(profile, "memset", "cudaMemset", 1);
	vertex(profile, "kernel", "user", 1);
	for (uint32_t v = 3; v <= 6; v++) {
		edge(profile, 2, v, 1, GRAPH_WRITE, bytes[v], bytes[v]);
		unchanged(write_of(profile, v, 1, bytes[v]), 1, 1);
	}
	edge(profile, 2, 6, 1, GRAPH_READ, 2000, 0);
	detect(profile);
	assert_int_equal(profile->finding_count, 4);
	assert_int_equal(profile->findings[0].vertex, 5);
	assert_int_equal(profile->findings[1].vertex, 3);
	assert_int_equal(profile->findings[2].vertex, 4);
	assert_int_equal(profile->findings[3].vertex, 6);
	text = report_of(profile, 0, NULL);
	contains(text, "3 findings, most bytes first\n");
	contains(text, "\nEqual with this input, nothing to do\n");
	contains(text, "1. redundant values: 101 bytes, delete\n");
	contains(text, "4. redundant values: 4.9K, nothing to do\n");
	free(text);
	profile_free(profile);
}

/* Vertices 3 and 4 are reached from one line: one finding, that has the bytes of both. */
static void test_cause(void **state)
{
	struct profile *profile = two_writers("kernel", "memset");
	struct advice_options options = ADVICE_DEFAULTS;

	(void)state;
	vertex(profile, "memset", "later", 1);
	profile->frames[5].line = profile->frames[3].line;
	edge(profile, 2, 3, 1, GRAPH_WRITE, 2000, 2000);
	edge(profile, 2, 5, 1, GRAPH_WRITE, 1000, 1000);
	unchanged(write_of(profile, 3, 1, 2000), 1, 1);
	unchanged(write_of(profile, 5, 1, 1000), 1, 1);
	only_advice(profile);
	assert_int_equal(profile->findings[0].bytes, 3000);
	assert_int_equal(profile->findings[0].other_count, 2);
	assert_int_equal(profile->findings[0].others[1], 5);
	/* each call path has one invocation, the line has two */
	assert_false(profile->findings[0].input);
	contains(profile->findings[0].evidence, "1 more call path or object: 2.9K in all.");
	options.by_path = true;
	advice_detect(profile, &options);
	assert_int_equal(profile->finding_count, 1); /* 1000 bytes are below the floor */
	options.min_bytes = 1000;
	advice_detect(profile, &options);
	assert_int_equal(profile->finding_count, 2);
	assert_true(profile->findings[0].input);
	profile_free(profile);
}

/* Kernels of one line that differ in template arguments and parameters alone are one cause. */
static void test_cause_of_templates(void **state)
{
	static const struct {
		const char *names[2];
		uint32_t causes;
	} cases[] = {
		{{"void scan<Policy<float>, 4>(float*)", "void scan<Policy<int>, 8>(int*)"}, 1},
		{{"void a::scan<4>(int*)", "void b::scan<4>(int*)"}, 2},
		{{"void (anonymous namespace)::scan<4>(int*)",
		  "void (anonymous namespace)::scan<8>(int*)"},
		 1},
		{{"void run<main::{lambda(int)#1}>(main::{lambda(int)#1})",
		  "void run<main::{lambda()#2}>(main::{lambda()#2})"},
		 1},
		{{"operator<< <int>", "operator>> <int>"}, 2},
		{{"scan", "scan_by_key"}, 2},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct profile *profile = two_writers("alloc", "kernel");
		const uint32_t ids[] = {3, 5};

		vertex(profile, "kernel", cases[i].names[1], 1);
		free(profile->graph->vertices[3].name);
		profile->graph->vertices[3].name = xstrdup(cases[i].names[0]);
		profile->frames[5].line = profile->frames[3].line;
		for (int k = 0; k < 2; k++) {
			edge(profile, ids[k], 4, 1, GRAPH_WRITE, 2000, 0)->dead_bytes = 2000;
			write_of(profile, ids[k], 1, 2000);
			fate_of(profile, ids[k], 2000, 2000, 0);
		}
		advice_detect(profile, &ADVICE_DEFAULTS);
		assert_int_equal(profile->finding_count, cases[i].causes);
		profile_free(profile);
	}
}

/* The vertex is called through a layer of a library at this line of it. */
static void call_through(struct profile *profile, uint32_t vertex, uint32_t line)
{
	struct profile_callpath *path = &profile->callpaths[vertex];

	ARRAY_RESERVE(profile->frames, profile->frame_count, profile->frame_capacity);
	profile->frames[profile->frame_count] =
		(struct profile_frame){.module = xstrdup("/src/net"),
				       .function = xstrdup("void c10::fill<int>(int*)"),
				       .file = xstrdup("/src/c10/fill.cpp"),
				       .line = line};
	path->frames = xreallocarray(path->frames, path->count + 1, sizeof(*path->frames));
	memmove(path->frames + 1, path->frames, path->count * sizeof(*path->frames));
	path->frames[0] = profile->frame_count++;
	path->count++;
}

/* One cause is what is reached from one line that people see, whatever layers are between. */
static void test_cause_in_layers(void **state)
{
	struct profile *profile = two_writers("kernel", "memset");
	struct advice_options options = ADVICE_DEFAULTS;
	uint32_t line = profile->frames[3].line;
	char *text;

	(void)state;
	vertex(profile, "memset", "later", 1);
	edge(profile, 2, 3, 1, GRAPH_WRITE, 2000, 2000);
	edge(profile, 2, 5, 1, GRAPH_WRITE, 1500, 1500);
	unchanged(write_of(profile, 3, 1, 2000), 1, 1);
	unchanged(write_of(profile, 5, 1, 1500), 1, 1);
	call_through(profile, 3, 7);
	call_through(profile, 5, 7);
	advice_detect(profile, &options);
	assert_int_equal(profile->finding_count, 2); /* two lines of the program */
	profile->frames[5].line = line;
	profile->frames[profile->frame_count - 1].line = 9; /* two of the layer */
	advice_detect(profile, &options);
	assert_int_equal(profile->finding_count, 1);
	assert_int_equal(profile->findings[0].bytes, 3500);
	text = report_of(profile, 0, NULL);
	contains(text, "               f net.c:103\n");
	contains_not(text, "c10");
	free(text);
	profile_free(profile);
}

/* A thousandth of what is read and written, and the floor. */
static void test_floor(void **state)
{
	struct profile *profile = two_writers("kernel", "memset");

	(void)state;
	edge(profile, 2, 3, 1, GRAPH_WRITE, 2000, 2000);
	unchanged(write_of(profile, 3, 2, 2000), 2, 1);
	advice_detect(profile, &ADVICE_DEFAULTS);
	assert_int_equal(profile->finding_count, 1);
	edge(profile, 2, 4, 1, GRAPH_READ, 1996000, 0); /* with the 1000 of 3 and those: 2000 K */
	advice_detect(profile, &ADVICE_DEFAULTS);
	assert_int_equal(profile->finding_count, 1);
	edge(profile, 2, 4, 1, GRAPH_READ, 2000, 0);
	advice_detect(profile, &ADVICE_DEFAULTS);
	assert_int_equal(profile->finding_count, 0);
	detect(profile); /* --min-bytes 0 */
	assert_int_equal(profile->finding_count, 1);
	profile_free(profile);
}

/* Definition 3.1 once more, by SQLite, on random writes. */
static const struct profile_finding *finding_of(const struct profile *profile, uint32_t vertex,
						uint32_t object)
{
	for (uint32_t i = 0; i < profile->finding_count; i++)
		if (profile->findings[i].vertex == vertex && profile->findings[i].object == object)
			return &profile->findings[i];
	return NULL;
}

static void test_random(void **state)
{
	const struct advice_options by_path = {.redundancy = 0.33, .by_path = true};
	unsigned seed = 7;
	uint32_t found = 0;
	sqlite3_stmt *ask;
	sqlite3 *db;

	(void)state;
	assert_int_equal(sqlite3_open(":memory:", &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, "CREATE TABLE e (j, k, bytes, redundant)", 0, 0, 0),
			 SQLITE_OK);
	assert_int_equal(
		sqlite3_prepare_v2(
			db,
			"SELECT j, k, sum(redundant) AS r FROM e WHERE j <> 0 GROUP BY j, k"
			" HAVING r > 0 AND 1.0 * r / sum(bytes) >= 0.33 ORDER BY r DESC, j, k",
			-1, &ask, NULL),
		SQLITE_OK);
	for (int round = 0; round < 300; round++) {
		static const char *kinds[] = {"memset", "memcpy", "kernel"};
		struct profile *profile = profile_new();
		uint32_t at = 0;

		if (!profile->graph->vertex_count)
			vertex(profile, "host", "host", 0);
		while (profile->graph->vertex_count < 8)
			vertex(profile, kinds[rand_r(&seed) % 3], "f", 1);
		sqlite3_exec(db, "DELETE FROM e", 0, 0, 0);
		for (uint32_t pair = 0; pair < 24; pair++) {
			struct profile_write *write;
			char row[128];

			if (rand_r(&seed) % 2)
				continue;
			write = write_of(profile, pair / 3, 2, 1 + rand_r(&seed) % 50);
			write->site = 1 + pair % 3;
			write->changed_later = 1;
			write->unchanged_bytes =
				rand_r(&seed) % 2 ? rand_r(&seed) % (write->bytes + 1) : 0;
			snprintf(row, sizeof(row), "INSERT INTO e VALUES (%u, %u, %d, %d)",
				 write->vertex, write->site, (int)write->bytes,
				 (int)write->unchanged_bytes);
			assert_int_equal(sqlite3_exec(db, row, 0, 0, 0), SQLITE_OK);
		}
		advice_detect(profile, &by_path);
		for (; sqlite3_step(ask) == SQLITE_ROW; at++) {
			const struct profile_finding *finding =
				finding_of(profile, (uint32_t)sqlite3_column_int(ask, 0),
					   (uint32_t)sqlite3_column_int(ask, 1));

			assert_non_null(finding);
			assert_int_equal(finding->bytes, sqlite3_column_int(ask, 2));
		}
		assert_int_equal(profile->finding_count, at);
		for (uint32_t i = 1; i < at; i++) {
			const struct profile_finding *a = &profile->findings[i - 1], *b = a + 1;

			bool note_a = a->input && !strcmp(a->action, "none");
			bool note_b = b->input && !strcmp(b->action, "none");

			assert_true(note_a < note_b || (note_a == note_b && a->bytes >= b->bytes));
		}
		found += at;
		sqlite3_reset(ask);
		profile_free(profile);
	}
	assert_true(found > 300);
	sqlite3_finalize(ask);
	sqlite3_close(db);
}

static bool brief_report;

static char *report_of(struct profile *profile, uint64_t top, const char *file)
{
	struct report report = {.brief = brief_report,
				.profile = profile,
				.options = ADVICE_DEFAULTS,
				.top = top,
				.file = file};
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	detect(profile);
	report_text(&report, out);
	fclose(out);
	/* no line is wider than 100 columns; everything here is ASCII */
	for (char *line = text; *line; line += strcspn(line, "\n") + 1)
		assert_true(strcspn(line, "\n") <= 100);
	return text;
}

static void test_report(void **state)
{
	struct profile *profile = darknet();
	char *text;

	(void)state;
	profile->command = xstrdup("./net --layers 3");
	text = report_of(profile, 0, "my runs/it's.db");
	contains(text, "vflow report: ./net --layers 3\n");
	/* read: 1 + 1 + 3 times 64 KiB; written: 1 + 1 + 1 + 2 + 3 times */
	contains(text, "7 vertices, 8 edges, 320.0K read, 512.0K written\n");
	contains(text, "2 findings");
	contains(text, "1. duplicate values: 64.0K, set instead\n");
	contains(text, "3. redundant values: 64.0K, nothing to do\n");
	contains(text, "fill_kernel (kernel, vertex 5, 3 invocations)\n");
	contains(text, "f net.c:105\n");
	contains(text, "cudaMalloc (vertex 1), 64.0K\n");
	contains(text, "f net.c:101\n");
	contains(text,
		 "vflow slice --vertex 5 'my runs/it'\\''s.db' | vflow render -o vertex-5.svg\n");
	contains_not(text, "\x1b");
	free(text);
	text = report_of(profile, 1, NULL);
	contains(text, "2 findings");
	contains(text, "1 more: vflow report --top 0\n");
	contains(text, "Equal with this input, nothing to do\n"
		       " 3   64.0K  redundant values  fill_kernel (vertex 5, net.c:105)\n");
	free(text);
	text = report_of(profile, 1, "run.db");
	contains(text, "1 more: vflow report --top 0 run.db\n");
	free(text);
	brief_report = true;
	text = report_of(profile, 0, NULL);
	assert_string_equal(text,
			    " 1   64.0K  duplicate values  cudaMemcpy (vertex 2, net.c:102)\n"
			    " 2   64.0K  duplicate values  cudaMemcpy (vertex 4, net.c:104)\n");
	free(text);
	text = report_of(profile, 1, NULL);
	contains_not(text, "redundant");
	free(text);
	brief_report = false;
	profile_free(profile);
}

static void test_report_of_nothing(void **state)
{
	struct profile *profile = profile_new();
	char *text;

	(void)state;
	if (!profile->graph->vertex_count)
		vertex(profile, "host", "host", 0);
	text = report_of(profile, 0, NULL);
	contains(text, "No findings: no work on the device was recorded.\n");
	free(text);
	vertex(profile, "alloc", "cudaMalloc", 1);
	text = report_of(profile, 0, NULL);
	contains(text, "No findings: no work was seen that could be left out.\n");
	free(text);
	profile_free(profile);
}

static int command(const char *threshold, const char *output, const char *file)
{
	char *arguments[] = {"report", (char *)threshold, "-o", (char *)output, (char *)file, NULL};

	return cmd_report(5, arguments);
}

/* The command on a profile in a file; the thresholds are those of the command line. */
static void test_command(void **state)
{
	char folder[] = "/tmp/vflow-report.XXXXXX", *db, *output, text[8192] = "";
	struct profile *profile = darknet();
	struct error error;
	FILE *file;

	(void)state;
	assert_non_null(mkdtemp(folder));
	db = xasprintf("%s/a b.db", folder);
	output = xasprintf("%s/report", folder);
	profile->command = xstrdup("./net");
	ARRAY_RESERVE(profile->processes, profile->process_count, profile->process_capacity);
	profile->processes[profile->process_count++] =
		(struct profile_process){.pid = 7,
					 .executable = xstrdup("/src/net"),
					 .arguments = xstrdup(""),
					 .provider = xstrdup("emulator"),
					 .device = xstrdup("emulated"),
					 .ended = true};
	detect(profile);
	if (profile_write(profile, db, &error) != 0)
		fail_msg("%s", error.text);
	profile_free(profile);

	assert_int_equal(command("--min-bytes=64K", output, db), 0);
	file = fopen(output, "r");
	assert_non_null(file);
	assert_true(fread(text, 1, sizeof(text) - 1, file) > 0);
	fclose(file);
	contains(text, "2 findings");
	contains(text, "f net.c:102");
	contains(text, "f net.c:101");
	assert_int_equal(command("--min-bytes=65537", output, db), 0);
	file = fopen(output, "r");
	assert_non_null(file);
	memset(text, 0, sizeof(text));
	assert_true(fread(text, 1, sizeof(text) - 1, file) > 0);
	fclose(file);
	contains(text, "No findings: ");

	assert_int_equal(command("--top=1", "/dev/full", db), 1);
	assert_int_equal(command("--top=1", output, output), 1); /* no profile */
	assert_int_equal(command("--top=x", output, db), 2);
	unlink(db);
	unlink(output);
	rmdir(folder);
	free(db);
	free(output);
}

/* Characters of several bytes count once, and none is cut in two. */
static void test_report_of_utf8(void **state)
{
	struct profile *profile = darknet();
	char *text, *at;
	uint32_t lines = 0;

	(void)state;
	profile->command = xcalloc(401, 1);
	for (int i = 0; i < 200; i++)
		strcat(profile->command, "\xc3\xa9"); /* e with an accent */
	{
		struct report report = {.profile = profile, .options = ADVICE_DEFAULTS};
		size_t size;
		FILE *out = open_memstream(&text, &size);

		report_text(&report, out);
		fclose(out);
	}
	/* after "vflow report:" 100 to a line, in two lines */
	for (at = strchr(text, '\n') + 1; (unsigned char)*at == 0xc3; at = strchr(at, '\n') + 1) {
		assert_int_equal(strcspn(at, "\n"), 200);
		lines++;
	}
	assert_int_equal(lines, 2);
	free(text);
	profile_free(profile);
}

static void test_report_of_long_names(void **state)
{
	struct profile *profile = darknet();
	char *name = xmalloc(5001), *text;

	(void)state;
	memset(name, 'x', 5000);
	name[5000] = '\0';
	free(profile->graph->vertices[5].name);
	profile->graph->vertices[5].name = name;
	text = report_of(profile, 0, NULL);
	contains(text, "xxx...\n               (kernel,");
	assert_true(strlen(text) < 5000);
	free(text);
	profile_free(profile);
}

/* What lies between the program and CUDA is not shown; a variable of a module has no place. */
static void test_report_of_libraries(void **state)
{
	struct profile *profile = darknet();
	struct profile_callpath *path = &profile->callpaths[5];
	char *text;

	(void)state;
	free(profile->frames[6].file);
	profile->frames[6].file = xstrdup("/usr/local/cuda/include/cccl/thrust/detail/fill.inl");
	free(path->frames);
	path->frames = xcalloc(3, sizeof(*path->frames));
	path->frames[0] = 6;
	path->frames[1] = 6;
	path->frames[2] = 5;
	path->count = 3;
	free(profile->graph->vertices[5].name);
	profile->graph->vertices[5].name =
		xstrdup("void cub::CUB_300001_SM_800::detail::fill<std::vector<unsigned long, "
			"std::allocator<unsigned long> >, (int)4, unsigned long>(unsigned long*)");
	profile->objects[0].name = xstrdup("weights");
	free(profile->graph->vertices[1].callpath);
	profile->graph->vertices[1].callpath = NULL;
	text = report_of(profile, 0, NULL);
	contains(text,
		 "cub::detail::fill<vector<unsigned long>, unsigned long> (kernel, vertex 5, 3\n"
		 "               invocations)\n"
		 "               f net.c:105\n"
		 "    object     global weights (vertex 1), 64.0K\n"
		 "    seen");
	contains_not(text, "f fill.inl:106 < ");
	free(text);
	/* nothing else is known */
	path->count = 1;
	text = report_of(profile, 0, NULL);
	contains(text, "f fill.inl:106\n");
	free(text);
	profile_free(profile);
}

/*
 * A buffer (1) that a kernel (2) adds to, another (4) reads with a part that 2 has written, and a
 * copy (5) brings to the host; and a buffer (3) that nobody writes.
 */
static struct profile *uninitialised(void)
{
	struct profile *profile = profile_new();

	if (!profile->graph->vertex_count)
		vertex(profile, "host", "host", 0);
	vertex(profile, "alloc", "cudaMalloc", 1);
	vertex(profile, "kernel", "add(int*)", 5);
	vertex(profile, "alloc", "cudaMalloc", 1);
	vertex(profile, "kernel", "read(int*, int*)", 2);
	vertex(profile, "memcpy", "cudaMemcpy", 1);
	object(profile, 1, N);
	object(profile, 3, N);
	edge(profile, 1, 2, 1, GRAPH_READ, 400, 0)->count = 1;
	edge(profile, 1, 2, 1, GRAPH_WRITE, 400, 0)->count = 1;
	edge(profile, 1, 4, 1, GRAPH_READ, 100, 0)->count = 2;
	edge(profile, 2, 4, 1, GRAPH_READ, 100, 0)->count = 2;
	edge(profile, 1, 5, 1, GRAPH_READ, N - 400, 0)->count = 1;
	edge(profile, 2, 5, 1, GRAPH_READ, 400, 0)->count = 1;
	return profile;
}

static void unwritten_by(struct profile *profile, uint32_t vertex, uint32_t site)
{
	ARRAY_RESERVE(profile->unwritten, profile->unwritten_count, profile->unwritten_capacity);
	profile->unwritten[profile->unwritten_count++] = (struct profile_unwritten){
		.vertex = vertex, .object = site, .invocations = 1, .bytes = 40};
}

/* What the device says of launches; by edges only what reads nothing else of an object. */
static void test_uninitialised_reads(void **state)
{
	struct profile *profile = uninitialised();
	const struct profile_finding *finding;

	(void)state;
	detect(profile);
	assert_int_equal(profile->finding_count, 0);
	edge(profile, 3, 4, 3, GRAPH_READ, 800, 0)->count = 2;
	edge(profile, 3, 5, 3, GRAPH_READ, 9000, 0)->count = 1;
	unwritten_by(profile, 2, 1);
	detect(profile);
	assert_int_equal(profile->finding_count, 3);
	finding = &profile->findings[0];
	assert_string_equal(finding->pattern, "uninitialised_read");
	assert_string_equal(finding->action, "write_first");
	assert_int_equal(finding->vertex, 4);
	assert_int_equal(finding->object, 3);
	assert_int_equal(finding->bytes, 800);
	contains(finding->evidence, "2 of its 2 invocations read 800 bytes of cudaMalloc");
	assert_int_equal(profile->findings[1].vertex, 2);
	assert_int_equal(profile->findings[1].bytes, 40);
	contains(profile->findings[1].evidence, "1 of its 5 invocations read 40 bytes");
	/* a copy comes where its bytes put it */
	assert_int_equal(profile->findings[2].vertex, 5);
	assert_string_equal(profile->findings[2].action, "initialise");
	/* the host, or something that was not seen, may have written it */
	profile->objects[1].memory = TRACE_MEMORY_MANAGED;
	detect(profile);
	assert_int_equal(profile->finding_count, 1);
	assert_int_equal(profile->findings[0].vertex, 2);
	profile_free(profile);
}

/* Without -g: functions, and what would tell more. */
static void test_report_without_lines(void **state)
{
	struct profile *profile = darknet();
	char *text;

	(void)state;
	for (uint32_t i = 0; i < profile->frame_count; i++) {
		profile->frames[i].line = 0;
		free(profile->frames[i].file);
		profile->frames[i].file = NULL;
	}
	free(profile->frames[2].function);
	profile->frames[2].function = NULL;
	profile->frames[2].offset = 0x1234;
	text = report_of(profile, 0, NULL);
	contains(text, "fill_kernel (kernel, vertex 5, 3 invocations)\n"
		       "               f (no line: build the host code with -g)\n");
	contains(text, "net+0x1234 (no line: build the host code with -g)\n");
	free(text);
	profile_free(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_report_without_lines),
		cmocka_unit_test(test_uninitialised_reads),
		cmocka_unit_test(test_report_of_libraries),
		cmocka_unit_test(test_darknet),
		cmocka_unit_test(test_threshold),
		cmocka_unit_test(test_coverage),
		cmocka_unit_test(test_hidden),
		cmocka_unit_test(test_unseen),
		cmocka_unit_test(test_when),
		cmocka_unit_test(test_kernel),
		cmocka_unit_test(test_scattered_reads),
		cmocka_unit_test(test_fates),
		cmocka_unit_test(test_overwritten_by_kernels),
		cmocka_unit_test(test_overwritten_by_steady_kernels),
		cmocka_unit_test(test_unread_invocations),
		cmocka_unit_test(test_overwriter),
		cmocka_unit_test(test_two_sets),
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_shares),
		cmocka_unit_test(test_fill_then_accumulate),
		cmocka_unit_test(test_downloads),
		cmocka_unit_test(test_copies_of_results),
		cmocka_unit_test(test_uploads),
		cmocka_unit_test(test_allocations),
		cmocka_unit_test(test_cause),
		cmocka_unit_test(test_cause_of_templates),
		cmocka_unit_test(test_cause_in_layers),
		cmocka_unit_test(test_floor),
		cmocka_unit_test(test_plural),
		cmocka_unit_test(test_partly),
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_report),
		cmocka_unit_test(test_report_of_nothing),
		cmocka_unit_test(test_command),
		cmocka_unit_test(test_report_of_utf8),
		cmocka_unit_test(test_report_of_long_names),
	};

	return cmocka_run_group_tests_name("advice_patterns", tests, NULL, NULL);
}
