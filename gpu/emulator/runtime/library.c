/*
 * gpu/emulator/runtime/library.c: runtime API: code that the program loads itself, kernels by their
 * handles, and entries of the driver API by name.
 */
#include <string.h>

#include "gpu/emulator/include/cuda.h"
#include "gpu/emulator/runtime/runtime.h"

#undef cuGetProcAddress

typedef struct CUlib_st *cudaLibrary_t;

EXPORT cudaError_t cudaLibraryLoadData(cudaLibrary_t *library, const void *code, void *jit,
				       void **jit_values, unsigned jit_count, void *options,
				       void **values, unsigned count);
EXPORT cudaError_t cudaLibraryLoadFromFile(cudaLibrary_t *library, const char *path, void *jit,
					   void **jit_values, unsigned jit_count, void *options,
					   void **values, unsigned count);
EXPORT cudaError_t cudaLibraryUnload(cudaLibrary_t library);
EXPORT cudaError_t cudaLibraryGetKernel(cudaKernel_t *kernel, cudaLibrary_t library,
					const char *name);
EXPORT cudaError_t cudaLibraryGetGlobal(void **address, size_t *bytes, cudaLibrary_t library,
					const char *name);
EXPORT cudaError_t cudaLibraryGetManaged(void **address, size_t *bytes, cudaLibrary_t library,
					 const char *name);
EXPORT cudaError_t cudaLibraryGetKernelCount(unsigned *count, cudaLibrary_t library);
EXPORT cudaError_t cudaLibraryEnumerateKernels(cudaKernel_t *kernels, unsigned count,
					       cudaLibrary_t library);
EXPORT cudaError_t cudaGetKernel(cudaKernel_t *kernel, const void *function);
EXPORT cudaError_t cudaGetFuncBySymbol(cudaFunction_t *function, const void *symbol);
EXPORT cudaError_t cudaKernelSetAttributeForDevice(cudaKernel_t kernel, enum cudaFuncAttribute attr,
						   int value, int device);
EXPORT cudaError_t cudaFuncGetParamInfo(const void *func, size_t index, size_t *offset,
					size_t *size);
EXPORT cudaError_t cudaGetDriverEntryPoint(const char *symbol, void **entry,
					   unsigned long long flags, int *status);
EXPORT cudaError_t cudaGetDriverEntryPointByVersion(const char *symbol, void **entry,
						    unsigned version, unsigned long long flags,
						    int *status);

cudaError_t cudaLibraryLoadData(cudaLibrary_t *library, const void *code, void *jit,
				void **jit_values, unsigned jit_count, void *options, void **values,
				unsigned count)
{
	const struct emulator_jit compiler = {jit, jit_values, jit_count};
	struct emulator_module *module;
	int error;

	(void)options, (void)values, (void)count;
	ATTACH();
	error = library ? vflow_emulator_module_load(code, SIZE_MAX, &compiler, &module)
			: (int)cudaErrorInvalidValue;
	if (!error)
		*library = (cudaLibrary_t)module;
	return runtime_result(error);
}

cudaError_t cudaLibraryLoadFromFile(cudaLibrary_t *library, const char *path, void *jit,
				    void **jit_values, unsigned jit_count, void *options,
				    void **values, unsigned count)
{
	CUmodule module;
	int error;

	(void)jit, (void)jit_values, (void)jit_count, (void)options, (void)values, (void)count;
	ATTACH();
	error = library ? (int)cuModuleLoad(&module, path) : (int)cudaErrorInvalidValue;
	if (!error)
		*library = (cudaLibrary_t)module;
	return runtime_result(error);
}

cudaError_t cudaLibraryUnload(cudaLibrary_t library)
{
	ATTACH();
	return runtime_result(vflow_emulator_module_unload((struct emulator_module *)library));
}

cudaError_t cudaLibraryGetKernel(cudaKernel_t *kernel, cudaLibrary_t library, const char *name)
{
	struct emulator_kernel *found;
	int error;

	ATTACH();
	error = kernel ? vflow_emulator_module_kernel((struct emulator_module *)library, name,
						      &found)
		       : (int)cudaErrorInvalidValue;
	if (!error)
		*kernel = (cudaKernel_t)found;
	return runtime_result(error);
}

