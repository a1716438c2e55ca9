/*
 * Writes the seeds of the fuzzers that are not text: seeds FOLDER makes a small trace with every
 * type of record, the profile built from it and its graph as DOT; then traces that end with a
 * hostile record each.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collect/trace.h"
#include "graph/build/build.h"
#include "graph/dot.h"
#include "graph/profile/profile.h"

static struct trace_writer *writer;

static void fail(const char *what)
{
	fprintf(stderr, "seeds: %s\n", what);
	exit(1);
}

/* Appends a record of `size` bytes with `text` (of `text_size` bytes) after it. */
static void append(enum trace_type type, const void *record, size_t size, const char *text,
		   size_t text_size)
{
	union {
		struct trace_record record;
		char bytes[1024];
	} whole = {.bytes = {0}};

	memcpy(whole.bytes, record, size);
	if (text_size)
		memcpy(whole.bytes + size, text, text_size);
	whole.record.type = (uint16_t)type;
	if (trace_append(writer, &whole.record, size + text_size))
		fail("cannot append to the trace");
}

#define RECORD(type, name, text, ...)                                                              \
	append(type, &(struct name){__VA_ARGS__}, sizeof(struct name), text, sizeof(text))

static void event(uint32_t context, uint64_t invocation, uint64_t start,
		  const struct trace_row *rows, uint32_t count)
{
	struct trace_event record = {.context = context,
				     .invocation = invocation,
				     .start_ns = start,
				     .end_ns = start + 900,
				     .row_count = count,
				     .row_size = TRACE_ROW_SIZE(TRACE_METRICS)};

	append(TRACE_EVENT, &record, sizeof(record), (const char *)rows, count * sizeof(*rows));
}

static void fact(uint32_t kind, uint32_t object, uint32_t context, const void *payload,
		 uint32_t size)
{
	struct trace_fact record = {
		.kind = kind, .object = object, .context = context, .size = size};

	append(TRACE_FACT, &record, sizeof(record), payload, size);
}

/* What the pass `time` tells of the call that has just ended. */
static void time_facts(uint32_t context)
{
	const struct gpu_time time = {.after_ns = 100, .time_ns = 2000};
	const struct gpu_wait wait = {.after_ns = 100, .wait_ns = 800, .scope = GPU_WAIT_DEFAULT};
	const struct gpu_order order = {.recorded_ns = 500, .stream = 2};
	const struct gpu_stream stream = {.nonblocking = 1};

	fact(GPU_RECORD_STREAM, 0, context, &stream, sizeof(stream));
	fact(GPU_RECORD_ORDER, 0, context, &order, sizeof(order));
	fact(GPU_RECORD_TIME, 0, context, &time, sizeof(time));
	fact(GPU_RECORD_WAIT, 0, context, &wait, sizeof(wait));
}

static void time_fact(uint64_t after_ns, uint64_t time_ns)
{
	const struct gpu_time time = {after_ns, time_ns};

	fact(GPU_RECORD_TIME, 0, 1, &time, sizeof(time));
}

static const struct gpu_left_bytes left = {.first_read_bytes = 3, .dead_bytes = 8, .writer = 3};
static const struct gpu_content zeros = {.zero = 1, .digest = {1, 2, 3}};

static void create(const char *path)
{
	struct error error;

	unlink(path);
	writer = trace_create(path, 1, &error);
	if (!writer)
		fail(error.text);
}

