/*
 * collect/device/gpu.c: NVIDIA GPUs.  The CUDA driver loads the guest while it initialises itself,
 * in every process that uses CUDA, linked however it is; the guest loads the pass's provider.
 */
#include "collect/device/device.h"

#include <glob.h>
#include <stdlib.h>

#include "collect/doctor/doctor.h"
#include "collect/library.h"
#include "util/memory.h"

static bool any_file(const char *pattern)
{
	glob_t found;
	bool result = glob(pattern, 0, NULL, &found) == 0;

	if (result)
		globfree(&found);
	return result;
}

static bool is_present(void)
{
	/* the kernel driver lists GPUs in /proc; a container may show that without the devices */
	return any_file("/dev/nvidia[0-9]*") && any_file("/proc/driver/nvidia/gpus/*");
}

static int put_guest(const char *libraries, struct environment *environment, struct error *error)
{
	char *guest = xasprintf("%s/" LIBRARY_GUEST, libraries);

	(void)error;
	environment_set(environment, "CUDA_INJECTION64_PATH", guest);
	free(guest);
	return 0;
}

const struct device device_gpu = {
	.name = "gpu",
	.where = "on the GPU",
	.is_present = is_present,
	.absent = "no GPU found",
	.absent_by_name = "the NVIDIA driver reports no GPU",
	.unbuilt = "this vflow was built without the GPU provider (see 'vflow doctor')",
	.put_guest = put_guest,
	.doctor = doctor_check_gpu,
};
