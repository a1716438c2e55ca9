/*
 * A simulation that looks after each step whether a number has got out of hand: times 0 it is not
 * 0 then.  With this input it never is, so that the host holds what each look brings; a device that
 * computes the status anew may bring something else another time.
 */
#include "tests/advice/program.h"

enum { N = 8192, STEPS = 5 };

static float state[N], status[N], expected[N];

static void check_status(void)
{
	for (int i = 0; i < N; i++)
		expect(status[i] == 0, "the status");
}

int main(void)
{
	float *device_state, *device_status = NULL;

	random_floats(expected, N, 1);
	CHECK(cudaMalloc((void **)&device_state, sizeof(state)));
#if !FIX_1
	CHECK(cudaMalloc((void **)&device_status, sizeof(status)));
#endif
	CHECK(cudaMemcpy(device_state, expected, sizeof(state), cudaMemcpyHostToDevice));
	for (int step = 0; step < STEPS; step++) {
		LAUNCH(shift, N / 256, 256, device_state, 1.0f, N);
#if !FIX_1
		/* NOTE 1: redundant_values */
		LAUNCH(scale, N / 256, 256, device_status, device_state, 0.0f, N);
		/* PLANT 1: duplicate_transfer, delete, 160K, by hand, with this input */
		CHECK(cudaMemcpy(status, device_status, sizeof(status), cudaMemcpyDeviceToHost));
#endif
		check_status();
		for (int i = 0; i < N; i++)
			expected[i] += 1;
	}
	CHECK(cudaMemcpy(state, device_state, sizeof(state), cudaMemcpyDeviceToHost));
	expect_floats(state, expected, N, "the state");
	print_checksum("state", state, sizeof(state));
	CHECK(cudaFree(device_state));
	CHECK(cudaFree(device_status));
	return 0;
}
