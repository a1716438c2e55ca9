/*
 * The patches, without the Sanitizer: a kernel calls them as the Sanitizer would, with random
 * patterns of addresses, and the masks, touched blocks and the list are compared with what the
 * addresses say; and so is what a pass then finds, which leaves nothing behind.  With
 * FOLLOW_ACCESSES so are counts of accesses.
 */
#include <algorithm>
#include <sanitizer_patching.h>
#include <set>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vector>

#include "gpu/analysis/leaf.h"
#include "gpu/analysis/unit.h"
#include "gpu/analysis/values.h"
#include "gpu/provider.h"
#include "gpu/sanitizer/device/device_state.h"
#include "tests/gpu/pass_memory.cuh"

namespace passes
{
#include "gpu/sanitizer/device/passes.cu"
}
namespace patches
{
#include "gpu/sanitizer/device/patches.cu"
}
using namespace patches;

#define OBJECTS 4
#define COUNTED_COARSELY 2
#define THREADS 256

/* Three objects side by side, at multiples of 32, of 8 and of 1, one at a distance. */
static uint64_t base, starts[OBJECTS] = {512, 5512, 6289, 40000}; /* from `base` on */
static const uint64_t sizes[OBJECTS] = {5000, 777, 2040, 100000};
/* Of their records, in lists of LIST words. */
static const uint32_t slots[OBJECTS] = {1040, 5, 7, 2047};
#define LIST 64

static device_record records[OBJECTS];
static device_state host_state, *state;
/* Object FOREIGN belongs to another context, in half of the calls. */
#define FOREIGN 1
static device_state host_other, *other;
static device_entry entries[OBJECTS];
#define GRANULE 16384 /* bytes */
#define HINTS 8       /* those of all objects, and of nothing */
static uint64_t hints[HINTS];
static device_candidates several[HINTS], *device_several_at;
static device_entry *device_entries;
static device_record nothing, *device_nothing;
static bool table_peers;
static uint64_t *addresses;

enum patch { ACCESS, COPY_ASYNC, BULK_READ, BULK_WRITE, BULK_REDUCTION };

__global__ void call(enum patch patch, device_state *state, const uint64_t *addresses,
		     uint32_t size, uint32_t flags, uint32_t lanes)
{
	uint64_t address = addresses[blockIdx.x * blockDim.x + threadIdx.x];

	if (!(lanes >> threadIdx.x % 32 & 1))
		return;
	switch (patch) {
	case ACCESS:
		vflow_patch_access(state, 0, (void *)address, size, flags, NULL);
		break;
	case COPY_ASYNC:
		vflow_patch_copy_async(state, 0, (void *)address, 0, size);
		break;
	case BULK_READ: /* what is above is no part of the number */
		vflow_patch_bulk_read(state, 0, address, 0, 0, 0xab0000 | size / 16, 0);
		break;
	case BULK_WRITE:
		vflow_patch_bulk_write(state, 0, address, 0, size / 16);
		break;
	case BULK_REDUCTION:
		vflow_patch_bulk_reduction(state, 0, address, 0, size / 16);
		break;
	}
}

template <typename T> static std::vector<T> from_device(const T *memory, size_t count)
{
	std::vector<T> host(count);

	CHECK(cudaMemcpy(host.data(), memory, count * sizeof(T), cudaMemcpyDeviceToHost));
	return host;
}

static uint64_t below(uint64_t limit)
{
	static uint64_t seed = 1;

	seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (seed >> 33) % limit;
}

/* What is known of the objects that reach into one of a hint's granules. */
static uint64_t make_hint(uint64_t hint)
{
	uint32_t first = OBJECTS, last = 0;

	for (uint32_t i = 0; i < OBJECTS; i++)
		for (uint64_t at = starts[i] / GRANULE; at <= (starts[i] + sizes[i] - 1) / GRANULE;
		     at++)
			if (at % HINTS == hint) {
				first = first < i ? first : i;
				last = i;
			}
	if (first == OBJECTS)
		return (uint64_t)device_nothing;
	if (first == last && !(table_peers && first == FOREIGN))
		return (uint64_t)entries[first].record;
	several[hint] = {0, 0, CANDIDATES, device_entries + first, last + 1 - first};
	return (uint64_t)(device_several_at + hint);
}

/* All masks lie together, as shadows.c has them. */
static size_t head_bytes(const device_record *record)
{
	return 2 * MASK_BYTES(record->size) + 2 * UNIT_MASK_BYTES(record->size) +
	       (record->blocks + 31) / 32 * 4;
}

