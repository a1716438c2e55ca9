/* gpu/analysis/sha256.h: SHA-256 (FIPS 180-4). */
#ifndef VFLOW_GPU_ANALYSIS_SHA256_H
#define VFLOW_GPU_ANALYSIS_SHA256_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "gpu/analysis/device.h"

#if defined(__x86_64__) && !defined(__CUDACC__)
#include "gpu/analysis/sha256_x86.h"
#define SHA256_X86
#endif

#define SHA256_SIZE 32u
#define SHA256_BLOCK 64u

VFLOW_DEVICE uint32_t sha256_rotate(uint32_t x, unsigned by)
{
	return x >> by | x << (32 - by);
}

VFLOW_DEVICE void sha256_start(uint32_t state[8])
{
	state[0] = 0x6a09e667;
	state[1] = 0xbb67ae85;
	state[2] = 0x3c6ef372;
	state[3] = 0xa54ff53a;
	state[4] = 0x510e527f;
	state[5] = 0x9b05688c;
	state[6] = 0x1f83d9ab;
	state[7] = 0x5be0cd19;
}

VFLOW_DEVICE const uint32_t *sha256_constants(void)
{
	static const uint32_t constants[64] = {
		0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4,
		0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe,
		0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f,
		0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7,
		0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc,
		0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
		0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116,
		0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
		0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
		0xc67178f2};

	return constants;
}

/* Takes in one block (64 bytes) of the message. */
VFLOW_DEVICE void sha256_plain_block(uint32_t state[8], const uint8_t *block)
{
	const uint32_t *constants = sha256_constants();
	uint32_t w[64], a = state[0], b = state[1], c = state[2], d = state[3], e = state[4],
			f = state[5], g = state[6], h = state[7];

	for (unsigned i = 0; i < 16; i++)
		w[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 |
		       (uint32_t)block[4 * i + 2] << 8 | block[4 * i + 3];
	for (unsigned i = 16; i < 64; i++) {
		uint32_t x = w[i - 15], y = w[i - 2];

		w[i] = w[i - 16] + w[i - 7] +
		       (sha256_rotate(x, 7) ^ sha256_rotate(x, 18) ^ x >> 3) +
		       (sha256_rotate(y, 17) ^ sha256_rotate(y, 19) ^ y >> 10);
	}
	for (unsigned i = 0; i < 64; i++) {
		uint32_t t = h + constants[i] + w[i] + (g ^ (e & (f ^ g))) +
			     (sha256_rotate(e, 6) ^ sha256_rotate(e, 11) ^ sha256_rotate(e, 25));
		uint32_t u = (sha256_rotate(a, 2) ^ sha256_rotate(a, 13) ^ sha256_rotate(a, 22)) +
			     ((a & b) | (c & (a | b)));

		h = g, g = f, f = e, e = d + t;
		d = c, c = b, b = a, a = t + u;
	}
	state[0] += a, state[1] += b, state[2] += c, state[3] += d;
	state[4] += e, state[5] += f, state[6] += g, state[7] += h;
}

VFLOW_DEVICE void sha256_block(uint32_t state[8], const uint8_t *block)
{
#ifdef SHA256_X86
	if (sha256_x86_present()) {
		sha256_x86_block(state, block, sha256_constants());
		return;
	}
#endif
	sha256_plain_block(state, block);
}

/* Takes in the last `size` % 64 bytes of a message of `size` bytes, then gives the digest. */
VFLOW_DEVICE void sha256_finish(uint32_t state[8], const uint8_t *rest, uint64_t size,
				uint8_t digest[SHA256_SIZE])
{
	uint8_t block[SHA256_BLOCK] = {0};
	unsigned count = size % SHA256_BLOCK;

	if (count)
		memcpy(block, rest, count);
	block[count] = 0x80;
	if (count + 1 > SHA256_BLOCK - 8) {
		sha256_block(state, block);
		memset(block, 0, sizeof(block));
	}
	for (unsigned i = 0; i < 8; i++)
		block[SHA256_BLOCK - 1 - i] = (uint8_t)(size * 8 >> 8 * i);
	sha256_block(state, block);
	for (unsigned i = 0; i < SHA256_SIZE; i++)
		digest[i] = (uint8_t)(state[i / 4] >> (24 - i % 4 * 8));
}

VFLOW_DEVICE void sha256(const uint8_t *data, uint64_t size, uint8_t digest[SHA256_SIZE])
{
	uint32_t state[8];
	uint64_t at = 0;

	sha256_start(state);
	for (; size - at >= SHA256_BLOCK; at += SHA256_BLOCK)
		sha256_block(state, data + at);
	sha256_finish(state, data + at, size, digest);
}

#endif
