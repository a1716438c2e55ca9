/*
 * The kernels of tests/random/program.c.  All but the narrow ones take `count` words; none depends
 * on the order of threads.
 */

static __device__ unsigned thread_index()
{
	return blockIdx.x * blockDim.x + threadIdx.x;
}

extern "C" __global__ void fill(unsigned *to, const unsigned *, unsigned value, unsigned count)
{
	unsigned i = thread_index();

	if (i < count)
		to[i] = value;
}

extern "C" __global__ void compute(unsigned *to, const unsigned *from, unsigned value,
				   unsigned count)
{
	unsigned i = thread_index();

	if (i < count)
		to[i] = from[i] * 3 + value;
}

extern "C" __global__ void in_place(unsigned *to, const unsigned *, unsigned value, unsigned count)
{
	unsigned i = thread_index();

	if (i < count)
		to[i] = to[i] * 5 + value;
}

extern "C" __global__ void accumulate(unsigned *to, const unsigned *from, unsigned value,
				      unsigned count)
{
	unsigned i = thread_index();

	if (i < count)
		to[i] += from[i] * (value + 1);
}

/* Every word of `to` is stored once where count is no multiple of 7. */
extern "C" __global__ void scatter(unsigned *to, const unsigned *from, unsigned value,
				   unsigned count)
{
	unsigned i = thread_index();

	if (i < count)
		to[(i * 7 + value) % count] = from[i];
}

/* Which words are stored depends on what is read; some are with each content. */
extern "C" __global__ void store_some(unsigned *to, const unsigned *from, unsigned value,
				      unsigned count)
{
	unsigned i = thread_index();

	if (i < count && ((from[i] ^ i) & 1 || i == 0))
		to[i] = value;
}

/* Byte `value` of each word. */
extern "C" __global__ void store_bytes(unsigned *to, const unsigned *, unsigned value,
				       unsigned count)
{
	unsigned i = thread_index();

	if (i < count)
		((unsigned char *)to)[4 * i + value % 4] = (unsigned char)(i + value);
}

/* All bytes. */
extern "C" __global__ void copy_bytes(unsigned *to, const unsigned *from, unsigned, unsigned count)
{
	unsigned i = thread_index();

	for (unsigned byte = 4 * i; i < count && byte < 4 * i + 4; byte++)
		((unsigned char *)to)[byte] = ((const unsigned char *)from)[byte];
}

/* One of two columns of 16 bits. */
extern "C" __global__ void store_column(unsigned *to, const unsigned *from, unsigned value,
					unsigned count)
{
	unsigned i = thread_index();

	if (i < count)
		((unsigned short *)to)[2 * i + value % 2] =
			((const unsigned short *)from)[2 * i + (value + 1) % 2];
}
