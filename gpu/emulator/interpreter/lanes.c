/*
 * gpu/emulator/interpreter/lanes.c: instructions in which the lanes of a warp see each other.
 */
#include <string.h>

#include "gpu/emulator/interpreter/warp.h"

#define T(type) PTX_T(type)
#define M(name) PTX_M(name)

/* Waits until the lanes that the member masks name are here. */
static bool gather(struct warp *w, uint32_t operand)
{
	const uint64_t *masks = warp_row(w, operand);
	uint32_t required = 0;

	for (uint32_t m = w->mask; m; m &= m - 1)
		required |= (uint32_t)masks[__builtin_ctz(m)];
	return warp_gathered(w, required);
}

/* Lanes with one member mask: tiles of a warp run the same instruction, each for itself. */
struct tile {
	uint32_t lanes, members; /* who is here with that mask; whom it names, of those here */
};

/* The tile of the first lane in `rest`, which it is taken from.  False: there are no more. */
static bool next_tile(const struct warp *w, uint32_t operand, uint32_t *rest, struct tile *tile)
{
	const uint64_t *masks = warp_row(w, operand);
	uint32_t mask;

	if (!*rest)
		return false;
	mask = (uint32_t)masks[__builtin_ctz(*rest)];
	tile->lanes = 0;
	if (operand >> 30 == PTX_BANK_CONSTANT)
		tile->lanes = *rest;
	else
		for (uint32_t m = *rest; m; m &= m - 1)
			if ((uint32_t)masks[__builtin_ctz(m)] == mask)
				tile->lanes |= m & -m;
	tile->members = mask & w->mask;
	*rest &= ~tile->lanes;
	return true;
}

static void set_lanes(uint64_t *row, uint32_t lanes, uint64_t value)
{
	for (; lanes; lanes &= lanes - 1)
		row[__builtin_ctz(lanes)] = value;
}

static void warp_sync(struct warp *w, const struct ptx_instruction *i)
{
	gather(w, i->a);
}

static void active_mask(struct warp *w, const struct ptx_instruction *i)
{
	uint64_t *d = warp_row(w, i->d);

	FOR_LANES(w, d[l] = w->mask;);
}

static uint32_t vote_result(const struct ptx_instruction *i, uint32_t value, uint32_t members)
{
	switch (i->boolean) {
	case PTX_MOD_ALL:
		return (value & members) == members ? WARP_ALL : 0;
	case PTX_MOD_ANY:
		return value & members ? WARP_ALL : 0;
	default: /* uni */
		return (value & members) == members || !(value & members) ? WARP_ALL : 0;
	}
}

static void vote(struct warp *w, const struct ptx_instruction *i)
{
	const uint32_t value = warp_predicate(w, i->a);
	uint32_t rest = w->mask, result = 0;
	struct tile tile;

	if (!gather(w, i->b))
		return;
	while (next_tile(w, i->b, &rest, &tile))
		result |= vote_result(i, value, tile.members) & tile.lanes;
	warp_set_predicate(w, i->d, result);
}

static void vote_ballot(struct warp *w, const struct ptx_instruction *i)
{
	const uint32_t value = warp_predicate(w, i->a);
	uint64_t *d = warp_row(w, i->d);
	uint32_t rest = w->mask;
	struct tile tile;

	if (!gather(w, i->b))
		return;
	while (next_tile(w, i->b, &rest, &tile))
		set_lanes(d, tile.lanes, value & tile.members);
}

