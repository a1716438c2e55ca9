/*
 * Findings on profiles made by hand: the two inefficiencies of ValueExpert's section 1.1, their
 * corrected version, and what an operation's redundant bytes make the advice say.
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
#include "advice/report.h"
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

static void duplicate(struct profile *profile, uint64_t bytes, bool zero, uint32_t count,
		      const uint32_t *sites_and_causes)
{
	struct profile_duplicate *added;

	ARRAY_RESERVE(profile->duplicates, profile->duplicate_count, profile->duplicate_capacity);
	added = &profile->duplicates[profile->duplicate_count++];
	*added = (struct profile_duplicate){.bytes = bytes, .occurrences = 1, .events = 2};
	added->zero = zero;
	added->member_count = count;
	added->members = xcalloc(count, sizeof(*added->members));
	for (uint32_t i = 0; i < count; i++)
		added->members[i] = (struct profile_duplicate_member){
			sites_and_causes[2 * i], sites_and_causes[2 * i + 1], 1};
}

#define MEMBERS(...) ((const uint32_t[]){__VA_ARGS__})

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
	advice_detect(profile, &ADVICE_DEFAULTS);
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
	duplicate(profile, N, true, 2, MEMBERS(1, 2, 3, 4));
	return profile;
}

static void test_darknet(void **state)
{
	struct profile *profile = darknet();
	const struct profile_finding *finding;

	(void)state;
	detect(profile);
	assert_int_equal(profile->finding_count, 2);

	finding = &profile->findings[0];
	assert_string_equal(finding->pattern, "redundant_values");
	assert_int_equal(finding->vertex, 5);
	assert_int_equal(finding->object, 1);
	assert_int_equal(finding->access, GRAPH_WRITE);
	assert_int_equal(finding->bytes, N + N / 2);
	assert_true(finding->fraction == 0.5);
	assert_int_equal(finding->other_count, 2);
	assert_int_equal(finding->others[0], 2);
	assert_int_equal(finding->others[1], 6);
	contains(finding->evidence, "96.0K of the 192.0K (50.0%) that fill_kernel wrote");
	contains(finding->evidence, "cudaMemcpy (vertex 2, net.c:102): 64.0K");
	contains(finding->evidence, "gemm<float> (vertex 6, net.c:106): 32.0K");
	contains(finding->advice,
		 "gemm<float> (vertex 6, net.c:106) reads these values and writes over");
	contains(finding->advice, "beta = 0");
	contains(finding->advice, "if this kernel stores one value everywhere and that one adds");
	contains(finding->advice, "delete this fill");

	finding = &profile->findings[1];
	assert_string_equal(finding->pattern, "duplicate_values");
	assert_int_equal(finding->vertex, 4);
	assert_int_equal(finding->object, 3);
	assert_int_equal(finding->bytes, N);
	assert_int_equal(finding->other_count, 2);
	assert_int_equal(finding->others[0], 1);
	assert_int_equal(finding->others[1], 2);
	contains(finding->evidence, "2 objects of 64.0K held equal content, all zeros");
	contains(finding->evidence, "cudaMalloc (vertex 1, net.c:101) after cudaMemcpy (vertex 2");
	contains(finding->evidence, "They were equal once, during 2 operations.");
	contains(finding->advice, "cudaMemset instead of copying zeros");
	profile_free(profile);
}

/* The same, but the kernel reads another object: what it stores is computed, it is no fill. */
static void test_computed(void **state)
{
	struct profile *profile = darknet();

	(void)state;
	edge(profile, 4, 5, 3, GRAPH_READ, N, 0);
	detect(profile);
	assert_int_equal(profile->findings[0].vertex, 5);
	contains(profile->findings[0].advice,
		 "Drop the write to this object by cudaMemcpy (vertex 2, net.c:102)");
	contains_not(profile->findings[0].advice, "fill");
	profile_free(profile);
}

