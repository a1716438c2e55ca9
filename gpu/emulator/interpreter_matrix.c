/*
 * gpu/emulator/interpreter_matrix.c: wmma, mma and what moves their fragments.
 *
 * Fragments lie as those of mma do (PTX ISA, "Matrix Fragments for mma"), wmma's too, whose
 * layout PTX leaves open: lane 4g + t has, of a, row g and columns from t x (elements of a
 * register) on; further registers have the blocks of 8 rows below, then those to the right.
 * Products of floating-point numbers are summed in double and rounded once: nearer than PTX asks.
 */
#include <string.h>

#include "gpu/emulator/interpreter_float.h"
#include "gpu/emulator/interpreter_warp.h"

enum { D, A, B, C };

#define MOST_SIDE 32u
#define MOST_DEPTH 256u

union number {
	double f;
	int64_t i;
};

static unsigned bits_of(enum ptx_element element)
{
	static const uint8_t bits[] = {
		[PTX_ELEMENT_F16] = 16, [PTX_ELEMENT_BF16] = 16, [PTX_ELEMENT_TF32] = 32,
		[PTX_ELEMENT_F32] = 32, [PTX_ELEMENT_F64] = 64,  [PTX_ELEMENT_S8] = 8,
		[PTX_ELEMENT_U8] = 8,   [PTX_ELEMENT_S4] = 4,    [PTX_ELEMENT_U4] = 4,
		[PTX_ELEMENT_B1] = 1,   [PTX_ELEMENT_S32] = 32,  [PTX_ELEMENT_E4M3] = 8,
		[PTX_ELEMENT_E5M2] = 8,
	};

	return bits[element];
}

static unsigned per_register(enum ptx_element element)
{
	return element == PTX_ELEMENT_F64 ? 1 : 32 / bits_of(element);
}

static bool is_integer(enum ptx_element element)
{
	return (element >= PTX_ELEMENT_S8 && element <= PTX_ELEMENT_B1) ||
	       element == PTX_ELEMENT_S32;
}

static double from_8(bool e5m2, uint8_t bits)
{
	double value;

	if (e5m2)
		return half_to_float((uint16_t)(bits << 8));
	if ((bits & 0x7f) == 0x7f)
		return NAN;
	value = bits & 0x78 ? ldexp(8 + (bits & 7), (bits >> 3 & 15) - 10) : ldexp(bits & 7, -9);
	return bits & 0x80 ? -value : value;
}

/* Element `n` of a register. */
static union number value_of(enum ptx_element element, uint64_t bits, unsigned n)
{
	union number value;

	switch (element) {
	case PTX_ELEMENT_F16:
		value.f = half_to_float((uint16_t)(bits >> 16 * n));
		break;
	case PTX_ELEMENT_BF16:
		value.f = bf16_to_float((uint16_t)(bits >> 16 * n));
		break;
	case PTX_ELEMENT_TF32: /* the lower 13 bits are not looked at */
		value.f = float_of(bits & 0xffffe000);
		break;
	case PTX_ELEMENT_F32:
		value.f = float_of(bits);
		break;
	case PTX_ELEMENT_F64:
		value.f = double_of(bits);
		break;
	case PTX_ELEMENT_S8:
		value.i = (int8_t)(bits >> 8 * n);
		break;
	case PTX_ELEMENT_U8:
		value.i = (uint8_t)(bits >> 8 * n);
		break;
	case PTX_ELEMENT_S4:
		value.i = (int8_t)((uint8_t)(bits >> 4 * n) << 4) >> 4;
		break;
	case PTX_ELEMENT_U4:
		value.i = bits >> 4 * n & 15;
		break;
	case PTX_ELEMENT_B1:
		value.i = bits >> n & 1;
		break;
	case PTX_ELEMENT_S32:
		value.i = (int32_t)bits;
		break;
	default:
		value.f = from_8(element == PTX_ELEMENT_E5M2, (uint8_t)(bits >> 8 * n));
		break;
	}
	return value;
}

