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

/* The block of the byte `offset` was touched. */
static __device__ __forceinline__ void touch_block(struct device_record *record, uint32_t *at,
						   uint64_t offset)
{
	uint32_t word = (uint32_t)(offset / 32768), bit = 1u << (uint32_t)offset / 1024 % 32;
	uint32_t seen, listed;

	OPAQUE("r", word);
	at += word;
	if (near(at) & bit)
		return;
	seen = look(at); /* both at once */
	listed = near(&record->touched);
	if (seen & bit)
		return;
	or_bits(at, bit);
	if (bit == 1) /* one block in 32 shows that the launch gets on */
		asm volatile("red.relaxed.gpu.global.add.u32 [%0], 1;" ::"l"(
				     &constant(&record->state)->progress)
			     : "memory");
	if (!listed)
		list_object(record);
}

/*
 * Sets bits in the word of a mask that the byte `offset` is in.  A word that is not empty says that
 * its block was touched; who finds it empty sees to that, unless `step` bytes before are in the
 * block, too.  (An object has less than 2^32 words of 32 bits: OBJECT_SIZE_LIMIT.)
 */
template <typename WORD>
static __device__ __forceinline__ void mark(struct device_record *record, uint64_t *mask,
					    uint64_t offset, WORD bits, uint32_t step)
{
	uint32_t word = (uint32_t)(offset / (8 * sizeof(WORD)));
	uint32_t *blocks = constant(&record->touched_blocks);
	WORD *at, seen;

	OPAQUE("r", word);
	at = (WORD *)mask + word;
	if (bits == (WORD)~0ull) { /* no atomic needed to set them all, and nothing to wait for */
		store(at, bits);
		if ((uint32_t)offset % 1024 < step)
			touch_block(record, blocks, offset);
		return;
	}
	seen = look(at);
	if ((seen & bits) == bits)
		return;
	or_bits(at, bits);
	if (!seen && (uint32_t)offset % 1024 < step)
		touch_block(record, blocks, offset);
}

/* Finds the followed object that holds the address, and where in it that is. */
static __device__ __forceinline__ bool find(const struct device_state *state, uint64_t address,
					    struct device_record **record, uint64_t *offset)
{
	const uint64_t *hints = constant(&state->hints);
	uint32_t shift, mask;
	uint64_t hint, size;

