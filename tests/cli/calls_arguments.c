/*
 * tests/cli/calls_arguments.c: launches whose arguments hold pointers, or numbers that look like
 * some, in the way that the first argument names.  Objects are told apart by their sizes.
 */
#include <cuda.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEAD ".version 7.8\n.target sm_80\n.address_size 64\n"
static const char ptx[] = HEAD
	".visible .global .align 4 .b8 variable[64];\n"
	".visible .entry one(.param .u64 p)\n{\n	ret;\n}\n"
	".visible .entry structure(.param .align 8 .b8 s[24])\n{\n	ret;\n}\n"
	".visible .entry numbers(.param .u32 low, .param .u32 high, .param .u64 p)\n{\n	ret;\n}\n";

enum { USED = 4096, OTHER = 8192, UNUSED = 16384 };

static CUfunction function(const char *name)
{
	CUmodule module;
	CUfunction found;

	if (cuModuleLoadData(&module, ptx) || cuModuleGetFunction(&found, module, name))
		exit(2);
	return found;
}

static void launch(const char *name, void **values)
{
	if (cuLaunchKernel(function(name), 1, 1, 1, 32, 1, 1, 0, NULL, values, NULL))
		exit(3);
}

/* Many calls, for what each costs: pairs of a set and a launch. */
static void many(CUdeviceptr p, int count)
{
	CUfunction one = function("one");
	void *values[] = {&p};

	for (int i = 0; i < count; i++)
		if (cuMemsetD8(p, 1, 16) ||
		    cuLaunchKernel(one, 1, 1, 1, 1, 1, 1, 0, NULL, values, NULL))
			exit(3);
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";
	CUdeviceptr used, other, unused, interior;
	CUdevice device;
	CUcontext context;

	if (cuInit(0) || cuDeviceGet(&device, 0) || cuDevicePrimaryCtxRetain(&context, device) ||
	    cuCtxSetCurrent(context) || cuMemAlloc(&used, USED) || cuMemAlloc(&other, OTHER) ||
	    cuMemAlloc(&unused, UNUSED))
		return 1;
	interior = used + USED - 1;
	if (!strcmp(mode, "interior")) {
		launch("one", (void *[]){&interior});
	} else if (!strcmp(mode, "end")) { /* just past the object: no object's */
		interior++;
		launch("one", (void *[]){&interior});
	} else if (!strcmp(mode, "structure")) {
		struct {
			int32_t number;
			CUdeviceptr first;
			CUdeviceptr second;
		} structure = {1, used, other + 8};

		launch("structure", (void *[]){&structure});
	} else if (!strcmp(mode, "packed")) {
		size_t size = 24;
		CUdeviceptr block[3] = {0, used, other};
		void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, block, CU_LAUNCH_PARAM_BUFFER_SIZE,
				 &size, CU_LAUNCH_PARAM_END};

		if (cuLaunchKernel(function("structure"), 1, 1, 1, 32, 1, 1, 0, NULL, NULL, extra))
			return 3;
	} else if (!strcmp(mode, "configured")) {
		CUlaunchConfig configuration = {.gridDimX = 1,
						.gridDimY = 1,
						.gridDimZ = 1,
						.blockDimX = 32,
						.blockDimY = 1,
						.blockDimZ = 1};

		if (cuLaunchKernelEx(&configuration, function("one"), (void *[]){&used}, NULL))
			return 3;
	} else if (!strcmp(mode, "numbers")) { /* two numbers that make an address together */
		uint32_t low = (uint32_t)unused, high = (uint32_t)(unused >> 32);

		launch("numbers", (void *[]){&low, &high, &used});
	} else if (!strcmp(mode, "table")) { /* the kernel may follow the pointers */
		CUdeviceptr pointers[2] = {0, other};

		if (cuMemcpyHtoD(used, pointers, sizeof(pointers)))
			return 3;
		launch("one", (void *[]){&used});
	} else if (!strcmp(mode, "values")) { /* the near miss: what is uploaded is no address */
		uint64_t values[2] = {1, UINT64_MAX};

		if (cuMemcpyHtoD(used, values, sizeof(values)))
			return 3;
		launch("one", (void *[]){&used});
	} else if (!strcmp(mode, "copied")) { /* the table goes on to another object */
		CUdeviceptr pointers[2] = {0, unused};

		if (cuMemcpyHtoD(used, pointers, sizeof(pointers)) ||
		    cuMemcpyDtoD(other, used, sizeof(pointers)))
			return 3;
		launch("one", (void *[]){&other});
	} else if (!strcmp(mode, "many")) {
		many(used, atoi(argv[2]));
	} else {
		return 2;
	}
	return cuMemFree(used) || cuMemFree(other) || cuMemFree(unused) ? 3 : 0;
}
