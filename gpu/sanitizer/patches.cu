/*
 * gpu/sanitizer/patches.cu: what the Sanitizer calls before each memory instruction of the profiled
 * program's kernels.  Sets bits in masks, nothing else: see device_state.h.
 *
 * The lanes of a warp mostly touch one stretch of memory, which is marked by a few of them.
 *
 * No branch parts lanes of a warp of which some are elsewhere.  Where lanes of a warp wait for each
 * other in a loop, the Sanitizer calls the patches for a part of them; if some of those look at
 * memory while the others wait for them in the patch, they may never go on together (seen in
 * HeCBench's gc, whichever barrier of convergence the compiler takes; tests/gpu/RESULTS.md).  So
 * conditions that are not the same for all lanes are voted on; what only some do has a predicate;
 * and of atomics, around which the compiler branches, takes_part() decides.  Whole warps may part.
 * tests/cli/gpu_patches.sh looks for barriers of convergence in what the compiler makes of it.
 */
#include <sanitizer_patching.h>

#include "gpu/sanitizer/device_state.h"

#define PATCH extern "C" __device__ __noinline__ SanitizerPatchResult
#define READ SANITIZER_MEMORY_DEVICE_FLAG_READ
#define WRITE SANITIZER_MEMORY_DEVICE_FLAG_WRITE
#define GROUP 8192u         /* bytes of an object that share a byte of touched_blocks */
#define TELL_CYCLES 0x1ff0u /* tell() in 16 of 8192 cycles */

/* The compiler must not keep what it could know of the value, but ask it again. */
#define OPAQUE(type, value) asm volatile("" : "+" type(value))

/* So that the test of a bit is one instruction. */
static __device__ __forceinline__ uint32_t bit(uint32_t value, uint32_t mask)
{
	asm("and.b32 %0, %1, %2;" : "=r"(value) : "r"(value), "r"(mask));
	return value;
}

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

static __device__ __forceinline__ uint32_t near(const uint8_t *at)
{
	uint32_t value;

	asm volatile("ld.global.ca.u8 %0, [%1];" : "=r"(value) : "l"(at) : "memory");
	return value;
}

static __device__ __forceinline__ void or_bits(uint32_t *at, uint32_t number)
{
	asm volatile("red.relaxed.gpu.global.or.b32 [%0], %1;" ::"l"(at), "r"(number) : "memory");
}

static __device__ __forceinline__ void or_bits(uint64_t *at, uint64_t number)
{
	asm volatile("red.relaxed.gpu.global.or.b64 [%0], %1;" ::"l"(at), "l"(number) : "memory");
}

static __device__ __forceinline__ void add(uint32_t *at, uint32_t number)
{
	asm volatile("red.relaxed.gpu.global.add.u32 [%0], %1;" ::"l"(at), "r"(number) : "memory");
}

static __device__ __forceinline__ void add(uint64_t *at, uint64_t number)
{
	asm volatile("red.relaxed.gpu.global.add.u64 [%0], %1;" ::"l"(at), "l"(number) : "memory");
}

/* Of these the compiler keeps the predicate. */
static __device__ __forceinline__ void store(uint32_t may, uint32_t *at, uint32_t bits)
{
	asm volatile("{ .reg .pred may; setp.ne.u32 may, %2, 0; @may st.relaxed.gpu.global.u32 "
		     "[%0], %1; }" ::"l"(at),
		     "r"(bits), "r"(may)
		     : "memory");
}

static __device__ __forceinline__ void store(uint32_t may, uint8_t *at, uint32_t bits)
{
	asm volatile(
		"{ .reg .pred may; setp.ne.u32 may, %2, 0; @may st.global.u8 [%0], %1; }" ::"l"(at),
		"r"(bits), "r"(may)
		: "memory");
}

static __device__ __forceinline__ void store(uint32_t may, uint64_t *at, uint64_t bits)
{
	asm volatile("{ .reg .pred may; setp.ne.u32 may, %2, 0; @may st.relaxed.gpu.global.u64 "
		     "[%0], %1; }" ::"l"(at),
		     "l"(bits), "r"(may)
		     : "memory");
}

