/*
 * gpu/emulator/driver/module.c: driver API: modules, libraries, functions and their launches.
 *
 * A library is a module and a kernel its function: with one device there is no difference.
 */
#include <stdio.h>
#include <stdlib.h>

#include "gpu/emulator/driver/driver.h"

#undef cuModuleGetGlobal

#define FILE_MAX ((long)1 << 30)

CUresult cuModuleLoadData(CUmodule *module, const void *image)
{
	return DELEGATE(cuModuleLoadDataEx(module, image, 0, NULL, NULL));
}
ALIAS(cuModuleLoadData, cuModuleLoadFatBinary);

CUresult cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned int numOptions,
			    CUjit_option *options, void **optionValues)
{
	const struct emulator_jit jit = {(const int *)options, optionValues, numOptions};
	struct emulator_module *made;
	int error = module ? vflow_emulator_module_load(image, SIZE_MAX, &jit, &made)
			   : CUDA_ERROR_INVALID_VALUE;

	if (!error)
		*module = (CUmodule)made;
	return RESULT(driver_result(error));
}

char *driver_read_file(const char *path, size_t *size, int *error)
{
	FILE *file = fopen(path, "rb");
	char *content = NULL;
	long length = -1;

	*error = CUDA_ERROR_FILE_NOT_FOUND;
	if (!file)
		return NULL;
	if (!fseek(file, 0, SEEK_END))
		length = ftell(file);
	*error = CUDA_ERROR_INVALID_IMAGE;
	if (length >= 0 && length <= FILE_MAX && !fseek(file, 0, SEEK_SET)) {
		content = malloc((size_t)length + 1);
		*error = content ? 0 : CUDA_ERROR_OUT_OF_MEMORY;
	}
	if (content) {
		*size = fread(content, 1, (size_t)length, file);
		content[*size] = 0;
	}
	fclose(file);
	return content;
}

CUresult cuModuleLoad(CUmodule *module, const char *fname)
{
	struct emulator_module *made;
	char *content;
	size_t size;
	int error = module && fname ? vflow_emulator_check(true) : CUDA_ERROR_INVALID_VALUE;

	if (error)
		return RESULT(error);
	content = driver_read_file(fname, &size, &error);
	if (content) {
		error = vflow_emulator_module_load(content, size, NULL, &made);
		free(content);
	}
	if (!error)
		*module = (CUmodule)made;
	return RESULT(driver_result(error));
}

CUresult cuModuleUnload(CUmodule hmod)
{
	return RESULT(vflow_emulator_module_unload((struct emulator_module *)hmod));
}

CUresult cuModuleGetFunction(CUfunction *hfunc, CUmodule hmod, const char *name)
{
	struct emulator_kernel *kernel;
	int error =
		hfunc ? vflow_emulator_module_kernel((struct emulator_module *)hmod, name, &kernel)
		      : CUDA_ERROR_INVALID_VALUE;

	if (!error)
		*hfunc = (CUfunction)kernel;
	return RESULT(error);
}

CUresult cuModuleGetGlobal_v2(CUdeviceptr *dptr, size_t *bytes, CUmodule hmod, const char *name)
{
	uint64_t address, size;
	int error = vflow_emulator_module_variable((struct emulator_module *)hmod, name, &address,
						   &size);

	if (!error && dptr)
		*dptr = address;
	if (!error && bytes)
		*bytes = size;
	return RESULT(error);
}
ALIAS(cuModuleGetGlobal_v2, cuModuleGetGlobal);

CUresult cuLibraryLoadData(CUlibrary *library, const void *code, CUjit_option *jitOptions,
			   void **jitOptionsValues, unsigned int numJitOptions,
			   CUlibraryOption *libraryOptions, void **libraryOptionValues,
			   unsigned int numLibraryOptions)
{
	(void)libraryOptions;
	(void)libraryOptionValues;
	(void)numLibraryOptions;
	return DELEGATE(cuModuleLoadDataEx((CUmodule *)library, code, numJitOptions, jitOptions,
					   jitOptionsValues));
}

CUresult cuLibraryUnload(CUlibrary library)
{
	return DELEGATE(cuModuleUnload((CUmodule)library));
}

CUresult cuLibraryGetKernel(CUkernel *pKernel, CUlibrary library, const char *name)
{
	return DELEGATE(cuModuleGetFunction((CUfunction *)pKernel, (CUmodule)library, name));
}

CUresult cuLibraryGetGlobal(CUdeviceptr *dptr, size_t *bytes, CUlibrary library, const char *name)
{
	return DELEGATE(cuModuleGetGlobal_v2(dptr, bytes, (CUmodule)library, name));
}

CUresult cuLibraryGetModule(CUmodule *pMod, CUlibrary library)
{
	if (!pMod)
		return RESULT(CUDA_ERROR_INVALID_VALUE);
	*pMod = (CUmodule)library;
	return CUDA_SUCCESS;
}

CUresult cuKernelGetFunction(CUfunction *pFunc, CUkernel kernel)
{
	if (!pFunc)
		return RESULT(CUDA_ERROR_INVALID_VALUE);
	*pFunc = (CUfunction)kernel;
	return CUDA_SUCCESS;
}

