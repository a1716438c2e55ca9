/* Profiles: what is written is read; what is damaged, foreign or hostile is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "graph/dot.h"
#include "graph/library_frames.h"
#include "graph/profile/profile.h"
#include "util/memory.h"

static char folder[] = "/tmp/vflow-profile-XXXXXX";
static char *path;

static int make_folder(void **state)
{
	(void)state;
	assert_non_null(mkdtemp(folder));
	path = xasprintf("%s/100%% #1?.db", folder); /* what means something in a URI */
	return 0;
}

static int remove_folder(void **state)
{
	(void)state;
	unlink(path);
	free(path);
	return rmdir(folder);
}

static void add_vertex(struct profile *profile, const char *kind, const char *name)
{
	struct graph *graph = profile->graph;
	uint32_t id = graph->vertex_count;
	struct graph_vertex *vertex = graph_add_vertex(graph, id);

	vertex->fields = VERTEX_KIND | VERTEX_NAME | VERTEX_CONTEXT | VERTEX_READ_BYTES |
			 VERTEX_WRITTEN_BYTES | VERTEX_REDUNDANT_BYTES;
	vertex->kind = xstrdup(kind);
	vertex->name = xstrdup(name);
	vertex->context = xstrdup("0123456789abcdef");
	if (id) {
		vertex->fields |= VERTEX_INVOCATIONS | VERTEX_CALLPATH;
		vertex->invocations = id;
		vertex->callpath = xstrdup("work work.c:3 < main work.c:9");
	}
	profile->vertices = xreallocarray(profile->vertices, id + 1, sizeof(*profile->vertices));
	profile->vertices[id].callpath = id ? 1 : 0; /* all but host share one */
}

static void add_edge(struct profile *profile, uint32_t from, uint32_t to, enum graph_access access,
		     uint64_t bytes, uint64_t redundant)
{
	struct graph_edge *edge = graph_add_edge(profile->graph, from, to);

	edge->fields = EDGE_OBJECT | EDGE_ACCESS | EDGE_BYTES | EDGE_COUNT | EDGE_OBJECT_BYTES;
	edge->object = 1;
	edge->access = access;
	edge->bytes = bytes;
	edge->count = 2;
	edge->object_bytes = 4096;
	if (access == GRAPH_WRITE) {
		edge->fields |= EDGE_REDUNDANT_BYTES | EDGE_REDUNDANT_VALUE_BYTES;
		edge->redundant_bytes = edge->redundant_value_bytes = redundant;
	}
}

static void add_finding(struct profile *profile, const char *pattern, uint32_t vertex)
{
	struct profile_finding *finding = profile_add_finding(profile);

	finding->pattern = xstrdup(pattern);
	finding->vertex = vertex;
	finding->object = 1;
	finding->access = GRAPH_WRITE;
	finding->bytes = 96;
	finding->fraction = 1.0 / 3;
	finding->evidence = xstrdup("evidence");
	finding->advice = xasprintf("fix %s", pattern);
	finding->limits = xstrdup("limits");
	finding->action = xstrdup("copy_once");
	finding->input = true;
	finding->others = xcalloc(2, sizeof(*finding->others));
	finding->others[0] = 2;
	finding->others[finding->other_count = 1] = 0;
	finding->other_count = 2;
}

static struct profile *example(void)
{
	struct profile *profile = profile_new();

