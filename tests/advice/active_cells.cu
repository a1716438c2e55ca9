/*
 * Which cells are active is stored as a double each, 0 or 1, of which one must be the more
 * frequent. A byte does (FIX_1), and so does a bit (FIX_2), of which a word tells whether 32 cells
 * have any work.
 *
 * COLLECT: --passes flow,values
 */
#include "tests/advice/values.h"

enum { N = 32768 };

#if FIX_2
typedef uint32_t active_type;
#elif FIX_1
typedef uint8_t active_type;
#else
typedef double active_type;
#endif

static active_type active[N];
static double field[N], grown[N];

static __global__ void grow(double *grown, const double *field, const active_type *active, int n)
{
	int i = INDEX;

	if (i < n) {
#if FIX_2
		double is = active[i / 32] >> i % 32 & 1;
#else
		/* PLANT 1: heavy_type, narrow_type, 224K, with this input */
		double is = active[i]; /* PLANT 2: frequent_values, treat_apart, with this input */
#endif
		grown[i] = field[i] * (1 + 0.3 * is);
	}
}

int main()
{
	unsigned state = 6;
	double *device_grown = device_array<double>(N);

	for (int i = 0; i < N; i++) {
		const bool is = random_number(&state) % 100 < 70;

#if FIX_2
		active[i / 32] |= (uint32_t)is << i % 32;
#else
		active[i] = is;
#endif
		field[i] = 1 + random_number(&state) / 3e7;
		grown[i] = fma(0.3, (double)is, 1.0) * field[i];
	}
	grow<<<BLOCKS(N)>>>(device_grown, upload(field, N), upload(active, FIX_2 ? N / 32 : N), N);
	check_exactly("grown", device_grown, grown, N);
	return 0;
}
