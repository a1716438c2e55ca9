/*
 * gpu/emulator/runtime/question.c: runtime API: what programs ask of devices, streams, memory and
 * kernels, beyond the device's properties.
 */
#include <string.h>

#include "gpu/emulator/include/cuda.h"
#include "gpu/emulator/runtime/runtime.h"

EXPORT cudaError_t cudaDeviceGetP2PAttribute(int *value, int attr, int source, int target);
EXPORT cudaError_t cudaDeviceGetByPCIBusId(int *device, const char *id);
EXPORT cudaError_t cudaChooseDevice(int *device, const struct cudaDeviceProp *prop);
EXPORT cudaError_t cudaSetValidDevices(int *devices, int count);
EXPORT cudaError_t cudaDeviceGetTexture1DLinearMaxWidth(size_t *texels,
							const struct cudaChannelFormatDesc *desc,
							int device);
EXPORT cudaError_t cudaDeviceGetSharedMemConfig(int *config);
EXPORT cudaError_t cudaDeviceFlushGPUDirectRDMAWrites(int target, int scope);
EXPORT cudaError_t cudaDeviceGraphMemTrim(int device);
EXPORT cudaError_t cudaDeviceGetGraphMemAttribute(int device, int attr, void *value);
EXPORT cudaError_t cudaDeviceSetGraphMemAttribute(int device, int attr, void *value);
EXPORT cudaError_t cudaHostGetFlags(unsigned *flags, void *host);
EXPORT cudaError_t cudaMemRangeGetAttribute(void *data, size_t size, int attribute,
					    const void *address, size_t count);
EXPORT cudaError_t cudaMemRangeGetAttributes(void **data, size_t *sizes, int *attributes,
					     size_t attribute_count, const void *address,
					     size_t count);
EXPORT cudaError_t cudaStreamGetAttribute(cudaStream_t stream, int attr, void *value);
EXPORT cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long *id);
EXPORT cudaError_t cudaStreamGetDevice(cudaStream_t stream, int *device);
EXPORT cudaError_t cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *mode);
EXPORT cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, const void *func,
							     int blocks, int threads);
EXPORT cudaError_t cudaOccupancyMaxActiveClusters(int *clusters, const void *func,
						  const cudaLaunchConfig_t *config);
EXPORT cudaError_t cudaOccupancyMaxPotentialClusterSize(int *size, const void *func,
							const cudaLaunchConfig_t *config);

/* Peer access needs two devices, and there is one. */
cudaError_t cudaDeviceGetP2PAttribute(int *value, int attr, int source, int target)
{
	(void)attr;
	(void)source;
	(void)target;
	ATTACH();
	return runtime_result(value ? cudaErrorInvalidDevice : cudaErrorInvalidValue);
}

cudaError_t cudaDeviceGetByPCIBusId(int *device, const char *id)
{
	ATTACH();
	if (!device || !id)
		return runtime_result(cudaErrorInvalidValue);
	if (strcmp(id, "0000:00:00.0") && strcmp(id, "00:00.0") && strcmp(id, "0000:00:00"))
		return runtime_result(cudaErrorInvalidDevice);
	*device = 0;
	return cudaSuccess;
}

cudaError_t cudaChooseDevice(int *device, const struct cudaDeviceProp *prop)
{
	ATTACH();
	if (!device || !prop)
		return runtime_result(cudaErrorInvalidValue);
	*device = 0;
	return cudaSuccess;
}

cudaError_t cudaSetValidDevices(int *devices, int count)
{
	ATTACH();
	if (count < 0 || (count && !devices))
		return runtime_result(cudaErrorInvalidValue);
	for (int i = 0; i < count; i++)
		if (devices[i])
			return runtime_result(cudaErrorInvalidDevice);
	return cudaSuccess;
}

