/* Which nodes of a CUDA graph are equal. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gpu/analysis/node_ordinals.h"

static void test_ordinals(void **state)
{
	const uint64_t k = node_name("_Z1kPi"), l = node_name("_Z1lPi");
	struct graph_node nodes[] = {
		{GPU_KERNEL, 7, k, 9}, {GPU_SET, 7, 0, 9},    {GPU_KERNEL, 7, l, 9},
		{GPU_KERNEL, 8, k, 9}, {GPU_KERNEL, 7, k, 9}, {GPU_COPY, 7, 0, 9},
		{GPU_SET, 7, 0, 9},    {GPU_KERNEL, 7, k, 9}, {GPU_KERNEL, 0, k, 9},
		{GPU_KERNEL, 0, k, 9}, {GPU_KERNEL, 7, 0, 9},
	};
	static const uint32_t expected[] = {0, 0, 0, 0, 1, 0, 1, 2, 0, 1, 0};

	(void)state;
	assert_int_equal(node_ordinals(nodes, sizeof(nodes) / sizeof(*nodes)), 0);
	for (size_t i = 0; i < sizeof(nodes) / sizeof(*nodes); i++)
		assert_int_equal(nodes[i].ordinal, expected[i]);
	assert_int_equal(node_ordinals(NULL, 0), 0);
	assert_int_equal(node_name(NULL), 0);
	assert_true(k != l && k);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_ordinals)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
