/*
 * gpu/sanitizer/patches.cu: what the Sanitizer calls before each memory instruction of the profiled
 * program's kernels.  Sets bits in masks, nothing else: see device_state.h.
 *
 * The lanes of a warp mostly touch one stretch of memory, which is marked by a few of them.
 */
#include <sanitizer_patching.h>

#include "gpu/sanitizer/device_state.h"

#define PATCH extern "C" __device__ __noinline__ SanitizerPatchResult
#define READ SANITIZER_MEMORY_DEVICE_FLAG_READ
#define WRITE SANITIZER_MEMORY_DEVICE_FLAG_WRITE
#define TELL_CYCLES 0x1ff0u /* tell() in 16 of 8192 cycles */

/* A pointer that does not change during a launch. */
template <typename T> static __device__ __forceinline__ T *constant(T *const *pointer)
{
	return (T *)__ldg((const unsigned long long *)pointer);
}

/*
 * What other warps change at the same time.  Written out, since the compiler does not know that all
 * of it lies in global memory: its own code would be twice as long, and wait for results of
 * atomics.
 */
static __device__ __forceinline__ uint32_t look(const uint32_t *at)
{
	uint32_t value;

	asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(at) : "memory");
	return value;
}

static __device__ __forceinline__ uint64_t look(const uint64_t *at)
{
	uint64_t value;

	asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(value) : "l"(at) : "memory");
	return value;
}

static __device__ __forceinline__ void set_bits(uint64_t *at, uint64_t bits)
{
	if (bits == ~0ull) /* no atomic needed to set them all */
		asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(at), "l"(bits) : "memory");
	else if ((look(at) & bits) != bits)
		asm volatile("red.relaxed.gpu.global.or.b64 [%0], %1;" ::"l"(at), "l"(bits)
			     : "memory");
}

/* The first touch of a launch puts the object into the list. */
static __device__ __forceinline__ void list_object(struct device_state *state,
						   struct device_record *record)
{
	uint32_t before, place;

	if (look(&record->touched)) {
		record->touched = 1; /* so that the multiprocessor's own cache knows */
		return;
	}
	asm volatile("atom.relaxed.gpu.global.exch.b32 %0, [%1], 1;"
		     : "=r"(before)
		     : "l"(&record->touched)
		     : "memory");
	if (before)
		return;
	asm volatile("atom.relaxed.gpu.global.add.u32 %0, [%1], 1;"
		     : "=r"(place)
		     : "l"(&state->touched_count)
		     : "memory");
	constant(&state->list)[place] = (uint32_t)(record - constant(&state->records)) + 1;
}

static __device__ __forceinline__ void set_masks(struct device_record *record, uint64_t word,
						 uint64_t bits, uint32_t flags)
{
	if (flags & READ)
		set_bits(&constant(&record->read)[word], bits);
	if (flags & WRITE)
		set_bits(&constant(&record->written)[word], bits);
}

/* Sets the bit of a touched block. */
static __device__ __forceinline__ void touch_block(struct device_state *state,
						   struct device_record *record, uint32_t *at,
						   uint32_t bit)
{
	uint32_t listed;

	asm volatile("red.relaxed.gpu.global.or.b32 [%0], %1;" ::"l"(at), "r"(bit) : "memory");
	asm volatile("ld.global.ca.u32 %0, [%1];"
		     : "=r"(listed)
		     : "l"(&record->touched)
		     : "memory");
	if (!listed)
		list_object(state, record);
}

static __device__ __forceinline__ void get_on(struct device_state *state)
{
	asm volatile("red.relaxed.gpu.global.add.u32 [%0], 1;" ::"l"(&state->progress) : "memory");
}

/* One word of the object's masks, which other lanes may touch, too: they ask first. */
static __device__ __forceinline__ void mark(struct device_state *state,
					    struct device_record *record, uint64_t word,
					    uint64_t bits, uint32_t flags)
{
	uint32_t *at = &constant(&record->touched_blocks)[word / 512], bit = 1u << word / 16 % 32;
	uint32_t seen = look(at);

	set_masks(record, word, bits, flags);
	if (seen & bit)
		return;
	if (bit == 1)
		get_on(state);
	touch_block(state, record, at, bit);
}

