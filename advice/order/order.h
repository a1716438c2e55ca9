/*
 * advice/order/order.h: what the order of a run's calls is needed for.
 *
 * A wait of the host protects what the host can see of the operations that it covers: what they
 * brought to its memory or read there, what later operations of other streams need of them, and
 * what later calls need (api_needs() in gpu/nvidia/apis.h).  Judged are synchronizations, releases
 * and synchronous copies to the device.  All that are not needed can go together: what one of them
 * covers, a later one that is needed covers, too.
 */
#ifndef VFLOW_ADVICE_ORDER_ORDER_H
#define VFLOW_ADVICE_ORDER_ORDER_H

#include "advice/run.h"
#include "advice/timing.h"

/* The streams of a run, and what its operations touch: found once for all that is asked. */
struct order;

/*
 * Of a run with a timeline; freed with order_free().  It refers to the profile, the timing and the
 * operations of the run, not to the run itself.  NULL: nothing can be said, as kernels read or
 * write what is not seen.
 */
struct order *order_new(const struct run *run);
void order_free(struct order *order);

enum wait_need {
	WAIT_NOT_JUDGED, /* none, or one of another kind */
	WAIT_NEEDED,     /* as far as can be known */
	WAIT_ORDERS,     /* for nothing but the order of streams on the device */
	WAIT_UNNEEDED,
	WAIT_REPEATED, /* the wait before it had covered the same */
};

/* Of each call of the timeline, an enum wait_need; the caller frees. */
unsigned char *order_needs(const struct order *order);

/*
 * Likewise, as if the host looked at nothing that was copied to it: those that are not needed then
 * could be made later, before it looks.  Synchronous copies to the host are judged, too, and the
 * last waits of a process; not those that are not needed at all (needs, of order_needs()), which
 * go.
 */
unsigned char *order_late(const struct order *order, const unsigned char *needs);

/*
 * Synchronous copies wait, too, and what is in the default stream orders other streams.  Of
 * operations that are to be left out (gone, per index of a vertex): whether something relies on
 * that, other than what they do, when the waits that are not needed (needs, of order_needs()) have
 * gone as well.  By index of the vertex, the caller frees.
 */
bool *order_relied(const struct order *order, const unsigned char *needs, const bool *gone);

/* Of the calls of a function that wait for several streams, or are in the default stream. */
struct wait_breadth {
	uint64_t calls;          /* 0: nothing is said of them */
	uint32_t device, stream; /* enough for each of them: to wait for, or to be in */
	uint32_t vertex; /* id; what the last of them was needed for; or PROFILE_NO_VERTEX */
};

/*
 * By row of table api; the caller frees.  All of them can wait for less together, beside those that
 * are not needed at all (needs, of order_needs()).  A wait for a stream covers what that comes
 * after, too.
 */
struct wait_breadth *order_breadths(const struct order *order, const unsigned char *needs);

#endif
