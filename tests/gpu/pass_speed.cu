/*
 * The passes of gpu/sanitizer alone, without the Sanitizer: random APIs give the rows and digests
 * that gpu/analysis/shadow.h gives on the CPU, then the speed of each in bytes of objects.
 *
 *     pass_speed                   on a GPU
 *     pass_speed BLOCKS SEED       small objects, no speed: serves on the emulated device, too;
 *                                  BLOCKS of threads in the grid of a pass
 */
#include "tests/gpu/pass_random.cuh"

__global__ void fill(uint32_t *memory, uint64_t count, uint32_t salt)
{
	for (uint64_t i = thread_of_grid(); i < count; i += threads_of_grid())
		memory[i] = (uint32_t)(i * 2654435761u) ^ salt;
}

/* The units whose bytes these are; none, if that is not all of them. */
static __device__ uint16_t units_of(uint64_t bytes)
{
	uint16_t units = 0;

	for (unsigned i = 0; i < WORD_UNITS && unit_whole(bytes) == bytes; i++)
		units |= (bytes >> i * UNIT_BYTES & 1) << i;
	return units;
}

/* Sets the masks of every word alike, `step` words apart, as patches do, or of bytes only. */
__global__ void touch_words(device_state *state, uint32_t slot, uint64_t read, uint64_t written,
			    uint64_t step, bool by_bytes)
{
	device_record *record = &state->records[slot];
	uint16_t read_units = by_bytes ? 0 : units_of(read);
	uint16_t written_units = by_bytes ? 0 : units_of(written);
	bool uses_bytes = (read && !read_units) || (written && !written_units);

	list_object(state, record, uses_bytes, false);
	for (uint64_t i = thread_of_grid(); i < record->blocks * LEAF_WORDS / step;
	     i += threads_of_grid()) {
		((uint16_t *)record->read_units)[i * step] = read_units;
		((uint16_t *)record->written_units)[i * step] = written_units;
		if (uses_bytes) {
			record->read[i * step] = read_units ? 0 : read;
			record->written[i * step] = written_units ? 0 : written;
		}
		((uint8_t *)record->touched_blocks)[i * step / LEAF_WORDS / 8] = 0xff;
	}
}

static bool by_bytes; /* see touch_words() */

static void report(const char *name, uint64_t bytes, std::vector<float> &times)
{
	std::sort(times.begin(), times.end());
	printf("%-34s %8.1f us %7.3f TB/s of objects\n", name, times[times.size() / 2] * 1e3,
	       bytes / (double)times[times.size() / 2] * 1e-9);
}

static void speed(const char *name, uint32_t slot, uint64_t read, uint64_t written, uint64_t step,
		  bool change, unsigned writers)
{
	uint64_t size = records[slot].size;
	std::vector<float> times;
	uint32_t context = 100;

	for (int i = 0; i < 7; i++) {
		float time;

		for (unsigned w = 0; w + 1 < writers; w++) {
			touch_words<<<1024, 256>>>(
				state, slot, 0, 0x1111111111111111ull << 4 * w % 64, step, false);
			pass(200 + w, NULL);
		}
		if (change)
			fill<<<1024, 256>>>((uint32_t *)records[slot].address, size / 4, rand());
		touch_words<<<1024, 256>>>(state, slot, read, written, step, by_bytes);
		pass(context++, &time);
		times.push_back(time);
	}
	report(name, size / step, times);
}

/* The first launch of each is slow. */
static void warm_up(uint32_t slot)
{
	mark(slot, 0, 4, 4, 1, MARK_READ);
	pass(2, NULL);
}

__global__ void nothing(void)
{
}

/* How long a kernel takes that does nothing. */
static void floor_speed(void)
{
	cudaEvent_t before, after;
	std::vector<float> times;
	float time;

	CHECK(cudaEventCreate(&before));
	CHECK(cudaEventCreate(&after));
	for (int i = 0; i < 9; i++) {
		CHECK(cudaEventRecord(before));
		nothing<<<pass_blocks, PASS_THREADS>>>();
		CHECK(cudaEventRecord(after));
		CHECK(cudaDeviceSynchronize());
		CHECK(cudaEventElapsedTime(&time, before, after));
		times.push_back(time);
	}
	report("an empty kernel", 0, times);
}

