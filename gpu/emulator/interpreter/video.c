/*
 * gpu/emulator/interpreter/video.c: vadd and its like, on parts of registers.
 *
 * PTX ISA, "Scalar Video Instructions" and "SIMD Video Instructions": parts are taken out and
 * extended, combined, saturated, and then added up, compared with c or put into c.
 */
#include <string.h>

#include "gpu/emulator/interpreter/warp.h"

static int64_t extend(uint32_t value, unsigned bits, bool is_signed)
{
	unsigned shift = 32 - bits;

	value <<= shift;
	return is_signed ? (int32_t)value >> shift : (int64_t)(value >> shift);
}

static unsigned bits_of(uint8_t selector)
{
	return selector == PTX_WHOLE ? 32 : selector < PTX_HALF ? 8 : 16;
}

static unsigned shift_of(uint8_t selector)
{
	return selector == PTX_WHOLE ? 0
	       : selector < PTX_HALF ? 8u * (selector - PTX_BYTE)
				     : 16u * (selector - PTX_HALF);
}

static int64_t clamp(int64_t value, unsigned bits, bool is_signed)
{
	int64_t most = is_signed ? (1ll << (bits - 1)) - 1 : (1ll << bits) - 1;
	int64_t least = is_signed ? -most - 1 : 0;

	return value > most ? most : value < least ? least : value;
}

static bool compare(uint8_t comparison, int64_t a, int64_t b)
{
	switch (comparison) {
	case PTX_MOD_EQ:
		return a == b;
	case PTX_MOD_NE:
		return a != b;
	case PTX_MOD_LT:
		return a < b;
	case PTX_MOD_LE:
		return a <= b;
	case PTX_MOD_GT:
		return a > b;
	default:
		return a >= b;
	}
}

static int64_t operate(const struct ptx_video *video, int64_t a, int64_t b)
{
	switch (video->operation) {
	case PTX_VADD:
		return a + b;
	case PTX_VSUB:
		return a - b;
	case PTX_VABSDIFF:
		return a < b ? b - a : a - b;
	case PTX_VMIN:
		return a < b ? a : b;
	case PTX_VMAX:
		return a > b ? a : b;
	case PTX_VAVRG:
		return a + b >= 0 ? (a + b + 1) >> 1 : (a + b) >> 1;
	case PTX_VSET:
		return compare(video->compare, a, b);
	default: /* shifts: b is unsigned and 32 at most */
		b = video->clamps ? (b > 32 ? 32 : b) : b & 31;
		return video->operation == PTX_VSHL ? (int64_t)((uint64_t)a << b) : a >> b;
	}
}

static uint32_t multiply(const struct ptx_video *video, int64_t a, int64_t b, uint32_t c)
{
	const bool is_signed =
		video->signed_a || video->signed_b || video->negative_product || video->negative_c;
	__int128 sum = (__int128)a * b, addend;
	int64_t result;

	if (!video->plus_one && video->negative_product)
		sum = ~sum;
	else if (!video->plus_one && video->negative_c)
		c = ~c;
	addend = is_signed ? (int64_t)(int32_t)c : (int64_t)c;
	sum += addend + (video->plus_one || video->negative_product || video->negative_c);
	result = (int64_t)(sum >> video->shift);
	return (uint32_t)(video->saturates ? clamp(result, 32, is_signed) : result);
}

static uint32_t scalar(const struct ptx_video *video, uint32_t a, uint32_t b, uint32_t c)
{
	const unsigned bits = bits_of(video->select_d), shift = shift_of(video->select_d);
	const uint32_t mask = (uint32_t)(((1ull << bits) - 1) << shift);
	int64_t x = extend(a >> shift_of(video->select_a[0]), bits_of(video->select_a[0]),
			   video->signed_a);
	int64_t y = extend(b >> shift_of(video->select_b[0]), bits_of(video->select_b[0]),
			   video->signed_b);
	int64_t value, third = video->signed_d ? (int64_t)(int32_t)c : (int64_t)c;

	if (video->operation == PTX_VMAD)
		return multiply(video, x, y, c);
	value = operate(video, x, y);
	if (video->saturates)
		value = clamp(value, bits, video->signed_d);
	switch (video->second) {
	case PTX_MOD_ADD:
		return (uint32_t)value + c;
	case PTX_MOD_MIN:
		value = video->signed_d ? (int32_t)value : (int64_t)(uint32_t)value;
		return (uint32_t)(value < third ? value : third);
	case PTX_MOD_MAX:
		value = video->signed_d ? (int32_t)value : (int64_t)(uint32_t)value;
		return (uint32_t)(value > third ? value : third);
	default:
		return ((uint32_t)value << shift & mask) | (c & ~mask);
	}
}

static uint32_t parts(const struct ptx_video *video, uint32_t a, uint32_t b, uint32_t c)
{
	const unsigned bits = 32u / video->parts;
	const uint32_t mask = (1u << bits) - 1;
	const uint64_t both = (uint64_t)b << 32 | a;
	uint32_t sum = c, merged = c;

	for (unsigned n = 0; n < video->parts; n++) {
		int64_t x = extend((uint32_t)(both >> video->select_a[n] * bits), bits,
				   video->signed_a);
		int64_t y = extend((uint32_t)(both >> video->select_b[n] * bits), bits,
				   video->signed_b);
		int64_t value = operate(video, x, y);

		if (!(video->mask >> n & 1))
			continue;
		if (video->saturates)
			value = clamp(value, bits, video->signed_d);
		sum += (uint32_t)value;
		merged = (merged & ~(mask << n * bits)) | ((uint32_t)value & mask) << n * bits;
	}
	return video->second == PTX_MOD_ADD ? sum : merged;
}

static void video(struct warp *w, const struct ptx_instruction *i)
{
	const uint64_t *a = warp_row(w, i->a), *b = warp_row(w, i->b), *c = warp_row(w, i->c);
	uint64_t *d = warp_row(w, i->d);
	struct ptx_video video;

	memcpy(&video, w->module->extras + i->extra, sizeof(video));
	FOR_LANES(w, {
		/* without c there is nothing to merge with */
		uint32_t third = i->c == PTX_MISSING ? 0 : (uint32_t)c[l];

		d[l] = video.parts == 1 ? scalar(&video, (uint32_t)a[l], (uint32_t)b[l], third)
					: parts(&video, (uint32_t)a[l], (uint32_t)b[l], third);
	});
}

#define ROWS(name)                                                                                 \
	{name, "V", 0, 0, 0, 0, video}, {name "2", "V", 0, 0, 0, 0, video},                        \
	{                                                                                          \
		name "4", "V", 0, 0, 0, 0, video                                                   \
	}

const struct ptx_opcode interpreter_video[] = {
	ROWS("vadd"),
	ROWS("vsub"),
	ROWS("vabsdiff"),
	ROWS("vmin"),
	ROWS("vmax"),
	ROWS("vset"),
	{"vavrg2", "V", 0, 0, 0, 0, video},
	{"vavrg4", "V", 0, 0, 0, 0, video},
	{"vshl", "V", 0, 0, 0, 0, video},
	{"vshr", "V", 0, 0, 0, 0, video},
	{"vmad", "V", 0, 0, 0, 0, video},
	{0},
};
