/*
 * A program for collect_join.sh: with SECOND in its environment it calls some things more often,
 * some less, some not at all and some that it does not call else.  With a number MORE it sets more
 * often.
 */
#include <stdlib.h>

#include "cuda_runtime_api.h"

#define CHECK(call)                                                                                \
	do {                                                                                       \
		if ((call) != cudaSuccess)                                                         \
			return __LINE__;                                                           \
	} while (0)

int main(void)
{
	int second = getenv("SECOND") != NULL, more = getenv("MORE") ? atoi(getenv("MORE")) : 0;
	char host[64];
	void *a, *b;

	CHECK(cudaMalloc(&a, 4096)); /* v1 */
	for (int i = 0; i < (second ? 5 : 3) + more; i++)
		CHECK(cudaMemset(a, i, 4096)); /* v2 */
	for (int i = 0; i < (second ? 1 : 4); i++)
		CHECK(cudaMemcpy(host, a, sizeof(host), cudaMemcpyDeviceToHost)); /* v3 */
	if (second) {
		CHECK(cudaMalloc(&b, 64));
		CHECK(cudaMemset(b, 7, 64));
		CHECK(cudaFree(b));
	} else {
		CHECK(cudaMemset(a, 9, 128)); /* v4 */
	}
	CHECK(cudaMalloc(&b, second ? 2048 : 1024)); /* v5 */
	CHECK(cudaMemset(b, 0, 1024));               /* v6 */
	CHECK(cudaFree(b));
	CHECK(cudaFree(a));
	return 0;
}
