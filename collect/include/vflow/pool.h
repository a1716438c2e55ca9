/*
 * vflow/pool.h: tells vflow of the blocks that a memory pool hands out.
 *
 * A pool takes segments from CUDA and gives parts of them to its users.  vflow sees the segments;
 * the pool says what becomes of them:
 *
 *     void *block = carve(pool, bytes);
 *     vflow_pool_alloc("activations", block, bytes);
 *     ...
 *     vflow_pool_free("activations", block);
 *
 * The name makes the pool: at most 63 bytes count, and 1000 pools of a process.  The call path of a
 * block is that of the line which calls vflow_pool_alloc().  Both may be called on any thread, and
 * do nothing where vflow does not run.  Blocks from before CUDA's start are not seen.  glibc before
 * 2.34 needs -ldl.
 */
#ifndef VFLOW_POOL_H
#define VFLOW_POOL_H

#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>

/* `bytes`: 0: the block is free again. */
typedef void vflow_pool_block(const char *pool, const void *block, uint64_t bytes);

/* NULL: vflow does not run, or CUDA has not started. */
static inline vflow_pool_block *vflow_pool_find(void)
{
	static vflow_pool_block *found;
	static int absent;
	vflow_pool_block *function = __atomic_load_n(&found, __ATOMIC_ACQUIRE);
	void *guest;

	if (function || __atomic_load_n(&absent, __ATOMIC_RELAXED))
		return function;
	if (!getenv("VFLOW_TRACE_DIR")) {
		__atomic_store_n(&absent, 1, __ATOMIC_RELAXED);
		return NULL;
	}
	guest = dlopen("libvflow-guest.so", RTLD_LAZY | RTLD_NOLOAD);
	if (!guest)
		return NULL;
	*(void **)&function = dlsym(guest, "vflow_guest_pool_block");
	dlclose(guest); /* whoever loaded it holds it until the process ends */
	__atomic_store_n(&found, function, __ATOMIC_RELEASE);
	return function;
}

/* Macros, so that call paths begin with the line of the pool, not with one of this file. */
#define vflow_pool_alloc(pool, block, bytes)                                                       \
	do {                                                                                       \
		vflow_pool_block *vflow_pool_function = vflow_pool_find();                         \
		uint64_t vflow_pool_bytes = (bytes);                                               \
                                                                                                   \
		if (vflow_pool_function && vflow_pool_bytes)                                       \
			vflow_pool_function(pool, block, vflow_pool_bytes);                        \
	} while (0)
#define vflow_pool_free(pool, block)                                                               \
	do {                                                                                       \
		vflow_pool_block *vflow_pool_function = vflow_pool_find();                         \
                                                                                                   \
		if (vflow_pool_function)                                                           \
			vflow_pool_function(pool, block, 0);                                       \
	} while (0)

#endif
