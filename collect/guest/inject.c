/*
 * collect/guest/inject.c: how the CUDA driver starts the guest on a real GPU.
 *
 * The driver loads the library that CUDA_INJECTION64_PATH names while it initialises itself, and
 * calls InitializeInjection().  Only in processes that use CUDA, linked however they are.
 */
#include "collect/guest/guest.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "util/say.h"

static void unobserved(const char *why)
{
	char line[1200];

	snprintf(line, sizeof(line), "vflow: process %d runs unobserved: %.1000s\n", getpid(), why);
	say(line);
}

static const struct gpu_provider *load_provider(void)
{
	char path[PATH_MAX];
	gpu_provider_get *get;
	void *library;
	Dl_info self;

	if (!dladdr((const void *)(uintptr_t)load_provider, &self) ||
	    snprintf(path, sizeof(path), "%s", self.dli_fname) >= (int)sizeof(path) ||
	    !strrchr(path, '/') ||
	    strrchr(path, '/') - path + sizeof("/" GPU_PROVIDER_LIBRARY) > PATH_MAX) {
		unobserved("the guest cannot find its own folder");
		return NULL;
	}
	strcpy(strrchr(path, '/') + 1, GPU_PROVIDER_LIBRARY);
	library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	get = library ? (gpu_provider_get *)(uintptr_t)dlsym(library, GPU_PROVIDER_GET) : NULL;
	if (!get) {
		unobserved(dlerror());
		return NULL;
	}
	return get();
}

__attribute__((visibility("default"))) int InitializeInjection(void);

/* The driver goes on whatever this returns. */
int InitializeInjection(void)
{
	const struct gpu_provider *provider = load_provider();

	if (provider)
		vflow_guest_start(provider);
	return 1;
}
