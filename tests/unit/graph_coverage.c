/*
 * Coverage on its way from the traces of a run to its profile: records of today, which name rows of
 * coverage.def, and those of earlier versions, which hold what people read.
 */
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

static char folder[] = "/tmp/vflow-coverage-XXXXXX";
static unsigned traces;
static struct trace_writer *writer;

static int make_folder(void **state)
{
	(void)state;
	strcpy(folder + sizeof(folder) - 7, "XXXXXX");
	traces = 0;
	return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
	(void)state;
	for (unsigned i = 1; i <= traces; i++) {
		char *path = xasprintf("%s/%u.trace", folder, i);

		unlink(path);
		free(path);
	}
	return rmdir(folder);
}

/* The fixed part of a record, then its texts. */
static void append(const void *fixed, size_t fixed_size, const char *texts, size_t size)
{
	struct trace_record *record = xcalloc(1, fixed_size + size);

	memcpy(record, fixed, fixed_size);
	memcpy((char *)record + fixed_size, texts, size);
	assert_int_equal(trace_append(writer, record, fixed_size + size), 0);
	free(record);
}

static void start(void)
{
	static const char texts[] = "emulated\0a device\0/bin/app\0./app\0";
	const struct trace_process process = {.record = {.type = TRACE_PROCESS},
					      .process = ++traces};
	char *path = xasprintf("%s/%u.trace", folder, traces);
	struct error error;

	writer = trace_create(path, 1, &error);
	assert_non_null(writer);
	free(path);
	append(&process, offsetof(struct trace_process, text), texts, sizeof(texts));
}

static void say(enum trace_type type, uint64_t count, const char *texts, size_t size)
{
	const struct trace_coverage coverage = {
		.record = {.type = (uint16_t)type}, .count = count, .bytes = 10 * count};

	append(&coverage, offsetof(struct trace_coverage, text), texts, size);
}

static void end(void)
{
	struct trace_end record = {.record = {.type = TRACE_END}};

	assert_int_equal(trace_append(writer, &record.record, sizeof(record)), 0);
	trace_close(writer);
}

/* The texts are one literal: sizeof counts the NUL after the last. */
#define SAY(type, count, texts) say(type, count, texts, sizeof(texts))

static struct profile *build(void)
{
	struct error error = {""};
	struct profile *profile = build_profile(folder, &error);

	if (!profile)
		fail_msg("%s", error.text);
	return profile;
}

static void row_is(const struct profile *profile, uint32_t index, const char *id,
		   enum coverage_hides hides, uint64_t count, const char *text)
{
	const struct profile_coverage *row = &profile->coverage[index];
	char *got = xasprintf("%s: %s", row->what, row->reason);

	assert_string_equal(got, text);
	assert_true(id ? row->id && !strcmp(row->id, id) : !row->id);
	assert_int_equal(row->hides, hides);
	assert_int_equal(row->count, count);
	assert_int_equal(row->bytes, 10 * count);
	free(got);
}

#define NO_SHADOW                                                                                  \
	"unknown memory: accesses to memory without a shadow: of malloc() in kernels, of the "     \
	"CUDA runtime (which lets a grid wait), of another device or process, or of an "           \
	"allocation that was not seen, by "

static void test_named(void **state)
{
	struct profile *profile;

	(void)state;
	start();
	SAY(TRACE_COVERAGE, 1, "TEXTURE_READS\0");
	SAY(TRACE_COVERAGE, 2, "UNKNOWN_MEMORY\0_Z4gemmIfEvPT_S1_i");
	SAY(TRACE_COVERAGE, 3, "UNKNOWN_MEMORY\0plain");
	SAY(TRACE_COVERAGE, 4, "CALL_SHARES_MEMORY\0cuMemExportToShareableHandle");
	SAY(TRACE_COVERAGE, 5, "TEXTURE_READS\0"); /* the sum so far */
	SAY(TRACE_COVERAGE, 6, "SHADOW_ON_HOST\0");
	end();
	profile = build();
	assert_int_equal(profile->coverage_count, 5);
	row_is(profile, 0, "TEXTURE_READS", COVERAGE_HIDES_READS, 5,
	       "texture reads: reads through textures and surfaces make no edges");
	row_is(profile, 1, "UNKNOWN_MEMORY", COVERAGE_HIDES_BOTH, 2, NO_SHADOW "gemm<float>");
	row_is(profile, 2, "UNKNOWN_MEMORY", COVERAGE_HIDES_BOTH, 3, NO_SHADOW "plain");
	row_is(profile, 3, "CALL_SHARES_MEMORY", COVERAGE_HIDES_BOTH, 4,
	       "cuMemExportToShareableHandle: memory that others can write; what they write is "
	       "not seen");
	row_is(profile, 4, "SHADOW_ON_HOST", COVERAGE_HIDES_NOTHING, 6,
	       "shadows on the host: the GPU had no memory for them; they are exact and slower");
	profile_free(profile);
}