/* Where element `n` of register `r` of a lane lies in the matrix a, b or c. */
static void place_of(const struct ptx_matrix *matrix, unsigned which, enum ptx_element element,
		     unsigned lane, unsigned r, unsigned n, unsigned *row, unsigned *column)
{
	const unsigned group = lane / 4, thread = lane % 4, count = per_register(element);
	unsigned blocks;

	if (which == A) { /* m x k: blocks of 8 rows, then further along k */
		blocks = matrix->m / 8;
		*row = r % blocks * 8 + group;
		*column = r / blocks * 4 * count + thread * count + n;
	} else if (which == B) { /* k x n: further along k, then blocks of 8 columns */
		blocks = matrix->k / (4 * count);
		*row = r % blocks * 4 * count + thread * count + n;
		*column = r / blocks * 8 + group;
	} else { /* pairs in a row; n counts over all registers */
		unsigned pair = (r * count + n) / 2;

		blocks = matrix->m / 8;
		*row = pair % blocks * 8 + group;
		*column = pair / blocks * 8 + thread * 2 + (r * count + n) % 2;
	}
}

/* Registers of a fragment that hold what others do not: wmma keeps the f16 of a and b twice. */
static unsigned distinct(const struct ptx_matrix *matrix, unsigned which, enum ptx_element element)
{
	unsigned rows = which == B ? matrix->k : matrix->m,
		 columns = which == A ? matrix->k : matrix->n;

	return rows * columns / (PTX_LANES * per_register(element));
}

static void collect(const struct warp *w, const struct ptx_matrix *matrix, unsigned which,
		    const uint32_t *rows, union number *values, unsigned stride)
{
	const enum ptx_element element = matrix->element[which];
	const unsigned count = distinct(matrix, which, element);

	for (unsigned r = 0; r < count; r++) {
		const uint64_t *bits = warp_row(w, rows[r]);

		for (unsigned l = 0; l < PTX_LANES; l++)
			for (unsigned n = 0; n < per_register(element); n++) {
				unsigned row, column;

				place_of(matrix, which, element, l, r, n, &row, &column);
				values[row * stride + column] = value_of(element, bits[l], n);
			}
	}
}

static uint64_t narrow(enum ptx_element element, union number value, bool saturates)
{
	switch (element) {
	case PTX_ELEMENT_F16:
		return double_to_half(value.f, PTX_MOD_RN);
	case PTX_ELEMENT_F32:
		return float_bits((float)value.f);
	case PTX_ELEMENT_F64:
		return double_bits(value.f);
	default:
		if (saturates)
			value.i = value.i > INT32_MAX   ? INT32_MAX
				  : value.i < INT32_MIN ? INT32_MIN
							: value.i;
		return (uint32_t)value.i;
	}
}

static void multiply_floats(const struct ptx_matrix *matrix, const union number *a,
			    const union number *b, union number *c)
{
	for (unsigned row = 0; row < matrix->m; row++)
		for (unsigned k = 0; k < matrix->k; k++) {
			const double factor = a[row * MOST_DEPTH + k].f;

			for (unsigned column = 0; column < matrix->n; column++)
				c[row * MOST_SIDE + column].f =
					matrix->element[A] == PTX_ELEMENT_F64
						? fma(factor, b[k * MOST_SIDE + column].f,
						      c[row * MOST_SIDE + column].f)
						: c[row * MOST_SIDE + column].f +
							  factor * b[k * MOST_SIDE + column].f;
		}
}

static void multiply_integers(const struct ptx_matrix *matrix, const union number *a,
			      const union number *b, union number *c)
{
	const bool is_xor = matrix->element[A] == PTX_ELEMENT_B1 && !matrix->is_and;

	for (unsigned row = 0; row < matrix->m; row++)
		for (unsigned k = 0; k < matrix->k; k++) {
			const int64_t factor = a[row * MOST_DEPTH + k].i;

			for (unsigned column = 0; column < matrix->n; column++)
				c[row * MOST_SIDE + column].i +=
					is_xor ? factor ^ b[k * MOST_SIDE + column].i
					       : factor * b[k * MOST_SIDE + column].i;
		}
}

