/* The kernels of filters.c. */

__device__ unsigned total;
__constant__ unsigned scale = 3;

struct box {
	int tag;
	unsigned *data;
};

extern "C" __global__ void fill(unsigned *data, unsigned value)
{
	data[threadIdx.x] = value;
}

/* Writes through a pointer that lies in memory. */
extern "C" __global__ void through(unsigned *const *table)
{
	table[0][threadIdx.x] = 5;
}

/* Writes through a pointer inside a structure, and a variable of the module. */
extern "C" __global__ void stash(struct box box)
{
	box.data[threadIdx.x] = box.tag * scale;
	if (threadIdx.x == 0)
		total = 9;
}

/* _Z5halveIjEvPT_: "void halve<unsigned int>(unsigned int*)" */
template <typename T> __global__ void halve(T *data)
{
	data[threadIdx.x] /= 2;
}
template __global__ void halve(unsigned *data);
