/*
 * Cells are cleared before their flags are set; of a cell nobody reads anything but the flag, which
 * lies in one unit of four bytes with members that only the clearing has written.
 *
 * LATER ON GPUS: who wrote bytes beside the flag is not kept there
 */
#include "tests/advice/values.h"

enum { CELLS = 65536 };

struct cell {
	uint8_t flag, level;
	uint16_t material;
};

static uint8_t kind[CELLS], neighbours[CELLS];

static __global__ void set_flags(struct cell *cells, const uint8_t *kind, int n)
{
	int i = INDEX;

	if (i < n)
		cells[i].flag = kind[i] + 1;
}

static __global__ void add_neighbours(uint8_t *sums, const struct cell *cells, int n)
{
	int i = INDEX;

	if (i < n)
		sums[i] = cells[i ? i - 1 : n - 1].flag + cells[i < n - 1 ? i + 1 : 0].flag;
}

int main()
{
	unsigned state = 36;
	struct cell *cells = device_array<struct cell>(CELLS);
	uint8_t *sums = device_array<uint8_t>(CELLS);

	for (int i = 0; i < CELLS; i++)
		kind[i] = (uint8_t)(random_number(&state) % 100);
	for (int i = 0; i < CELLS; i++)
		neighbours[i] = kind[i ? i - 1 : CELLS - 1] + kind[i < CELLS - 1 ? i + 1 : 0] + 2;
#if !FIX_1
	/* PLANT 1: never_read, delete, 256K, with this input */
	CHECK(cudaMemset(cells, 0, CELLS * sizeof(*cells)));
#endif
	set_flags<<<BLOCKS(CELLS)>>>(cells, upload(kind, CELLS), CELLS);
	add_neighbours<<<BLOCKS(CELLS)>>>(sums, cells, CELLS);
	check_exactly("sums", sums, neighbours, CELLS);
	return 0;
}
