/*
 * gpu/emulator/interpreter/quads.c: mma.m8n8k4 of f16: lanes 4q .. 4q + 3 and 16 + 4q .. 16 + 4q +
 * 3 multiply their own matrices (PTX ISA, "Matrix Fragments for mma.m8n8k4 with .f16").
 */
#include "gpu/emulator/interpreter/matrix.h"

enum { D, A, B, C };

/* Element `n` of a fragment of halves in a lane. */
static double half_at(const struct warp *w, const uint32_t *rows, unsigned n, unsigned lane)
{
	return half_to_float((uint16_t)(warp_row(w, rows[n / 2])[lane] >> 16 * (n % 2)));
}

/* Where element `n` of c or d lies. */
static void place_of(enum ptx_element element, unsigned n, unsigned lane, unsigned *row,
		     unsigned *column)
{
	const unsigned upper = lane < 16 ? 0 : 4;

	if (element == PTX_ELEMENT_F16) {
		*row = lane % 4 + upper;
		*column = n;
	} else {
		*row = (lane & 1) + (n & 2) + upper;
		*column = (n & 4) + (lane & 2) + (n & 1);
	}
}

static void multiply(struct warp *w, const struct ptx_matrix *matrix, const uint32_t *rows,
		     unsigned quad)
{
	const uint32_t *ra = rows + matrix->count[D], *rb = ra + 2, *rc = rb + 2;
	double a[8][4], b[4][8], c[8][8];
	unsigned row, column;

	for (unsigned k = 0; k < 8; k++) {
		const unsigned lane = 4 * quad + k % 4 + (k < 4 ? 0 : 16), upper = k < 4 ? 0 : 4;

		for (unsigned n = 0; n < 4; n++) {
			/* by rows a lane has a row of a and of b, by columns a column */
			if (matrix->column[0])
				a[n + upper][lane % 4] = half_at(w, ra, n, lane);
			else
				a[k][n] = half_at(w, ra, n, lane);
			if (matrix->column[1])
				b[n][k] = half_at(w, rb, n, lane);
			else
				b[lane % 4][n + upper] = half_at(w, rb, n, lane);
		}
		for (unsigned n = 0; n < 8; n++) {
			place_of(matrix->element[C], n, lane, &row, &column);
			c[row][column] = matrix->element[C] == PTX_ELEMENT_F16
						 ? half_at(w, rc, n, lane)
						 : float_of(warp_row(w, rc[n])[lane]);
		}
	}
	for (unsigned i = 0; i < 8; i++)
		for (unsigned j = 0; j < 8; j++)
			for (unsigned k = 0; k < 4; k++)
				c[i][j] += a[i][k] * b[k][j];
	for (unsigned k = 0; k < 8; k++) {
		const unsigned lane = 4 * quad + k % 4 + (k < 4 ? 0 : 16);

		for (unsigned n = 0; n < 8; n++) {
			place_of(matrix->element[D], n, lane, &row, &column);
			if (matrix->element[D] == PTX_ELEMENT_F32) {
				warp_row(w, rows[n])[lane] = float_bits((float)c[row][column]);
				continue;
			}
			if (n % 2 == 0)
				warp_row(w, rows[n / 2])[lane] = 0;
			warp_row(w, rows[n / 2])[lane] |=
				(uint64_t)double_to_half(c[row][column], PTX_MOD_RN)
				<< 16 * (n % 2);
		}
	}
}

void matrix_multiply_quads(struct warp *w, const struct ptx_matrix *matrix, const uint32_t *rows)
{
	for (unsigned quad = 0; quad < 4; quad++)
		multiply(w, matrix, rows, quad);
}
