/*
 * No waste: vectors of Thrust that are made from a range, so that nothing is filled first, and a
 * sum whose only temporary is Thrust's own.
 */
#include <thrust/device_vector.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/reduce.h>
#include <thrust/transform.h>

#include "tests/advice/program.h"

enum { N = 16384 };

struct square {
	__host__ __device__ float operator()(float value) const
	{
		return value * value;
	}
};

int main()
{
	static float in[N], out[N], expected[N];
	double sum = 0;

	random_floats(in, N, 1);
	thrust::device_vector<float> device_in(in, in + N);
	thrust::device_vector<float> squares(
		thrust::make_transform_iterator(device_in.begin(), square()),
		thrust::make_transform_iterator(device_in.end(), square()));
	float device_sum = thrust::reduce(squares.begin(), squares.end(), 0.0f);

	thrust::transform(squares.begin(), squares.end(), device_in.begin(), device_in.begin(),
			  thrust::minus<float>());
	thrust::copy(device_in.begin(), device_in.end(), out);
	for (int i = 0; i < N; i++) {
		sum += in[i] * in[i];
		expected[i] = in[i] * in[i] - in[i];
	}
	expect(fabs(device_sum - sum) < 1e-3 * sum, "the sum of squares");
	expect_floats(out, expected, N, "the differences");
	print_checksum("sum", &device_sum, sizeof(device_sum));
	print_checksum("differences", out, sizeof(out));
	return 0;
}
