/* advice/memory/shares.c: see shares.h. */
#include "advice/memory/shares.h"

#include <stdlib.h>

#include "util/memory.h"

static int by_bytes(const void *left, const void *right)
{
	const struct memory_share *a = left, *b = right;

	if (a->bytes != b->bytes)
		return a->bytes < b->bytes ? 1 : -1;
	return (a->site > b->site) - (a->site < b->site);
}

static int by_site(const void *left, const void *right)
{
	const struct memory_share *a = left, *b = right;

	return (a->site > b->site) - (a->site < b->site);
}

struct memory_share *memory_shares(const struct profile *profile, const struct peaks *peaks,
				   uint64_t place, uint32_t *count)
{
	struct memory_share *shares = xcalloc(peaks_count(peaks), sizeof(*shares));
	uint32_t used = 0, kept = 0;

	for (uint32_t i = 0; i < peaks_count(peaks); i++) {
		struct peaks_span span = peaks_span(peaks, i);

		if (peaks_holds(&span, place))
			shares[used++] = (struct memory_share){
				profile->objects[peaks_lifetime(peaks, i)->object].site, 1,
				span.bytes};
	}
	if (used)
		qsort(shares, used, sizeof(*shares), by_site);
	for (uint32_t i = 0; i < used; i++) {
		if (kept && shares[kept - 1].site == shares[i].site) {
			shares[kept - 1].objects++;
			profile_add(&shares[kept - 1].bytes, shares[i].bytes);
		} else {
			shares[kept++] = shares[i];
		}
	}
	if (kept)
		qsort(shares, kept, sizeof(*shares), by_bytes);
	*count = kept;
	return shares;
}
