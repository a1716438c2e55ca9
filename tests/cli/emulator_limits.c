/*
 * tests/cli/emulator_limits.c: a kernel that goes wrong in the way that the argument names: never
 * ends (loop), waits for threads that do not come (barrier), forgets a barrier (race).
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

int main(int argc, char **argv)
{
	CUdevice device;
	CUcontext context;
	CUmodule module;
	CUfunction function;
	CUresult result;

	if (argc < 2 || cuInit(0) || cuDeviceGet(&device, 0) ||
	    cuDevicePrimaryCtxRetain(&context, device) || cuCtxSetCurrent(context) ||
	    cuModuleLoadData(&module, ptx) || cuModuleGetFunction(&function, module, argv[1]))
		return 2;
	printf("launching\n");
	fflush(stdout);
	result = cuLaunchKernel(function, 1, 1, 1, 64, 1, 1, 0, NULL, NULL, NULL);
	printf("%d\n", result);
	return 0;
}
