/*
 * gpu/emulator/state/memory_store.c: bytes that lie at no address of the device until they are
 * shown there.
 *
 * Shared memory of which mremap() makes a second mapping: without a file, of which the program
 * could close the descriptor.
 */
#include <sys/mman.h>

#include "gpu/emulator/state/memory.h"

void *memory_store(uint64_t size)
{
	void *store =
		mmap(NULL, size, PROT_NONE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (store == MAP_FAILED)
		return NULL;
	/* after mlockall(MCL_FUTURE) all of it would be given memory at once */
	munlock(store, size);
	if (mprotect(store, size, PROT_READ | PROT_WRITE) != 0) {
		munmap(store, size);
		return NULL;
	}
	madvise(store, size, MADV_DONTDUMP);
	return store;
}

void memory_store_free(void *store, uint64_t size)
{
	munmap(store, size);
}

int memory_show(struct allocation *allocation, uint64_t address, void *store, uint64_t size)
{
	/* of a size of 0 it leaves the old mapping where it is */
	if (mremap(store, 0, size, MREMAP_MAYMOVE | MREMAP_FIXED, (void *)(uintptr_t)address) ==
	    MAP_FAILED)
		return -1;
	allocation->backed = true;
	return 0;
}

int memory_hide(uint64_t address, uint64_t size)
{
	void *at = (void *)(uintptr_t)address;
	int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED;

	if (mmap(at, size, PROT_NONE, flags, -1, 0) == MAP_FAILED)
		return -1;
	munlock(at, size);
	if (mprotect(at, size, PROT_READ | PROT_WRITE) != 0)
		return -1;
	madvise(at, size, MADV_DONTDUMP);
	return 0;
}
