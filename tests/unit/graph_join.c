/*
 * Runs of other passes, joined to the graph: which calls, objects and records analyses of such a
 * pass see, and what coverage says where the run was another than the one that makes the graph.
 */
#include "tests/unit/made_traces.h"
#include "tests/unit/written_calls.h"

#include <sys/stat.h>

static const char *const passes[] = {"time", "waits"};

static char *run_folder(const char *names)
{
	return xasprintf("%s/%s", folder, names);
}

static int make_folders(void **state)
{
	int result = make_folder(state);

	clock_ns = UINT64_C(1) << 60; /* after the start of all traces */
	for (unsigned i = 0; i < 2; i++) {
		char *path = run_folder(passes[i]);

		result |= mkdir(path, 0700);
		free(path);
	}
	return result;
}

static int remove_folders(void **state)
{
	for (unsigned i = 0; i < 2; i++) {
		char *path = run_folder(passes[i]);

		for (unsigned n = 0; n <= traces; n++) {
			char *name = xasprintf("%s/%u.trace", path, n);

			unlink(name);
			free(name);
		}
		rmdir(path);
		free(path);
	}
	return remove_folder(state);
}

/* As start(), in the run for `names`; NULL: the one that makes the graph. */
static void start_run(const char *names, uint32_t pid)
{
	static const char texts[] = "clock\0another device\0/bin/app\0./app\0a b\0";
	char *where;

	if (!names) {
		start(pid);
		return;
	}
	where = run_folder(names);
	start_in(where, pid, texts, sizeof(texts));
	free(where);
}

/* The runs in the folder, with the table's analyses. */
static struct profile *build_all(const struct build_analysis *const *table)
{
	struct build_run runs[3] = {{.folder = folder, .passes = "flow"}};
	struct profile *profile;
	struct error error;

	for (unsigned i = 0; i < 2; i++)
		runs[1 + i] =
			(struct build_run){.folder = run_folder(passes[i]), .passes = passes[i]};
	profile = build_runs(runs, 3, table, &error);
	assert_non_null(profile);
	for (unsigned i = 0; i < 2; i++)
		free((char *)runs[1 + i].folder);
	return profile;
}

static const struct build_analysis writes_time = {.pass = "time", WRITES_CALLS};
static const struct build_analysis *const time_only[] = {&writes_time, NULL};

/* The row of coverage has this count and these bytes, and hides nothing. */
static void covers(const struct profile *profile, const char *reason, uint64_t count,
		   uint64_t bytes)
{
	for (uint32_t i = 0; i < profile->coverage_count; i++) {
		const struct profile_coverage *row = &profile->coverage[i];

		if (strcmp(row->what, "passes") != 0 || strcmp(row->reason, reason) != 0)
			continue;
		assert_int_equal(row->count, count);
		assert_int_equal(row->bytes, bytes);
		assert_int_equal(row->hides, COVERAGE_HIDES_NOTHING);
		return;
	}
	for (uint32_t i = 0; i < profile->coverage_count; i++)
		print_message("%s: %s\n", profile->coverage[i].what, profile->coverage[i].reason);
	fail_msg("no coverage: %s", reason);
}

static uint32_t rows_of_passes(const struct profile *profile)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < profile->coverage_count; i++)
		count += !strcmp(profile->coverage[i].what, "passes");
	return count;
}

/* -- the same calls in both runs, with other ids -- */