	profile->command = xstrdup("./app --name \xc3\xa4");
	profile->date = 1700000000;
	profile->event_count = 12;
	profile_set_threshold(profile, "redundancy", 0.33);
	add_vertex(profile, "host", "host");
	add_vertex(profile, "alloc", "cudaMalloc");
	add_vertex(profile, "kernel", "void \"f\"<int>(char\\*)");
	add_edge(profile, 0, 2, GRAPH_READ, 100, 0);
	add_edge(profile, 1, 2, GRAPH_WRITE, INT64_MAX, 96);
	add_edge(profile, 2, 2, GRAPH_WRITE, 0, 0);
	profile->callpaths = xcalloc(2, sizeof(*profile->callpaths));
	profile->callpath_count = profile->callpath_capacity = 2;
	profile->callpaths[1].frames = xcalloc(2, sizeof(uint32_t));
	profile->callpaths[1].frames[1] = 1;
	profile->callpaths[1].count = 2;
	profile->frames = xcalloc(2, sizeof(*profile->frames));
	profile->frame_count = profile->frame_capacity = 2;
	for (uint32_t i = 0; i < 2; i++)
		profile->frames[i] = (struct profile_frame){
			.function = xstrdup(i ? "main" : "work"),
			.file = xstrdup("/src/work.c"),
			.line = i ? 9 : 3,
			.module = xstrdup("/bin/app"),
			.build_id = xstrdup("00ff"),
			.offset = 0x1000 + i,
			.inlined = !i,
		};
	profile->processes = xcalloc(1, sizeof(*profile->processes));
	profile->process_count = profile->process_capacity = 1;
	profile->processes[0] = (struct profile_process){
		.pid = 4000000000u,
		.parent = 1,
		.executable = xstrdup("/bin/app"),
		.arguments = xstrdup("./app"),
		.provider = xstrdup("emulated"),
		.device = xstrdup("d"),
		.ended = true,
	};
	profile->objects = xcalloc(1, sizeof(*profile->objects));
	profile->object_count = profile->object_capacity = 1;
	profile->objects[0] = (struct profile_object){.site = 1,
						      .size = 4096,
						      .address = UINT64_MAX - 1,
						      .memory = 4,
						      .name = xstrdup("weights"),
						      .start_ns = 5,
						      .end_ns = 0};
	profile->graph->vertices[2].fields |= VERTEX_HOST_NS;
	profile->graph->vertices[2].host_ns = 700;
	profile->ranges = xcalloc(2, sizeof(*profile->ranges));
	profile->range_count = profile->range_capacity = 2;
	profile->ranges[0] = (struct profile_range){.outer = PROFILE_NO_ROW,
						    .name = xstrdup("train"),
						    .calls = 3,
						    .time_ns = PROFILE_UNKNOWN};
	profile->ranges[1] = (struct profile_range){
		.name = xstrdup("lib:st\xc3\xa4p"), .calls = 2, .host_ns = 7, .time_ns = 9};
	profile->events = xcalloc(3, sizeof(*profile->events));
	profile->event_rows = profile->event_capacity = 3;
	profile->events[0] =
		(struct profile_event){.vertex = 1, .range = 1, .start_ns = 1, .end_ns = 5};
	profile->events[1] = (struct profile_event){.vertex = 2,
						    .range = PROFILE_NO_ROW,
						    .thread = 3,
						    .device = 1,
						    .stream = UINT32_MAX,
						    .access_count = 2,
						    .invocation = 1,
						    .start_ns = 5,
						    .end_ns = INT64_MAX};
	profile->events[2] = (struct profile_event){.vertex = PROFILE_NO_VERTEX,
						    .range = PROFILE_NO_ROW,
						    .first_access = 2,
						    .start_ns = 8,
						    .end_ns = 8,
						    .name = xstrdup("cudaFree")};
	profile->accesses = xcalloc(2, sizeof(*profile->accesses));
	profile->access_count = profile->access_capacity = 2;
	profile->accesses[0] = profile->accesses[1] = (struct profile_access){
#define ROW_METRIC(member, FLAG, access, aggregate) .member = PROFILE_UNKNOWN,
#include "gpu/rows.def"
	};
	profile->accesses[0].writer = 1;
	profile->accesses[0].access = GRAPH_WRITE;
	profile->accesses[0].bytes = 4096;
	profile->accesses[0].redundant_bytes = 96;
	profile->accesses[0].last_block = 3;
	profile->accesses[1].access = GRAPH_READ;
	profile->accesses[1].bytes = 100;
	profile->accesses[1].first_read_bytes = 40;
	profile->duplicates = xcalloc(1, sizeof(*profile->duplicates));
	profile->duplicate_count = profile->duplicate_capacity = 1;
	profile->duplicates[0] = (struct profile_duplicate){
		.bytes = 4096,
		.occurrences = 2,
		.events = 7,
		.zero = true,
		.members = xcalloc(1, sizeof(struct profile_duplicate_member)),
		.member_count = 1};
	profile->duplicates[0].members[0] = (struct profile_duplicate_member){1, 2, 3};
	ARRAY_RESERVE(profile->writes, profile->write_count, profile->write_capacity);
	profile->writes[profile->write_count++] =
		(struct profile_write){.vertex = 2,
				       .site = 1,
				       .writes = 3,
				       .bytes = 96,
				       .zero_writes = PROFILE_NUMBER_MAX};
	ARRAY_RESERVE(profile->fates, profile->fate_count, profile->fate_capacity);
	profile->fates[profile->fate_count++] = (struct profile_fate){.vertex = 2,
								      .site = 1,
								      .consumer = PROFILE_NO_VERTEX,
								      .bytes = 96,
								      .dead_bytes = 7};
	ARRAY_RESERVE(profile->unread, profile->unread_count, profile->unread_capacity);
	profile->unread[profile->unread_count++] = (struct profile_unread){
		.vertex = 2, .object = 1, .first = 1024, .last = 4095, .bytes = 89};
	ARRAY_RESERVE(profile->unseen, profile->unseen_count, profile->unseen_capacity);
	profile->unseen[profile->unseen_count++] =
		(struct profile_unseen){.vertex = 2, .invocations = 5};
	ARRAY_RESERVE(profile->unwritten, profile->unwritten_count, profile->unwritten_capacity);
	profile->unwritten[profile->unwritten_count++] =
		(struct profile_unwritten){.vertex = 2, .object = 1, .invocations = 3, .bytes = 12};
	ARRAY_RESERVE(profile->failed_calls, profile->failed_call_count,
		      profile->failed_call_capacity);
	profile->failed_calls[profile->failed_call_count++] =
		(struct profile_failed_call){.function = xstrdup("cudaMemset"),
					     .error = 1,
					     .error_name = xstrdup("cudaErrorInvalidValue"),
					     .description = xstrdup("invalid argument"),
					     .count = 3,
					     .place.callpath = xstrdup("main a.c:12"),
					     .place.file = xstrdup("a.c"),
					     .place.line = 12};
	add_finding(profile, "redundant_values", 2);
	add_finding(profile, "duplicate_values", 2);
	add_finding(profile, "redundant_values", 2);
	profile_set_threshold(profile, "duplicate_bytes", 1024);
	profile->passes = xcalloc(1, sizeof(*profile->passes));
	profile->pass_count = profile->pass_capacity = 1;
	profile->passes[0] = (struct profile_pass){.name = xstrdup("flow"),
						   .provider = xstrdup("emulated"),
						   .device = xstrdup("d"),
						   .run = 1,
						   .seconds = 0.5,
						   .makes_graph = true};
	profile_add_coverage(profile, COVERAGE_CALL_SHARES_MEMORY, "cuMemMap", 3, 0);
	profile_add_coverage_text(profile, "texture reads", "not seen", 3, 0);
	return profile;
}

static void write_example(void)
{
	struct error error = {""};
	struct profile *profile = example();

	unlink(path);
	if (profile_write(profile, path, &error) != 0)
		fail_msg("%s", error.text);
	profile_free(profile);
}

static char *dot_of(const struct graph *graph)
{
	struct error error;
	char *text;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	assert_int_equal(dot_write(graph, file, &error), 0);
	fclose(file);
	return text;
}

/* With its events; NULL: one of them is refused. */
static struct profile *read_whole(const char *from)
{
	struct error error;
	struct profile *profile = profile_read(from, &error);

