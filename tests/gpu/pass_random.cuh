/*
 * Objects and the passes of gpu/sanitizer over them, without the Sanitizer; random APIs give the
 * rows and digests that gpu/analysis/shadow.h gives on the CPU.  With FOLLOW_ACCESSES what is
 * accessed is compared, too.
 */
#include <algorithm>
#include <map>
#include <stdio.h>
#include <stdlib.h>
#include <vector>

extern "C" {
#include "gpu/analysis/accessed.h"
}

#include "gpu/sanitizer/device/passes.cu"
#include "tests/gpu/pass_memory.cuh"

extern "C" {
#include "gpu/analysis/shadow.h"
}

#define OBJECTS 4
#define SHARED 3 /* one of them */
#define COUNTED_COARSELY 1
#define COARSE OBJECTS /* one more, which the CPU's shadow does not know */
#define CONTEXTS 12

static unsigned pass_blocks;
static device_state *state, host_state;
static std::vector<device_record> records;
#define SLOTS (8 * 1024)
static uint32_t slots = 1024;
static uint32_t spread = 1; /* the slot of one object is so far from the next one's */

static uint64_t seed = 1;
static uint64_t below(uint64_t limit)
{
	seed = seed * 6364136223846793005ull + 1442695040888963407ull;
	return (seed ^ seed >> 31) % limit;
}

static uint32_t add_object(uint64_t size, unsigned misaligned, uint32_t site, bool digests)
{
	device_record record = {};
	uint64_t words;

	record.size = size;
	record.slot = (uint32_t)records.size() * spread;
	record.blocks = (size + LEAF_BYTES - 1) / LEAF_BYTES;
	words = record.blocks * LEAF_WORDS;
	record.site = site;
	record.address = (uint64_t)zeroed<uint8_t>(size + 64) + misaligned;
	record.read = zeroed<uint64_t>(words);
	record.written = zeroed<uint64_t>(words);
	record.touched_blocks = zeroed<uint32_t>((record.blocks + 31) / 32);
	record.read_units = zeroed<uint32_t>(2 * UNIT_MASK_BYTES(size) / 4);
	record.written_units = record.read_units + UNIT_MASK_BYTES(size) / 4;
	record.value = zeroed<uint8_t>(record.blocks * LEAF_BYTES);
	record.states = zeroed<device_block>(record.blocks);
	record.writer = zeroed<uint32_t>(record.blocks * LEAF_BYTES / 4);
	record.initialised = zeroed<uint64_t>(words);
	record.origin = zeroed<uint64_t>(words);
	record.unread = zeroed<uint64_t>(words);
#ifdef FOLLOW_ACCESSES
	record.accessed = (device_accessed *)zeroed<uint8_t>(sizeof(*record.accessed) +
							     UNIT_MASK_BYTES(size));
	record.count_shift = records.size() == COUNTED_COARSELY ? FREQUENCY_SHIFT : 0;
	record.counts = zeroed<uint32_t>(record.blocks * LEAF_BYTES / 4);
#endif
	if (digests)
		record.leaves = (uint64_t(*)[DIGEST_LANES])zeroed<uint64_t>(record.blocks * 4);
	records.push_back(record);
	return (uint32_t)records.size() - 1;
}

static void start(void)
{
	state = zeroed<device_state>(1);
	host_state.records = zeroed<device_record>(SLOTS);
	for (const device_record &record : records)
		CHECK(cudaMemcpy(host_state.records + record.slot, &record, sizeof(record),
				 cudaMemcpyHostToDevice));
	host_state.slots = slots;
	host_state.listed = zeroed<uint32_t>(SLOTS / 32);
	host_state.listed_words = zeroed<uint32_t>(SLOTS / 1024);
	host_state.rows = zeroed<device_rows>(1);
	host_state.result_passes = shared_with_host<result_pass>(PASSES);
	host_state.result_rows = shared_with_host<result_row>(ROW_RING);
	host_state.result_objects = (result_object *)shared_with_host<uint8_t>(
		1024 * (sizeof(result_object) + sizeof(accessed_slice) + sizeof(gpu_frequency)));
	host_state.row_mask = ROW_RING - 1;
	host_state.object_mask = 1023;
	host_state.epoch = 1;
	CHECK(cudaMemcpy(state, &host_state, sizeof(host_state), cudaMemcpyHostToDevice));
}