static void test_joined_calls(void **state)
{
	struct profile *profile;

	(void)state;
	start_run(NULL, 1);
	module(1, "/nowhere/app");
	frame(1, 0, 1, 0x100);
	frame(2, 1, 1, 0x200);
	context(1, TRACE_ALLOC, "cudaMalloc", 1);
	context(2, TRACE_KERNEL, "k", 1);
	context(3, TRACE_KERNEL, "k", 2);
	context(4, TRACE_RELEASE, "cudaFree", 1);
	object(1, 1, 64);
	event(1, 0, NULL); /* v1 */
	EVENT(2, {1, 1, TRACE_WRITE, 64, 0});
	note(NOTE, 0, 2, "of the graph's run");
	event(2, 0, NULL);
	EVENT(3, {1, 2, TRACE_READ, 64, 0});
	event(4, 0, NULL);
	released(1, 4);
	end();

	start_run("time", 2);
	module(1, "/nowhere/lib");
	module(2, "/elsewhere/app"); /* no build ids: known by its last name */
	frame(1, 0, 2, 0x100);
	frame(2, 0, 1, 0x100);
	frame(3, 1, 2, 0x200);
	context(1, TRACE_KERNEL, "k", 3);
	context(2, TRACE_RELEASE, "cudaFree", 1);
	context(3, TRACE_ALLOC, "cudaMalloc", 1);
	context(4, TRACE_KERNEL, "k", 1);
	note(NOTE, 0, 0, "before all");
	object(1, 3, 64);
	event(3, 0, NULL);
	note(NOTE, 1, 3, "made");
	u.event.thread = 3;
	u.event.device = 1;
	u.event.stream = 7;
	EVENT(4, {9, 9, 9, 9, 9}); /* rows are not even looked at */
	note(NOTE, 0, 4, "first");
	event(1, 0, NULL);
	note(NOTE, 0, 1, "deeper");
	u.event.invocation = 1;
	event(4, 0, NULL);
	note(REMARK, 1, 4, "second");
	event(2, 0, NULL);
	released(1, 2);
	note(NOTE, 1, 2, "gone");
	end();

	profile = build_all(time_only);
	assert_string_equal(
		text,
		"note 'before all' after event 0\n"
		"object 0 of 64 bytes by v1 at event 1\n"
		"event 1: cudaMalloc v1, process 0 thread 0 device 0 stream 0, invocation 0, "
		"0 to 10\n"
		"note 'made' on object 0 of event 1\n"
		"event 2: k v2, process 0 thread 3 device 1 stream 7, invocation 0, 20 to 30\n"
		"note 'first' of event 2\n"
		"event 3: k v3, process 0 thread 0 device 0 stream 0, invocation 0, 40 to 50\n"
		"note 'deeper' of event 3\n"
		"event 4: k v2, process 0 thread 0 device 0 stream 0, invocation 1, 60 to 70\n"
		"remark 'second' on object 0 of event 4\n"
		"event 5: cudaFree without vertex, process 0 thread 0 device 0 stream 0, "
		"invocation 0, 80 to 90\n"
		"object 0 freed by event 5\n"
		"note 'gone' on object 0, freed of event 5\n"
		"process 0 ends with event 5\n"
		"4 vertices, 2 edges, contexts of 16 digits\n");
	free(text);
	/* the graph and its sums are those of one run */
	vertex_is(profile, 2, "kernel", "k", 2);
	edge_is(profile, 1, 2, 1, GRAPH_WRITE, 64, 0, 1, 64);
	assert_int_equal(profile->event_count, 5);
	assert_int_equal(profile->process_count, 1);
	assert_int_equal(profile->object_count, 1);
	/* nobody made the run for waits */
	covers(profile, "waits: processes of the graph that its run did not have", 1, 0);
	assert_int_equal(rows_of_passes(profile), 1);
	profile_free(profile);
}

/* -- other calls -- */

enum { A = 1, B, C, D, E, F, SYNC };

/* A process that calls each of these so often, with a note of 4 bytes on each call. */
static void calls(const char *names, const unsigned (*often)[2], unsigned count)
{
	start_run(names, 1);
	for (uint32_t id = A; id <= F; id++)
		context(id, TRACE_SET, (const char[]){(char)('A' + id - A), '\0'}, 0);
	context(SYNC, TRACE_SYNC, "cudaDeviceSynchronize", 0);
	for (unsigned i = 0; i < count; i++)
		for (unsigned n = 0; n < often[i][1]; n++) {
			event(often[i][0], 0, NULL);
			note(NOTE, 0, often[i][0], "note");
		}
	end();
}

#define CALLS(names, ...)                                                                          \
	calls(names, (const unsigned[][2]){__VA_ARGS__},                                           \
	      sizeof((const unsigned[][2]){__VA_ARGS__}) / sizeof(unsigned[2]))

static unsigned count_of(const char *what)
{
	unsigned count = 0;

	for (const char *at = text; (at = strstr(at, what)); at++)
		count++;
	return count;
}

