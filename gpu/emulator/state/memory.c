/*
 * gpu/emulator/state/memory.c: allocations inside one reserved range of the host's address space.
 *
 * First fit over a sorted array: the same requests give the same addresses on every run, and
 * freed addresses are used again, as programs see on a GPU.
 */
#include "gpu/emulator/state/memory.h"
#include "util/start_environment.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define RANGE_HINT UINT64_C(0x200000000000)
#define RANGE_MAX (UINT64_C(16) << 30)
#define RANGE_MIN (UINT64_C(64) << 20)
#define GAP MEMORY_ALIGNMENT
#define PIECES_MAX 65536
#define OPENED_AT_ONCE (UINT64_C(16) << 20)
/* pages of a freed allocation of this size go back to the system */
#define GIVE_BACK (UINT64_C(256) << 10)

/* One slot per allocation, in order of address; the ends are here so that scans stay in cache. */
struct slot {
	uint64_t start, end; /* end includes the gap */
	struct allocation *allocation;
};

static struct {
	uint64_t start, size; /* the range */
	uint64_t opened;      /* bytes at its start that can be accessed */
	uint64_t total, used; /* device memory as the program sees it */
	struct slot *slots;
	size_t count, capacity;
	size_t full; /* no gap before this slot can hold an allocation */
	uint64_t generation;
} memory;

/* Registered memory of the host, in no order: programs have little of it. */
static struct allocation **registered;
static size_t registered_count, registered_capacity;

static uint64_t round_up(uint64_t value, uint64_t alignment)
{
	return (value + alignment - 1) & ~(alignment - 1);
}

/* What `vflow collect --memory-limit` leaves of `total` bytes. */
static uint64_t limited(uint64_t total)
{
	const char *text = start_variable("VFLOW_MEMORY_LIMIT");
	uint64_t limit = text ? strtoull(text, NULL, 10) : 0;

	return limit && limit < total ? limit : total;
}

/*
 * Addresses without memory, of which nothing is locked: after mlockall(MCL_FUTURE) they would count
 * against the limit on locked memory (EAGAIN), and so are taken piece by piece.
 */
static void *reserve_range(uint64_t size)
{
	const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
	void *at = (void *)(uintptr_t)RANGE_HINT;
	char *start = mmap(at, size, PROT_NONE, flags, -1, 0);
	uint64_t piece = size;

	while (start == MAP_FAILED && errno == EAGAIN && piece / 2 >= size / PIECES_MAX)
		start = mmap(at, piece /= 2, PROT_NONE, flags, -1, 0);
	if (start == MAP_FAILED)
		return NULL;
	munlock(start, piece);
	for (uint64_t done = piece; done < size; done += piece) {
		uint64_t more = size - done < piece ? size - done : piece;

		if (mmap(start + done, more, PROT_NONE, flags | MAP_FIXED_NOREPLACE, -1, 0) !=
		    start + done) {
			munmap(start, done);
			return NULL;
		}
		munlock(start + done, more);
	}
	return start;
}

static int reserve(void)
{
	uint64_t ram = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);

	if (memory.size)
		return 0;
	memory.total = ram / 2 < RANGE_MAX ? ram / 2 & ~(RANGE_MIN - 1) : RANGE_MAX;
	if (memory.total < RANGE_MIN)
		memory.total = RANGE_MIN;
	/* twice the memory: gaps and fragmentation take addresses, not memory */
	for (; memory.total >= RANGE_MIN; memory.total /= 2) {
		void *range = reserve_range(2 * memory.total);

		if (!range)
			continue; /* limited address space: a smaller device */
		madvise(range, 2 * memory.total, MADV_DONTDUMP);
		memory.start = (uintptr_t)range;
		memory.size = 2 * memory.total;
		memory.total = limited(memory.total);
		return 0;
	}
	memory.total = 0;
	return -1;
}

/*
 * Lets the range be accessed up to there, once it has been allocated: mlockall(MCL_CURRENT) gives
 * memory to all that can be, and so would opening what is locked already.
 */
static int open_up_to(uint64_t end)
{
	uint64_t size = round_up(end - memory.start, OPENED_AT_ONCE);
	void *at = (void *)(uintptr_t)(memory.start + memory.opened);

	if (size > memory.size)
		size = memory.size;
	if (size <= memory.opened)
		return 0;
	munlock(at, size - memory.opened);
	if (mprotect(at, size - memory.opened, PROT_READ | PROT_WRITE) != 0)
		return -1;
	memory.opened = size;
	return 0;
}

/* Where `bytes` fit: the index of the new slot, its address in *address; -1: nowhere. */
static ssize_t find_gap(uint64_t bytes, uint64_t alignment, uint64_t *address)
{
	bool first = true;

	for (size_t i = memory.full; i <= memory.count; i++) {
		uint64_t start = i ? memory.slots[i - 1].end : memory.start;
		uint64_t end =
			i < memory.count ? memory.slots[i].start : memory.start + memory.size;

		if (first && end - start < MEMORY_ALIGNMENT + GAP)
			memory.full = i + 1;
		else
			first = false;
		start = round_up(start, alignment);
		if (start <= end && end - start >= bytes) {
			*address = start;
			return (ssize_t)i;
		}
	}
	return -1;
}

struct allocation *memory_allocate(uint64_t size, uint64_t alignment)
{
	uint64_t address, bytes = round_up(size, MEMORY_ALIGNMENT);
	struct allocation *allocation;
	ssize_t at;