static uint64_t rows_taken, objects_taken;
static uint32_t ticket, passes[3]; /* by enum pass_strategy */
static marks first;                /* of the next pass */

static const result_pass *pass(uint32_t writer, float *milliseconds)
{
	static cudaEvent_t before, after;
	const result_pass *result;

	if (!before) {
		CHECK(cudaEventCreate(&before));
		CHECK(cudaEventCreate(&after));
	}
	ticket++;
	CHECK(cudaEventRecord(before));
	vflow_pass<<<pass_blocks, PASS_THREADS>>>(state, host_state, writer, ticket, ticket % 3,
						  rows_taken, objects_taken, first);
	first.height = 0;
	CHECK(cudaEventRecord(after));
	CHECK(cudaDeviceSynchronize());
	if (milliseconds)
		CHECK(cudaEventElapsedTime(milliseconds, before, after));
	result = &host_state.result_passes[ticket % PASSES];
	if (result->ticket != ticket || result->status != PASS_DONE) {
		printf("not ok - a pass ended with status %u\n", result->status);
		exit(1);
	}
	rows_taken += result->rows;
	objects_taken += result->objects;
	passes[result->strategy]++;
	return result;
}

/* -- against the CPU ---------------------------------------------------------------------- */

static std::vector<uint8_t> memory[OBJECTS];
static struct shadow *shadow;
static struct shadow_object *shadows[OBJECTS];
static uint8_t digests[OBJECTS + 1][LEAF_DIGEST];
static bool zeros[OBJECTS + 1];
static bool compared = true;

static void changed(void *, uint32_t object, const uint8_t digest[GPU_DIGEST_SIZE], bool zero)
{
	memcpy(digests[object], digest, LEAF_DIGEST);
	zeros[object] = zero;
}

/* Sizes of accesses of one kind, one or two of them. */
static uint32_t some_sizes(unsigned kind)
{
	return values_sizes(kind, 1u << below(6)) |
	       (below(3) ? 0 : values_sizes(kind, 1u << below(6)));
}

/*
 * Marks as patches do, a thread for each unit of a row: whole stretches of 32 bytes of the object
 * are stored as units; what is left of rows to units, if `lone`, or to bytes; and so are eight
 * blocks at a time, even past the object's end.
 */
__global__ void patch(device_state *state, marks rows, bool lone, uint32_t sizes)
{
	device_record *record = &state->records[rows.slot];
	uint64_t row_units = rows.width / UNIT_BYTES + 2;

	list_object(state, record, false, false);
	if (thread_of_grid() == 0)
		atomicOr(&record->sizes, sizes & ~record->seen_sizes);
	for (uint64_t i = thread_of_grid(); i < row_units * rows.height; i += threads_of_grid()) {
		uint64_t start = rows.offset + i / row_units * rows.pitch, end = start + rows.width;
		uint64_t unit = start / UNIT_BYTES + i % row_units, first = unit * UNIT_BYTES;
		uint64_t stretch = unit / 8 * 32;

		if (first >= end)
			continue;
		((uint8_t *)record->touched_blocks)[first / LEAF_BYTES / 8] = 0xff;
		for (uint32_t which = MARK_READ; which <= MARK_WRITTEN; which++) {
			uint32_t *units =
				which == MARK_READ ? record->read_units : record->written_units;
			uint64_t *bytes = which == MARK_READ ? record->read : record->written;

			if (!(rows.marks & which))
				continue;
			if (stretch >= start && stretch + 32 <= end) {
				((uint8_t *)units)[unit / 8] = 0xff;
			} else if (lone && first >= start && first + UNIT_BYTES <= end) {
				set_bit(units, unit);
			} else {
				record->uses_bytes = 1;
				for (uint64_t at = first; at < first + UNIT_BYTES; at++)
					if (at >= start && at < end)
						set_bit((uint32_t *)bytes, at);
			}
		}
	}
}

