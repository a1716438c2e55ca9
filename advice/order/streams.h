/* advice/order/streams.h: which streams a run has, and which of them each of its rows is about. */
#ifndef VFLOW_ADVICE_ORDER_STREAMS_H
#define VFLOW_ADVICE_ORDER_STREAMS_H

#include "advice/order/order.h"
#include "advice/touches.h"

enum {
	STREAMS = 32,    /* of a process; with more nothing is said of it */
	NO_STREAM = 255, /* instead of an index */
};

struct stream_name {
	uint32_t device, number;
	bool called;      /* else it is not known whether it is ordered with the default stream */
	bool nonblocking; /* ... and it is not */
};

struct process {
	uint32_t first, end; /* its calls */
	bool fits;           /* else it has too many streams */
	uint32_t stream_count;
	struct stream_name streams[STREAMS];
};

struct order {
	const struct profile *profile;
	const struct timing *timing;
	const enum operation *operations; /* per vertex of the graph */
	struct touches *touches;
	struct process *processes;
	uint32_t process_count, process_capacity;
	/* Indices among the streams of the process, by row of the timeline, waits, stream_orders.
	 */
	unsigned char *of_call, *of_wait, *of_order;
};

/* The stream's index; NO_STREAM: there are too many. */
uint32_t order_add_stream(struct stream_name *streams, uint32_t *count, uint32_t device,
			  uint32_t number);

#endif
