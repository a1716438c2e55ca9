/*
 * gpu/sanitizer/device/patches.cu: what the Sanitizer calls before each memory instruction of the
 * profiled program's kernels.  Sets bits in masks, nothing else: see device_state.h.
 *
 * The lanes of a warp mostly touch one stretch of memory.  What they touch as a whole takes bytes
 * of the masks of units, which all of them store; of what they touch in part one of them sets the
 * bits of many.  Masks of bytes are for what lies across units.
 *
 * No branch parts lanes of a warp of which some are elsewhere.  Where lanes of a warp wait for each
 * other in a loop, the Sanitizer calls the patches for a part of them; if some of those look at
 * memory while the others wait for them in the patch, they may never go on together (seen in
 * HeCBench's gc, whichever barrier of convergence the compiler takes; tests/gpu/RESULTS.md).  So
 * conditions that are not the same for all lanes are voted on; what only some do has a predicate;
 * and of atomics, around which the compiler branches, joins_atomic() decides.  Whole warps may
 * part. tests/sanitizer/patches.sh looks for barriers of convergence in what the compiler makes of
 * it.
 */
#include <sanitizer_patching.h>

#include "gpu/sanitizer/device/patch_objects.cuh"

#define PATCH extern "C" __device__ __noinline__ SanitizerPatchResult
#define READ SANITIZER_MEMORY_DEVICE_FLAG_READ
#define WRITE SANITIZER_MEMORY_DEVICE_FLAG_WRITE
#define GROUP 8192u              /* bytes of an object that share a byte of touched_blocks */
#define HEARTBEAT_CYCLES 0x1ff0u /* tell() in 16 of 8192 cycles */
#define SPREAD 2654435769u       /* 2^32 over the golden ratio: a multiplier for hashing */

/* The first touches of a launch list the object: nobody waits to see whether others do. */
static __device__ __forceinline__ void list_object(bool may, struct device_record *record,
						   struct device_state *state)
{
	uint32_t slot = __ldg(&record->slot), *at = &load_constant(&state->listed)[slot / 32];
	bool lists = may;

	/* all lanes would send it, to one word, from wherever a launch begins */
	if (__activemask() != ~0u)
		lists = may & !(load_relaxed(at) >> slot % 32 & 1);
	if (any_active(lists) && joins_atomic(lists)) {
		or_bits(at, (uint32_t)lists << slot % 32);
		OPAQUE("r", slot);
		or_bits(&load_constant(&state->listed_words)[slot / 1024],
			(uint32_t)lists << slot / 32 % 32);
	}
	store(may, &record->touched, 1); /* so that the multiprocessor's own cache knows */
}

/* How many blocks the masks of units have room for. */
static __device__ __forceinline__ uint32_t room(uint64_t size)
{
	uint32_t blocks = (uint32_t)(size / 1024) + 1;

	OPAQUE("r", blocks);
	return blocks;
}

static __device__ __forceinline__ uint8_t *group_byte(uint32_t *units, uint32_t blocks,
						      uint32_t group)
{
	return (uint8_t *)units + 64ull * blocks + group; /* behind both: UNIT_MASK_BYTES, twice */
}

/*
 * A block was touched: sets the byte of touched_blocks of its GROUP, since for that no atomic is
 * needed, and the multiprocessor's own cache knows it then: so who comes here has looked there.
 */
static __device__ __forceinline__ void touch_group(bool may, struct device_record *record,
						   uint8_t *at, uint32_t group)
{
	struct device_state *state = (struct device_state *)reload((uint64_t *)&record->state);
	uint32_t counts;

	store(may, at, 0xff);
	/* now and then, to show that the launch gets on */
	counts = may & !(group & 63);
	if (any_active(counts) && joins_atomic(counts))
		add(&state->progress, counts);
	may = !load_l1(&record->touched) & may;
	if (any_active(may))
		list_object(may, record, state);
}

/*
 * Sets bits in a word of a mask.  A word that is not empty says that its block was touched.
 * Returns whether somebody has to see to that.
 */
template <typename WORD>
static __device__ __forceinline__ uint32_t mark(bool may, WORD *at, WORD bits)
{
	WORD seen = load_relaxed(at);

	may = (seen & bits) != bits & may;
	if (any_active(may)) {
		if (!may)
			bits = 0;
		if (joins_atomic(may))
			or_bits(at, bits);
	}
	return !seen & may;
}

/*
 * Now and then an access tells where it is, in one of 64 bits: a kernel that only looks at what it
 * has touched before may be at work on it, or wait for somebody to change one word of it.
 */
static __device__ __forceinline__ void show_heartbeat(struct device_state *state, uint64_t address)
{
	uint32_t clock, place;

	asm volatile("mov.u32 %0, %%clock;" : "=r"(clock));
	if (clock & HEARTBEAT_CYCLES)
		return;
	place = (uint32_t)(address >> 10) * SPREAD >> 26;
	or_bits((uint32_t *)&state->heartbeat + place / 32, 1u << place % 32);
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
 * What is found out about an access is kept with its flags, in one register: whether its lane asks
 * for the same as the lane before, or for what comes next; whether no object has it, whether it
 * takes masks of bytes; its size, while other registers are needed; and how many bytes more than
 * its size the access of the lane before would have to be before it, since lanes between them take
 * no part.
 */
#define SAME 0x10u
#define NEXT 0x20u
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
 * tests/gpu/RESULTS.md has figures.  So do registers: on an H100 a patch has 14, and each one more
 * is stored and loaded again by every thread at every access.
 */
static __device__ __forceinline__ void touch(struct device_state *state, uint64_t address,
					     uint32_t size, uint32_t flags)
{
	struct device_record *record;
	uint32_t back, word, blocks, first, seen;
	uint64_t start, limit;
	uint32_t *units;
	uint8_t *at;
	bool wrong;

	record = (struct device_record *)find_hint(state, address);
	show_heartbeat(state, address);
	wrong = compare(address, size, flags, back);
	asm volatile("ld.global.nc.v2.u64 {%0, %1}, [%2];"
		     : "=l"(start), "=l"(limit)
		     : "l"(&record->address));
	/* asked for before it is known who needs it, so that nobody waits for it alone */
	asm volatile("ld.global.nc.u64 %0, [%1];" : "=l"(units) : "l"(&record->read_units));
	start = address - start;
	blocks = room(limit);
	if (any_active(wrong | start >= limit)) {
		if (any_active(start >= limit)) {
			if (!find_object(record, address, start, size, flags, back, blocks))
				return;
			units = (uint32_t *)reload((uint64_t *)&record->read_units);
			wrong = wrong | bit(flags, BYTES) | start >= reload(&record->limit);
			if (!any_active(wrong))
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
		word = (uint32_t)(start / 32);
		OPAQUE("r", word);
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
