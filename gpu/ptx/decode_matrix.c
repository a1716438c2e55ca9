/*
 * gpu/ptx/decode_matrix.c: wmma, mma, ldmatrix, stmatrix, movmatrix.
 *
 *     wmma.load.a.sync.aligned.row.m16n16k16.shared.f16 {d...}, [p], stride;
 *     mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {d...}, {a...}, {b...}, {c...};
 */
#include "gpu/ptx/decode.h"

enum { D, A, B, C };

struct words {
	struct ptx_matrix *matrix;
	enum ptx_element elements[4];
	unsigned element_count, column_count, matrices;
	bool popc, is_xor, sparse;
};

static const struct {
	const char *name;
	uint8_t bits;
} elements[] = {
	[PTX_ELEMENT_F16] = {"f16", 16},   [PTX_ELEMENT_BF16] = {"bf16", 16},
	[PTX_ELEMENT_TF32] = {"tf32", 32}, [PTX_ELEMENT_F32] = {"f32", 32},
	[PTX_ELEMENT_F64] = {"f64", 64},   [PTX_ELEMENT_S8] = {"s8", 8},
	[PTX_ELEMENT_U8] = {"u8", 8},      [PTX_ELEMENT_S4] = {"s4", 4},
	[PTX_ELEMENT_U4] = {"u4", 4},      [PTX_ELEMENT_B1] = {"b1", 1},
	[PTX_ELEMENT_S32] = {"s32", 32},   [PTX_ELEMENT_E4M3] = {"e4m3", 8},
	[PTX_ELEMENT_E5M2] = {"e5m2", 8},
};

static bool equals(const char *text, size_t length, const char *word)
{
	return strlen(word) == length && !memcmp(text, word, length);
}

/* "m16n8k16" */
static bool read_shape(struct ptx_matrix *matrix, const char *text, size_t length)
{
	uint16_t *const sizes[] = {&matrix->m, &matrix->n, &matrix->k};
	const char *end = text + length;

	for (unsigned n = 0; n < 3 && text < end; n++) {
		if (*text++ != "mnk"[n])
			return false;
		for (*sizes[n] = 0; text < end && *text >= '0' && *text <= '9'; text++)
			if (*sizes[n] < 1000)
				*sizes[n] = (uint16_t)(*sizes[n] * 10 + (*text - '0'));
	}
	return text == end;
}

static bool read_word(struct words *words, struct ptx_instruction *i, const char *text,
		      size_t length)
{
	struct ptx_matrix *matrix = words->matrix;

	for (unsigned n = 0; n < PTX_ELEMENT_NONE; n++)
		if (equals(text, length, elements[n].name)) {
			if (words->element_count == 4)
				return false;
			words->elements[words->element_count++] = n;
			return true;
		}
	if (equals(text, length, "row") || equals(text, length, "col")) {
		if (words->column_count == 2)
			return false;
		matrix->column[words->column_count++] = *text == 'c';
		return true;
	}
	if (*text == 'm')
		return read_shape(matrix, text, length);
	if (length == 2 && *text == 'x') {
		words->matrices = (unsigned)(text[1] - '0');
		return words->matrices == 1 || words->matrices == 2 || words->matrices == 4;
	}
	if (equals(text, length, "satfinite"))
		return matrix->saturates = true;
	if (equals(text, length, "trans"))
		return matrix->transposes = true;
	if (equals(text, length, "xor"))
		return words->is_xor = true;
	if (equals(text, length, "and"))
		return matrix->is_and = true;
	if (equals(text, length, "popc"))
		return words->popc = true;
	if (equals(text, length, "sp") || equals(text, length, "sp::ordered_metadata"))
		return words->sparse = true;
	if (equals(text, length, "global"))
		return (i->space = PTX_MOD_GLOBAL) != 0;
	if (equals(text, length, "shared") || equals(text, length, "shared::cta"))
		return (i->space = PTX_MOD_SHARED) != 0;
	return equals(text, length, "sync") || equals(text, length, "aligned") ||
	       equals(text, length, "rn") || equals(text, length, "b16");
}

