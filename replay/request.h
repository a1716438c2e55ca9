/*
 * replay/request.h: changes as people write them.
 *
 * A list of "31" (vertex), "a7" (row 7 of table api) and "c120" (row 120 of table timeline), each
 * but the last with ":4" or ":2-5" behind it for some invocations, and with "=VALUE" where the
 * change takes one.
 */
#ifndef VFLOW_REPLAY_REQUEST_H
#define VFLOW_REPLAY_REQUEST_H

#include "replay/replay.h"
#include "util/options.h"

/* Starts as zeros. */
struct request {
	struct replay_change *changes;
	uint32_t count, capacity;
};

/* The option of `vflow whatif` that asks for the change, without its dashes. */
const char *request_option(enum replay_change_kind kind);

/* Adds what the option was given; -1: it is not understood. */
int request_add(struct request *request, enum replay_change_kind kind,
		const struct option_list *list, struct error *error);
/*
 * Gives the changes of --after-use that say no time the shortest one from the wait to the first use
 * of what it protects, which the pass `use` has measured.  -1: it is not known.
 */
int request_measure(struct request *request, const struct profile *profile, struct error *error);
void request_release(struct request *request);

/* "vertex 31", "a7, invocations 2 to 5"; the caller frees it. */
char *request_subject(const struct replay_change *change);

#endif
