/* gpu/sanitizer/code/modules.c: see modules.h. */
#include "gpu/sanitizer/code/modules.h"

#include <pthread.h>
#include <search.h>
#include <stdlib.h>

#include "gpu/sanitizer/code/images.h"
#include "gpu/sanitizer/code/loaded.h"
#include "gpu/sanitizer/code/patching.h"
#include "gpu/sanitizer/driver.h"
#include "gpu/sass/instructions.h"
#include "gpu/sass/variables.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* never held across calls of the driver */

/* -- instructions that no patch follows ---------------------------------------------------- */

/* The instructions of one module. */
struct module {
	CUmodule module; /* first: the key */
	struct instructions_list *instructions;
};
static void *modules; /* a tree */

static int by_module(const void *a, const void *b)
{
	uintptr_t x = (uintptr_t)((const struct module *)a)->module;
	uintptr_t y = (uintptr_t)((const struct module *)b)->module;

	return (x > y) - (x < y);
}

static void free_module(struct module *module)
{
	if (module)
		instructions_free(module->instructions);
	free(module);
}

static void forget_instructions(CUmodule handle)
{
	const struct module key = {.module = handle};
	struct module *module, **found;

	pthread_mutex_lock(&lock);
	found = tfind(&key, &modules, by_module);
	module = found ? *found : NULL;
	if (module)
		tdelete(&key, &modules, by_module);
	pthread_mutex_unlock(&lock);
	free_module(module);
}

static void read_instructions(CUmodule handle, const void *image, size_t size)
{
	struct instructions_list *list = instructions_read(image, size);
	struct module *module = list ? calloc(1, sizeof(*module)) : NULL, **node;

	forget_instructions(handle); /* a module at the same handle, whose end was not seen */
	if (!module) {
		instructions_free(list);
		return;
	}
	*module = (struct module){handle, list};
	pthread_mutex_lock(&lock);
	node = tsearch(module, &modules, by_module);
	if (!node || *node != module)
		free_module(module);
	pthread_mutex_unlock(&lock);
}

unsigned module_instructions(CUmodule handle, const char *kernel)
{
	const struct module key = {.module = handle};
	struct module *const *found;
	unsigned instructions = 0;

	pthread_mutex_lock(&lock);
	found = tfind(&key, &modules, by_module);
	if (found)
		instructions = instructions_of((*found)->instructions, kernel);
	pthread_mutex_unlock(&lock);
	return instructions;
}

/* -- variables ---------------------------------------------------------------------------- */

/* A module whose variables have no objects yet. */
struct pending {
	struct pending *next;
	CUcontext context;
	CUmodule module;
	struct variable_names variables;
};
static struct pending *pending; /* in the order in which they were loaded */
static unsigned pending_count;
static uint32_t order;

static void free_pending(struct pending *module)
{
	variables_free(&module->variables);
	free(module);
}

static void read_variables(const Sanitizer_ResourceModuleData *data)
{
	struct pending *module = calloc(1, sizeof(*module)), **last = &pending;

	if (!module)
		return;
	module->context = data->context;
	module->module = data->module;
	module->variables = variables_read(data->pCubin, data->cubinSize);
	if (!module->variables.count) {
		free_pending(module);
		return;
	}
	pthread_mutex_lock(&lock);
	while (*last)
		last = &(*last)->next;
	*last = module;
	__atomic_add_fetch(&pending_count, 1, __ATOMIC_RELAXED);
	pthread_mutex_unlock(&lock);
}

/*
 * Removes the first module of a context from the list, or (not NULL) this module: it needs no lock
 * then.
 */
static struct pending *take(CUcontext context, CUmodule module)
{
	struct pending *found = NULL;

	pthread_mutex_lock(&lock);
	for (struct pending **at = &pending; *at; at = &(*at)->next)
		if ((*at)->context == context && (!module || (*at)->module == module)) {
			found = *at;
			*at = found->next;
			__atomic_sub_fetch(&pending_count, 1, __ATOMIC_RELAXED);
			break;
		}
	pthread_mutex_unlock(&lock);
	return found;
}

bool modules_pending(void)
{
	return __atomic_load_n(&pending_count, __ATOMIC_RELAXED);
}

static struct object *add_variable(struct space *space, CUmodule module, struct variable_name *name,
				   struct variables_unseen *unseen)
{
	struct object *object;
	CUdeviceptr address;
	unsigned managed = 0;
	size_t size;

	if (driver.cuModuleGetGlobal(&address, &size, module, name->text) != CUDA_SUCCESS) {
		unseen->skipped++;
		return NULL;
	}
	object = space_add(space, address, size, GPU_MEMORY_GLOBAL, false);
	if (!object)
		return NULL;
	object->order = ++order;
	object->module = module;
	object->constant = name->constant;
	object->name = name->text;
	name->text = NULL;
	if (driver.cuPointerGetAttribute(&managed, CU_POINTER_ATTRIBUTE_IS_MANAGED, address) ==
		    CUDA_SUCCESS &&
	    managed) {
		object_share(object);
		unseen->managed++;
		unseen->managed_bytes += size;
	}
	object_follow(object); /* its record says what it is */
	return object;
}

void modules_variables(struct space *space, struct variables_unseen *unseen)
{
	struct pending *module;

	while ((module = take(space_context(space), NULL))) {
		struct variable_names *variables = &module->variables;
		struct object *found[64];
		uint32_t count = 0;

		for (uint32_t i = 0; i < variables->count; i++) {
			found[count] =
				add_variable(space, module->module, &variables->names[i], unseen);
			count += !!found[count];
			if (count == sizeof(found) / sizeof(*found) || i + 1 == variables->count) {
				space_initialised(space, found, count);
				count = 0;
			}
		}
		unseen->constants += variables->constants;
		free_pending(module);
	}
}

/* -- modules come and go ------------------------------------------------------------------- */

bool module_loaded(const Sanitizer_ResourceModuleData *data, bool in_call)
{
	bool patched;

	read_instructions(data->module, data->pCubin, data->cubinSize);
	loaded_module(data, in_call);
	images_loaded(data);
	patched = patching_loaded(data);
	read_variables(data);
	return patched;
}

void module_unloading(CUcontext context, CUmodule module)
{
	struct pending *gone = take(context, module);

	patching_unloading(module);
	images_unloading(module);
	forget_instructions(module);
	loaded_gone(module);
	if (gone)
		free_pending(gone);
}

void modules_context_gone(CUcontext context)
{
	struct pending *gone;

	while ((gone = take(context, NULL)))
		free_pending(gone);
	patching_context_gone(context);
}