/*
 * The same for a word of a stretch.  Whether its block was touched before is not asked, since the
 * answer would take longer than all the rest; one lane of those in the block is enough.
 */
static __device__ __forceinline__ void mark_stretch(struct device_state *state,
						    struct device_record *record, uint64_t word,
						    uint64_t bits, uint32_t flags, bool first)
{
	uint32_t *at, bit;

	set_masks(record, word, bits, flags);
	if (!first && word % 16)
		return;
	at = &constant(&record->touched_blocks)[word / 512];
	bit = 1u << word / 16 % 32;
	if (bit == 1 && !(look(at) & bit)) /* one block in 32 shows that the launch gets on */
		get_on(state);
	touch_block(state, record, at, bit);
}

/*
 * The followed object that holds the address, or NULL; `left`: its bytes from there on.  *state
 * becomes the one of the object's context.
 */
static __device__ __forceinline__ struct device_record *find(struct device_state **state,
							     uint64_t address, uint64_t *offset,
							     uint64_t *left)
{
	const uint64_t *starts = constant(&(*state)->starts);
	uint32_t low = 0, high = __ldg(&(*state)->count), slot;
	struct device_record *record;
	uint64_t size;

	while (low < high) {
		uint32_t middle = (low + high) / 2;

		if (__ldg(&starts[middle]) > address)
			high = middle;
		else
			low = middle + 1;
	}
	if (!low)
		return NULL;
	*offset = address - __ldg(&starts[low - 1]);
	slot = __ldg(&constant(&(*state)->slots)[low - 1]);
	if (slot & FOREIGN_SLOT) {
		const struct device_foreign *foreign =
			&constant(&(*state)->foreign)[slot & ~FOREIGN_SLOT];

		record = constant(&foreign->record);
		*state = constant(&foreign->state);
	} else {
		record = &constant(&(*state)->records)[slot];
	}
	size = __ldg(&record->size);
	*left = size - *offset;
	return *offset < size ? record : NULL;
}

static __device__ __forceinline__ void add(uint64_t *to, uint64_t number)
{
	asm volatile("red.relaxed.gpu.global.add.u64 [%0], %1;" ::"l"(to), "l"(number) : "memory");
}

/*
 * Now and then an access tells where it is, in one of 64 bits: a kernel that only looks at what it
 * has touched before may be at work on it, or wait for somebody to change one word of it.
 */
static __device__ __forceinline__ void tell(struct device_state *state, uint64_t address)
{
	uint32_t clock;

	asm volatile("mov.u32 %0, %%clock;" : "=r"(clock));
	if (!(clock & TELL_CYCLES))
		asm volatile("red.relaxed.gpu.global.or.b64 [%0], %1;" ::"l"(&state->told),
			     "l"(1ull << ((uint32_t)(address >> 10) * 2654435769u >> 26))
			     : "memory");
}

/* Memory that no table knows: one lane counts the accesses of all that come here together. */
static __device__ __forceinline__ void miss(struct device_state *state, uint64_t address,
					    uint64_t size)
{
	unsigned active, before;

	if (__isLocal((const void *)address) || __isShared((const void *)address))
		return;
	active = __activemask();
	asm("mov.u32 %0, %%lanemask_lt;" : "=r"(before));
	if (active & before)
		return;
	add(&state->missed, __popc(active));
	add(&state->missed_bytes, __popc(active) * size);
}

/*
 * The lanes touch one stretch of memory, each what follows its predecessor's, or all the same: the
 * words of the mask are shared out among them.  False: they cannot be, or it is not all in one
 * object.
 */
static __device__ __forceinline__ bool touch_stretch(struct device_state *state, uint64_t address,
						     uint32_t length, uint32_t rank, uint32_t lanes,
						     uint32_t flags)
{
	uint64_t offset, left, bits = ~0ull;
	struct device_record *record = find(&state, address, &offset, &left);
	uint32_t first = (uint32_t)offset % 64, last = first + length - 1;

	if (!record || length > left || last / 64 >= lanes)
		return false;
	if (rank > last / 64)
		return true;
	if (rank == 0)
		bits <<= first;
	if (rank == last / 64)
		bits &= ~0ull >> (63 - last % 64);
	mark_stretch(state, record, offset / 64 + rank, bits, flags, !rank);
	return true;
}

