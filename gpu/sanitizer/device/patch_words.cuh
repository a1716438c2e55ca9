/*
 * gpu/sanitizer/device/patch_words.cuh: what patches do with words of memory that other warps
 * change, too, and how the lanes of a warp agree.
 */
#ifndef VFLOW_GPU_SANITIZER_DEVICE_PATCH_WORDS_CUH
#define VFLOW_GPU_SANITIZER_DEVICE_PATCH_WORDS_CUH

#include "gpu/sanitizer/device/device_state.h"

/* The compiler must not keep what it could know of the value, but ask it again. */
#define OPAQUE(type, value) asm volatile("" : "+" type(value))

/* So that the test of a bit is one instruction. */
static __device__ __forceinline__ uint32_t bit(uint32_t value, uint32_t mask)
{
	asm("and.b32 %0, %1, %2;" : "=r"(value) : "r"(value), "r"(mask));
	return value;
}

/* A pointer that does not change during a launch. */
template <typename T> static __device__ __forceinline__ T *load_constant(T *const *pointer)
{
	return (T *)__ldg((const unsigned long long *)pointer);
}

/*
 * What other warps change at the same time.  Written out, since the compiler does not know that all
 * of it lies in global memory: its own code would be twice as long, and wait for results of
 * atomics.
 */
static __device__ __forceinline__ uint32_t load_relaxed(const uint32_t *at)
{
	uint32_t value;

	asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(at) : "memory");
	return value;
}

static __device__ __forceinline__ uint64_t load_relaxed(const uint64_t *at)
{
	uint64_t value;

	asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(value) : "l"(at) : "memory");
	return value;
}

/*
 * The same as the multiprocessor's own cache has it, which is nearer, and may be old: but what is
 * set there is set.
 */
static __device__ __forceinline__ uint32_t load_l1(const uint32_t *at)
{
	uint32_t value;

	asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(value) : "l"(at) : "memory");
	return value;
}

static __device__ __forceinline__ uint32_t load_l1(const uint8_t *at)
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

/* What the compiler would otherwise keep in registers, of which there are few. */
static __device__ __forceinline__ uint64_t reload(const uint64_t *at)
{
	uint64_t value;

	asm volatile("ld.global.ca.u64 %0, [%1];" : "=l"(value) : "l"(at) : "memory");
	return value;
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
	asm volatile("{ .reg .pred may; setp.ne.u32 may, %2, 0; @may st.relaxed.gpu.global.u8 "
		     "[%0], %1; }" ::"l"(at),
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
static __device__ __forceinline__ uint32_t ballot_active(bool vote)
{
	uint32_t votes;

	asm volatile("{ .reg .pred p; setp.ne.u32 p, %1, 0; vote.ballot.b32 %0, p; }"
		     : "=r"(votes)
		     : "r"((uint32_t)vote));
	return votes;
}

/* Whether one of them says so: of that the compiler knows that it is the same for all. */
static __device__ __forceinline__ bool any_active(uint32_t vote)
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
static __device__ __forceinline__ bool joins_atomic(bool may)
{
	return may | __activemask() != ~0u;
}

#endif
