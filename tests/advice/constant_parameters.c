/*
 * No waste: parameters go to constant memory before every launch, others each time.  That kernels
 * read them there is not seen.
 */
#include "tests/advice/program.h"

enum { N = 16384, PARAMETERS = 1024, STEPS = 5 };

static float parameters[PARAMETERS], signal[N], result[N];

static void send_parameters(unsigned seed)
{
	CUdeviceptr address;
	size_t size;

	random_floats(parameters, PARAMETERS, seed);
	CHECK(cuModuleGetGlobal(&address, &size, kernels_module(), "parameters"));
	expect(size == sizeof(parameters), "the size of the parameters");
	CHECK(cuMemcpyHtoD(address, parameters, sizeof(parameters)));
}

static void evaluate_signal(float *device_result, float *device_signal)
{
	LAUNCH(evaluate, N / 256, 256, device_result, device_signal, N);
	CHECK(cudaMemcpy(result, device_result, sizeof(result), cudaMemcpyDeviceToHost));
}

static void check_result(void)
{
	for (int i = 0; i < N; i++)
		expect(result[i] == signal[i] * parameters[i % PARAMETERS], "the result");
	print_checksum("result", result, sizeof(result));
}

int main(void)
{
	float *device_signal, *device_result;

	CHECK(cudaMalloc((void **)&device_signal, sizeof(signal)));
	CHECK(cudaMalloc((void **)&device_result, sizeof(result)));
	random_floats(signal, N, 100);
	CHECK(cudaMemcpy(device_signal, signal, sizeof(signal), cudaMemcpyHostToDevice));
	for (unsigned step = 0; step < STEPS; step++) {
		send_parameters(step);
		evaluate_signal(device_result, device_signal);
		check_result();
	}
	CHECK(cudaFree(device_signal));
	CHECK(cudaFree(device_result));
	return 0;
}
