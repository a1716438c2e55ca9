/* gpu/sanitizer/code/loaded.c: see loaded.h. */
#include "gpu/sanitizer/code/loaded.h"

#include <pthread.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "collect/coverage/coverage.h"
#include "gpu/analysis/loaded_code.h"
#include "gpu/sanitizer/driver.h"
#include "gpu/sass/cubin.h"

/* A library's module may have many thousands: their names stay in the image. */
struct kernel {
	uint64_t hash; /* of its name */
	uint64_t bytes;
	bool launched;
};

struct module {
	CUmodule module;        /* first: the key */
	uint32_t code;          /* its number for the sink; 0: not reported yet */
	struct kernel *kernels; /* sorted by hash */
	size_t count, capacity;
	/* of one that is still to be reported */
	struct module *next;
	pthread_t thread; /* that loaded it, */
	bool in_call;     /* ... in a call of the program, which will end */
	struct loaded_code what;
	bool gone;
	struct launch *launches;
};

/* A kernel that was launched before the sink knew its module. */
struct launch {
	struct launch *next;
	uint64_t bytes;
	char name[];
};

static const struct gpu_sink *sink;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* never held across calls of the sink */
static void *modules;                                    /* a tree */
static struct module *unreported;                        /* in any order */
static unsigned unreported_count;
static uint32_t loading; /* enum gpu_code_loading */

void loaded_start(const struct gpu_sink *to)
{
	sink = to;
}

void loaded_ask(void)
{
	static bool asked;
	CUmoduleLoadingMode mode;

	if (__atomic_exchange_n(&asked, true, __ATOMIC_RELAXED) || !driver.cuModuleGetLoadingMode ||
	    driver.cuModuleGetLoadingMode(&mode) != CUDA_SUCCESS)
		return;
	__atomic_store_n(&loading, mode == CU_MODULE_LAZY_LOADING ? GPU_CODE_LAZY : GPU_CODE_EAGER,
			 __ATOMIC_RELAXED);
}

static int by_module(const void *a, const void *b)
{
	uintptr_t x = (uintptr_t)((const struct module *)a)->module;
	uintptr_t y = (uintptr_t)((const struct module *)b)->module;

	return (x > y) - (x < y);
}

static int by_hash(const void *a, const void *b)
{
	uint64_t x = ((const struct kernel *)a)->hash, y = ((const struct kernel *)b)->hash;

	return (x > y) - (x < y);
}

static void free_module(struct module *module)
{
	if (!module)
		return;
	for (struct launch *launch = module->launches, *next; launch; launch = next) {
		next = launch->next;
		free(launch);
	}
	for (uint32_t i = 0; i < module->what.count; i++)
		free((char *)(uintptr_t)module->what.largest[i].name);
	free(module->kernels);
	free(module);
}

/* -- what an image has --------------------------------------------------------------------- */

struct reading {
	struct cubin cubin;
	struct module *module;
	bool *counted; /* sections whose bytes are some kernel's */
	bool failed;
};

static bool is_code(const struct cubin_section *section)
{
	return section->type == SHT_PROGBITS && !strncmp(section->name, ".text", strlen(".text"));
}

static bool read_kernel(void *data, const struct cubin_symbol *symbol)
{
	struct reading *reading = data;
	struct module *module = reading->module;
	struct cubin_section section;
	uint64_t bytes = 0;

	if (!symbol->is_kernel || !*symbol->name || symbol->section >= reading->cubin.sections)
		return true;
	section = cubin_section(&reading->cubin, symbol->section);
	if (is_code(&section) && !reading->counted[symbol->section])
		bytes = section.size;
	reading->counted[symbol->section] = true;
	if (module->count == module->capacity) {
		size_t capacity = module->capacity ? 2 * module->capacity : 16;
		struct kernel *more = reallocarray(module->kernels, capacity, sizeof(*more));

		if (!more) {
			reading->failed = true;
			return false;
		}
		module->kernels = more;
		module->capacity = capacity;
	}
	module->kernels[module->count++] =
		(struct kernel){.hash = loaded_code_hash(0, symbol->name), .bytes = bytes};
	loaded_code_add(&module->what, symbol->name, bytes);
	return true;
}

/* The image does not last.  False: there is no memory. */
static bool keep_names(struct loaded_code *code)
{
	bool kept = true;

	for (uint32_t i = 0; i < code->count; i++) {
		code->largest[i].name = strdup(code->largest[i].name);
		kept &= code->largest[i].name != NULL;
	}
	return kept;
}