static bool name_operation(struct ptx_matrix *matrix, const char *text, size_t length, size_t *used)
{
	static const struct {
		const char *name;
		enum ptx_matrix_operation operation;
	} operations[] = {
		{"wmma.load.a", PTX_MATRIX_LOAD_A},  {"wmma.load.b", PTX_MATRIX_LOAD_B},
		{"wmma.load.c", PTX_MATRIX_LOAD_C},  {"wmma.store.d", PTX_MATRIX_STORE},
		{"wmma.mma", PTX_MATRIX_MULTIPLY},   {"mma", PTX_MATRIX_MULTIPLY},
		{"ldmatrix", PTX_MATRIX_LDMATRIX},   {"stmatrix", PTX_MATRIX_STMATRIX},
		{"movmatrix", PTX_MATRIX_MOVMATRIX}, {"wgmma.mma_async", PTX_MATRIX_GROUP},
	};

	for (size_t n = 0; n < sizeof(operations) / sizeof(*operations); n++) {
		*used = strlen(operations[n].name);
		if (length > *used && text[*used] == '.' &&
		    !memcmp(text, operations[n].name, *used)) {
			matrix->operation = operations[n].operation;
			return true;
		}
	}
	return false;
}

static bool read_words(struct words *words, struct ptx_instruction *i,
		       const struct ptx_token *opcode)
{
	const char *end = opcode->text + opcode->length, *at = opcode->text, *stop;
	size_t used;

	if (!name_operation(words->matrix, at, opcode->length, &used))
		return false;
	for (at += used; at < end; at = stop) {
		at++;
		stop = memchr(at, '.', (size_t)(end - at));
		if (!stop)
			stop = end;
		if (at == stop || !read_word(words, i, at, (size_t)(stop - at)))
			return false;
	}
	return true;
}

bool ptx_matrix_words(const struct ptx_token *opcode, struct ptx_instruction *i,
		      struct ptx_matrix *matrix, enum ptx_element types[4], unsigned *count)
{
	struct words words = {.matrix = matrix};

	if (!read_words(&words, i, opcode))
		return false;
	memcpy(types, words.elements, sizeof(words.elements));
	*count = words.element_count;
	return true;
}

/* How many registers a fragment of rows x columns has in each lane; 0: no such fragment. */
static unsigned registers(enum ptx_element element, unsigned rows, unsigned columns)
{
	unsigned bits = elements[element].bits, width = bits == 64 ? 64 : 32;
	unsigned count = rows * columns * bits / (PTX_LANES * width);

	return count * PTX_LANES * width == rows * columns * bits && count <= PTX_OPERANDS ? count
											   : 0;
}

/* Along k a register of four lanes holds a row of 4 x 32 bits: no shape may be narrower. */
static bool is_whole(enum ptx_element element, unsigned k)
{
	unsigned bits = elements[element].bits;

	return k && k * bits % (bits == 64 ? 256 : 128) == 0;
}

static bool check_types(const struct words *words, bool is_wmma)
{
	struct ptx_matrix *matrix = words->matrix;
	const enum ptx_element *found = words->elements;
	enum ptx_element a, c;

	if (is_wmma && words->element_count == 2) { /* of d and c: the others are f16 */
		matrix->element[A] = matrix->element[B] = PTX_ELEMENT_F16;
		matrix->element[D] = (uint8_t)found[0];
		matrix->element[C] = (uint8_t)found[1];
	} else if (words->element_count == 4) {
		for (unsigned n = 0; n < 4; n++)
			matrix->element[n] = (uint8_t)found[n];
	} else {
		return false;
	}
	a = matrix->element[A];
	c = matrix->element[C];
	if (a == PTX_ELEMENT_B1)
		return matrix->element[B] == a && c == PTX_ELEMENT_S32 && matrix->element[D] == c &&
		       words->popc && words->is_xor != matrix->is_and;
	if (elements[a].bits != elements[matrix->element[B]].bits)
		return false;
	if (a == PTX_ELEMENT_F64)
		return c == a && matrix->element[D] == a;
	if (a >= PTX_ELEMENT_S8 && a <= PTX_ELEMENT_U4)
		return matrix->element[B] >= PTX_ELEMENT_S8 &&
		       matrix->element[B] <= PTX_ELEMENT_U4 && c == PTX_ELEMENT_S32 &&
		       matrix->element[D] == c;
	return (c == PTX_ELEMENT_F32 ||
		(c == PTX_ELEMENT_F16 && a != PTX_ELEMENT_BF16 && a != PTX_ELEMENT_TF32)) &&
	       (matrix->element[D] == PTX_ELEMENT_F32 || matrix->element[D] == PTX_ELEMENT_F16) &&
	       a != PTX_ELEMENT_F32 && a != PTX_ELEMENT_S32 &&
	       (a == matrix->element[B] || a >= PTX_ELEMENT_E4M3);
}

