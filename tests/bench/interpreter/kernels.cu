// tests/bench/interpreter/kernels.cu: kernels that keep an interpreter busy; kernels.ptx is made of
// it: nvcc -arch=compute_75 -ptx -O3 -o kernels.ptx kernels.cu
extern "C" __global__ void black(float *c, float *p, const float *s, const float *x, const float *t,
				 float r, float v, int n)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		float sq = sqrtf(t[i]);
		float d1 = (__logf(s[i] / x[i]) + (r + 0.5f * v * v) * t[i]) / (v * sq),
		      d2 = d1 - v * sq;
		auto cnd = [](float d) {
			const float A1 = 0.31938153f, A2 = -0.356563782f, A3 = 1.781477937f,
				    A4 = -1.821255978f, A5 = 1.330274429f,
				    R = 0.39894228040143267793994605993438f;
			float K = 1.0f / (1.0f + 0.2316419f * fabsf(d));
			float w = R * __expf(-0.5f * d * d) *
				  (K * (A1 + K * (A2 + K * (A3 + K * (A4 + K * A5)))));
			return d > 0 ? 1.0f - w : w;
		};
		float a = cnd(d1), b = cnd(d2), e = __expf(-r * t[i]);
		c[i] = s[i] * a - x[i] * e * b;
		p[i] = x[i] * e * (1.0f - b) - s[i] * (1.0f - a);
	}
}
extern "C" __global__ void histo(unsigned *h, const unsigned *d, int n)
{
	__shared__ unsigned s[256];
	for (int i = threadIdx.x; i < 256; i += blockDim.x)
		s[i] = 0;
	__syncthreads();
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		unsigned v = d[i];
		atomicAdd(&s[v & 255], 1u);
		atomicAdd(&s[v >> 8 & 255], 1u);
		atomicAdd(&s[v >> 16 & 255], 1u);
		atomicAdd(&s[v >> 24], 1u);
	}
	__syncthreads();
	for (int i = threadIdx.x; i < 256; i += blockDim.x)
		atomicAdd(&h[i], s[i]);
}
extern "C" __global__ void scan(float *o, const float *in, int n)
{
	__shared__ float t[512];
	int i = blockIdx.x * 256 + threadIdx.x, tid = threadIdx.x;
	int pout = 0, pin = 1;
	t[tid] = in[i];
	__syncthreads();
	for (int off = 1; off < 256; off *= 2) {
		pout = 1 - pout;
		pin = 1 - pout;
		if (tid >= off)
			t[pout * 256 + tid] = t[pin * 256 + tid] + t[pin * 256 + tid - off];
		else
			t[pout * 256 + tid] = t[pin * 256 + tid];
		__syncthreads();
	}
	o[i] = t[pout * 256 + tid];
}
extern "C" __global__ void binomial(float *o, int steps)
{
	__shared__ float c[257];
	int tid = threadIdx.x;
	c[tid] = fmaxf(0.f, (tid - 128) * 0.1f + blockIdx.x * 0.01f);
	if (!tid)
		c[256] = 12;
	__syncthreads();
	float pu = 0.5f * 0.99f, pd = 0.5f * 0.99f;
	for (int k = 0; k < steps; k++) {
		float v = pu * c[tid + 1] + pd * c[tid];
		__syncthreads();
		c[tid] = v;
		__syncthreads();
	}
	if (!tid)
		o[blockIdx.x] = c[0];
}
extern "C" __global__ void matmul(float *C, const float *A, const float *B, int n)
{
	__shared__ float a[16][16], b[16][16];
	int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * 16 + ty,
	    col = blockIdx.x * 16 + tx;
	float s = 0;
	for (int k = 0; k < n; k += 16) {
		a[ty][tx] = A[row * n + k + tx];
		b[ty][tx] = B[(k + ty) * n + col];
		__syncthreads();
#pragma unroll
		for (int j = 0; j < 16; j++)
			s += a[ty][j] * b[j][tx];
		__syncthreads();
	}
	C[row * n + col] = s;
}
extern "C" __global__ void triad(float *a, const float *b, const float *c, float s, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		a[i] = b[i] + s * c[i];
}
extern "C" __global__ void mandel(int *o, int w, int it)
{
	int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
	float cx = x * 3.0f / w - 2, cy = y * 2.0f / w - 1, zx = 0, zy = 0;
	int k = 0;
	while (k < it && zx * zx + zy * zy < 4) {
		float t = zx * zx - zy * zy + cx;
		zy = 2 * zx * zy + cy;
		zx = t;
		k++;
	}
	o[y * w + x] = k;
}
