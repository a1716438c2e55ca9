/*
 * Speed and memory of build_profile() on synthetic traces of 100 thousand and 1 million events:
 * 1000 objects, 220 contexts, two to four rows an event, a changed digest every fourth.  Then of
 * build_runs(), where the same trace is joined to that graph.  Each build runs in a child of its
 * own, whose peak memory is reported.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "collect/trace.h"
#include "graph/build/build.h"
#include "graph/profile/profile.h"

#define OBJECTS 1000u
#define SITES 20u
#define CONTEXTS 200u /* beside the sites */

static struct trace_writer *writer;
static char folder[] = "/tmp/vflow-bench-XXXXXX";
static char path[64];

static void fail(const char *what)
{
	fprintf(stderr, "builder: %s\n", what);
	exit(1);
}

static uint32_t below(uint32_t limit)
{
	static uint64_t seed = 1;

	seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(seed >> 33) % limit;
}

static void append(enum trace_type type, struct trace_record *record, size_t size)
{
	record->type = (uint16_t)type;
	if (trace_append(writer, record, size))
		fail(trace_writer_failure(writer));
}

static void append_text(enum trace_type type, const void *record, size_t size, const char *text,
			size_t text_size)
{
	union {
		struct trace_record record;
		char bytes[512];
	} whole = {.bytes = {0}};

	memcpy(whole.bytes, record, size);
	memcpy(whole.bytes + size, text, text_size);
	append(type, &whole.record, size + text_size);
}

static void write_preamble(void)
{
	static const char process[] = "emulated\0Emulated device\0/tmp/app\0app\0";
	struct trace_process first = {.process = 1};
	struct trace_module module = {.id = 1};
	char name[32];

	append_text(TRACE_PROCESS, &first, sizeof(first), process, sizeof(process));
	append_text(TRACE_MODULE, &module, sizeof(module), "/tmp/app", sizeof("/tmp/app"));
	for (uint32_t id = 1; id <= SITES + CONTEXTS; id++) {
		struct trace_frame frame = {.id = id,
					    .parent = id / 4,
					    .module = 1,
					    .kind = TRACE_FRAME_NATIVE,
					    .offset = 16 * id};
		struct trace_context context = {.id = id,
						.frame = id,
						.kind = id <= SITES ? TRACE_ALLOC
							: id % 3    ? TRACE_KERNEL
								    : TRACE_COPY};

		append(TRACE_FRAME, &frame.record, sizeof(frame));
		snprintf(name, sizeof(name), "_Z6kerneli%u", id);
		append_text(TRACE_CONTEXT, &context, sizeof(context), name, strlen(name) + 1);
	}
}

static void write_event(uint32_t context, uint64_t *invocations, uint64_t start,
			const struct trace_row *rows, uint32_t count)
{
	union {
		struct trace_event event;
		char bytes[sizeof(struct trace_event) + 4 * sizeof(struct trace_row)];
	} whole = {.event = {.context = context,
			     .invocation = invocations[context]++,
			     .start_ns = start,
			     .end_ns = start + 500,
			     .row_count = count,
			     .row_size = TRACE_ROW_SIZE(TRACE_METRICS)}};

	memcpy(whole.bytes + sizeof(whole.event), rows, count * sizeof(*rows));
	append(TRACE_EVENT, &whole.event.record, sizeof(whole.event) + count * sizeof(*rows));
}

static void write_content(uint32_t context, uint32_t object, uint32_t value)
{
	union {
		struct trace_fact fact;
		char bytes[sizeof(struct trace_fact) + sizeof(struct gpu_content)];
	} whole = {.fact = {.kind = GPU_RECORD_CONTENT,
			    .object = object,
			    .context = context,
			    .size = sizeof(struct gpu_content)}};

	memcpy(whole.fact.payload, &value, sizeof(value));
	append(TRACE_FACT, &whole.fact.record, sizeof(whole));
}

