/* tests/bench/interpreter/kernels.c: see kernels.h. */
#include "tests/bench/interpreter/kernels.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

static float cnd(float d)
{
	const float a1 = 0.31938153f, a2 = -0.356563782f, a3 = 1.781477937f, a4 = -1.821255978f,
		    a5 = 1.330274429f;
	float k = 1.0f / (1.0f + 0.2316419f * fabsf(d));
	float w = 0.3989422804f * expf(-0.5f * d * d) *
		  (k * (a1 + k * (a2 + k * (a3 + k * (a4 + k * a5)))));

	return d > 0 ? 1.0f - w : w;
}

static void black(const struct arrays *x, int n)
{
	const float r = 0.02f, v = 0.3f;

	for (int i = 0; i < n; i++) {
		float s = x->c[i], t = x->e[i], strike = x->d[i], root = sqrtf(t);
		float d1 = (logf(s / strike) + (r + 0.5f * v * v) * t) / (v * root);
		float d2 = d1 - v * root, first = cnd(d1), second = cnd(d2), e = expf(-r * t);

		x->a[i] = s * first - strike * e * second;
		x->b[i] = strike * e * (1.0f - second) - s * (1.0f - first);
	}
}

static void histo(const struct arrays *x, int n)
{
	for (int i = 0; i < n; i++)
		for (int shift = 0; shift < 32; shift += 8)
			x->counts[x->values[i] >> shift & 255]++;
}

static void scan(const struct arrays *x, int n)
{
	float t[2][256];

	for (int block = 0; block < n / 256; block++) {
		int out = 0;

		memcpy(t[0], x->c + block * 256, sizeof(t[0]));
		for (int offset = 1; offset < 256; offset *= 2) {
			out = !out;
			for (int i = 0; i < 256; i++)
				t[out][i] =
					i >= offset ? t[!out][i] + t[!out][i - offset] : t[!out][i];
		}
		memcpy(x->a + block * 256, t[out], sizeof(t[0]));
	}
}

static void binomial(const struct arrays *x, int n)
{
	const float up = 0.495f, down = 0.495f;

	for (int block = 0; block < n; block++) {
		float c[257];

		for (int i = 0; i < 257; i++)
			c[i] = fmaxf(0, (float)(i - 128) * 0.1f + (float)block * 0.01f);
		for (int k = 0; k < 256; k++)
			for (int i = 0; i < 256; i++)
				c[i] = up * c[i + 1] + down * c[i];
		x->a[block] = c[0];
	}
}

static void matmul(const struct arrays *x, int n)
{
	for (int row = 0; row < n; row++)
		for (int column = 0; column < n; column++) {
			float sum = 0;

			for (int k = 0; k < n; k++)
				sum += x->c[row * n + k] * x->d[k * n + column];
			x->a[row * n + column] = sum;
		}
}

static void triad(const struct arrays *x, int n)
{
	for (int i = 0; i < n; i++)
		x->a[i] = x->c[i] + 3.0f * x->d[i];
}

static void mandel(const struct arrays *x, int n)
{
	for (int row = 0; row < n; row++)
		for (int column = 0; column < n; column++) {
			float cx = (float)column * 3.0f / (float)n - 2,
			      cy = (float)row * 2.0f / (float)n - 1;
			float zx = 0, zy = 0;
			int k = 0;

			while (k < 64 && zx * zx + zy * zy < 4) {
				float t = zx * zx - zy * zy + cx;

				zy = 2 * zx * zy + cy;
				zx = t;
				k++;
			}
			x->steps[row * n + column] = k;
		}
}

const struct plain_kernel PLAIN_KERNELS[] = {
	{"black", black},   {"histo", histo}, {"scan", scan},     {"binomial", binomial},
	{"matmul", matmul}, {"triad", triad}, {"mandel", mandel}, {NULL, NULL},
};
