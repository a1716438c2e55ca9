/*
 * What tests/cli/values.sh asks about: kernels whose loads and stores are on lines of their own, of
 * all sizes, in vectors, in shared memory, and atomics.
 */
#include <cstdio>
#include <cuda_fp16.h>

__global__ void ints(const signed char *c, const unsigned short *s, const int *i,
		     const long long *l, long long *sum)
{
	int t = blockIdx.x * blockDim.x + threadIdx.x;
	long long total = c[t]; // LINE s8
	total += s[t];          // LINE u16
	total += i[t];          // LINE s32
	total += l[t];          // LINE s64
	sum[t] = total;         // LINE sum
}

__global__ void vectors(float4 *f, double2 *d, __half2 *h)
{
	int t = threadIdx.x;
	f[t] = make_float4(t, 1, 0, -1);   // LINE float4
	double2 v = d[t];                  // LINE double2
	d[t] = make_double2(v.y, v.x + 1); // LINE stored
	h[t] = __hadd2(h[t], h[t]);        // LINE half2
}

__global__ void shared(int *out, int by)
{
	__shared__ int s[64];
	s[threadIdx.x] = threadIdx.x * by; // LINE put
	__syncthreads();
	out[threadIdx.x] = s[63 - threadIdx.x] + 1; // LINE get
}

__global__ void atomics(int *counter, float *total, unsigned *word)
{
	atomicAdd(counter, (int)threadIdx.x % 4 + 1); // LINE add
	atomicAdd(total, 0.5f);                       // LINE float
	atomicCAS(word, 0u, 9u);                      // LINE cas
}

/* The rounds are all one launch: a thread loads its limit, and stores it, in each of them. */
__global__ void rounds(const int *limits, int *last, int *x)
{
	int t = threadIdx.x;
#pragma unroll 1
	for (int n = 0; n < 4; n++) {
		x[n * 32 + t] = limits[t] + n; // LINE limit
		last[t] = n / 2;               // LINE last
	}
}

/* Others could store there in between. */
__global__ void settled(int *x)
{
	int t = threadIdx.x;
#pragma unroll 1
	for (int n = 0; n < 4; n++) {
		int other = x[t ^ 1]; // LINE settled
		__syncthreads();
		x[t ^ 1] = max(other, -1000);
		__syncthreads();
	}
}

__global__ void sampled(int *x)
{
	int t = blockIdx.x * blockDim.x + threadIdx.x;
	x[t] += 3; // LINE sampled
}

template <typename T> static T *upload(const T *from, int count)
{
	T *to;

	cudaMalloc(&to, count * sizeof(T));
	cudaMemcpy(to, from, count * sizeof(T), cudaMemcpyHostToDevice);
	return to;
}

static signed char c[128];
static unsigned short s[128];
static int i32[256], zeros[256];
static long long l[128], sum[128];
static float4 f[64];
static double2 d[64];
static __half2 h[64];
static unsigned words[4];

int main()
{
	for (int t = 0; t < 128; t++) {
		c[t] = t - 64;
		s[t] = 2 * t;
		i32[t] = t < 32 ? 7 : -t;
		l[t] = (t % 4) * (1ll << 40);
	}
	for (int t = 0; t < 64; t++) {
		d[t] = make_double2(t * 0.5, 2);
		h[t] = __floats2half2_rn(t, 1);
	}
	long long *to = upload(sum, 128);
	ints<<<2, 64>>>(upload(c, 128), upload(s, 128), upload(i32, 128), upload(l, 128), to);
	vectors<<<1, 64>>>(upload(f, 64), upload(d, 64), upload(h, 64));
	shared<<<1, 64>>>(upload(zeros, 64), 5);
	unsigned *w = upload(words, 4);
	atomics<<<1, 64>>>((int *)w, (float *)(w + 1), w + 2);
	rounds<<<1, 32>>>(upload(i32 + 32, 32), upload(zeros, 32), upload(zeros, 128));
	settled<<<1, 32>>>(upload(i32 + 32, 32));
	int *x = upload(zeros, 256);
	for (int n = 0; n < 5; n++)
		sampled<<<8, 32>>>(x);
	cudaMemcpy(sum, to, sizeof(sum), cudaMemcpyDeviceToHost);
	cudaMemcpy(words, w, sizeof(words), cudaMemcpyDeviceToHost);
	cudaMemcpy(i32, x, sizeof(i32), cudaMemcpyDeviceToHost);
	printf("%lld %u %u %d\n", sum[127], words[0], words[2], i32[255]);
	return 0;
}
