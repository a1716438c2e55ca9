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

static __device__ __forceinline__ void set_bits(uint64_t *at, uint64_t bits)
{
	if (bits == ~0ull) /* no atomic needed to set them all */
		asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(at), "l"(bits) : "memory");
	else if ((look(at) & bits) != bits)
		asm volatile("red.relaxed.gpu.global.or.b64 [%0], %1;" ::"l"(at), "l"(bits)
			     : "memory");
}

/* The first touch of a launch puts the object into the list. */
static __device__ __forceinline__ void list_object(struct device_record *record)
{
	struct device_state *state = constant(&record->state);
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

/*
 * What is known of an access, in one register: its size; flags as READ and WRITE; the place of this
 * lane among those that take part, and its distance from the first of them; how many they are, and
 * how many there are from the first to the last.  Once its first word is known: flags, how many
 * bytes are in the next, and whether another lane sees to the block.
 */
#define FLAGS(access) ((access) & (READ | WRITE))
#define SIZE(access) ((access) >> 2 & 0x3f)
#define RANK(access) ((access) >> 8 & 0x1f)
#define DISTANCE(access) ((access) >> 13 & 0x1f)
#define LANES(access) ((access) >> 18 & 0x3f)
#define SPAN(access) ((access) >> 24 & 0x3f)
#define GAPS (1u << 30) /* fewer lanes than that */
#define REST(access) ((access) >> 2 & 0x1f)
#define SILENT (1u << 31)

/* Bits of one word of the object's masks, and the bit of the block that they are in. */
static __device__ __forceinline__ void mark(struct device_record *record, uint64_t word,
					    uint64_t bits, uint32_t access)
{
	uint32_t *at, bit;

	if (FLAGS(access) & READ)
		set_bits(&constant(&record->read)[word], bits);
	if (FLAGS(access) & WRITE)
		set_bits(&constant(&record->written)[word], bits);
	if (access & SILENT)
		return;
	at = &constant(&record->touched_blocks)[word / 512];
	bit = 1u << (uint32_t)word / 16 % 32;
	if (near(at) & bit || look(at) & bit)
		return;
	asm volatile("red.relaxed.gpu.global.or.b32 [%0], %1;" ::"l"(at), "r"(bit) : "memory");
	if (bit == 1) /* one block in 32 shows that the launch gets on */
		asm volatile("red.relaxed.gpu.global.add.u32 [%0], 1;" ::"l"(
				     &constant(&record->state)->progress)
			     : "memory");
	if (!near(&record->touched))
		list_object(record);
}

/* The followed object that holds this many bytes from the address on, or NULL. */
static __device__ __forceinline__ struct device_record *find(const struct device_state *state,
							     uint64_t address, uint32_t bytes,
							     uint64_t *offset)
{
	const uint64_t *at = constant(&state->starts);
	uint32_t count = __ldg(&state->count);
	struct device_record *record;
	uint64_t start, size;
	bool inside;

	if (!count)
		return NULL;
	while (count > 1) {
		uint32_t half = count / 2;

		if (__ldg(&at[half]) <= address)
			at += half;
		count -= half;
	}
	record = constant((struct device_record *const *)(at + __ldg(&state->room)));
	asm volatile("ld.global.nc.v2.u64 {%0, %1}, [%2];" /* address and size, at once */
		     : "=l"(start), "=l"(size)
		     : "l"(record));
	*offset = address - start;
	inside = *offset < size;
	size -= *offset;
	return inside && size >= bytes ? record : NULL;
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

/* The compiler must not keep what it could know of the value, but ask it again. */
#define OPAQUE(type, value) asm volatile("" : "+" type(value))

/* Each of 16 bits four times. */
static __device__ __forceinline__ uint64_t four_times(uint32_t bits16)
{
	uint64_t bits = bits16;

	bits = (bits | bits << 24) & 0x000000ff000000ff;
	bits = (bits | bits << 12) & 0x000f000f000f000f;
	bits = (bits | bits << 6) & 0x0303030303030303;
	bits = (bits | bits << 3) & 0x1111111111111111;
	return bits * 15;
}

/*
 * At most 32 bytes.  Most often the lanes touch one stretch of memory, side by side: then the words
 * of the mask are shared out among them.  Lanes that do not take part leave gaps.
 *
 * On an H100 a patch has 14 registers.  Each one more is stored and loaded again by every thread
 * at every access, and two of them cost more than all the rest: hence one search for all cases,
 * one register for what is known of the access, and what is done twice.
 */
static __device__ __forceinline__ void touch(struct device_state *state, uint64_t address,
					     uint32_t size, uint32_t flags)
{
	uint32_t active = __activemask(), access, lane;
	uint64_t leading;
	bool stretch, same;

	if (!state || !size)
		return;
	asm("mov.u32 %0, %%lanemask_lt;" : "=r"(access));
	asm("mov.u32 %0, %%laneid;" : "=r"(lane));
	lane -= __ffs((int)active) - 1;
	access = (flags & (READ | WRITE)) | size << 2 | __popc(access & active) << 8 | lane << 13 |
		 __popc(active) << 18 | (33 - __clz((int)active) - __ffs((int)active)) << 24;
	if (SPAN(access) != LANES(access))
		access |= GAPS;
	OPAQUE("r", access);
	address -= DISTANCE(access) * SIZE(access); /* where the stretch begins, if it is one */
	OPAQUE("l", address);
	leading = __shfl_sync(active, address, __ffs((int)active) - 1);
	same = address + DISTANCE(access) * SIZE(access) == leading;
	stretch = __all_sync(active, address == leading);
	/* with gaps, there are lanes enough for the words that 32 times 4 bytes may be in */
	stretch = stretch &&
		  (access & GAPS ? SIZE(access) == 4 && LANES(access) > 2 : LANES(access) > 1);
	same = __all_sync(active, same) && RANK(access);
	for (;;) {
		struct device_record *record;
		uint64_t offset, bits;
		uint32_t first;

		if (!stretch) {
			address += DISTANCE(access) * SIZE(access);
			access &= ~(0x1fu << 13);
		}
		tell(state, address);
		record = find(state, address, stretch ? SPAN(access) * SIZE(access) : 1, &offset);
		OPAQUE("r", access);
		first = (uint32_t)offset % 64;
		if (stretch) {
			uint32_t last;

			if (!record) { /* it is not all in one object: each for itself */
				stretch = false;
				continue;
			}
			last = first + SPAN(access) * SIZE(access) - 1;
			OPAQUE("r", access);
			bits = ~0ull;
			if (access & GAPS) {
				uint32_t pattern = __activemask();

				if (first % 4 || __popc(pattern) != LANES(access)) {
					stretch = false;
					continue;
				}
				pattern >>= __ffs((int)pattern) - 1;
				bits = four_times((uint64_t)pattern << first / 4 >>
							  (16 * RANK(access) & 0x3f) &
						  0xffff);
			}
			OPAQUE("r", access);
			last -= RANK(access) * 64;
			if ((int32_t)last < 0)
				return;
			if (!RANK(access))
				bits &= ~0ull << first;
			if (last < 64)
				bits &= ~0ull >> (63 - last);
			offset = offset / 64 + RANK(access);
			if (RANK(access) && (uint32_t)offset % 16)
				access |= SILENT;
			access &= READ | WRITE | SILENT;
		} else {
			if (!record) {
				miss(state, address, SIZE(access));
				return;
			}
			if (same)
				return;
			size = SIZE(access);
			if (size > __ldg(&record->size) - offset)
				size = (uint32_t)(__ldg(&record->size) - offset);
			bits = (1ull << size) - 1;
			offset /= 64;
			access &= READ | WRITE;
			if (first + size > 64) /* the object is aligned to less than the access */
				access |= (first + size - 64) << 2;
			bits <<= first;
		}
		OPAQUE("l", bits);
		for (;;) {
			mark(record, offset, bits, access);
			if (!REST(access))
				return;
			bits = (1ull << REST(access)) - 1;
			access &= READ | WRITE;
			offset++;
		}
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
	record = find(state, address, 1, &offset);
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
		mark(record, word, bits, flags);
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
