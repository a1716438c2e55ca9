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

int driver_load(void)
{
	void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);

	look_up(library, "cuFuncGetName", &driver.cuFuncGetName);
	look_up(library, "cuKernelGetName", &driver.cuKernelGetName);
	return look_up(library, "cuPointerGetAttribute", &driver.cuPointerGetAttribute) &&
			       look_up(library, "cuStreamGetFlags", &driver.cuStreamGetFlags) &&
			       look_up(library, "cuStreamIsCapturing", &driver.cuStreamIsCapturing)
		       ? 0
		       : -1;
}
