/*
 * The patches, without the Sanitizer: a kernel calls them as the Sanitizer would, with random
 * patterns of addresses, and the masks, touched blocks and the list are compared with what the
 * addresses say.
 */
#include <set>
#include <stdio.h>
#include <stdlib.h>
#include <vector>

#include "gpu/sanitizer/patches.cu"

#define OBJECTS 4
#define THREADS 256
#define BASE UINT64_C(0x700000000000) /* nothing is there, and nothing is read there */

#define CHECK(call)                                                                                \
	do {                                                                                       \
		cudaError_t error_ = call;                                                         \
		if (error_) {                                                                      \
			printf("not ok - %s: %s\n", #call, cudaGetErrorString(error_));            \
			exit(1);                                                                   \
		}                                                                                  \
	} while (0)

/*
 * Three objects side by side, at multiples of 32, of 8 and of 1, one at a distance; in the table
 * they have other places.
 */
static const uint64_t starts[OBJECTS] = {BASE + 512, BASE + 5512, BASE + 6289, BASE + 40000};
static const uint64_t sizes[OBJECTS] = {5000, 777, 2040, 100000};
static const uint32_t slots[OBJECTS] = {2, 0, 3, 1};
/* What their records say they are, in lists of LIST words. */
static const uint32_t listed_slots[OBJECTS] = {1040, 5, 7, 2047};
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
static device_several several[HINTS], *device_several_at;
static device_entry *device_entries;
static device_record nothing, *device_nothing;
static bool foreign;
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

template <typename T> static T *zeroed(size_t count)
{
	T *memory;

	CHECK(cudaMalloc((void **)&memory, count * sizeof(T)));
	CHECK(cudaMemset(memory, 0, count * sizeof(T)));
	return memory;
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
	if (first == last && !(foreign && first == FOREIGN))
		return (uint64_t)entries[first].record;
	several[hint] = {0, 0, device_entries + first, last + 1 - first, SEVERAL};
	return (uint64_t)(device_several_at + hint);
}

/* All masks lie together, as shadows.c has them. */
static size_t head_bytes(const device_record *record)
{
	return 2 * MASK_BYTES(record->size) + 2 * UNIT_MASK_BYTES(record->size) +
	       (record->blocks + 31) / 32 * 4;
}

static void start(void)
{
	for (int i = 0; i < OBJECTS; i++) {
		device_record *record = &records[slots[i]];

		record->address = starts[i];
		record->size = sizes[i];
		record->limit = PATCH_LIMIT(starts[i], sizes[i]);
		record->slot = listed_slots[i];
		record->blocks = (uint32_t)((sizes[i] + 1023) / 1024);
		record->read = (uint64_t *)zeroed<uint8_t>(head_bytes(record));
		record->written = record->read + MASK_BYTES(sizes[i]) / 8;
		record->read_units = (uint32_t *)(record->written + MASK_BYTES(sizes[i]) / 8);
		record->written_units = record->read_units + UNIT_MASK_BYTES(sizes[i]) / 4;
		record->touched_blocks = record->written_units + UNIT_MASK_BYTES(sizes[i]) / 4;
	}
	device_entries = zeroed<device_entry>(OBJECTS);
	device_several_at = zeroed<device_several>(HINTS);
	device_nothing = zeroed<device_record>(1);
	host_state.granule_bits = 14;
	host_state.hint_mask = HINTS - 1;
	host_state.records = zeroed<device_record>(OBJECTS);
	host_state.listed = zeroed<uint32_t>(LIST);
	host_state.listed_words = zeroed<uint32_t>(LIST / 32);
	state = (device_state *)zeroed<uint8_t>(STATE_BYTES);
	nothing.state = state;
	nothing.read_units = (uint32_t *)device_nothing; /* lanes that have no object look at it */
	nothing.read = nothing.written = (uint64_t *)device_nothing;
	CHECK(cudaMemcpy(device_nothing, &nothing, sizeof(nothing), cudaMemcpyHostToDevice));
	host_other.records = zeroed<device_record>(1);
	host_other.listed = zeroed<uint32_t>(LIST);
	host_other.listed_words = zeroed<uint32_t>(LIST / 32);
	other = zeroed<device_state>(1);
	addresses = zeroed<uint64_t>(THREADS);
}

static void clear(void)
{
	for (const device_state *each : {&host_state, &host_other}) {
		CHECK(cudaMemset(each->listed, 0, LIST * 4));
		CHECK(cudaMemset(each->listed_words, 0, LIST / 32 * 4));
	}
	for (device_record &record : records) {
		CHECK(cudaMemset(record.read, 0, head_bytes(&record)));
		record.state = state;
	}
	CHECK(cudaMemcpy(host_state.records, records, sizeof(records), cudaMemcpyHostToDevice));
	CHECK(cudaMemcpy(state, &host_state, sizeof(host_state), cudaMemcpyHostToDevice));
	for (int i = 0; i < OBJECTS; i++)
		entries[i] = {starts[i], sizes[i],
			      foreign && i == FOREIGN ? host_other.records
						      : host_state.records + slots[i],
			      device_nothing};
	for (uint64_t i = 0; i < HINTS; i++)
		hints[i] = make_hint(i);
	CHECK(cudaMemcpy(state->hints, hints, sizeof(hints), cudaMemcpyHostToDevice));
	CHECK(cudaMemcpy(device_several_at, several, sizeof(several), cudaMemcpyHostToDevice));
	CHECK(cudaMemcpy(device_entries, entries, sizeof(entries), cudaMemcpyHostToDevice));
	records[slots[FOREIGN]].state = other;
	CHECK(cudaMemcpy(host_other.records, &records[slots[FOREIGN]], sizeof(records[0]),
			 cudaMemcpyHostToDevice));
	CHECK(cudaMemcpy(other, &host_other, sizeof(host_other), cudaMemcpyHostToDevice));
}

/* Neighbours, the same, halves of a warp apart, strided, random, backwards, in pairs, in rows. */
static void choose(std::vector<uint64_t> &chosen, uint32_t size)
{
	uint64_t kind = below(8), row = 2 + below(15),
		 at = BASE + below(8) * 1000 + below(2) * below(150000);
	uint64_t stride = 1 + below(40);

	if (below(3))
		at &= ~UINT64_C(15);
	for (uint64_t i = 0; i < THREADS; i++)
		chosen[i] = kind == 0   ? at + i * size
			    : kind == 1 ? at
			    : kind == 2 ? at + i / 16 * 1024 + i % 16 * size
			    : kind == 3 ? at + i * stride
			    : kind == 4 ? BASE + below(150000)
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
		chosen[i] = i % 32 ? chosen[i - 1] : (BASE + below(150000)) & ~UINT64_C(15);
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

/* Compares what the device marked in one object; an access belongs to that of its first byte. */
static bool marked(int object, const std::vector<uint64_t> &chosen, uint32_t size, uint32_t flags,
		   uint32_t lanes, std::set<int> &touched)
{
	const device_record *record = &records[slots[object]];
	size_t words = record->blocks * 16;
	std::vector<uint64_t> read(words), written(words);
	std::vector<uint32_t> blocks((record->blocks + 31) / 32);
	uint64_t last = 0;
	bool uses_bytes =
		from_device(foreign && object == FOREIGN ? host_other.records
							 : host_state.records + slots[object],
			    1)[0]
			.uses_bytes;

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
		}
	}
	return marks(record->read, record->read_units, words, uses_bytes) == read &&
	       marks(record->written, record->written_units, words, uses_bytes) == written &&
	       from_device(record->touched_blocks, blocks.size()) == blocks;
}

