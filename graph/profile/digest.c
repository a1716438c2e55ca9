#include "graph/profile/digest.h"

#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/memory.h"

/*
 * The types of SQLite, on disk by way of the sums.  A number's fewest bytes: most are small, and
 * the sum is most of what they cost here.
 */
enum { TYPE_NULL, TYPE_REAL, TYPE_TEXT, TYPE_BLOB, TYPE_INTEGER = 16 /* and how many bytes */ };

/* Gathered: a call of OpenSSL for each value would cost more than the sum itself. */
struct digest {
	EVP_MD_CTX *context;
	size_t used;
	unsigned char bytes[1 << 14];
};

static void begin(struct digest *digest)
{
	if (EVP_DigestInit_ex(digest->context, EVP_sha256(), NULL) != 1)
		abort(); /* out of memory */
	digest->used = 0;
}

struct digest *digest_new(void)
{
	struct digest *digest = xmalloc(sizeof(*digest));

	digest->context = EVP_MD_CTX_new();
	if (!digest->context)
		abort(); /* out of memory */
	begin(digest);
	return digest;
}

void digest_free(struct digest *digest)
{
	if (digest)
		EVP_MD_CTX_free(digest->context);
	free(digest);
}

static void flush(struct digest *digest)
{
	if (EVP_DigestUpdate(digest->context, digest->bytes, digest->used) != 1)
		abort(); /* SHA-256 only fails when it was not set up */
	digest->used = 0;
}

void digest_bytes(struct digest *digest, const void *bytes, size_t size)
{
	const unsigned char *from = bytes;

	while (size) {
		size_t part = sizeof(digest->bytes) - digest->used;

		part = part < size ? part : size;
		memcpy(digest->bytes + digest->used, from, part);
		digest->used += part;
		from += part;
		size -= part;
		if (size)
			flush(digest);
	}
}

/* A byte, and the first `size` of the value's, least significant first. */
static void add(struct digest *digest, unsigned type, uint64_t value, unsigned size)
{
	if (digest->used + 1 + sizeof(value) > sizeof(digest->bytes))
		flush(digest);
	value = htole64(value);
	digest->bytes[digest->used] = (unsigned char)type;
	memcpy(digest->bytes + digest->used + 1, &value, sizeof(value));
	digest->used += 1 + size;
}

void digest_null(struct digest *digest)
{
	digest_bytes(digest, &(unsigned char){TYPE_NULL}, 1);
}

void digest_integer(struct digest *digest, uint64_t value)
{
	unsigned size = value ? 8 - (unsigned)__builtin_clzll(value) / 8 : 0;

	add(digest, TYPE_INTEGER + size, value, size);
}

void digest_real(struct digest *digest, double value)
{
	uint64_t bits;

	value += 0.0; /* SQLite does not keep the sign of -0.0 */
	memcpy(&bits, &value, sizeof(bits));
	add(digest, TYPE_REAL, bits, 8);
}

void digest_text(struct digest *digest, const char *text, size_t length)
{
	add(digest, TYPE_TEXT, length, 8);
	digest_bytes(digest, text, length);
}

void digest_blob(struct digest *digest, const void *bytes, size_t size)
{
	add(digest, TYPE_BLOB, size, 8);
	digest_bytes(digest, bytes, size);
}

void digest_end(struct digest *digest, char hex[DIGEST_SIZE])
{
	unsigned char sum[EVP_MAX_MD_SIZE];

	flush(digest);
	if (EVP_DigestFinal_ex(digest->context, sum, NULL) != 1)
		abort();
	for (int i = 0; i < DIGEST_SIZE / 2; i++)
		snprintf(hex + 2 * i, 3, "%02x", sum[i]);
	begin(digest);
}
