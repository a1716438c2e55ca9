/* The trace: what is written is read, and damage is found. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "collect/trace.h"
#include "util/memory.h"

static char folder[] = "/tmp/vflow-trace-XXXXXX";
static char *path;

static int make_folder(void **state)
{
	(void)state;
	assert_non_null(mkdtemp(folder));
	path = xasprintf("%s/1.trace", folder);
	return 0;
}

static int remove_trace(void **state)
{
	(void)state;
	unlink(path);
	return 0;
}

static int remove_folder(void **state)
{
	(void)state;
	free(path);
	return rmdir(folder);
}

static void append_process(struct trace_writer *writer)
{
	/* provider, device, executable, one argument, end */
	static const char text[] = "emulated\0a device\0/bin/app\0./app\0";
	union {
		struct trace_process process;
		char bytes[256];
	} u = {.process = {.record = {.type = TRACE_PROCESS}, .process = 42, .parent = 7}};

	memcpy(u.bytes + offsetof(struct trace_process, text), text, sizeof(text));
	assert_int_equal(trace_append(writer, &u.process.record,
				      offsetof(struct trace_process, text) + sizeof(text)),
			 0);
}

static void append_context(struct trace_writer *writer, uint32_t id, const char *name)
{
	union {
		struct trace_context context;
		char bytes[256];
	} u = {.context = {.record = {.type = TRACE_CONTEXT}, .id = id, .kind = TRACE_SET}};

	strcpy(u.bytes + offsetof(struct trace_context, text), name);
	assert_int_equal(trace_append(writer, &u.context.record,
				      offsetof(struct trace_context, text) + strlen(name) + 1),
			 0);
}

/* What append_event() adds: 64 bytes, and two rows of 24 bytes and 8 for each metric. */
#define EVENT_BYTES (64 + 2 * (24 + 8 * (size_t)TRACE_METRICS))

static int append_event(struct trace_writer *writer, uint64_t invocation)
{
	union {
		struct trace_event event;
		char bytes[sizeof(struct trace_event) + 2 * sizeof(struct trace_row)];
	} u = {.event = {.record = {.type = TRACE_EVENT},
			 .context = 1,
			 .invocation = invocation,
			 .row_count = 2,
			 .row_size = TRACE_ROW_SIZE(TRACE_METRICS)}};

	u.event.rows[0] = (struct trace_row){.object = 1, .access = TRACE_WRITE, .bytes = 100};
	u.event.rows[1] = (struct trace_row){.object = 2,
					     .writer = TRACE_WRITER_UNKNOWN,
					     .access = TRACE_READ,
					     .bytes = UINT64_C(5) << 32};
	return trace_append(writer, &u.event.record, sizeof(u));
}

static void append_end(struct trace_writer *writer)
{
	struct trace_end end = {.record = {.type = TRACE_END}, .end_ns = 5};

	assert_int_equal(trace_append(writer, &end.record, sizeof(end)), 0);
}

/* A small trace of five records; returns its size. */
static size_t make_trace(void)
{
	struct error error;
	struct trace_writer *writer = trace_create(path, 1, &error);
	struct stat status;

	assert_non_null(writer);
	append_process(writer);
	append_context(writer, 1, "cudaMemset");
	assert_int_equal(append_event(writer, 0), 0);
	assert_int_equal(append_event(writer, 1), 0);
	append_end(writer);
	trace_close(writer);
	assert_int_equal(stat(path, &status), 0);
	return (size_t)status.st_size;
}

/* Reads to the end or the first error.  *records counts the good ones. */
static int read_all(unsigned *records, bool *ended, struct error *error)
{
	struct trace_reader *reader = trace_open(path, error);
	const struct trace_record *record;
	int result;

	*records = 0;
	*ended = false;
	if (!reader)
		return -1;
	while ((result = trace_next(reader, &record, error)) == 1) {
		++*records;
		*ended = record->type == TRACE_END;
	}
	trace_reader_close(reader);
	return result;
}

static unsigned char *load(size_t size)
{
	unsigned char *bytes = xmalloc(size);
	FILE *file = fopen(path, "r");

	assert_int_equal(fread(bytes, 1, size, file), size);
	fclose(file);
	return bytes;
}

