/*
 * The patch that looks at values, without the Sanitizer: a kernel calls it as the Sanitizer would,
 * with random values at random places, by whole warps and parts of them, and what it has counted is
 * compared with what the values say.
 */
#include <sanitizer_patching.h>
#include <map>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vector>

#include "gpu/sanitizer/device/values.cu"

#define THREADS 256
#define OBJECT 4096
#define RECORD 77
#define ROUNDS 400

static device_state host_state;
static device_record host_record;

__global__ void call(device_state *state, uint64_t pc, const uint64_t *addresses, uint32_t size,
		     uint32_t flags, uint32_t lanes, const char *stored)
{
	const uint32_t thread = blockIdx.x * blockDim.x + threadIdx.x;

	if (lanes >> threadIdx.x % 32 & 1)
		vflow_values_access(state, pc, (void *)addresses[thread], size, flags,
				    flags & 2 ? stored + 16 * thread : NULL);
}

static unsigned failures;

static void check(bool good, const char *what)
{
	if (!good)
		printf("# %s\n", what);
	failures += !good;
}

template <typename T> static T *on_device(const T *from, size_t count)
{
	T *to;

	if (cudaMalloc(&to, count * sizeof(T)) ||
	    (from && cudaMemcpy(to, from, count * sizeof(T), cudaMemcpyHostToDevice)))
		exit(2);
	return to;
}

/* What a slot must hold. */
struct expected {
	uint64_t count, zeros, unset, any, unsigned_most, unsigned_not, signed_most, signed_not;
	uint64_t float_most, float_not, finite, misfits, off_grid, index_most, index_not;
	uint64_t hash, hash_index, hash_value;
	double sum;
	std::map<uint64_t, uint64_t> counts;
};

static double number_at(uint64_t bits, unsigned log)
{
	return value_number(log == 3   ? GPU_VALUE_F64
			    : log == 2 ? GPU_VALUE_F32
				       : GPU_VALUE_F16,
			    bits);
}

static void expect(struct expected *e, uint64_t bits, uint64_t offset, unsigned log)
{
	const unsigned shift = 64 - (8u << log);
	const int64_t extended = (int64_t)(bits << shift) >> shift;
	const uint64_t index = offset >> log, h = value_hash(index);
	const double number = log ? number_at(bits, log) : 0;
	const bool finite = log && value_is_finite(number);
#define MOST(member, value) e->member = e->member > (value) ? e->member : (value)

	e->count++;
	e->zeros += !bits;
	e->unset |= ~bits & ~0ull >> shift;
	e->any |= bits;
	MOST(unsigned_most, bits);
	MOST(unsigned_not, ~bits);
	MOST(signed_most, value_signed_key(extended));
	MOST(signed_not, ~value_signed_key(extended));
	MOST(index_most, index);
	MOST(index_not, ~index);
	if (finite) {
		MOST(float_most, value_double_key(number));
		MOST(float_not, ~value_double_key(number));
		e->sum += number;
	}
	e->finite += finite;
	if (log)
		e->misfits |= number == number ? value_misfits(number) : ~0u;
	e->off_grid += offset % (1u << log) != 0;
	e->hash += h;
	e->hash_index += h * index;
	e->hash_value += h * (uint64_t)extended;
	if (bits)
		e->counts[bits]++;
}

static void compare(const struct value_slot *slot, const struct counted_value *counts,
		    const struct expected *e)
{
	uint64_t counted = 0;

#define SAME(member) check(slot->member == e->member, #member)
	SAME(count), SAME(zeros), SAME(unset), SAME(any), SAME(unsigned_most), SAME(unsigned_not);
	SAME(signed_most), SAME(signed_not), SAME(float_most), SAME(float_not), SAME(finite);
	SAME(misfits), SAME(off_grid), SAME(index_most), SAME(index_not), SAME(hash);
	SAME(hash_index), SAME(hash_value);
	check(slot->sum - e->sum < 1e-6 * (1 + abs(e->sum)) &&
		      e->sum - slot->sum < 1e-6 * (1 + abs(e->sum)),
	      "sum");
	for (unsigned i = 0; i < VALUE_COUNTS; i++) {
		if (!counts[i].bits)
			continue;
		counted += counts[i].count;
		check(e->counts.count(counts[i].bits) &&
			      e->counts.at(counts[i].bits) == counts[i].count,
		      "a value is counted as often as it comes");
	}
	check(counted + slot->lost + slot->zeros == slot->count, "each value is counted once");
	check(e->counts.size() > VALUE_COUNTS / 2 || !slot->lost, "few values are all counted");
}

