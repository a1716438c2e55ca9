/* Kernels of exactness.c: each touches bytes that can be counted by hand. */
#include "tests/programs/scattered.h"

__device__ int thread_index()
{
	return blockIdx.x * blockDim.x + threadIdx.x;
}

extern "C" __global__ void store_third_bytes(unsigned char *data, int size)
{
	int i = 3 * thread_index();

	if (i < size)
		data[i] = 0x33;
}

extern "C" __global__ void store_words(unsigned *data, int count, unsigned bits)
{
	int i = thread_index();

	if (i < count)
		data[i] = bits;
}

extern "C" __global__ void store_float(float *data, int count, float value)
{
	int i = thread_index();

	if (i < count)
		data[i] = value;
}

extern "C" __global__ void increment(int *data, int count)
{
	int i = thread_index();

	if (i < count)
		data[i]++;
}

/* Reads the word before it writes another value and a third: both accesses count once. */
extern "C" __global__ void write_twice(volatile int *data, int count)
{
	int i = thread_index();

	if (i < count) {
		data[i] = 7;
		data[i] = data[i] + 1;
	}
}

extern "C" __global__ void atomic_add(int *counters, unsigned long long *wide, float *real)
{
	atomicAdd(&counters[threadIdx.x % 4], 1);
	atomicAdd(wide, 1ull);
	atomicAdd(real, 1.0f);
}

extern "C" __global__ void failing_swap(int *counters, int *seen)
{
	int i = thread_index();

	seen[i] = atomicCAS(&counters[i], -1, 5);
}

/* The store and the load stand in the code of every thread, but only some execute them. */
extern "C" __global__ void predicated(unsigned *data, unsigned *sink, int count)
{
	int i = thread_index();
	unsigned value = i;

	asm volatile("{\n"
		     ".reg .pred p;\n"
		     "setp.lt.s32 p, %2, %3;\n"
		     "@!p ld.global.u32 %0, [%1];\n"
		     "@p st.global.u32 [%1], 0x01010101;\n"
		     "}"
		     : "+r"(value)
		     : "l"(data + i), "r"(i), "r"(count)
		     : "memory");
	if (value == 0xffffffff) /* never: keeps the load alive */
		sink[i] = value;
}

__device__ int table[256];
__constant__ int factor = 3;

extern "C" __global__ void write_table(int count)
{
	int i = thread_index();

	if (i < count)
		table[i] = i;
}

extern "C" __global__ void read_table(int *data, int count)
{
	int i = thread_index();

	if (i < count)
		data[i] = 0x01010101 * factor + 0 * ((volatile int *)table)[i];
}

__noinline__ __device__ int sum_to(int n)
{
	int sum = 0;

	for (int i = 1; i <= n; i++)
		sum += i;
	return sum;
}

__noinline__ __device__ void store_sum(int *data, int i)
{
	data[i] = sum_to(i);
}

extern "C" __global__ void call_function(int *data, int count)
{
	int i = thread_index();

	if (i < count)
		store_sum(data, i);
}

/* Turns each block's 256 words round through shared memory. */
extern "C" __global__ void reverse_blocks(const int *from, int *to)
{
	__shared__ int tile[256];

	tile[threadIdx.x] = from[thread_index()];
	__syncthreads();
	to[thread_index()] = tile[blockDim.x - 1 - threadIdx.x];
}

/* A C++ name: vertices show it demangled. */
template <typename number> __global__ void scale(number *data, number by, int count)
{
	int i = thread_index();

	if (i < count)
		data[i] *= by;
}

template __global__ void scale<float>(float *, float, int);

extern "C" __global__ void vector_store(float4 *data, int count)
{
	int i = thread_index();

	if (i < count)
		data[i] = make_float4(1.1f, 2.2f, 3.3f, 4.4f);
}

/* -- values of several widths -- */

extern "C" __global__ void store_doubles(double *data, int count, double even, double odd)
{
	int i = thread_index();

	if (i < count)
		data[i] = i % 2 ? odd : even;
}

extern "C" __global__ void store_shorts(unsigned short *data, int count, unsigned short even,
					unsigned short odd)
{
	int i = thread_index();

	if (i < count)
		data[i] = i % 2 ? odd : even;
}

extern "C" __global__ void store_bytes(unsigned char *data, int count, unsigned char value)
{
	int i = thread_index();

	if (i < count)
		data[i] = value;
}

extern "C" __global__ void store_lane(float4 *data, int count, float y)
{
	int i = thread_index();

	if (i < count)
		data[i] = make_float4(0, y, 0, 0);
}

struct record {
	double real;
	int number; /* and four bytes that nobody writes */
};

extern "C" __global__ void store_records(struct record *data, int count, double real, int number)
{
	int i = thread_index();

	if (i < count) {
		data[i].real = real;
		data[i].number = number;
	}
}

extern "C" __global__ void add_one(const int *from, int *to, int count)
{
	int i = thread_index();

	if (i < count)
		to[i] = from[i] + 1;
}

/* One lane reads one word. */
extern "C" __global__ void pick(const unsigned *data, int index, unsigned *to)
{
	if (thread_index() == 0)
		*to = data[index];
}

extern "C" __global__ void out_of_bounds(int *data, int index)
{
	data[index] = 1;
}

/* Each thread loads or stores where scattered_place says, if anywhere. */
extern "C" __global__ void scatter(unsigned char *a, unsigned char *b, unsigned a_size,
				   unsigned b_size, unsigned seed)
{
	struct scattered_place place =
		scattered_place(seed, (unsigned)thread_index(), a_size, b_size);
	void *at = (place.second ? b : a) + place.offset;
	const unsigned bits = SCATTERED_BYTE * 0x01010101u;

	if (!place.size)
		return;
	if (place.writes && place.size == 1)
		asm volatile("st.u8 [%0], %1;" ::"l"(at), "r"(bits) : "memory");
	else if (place.writes && place.size == 2)
		asm volatile("st.u16 [%0], %1;" ::"l"(at), "h"((short)bits) : "memory");
	else if (place.writes && place.size == 4)
		asm volatile("st.global.u32 [%0], %1;" ::"l"(at), "r"(bits) : "memory");
	else if (place.writes && place.size == 8)
		asm volatile("st.v2.u32 [%0], {%1, %1};" ::"l"(at), "r"(bits) : "memory");
	else if (place.writes)
		asm volatile("st.v4.u32 [%0], {%1, %1, %1, %1};" ::"l"(at), "r"(bits) : "memory");
	else if (place.size == 1)
		asm volatile("{ .reg .u32 r; ld.volatile.u8 r, [%0]; }" ::"l"(at) : "memory");
	else if (place.size == 2)
		asm volatile("{ .reg .u16 r; ld.volatile.u16 r, [%0]; }" ::"l"(at) : "memory");
	else if (place.size == 4)
		asm volatile("{ .reg .u32 r; ld.volatile.global.u32 r, [%0]; }" ::"l"(at)
			     : "memory");
	else if (place.size == 8)
		asm volatile("{ .reg .u32 r<2>; ld.volatile.v2.u32 {r0, r1}, [%0]; }" ::"l"(at)
			     : "memory");
	else
		asm volatile(
			"{ .reg .u32 r<4>; ld.volatile.v4.u32 {r0, r1, r2, r3}, [%0]; }" ::"l"(at)
			: "memory");
}
