/* gpu/sanitizer/shadow/memory.c: see memory.h. */
#include "gpu/sanitizer/shadow/memory.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/sanitizer/driver.h"

/*
 * This part of the device's memory is left free, besides what the program asks for: for stacks and
 * code.
 */
#define SPARE_PART 256

static uint64_t limit, on_device, on_host, host_limit;
static bool defer_all; /* releases are deferred */

void memory_limit(uint64_t bytes)
{
	limit = bytes;
}

uint64_t memory_on_host(void)
{
	return on_host;
}

/*
 * The driver's last answer, less what was allocated since then: it takes long to answer.  As long
 * as there is plenty, it is asked now and then only.
 */
static struct {
	CUcontext context;
	size_t unused, total;
	unsigned answers;
} device_memory;

static bool was_plenty(uint64_t bytes)
{
	size_t spare = 4 * (device_memory.total / SPARE_PART);

	return device_memory.unused > spare && device_memory.unused - spare > bytes;
}

/* Whether there is plenty of memory; if not, the driver was asked just now. */
static bool is_plenty(uint64_t bytes)
{
	CUcontext context = NULL;

	driver.cuCtxGetCurrent(&context);
	if (device_memory.context == context && device_memory.answers < 64 && was_plenty(bytes))
		return true;
	device_memory.context = context;
	device_memory.answers = 0;
	if (driver.cuMemGetInfo(&device_memory.unused, &device_memory.total) != CUDA_SUCCESS)
		device_memory.unused = device_memory.total = 0;
	return was_plenty(bytes);
}

static bool is_free(uint64_t bytes, bool *impossible)
{
	bool plenty = is_plenty(bytes);

	device_memory.answers++;
	*impossible = !plenty && bytes >= device_memory.total;
	if (device_memory.unused < bytes + device_memory.total / SPARE_PART)
		return false;
	device_memory.unused -= bytes;
	return true;
}

void memory_requery(void)
{
	device_memory.answers = UINT_MAX;
}

bool memory_fits(uint64_t bytes)
{
	bool impossible;

	/* nothing needs to be evicted for what no device has */
	return is_free(bytes, &impossible) || impossible;
}

static bool fits_limit(uint64_t bytes)
{
	bool impossible;

	return (!limit || on_device + bytes <= limit) && is_free(bytes, &impossible);
}

/* Memory of the device that was released and is not free yet. */
struct context_memory {
	CUcontext context;
	struct shadow_memory memory;
};

/* -- cached memory ------------------------------------------------------------------------- */

/*
 * Programs that allocate and free memory again and again would wait for the driver each time.
 * Sizes are rounded, so that released memory serves others.
 */
#define CACHE_PART 512
#define CACHE_SIZE (UINT64_C(16) << 20) /* the largest that is cached */
#define CACHE_BYTES (UINT64_C(256) << 20)
#define CACHE_COUNT 256

static struct context_memory cached[CACHE_COUNT];
static unsigned cached_count;
static uint64_t cached_bytes;

static uint64_t rounded(uint64_t size)
{
	uint64_t part = CACHE_PART;

	if (size > CACHE_SIZE)
		return size;
	while (part * 16 < size)
		part *= 2;
	return (size + part - 1) / part * part;
}

static struct shadow_memory take_cached(unsigned at)
{
	struct shadow_memory memory = cached[at].memory;

	cached_bytes -= memory.size;
	memmove(&cached[at], &cached[at + 1], (--cached_count - at) * sizeof(*cached));
	return memory;
}

static bool get_cached(struct shadow_memory *memory, uint64_t size)
{
	CUcontext context = NULL;

	if (size > CACHE_SIZE || !cached_count || driver.cuCtxGetCurrent(&context) != CUDA_SUCCESS)
		return false;
	for (unsigned i = cached_count; i-- > 0;)
		if (cached[i].memory.size == size && cached[i].context == context) {
			*memory = take_cached(i);
			return true;
		}
	return false;
}

