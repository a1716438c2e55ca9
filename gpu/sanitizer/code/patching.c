/* gpu/sanitizer/code/patching.c: which modules have our patches. */
#include "gpu/sanitizer/code/patching.h"

#include <pthread.h>
#include <search.h>
#include <stdint.h>

extern const unsigned char vflow_patches_image[], vflow_patches_access_image[],
	vflow_values_image[]; /* images.S */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Contexts into which our patches were loaded. */
static CUcontext ready[64];
static unsigned ready_count;

static bool lazy;
static enum patching_kind patches_kind;
static void *off; /* a tree of the modules that are not patched, by address */
static void *frozen;
static bool all_frozen;

static bool make_ready(CUcontext context)
{
	static const unsigned char *const images[] = {
		[PATCHING_MARKS] = vflow_patches_image,
		[PATCHING_COUNTS] = vflow_patches_access_image,
		[PATCHING_VALUES] = vflow_values_image,
	};

	for (unsigned i = 0; i < ready_count; i++)
		if (ready[i] == context)
			return true;
	if (ready_count == sizeof(ready) / sizeof(*ready) ||
	    sanitizerAddPatches(images[patches_kind], context) != SANITIZER_SUCCESS)
		return false;
	ready[ready_count++] = context;
	return true;
}

static bool patch(CUmodule module)
{
	/* by number: the headers of CUDA 12 end at 29 */
	enum {
		BULK_COPY_GLOBAL_TO_SHARED = 30,
		BULK_COPY_SHARED_TO_GLOBAL = 35,
		BULK_REDUCTION_SHARED_TO_GLOBAL = 37,
	};
	static const struct {
		int instruction;
		const char *function;
		bool optional; /* the oldest Sanitizer that serves does not know it */
	} patches[] = {
		{SANITIZER_INSTRUCTION_GLOBAL_MEMORY_ACCESS, "vflow_patch_access", false},
		{SANITIZER_INSTRUCTION_MEMCPY_ASYNC, "vflow_patch_copy_async", false},
		{BULK_COPY_GLOBAL_TO_SHARED, "vflow_patch_bulk_read", true},
		{BULK_COPY_SHARED_TO_GLOBAL, "vflow_patch_bulk_write", true},
		{BULK_REDUCTION_SHARED_TO_GLOBAL, "vflow_patch_bulk_reduction", true},
	};

	if (patches_kind == PATCHING_VALUES)
		return sanitizerPatchInstructions(SANITIZER_INSTRUCTION_GLOBAL_MEMORY_ACCESS,
						  module,
						  "vflow_values_access") == SANITIZER_SUCCESS &&
		       sanitizerPatchModule(module) == SANITIZER_SUCCESS;
	for (size_t i = 0; i < sizeof(patches) / sizeof(*patches); i++)
		if (sanitizerPatchInstructions((Sanitizer_InstructionId)patches[i].instruction,
					       module, patches[i].function) != SANITIZER_SUCCESS &&
		    !patches[i].optional)
			return false;
	return sanitizerPatchModule(module) == SANITIZER_SUCCESS;
}

static int by_address(const void *a, const void *b)
{
	return ((uintptr_t)a > (uintptr_t)b) - ((uintptr_t)a < (uintptr_t)b);
}

void patching_start(bool lazily, enum patching_kind kind)
{
	lazy = lazily;
	patches_kind = kind;
}

bool patching_is_on(CUmodule module)
{
	bool on;

	pthread_mutex_lock(&lock);
	on = !tfind(module, &off, by_address);
	pthread_mutex_unlock(&lock);
	return on;
}

bool patching_set(CUmodule module, bool on)
{
	bool done;

	pthread_mutex_lock(&lock);
	if (on) {
		/* unpatching a module has made the Sanitizer forget its patches */
		done = patch(module);
		if (done)
			tdelete(module, &off, by_address);
	} else {
		done = sanitizerUnpatchModule(module) == SANITIZER_SUCCESS &&
		       tsearch(module, &off, by_address);
	}
	pthread_mutex_unlock(&lock);
	return done;
}

void patching_unloading(CUmodule module)
{
	pthread_mutex_lock(&lock);
	tdelete(module, &off, by_address);
	tdelete(module, &frozen, by_address);
	pthread_mutex_unlock(&lock);
}

void patching_freeze(CUmodule module)
{
	pthread_mutex_lock(&lock);
	if (!module || !tsearch(module, &frozen, by_address))
		all_frozen = true;
	pthread_mutex_unlock(&lock);
}

bool patching_is_frozen(CUmodule module)
{
	bool is;

	pthread_mutex_lock(&lock);
	is = all_frozen || tfind(module, &frozen, by_address);
	pthread_mutex_unlock(&lock);
	return is;
}

bool patching_loaded(const Sanitizer_ResourceModuleData *data)
{
	bool patched;

	pthread_mutex_lock(&lock);
	patched = make_ready(data->context);
	if (patched)
		patched = lazy ? tsearch(data->module, &off, by_address) != NULL
			       : patch(data->module);
	pthread_mutex_unlock(&lock);
	return patched;
}

void patching_context_gone(CUcontext context)
{
	pthread_mutex_lock(&lock);
	for (unsigned i = 0; i < ready_count; i++)
		if (ready[i] == context) {
			ready[i] = ready[--ready_count];
			break;
		}
	pthread_mutex_unlock(&lock);
}