static void save(const void *bytes, size_t size)
{
	FILE *file = fopen(path, "w");

	assert_int_equal(fwrite(bytes, 1, size, file), size);
	assert_int_equal(fclose(file), 0);
}

static void test_round_trip(void **state)
{
	struct error error;
	struct trace_reader *reader;
	const struct trace_record *record;
	const struct trace_process *process;
	const struct trace_context *context;
	const struct trace_event *event;
	size_t size = make_trace();

	(void)state;
	/* header 40; process 16+16+34->72; context 16+16+11->48; end 24 */
	assert_int_equal(size, 40 + 72 + 48 + EVENT_BYTES + EVENT_BYTES + 24);
	reader = trace_open(path, &error);
	assert_non_null(reader);
	assert_true(trace_reader_header(reader)->start_ns > 0);
	assert_int_equal(trace_reader_offset(reader), 40);

	assert_int_equal(trace_next(reader, &record, &error), 1);
	assert_int_equal(record->type, TRACE_PROCESS);
	process = (const void *)record;
	assert_int_equal(process->process, 42);
	assert_int_equal(process->parent, 7);
	assert_string_equal(trace_text(record, process->text, 0), "emulated");
	assert_string_equal(trace_text(record, process->text, 1), "a device");
	assert_string_equal(trace_text(record, process->text, 2), "/bin/app");
	assert_string_equal(trace_text(record, process->text, 3), "./app");
	assert_string_equal(trace_text(record, process->text, 4), "");
	assert_null(trace_text(record, process->text, 40));

	assert_int_equal(trace_next(reader, &record, &error), 1);
	context = (const void *)record;
	assert_int_equal(record->type, TRACE_CONTEXT);
	assert_string_equal(trace_text(record, context->text, 0), "cudaMemset");

	for (uint64_t i = 0; i < 2; i++) {
		assert_int_equal(trace_next(reader, &record, &error), 1);
		event = (const void *)record;
		assert_int_equal(record->type, TRACE_EVENT);
		assert_int_equal(event->invocation, i);
		assert_int_equal(event->row_count, 2);
		assert_int_equal(event->rows[0].bytes, 100);
		assert_int_equal(event->rows[1].writer, TRACE_WRITER_UNKNOWN);
		assert_true(event->rows[1].bytes == UINT64_C(0x500000000));
	}
	assert_int_equal(trace_next(reader, &record, &error), 1);
	assert_int_equal(record->type, TRACE_END);
	assert_int_equal(trace_next(reader, &record, &error), 0);
	assert_int_equal(trace_reader_offset(reader), size);
	trace_reader_close(reader);
}

/* Cut at every byte: whole records before the cut are read; a cut inside one says truncated. */
static void test_truncated(void **state)
{
	static const size_t ends[] = {
		40, 112, 160, 160 + EVENT_BYTES, 160 + 2 * EVENT_BYTES, 184 + 2 * EVENT_BYTES};
	size_t size = make_trace();
	unsigned char *bytes = load(size);

	(void)state;
	assert_int_equal(size, 184 + 2 * EVENT_BYTES);
	for (size_t cut = 0; cut < size; cut++) {
		struct error error = {"none"};
		unsigned whole = 0, records;
		bool boundary = false, ended;
		int result;

		for (unsigned i = 0; i < 6; i++) {
			whole = cut >= ends[i] ? i : whole;
			boundary |= cut == ends[i];
		}
		save(bytes, cut);
		result = read_all(&records, &ended, &error);
		assert_int_equal(records, whole);
		assert_int_equal(result, boundary ? 0 : -1);
		assert_false(ended);
		if (!boundary) {
			char offset[32];

			snprintf(offset, sizeof(offset), "offset %zu:", cut);
			assert_non_null(strstr(error.text, "truncated"));
			assert_non_null(strstr(error.text, offset));
		}
	}
	free(bytes);
}

