/*
 * Vectors of Thrust: the constructor fills the new vector with zeros, which a transformation then
 * overwrites.
 */
#include <thrust/device_vector.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/transform.h>

#include "tests/advice/program.h"

enum { FIRST = 16384, SECOND = 12288 };

struct affine {
	float by, plus;
	__host__ __device__ float operator()(float value) const
	{
		return value * by + plus;
	}
};

static thrust::device_vector<float> transformed(const thrust::device_vector<float> &in,
						affine function)
{
#if FIX_1
	return thrust::device_vector<float>(thrust::make_transform_iterator(in.begin(), function),
					    thrust::make_transform_iterator(in.end(), function));
#else
	/* PLANT 1: dead_write, delete, 112K, by hand */
	thrust::device_vector<float> out(in.size());

	thrust::transform(in.begin(), in.end(), out.begin(), function);
	return out;
#endif
}

static void run(int count, affine function)
{
	static float in[FIRST], out[FIRST], expected[FIRST];

	random_floats(in, count, (unsigned)count);
	thrust::device_vector<float> device_in(in, in + count);
	thrust::device_vector<float> device_out = transformed(device_in, function);
	thrust::copy(device_out.begin(), device_out.end(), out);
	for (int i = 0; i < count; i++)
		expected[i] = function(in[i]);
	expect_floats(out, expected, count, "the transformation");
	print_checksum("transformed", out, count * sizeof(float));
}

int main()
{
	run(FIRST, affine{2.0f, 0.5f});
	run(SECOND, affine{-0.5f, 4.0f});
	return 0;
}