static void write_trace(const char *path)
{
	create(path);
	RECORD(TRACE_PROCESS, trace_process, "emulated\0Emulated device\0/tmp/app\0app\0-x\0",
	       .process = 100, .parent = 99, .start_realtime_ns = UINT64_C(1700000000000000000));
	RECORD(TRACE_MODULE, trace_module, "/tmp/nothing/app", .id = 1, .build_id_size = 4,
	       .build_id = {0xde, 0xad, 0xbe, 0xef});
	RECORD(TRACE_MODULE, trace_module, "/bin/true", .id = 2);
	RECORD(TRACE_FRAME, trace_frame, "", .id = 1, .module = 1, .kind = TRACE_FRAME_NATIVE,
	       .offset = 0x1234);
	RECORD(TRACE_FRAME, trace_frame, "", .id = 2, .parent = 1, .module = 2,
	       .kind = TRACE_FRAME_NATIVE, .offset = 0x2000);
	RECORD(TRACE_FRAME, trace_frame, "", .id = 3, .parent = 1, .kind = TRACE_FRAME_REPLAY);
	RECORD(TRACE_FRAME, trace_frame, "", .id = 4, .parent = 3, .module = 2,
	       .kind = TRACE_FRAME_NATIVE, .offset = 0x20);
	RECORD(TRACE_PYTHON, trace_python, "/tmp/a\x1b\xff.py\0Model.step\0", .id = 1, .line = 12);
	RECORD(TRACE_FRAME, trace_frame, "", .id = 5, .parent = 2, .kind = TRACE_FRAME_PYTHON,
	       .offset = 1);
	RECORD(TRACE_RANGE, trace_range, "train", .id = 1);
	RECORD(TRACE_RANGE, trace_range, "lib:st\xffp\x1b", .id = 2, .parent = 1);
	RECORD(TRACE_THREAD_RANGE, trace_thread_range, "", .thread = 0, .range = 2);
	RECORD(TRACE_CONTEXT, trace_context, "cudaMalloc", .id = 1, .frame = 5,
	       .kind = TRACE_ALLOC);
	RECORD(TRACE_CONTEXT, trace_context, "cudaMalloc", .id = 2, .frame = 2,
	       .kind = TRACE_ALLOC);
	RECORD(TRACE_CONTEXT, trace_context, "cudaMemcpy", .id = 3, .frame = 2, .kind = TRACE_COPY);
	RECORD(TRACE_CONTEXT, trace_context, "cudaMemset", .id = 4, .frame = 4, .kind = TRACE_SET,
	       .ordinal = 2);
	RECORD(TRACE_CONTEXT, trace_context, "_Z4zeroPfi\x1b\"<", .id = 5, .frame = 1,
	       .kind = TRACE_KERNEL);
	RECORD(TRACE_CONTEXT, trace_context, "cudaDeviceSynchronize", .id = 6, .kind = TRACE_SYNC);
	RECORD(TRACE_CONTEXT, trace_context, "cudaFree", .id = 7, .frame = 1,
	       .kind = TRACE_RELEASE);

	RECORD(TRACE_OBJECT, trace_object, "", .id = 1, .context = 1, .address = 0x10000,
	       .size = 4096, .memory = TRACE_MEMORY_DEVICE);
	event(1, 0, 1000, NULL, 0);
	RECORD(TRACE_OBJECT, trace_object, "table", .id = 2, .context = 2, .address = 0x20000,
	       .size = 4096, .memory = TRACE_MEMORY_GLOBAL);
	event(2, 0, 2000, NULL, 0);
	event(3, 0, 3000,
	      (const struct trace_row[]){
		      {.object = 1, .writer = 1, .access = TRACE_WRITE, .bytes = 4096},
		      {.object = 1, .access = TRACE_FROM_HOST, .bytes = 4096}},
	      2);
	RECORD(TRACE_CONTENT, trace_content, "", .object = 1, .zero = 1, .digest = {1, 2, 3});
	event(4, 0, 4000,
	      (const struct trace_row[]){
		      {.object = 2, .writer = 2, .access = TRACE_WRITE, .bytes = 4096}},
	      1);
	fact(GPU_RECORD_CONTENT, 2, 4, &zeros, sizeof(zeros));
	fact(GPU_RECORD_TRIAL, 0, 4, "unknown", 7);
	time_facts(4);
	for (unsigned i = 0; i < 3; i++)
		event(5, i, 5000 + 1000 * i,
		      (const struct trace_row[]){
			      {.object = 1, .writer = i ? 5 : 3, .access = TRACE_READ, .bytes = 64},
			      {.object = 1,
			       .writer = i ? 5 : 3,
			       .access = TRACE_WRITE,
			       .bytes = 4096,
			       .redundant_bytes = 4096},
			      {.object = 2,
			       .writer = TRACE_WRITER_UNKNOWN,
			       .access = TRACE_READ,
			       .bytes = 16}},
		      3);
	fact(GPU_RECORD_LEFT_BYTES, 1, 5, &left, sizeof(left));
	time_facts(5);
	event(6, 0, 8500, NULL, 0);
	event(3, 1, 9000,
	      (const struct trace_row[]){
		      {.object = 1, .writer = 5, .access = TRACE_READ, .bytes = 4096},
		      {.object = 1, .access = TRACE_TO_HOST, .bytes = 4096}},
	      2);
	event(7, 0, 10000, NULL, 0);
	RECORD(TRACE_FREE, trace_free, "", .object = 1, .context = 7);
	fact(GPU_RECORD_CONTENT, 1, 7, &zeros, sizeof(zeros));
	fact(GPU_RECORD_POOL, 0, 0, &(struct gpu_pool){1, "pool"}, sizeof(struct gpu_pool));
	fact(GPU_RECORD_POOL_BLOCK, 0, 0,
	     &(struct gpu_pool_block){.address = 4096, .bytes = 64, .pool = 1, .frame = 2},
	     sizeof(struct gpu_pool_block));
	fact(GPU_RECORD_POOL_NAME, 0, 0, &(struct gpu_pool_name){4096, 1, 0, "block"},
	     sizeof(struct gpu_pool_name));
	fact(GPU_RECORD_CODE, 0, 0,
	     &(struct gpu_code){.bytes = 4096,
				.code_bytes = 512,
				.kernel_bytes = 256,
				.code = 1,
				.kernels = 1,
				.frame = 2},
	     sizeof(struct gpu_code));
	fact(GPU_RECORD_CODE_KERNEL, 0, 0,
	     &(struct gpu_code_kernel){.bytes = 256, .code = 1, .launched = 1, .name = "zero"},
	     sizeof(struct gpu_code_kernel));
	fact(GPU_RECORD_STALL_DEVICE, 0, 0,
	     &(struct gpu_stall_device){.samples = 9, .period = 16, .multiprocessors = 132},
	     sizeof(struct gpu_stall_device));
	fact(GPU_RECORD_STALL_CODE, 0, 0,
	     &(struct gpu_stall_code){.crc = 7, .bytes = 8, .size = 8, .piece = "machine"},
	     sizeof(struct gpu_stall_code));
	fact(GPU_RECORD_STALL_FUNCTION, 0, 0,
	     &(struct gpu_stall_function){.crc = 7, .function = 1, .name = "zero"},
	     sizeof(struct gpu_stall_function));
	fact(GPU_RECORD_STALL_SAMPLES, 0, 0,
	     &(struct gpu_stall_samples){
		     .samples = 9, .latency = 3, .function = 1, .offset = 16, .reason = 3},
	     sizeof(struct gpu_stall_samples));
	fact(GPU_RECORD_STALL_LAUNCHES, 0, 0,
	     &(struct gpu_stall_launches){
		     .launches = 1, .time_ns = 5, .grid = {1, 1, 1}, .name = "zero"},
	     sizeof(struct gpu_stall_launches));
	RECORD(TRACE_FAILED_CALL, trace_failed_call,
	       "cudaMemset\0cudaErrorInvalidValue\0invalid argument\0", .frame = 2, .error = 1,
	       .count = 3);
	RECORD(TRACE_COVERAGE_TEXTS, trace_coverage, "texture reads\0make no edges\0", .count = 3,
	       .bytes = 12);
	RECORD(TRACE_COVERAGE, trace_coverage, "UNKNOWN_MEMORY\0_Z4zeroPfi\0", .count = 3,
	       .bytes = 12);
	RECORD(TRACE_END, trace_end, "", .end_ns = 11000);
	trace_close(writer);
}

