/*
 * gpu/emulator/runtime/registry.c: what nvcc's start-up code registers: fat binaries with their
 * kernels and variables, known by the addresses of their host stubs.
 *
 * Registering only takes notes: a program that never uses CUDA never loads anything.
 */
#include <pthread.h>
#include <stdlib.h>

#define HASH_NONFATAL_OOM 1
#include <uthash.h>

#include "gpu/emulator/runtime/runtime.h"

struct fat_binary {
	const void *wrapper;
	struct emulator_module *module; /* NULL: not loaded */
	uint64_t generation;            /* of the device when it was loaded */
	int refused;                    /* the error of loading the image, reported once */
};

/* A kernel or a variable. */
struct symbol {
	const void *host; /* the key */
	struct fat_binary *binary;
	const char *name; /* in the program's memory, as long as it is registered */
	struct emulator_kernel *kernel;
	uint64_t generation; /* of `kernel` */
	bool managed;        /* `host` is where the program looks up the variable's address */
	UT_hash_handle hh;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct symbol *kernels, *variables;

EXPORT void **__cudaRegisterFatBinary(void *wrapper);
EXPORT void __cudaRegisterFatBinaryEnd(void **handle);
EXPORT void __cudaUnregisterFatBinary(void **handle);
EXPORT void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name,
				   int threads, uint3 *tid, uint3 *bid, dim3 *block, dim3 *grid,
				   int *warp);
EXPORT void __cudaRegisterVar(void **handle, char *host, char *device, const char *name,
			      int external, size_t size, int constant, int global);
EXPORT void __cudaRegisterManagedVar(void **handle, void **host, char *device, const char *name,
				     int external, size_t size, int constant, int global);
EXPORT char __cudaInitModule(void **handle);
EXPORT cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *function);

void **__cudaRegisterFatBinary(void *wrapper)
{
	struct fat_binary *binary = calloc(1, sizeof(*binary));

	if (binary)
		binary->wrapper = wrapper;
	return (void **)binary;
}

void __cudaRegisterFatBinaryEnd(void **handle)
{
	(void)handle;
}

static void add(struct symbol **table, void **handle, const void *host, const char *name,
		bool managed)
{
	struct symbol *symbol = handle ? calloc(1, sizeof(*symbol)) : NULL;

	if (!symbol)
		return;
	symbol->host = host;
	symbol->binary = (struct fat_binary *)handle;
	symbol->name = name;
	symbol->managed = managed;
	pthread_mutex_lock(&lock);
	HASH_ADD_PTR(*table, host, symbol);
	pthread_mutex_unlock(&lock);
}

void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name,
			    int threads, uint3 *tid, uint3 *bid, dim3 *block, dim3 *grid, int *warp)
{
	(void)device, (void)threads, (void)tid, (void)bid, (void)block, (void)grid, (void)warp;
	add(&kernels, handle, host, name, false);
}

void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int external,
		       size_t size, int constant, int global)
{
	(void)device, (void)external, (void)size, (void)constant, (void)global;
	add(&variables, handle, host, name, false);
}

void __cudaRegisterManagedVar(void **handle, void **host, char *device, const char *name,
			      int external, size_t size, int constant, int global)
{
	(void)device, (void)external, (void)size, (void)constant, (void)global;
	add(&variables, handle, host, name, true);
}

static void drop(struct symbol **table, const struct fat_binary *binary)
{
	struct symbol *symbol, *next;

	HASH_ITER(hh, *table, symbol, next)
	{
		if (symbol->binary == binary) {
			HASH_DEL(*table, symbol);
			free(symbol);
		}
	}
}

/* Runs in exit handlers and when a library is closed; the device may be gone by then. */
void __cudaUnregisterFatBinary(void **handle)
{
	struct fat_binary *binary = (struct fat_binary *)handle;

	if (!binary)
		return;
	pthread_mutex_lock(&lock);
	drop(&kernels, binary);
	drop(&variables, binary);
	if (binary->module && binary->generation == vflow_emulator_generation())
		vflow_emulator_module_unload(binary->module);
	free(binary);
	pthread_mutex_unlock(&lock);
}