	asm volatile("ld.global.nc.v2.u32 {%0, %1}, [%2];"
		     : "=r"(shift), "=r"(mask)
		     : "l"(&state->hint_shift));
	hint = __ldg(&hints[(uint32_t)(address >> HINT_LOW) >> shift & mask]);
	if (hint & HINT_MANY) {
		uint32_t first = (uint32_t)hint, count = (uint32_t)(hint >> 32) & ~(1u << 31);

		while (count > 1) {
			uint32_t half = count / 2;

			OPAQUE("l", state);
			if (__ldg(&constant(&state->entries)[first + half].start) <= address)
				first += half;
			count -= half;
		}
		OPAQUE("l", state);
		hint = (uint64_t)constant(&constant(&state->entries)[first].record);
	}
	*record = (struct device_record *)hint;
	*offset = address - __ldg(&(*record)->address);
	size = __ldg(&(*record)->size);
	return *offset < size;
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
 * What is known of an access, in one register: its size - 1; which masks; and how far before this
 * lane's place that of the lane before is, if they are on one line.
 */
#define LAST(access) ((access)&31)
#define FIRST_MASK(access) ((access) >> 5 & 1) /* 0: read, 1: written */
#define BOTH_MASKS (4u << 5)
#define MASKS (7u << 5)
#define REPEATED (1u << 8) /* the same place as the lane before */
#define STEP(access) ((access) >> 16)
#define APART 1024u /* on no line: a STEP that is longer than a block */

/* One lane alone, whose bytes may be in two words: the object is aligned to less than the access.
 */
static __device__ __forceinline__ void touch_two(struct device_record *record, uint64_t offset,
						 uint32_t access)
{
	uint64_t left = record->size - offset;
	uint32_t end = LAST(access) + 1, bits;

	end = (uint32_t)offset % 32 + (left < end ? (uint32_t)left : end);
	access = (access & MASKS) | end << 8;
	for (;;) {
		end = access >> 8;
		bits = ~0u << (uint32_t)offset % 32;
		if (end < 32)
			bits &= ~(~0u << end);
		if (access & BOTH_MASKS)
			mark(record, constant(&record->written), offset, bits, 0);
		mark(record, constant(&record->read + FIRST_MASK(access)), offset, bits, 0);
		touch_block(record, constant(&record->touched_blocks), offset);
		if (access >> 8 <= 32)
			return;
		access -= 32 << 8;
		offset += 32 - (uint32_t)offset % 32;
	}
}

/*
 * At most 32 bytes.  Most often the lanes lie on a line, or on a few: one touches what comes after
 * what the lane before it touches, and lanes that do not take part leave gaps.  The first lane of a
 * line in each word of the mask sets the bits of all in there.
 *
 * What a patch waits for counts: tests/gpu/RESULTS.md has figures.  So do registers: on an H100 it
 * has 14, and each one more is stored and loaded again by every thread at every access.
 */
static __device__ __forceinline__ void touch(struct device_state *state, uint64_t address,
					     uint32_t size, uint32_t flags)
{
	uint32_t active = __activemask(), access, lane, before, step, low, high, first, end, bits;
	struct device_record *record;
	uint64_t offset;
	bool linked;

	asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane));
	asm("mov.u32 %0, %%lanemask_lt;" : "=r"(before));
	before &= active; /* then its last lane, or this one */
	before = before ? 31 - __clz((int)before) : lane;
	high = (uint32_t)(address >> 32);
	high -= __shfl_sync(active, high, (int)before);
	low = (uint32_t)address - __shfl_sync(active, (uint32_t)address, (int)before);
	step = (lane - before) * size;
	linked = low == step && high == 0 && step && (size == 4 || step == size);
	/* the masks are flags + 1: 2 read, 3 written, 4 both */
	access = size + 31 + ((flags & (READ | WRITE)) << 5) + ((linked ? step : APART) << 16);
	if (!(low | high) && step)
		access |= REPEATED;
	/* the lanes of this line from this one on: up to where the next line starts */
	before = __ballot_sync(active, !linked);
	asm("mov.u32 %0, %%lanemask_gt;" : "=r"(first));
	before &= first;
	active &= (before - 1) & ~before;
	active >>= lane;
	tell(state, address);
	if (!find(state, address, &record, &offset)) {
		miss(state, address, LAST(access) + 1);
		return;
	}
	OPAQUE("r", access);
	if ((access & REPEATED) && active == 1)
		return;
	first = (uint32_t)offset % 32;
	if ((uint32_t)offset & LAST(access)) {
		touch_two(record, offset, access);
		return;
	}
	if (first >= STEP(access)) /* the lane before sets these bits */
		return;
	bits = ~0u;
	if (active & (active + 1)) {
		asm volatile("activemask.b32 %0;" : "=r"(low)); /* or all would do it */
		bits = four_times(active & 0xff);
	}
	bits <<= first;
	asm("bfind.u32 %0, %1;" : "=r"(step) : "r"(active));
	size = LAST(access) + 1;
	step = step * size + size; /* bytes from here to the end of the line, or of the object */
	if (step > __ldg(&record->size) - offset)
		step = (uint32_t)(__ldg(&record->size) - offset);
	end = first + step;
	if (end < 32)
		bits &= ~(~0u << end);
	if (access & BOTH_MASKS)
		mark(record, constant(&record->written), offset, bits, 0);
	mark(record, FIRST_MASK(access) ? constant(&record->written) : constant(&record->read),
	     offset, bits, STEP(access));
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
	if (!find(state, address, &record, &offset)) {
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
		if (flags & READ)
			mark(record, constant(&record->read), word * 64, bits, APART);
		if (flags & WRITE)
			mark(record, constant(&record->written), word * 64, bits, APART);
	}
}

PATCH vflow_patch_access(void *state, uint64_t pc, void *address, uint32_t size, uint32_t flags,
			 const void *data)
{
	if (!state || flags & SANITIZER_MEMORY_DEVICE_FLAG_PREFETCH)
		return SANITIZER_PATCH_SUCCESS;
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
	if (!state || !((uint64_t)source >> 20))
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