/* False: it is no image that can be read, or there is no memory. */
static bool read_image(struct reading *reading, const void *image, size_t size)
{
	if (!image || !cubin_open(&reading->cubin, image, size))
		return false;
	reading->counted = calloc(reading->cubin.sections + 1u, sizeof(bool));
	if (!reading->counted)
		return false;
	for (unsigned i = 0; i < reading->cubin.sections; i++) {
		struct cubin_section section = cubin_section(&reading->cubin, i);

		if (is_code(&section))
			reading->module->what.record.code_bytes += section.size;
	}
	cubin_each_symbol(&reading->cubin, read_kernel, reading);
	free(reading->counted);
	if (reading->module->count)
		qsort(reading->module->kernels, reading->module->count, sizeof(struct kernel),
		      by_hash);
	return keep_names(&reading->module->what) && !reading->failed;
}

/* -- modules come and go, and kernels are launched ------------------------------------------ */

static void keep(struct module *module)
{
	struct module **node;

	pthread_mutex_lock(&lock);
	node = tsearch(module, &modules, by_module);
	if (!node || *node != module) {
		free_module(module);
	} else {
		module->next = unreported;
		unreported = module;
		__atomic_add_fetch(&unreported_count, 1, __ATOMIC_RELAXED);
	}
	pthread_mutex_unlock(&lock);
}

void loaded_module(const Sanitizer_ResourceModuleData *data, bool in_call)
{
	struct reading reading = {.module = sink ? calloc(1, sizeof(*reading.module)) : NULL};

	if (!sink)
		return;
	loaded_gone(data->module); /* a module at the same handle, whose end was not seen */
	if (!reading.module || !read_image(&reading, data->pCubin, data->cubinSize)) {
		free_module(reading.module);
		sink->coverage(COVERAGE_CODE_NOT_READ, NULL, 1, data->cubinSize);
		return;
	}
	reading.module->module = data->module;
	reading.module->thread = pthread_self();
	reading.module->in_call = in_call;
	reading.module->what.record.bytes = data->cubinSize;
	reading.module->what.record.loading = __atomic_load_n(&loading, __ATOMIC_RELAXED);
	keep(reading.module);
}

/* The next module that is still to be reported; NULL: there is none. */
static struct module *take_unreported(void)
{
	struct module *module, **at = &unreported;

	pthread_mutex_lock(&lock);
	while (*at && (*at)->in_call && !pthread_equal((*at)->thread, pthread_self()))
		at = &(*at)->next;
	module = *at;
	if (module) {
		*at = module->next;
		__atomic_sub_fetch(&unreported_count, 1, __ATOMIC_RELAXED);
	}
	pthread_mutex_unlock(&lock);
	return module;
}

void loaded_report(void)
{
	struct module *module;
	struct launch *launches;
	uint32_t code;
	bool gone;

	while (__atomic_load_n(&unreported_count, __ATOMIC_RELAXED) &&
	       (module = take_unreported())) {
		module->what.record.frame = module->in_call ? sink->path() : 0;
		code = loaded_code_say(sink, &module->what);
		pthread_mutex_lock(&lock);
		module->code = code; /* other threads may have launched some meanwhile */
		launches = module->launches;
		module->launches = NULL;
		gone = module->gone;
		pthread_mutex_unlock(&lock);
		for (struct launch *launch = launches, *next; launch; launch = next) {
			next = launch->next;
			loaded_code_launched(sink, code, launch->name, launch->bytes);
			free(launch);
		}
		if (gone)
			free_module(module);
	}
}

void loaded_gone(CUmodule handle)
{
	const struct module key = {.module = handle};
	struct module *module, **found;

	pthread_mutex_lock(&lock);
	found = tfind(&key, &modules, by_module);
	module = found ? *found : NULL;
	if (module)
		tdelete(&key, &modules, by_module);
	if (module && !module->code) { /* who reports it frees it */
		module->gone = true;
		module = NULL;
	}
	pthread_mutex_unlock(&lock);
	free_module(module);
}

/* The lock is held. */
static void launch_later(struct module *module, const char *name, uint64_t bytes)
{
	size_t size = strlen(name) + 1;
	struct launch *launch = malloc(sizeof(*launch) + size);

	if (!launch)
		return;
	*launch = (struct launch){.next = module->launches, .bytes = bytes};
	memcpy(launch->name, name, size);
	module->launches = launch;
}

void loaded_launch(CUmodule handle, const char *name)
{
	const struct module key = {.module = handle};
	const struct kernel wanted = {.hash = loaded_code_hash(0, name)};
	struct kernel *kernel = NULL;
	struct module *const *found;
	uint64_t bytes = 0;
	uint32_t code = 0;

	pthread_mutex_lock(&lock);
	found = tfind(&key, &modules, by_module);
	if (found && (*found)->count)
		kernel = bsearch(&wanted, (*found)->kernels, (*found)->count, sizeof(wanted),
				 by_hash);
	if (kernel && !kernel->launched) {
		kernel->launched = true;
		bytes = kernel->bytes;
		code = (*found)->code;
		if (!code)
			launch_later(*found, name, bytes);
	}
	pthread_mutex_unlock(&lock);
	if (code)
		loaded_code_launched(sink, code, name, bytes);
}
