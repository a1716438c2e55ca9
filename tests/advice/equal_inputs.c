/*
 * Compares pairs of signals that come from different places.  Those of one pair happen to be equal
 * with this input.
 */
#include "tests/advice/program.h"

enum { N = 16384, PAIRS = 4, EQUAL = 2 };

struct pair {
	float *left, *right, *change; /* on the device */
};

static float left[N], right[N], change[N];

static struct pair pair_new(void)
{
	struct pair pair;

	CHECK(cudaMalloc((void **)&pair.left, sizeof(left)));
	CHECK(cudaMalloc((void **)&pair.right, sizeof(right)));
	CHECK(cudaMalloc((void **)&pair.change, sizeof(change)));
	return pair;
}

static void compare(const struct pair *pair)
{
	CHECK(cudaMemcpy(pair->left, left, sizeof(left), cudaMemcpyHostToDevice));
	/* NOTE 1: duplicate_transfer|duplicate_values */
	CHECK(cudaMemcpy(pair->right, right, sizeof(right), cudaMemcpyHostToDevice));
	LAUNCH(difference, N / 256, 256, pair->change, pair->left, pair->right, N);
	CHECK(cudaMemcpy(change, pair->change, sizeof(change), cudaMemcpyDeviceToHost));
}

static void check_change(void)
{
	for (int i = 0; i < N; i++)
		expect(change[i] == left[i] - right[i], "the difference");
	print_checksum("difference", change, sizeof(change));
}

static void pair_free(const struct pair *pair)
{
	CHECK(cudaFree(pair->left));
	CHECK(cudaFree(pair->right));
	CHECK(cudaFree(pair->change));
}

int main(void)
{
	struct pair pair = pair_new();

	for (unsigned i = 0; i < PAIRS; i++) {
		random_floats(left, N, 2 * i);
		random_floats(right, N, i == EQUAL ? 2 * i : 2 * i + 1);
		compare(&pair);
		check_change();
	}
	pair_free(&pair);
	return 0;
}
