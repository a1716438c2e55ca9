/*
 * advice/order/judge.h: which waits are needed, of those that could be spared: each is open until
 * something needs what it covers, or another one covers the same.
 */
#ifndef VFLOW_ADVICE_ORDER_JUDGE_H
#define VFLOW_ADVICE_ORDER_JUDGE_H

#include "advice/order/walk.h"
#include "util/pair_map.h"

struct open_wait { /* that protects nothing so far */
	uint32_t call;
	enum wait_need otherwise; /* what is said of it then */
	bool on_device; /* only what comes after operation `number` of this stream waits */
	uint32_t stream, number;
	struct clock covers;
};

struct judge_thread {
	struct clock needed; /* what those of its waits cover that are needed */
	struct clock all;    /* ... and all of them */
	struct clock likely; /* ... and what they do on a GPU, without a promise */
	bool waited;
};

struct judge {
	struct question question;
	unsigned char *needs; /* by call */
	bool downloads_aside; /* as if the host looked at nothing that was copied to it */
	bool once;            /* what is needed for one thing stays so */
	/* of the process */
	struct pair_map thread_map;
	struct judge_thread *threads;
	uint32_t thread_count, thread_capacity;
	struct open_wait *open;
	uint32_t open_count, open_capacity;
};

/* The caller frees judge->needs, once all is judged. */
void judge_new(struct judge *judge, const struct order *order, const struct question_kind *kind);
void judge_release(struct judge *judge);

void judge_call(struct judge *judge, uint32_t call, enum wait_need need);
void judge_open(struct judge *judge, const struct open_wait *wait);
struct judge_thread *judge_thread(struct judge *judge, uint32_t number);
/* Whether an operation in the clock, and not in `known`, is one that any wait may protect. */
bool judge_protects(const struct walk *walk, const struct judge *judge, const struct clock *clock,
		    const struct clock *known);
/* Whether it makes what begins now wait, on the device after `clock`, or, NULL, on the host. */
bool judge_makes_wait(const struct judge *judge, const struct open_wait *wait,
		      const struct clock *clock);

/* The members of the kind. */
void judge_need(struct walk *walk, struct question *question, uint32_t stream, uint32_t from,
		uint32_t to, enum wait_need why, struct stream *by, const struct clock *clock);
/* candidate: whether the wait is one of those that could be spared */
void judge_wait(struct walk *walk, struct judge *judge, uint32_t call, bool candidate,
		const struct clock *clock, const struct clock *likely);
/* last: what is said of the open ones at the end of the process; 0: what they are otherwise. */
void judge_end(struct judge *judge, enum wait_need last);

#endif
