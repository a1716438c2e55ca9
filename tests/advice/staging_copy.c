/*
 * A trial step works on a copy of the state, so that the state itself stays.  The copy is made by
 * way of a staging buffer that nothing else uses.
 */
#include "tests/advice/program.h"

enum { N = 16384, ROUNDS = 4 };

struct search {
	float *state, *trial, *staging, *change; /* on the device */
};

static float state[N], change[N];

static struct search search_new(void)
{
	struct search search = {0};

	CHECK(cudaMalloc((void **)&search.state, sizeof(state)));
	CHECK(cudaMalloc((void **)&search.trial, sizeof(state)));
	CHECK(cudaMalloc((void **)&search.change, sizeof(change)));
#if !FIX_1
	CHECK(cudaMalloc((void **)&search.staging, sizeof(state)));
#endif
	return search;
}

static void copy_state(const struct search *search)
{
#if FIX_1
	CHECK(cudaMemcpy(search->trial, search->state, sizeof(state), cudaMemcpyDeviceToDevice));
#else
	/* PLANT 1: duplicate_values, share */
	CHECK(cudaMemcpy(search->staging, search->state, sizeof(state), cudaMemcpyDeviceToDevice));
	/* PLANT 1: duplicate_values, share */
	CHECK(cudaMemcpy(search->trial, search->staging, sizeof(state), cudaMemcpyDeviceToDevice));
#endif
}

static void try_step(const struct search *search, float by)
{
	CHECK(cudaMemcpy(search->state, state, sizeof(state), cudaMemcpyHostToDevice));
	copy_state(search);
	LAUNCH(shift, N / 256, 256, search->trial, by, N);
	LAUNCH(multiply, N / 256, 256, search->change, search->trial, search->state, N);
	CHECK(cudaMemcpy(change, search->change, sizeof(change), cudaMemcpyDeviceToHost));
	for (int i = 0; i < N; i++)
		expect(fabsf(change[i] - (state[i] + by) * state[i]) < 1e-4f, "the change");
	print_checksum("change", change, sizeof(change));
}

static void search_free(const struct search *search)
{
	CHECK(cudaFree(search->state));
	CHECK(cudaFree(search->trial));
	CHECK(cudaFree(search->staging));
	CHECK(cudaFree(search->change));
}

int main(void)
{
	struct search search = search_new();

	for (unsigned round = 0; round < ROUNDS; round++) {
		random_floats(state, N, round);
		try_step(&search, 0.25f * (float)(round + 1));
	}
	search_free(&search);
	return 0;
}