static void test_differences(void **state)
{
	struct profile *profile;

	(void)state;
	CALLS(NULL, {A, 3}, {B, 2}, {C, 1}, {D, 4}, {SYNC, 1});
	CALLS(NULL, {A, 2}, {E, 1});
	CALLS("time", {E, 2}, {D, 1}, {A, 3}, {B, 5}, {F, 1});
	CALLS("time", {E, 1}, {A, 1});
	CALLS("waits", {A, 3}, {B, 2}, {C, 1}, {D, 4}, {SYNC, 1});
	CALLS("waits", {A, 2}, {E, 1});
	profile = build_all(time_only);
	/* C of the first process, and not SYNC, which only waits */
	covers(profile, "time: 1 call of operations that only the graph's run called", 1, 0);
	/* E and F of the first; the second has E in both */
	covers(profile, "time: 3 calls of operations that only its run called: left out", 2, 0);
	/* D of the first, 1 for 4, and A of the second, 1 for 2 */
	covers(profile,
	       "time: 2 calls instead of 6 of operations that its run called less often than the "
	       "graph's",
	       2, 0);
	covers(profile,
	       "time: 5 calls instead of 2 of operations that its run called more often than the "
	       "graph's: the last are left out",
	       1, 0);
	/* of E twice, of F, and of B three times */
	covers(profile, "time: facts about calls or objects that the graph does not have", 6, 0);
	assert_int_equal(rows_of_passes(profile), 5); /* none of waits */
	/* 3 A, 2 B and a D; an A and an E */
	assert_int_equal(count_of("event "), 2 * 8 + 2);
	assert_int_equal(count_of("note 'note' of event "), 8);
	assert_int_equal(count_of("event 7: E v5, process 1 "), 1);
	assert_non_null(strstr(text, "process 0 ends with event 6\n"));
	assert_non_null(strstr(text, "process 1 ends with event 8\n"));
	free(text);
	assert_int_equal(profile->event_count, 14);
	profile_free(profile);
}

/*
 * A process that launches a CUDA graph of one node and reads a variable: of the node and of the
 * variable there are so many events, and of a call there are `plain`.
 */
static void unseen(const char *names, unsigned nodes, unsigned variables, unsigned plain)
{
	start_run(names, 1);
	module(1, "/nowhere/app");
	frame(1, 0, 1, 0x100);
	u.frame.id = 2;
	u.frame.parent = 1;
	u.frame.kind = TRACE_FRAME_REPLAY;
	append(TRACE_FRAME, sizeof(u.frame));
	context(1, TRACE_SET, "node", 2);
	context(2, TRACE_ALLOC, "variable", 0);
	context(3, TRACE_ALLOC, "cudaMalloc", 1);
	for (unsigned i = 0; i < nodes; i++)
		event(1, 0, NULL);
	for (unsigned i = 0; i < variables; i++)
		event(2, 0, NULL);
	for (unsigned i = 0; i < plain; i++)
		event(3, 0, NULL);
	end();
}

/* Nodes and variables that a provider does not see make no other run. */
static void test_what_a_provider_does_not_see(void **state)
{
	struct profile *profile;

	(void)state;
	unseen(NULL, 5, 1, 3);
	unseen("time", 0, 0, 3);
	unseen("waits", 4, 1, 0);
	profile = build_all(time_only);
	free(text);
	covers(profile, "waits: 3 calls of operations that only the graph's run called", 1, 0);
	covers(profile,
	       "waits: 4 calls instead of 5 of operations that its run called less often than the "
	       "graph's",
	       1, 0);
	assert_int_equal(rows_of_passes(profile), 2);
	profile_free(profile);
}

/* -- other processes -- */

#define ALIKE                                                                                      \
	"processes that are alike in executable, rank and calls: what is said of one may be of "   \
	"another"

static void process(const char *names, const char *texts, size_t size)
{
	char *where = names ? run_folder(names) : xstrdup(folder);

	start_in(where, 1, texts, size);
	free(where);
	context(1, TRACE_SET, "cudaMemset", 0);
	event(1, 0, NULL);
	end();
}

#define PROCESS(names, executable, argument)                                                       \
	process(names, "p\0d\0" executable "\0app\0" argument "\0",                                \
		sizeof("p\0d\0" executable "\0app\0" argument "\0"))