/* Passes with little to do, one after the other: what one costs then. */
static void row_of_passes(uint32_t slot)
{
	cudaEvent_t before, after;
	std::vector<float> times;
	float time;

	CHECK(cudaEventCreate(&before));
	CHECK(cudaEventCreate(&after));
	for (int i = 0; i < 5; i++) {
		CHECK(cudaEventRecord(before));
		for (int k = 0; k < 100; k++) {
			touch_words<<<1, 32>>>(state, slot, 15, 15, records[slot].blocks * 8,
					       false);
			fill<<<1, 32>>>((uint32_t *)records[slot].address, 32, i * 100 + k);
			ticket++;
			vflow_pass<<<pass_blocks, PASS_THREADS>>>(state, host_state, 300, ticket,
								  false, rows_taken, objects_taken,
								  first);
		}
		CHECK(cudaEventRecord(after));
		CHECK(cudaDeviceSynchronize());
		CHECK(cudaEventElapsedTime(&time, before, after));
		times.push_back(time / 100);
		for (uint32_t k = ticket - 99; k <= ticket; k++) {
			rows_taken += host_state.result_passes[k % PASSES].rows;
			objects_taken += host_state.result_passes[k % PASSES].objects;
		}
	}
	report("a mark, a store and a small pass", 0, times);
}

/* What a launch of one warp does, and its patch. */
__global__ void add_one(device_state *state, uint32_t slot)
{
	device_record *record = &state->records[slot];

	((float *)record->address)[threadIdx.x] += 1;
	if (threadIdx.x == 0) {
		*record->read_units = *record->written_units = ~0u;
		*(uint8_t *)record->touched_blocks = 0xff; /* as patches do */
	}
	list_object(state, record, false, false);
}

/* ... and one that touches some words of each of `count` blocks of several objects. */
__global__ void add_some(device_state *state, uint32_t slot, uint32_t count)
{
	device_record *record = &state->records[slot + blockIdx.x];

	for (uint32_t i = threadIdx.x; i < count * 8; i += blockDim.x) {
		((float *)record->address)[i * 32] += 1;
		record->read_units[i] = record->written_units[i] = 1;
		((uint8_t *)record->touched_blocks)[i / 64] = 0xff;
	}
	if (threadIdx.x == 0) {
		record->touched = 1;
		set_bit(state->listed, record->slot);
		set_bit(state->listed_words, record->slot / 32);
	}
}

/* What the pass after it takes, in a row of many: what launches and passes take less launches. */
template <typename L>
static void behind(const char *name, L launch, unsigned blocks, pass_strategy strategy)
{
	const int many = 100; /* whose results the rings hold */
	cudaEvent_t at[3];
	std::vector<float> times;

	for (cudaEvent_t &event : at)
		CHECK(cudaEventCreate(&event));
	for (int i = 0; i < 7; i++) {
		float alone, together;

		CHECK(cudaEventRecord(at[0]));
		for (int k = 0; k < many; k++)
			launch();
		CHECK(cudaEventRecord(at[1]));
		for (int k = 0; k < many; k++) {
			launch();
			vflow_pass<<<blocks, PASS_THREADS>>>(state, host_state, 300, ++ticket,
							     strategy, rows_taken, objects_taken,
							     first);
		}
		CHECK(cudaEventRecord(at[2]));
		CHECK(cudaDeviceSynchronize());
		CHECK(cudaEventElapsedTime(&alone, at[0], at[1]));
		CHECK(cudaEventElapsedTime(&together, at[1], at[2]));
		times.push_back((together - alone) / many);
		for (uint32_t k = ticket - many + 1; k <= ticket; k++) {
			rows_taken += host_state.result_passes[k % PASSES].rows;
			objects_taken += host_state.result_passes[k % PASSES].objects;
		}
	}
	printf("%u blocks%s: ", blocks,
	       strategy == PASS_SMALL    ? ", the first tries"
	       : strategy == PASS_SPREAD ? ", spread"
					 : "");
	report(name, 0, times);
}

static void tiny_speed(uint32_t slot, unsigned blocks, pass_strategy strategy)
{
	/* clang-format off */
	behind(
		"after a launch of one warp", [=] { add_one<<<1, 32>>>(state, slot); }, blocks,
		strategy);
	/* clang-format on */
}

static void some_speed(uint32_t slot, uint32_t objects, uint32_t count, unsigned blocks,
		       pass_strategy strategy)
{
	printf("%u of %u objects, ", count * objects, objects);
	behind(
		"after a launch", [=] { add_some<<<objects, 128>>>(state, slot, count); }, blocks,
		strategy);
}