static void test_corrected(void **state)
{
	struct profile *profile = profile_new();

	(void)state;
	/* sets instead of copies, no fill, the product stored over the one before */
	if (!profile->graph->vertex_count)
		vertex(profile, "host", "host", 0);
	vertex(profile, "alloc", "cudaMalloc", 1);
	vertex(profile, "memset", "cudaMemset", 1);
	vertex(profile, "alloc", "cudaMalloc", 1);
	vertex(profile, "memset", "cudaMemset", 1);
	vertex(profile, "kernel", "gemm", 3);
	edge(profile, 1, 2, 1, GRAPH_WRITE, N, 0);
	edge(profile, 3, 4, 3, GRAPH_WRITE, N, 0);
	edge(profile, 2, 5, 1, GRAPH_WRITE, N, N / 4);
	edge(profile, 5, 5, 1, GRAPH_WRITE, 2 * N, N / 4);
	detect(profile);
	assert_int_equal(profile->finding_count, 0);

	/* equal zeroed arrays are a fact, but no copy is blamed */
	duplicate(profile, N, true, 2, MEMBERS(1, 2, 3, 4));
	detect(profile);
	assert_int_equal(profile->finding_count, 1);
	assert_string_equal(profile->findings[0].pattern, "duplicate_values");
	contains(profile->findings[0].evidence, "cudaMemset (vertex 2");
	contains(profile->findings[0].evidence, "cudaMemset (vertex 4");
	contains_not(profile->findings[0].advice, "opy");
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
	struct graph_edge *written = edge(profile, 2, 3, 1, GRAPH_WRITE, 1000, 330);

	(void)state;
	detect(profile); /* exactly 33 % is enough */
	assert_int_equal(profile->finding_count, 1);
	assert_true(profile_threshold(profile, "redundancy") == 0.33);
	written->redundant_bytes = 329;
	detect(profile); /* and findings are replaced, not added */
	assert_int_equal(profile->finding_count, 0);
	advice_detect(profile,
		      &(struct advice_options){.redundancy = 0.3, .duplicate_bytes = 1024});
	assert_int_equal(profile->finding_count, 1);
	/* no redundant byte, no finding, whatever the threshold */
	written->redundant_bytes = 0;
	advice_detect(profile, &(struct advice_options){.redundancy = 0, .duplicate_bytes = 1024});
	assert_int_equal(profile->finding_count, 0);
	profile_free(profile);
}

/* Rows that say nothing of accesses that were not seen. */
static void add_harmless(struct profile *profile)
{
	profile_add_coverage(profile, COVERAGE_SHADOW_ON_HOST, NULL, 1, 0);
	profile_add_coverage(profile, COVERAGE_PARTIAL_COPIES, NULL, 1, 0);
	profile_add_coverage(profile, COVERAGE_CONTENTS_NOT_COMPARED, NULL, 1, 0);
	profile_add_coverage(profile, COVERAGE_EVENTS_FIRST_ONLY, NULL, 1, 0);
	profile_add_coverage(profile, COVERAGE_PATH_TOO_DEEP, NULL, 1, 0);
	profile_add_coverage(profile, COVERAGE_SYMBOLS_NO_FILE, "app", 1, 0);
}

static void test_objects_apart(void **state)
{
	struct profile *profile = two_writers("memset", "kernel");

	(void)state;
	/* a third of all that it writes, but all of object 1: one finding, for that object */
	edge(profile, 2, 3, 1, GRAPH_WRITE, 1000, 1000);
	edge(profile, 2, 3, 9, GRAPH_WRITE, 2000, 0);
	contains(only_advice(profile), "Drop the write to this object");
	assert_int_equal(profile->findings[0].object, 1);
	assert_int_equal(profile->findings[0].bytes, 1000);
	profile_free(profile);

	/* a helper that sets or copies to two objects: the other one needs it */
	profile = two_writers("memset", "memset");
	edge(profile, 2, 3, 1, GRAPH_WRITE, 1000, 1000);
	edge(profile, 2, 3, 9, GRAPH_WRITE, 1000, 0);
	contains(only_advice(profile), "Do not set this object here");
	profile_free(profile);

	profile = two_writers("kernel", "memcpy");
	edge(profile, 2, 3, 1, GRAPH_WRITE, 1000, 1000);
	edge(profile, 2, 3, 9, GRAPH_WRITE, 1000, 0);
	contains(only_advice(profile), "Do not copy to this object here");
	profile_free(profile);

	/* it may have written what was not seen */
	profile = two_writers("memset", "kernel");
	edge(profile, 2, 3, 1, GRAPH_WRITE, 1000, 1000);
	profile_add_coverage(profile, COVERAGE_MANAGED_MEMORY, NULL, 1, 0);
	contains(only_advice(profile), "Drop the write to this object");
	profile_free(profile);

	/* reads that were not seen hide no write */
	profile = two_writers("memset", "kernel");
	edge(profile, 2, 3, 1, GRAPH_WRITE, 1000, 1000);
	profile_add_coverage(profile, COVERAGE_CONSTANT_READS, NULL, 1, 0);
	contains(only_advice(profile), "Delete this launch");
	/* nor does what is missing beside the graph */
	add_harmless(profile);
	contains(only_advice(profile), "Delete this launch");
	profile_free(profile);
}