cudaError_t cudaLibraryGetGlobal(void **address, size_t *bytes, cudaLibrary_t library,
				 const char *name)
{
	uint64_t found, size;
	int error;

	ATTACH();
	error = vflow_emulator_module_variable((struct emulator_module *)library, name, &found,
					       &size);
	if (!error && address)
		*address = (void *)(uintptr_t)found;
	if (!error && bytes)
		*bytes = size;
	return runtime_result(error);
}

cudaError_t cudaLibraryGetManaged(void **address, size_t *bytes, cudaLibrary_t library,
				  const char *name)
{
	cudaError_t error = cudaLibraryGetGlobal(address, bytes, library, name);

	if (!error && address)
		vflow_emulator_variable_shared((uintptr_t)*address);
	return error;
}

cudaError_t cudaLibraryGetKernelCount(unsigned *count, cudaLibrary_t library)
{
	ATTACH();
	return runtime_result(count ? vflow_emulator_module_kernels(
					      (struct emulator_module *)library, NULL, 0, count)
				    : (int)cudaErrorInvalidValue);
}

cudaError_t cudaLibraryEnumerateKernels(cudaKernel_t *kernels, unsigned count,
					cudaLibrary_t library)
{
	unsigned all;

	ATTACH();
	return runtime_result(kernels ? vflow_emulator_module_kernels(
						(struct emulator_module *)library,
						(struct emulator_kernel **)kernels, count, &all)
				      : (int)cudaErrorInvalidValue);
}

cudaError_t cudaGetFuncBySymbol(cudaFunction_t *function, const void *symbol)
{
	struct emulator_kernel *kernel;
	int error;

	ATTACH();
	error = function ? registry_kernel(symbol, &kernel) : (int)cudaErrorInvalidValue;
	if (!error)
		*function = (cudaFunction_t)kernel;
	return runtime_result(error);
}

cudaError_t cudaGetKernel(cudaKernel_t *kernel, const void *function)
{
	return DELEGATE(cudaGetFuncBySymbol((cudaFunction_t *)kernel, function));
}

cudaError_t cudaKernelSetAttributeForDevice(cudaKernel_t kernel, enum cudaFuncAttribute attr,
					    int value, int device)
{
	return device ? runtime_result(cudaErrorInvalidDevice)
		      : cudaFuncSetAttribute(kernel, attr, value);
}

cudaError_t cudaFuncGetParamInfo(const void *func, size_t index, size_t *offset, size_t *size)
{
	struct emulator_kernel *kernel;
	uint64_t at, bytes;
	int error;

	ATTACH();
	error = offset ? registry_kernel(func, &kernel) : (int)cudaErrorInvalidValue;
	if (!error)
		error = vflow_emulator_kernel_parameter(kernel, index, &at, &bytes);
	if (error)
		return runtime_result(error);
	*offset = at;
	if (size)
		*size = bytes;
	return cudaSuccess;
}

cudaError_t cudaGetDriverEntryPointByVersion(const char *symbol, void **entry, unsigned version,
					     unsigned long long flags, int *status)
{
	CUdriverProcAddressQueryResult found = CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
	CUresult result;

	ATTACH();
	result = cuGetProcAddress_v2(symbol, entry, (int)version, flags, &found);
	if (status)
		*status = (int)found;
	/* that the driver lacks the symbol is a result, not an error */
	return runtime_result(status && result == CUDA_ERROR_NOT_FOUND ? 0 : (int)result);
}
PER_THREAD(cudaGetDriverEntryPointByVersion, cudaGetDriverEntryPointByVersion_ptsz);

cudaError_t cudaGetDriverEntryPoint(const char *symbol, void **entry, unsigned long long flags,
				    int *status)
{
	/* CUDA 11 has no fourth argument */
	return DELEGATE(cudaGetDriverEntryPointByVersion(symbol, entry, CUDART_MAJOR * 1000, flags,
							 CUDART_MAJOR > 11 ? status : NULL));
}
PER_THREAD(cudaGetDriverEntryPoint, cudaGetDriverEntryPoint_ptsz);