static void mark(uint32_t slot, uint64_t offset, uint64_t pitch, uint64_t width, uint64_t height,
		 uint32_t which)
{
	marks rows = {offset, pitch, width, height, slot * spread, which};
	uint32_t sizes = which & MARK_WRITTEN ? values_sizes(VALUES_BULK, VALUES_WIDE) : 0;

	if (pass_blocks == 1 && !first.height && below(2)) {
		first = rows;
	} else if (below(2)) {
		sizes = some_sizes(which & MARK_WRITTEN ? VALUES_STORE : VALUES_LOAD);
		patch<<<256, 256>>>(state, rows, below(2), sizes);
	} else {
		vflow_mark<<<256, 256>>>(state, rows);
	}
	if (slot < OBJECTS)
		shadow_sizes(shadows[slot], sizes);
}

/* Units of the objects that were accessed, a bit each. */
static std::vector<uint64_t> accessed[OBJECTS];

/* How often the running API did so, and 1: 0: it did not. */
static std::vector<uint32_t> turns[OBJECTS];
enum turns { NO_TURNS, ONE_TURN, SOME_TURNS };

static void access(uint32_t slot, uint64_t offset, uint64_t size, enum turns kind)
{
	for (uint64_t unit = offset / UNIT_BYTES; unit * UNIT_BYTES < offset + size; unit++) {
		uint32_t times = kind == SOME_TURNS && unit * 7 % 5 == 0
					 ? 2 + (uint32_t)below(1ull << below(9))
					 : kind != NO_TURNS;

		accessed[slot][unit / 64] |= 1ull << unit % 64;
		turns[slot][unit] += times + !turns[slot][unit];
		while (times--)
			shadow_count(shadows[slot], unit * UNIT_BYTES, 1);
	}
}

static void touch_one(void)
{
	uint32_t slot = (uint32_t)below(OBJECTS);
	uint64_t size = memory[slot].size(), width, pitch, height, offset;
	bool write = below(2);
	enum turns kind = (enum turns)below(3);

	/* rows of some width: from single bytes to the whole object; many of whole units */
	width = below(4) ? 1 + below(below(2) ? 16 : size) : size;
	width = std::min(width, size);
	pitch = width + below(3) * below(100);
	offset = below(size - width + 1);
	if (width < size && below(2)) {
		offset -= offset % UNIT_BYTES;
		width = std::min(width + UNIT_BYTES - width % UNIT_BYTES, size - offset);
		pitch = std::max(width, pitch - pitch % UNIT_BYTES);
	}
	height = 1 + below((size - offset - width) / pitch + 1);
	if (width == size)
		offset = 0, height = 1;
	height = std::min<uint64_t>(height, 200000);
	for (uint64_t row = 0; row < height; row++) {
		shadow_touch(shadows[slot], offset + row * pitch, width,
			     write ? GPU_WRITE : GPU_READ);
		access(slot, offset + row * pitch, width, kind);
		for (uint64_t i = 0; write && i < width; i++)
			if (uint8_t *at = &memory[slot][offset + row * pitch + i]; seed & 64)
				*at = (uint8_t)(seed & 128 ? below(2) : 0);
	}
	mark(slot, offset, pitch, width, height, write ? MARK_WRITTEN : MARK_READ);
}

/*
 * The coarse object: the bytes that the running API touched, and the last writer of each block.  It
 * is the last one: its rows are behind those of the CPU's shadow.
 */
static std::vector<uint8_t> coarse_marks;
static std::vector<uint32_t> coarse_writers;

static void touch_coarse(void)
{
	uint64_t size = coarse_marks.size(), width = 1 + below(below(2) ? 40 : size);
	uint64_t offset = below(size - width + 1);
	uint32_t which = 1 + (uint32_t)below(3);

	for (uint64_t i = offset; i < offset + width; i++)
		coarse_marks[i] |= which;
	mark(COARSE, offset, width, width, 1, which);
}

