/* gpu/nvidia/device_name.c: see device_name.h. */
#include "gpu/nvidia/device_name.h"

#include <glob.h>
#include <stdio.h>

const char *device_name(void)
{
	static char name[128] = "NVIDIA GPU";
	char line[256];
	glob_t found;
	FILE *file;

	if (glob("/proc/driver/nvidia/gpus/*/information", 0, NULL, &found) != 0)
		return name;
	file = fopen(found.gl_pathv[0], "r");
	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "Model: %127[^\n]", name) == 1)
			break;
	if (file)
		fclose(file);
	globfree(&found);
	return name;
}
