/*
 * No waste: fifty kernels, five operations on random numbers of ten types each.
 *
 * COLLECT: --passes flow,values
 */
#include "tests/advice/values.h"

enum { N = 16384 };

static unsigned state = 32;

static uint64_t random_word()
{
	uint64_t word = random_number(&state);

	word = word << 24 ^ random_number(&state);
	return word << 24 ^ random_number(&state);
}

/* Over all that the integer can be. */
template <typename T> static void draw(T *number)
{
	*number = (T)random_word();
}

static void draw(double *number)
{
	*number =
		((double)random_number(&state) + random_number(&state) / 16777216.0) / 8388608 - 1;
}

static void draw(float *number)
{
	double wide;

	draw(&wide);
	*number = (float)wide;
}

enum operation { ADD, SUBTRACT, LARGER, REVERSE, MIX, OPERATIONS };

/* Integers wrap. */
template <typename T> static __host__ __device__ T sum(T a, T b)
{
	return (T)((uint64_t)a + (uint64_t)b);
}

template <> __host__ __device__ float sum(float a, float b)
{
	return a + b;
}

template <> __host__ __device__ double sum(double a, double b)
{
	return a + b;
}

template <typename T> static __host__ __device__ T difference(T a, T b)
{
	return (T)((uint64_t)a - (uint64_t)b);
}

template <> __host__ __device__ float difference(float a, float b)
{
	return a - b;
}

template <> __host__ __device__ double difference(double a, double b)
{
	return a - b;
}

/* By value: of a[i] > b[i] ? a[i] : b[i] the compiler chooses an address, and loads once more. */
template <typename T> static __host__ __device__ T larger(T a, T b)
{
	return a > b ? a : b;
}

template <typename T, operation OPERATION>
static __host__ __device__ T result(const T *a, const T *b, int i)
{
	switch (OPERATION) {
	case ADD:
		return sum(a[i], b[i]);
	case SUBTRACT:
		return difference(a[i], b[i]);
	case LARGER:
		return larger(a[i], b[i]);
	case REVERSE:
		return sum(a[N - 1 - i], b[i]);
	default:
		return i % 2 ? a[i] : b[i];
	}
}

template <typename T, operation OPERATION>
static __global__ void apply(T *to, const T *a, const T *b)
{
	int i = INDEX;

	if (i < N)
		to[i] = result<T, OPERATION>(a, b, i);
}

template <typename T, operation OPERATION>
static void check(T *to, const T *device_a, const T *device_b, const T *a, const T *b)
{
	static T expected[N];

	for (int i = 0; i < N; i++)
		expected[i] = result<T, OPERATION>(a, b, i);
	apply<T, OPERATION><<<BLOCKS(N)>>>(to, device_a, device_b);
	check_exactly("result", to, expected, N);
}

template <typename T> static void check_all()
{
	static T a[N], b[N];
	T *to = device_array<T>(N), *device_a, *device_b;

	for (int i = 0; i < N; i++) {
		draw(&a[i]);
		draw(&b[i]);
	}
	device_a = upload(a, N);
	device_b = upload(b, N);
	check<T, ADD>(to, device_a, device_b, a, b);
	check<T, SUBTRACT>(to, device_a, device_b, a, b);
	check<T, LARGER>(to, device_a, device_b, a, b);
	check<T, REVERSE>(to, device_a, device_b, a, b);
	check<T, MIX>(to, device_a, device_b, a, b);
}

int main()
{
	check_all<int8_t>();
	check_all<uint8_t>();
	check_all<int16_t>();
	check_all<uint16_t>();
	check_all<int32_t>();
	check_all<uint32_t>();
	check_all<int64_t>();
	check_all<uint64_t>();
	check_all<float>();
	check_all<double>();
	return 0;
}