/*
 * Among the lanes that are here together, which no branch has parted.  Those with .sync take six
 * instructions more each: ptxas makes WARPSYNC.COLLECTIVE of them in patches.
 */
static __device__ __forceinline__ uint32_t shuffle_up(uint32_t value, uint32_t lanes)
{
	uint32_t other;

	asm volatile("shfl.up.b32 %0, %1, %2, 0;" : "=r"(other) : "r"(value), "r"(lanes));
	return other;
}

static __device__ __forceinline__ uint32_t vote_here(bool vote)
{
	uint32_t votes;

	asm volatile("{ .reg .pred p; setp.ne.u32 p, %1, 0; vote.ballot.b32 %0, p; }"
		     : "=r"(votes)
		     : "r"((uint32_t)vote));
	return votes;
}

/* Whether one of them says so: of that the compiler knows that it is the same for all. */
static __device__ __forceinline__ bool one_of_us(uint32_t vote)
{
	uint32_t one;

	asm volatile(
		"{ .reg .pred p; setp.ne.u32 p, %1, 0; vote.any.pred p, p; selp.u32 %0, 1, 0, p; }"
		: "=r"(one)
		: "r"(vote));
	return one;
}

/*
 * Whether a lane takes part in an atomic: of a whole warp those that have something to say; of
 * others all, some of them with nothing, since the compiler branches around it whatever its
 * predicate is.
 */
static __device__ __forceinline__ bool takes_part(bool may)
{
	return may | __activemask() != ~0u;
}

/* The first touches of a launch list the object: nobody waits to see whether others do. */
static __device__ __forceinline__ void list_object(bool may, struct device_record *record,
						   struct device_state *state)
{
	uint32_t slot = __ldg(&record->slot), *at = &constant(&state->listed)[slot / 32];
	bool tells = may;

	/* all lanes would send it, to one word, from wherever a launch begins */
	if (__activemask() != ~0u)
		tells = may & !(look(at) >> slot % 32 & 1);
	if (one_of_us(tells) && takes_part(tells)) {
		or_bits(at, (uint32_t)tells << slot % 32);
		OPAQUE("r", slot);
		or_bits(&constant(&state->listed_words)[slot / 1024],
			(uint32_t)tells << slot / 32 % 32);
	}
	store(may, &record->touched, 1); /* so that the multiprocessor's own cache knows */
}

static __device__ __forceinline__ uint8_t *group_byte(uint64_t *masks, uint32_t blocks,
						      uint32_t group)
{
	return (uint8_t *)masks + 256ull * blocks + group + 256; /* MASK_BYTES, twice */
}

/*
 * A block was touched: sets the byte of touched_blocks of its GROUP, since for that no atomic is
 * needed, and the multiprocessor's own cache knows it then.
 */
static __device__ __forceinline__ void touch_group(bool may, struct device_record *record,
						   uint64_t *masks, uint32_t blocks, uint32_t group)
{
	uint8_t *at = group_byte(masks, blocks, group);
	struct device_state *state;
	uint32_t tells;

	store(may, &record->uses_bytes, 1); /* as long as all marks go there */
	may = near(at) != 0xff & may;
	if (!one_of_us(may))
		return;
	asm volatile("ld.global.ca.u64 %0, [%1];" : "=l"(state) : "l"(&record->state));
	store(may, at, 0xff);
	/* now and then, to show that the launch gets on */
	tells = may & !(group & 63);
	if (one_of_us(tells) && takes_part(tells))
		add(&state->progress, tells);
	may = !near(&record->touched) & may;
	if (one_of_us(may))
		list_object(may, record, state);
}

/*
 * Sets bits in a word of a mask.  A word that is not empty says that its block was touched.
 * Returns whether somebody has to see to that.
 */
template <typename WORD>
static __device__ __forceinline__ uint32_t mark(bool may, WORD *at, WORD bits)
{
	WORD seen = look(at);

	may = (seen & bits) != bits & may;
	if (one_of_us(may)) {
		if (!may)
			bits = 0;
		if (takes_part(may))
			or_bits(at, bits);
	}
	return !seen & may;
}

