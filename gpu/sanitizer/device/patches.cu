/*
 * gpu/sanitizer/device/patches.cu: what the Sanitizer calls before each memory instruction of the
 * profiled program's kernels.  Sets bits in masks, nothing else (but see patch_counts.cuh): see
 * device_state.h.
 *
 * The lanes of a warp mostly touch one stretch of memory.  What they touch as a whole takes bytes
 * of the masks of units, which all of them store; of what they touch in part one of them sets the
 * bits of many.  Masks of bytes are for what lies across units.
 *
 * No branch parts lanes of a warp of which some are elsewhere.  Where lanes of a warp wait for each
 * other in a loop, the Sanitizer calls the patches for a part of them; if some of those look at
 * memory while the others wait for them in the patch, they may never go on together (seen in
 * HeCBench's gc, whichever barrier of convergence the compiler takes).  So
 * conditions that are not the same for all lanes are voted on; what only some do has a predicate;
 * and of atomics, around which the compiler branches, joins_atomic() decides.  Whole warps may
 * part. tests/sanitizer/patches.sh looks for barriers of convergence in what the compiler makes of
 * it.
 */
#include <sanitizer_patching.h>

#include "gpu/sanitizer/device/patch_counts.cuh"
#include "gpu/sanitizer/device/patch_lines.cuh"
#include "gpu/sanitizer/device/patch_objects.cuh"

#define PATCH extern "C" __device__ __noinline__ SanitizerPatchResult

/* The object's address, or an address in it from its start on; PATCH_LIMIT; and sizes. */
static __device__ __forceinline__ uint64_t load_place(const struct device_record *record,
						      uint32_t &limit, uint32_t &sizes)
{
	uint64_t start, both;

	asm volatile("ld.global.ca.v2.u64 {%0, %1}, [%2];"
		     : "=l"(start), "=l"(both)
		     : "l"(&record->address)
		     : "memory");
	asm("mov.b64 {%0, %1}, %2;" : "=r"(limit), "=r"(sizes) : "l"(both));
	return start;
}

/*
 * Whether an access in stretch `word` of 32 bytes, so far from the object's start, is not below its
 * PATCH_LIMIT; or the multiprocessor has not seen accesses of its size and kind to the object.
 */
static __device__ __forceinline__ bool is_beyond(uint64_t start, uint32_t word, uint32_t limit,
						 uint32_t sizes, uint32_t size, uint32_t flags)
{
	uint32_t beyond;

	/* the byte of the kind, whatever is above and for prefetches, which are few */
	asm volatile("{ .reg .pred p; .reg .u32 seen;\n"
		     "prmt.b32 seen, %4, %4, %6;\n"
		     "not.b32 seen, seen;\n"
		     "and.b32 seen, seen, %5;\n"
		     "setp.ne.u32 p, seen, 0;\n"
		     "setp.gt.or.u32 p, %1, 31, p;\n"
		     "setp.ge.or.u32 p, %2, %3, p;\n"
		     "selp.u32 %0, 1, 0, p; }"
		     : "=r"(beyond)
		     : "r"((uint32_t)(start >> 32)), "r"(word), "r"(limit), "r"(sizes), "r"(size),
		       "r"(flags));
	return beyond;
}

/* Whether the multiprocessor has not seen accesses of this size and kind to the object. */
static __device__ __forceinline__ bool is_fresh(uint32_t sizes, uint32_t size, uint32_t flags)
{
	asm("prmt.b32 %0, %0, %0, %1;" : "+r"(sizes) : "r"(flags));
	return (size & ~sizes) != 0;
}

/* As note_sizes(), of an access that may be a prefetch, or an odd part of an asynchronous copy. */
static __device__ __forceinline__ void note_size(bool fresh, struct device_record *record,
						 uint32_t size, uint32_t flags)
{
	note_sizes(fresh & (size & (size - 1)) == 0 & !bit(flags, PREFETCH), record, size,
		   flags & VALUES_ATOMIC);
}