static void test_processes(void **state)
{
	struct profile *profile;

	(void)state;
	PROCESS(NULL, "/bin/a", "x");
	PROCESS(NULL, "/bin/a", "y");
	PROCESS(NULL, "/bin/b", "x");
	PROCESS(NULL, "/bin/a", "/tmp/1");
	PROCESS(NULL, "/bin/a", "x");
	PROCESS("time", "/bin/a", "y");
	PROCESS("time", "/bin/a", "x"); /* the first x: process 0 */
	PROCESS("time", "/bin/a", "/tmp/2");
	PROCESS("time", "/bin/c", "x"); /* in the place of b */
	PROCESS("time", "/bin/c", "y"); /* one too many */
	PROCESS("time", "/bin/a", "x"); /* process 4 */
	PROCESS("waits", "/bin/b", "x");
	PROCESS("waits", "/bin/a", "z");
	profile = build_all(time_only);
	assert_string_equal(
		text, "event 1: cudaMemset v1, process 0 thread 0 device 0 stream 0, invocation 0, "
		      "0 to 10\n"
		      "process 0 ends with event 1\n"
		      "event 2: cudaMemset v1, process 1 thread 0 device 0 stream 0, invocation 0, "
		      "-20 to -10\n"
		      "process 1 ends with event 2\n"
		      "event 3: cudaMemset v1, process 3 thread 0 device 0 stream 0, invocation 0, "
		      "20 to 30\n"
		      "process 3 ends with event 3\n"
		      "event 4: cudaMemset v1, process 4 thread 0 device 0 stream 0, invocation 0, "
		      "80 to 90\n"
		      "process 4 ends with event 4\n"
		      "2 vertices, 0 edges, contexts of 16 digits\n");
	free(text);
	covers(profile, "time: processes of another executable than in the graph's run: left out",
	       1, 0);
	covers(profile, "time: processes that only its run had: left out", 1, 0);
	covers(profile, "waits: processes of the graph that its run did not have", 3, 0);
	/* the two x of a, in time; the one of waits, which may stand for four */
	covers(profile, "time: " ALIKE, 2, 0);
	covers(profile, "waits: " ALIKE, 1, 0);
	assert_int_equal(rows_of_passes(profile), 5);
	profile_free(profile);
}

/* A process of this rank that sets memory so often, here and elsewhere. */
static void ranked(const char *names, const char *rank, unsigned here, unsigned elsewhere)
{
	char *where = names ? run_folder(names) : xstrdup(folder), texts[64] = {0};
	static const char start[] = "p\0d\0/bin/a\0a\0\0time\0";

	memcpy(texts, start, sizeof(start));
	strcpy(texts + sizeof(start) - 1, rank);
	start_in(where, 1, texts, sizeof(start) + strlen(rank));
	free(where);
	context(1, TRACE_SET, "here", 0);
	context(2, TRACE_SET, "elsewhere", 0);
	while (here--)
		event(1, 0, NULL);
	while (elsewhere--)
		event(2, 0, NULL);
	end();
}

/* The rank says which process it is, though its calls are another's; without one the calls do. */
static void test_ranks(void **state)
{
	struct profile *profile;

	(void)state;
	ranked(NULL, "RANK=0", 1, 4);
	ranked(NULL, "RANK=1", 4, 1);
	ranked(NULL, "", 3, 3);
	ranked(NULL, "", 6, 2);
	ranked(NULL, "", 7, 2);
	ranked("time", "RANK=1", 1, 4);
	ranked("time", "RANK=0", 4, 1);
	ranked("time", "", 9, 2); /* 2 from the fifth, 3 from the fourth */
	ranked("time", "", 6, 2);
	ranked("time", "", 3, 2); /* 1 from the third */
	profile = build_all(time_only);
	assert_string_equal(profile->processes[1].rank, "RANK=1");
	/* the calls that both have: 1 + 1, 1 + 1, 3 + 2, 6 + 2, 7 + 2 */
	assert_non_null(strstr(text, "process 0 ends with event 2\n"));
	assert_non_null(strstr(text, "process 1 ends with event 4\n"));
	assert_non_null(strstr(text, "process 2 ends with event 9\n"));
	assert_non_null(strstr(text, "process 3 ends with event 17\n"));
	assert_non_null(strstr(text, "process 4 ends with event 26\n"));
	free(text);
	for (uint32_t i = 0; i < profile->coverage_count; i++)
		assert_null(strstr(profile->coverage[i].reason, ALIKE));
	profile_free(profile);
}

/* -- objects -- */

