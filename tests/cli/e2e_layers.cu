/*
 * The layers of a library in the manner of PyTorch between main and CUDA, and Thrust's.  The test
 * looks for the lines with a comment at their end.
 */
#include <cstdio>

#include <thrust/device_ptr.h>
#include <thrust/fill.h>

enum { COUNT = 16384, THREADS = 256 };

namespace c10
{
__attribute__((noinline)) float *allocate(size_t count)
{
	float *p = nullptr;

	return cudaMalloc(&p, count * sizeof(*p)) == cudaSuccess ? p : nullptr;
}
} // namespace c10

template <int dimensions, typename T> struct OffsetCalculator {
};

namespace at
{
namespace native
{
template <typename T> struct FillFunctor {
	T value;
	__device__ T operator()() const
	{
		return value;
	}
};

template <int width, typename Function, typename Calculator>
__global__ void vectorized_elementwise_kernel(int count, Function function, Calculator, float *out)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < count)
		out[i] = function();
}

template <typename Function>
__attribute__((noinline)) void gpu_kernel_impl_nocast(float *out, const Function &function)
{
	vectorized_elementwise_kernel<4><<<COUNT / THREADS, THREADS>>>(
		COUNT, function, OffsetCalculator<1, unsigned>(), out);
}

__attribute__((noinline)) void fill_kernel_cuda(float *out, float value)
{
	auto dispatch = [=]() { gpu_kernel_impl_nocast(out, FillFunctor<float>{value}); };
	dispatch(); /* operator */
}
} // namespace native

namespace _ops
{
__attribute__((noinline)) void fill_(float *out, float value)
{
	native::fill_kernel_cuda(out, value);
}
} // namespace _ops
} // namespace at

int main()
{
	static float values[COUNT];
	float *x = c10::allocate(COUNT); /* allocation */

	at::_ops::fill_(x, 1);                                             /* dead */
	thrust::fill_n(thrust::device_ptr<float>(x), size_t{COUNT}, 2.0f); /* thrust */
	if (cudaMemcpy(values, x, sizeof(values), cudaMemcpyDeviceToHost) != cudaSuccess)
		return 1;
	printf("%g\n", values[COUNT - 1]);
	return 0;
}