/*
 * Compares with the lane before: `back` is how far it is, in 32 bits, which what lies some 4 GiB
 * apart does not share either.  (Of distances beyond 1.5 GiB one in 2^32 does; beyond 14 GiB, of
 * multiples of 4.)  False: all lanes that are here take whole stretches of 32 bytes, and merely
 * read, or write.  That is so if each is the first of a stretch, or comes right after the lane
 * before, and if as many are the first as there can be.
 */
static __device__ __forceinline__ bool compare(uint64_t address, uint32_t size, uint32_t &flags,
					       uint32_t &back)
{
	uint32_t place = (uint32_t)(address >> 32) * SPREAD + (uint32_t)address, wrong;

	asm volatile("{ .reg .pred inside, wrong, full; .reg .u32 active, firsts, other;\n"
		     "activemask.b32 active;\n"
		     "and.b32 other, %3, 31;\n"
		     "setp.ne.u32 inside, other, 0;\n"
		     "vote.ballot.b32 firsts, !inside;\n"
		     "popc.b32 firsts, firsts;\n"
		     "setp.eq.u32 full, active, -1;\n"
		     "@full bra FULL;\n"
		     /* how far the last of the lanes before this one is; -1: there is none */
		     "mov.u32 other, %%laneid;\n"
		     "shf.r.clamp.b32 other, 0, active, other;\n"
		     "bfind.shiftamt.u32 other, other;\n"
		     "add.u32 %2, other, 1;\n"
		     "shfl.up.b32 %2, %4, %2, 0;\n"
		     "sub.u32 %2, %4, %2;\n"
		     "popc.b32 active, active;\n"
		     "mul.lo.u32 active, active, %5;\n"
		     "shf.r.wrap.b32 active, active, active, 5;\n"
		     "setp.ne.and.u32 inside, %2, %5, inside;\n"
		     "setp.gt.or.u32 inside, %1, 2, inside;\n"
		     "setp.ne.or.u32 wrong, firsts, active, inside;\n"
		     "setp.eq.u32 full, %5, 4;\n"
		     "shl.b32 other, other, 18;\n"
		     "@full add.u32 %1, %1, other;\n"
		     "bra.uni JOIN;\n"
		     "FULL:\n"
		     "shfl.up.b32 %2, %4, 1, 0;\n"
		     "sub.u32 %2, %4, %2;\n"
		     "setp.ne.and.u32 inside, %2, %5, inside;\n"
		     "setp.gt.or.u32 inside, %1, 2, inside;\n"
		     "setp.ne.or.u32 wrong, firsts, %5, inside;\n"
		     "JOIN:\n"
		     "selp.u32 %0, 1, 0, wrong; }"
		     : "=r"(wrong), "+r"(flags), "=&r"(back)
		     : "r"((uint32_t)address), "r"(place), "r"(size));
	return wrong;
}

/*
 * The object of an access that is not below the limit of the record that its hint led to.  False:
 * none of the lanes has one.
 */
static __device__ __forceinline__ bool find_object(struct device_record *&record, uint64_t address,
						   uint64_t &start, uint32_t &size, uint32_t &flags,
						   uint32_t &back, uint32_t &blocks)
{
	bool missed, counts;
	uint64_t length;
	uint32_t step;

	/* all goes with the flags meanwhile, since registers are few */
	if (back == 0)
		flags |= SAME;
	if (back == (flags >> GAP_SHIFT) + size)
		flags |= NEXT;
	flags += size << SIZE_SHIFT;
	OPAQUE("r", flags);
	record = find_record(record, address);
	start = address - __ldg(&record->address);
	missed = start >= __ldg(&record->size);
	counts = missed & is_missed(address) & !bit(flags, PREFETCH);
	if (missed) {
		flags |= ABSENT | BYTES;
		start = 0;
	}
	OPAQUE("r", flags);
	OPAQUE("l", start);
	count_miss(counts, record, SIZE(flags), false);
	if (!any_active(!bit(flags, ABSENT)))
		return false;
	length = reload(&record->size);
	blocks = room(length);
	size = SIZE(flags);
	flags &= ~(63u << SIZE_SHIFT);
	if (length - start < size)
		flags |= BYTES;
	step = (flags >> GAP_SHIFT) + size;
	OPAQUE("r", step); /* or the compiler would branch around it */
	back = bit(flags, NEXT) ? step : bit(flags, SAME) - SAME;
	return true;
}