int main(void)
{
	static device_values host_values;
	static uint64_t addresses[THREADS];
	static char content[OBJECT], stored[THREADS * 16];
	device_values *values;
	device_state *state;
	device_record *record;
	char *object, *device_stored;
	uint64_t *device_addresses;

	srand(18);
	host_values.nth = 1;
	values = on_device(&host_values, 1);
	object = on_device<char>(NULL, OBJECT);
	host_record.address = (uint64_t)object;
	host_record.size = OBJECT;
	host_record.slot = RECORD;
	record = on_device(&host_record, 1);
	host_state.values = values;
	host_state.hints[0] = (uint64_t)record;
	state = on_device(&host_state, 1);
	cudaMemcpy(&record->state, &state, sizeof(state), cudaMemcpyHostToDevice);
	device_addresses = on_device(addresses, THREADS);
	device_stored = on_device(stored, sizeof(stored));
	for (unsigned round = 0; round < ROUNDS; round++) {
		const uint32_t size = 1u << rand() % 5, flags = 1 + rand() % 2;
		const uint32_t lanes = rand() % 3 ? ~0u : (uint32_t)rand() * 2654435761u;
		const unsigned kinds = 1 + rand() % 400;
		const uint64_t pc = 0x7f1200000000 + 16 * round;
		std::map<unsigned, struct expected> expected;

		for (unsigned i = 0; i < OBJECT; i += 4) {
			/* few values or many, small integers, floats, and odd bits */
			const uint32_t pick = rand() % kinds;
			const float number = pick % 4 == 3 ? 1.0f / pick : (float)pick;
			const uint32_t word = round % 3 == 0   ? pick
					      : round % 3 == 1 ? *(const uint32_t *)&number
							       : pick * 2654435761u;

			memcpy(content + i, &word, 4);
		}
		memcpy(stored, content, sizeof(stored));
		for (unsigned i = 0; i < THREADS; i++) {
			const bool inside = rand() % 20;
			const uint64_t at = rand() % (OBJECT / size) * size;

			addresses[i] = inside ? (uint64_t)object + at : (uint64_t)device_stored;
			if (!inside || !(lanes >> i % 32 & 1))
				continue;
			for (unsigned log = size >= 8   ? 3
					    : size >= 4 ? 2
					    : size >= 2 ? 1
							: 0;
			     ; log--) {
				for (unsigned k = 0; k < size; k += 1u << log) {
					uint64_t bits = 0;

					memcpy(&bits,
					       flags == 2 ? stored + 16 * i + k : content + at + k,
					       1u << log);
					expect(&expected[log], bits, at + k, log);
				}
				if (log != 3)
					break;
			}
		}
		cudaMemcpy(object, content, OBJECT, cudaMemcpyHostToDevice);
		cudaMemcpy(device_stored, stored, sizeof(stored), cudaMemcpyHostToDevice);
		cudaMemcpy(device_addresses, addresses, sizeof(addresses), cudaMemcpyHostToDevice);
		call<<<THREADS / 64, 64>>>(state, pc, device_addresses, size, flags, lanes,
					   device_stored);
		if (cudaMemcpy(&host_values, values, sizeof(host_values), cudaMemcpyDeviceToHost)) {
			printf("# the kernel failed\n");
			return 2;
		}
		check(!host_values.left, "there is room");
		for (unsigned i = 0; i < VALUE_SLOTS; i++) {
			const struct value_slot *slot = &host_values.slots[i];
			const unsigned log = VALUE_KEY_LOG(slot->key);

			if (!slot->key)
				continue;
			check(VALUE_KEY_RECORD(slot->key) == RECORD, "the record");
			check(VALUE_KEY_PC(slot->key) == (pc & ((1ull << VALUE_PC_BITS) - 1)),
			      "the place");
			check(slot->flags == (flags | size << 8), "the kind and size");
			compare(slot, host_values.counts[i], &expected[log]);
			expected.erase(log);
		}
		check(expected.empty(), "nothing is left out");
		cudaMemset((char *)values + offsetof(device_values, left), 0,
			   sizeof(host_values) - offsetof(device_values, left));
	}
	printf("%s 1 - %u rounds of random accesses are counted\n", failures ? "not ok" : "ok",
	       ROUNDS);
	return failures != 0;
}
