/*
 * Sources of asynchronous copies that the host writes, for tests/cli/overwritten.sh:
 * `overwritten CASE`.  The line of a write that comes too early ends with "too early".
 */
#include <pthread.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/programs/launch.h"

enum { PAGE = 4096, SIZE = 16 * PAGE };

static char *device;
static char *pinned;
static cudaStream_t stream, other;

static void upload(size_t offset, size_t size, cudaStream_t in)
{
	CHECK(cudaMemcpyAsync(device + offset, pinned + offset, size, cudaMemcpyHostToDevice, in));
}

static void write_byte(size_t at)
{
	((volatile char *)pinned)[at] = 3;
}

/* -- races -- */

static void run_race(void)
{
	for (int i = 0; i < 3; i++) {
		upload(0, SIZE, stream);
		((volatile char *)pinned)[5 * PAGE] = (char)i; /* too early */
		CHECK(cudaStreamSynchronize(stream));
	}
}

static void run_read(void)
{
	int ends[2];

	if (pipe(ends) != 0 || write(ends[1], "12345678", 8) != 8)
		exit(3);
	upload(0, SIZE, stream);
	if (read(ends[0], pinned + PAGE, 8) != 8) /* too early */
		exit(3);
	CHECK(cudaDeviceSynchronize());
	if (memcmp(pinned + PAGE, "12345678", 8) != 0)
		exit(3);
}

static void *other_thread(void *unused)
{
	(void)unused;
	for (size_t i = 0; i < SIZE; i++)
		((volatile char *)pinned)[i] = 9; /* too early */
	return NULL;
}

static void run_thread(void)
{
	pthread_t thread;

	upload(0, SIZE, stream);
	if (pthread_create(&thread, NULL, other_thread, NULL) != 0)
		exit(3);
	pthread_join(thread, NULL);
	CHECK(cudaStreamSynchronize(stream));
	if (pinned[SIZE - 1] != 9)
		exit(3);
}

static void run_wrong_stream(void)
{
	upload(0, SIZE, stream);
	CHECK(cudaStreamSynchronize(other));
	((volatile char *)pinned)[0] = 3; /* too early */
	CHECK(cudaStreamSynchronize(stream));
}

static void run_registered(void)
{
	char *own = aligned_alloc(PAGE, SIZE);

	memset(own, 1, SIZE);
	CHECK(cudaHostRegister(own, SIZE, 0));
	CHECK(cudaMemcpyAsync(device, own, SIZE, cudaMemcpyHostToDevice, stream));
	((volatile char *)own)[SIZE - 1] = 3; /* too early */
	CHECK(cudaStreamSynchronize(stream));
	CHECK(cudaHostUnregister(own));
	free(own);
}

/* The write to the neighbour is none, the later one is. */
static void run_then(void)
{
	upload(100, 100, stream);
	write_byte(50);
	((volatile char *)pinned)[150] = 3; /* too early */
	CHECK(cudaStreamSynchronize(stream));
}

/* -- none -- */

static void run_waited(void)
{
	for (int i = 0; i < 3; i++) {
		memset(pinned, i, SIZE);
		upload(0, SIZE, stream);
		CHECK(cudaStreamSynchronize(stream));
	}
	memset(pinned, 5, SIZE);
}

static void run_neighbour(void)
{
	upload(1000, 100, stream);
	for (size_t i = 0; i < 50; i++) {
		write_byte(i);
		write_byte(2000 + i);
	}
	CHECK(cudaStreamSynchronize(stream));
	write_byte(1050);
}

static void run_event(void)
{
	cudaEvent_t event;

	CHECK(cudaEventCreate(&event));
	upload(0, SIZE, stream);
	CHECK(cudaEventRecord(event, stream));
	CHECK(cudaEventSynchronize(event));
	write_byte(0);
}

static void run_query(void)
{
	upload(0, SIZE, stream);
	while (cudaStreamQuery(stream) != cudaSuccess)
		;
	write_byte(0);
}

static void run_ordered(void)
{
	cudaEvent_t event;

	CHECK(cudaEventCreate(&event));
	upload(0, SIZE, stream);
	CHECK(cudaEventRecord(event, stream));
	CHECK(cudaStreamWaitEvent(other, event, 0));
	CHECK(cudaStreamSynchronize(other));
	write_byte(0);
}