/*
 * At most 32 bytes; most often all lanes take whole stretches of plain objects: see compare() and
 * PATCH_LIMIT.
 *
 * Each instruction counts, since warps wait for each other's more than for memory:
 * `git show c758536:tests/gpu/RESULTS.md` has figures.  So do registers: on an H100 a patch has 14,
 * and each one more is stored and loaded again by every thread at every access.
 */
static __device__ __forceinline__ void touch(struct device_state *state, uint64_t address,
					     uint32_t size, uint32_t flags)
{
	struct device_record *record;
	uint32_t back, word, blocks, first, seen, limit, sizes;
	uint64_t start;
	uint32_t *units;
	uint8_t *at;
	bool wrong, beyond, fresh;

	record = (struct device_record *)find_hint(state, address);
	show_heartbeat(state, address);
	wrong = compare(address, size, flags, back);
	start = load_place(record, limit, sizes);
	/* asked for before it is known who needs it, so that nobody waits for it alone */
	asm volatile("ld.global.nc.u64 %0, [%1];" : "=l"(units) : "l"(&record->read_units));
	start = address - start;
	blocks = limit / 32 + 1;
	OPAQUE("r", blocks);
	word = (uint32_t)(start / 32);
	OPAQUE("r", word);
	beyond = is_beyond(start, word, limit, sizes, size, flags);
	if (any_active(wrong | beyond)) {
		if (any_active(beyond)) {
			if (wrong)
				flags |= LINES;
			OPAQUE("r", flags);
			if (!find_object(record, address, start, size, flags, back, blocks))
				return;
			load_place(record, limit, sizes);
			OPAQUE("l", start);
			word = (uint32_t)(start / 32);
			if ((uint32_t)(start >> 32) >= 32 | word >= limit)
				flags |= LINES;
			OPAQUE("r", flags);
			fresh = is_fresh(sizes, size, flags) & !bit(flags, ABSENT);
			if (any_active(fresh))
				note_size(fresh, record, size, flags);
			OPAQUE("l", start);
			word = (uint32_t)(start / 32);
			OPAQUE("l", record);
			units = (uint32_t *)reload((uint64_t *)&record->read_units);
			if (!any_active(bit(flags, LINES | BYTES)))
				goto whole;
		}
		if (!touch_lines(record, start, size, flags, back, units, blocks, word, first))
			return;
		first = first ? 0 : 1;
		units = load_constant(&record->read_units);
		word /= GROUP / 32;
		at = group_byte(units, blocks, word);
		seen = load_l1(at);
		if (!any_active(seen != 0xff))
			return;
	} else {
		uint32_t place;
	whole:
		place = word;
		asm("{ .reg .pred p; setp.ne.u32 p, %1, 0; @p mad.lo.u32 %0, %2, 32, %0; }"
		    : "+r"(place)
		    : "r"(bit(flags, WRITE)), "r"(blocks));
		/* no atomic needed to set them all, and nothing to wait for; all lanes may store it
		 */
		asm volatile("st.relaxed.gpu.global.u8 [%0], %1;" ::"l"((uint8_t *)units + place),
			     "r"(0xff)
			     : "memory");
		first = (uint32_t)start;
		word /= GROUP / 32;
		at = group_byte(units, blocks, word);
		seen = load_l1(at);
		if (!any_active(seen != 0xff))
			return;
	}
	touch_group(!bit(first, 31) & seen != 0xff, record, at, word);
}

