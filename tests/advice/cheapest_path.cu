/*
 * The cheapest path through a grid, row by row: each step costs 1 to 10, stored as an int.
 *
 * COLLECT: --passes flow,values
 */
#include "tests/advice/values.h"

enum { WIDTH = 4096, ROWS = 32 };

typedef
#if FIX_1
	uint8_t
#else
	int
#endif
		cost_type;

static cost_type costs[ROWS * WIDTH];
static int before[WIDTH], after[WIDTH];

static __global__ void advance(int *to, const int *from, const cost_type *cost, int width)
{
	int i = INDEX;

	if (i < width) {
		int best = from[i];

		if (i > 0)
			best = min(best, from[i - 1]);
		if (i < width - 1)
			best = min(best, from[i + 1]);
		/* PLANT 1: heavy_type, narrow_type, 384K, with this input */
		to[i] = best + cost[i];
	}
}

static void advance_on_host(const cost_type *cost)
{
	for (int i = 0; i < WIDTH; i++) {
		after[i] = before[i];
		if (i > 0 && before[i - 1] < after[i])
			after[i] = before[i - 1];
		if (i < WIDTH - 1 && before[i + 1] < after[i])
			after[i] = before[i + 1];
		after[i] += cost[i];
	}
	memcpy(before, after, sizeof(before));
}

int main()
{
	unsigned state = 4;
	int *from, *to;
	cost_type *device_costs;

	for (int i = 0; i < ROWS * WIDTH; i++)
		costs[i] = (cost_type)(1 + random_number(&state) % 10);
	/* what an earlier part of the grid has cost */
	for (int i = 0; i < WIDTH; i++)
		before[i] = 100000 + (int)random_number(&state);
	from = upload(before, WIDTH);
	to = device_array<int>(WIDTH);
	device_costs = upload(costs, ROWS * WIDTH);
	for (int row = 0; row < ROWS; row++) {
		int *last = from;

		advance<<<BLOCKS(WIDTH)>>>(to, from, device_costs + row * WIDTH, WIDTH);
		from = to;
		to = last;
		advance_on_host(costs + row * WIDTH);
	}
	check_exactly("cost", from, before, WIDTH);
	return 0;
}