static void write_trace(uint32_t events)
{
	uint64_t invocations[SITES + CONTEXTS + 1] = {0}, at = 0;
	static uint32_t last[OBJECTS + 1];
	struct error error;

	writer = trace_create(path, 1, &error);
	if (!writer)
		fail(error.text);
	write_preamble();
	for (uint32_t id = 1; id <= OBJECTS; id++) {
		struct trace_object object = {.id = id,
					      .context = 1 + id % SITES,
					      .address = (uint64_t)id << 20,
					      .size = 4096 * (1 + id % 9),
					      .memory = TRACE_MEMORY_DEVICE};

		append_text(TRACE_OBJECT, &object, sizeof(object), "", 1);
		last[id] = object.context;
		write_event(object.context, invocations, at += 1000, NULL, 0);
	}
	for (uint32_t i = 0; i < events; i++) {
		uint32_t context = SITES + 1 + below(CONTEXTS), count = 2 + below(3);
		struct trace_row rows[4];

		for (uint32_t k = 0; k < count; k++) {
			/* a context works on a few objects, as kernels in a loop do */
			uint32_t object = 1 + (context * 5 + k) % OBJECTS;

			rows[k] = (struct trace_row){.object = object,
						     .writer = last[object],
						     .access = k ? TRACE_READ : TRACE_WRITE,
						     .bytes = 4096,
						     .redundant_bytes = k ? 0 : below(4096)};
		}
		write_event(context, invocations, at += 1000, rows, count);
		last[rows[0].object] = context;
		if (i % 4 == 0) {
			write_content(context, rows[0].object, below(2000));
		}
	}
	append(TRACE_END, &(struct trace_end){.end_ns = at}.record, sizeof(struct trace_end));
	trace_close(writer);
}

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void build_and_write(uint32_t events)
{
	static char db[] = "/tmp/vflow-bench-XXXXXX/bench.db";
	double start = now(), built, written, read;
	struct error error;
	struct profile *profile = build_profile(folder, &error);
	struct stat trace, file;

	built = now();
	memcpy(db, folder, strlen(folder));
	if (!profile || profile->event_count < events || stat(path, &trace) != 0)
		fail("the build failed");
	if (profile_write(profile, db, &error) != 0 || stat(db, &file) != 0)
		fail(error.text);
	written = now();
	profile_free(profile);
	profile = profile_read(db, &error);
	if (!profile || profile_read_events(profile, db, &error) != 0)
		fail(error.text);
	read = now();
	unlink(db);
	printf("  %8u events, %4ld MB of trace: %6.2f s, %8.0f events/s; written in %.2f s, "
	       "read in %.2f s, %ld MB with %u events",
	       events, (long)(trace.st_size >> 20), built - start, events / (built - start),
	       written - built, read - written, (long)(file.st_size >> 20), profile->event_rows);
}

static void build_joined(uint32_t events)
{
	const struct build_run runs[] = {{.folder = folder, .passes = "flow"},
					 {.folder = folder, .passes = "time"}};
	double start = now(), seconds;
	struct error error;
	struct profile *profile = build_runs(runs, 2, build_analyses, &error);

	seconds = now() - start;
	if (!profile || profile->pass_count != 2)
		fail("the build failed");
	printf("  %8u events, joined to as many:  %6.2f s, %8.0f events/s", events, seconds,
	       2 * events / seconds);
}

/* Returns the peak memory of the build in KiB. */
static long run(void (*build)(uint32_t), uint32_t events)
{
	struct rusage usage;
	int status;
	pid_t child;

	fflush(stdout);
	child = fork();
	if (!child) {
		build(events);
		fflush(stdout);
		_exit(0);
	}
	if (child < 0 || wait4(child, &status, 0, &usage) != child || status)
		fail("the build failed");
	printf(", peak %ld MB\n", usage.ru_maxrss >> 10);
	return usage.ru_maxrss;
}

int main(void)
{
	static const uint32_t sizes[] = {100000, 1000000};
	long peak[2], joined[2];

	if (!mkdtemp(folder))
		fail("no folder");
	snprintf(path, sizeof(path), "%s/bench%s", folder, TRACE_SUFFIX);
	puts("build_profile (goal: 500000 events/s, memory that does not grow with events):");
	for (unsigned i = 0; i < 2; i++) {
		write_trace(sizes[i]);
		peak[i] = run(build_and_write, sizes[i]);
		joined[i] = run(build_joined, sizes[i]);
		unlink(path);
	}
	rmdir(folder);
	printf("  ten times the events: %.2f times the memory, joined %.2f\n",
	       (double)peak[1] / (double)peak[0], (double)joined[1] / (double)joined[0]);
	return 0;
}
