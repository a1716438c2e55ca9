/*
 * gpu/emulator/interpreter/sparse.c: mma.sp: of each four elements of a two are left out (of eight
 * of 4 bits two pairs, of two tf32 one), and the metadata says which are there.
 *
 * Fragments lie as those of mma do, a's as that of a matrix with half the columns.
 */
#include <string.h>

#include "gpu/emulator/interpreter/matrix.h"

enum { D, A, B, C };

#define MOST_DEPTH 128u

struct sparse {
	double a[16][MOST_DEPTH], b[MOST_DEPTH][8], sums[16][8];
};

/*
 * Nibble `number` of a row's metadata.  Of elements of 16 and 32 bits a lane's word has four
 * nibbles of row g and four of row g + 8, of smaller ones eight of one row (H200, 2026-11-21);
 * `selector` says whose words count.
 */
static unsigned metadata(const struct ptx_matrix *matrix, const uint64_t *words, unsigned nibbles,
			 unsigned selector, unsigned row, unsigned number)
{
	const unsigned first = selector * (nibbles / 4), upper = row / 8;
	const uint64_t *quad = words + row % 8 * 4;

	if (bits_of(matrix->element[A]) <= 8)
		return quad[(first + number / 8 * 2 + upper) % 4] >> number % 8 * 4 & 15;
	return quad[(first + number / 4) % 4] >> (upper * 16 + number % 4 * 4) & 15;
}

/* Where in the whole matrix element `column` of the row's elements that are there lies. */
static unsigned whole_column(const struct ptx_matrix *matrix, const uint64_t *words,
			     unsigned selector, unsigned row, unsigned column)
{
	const unsigned bits = bits_of(matrix->element[A]);
	const unsigned pair = bits == 4 ? 2 : 1;          /* elements that stay together */
	const unsigned there = bits == 32 ? 1 : 2 * pair; /* of 2 x there, a nibble's worth */
	const unsigned nibbles = matrix->k / (2 * there), block = column / there;
	const unsigned nibble = metadata(matrix, words, nibbles, selector, row, block);
	const unsigned within = column % there;
	unsigned index;

	if (bits == 32) /* 0100 or 1110: pairs of halves, as it were */
		return 2 * block + (nibble & 3) / 2;
	index = nibble >> within / pair * 2 & 3;
	return block * 2 * there + index * pair + within % pair;
}

static void read_operands(const struct warp *w, const struct ptx_instruction *i,
			  const struct ptx_matrix *matrix, const uint32_t *rows,
			  struct sparse *room)
{
	const uint32_t *ra = rows + matrix->count[D], *rb = ra + matrix->count[A],
		       *rc = rb + matrix->count[B];
	const unsigned parts = per_register(matrix->element[A]),
		       sums = per_register(matrix->element[C]);
	const uint64_t *words = warp_row(w, i->a);

	memset(room->a, 0, sizeof(room->a));
	for (unsigned l = 0; l < PTX_LANES; l++) {
		const unsigned group = l / 4, thread = l % 4;

		for (unsigned r = 0; r < matrix->count[A]; r++)
			for (unsigned n = 0; n < parts; n++) {
				const unsigned row = r % 2 * 8 + group;
				const unsigned column = r / 2 * 4 * parts + thread * parts + n;
				const unsigned k = whole_column(
					matrix, words, (unsigned)i->immediate, row, column);

				room->a[row][k] = number_element(matrix->element[A],
								 warp_row(w, ra[r])[l], n);
			}
		for (unsigned r = 0; r < matrix->count[B]; r++)
			for (unsigned n = 0; n < parts; n++)
				room->b[r * 4 * parts + thread * parts + n][group] = number_element(
					matrix->element[B], warp_row(w, rb[r])[l], n);
		for (unsigned n = 0; n < 4; n++)
			room->sums[n / 2 * 8 + group][thread * 2 + n % 2] = number_element(
				matrix->element[C], warp_row(w, rc[n / sums])[l], n % sums);
	}
}

void matrix_multiply_sparse(struct warp *w, const struct ptx_instruction *i,
			    const struct ptx_matrix *matrix, const uint32_t *rows)
{
	const unsigned sums = per_register(matrix->element[D]);
	struct sparse room;

	read_operands(w, i, matrix, rows, &room);
	for (unsigned row = 0; row < 16; row++)
		for (unsigned k = 0; k < matrix->k; k++)
			for (unsigned n = 0; n < 8; n++)
				room.sums[row][n] += room.a[row][k] * room.b[k][n];
	for (unsigned r = 0; r < matrix->count[D]; r++) {
		uint64_t *d = warp_row(w, rows[r]);

		FOR_LANES(w, {
			uint64_t bits = 0;

			for (unsigned n = 0; n < sums; n++) {
				const unsigned at = r * sums + n;

				bits |= narrow_sum(
						matrix->element[D],
						room.sums[at / 2 * 8 + l / 4][l % 4 * 2 + at % 2],
						matrix->saturates)
					<< n * 32 / sums;
			}
			d[l] = bits;
		});
	}
}