static void test_host_is_no_writer(void **state)
{
	struct profile *profile = two_writers("memset", "memcpy");

	(void)state;
	edge(profile, 2, 3, 1, GRAPH_READ, 1000, 0);
	edge(profile, 3, 0, 1, GRAPH_WRITE, 1000, 1000); /* D2H */
	detect(profile);
	assert_int_equal(profile->finding_count, 0);
	profile_free(profile);
}

static void test_delete_it(void **state)
{
	struct profile *profile = two_writers("memset", "kernel");

	(void)state;
	edge(profile, 2, 3, 1, GRAPH_WRITE, 1000, 1000);
	contains(only_advice(profile), "Delete this launch");
	contains(profile->findings[0].advice, "earlier (vertex 2, net.c:102)");
	contains(profile->findings[0].evidence,
		 "All 1000 bytes (100%) that later wrote to the object");
	profile_free(profile);

	profile = two_writers("memset", "memset");
	edge(profile, 2, 3, 1, GRAPH_WRITE, 1000, 1000);
	contains(only_advice(profile), "Delete this set");
	profile_free(profile);

	profile = two_writers("kernel", "memcpy");
	edge(profile, 0, 3, 1, GRAPH_READ, 1000, 0);
	edge(profile, 2, 3, 1, GRAPH_WRITE, 1000, 1000);
	contains(only_advice(profile), "Delete this copy");
	profile_free(profile);

	/* one byte less, and deleting it would be wrong */
	profile = two_writers("kernel", "memcpy");
	edge(profile, 2, 3, 1, GRAPH_WRITE, 100000, 99999);
	contains(only_advice(profile), "Copy only the part that differs");
	contains(profile->findings[0].evidence, "(99.9%)");
	profile_free(profile);
}

static void test_again(void **state)
{
	struct profile *profile = two_writers("memset", "memcpy");

	(void)state;
	/* ten copies: the first was needed, the nine after it brought the same */
	edge(profile, 2, 3, 1, GRAPH_WRITE, 1000, 0);
	edge(profile, 3, 3, 1, GRAPH_WRITE, 9000, 9000);
	contains(only_advice(profile), "Copy once");
	contains(profile->findings[0].evidence, "its own earlier invocations");
	assert_int_equal(profile->findings[0].other_count, 0);
	profile_free(profile);

	profile = two_writers("memset", "memcpy");
	edge(profile, 2, 3, 1, GRAPH_WRITE, 1000, 0);
	edge(profile, 3, 3, 1, GRAPH_WRITE, 9000, 8999);
	contains(only_advice(profile), "Copy only the part that has changed");
	profile_free(profile);

	profile = two_writers("memset", "kernel");
	edge(profile, 2, 3, 1, GRAPH_WRITE, 1000, 0);
	edge(profile, 3, 3, 1, GRAPH_WRITE, 9000, 9000);
	contains(only_advice(profile), "only when its input has changed");
	profile_free(profile);

	profile = two_writers("copy", "memset");
	edge(profile, 2, 3, 1, GRAPH_WRITE, 1000, 0);
	edge(profile, 3, 3, 1, GRAPH_WRITE, 9000, 9000);
	contains(only_advice(profile), "Set the object once");
	profile_free(profile);
}

