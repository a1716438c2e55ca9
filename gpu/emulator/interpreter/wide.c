/*
 * gpu/emulator/interpreter/wide.c: 128 bits: mov, atom.cas and atom.exch.  Loads and stores are
 * those of two words.
 */
#include <string.h>

#include "gpu/emulator/interpreter/warp.h"

#define T(type) PTX_T(type)
#define M(name) PTX_M(name)

void execute_mov_wide(struct warp *w, const struct ptx_instruction *i)
{
	const uint32_t *rows = w->module->extras + i->extra;
	uint64_t values[2][PTX_LANES];

	for (unsigned n = 0; n < 2; n++)
		memcpy(values[n], warp_row(w, rows[2 + n]), sizeof(values[n]));
	for (unsigned n = 0; n < 2; n++) {
		uint64_t *d = warp_row(w, rows[n]);

		FOR_LANES(w, d[l] = values[n][l];);
	}
}

/* Both halves of a lane's operand. */
static void get(const struct warp *w, uint32_t operand, unsigned lane, uint64_t value[2])
{
	value[0] = warp_row(w, operand)[lane];
	value[1] = warp_row(w, operand + 1)[lane];
}

/* d = [a]; [a] = b, or c where [a] is b */
static void exchange(struct warp *w, const struct ptx_instruction *i, bool compares)
{
	uint8_t *pointers[PTX_LANES];
	uint64_t old[PTX_LANES][2];

	if (!warp_resolve(w, i, 16, true, true, pointers))
		return;
	for (uint32_t m = w->mask; m; m &= m - 1) {
		const unsigned l = (unsigned)__builtin_ctz(m);
		uint64_t value[2];

		memcpy(old[l], pointers[l], 16);
		get(w, i->b, l, value);
		if (compares) {
			if (memcmp(old[l], value, 16))
				continue;
			get(w, i->c, l, value);
		}
		memcpy(pointers[l], value, 16);
	}
	for (unsigned n = 0; n < 2; n++) {
		uint64_t *d = warp_row(w, i->d + n);

		FOR_LANES(w, d[l] = old[l][n];);
	}
}

static void exchange_wide(struct warp *w, const struct ptx_instruction *i)
{
	exchange(w, i, false);
}

static void compare_and_swap_wide(struct warp *w, const struct ptx_instruction *i)
{
	exchange(w, i, true);
}

#define WORDS                                                                                      \
	(M(GLOBAL) | M(SHARED) | M(RELAXED) | M(ACQUIRE) | M(RELEASE) | M(ACQ_REL) | M(CTA) |      \
	 M(CLUSTER) | M(GPU) | M(SYS) | M(CACHE_HINT))

const struct ptx_opcode interpreter_wide[] = {
	{"mov", "M", T(B128), 0, 0, 0, execute_mov_wide},
	{"atom", "dms", T(B128), 0, M(EXCH), WORDS, exchange_wide},
	{"atom", "dmss", T(B128), 0, M(CAS), WORDS, compare_and_swap_wide},
	{0},
};
