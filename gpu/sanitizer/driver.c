/* gpu/sanitizer/driver.c: finding the functions of the CUDA driver. */
#include "gpu/sanitizer/driver.h"

#include <dlfcn.h>
#include <string.h>

struct driver driver;

int driver_load(void)
{
	void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
	void *symbol;

	if (!library)
		return -1;
#define NAME(name) #name
#define LOOK_UP(name)                                                                              \
	symbol = dlsym(library, NAME(name));                                                       \
	if (!symbol)                                                                               \
		return -1;                                                                         \
	memcpy(&driver.name, &symbol, sizeof(symbol));
	DRIVER_FUNCTIONS(LOOK_UP)
#undef LOOK_UP
#define LOOK_UP(name, parameters)                                                                  \
	symbol = dlsym(library, #name);                                                            \
	memcpy(&driver.name, &symbol, sizeof(symbol));
	DRIVER_NEWER_FUNCTIONS(LOOK_UP)
#undef LOOK_UP
#undef NAME
	return 0;
}
