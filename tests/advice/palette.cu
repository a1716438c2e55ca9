/*
 * Absorption of the materials of cells: there are twelve materials, and a float for each cell.
 *
 * COLLECT: --passes flow,values
 */
#include "tests/advice/values.h"

enum { N = 32768, MATERIALS = 12 };

static float light[N], dimmed[N], table[MATERIALS];

#if FIX_1
typedef uint8_t cell_type;
#else
typedef float cell_type;
#endif
static cell_type cells[N];

static __global__ void dim(float *dimmed, const float *light, const cell_type *cells,
			   const float *table, int n)
{
	int i = INDEX;

	if (i < n)
#if FIX_1
		dimmed[i] = light[i] * table[cells[i]];
#else
		/* PLANT 1: heavy_type, narrow_type, 96K, with this input */
		dimmed[i] = light[i] * cells[i];
#endif
}

int main()
{
	unsigned state = 18;
	float *device_dimmed = device_array<float>(N), *device_table = NULL;

	random_floats(light, N, 19);
	random_floats(table, MATERIALS, 20);
	for (int i = 0; i < N; i++) {
		unsigned material = random_number(&state) % MATERIALS;

#if FIX_1
		cells[i] = (uint8_t)material;
#else
		cells[i] = table[material];
#endif
		dimmed[i] = light[i] * table[material];
	}
#if FIX_1
	device_table = upload(table, MATERIALS);
#endif
	dim<<<BLOCKS(N)>>>(device_dimmed, upload(light, N), upload(cells, N), device_table, N);
	check_exactly("dimmed", device_dimmed, dimmed, N);
	return 0;
}