/* Which of the state's hints: see HINT_GEOMETRY. */
static __device__ __forceinline__ uint32_t hint_index(uint64_t address, uint32_t geometry)
{
	return __funnelshift_r((uint32_t)address, (uint32_t)(address >> 32), geometry) &
	       geometry >> 8;
}

/*
 * The record of the object that holds the address, if there is one; else of one that does not, of
 * this context.
 */
static __device__ __forceinline__ struct device_record *find_record(uint64_t hint, uint64_t address)
{
	struct device_record *record = (struct device_record *)hint, *other;
	const struct device_several *at;
	const struct device_entry *entry;
	uint32_t count, several;

	asm("mov.b64 {%0, _}, %1;" : "=r"(several) : "l"(hint)); /* its low half */
	several = bit(several, HINT_SEVERAL);
	if (!one_of_us(several))
		return record;
	/* lanes that know their record look at it as if it were an entry, and lose what they get */
	at = (const struct device_several *)(hint & ~(uint64_t)HINT_SEVERAL);
	entry = constant(&at->first);
	count = __ldg(&at->count);
	if (!several) {
		entry = (const struct device_entry *)hint;
		count = 0;
	}
	do {
		uint32_t half = count / 2;
		bool above = __ldg(&entry[half].start) > address;

		OPAQUE("r", half);
		if (!above)
			entry += half;
		count -= half;
	} while (one_of_us(count > 1));
	if (address - __ldg(&entry->start) < __ldg(&entry->size))
		other = constant(&entry->record);
	else
		other = constant(&entry->beside);
	return several ? other : record;
}

/*
 * Now and then an access tells where it is, in one of 64 bits: a kernel that only looks at what it
 * has touched before may be at work on it, or wait for somebody to change one word of it.
 */
static __device__ __forceinline__ void tell(struct device_state *state, uint64_t address)
{
	uint32_t clock, place;

	asm volatile("mov.u32 %0, %%clock;" : "=r"(clock));
	if (clock & TELL_CYCLES)
		return;
	place = (uint32_t)(address >> 10) * 2654435769u >> 26;
	or_bits((uint32_t *)&state->told + place / 32, 1u << place % 32);
}

/* Memory that no table knows.  There is none below 1 MiB: see vflow_patch_copy_async(). */
static __device__ __forceinline__ bool is_missed(uint64_t address)
{
	return !__isLocal((const void *)address) & !__isShared((const void *)address) &
	       address >> 20 != 0;
}

/* One lane counts the accesses of all that miss; each is of so many bytes, or all share them. */
static __device__ __forceinline__ void miss(bool may, struct device_state *state, uint64_t size,
					    bool shared)
{
	uint32_t votes, before;

	votes = vote_here(may);
	asm("mov.u32 %0, %%lanemask_lt;" : "=r"(before));
	may = may & !(votes & before);
	before = __popc(votes);
	if (!may)
		before = 0;
	if (takes_part(may)) {
		add(&state->missed_bytes, shared ? may * size : before * size);
		OPAQUE("r", before);
		add(&state->missed, (uint64_t)before);
	}
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
#define READS (READ << 6)
#define WRITES (WRITE << 6)
#define STEP(access) ((access) >> 16)

/*
 * Marks a part of a word, or of two, if the object is aligned to less than the access: that is of
 * one lane alone.  `run` are the lanes of the line from this one on.  Returns whether somebody has
 * to see to the group of the first word.
 */
static __device__ __forceinline__ uint32_t touch_part(bool may, struct device_record *record,
						      uint32_t left, uint32_t first, uint32_t word,
						      uint32_t run, uint32_t access)
{
	uint32_t bits = ~0u, fresh = 0, end, last;
	bool alone = first & LAST(access);

	if (alone)
		run = 1;
	asm("bfind.u32 %0, %1;" : "=r"(last) : "r"(run));
	end = (last + 1) * (LAST(access) + 1);
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
		if (one_of_us(access & WRITES))
			fresh |= mark(may, (uint32_t *)constant(&record->written) + word, bits);
		if (one_of_us(access & READS))
			fresh |= mark(may, (uint32_t *)constant(&record->read) + word, bits);
		may = may & end > 32;
		if (!one_of_us(may))
			return fresh;
		end -= 32;
		bits = ~0u;
		word++;
		OPAQUE("r", word);
		/* without a look; the object is listed for its first word */
		store(may & word % (GROUP / 32) == 0,
		      group_byte(constant(&record->read), (uint32_t)(__ldg(&record->size) / 1024),
				 word / (GROUP / 32)),
		      0xff);
	}
}

