/*
 * gpu/emulator/interpreter/group.c: wgmma: four warps multiply, with b and perhaps a in shared
 * memory.
 *
 * Each warp does its 16 rows when it comes by: what it reads must be there by then, as on the GPU.
 * A descriptor says where chunks of 16 bytes lie (PTX ISA, "Matrix Descriptor"): bits 0 to 13 the
 * address / 16, 16 to 29 and 32 to 45 the leading and the stride offset / 16, 62 and 63 the
 * swizzle: none, 128, 64 or 32 bytes.
 */
#include <stdlib.h>
#include <string.h>

#include "gpu/emulator/interpreter/matrix.h"

enum { D, A, B, C };

#define ROWS 16u
#define MOST_COLUMNS 256u
#define MOST_DEPTH 32u

struct group_room {
	double a[ROWS][MOST_DEPTH], b[MOST_DEPTH][MOST_COLUMNS], sums[ROWS][MOST_COLUMNS];
};

struct descriptor {
	uint32_t start, leading, stride, width; /* bytes; width: of a row in a swizzle, 16: none */
	uint32_t mask; /* bits of the row's number that change the chunk's */
	bool across;   /* elements lie side by side along m or n, not k */
	unsigned size; /* bytes of an element */
};

static struct descriptor read_descriptor(const struct ptx_matrix *matrix, unsigned which,
					 uint64_t bits)
{
	static const uint8_t widths[] = {16, 128, 64, 32}, masks[] = {0, 7, 3, 1};

	return (struct descriptor){
		.start = (uint32_t)(bits & 0x3fff) << 4,
		.leading = (uint32_t)(bits >> 16 & 0x3fff) << 4,
		.stride = (uint32_t)(bits >> 32 & 0x3fff) << 4,
		.width = widths[bits >> 62],
		.mask = masks[bits >> 62],
		.across = matrix->column[which == A ? 0 : 1],
		.size = bits_of(matrix->element[which]) / 8,
	};
}

/* The shared address of an element: `line` along m or n, `k` along k. */
static uint32_t address_of(const struct descriptor *d, uint32_t line, uint32_t k)
{
	const bool swizzles = d->width > 16;
	const uint32_t along = (d->across ? line : k) * d->size, other = d->across ? k : line;
	const uint32_t inside = along % 16, chunk = along / 16;
	uint32_t address = d->start + inside + other % 8 * d->width;

	if (!d->across)
		address += other / 8 * d->stride + chunk * (swizzles ? 16 : d->leading);
	else if (swizzles)
		address += chunk % (d->width / 16) * 16 + chunk / (d->width / 16) * d->leading +
			   other / 8 * d->stride;
	else
		address += chunk * d->stride + other / 8 * d->leading;
	return address ^ (address >> 7 & d->mask) << 4;
}

/* An element in shared memory; false: a fault is set. */
static bool read_element(struct warp *w, const struct descriptor *d, enum ptx_element element,
			 uint32_t line, uint32_t k, double *value)
{
	const uint32_t address = address_of(d, line, k);
	uint64_t bits = 0;

	if ((uint64_t)address + d->size > w->block->shared_bytes) {
		warp_fault(w, w->mask, FAULT_ILLEGAL_ADDRESS,
			   "wgmma reads at shared address 0x%x: the block has %u bytes", address,
			   w->block->shared_bytes);
		return false;
	}
	memcpy(&bits, w->block->shared + address, d->size);
	*value = number_element(element, bits, 0);
	return true;
}

static bool read_a(struct warp *w, const struct ptx_matrix *matrix, const uint32_t *rows,
		   double (*a)[MOST_DEPTH])
{
	const enum ptx_element element = matrix->element[A];
	const unsigned count = per_register(element), quarter = (unsigned)(w - w->block->warps) % 4;
	struct descriptor d;

	if (matrix->count[A] == 1) {
		d = read_descriptor(matrix, A, warp_row(w, rows[0])[__builtin_ctz(w->mask)]);
		for (unsigned i = 0; i < ROWS; i++)
			for (unsigned k = 0; k < matrix->k; k++)
				if (!read_element(w, &d, element, quarter * ROWS + i, k, &a[i][k]))
					return false;
		return true;
	}
	for (unsigned r = 0; r < 4; r++)
		for (unsigned l = 0; l < PTX_LANES; l++)
			for (unsigned n = 0; n < count; n++)
				a[r % 2 * 8 + l / 4][r / 2 * 4 * count + l % 4 * count + n] =
					number_element(element, warp_row(w, rows[r])[l], n);
	return true;
}

