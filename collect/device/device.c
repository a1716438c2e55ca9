/* collect/device/device.c: the table of devices. */
#include "collect/device/device.h"

#include <stdlib.h>
#include <string.h>

#include "util/memory.h"

const struct device *const devices[] = {&device_gpu, &device_emulated, NULL};

const struct device *device_find(const char *name)
{
	for (const struct device *const *device = devices; *device; device++)
		if (!strcmp((*device)->name, name))
			return *device;
	return NULL;
}

char *device_names(void)
{
	char *names = xstrdup("auto");

	for (const struct device *const *device = devices; *device; device++) {
		char *longer = xasprintf("%s|%s", names, (*device)->name);

		free(names);
		names = longer;
	}
	return names;
}