/* At most 16 bytes. */
static __device__ __forceinline__ void touch(struct device_state *state, uint64_t address,
					     uint32_t size, uint32_t flags)
{
	unsigned active = __activemask(), before, rank, lanes = __popc(active);
	uint64_t offset, left, bits, base;
	struct device_state *own = state;
	struct device_record *record;
	uint32_t shift, length;

	if (!state || !size)
		return;
	tell(state, address);
	asm("mov.u32 %0, %%lanemask_lt;" : "=r"(before));
	rank = __popc(active & before);
	base = __shfl_sync(active, address, __ffs((int)active) - 1);
	length = __all_sync(active, address == base + rank * size) ? lanes * size
		 : __all_sync(active, address == base)             ? size
								   : 0;
	if (length && touch_stretch(state, base, length, rank, lanes, flags))
		return;
	record = find(&state, address, &offset, &left);
	if (!record) {
		miss(own, address, size);
		return;
	}
	if (size > left)
		size = (uint32_t)left;
	shift = offset % 64;
	bits = (1ull << size) - 1;
	if (shift + size > 64) /* the object is aligned to less than the access */
		mark(state, record, offset / 64 + 1, bits >> (64 - shift), flags);
	mark(state, record, offset / 64, bits << shift, flags);
}

/* Any number of bytes; the active lanes, which all say the same, share them. */
static __device__ __forceinline__ void touch_bulk(struct device_state *state, uint64_t address,
						  uint64_t size, uint32_t flags)
{
	struct device_state *own = state;
	struct device_record *record;
	uint64_t offset, last, left;
	unsigned active = __activemask(), before;

	if (!state || !size)
		return;
	record = find(&state, address, &offset, &left);
	if (!record) {
		/* each lane says all of it */
		miss(own, address, (size + __popc(active) - 1) / __popc(active));
		return;
	}
	last = offset + (size < left ? size : left) - 1;
	asm("mov.u32 %0, %%lanemask_lt;" : "=r"(before));
	for (uint64_t word = offset / 64 + __popc(active & before); word <= last / 64;
	     word += __popc(active)) {
		uint64_t bits = ~0ull;

		if (word == offset / 64)
			bits &= ~0ull << offset % 64;
		if (word == last / 64)
			bits &= ~0ull >> (63 - last % 64);
		mark(state, record, word, bits, flags);
	}
}

PATCH vflow_patch_access(void *state, uint64_t pc, void *address, uint32_t size, uint32_t flags,
			 const void *data)
{
	if (!(flags & SANITIZER_MEMORY_DEVICE_FLAG_PREFETCH))
		touch((struct device_state *)state, (uint64_t)address, size, flags);
	return SANITIZER_PATCH_SUCCESS;
}

/* cp.async: from global to shared memory */
PATCH vflow_patch_copy_async(void *state, uint64_t pc, void *source, uint32_t destination,
			     uint32_t size)
{
	touch((struct device_state *)state, (uint64_t)source, size, READ);
	return SANITIZER_PATCH_SUCCESS;
}

/* cp.async.bulk and cp.reduce.async.bulk: `blocks` of 16 bytes */
PATCH vflow_patch_bulk_read(void *state, uint64_t pc, uint64_t source, uint32_t destination,
			    uint32_t barrier, uint32_t blocks, uint32_t multicast)
{
	touch_bulk((struct device_state *)state, source, (blocks & 0xffff) * 16ull, READ);
	return SANITIZER_PATCH_SUCCESS;
}

PATCH vflow_patch_bulk_write(void *state, uint64_t pc, uint64_t destination, uint32_t source,
			     uint32_t blocks)
{
	touch_bulk((struct device_state *)state, destination, blocks * 16ull, WRITE);
	return SANITIZER_PATCH_SUCCESS;
}

PATCH vflow_patch_bulk_reduction(void *state, uint64_t pc, uint64_t destination, uint32_t source,
				 uint32_t blocks)
{
	touch_bulk((struct device_state *)state, destination, blocks * 16ull, READ | WRITE);
	return SANITIZER_PATCH_SUCCESS;
}
