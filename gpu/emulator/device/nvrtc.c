/*
 * gpu/emulator/device/nvrtc.c: programs that compile at run time and ask for a cubin get the PTX
 * that NVRTC made with it: cuModuleLoadData() takes either, and the emulated device runs only PTX.
 *
 * These names take the place of those of libnvrtc.so, which does the work.
 */
#include <dlfcn.h>
#include <stddef.h>

#define NO_LIBRARY 11 /* NVRTC_ERROR_INTERNAL_ERROR */

typedef int get_size(void *program, size_t *size);
typedef int get_text(void *program, char *text);

int nvrtcGetCUBINSize(void *program, size_t *size);
int nvrtcGetCUBIN(void *program, char *text);

static void *next(const char *name)
{
	return dlsym(RTLD_NEXT, name);
}

/* The size of the program's PTX; 0: NVRTC kept none. */
static size_t ptx_size(void *program)
{
	get_size *function;
	size_t size = 0;

	*(void **)&function = next("nvrtcGetPTXSize");
	return function && !function(program, &size) && size > 1 ? size : 0;
}

__attribute__((visibility("default"))) int nvrtcGetCUBINSize(void *program, size_t *size)
{
	get_size *function;
	size_t found = ptx_size(program);

	if (found && size) {
		*size = found;
		return 0;
	}
	*(void **)&function = next("nvrtcGetCUBINSize");
	return function ? function(program, size) : NO_LIBRARY;
}

__attribute__((visibility("default"))) int nvrtcGetCUBIN(void *program, char *text)
{
	get_text *function;

	*(void **)&function = next(ptx_size(program) ? "nvrtcGetPTX" : "nvrtcGetCUBIN");
	return function ? function(program, text) : NO_LIBRARY;
}