static void settle_coarse(uint32_t writer, std::vector<struct gpu_row> *rows)
{
	std::map<uint32_t, struct gpu_row> bytes[GPU_WRITE + 1];

	for (uint64_t block = 0; block < coarse_writers.size(); block++) {
		uint32_t last = coarse_writers[block];

		for (uint64_t i = block * LEAF_BYTES;
		     i < std::min<uint64_t>(coarse_marks.size(), (block + 1) * LEAF_BYTES); i++) {
			for (uint32_t access = GPU_READ; access <= GPU_WRITE; access++) {
				uint32_t mark = access == GPU_READ ? MARK_READ : MARK_WRITTEN;
				struct gpu_row *row;

				if (!(coarse_marks[i] & mark))
					continue;
				row = &bytes[access][last];
				if (!row->bytes++)
					*row = {COARSE + 1, last, (enum gpu_access)access, 1};
				row->first_block = row->bytes == 1 ? block : row->first_block;
				row->last_block = block;
				if (access == GPU_WRITE)
					coarse_writers[block] = writer;
			}
			coarse_marks[i] = 0;
		}
	}
	for (uint32_t access = GPU_READ; access <= GPU_WRITE; access++)
		for (const auto &row : bytes[access])
			rows->push_back(row.second);
}

static void copy_one(void)
{
	uint32_t to = (uint32_t)below(OBJECTS), from = (uint32_t)below(OBJECTS);
	uint64_t at, start, size;

	if (to == from)
		return;
	at = below(memory[to].size());
	start = below(memory[from].size());
	size = 1 + below(std::min(memory[to].size() - at, memory[from].size() - start));
	shadow_touch_copy(shadows[to], at, shadows[from], start, size);
	memcpy(&memory[to][at], &memory[from][start], size);
	access(to, at, size, NO_TURNS);
	access(from, start, size, NO_TURNS);
	mark(from, start, size, size, 1, MARK_READ);
	vflow_mark_copy<<<256, 256>>>(state, to * spread, at, size,
				      host_state.records + from * spread, start, size, size, 1);
}

/* Somebody has read everything, or one object, unseen; or can from now on, which is for good. */
static void see(void)
{
	uint32_t slot = (uint32_t)below(OBJECTS), kind = (uint32_t)below(12), epoch;

	if (kind < 9) {
		host_state.seen_epoch = host_state.epoch++;
		shadow_all_seen(shadow);
		return;
	}
	epoch = kind == 11 ? EPOCH_LAST : host_state.epoch++;
	if (records[slot].seen_epoch == EPOCH_LAST)
		return;
	records[slot].seen_epoch = epoch;
	CHECK(cudaMemcpy(&host_state.records[records[slot].slot].seen_epoch, &epoch, sizeof(epoch),
			 cudaMemcpyHostToDevice));
	if (kind == 11)
		shadow_object_exposed(shadows[slot]);
	else
		shadow_object_seen(shadows[slot]);
}

/* What a row says of one access. */
static struct gpu_row row_of(const result_row &from, enum gpu_access access)
{
	const uint32_t *extents =
		from.extents + (access == GPU_READ ? ROW_READ_FROM : ROW_WRITTEN_FROM);
	struct gpu_row row = {from.slot / spread + 1, from.writer, access};

