/* gpu/cupti/sample_counts.c: see sample_counts.h. */
#include "gpu/cupti/sample_counts.h"

#include <pthread.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "collect/coverage/coverage.h"

#define MOST_CODE ((size_t)256 << 20) /* bytes of all copies */
#define PIECE ((size_t)512 << 10)
#define MOST_COUNTS (1u << 21)
#define MOST_FUNCTIONS 100000u

struct code {
	uint64_t crc; /* first: the key */
	struct code *next;
	void *image; /* NULL: it is not kept */
	size_t size;
	bool sampled;
};

struct function {
	struct {
		uint64_t crc;
		const char *name;
	} key;
	struct function *next;
	uint32_t number;
};

struct count {
	struct {
		uint32_t function, offset, reason;
	} key;
	struct count *next;
	uint64_t samples, latency;
};

struct kernel {
	const char *name; /* the key */
	struct kernel *next;
	struct gpu_stall_launches launches;
	struct geometry {
		struct geometry *next;
		struct gpu_stall_launches like;
		uint64_t time_ns;
	} * geometries;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
/* trees, and all of each in the order in which they came */
static void *codes, *functions, *counts, *kernels;
static struct code *first_code, **last_code = &first_code;
static struct function *first_function, **last_function = &first_function;
static struct count *first_count, **last_count = &first_count;
static struct kernel *first_kernel, **last_kernel = &first_kernel;
static uint32_t function_count, count_count;
static size_t code_bytes;
static uint64_t left_out; /* samples without room */

/* -- code -- */

static int by_crc(const void *a, const void *b)
{
	const struct code *left = a, *right = b;

	return (left->crc > right->crc) - (left->crc < right->crc);
}

static struct code *find_code(uint64_t crc)
{
	const struct code key = {.crc = crc};
	struct code **found = tfind(&key, &codes, by_crc), *code;

	if (found)
		return *found;
	code = calloc(1, sizeof(*code));
	if (!code)
		return NULL;
	code->crc = crc;
	if (!tsearch(code, &codes, by_crc)) {
		free(code);
		return NULL;
	}
	*last_code = code;
	last_code = &code->next;
	return code;
}

void sample_counts_code(uint64_t crc, const void *image, size_t size)
{
	struct code *code;

	pthread_mutex_lock(&lock);
	code = find_code(crc);
	/* the first one with this check sum counts */
	if (code && !code->image)
		code->size = size;
	if (code && !code->image && size && size <= MOST_CODE - code_bytes) {
		code->image = malloc(size);
		if (code->image) {
			memcpy(code->image, image, size);
			code_bytes += size;
		}
	}
	pthread_mutex_unlock(&lock);
}

/* -- samples -- */

static int by_function(const void *a, const void *b)
{
	const struct function *left = a, *right = b;

	if (left->key.crc != right->key.crc)
		return left->key.crc < right->key.crc ? -1 : 1;
	return strcmp(left->key.name, right->key.name);
}

static const struct function *find_function(uint64_t crc, const char *name)
{
	const struct function key = {.key = {crc, name}};
	struct function **found = tfind(&key, &functions, by_function), *function;
	struct code *code;
	char *copy;

	if (found)
		return *found;
	code = find_code(crc);
	function = code && function_count < MOST_FUNCTIONS ? calloc(1, sizeof(*function)) : NULL;
	copy = function ? strdup(name) : NULL;
	if (!copy) {
		free(function);
		return NULL;
	}
	function->key.crc = crc;
	function->key.name = copy;
	if (!tsearch(function, &functions, by_function)) {
		free(copy);
		free(function);
		return NULL;
	}
	code->sampled = true;
	function->number = ++function_count;
	*last_function = function;
	last_function = &function->next;
	return function;
}

static int by_place(const void *a, const void *b)
{
	return memcmp(&((const struct count *)a)->key, &((const struct count *)b)->key,
		      sizeof(((const struct count *)a)->key));
}

static struct count *find_count(uint32_t function, uint32_t offset, uint32_t reason)
{
	const struct count key = {.key = {function, offset, reason}};
	struct count **found = tfind(&key, &counts, by_place), *count;

	if (found)
		return *found;
	count = count_count < MOST_COUNTS ? calloc(1, sizeof(*count)) : NULL;
	if (!count)
		return NULL;
	count->key = key.key;
	if (!tsearch(count, &counts, by_place)) {
		free(count);
		return NULL;
	}
	count_count++;
	*last_count = count;
	last_count = &count->next;
	return count;
}

void sample_counts_add(uint64_t crc, const char *name, uint64_t offset, uint32_t reason,
		       uint64_t samples, bool latency)
{
	const struct function *function;
	struct count *count;

	pthread_mutex_lock(&lock);
	function = name && offset <= UINT32_MAX ? find_function(crc, name) : NULL;
	count = function ? find_count(function->number, (uint32_t)offset, reason) : NULL;
	if (count && latency)
		count->latency += samples;
	else if (count)
		count->samples += samples;
	else if (!latency)
		left_out += samples;
	pthread_mutex_unlock(&lock);
}

/* -- launches -- */

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct kernel *)a)->name, ((const struct kernel *)b)->name);
}

