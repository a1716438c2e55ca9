/*
 * A wave that is damped by a table of the host.  Every step sends the table again, which nobody
 * ever changes.
 */
#include "tests/advice/program.h"

enum { N = 16384, TABLE = 4096, STEPS = 8 };

struct wave {
	float *now, *next, *attenuation; /* on the device */
};

static float wave[N], attenuation[TABLE];

static struct wave wave_new(void)
{
	struct wave w;

	CHECK(cudaMalloc((void **)&w.now, sizeof(wave)));
	CHECK(cudaMalloc((void **)&w.next, sizeof(wave)));
	CHECK(cudaMalloc((void **)&w.attenuation, sizeof(attenuation)));
	random_floats(wave, N, 1);
	CHECK(cudaMemcpy(w.now, wave, sizeof(wave), cudaMemcpyHostToDevice));
	return w;
}

static void advance(struct wave *w, int step)
{
	float *next = w->next;

	if (!FIX_1 || step == 0) {
		/* PLANT 1: duplicate_transfer, copy_once, 112K */
		CHECK(cudaMemcpy(w->attenuation, attenuation, sizeof(attenuation),
				 cudaMemcpyHostToDevice));
	}
	LAUNCH(apply_table, N / 256, 256, next, w->now, w->attenuation, TABLE, N);
	w->next = w->now;
	w->now = next;
}

int main(void)
{
	static float expected[N];
	struct wave w;

	random_floats(attenuation, TABLE, 2);
	for (int i = 0; i < TABLE; i++)
		attenuation[i] *= 0.5f;
	w = wave_new();
	memcpy(expected, wave, sizeof(wave));
	for (int step = 0; step < STEPS; step++) {
		advance(&w, step);
		for (int i = 0; i < N; i++)
			expected[i] *= attenuation[i % TABLE];
	}
	CHECK(cudaMemcpy(wave, w.now, sizeof(wave), cudaMemcpyDeviceToHost));
	expect_floats(wave, expected, N, "the wave");
	print_checksum("wave", wave, sizeof(wave));
	CHECK(cudaFree(w.now));
	CHECK(cudaFree(w.next));
	CHECK(cudaFree(w.attenuation));
	return 0;
}
