/*
 * collect_records GUEST: a provider that delivers records of all sorts to the guest library, as one
 * process of CUDA would: two objects are made equal, one is freed.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/provider.h"

static const struct gpu_sink *sink;

static int start(const struct gpu_sink *to, const struct gpu_options *options)
{
	sink = to;
	return options->digests ? 0 : -1;
}

static void stop(void)
{
}

static const struct gpu_provider provider = {.version = GPU_PROVIDER_VERSION,
					     .name = "played",
					     .metrics = GPU_METRIC_REDUNDANT_BYTES + 1,
					     .start = start,
					     .stop = stop};

static void record(const struct gpu_call *call, uint32_t kind, uint32_t object, const void *payload,
		   size_t size)
{
	sink->record(call, &(struct gpu_record){kind, object, payload, size});
}

static void zeros(const struct gpu_call *call, uint32_t object)
{
	const struct gpu_content content = {.digest = "the same", .zero = 1};

	record(call, GPU_RECORD_CONTENT, object, &content, sizeof(content));
}

static uint32_t allocate(void)
{
	const struct gpu_object object = {
		.address = 0x1000, .size = 2048, .memory = GPU_MEMORY_DEVICE};
	struct gpu_call call = {.api = GPU_ALLOC, .name = "cudaMalloc"};
	uint32_t id;

	sink->begin(&call);
	id = sink->object(&call, &object);
	sink->end(&call, NULL, 0);
	return id;
}

int main(int argc, char **argv)
{
	void *guest = argc == 2 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
	gpu_guest_start *start_guest =
		guest ? (gpu_guest_start *)(uintptr_t)dlsym(guest, GPU_GUEST_START) : NULL;
	struct gpu_call set = {.api = GPU_SET, .name = "cudaMemset"};
	struct gpu_call freed = {.api = GPU_FREE, .name = "cudaFree"};
	char *payload = calloc(1, GPU_RECORD_MAX + 1);
	uint32_t first, second;

	if (!start_guest || !payload || start_guest(&provider) != 0)
		return 1;
	record(NULL, GPU_RECORD_TRIAL, 0, "before all", 10);
	first = allocate();
	second = allocate();
	sink->begin(&set);
	sink->end(&set,
		  (const struct gpu_row[]){{.object = first,
					    .writer = 1,
					    .access = GPU_WRITE,
					    .bytes = 2048,
					    .redundant_bytes = 64}},
		  1);
	zeros(&set, first);
	zeros(NULL, second);
	for (size_t size = 500; size <= 520; size++) /* around what the guest has room for */
		record(&set, GPU_RECORD_TRIAL, first, payload, size);
	record(&set, GPU_RECORD_TRIAL, 0, NULL, 0);
	record(&set, GPU_RECORD_TRIAL, 0, payload, GPU_RECORD_MAX);
	record(&set, GPU_RECORD_TRIAL, 0, payload, GPU_RECORD_MAX + 1);
	sink->begin(&freed);
	sink->released(&freed, first);
	sink->end(&freed, NULL, 0);
	zeros(&freed, first); /* what it held when it was freed */
	free(payload);
	return 0;
}