static void test_bit_flips(void **state)
{
	size_t size = make_trace();
	unsigned char *bytes = load(size);

	(void)state;
	for (size_t bit = 0; bit < size * 8; bit++) {
		struct error error = {""};
		unsigned records;
		bool ended;

		if (bit / 8 >= 36 && bit / 8 < 40)
			continue; /* the header's unused word */
		bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
		save(bytes, size);
		bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
		assert_int_equal(read_all(&records, &ended, &error), -1);
		assert_non_null(strstr(error.text, bit / 8 >= 8 && bit / 8 < 24 ? "" : "offset"));
		assert_true(records < 5);
	}
	free(bytes);
}

static void rewrite_header(unsigned char *bytes, uint32_t version, uint64_t features)
{
	struct trace_header header;

	memcpy(&header, bytes, sizeof(header));
	header.version = version;
	header.features = features;
	header.check = trace_check_header(&header);
	memcpy(bytes, &header, sizeof(header));
}

static void test_newer(void **state)
{
	size_t size = make_trace();
	unsigned char *bytes = load(size);
	struct error error;

	(void)state;
	rewrite_header(bytes, TRACE_VERSION + 1, 0);
	save(bytes, size);
	assert_null(trace_open(path, &error));
	assert_non_null(strstr(error.text, "made by a newer vflow"));
	rewrite_header(bytes, TRACE_VERSION, UINT64_C(1) << 63);
	save(bytes, size);
	assert_null(trace_open(path, &error));
	assert_non_null(strstr(error.text, "made by a newer vflow"));
	rewrite_header(bytes, TRACE_VERSION, 0);
	save(bytes, size);
	free(bytes);
	unlink(path);
	assert_null(trace_open(path, &error));
	assert_non_null(strstr(error.text, "No such file"));
	assert_null(trace_open(folder, &error));
	assert_non_null(strstr(error.text, "not a regular file"));
}

/* Records whose check sum is right and whose fields are wrong. */
static void refuses(struct trace_record *record, size_t size, const char *message)
{
	struct error error = {""};
	struct trace_writer *writer = trace_create(path, 1, &error);
	unsigned records;
	bool ended;

	assert_non_null(writer);
	append_process(writer);
	assert_int_equal(trace_append(writer, record, size), 0);
	append_end(writer);
	trace_close(writer);
	assert_int_equal(read_all(&records, &ended, &error), -1);
	assert_int_equal(records, 1);
	assert_non_null(strstr(error.text, "offset 112"));
	assert_non_null(strstr(error.text, message));
	unlink(path);
}

static void test_hostile_fields(void **state)
{
	static const uint32_t bad_sizes[] = {1, 8, 16, 23, 25, 28, 36, UINT32_MAX};
	static _Alignas(8) char large[sizeof(struct trace_fact) + GPU_RECORD_MAX + 8];
	union {
		struct trace_event event;
		struct trace_module module;
		struct trace_coverage coverage;
		struct trace_fact fact;
		char bytes[256];
	} u;

	(void)state;
	memset(&u, 0, sizeof(u));
	u.event.record.type = TRACE_EVENT;
	u.event.row_count = 0x8000001; /* times 32 is 32 in 32 bits */
	refuses(&u.event.record, sizeof(u.event) + sizeof(struct trace_row), "rows");

	refuses(&u.event.record, 24, "expected 64 or more");

	u.event.row_count = 1;
	for (size_t i = 0; i < sizeof(bad_sizes) / sizeof(*bad_sizes); i++) {
		u.event.row_size = bad_sizes[i];
		refuses(&u.event.record, sizeof(u), "expected a multiple of 8 from 24");
	}
	u.event.row_size = 0xfffffff8; /* packed, and more words than there are bits */
	refuses(&u.event.record, sizeof(u), "expected a multiple of 8 from 24");
	u.event.row_size = 0x7ffffff8; /* times 1 is more than the record, whatever is added */
	refuses(&u.event.record, sizeof(u), "event with 1 rows: expected 0 or fewer");
	u.event.row_size = TRACE_ROWS_PACKED | 40;
	u.event.row_count = 13; /* 13 * 16 + 64 = 272 */
	refuses(&u.event.record, sizeof(u), "event with 13 packed rows that 192 bytes do not hold");
	u.event.row_size = 40;
	u.event.row_count = 5; /* 4 * 40 + 64 = 224 */
	refuses(&u.event.record, sizeof(u), "event with 5 rows: expected 4 or fewer");

	memset(&u, 0, sizeof(u));
	u.fact.record.type = TRACE_FACT;
	refuses(&u.fact.record, 24, "expected 32 or more");
	u.fact.size = 9;
	refuses(&u.fact.record, sizeof(u.fact) + 8, "payload of 9 bytes: expected 8 or fewer");
	u.fact.size = UINT32_MAX;
	refuses(&u.fact.record, sizeof(u.fact) + 8, "payload of 4294967295 bytes");
	u.fact.size = GPU_RECORD_MAX + 1; /* it is all there */
	memcpy(large, &u.fact, sizeof(u.fact));
	refuses((struct trace_record *)(void *)large, sizeof(large),
		"payload of 1048577 bytes: expected 1048576 or fewer");

	memset(&u, 'x', sizeof(u));
	u.coverage.record = (struct trace_record){.type = TRACE_COVERAGE};
	refuses(&u.coverage.record, 64, "2 strings");
	u.coverage.text[3] = 0; /* one string, not two */
	refuses(&u.coverage.record, 64, "2 strings");

	memset(&u, 0, sizeof(u));
	u.module.record.type = TRACE_MODULE;
	u.module.build_id_size = TRACE_BUILD_ID_MAX + 1;
	refuses(&u.module.record, 80, "build id");
}