static void multiply(struct warp *w, const struct ptx_matrix *matrix, const uint32_t *rows)
{
	const enum ptx_element element = matrix->element[D];
	static _Thread_local union number a[MOST_SIDE * MOST_DEPTH], b[MOST_DEPTH * MOST_SIDE],
		c[MOST_SIDE * MOST_SIDE];

	collect(w, matrix, A, rows + matrix->count[D], a, MOST_DEPTH);
	collect(w, matrix, B, rows + matrix->count[D] + matrix->count[A], b, MOST_SIDE);
	collect(w, matrix, C, rows + matrix->count[D] + matrix->count[A] + matrix->count[B], c,
		MOST_SIDE);
	if (is_integer(matrix->element[A]))
		multiply_integers(matrix, a, b, c);
	else
		multiply_floats(matrix, a, b, c);
	for (unsigned r = 0; r < matrix->count[D]; r++) {
		uint64_t *d = warp_row(w, rows[r]);

		FOR_LANES(w, {
			uint64_t bits = 0;

			for (unsigned n = 0; n < per_register(element); n++) {
				unsigned row, column;

				place_of(matrix, C, element, l, r, n, &row, &column);
				bits |= narrow(element, c[row * MOST_SIDE + column],
					       matrix->saturates)
					<< n * bits_of(element);
			}
			d[l] = bits;
		});
	}
}

/* Which matrix a load or store is about. */
static unsigned matrix_of(const struct ptx_matrix *matrix)
{
	return matrix->operation == PTX_MATRIX_LOAD_A   ? A
	       : matrix->operation == PTX_MATRIX_LOAD_B ? B
							: C;
}

/* The byte address of an element whose matrix starts at the lane's address. */
static uint64_t address_of(const struct ptx_matrix *matrix, unsigned which, uint64_t stride,
			   uint64_t start, unsigned row, unsigned column)
{
	const unsigned bits = bits_of(matrix->element[D]);

	(void)which;
	return start +
	       (matrix->column[0] ? column * stride + row : row * stride + column) * bits / 8;
}

/*
 * wmma.load and wmma.store: whole registers where their elements lie side by side, as they do
 * unless the layout goes across, else element by element.
 */
static void move_fragment(struct warp *w, const struct ptx_instruction *i,
			  const struct ptx_matrix *matrix, const uint32_t *rows)
{
	const bool stores = matrix->operation == PTX_MATRIX_STORE;
	const unsigned which = matrix_of(matrix);
	const enum ptx_element element = matrix->element[D];
	const unsigned count = per_register(element), bits = bits_of(element);
	const bool along = which == C ? false : (which == A) == !matrix->column[0];
	const unsigned step = along ? count : 1, size = along && bits < 32 ? 4 : bits / 8;
	const unsigned across = matrix->column[0] ? (which == B ? matrix->k : matrix->m)
						  : (which == A ? matrix->k : matrix->n);
	const uint64_t *strides = i->b == PTX_MISSING ? NULL : warp_row(w, i->b);
	const unsigned held = stores ? matrix->count[A] : matrix->count[D];
	const unsigned fresh = distinct(matrix, which, element);
	uint64_t start[PTX_LANES], addresses[PTX_LANES];
	uint8_t *pointers[PTX_LANES];

	if (!size) {
		warp_fault(w, w->mask, FAULT_ILLEGAL_INSTRUCTION,
			   "a wmma of elements below a byte across its layout");
		return;
	}
	warp_addresses(w, i, start);
	for (unsigned r = 0; r < fresh; r++) {
		uint64_t *held_bits = warp_row(w, rows[r]), values[PTX_LANES] = {0};

		for (unsigned n = 0; n < count; n += step) {
			for (unsigned l = 0; l < PTX_LANES; l++) {
				unsigned row, column;

				place_of(matrix, which, element, l, r, n, &row, &column);
				addresses[l] = address_of(matrix, which,
							  strides ? (uint32_t)strides[l] : across,
							  start[l], row, column);
			}
			if (!warp_resolve_at(w, i, addresses, size, !stores, stores, pointers))
				return;
			for (uint32_t m = w->mask; m; m &= m - 1) {
				unsigned l = (unsigned)__builtin_ctz(m);
				uint64_t part = held_bits[l] >> (n * bits & 63);

				if (stores) {
					memcpy(pointers[l], &part, size);
					continue;
				}
				part = 0;
				memcpy(&part, pointers[l], size);
				values[l] |= part << (n * bits & 63);
			}
		}
		/* the copies of a register come after all that are distinct */
		for (unsigned copy = r; copy < held && !stores; copy += fresh) {
			uint64_t *d = warp_row(w, rows[copy]);

			FOR_LANES(w, d[l] = values[l];);
		}
	}
}

