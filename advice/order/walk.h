/*
 * advice/order/walk.h: the calls of a run in order.  A question is told what has to be done before
 * what, and what the waits cover.
 */
#ifndef VFLOW_ADVICE_ORDER_WALK_H
#define VFLOW_ADVICE_ORDER_WALK_H

#include "advice/order/clocks.h"

struct walk;

struct question {
	const struct question_kind *kind;
	struct clock needed; /* of the process: what those waits cover that are needed */
	bool asks;           /* it has to be told what needs what */
};

struct question_kind {
	/* Of a process; fits: else its calls are not walked.  begin may be NULL. */
	void (*begin)(struct walk *walk, struct question *question, const struct process *process);
	void (*end)(struct walk *walk, struct question *question, const struct process *process);
	/*
	 * Operations of the stream after the first `from` ones, up to number `to`, have to be done
	 * before what comes now, after `clock` in stream `by` or, both NULL, on the host.
	 */
	void (*need)(struct walk *walk, struct question *question, uint32_t stream, uint32_t from,
		     uint32_t to, enum wait_need why, struct stream *by, const struct clock *clock);
	/* likely: what it does on a GPU, without a promise */
	void (*wait)(struct walk *walk, struct question *question, uint32_t call,
		     const struct clock *clock, const struct clock *likely);
	/* An operation that is left out comes next in the stream, after `clock`.  May be NULL. */
	void (*left_out)(struct walk *walk, struct question *question, uint32_t call,
			 struct stream *stream, const struct clock *clock);
	/* Takes the operation elsewhere than to its stream; false: it does not.  May be NULL. */
	bool (*move)(struct walk *walk, struct question *question,
		     const struct profile_gpu_time *time, const struct effects *effects);
};

struct walk {
	const struct order *order;
	const unsigned char *needs; /* by call; NULL, and `spared` 0: no wait is spared */
	unsigned spared;            /* bits of enum wait_need: waits that are so are not there */
	struct question *question;
	struct clocks clocks;
};

void order_walk(struct walk *walk);

#endif
