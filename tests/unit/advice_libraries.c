/* Which library has allocated memory, of call paths made by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>

#include "advice/memory/libraries.h"
#include "util/memory.h"

static void frame(struct profile *profile, const char *module, const char *function)
{
	struct profile_callpath *path = &profile->callpaths[profile->callpath_count - 1];

	ARRAY_RESERVE(profile->frames, profile->frame_count, profile->frame_capacity);
	profile->frames[profile->frame_count] = (struct profile_frame){
		.module = xstrdup(module), .function = function ? xstrdup(function) : NULL};
	path->frames = xreallocarray(path->frames, path->count + 1, sizeof(*path->frames));
	path->frames[path->count++] = profile->frame_count++;
}

/* A site without frames, and an object of it from that GPU API call on. */
static void site(struct profile *profile, uint64_t size, uint64_t call, uint64_t freed)
{
	uint32_t v = profile->graph->vertex_count;

	graph_add_vertex(profile->graph, v);
	profile->vertices = xreallocarray(profile->vertices, v + 1, sizeof(*profile->vertices));
	profile->vertices[v].callpath = v;
	ARRAY_RESERVE(profile->callpaths, profile->callpath_count, profile->callpath_capacity);
	profile->callpaths[profile->callpath_count++] = (struct profile_callpath){0};
	if (!size)
		return;
	ARRAY_RESERVE(profile->objects, profile->object_count, profile->object_capacity);
	profile->objects[profile->object_count++] =
		(struct profile_object){.site = v, .size = size};
	ARRAY_RESERVE(profile->lifetimes, profile->lifetime_count, profile->lifetime_capacity);
	profile->lifetimes[profile->lifetime_count++] = (struct profile_lifetime){
		.object = profile->object_count - 1, .made.call = call, .freed.call = freed};
}

static void is(const struct memory_library *library, const char *path, uint64_t objects,
	       uint64_t bytes, uint64_t place_bytes)
{
	if (path)
		assert_string_equal(library->path, path);
	else
		assert_null(library->path);
	assert_int_equal(library->objects, objects);
	assert_int_equal(library->bytes, bytes);
	assert_int_equal(library->place_bytes, place_bytes);
}

static void test_libraries(void **state)
{
	struct profile *profile = profile_new();
	struct memory_library *list;
	struct peaks *peaks;

	(void)state;
	site(profile, 0, 0, 0); /* the host */
	/* allocators by their functions' names, inside of who calls them */
	site(profile, 100, 0, PROFILE_UNKNOWN);
	frame(profile, "/lib/libc10.so", "c10::cuda::malloc(unsigned long)");
	frame(profile, "/lib/libnet.so", "at::native::linear(int)");
	frame(profile, "/bin/app", "main");
	/* Python says nothing, what it runs in does */
	site(profile, 10, 1, PROFILE_UNKNOWN);
	frame(profile, "[Python]", "forward");
	frame(profile, "/bin/python", NULL);
	/* freed before the place, and of the library of the first one */
	site(profile, 7, 2, 3);
	frame(profile, "/lib/libnet.so", "other");
	/* nothing but an allocator */
	site(profile, 20, 3, PROFILE_UNKNOWN);
	frame(profile, "[Python]", "f");
	frame(profile, "/lib/librmm.so", "rmm::allocate(int)");
	frame(profile, "/lib/libc10.so", "c10::run()");
	/* nothing that is known, twice */
	site(profile, 1, 4, PROFILE_UNKNOWN);
	site(profile, 2, 5, PROFILE_UNKNOWN);
	frame(profile, "[CUDA graph]", "[replayed]");

	peaks = peaks_new(profile, 0);
	assert_int_equal(memory_libraries(profile, peaks, 2 * 4, &list), 4);
	is(&list[0], "/lib/libnet.so", 2, 107, 100);
	is(&list[1], "/lib/librmm.so", 1, 20, 20);
	is(&list[2], "/bin/python", 1, 10, 10);
	is(&list[3], NULL, 2, 3, 1);
	free(list);
	peaks_free(peaks);
	profile_free(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_libraries)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