static void start_context(device_state *context)
{
	context->records = zeroed<device_record>(LIST * 32);
	context->slots = LIST * 32;
	context->listed = zeroed<uint32_t>(LIST);
	context->listed_words = zeroed<uint32_t>(LIST / 32);
	context->rows = zeroed<device_rows>(1);
	context->result_passes = shared_with_host<result_pass>(PASSES);
	context->result_rows = shared_with_host<result_row>(ROW_RING);
	context->result_objects = (result_object *)shared_with_host<uint8_t>(
		LIST * 32 *
		(sizeof(result_object) + sizeof(accessed_slice) + sizeof(gpu_frequency)));
	context->row_mask = ROW_RING - 1;
	context->object_mask = LIST * 32 - 1;
	context->epoch = 1;
}

static void start(void)
{
	/* the same hints wherever it is */
	base = ((uint64_t)zeroed<uint8_t>(3 * GRANULE * HINTS) / (GRANULE * HINTS) + 1) * GRANULE *
	       HINTS;
	for (int i = 0; i < OBJECTS; i++) {
		device_record *record = &records[i];

		starts[i] += base;
		record->address = starts[i];
		record->size = sizes[i];
		record->limit = PATCH_LIMIT(starts[i], sizes[i]);
		record->slot = slots[i];
		record->blocks = (uint32_t)((sizes[i] + 1023) / 1024);
		record->read = (uint64_t *)zeroed<uint8_t>(head_bytes(record));
		record->written = record->read + MASK_BYTES(sizes[i]) / 8;
		record->read_units = (uint32_t *)(record->written + MASK_BYTES(sizes[i]) / 8);
		record->written_units = record->read_units + UNIT_MASK_BYTES(sizes[i]) / 4;
		record->touched_blocks = record->written_units + UNIT_MASK_BYTES(sizes[i]) / 4;
		record->value = zeroed<uint8_t>(record->blocks * 1024);
		record->writer = zeroed<uint32_t>(record->blocks * 256);
		record->states = zeroed<device_block>(record->blocks);
		record->initialised = zeroed<uint64_t>(record->blocks * 16);
		record->origin = zeroed<uint64_t>(record->blocks * 16);
		record->unread = zeroed<uint64_t>(record->blocks * 16);
#ifdef FOLLOW_ACCESSES
		record->accessed = (device_accessed *)zeroed<uint8_t>(sizeof(*record->accessed) +
								      UNIT_MASK_BYTES(sizes[i]));
		record->counts = zeroed<uint32_t>(record->blocks * 256);
		record->count_shift = i == COUNTED_COARSELY ? FREQUENCY_SHIFT : 0;
#endif
	}
	device_entries = zeroed<device_entry>(OBJECTS);
	device_several_at = zeroed<device_candidates>(HINTS);
	device_nothing = zeroed<device_record>(1);
	host_state.granule_bits = 14;
	host_state.hint_mask = HINTS - 1;
	start_context(&host_state);
	state = (device_state *)zeroed<uint8_t>(STATE_BYTES);
	nothing.state = state;
	nothing.read_units = (uint32_t *)device_nothing; /* lanes that have no object look at it */
	nothing.read = nothing.written = (uint64_t *)device_nothing;
	CHECK(cudaMemcpy(device_nothing, &nothing, sizeof(nothing), cudaMemcpyHostToDevice));
	start_context(&host_other);
	other = zeroed<device_state>(1);
	addresses = zeroed<uint64_t>(THREADS);
}

/* An object's context, and its record there. */
static const device_state &context_of(int object)
{
	return table_peers && object == FOREIGN ? host_other : host_state;
}

static device_record *record_of(int object)
{
	return context_of(object).records + slots[object];
}

static void clear(void)
{
	for (const device_state *each : {&host_state, &host_other}) {
		CHECK(cudaMemset(each->listed, 0, LIST * 4));
		CHECK(cudaMemset(each->listed_words, 0, LIST / 32 * 4));
	}
	for (const device_record &record : records) {
		CHECK(cudaMemset(record.read, 0, head_bytes(&record)));
		if (record.counts)
			CHECK(cudaMemset(record.counts, 0, record.blocks * 1024));
	}
	CHECK(cudaMemcpy(state, &host_state, sizeof(host_state), cudaMemcpyHostToDevice));
	CHECK(cudaMemcpy(other, &host_other, sizeof(host_other), cudaMemcpyHostToDevice));
	for (int i = 0; i < OBJECTS; i++) {
		records[i].state = table_peers && i == FOREIGN ? other : state;
		CHECK(cudaMemcpy(record_of(i), &records[i], sizeof(records[i]),
				 cudaMemcpyHostToDevice));
		entries[i] = {starts[i], sizes[i], record_of(i), device_nothing};
	}
	for (uint64_t i = 0; i < HINTS; i++)
		hints[i] = make_hint(i);
	CHECK(cudaMemcpy(state->hints, hints, sizeof(hints), cudaMemcpyHostToDevice));
	CHECK(cudaMemcpy(device_several_at, several, sizeof(several), cudaMemcpyHostToDevice));
	CHECK(cudaMemcpy(device_entries, entries, sizeof(entries), cudaMemcpyHostToDevice));
}

