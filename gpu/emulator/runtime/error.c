/*
 * gpu/emulator/runtime/error.c: runtime API: errors, versions.
 */
#include "gpu/emulator/runtime/runtime.h"

static __thread cudaError_t last_error;

cudaError_t runtime_result_of(const char *name, int error)
{
	if (error) {
		last_error = (cudaError_t)error;
		vflow_emulator_failed(name, error);
	}
	return (cudaError_t)error;
}

/* A fault of the device comes back with the next call that needs the device. */
cudaError_t cudaPeekAtLastError(void)
{
	return last_error;
}

cudaError_t cudaGetLastError(void)
{
	cudaError_t error = cudaPeekAtLastError();

	last_error = cudaSuccess;
	return error;
}

const char *cudaGetErrorName(cudaError_t error)
{
	const char *description, *name = vflow_emulator_error_name(error, true, &description);

	return name ? name : "unrecognized error code";
}

const char *cudaGetErrorString(cudaError_t error)
{
	const char *description;

	return vflow_emulator_error_name(error, true, &description) ? description
								    : "unrecognized error code";
}

cudaError_t cudaDriverGetVersion(int *driverVersion)
{
	if (!driverVersion)
		return runtime_result(cudaErrorInvalidValue);
	*driverVersion = EMULATOR_CUDA_VERSION;
	return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int *runtimeVersion)
{
	if (!runtimeVersion)
		return runtime_result(cudaErrorInvalidValue);
	*runtimeVersion = CUDART_MAJOR == 11 ? 11080 : CUDART_MAJOR == 12 ? 12080 : 13000;
	return cudaSuccess;
}
