/*
 * collect/guest/inject.c: how the CUDA driver starts the guest on a real GPU.
 *
 * The driver loads the library that CUDA_INJECTION64_PATH names while it initialises itself, and
 * calls InitializeInjection().  Only in processes that use CUDA, linked however they are.
 *
 * Environment: VFLOW_PROVIDER is the library with the provider of the pass.
 */
#include "collect/guest/guest.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "util/say.h"
#include "util/start_environment.h"

static void unobserved(const char *why)
{
	char line[1200];

	snprintf(line, sizeof(line), "vflow: process %d runs unobserved: %.1000s\n", getpid(), why);
	say(line);
}

static const struct gpu_provider *load_provider(void)
{
	const char *path = start_variable("VFLOW_PROVIDER");
	gpu_provider_get *get;
	void *library;

	if (!path || !*path) {
		unobserved("VFLOW_PROVIDER, which names the GPU provider, is not set");
		return NULL;
	}
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