/*
 * At most 32 bytes.  Most often the lanes lie on a line, or on a few: one touches what comes after
 * what the lane before it touches, and lanes that do not take part leave gaps.  The first lane of a
 * line in each word of the mask sets the bits of all in there: most often the whole word.
 *
 * Each instruction counts, since warps wait for each other's more than for memory:
 * tests/gpu/RESULTS.md has figures.  So do registers: on an H100 a patch has 14, and each one more
 * is stored and loaded again by every thread at every access.
 */
static __device__ __forceinline__ void touch(struct device_state *state, uint64_t address,
					     uint32_t size, uint32_t flags)
{
	uint32_t active, access, lane, gap = 1, step = size, high, low, line;
	uint32_t geometry, first, word, blocks, rest;
	struct device_record *record;
	uint64_t hint, start, length, *masks;
	bool linked, repeated, whole, marked, part, missed;

	asm volatile("ld.global.nc.u32 %0, [%1];" : "=r"(geometry) : "l"(&state->geometry));
	access = (flags << 6) + size - 1;
	OPAQUE("r", access);
	tell(state, address);
	active = __activemask(); /* from here to the vote no branch parts them */
	/* who has no lane before it gets its own address, which is no step away */
	if (active != ~0u) {
		/* how far the last of the lanes before this one is; 0: there is none */
		asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane));
		asm volatile("{ .reg .u32 x; shf.r.clamp.b32 x, 0, %1, %2; "
			     "bfind.shiftamt.u32 %0, x; }"
			     : "=r"(gap)
			     : "r"(active), "r"(lane));
		gap++;
		if (size != 4 && gap != 1)
			gap = 0; /* gaps only among lanes of 4 bytes */
		if (gap > 1)
			step = gap * 4;
	}
	high = shuffle_up((uint32_t)(address >> 32), gap);
	low = (uint32_t)address - shuffle_up((uint32_t)address, gap);
	asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane));
	asm volatile("ld.global.u64 %0, [%1];"
		     : "=l"(hint)
		     : "l"(&state->hints[hint_index(address, geometry)]));
	linked = high == (uint32_t)(address >> 32);
	repeated = linked && low == 0;
	linked = linked && low == step;
	/* the lanes from this one on that go on with a line, and whether those of a word do */
	line = vote_here(linked) >> lane;
	access += step << 16;
	record = find_record(hint, address);
	start = __ldg(&record->address);
	length = __ldg(&record->size);
	start = address - start;
	if (one_of_us(start >= length)) {
		missed = start >= length & is_missed(address);
		if (start >= length) {
			/* as if the lane before did it */
			access &= 0xffff;
			line |= 1;
			start = 0;
		}
		miss(missed, constant(&record->state), LAST(access) + 1, false);
		low = vote_here(access > 0xffff);
		if (!low)
			return;
		/* whose memory all lanes look at: those that are nowhere, at that of one that is */
		asm("bfind.u32 %0, %0;" : "+r"(low));
		asm volatile("{ .reg .u32 a, b; mov.b64 {a, b}, %1; shfl.idx.b32 a, a, %2, 31; "
			     "shfl.idx.b32 b, b, %2, 31; mov.b64 %0, {a, b}; }"
			     : "=l"(hint)
			     : "l"(record), "r"(low));
		OPAQUE("r", access);
		if (access <= 0xffff)
			record = (struct device_record *)hint;
		length = __ldg(&record->size);
	}
	asm volatile("shl.b32 %0, -1, %1;" : "=r"(rest) : "r"(32u >> __popc(LAST(access))));
	whole = !(~rest & ~line & ~1u);
	first = (uint32_t)start % 32;
	/* the lane before sets these bits, unless the object is not aligned */
	marked = !(bit(line, 1) != 0 & first >= STEP(access) & !(first & LAST(access)));
	word = (uint32_t)(start / 32);
	OPAQUE("r", word);
	whole = whole & !first & word < (uint32_t)(length / 32);
	part = marked & !whole;
	marked = marked & whole;
	if (one_of_us(part)) {
		asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane));
		active = __activemask();
		/* the lanes before this one, from the top on */
		asm volatile("shf.r.clamp.b32 %0, 0, %1, %2;" : "=r"(low) : "r"(active), "r"(lane));
		/* whether the address of the lane before was asked for */
		repeated = repeated & ((int)low < 0 | (low != 0 & LAST(access) == 3));
		active >>= lane;
		line = active & ~line & ~1u; /* the next line starts there */
		active &= (line - 1) & ~line;
		part = part & !(repeated & active == 1);
		length -= start;
		rest = (uint32_t)(length >> 32) ? ~0u : (uint32_t)length;
		part = touch_part(part, record, rest, first, word, active, access);
		if (!one_of_us(part | marked))
			return;
		length = __ldg(&record->size);
	}
	masks = constant(&record->read);
	if (!marked)
		access = 0;
	blocks = (uint32_t)(length / 1024);
	OPAQUE("r", blocks);
	/* no atomic needed to set them all, and nothing to wait for */
	store(access & WRITES, (uint32_t *)(masks + 16ull * blocks + 16) + word, ~0u);
	store(access & READS, (uint32_t *)masks + word, ~0u);
	touch_group(marked | part, record, masks, blocks, word / (GROUP / 32));
}

