/*
 * gpu/emulator/interpreter/matrix.c: wmma, mma and what moves their fragments.
 *
 * Fragments lie as those of mma do (PTX ISA, "Matrix Fragments for mma"), wmma's too, whose
 * layout PTX leaves open: lane 4g + t has, of a, row g and columns from t x (elements of a
 * register) on; further registers have the blocks of 8 rows below, then those to the right.
 * Products of floating-point numbers are summed in double and rounded once: nearer than PTX asks.
 */
#include <stdlib.h>
#include <string.h>

#include "gpu/emulator/interpreter/matrix.h"
#include "gpu/emulator/interpreter/values.h"

enum { D, A, B, C };

/* Elements of a matrix: 8 registers of 32 lanes with 32 bits at most. */
#define MOST_ELEMENTS 8192u

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

/*
 * Where the elements of the registers of a, b, c and d go, in matrices that lie row after row: an
 * index for each register, lane and element.  Programs use few shapes: the last ones are kept.
 */
struct layout {
	struct ptx_matrix key;
	bool known;
	uint16_t index[4][MOST_ELEMENTS];
};

#define LAYOUTS 4u

static void lay_out(const struct ptx_matrix *matrix, struct layout *layout)
{
	static const unsigned as[] = {[D] = C, [A] = A, [B] = B, [C] = C};

	for (unsigned which = D; which <= C; which++) {
		const enum ptx_element element = matrix->element[which];
		const unsigned columns = which == A ? matrix->k : matrix->n;
		const unsigned count = distinct(matrix, as[which], element);
		uint16_t *index = layout->index[which];

		for (unsigned r = 0; r < count; r++)
			for (unsigned l = 0; l < PTX_LANES; l++)
				for (unsigned n = 0; n < per_register(element); n++) {
					unsigned row, column;

					place_of(matrix, as[which], element, l, r, n, &row,
						 &column);
					*index++ = (uint16_t)(row * columns + column);
				}
	}
	layout->key = *matrix;
	layout->known = true;
}

/* What a block needs for its matrix instructions; made when the first one is met. */
struct matrices {
	struct layout layouts[LAYOUTS];
	unsigned next;
	union {
		double f[3][MOST_ELEMENTS];
		int32_t i[4][MOST_ELEMENTS];
	} at;
};

/* NULL: a fault is set. */
static struct matrices *matrices_of(struct warp *w)
{
	if (!w->block->matrices)
		w->block->matrices = calloc(1, sizeof(*w->block->matrices));
	if (!w->block->matrices)
		warp_fault(w, w->mask, FAULT_NO_MEMORY, "no memory for matrices");
	return w->block->matrices;
}

static const struct layout *layout_of(struct matrices *room, const struct ptx_matrix *matrix)
{
	struct layout *layout;

	for (unsigned n = 0; n < LAYOUTS; n++)
		if (room->layouts[n].known &&
		    !memcmp(&room->layouts[n].key, matrix, sizeof(*matrix)))
			return &room->layouts[n];
	layout = &room->layouts[room->next++ % LAYOUTS];
	lay_out(matrix, layout);
	return layout;
}

/* The elements of the registers from `rows` on, where `index` says; `element` is a constant. */
#define COLLECT(element, ctype, element_of)                                                        \
	for (unsigned r = 0; r < count; r++) {                                                     \
		const uint64_t *bits = warp_row(w, rows[r]);                                       \
                                                                                                   \
		for (unsigned l = 0; l < PTX_LANES; l++)                                           \
			for (unsigned n = 0; n < per_register(element); n++)                       \
				values[*index++] = element_of(element, bits[l], n);                \
	}

static void collect_floats(const struct warp *w, const struct ptx_matrix *matrix, unsigned which,
			   const uint16_t *index, const uint32_t *rows, double *values)
{
	const enum ptx_element element = matrix->element[which];
	const unsigned count = distinct(matrix, which, element);

	if (element == PTX_ELEMENT_F16) {
		COLLECT(PTX_ELEMENT_F16, double, float_element)
	} else if (element == PTX_ELEMENT_BF16) {
		COLLECT(PTX_ELEMENT_BF16, double, float_element)
	} else if (element == PTX_ELEMENT_F32) {
		COLLECT(PTX_ELEMENT_F32, double, float_element)
	} else {
		COLLECT(element, double, float_element)
	}
}

static void collect_integers(const struct warp *w, const struct ptx_matrix *matrix, unsigned which,
			     const uint16_t *index, const uint32_t *rows, int32_t *values)
{
	const enum ptx_element element = matrix->element[which];
	const unsigned count = distinct(matrix, which, element);

	if (element == PTX_ELEMENT_S8) {
		COLLECT(PTX_ELEMENT_S8, int32_t, integer_element)
	} else if (element == PTX_ELEMENT_U8) {
		COLLECT(PTX_ELEMENT_U8, int32_t, integer_element)
	} else {
		COLLECT(element, int32_t, integer_element)
	}
}

/*
 * c += a b, with the number of columns known to the compiler: two rows of sums, which do not wait
 * for each other, stay in registers.
 */