/* Neighbours, the same, halves of a warp apart, strided, random, backwards, in pairs, in rows. */
static void choose(std::vector<uint64_t> &chosen, uint32_t size)
{
	uint64_t kind = below(8), row = 2 + below(15),
		 at = base + below(8) * 1000 + below(2) * below(150000);
	uint64_t stride = 1 + below(40);

	if (below(3))
		at &= ~UINT64_C(15);
	for (uint64_t i = 0; i < THREADS; i++)
		chosen[i] = kind == 0   ? at + i * size
			    : kind == 1 ? at
			    : kind == 2 ? at + i / 16 * 1024 + i % 16 * size
			    : kind == 3 ? at + i * stride
			    : kind == 4 ? base + below(150000)
			    : kind == 5 ? at - i * size
			    : kind == 6 ? at + i / 2 * size
					: at + i / row * 512 + i % row * size;
}

/* Lanes of which some fill with zeros and read nothing: then the Sanitizer gives no address. */
static void leave_out(std::vector<uint64_t> &chosen)
{
	uint64_t every = 1 + below(4);

	for (uint64_t i = 0; i < THREADS; i++)
		if (below(every))
			chosen[i] = below(1 << 20);
}

/* The lanes of a warp say the same, of which each word begins at a multiple of 16 bytes. */
static void choose_bulk(std::vector<uint64_t> &chosen)
{
	for (uint64_t i = 0; i < THREADS; i++)
		chosen[i] = i % 32 ? chosen[i - 1] : (base + below(150000)) & ~UINT64_C(15);
}

/* The bits of bytes in both masks; if the object does not use bytes, there must be none there. */
static std::vector<uint64_t> marks(const uint64_t *at_bytes, const uint32_t *at_units, size_t words,
				   bool uses_bytes)
{
	std::vector<uint64_t> bytes = from_device(at_bytes, words), both(words);
	std::vector<uint32_t> units = from_device(at_units, words / 2);

	for (size_t i = 0; i < words; i++) {
		if (uses_bytes)
			both[i] = bytes[i];
		else if (bytes[i])
			return {};
	}
	for (size_t i = 0; i < words * 16; i++)
		if (units[i / 32] >> i % 32 & 1)
			both[i / 16] |= UINT64_C(15) << i % 16 * 4;
	return both;
}

static struct {
	uint64_t read, written; /* bytes */
} expected[OBJECTS];

/* Compares what the device marked in one object; an access belongs to that of its first byte. */
static bool marked(int object, const std::vector<uint64_t> &chosen, uint32_t size, uint32_t flags,
		   uint32_t lanes, uint32_t kind, std::set<int> &touched)
{
	const device_record *record = &records[object];
	size_t words = record->blocks * 16;
	std::vector<uint64_t> read(words), written(words);
	std::vector<uint32_t> blocks((record->blocks + 31) / 32);
	uint64_t last = 0;
	const device_record now = from_device(record_of(object), 1)[0];
	bool uses_bytes = now.uses_bytes;
	uint32_t accessed = 0;

	for (unsigned k = 0; k < THREADS; k++) {
		uint64_t offset = chosen[k] - starts[object];

		if (!(lanes >> k % 32 & 1) || chosen[k] < starts[object] || chosen[k] == last)
			continue;
		last = chosen[k];
		for (uint64_t end = offset + size; offset < end && end - size < sizes[object];
		     offset++) {
			if (offset >= sizes[object])
				continue;
			if (flags & READ)
				read[offset / 64] |= UINT64_C(1) << offset % 64;
			if (flags & WRITE)
				written[offset / 64] |= UINT64_C(1) << offset % 64;
			blocks[offset / 32768] |= 0xffu << offset / GROUP % 4 * 8;
			touched.insert(object);
			accessed = kind;
		}
	}
	expected[object] = {};
	for (size_t i = 0; i < words; i++) {
		expected[object].read += __builtin_popcountll(read[i]);
		expected[object].written += __builtin_popcountll(written[i]);
	}
	uint32_t retained = values_retained(now.known_sizes);

	return !(accessed & ~retained & ~now.sizes) && !(now.sizes & ~accessed) &&
	       !(now.seen_sizes & ~(now.sizes | retained)) &&
	       marks(record->read, record->read_units, words, uses_bytes) == read &&
	       marks(record->written, record->written_units, words, uses_bytes) == written &&
	       from_device(record->touched_blocks, blocks.size()) == blocks;
}