	row.bytes = from.counts[access == GPU_READ ? ROW_READ : ROW_WRITTEN];
#define TAKE_SUM(FLAG) from.counts[ROW_##FLAG]
#define TAKE_MIN(FLAG) ~extents[0]
#define TAKE_MAX(FLAG) extents[1] - 1
#define ROW_METRIC(member, FLAG, of, aggregate)                                                    \
	if (GPU_ROWS_##of >> access & 1)                                                           \
		row.member = TAKE_##aggregate(FLAG);
#include "gpu/rows.def"
	return row;
}

static bool is_same(const struct gpu_row &a, const struct gpu_row &b)
{
	bool same = a.object == b.object && a.writer == b.writer && a.access == b.access &&
		    a.bytes == b.bytes;

#define ROW_METRIC(member, FLAG, of, aggregate)                                                    \
	if (a.member != b.member) {                                                                \
		printf("# object %u, writer %u, access %u: " #member " %llu, should be %llu\n",    \
		       a.object, a.writer, a.access, (unsigned long long)a.member,                 \
		       (unsigned long long)b.member);                                              \
		same = false;                                                                      \
	}
#include "gpu/rows.def"
	return same;
}

static bool row_order(const result_row &a, const result_row &b)
{
	return a.slot != b.slot ? a.slot < b.slot : a.writer < b.writer;
}

static void compare(const std::vector<struct gpu_row> &rows, const result_pass *result)
{
	std::vector<result_row> found;
	std::vector<struct gpu_row> ours;

	for (uint32_t i = 0; i < result->rows; i++)
		found.push_back(host_state.result_rows[(result->first_row + i) % (ROW_RING)]);
	std::sort(found.begin(), found.end(), row_order);
	for (uint32_t access = GPU_READ; access <= GPU_WRITE; access++)
		for (const result_row &row : found)
			if (row.counts[access == GPU_READ ? ROW_READ : ROW_WRITTEN])
				ours.push_back(row_of(row, (enum gpu_access)access));
	std::stable_sort(ours.begin(), ours.end(),
			 [](const struct gpu_row &a, const struct gpu_row &b) {
				 return a.object < b.object;
			 });
	compared &= ours.size() == rows.size();
	for (size_t i = 0; i < rows.size() && compared; i++)
		compared &= is_same(ours[i], rows[i]);
	for (uint32_t i = 0; i < result->objects && compared; i++) {
		const result_object *object =
			&host_state.result_objects[(result->first_object + i) % 1024];
		uint32_t index = object->slot / spread;
		uint8_t digest[LEAF_DIGEST];

		if (!object->initialised_bytes)
			continue;
		leaf_object(records[index].size, object->sum, 0, digest);
		compared &= !memcmp(digest, digests[index + 1], LEAF_DIGEST) &&
			    (object->zero_leaf_count == records[index].blocks) == zeros[index + 1];
	}
}

/* Whether the last pass left no masks behind, nor says that there are some of bytes. */
static bool all_clear(const device_record &record)
{
	std::vector<uint32_t> masks(2 * UNIT_MASK_BYTES(record.size) / 4);
	device_record now;

	CHECK(cudaMemcpy(&now, host_state.records + record.slot, sizeof(now),
			 cudaMemcpyDeviceToHost));
	CHECK(cudaMemcpy(masks.data(), record.read_units, masks.size() * 4,
			 cudaMemcpyDeviceToHost));
	for (const uint64_t *mask : {record.read, record.written}) {
		masks.resize(masks.size() + record.blocks * LEAF_WORDS * 2);
		CHECK(cudaMemcpy(masks.data() + masks.size() - record.blocks * LEAF_WORDS * 2, mask,
				 record.blocks * LEAF_WORDS * 8, cudaMemcpyDeviceToHost));
	}
	return !now.touched && !now.uses_bytes && !now.sizes &&
	       now.seen_sizes == values_retained(now.known_sizes) &&
	       std::count(masks.begin(), masks.end(), 0u) == (long)masks.size();
}

#ifdef FOLLOW_ACCESSES
static unsigned varied; /* objects of which elements were accessed more or less often */
static std::map<uint32_t, struct gpu_slice> slices; /* of the last API, by id */

static void note_slice(void *, uint32_t object, const struct gpu_slice *slice)
{
	slices[object] = *slice;
}

/* What the pass says that the API accessed of each object, but of the coarse one. */
static void compare_slices(const result_pass *result)
{
	const accessed_slice *found =
		RESULT_SLICES(host_state.result_objects, host_state.object_mask);

	slices.clear();
	shadow_slices(shadow, note_slice, NULL);
	for (uint32_t i = 0; i < result->objects; i++) {
		uint32_t place = (result->first_object + i) % 1024;
		uint32_t index = host_state.result_objects[place].slot / spread;
		struct gpu_slice ours, expected;

		if (index == COARSE || !found[place].end)
			continue;
		ours = accessed_bytes(&found[place], records[index].size);
		expected = slices[index + 1];
		if (ours.offset != expected.offset || ours.end != expected.end) {
			printf("# object %u: from %llu to %llu, should be from %llu to %llu\n",
			       index, (unsigned long long)ours.offset, (unsigned long long)ours.end,
			       (unsigned long long)expected.offset,
			       (unsigned long long)expected.end);
			compared = false;
		}
		slices.erase(index + 1);
	}
	compared &= slices.empty();
}

/* Puts what patches would have counted onto the device. */
static void put_counts(void)
{
	for (unsigned i = 0; i < OBJECTS; i++) {
		std::vector<uint32_t> counts(records[i].blocks * LEAF_BYTES / 4);

		for (uint64_t unit = 0; unit < turns[i].size(); unit++)
			if (turns[i][unit])
				counts[unit >> records[i].count_shift] += turns[i][unit] - 1;
		CHECK(cudaMemcpy(records[i].counts, counts.data(), counts.size() * 4,
				 cudaMemcpyHostToDevice));
	}
}

/* So many units of the object have been accessed so often together, the first of them this one. */
static void add_units(struct gpu_frequency *sums, uint64_t size, uint64_t unit, uint64_t units,
		      uint64_t count)
{
	uint64_t all = (size + 3) / 4, each = std::max<uint64_t>(count / units, 1), often = 0;

	if (!count)
		return;
	while (often < 15 && each >> (often + 1))
		often++;
	sums->elements += units;
	sums->accesses += count;
	sums->squares_low += count * count / units % (1ull << 32);
	sums->squares_high += count * count / units / (1ull << 32);
	sums->most = std::max(sums->most, each);
	sums->often[often] += units;
	sums->parts[unit / ((all + 15) / 16)] += count;
}

/* How often which units were accessed, worked out one by one. */
static struct gpu_frequency expected_frequency(unsigned index)
{
	const uint64_t together = 1ull << records[index].count_shift, size = records[index].size;
	struct gpu_frequency sums = {};