/* Where value `n` of a lane lies in d. */
static void place_of(unsigned n, unsigned lane, unsigned *row, unsigned *column)
{
	*row = n / 2 % 2 * 8 + lane / 4;
	*column = n / 4 * 8 + lane % 4 * 2 + n % 2;
}

/* The sums as they were. */
static void read_sums(const struct warp *w, const struct ptx_matrix *matrix, const uint32_t *rows,
		      uint32_t keeps, double (*sums)[MOST_COLUMNS])
{
	const enum ptx_element element = matrix->element[D];
	const unsigned count = per_register(element);
	unsigned row, column;

	for (unsigned n = 0; n < matrix->n / 2u; n++)
		for (unsigned l = 0; l < PTX_LANES; l++) {
			const uint64_t bits = warp_row(w, rows[n / count])[l];

			place_of(n, l, &row, &column);
			sums[row][column] =
				keeps >> l & 1 ? number_element(element, bits, n % count) : 0;
		}
}

static void write_sums(struct warp *w, const struct ptx_matrix *matrix, const uint32_t *rows,
		       double (*sums)[MOST_COLUMNS])
{
	const unsigned count = per_register(matrix->element[D]);

	for (unsigned r = 0; r < matrix->count[D]; r++) {
		uint64_t *d = warp_row(w, rows[r]);

		FOR_LANES(w, {
			uint64_t bits = 0;

			for (unsigned n = 0; n < count; n++) {
				unsigned row;
				unsigned column;

				place_of(r * count + n, l, &row, &column);
				bits |= narrow_sum(matrix->element[D], sums[row][column],
						   matrix->saturates)
					<< n * 32 / count;
			}
			d[l] = bits;
		});
	}
}

static bool multiply(struct warp *w, const struct ptx_instruction *i,
		     const struct ptx_matrix *matrix, const uint32_t *rows, struct group_room *room)
{
	const uint32_t *a = rows + matrix->count[D], *b = a + matrix->count[A];
	const struct descriptor d =
		read_descriptor(matrix, B, warp_row(w, b[0])[__builtin_ctz(w->mask)]);
	const bool negative =
		!(i->flags & PTX_GROUP_NEGATIVE_A) != !(i->flags & PTX_GROUP_NEGATIVE_B);

	if (!read_a(w, matrix, a, room->a))
		return false;
	for (unsigned k = 0; k < matrix->k; k++)
		for (unsigned n = 0; n < matrix->n; n++)
			if (!read_element(w, &d, matrix->element[B], n, k, &room->b[k][n]))
				return false;
	read_sums(w, matrix, rows, warp_predicate(w, i->c), room->sums);
	for (unsigned m = 0; m < ROWS; m++)
		for (unsigned k = 0; k < matrix->k; k++) {
			const double x = negative ? -room->a[m][k] : room->a[m][k];

			for (unsigned n = 0; n < matrix->n; n++)
				room->sums[m][n] += x * room->b[k][n];
		}
	write_sums(w, matrix, rows, room->sums);
	return true;
}

static void group(struct warp *w, const struct ptx_instruction *i)
{
	const uint32_t *extras = w->module->extras + i->extra;
	struct ptx_matrix matrix;
	struct group_room *room;

	if (!warp_gathered(w, WARP_ALL))
		return;
	memcpy(&matrix, extras, sizeof(matrix));
	room = malloc(sizeof(*room));
	if (!room) {
		warp_fault(w, w->mask, FAULT_NO_MEMORY, "no memory for matrices");
		return;
	}
	multiply(w, i, &matrix, extras + PTX_MATRIX_EXTRAS, room);
	free(room);
}

static void nothing(struct warp *w, const struct ptx_instruction *i)
{
	(void)w;
	(void)i;
}

const struct ptx_opcode interpreter_group[] = {
	{"wgmma.mma_async", "K", 0, 0, 0, 0, group},
	{"wgmma.fence.sync.aligned", "", 0, 0, 0, 0, nothing},
	{"wgmma.commit_group.sync.aligned", "", 0, 0, 0, 0, nothing},
	{"wgmma.wait_group.sync.aligned", "u", 0, 0, 0, 0, nothing},
	{0},
};