/* Each round, somebody else changes part of what it writes: it must go on. */
static void test_restored(void **state)
{
	static const struct {
		const char *kind, *advice;
	} cases[] = {{"memcpy", "Copy only the part that has changed"},
		     {"memset", "Set only the part that has changed"},
		     {"kernel", "Store only values that have changed"}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct profile *profile = two_writers("memset", cases[i].kind);

		edge(profile, 2, 3, 1, GRAPH_WRITE, 1000, 0)->count = 1;
		edge(profile, 3, 3, 1, GRAPH_WRITE, 8100, 8100)->count = 9;
		edge(profile, 4, 3, 1, GRAPH_WRITE, 900, 0)->count = 9;
		contains(only_advice(profile), cases[i].advice);
		profile_free(profile);
	}
}

/* What nobody reads need not be written, where every read was seen. */
static void test_unread(void **state)
{
	struct profile *profile = two_writers("kernel", "memset");

	(void)state;
	profile->graph->edges[1].from = 2; /* vertex 4 reads what 2 wrote instead */
	edge(profile, 2, 3, 1, GRAPH_WRITE, 1000, 500);
	edge(profile, 3, 4, 1, GRAPH_WRITE, 1000, 0);
	contains(only_advice(profile), "Delete this set: nothing was seen to read");
	profile_add_coverage(profile, COVERAGE_CONSTANT_READS, NULL, 1, 0);
	contains(only_advice(profile), "Delete this set: nothing was seen to read");
	add_harmless(profile);
	contains(only_advice(profile), "Delete this set: nothing was seen to read");
	edge(profile, 2, 3, 9, GRAPH_WRITE, 1000, 0);
	contains(only_advice(profile), "Do not set this object here: nothing was seen to read");
	profile->objects[0].memory = TRACE_MEMORY_MANAGED; /* which the host reads unseen */
	contains(only_advice(profile), "Set only the part that needs it");
	profile->objects[0].memory = TRACE_MEMORY_DEVICE;
	profile_add_coverage(profile, COVERAGE_SKIPPED_BY_SAMPLE_KERNELS, NULL, 1, 0);
	contains(only_advice(profile), "Set only the part that needs it");
	profile_free(profile);
}

/* With no other texts than these: what a row hides is all that counts. */
static void rename_coverage(struct profile *profile)
{
	for (uint32_t i = 0; i < profile->coverage_count; i++) {
		free(profile->coverage[i].what);
		free(profile->coverage[i].reason);
		profile->coverage[i].what = xstrdup("texture reads");
		profile->coverage[i].reason = xstrdup("renamed");
	}
}

static void add_coverage(struct profile *profile, const struct coverage_row *row, bool renamed)
{
	profile_add_coverage(profile, row->id, "detail", 1, 0);
	if (renamed)
		rename_coverage(profile);
}

/* What was not seen may have been read, or written by a launch whose stores seem to change nothing.
 */
static void check_coverage(const struct coverage_row *row, bool renamed)
{
	struct profile *profile = two_writers("memset", "kernel");

	edge(profile, 2, 3, 1, GRAPH_WRITE, 1000, 1000);
	contains(only_advice(profile), "Delete this launch");
	add_coverage(profile, row, renamed);
	contains(only_advice(profile), row->hides & COVERAGE_HIDES_WRITES
					       ? "Drop the write to this object"
					       : "Delete this launch");
	profile_free(profile);

	profile = two_writers("kernel", "memset");
	profile->graph->edges[1].from = 2;
	edge(profile, 2, 3, 1, GRAPH_WRITE, 1000, 500);
	contains(only_advice(profile), "Delete this set: nothing was seen to read");
	add_coverage(profile, row, renamed);
	contains(only_advice(profile), row->hides & COVERAGE_HIDES_READS
					       ? "Set only the part that needs it"
					       : "Delete this set: nothing was seen to read");
	profile_free(profile);
}

static void test_coverage(void **state)
{
	const struct coverage_row *row;

	(void)state;
	for (uint32_t id = COVERAGE_NONE + 1; (row = coverage_row(id)); id++) {
		check_coverage(row, false);
		check_coverage(row, true);
	}
}

static void test_partly(void **state)
{
	struct profile *profile = two_writers("memset", "kernel");

	(void)state;
	/* nobody reads what the set wrote: it is the set that can go */
	edge(profile, 2, 3, 1, GRAPH_WRITE, 1000, 500);
	contains(only_advice(profile), "Drop the write to this object by earlier (vertex 2");
	/* somebody does: then the kernel should skip */
	edge(profile, 2, 0, 1, GRAPH_READ, 1000, 0);
	contains(only_advice(profile), "Store only values that differ");
	edge(profile, 2, 3, 1, GRAPH_READ, 1000, 0);
	contains(only_advice(profile),
		 "Store only values that change: the kernel reads the object");
	profile_free(profile);
}