	if (!profile || profile_read_events(profile, from, &error) == 0)
		return profile;
	profile_free(profile);
	return NULL;
}

/* At a glance: what was read has passed its check sums. */
static bool looks_like_example(const struct profile *read)
{
	return read->graph->vertex_count == 3 && read->graph->edge_count == 3 &&
	       read->finding_count == 3 && read->coverage_count == 2 && read->event_rows == 3 &&
	       !strcmp(read->graph->vertices[2].name, "void \"f\"<int>(char\\*)");
}

/* Whether the profile is the example: everything that is in it. */
static bool is_example(const struct profile *read)
{
	struct error error;
	struct profile *again;
	struct stat before, after;
	char *copy = xasprintf("%s/copy.db", folder);
	bool same;

	/* written again it must give the same bytes */
	assert_int_equal(profile_write(read, copy, &error), 0);
	again = read_whole(copy);
	assert_non_null(again);
	same = stat(copy, &after) == 0 && stat(path, &before) == 0 &&
	       before.st_size == after.st_size;
	unlink(copy);
	free(copy);
	profile_free(again);
	return same && looks_like_example(read);
}

/* Ids in another order than the vertices: several processes, or threads. */
static void test_order(void **state)
{
	const bool all[8] = {true, true, true, true, true, true, true, true};
	struct error error = {""};
	struct profile *profile = example();
	struct graph *graph = profile->graph;

	(void)state;
	assert_int_equal(graph->vertex_count, 3);
	graph->vertices[1].id = 2;
	graph->vertices[2].id = 1;
	graph_filter(graph, all, all); /* finds the new ids */
	unlink(path);
	assert_int_equal(profile_write(profile, path, &error), 0);
	profile_free(profile);
	profile = profile_read(path, &error);
	if (!profile)
		fail_msg("%s", error.text);
	assert_int_equal(profile->graph->vertices[1].id, 2);
	assert_string_equal(profile->graph->vertices[1].name, "cudaMalloc");
	assert_int_equal(profile->graph->vertices[2].id, 1);
	assert_int_equal(graph_find(profile->graph, 1), 2);
	profile_free(profile);
	unlink(path);
}

/* Which frames people see of a path: those of headers that came with the compiler and CUDA go. */
static void test_own_frames(void **state)
{
	static const struct {
		const char *file;
		bool own;
	} cases[] = {
		{"/usr/local/cuda-13.0/include/cccl/thrust/detail/fill.inl", false},
		{"/usr/local/cuda/bin/../targets/x86_64-linux/include/cuda_runtime.h", false},
		{"/home/me/cutlass/include/cutlass/gemm/device/gemm.h", false},
		{"include/cutlass/gemm/device/gemm.h", false}, /* found by -Iinclude */
		{"/usr/include/c++/14/bits/invoke.h", false},
		{"/usr/lib/gcc/x86_64-linux-gnu/14/include/xmmintrin.h", false},
		{"/opt/nvidia/hpc_sdk/cuda/12/include/crt/device_functions.h", false},
		{"/home/me/env/lib/site-packages/nvidia/cu13/include/cub/cub.cuh", false},
		{"/spack/cuda-12/include/cuda_runtime.h", false},
		{"/tmp/tmpxft_01_02-6_app.cudafe1.stub.c", false},
		{"/usr/src/app/include/solver.h", true},
		{"/opt/app/include/solver.h", true},
		{"include/solver.h", true},
		{"/home/me/cutlass/examples/gemm.cu", true},
		{"/home/me/cuda-app/include/cuda/kernels.cuh", true},
		{"/usr/src/app/main.cu", true},
		{"main.cu", true},
		{NULL, true}, /* a function without debug information */
	};
	enum { CASES = sizeof(cases) / sizeof(*cases) };
	struct profile *profile = profile_new();
	const struct profile_frame **own;
	uint32_t count, expected = 0, at = 0;

	(void)state;
	if (!profile->graph->vertex_count)
		graph_add_vertex(profile->graph, GRAPH_HOST);
	profile->vertices = xcalloc(1, sizeof(*profile->vertices));
	profile->callpaths = xcalloc(1, sizeof(*profile->callpaths));
	profile->callpath_count = 1;
	profile->callpaths[0].frames = xcalloc(CASES, sizeof(uint32_t));
	profile->callpaths[0].count = CASES;
	profile->frames = xcalloc(CASES, sizeof(*profile->frames));
	profile->frame_count = CASES;
	for (uint32_t i = 0; i < CASES; i++) {
		profile->frames[i].file = cases[i].file ? xstrdup(cases[i].file) : NULL;
		profile->callpaths[0].frames[i] = i;
		expected += cases[i].own;
	}
	own = profile_path(profile, 0, &count);
	assert_int_equal(count, expected);
	for (uint32_t i = 0; i < CASES; i++)
		if (cases[i].own)
			assert_ptr_equal(own[at++], &profile->frames[i]);
	free(own);
	/* when there are no others, all are shown */
	profile->callpaths[0].count = 10;
	own = profile_path(profile, 0, &count);
	assert_int_equal(count, 10);
	free(own);
	profile_free(profile);
}

/* One call path of these functions, "[replayed]" for the launch of a graph. */
static struct profile *path_of(const char *const *functions, uint32_t count)
{
	struct profile *profile = profile_new();

	if (!profile->graph->vertex_count)
		graph_add_vertex(profile->graph, GRAPH_HOST);
	profile->vertices = xcalloc(1, sizeof(*profile->vertices));
	profile->callpaths = xcalloc(1, sizeof(*profile->callpaths));
	profile->callpath_count = 1;
	profile->callpaths[0].frames = xcalloc(count, sizeof(uint32_t));
	profile->callpaths[0].count = count;
	profile->frames = xcalloc(count, sizeof(*profile->frames));
	profile->frame_count = count;
	for (uint32_t i = 0; i < count; i++) {
		bool replay = !strcmp(functions[i], "[replayed]");

		profile->frames[i].function = xstrdup(functions[i]);
		profile->frames[i].module = xstrdup(replay ? PROFILE_GRAPH_MODULE : "/lib/x.so");
		profile->callpaths[0].frames[i] = i;
	}
	return profile;
}