/* The program reads and writes managed variables where the device has them. */
static void show_managed(const struct fat_binary *binary)
{
	for (struct symbol *each = variables; each; each = each->hh.next) {
		uint64_t address, size;

		if (each->managed && each->binary == binary &&
		    !vflow_emulator_module_variable(binary->module, each->name, &address, &size)) {
			*(uint64_t *)(uintptr_t)each->host = address;
			vflow_emulator_variable_shared(address);
		}
	}
}

/* Called with the lock held. */
static int load(struct fat_binary *binary)
{
	uint64_t generation = vflow_emulator_generation();
	int error;

	if (binary->refused)
		return binary->refused;
	if (binary->generation == generation && binary->module)
		return 0;
	binary->module = NULL;
	binary->generation = generation;
	error = vflow_emulator_module_load(binary->wrapper, SIZE_MAX, NULL, &binary->module);
	if (!error)
		show_managed(binary);
	if (error == cudaErrorInvalidKernelImage || error == cudaErrorNoKernelImageForDevice ||
	    error == cudaErrorInvalidPtx)
		binary->refused = error;
	return error;
}

/* Before the host's first use of a managed variable. */
char __cudaInitModule(void **handle)
{
	int error = handle ? vflow_emulator_attach() : (int)cudaErrorInvalidValue;

	if (!error) {
		pthread_mutex_lock(&lock);
		error = load((struct fat_binary *)handle);
		pthread_mutex_unlock(&lock);
	}
	runtime_result(error);
	return !error;
}

static struct symbol *find(struct symbol *table, const void *host)
{
	struct symbol *symbol;

	HASH_FIND_PTR(table, &host, symbol);
	return symbol;
}

/* The kernel of a host stub, or of a handle that __cudaGetKernel() returned. */
static struct symbol *find_kernel(const void *function)
{
	struct symbol *symbol = find(kernels, function);

	for (struct symbol *each = kernels; !symbol && each; each = each->hh.next)
		if (each == function)
			symbol = each;
	return symbol;
}

int registry_kernel(const void *function, struct emulator_kernel **kernel)
{
	struct symbol *symbol;
	int error = 0;

	pthread_mutex_lock(&lock);
	symbol = find_kernel(function);
	if (!symbol) { /* maybe a handle of the driver's, or of cudaLibraryGetKernel() */
		struct emulator_kernel_facts facts;

		*kernel = (struct emulator_kernel *)(uintptr_t)function;
		pthread_mutex_unlock(&lock);
		error = vflow_emulator_kernel_facts(*kernel, &facts);
		return error == cudaErrorInvalidResourceHandle ? (int)cudaErrorInvalidDeviceFunction
							       : error;
	}
	if (!symbol->kernel || symbol->generation != vflow_emulator_generation()) {
		error = load(symbol->binary);
		if (!error) {
			error = vflow_emulator_module_kernel(symbol->binary->module, symbol->name,
							     &symbol->kernel);
			symbol->generation = symbol->binary->generation;
			if (error == cudaErrorSymbolNotFound)
				error = cudaErrorInvalidDeviceFunction;
		}
		if (error)
			symbol->kernel = NULL;
	}
	if (!error)
		*kernel = symbol->kernel;
	pthread_mutex_unlock(&lock);
	return error;
}

int registry_variable(const void *host, uint64_t *address, uint64_t *size)
{
	struct symbol *symbol;
	int error;

	pthread_mutex_lock(&lock);
	symbol = find(variables, host);
	error = symbol ? load(symbol->binary) : cudaErrorInvalidSymbol;
	if (!error)
		error = vflow_emulator_module_variable(symbol->binary->module, symbol->name,
						       address, size);
	if (error == cudaErrorSymbolNotFound)
		error = cudaErrorInvalidSymbol;
	pthread_mutex_unlock(&lock);
	return error;
}

cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *function)
{
	struct symbol *symbol;

	pthread_mutex_lock(&lock);
	symbol = find_kernel(function);
	pthread_mutex_unlock(&lock);
	if (!symbol || !kernel)
		return runtime_result(symbol ? cudaErrorInvalidValue
					     : cudaErrorInvalidDeviceFunction);
	*kernel = (cudaKernel_t)symbol;
	return cudaSuccess;
}