#define MULTIPLY(name, ctype, sum, columns)                                                        \
	for (unsigned row = 0; row < matrix->m; row += 2) {                                        \
		ctype sums[2][columns];                                                            \
                                                                                                   \
		memcpy(sums, c + row * (columns), sizeof(sums));                                   \
		for (unsigned k = 0; k < matrix->k; k++) {                                         \
			const ctype *from = b + k * (columns);                                     \
                                                                                                   \
			for (unsigned r = 0; r < 2; r++) {                                         \
				const ctype x = a[(row + r) * matrix->k + k];                      \
				ctype *to = sums[r];                                               \
                                                                                                   \
				for (unsigned n = 0; n < (columns); n++) {                         \
					const ctype y = from[n];                                   \
					to[n] = sum;                                               \
				}                                                                  \
			}                                                                          \
		}                                                                                  \
		memcpy(c + row * (columns), sums, sizeof(sums));                                   \
	}
#define MULTIPLY_BY_COLUMNS(name, ctype, sum)                                                      \
	static void name(const struct ptx_matrix *matrix, const ctype *restrict a,                 \
			 const ctype *restrict b, ctype *restrict c)                               \
	{                                                                                          \
		if (matrix->n == 8) {                                                              \
			MULTIPLY(name, ctype, sum, 8u)                                             \
		} else if (matrix->n == 16) {                                                      \
			MULTIPLY(name, ctype, sum, 16u)                                            \
		} else {                                                                           \
			MULTIPLY(name, ctype, sum, 32u)                                            \
		}                                                                                  \
	}
MULTIPLY_BY_COLUMNS(multiply_floats, double, to[n] + x * y)
MULTIPLY_BY_COLUMNS(multiply_doubles, double, fma(x, y, to[n]))
MULTIPLY_BY_COLUMNS(multiply_integers, int32_t, to[n] + x * y)
MULTIPLY_BY_COLUMNS(multiply_xor, int32_t, to[n] + (x ^ y))

static uint64_t narrow_float(enum ptx_element element, double value)
{
	return element == PTX_ELEMENT_F16   ? double_to_half(value, PTX_MOD_RN)
	       : element == PTX_ELEMENT_F64 ? double_bits(value)
					    : float_bits((float)value);
}

/* The sum of products, which fits in 32 bits, and c, which may make it too large. */
static uint64_t narrow_integer(int32_t products, int32_t c, bool saturates)
{
	int64_t sum = (int64_t)products + c;

	if (saturates)
		sum = sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum;
	return (uint32_t)sum;
}

static void scatter_floats(struct warp *w, const struct ptx_matrix *matrix, const uint16_t *index,
			   const uint32_t *rows, const double *values)
{
	const enum ptx_element element = matrix->element[D];
	const unsigned parts = per_register(element), bits = bits_of(element);

	for (unsigned r = 0; r < matrix->count[D]; r++, index += PTX_LANES * parts) {
		uint64_t *d = warp_row(w, rows[r]);

		if (element == PTX_ELEMENT_F32) {
			FOR_LANES(w, d[l] = float_bits((float)values[index[l]]););
			continue;
		}
		FOR_LANES(w, {
			uint64_t result = 0;

			for (unsigned n = 0; n < parts; n++)
				result |= narrow_float(element, values[index[l * parts + n]])
					  << n * bits;
			d[l] = result;
		});
	}
}

static void multiply(struct warp *w, const struct ptx_matrix *matrix, const uint32_t *rows)
{
	struct matrices *room = matrices_of(w);
	const struct layout *layout = room ? layout_of(room, matrix) : NULL;
	const uint32_t *a = rows + matrix->count[D], *b = a + matrix->count[A],
		       *c = b + matrix->count[B];
	const unsigned size = (unsigned)matrix->m * matrix->n;

	if (!layout)
		return;
	if (!is_integer(matrix->element[A])) {
		collect_floats(w, matrix, A, layout->index[A], a, room->at.f[0]);
		collect_floats(w, matrix, B, layout->index[B], b, room->at.f[1]);
		collect_floats(w, matrix, C, layout->index[C], c, room->at.f[2]);
		(matrix->element[A] == PTX_ELEMENT_F64 ? multiply_doubles : multiply_floats)(
			matrix, room->at.f[0], room->at.f[1], room->at.f[2]);
		scatter_floats(w, matrix, layout->index[D], rows, room->at.f[2]);
		return;
	}
	collect_integers(w, matrix, A, layout->index[A], a, room->at.i[0]);
	collect_integers(w, matrix, B, layout->index[B], b, room->at.i[1]);
	collect_integers(w, matrix, C, layout->index[C], c, room->at.i[2]);
	memset(room->at.i[3], 0, size * sizeof(room->at.i[3][0]));
	(matrix->element[A] == PTX_ELEMENT_B1 && !matrix->is_and
		 ? multiply_xor
		 : multiply_integers)(matrix, room->at.i[0], room->at.i[1], room->at.i[3]);
	for (unsigned r = 0; r < matrix->count[D]; r++) {
		const uint16_t *index = layout->index[D] + r * PTX_LANES;
		uint64_t *d = warp_row(w, rows[r]);

		FOR_LANES(w, d[l] = narrow_integer(room->at.i[3][index[l]], room->at.i[2][index[l]],
						   matrix->saturates););
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
	values_saw_other(w);
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

	values_saw_other(w);
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
	else if (matrix.operation == PTX_MATRIX_QUADS)
		matrix_multiply_quads(w, &matrix, extras);
	else if (matrix.operation == PTX_MATRIX_SPARSE)
		matrix_multiply_sparse(w, i, &matrix, extras);
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