/* The functions of the frames that are shown, joined. */
static void shows(const char *const *functions, uint32_t count, const char *expected)
{
	struct profile *profile = path_of(functions, count);
	const struct profile_frame **frames = profile_path(profile, 0, &count);
	char *text = profile_frames_text(frames, count);

	assert_string_equal(text, expected);
	free(text);
	free(frames);
	/* all of them stay where analyses ask */
	frames = profile_own_path(profile, 0, &count);
	assert_int_equal(count, profile->callpaths[0].count);
	free(frames);
	profile_free(profile);
}

/* Allocators, dispatchers and header libraries yield to what calls them. */
static void test_layers(void **state)
{
	static const struct {
		const char *function;
		bool layer;
	} cases[] = {
		{"c10::cuda::CUDACachingAllocator::Native::DeviceCachingAllocator::alloc_block",
		 true},
		{"void at::native::gpu_kernel_impl_nocast<at::native::FillFunctor<float> >("
		 "at::TensorIteratorBase&, at::native::FillFunctor<float> const&)",
		 true},
		{"at::native::fill_kernel_cuda(at::TensorIterator&, c10::Scalar const&)::"
		 "{lambda()#1}::operator()() const",
		 true},
		{"at::native::fill_kernel_cuda(at::TensorIterator&, c10::Scalar const&)", false},
		{"at::native::gather_cuda_kernel", false},
		{"at::native::empty_cuda", true},
		{"at::_ops::fill_::call", true},
		{"at::(anonymous namespace)::wrapper_CUDA_fill_", true},
		{"torch::ADInplaceOrView::fill_", true},
		{"torch::autograd::THPVariable_empty", false},
		{"std::vector<int, std::allocator<int> > solve<int>(int)", false},
		{"void std::__invoke_impl<void, void (*)()>(std::__invoke_other, void (*&&)())",
		 true},
		{"thrust::THRUST_300001_SM_900_NS::detail::vector_base<int>::resize", true},
		{"cutlass::device_kernel", true},
		{"cutlass::profiler::Profile::run", false},
		{"pybind11::cpp_function::dispatcher", true},
		{"main::{lambda(int)#1}::operator()(int) const", false},
		{"c10_like::f", false},
		{"std_fill", false},
		{"at", false},
		{"", false},
	};
	static const char *const fill[] = {
		"void at::native::gpu_kernel_impl_nocast<float>(at::TensorIteratorBase&)",
		"at::native::fill_kernel_cuda", "at::native::fill_out", "at::_ops::fill_::call",
		"main"};
	static const char *const layers[] = {"c10::f", "std::g"};
	static const char *const node[] = {"c10::f", "std::g", "[replayed]", "thrust::h", "main"};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		assert_int_equal(library_frame(cases[i].function, NULL), cases[i].layer);
	/* DWARF knows some functions without their namespace */
	assert_true(library_frame("call_impl<int>", "/env/torch/include/pybind11/cast.h"));
	assert_false(library_frame("call_impl<int>", "/home/me/pybind11/cast.h"));
	assert_false(library_frame(NULL, NULL));
	shows(fill, 5, "at::native::fill_kernel_cuda < at::native::fill_out < main");
	shows(layers, 2, "c10::f < std::g"); /* there are no others */
	/* of a node of a graph, where it was made and the launch are apart */
	shows(node, 5, "c10::f < std::g < [replayed] < main");
}

