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

/* The compiler must not keep what it could know of the value, but ask it again. */
#define OPAQUE(type, value) asm volatile("" : "+" type(value))

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

/*
 * The same as the multiprocessor's own cache has it, which is nearer, and may be old: but what is
 * set there is set.
 */
static __device__ __forceinline__ uint32_t near(const uint32_t *at)
{
	uint32_t value;

	asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(value) : "l"(at) : "memory");
	return value;
}

static __device__ __forceinline__ void or_bits(uint32_t *at, uint32_t bits)
{
	asm volatile("red.relaxed.gpu.global.or.b32 [%0], %1;" ::"l"(at), "r"(bits) : "memory");
}

static __device__ __forceinline__ void or_bits(uint64_t *at, uint64_t bits)
{
	asm volatile("red.relaxed.gpu.global.or.b64 [%0], %1;" ::"l"(at), "l"(bits) : "memory");
}

static __device__ __forceinline__ void store(uint32_t *at, uint32_t bits)
{
	asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(at), "r"(bits) : "memory");
}

static __device__ __forceinline__ void store(uint64_t *at, uint64_t bits)
{
	asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(at), "l"(bits) : "memory");
}

template <typename WORD> static __device__ __forceinline__ void set_bits(WORD *at, WORD bits)
{
	if (bits == (WORD)~0ull) /* no atomic needed to set them all */
		store(at, bits);
	else if ((look(at) & bits) != bits)
		or_bits(at, bits);
}

/* The first touch of a launch lists the object; a few others do it again. */
static __device__ __forceinline__ void list_object(struct device_record *record)
{
	struct device_state *state;
	uint32_t slot;

	if (!look(&record->touched)) {
		state = constant(&record->state);
		slot = __ldg(&record->slot);
		or_bits(&constant(&state->listed)[slot / 32], 1u << slot % 32);
		or_bits(&constant(&state->listed_words)[slot / 1024], 1u << slot / 32 % 32);
	}
	record->touched = 1; /* so that the multiprocessor's own cache knows */
}

/* What is known of an access, in one register: flags as READ and WRITE; its size; see touch(). */
#define FLAGS(access) ((access) & (READ | WRITE))
#define SIZE(access) ((access) >> 2 & 0x3f)
#define STEP(access) ((access) >> 8 & 0x7ff)
#define APART 1024u                         /* a STEP that no block has */
#define REST(access) ((access) >> 2 & 0x1f) /* once its first word is known: bytes in the next */
#define SILENT (1u << 30)                   /* another lane sees to the block */
#define REPEATED (1u << 31)

/* Bits of a word of the object's masks that the byte `offset` is in, and the bit of its block. */
template <typename WORD>
static __device__ __forceinline__ void mark(struct device_record *record, uint64_t offset,
					    WORD bits, uint32_t access)
{
	uint64_t word = offset / (8 * sizeof(WORD));
	uint32_t *at, bit;

	if (FLAGS(access) & READ)
		set_bits((WORD *)constant(&record->read) + word, bits);
	if (FLAGS(access) & WRITE)
		set_bits((WORD *)constant(&record->written) + word, bits);
	if (access & SILENT)
		return;
	at = &constant(&record->touched_blocks)[offset / 32768];
	bit = 1u << (uint32_t)offset / 1024 % 32;
	if (near(at) & bit || look(at) & bit)
		return;
	or_bits(at, bit);
	if (bit == 1) /* one block in 32 shows that the launch gets on */
		asm volatile("red.relaxed.gpu.global.add.u32 [%0], 1;" ::"l"(
				     &constant(&record->state)->progress)
			     : "memory");
	if (!near(&record->touched))
		list_object(record);
}

/* Two words that do not change during a launch, at once. */
static __device__ __forceinline__ void constants(const uint32_t *at, uint32_t *a, uint32_t *b)
{
	asm volatile("ld.global.nc.v2.u32 {%0, %1}, [%2];" : "=r"(*a), "=r"(*b) : "l"(at));
}