static void run_pageable(void)
{
	char *own = malloc(SIZE);

	memset(own, 1, SIZE);
	CHECK(cudaMemcpyAsync(device, own, SIZE, cudaMemcpyHostToDevice, stream));
	memset(own, 2, SIZE);
	free(own);
	CHECK(cudaStreamSynchronize(stream));
}

static void run_synchronous(void)
{
	CHECK(cudaMemcpy(device, pinned, SIZE, cudaMemcpyHostToDevice));
	write_byte(0);
}

static void run_read_only(void)
{
	int sum = 0;

	upload(0, SIZE, stream);
	for (size_t i = 0; i < SIZE; i++)
		sum += ((volatile char *)pinned)[i];
	CHECK(cudaStreamSynchronize(stream));
	if (sum != SIZE)
		exit(3);
}

/* The rows of the copy lie apart: what is between them is nobody's. */
static void run_rows(void)
{
	CHECK(cudaMemcpy2DAsync(device, 100, pinned, 200, 100, 20, cudaMemcpyHostToDevice, stream));
	write_byte(150);
	CHECK(cudaStreamSynchronize(stream));
}

static void run_download(void)
{
	upload(0, SIZE, stream);
	CHECK(cudaMemcpyAsync(pinned, device, SIZE, cudaMemcpyDeviceToHost, stream));
	CHECK(cudaStreamSynchronize(stream));
	write_byte(0);
}

static void run_fork(void)
{
	int status;
	pid_t child;

	upload(0, SIZE, stream);
	child = fork();
	if (child == 0) {
		memset(pinned, 8, SIZE);
		_exit(pinned[SIZE - 1] == 8 ? 0 : 3);
	}
	if (waitpid(child, &status, 0) != child || status)
		exit(3);
	CHECK(cudaStreamSynchronize(stream));
}

/* Many threads, each with a piece that begins and ends within pages: half of them write early. */
enum { PIECE = 5000, ROUNDS = 12 };

static void *stress(void *number)
{
	const size_t piece = (size_t)(uintptr_t)number;
	unsigned random = (unsigned)piece;
	cudaStream_t own;
	char *at = pinned + piece * PIECE;

	CHECK(cudaStreamCreate(&own));
	for (int i = 0; i < ROUNDS; i++) {
		size_t offset = (size_t)rand_r(&random) % (PIECE - 100);

		memset(at, i, PIECE);
		CHECK(cudaMemcpyAsync(device + piece * PIECE + offset, at + offset, 100,
				      cudaMemcpyHostToDevice, own));
		for (int k = 0; k < 20; k++)
			at[rand_r(&random) % PIECE] = (char)k;
		if (i % 10 == 0)
			free(malloc((size_t)rand_r(&random) % 100000));
		CHECK(cudaStreamSynchronize(own));
	}
	for (size_t k = 0; k < PIECE; k++)
		if (at[k] < 0 || at[k] >= 20)
			exit(3);
	return NULL;
}

static void run_stress(void)
{
	pthread_t threads[8];

	for (uintptr_t i = 0; i < 8; i++)
		if (pthread_create(&threads[i], NULL, stress, (void *)i) != 0)
			exit(3);
	for (int i = 0; i < 8; i++)
		pthread_join(threads[i], NULL);
}

static const struct {
	const char *name;
	void (*run)(void);
} cases[] = {
	{"race", run_race},
	{"read", run_read},
	{"thread", run_thread},
	{"wrong_stream", run_wrong_stream},
	{"registered", run_registered},
	{"then", run_then},
	{"waited", run_waited},
	{"neighbour", run_neighbour},
	{"event", run_event},
	{"query", run_query},
	{"ordered", run_ordered},
	{"pageable", run_pageable},
	{"synchronous", run_synchronous},
	{"read_only", run_read_only},
	{"rows", run_rows},
	{"download", run_download},
	{"fork", run_fork},
	{"stress", run_stress},
};

int main(int argc, char **argv)
{
	CHECK(cudaMalloc((void **)&device, SIZE));
	CHECK(cudaMallocHost((void **)&pinned, SIZE));
	CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
	CHECK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
	memset(pinned, 1, SIZE);
	for (size_t i = 0; argc > 1 && i < sizeof(cases) / sizeof(*cases); i++)
		if (!strcmp(cases[i].name, argv[1])) {
			cases[i].run();
			printf("%s is over\n", argv[1]);
			return 6;
		}
	return 2;
}
