/*
 * tests/advice/values.h: what the programs about accessed values share: arrays on the device, and
 * their check.
 */
#ifndef TESTS_ADVICE_VALUES_H
#define TESTS_ADVICE_VALUES_H

#include "tests/advice/program.h"

#define BLOCK 256
#define BLOCKS(count) (((count) + BLOCK - 1) / BLOCK), BLOCK
#define INDEX (blockIdx.x * blockDim.x + threadIdx.x)

template <typename T> static inline T *device_array(int count)
{
	T *array;

	CHECK(cudaMalloc(&array, count * sizeof(T)));
	return array;
}

template <typename T> static inline T *upload(const T *from, int count)
{
	T *to = device_array<T>(count);

	CHECK(cudaMemcpy(to, from, count * sizeof(T), cudaMemcpyHostToDevice));
	return to;
}

template <typename T> static inline void download(T *to, const T *from, int count)
{
	CHECK(cudaGetLastError());
	CHECK(cudaMemcpy(to, from, count * sizeof(T), cudaMemcpyDeviceToHost));
}

/* What is there is as expected; prints its check sum. */
static inline void check_floats(const char *what, const float *device, const float *expected,
				int count)
{
	float *host = (float *)host_alloc(count * sizeof(*host));

	download(host, device, count);
	expect_floats(host, expected, count, what);
	print_checksum(what, host, count * sizeof(*host));
	free(host);
}

template <typename T>
static inline void check_exactly(const char *what, const T *device, const T *expected, int count)
{
	T *host = (T *)host_alloc(count * sizeof(*host));

	download(host, device, count);
	expect(!memcmp(host, expected, count * sizeof(*host)), what);
	print_checksum(what, host, count * sizeof(*host));
	free(host);
}

#endif
