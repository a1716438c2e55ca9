/* gpu/analysis/node_ordinals.c: see node_ordinals.h. */
#include "gpu/analysis/node_ordinals.h"

#include <stdlib.h>

/* FNV-1a: two names with one hash would be equal, and have different ordinals. */
uint64_t node_name(const char *name)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (; name && *name; name++)
		hash = (hash ^ (unsigned char)*name) * UINT64_C(0x100000001b3);
	return name ? hash : 0;
}

static int by_number(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int compare(const struct graph_node *a, const struct graph_node *b)
{
	int order = by_number(a->path, b->path);

	if (!order)
		order = by_number(a->api, b->api);
	return order ? order : by_number(a->name, b->name);
}

/* Equal nodes stay in the order of the array that the pointers point to. */
static int by_node(const void *a, const void *b)
{
	const struct graph_node *x = *(struct graph_node *const *)a;
	const struct graph_node *y = *(struct graph_node *const *)b;
	int order = compare(x, y);

	return order ? order : (x > y) - (x < y);
}

int node_ordinals(struct graph_node *nodes, size_t count)
{
	struct graph_node **sorted = calloc(count + 1, sizeof(struct graph_node *));

	if (!sorted)
		return -1;
	for (size_t i = 0; i < count; i++)
		sorted[i] = &nodes[i];
	qsort(sorted, count, sizeof(struct graph_node *), by_node);
	for (size_t i = 0; i < count; i++)
		sorted[i]->ordinal =
			i && !compare(sorted[i - 1], sorted[i]) ? sorted[i - 1]->ordinal + 1 : 0;
	free(sorted);
	return 0;
}
