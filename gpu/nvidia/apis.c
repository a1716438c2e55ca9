/* gpu/nvidia/apis.c: the table of the driver's functions, and looking into it. */
#include "gpu/nvidia/apis.h"

#include <stddef.h>
#include <string.h>

static const struct {
	const char *name;
	enum api_effect effect;
} apis[] = {
#define API(name, effect) {#name, API_##effect},
#include "gpu/nvidia/apis.def"
#undef API
};

static bool ends_in(const char *name, size_t length, const char *suffix)
{
	size_t size = strlen(suffix);

	return length > size && !strncmp(name + length - size, suffix, size);
}

/* The length of "_v2", "_v3020" and the like at the end of a name of this length; 0: none. */
static size_t version_length(const char *name, size_t length)
{
	size_t digits = 0;

	while (digits < length && name[length - digits - 1] >= '0' &&
	       name[length - digits - 1] <= '9')
		digits++;
	return digits && ends_in(name, length - digits, "_v") ? digits + 2 : 0;
}

size_t api_plain_length(const char *name)
{
	size_t length = strlen(name), suffix;

	do {
		suffix = ends_in(name, length, "_ptsz") || ends_in(name, length, "_ptds")
				 ? 5
				 : version_length(name, length);
		length -= suffix;
	} while (suffix);
	return length;
}

bool api_is(const char *name, const char *plain)
{
	size_t length = strlen(plain);

	/* most names differ: suffixes are looked for in few */
	return !strncmp(name, plain, length) && api_plain_length(name) == length;
}

/*
 * Whether the emulated device has GPU_SYNC for this function, too: see
 * vflow_emulator_synchronize().
 */
static bool is_synchronization(const char *name)
{
	static const char *const names[] = {
		"cudaDeviceSynchronize", "cudaThreadSynchronize", "cudaStreamSynchronize",
		"cudaEventSynchronize",  "cuCtxSynchronize",      "cuStreamSynchronize",
		"cuEventSynchronize",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (api_is(name, names[i]))
			return true;
	return false;
}

bool api_returns_error(const char *name)
{
	return !api_is(name, "cudaGetErrorName") && !api_is(name, "cudaGetErrorString") &&
	       !api_is(name, "cudaCreateChannelDesc");
}

bool api_synchronizes(bool runtime, uint32_t id, const char *name)
{
	enum { NO = 1, YES };
	static uint8_t known[2][2048]; /* by API and id; 0: not looked up yet */
	uint8_t found;

	if (id >= sizeof(known[0]))
		return is_synchronization(name);
	found = __atomic_load_n(&known[runtime][id], __ATOMIC_RELAXED);
	if (!found) {
		found = is_synchronization(name) ? YES : NO;
		__atomic_store_n(&known[runtime][id], found, __ATOMIC_RELAXED);
	}
	return found == YES;
}

static enum api_effect find(const char *name)
{
	size_t length = api_plain_length(name);

	for (size_t i = 0; i < sizeof(apis) / sizeof(*apis); i++)
		if (!strncmp(apis[i].name, name, length) && !apis[i].name[length])
			return apis[i].effect;
	return strstr(name, "Get") || strstr(name, "Query") ? API_NOTHING : API_UNSEEN;
}

enum api_effect api_effect(uint32_t id, const char *name)
{
	static uint8_t known[2048]; /* by id; 0: not looked up yet */
	uint8_t effect;

	if (id >= sizeof(known))
		return find(name);
	effect = __atomic_load_n(&known[id], __ATOMIC_RELAXED);
	if (!effect) {
		effect = (uint8_t)find(name);
		__atomic_store_n(&known[id], effect, __ATOMIC_RELAXED);
	}
	return (enum api_effect)effect;
}