/* Rows of any size are read as far as they are known, and say how far that is. */
static void test_row_sizes(void **state)
{
	static const uint64_t metrics[TRACE_METRICS + 2] = {3, 1000, 1001};

	(void)state;
	for (uint32_t count = 0; count <= TRACE_METRICS + 2; count++) {
		uint32_t size = TRACE_ROW_LEAST + 8 * count;
		struct error error;
		struct trace_writer *writer = trace_create(path, 1, &error);
		struct trace_reader *reader;
		const struct trace_record *record;
		struct trace_row row;
		size_t at = 0;
		union {
			struct trace_event event;
			char bytes[1024];
		} u = {.event = {.record = {.type = TRACE_EVENT},
				 .row_count = 2,
				 .row_size = size == TRACE_ROW_USUAL ? 0 : size}};

		for (uint32_t i = 0; i < 2; i++) {
			const struct trace_row given = {
				.object = i, .access = TRACE_WRITE, .bytes = 50 + i};
			char *at = u.bytes + sizeof(u.event) + (size_t)i * size;

			memcpy(at, &given, TRACE_ROW_LEAST);
			memcpy(at + TRACE_ROW_LEAST, metrics, (size_t)count * 8);
		}
		append_process(writer);
		assert_int_equal(
			trace_append(writer, &u.event.record, sizeof(u.event) + 2 * (size_t)size),
			0);
		append_end(writer);
		trace_close(writer);
		reader = trace_open(path, &error);
		assert_int_equal(trace_next(reader, &record, &error), 1);
		assert_int_equal(trace_next(reader, &record, &error), 1);
		for (uint32_t i = 0; i < 2; i++) {
			uint32_t there = count < TRACE_METRICS ? count : TRACE_METRICS;

			memset(&row, 'x', sizeof(row));
			assert_int_equal(trace_row((const void *)record, &at, &row),
					 (1u << there) - 1);
			assert_int_equal(row.object, i);
			assert_int_equal(row.access, TRACE_WRITE);
			assert_int_equal(row.bytes, 50 + i);
			assert_int_equal(row.redundant_bytes, count ? 3 : 0);
		}
		trace_reader_close(reader);
		unlink(path);
	}
}