/* Any number of bytes; the active lanes, which all say the same, share them. */
static __device__ __forceinline__ void touch_bulk(struct device_state *state, uint64_t address,
						  uint64_t size, uint32_t flags)
{
	struct device_record *record;
	uint64_t offset, last, left, word;
	unsigned active = __activemask(), before;
	bool outside;

	if (!one_of_us(state != NULL & size != 0))
		return;
	record = find_record(__ldg(&state->hints[hint_index(address, __ldg(&state->geometry))]),
			     address);
	offset = address - __ldg(&record->address);
	left = __ldg(&record->size) - offset;
	outside = offset >= __ldg(&record->size);
	if (one_of_us(outside))
		miss(outside & is_missed(address), constant(&record->state), size, true);
	last = offset + (size < left ? size : left) - 1;
	asm("mov.u32 %0, %%lanemask_lt;" : "=r"(before));
	word = offset / 64 + __popc(active & before);
	for (bool may; one_of_us(may = !outside & word <= last / 64); word += __popc(active)) {
		uint64_t bits = ~0ull;

		if (word == offset / 64)
			bits &= ~0ull << offset % 64;
		if (word == last / 64)
			bits &= ~0ull >> (63 - last % 64);
		for (int i = 0; i < 2; i++) {
			uint64_t *at = constant(i ? &record->written : &record->read) +
				       (may ? word : last / 64);

			if (!(flags & (i ? WRITE : READ)))
				continue;
			store(may & bits == ~0ull, at, bits);
			mark(may & bits != ~0ull, at, bits);
		}
		touch_group(may, record, constant(&record->read),
			    (uint32_t)(__ldg(&record->size) / 1024),
			    (uint32_t)((may ? word : last / 64) / (GROUP / 64)));
	}
}

PATCH vflow_patch_access(void *state, uint64_t pc, void *address, uint32_t size, uint32_t flags,
			 const void *data)
{
	uint32_t low, high;

	asm("mov.b64 {%0, %1}, %2;" : "=r"(low), "=r"(high) : "l"(state));
	if (!one_of_us((low | high) != 0 & !bit(flags, SANITIZER_MEMORY_DEVICE_FLAG_PREFETCH)))
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
	if (!one_of_us(state != NULL & (uint64_t)source >> 20 != 0))
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