/* mma.m8n8k4 of f16, as Volta had it. */
static bool is_quads(const struct ptx_matrix *matrix)
{
	const enum ptx_element c = matrix->element[C], d = matrix->element[D];

	return matrix->m == 8 && matrix->n == 8 && matrix->k == 4 &&
	       matrix->element[A] == PTX_ELEMENT_F16 && (d == PTX_ELEMENT_F32 || c == d);
}

/* The shapes of mma.sp; elements of a that are there, with their places in the metadata. */
static bool check_sparse(struct ptx_matrix *matrix)
{
	const unsigned bits = elements[matrix->element[A]].bits, k = matrix->k;

	if (matrix->m != 16 || matrix->n != 8 || bits > 32 || bits < 4 || matrix->column[0] ||
	    !matrix->column[1] || (k * bits != 256 && k * bits != 512) ||
	    (matrix->element[A] >= PTX_ELEMENT_E4M3 && k != 64))
		return false;
	matrix->operation = PTX_MATRIX_SPARSE;
	matrix->count[D] = (uint8_t)registers(matrix->element[D], 16, 8);
	matrix->count[A] = (uint8_t)registers(matrix->element[A], 16, k / 2);
	matrix->count[B] = (uint8_t)registers(matrix->element[B], k, 8);
	matrix->count[C] = (uint8_t)registers(matrix->element[C], 16, 8);
	return true;
}

/* Sets the number of registers of each operand; false: no such instruction. */
static bool check(const struct words *words, bool is_wmma)
{
	struct ptx_matrix *matrix = words->matrix;
	const unsigned m = matrix->m, n = matrix->n, k = matrix->k;
	enum ptx_element one = words->element_count ? words->elements[0] : PTX_ELEMENT_NONE;
	const bool twice = is_wmma; /* wmma keeps the f16 of a and b twice */

	if (matrix->operation >= PTX_MATRIX_LDMATRIX) {
		const bool moves = matrix->operation == PTX_MATRIX_MOVMATRIX;

		matrix->count[matrix->operation == PTX_MATRIX_LDMATRIX ? D : A] =
			(uint8_t)(moves ? 1 : words->matrices);
		matrix->count[D] = moves ? 1 : matrix->count[D];
		return m == 8 && n == 8 && !k && !words->element_count &&
		       (moves ? matrix->transposes && !words->matrices : words->matrices);
	}
	if ((m != 8 && m != 16 && m != 32) || (n != 8 && n != 16 && n != 32) || k > 256 ||
	    matrix->transposes)
		return false;
	switch (matrix->operation) {
	case PTX_MATRIX_LOAD_A:
		matrix->count[D] = (uint8_t)(words->element_count == 1 && is_whole(one, k)
						     ? registers(one, m, k)
						     : 0);
		break;
	case PTX_MATRIX_LOAD_B:
		matrix->count[D] = (uint8_t)(words->element_count == 1 && is_whole(one, k)
						     ? registers(one, k, n)
						     : 0);
		break;
	case PTX_MATRIX_LOAD_C:
	case PTX_MATRIX_STORE:
		matrix->element[D] = (uint8_t)one;
		matrix->count[matrix->operation == PTX_MATRIX_STORE ? A : D] =
			(uint8_t)(words->element_count == 1 ? registers(one, m, n) : 0);
		return words->column_count == 1 && (matrix->count[D] || matrix->count[A]);
	default:
		if (!check_types(words, is_wmma) || words->column_count != 2)
			return false;
		if (words->sparse)
			return !is_wmma && check_sparse(matrix);
		if (!is_wmma && is_quads(matrix)) {
			matrix->operation = PTX_MATRIX_QUADS;
			matrix->count[A] = matrix->count[B] = 2;
			matrix->count[C] = matrix->element[C] == PTX_ELEMENT_F16 ? 4 : 8;
			matrix->count[D] = matrix->element[D] == PTX_ELEMENT_F16 ? 4 : 8;
			return true;
		}
		if (!is_whole(matrix->element[A], k))
			return false;
		matrix->count[D] = (uint8_t)registers(matrix->element[D], m, n);
		matrix->count[A] = (uint8_t)registers(matrix->element[A], m, k);
		matrix->count[B] = (uint8_t)registers(matrix->element[B], k, n);
		matrix->count[C] = (uint8_t)registers(matrix->element[C], m, n);
		if (twice && matrix->element[A] == PTX_ELEMENT_F16)
			matrix->count[A] = matrix->count[B] = 8;
		/* only wmma fragments may have other layouts, and they are loaded in ours */
		return matrix->count[D] && matrix->count[A] && matrix->count[B] &&
		       matrix->count[C] && (is_wmma || (!matrix->column[0] && matrix->column[1]));
	}
	if (one == PTX_ELEMENT_F16)
		matrix->count[D] = 8;
	matrix->element[D] = (uint8_t)one;
	return words->column_count == 1 && matrix->count[D];
}

