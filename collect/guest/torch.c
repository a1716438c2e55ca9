/*
 * collect/guest/torch.c: PyTorch's caching allocator, whose blocks are tensors.
 *
 * libc10_cuda tells PyTorch's own profiler of each block by a function of libc10: its import is
 * replaced by a function that tells the guest, too.  Nothing of PyTorch is built anew.
 */
#include "collect/guest/guest.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

#include "collect/guest/imports.h"

/* c10::reportMemoryUsageToProfiler(void *, int64_t, size_t, size_t, c10::Device), since 1.12 */
static const char imported[] = "_ZN3c1027reportMemoryUsageToProfilerEPvlmmNS_6DeviceE";

enum { DEVICE_CUDA = 1 };

struct device {
	int8_t type, index;
};

/* bytes: negative: the block is free again.  allocated: bytes of all blocks of the device. */
typedef void report_function(void *block, int64_t bytes, size_t allocated, size_t reserved,
			     struct device device);

static report_function *original; /* atomic */

static void report(void *block, int64_t bytes, size_t allocated, size_t reserved,
		   struct device device);

static struct import import = {.name = imported, .replacement = (void *)report};

static report_function *find_original(void)
{
	report_function *function = __atomic_load_n(&original, __ATOMIC_ACQUIRE);
	void *library;

	if (function)
		return function;
	library = dlopen("libc10.so", RTLD_LAZY | RTLD_NOLOAD);
	if (library) {
		*(void **)&function = dlsym(library, imported);
		dlclose(library); /* libc10_cuda, which calls us, needs it */
	}
	if (!function)
		*(void **)&function = __atomic_load_n(&import.before, __ATOMIC_ACQUIRE);
	__atomic_store_n(&original, function, __ATOMIC_RELEASE);
	return function;
}

static void report(void *block, int64_t bytes, size_t allocated, size_t reserved,
		   struct device device)
{
	report_function *function = find_original();
	char name[32];

	if (device.type == DEVICE_CUDA && block && bytes) {
		snprintf(name, sizeof(name), "PyTorch cuda:%d", device.index);
		guest_pool_block(name, (uintptr_t)block, bytes > 0 ? (uint64_t)bytes : 0,
				 allocated);
	}
	function(block, bytes, allocated, reserved, device);
}

static const char *hook(const struct dl_phdr_info *info)
{
	int found = imports_replace(info, &import, 1);

	if (found < 0)
		return "its table of imports cannot be changed";
	return found ? NULL : "this version of it does not report them";
}

void torch_find(const struct dl_phdr_info *info)
{
	static bool said;
	const char *slash = strrchr(info->dlpi_name, '/'), *why;

	if (strncmp(slash ? slash + 1 : info->dlpi_name, "libc10_cuda.so",
		    strlen("libc10_cuda.so")) != 0)
		return;
	why = hook(info);
	if (why && !said)
		coverage_add(COVERAGE_POOL_NOT_HOOKED, why, 1, 0);
	said |= why != NULL;
}
