/*
 * gpu/emulator/driver/device.c: driver API: initialisation, devices, entry points.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "gpu/emulator/device/device.h"
#include "gpu/emulator/driver/driver.h"
#include "gpu/emulator/driver/unsupported.h"
#include "gpu/emulator/state/memory.h"
#include "gpu/emulator/device/observe.h"

#undef cuGetProcAddress
#undef cuDeviceTotalMem

#define VERSIONS 4 /* the most versions of one function */

static CUresult check_device(CUdevice device, const void *result)
{
	int error = vflow_emulator_check(false);

	if (error)
		return (CUresult)error;
	if (!result)
		return CUDA_ERROR_INVALID_VALUE;
	return device == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}

CUresult cuInit(unsigned int Flags)
{
	return RESULT(Flags ? CUDA_ERROR_INVALID_VALUE : (CUresult)vflow_emulator_init());
}

CUresult cuDriverGetVersion(int *driverVersion)
{
	if (!driverVersion)
		return RESULT(CUDA_ERROR_INVALID_VALUE);
	*driverVersion = EMULATOR_CUDA_VERSION;
	return CUDA_SUCCESS;
}

CUresult cuDeviceGetCount(int *count)
{
	CUresult result = check_device(0, count);

	if (!result)
		*count = 1;
	return RESULT(result);
}

CUresult cuDeviceGet(CUdevice *device, int ordinal)
{
	CUresult result = check_device(ordinal, device);

	if (!result)
		*device = ordinal;
	return RESULT(result);
}

CUresult cuDeviceGetName(char *name, int len, CUdevice dev)
{
	CUresult result = check_device(dev, name);

	if (!result && len < 1)
		return RESULT(CUDA_ERROR_INVALID_VALUE);
	if (!result)
		snprintf(name, (size_t)len, "%s", EMULATOR_DEVICE_NAME);
	return RESULT(result);
}

CUresult cuDeviceTotalMem_v2(size_t *bytes, CUdevice dev)
{
	CUresult result = check_device(dev, bytes);

	if (!result)
		*bytes = memory_total();
	return RESULT(result);
}
ALIAS(cuDeviceTotalMem_v2, cuDeviceTotalMem);

CUresult cuDeviceGetAttribute(int *pi, CUdevice_attribute attrib, CUdevice dev)
{
	CUresult result = check_device(dev, pi);

	return RESULT(result ? result : (CUresult)vflow_emulator_attribute(attrib, pi));
}

CUresult cuDeviceComputeCapability(int *major, int *minor, CUdevice dev)
{
	CUresult result = check_device(dev, major);

	if (!result && !minor)
		return RESULT(CUDA_ERROR_INVALID_VALUE);
	if (!result) {
		*major = EMULATOR_MAJOR;
		*minor = EMULATOR_MINOR;
	}
	return RESULT(result);
}

CUresult cuDeviceCanAccessPeer(int *canAccessPeer, CUdevice dev, CUdevice peerDev)
{
	CUresult result = check_device(dev, canAccessPeer);

	if (!result && peerDev)
		return RESULT(CUDA_ERROR_INVALID_DEVICE);
	if (!result)
		*canAccessPeer = 0;
	return RESULT(result);
}

static bool is_supported(const void *entry)
{
	return (const char *)entry < __start_vflow_unsupported ||
	       (const char *)entry >= __stop_vflow_unsupported;
}

/* The newest version whose operands are those that programs made for this CUDA pass. */
static unsigned newest_version(const char *symbol, int cuda)
{
	static const struct {
		const char *symbol;
		int until;
		unsigned version;
	} changed[] = {{"cuCtxCreate", 11040, 2},
		       {"cuCtxCreate", 12050, 3},
		       {"cuGraphAddDependencies", 12030, 1},
		       {"cuGraphExecUpdate", 12000, 1},
		       {"cuGraphGetEdges", 12030, 1},
		       {"cuGraphNodeGetDependencies", 12030, 1},
		       {"cuGraphNodeGetDependentNodes", 12030, 1},
		       {"cuGraphRemoveDependencies", 12030, 1}};

	for (size_t i = 0; i < sizeof(changed) / sizeof(*changed); i++)
		if (!strcmp(symbol, changed[i].symbol) && cuda < changed[i].until)
			return changed[i].version;
	return VERSIONS;
}

/* The newest version of `symbol` that works; else one that says what it lacks when it is called. */
static void *find_entry(const char *symbol, int cuda)
{
	static const char *const versions[VERSIONS] = {"", "_v2", "_v3", "_v4"};
	void *self = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
	void *entry = NULL;
	char name[256];

	for (unsigned version = newest_version(symbol, cuda); self && version; version--) {
		void *found;

		if (snprintf(name, sizeof(name), "%s%s", symbol, versions[version - 1]) >=
		    (int)sizeof(name))
			continue;
		found = dlsym(self, name);
		if (found && is_supported(found)) {
			entry = found;
			break;
		}
		entry = found ? found : entry;
	}
	if (self)
		dlclose(self);
	return entry;
}

__attribute__((visibility("default"))) CUresult cuGetProcAddress(const char *symbol, void **pfn,
								 int cudaVersion, uint64_t flags)
{
	return DELEGATE(cuGetProcAddress_v2(symbol, pfn, cudaVersion, flags, NULL));
}

CUresult cuGetProcAddress_v2(const char *symbol, void **pfn, int cudaVersion, uint64_t flags,
			     CUdriverProcAddressQueryResult *symbolStatus)
{
	(void)flags;
	if (!symbol || !pfn || strncmp(symbol, "cu", 2))
		return RESULT(CUDA_ERROR_INVALID_VALUE);
	/* callers made for CUDA 11 do not pass symbolStatus to what they get */
	*pfn = cudaVersion < 12000 && !strcmp(symbol, "cuGetProcAddress")
		       ? (void *)cuGetProcAddress
		       : find_entry(symbol, cudaVersion);
	if (symbolStatus)
		*symbolStatus =
			*pfn ? CU_GET_PROC_ADDRESS_SUCCESS : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
	return RESULT(*pfn ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND);
}

/*
 * Private tables, which the statically linked runtime asks for before anything else.  Whoever
 * calls (a program, or a library such as cuSPARSE) is named: its own message tells nothing.
 */
__attribute__((visibility("default"))) CUresult cuGetExportTable(const void **table,
								 const void *identity)
{
	static char *said[16];
	static size_t count;
	const char *file = "the program";
	Dl_info caller;
	size_t i = 0;

	(void)identity;
	if (dladdr(__builtin_return_address(0), &caller) && caller.dli_fname)
		file = caller.dli_fname;
	if (table)
		*table = NULL;
	if (strstr(file, "libnvrtc") || strstr(file, "libnvJitLink")) /* they do without */
		return CUDA_ERROR_NOT_SUPPORTED;
	if (vflow_emulator_init() || device_enter(false))
		return CUDA_ERROR_NOT_INITIALIZED;
	while (i < count && strcmp(said[i], file))
		i++;
	if (i == count && count < sizeof(said) / sizeof(*said) && (said[count] = strdup(file))) {
		count++;
		device_say(
			"%s has the CUDA runtime linked in and no symbols (or is not preloaded), "
			"so the emulated device cannot serve it: build it with nvcc -cudart "
			"shared, do not strip it, or run it on a GPU, as NVIDIA's libraries need",
			file);
	}
	observe_coverage(COVERAGE_CALL_UNSUPPORTED, "cuGetExportTable", 1, 0);
	device_leave();
	return CUDA_ERROR_NOT_SUPPORTED;
}
