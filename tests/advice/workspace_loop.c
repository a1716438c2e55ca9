/*
 * A solver that allocates its workspace in every call and frees it at the end of the call.
 */
#include "tests/advice/program.h"

enum { N = 16384, CALLS = 5 };

struct problem {
	float *in, *out; /* on the device */
};

static float in[N], out[N];

#if FIX_1
static void solve(const struct problem *problem, float *workspace)
{
	LAUNCH(smooth, N / 256, 256, workspace, problem->in, N);
	LAUNCH(multiply, N / 256, 256, problem->out, workspace, problem->in, N);
}
#else
static void solve(const struct problem *problem)
{
	float *workspace;

	/* PLANT 1: repeated_allocation, allocate_once */
	CHECK(cudaMalloc((void **)&workspace, sizeof(in)));
	LAUNCH(smooth, N / 256, 256, workspace, problem->in, N);
	LAUNCH(multiply, N / 256, 256, problem->out, workspace, problem->in, N);
	CHECK(cudaFree(workspace));
}
#endif

static void check_solution(void)
{
	for (int i = 0; i < N; i++) {
		float left = in[i > 0 ? i - 1 : i], right = in[i < N - 1 ? i + 1 : i];
		float mean = (left + in[i] + right) / 3;

		expect(fabsf(out[i] - mean * in[i]) < 1e-4f, "the solution");
	}
	print_checksum("solution", out, sizeof(out));
}

int main(void)
{
	struct problem problem;

	CHECK(cudaMalloc((void **)&problem.in, sizeof(in)));
	CHECK(cudaMalloc((void **)&problem.out, sizeof(out)));
#if FIX_1
	float *workspace;

	CHECK(cudaMalloc((void **)&workspace, sizeof(in)));
#endif
	for (unsigned call = 0; call < CALLS; call++) {
		random_floats(in, N, call);
		CHECK(cudaMemcpy(problem.in, in, sizeof(in), cudaMemcpyHostToDevice));
#if FIX_1
		solve(&problem, workspace);
#else
		solve(&problem);
#endif
		CHECK(cudaMemcpy(out, problem.out, sizeof(out), cudaMemcpyDeviceToHost));
		check_solution();
	}
#if FIX_1
	CHECK(cudaFree(workspace));
#endif
	CHECK(cudaFree(problem.in));
	CHECK(cudaFree(problem.out));
	return 0;
}
