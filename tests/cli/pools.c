/* Blocks of memory pools, told by vflow/pool.h; what is expected is worked out in pools.sh. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cuda_runtime_api.h>

#include "vflow/pool.h"

static char *segment;

static void first(char *at, size_t bytes)
{
	vflow_pool_alloc("arena", at, bytes); /* FIRST */
}

static void second(char *at, size_t bytes)
{
	vflow_pool_alloc("arena", at, bytes); /* SECOND */
}

static void steps(void)
{
	first(segment, 1000);        /* 1000 */
	second(segment + 1024, 500); /* 1500 */
	vflow_pool_free("arena", segment);
	second(segment, 700);        /* 1200 */
	second(segment + 2048, 900); /* 2100: the peak, of second() alone */
	vflow_pool_free("arena", segment + 1024);
	first(segment + 1024, 100);               /* 1700 */
	vflow_pool_free("arena", segment + 2048); /* 800 */
	first(segment + 3000, 1300);              /* 2100 again: not more */
	vflow_pool_free("arena", segment + 3000);
}

static void hostile(void)
{
	char name[100];

	vflow_pool_free("odd", segment); /* never allocated */
	vflow_pool_alloc("odd", segment, 64);
	vflow_pool_alloc("odd", segment, 32);   /* twice: the first one is over */
	vflow_pool_alloc("odd", (char *)16, 8); /* in no object */
	vflow_pool_alloc("odd", (char *)UINTPTR_MAX, 8);
	vflow_pool_alloc("odd", segment + 8, 0); /* no block */
	vflow_pool_alloc("", segment, 1);
	memset(name, 'n', sizeof(name) - 1);
	name[99] = '\0';
	vflow_pool_alloc(name, segment, 5);
	name[80] = 'm'; /* the same in the first 63 bytes */
	vflow_pool_free(name, segment);
	for (int i = 0; i < 1100; i++) {
		snprintf(name, sizeof(name), "pool %d", i);
		vflow_pool_alloc(name, segment, 1);
	}
}

static void many(long count)
{
	for (long i = 0; i < count; i++) {
		vflow_pool_alloc("many", segment + i % 1000, 10);
		if (i >= 500)
			vflow_pool_free("many", segment + (i - 500) % 1000);
	}
}

int main(int count, char **arguments)
{
	const char *name = count > 1 ? arguments[1] : "";
	void *other;

	vflow_pool_alloc("arena", &count, 1); /* before CUDA has started: not seen */
	if (cudaMalloc((void **)&segment, 1 << 20) || cudaMalloc(&other, 64) || cudaFree(other) ||
	    cudaMemset(segment, 0, 1 << 20)) /* earlier than it is used */
		return 1;
	if (!strcmp(name, "steps"))
		steps();
	else if (!strcmp(name, "hostile"))
		hostile();
	else if (!strcmp(name, "many"))
		many(count > 2 ? atol(arguments[2]) : 1);
	puts("done");
	return 0;
}