static void test_duplicates(void **state)
{
	struct profile *profile = darknet();

	(void)state;
	profile->graph->edge_count = 4; /* the copies only */
	profile->duplicates[0].zero = false;
	detect(profile);
	assert_int_equal(profile->finding_count, 1);
	contains(profile->findings[0].advice, "Copy the bytes from the host once");
	contains(profile->findings[0].advice, "No other write to them was seen");

	/* a kernel writes one of them: nothing is promised */
	edge(profile, 4, 5, 3, GRAPH_WRITE, 4, 0);
	detect(profile);
	contains(profile->findings[0].advice, "Other writes to them were seen");

	/* 1 KiB is not more than 1 KiB */
	profile->duplicates[0].bytes = 1024;
	detect(profile);
	assert_int_equal(profile->finding_count, 0);
	profile->duplicates[0].bytes = 1025;
	detect(profile);
	assert_int_equal(profile->finding_count, 1);
	profile_free(profile);
}

static void test_groups_in_groups(void **state)
{
	struct profile *profile = darknet();

	(void)state;
	profile->graph->edge_count = 4;
	/* a third object joins: one finding for all three, two of them to save */
	duplicate(profile, N, true, 3, MEMBERS(1, 2, 3, 4, 5, 5));
	/* as many members, but another cause: not part of it */
	duplicate(profile, N, true, 2, MEMBERS(1, 6, 3, 4));
	detect(profile);
	assert_int_equal(profile->finding_count, 2);
	assert_int_equal(profile->findings[0].bytes, 2 * N);
	assert_int_equal(profile->findings[1].bytes, N);
	assert_int_equal(profile->findings[1].vertex, 6);
	profile_free(profile);
}

static char *report_of(struct profile *profile, uint64_t top, const char *file);

static void test_order(void **state)
{
	struct profile *profile = profile_new();
	char *text;

	(void)state;
	if (!profile->graph->vertex_count)
		vertex(profile, "host", "host", 0);
	vertex(profile, "alloc", "cudaMalloc", 1);
	for (int i = 0; i < 4; i++)
		vertex(profile, "memset", "cudaMemset", 1);
	edge(profile, 2, 4, 1, GRAPH_WRITE, 100, 100);
	edge(profile, 2, 3, 1, GRAPH_WRITE, 100, 100);
	edge(profile, 2, 5, 1, GRAPH_WRITE, 101, 101);
	/* a kernel that can leave out part of its stores: more bytes, and worth less */
	vertex(profile, "kernel", "part", 1);
	vertex(profile, "kernel", "user", 1);
	edge(profile, 2, 6, 1, GRAPH_WRITE, 2000, 1000);
	edge(profile, 2, 7, 1, GRAPH_READ, 2000, 0);
	detect(profile);
	assert_int_equal(profile->finding_count, 4);
	assert_int_equal(profile->findings[0].vertex, 5);
	assert_int_equal(profile->findings[1].vertex, 3);
	assert_int_equal(profile->findings[2].vertex, 4);
	assert_int_equal(profile->findings[3].vertex, 6);
	contains(profile->findings[3].limits, "bytes that a changed number keeps");
	contains_not(profile->findings[0].limits, "changed number");
	text = report_of(profile, 0, NULL);
	contains(text, "4 findings, first what can go as a whole, most bytes first\n");
	contains(text, "1. redundant values: 101 bytes to save\n");
	contains(text, "4. redundant values: 1000 bytes to save at most\n");
	free(text);
	profile_free(profile);
}