#ifdef FOLLOW_ACCESSES
/* Whether each access is counted once for each unit; the lanes of a warp share bulk copies. */
static bool counted(int object, const std::vector<uint64_t> &chosen, uint32_t size, uint32_t lanes,
		    bool bulk)
{
	const device_record *record = &records[object];
	std::vector<uint32_t> counts(record->blocks * 256);

	for (unsigned k = 0; k < THREADS; k++) {
		uint64_t offset = chosen[k] - starts[object];
		uint64_t end = std::min(offset + size, sizes[object]);

		if (!(lanes >> k % 32 & 1) || chosen[k] < starts[object] || offset >= end ||
		    (bulk && lanes & ((1u << k % 32) - 1)))
			continue;
		for (uint64_t unit = offset / 4; unit * 4 < end; unit++)
			counts[unit >> record->count_shift]++;
	}
	return from_device(record->counts, counts.size()) == counts;
}
#endif

/* Whether the list of a context holds these objects. */
static bool are_listed(const device_state &context, const std::set<int> &touched)
{
	std::vector<uint32_t> listed(LIST), words(LIST / 32);

	for (int object : touched) {
		listed[slots[object] / 32] |= 1u << slots[object] % 32;
		words[slots[object] / 1024] |= 1u << slots[object] / 32 % 32;
	}
	return from_device(context.listed, LIST) == listed &&
	       from_device(context.listed_words, LIST / 32) == words;
}

/* Accesses that begin in no object; nothing is one below 1 MiB. */
static uint64_t outside(const std::vector<uint64_t> &chosen, uint32_t lanes)
{
	uint64_t count = 0;

	for (unsigned k = 0; k < THREADS; k++) {
		bool found = !(lanes >> k % 32 & 1) || chosen[k] < 1 << 20;

		for (int i = 0; i < OBJECTS; i++)
			found |= chosen[k] >= starts[i] && chosen[k] - starts[i] < sizes[i];
		count += !found;
	}
	return count;
}

/* Whether some access does not consist of units of an object, at a multiple of its own size. */
static bool is_odd(const std::vector<uint64_t> &chosen, uint32_t size, uint32_t lanes, bool bulk)
{
	bool odd = false;

	for (unsigned k = 0; k < THREADS; k++) {
		bool within = false;

		for (int i = 0; i < OBJECTS; i++) {
			uint64_t offset = chosen[k] - starts[i];

			if (chosen[k] < starts[i] || offset >= sizes[i])
				continue;
			within = bulk ? !(offset % 4) &&
						 (offset + size <= sizes[i] || !(sizes[i] % 4))
				      : !(offset % size) && offset + size <= sizes[i];
		}
		odd |= lanes >> k % 32 & 1 && !within;
	}
	return odd || size < 4;
}

static bool use_bytes(void)
{
	bool use = false;

	for (int i = 0; i < OBJECTS; i++)
		use |= from_device(record_of(i), 1)[0].uses_bytes;
	return use;
}

/* Whether a pass has left nothing of it, but for blocks past the object's end. */
static bool is_clear(int object)
{
	const device_record now = from_device(record_of(object), 1)[0];
	size_t masks = 2 * MASK_BYTES(now.size) + 2 * UNIT_MASK_BYTES(now.size);
	uint64_t set = now.touched | now.uses_bytes | now.sizes;

	set |= now.seen_sizes ^ values_retained(now.known_sizes);
#ifdef FOLLOW_ACCESSES
	for (uint32_t count : from_device(now.counts, now.blocks * 256))
		set |= count;
#endif

	for (uint8_t byte : from_device((uint8_t *)now.read, masks))
		set |= byte;
	std::vector<uint32_t> touched = from_device(now.touched_blocks, (now.blocks + 31) / 32);
	for (uint32_t block = 0; block < now.blocks; block++)
		set |= touched[block / 32] >> block % 32 & 1;
	return !set;
}