CUresult cuFuncGetAttribute(int *pi, CUfunction_attribute attrib, CUfunction hfunc)
{
	struct emulator_kernel_facts facts;
	int error = vflow_emulator_kernel_facts((struct emulator_kernel *)hfunc, &facts);

	if (error || !pi)
		return RESULT(error ? (CUresult)error : CUDA_ERROR_INVALID_VALUE);
	switch (attrib) {
	case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
		*pi = facts.max_threads;
		break;
	case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
		*pi = (int)facts.shared_bytes;
		break;
	case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
		*pi = (int)facts.local_bytes;
		break;
	case CU_FUNC_ATTRIBUTE_NUM_REGS:
		*pi = facts.registers;
		break;
	case CU_FUNC_ATTRIBUTE_PTX_VERSION:
		*pi = facts.ptx_version;
		break;
	case CU_FUNC_ATTRIBUTE_BINARY_VERSION:
		*pi = 10 * EMULATOR_MAJOR + EMULATOR_MINOR;
		break;
	case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
		*pi = (int)facts.max_dynamic_shared_bytes;
		break;
	case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES:
	case CU_FUNC_ATTRIBUTE_CACHE_MODE_CA:
	case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
		*pi = 0;
		break;
	default:
		return RESULT(CUDA_ERROR_INVALID_VALUE);
	}
	return CUDA_SUCCESS;
}

CUresult cuFuncSetAttribute(CUfunction hfunc, CUfunction_attribute attrib, int value)
{
	struct emulator_kernel *kernel = (struct emulator_kernel *)hfunc;
	struct emulator_kernel_facts facts;

	if (attrib == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES)
		return RESULT(vflow_emulator_kernel_set_shared(kernel, value));
	if (attrib != CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT)
		return RESULT(CUDA_ERROR_INVALID_VALUE);
	return RESULT(vflow_emulator_kernel_facts(kernel, &facts));
}

CUresult cuFuncSetCacheConfig(CUfunction hfunc, CUfunc_cache config)
{
	struct emulator_kernel_facts facts;

	(void)config;
	return RESULT(vflow_emulator_kernel_facts((struct emulator_kernel *)hfunc, &facts));
}

CUresult cuFuncGetName(const char **name, CUfunction hfunc)
{
	struct emulator_kernel_facts facts;
	int error = vflow_emulator_kernel_facts((struct emulator_kernel *)hfunc, &facts);

	if (error || !name)
		return RESULT(error ? (CUresult)error : CUDA_ERROR_INVALID_VALUE);
	*name = facts.name;
	return CUDA_SUCCESS;
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *numBlocks, CUfunction func, int blockSize,
						     size_t dynamicSMemSize)
{
	if (!numBlocks)
		return RESULT(CUDA_ERROR_INVALID_VALUE);
	return RESULT(vflow_emulator_occupancy((struct emulator_kernel *)func, blockSize,
					       dynamicSMemSize, numBlocks));
}

bool driver_read_extra(void **extra, struct emulator_launch *launch)
{
	for (; *extra != CU_LAUNCH_PARAM_END; extra += 2) {
		if (*extra == CU_LAUNCH_PARAM_BUFFER_POINTER)
			launch->packed = extra[1];
		else if (*extra == CU_LAUNCH_PARAM_BUFFER_SIZE && extra[1])
			launch->packed_bytes = *(size_t *)extra[1];
		else
			return false;
	}
	return launch->packed != NULL;
}

CUresult cuLaunchKernel(CUfunction f, unsigned int gridDimX, unsigned int gridDimY,
			unsigned int gridDimZ, unsigned int blockDimX, unsigned int blockDimY,
			unsigned int blockDimZ, unsigned int sharedMemBytes, CUstream hStream,
			void **kernelParams, void **extra)
{
	struct emulator_launch launch = {
		.kernel = (struct emulator_kernel *)f,
		.grid = {gridDimX, gridDimY, gridDimZ},
		.block = {blockDimX, blockDimY, blockDimZ},
		.shared_bytes = sharedMemBytes,
		.arguments = kernelParams,
	};

	if (extra && (kernelParams || !driver_read_extra(extra, &launch)))
		return RESULT(CUDA_ERROR_INVALID_VALUE);
	return RESULT(driver_result(vflow_emulator_launch(hStream, &launch)));
}
PER_THREAD(cuLaunchKernel, cuLaunchKernel_ptsz);

CUresult cuLaunchHostFunc(CUstream hStream, CUhostFn fn, void *userData)
{
	bool captured;
	int error = fn ? vflow_emulator_capture_host(hStream, fn, userData, &captured)
		       : CUDA_ERROR_INVALID_VALUE;

	if (!error && !captured &&
	    !(error = vflow_emulator_host_function("cuLaunchHostFunc", hStream)))
		fn(userData);
	return RESULT(error);
}
PER_THREAD(cuLaunchHostFunc, cuLaunchHostFunc_ptsz);