/* Where lane `l` reads: PTX ISA, shfl.sync, "Semantics". */
static bool shuffle_source(const struct ptx_instruction *i, unsigned l, uint32_t b, uint32_t c,
			   unsigned *from)
{
	unsigned segment = c >> 8 & 31, clamp = c & 31;
	unsigned most = (l & segment) | (clamp & ~segment), least = l & segment;
	bool inside;
	int source;

	b &= 31;
	switch (i->boolean) {
	case PTX_MOD_UP:
		source = (int)l - (int)b;
		inside = source >= (int)most;
		break;
	case PTX_MOD_DOWN:
		source = (int)(l + b);
		inside = source <= (int)most;
		break;
	case PTX_MOD_BFLY:
		source = (int)(l ^ b);
		inside = source <= (int)most;
		break;
	default:
		source = (int)(least | (b & ~segment));
		inside = source <= (int)most;
		break;
	}
	*from = inside ? (unsigned)source : l;
	return inside;
}

static void shuffle(struct warp *w, const struct ptx_instruction *i)
{
	uint64_t *d = warp_row(w, i->d), values[PTX_LANES];
	const uint64_t *b = warp_row(w, i->b), *c = warp_row(w, i->c);
	uint32_t inside = 0;

	if (i->e != PTX_MISSING && !gather(w, i->e))
		return;
	memcpy(values, warp_row(w, i->a), sizeof(values));
	/* PTX leaves open what lanes that are not here give; programs count on 0 */
	for (uint32_t m = ~w->mask; m; m &= m - 1)
		values[__builtin_ctz(m)] = 0;
	for (uint32_t m = w->mask; m; m &= m - 1) {
		unsigned l = (unsigned)__builtin_ctz(m), from;

		inside |= (uint32_t)shuffle_source(i, l, (uint32_t)b[l], (uint32_t)c[l], &from)
			  << l;
		d[l] = (uint32_t)values[from & 31];
	}
	warp_set_predicate(w, i->q, inside);
}

/* The members whose value equals that of lane `l`. */
static uint32_t equal_lanes(const uint64_t *values, uint32_t members, unsigned l, uint64_t width)
{
	uint32_t alike = 0;

	for (uint32_t m = members; m; m &= m - 1)
		if (((values[__builtin_ctz(m)] ^ values[l]) & width) == 0)
			alike |= m & -m;
	return alike;
}

static void match(struct warp *w, const struct ptx_instruction *i)
{
	uint64_t width = i->type == PTX_B32 ? UINT32_MAX : UINT64_MAX, values[PTX_LANES];
	uint64_t *d = warp_row(w, i->d);
	uint32_t rest = w->mask, all = 0;
	struct tile tile;

	if (!gather(w, i->b))
		return;
	memcpy(values, warp_row(w, i->a), sizeof(values));
	while (next_tile(w, i->b, &rest, &tile))
		for (uint32_t m = tile.lanes; m; m &= m - 1) {
			unsigned l = (unsigned)__builtin_ctz(m);
			uint32_t alike = equal_lanes(values, tile.members, l, width);

			if (i->boolean == PTX_MOD_ALL) {
				alike = alike == tile.members ? alike : 0;
				all |= alike ? 1u << l : 0;
			}
			d[l] = alike;
		}
	warp_set_predicate(w, i->q, all);
}

#define REDUCE(name, ctype, expression)                                                            \
	static void name(struct warp *w, const struct ptx_instruction *i)                          \
	{                                                                                          \
		uint64_t *d = warp_row(w, i->d);                                                   \
		const uint64_t *a_ = warp_row(w, i->a);                                            \
		uint32_t rest = w->mask;                                                           \
		struct tile tile;                                                                  \
                                                                                                   \
		if (!gather(w, i->b))                                                              \
			return;                                                                    \
		while (next_tile(w, i->b, &rest, &tile)) {                                         \
			ctype a = (ctype)a_[__builtin_ctz(tile.members | 1u << 31)];               \
                                                                                                   \
			for (uint32_t m = tile.members & (tile.members - 1); m; m &= m - 1) {      \
				ctype b = (ctype)a_[__builtin_ctz(m)];                             \
				a = (expression);                                                  \
			}                                                                          \
			set_lanes(d, tile.lanes, (uint32_t)a);                                     \
		}                                                                                  \
	}