bool memory_cache(struct shadow_memory *memory, CUcontext context)
{
	struct shadow_memory oldest;

	/* a launch that timed out, in any context that reaches this memory, may still mark it */
	if (!memory->device || memory->host || memory->size > CACHE_SIZE || defer_all)
		return false;
	while (cached_count == CACHE_COUNT || cached_bytes + memory->size > CACHE_BYTES) {
		if (cached[0].context != context)
			return false;
		oldest = take_cached(0);
		memory_release(&oldest);
	}
	cached[cached_count++] = (struct context_memory){context, *memory};
	cached_bytes += memory->size;
	*memory = (struct shadow_memory){0};
	return true;
}

bool memory_is_cached(uint64_t wanted)
{
	return cached_count && !is_plenty(wanted);
}

bool memory_release_cached(CUcontext context, bool abandon)
{
	bool any = false;

	for (unsigned i = cached_count; i-- > 0;)
		if (cached[i].context == context) {
			struct shadow_memory memory = take_cached(i);

			if (abandon)
				memory_abandon(&memory);
			else
				memory_release(&memory);
			any = true;
		}
	return any;
}

/* Whether the device has room, once what is cached was released. */
static bool has_room(uint64_t bytes)
{
	CUcontext context = NULL;

	return fits_limit(bytes) ||
	       (cached_count && driver.cuCtxGetCurrent(&context) == CUDA_SUCCESS &&
		memory_release_cached(context, false) && fits_limit(bytes));
}

/* -- how much there is --------------------------------------------------------------------- */

/* What the control group leaves to this process; UINT64_MAX: there is no limit. */
static uint64_t cgroup_limit(void)
{
	static const char *const names[] = {"max", "current"};
	unsigned long long values[2];

	for (int i = 0; i < 2; i++) {
		char path[64];
		FILE *file;
		int got;

		snprintf(path, sizeof(path), "/sys/fs/cgroup/memory.%s", names[i]);
		file = fopen(path, "re");
		got = file ? fscanf(file, "%llu", &values[i]) : 0;
		if (file)
			fclose(file);
		if (got != 1)
			return UINT64_MAX;
	}
	return values[0] > values[1] ? values[0] - values[1] : 0;
}

/*
 * Half of the memory that the host has available when this is called first: pinned memory is never
 * swapped out.
 */
static uint64_t find_host_limit(void)
{
	FILE *file = fopen("/proc/meminfo", "re");
	unsigned long long kilobytes = 0;
	uint64_t group = cgroup_limit();
	char line[128];

	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "MemAvailable: %llu", &kilobytes) == 1)
			break;
	if (file)
		fclose(file);
	return (kilobytes * 1024 < group ? kilobytes * 1024 : group) / 2;
}

bool memory_available_on_device(uint64_t bytes)
{
	return fits_limit(bytes);
}

bool memory_available(uint64_t bytes)
{
	if (has_room(bytes))
		return true;
	if (!host_limit)
		host_limit = find_host_limit();
	return on_host + bytes <= host_limit;
}

/* -- getting and releasing ----------------------------------------------------------------- */

static CUresult get_on_device(struct shadow_memory *memory, uint64_t size, CUstream stream)
{
	CUresult result = CUDA_SUCCESS;

	size = rounded(size);
	if (!get_cached(memory, size)) {
		if (!has_room(size))
			return CUDA_ERROR_OUT_OF_MEMORY;
		result = driver.cuMemAlloc(&memory->device, size);
		if (result != CUDA_SUCCESS) {
			memory_requery();
			memory->device = 0;
			return result;
		}
		*memory = (struct shadow_memory){.device = memory->device, .size = size};
		on_device += size;
	}
	return driver.cuMemsetD8Async(memory->device, 0, size, stream);
}

static CUresult get_on_host(struct shadow_memory *memory, uint64_t size)
{
	CUdeviceptr device;
	CUresult result;
	void *host;

	if (!host_limit)
		host_limit = find_host_limit();
	if (on_host + size > host_limit)
		return CUDA_ERROR_OUT_OF_MEMORY;
	result = driver.cuMemHostAlloc(&host, size,
				       CU_MEMHOSTALLOC_DEVICEMAP | CU_MEMHOSTALLOC_PORTABLE);
	if (result != CUDA_SUCCESS)
		return result;
	result = driver.cuMemHostGetDevicePointer(&device, host, 0);
	if (result != CUDA_SUCCESS) {
		driver.cuMemFreeHost(host);
		return result;
	}
	*memory = (struct shadow_memory){device, host, size};
	on_host += size;
	return CUDA_SUCCESS;
}

