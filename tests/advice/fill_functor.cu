/*
 * Arrays of a small template library are filled with a start value when they are made, and then
 * computed by a kernel that stores every element.
 */
#include "tests/advice/program.h"

enum { FLOATS = 16384, INTS = 12288 };

template <typename T> struct fill_functor {
	T value;
	__device__ T operator()(int) const
	{
		return value;
	}
};

template <typename T> struct ramp_functor {
	T first, step;
	__device__ T operator()(int i) const
	{
		return first + step * (T)i;
	}
};

template <typename T, typename Function>
static __global__ void generate_kernel(T *data, int count, Function function)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < count)
		data[i] = function(i);
}

template <typename T> class array
{
      public:
	array(int count, T start) : count(count)
	{
		CHECK(cudaMalloc(&data, count * sizeof(T)));
#if !FIX_1
		/* PLANT 1: dead_write, delete, 224K */
		generate_kernel<<<count / 256, 256>>>(data, count, fill_functor<T>{start});
#endif
		CHECK(cudaGetLastError());
		(void)start;
	}

	~array()
	{
		CHECK(cudaFree(data));
	}

	void ramp(T first, T step)
	{
		generate_kernel<<<count / 256, 256>>>(data, count, ramp_functor<T>{first, step});
		CHECK(cudaGetLastError());
	}

	void download(T *to) const
	{
		CHECK(cudaMemcpy(to, data, count * sizeof(T), cudaMemcpyDeviceToHost));
	}

      private:
	int count;
	T *data;
};

template <typename T> static void check_ramp(int count, T first, T step)
{
	static T host[FLOATS];
	array<T> ramp(count, first);

	ramp.ramp(first, step);
	ramp.download(host);
	for (int i = 0; i < count; i++)
		expect(host[i] == first + step * (T)i, "a ramp");
	print_checksum("ramp", host, count * sizeof(T));
}

int main()
{
	check_ramp<float>(FLOATS, 0.5f, 0.25f);
	check_ramp<float>(FLOATS, 3.0f, -0.5f);
	check_ramp<int>(INTS, 1, 3);
	check_ramp<int>(INTS, 7, 5);
	return 0;
}