static void allocations(const char *names)
{
	start_run(names, 1);
	context(1, TRACE_ALLOC, "cudaMalloc", 0);
	context(2, TRACE_ALLOC, "cudaMallocManaged", 0);
	context(3, TRACE_RELEASE, "cudaFree", 0);
	context(4, TRACE_RELEASE, "cudaFreeAsync", 0);
}

static void allocate(uint32_t id, uint32_t of, uint64_t size)
{
	object(id, of, size);
	event(of, 0, NULL);
	note(NOTE, id, of, "has");
}

static void test_objects(void **state)
{
	struct profile *profile;

	(void)state;
	allocations(NULL);
	allocate(1, 1, 64);
	allocate(2, 2, 8);
	allocate(3, 1, 64);
	object(4, 1, 16); /* two in one call */
	object(5, 1, 32);
	event(1, 0, NULL);
	event(3, 0, NULL);
	released(3, 3);
	end();

	allocations("time");
	allocate(1, 2, 8);   /* object 1 */
	allocate(2, 1, 64);  /* 0 */
	allocate(3, 1, 128); /* 2 has another size */
	object(4, 1, 16);
	object(5, 1, 32);
	event(1, 0, NULL);
	note(NOTE, 5, 1, "second"); /* 4 */
	allocate(6, 1, 64);         /* nothing there */
	event(3, 0, NULL);
	released(3, 3); /* not the one that is freed there */
	released(5, 3);
	note(NOTE, 5, 3, "freed");
	event(4, 0, NULL); /* not called there: whose object this was goes unseen */
	released(2, 4);
	note(NOTE, 2, 4, "freed unseen");
	note(NOTE, 2, 0, "freed unseen");
	note(NOTE, 4, 4, "of a call unseen");
	note(NOTE, 4, 0, "of no call");
	object(7, 1, 64); /* its event is missing */
	trace_close(writer);

	profile = build_all(time_only);
	assert_string_equal(
		text, "object 1 of 8 bytes by v2 at event 1\n"
		      "event 1: cudaMallocManaged v2, process 0 thread 0 device 0 stream 0, "
		      "invocation 0, 0 to 10\n"
		      "note 'has' on object 1 of event 1\n"
		      "object 0 of 64 bytes by v1 at event 2\n"
		      "event 2: cudaMalloc v1, process 0 thread 0 device 0 stream 0, invocation 0, "
		      "20 to 30\n"
		      "note 'has' on object 0 of event 2\n"
		      "event 3: cudaMalloc v1, process 0 thread 0 device 0 stream 0, invocation 0, "
		      "40 to 50\n"
		      "object 3 of 16 bytes by v1 at event 4\n"
		      "object 4 of 32 bytes by v1 at event 4\n"
		      "event 4: cudaMalloc v1, process 0 thread 0 device 0 stream 0, invocation 0, "
		      "60 to 70\n"
		      "note 'second' on object 4 of event 4\n"
		      "event 5: cudaFree without vertex, process 0 thread 0 device 0 stream 0, "
		      "invocation 0, 100 to 110\n"
		      "object 4 freed by event 5\n"
		      "note 'freed' on object 4, freed of event 5\n"
		      "note 'of no call' on object 3 after event 5\n"
		      "process 0 ends with event 5\n"
		      "3 vertices, 0 edges, contexts of 16 digits\n");
	free(text);
	assert_int_equal(profile->object_count, 5);
	assert_int_equal(profile->objects[0].end_ns, 0);
	assert_true(profile->objects[2].end_ns > 0);
	/* of 128 bytes, and the sixth */
	covers(profile,
	       "time: objects that the graph does not have, or of another size or kind of memory",
	       2, 0);
	/* two "has", two "freed unseen", "of a call unseen" */
	covers(profile, "time: facts about calls or objects that the graph does not have", 5, 0);
	covers(profile, "time: 1 call of operations that only its run called: left out", 1, 0);
	covers(profile,
	       "time: 4 calls instead of 3 of operations that its run called more often than the "
	       "graph's: the last are left out",
	       1, 0);
	covers(profile,
	       "the run for time: trace: no final record: the process was killed, crashed, called "
	       "_exit or exec, or is still running",
	       1, 0);
	profile_free(profile);
}

