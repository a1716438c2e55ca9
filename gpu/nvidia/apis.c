/* gpu/nvidia/apis.c: the tables of functions, and looking into them. */
#include "gpu/nvidia/apis.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static const struct api {
	const char *name;
	enum api_effect effect;
	enum api_asynchronous asynchronous;
	enum api_waits waits;
	enum api_needs needs;
} apis[] = {
#define API(name, effect, asynchronous, waits, needs)                                              \
	{#name, API_##effect, API_ASYNCHRONOUS_##asynchronous, API_WAITS_##waits,                  \
	 API_NEEDS_##needs},
#include "gpu/nvidia/apis.def"
#undef API
};

/* Functions of the runtime API that do what a function of the driver API of another name does. */
static const struct runtime_api {
	const char *name, *driver;
} runtime_apis[] = {
#define RUNTIME_API(name, driver) {#name, #driver},
#include "gpu/nvidia/runtime_apis.def"
#undef RUNTIME_API
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

struct key {
	const char *name;
	size_t length;
};

/* Of a row of either table, which begins with the name. */
static int compare(const void *left, const void *right)
{
	const struct key *key = left;
	const char *const *row = right;
	int order = strncmp(key->name, *row, key->length);

	return order ? order : -((*row)[key->length] != '\0');
}

static const struct api *find_driver(const char *name, size_t length)
{
	return bsearch(&(struct key){name, length}, apis, sizeof(apis) / sizeof(*apis),
		       sizeof(*apis), compare);
}

/* The row of a function of either API; of one that has none, one of a function that does nothing.
 */
static const struct api *find_api(const char *name)
{
	static const struct api none;
	const size_t length = name ? api_plain_length(name) : 0;
	const bool runtime = length > 4 && !strncmp(name, "cuda", 4);
	const struct runtime_api *other = NULL;
	const struct api *found = NULL;
	char driver[64] = "cu";

	if (runtime)
		other = bsearch(&(struct key){name, length}, runtime_apis,
				sizeof(runtime_apis) / sizeof(*runtime_apis), sizeof(*runtime_apis),
				compare);
	if (other) {
		found = find_driver(other->driver, strlen(other->driver));
	} else if (!runtime) {
		found = length ? find_driver(name, length) : NULL;
	} else if (length < sizeof(driver)) {
		memcpy(driver + 2, name + 4, length - 4);
		found = find_driver(driver, length - 2);
	}
	return found ? found : &none;
}

enum api_asynchronous api_asynchronous(const char *name)
{
	return find_api(name)->asynchronous;
}

bool api_is_asynchronous(const char *name)
{
	const struct api *api = find_api(name);

	return api->effect != API_LAUNCH && (api->asynchronous == API_ASYNCHRONOUS_YES ||
					     api->asynchronous == API_ASYNCHRONOUS_PINNED);
}

bool api_is_synchronous_copy(const char *name)
{
	return find_api(name)->effect == API_COPY && !api_is_asynchronous(name);
}

enum api_waits api_waits_for(const char *name)
{
	return find_api(name)->waits;
}

enum api_needs api_needs(const char *name)
{
	return find_api(name)->needs;
}

/* Whether the emulated device has GPU_SYNC for it, too: see vflow_emulator_synchronize(). */
bool api_is_synchronization(const char *name)
{
	const struct api *api = find_api(name);

	return api->effect == API_NOTHING &&
	       (api->waits == API_WAITS_STREAM || api->waits == API_WAITS_EVENT ||
		api->waits == API_WAITS_CONTEXT);
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
		return api_is_synchronization(name);
	found = __atomic_load_n(&known[runtime][id], __ATOMIC_RELAXED);
	if (!found) {
		found = api_is_synchronization(name) ? YES : NO;
		__atomic_store_n(&known[runtime][id], found, __ATOMIC_RELAXED);
	}
	return found == YES;
}

static enum api_effect find(const char *name)
{
	const struct api *api = find_driver(name, api_plain_length(name));

	if (api)
		return api->effect;
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
