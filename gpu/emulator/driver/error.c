/*
 * gpu/emulator/driver/error.c: names and descriptions of errors, in both APIs.
 */
#include "gpu/emulator/driver/driver.h"

static const struct {
	int number;
	const char *driver, *runtime; /* NULL: not an error of that API */
	const char *description;
} errors[] = {
	{0, "CUDA_SUCCESS", "cudaSuccess", "no error"},
	{1, "CUDA_ERROR_INVALID_VALUE", "cudaErrorInvalidValue", "invalid argument"},
	{2, "CUDA_ERROR_OUT_OF_MEMORY", "cudaErrorMemoryAllocation", "out of memory"},
	{3, "CUDA_ERROR_NOT_INITIALIZED", "cudaErrorInitializationError", "initialization error"},
	{4, "CUDA_ERROR_DEINITIALIZED", "cudaErrorCudartUnloading", "driver shutting down"},
	{9, NULL, "cudaErrorInvalidConfiguration", "invalid configuration argument"},
	{12, NULL, "cudaErrorInvalidPitchValue", "invalid pitch argument"},
	{13, NULL, "cudaErrorInvalidSymbol", "invalid device symbol"},
	{21, NULL, "cudaErrorInvalidMemcpyDirection", "invalid copy direction for memcpy"},
	{35, NULL, "cudaErrorInsufficientDriver",
	 "CUDA driver version is insufficient for CUDA runtime version"},
	{52, NULL, "cudaErrorMissingConfiguration", "__global__ function call is not configured"},
	{98, NULL, "cudaErrorInvalidDeviceFunction", "invalid device function"},
	{100, "CUDA_ERROR_NO_DEVICE", "cudaErrorNoDevice", "no CUDA-capable device is detected"},
	{101, "CUDA_ERROR_INVALID_DEVICE", "cudaErrorInvalidDevice", "invalid device ordinal"},
	{200, "CUDA_ERROR_INVALID_IMAGE", "cudaErrorInvalidKernelImage",
	 "device kernel image is invalid"},
	{201, "CUDA_ERROR_INVALID_CONTEXT", "cudaErrorDeviceUninitialized",
	 "invalid device context"},
	{209, "CUDA_ERROR_NO_BINARY_FOR_GPU", "cudaErrorNoKernelImageForDevice",
	 "no kernel image is available for execution on the device"},
	{215, "CUDA_ERROR_UNSUPPORTED_LIMIT", "cudaErrorUnsupportedLimit",
	 "limit is not supported on this architecture"},
	{218, "CUDA_ERROR_INVALID_PTX", "cudaErrorInvalidPtx", "a PTX JIT compilation failed"},
	{300, "CUDA_ERROR_INVALID_SOURCE", "cudaErrorInvalidSource",
	 "device kernel image is invalid"},
	{301, "CUDA_ERROR_FILE_NOT_FOUND", "cudaErrorFileNotFound", "file not found"},
	{400, "CUDA_ERROR_INVALID_HANDLE", "cudaErrorInvalidResourceHandle",
	 "invalid resource handle"},
	{500, "CUDA_ERROR_NOT_FOUND", "cudaErrorSymbolNotFound", "named symbol not found"},
	{600, "CUDA_ERROR_NOT_READY", "cudaErrorNotReady", "device not ready"},
	{700, "CUDA_ERROR_ILLEGAL_ADDRESS", "cudaErrorIllegalAddress",
	 "an illegal memory access was encountered"},
	{701, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES", "cudaErrorLaunchOutOfResources",
	 "too many resources requested for launch"},
	{702, "CUDA_ERROR_LAUNCH_TIMEOUT", "cudaErrorLaunchTimeout",
	 "the launch timed out and was terminated"},
	{704, "CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED", "cudaErrorPeerAccessAlreadyEnabled",
	 "peer access is already enabled"},
	{705, "CUDA_ERROR_PEER_ACCESS_NOT_ENABLED", "cudaErrorPeerAccessNotEnabled",
	 "peer access has not been enabled"},
	{709, "CUDA_ERROR_CONTEXT_IS_DESTROYED", "cudaErrorContextIsDestroyed",
	 "context is destroyed"},
	{710, "CUDA_ERROR_ASSERT", "cudaErrorAssert", "device-side assert triggered"},
	{712, "CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED", "cudaErrorHostMemoryAlreadyRegistered",
	 "part or all of the requested memory range is already mapped"},
	{713, "CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED", "cudaErrorHostMemoryNotRegistered",
	 "pointer does not correspond to a registered memory region"},
	{715, "CUDA_ERROR_ILLEGAL_INSTRUCTION", "cudaErrorIllegalInstruction",
	 "an illegal instruction was encountered"},
	{716, "CUDA_ERROR_MISALIGNED_ADDRESS", "cudaErrorMisalignedAddress", "misaligned address"},
	{719, "CUDA_ERROR_LAUNCH_FAILED", "cudaErrorLaunchFailure", "unspecified launch failure"},
	{800, "CUDA_ERROR_NOT_PERMITTED", "cudaErrorNotPermitted", "operation not permitted"},
	{801, "CUDA_ERROR_NOT_SUPPORTED", "cudaErrorNotSupported", "operation not supported"},
	{999, "CUDA_ERROR_UNKNOWN", "cudaErrorUnknown", "unknown error"},
};

const char *vflow_emulator_error_name(int error, bool runtime, const char **description)
{
	for (size_t i = 0; i < sizeof(errors) / sizeof(*errors); i++)
		if (errors[i].number == error) {
			*description = errors[i].description;
			return runtime ? errors[i].runtime : errors[i].driver;
		}
	return NULL;
}

CUresult cuGetErrorName(CUresult error, const char **pStr)
{
	const char *description;

	if (!pStr)
		return CUDA_ERROR_INVALID_VALUE;
	*pStr = vflow_emulator_error_name(error, false, &description);
	return *pStr ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGetErrorString(CUresult error, const char **pStr)
{
	const char *description = NULL;

	if (!pStr)
		return CUDA_ERROR_INVALID_VALUE;
	*pStr = vflow_emulator_error_name(error, false, &description) ? description : NULL;
	return *pStr ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