cudaError_t cudaDeviceGetTexture1DLinearMaxWidth(size_t *texels,
						 const struct cudaChannelFormatDesc *desc,
						 int device)
{
	ATTACH();
	if (!texels || !desc || device)
		return runtime_result(device ? cudaErrorInvalidDevice : cudaErrorInvalidValue);
	*texels = (size_t)1 << 28;
	return cudaSuccess;
}

cudaError_t cudaDeviceGetSharedMemConfig(int *config)
{
	ATTACH();
	if (!config)
		return runtime_result(cudaErrorInvalidValue);
	*config = 1; /* shared memory has banks of four bytes */
	return cudaSuccess;
}

cudaError_t cudaDeviceFlushGPUDirectRDMAWrites(int target, int scope)
{
	(void)target;
	(void)scope;
	ATTACH();
	return cudaSuccess;
}

cudaError_t cudaDeviceGraphMemTrim(int device)
{
	ATTACH();
	return runtime_result((int)cuDeviceGraphMemTrim(device));
}

cudaError_t cudaDeviceGetGraphMemAttribute(int device, int attr, void *value)
{
	ATTACH();
	return runtime_result(
		(int)cuDeviceGetGraphMemAttribute(device, (CUgraphMem_attribute)attr, value));
}

cudaError_t cudaDeviceSetGraphMemAttribute(int device, int attr, void *value)
{
	ATTACH();
	return runtime_result(
		(int)cuDeviceSetGraphMemAttribute(device, (CUgraphMem_attribute)attr, value));
}

cudaError_t cudaHostGetFlags(unsigned *flags, void *host)
{
	struct emulator_pointer pointer;
	int error;

	ATTACH();
	error = flags ? vflow_emulator_pointer(runtime_bits(host), &pointer)
		      : (int)cudaErrorInvalidValue;
	if (!error && pointer.kind != GPU_MEMORY_MAPPED_HOST)
		error = cudaErrorInvalidValue;
	if (!error)
		*flags = cudaHostAllocMapped;
	return runtime_result(error);
}

/* cudaMemAdvise() has no effect here, so no advice is set. */
cudaError_t cudaMemRangeGetAttribute(void *data, size_t size, int attribute, const void *address,
				     size_t count)
{
	const int none = attribute == 1 ? 0 : -2; /* not read-mostly; no preferred device */
	struct emulator_pointer pointer;
	int error;

	ATTACH();
	error = data && size >= sizeof(int) && size % sizeof(int) == 0 && count && attribute >= 1
			? vflow_emulator_pointer(runtime_bits(address), &pointer)
			: (int)cudaErrorInvalidValue;
	if (!error && pointer.kind != GPU_MEMORY_MANAGED)
		error = cudaErrorInvalidValue;
	for (size_t i = 0; !error && i < size / sizeof(int); i++)
		((int *)data)[i] = none;
	return runtime_result(error);
}

cudaError_t cudaMemRangeGetAttributes(void **data, size_t *sizes, int *attributes,
				      size_t attribute_count, const void *address, size_t count)
{
	cudaError_t error = cudaSuccess;

	if (!data || !sizes || !attributes)
		return runtime_result(cudaErrorInvalidValue);
	for (size_t i = 0; i < attribute_count && !error; i++)
		error = cudaMemRangeGetAttribute(data[i], sizes[i], attributes[i], address, count);
	return error;
}

cudaError_t cudaStreamGetAttribute(cudaStream_t stream, int attr, void *value)
{
	int error;

	(void)attr;
	ATTACH();
	error = value ? vflow_emulator_stream_check(stream, NULL, NULL)
		      : (int)cudaErrorInvalidValue;
	if (!error)
		memset(value, 0, 64);
	return runtime_result(error);
}
PER_THREAD(cudaStreamGetAttribute, cudaStreamGetAttribute_ptsz);

cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long *id)
{
	int error;

	ATTACH();
	error = id ? vflow_emulator_stream_check(stream, NULL, NULL) : (int)cudaErrorInvalidValue;
	if (!error)
		*id = runtime_bits(stream);
	return runtime_result(error);
}
PER_THREAD(cudaStreamGetId, cudaStreamGetId_ptsz);