static void test_round_trip(void **state)
{
	char key[GRAPH_KEY_SIZE];
	struct error error = {""};
	struct profile *profile, *expected = example();
	char *dot;
	const struct profile_frame **own;
	uint32_t count;

	(void)state;
	write_example();
	assert_true(profile_is_profile(path));
	profile = profile_read(path, &error);
	if (!profile)
		fail_msg("%s", error.text);
	assert_int_equal(profile->event_rows, 0); /* not asked for */
	if (profile_read_events(profile, path, &error) != 0)
		fail_msg("%s", error.text);
	assert_true(is_example(profile));
	assert_int_equal(profile->event_rows, 3);
	assert_int_equal(profile->access_count, 2);
	for (uint32_t i = 0; i < 3; i++) {
		const struct profile_event *a = &profile->events[i], *b = &expected->events[i];

		assert_int_equal(a->vertex, b->vertex);
		assert_int_equal(a->thread, b->thread);
		assert_int_equal(a->device, b->device);
		assert_int_equal(a->stream, b->stream);
		assert_int_equal(a->range, b->range);
		assert_int_equal(a->first_access, b->first_access);
		assert_int_equal(a->access_count, b->access_count);
		assert_int_equal(a->invocation, b->invocation);
		assert_int_equal(a->start_ns, b->start_ns);
		assert_int_equal(a->end_ns, b->end_ns);
	}
	assert_int_equal(profile->range_count, 2);
	for (uint32_t i = 0; i < 2; i++) {
		const struct profile_range *a = &profile->ranges[i], *b = &expected->ranges[i];

		assert_int_equal(a->outer, b->outer);
		assert_string_equal(a->name, b->name);
		assert_int_equal(a->calls, b->calls);
		assert_int_equal(a->host_ns, b->host_ns);
		assert_true(a->time_ns == b->time_ns);
	}
	assert_null(profile->events[1].name);
	assert_string_equal(profile->events[2].name, "cudaFree");
	for (uint32_t i = 0; i < 2; i++) {
		assert_int_equal(profile->accesses[i].object, 0);
		assert_int_equal(profile->accesses[i].writer, expected->accesses[i].writer);
		assert_int_equal(profile->accesses[i].access, expected->accesses[i].access);
		assert_int_equal(profile->accesses[i].bytes, expected->accesses[i].bytes);
	}
	assert_int_equal(profile->accesses[0].redundant_bytes, 96);
	assert_int_equal(profile->accesses[0].last_block, 3);
	assert_true(profile->accesses[0].dead_bytes == PROFILE_UNKNOWN);
	assert_int_equal(profile->accesses[1].first_read_bytes, 40);
	assert_true(profile->accesses[1].redundant_bytes == PROFILE_UNKNOWN);
	assert_int_equal(profile->graph->vertices[2].host_ns, 700);
	assert_false(profile->graph->vertices[1].fields & VERTEX_HOST_NS);
	assert_string_equal(profile->command, expected->command);
	assert_int_equal(profile->date, 1700000000);
	assert_int_equal(profile->event_count, 12);
	assert_true(profile_threshold(profile, "redundancy") == 0.33);
	assert_true(profile_threshold(profile, "duplicate_bytes") == 1024);
	assert_true(isnan(profile_threshold(profile, "nothing")));
	assert_int_equal(profile->version / 1000, 1);
	assert_string_equal(profile->vflow, "0.1");
	assert_int_equal(profile->pass_count, 1);
	assert_string_equal(profile->passes[0].name, "flow");
	assert_string_equal(profile->passes[0].provider, "emulated");
	assert_int_equal(profile->passes[0].run, 1);
	assert_true(profile->passes[0].seconds == 0.5);
	assert_true(profile->passes[0].makes_graph);
	assert_int_equal(profile->processes[0].pid, 4000000000u);
	assert_string_equal(profile->processes[0].device, "d");
	assert_int_equal(profile->vertices[0].callpath, 0);
	assert_int_equal(profile->vertices[2].callpath, 1);
	assert_int_equal(profile->callpaths[0].count, 0);
	assert_int_equal(profile->callpaths[1].count, 2);
	own = profile_path(profile, 2, &count);
	assert_int_equal(count, 2);
	assert_ptr_equal(own[1], &profile->frames[profile->callpaths[1].frames[1]]);
	free(own);
	assert_null(profile_path(profile, 0, &count));
	assert_int_equal(count, 0);
	assert_true(profile->frames[0].inlined);
	assert_string_equal(profile->frames[1].build_id, "00ff");
	assert_true(profile->objects[0].address == UINT64_MAX - 1);
	assert_string_equal(profile->objects[0].name, "weights");
	assert_int_equal(profile->duplicates[0].members[0].objects, 3);
	assert_true(profile->duplicates[0].zero);
	assert_true(profile->findings[0].fraction == 1.0 / 3);
	assert_string_equal(profile->findings[2].action, "copy_once");
	assert_true(profile->findings[2].input);
	assert_int_equal(profile->writes[0].zero_writes, PROFILE_NUMBER_MAX);
	assert_int_equal(profile->fates[0].consumer, PROFILE_NO_VERTEX);
	assert_int_equal(profile->fates[0].dead_bytes, 7);
	assert_int_equal(profile->unread[0].object, 1);
	assert_int_equal(profile->unread[0].first, 1024);
	assert_int_equal(profile->unread[0].last, 4095);
	assert_int_equal(profile->unread[0].bytes, 89);
	assert_int_equal(profile->unseen[0].vertex, 2);
	assert_int_equal(profile->unseen[0].invocations, 5);
	assert_int_equal(profile->unwritten[0].object, 1);
	assert_int_equal(profile->unwritten[0].invocations, 3);
	assert_int_equal(profile->unwritten[0].bytes, 12);
	assert_string_equal(profile->failed_calls[0].function, "cudaMemset");
	assert_string_equal(profile->failed_calls[0].place.callpath, "main a.c:12");
	assert_int_equal(profile->failed_calls[0].count, 3);
	assert_int_equal(profile->failed_calls[0].place.line, 12);
	assert_int_equal(profile->findings[2].others[0], 2);
	assert_int_equal(profile->findings[2].others[1], 0);
	/* ids say what is hidden; of the second nobody knows */
	assert_string_equal(profile->coverage[0].what, "cuMemMap");
	assert_string_equal(profile->coverage[0].id, "CALL_SHARES_MEMORY");
	assert_int_equal(profile->coverage[0].hides, COVERAGE_HIDES_BOTH);
	assert_string_equal(profile->coverage[1].reason, "not seen");
	assert_null(profile->coverage[1].id);
	assert_int_equal(profile->coverage[1].hides, COVERAGE_HIDES_BOTH);
	/* derived from the findings: sorted, each once */
	assert_string_equal(profile->graph->vertices[2].patterns,
			    "duplicate_values,redundant_values");
	assert_string_equal(profile->graph->vertices[2].advice,
			    "fix redundant_values | fix duplicate_values");
	assert_false(profile->graph->vertices[1].fields & VERTEX_PATTERNS);
	assert_int_equal(profile->graph->edges[1].bytes, INT64_MAX);
	assert_false(profile->graph->edges[0].fields & (EDGE_REDUNDANCY | EDGE_REDUNDANT_BYTES));
	assert_false(profile->graph->edges[2].fields & EDGE_REDUNDANCY); /* nothing of nothing */
	assert_string_equal(graph_edge_key(&profile->graph->edges[0], key), "1:READ");
	dot = dot_of(profile->graph);
	assert_null(strstr(dot, "4000000000")); /* no process ids */
	free(dot);
	profile_free(profile);
	profile_free(expected);
}

