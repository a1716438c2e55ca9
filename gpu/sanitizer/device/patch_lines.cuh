/*
 * gpu/sanitizer/device/patch_lines.cuh: marking accesses that do not take whole stretches of 32
 * bytes.
 */
#ifndef VFLOW_GPU_SANITIZER_DEVICE_PATCH_LINES_CUH
#define VFLOW_GPU_SANITIZER_DEVICE_PATCH_LINES_CUH

#include "gpu/sanitizer/device/patch_marks.cuh"

/* Each of 8 bits four times. */
static __device__ __forceinline__ uint32_t four_times(uint32_t bits)
{
	bits = (bits | bits << 12) & 0x000f000f;
	bits = (bits | bits << 6) & 0x03030303;
	bits = (bits | bits << 3) & 0x11111111;
	return bits * 15;
}

/*
 * What is found out about an access is kept with its flags, in one register: whether its lane asks
 * for the same as the lane before, or for what comes next; whether no object has it, whether it
 * takes masks of bytes; its size, while other registers are needed; and how many bytes more than
 * its size the access of the lane before would have to be before it, since lanes between them take
 * no part.
 */
#define SAME 0x10u
#define NEXT 0x20u
#define LINES 0x40u
#define ABSENT 0x100u
#define BYTES 0x200u
#define SIZE_SHIFT 10
#define GAP_SHIFT 16
#define SIZE(flags) ((flags) >> SIZE_SHIFT & 63)
#define PREFETCH SANITIZER_MEMORY_DEVICE_FLAG_PREFETCH
/* One of these is there in `flags + 1` of all but a mere read, or write, in units. */
#define RARE (BYTES | PREFETCH | SANITIZER_MEMORY_DEVICE_FLAG_ATOMSYS)

/*
 * Marks a part of a word of bytes, or of two, if the object is aligned to less than the access:
 * that is of one lane alone.  `run` are the lanes of the line from this one on.  Returns whether
 * somebody has to see to the group of the first word.
 */
static __device__ __forceinline__ uint32_t touch_part(bool may, struct device_record *record,
						      uint32_t left, uint32_t first, uint32_t word,
						      uint32_t run, uint32_t size, uint32_t flags,
						      uint32_t blocks)
{
	uint32_t bits = ~0u, fresh = 0, end, last;
	bool alone = first & (size - 1);

	if (alone)
		run = 1;
	asm("bfind.u32 %0, %1;" : "=r"(last) : "r"(run));
	end = (last + 1) * size;
	if (left < end)
		end = left;
	end += first;
	if (!alone && end > 32)
		end = 32;
	if (run & (run + 1))
		bits = four_times(run & 0xff);
	bits <<= first;
	for (;;) {
		OPAQUE("l", record);
		asm("shl.b32 %0, -1, %1;" : "=r"(last) : "r"(end)); /* 0 from 32 on */
		bits &= ~last;
		if (any_active(flags & WRITE))
			fresh |=
				mark(may, (uint32_t *)load_constant(&record->written) + word, bits);
		if (any_active(flags & READ))
			fresh |= mark(may, (uint32_t *)load_constant(&record->read) + word, bits);
		may = may & end > 32;
		if (!any_active(may))
			return fresh;
		end -= 32;
		bits = ~0u;
		word++;
		OPAQUE("r", word);
		/* without a look; the object is listed for its first word */
		store(may & word % (GROUP / 32) == 0,
		      group_byte(load_constant(&record->read_units), blocks, word / (GROUP / 32)),
		      0xff);
	}
}

/*
 * Lanes whose accesses lie in one word of a mask and follow each other are led by the first of
 * them, which sets the bits of all.  Those of the active lanes from this one on, if it leads.
 */
static __device__ __forceinline__ uint32_t run_of(bool leader)
{
	uint32_t lane, next;

	asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane));
	next = ballot_active(leader) >> lane & ~1u;
	return __activemask() >> lane & (next - 1) & ~next;
}

/* Whether the lane before asked for the same address. */
static __device__ __forceinline__ bool is_repeated(uint32_t back)
{
	uint32_t lane, before;

	asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane));
	asm volatile("shf.r.clamp.b32 %0, 0, %1, %2;"
		     : "=r"(before)
		     : "r"(__activemask()), "r"(lane));
	return back == 0 & before != 0;
}

