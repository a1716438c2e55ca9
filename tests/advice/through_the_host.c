/*
 * Two stages of a filter that were written apart: what the first one gives goes to the host and
 * from there, untouched, to the second one.
 */
#include "tests/advice/program.h"

enum { N = 16384, SIGNALS = 4 };

struct stage {
	float *in, *out; /* on the device */
};

#if !FIX_1
static float between[N];
#endif
static float signal[N], result[N], expected[N];

/* `in`: where the input is already; NULL: nowhere yet. */
static struct stage stage_new(float *in)
{
	struct stage stage = {.in = in};

	if (!in)
		CHECK(cudaMalloc((void **)&stage.in, sizeof(signal)));
	CHECK(cudaMalloc((void **)&stage.out, sizeof(signal)));
	return stage;
}

static void smooth_signal(const struct stage *stage)
{
	CHECK(cudaMemcpy(stage->in, signal, sizeof(signal), cudaMemcpyHostToDevice));
	LAUNCH(smooth, N / 256, 256, stage->out, stage->in, N);
#if !FIX_1
	CHECK(cudaMemcpy(between, stage->out, sizeof(between), cudaMemcpyDeviceToHost));
#endif
}

static void amplify(const struct stage *stage)
{
#if !FIX_1
	/* PLANT 1: round_trip, keep_on_device, 512K */
	CHECK(cudaMemcpy(stage->in, between, sizeof(between), cudaMemcpyHostToDevice));
#endif
	LAUNCH(scale, N / 256, 256, stage->out, stage->in, 3.0f, N);
	CHECK(cudaMemcpy(result, stage->out, sizeof(result), cudaMemcpyDeviceToHost));
}

int main(void)
{
	struct stage first = stage_new(NULL), second = stage_new(FIX_1 ? first.out : NULL);

	for (unsigned i = 0; i < SIGNALS; i++) {
		random_floats(signal, N, i);
		smooth_signal(&first);
		amplify(&second);
		for (int k = 0; k < N; k++)
			expected[k] = signal[k > 0 ? k - 1 : k] + signal[k] +
				      signal[k < N - 1 ? k + 1 : k];
		expect_floats(result, expected, N, "the filtered signal");
		print_checksum("signal", result, sizeof(result));
	}
	CHECK(cudaFree(first.in));
	CHECK(cudaFree(first.out));
	if (second.in != first.out)
		CHECK(cudaFree(second.in));
	CHECK(cudaFree(second.out));
	return 0;
}
