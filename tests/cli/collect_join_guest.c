/*
 * The provider of the pass `noted` of collect_join.sh: the emulated device's, with one record more
 * for each call.  A library that is loaded in the place of the guest, which NOTED_GUEST names, and
 * stands between the two.
 */
#include <dlfcn.h>
#include <stdlib.h>

#include "gpu/provider.h"
#include "tests/cli/collect_join.h"

static const struct gpu_provider *emulated;
static struct gpu_provider around;
static const struct gpu_sink *guest;
static struct gpu_sink between;

static void end(const struct gpu_call *call, const struct gpu_row *rows, size_t count)
{
	struct noted noted = {0};
	const struct gpu_record record = {
		.kind = NOTED_KIND, .payload = &noted, .size = sizeof(noted)};

	for (size_t i = 0; i < count; i++)
		if (rows[i].access == GPU_READ || rows[i].access == GPU_WRITE)
			noted.bytes += rows[i].bytes;
	guest->end(call, rows, count);
	guest->record(call, &record);
}

static int start(const struct gpu_sink *sink, const struct gpu_options *options)
{
	guest = sink;
	between = *sink;
	between.end = end;
	return emulated->start(&between, options);
}

gpu_guest_start vflow_guest_start;

int vflow_guest_start(const struct gpu_provider *provider)
{
	void *library = dlopen(getenv("NOTED_GUEST"), RTLD_NOW | RTLD_LOCAL);
	gpu_guest_start *start_guest =
		library ? (gpu_guest_start *)(uintptr_t)dlsym(library, GPU_GUEST_START) : NULL;

	emulated = provider;
	around = *provider;
	around.name = "noting";
	around.start = start;
	return start_guest ? start_guest(&around) : -1;
}