static enum outcome fragment(struct statement *s, const struct operand *operand, unsigned count,
			     bool writes, enum ptx_type type, uint32_t *refs)
{
	if ((operand->kind == OPERAND_VECTOR ? operand->count : 1) != count ||
	    operand->kind == OPERAND_MEMORY || operand->inverted || operand->has_second ||
	    operand->offset)
		return UNKNOWN_FORM;
	for (unsigned n = 0; n < count; n++) {
		const struct element *element =
			operand->kind == OPERAND_VECTOR ? &operand->elements[n] : &operand->first;

		if (writes)
			TRY(ptx_destination(s, element, &refs[n]));
		else
			TRY(ptx_source(s, element, 0, type, &refs[n]));
	}
	return OK;
}

enum outcome ptx_decode_matrix(struct statement *s)
{
	static const char *const orders[] = {"dm?s",   "dm?s", "dm?s", "ma?s", "dabc", "dabc",
					     "dabcef", "",     "dm",   "ma",   "da"};
	const bool is_wmma = s->opcode.length > 4 && !memcmp(s->opcode.text, "wmma", 4);
	struct ptx_instruction *i = s->i;
	struct ptx_matrix matrix;
	struct words words = {.matrix = &matrix};
	uint32_t extras[PTX_MATRIX_EXTRAS + 4 * PTX_OPERANDS] = {0};
	size_t used = PTX_MATRIX_EXTRAS;
	bool optional = false;
	unsigned n = 0;

	memset(&matrix, 0, sizeof(matrix));
	if (!read_words(&words, i, &s->opcode) || !check(&words, is_wmma))
		return UNKNOWN_FORM;
	for (const char *letter = orders[matrix.operation]; *letter; letter++) {
		const struct operand *operand = &s->operands[n];
		const unsigned which = *letter == 'd'   ? D
				       : *letter == 'a' ? A
				       : *letter == 'b' ? B
							: C;
		const enum ptx_type type = matrix.element[which] == PTX_ELEMENT_F64   ? PTX_F64
					   : matrix.element[which] == PTX_ELEMENT_F32 ? PTX_F32
										      : PTX_B32;

		if (*letter == '?') {
			optional = true;
			continue;
		}
		if (n == s->count) {
			if (!optional)
				return UNKNOWN_FORM;
			break;
		}
		n++;
		if (*letter == 'm') {
			TRY(ptx_memory(s, operand));
		} else if (*letter == 'e') {
			if (operand->kind != OPERAND_NAME || operand->offset)
				return UNKNOWN_FORM;
			TRY(ptx_source(s, &operand->first, 0, PTX_B32, &i->a));
		} else if (*letter == 'f') {
			if (operand->kind != OPERAND_NUMBER ||
			    operand->first.token.kind != PTX_INTEGER || operand->first.negative ||
			    operand->first.token.value > 3)
				return UNKNOWN_FORM;
			i->immediate = (int64_t)operand->first.token.value;
		} else if (*letter == 's') {
			if (operand->kind > OPERAND_NAME || operand->offset)
				return UNKNOWN_FORM;
			TRY(ptx_source(s, &operand->first, 0, PTX_U32, &i->b));
		} else {
			TRY(fragment(s, operand, matrix.count[which], which == D, type,
				     extras + used));
			used += matrix.count[which];
		}
	}
	if (n != s->count)
		return UNKNOWN_FORM;
	memcpy(extras, &matrix, sizeof(matrix));
	i->extra = s->parser->module->extra_count;
	for (size_t k = 0; k < used; k++)
		if (ptx_add_extra(s->parser, extras[k]))
			return FAILED;
	return OK;
}