cudaError_t cudaStreamGetDevice(cudaStream_t stream, int *device)
{
	int error;

	ATTACH();
	error = device ? vflow_emulator_stream_check(stream, NULL, NULL)
		       : (int)cudaErrorInvalidValue;
	if (!error)
		*device = 0;
	return runtime_result(error);
}
PER_THREAD(cudaStreamGetDevice, cudaStreamGetDevice_ptsz);

cudaError_t cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *mode)
{
	if (!mode || (unsigned)*mode > cudaStreamCaptureModeRelaxed)
		return runtime_result(cudaErrorInvalidValue);
	*mode = (enum cudaStreamCaptureMode)vflow_emulator_capture_mode((int)*mode);
	return cudaSuccess;
}

cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, const void *func, int blocks,
						      int threads)
{
	struct emulator_kernel_facts facts;
	struct emulator_kernel *kernel;
	uint64_t low = 0, high = EMULATOR_SHARED_OPTIN_BYTES;
	int error, fit = 0;

	ATTACH();
	error = bytes && blocks > 0 ? registry_kernel(func, &kernel) : (int)cudaErrorInvalidValue;
	if (!error)
		error = vflow_emulator_kernel_facts(kernel, &facts);
	if (!error)
		error = vflow_emulator_occupancy(kernel, threads, 0, &fit);
	if (!error && fit < blocks)
		error = cudaErrorInvalidValue;
	if (!error && facts.shared_bytes < high)
		high -= facts.shared_bytes;
	while (!error && low < high) { /* binary search for the most that fits */
		uint64_t middle = (low + high + 1) / 2;

		error = vflow_emulator_occupancy(kernel, threads, middle, &fit);
		if (fit >= blocks)
			low = middle;
		else
			high = middle - 1;
	}
	if (!error)
		*bytes = low;
	return runtime_result(error);
}

#define ATTRIBUTE_CLUSTER 4
struct attribute {
	int id, pad;
	unsigned cluster[16]; /* the value of any attribute */
};
_Static_assert(sizeof(struct attribute) == 72, "layout of cudaLaunchAttribute");

cudaError_t cudaOccupancyMaxActiveClusters(int *clusters, const void *func,
					   const cudaLaunchConfig_t *config)
{
	struct emulator_kernel *kernel;
	uint64_t size = 1;
	int error, blocks = 0;

	ATTACH();
	error = clusters && config ? registry_kernel(func, &kernel) : (int)cudaErrorInvalidValue;
	for (unsigned i = 0; !error && i < config->numAttrs; i++) {
		const struct attribute *each = (const struct attribute *)config->attrs + i;

		if (each->id == ATTRIBUTE_CLUSTER)
			size = (uint64_t)each->cluster[0] * each->cluster[1] * each->cluster[2];
	}
	if (!error && (!size || size > EMULATOR_CLUSTER))
		error = cudaErrorInvalidValue;
	if (!error)
		error = vflow_emulator_occupancy(
			kernel, (int)(config->blockDim.x * config->blockDim.y * config->blockDim.z),
			config->dynamicSmemBytes, &blocks);
	/* the blocks of a cluster share the one multiprocessor, as many as they are */
	if (!error)
		*clusters = blocks && (uint64_t)blocks < size ? 1 : blocks / (int)size;
	return runtime_result(error);
}

cudaError_t cudaOccupancyMaxPotentialClusterSize(int *size, const void *func,
						 const cudaLaunchConfig_t *config)
{
	struct emulator_kernel *kernel;
	int error;

	ATTACH();
	error = size && config ? registry_kernel(func, &kernel) : (int)cudaErrorInvalidValue;
	if (!error)
		*size = 8; /* what every device of this architecture runs */
	return runtime_result(error);
}
