/*
 * The per-word algorithm and the hash of gpu/analysis on a GPU: every function is used on the
 * device, and main() compares with the same functions on the host.
 */
#include <stdio.h>

#include "gpu/analysis/leaf.h"
#include "gpu/analysis/unit.h"
#include "gpu/analysis/values.h"

#define LEAVES 64
#define WORDS (LEAVES * LEAF_WORDS)

struct results {
	uint64_t redundant[WORDS], initialised[WORDS], groups[WORDS], counts[WORDS];
	uint64_t unread[WORDS], metrics[WORDS], values[WORDS];
	uint32_t writers[WORDS * WORD_UNITS];
	uint8_t value[WORDS * WORD_BYTES];
	uint64_t leaves[LEAVES][LEAF_LANES];
	uint8_t objects[LEAVES][LEAF_DIGEST];
};

struct inputs {
	struct unit_word words[WORDS];
	uint8_t fresh[WORDS * WORD_BYTES];
};

VFLOW_DEVICE void settle(const struct inputs *in, struct results *out, unsigned i)
{
	const struct unit_word *word = &in->words[i];
	uint8_t *value = out->value + i * WORD_BYTES;
	uint32_t *writers = out->writers + i * WORD_UNITS;
	uint64_t equal = unit_equal(value, in->fresh + i * WORD_BYTES);
	uint64_t units = unit_whole(word->read | word->written);

	out->redundant[i] = unit_redundant(word, equal);
	out->initialised[i] = unit_initialised(word);
	out->groups[i] = units ? unit_written_by(writers, writers[unit_first(units) / 4]) : 0;
	out->counts[i] = unit_count(out->redundant[i]) + unit_count(out->groups[i] & word->read);
	out->unread[i] = unit_unread(word);
	out->metrics[i] = 0;
#define RULE_SUM(member) out->metrics[i] = out->metrics[i] * 31 + unit_##member(word);
#define RULE_MIN(member)
#define RULE_MAX(member)
#define ROW_METRIC(member, FLAG, access, aggregate) RULE_##aggregate(member)
#include "gpu/rows.def"
	out->values[i] = values_redundant(word->written, out->redundant[i],
					  values_width((uint32_t)word->read & 0x1f1f1f10,
						       (uint32_t)word->unread & 0x1f1f1f10));
	unit_replace(value, in->fresh + i * WORD_BYTES, word->written);
	unit_set_writer(writers, word->written, 77);
}

VFLOW_DEVICE void hash(struct results *out, unsigned leaf)
{
	uint32_t keys[LEAF_KEYS];

	for (unsigned i = 0; i < LEAF_KEYS; i++)
		keys[i] = leaf_key(i);
	leaf_digest(leaf, out->value + leaf * LEAF_BYTES, out->initialised + leaf * LEAF_WORDS,
		    keys, out->leaves[leaf]);
	leaf_object(LEAF_BYTES, out->leaves[leaf], leaf, out->objects[leaf]);
}

__global__ void settle_words(const struct inputs *in, struct results *out)
{
	settle(in, out, blockIdx.x * blockDim.x + threadIdx.x);
}

__global__ void hash_leaves(struct results *out)
{
	hash(out, threadIdx.x);
}

static uint64_t random_bits(void)
{
	static uint64_t seed = 1;

	seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return seed ^ seed >> 29;
}

static uint64_t random_mask(void)
{
	uint64_t kind = random_bits() % 4;

	return kind == 0   ? 0
	       : kind == 1 ? UINT64_MAX
			   : random_bits() & (kind == 2 ? UINT64_MAX : random_bits());
}

int main(void)
{
	static struct inputs in;
	static struct results host, device;
	struct inputs *device_in;
	struct results *device_out;

	for (unsigned i = 0; i < WORDS; i++) {
		struct unit_word *word = &in.words[i];

		word->read = random_mask();
		word->written = random_mask();
		word->uninitialised = word->written & random_mask();
		word->initialised = random_mask();
		word->unread = random_mask();
		word->redundant = random_mask();
		word->redundant_values = random_mask();
		word->can_be_unread = random_bits() % 2 ? WORD_ALL : 0;
		word->own = random_mask();
	}
	for (unsigned i = 0; i < WORDS * WORD_BYTES; i++) {
		host.value[i] = (uint8_t)random_bits();
		in.fresh[i] = random_bits() % 3 ? host.value[i] : (uint8_t)random_bits();
	}
	for (unsigned i = 0; i < WORDS * WORD_UNITS; i++)
		host.writers[i] = (uint32_t)(random_bits() % 5);
	if (cudaMalloc((void **)&device_in, sizeof(in)) ||
	    cudaMalloc((void **)&device_out, sizeof(host)) ||
	    cudaMemcpy(device_in, &in, sizeof(in), cudaMemcpyHostToDevice) ||
	    cudaMemcpy(device_out, &host, sizeof(host), cudaMemcpyHostToDevice)) {
		puts("not ok 1 - device memory");
		return 1;
	}
	settle_words<<<WORDS / 128, 128>>>(device_in, device_out);
	hash_leaves<<<1, LEAVES>>>(device_out);
	if (cudaMemcpy(&device, device_out, sizeof(device), cudaMemcpyDeviceToHost)) {
		puts("not ok 1 - kernels");
		return 1;
	}
	for (unsigned i = 0; i < WORDS; i++)
		settle(&in, &host, i);
	for (unsigned i = 0; i < LEAVES; i++)
		hash(&host, i);
	if (memcmp(&host, &device, sizeof(host))) {
		puts("not ok 1 - words and hashes are the same on the device");
		return 1;
	}
	puts("ok 1 - words and hashes are the same on the device");
	return 0;
}
