/*
 * tests/cli/emulator_limits.c: a kernel that goes wrong in the way that the argument names: never
 * ends (loop), waits for threads that do not come (barrier), forgets a barrier (race).
 * `memory` says how much the device has and what allocating 1 MiB and one byte more than that
 * gives.
 */
#include <cuda.h>
#include <stdio.h>
#include <string.h>

static const char ptx[] = ".version 7.8\n.target sm_80\n.address_size 64\n"
			  ".visible .entry loop()\n{\nL:\n	bra L;\n}\n"
			  ".visible .entry barrier()\n{\n"
			  "	.reg .pred %p; .reg .b32 %r;\n"
			  "	mov.u32 %r, %tid.x;\n"
			  "	setp.lt.u32 %p, %r, 32;\n"
			  "	@%p bar.sync 1, 64;\n" /* line 14 */
			  "	ret;\n}\n"
			  ".visible .entry race()\n{\n"
			  "	.reg .b32 %r; .shared .b32 cell;\n"
			  "	mov.u32 %r, %tid.x;\n"
			  "	st.shared.u32 [cell], %r;\n" /* line 21 */
			  "	ret;\n}\n";

static int memory(void)
{
	CUdeviceptr all, more;
	size_t total;
	int first, second;

	cuDeviceTotalMem(&total, 0);
	first = cuMemAlloc(&all, 1 << 20);
	second = cuMemAlloc(&more, total - (1 << 20) + 1);
	printf("%zu %d %d\n", total, first, second);
	return 0;
}

int main(int argc, char **argv)
{
	CUdevice device;
	CUcontext context;
	CUmodule module;
	CUfunction function;
	CUresult result;

	if (argc < 2 || cuInit(0) || cuDeviceGet(&device, 0) ||
	    cuDevicePrimaryCtxRetain(&context, device) || cuCtxSetCurrent(context))
		return 2;
	if (!strcmp(argv[1], "memory"))
		return memory();
	if (cuModuleLoadData(&module, ptx) || cuModuleGetFunction(&function, module, argv[1]))
		return 2;
	printf("launching\n");
	fflush(stdout);
	result = cuLaunchKernel(function, 1, 1, 1, 64, 1, 1, 0, NULL, NULL, NULL);
	if (!result) /* a fault is told by what comes after the launch */
		result = cuCtxSynchronize();
	printf("%d\n", result);
	return 0;
}
