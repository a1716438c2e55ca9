/* The builder, on traces with nodes of CUDA graphs, written by hand. */
#include "tests/unit/made_traces.h"

#include <link.h>

/* A CUDA runtime that is linked in: this file's functions stand for it and for the program. */
void cudaMemsetAsync(void);
void cudaGraphLaunch(void);
void runtime_inside(void);
void captures(void);
void launches(void);

#define FUNCTION(name)                                                                             \
	void name(void)                                                                            \
	{                                                                                          \
		__asm__ volatile("");                                                              \
	}
FUNCTION(cudaMemsetAsync)
FUNCTION(cudaGraphLaunch)
FUNCTION(runtime_inside)
FUNCTION(captures)
FUNCTION(launches)

static int first_module(struct dl_phdr_info *info, size_t size, void *bias)
{
	(void)size;
	*(uint64_t *)bias = info->dlpi_addr;
	return 1; /* the program comes first */
}

static void frame_in(uint32_t id, uint32_t parent, void (*function)(void))
{
	uint64_t bias = 0;

	dl_iterate_phdr(first_module, &bias);
	frame(id, parent, 1, (uint64_t)(uintptr_t)function - bias);
}

static void replay(uint32_t id, uint32_t parent, uint32_t of, uint64_t offset)
{
	u.frame.id = id;
	u.frame.parent = parent;
	u.frame.module = of;
	u.frame.kind = TRACE_FRAME_REPLAY;
	u.frame.offset = offset;
	append(TRACE_FRAME, sizeof(u.frame));
}

static void node(uint32_t id, enum trace_kind kind, const char *name, uint32_t innermost,
		 uint32_t ordinal)
{
	u.context.ordinal = ordinal;
	context(id, kind, name, innermost);
	u.context.ordinal = 0;
}

static void start_here(void)
{
	char file[4096] = "";

	assert_true(readlink("/proc/self/exe", file, sizeof(file) - 1) > 0);
	assert_true(strlen(file) < 500);
	start(1);
	module(1, file);
}

static const char *function_at(const struct profile *profile, uint32_t vertex, uint32_t position)
{
	assert_true(position < profile->callpaths[vertex].count);
	return profile->frames[profile->callpaths[vertex].frames[position]].function;
}

/* Equal nodes are told apart, and are the same with the runtime inside and outside. */
static void test_nodes(void **state)
{
	static const char *const marks[] = {"[replayed]", "[replayed#2]", "[replayed]"};
	struct profile *profile;

	(void)state;
	start_here();
	frame_in(1, 0, launches);
	frame_in(2, 1, cudaGraphLaunch);
	frame_in(3, 2, runtime_inside);
	replay(4, 3, 0, 0);
	frame_in(5, 4, captures);
	frame_in(6, 5, cudaMemsetAsync);
	frame_in(7, 6, runtime_inside);
	replay(8, 1, 0, 0);
	frame_in(9, 8, captures);
	node(1, TRACE_SET, "cudaGraphLaunch", 7, 0);
	node(2, TRACE_SET, "cudaGraphLaunch", 7, 1);
	node(3, TRACE_SET, "cudaGraphLaunch", 9, 0); /* 1 again */
	node(4, TRACE_SET, "cudaGraphLaunch", 9, 1); /* 2 again */
	node(5, TRACE_KERNEL, "k", 9, 0);
	node(6, TRACE_SET, "cudaGraphLaunch", 8, 0); /* it is not known where it was captured */
	node(7, TRACE_SET, "cudaGraphLaunch", 1, 0); /* no node */
	for (uint32_t i = 1; i <= 7; i++)
		event(i, 0, NULL);
	end();
	profile = build();
	assert_int_equal(profile->graph->vertex_count, 6);
	for (uint32_t v = 1; v <= 3; v++) {
		assert_int_equal(profile->graph->vertices[v].invocations, v == 3 ? 1 : 2);
		assert_int_equal(profile->callpaths[v].count, 3);
		assert_string_equal(function_at(profile, v, 0), "captures");
		assert_string_equal(function_at(profile, v, 1), marks[v - 1]);
		assert_string_equal(function_at(profile, v, 2), "launches");
	}
	assert_int_equal(profile->callpaths[4].count, 2);
	assert_string_equal(function_at(profile, 4, 0), "[replayed]");
	assert_int_equal(profile->callpaths[5].count, 1);
	for (uint32_t v = 1; v <= 5; v++)
		for (uint32_t w = 1; w < v; w++)
			assert_string_not_equal(profile->graph->vertices[v].context,
						profile->graph->vertices[w].context);
	profile_free(profile);
}

static uint32_t vertices_of(void (*frame_of_kind)(void))
{
	struct profile *profile;
	uint32_t count;

	remove_folder(NULL);
	make_folder(NULL);
	start_here();
	frame_in(1, 0, launches);
	frame_of_kind();
	context(1, TRACE_SET, "cudaMemset", 2);
	event(1, 0, NULL);
	end();
	profile = build();
	count = profile->graph->vertex_count;
	profile_free(profile);
	return count;
}

static void replay_in_module(void)
{
	replay(2, 1, 1, 0);
}

static void replay_at_offset(void)
{
	replay(2, 1, 0, 1);
}

static void native_without_module(void)
{
	frame(2, 1, 0, 0);
}

static void python(uint32_t module, uint64_t line)
{
	static const char texts[] = "/tmp/\x1b.py\0Model.step";
	struct {
		struct trace_python record;
		char room[64];
	} made = {.record = {.record = {.type = TRACE_PYTHON}, .id = 1, .line = 12}};
	struct trace_frame of = {.record = {.type = TRACE_FRAME},
				 .id = 2,
				 .parent = 1,
				 .module = module,
				 .kind = TRACE_FRAME_PYTHON,
				 .offset = line};

	memcpy((char *)&made + offsetof(struct trace_python, text), texts, sizeof(texts));
	assert_int_equal(trace_append(writer, &made.record.record,
				      offsetof(struct trace_python, text) + sizeof(texts)),
			 0);
	assert_int_equal(trace_append(writer, &of.record, sizeof(of)), 0);
}

static void python_without_line(void)
{
	python(0, 0);
}

static void python_of_later_line(void)
{
	python(0, 2);
}

static void python_in_module(void)
{
	python(1, 1);
}

static void good_python(void)
{
	python(0, 1);
}

static void good_replay(void)
{
	replay(2, 1, 0, 0);
}

/* What cannot be ends the trace: nothing after it counts. */
static void test_frames_that_cannot_be(void **state)
{
	(void)state;
	assert_int_equal(vertices_of(replay_in_module), 1);
	assert_int_equal(vertices_of(replay_at_offset), 1);
	assert_int_equal(vertices_of(native_without_module), 1);
	assert_int_equal(vertices_of(good_replay), 2);
	assert_int_equal(vertices_of(python_without_line), 1);
	assert_int_equal(vertices_of(python_of_later_line), 1);
	assert_int_equal(vertices_of(python_in_module), 1);
	assert_int_equal(vertices_of(good_python), 2);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_folder, remove_folder)

int main(void)
{
	const struct CMUnitTest tests[] = {TEST(test_nodes), TEST(test_frames_that_cannot_be)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