	if (reserve() || !size || size > memory.total || bytes > memory.total - memory.used)
		return NULL;
	if (alignment < MEMORY_ALIGNMENT)
		alignment = MEMORY_ALIGNMENT;
	if (memory.count == memory.capacity) {
		size_t capacity = memory.capacity ? 2 * memory.capacity : 64;
		struct slot *slots = realloc(memory.slots, capacity * sizeof(*slots));

		if (!slots)
			return NULL;
		memory.slots = slots;
		memory.capacity = capacity;
	}
	at = find_gap(bytes + GAP, alignment, &address);
	if (at >= 0 && open_up_to(address + bytes + GAP) != 0)
		return NULL;
	allocation = at < 0 ? NULL : calloc(1, sizeof(*allocation));
	if (!allocation)
		return NULL;
	memmove(&memory.slots[at + 1], &memory.slots[at],
		(memory.count - (size_t)at) * sizeof(*memory.slots));
	memory.slots[at] = (struct slot){address, address + bytes + GAP, allocation};
	memory.count++;
	memory.used += bytes;
	memory.generation++;
	allocation->address = address;
	allocation->size = size;
	return allocation;
}

/* The number of slots that start at or before `address`. */
static size_t slots_up_to(uint64_t address)
{
	size_t low = 0, high = memory.count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (memory.slots[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

struct allocation *memory_register(uint64_t address, uint64_t size)
{
	struct allocation *allocation;

	if (!size || reserve() || address + size < address ||
	    (address < memory.start + memory.size && address + size > memory.start))
		return NULL;
	for (size_t i = 0; i < registered_count; i++)
		if (address < registered[i]->address + registered[i]->size &&
		    address + size > registered[i]->address)
			return NULL;
	if (registered_count == registered_capacity) {
		size_t capacity = registered_capacity ? 2 * registered_capacity : 8;
		struct allocation **more = realloc(registered, capacity * sizeof(*more));

		if (!more)
			return NULL;
		registered = more;
		registered_capacity = capacity;
	}
	allocation = calloc(1, sizeof(*allocation));
	if (!allocation)
		return NULL;
	allocation->address = address;
	allocation->size = size;
	registered[registered_count++] = allocation;
	memory.generation++;
	return allocation;
}

static struct allocation *find_registered(uint64_t address)
{
	for (size_t i = 0; i < registered_count; i++)
		if (address - registered[i]->address < registered[i]->size)
			return registered[i];
	return NULL;
}

static void unregister(struct allocation *allocation)
{
	for (size_t i = 0; i < registered_count; i++)
		if (registered[i] == allocation) {
			registered[i] = registered[--registered_count];
			break;
		}
	memory.generation++;
	free(allocation);
}

static void release(struct allocation *allocation)
{
	size_t at = slots_up_to(allocation->address) - 1;
	uint64_t bytes = round_up(allocation->size, MEMORY_ALIGNMENT);

	if (allocation->backed) {
		memory_hide(allocation->address, allocation->size);
	} else if (bytes >= GIVE_BACK) {
		uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
		uint64_t start = round_up(allocation->address, page);
		uint64_t end = (allocation->address + bytes) & ~(page - 1);

		madvise((void *)(uintptr_t)start, end - start, MADV_DONTNEED);
	}
	memory.count--;
	memmove(&memory.slots[at], &memory.slots[at + 1],
		(memory.count - at) * sizeof(*memory.slots));
	if (at < memory.full)
		memory.full = at;
	memory.used -= bytes;
	memory.generation++;
	free(allocation->rights);
	free(allocation);
}

void memory_release(struct allocation *allocation)
{
	if (memory_is_device(allocation->address))
		release(allocation);
	else
		unregister(allocation);
}

struct allocation *memory_find(uint64_t address)
{
	size_t count = slots_up_to(address);
	struct allocation *allocation;

	if (registered_count && !memory_is_device(address))
		return find_registered(address);
	if (!count)
		return NULL;
	allocation = memory.slots[count - 1].allocation;
	return address - allocation->address < allocation->size ? allocation : NULL;
}

uint64_t memory_generation(void)
{
	return memory.generation;
}

bool memory_allows(const struct allocation *allocation, uint64_t address, uint64_t size, bool read,
		   bool write)
{
	const uint8_t wanted = (uint8_t)((read ? MEMORY_READ : 0) | (write ? MEMORY_WRITE : 0));
	const uint64_t offset = address - allocation->address;

	for (uint64_t page = offset / MEMORY_RIGHTS_PAGE;
	     page <= (offset + size - 1) / MEMORY_RIGHTS_PAGE; page++)
		if (wanted & ~allocation->rights[page])
			return false;
	return true;
}

bool memory_is_device(uint64_t address)
{
	return memory.size && address - memory.start < memory.size;
}

void memory_each(void (*each)(struct allocation *allocation, void *data), void *data)
{
	for (size_t i = 0; i < memory.count;) {
		struct allocation *allocation = memory.slots[i].allocation;

		each(allocation, data);
		if (i < memory.count && memory.slots[i].allocation == allocation)
			i++;
	}
	for (size_t i = 0; i < registered_count;) {
		struct allocation *allocation = registered[i];

		each(allocation, data);
		if (i < registered_count && registered[i] == allocation)
			i++;
	}
}

uint64_t memory_total(void)
{
	reserve();
	return memory.total;
}

uint64_t memory_free(void)
{
	reserve();
	return memory.total - memory.used;
}