/* An object whose memory is of another kind is another one. */
static void test_memory_of_objects(void **state)
{
	struct profile *profile;

	(void)state;
	for (unsigned run = 0; run < 2; run++) {
		allocations(run ? "time" : NULL);
		u.object.id = u.object.context = 1;
		u.object.size = 64;
		u.object.memory = run ? TRACE_MEMORY_MANAGED : TRACE_MEMORY_DEVICE;
		append_text(TRACE_OBJECT, offsetof(struct trace_object, text), "", 1);
		event(1, 0, NULL);
		end();
	}
	profile = build_all(time_only);
	assert_null(strstr(text, "object"));
	free(text);
	covers(profile,
	       "time: objects that the graph does not have, or of another size or kind of memory",
	       1, 0);
	profile_free(profile);
}

/* -- passes -- */

static void *begin_counting(struct profile *profile)
{
	(void)profile;
	return xcalloc(1, sizeof(uint32_t));
}

static void count(void *state, const struct build_event *event, const struct build_row *rows,
		  uint32_t row_count)
{
	(void)event, (void)rows, (void)row_count;
	++*(uint32_t *)state;
}

static char counted[64];

static void end_counting(void *state)
{
	snprintf(counted + strlen(counted), sizeof(counted) - strlen(counted), "%u ",
		 *(uint32_t *)state);
	free(state);
}

#define COUNTS(of)                                                                                 \
	&(const struct build_analysis)                                                             \
	{                                                                                          \
		.name = "counts", .pass = of, .begin = begin_counting, .event = count,             \
		.end = end_counting                                                                \
	}

static void pass_is(const struct profile *profile, uint32_t i, const char *name,
		    const char *provider, const char *device, uint32_t run, double seconds)
{
	const struct profile_pass *pass = &profile->passes[i];

	assert_true(i < profile->pass_count);
	assert_string_equal(pass->name, name);
	assert_string_equal(pass->provider, provider);
	assert_string_equal(pass->device, device);
	assert_int_equal(pass->run, run);
	assert_true(pass->seconds == seconds);
	assert_int_equal(pass->makes_graph, run == 1);
}

static void test_passes(void **state)
{
	const struct build_analysis *const table[] = {
		COUNTS(NULL),    COUNTS("flow"), COUNTS("two"),   COUNTS("time"),
		COUNTS("waits"), COUNTS("tim"),  COUNTS("times"), NULL};
	char *joined = run_folder("time"), *empty = run_folder("waits");
	const struct build_run runs[] = {{.folder = folder, .passes = "flow,two", .seconds = 0.5},
					 {.folder = joined, .passes = "time,waits", .seconds = 2},
					 {.folder = empty, .passes = "use"}};
	struct profile *profile;
	struct error error;

	(void)state;
	CALLS(NULL, {A, 2});
	CALLS("time", {A, 1});
	*counted = '\0';
	profile = build_runs(runs, 3, table, &error);
	assert_non_null(profile);
	assert_string_equal(counted, "2 2 2 1 1 0 0 ");
	assert_int_equal(profile->pass_count, 5);
	pass_is(profile, 0, "flow", "emulated", "a device", 1, 0.5);
	pass_is(profile, 1, "two", "emulated", "a device", 1, 0.5);
	pass_is(profile, 2, "time", "clock", "another device", 2, 2);
	pass_is(profile, 3, "waits", "clock", "another device", 2, 2);
	pass_is(profile, 4, "use", "", "", 3, 0);
	covers(profile,
	       "time,waits: 1 call instead of 2 of operations that its run called less often than "
	       "the graph's",
	       1, 0);
	covers(profile, "use: processes of the graph that its run did not have", 1, 0);
	profile_free(profile);
	free(joined);
	free(empty);
}

/* -- damage, and what the other run did not see -- */

static void coverage(const char *texts, size_t size, uint64_t count)
{
	u.coverage.count = count;
	append_text(TRACE_COVERAGE, offsetof(struct trace_coverage, text), texts, size);
}

#define COVER(name, detail, count) coverage(name "\0" detail, sizeof(name "\0" detail), count)