/* Definition 3.1 once more, by SQLite, on random flows with loops and parallel edges. */
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
		static const char *kinds[] = {"memset", "memcpy", "kernel", "alloc", "unknown"};
		struct profile *profile = profile_new();
		uint32_t at = 0;

		if (!profile->graph->vertex_count)
			vertex(profile, "host", "host", 0);
		while (profile->graph->vertex_count < 8)
			vertex(profile, kinds[rand_r(&seed) % 5], "f", 1);
		sqlite3_exec(db, "DELETE FROM e", 0, 0, 0);
		for (int e = rand_r(&seed) % 40; e > 0; e--) {
			uint32_t to = rand_r(&seed) % 8, object = 1 + rand_r(&seed) % 3;
			enum graph_access access = rand_r(&seed) % 2 ? GRAPH_WRITE : GRAPH_READ;
			uint64_t bytes = 1 + rand_r(&seed) % 50;
			uint64_t redundant = access == GRAPH_WRITE && rand_r(&seed) % 2
						     ? rand_r(&seed) % (bytes + 1)
						     : 0;
			char row[128];

			edge(profile, rand_r(&seed) % 8, to, object, access, bytes, redundant);
			snprintf(row, sizeof(row), "INSERT INTO e VALUES (%u, %u, %d, %d)", to,
				 object, (int)bytes, (int)redundant);
			if (access == GRAPH_WRITE)
				assert_int_equal(sqlite3_exec(db, row, 0, 0, 0), SQLITE_OK);
		}
		detect(profile);
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

			assert_true(a->whole > b->whole ||
				    (a->whole == b->whole && a->bytes >= b->bytes));
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
	report_print(&report, out);
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
	contains(text, "1. redundant values: 96.0K to save\n");
	contains(text, "fill_kernel (kernel, vertex 5, 3 invocations)\n");
	contains(text, "f net.c:105\n");
	contains(text, "cudaMalloc (vertex 1), 64.0K\n");
	contains(text, "f net.c:101\n");
	contains(text, "2. duplicate values: 64.0K held more than once\n");
	contains(text,
		 "vflow slice --vertex 5 'my runs/it'\\''s.db' | vflow render -o vertex-5.svg\n");
	contains_not(text, "\x1b");
	free(text);
	text = report_of(profile, 1, NULL);
	contains(text, "2 findings");
	contains(text, "1 more: vflow report --top 0\n");
	contains_not(text, "duplicate values");
	free(text);
	text = report_of(profile, 1, "run.db");
	contains(text, "1 more: vflow report --top 0 run.db\n");
	free(text);
	brief_report = true;
	text = report_of(profile, 0, NULL);
	assert_string_equal(text,
			    " 1   96.0K  redundant values  fill_kernel (vertex 5, net.c:105)\n"
			    " 2   64.0K  duplicate values  cudaMemcpy (vertex 4, net.c:104)\n");
	free(text);
	text = report_of(profile, 1, NULL);
	contains_not(text, "duplicate");
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
	contains(text, "No findings: no operation was seen to leave 33% or more");
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

	assert_int_equal(command("--redundancy=0.5", output, db), 0);
	file = fopen(output, "r");
	assert_non_null(file);
	assert_true(fread(text, 1, sizeof(text) - 1, file) > 0);
	fclose(file);
	contains(text, "2 findings");
	contains(text, "f net.c:105");
	contains(text, "f net.c:101");
	assert_int_equal(command("--redundancy=51%", output, db), 0);
	file = fopen(output, "r");
	assert_non_null(file);
	memset(text, 0, sizeof(text));
	assert_true(fread(text, 1, sizeof(text) - 1, file) > 0);
	fclose(file);
	contains(text, "1 finding, ");
	contains_not(text, "redundant values");

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

		report_print(&report, out);
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
	contains(text, "cub::detail::fill<...> (kernel, vertex 5, 3 invocations)\n"
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
	contains(text, "cudaMemcpy (vertex 2, net+0x1234): 64.0K");
	free(text);
	profile_free(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_report_without_lines),
		cmocka_unit_test(test_report_of_libraries),
		cmocka_unit_test(test_darknet),
		cmocka_unit_test(test_computed),
		cmocka_unit_test(test_corrected),
		cmocka_unit_test(test_helper),
		cmocka_unit_test(test_threshold),
		cmocka_unit_test(test_objects_apart),
		cmocka_unit_test(test_host_is_no_writer),
		cmocka_unit_test(test_delete_it),
		cmocka_unit_test(test_again),
		cmocka_unit_test(test_restored),
		cmocka_unit_test(test_unread),
		cmocka_unit_test(test_coverage),
		cmocka_unit_test(test_partly),
		cmocka_unit_test(test_duplicates),
		cmocka_unit_test(test_groups_in_groups),
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