/* In masks of bytes: accesses of any size, to objects at any address, or across their end. */
static __device__ __forceinline__ uint32_t touch_bytes(struct device_record *record, uint64_t start,
						       uint32_t size, uint32_t flags, uint32_t back,
						       uint32_t blocks, uint32_t &word)
{
	uint32_t run, packed, first = (uint32_t)start % 32, step = (flags >> GAP_SHIFT) + size;
	bool leader = back != step | first < step | (first & size - 1) != 0 | (flags & ABSENT) != 0;
	uint64_t length;

	run = run_of(leader);
	leader = leader & !(is_repeated(back) & run == 1) & !(flags & ABSENT);
	/* only among lanes of 4 bytes there are gaps */
	asm volatile("shl.b32 %0, -1, %1;" : "=r"(packed) : "r"(__popc(run)));
	if (size != 4)
		run = ~packed;
	store(leader, &record->uses_bytes, 1);
	word = (uint32_t)(start / 32);
	length = __ldg(&record->size) - start;
	return touch_part(leader, record, (uint32_t)(length >> 32) ? ~0u : (uint32_t)length, first,
			  word, run, size, flags, blocks);
}

/* In masks of units: accesses of any size from 4 on, which may both read and write. */
static __device__ __forceinline__ uint32_t touch_wide(struct device_record *record, uint64_t start,
						      uint32_t size, uint32_t flags, uint32_t back,
						      uint32_t blocks, uint32_t &word)
{
	uint32_t bits, packed, fresh = 0, step = (flags >> GAP_SHIFT) + size, *at;
	bool leader = back != step | ((uint32_t)start & 127) < step;

	bits = run_of(leader);
	leader = leader & !(is_repeated(back) & bits == 1);
	asm volatile("shl.b32 %0, -1, %1;" : "=r"(packed) : "r"(__popc(bits) * size / 4));
	if (size != 4)
		bits = ~packed;
	bits = __funnelshift_l(0, bits, (uint32_t)start / 4);
	word = (uint32_t)(start / 32);
	OPAQUE("r", word);
	at = load_constant(&record->read_units) + word / 4;
	if (any_active(flags & READ))
		fresh |= mark(leader, at, bits);
	if (any_active(flags & WRITE))
		fresh |= mark(leader, at + 8ull * blocks, bits);
	return fresh;
}

/*
 * Accesses that do not take whole stretches of 32 bytes.  Returns whether lanes have to see to the
 * group of `word`: those whose `fresh` is not 0.
 */
static __device__ __forceinline__ bool touch_lines(struct device_record *record, uint64_t start,
						   uint32_t size, uint32_t flags, uint32_t back,
						   uint32_t *units, uint32_t blocks, uint32_t &word,
						   uint32_t &fresh)
{
	uint32_t bits, place, seen, behind, step = (flags >> GAP_SHIFT) + size;
	uint32_t *at;
	bool may;

	if (any_active(size != 4 | bit((uint32_t)start, 3) != 0 | bit(flags + 1, RARE) != 0)) {
		if (any_active(flags & PREFETCH))
			return false;
		if (any_active(bit((uint32_t)start | size, 3) | bit((uint32_t)start, size - 1) |
			       flags & BYTES))
			fresh = touch_bytes(record, start, size, flags, back, blocks, word);
		else
			fresh = touch_wide(record, start, size, flags, back, blocks, word);
		return any_active(fresh);
	}
	may = back != step | ((uint32_t)start & 127) < step;
	bits = __funnelshift_l(0, run_of(may), (uint32_t)start / 4);
	behind = bit(flags, WRITE) ? blocks : 0;
	OPAQUE("r", behind);
	at = units + 8ull * behind;
	OPAQUE("l", at);
	place = (uint32_t)(start / 128);
	OPAQUE("r", place);
	at += place;
	seen = load_relaxed(at);
	may = (seen & bits) != bits & may;
	if (!any_active(may))
		return false;
	/* the unit that this lane shares with the lane before is marked for that one */
	if (is_repeated(back))
		bits &= bits - 1;
	may = may & bits != 0;
	word = (uint32_t)(start / 32);
	if (!may)
		bits = 0;
	if (joins_atomic(may))
		or_bits(at, bits);
	fresh = !seen & may;
	return any_active(fresh);
}

#endif
