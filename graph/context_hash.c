/* graph/context_hash.c: see context_hash.h. */
#include "graph/context_hash.h"

#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/memory.h"

#define SHOWN 8 /* bytes */

struct context_hash {
	EVP_MD_CTX *sum; /* between uses */
};

struct context_hash *context_hash_new(void)
{
	struct context_hash *hash = xcalloc(1, sizeof(*hash));

	hash->sum = EVP_MD_CTX_new();
	if (!hash->sum)
		abort(); /* out of memory */
	return hash;
}

void context_hash_free(struct context_hash *hash)
{
	EVP_MD_CTX_free(hash->sum);
	free(hash);
}

static void add(struct context_hash *hash, const void *bytes, size_t size)
{
	if (EVP_DigestUpdate(hash->sum, bytes, size) != 1)
		abort();
}

/* Hashes texts with their NULs, so that ("ab", "c") is not ("a", "bc"). */
static void digest(struct context_hash *hash, const char *first, const char *second,
		   const unsigned char *path, unsigned char result[CONTEXT_HASH_FRAME])
{
	if (EVP_DigestInit_ex(hash->sum, EVP_sha256(), NULL) != 1)
		abort(); /* out of memory */
	add(hash, first, strlen(first) + 1);
	add(hash, second, strlen(second) + 1);
	if (path)
		add(hash, path, CONTEXT_HASH_FRAME);
	if (EVP_DigestFinal_ex(hash->sum, result, NULL) != 1)
		abort();
}

void context_hash_frame(struct context_hash *hash, const char *module, uint64_t offset,
			const unsigned char *parent, unsigned char result[CONTEXT_HASH_FRAME])
{
	char text[24];

	snprintf(text, sizeof(text), "%llx", (unsigned long long)offset);
	digest(hash, module, text, parent, result);
}

char *context_hash_hex(struct context_hash *hash, const char *kind, const char *name,
		       const unsigned char *path)
{
	unsigned char whole[CONTEXT_HASH_FRAME];
	char *hex = xmalloc(2 * SHOWN + 1);

	digest(hash, kind, name, path, whole);
	for (int i = 0; i < SHOWN; i++)
		snprintf(hex + 2 * i, 3, "%02x", whole[i]);
	return hex;
}