static void mark_speed(uint32_t slot)
{
	cudaEvent_t before, after;
	std::vector<float> times;
	float time;

	CHECK(cudaEventCreate(&before));
	CHECK(cudaEventCreate(&after));
	for (int i = 0; i < 7; i++) {
		CHECK(cudaEventRecord(before));
		vflow_mark<<<1024, 256>>>(
			state, {0, records[slot].size, records[slot].size, 1, slot, MARK_WRITTEN});
		CHECK(cudaEventRecord(after));
		CHECK(cudaDeviceSynchronize());
		CHECK(cudaEventElapsedTime(&time, before, after));
		times.push_back(time);
		pass(3, NULL);
	}
	report("mark a set", records[slot].size, times);
}

int main(int argc, char **argv)
{
	const uint64_t size = 256 << 20, all = ~0ull;
	static const uint64_t sizes[OBJECTS] = {3000001, 700, 400000, 65536};
	uint64_t small_sizes[OBJECTS] = {90001, 700, 4000, 6553};
	cudaDeviceProp device;
	int resident;
	uint32_t plain, hashed, small, some;

	if (argc > 2) {
		pass_blocks = atoi(argv[1]);
		seed = atoi(argv[2]);
		if (seed % 2 == 0) { /* the list's words are near, or far from each other */
			slots = SLOTS;
			spread = 2047;
		}
		/* so much that a warp has counts that must be added up in between */
		if (seed == 3 && pass_blocks == 1)
			small_sizes[0] = 700001;
		against_cpu(small_sizes, 60);
		printf("# %u of them by one block of threads, %u by several\n", passes[PASS_SMALL],
		       passes[PASS_SPREAD]);
		return !compared || !passes[PASS_SMALL] ||
		       !passes[PASS_SPREAD] != (pass_blocks == 1);
	}
	CHECK(cudaGetDeviceProperties(&device, 0));
	CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, vflow_pass, PASS_THREADS,
							    0));
	pass_blocks = device.multiProcessorCount * resident;
	printf("%s, %u blocks of threads, %d resident\n", device.name, pass_blocks, resident);
	against_cpu(sizes, 150);
	records.clear();
	plain = add_object(size, 0, 1, false);
	hashed = add_object(size, 0, 1, true);
	small = add_object(1 << 20, 0, 1, true);
	some = add_object(1 << 20, 0, 1, true);
	for (int i = 1; i < 8; i++)
		add_object(1 << 20, 0, 1, true);
	start();
	ticket = 0, rows_taken = objects_taken = 0;
	warm_up(plain);
	floor_speed();
	mark_speed(plain);
	speed("all read", plain, all, 0, 1, false, 1);
	speed("all written, the same", plain, 0, all, 1, false, 1);
	speed("all written, changed", plain, 0, all, 1, true, 1);
	speed("all read and written, changed", plain, all, all, 1, true, 1);
	speed("all written, changed, digests", hashed, 0, all, 1, true, 1);
	speed("every third byte, digests", hashed, 0, 0x9249249249249249ull, 1, true, 2);
	by_bytes = true;
	speed("all read, by bytes", plain, all, 0, 1, false, 1);
	speed("all written, changed, by bytes", plain, 0, all, 1, true, 1);
	by_bytes = false;
	speed("4 writers, all read", hashed, all, 0, 1, false, 5);
	speed("4 writers, all written, digests", hashed, 0, all, 1, true, 5);
	speed("a word in 4 KiB, digests", hashed, 15, 15, 64, true, 2);
	speed("two words of 256 MiB, digests", hashed, 15, 15, size / 128, true, 2);
	speed("1 MiB, digests", small, all, all, 1, true, 1);
	speed("two words of 1 MiB, digests", small, 15, 15, 1 << 13, true, 2);
	row_of_passes(small);
	some_speed(some, 8, 24, 200, PASS_LARGE);
	for (unsigned blocks : {25u, 49u, 97u, 193u})
		some_speed(some, 8, 24, blocks, PASS_SPREAD);
	for (uint32_t count : {8u, 16u, 64u, 128u}) {
		some_speed(some, 8, count, 8 * count, PASS_LARGE);
		some_speed(some, 8, count, 4 * count | 1, PASS_SPREAD);
	}
	pass_blocks = 1;
	floor_speed();
	row_of_passes(small);
	row_of_passes(plain);
	tiny_speed(hashed, 1, PASS_LARGE);
	tiny_speed(small, 1, PASS_LARGE);
	for (unsigned blocks : {17u, pass_blocks}) {
		tiny_speed(small, blocks, PASS_LARGE);
		tiny_speed(small, blocks, PASS_SMALL);
	}
	speed("... by one block of threads", small, 15, 15, 1 << 13, true, 2);
	speed("two words of 256 MiB, the same", hashed, 15, 15, size / 128, true, 2);
	return !compared;
}
