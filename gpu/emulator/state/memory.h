/*
 * gpu/emulator/state/memory.h: the emulated device's memory.
 *
 * A device pointer is a host address inside one reserved range, so generic addressing and
 * host code that is handed a device pointer both work.  The range starts at the same address in
 * every run where the kernel allows it.  Adjacent allocations have a gap between them, so that an
 * access just past the end of one never lands in the next.  Not thread-safe: the device lock is
 * held.
 */
#ifndef VFLOW_GPU_EMULATOR_STATE_MEMORY_H
#define VFLOW_GPU_EMULATOR_STATE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct object_state;
struct shadow_object;

struct allocation {
	uint64_t address;             /* 512-byte aligned for cudaMalloc */
	uint64_t size;                /* as asked for */
	struct shadow_object *shadow; /* NULL: not observed */
	struct object_state *state;   /* of pass calls, which has no shadows; NULL: none */
	uint32_t object;              /* the sink's id, 0: not observed */
	uint32_t kind;                /* enum gpu_memory */
	bool stored;                  /* by a surface store of the running kernel */
	bool looked_at;               /* by the running kernel: texts it prints, tensor maps */
	bool reserved;                /* an address range: cuMemAddressFree() alone frees it */
	bool in_graph;                /* reserved by an allocation node of a graph */
	bool backed;                  /* some of it shows, or has shown, a memory_store */
	bool live;                    /* in_graph: between the node and its free */
	bool managed;                 /* a module's variable that the host uses, too */
	const void *context;          /* the CUDA context that owns it */
	uint8_t *rights; /* of kernels, by MEMORY_RIGHTS_PAGE; NULL: all.  Goes with it */
};

#define MEMORY_ALIGNMENT 512
#define MEMORY_RIGHTS_PAGE ((size_t)2 << 20)
/* numbers of CUmemAccess_flags */
#define MEMORY_READ 1
#define MEMORY_WRITE 2
/* kinds beside enum gpu_memory: not objects of the program's */
#define MEMORY_KIND_HEAP 0x100 /* malloc in device code, and the emulator's own */

/*
 * `alignment`: a power of two; at least MEMORY_ALIGNMENT is used.  NULL: size 0 or out of device
 * memory.  Content is not defined (it is whatever was there before).
 */
struct allocation *memory_allocate(uint64_t size, uint64_t alignment);
void memory_release(struct allocation *allocation);

/*
 * Memory of the host's own that the device is to see where it lies; memory_release() takes it out
 * again.  NULL: no memory, size 0, or part of it is known already.
 */
struct allocation *memory_register(uint64_t address, uint64_t size);

/*
 * Bytes of their own, which allocations show: memory_show() lets `size` bytes at the address, whole
 * pages of the allocation, be those of the store; memory_hide() gives the address memory of its own
 * again, all zero.  -1: no memory.
 */
void *memory_store(uint64_t size); /* all zero; NULL: no memory */
void memory_store_free(void *store, uint64_t size);
int memory_show(struct allocation *allocation, uint64_t address, void *store, uint64_t size);
int memory_hide(uint64_t address, uint64_t size);

/*
 * The allocation that holds `address`, or NULL.  A pointer stays valid until its release;
 * memory_generation() changes whenever an allocation is made or released (for caches).
 */
struct allocation *memory_find(uint64_t address);
uint64_t memory_generation(void);

/* Whether kernels may access bytes of the allocation that has rights. */
bool memory_allows(const struct allocation *allocation, uint64_t address, uint64_t size, bool read,
		   bool write);

/* Whether the address lies in the device's range, allocated or not; registered memory does not. */
bool memory_is_device(uint64_t address);

/* Calls `each` for every allocation in order of address; it may release the one it is given. */
void memory_each(void (*each)(struct allocation *allocation, void *data), void *data);

uint64_t memory_total(void);
uint64_t memory_free(void);

#endif
