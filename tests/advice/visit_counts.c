/*
 * How often the cells of a grid are visited, added up over the frames by atomics: nobody has set
 * the counters to zero before the first one.  The device's memory happens to be zero.
 *
 * LATER ON GPUS: what memory holds that nobody has written is something else each time
 */
#include "tests/advice/program.h"

enum { VISITS = 65536, CELLS = 4096, FRAMES = 4 };

static unsigned short visits[VISITS];
static int counts[CELLS], expected[CELLS];

/* Each cell at least once. */
static void draw_visits(unsigned seed)
{
	unsigned state = seed;

	for (unsigned i = 0; i < VISITS; i++) {
		visits[i] = i < CELLS ? i : random_number(&state) % CELLS;
		expected[visits[i]]++;
	}
}

int main(void)
{
	unsigned short *device_visits;
	int *device_counts;

	CHECK(cudaMalloc((void **)&device_visits, sizeof(visits)));
	CHECK(cudaMalloc((void **)&device_counts, sizeof(counts)));
#if FIX_1
	CHECK(cudaMemset(device_counts, 0, sizeof(counts)));
#endif
	for (unsigned frame = 0; frame < FRAMES; frame++) {
		draw_visits(frame);
		CHECK(cudaMemcpy(device_visits, visits, sizeof(visits), cudaMemcpyHostToDevice));
		/* PLANT 1: uninitialised_read, write_first, 16K */
		LAUNCH(histogram, VISITS / 256, 256, device_counts, device_visits, VISITS);
	}
	CHECK(cudaMemcpy(counts, device_counts, sizeof(counts), cudaMemcpyDeviceToHost));
	expect(!memcmp(counts, expected, sizeof(counts)), "the counts");
	print_checksum("counts", counts, sizeof(counts));
	CHECK(cudaFree(device_visits));
	CHECK(cudaFree(device_counts));
	return 0;
}