/* Packed rows come out as they went in, take 16 bytes and 8 for what is not 0, and end in order. */
static void test_packed_rows(void **state)
{
	static const struct trace_row given[] = {
		{.object = 1, .writer = 7, .access = TRACE_READ, .bytes = 9, .last_block = 3},
		{.object = 2, .access = TRACE_WRITE},
		{.object = 3,
		 .access = TRACE_WRITE,
		 .bytes = 1,
		 .redundant_bytes = 2,
		 .taken_bytes = 5},
	};
	static const size_t sizes[] = {32, 16, 40};
	union {
		struct trace_event event;
		char bytes[1024];
	} u = {.event = {.record = {.type = TRACE_EVENT},
			 .row_count = 3,
			 .row_size = TRACE_ROWS_PACKED | sizeof(struct trace_row)}};
	size_t used = sizeof(u.event), at = 0;
	struct error error;
	struct trace_row row;

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(trace_pack_row(u.bytes + used, &given[i], TRACE_METRICS),
				 sizes[i]);
		used += sizes[i];
	}
	u.event.record.size = (uint32_t)used;
	assert_int_equal(trace_rows_check(&u.event, &error), 0);
	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(trace_row(&u.event, &at, &row), (1u << TRACE_METRICS) - 1);
		assert_memory_equal(&row, &given[i], sizeof(row));
	}
	u.event.record.size -= 8;
	assert_int_equal(trace_rows_check(&u.event, &error), -1);
	u.event.record.size += 8;
	/* metrics that this vflow does not know are passed over */
	memset(u.bytes + sizeof(u.event) + 16, 0, used - sizeof(u.event) - 16);
	u.event.row_count = 1;
	u.event.row_size = TRACE_ROWS_PACKED | (sizeof(struct trace_row) + 16);
	u.event.rows[0].present = 1 | 3u << (TRACE_METRICS + 1);
	u.event.rows[0].bytes = 6;
	at = 0;
	assert_int_equal(trace_rows_check(&u.event, &error), 0);
	assert_int_equal(trace_row(&u.event, &at, &row), (1u << TRACE_METRICS) - 1);
	assert_int_equal(row.bytes, 6);
	assert_int_equal(at, 16 + 3 * 8);
	u.event.row_size = TRACE_ROWS_PACKED | sizeof(struct trace_row);
	assert_int_equal(trace_rows_check(&u.event, &error), -1);
}

static void test_facts(void **state)
{
	struct error error;
	struct trace_writer *writer = trace_create(path, 1, &error);
	struct trace_reader *reader;
	const struct trace_record *record;
	const struct trace_fact *fact;
	size_t largest = sizeof(struct trace_fact) + GPU_RECORD_MAX;
	struct trace_fact *made = calloc(1, largest);

	(void)state;
	assert_non_null(made);
	append_process(writer);
	*made = (struct trace_fact){
		.record = {.type = TRACE_FACT}, .kind = 77, .object = 5, .context = 6, .size = 3};
	memcpy(made->payload, "abc", 3);
	assert_int_equal(trace_append(writer, &made->record, sizeof(*made) + 3), 0);
	made->size = GPU_RECORD_MAX;
	made->payload[GPU_RECORD_MAX - 1] = 'z';
	assert_int_equal(trace_append(writer, &made->record, largest), 0);
	append_end(writer);
	trace_close(writer);
	free(made);

	reader = trace_open(path, &error);
	assert_int_equal(trace_next(reader, &record, &error), 1);
	assert_int_equal(trace_next(reader, &record, &error), 1);
	assert_int_equal(record->type, TRACE_FACT);
	fact = (const void *)record;
	assert_int_equal(record->size, sizeof(*fact) + 8);
	assert_int_equal(fact->kind, 77);
	assert_int_equal(fact->object, 5);
	assert_int_equal(fact->context, 6);
	assert_int_equal(fact->size, 3);
	assert_memory_equal(fact->payload, "abc", 3);
	assert_int_equal(trace_next(reader, &record, &error), 1);
	fact = (const void *)record;
	assert_int_equal(fact->size, GPU_RECORD_MAX);
	assert_int_equal(fact->payload[GPU_RECORD_MAX - 1], 'z');
	assert_int_equal(trace_next(reader, &record, &error), 1);
	assert_int_equal(record->type, TRACE_END);
	trace_reader_close(reader);
}