/* Rows with texts of their own: as few as are written one by one, and more, in groups of 64. */
static void test_many_rows(void **state)
{
	static const unsigned counts[] = {1, 99, 100, 101, 163, 164, 165, 300};

	(void)state;
	for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); i++) {
		struct error error = {""};
		struct profile *profile = example();
		const uint32_t before = profile->coverage_count;

		for (unsigned k = before; k < counts[i]; k++) {
			char *what = xasprintf("what %u", k);

			profile_add_coverage_text(profile, what, k % 2 ? "odd" : "even", k + 1, 0);
			free(what);
		}
		unlink(path);
		assert_int_equal(profile_write(profile, path, &error), 0);
		profile_free(profile);
		profile = profile_read(path, &error);
		assert_non_null(profile);
		for (unsigned k = before; k < counts[i]; k++) {
			const struct profile_coverage *row = &profile->coverage[k];
			char *what = xasprintf("what %u", k);

			assert_string_equal(row->what, what);
			assert_string_equal(row->reason, k % 2 ? "odd" : "even");
			assert_int_equal(row->count, k + 1);
			free(what);
		}
		assert_true(profile->coverage_count == counts[i] || counts[i] < before);
		profile_free(profile);
	}
}

static void test_not_overwritten(void **state)
{
	struct error error;
	struct profile *profile = example();

	(void)state;
	write_example();
	assert_int_equal(profile_write(profile, path, &error), -1);
	assert_non_null(strstr(error.text, "File exists"));
	assert_int_equal(profile_write(profile, "/nowhere/x.db", &error), -1);
	assert_string_equal(error.text, "No such file or directory");
	unlink(path);
	/* what would not be readable is not written */
	profile->graph->edges[0].object = 77;
	assert_int_equal(profile_write(profile, path, &error), -1);
	assert_int_equal(access(path, F_OK), -1);
	profile_free(profile);
}

static void refuses(const char *message)
{
	struct error error = {""};
	struct profile *profile = profile_read(path, &error);

	assert_null(profile);
	if (!strstr(error.text, message) || strncmp(error.text, path, strlen(path)))
		print_message("got: %s\n", error.text);
	assert_non_null(strstr(error.text, message));
}

static unsigned char *load(size_t *size)
{
	struct stat status;
	unsigned char *bytes;
	int fd = open(path, O_RDONLY);

	assert_int_equal(fstat(fd, &status), 0);
	*size = (size_t)status.st_size;
	bytes = xmalloc(*size);
	assert_int_equal(read(fd, bytes, *size), *size);
	close(fd);
	return bytes;
}

static void save(const void *bytes, size_t size)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);

	assert_int_equal(write(fd, bytes, size), size);
	close(fd);
}

static void test_other_files(void **state)
{
	struct error error;

	(void)state;
	save("", 0);
	assert_false(profile_is_profile(path));
	refuses("the file is empty");
	save("digraph { a }", 13);
	assert_false(profile_is_profile(path));
	refuses("not a profile");
	save("SQLite format 3", 16);
	assert_true(profile_is_profile(path));
	refuses("truncated");
	unlink(path);
	assert_null(profile_read(path, &error));
	assert_non_null(strstr(error.text, "No such file"));
	assert_null(profile_read(folder, &error));
	assert_non_null(strstr(error.text, "folder"));
	assert_false(profile_is_profile("/dev/null"));
}

static void test_truncated(void **state)
{
	struct error error;
	unsigned char *bytes;
	size_t size;

	(void)state;
	write_example();
	bytes = load(&size);
	for (size_t cut = 0; cut < size; cut += cut < 200 ? 1 : 509) {
		save(bytes, cut);
		assert_null(profile_read(path, &error));
	}
	free(bytes);
}

/* One bit of each byte of the header and of every 29th after it: an error, or the same profile. */
static void test_bit_flips(void **state)
{
	const size_t step = 29;
	unsigned char *bytes;
	size_t size, refused = 0;
	int fd;

	(void)state;
	write_example();
	bytes = load(&size);
	fd = open(path, O_WRONLY);
	for (size_t at = 0; at < size; at += at < 200 ? 1 : step) {
		unsigned char flipped = bytes[at] ^ (unsigned char)(1 << at % 8);
		struct profile *profile;

		/* zeros in a row are pages' free space: a few will do */
		if (at && !bytes[at] && !bytes[at - 1] && at % 16)
			continue;
		assert_int_equal(pwrite(fd, &flipped, 1, (off_t)at), 1);
		profile = read_whole(path);
		if (profile)
			assert_true(looks_like_example(profile));
		else
			refused++;
		profile_free(profile);
		assert_int_equal(pwrite(fd, &bytes[at], 1, (off_t)at), 1);
	}
	close(fd);
	/* the content and the tables' definitions are more than 14 KB of the file */
	assert_true(refused > 14000 / step);
	free(bytes);
}

