/* graph/build/frames.c: see build/frames.h. */
#include "graph/build/frames.h"

#include <string.h>

/*
 * Whether the host's function stands for the kernel.  DWARF has a bare name for functions without
 * a linkage name: "add<int>" for "void ns::add<int>(int*)".
 */
static bool stands_for(const char *function, const char *kernel)
{
	size_t size = strlen(function), length = strlen(kernel);
	int depth = 0;

	if (!strcmp(function, kernel))
		return true;
	if (length && kernel[length - 1] == ')')
		do {
			length--;
			depth += (kernel[length] == ')') - (kernel[length] == '(');
		} while (depth && length);
	if (!size || size > length || memcmp(kernel + length - size, function, size) != 0)
		return false;
	return size == length || strchr(" :", kernel[length - size - 1]);
}

/* Without DWARF it has its namespace and type: "void ns::__wrapper__device_stub_add<int>(int*&)".
 */
static bool is_wrapper(const char *function)
{
	const char *name = strstr(function, "__wrapper__device_stub_");

	return name && (name == function || strchr(" :", name[-1]));
}

/*
 * nvcc makes a host function of each kernel, which <<<>>> calls and from which a stub, for
 * templates by way of a wrapper, launches it.  The place of the launch is their caller.
 */
uint32_t frames_of_launch(const struct profile *profile, const struct profile_callpath *path,
			  const char *kernel)
{
	static const char stub[] = "__device_stub__";

	for (uint32_t i = 0; i + 1 < path->count; i++) {
		const char *function = profile->frames[path->frames[i]].function;

		if (!function || strncmp(function, stub, sizeof(stub) - 1) != 0)
			continue;
		function = profile->frames[path->frames[++i]].function;
		if (function && i + 1 < path->count && is_wrapper(function))
			function = profile->frames[path->frames[++i]].function;
		return i + (function && i + 1 < path->count && stands_for(function, kernel));
	}
	return 0;
}

/* Whether it is the function, or its variant for the stream per thread. */
static bool is_function(const char *function, const char *name)
{
	size_t size = strlen(name);

	return !strncmp(function, name, size) &&
	       (!function[size] || !strcmp(function + size, "_ptds") ||
		!strcmp(function + size, "_ptsz"));
}

bool frames_are_called(const char *function, bool kernel, const char *call)
{
	/* a program may have others that begin so */
	static const char *const launches[] = {"cudaLaunch",
					       "cudaLaunchKernel",
					       "cudaLaunchKernelExC",
					       "cudaLaunchCooperativeKernel",
					       "cudaLaunchCooperativeKernelMultiDevice",
					       "cudaGraphLaunch"};

	if (!kernel)
		return is_function(function, call);
	for (size_t i = 0; i < sizeof(launches) / sizeof(*launches); i++)
		if (is_function(function, launches[i]))
			return true;
	return false;
}

bool frames_add_node(const char *function)
{
	static const char *const names[] = {"cudaFreeAsync",
					    "cudaGraphAddChildGraphNode",
					    "cudaGraphAddKernelNode",
					    "cudaGraphAddMemAllocNode",
					    "cudaGraphAddMemFreeNode",
					    "cudaGraphAddMemcpyNode",
					    "cudaGraphAddMemcpyNode1D",
					    "cudaGraphAddMemcpyNodeFromSymbol",
					    "cudaGraphAddMemcpyNodeToSymbol",
					    "cudaGraphAddMemsetNode",
					    "cudaGraphAddNode",
					    "cudaGraphAddNode_v2",
					    "cudaMallocAsync",
					    "cudaMallocFromPoolAsync",
					    "cudaMemcpy2DAsync",
					    "cudaMemcpy2DFromArrayAsync",
					    "cudaMemcpy2DToArrayAsync",
					    "cudaMemcpy3DAsync",
					    "cudaMemcpy3DBatchAsync",
					    "cudaMemcpy3DPeerAsync",
					    "cudaMemcpyAsync",
					    "cudaMemcpyBatchAsync",
					    "cudaMemcpyFromArrayAsync",
					    "cudaMemcpyFromSymbolAsync",
					    "cudaMemcpyPeerAsync",
					    "cudaMemcpyToArrayAsync",
					    "cudaMemcpyToSymbolAsync",
					    "cudaMemset2DAsync",
					    "cudaMemset3DAsync",
					    "cudaMemsetAsync"};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (is_function(function, names[i]))
			return true;
	return frames_are_called(function, true, NULL);
}