/* Any number of bytes; the active lanes, which all say the same, share them. */
static __device__ __forceinline__ void touch_bulk(struct device_state *state, uint64_t address,
						  uint64_t size, uint32_t flags)
{
	struct device_record *record;
	uint64_t offset, last, left, word;
	unsigned active = __activemask(), before, group_bits = 7;
	bool outside, bytes;

	if (!any_active(state != NULL & size != 0))
		return;
	record = find_record((struct device_record *)find_hint(state, address), address);
	offset = address - __ldg(&record->address);
	left = __ldg(&record->size) - offset;
	outside = offset >= __ldg(&record->size);
	if (any_active(outside))
		count_miss(outside & is_missed(address), record, size, true);
	last = offset + (size < left ? size : left) - 1;
	bytes = ((offset | (last + 1)) & 3) != 0;
	if (!bytes) {
		offset /= 4;
		last /= 4;
		group_bits = 5;
	}
	store(bytes & !outside, &record->uses_bytes, 1);
	note_sizes(!outside, record, VALUES_WIDE,
		   flags & READ && flags & WRITE ? VALUES_ATOMIC
		   : flags & READ                ? VALUES_LOAD
						 : VALUES_BULK);
	asm("mov.u32 %0, %%lanemask_lt;" : "=r"(before));
	word = offset / 64 + __popc(active & before);
	for (bool may; any_active(may = !outside & word <= last / 64); word += __popc(active)) {
		uint64_t bits = ~0ull, place = may ? word : last / 64;
		uint32_t group = (uint32_t)(place >> group_bits);
		uint8_t *touched;

		if (word == offset / 64)
			bits &= ~0ull << offset % 64;
		if (word == last / 64)
			bits &= ~0ull >> (63 - last % 64);
		for (int i = 0; i < 2; i++) {
			uint64_t *units = (uint64_t *)load_constant(i ? &record->written_units
								      : &record->read_units);
			uint64_t *at = load_constant(i ? &record->written : &record->read);

			if (!(flags & (i ? WRITE : READ)))
				continue;
			at = (bytes ? at : units) + place;
			store(may & bits == ~0ull, at, bits);
			mark(may & bits != ~0ull, at, bits);
		}
		touched = group_byte(load_constant(&record->read_units), room(__ldg(&record->size)),
				     group);
		may = may & load_l1(touched) != 0xff;
		if (any_active(may))
			touch_group(may, record, touched, group);
	}
}

PATCH vflow_patch_access(void *state, uint64_t pc, void *address, uint32_t size, uint32_t flags,
			 const void *data)
{
	uint32_t low, high;

	asm("mov.b64 {%0, %1}, %2;" : "=r"(low), "=r"(high) : "l"(state));
	if (!any_active(low | high))
		return SANITIZER_PATCH_SUCCESS;
	touch((struct device_state *)state, (uint64_t)address, size, flags);
	count_access((struct device_state *)state, (uint64_t)address, size, !bit(flags, PREFETCH));
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
	if (!any_active(state != NULL & (uint64_t)source >> 20 != 0))
		return SANITIZER_PATCH_SUCCESS;
	touch((struct device_state *)state, (uint64_t)source, size, READ);
	count_access((struct device_state *)state, (uint64_t)source, size, true);
	return SANITIZER_PATCH_SUCCESS;
}

/* cp.async.bulk and cp.reduce.async.bulk: `blocks` of 16 bytes */
PATCH vflow_patch_bulk_read(void *state, uint64_t pc, uint64_t source, uint32_t destination,
			    uint32_t barrier, uint32_t blocks, uint32_t multicast)
{
	touch_bulk((struct device_state *)state, source, (blocks & 0xffff) * 16ull, READ);
	count_bulk((struct device_state *)state, source, (blocks & 0xffff) * 16ull);
	return SANITIZER_PATCH_SUCCESS;
}

PATCH vflow_patch_bulk_write(void *state, uint64_t pc, uint64_t destination, uint32_t source,
			     uint32_t blocks)
{
	touch_bulk((struct device_state *)state, destination, blocks * 16ull, WRITE);
	count_bulk((struct device_state *)state, destination, blocks * 16ull);
	return SANITIZER_PATCH_SUCCESS;
}

PATCH vflow_patch_bulk_reduction(void *state, uint64_t pc, uint64_t destination, uint32_t source,
				 uint32_t blocks)
{
	touch_bulk((struct device_state *)state, destination, blocks * 16ull, READ | WRITE);
	count_bulk((struct device_state *)state, destination, blocks * 16ull);
	return SANITIZER_PATCH_SUCCESS;
}