/* The followed object that holds the address, or NULL. */
static __device__ __forceinline__ struct device_record *find(const struct device_state *state,
							     uint64_t address, uint64_t *offset)
{
	const struct device_entry *at;
	uint32_t shift, mask, first, count;
	struct device_record *record;
	uint64_t start, size;
	bool inside;

	constants(&state->hint_shift, &shift, &mask);
	constants(&constant(&state->hints)[(uint32_t)(address >> HINT_LOW) >> shift & mask].first,
		  &first, &count);
	if (!count)
		return NULL;
	while (count > 1) {
		uint32_t half = count / 2;

		OPAQUE("l", state);
		at = &constant(&state->entries)[first + half];
		if (__ldg(&at->start) <= address)
			first += half;
		count -= half;
	}
	OPAQUE("l", state);
	at = &constant(&state->entries)[first];
	record = constant(&at->record);
	start = __ldg(&at->start);
	size = __ldg(&at->size);
	*offset = address - start;
	inside = *offset < size;
	return inside ? record : NULL;
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

/* Each of 8 bits four times. */
static __device__ __forceinline__ uint32_t four_times(uint32_t bits)
{
	bits = (bits | bits << 12) & 0x000f000f;
	bits = (bits | bits << 6) & 0x03030303;
	bits = (bits | bits << 3) & 0x11111111;
	return bits * 15;
}

/*
 * At most 32 bytes.  Most often the lanes lie on a line, or on a few: one touches what comes after
 * what the lane before it touches, and lanes that do not take part leave gaps.  The first lane of a
 * line in each word of the mask sets the bits of all in there.  STEP: how far before this lane the
 * one before it is on its line; or more than a block.  REPEATED: the same place.
 *
 * On an H100 a patch has 14 registers.  Each one more is stored and loaded again by every thread
 * at every access, and two of them cost more than all the rest: hence one register for what is
 * known of the access.
 */
static __device__ __forceinline__ void touch(struct device_state *state, uint64_t address,
					     uint32_t size, uint32_t flags)
{
	uint32_t active = __activemask(), access, lane, before, step, low, high, first, end, bits;
	struct device_record *record;
	uint64_t offset;

	if (!state || !size)
		return;
	asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane));
	asm("mov.u32 %0, %%lanemask_lt;" : "=r"(before));
	before &= active;
	before = before ? 31 - __clz((int)before) : lane;
	high = (uint32_t)(address >> 32);
	high -= __shfl_sync(active, high, (int)before);
	low = (uint32_t)address - __shfl_sync(active, (uint32_t)address, (int)before);
	step = (lane - before) * size;
	access = FLAGS(flags) | size << 2;
	if (low == step && high == 0 && step && (size == 4 || step == size))
		access |= step << 8;
	else
		access |= APART << 8;
	if (low == 0 && high == 0 && step)
		access |= REPEATED;
	/* lanes of this line from here on */
	before = __ballot_sync(active, access & APART << 8);
	asm("mov.u32 %0, %%lanemask_gt;" : "=r"(first));
	before &= first;
	active &= (before - 1) & ~before;
	active >>= lane;
	tell(state, address);
	record = find(state, address, &offset);
	OPAQUE("r", access);
	if (!record) {
		miss(state, address, SIZE(access));
		return;
	}
	first = (uint32_t)offset % 32;
	if ((uint32_t)offset & (SIZE(access) - 1)) { /* words do not end where lanes do */
		access |= APART << 8;
		active = 1;
	}
	if (first >= STEP(access) || (access & REPEATED && active == 1))
		return;
	bits = ~0u;
	if (active & (active + 1))
		bits = four_times(active & 0xff);
	bits <<= first;
	end = (32 - __clz((int)active)) * SIZE(access);
	if (end > __ldg(&record->size) - offset)
		end = (uint32_t)(__ldg(&record->size) - offset);
	end += first;
	if (end < 32)
		bits &= ~(~0u << end);
	if ((uint32_t)offset % 1024 >= STEP(access))
		access |= SILENT;
	access &= READ | WRITE | SILENT;
	if (active == 1 && end > 32)
		access |= (end - 32) << 2;
	for (;;) {
		mark(record, offset, bits, access);
		if (!REST(access))
			return;
		bits = ~(~0u << REST(access));
		access &= READ | WRITE;
		offset += 32;
	}
}

/* Any number of bytes; the active lanes, which all say the same, share them. */
static __device__ __forceinline__ void touch_bulk(struct device_state *state, uint64_t address,
						  uint64_t size, uint32_t flags)
{
	struct device_record *record;
	uint64_t offset, last, left;
	unsigned active = __activemask(), before;

	if (!state || !size)
		return;
	record = find(state, address, &offset);
	if (!record) {
		/* each lane says all of it */
		miss(state, address, (size + __popc(active) - 1) / __popc(active));
		return;
	}
	left = record->size - offset;
	last = offset + (size < left ? size : left) - 1;
	asm("mov.u32 %0, %%lanemask_lt;" : "=r"(before));
	for (uint64_t word = offset / 64 + __popc(active & before); word <= last / 64;
	     word += __popc(active)) {
		uint64_t bits = ~0ull;

		if (word == offset / 64)
			bits &= ~0ull << offset % 64;
		if (word == last / 64)
			bits &= ~0ull >> (63 - last % 64);
		mark(record, word * 64, bits, flags);
	}
}

PATCH vflow_patch_access(void *state, uint64_t pc, void *address, uint32_t size, uint32_t flags,
			 const void *data)
{
	if (!(flags & SANITIZER_MEMORY_DEVICE_FLAG_PREFETCH))
		touch((struct device_state *)state, (uint64_t)address, size, flags);
	return SANITIZER_PATCH_SUCCESS;
}

/*
 * cp.async: from global to shared memory.  Of one that fills with zeros and reads nothing (most of
 * them, in some kernels of cuBLAS and cuDNN) the Sanitizer gives an address near 0: there is no
 * memory below 1 MiB.
 */
PATCH vflow_patch_copy_async(void *state, uint64_t pc, void *source, uint32_t destination,
			     uint32_t size)
{
	if (!((uint64_t)source >> 20))
		return SANITIZER_PATCH_SUCCESS;
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