/* As the guest wrote it before rows had names, on kept traces of then. */
static void test_texts(void **state)
{
	struct profile *profile;

	(void)state;
	start();
	SAY(TRACE_COVERAGE_TEXTS, 1,
	    "texture reads\0reads through textures and surfaces make no edges");
	SAY(TRACE_COVERAGE_TEXTS, 2,
	    "unknown memory\0accesses to memory without a shadow: of malloc() in kernels, of the "
	    "CUDA runtime (which lets a grid wait), of another device or process, or of an "
	    "allocation that was not seen, by _Z4gemmIfEvPT_S1_i");
	SAY(TRACE_COVERAGE_TEXTS, 3, "texture reads\0a sentence of another version");
	SAY(TRACE_COVERAGE_TEXTS, 4, "trace\0cut at offset 64: No space left on device");
	SAY(TRACE_COVERAGE_TEXTS, 5, "TEXTURE_READS\0"); /* no name: a text */
	end();
	profile = build();
	assert_int_equal(profile->coverage_count, 5);
	row_is(profile, 0, "TEXTURE_READS", COVERAGE_HIDES_READS, 1,
	       "texture reads: reads through textures and surfaces make no edges");
	row_is(profile, 1, "UNKNOWN_MEMORY", COVERAGE_HIDES_BOTH, 2, NO_SHADOW "gemm<float>");
	row_is(profile, 2, NULL, COVERAGE_HIDES_BOTH, 3,
	       "texture reads: a sentence of another version");
	row_is(profile, 3, "TRACE_CUT", COVERAGE_HIDES_BOTH, 4,
	       "trace: cut at offset 64: No space left on device");
	row_is(profile, 4, NULL, COVERAGE_HIDES_BOTH, 5, "TEXTURE_READS: ");
	profile_free(profile);
}

/* Processes add up, also where one of them had an earlier guest. */
static void test_processes(void **state)
{
	struct profile *profile;

	(void)state;
	start();
	SAY(TRACE_COVERAGE, 1, "PARTIAL_COPIES\0");
	SAY(TRACE_COVERAGE, 7, "PARTIAL_COPIES\0");
	end();
	start();
	SAY(TRACE_COVERAGE, 20, "PARTIAL_COPIES\0");
	end();
	start();
	SAY(TRACE_COVERAGE_TEXTS, 300,
	    "partial copies\0kernels with cp.async of a part of its size: it counts as reading "
	    "all");
	end();
	profile = build();
	assert_int_equal(profile->coverage_count, 1);
	row_is(profile, 0, "PARTIAL_COPIES", COVERAGE_HIDES_NOTHING, 327,
	       "partial copies: kernels with cp.async of a part of its size: it counts as reading "
	       "all");
	profile_free(profile);
}

static void test_hostile(void **state)
{
	struct profile *profile;
	char *texts = xcalloc(1, 20000);

	(void)state;
	start();
	SAY(TRACE_COVERAGE, 1, "A_ROW_OF_TOMORROW\0with a\033[31m detail");
	SAY(TRACE_COVERAGE, 2, "A_ROW_OF_TOMORROW\0");
	SAY(TRACE_COVERAGE, 3, "\0");
	SAY(TRACE_COVERAGE, 4, "CALL_UNSUPPORTED\0%s%n\n\xff");
	SAY(TRACE_COVERAGE, 5, "TEXTURE_READS\0a detail without a place");
	SAY(TRACE_COVERAGE, 6, "TEXTURE_READS\0another");
	strcpy(texts, "CALL_UNSUPPORTED");
	memset(texts + strlen(texts) + 1, 'x', 19000);
	say(TRACE_COVERAGE, 7, texts, 19100);
	end();
	profile = build();
	assert_int_equal(profile->coverage_count, 6);
	row_is(profile, 0, "UNKNOWN", COVERAGE_HIDES_BOTH, 1,
	       "unknown coverage: recorded by another version of vflow: A_ROW_OF_TOMORROW, with "
	       "a\\x1b[31m detail");
	row_is(profile, 1, "UNKNOWN", COVERAGE_HIDES_BOTH, 2,
	       "unknown coverage: recorded by another version of vflow: A_ROW_OF_TOMORROW");
	row_is(profile, 2, "UNKNOWN", COVERAGE_HIDES_BOTH, 3,
	       "unknown coverage: recorded by another version of vflow: ");
	row_is(profile, 3, "CALL_UNSUPPORTED", COVERAGE_HIDES_NOTHING, 4,
	       "unsupported API: %s%n\\x0a\\xff");
	row_is(profile, 4, "TEXTURE_READS", COVERAGE_HIDES_READS, 11,
	       "texture reads: reads through textures and surfaces make no edges");
	assert_true(strlen(profile->coverage[5].reason) <= 4096 + strlen("..."));
	profile_free(profile);
	free(texts);
}

static void test_too_many(void **state)
{
	struct profile *profile;
	const struct profile_coverage *last;

	(void)state;
	start();
	for (unsigned i = 0; i <= 4096; i++) {
		char texts[64];
		int size = snprintf(texts, sizeof(texts), "CALL_UNSUPPORTED%cf%u", 0, i);

		say(TRACE_COVERAGE, 1, texts, (size_t)size + 1);
	}
	end();
	profile = build();
	assert_int_equal(profile->coverage_count, 4097);
	last = &profile->coverage[0]; /* said before the process's own rows */
	assert_string_equal(last->id, "TRACE_DAMAGED");
	assert_string_equal(last->what, "trace");
	assert_non_null(strstr(last->reason, "process 1: the trace is cut: damaged at offset"));
	assert_non_null(strstr(last->reason, "more than 4096 kinds of coverage"));
	profile_free(profile);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_folder, remove_folder)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_named),   TEST(test_texts),    TEST(test_processes),
		TEST(test_hostile), TEST(test_too_many),
	};

	return cmocka_run_group_tests_name("graph_coverage", tests, NULL, NULL);
}