static void test_damaged(void **state)
{
	struct profile *profile;
	const struct profile_coverage *row;
	char *where = run_folder("time"), *path_of_empty;

	(void)state;
	start_run(NULL, 1);
	context(1, TRACE_SET, "cudaMemset", 0);
	event(1, 0, NULL);
	event(1, 0, NULL);
	COVER("TEXTURE_READS", "", 3);
	end();

	start_run("time", 9);
	context(1, TRACE_SET, "cudaMemset", 0);
	event(1, 0, NULL);
	note(NOTE, 0, 1, "good");
	COVER("TEXTURE_READS", "", 4);
	COVER("UNKNOWN_MEMORY", "_Z4gemmPf", 5);
	COVER("OF_TOMORROW", "why", 6);
	fact(GPU_RECORD_TRIAL, 0, 1, "nobody's", 8);
	event(1, 0, NULL);
	note(NOTE, 0, 1, "nonsense"); /* what the analysis refuses ends the trace */
	event(1, 0, NULL);
	end();
	path_of_empty = xasprintf("%s/%u.trace", where, ++traces);
	fclose(fopen(path_of_empty, "w"));
	free(path);
	path = xasprintf("%s/%u.trace", where, ++traces);
	writer = trace_create(path, 1, &(struct error){{0}});
	context(1, TRACE_SET, "cudaMemset", 0); /* before the process */
	trace_close(writer);
	free(path);
	path = xasprintf("%s/%u.trace", where, ++traces);
	writer = trace_create(path, 1, &(struct error){{0}});
	trace_close(writer); /* no record */

	profile = build_all(time_only);
	assert_int_equal(count_of("note 'good' of event 1\n"), 1);
	assert_int_equal(count_of("event 3"), 0);
	free(text);
	covers(profile,
	       "the run for time: texture reads: reads through textures and surfaces make "
	       "no edges",
	       4, 0);
	covers(profile,
	       "the run for time: unknown memory: accesses to memory without a shadow: of "
	       "malloc() in kernels, of the CUDA runtime (which lets a grid wait), of "
	       "another device or process, or of an allocation that was not seen, by gemm",
	       5, 0);
	covers(profile,
	       "the run for time: unknown coverage: recorded by another version of vflow: "
	       "OF_TOMORROW, why",
	       6, 0);
	covers(profile,
	       "the run for time: records: of kinds that this vflow does not know: a newer "
	       "one made the trace",
	       1, 8);
	covers(profile, "the run for time: trace: a trace without any record", 1, 0);
	covers(profile,
	       "the run for time: trace: process 0: the trace is cut: damaged at offset 40: "
	       "expected the process record first",
	       1, 0);
	assert_int_equal(rows_of_passes(profile), 9);
	for (uint32_t i = 0; i < profile->coverage_count; i++) {
		row = &profile->coverage[i];
		if (strstr(row->reason, "nonsense"))
			assert_non_null(strstr(row->reason,
					       "the run for time: trace: process 9: "
					       "the trace is cut: damaged at offset "));
		if (strstr(row->reason, "could not begin"))
			assert_non_null(strstr(row->reason, path_of_empty));
		if (!strcmp(row->what, "texture reads"))
			assert_int_equal(row->count, 3);
		else
			assert_int_equal(row->hides, COVERAGE_HIDES_NOTHING);
	}
	/* the graph is whole all the same */
	vertex_is(profile, 1, "memset", "cudaMemset", 2);
	assert_true(profile->processes[0].ended);
	profile_free(profile);
	free(path_of_empty);
	free(where);
}

/* A run whose folder is gone takes nothing from the graph; the graph's own must be there. */
static void test_no_folder(void **state)
{
	struct build_run runs[] = {{.folder = folder, .passes = "flow"},
				   {.folder = "/nowhere/at/all", .passes = "time"}};
	struct profile *profile;
	struct error error;

	(void)state;
	CALLS(NULL, {A, 2});
	profile = build_runs(runs, 2, build_analyses, &error);
	assert_non_null(profile);
	covers(profile,
	       "the run for time: trace: cannot read the folder /nowhere/at/all: No such "
	       "file or directory",
	       1, 0);
	vertex_is(profile, 1, "memset", "A", 2);
	assert_int_equal(profile->event_rows, 2);
	profile_free(profile);
	runs[0].folder = runs[1].folder;
	assert_null(build_runs(runs, 2, build_analyses, &error));
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, make_folders, remove_folders)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_joined_calls), TEST(test_differences),
		TEST(test_processes),    TEST(test_ranks),
		TEST(test_objects),      TEST(test_memory_of_objects),
		TEST(test_passes),       TEST(test_damaged),
		TEST(test_no_folder),    TEST(test_what_a_provider_does_not_see),
	};

	return cmocka_run_group_tests_name("graph_join", tests, NULL, NULL);
}