static void test_unknown_type(void **state)
{
	struct error error;
	struct trace_writer *writer = trace_create(path, 1, &error);
	struct trace_reader *reader;
	const struct trace_record *record;
	struct {
		struct trace_record record;
		uint64_t what;
	} newer = {.record = {.type = 999}, .what = 1};

	(void)state;
	append_process(writer);
	assert_int_equal(trace_append(writer, &newer.record, sizeof(newer)), 0);
	assert_int_equal(trace_append(writer, &newer.record, sizeof(newer)), 0);
	append_end(writer);
	assert_null(trace_create(path, 1, &error)); /* one process, one file */
	assert_int_equal(errno, EEXIST);
	trace_close(writer);

	reader = trace_open(path, &error);
	assert_int_equal(trace_next(reader, &record, &error), 1);
	assert_int_equal(record->type, TRACE_PROCESS);
	assert_int_equal(trace_next(reader, &record, &error), 1);
	assert_int_equal(record->type, TRACE_END);
	assert_int_equal(trace_next(reader, &record, &error), 0);
	trace_reader_close(reader);
}

/* A process that dies without a word loses nothing; the file then has zeros after the end. */
static void test_killed(void **state)
{
	struct error error;
	struct stat status;
	unsigned records;
	bool ended;
	pid_t child = fork();

	(void)state;
	if (!child) {
		struct trace_writer *writer = trace_create(path, 1, &error);

		append_process(writer);
		for (unsigned i = 0; i < 10000; i++) /* 1.28 MB or more: several windows */
			append_event(writer, i);
		kill(getpid(), SIGKILL);
	}
	waitpid(child, NULL, 0);
	assert_int_equal(read_all(&records, &ended, &error), 0);
	assert_int_equal(records, 10001);
	assert_false(ended);
	assert_int_equal(stat(path, &status), 0);
	assert_true((size_t)status.st_size > 40 + 72 + 10000 * EVENT_BYTES);
}

/* With a limit on file sizes the process lives (no SIGXFSZ), the trace is cut and says so. */
static void test_size_limit(void **state)
{
	struct error error;
	struct trace_reader *reader;
	const struct trace_record *record;
	const struct trace_coverage *last = NULL;
	unsigned events = 0;
	int status, result;
	pid_t child = fork();

	(void)state;
	if (!child) {
		const struct rlimit limit = {200 << 10, 200 << 10};
		struct trace_writer *writer;
		int good = 0;

		setrlimit(RLIMIT_FSIZE, &limit);
		writer = trace_create(path, 1, &error);
		append_process(writer);
		while (good < 10000 && append_event(writer, 0) == 0)
			good++;
		/* every later call does nothing, even a smaller record */
		if (append_event(writer, 0) == 0 ||
		    !strstr(trace_writer_failure(writer), "File too large"))
			_exit(1);
		trace_close(writer);
		/* 200 KiB less the header, the process and at most a page and the last words */
		_exit(good > (int)((200 * 1024 - 4096 - 512 - 112) / EVENT_BYTES) - 1 &&
				      good <= (int)(200 * 1024 / EVENT_BYTES)
			      ? 0
			      : 2);
	}
	waitpid(child, &status, 0);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
	reader = trace_open(path, &error);
	while ((result = trace_next(reader, &record, &error)) == 1) {
		events += record->type == TRACE_EVENT;
		last = record->type == TRACE_COVERAGE ? (const void *)record : NULL;
		if (last) {
			assert_string_equal(trace_text(record, last->text, 0), "TRACE_CUT");
			assert_non_null(
				strstr(trace_text(record, last->text, 1), ": File too large"));
		}
	}
	assert_int_equal(result, 0);
	assert_non_null(last);
	assert_true(events > 750);
	trace_reader_close(reader);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(test_round_trip, remove_trace),
		cmocka_unit_test_teardown(test_truncated, remove_trace),
		cmocka_unit_test_teardown(test_bit_flips, remove_trace),
		cmocka_unit_test_teardown(test_newer, remove_trace),
		cmocka_unit_test_teardown(test_hostile_fields, remove_trace),
		cmocka_unit_test_teardown(test_row_sizes, remove_trace),
		cmocka_unit_test(test_packed_rows),
		cmocka_unit_test_teardown(test_facts, remove_trace),
		cmocka_unit_test_teardown(test_unknown_type, remove_trace),
		cmocka_unit_test_teardown(test_killed, remove_trace),
		cmocka_unit_test_teardown(test_size_limit, remove_trace),
	};

	return cmocka_run_group_tests_name("collect_trace", tests, make_folder, remove_folder);
}
