/*
 * Speed of the pass after each API, by what the API did, and of the hash.  A row is
 * "name  GB/s": bytes of the object per second of one core, accesses and settling together.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "gpu/analysis/shadow.h"

#define SIZE (UINT64_C(64) << 20)
#define ROUNDS 8

static uint8_t *memory;

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void ignore(void *data, uint32_t object, const uint8_t digest[GPU_DIGEST_SIZE], bool zero)
{
	(void)data, (void)object, (void)digest, (void)zero;
}

enum pattern { READ, SAME, FRESH, ZEROS, STRIDED, HALVES, WORDS };

/* The accesses of one API; `round` makes the values differ. */
static void act(struct shadow_object *object, enum pattern pattern, unsigned round)
{
	switch (pattern) {
	case READ:
		shadow_touch(object, 0, SIZE, GPU_READ);
		break;
	case SAME:
		shadow_touch(object, 0, SIZE, GPU_WRITE);
		break;
	case ZEROS:
	case FRESH:
		memset(memory, pattern == FRESH ? (int)round + 1 : 0, SIZE);
		shadow_touch(object, 0, SIZE, GPU_WRITE);
		break;
	case STRIDED: /* one float of three */
		for (uint64_t at = 0; at + 4 <= SIZE; at += 12) {
			memory[at] = (uint8_t)round;
			shadow_touch(object, at, 4, GPU_WRITE);
		}
		break;
	case HALVES: /* two writers in every word */
		for (uint64_t at = round % 2 * 32; at < SIZE; at += 64) {
			memory[at] = (uint8_t)round;
			shadow_touch(object, at, 32, GPU_WRITE);
		}
		break;
	case WORDS: /* all of it, one warp's 128 bytes at a time */
		for (uint64_t at = 0; at < SIZE; at += 128)
			shadow_touch(object, at, 128, GPU_WRITE);
		break;
	}
}

static void measure(const char *name, enum pattern pattern, bool digests)
{
	struct shadow *shadow = shadow_create(digests);
	struct shadow_object *object = shadow_object_create(shadow, 1, 1, memory, SIZE);
	const struct gpu_row *rows;
	double spent = 0;
	size_t count;

	for (unsigned round = 0; round < ROUNDS; round++) {
		double start;

		if (!round) { /* pages and first values do not count */
			act(object, SAME, 0);
			shadow_settle(shadow, 2, &rows, &count);
			shadow_digests(shadow, ignore, NULL);
		}
		act(object, pattern, round);
		start = now();
		if (shadow_settle(shadow, 3 + round % 2, &rows, &count))
			exit(1);
		shadow_digests(shadow, ignore, NULL);
		spent += now() - start;
	}
	printf("  settle %-34s %s %6.2f GB/s\n", name, digests ? "digests" : "       ",
	       1e-9 * (double)SIZE * ROUNDS / spent);
	shadow_object_destroy(object);
	shadow_destroy(shadow);
}

static void measure_touches(void)
{
	struct shadow *shadow = shadow_create(false);
	struct shadow_object *object = shadow_object_create(shadow, 1, 1, memory, SIZE);
	double start;

	act(object, WORDS, 0);
	start = now();
	for (unsigned round = 0; round < ROUNDS; round++)
		act(object, WORDS, 0);
	printf("  touch of 128 bytes %44.1f ns\n",
	       1e9 * (now() - start) / ((double)SIZE / 128 * ROUNDS));
	start = now();
	for (unsigned round = 0; round < ROUNDS; round++)
		act(object, STRIDED, 0);
	printf("  touch of 4 bytes %46.1f ns\n",
	       1e9 * (now() - start) / ((double)SIZE / 12 * ROUNDS));
	shadow_object_destroy(object);
	shadow_destroy(shadow);
}

int main(void)
{

	memory = calloc(1, SIZE);
	if (!memory)
		return 1;
	puts("shadow memory, 64 MiB object:");
	for (int digests = 0; digests <= 1; digests++) {
		measure("all read", READ, digests);
		measure("all written, same values", SAME, digests);
		measure("all written, other values", FRESH, digests);
		measure("all written, zeros", ZEROS, digests);
		measure("one unit of three written", STRIDED, digests);
		measure("half of each word, two writers", HALVES, digests);
	}
	measure_touches();
	free(memory);
	return 0;
}