/* ldmatrix, stmatrix: lane 8n + r has the address of row r of matrix n, of 8 x 8 halves. */
static void move_rows(struct warp *w, const struct ptx_instruction *i,
		      const struct ptx_matrix *matrix, const uint32_t *rows)
{
	const bool stores = matrix->operation == PTX_MATRIX_STMATRIX;
	const unsigned count = matrix->count[stores ? A : D];
	const uint32_t all = w->mask;
	uint64_t addresses[PTX_LANES];
	uint8_t *pointers[PTX_LANES];
	bool fine;

	warp_addresses(w, i, addresses);
	w->mask = count == 4 ? WARP_ALL : (1u << 8 * count) - 1;
	fine = w->mask & ~all ? false
			      : warp_resolve_at(w, i, addresses, 16, !stores, stores, pointers);
	if (w->mask & ~all)
		warp_fault(w, all, FAULT_ILLEGAL_INSTRUCTION,
			   "ldmatrix or stmatrix in a warp that is not whole");
	w->mask = all;
	if (!fine)
		return;
	for (unsigned n = 0; n < count; n++) {
		uint64_t *fragment = warp_row(w, rows[n]);

		for (unsigned l = 0; l < PTX_LANES; l++) {
			uint32_t value = (uint32_t)fragment[l];

			if (!stores)
				value = 0;
			for (unsigned half = 0; half < 2; half++) {
				unsigned row = l / 4, column = l % 4 * 2 + half;
				uint8_t *at = matrix->transposes
						      ? pointers[8 * n + column] + 2 * row
						      : pointers[8 * n + row] + 2 * column;
				uint16_t bits = (uint16_t)(value >> 16 * half);

				if (stores) {
					memcpy(at, &bits, 2);
					continue;
				}
				memcpy(&bits, at, 2);
				value |= (uint32_t)bits << 16 * half;
			}
			if (!stores && all >> l & 1)
				fragment[l] = value;
		}
	}
}

static void transpose(struct warp *w, const uint32_t *rows)
{
	const uint64_t *a = warp_row(w, rows[1]);
	uint64_t *d = warp_row(w, rows[0]), values[PTX_LANES];

	memcpy(values, a, sizeof(values));
	FOR_LANES(w, {
		uint32_t result = 0;

		for (unsigned half = 0; half < 2; half++) {
			/* element (l / 4, 2 (l % 4) + half) was the one across */
			unsigned row = l % 4 * 2 + half, column = l / 4;

			result |= (uint32_t)(uint16_t)(values[row * 4 + column / 2] >>
						       16 * (column % 2))
				  << 16 * half;
		}
		d[l] = result;
	});
}

static void matrix(struct warp *w, const struct ptx_instruction *i)
{
	const uint32_t *extras = w->module->extras + i->extra;
	struct ptx_matrix matrix;

	if (!warp_gathered(w, WARP_ALL))
		return;
	memcpy(&matrix, extras, sizeof(matrix));
	extras += PTX_MATRIX_EXTRAS;
	if (matrix.operation == PTX_MATRIX_MULTIPLY)
		multiply(w, &matrix, extras);
	else if (matrix.operation == PTX_MATRIX_MOVMATRIX)
		transpose(w, extras);
	else if (matrix.operation >= PTX_MATRIX_LDMATRIX)
		move_rows(w, i, &matrix, extras);
	else
		move_fragment(w, i, &matrix, extras);
}

const struct ptx_opcode interpreter_matrix[] = {
	{"wmma", "W", 0, 0, 0, 0, matrix},      {"mma", "W", 0, 0, 0, 0, matrix},
	{"ldmatrix", "W", 0, 0, 0, 0, matrix},  {"stmatrix", "W", 0, 0, 0, 0, matrix},
	{"movmatrix", "W", 0, 0, 0, 0, matrix}, {0},
};
