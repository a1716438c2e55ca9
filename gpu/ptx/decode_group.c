/*
 * gpu/ptx/decode_group.c: wgmma.mma_async.
 *
 *     wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {d...}, a-desc, b-desc, p, 1, 1, 0, 1;
 *
 * d has up to 128 registers; a is a descriptor, or four registers in braces.  Extras: the matrix,
 * then the registers of d, a and b.
 */
#include "gpu/ptx/decode.h"

enum { D, A, B, C };
#define MOST_REGISTERS 128u

static bool is_float_8(enum ptx_element element)
{
	return element == PTX_ELEMENT_E4M3 || element == PTX_ELEMENT_E5M2;
}

/* What may be multiplied, and how many elements along k. */
static unsigned depth_of(enum ptx_element d, enum ptx_element a, enum ptx_element b)
{
	const bool small = d == PTX_ELEMENT_F16 || d == PTX_ELEMENT_F32;

	if (d == PTX_ELEMENT_S32)
		return (a == PTX_ELEMENT_S8 || a == PTX_ELEMENT_U8) &&
				       (b == PTX_ELEMENT_S8 || b == PTX_ELEMENT_U8)
			       ? 32
			       : 0;
	if (is_float_8(a) && is_float_8(b) && small)
		return 32;
	if (a != b)
		return 0;
	if (a == PTX_ELEMENT_F16 && small)
		return 16;
	if (d != PTX_ELEMENT_F32)
		return 0;
	return a == PTX_ELEMENT_BF16 ? 16 : a == PTX_ELEMENT_TF32 ? 8 : 0;
}

static enum outcome one_register(struct statement *s, bool writes, uint32_t *ref)
{
	const struct element element = {.token = s->parser->token};

	if (element.token.kind != PTX_WORD)
		return UNKNOWN_FORM;
	TRY(writes ? ptx_destination(s, &element, ref) : ptx_source(s, &element, 0, PTX_B64, ref));
	return ptx_next(s->parser);
}

/* {r0, r1, ...}: exactly `count` of them */
static enum outcome registers(struct statement *s, bool writes, unsigned count, uint32_t *refs)
{
	struct ptx_parser *parser = s->parser;

	for (unsigned n = 0; n < count; n++) {
		if (!ptx_is_mark(parser, n ? ',' : '{'))
			return UNKNOWN_FORM;
		TRY(ptx_next(parser));
		TRY(one_register(s, writes, &refs[n]));
	}
	return ptx_is_mark(parser, '}') ? ptx_next(parser) : UNKNOWN_FORM;
}

static enum outcome comma(struct statement *s)
{
	return ptx_is_mark(s->parser, ',') ? ptx_next(s->parser) : UNKNOWN_FORM;
}

/* , 1 or , -1 or , 0 */
static enum outcome small_number(struct statement *s, bool *negative, uint64_t *value)
{
	TRY(comma(s));
	*negative = ptx_is_mark(s->parser, '-');
	if (*negative)
		TRY(ptx_next(s->parser));
	*value = s->parser->token.value;
	if (s->parser->token.kind != PTX_INTEGER || *value > 1)
		return UNKNOWN_FORM;
	return ptx_next(s->parser);
}

static enum outcome predicate(struct statement *s)
{
	bool negated = ptx_is_mark(s->parser, '!');

	if (negated)
		TRY(ptx_next(s->parser));
	TRY(ptx_predicate(s, &s->parser->token, &s->i->c));
	s->i->c |= negated ? PTX_NEGATED : 0;
	return ptx_next(s->parser);
}

/* Signs of a and b, then which of those in shared memory lie across. */
static enum outcome signs(struct statement *s, struct ptx_matrix *matrix)
{
	bool negative;
	uint64_t value;

	for (unsigned n = 0; n < 2; n++) {
		TRY(small_number(s, &negative, &value));
		if (value != 1)
			return UNKNOWN_FORM;
		if (negative)
			s->i->flags |= n ? PTX_GROUP_NEGATIVE_B : PTX_GROUP_NEGATIVE_A;
	}
	for (unsigned n = matrix->count[A] == 1 ? 0 : 1; n < 2 && ptx_is_mark(s->parser, ',');
	     n++) {
		TRY(small_number(s, &negative, &value));
		if (negative)
			return UNKNOWN_FORM;
		matrix->column[n] = value;
	}
	return OK;
}

enum outcome ptx_decode_group(struct statement *s)
{
	struct ptx_matrix matrix;
	enum ptx_element types[4];
	uint32_t extras[PTX_MATRIX_EXTRAS + MOST_REGISTERS + 5] = {0},
							     *refs = extras + PTX_MATRIX_EXTRAS;
	unsigned count;

	memset(&matrix, 0, sizeof(matrix));
	if (!ptx_matrix_words(&s->opcode, s->i, &matrix, types, &count) || count != 3 ||
	    matrix.m != 64 || matrix.n % 8 || !matrix.n || matrix.n > 256 ||
	    matrix.k != depth_of(types[0], types[1], types[2]) || !matrix.k || matrix.is_and)
		return UNKNOWN_FORM;
	for (unsigned n = 0; n < 3; n++)
		matrix.element[n] = (uint8_t)types[n];
	matrix.element[C] = matrix.element[D];
	matrix.count[D] = (uint8_t)(matrix.n / (types[0] == PTX_ELEMENT_F16 ? 4 : 2));
	TRY(registers(s, true, matrix.count[D], refs));
	refs += matrix.count[D];
	TRY(comma(s));
	matrix.count[A] = ptx_is_mark(s->parser, '{') ? 4 : 1;
	TRY(matrix.count[A] == 4 ? registers(s, false, 4, refs) : one_register(s, false, refs));
	refs += matrix.count[A];
	TRY(comma(s));
	matrix.count[B] = 1;
	TRY(one_register(s, false, refs++));
	TRY(comma(s));
	TRY(predicate(s));
	if (types[0] != PTX_ELEMENT_S32)
		TRY(signs(s, &matrix));
	if (!ptx_is_mark(s->parser, ';') ||
	    ((matrix.column[0] || matrix.column[1]) && matrix.k != 16))
		return UNKNOWN_FORM;
	memcpy(extras, &matrix, sizeof(matrix));
	s->i->extra = s->parser->module->extra_count;
	for (const uint32_t *at = extras; at < refs; at++)
		if (ptx_add_extra(s->parser, *at))
			return FAILED;
	return OK;
}