/* Whether the list of a context holds these objects. */
static bool are_listed(const device_state &context, const std::set<int> &touched)
{
	std::vector<uint32_t> listed(LIST), words(LIST / 32);

	for (int object : touched) {
		listed[listed_slots[object] / 32] |= 1u << listed_slots[object] % 32;
		words[listed_slots[object] / 1024] |= 1u << listed_slots[object] / 32 % 32;
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
	bool use = from_device(host_other.records, 1)[0].uses_bytes;

	for (const device_record &record : from_device(host_state.records, OBJECTS))
		use |= record.uses_bytes;
	return use;
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
	uint64_t missed, bytes;
	std::set<int> touched, of_other;

	if (bulk && below(2)) /* mostly one lane asks for all */
		lanes = 1u << below(32);
	foreign = below(2);
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
		fine &= marked(i, chosen, size, flags, lanes, touched);
	if (foreign && touched.erase(FOREIGN))
		of_other.insert(FOREIGN);
	fine &= are_listed(host_state, touched) && are_listed(host_other, of_other);
	fine &= is_odd(chosen, size, lanes, bulk) || !use_bytes();
	missed = outside(chosen, lanes);
	bytes = missed * size;
	if (bulk) { /* the lanes of a warp share the bytes */
		missed = size ? missed : 0;
		bytes = missed ? missed / (uint32_t)__builtin_popcount(lanes) * size : 0;
	}
	return fine && from_device(&state->missed, 1)[0] == missed &&
	       from_device(&state->missed_bytes, 1)[0] == bytes;
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

	start();
	fine = test_all(1, "accesses", ACCESS, ACCESS, 3000);
	fine &= test_all(2, "asynchronous copies", COPY_ASYNC, COPY_ASYNC, 1000);
	fine &= test_all(3, "bulk copies", BULK_READ, BULK_REDUCTION, 1500);
	return !fine;
}