static void write_wide_rows(uint32_t row_size)
{
	const struct trace_event event = {.context = 1, .row_count = 1, .row_size = row_size};
	const struct trace_row row = {.object = 1,
				      .writer = 1,
				      .access = TRACE_WRITE,
				      .bytes = 64,
				      .redundant_bytes = 64};
	const uint64_t newer[2] = {64, UINT64_MAX};
	_Alignas(8) unsigned char wide[sizeof(event) + sizeof(row) + sizeof(newer)];

	memcpy(wide, &event, sizeof(event));
	memcpy(wide + sizeof(event), &row, sizeof(row));
	memcpy(wide + sizeof(event) + sizeof(row), newer, sizeof(newer));
	append(TRACE_EVENT, wide, sizeof(wide), NULL, 0);
}

/* Objects 1, which lives, and 2, which the last event but one has freed; then one more record. */
static void write_hostile(const char *path, unsigned which)
{
	create(path);
	RECORD(TRACE_PROCESS, trace_process, "emulated\0\0\0\0", .process = 100);
	RECORD(TRACE_CONTEXT, trace_context, "cudaMalloc", .id = 1, .kind = TRACE_ALLOC);
	RECORD(TRACE_CONTEXT, trace_context, "cudaFree", .id = 2, .kind = TRACE_RELEASE);
	for (uint32_t id = 1; id <= 2; id++)
		RECORD(TRACE_OBJECT, trace_object, "", .id = id, .context = 1, .size = 64,
		       .memory = TRACE_MEMORY_DEVICE);
	event(1, 0, 1000, NULL, 0);
	event(2, 0, 2000, NULL, 0);
	RECORD(TRACE_FREE, trace_free, "", .object = 2, .context = 2);
	event(1, 1, 3000, NULL, 0);
	switch (which) {
	case 0: /* no such object */
		fact(GPU_RECORD_CONTENT, 3, 1, &zeros, sizeof(zeros));
		break;
	case 1: /* it does not live any more */
		fact(GPU_RECORD_CONTENT, 2, 1, &zeros, sizeof(zeros));
		break;
	case 2: /* of no object */
		fact(GPU_RECORD_CONTENT, 0, 1, &zeros, sizeof(zeros));
		break;
	case 3: /* of another call */
		fact(GPU_RECORD_CONTENT, 1, 2, &zeros, sizeof(zeros));
		break;
	case 4: /* cut */
		fact(GPU_RECORD_CONTENT, 1, 1, &zeros, 8);
		break;
	case 5: /* larger than the record */
		RECORD(TRACE_FACT, trace_fact, "payload", .kind = GPU_RECORD_CONTENT, .object = 1,
		       .context = 1, .size = UINT32_MAX);
		break;
	case 6: /* of nobody's kind, and wrong in every other way */
		fact(UINT32_MAX, UINT32_MAX, UINT32_MAX, "", 0);
		break;
	case 7:
		write_wide_rows(sizeof(struct trace_row) + 16);
		break;
	case 8:
		write_wide_rows(TRACE_ROW_LEAST);
		break;
	case 9:
		write_wide_rows(UINT32_MAX - 7);
		break;
	case 10: /* an operation that ends after all time */
		time_fact(UINT64_MAX - 3000, 2000);
		time_fact(100, UINT64_MAX);
		break;
	case 11: /* a sum that no number holds */
		for (int i = 0; i < 3; i++)
			time_fact(100, INT64_MAX - 5000);
		break;
	case 12: /* an event before the run */
		fact(GPU_RECORD_ORDER, 0, 1, &(struct gpu_order){.recorded_ns = UINT64_MAX},
		     sizeof(struct gpu_order));
		break;
	case 13: /* a wait that is longer than its call */
		fact(GPU_RECORD_WAIT, 0, 1,
		     &(struct gpu_wait){
			     .after_ns = 1, .wait_ns = UINT64_MAX, .scope = GPU_WAIT_ALL},
		     sizeof(struct gpu_wait));
		break;
	}
	RECORD(TRACE_END, trace_end, "", .end_ns = 4000);
	trace_close(writer);
}