static struct kernel *find_kernel(const char *name)
{
	const struct kernel key = {.name = name};
	struct kernel **found = tfind(&key, &kernels, by_name), *kernel;
	char *copy;

	if (found)
		return *found;
	kernel = calloc(1, sizeof(*kernel));
	copy = kernel ? strdup(name) : NULL;
	if (copy)
		kernel->name = copy;
	if (!copy || !tsearch(kernel, &kernels, by_name)) {
		free(copy);
		free(kernel);
		return NULL;
	}
	*last_kernel = kernel;
	last_kernel = &kernel->next;
	return kernel;
}

void sample_counts_launch(const struct sample_launch *launch)
{
	struct geometry *geometry;
	struct kernel *kernel;

	if (!launch->kernel)
		return;
	pthread_mutex_lock(&lock);
	kernel = find_kernel(launch->kernel);
	if (!kernel)
		goto out;
	kernel->launches.launches++;
	kernel->launches.time_ns += launch->time_ns;
	for (geometry = kernel->geometries; geometry; geometry = geometry->next)
		if (!memcmp(&geometry->like, &launch->geometry, sizeof(geometry->like)))
			break;
	if (!geometry) {
		kernel->launches.geometries++;
		geometry = kernel->launches.geometries <= 64 ? calloc(1, sizeof(*geometry)) : NULL;
		if (!geometry)
			goto out;
		geometry->like = launch->geometry;
		geometry->next = kernel->geometries;
		kernel->geometries = geometry;
	}
	geometry->time_ns += launch->time_ns;
out:
	pthread_mutex_unlock(&lock);
}

/* -- told -- */

/* A payload that ends with a name. */
static void tell_named(const struct gpu_sink *sink, uint32_t kind, const void *payload,
		       size_t start, const char *name)
{
	size_t size = start + strlen(name) + 1;
	char *all;

	size = size < start + 8 ? start + 8 : size;
	all = size <= GPU_RECORD_MAX ? calloc(1, size) : NULL;
	if (!all)
		return;
	memcpy(all, payload, start);
	strcpy(all + start, name);
	sink->record(NULL, &(struct gpu_record){.kind = kind, .payload = all, .size = size});
	free(all);
}

static void tell_code(const struct gpu_sink *sink, const struct code *code)
{
	const size_t start = offsetof(struct gpu_stall_code, piece);
	char *payload = code->image ? malloc(start + PIECE + 8) : NULL;

	if (!payload) {
		sink->coverage(COVERAGE_STALLS_CODE_LEFT_OUT, NULL, 1, code->size);
		return;
	}
	for (size_t offset = 0; offset < code->size;) {
		size_t size = code->size - offset < PIECE ? code->size - offset : PIECE;
		const struct gpu_stall_code head = {.crc = code->crc,
						    .bytes = code->size,
						    .offset = offset,
						    .size = (uint32_t)size};

		memcpy(payload, &head, start);
		memcpy(payload + start, (const char *)code->image + offset, size);
		memset(payload + start + size, 0, 8);
		sink->record(NULL, &(struct gpu_record){.kind = GPU_RECORD_STALL_CODE,
							.payload = payload,
							.size = start + (size < 8 ? 8 : size)});
		offset += size;
	}
	free(payload);
}

static void tell_kernel(const struct gpu_sink *sink, const struct kernel *kernel)
{
	struct gpu_stall_launches launches = kernel->launches;
	uint64_t most = 0;

	for (const struct geometry *at = kernel->geometries; at; at = at->next)
		if (at->time_ns >= most) {
			most = at->time_ns;
			launches = at->like;
		}
	launches.launches = kernel->launches.launches;
	launches.time_ns = kernel->launches.time_ns;
	launches.geometries = kernel->launches.geometries;
	tell_named(sink, GPU_RECORD_STALL_LAUNCHES, &launches,
		   offsetof(struct gpu_stall_launches, name), kernel->name);
}

void sample_counts_tell(const struct gpu_sink *sink)
{
	pthread_mutex_lock(&lock);
	for (const struct code *code = first_code; code; code = code->next)
		if (code->sampled)
			tell_code(sink, code);
	for (const struct function *at = first_function; at; at = at->next)
		tell_named(sink, GPU_RECORD_STALL_FUNCTION,
			   &(struct gpu_stall_function){.crc = at->key.crc, .function = at->number},
			   offsetof(struct gpu_stall_function, name), at->key.name);
	for (const struct count *at = first_count; at; at = at->next) {
		const struct gpu_stall_samples samples = {
			.samples = at->samples > at->latency ? at->samples : at->latency,
			.latency = at->latency,
			.function = at->key.function,
			.offset = at->key.offset,
			.reason = at->key.reason};

		sink->record(NULL, &(struct gpu_record){.kind = GPU_RECORD_STALL_SAMPLES,
							.payload = &samples,
							.size = sizeof(samples)});
	}
	for (const struct kernel *at = first_kernel; at; at = at->next)
		tell_kernel(sink, at);
	if (left_out)
		sink->coverage(COVERAGE_STALLS_TOO_MANY, NULL, left_out, 0);
	pthread_mutex_unlock(&lock);
}