REDUCE(reduce_add, uint32_t, a + b)
REDUCE(reduce_min_u, uint32_t, a < b ? a : b)
REDUCE(reduce_min_s, int32_t, a < b ? a : b)
REDUCE(reduce_max_u, uint32_t, a > b ? a : b)
REDUCE(reduce_max_s, int32_t, a > b ? a : b)
REDUCE(reduce_and, uint32_t, a &b)
REDUCE(reduce_or, uint32_t, a | b)
REDUCE(reduce_xor, uint32_t, a ^ b)

/* The first lane of the mask is the leader. */
static void elect(struct warp *w, const struct ptx_instruction *i)
{
	const uint64_t *masks = warp_row(w, i->a);
	uint64_t *d = warp_row(w, i->d);
	uint32_t rest = w->mask, leaders = 0;
	struct tile tile;

	if (!gather(w, i->a))
		return;
	while (next_tile(w, i->a, &rest, &tile)) {
		const uint32_t mask = (uint32_t)masks[__builtin_ctz(tile.lanes)];
		const unsigned leader = mask ? (unsigned)__builtin_ctz(mask) : 0;

		leaders |= 1u << leader;
		set_lanes(d, tile.lanes, leader);
	}
	warp_set_predicate(w, i->q, leaders);
}

/* vote as it was before .sync: of the lanes that are here */
static void vote_here(struct warp *w, const struct ptx_instruction *i)
{
	warp_set_predicate(w, i->d, vote_result(i, warp_predicate(w, i->a), w->mask));
}

static void ballot_here(struct warp *w, const struct ptx_instruction *i)
{
	uint64_t *d = warp_row(w, i->d);
	uint32_t value = warp_predicate(w, i->a) & w->mask;

	FOR_LANES(w, d[l] = value;);
}

#define SHUFFLES (M(UP) | M(DOWN) | M(BFLY) | M(IDX))

const struct ptx_opcode interpreter_lanes[] = {
	{"bar", "u", 0, 0, M(WARP) | M(SYNC), 0, warp_sync},
	{"activemask", "d", T(B32), 0, 0, 0, active_mask},
	{"vote", "dPu", T(B32), 0, M(BALLOT) | M(SYNC), 0, vote_ballot},
	{"vote", "pPu", T(PRED), 0, M(SYNC), M(ALL) | M(ANY) | M(UNI), vote},
	{"vote", "pP", T(PRED), 0, 0, M(ALL) | M(ANY) | M(UNI), vote_here},
	{"vote", "dP", T(B32), 0, M(BALLOT), 0, ballot_here},
	{"elect", "eu", 0, 0, M(SYNC), 0, elect},
	{"shfl", "esuuu", T(B32), 0, M(SYNC), SHUFFLES, shuffle},
	{"shfl", "esuu", T(B32), 0, 0, SHUFFLES, shuffle},
	{"match", "esu", T(B32) | T(B64), 0, M(SYNC), M(ANY) | M(ALL), match},
	{"redux", "dsu", T(U32) | T(S32), 0, M(SYNC) | M(ADD), 0, reduce_add},
	{"redux", "dsu", T(U32), 0, M(SYNC) | M(MIN), 0, reduce_min_u},
	{"redux", "dsu", T(S32), 0, M(SYNC) | M(MIN), 0, reduce_min_s},
	{"redux", "dsu", T(U32), 0, M(SYNC) | M(MAX), 0, reduce_max_u},
	{"redux", "dsu", T(S32), 0, M(SYNC) | M(MAX), 0, reduce_max_s},
	{"redux", "dsu", T(B32), 0, M(SYNC) | M(AND), 0, reduce_and},
	{"redux", "dsu", T(B32), 0, M(SYNC) | M(OR), 0, reduce_or},
	{"redux", "dsu", T(B32), 0, M(SYNC) | M(XOR), 0, reduce_xor},
	{0},
};