/* What the passes of both contexts find: as many blocks of threads as may be, in any way. */
static bool passed(void)
{
	static const unsigned sizes[] = {1, 2, 7, 63};
	static uint32_t ticket;
	const uint32_t strategy = (uint32_t)below(3);
	const unsigned blocks = sizes[below(4)];
	bool fine = true;

	ticket++;
	for (const device_state *each : {&host_state, &host_other}) {
		const result_pass *result = &each->result_passes[ticket % PASSES];

		passes::vflow_pass<<<blocks, PASS_THREADS>>>(each == &host_state ? state : other,
							     *each, 1, ticket, strategy, 0, 0,
							     (struct marks){});
		CHECK(cudaDeviceSynchronize());
		fine &= result->ticket == ticket && result->status == PASS_DONE;
		for (uint32_t i = 0; i < result->rows; i++)
			for (int k = 0; k < OBJECTS; k++)
				if (&context_of(k) == each &&
				    each->result_rows[i].slot == slots[k]) {
					expected[k].read -= each->result_rows[i].counts[ROW_READ];
					expected[k].written -=
						each->result_rows[i].counts[ROW_WRITTEN];
				}
		fine &= are_listed(*each, {});
	}
	for (int i = 0; i < OBJECTS; i++)
		fine &= !expected[i].read && !expected[i].written && is_clear(i);
	return fine;
}

static bool test(enum patch patch)
{
	bool bulk = patch >= BULK_READ, fine = true;
	std::vector<uint64_t> chosen(THREADS);
	uint32_t lanes = below(3) ? ~0u : (uint32_t)(below(1 << 16) << 16 | below(1 << 16));
	uint32_t size = bulk ? 16 * (uint32_t)below(3000) : 1u << below(6);
	uint32_t flags = patch == ACCESS           ? 1 + (uint32_t)below(3)
			 : patch == BULK_WRITE     ? WRITE
			 : patch == BULK_REDUCTION ? READ | WRITE
						   : READ;
	uint32_t kind = patch == BULK_READ        ? values_sizes(VALUES_LOAD, VALUES_WIDE)
			: patch == BULK_WRITE     ? values_sizes(VALUES_BULK, VALUES_WIDE)
			: patch == BULK_REDUCTION ? values_sizes(VALUES_ATOMIC, VALUES_WIDE)
						  : size << 8 * (flags & 3);
	uint64_t missed, bytes;
	std::set<int> touched, of_other;

	if (bulk && below(2)) /* mostly one lane asks for all */
		lanes = 1u << below(32);
	table_peers = below(2);
	clear();
	choose(chosen, size);
	if (patch == COPY_ASYNC)
		leave_out(chosen);
	if (bulk)
		choose_bulk(chosen);
	CHECK(cudaMemcpy(addresses, chosen.data(), THREADS * sizeof(uint64_t),
			 cudaMemcpyHostToDevice));
	call<<<2, THREADS / 2>>>(patch, state, addresses, size, flags, lanes);
	CHECK(cudaDeviceSynchronize());
	for (int i = 0; i < OBJECTS; i++)
		fine &= marked(i, chosen, size, flags, lanes, kind, touched);
#ifdef FOLLOW_ACCESSES
	for (int i = 0; i < OBJECTS; i++)
		fine &= counted(i, chosen, size, lanes, bulk);
#endif
	if (table_peers && touched.erase(FOREIGN))
		of_other.insert(FOREIGN);
	fine &= are_listed(host_state, touched) && are_listed(host_other, of_other);
	fine &= is_odd(chosen, size, lanes, bulk) || !use_bytes();
	missed = outside(chosen, lanes);
	bytes = missed * size;
	if (bulk) { /* the lanes of a warp share the bytes */
		missed = size ? missed : 0;
		bytes = missed ? missed / (uint32_t)__builtin_popcount(lanes) * size : 0;
	}
	fine &= from_device(&state->missed, 1)[0] == missed &&
		from_device(&state->missed_bytes, 1)[0] == bytes;
	return fine && (below(24) || passed()); /* which takes ten times as long */
}

/* Of each patch `count` patterns. */
static bool test_all(int number, const char *what, enum patch first, enum patch last, int count)
{
	bool fine = true;
	int calls;

	for (calls = 0; calls < count && fine; calls++)
		fine = test((enum patch)(first + calls % (last + 1 - first)));
	printf("%s %d - %d patterns of %s are marked\n", fine ? "ok" : "not ok", number, calls,
	       what);
	return fine;
}

int main(void)
{
	bool fine;

#ifdef FOLLOW_ACCESSES /* a unit after the other takes long */
	const int part = 10;
#else
	const int part = 1;
#endif

	start();
	fine = test_all(1, "accesses", ACCESS, ACCESS, 3000 / part);
	fine &= test_all(2, "asynchronous copies", COPY_ASYNC, COPY_ASYNC, 1000 / part);
	fine &= test_all(3, "bulk copies", BULK_READ, BULK_REDUCTION, 1500 / part);
	return !fine;
}
