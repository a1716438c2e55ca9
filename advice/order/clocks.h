/*
 * advice/order/clocks.h: the streams of a process as its calls are gone through, with a vector
 * clock each: how many operations of each stream are done before its next one begins.
 */
#ifndef VFLOW_ADVICE_ORDER_CLOCKS_H
#define VFLOW_ADVICE_ORDER_CLOCKS_H

#include "advice/order/streams.h"

enum { MOVED = 1 << 30 /* more than the number of any stream: see clocks_moved() */ };

struct clock {
	uint32_t done[STREAMS];
};

struct numbers { /* of operations of a stream, from 1, ascending */
	uint32_t *items;
	uint32_t count, capacity;
};

struct snapshot { /* a stream's clock from its operation number `from` on, but for itself */
	uint32_t from;
	struct clock clock;
};

struct stream {
	struct clock clock;
	uint64_t *issued; /* when the calls of its operations had returned */
	uint32_t count, capacity;
	uint32_t *calls; /* of its operations */
	uint32_t calls_capacity;
	struct numbers guarded;  /* those that any wait may protect */
	struct numbers seen;     /* ... and those that bring something to the host */
	struct numbers left_out; /* those that are left out */
	struct snapshot *history;
	uint32_t history_count, history_capacity;
	uint32_t *last_touch, *last_write; /* per vertex of a site: numbers of operations; 0 */
	uint32_t last_unknown;             /* of an operation that may have written anything */
	uint32_t last_host;                /* of one that may use memory of the host */
	uint32_t last_download;            /* ... that copies to it */
};

struct clocks {
	const struct order *order;
	const bool *gone; /* per vertex: its operations are left out; NULL: none is */
	/* of the process */
	struct stream_name names[STREAMS];
	struct stream streams[STREAMS];
	uint32_t stream_count;
};

void clocks_begin(struct clocks *clocks, const struct process *process);
void clocks_end(struct clocks *clocks);

/*
 * What a function does in the default stream, as if in a stream of its own, which nothing is in
 * order with but what needs it.  The first one: makes it, NULL if there are too many.  The other
 * one: NULL if there is none.
 */
struct stream *clocks_move(struct clocks *clocks, uint32_t device, uint32_t api);
struct stream *clocks_moved(struct clocks *clocks, uint32_t device, uint32_t api);
bool clocks_is_moved(const struct clocks *clocks, uint32_t stream);
uint32_t clocks_index(const struct clocks *clocks, const struct stream *stream);

void clock_join(struct clock *clock, const struct clock *other);
/* Whether all that `part` says is done is done by `whole`. */
bool clock_covers(const struct clock *whole, const struct clock *part);

/* Adds what is done when the stream's first `count` operations are. */
void clocks_join(const struct clocks *clocks, struct clock *clock, uint32_t stream, uint32_t count);
/* ... when all is that was in the stream by then, and that it comes after. */
void clocks_join_by(const struct clocks *clocks, struct clock *clock, uint32_t stream,
		    uint64_t time);
/* ... that was in the device's streams, or those that are ordered with the default one, by then. */
void clocks_join_device(const struct clocks *clocks, struct clock *clock, uint32_t device, bool all,
			uint64_t time);
/* ... that is in the streams that are ordered with this one. */
void clocks_join_ordered(const struct clocks *clocks, struct clock *clock, uint32_t stream);
/* ... that the call's stream, or the host in it, waits for by events. */
void clocks_join_orders(const struct clocks *clocks, struct clock *clock, uint32_t call);
/* Adds what the wait covers; false: that is not known.  likely: and what no one promises. */
bool clocks_join_wait(const struct clocks *clocks, struct clock *clock,
		      const struct profile_wait *wait, bool likely);

/* Whether it is a call of a synchronous copy that is to be left out. */
bool clocks_leave_out(const struct clocks *clocks, const struct profile_api *api);

/*
 * What is done before the next operation of the stream begins, apart from what the call says.
 * alone: other streams are not ordered with it.
 */
void clocks_order(struct clocks *clocks, struct stream *stream, uint32_t call, bool alone);
/* The stream's next operation begins after its clock as it is now. */
void clocks_remember(struct stream *stream);
/* effects: NULL: it may do anything. */
void clocks_add(struct clocks *clocks, struct stream *stream, uint32_t call,
		const struct effects *effects);
/* The stream's latest operation is left out. */
void clocks_add_left_out(struct stream *stream);
/* It writes all of the memory, which is new. */
void clocks_allocate(struct clocks *clocks, struct stream *stream, uint32_t call, uint32_t site);

/* The last operation of the stream that one with these effects has to come after; 0: none. */
uint32_t clocks_last_touched(const struct clocks *clocks, uint32_t stream,
			     const struct effects *effects);

/* How many of the numbers are `most` or less. */
uint32_t numbers_up_to(const struct numbers *numbers, uint32_t most);

static inline uint32_t clocks_most(uint32_t a, uint32_t b)
{
	return a > b ? a : b;
}

#endif