static void change(const char *sql)
{
	sqlite3 *db;
	char *message = NULL;

	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	if (sqlite3_exec(db, sql, NULL, NULL, &message) != SQLITE_OK)
		fail_msg("%s: %s", sql, message);
	assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

static void test_changed(void **state)
{
	static const struct {
		const char *sql, *message;
	} changes[] = {
		{"PRAGMA user_version = 2000",
		 "made by a newer vflow: profile version 2000, this one reads up to 1999: update "
		 "vflow"},
		{"PRAGMA user_version = 1",
		 "made by an older vflow: profile version 1, this one reads 2 and newer ones: "
		 "collect it again"},
		{"PRAGMA user_version = 0", "damaged: profile version 0"},
		{"PRAGMA user_version = 3", "damaged: profile version 3"},
		{"PRAGMA user_version = 999", "damaged: profile version 999"},
		/* of that version there were other tables */
		{"PRAGMA user_version = 2", "damaged: SQLite says: no such column"},
		{"PRAGMA application_id = 1", "not a vflow profile"},
		{"UPDATE edge SET bytes = bytes - 1 WHERE id = 1",
		 "the check sum of table edge is wrong"},
		{"UPDATE vertex SET name = 'x' WHERE id = 1",
		 "the check sum of table vertex is wrong"},
		{"UPDATE vertex SET name = char(27) || 'x' WHERE id = 1", "row 2 of table vertex"},
		{"UPDATE vertex SET name = x'ff' WHERE id = 1", "row 2 of table vertex"},
		{"UPDATE vertex SET name = CAST(x'6100ff' AS TEXT)", "row 1 of table vertex"},
		{"UPDATE edge SET object = 99", "row 1 of table edge"},
		{"UPDATE edge SET access = 3 WHERE id = 2", "row 2 of table edge"},
		{"UPDATE edge SET source = 99 WHERE id = 3", "row 3 of table edge"},
		{"UPDATE edge SET bytes = -1", "row 1 of table edge"},
		{"UPDATE edge SET bytes = 'many'", "row 1 of table edge"},
		{"UPDATE callpath SET frame = 50", "callpath"},
		{"UPDATE callpath SET position = 4000000000 WHERE position = 1", "callpath"},
		{"UPDATE vertex SET callpath = 4000000000 WHERE id = 2", "vertex"},
		{"UPDATE range SET outer = 2 WHERE id = 2", "row 2 of table range"},
		{"UPDATE range SET outer = 2 WHERE id = 1", "row 1 of table range"},
		{"UPDATE range SET calls = 9 WHERE id = 2", "row 2 of table range"},
		{"UPDATE object SET process = 2", "row 1 of table object"},
		{"UPDATE object SET memory = 9", "row 1 of table object"},
		{"UPDATE finding SET vertex = 50 WHERE id = 2", "row 2 of table finding"},
		{"UPDATE finding SET input = 2", "row 1 of table finding"},
		{"UPDATE finding SET action = 'share'", "check sum of table finding"},
		{"UPDATE fate SET bytes = bytes - 1", "check sum of table fate"},
		{"UPDATE fate SET consumer = 99", "row 1 of table fate"},
		{"UPDATE unread SET bytes = bytes - 1", "check sum of table unread"},
		{"UPDATE unread SET first = 4096", "row 1 of table unread"},
		{"UPDATE \"write\" SET writes = -1", "row 1 of table write"},
		{"UPDATE unseen SET vertex = 99", "row 1 of table unseen"},
		{"UPDATE unseen SET invocations = 4", "check sum of table unseen"},
		{"UPDATE unwritten SET invocations = 13", "row 1 of table unwritten"},
		{"UPDATE failed_call SET error = 2", "check sum of table failed_call"},
		{"UPDATE failed_call SET line = -1", "row 1 of table failed_call"},
		{"DELETE FROM run", "run"},
		{"DELETE FROM edge WHERE id = 2", "edge"},
		{"DELETE FROM coverage", "the check sum of table coverage is wrong"},
		{"DROP TABLE coverage", "table coverage is missing"},
		{"DROP TABLE edge", "table edge is missing"},
		{"DROP TABLE event", "table event is missing"},
		{"DROP TABLE checksum", "table checksum is missing"},
		{"DELETE FROM checksum", "the check sum of table checksum is wrong"},
		{"DELETE FROM checksum WHERE name = 'threshold'",
		 "the check sum of table checksum is wrong"},
		{"UPDATE checksum SET name = 'findings' WHERE name = 'finding'",
		 "the check sum of table checksum is wrong"},
		{"UPDATE checksum SET sha256 = 'x' WHERE name = 'event'",
		 "the check sum of table checksum is wrong"},
		{"UPDATE checksum SET rows = 2 WHERE name = 'pass'",
		 "the check sum of table checksum is wrong"},
		{"DELETE FROM pass", "the check sum of table pass is wrong"},
		{"UPDATE threshold SET value = 0.34", "the check sum of table threshold is wrong"},
		{"UPDATE threshold SET value = 9e999", "row 1 of table threshold"},
		{"UPDATE coverage SET kind = NULL", "the check sum of table coverage is wrong"},
		{"ALTER TABLE edge ADD COLUMN more", "the check sum of table edge is wrong"},
		{"DROP VIEW flows; ALTER TABLE edge DROP COLUMN count",
		 "table edge has no column count"},
		{"DROP VIEW flows; ALTER TABLE edge DROP COLUMN redundant_bytes",
		 "the check sum of table edge is wrong"},
		{"ALTER TABLE edge RENAME COLUMN count TO counts",
		 "table edge has no column count"},
		/* what is computed or of another type */
		{"ALTER TABLE edge ADD COLUMN more AS (bytes + 1)",
		 "table edge has columns that are computed"},
		{"DROP VIEW flows; ALTER TABLE edge DROP COLUMN count; ALTER TABLE edge ADD COLUMN "
		 "count TEXT",
		 "column count of table edge is of another type"},
		{"DROP TABLE pass; CREATE VIRTUAL TABLE pass USING fts5 (name, provider, device, "
		 "run, "
		 "seconds, makes_graph)",
		 "table pass is missing"},
		/* a view instead of a table would run what it likes */
		{"DROP TABLE coverage; CREATE VIEW coverage AS WITH RECURSIVE r(i) AS (SELECT 1 "
		 "UNION ALL SELECT i + 1 FROM r) SELECT i AS id, 'a' AS what, 'b' AS reason, 1 AS "
		 "count, "
		 "1 AS bytes FROM r",
		 "table coverage is missing"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(changes) / sizeof(*changes); i++) {
		write_example();
		change(changes[i].sql);
		refuses(changes[i].message);
	}
}

/* Damage to the events is nothing to commands that do not read them. */
static void test_changed_events(void **state)
{
	static const struct {
		const char *sql, *message;
	} changes[] = {
		{"UPDATE event SET start_ns = 2 WHERE id = 1",
		 "the check sum of table event is wrong"},
		{"DELETE FROM access; DELETE FROM event", "the check sum of table event is wrong"},
		{"DELETE FROM access", "the check sum of table access is wrong"},
		{"UPDATE event SET start_ns = 6 WHERE id = 1", "row 1 of table event"},
		{"UPDATE event SET vertex = 99 WHERE id = 1", "row 1 of table event"},
		{"UPDATE event SET vertex = NULL WHERE id = 2", "row 2 of table event"},
		{"UPDATE event SET name = 'x' WHERE id = 1", "row 1 of table event"},
		{"UPDATE event SET name = char(27) WHERE id = 3", "row 3 of table event"},
		{"UPDATE event SET process = 2", "row 1 of table event"},
		{"UPDATE event SET process = 0", "row 1 of table event"},
		{"UPDATE event SET end_ns = -1", "row 1 of table event"},
		{"UPDATE event SET id = 7 WHERE id = 3", "row 3 of table event"},
		{"UPDATE event SET range = 3 WHERE id = 2", "row 2 of table event"},
		{"UPDATE access SET event = 3 WHERE id = 2", "row 3 of table event"},
		{"UPDATE access SET event = 3 WHERE id = 1", "row 2 of table access"},
		{"UPDATE access SET object = 2", "row 1 of table access"},
		{"UPDATE access SET access = 0", "row 1 of table access"},
		{"UPDATE access SET bytes = 5000", "row 1 of table access"},
		{"UPDATE access SET redundant_bytes = 1 WHERE id = 2", "row 2 of table access"},
		{"UPDATE access SET dead_bytes = 4097 WHERE id = 1", "row 1 of table access"},
		{"UPDATE access SET taken_bytes = 4097 WHERE id = 1", "row 1 of table access"},
		{"UPDATE access SET first_read_bytes = 1 WHERE id = 1", "row 1 of table access"},
		{"UPDATE access SET last_block = 5 WHERE id = 1", "row 1 of table access"},
		{"UPDATE access SET writer = 'me'", "row 1 of table access"},
		{"WITH RECURSIVE r(i) AS (SELECT 4 UNION ALL SELECT i + 1 FROM r WHERE i < 50001) "
		 "INSERT INTO event SELECT i, 1, NULL, 1, 0, 0, 0, 0, 9, 9, NULL FROM r",
		 "row 50001 of table event"},
	};
	struct error error;

	(void)state;
	for (size_t i = 0; i < sizeof(changes) / sizeof(*changes); i++) {
		struct profile *profile;

		write_example();
		change(changes[i].sql);
		profile = profile_read(path, &error);
		assert_non_null(profile);
		assert_int_equal(profile_read_events(profile, path, &error), -1);
		if (!strstr(error.text, changes[i].message))
			fail_msg("%s: %s", changes[i].sql, error.text);
		profile_free(profile);
	}
}

/* People may add to their file; vflow does not run it and does not mind. */
static void test_additions(void **state)
{
	struct error error;
	struct profile *profile;

	(void)state;
	write_example();
	change("CREATE TABLE notes (text); INSERT INTO notes VALUES ('mine');"
	       "CREATE VIEW big AS SELECT * FROM edge WHERE bytes > 10;"
	       "CREATE INDEX edges_by_bytes ON edge (bytes);"
	       "CREATE TRIGGER t AFTER INSERT ON notes BEGIN DELETE FROM edge; END;"
	       "DROP VIEW flows; VACUUM");
	profile = profile_read(path, &error);
	assert_non_null(profile);
	assert_int_equal(profile->graph->edge_count, 3);
	profile_free(profile);
}

/* The views that people are promised. */
static void test_views(void **state)
{
	sqlite3 *db;
	sqlite3_stmt *statement;

	(void)state;
	write_example();
	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	assert_int_equal(
		sqlite3_prepare_v2(db,
				   "SELECT f.from_name, f.to_name, f.access, v.name, "
				   "o.memory, n.percent FROM flows f, vertices v, objects o, "
				   "findings n, callpaths c LIMIT 1",
				   -1, &statement, NULL),
		SQLITE_OK);
	assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
	assert_string_equal((const char *)sqlite3_column_text(statement, 0), "host");
	assert_string_equal((const char *)sqlite3_column_text(statement, 2), "READ");
	assert_string_equal((const char *)sqlite3_column_text(statement, 4), "global");
	assert_true(sqlite3_column_double(statement, 5) == 33.3);
	sqlite3_finalize(statement);
	assert_int_equal(sqlite3_prepare_v2(db, "PRAGMA foreign_key_check", -1, &statement, NULL),
			 SQLITE_OK);
	assert_int_equal(sqlite3_step(statement), SQLITE_DONE);
	sqlite3_finalize(statement);
	sqlite3_close(db);
}

/* Reading leaves nothing beside the file and needs no right to write there. */
static void test_read_only(void **state)
{
	char *journal = xasprintf("%s-journal", path), *wal = xasprintf("%s-wal", path);
	struct error error;
	struct profile *profile;

	(void)state;
	write_example();
	assert_int_equal(chmod(path, 0444), 0);
	assert_int_equal(chmod(folder, 0555), 0);
	profile = profile_read(path, &error);
	assert_int_equal(chmod(folder, 0755), 0);
	assert_non_null(profile);
	profile_free(profile);
	assert_int_equal(access(journal, F_OK), -1);
	assert_int_equal(access(wal, F_OK), -1);
	free(journal);
	free(wal);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_own_frames),      cmocka_unit_test(test_layers),
		cmocka_unit_test(test_round_trip),      cmocka_unit_test(test_order),
		cmocka_unit_test(test_not_overwritten), cmocka_unit_test(test_other_files),
		cmocka_unit_test(test_truncated),       cmocka_unit_test(test_bit_flips),
		cmocka_unit_test(test_changed),         cmocka_unit_test(test_changed_events),
		cmocka_unit_test(test_additions),       cmocka_unit_test(test_views),
		cmocka_unit_test(test_read_only),       cmocka_unit_test(test_many_rows),
	};

	return cmocka_run_group_tests_name("graph_profile", tests, make_folder, remove_folder);
}