CUresult memory_get(struct shadow_memory *memory, uint64_t size, CUstream stream)
{
	CUresult result = get_on_device(memory, size, stream);

	if (result != CUDA_ERROR_OUT_OF_MEMORY)
		return result;
	result = get_on_host(memory, size);
	if (result == CUDA_SUCCESS)
		memset(memory->host, 0, size);
	return result;
}

void memory_abandon(const struct shadow_memory *memory)
{
	if (memory->host)
		on_host -= memory->size;
	else
		on_device -= memory->size;
}

void memory_defer_all(bool on)
{
	defer_all = on;
}

void memory_release(struct shadow_memory *memory)
{
	CUcontext context = NULL;

	if (!memory->device)
		return;
	if (defer_all && driver.cuCtxGetCurrent(&context) == CUDA_SUCCESS) {
		memory_defer_release(memory, context);
		return;
	}
	if (memory->host)
		driver.cuMemFreeHost(memory->host);
	else
		driver.cuMemFree(memory->device);
	memory_abandon(memory);
	*memory = (struct shadow_memory){0};
}

/*
 * Measured: unlike cuMemFree(), cuMemFreeAsync() does not wait for kernels on other streams, and
 * the device has the memory when our stream has run, although no pool had it.  Until then the
 * program's cuMemAlloc() would wait for all that runs.
 */
bool memory_release_nowait(struct shadow_memory *memory, CUstream stream)
{
	if (driver.cuMemFreeAsync(memory->device, stream) != CUDA_SUCCESS)
		return false;
	memory_abandon(memory);
	*memory = (struct shadow_memory){0};
	return driver.cuStreamSynchronize(stream) == CUDA_SUCCESS;
}

void memory_release_cached_nowait(CUcontext context, CUstream stream)
{
	for (unsigned i = cached_count; i-- > 0;) {
		struct shadow_memory memory = cached[i].memory;

		if (cached[i].context != context)
			continue;
		memory_release_nowait(&memory, stream);
		if (!memory.device) /* it was freed, even if the stream failed then */
			take_cached(i);
	}
}

/* -- deferred releases -------------------------------------------------------------------- */

static struct context_memory *deferred;
static size_t deferred_count, deferred_capacity;

void memory_defer_release(struct shadow_memory *memory, CUcontext context)
{
	size_t room = deferred_capacity ? 2 * deferred_capacity : 64;

	if (!memory->device)
		return;
	if (deferred_count == deferred_capacity) {
		struct context_memory *more = reallocarray(deferred, room, sizeof(*more));

		if (!more)
			return; /* no memory for the list: it stays allocated until the end */
		deferred = more;
		deferred_capacity = room;
	}
	deferred[deferred_count++] = (struct context_memory){context, *memory};
	*memory = (struct shadow_memory){0};
}

void memory_release_deferred(CUcontext context, bool abandon)
{
	size_t left = 0;

	for (size_t i = 0; i < deferred_count; i++)
		if (deferred[i].context != context)
			deferred[left++] = deferred[i];
		else if (abandon)
			memory_abandon(&deferred[i].memory);
		else
			memory_release(&deferred[i].memory);
	deferred_count = left;
}

/* -- moving ------------------------------------------------------------------------------- */

bool memory_copy_to_host(const struct shadow_memory *memory, struct shadow_memory *copy,
			 CUstream stream)
{
	if (get_on_host(copy, memory->size) != CUDA_SUCCESS)
		return false;
	if (driver.cuMemcpyDtoHAsync(copy->host, memory->device, memory->size, stream) ==
	    CUDA_SUCCESS)
		return true;
	memory_release(copy);
	return false;
}

bool memory_to_host(struct shadow_memory *memory, CUstream stream)
{
	struct shadow_memory copy = {0};

	if (!memory->device || memory->host)
		return memory->host;
	if (!memory_copy_to_host(memory, &copy, stream))
		return false;
	if (driver.cuStreamSynchronize(stream) != CUDA_SUCCESS) {
		memory_release(&copy);
		return false;
	}
	memory_release(memory);
	*memory = copy;
	return true;
}
