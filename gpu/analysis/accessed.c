/* gpu/analysis/accessed.c: see accessed.h. */
#include "gpu/analysis/accessed.h"

/* A chunk of units that were not accessed, up to `end`, is over. */
static void end_chunk(struct gpu_accessed *figures, uint64_t first, uint64_t end, uint64_t size)
{
	const uint64_t offset = first * UNIT_BYTES;
	uint64_t bytes = (end - first) * UNIT_BYTES;

	if (first == end)
		return;
	bytes = bytes < size - offset ? bytes : size - offset; /* the last unit may be cut off */
	figures->chunks++;
	figures->bytes -= bytes;
	if (bytes <= figures->largest_bytes)
		return;
	figures->largest_bytes = bytes;
	figures->largest_offset = offset;
}

struct gpu_accessed accessed_figures(const uint64_t *units, uint64_t size)
{
	const uint64_t count = size / UNIT_BYTES + (size % UNIT_BYTES != 0);
	struct gpu_accessed figures = {.bytes = size};
	uint64_t first = 0; /* behind the last unit that was accessed */

	for (uint64_t word = 0; word * 64 < count; word++)
		for (uint64_t left = units[word]; left;) {
			const unsigned from = unit_first(left);
			const uint64_t others = ~(left >> from); /* behind those from there on */
			const unsigned run = others ? unit_first(others) : 64;

			end_chunk(&figures, first, word * 64 + from, size);
			first = word * 64 + from + run;
			left = first % 64 ? left & WORD_ALL << first % 64 : 0;
		}
	if (first < count)
		end_chunk(&figures, first, count, size);
	return figures;
}

struct gpu_slice accessed_bytes(const struct accessed_slice *slice, uint64_t size)
{
	const uint64_t end = slice->end * UNIT_BYTES;

	return (struct gpu_slice){.offset = ~slice->from * UNIT_BYTES,
				  .end = end < size ? end : size}; /* of a unit that is cut off */
}