enum { HOSTILE = 14 };

int main(int argc, char **argv)
{
	static const char *const folders[] = {"", "/trace", "/profile", "/dot"};
	char folder[PATH_MAX], path[PATH_MAX + 32];
	/* the same trace as that of the other run, too */
	const struct build_run runs[] = {{.folder = path, .passes = "flow"},
					 {.folder = path, .passes = "time,waits,stalls"}};
	struct profile *profile;
	struct error error;
	FILE *file;

	if (argc != 2)
		fail("usage: seeds FOLDER");
	for (unsigned i = 0; i < sizeof(folders) / sizeof(*folders); i++) {
		snprintf(path, sizeof(path), "%s%s", argv[1], folders[i]);
		mkdir(path, 0777);
	}
	if (!realpath(argv[1], folder))
		fail("no such folder");
	for (unsigned i = 0; i < HOSTILE; i++) {
		snprintf(path, sizeof(path), "%s/trace/hostile-%u.trace", folder, i);
		unlink(path); /* the profile below is the small one's */
	}
	snprintf(path, sizeof(path), "%s/trace/small.trace", folder);
	write_trace(path);

	snprintf(path, sizeof(path), "%s/trace", folder);
	profile = build_runs(runs, 2, build_analyses, &error);
	if (!profile)
		fail(error.text);
	snprintf(path, sizeof(path), "%s/profile/small.db", folder);
	unlink(path);
	if (profile_write(profile, path, &error))
		fail(error.text);
	snprintf(path, sizeof(path), "%s/dot/small.dot", folder);
	file = fopen(path, "w");
	if (!file || dot_write(profile->graph, file, &error) || fclose(file))
		fail("cannot write DOT");
	profile_free(profile);
	for (unsigned i = 0; i < HOSTILE; i++) {
		snprintf(path, sizeof(path), "%s/trace/hostile-%u.trace", folder, i);
		write_hostile(path, i);
	}
	return 0;
}
