/* Our SHA-256 against OpenSSL's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <openssl/evp.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/analysis/sha256.h"

static void same(const uint8_t *data, size_t size)
{
	uint8_t ours[SHA256_SIZE], theirs[SHA256_SIZE];

	sha256(data, size, ours);
	assert_int_equal(EVP_Digest(data, size, theirs, NULL, EVP_sha256(), NULL), 1);
	assert_memory_equal(ours, theirs, SHA256_SIZE);
}

static void test_lengths(void **state)
{
	uint8_t data[1300];

	(void)state;
	for (unsigned i = 0; i < sizeof(data); i++)
		data[i] = (uint8_t)(i * i >> 3);
	for (size_t size = 0; size <= sizeof(data); size++) {
		uint8_t *copy = malloc(size + 1); /* ASan watches the end */

		memcpy(copy + 1, data, size);
		same(copy + 1, size); /* and the address is odd */
		free(copy);
	}
}

static void test_long(void **state)
{
	const size_t size = (5 << 20) + 17;
	uint8_t *data = malloc(size);

	(void)state;
	memset(data, 0xa5, size);
	same(data, size);
	free(data);
}

/* With and without the processor's own instructions. */
static void test_plain(void **state)
{
	uint8_t block[SHA256_BLOCK];
	uint32_t one[8], other[8];

	(void)state;
	sha256_start(one);
	sha256_start(other);
	for (unsigned round = 0; round < 200; round++) {
		for (unsigned i = 0; i < SHA256_BLOCK; i++)
			block[i] = (uint8_t)(one[i % 8] >> i % 24);
		sha256_block(one, block);
		sha256_plain_block(other, block);
		assert_memory_equal(one, other, sizeof(one));
	}
}

/* The example of FIPS 180-4. */
static void test_abc(void **state)
{
	static const uint8_t abc[] = {0xba, 0x78, 0x16, 0xbf, 0x8f, 0x01, 0xcf, 0xea,
				      0x41, 0x41, 0x40, 0xde, 0x5d, 0xae, 0x22, 0x23,
				      0xb0, 0x03, 0x61, 0xa3, 0x96, 0x17, 0x7a, 0x9c,
				      0xb4, 0x10, 0xff, 0x61, 0xf2, 0x00, 0x15, 0xad};
	uint8_t digest[SHA256_SIZE];

	(void)state;
	sha256((const uint8_t *)"abc", 3, digest);
	assert_memory_equal(digest, abc, SHA256_SIZE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lengths),
		cmocka_unit_test(test_long),
		cmocka_unit_test(test_plain),
		cmocka_unit_test(test_abc),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
