/* gpu/cupti/driver.c: see driver.h. */
#include "gpu/cupti/driver.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <string.h>

struct driver driver;

/* False: the library lacks it. */
static bool look_up(void *library, const char *name, void *function)
{
	void *symbol = library ? dlsym(library, name) : NULL;

	memcpy(function, &symbol, sizeof(symbol));
	return symbol;
}

#define LOOK_UP(name) look_up(library, #name, &driver.name)

int driver_load(void)
{
	void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);

	LOOK_UP(cuDeviceGetAttribute);
	LOOK_UP(cuFuncGetName);
	LOOK_UP(cuKernelGetName);
	LOOK_UP(cuFuncGetParamInfo);
	LOOK_UP(cuKernelGetParamInfo);
	look_up(library, "cuMemGetAddressRange_v2", &driver.cuMemGetAddressRange);
	look_up(library, "cuArray3DGetDescriptor_v2", &driver.cuArray3DGetDescriptor);
	return LOOK_UP(cuPointerGetAttribute) && LOOK_UP(cuGraphGetNodes) &&
			       LOOK_UP(cuGraphNodeGetType) &&
			       LOOK_UP(cuGraphChildGraphNodeGetGraph) &&
			       LOOK_UP(cuStreamGetFlags) && LOOK_UP(cuStreamIsCapturing)
		       ? 0
		       : -1;
}