	for (uint64_t unit = 0; unit < turns[index].size(); unit += together) {
		uint64_t count = 0, touched = 0, first = 0;

		for (uint64_t k = unit; k < unit + together && k < turns[index].size(); k++) {
			if (!turns[index][k])
				continue;
			first = touched++ ? first : k;
			count += turns[index][k] - 1;
		}
		if (touched)
			add_units(&sums, size, first, touched, count);
	}
	sums.granularity = 4 * (uint32_t)together;
	if (sums.elements) {
		double mean = (double)sums.accesses / (double)sums.elements;
		double square =
			((double)sums.squares_high * 4294967296. + (double)sums.squares_low) /
			(double)sums.elements;

		if (square / (mean * mean) - 1 >= 0.0001)
			return sums;
	}
	return {};
}

static std::map<uint32_t, struct gpu_frequency> frequencies; /* of the CPU, by id */

static void note_frequency(void *, uint32_t object, const struct gpu_frequency *frequency)
{
	frequencies[object] = *frequency;
}

static void compare_frequency(const char *whose, unsigned index, const struct gpu_frequency &found)
{
	const struct gpu_frequency expected = expected_frequency(index);

	if (found.elements ? !memcmp(&found, &expected, sizeof(found)) : !expected.elements)
		return;
	printf("# object %u, the %s: %llu accesses to %llu elements, squares %llu, most %llu; "
	       "should be %llu to %llu, squares %llu, most %llu\n",
	       index, whose, (unsigned long long)found.accesses, (unsigned long long)found.elements,
	       (unsigned long long)found.squares_low, (unsigned long long)found.most,
	       (unsigned long long)expected.accesses, (unsigned long long)expected.elements,
	       (unsigned long long)expected.squares_low, (unsigned long long)expected.most);
	compared = false;
}

/* How often the API accessed what, by the pass and by the CPU. */
static void compare_frequencies(const result_pass *result)
{
	const gpu_frequency *all =
		RESULT_FREQUENCIES(host_state.result_objects, host_state.object_mask);
	std::map<uint32_t, struct gpu_frequency> found;

	for (uint32_t i = 0; i < result->objects; i++) {
		uint32_t place = (result->first_object + i) % 1024;

		found[host_state.result_objects[place].slot / spread] = all[place];
	}
	frequencies.clear();
	shadow_frequencies(shadow, note_frequency, NULL);
	for (unsigned i = 0; i < OBJECTS; i++) {
		compare_frequency("pass", i, found[i]);
		if (i != COUNTED_COARSELY)
			compare_frequency("CPU", i, frequencies[i + 1]);
		varied += expected_frequency(i).elements != 0;
		std::fill(turns[i].begin(), turns[i].end(), 0);
	}
}

/* What all APIs accessed of an object. */
static void compare_accessed(unsigned index)
{
	const device_record &record = records[index];
	std::vector<uint64_t> units(UNIT_MASK_BYTES(record.size) / 8);
	struct gpu_accessed ours, expected;

	CHECK(cudaMemcpy(units.data(), record.accessed->units, units.size() * 8,
			 cudaMemcpyDeviceToHost));
	ours = accessed_figures(units.data(), record.size);
	expected = accessed_figures(accessed[index].data(), record.size);
	if (!memcmp(&ours, &expected, sizeof(ours)))
		return;
	printf("# object %u: %llu bytes accessed, should be %llu\n", index,
	       (unsigned long long)ours.bytes, (unsigned long long)expected.bytes);
	compared = false;
}
#endif

/* `sizes` of the objects; the third is not aligned to 16 bytes. */
static void against_cpu(const uint64_t sizes[OBJECTS], unsigned apis)
{
	const uint64_t coarse_size = sizes[0] / 2 + 1;
	unsigned steps;

	shadow = shadow_create(true);
#ifdef FOLLOW_ACCESSES
	shadow_follow_accesses(shadow);
#endif
	for (unsigned i = 0; i < OBJECTS; i++) {
		memory[i].resize(sizes[i]);
		accessed[i].resize(UNIT_MASK_BYTES(sizes[i]) / 8);
		turns[i].resize((sizes[i] + 3) / 4);
		shadows[i] =
			shadow_object_create(shadow, i + 1, 1 + i % 3, memory[i].data(), sizes[i]);
		add_object(sizes[i], i == 2 ? 20 : 0, 1 + i % 3, true);
	}
	shadow_object_shared(shadows[SHARED]);
	records[SHARED].shared = 1;
	records[SHARED].seen_epoch = EPOCH_LAST;
	add_object(coarse_size, 4, 1, false);
	records[COARSE].coarse = 1;
	records[COARSE].value = NULL;
	records[COARSE].seen_epoch = EPOCH_LAST;
	coarse_marks.resize(coarse_size);
	coarse_writers.assign(records[COARSE].blocks, 1);
	start();
	for (steps = 0; steps < apis && compared; steps++) {
		uint32_t context = 1 + (uint32_t)below(CONTEXTS);
		const struct gpu_row *rows;
		std::vector<struct gpu_row> expected;
		const result_pass *result;
		size_t count;

		if (!below(2)) /* the host writes, too */
			memset(&memory[SHARED][below(sizes[SHARED] - 500)], (int)below(3),
			       below(500));
		if (!below(8))
			see();
		if (!below(3))
			copy_one();
		else
			for (uint64_t n = below(4); n--;)
				touch_one();
		if (!below(4))
			touch_coarse();
		for (unsigned i = 0; i < OBJECTS; i++)
			CHECK(cudaMemcpy((void *)records[i].address, memory[i].data(), sizes[i],
					 cudaMemcpyHostToDevice));
		shadow_settle(shadow, context, &rows, &count);
		shadow_digests(shadow, changed, NULL);
		expected.assign(rows, rows + count);
		settle_coarse(context, &expected);
#ifdef FOLLOW_ACCESSES
		put_counts();
#endif
		result = pass(context, NULL);
		compare(expected, result);
#ifdef FOLLOW_ACCESSES
		compare_slices(result);
		compare_frequencies(result);
#endif
	}
#ifdef FOLLOW_ACCESSES
	for (unsigned i = 0; i < OBJECTS; i++)
		compare_accessed(i);
	compared &= varied >= apis / 10;
#endif
	for (const device_record &record : records)
		compared &= all_clear(record);
	printf("%s 1 - %u APIs: the rows and digests of the CPU\n", compared ? "ok" : "not ok",
	       steps);
#ifdef FOLLOW_ACCESSES
	printf("# %u times elements were accessed unevenly\n", varied);
#endif
	shadow_destroy(shadow);
}
