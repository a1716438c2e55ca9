/*
 * The black half of a lattice is downloaded to be written down, and once more as what the next
 * comparison starts from; the white half is downloaded to two places, too, but changes in between.
 */
#include "tests/advice/program.h"

enum { N = 8192, STEPS = 3 };

static float black[N], white[2][N], before[N], expected[N];

int main(void)
{
	float *on_device[2];

	for (int i = 0; i < 2; i++) {
		random_floats(expected, N, 2 - i); /* black comes last */
		CHECK(cudaMalloc((void **)&on_device[1 - i], sizeof(black)));
		CHECK(cudaMemcpy(on_device[1 - i], expected, sizeof(black),
				 cudaMemcpyHostToDevice));
	}
	for (int step = 0; step < STEPS; step++) {
		for (int i = 0; i < 2; i++)
			LAUNCH(shift, N / 256, 256, on_device[i], 1.0f, N);
		CHECK(cudaMemcpy(black, on_device[0], sizeof(black), cudaMemcpyDeviceToHost));
		CHECK(cudaMemcpy(white[0], on_device[1], sizeof(black), cudaMemcpyDeviceToHost));
		LAUNCH(shift, 1, 256, on_device[1], 1.0f, 1);
		CHECK(cudaMemcpy(white[1], on_device[1], sizeof(black), cudaMemcpyDeviceToHost));
#if FIX_1
		memcpy(before, black, sizeof(black));
#else
		/* PLANT 1: duplicate_transfer, copy_on_host, 96K */
		CHECK(cudaMemcpy(before, on_device[0], sizeof(black), cudaMemcpyDeviceToHost));
#endif
		for (int i = 0; i < N; i++)
			expected[i] += 1;
		expect_floats(black, expected, N, "black");
		expect(!memcmp(black, before, sizeof(black)), "before");
		expect(white[0][0] + 1 == white[1][0], "white");
		print_checksum("black", black, sizeof(black));
		print_checksum("white", white, sizeof(white));
	}
	for (int i = 0; i < 2; i++)
		CHECK(cudaFree(on_device[i]));
	return 0;
}
