/*
 * replay/memory.h: the most memory of the device that the run would have had allocated, had it
 * freed objects earlier or later, and allocated them later or earlier.
 *
 * Changes are a list of "7" (all objects that vertex 7 allocated) and "o12" (row 12 of table
 * object), each with "=4" behind it for GPU API call 4 of its process, as `vflow report --memory`
 * counts them; without it, the object's own last access, or first one.
 */
#ifndef VFLOW_REPLAY_MEMORY_H
#define VFLOW_REPLAY_MEMORY_H

#include <stdbool.h>
#include <stdio.h>

#include "graph/profile/profile.h"
#include "util/error.h"
#include "util/options.h"

enum memory_change_kind { MEMORY_FREE_AFTER, MEMORY_ALLOC_BEFORE, MEMORY_CHANGES };

struct memory_change {
	enum memory_change_kind kind;
	bool one;       /* an object, else all of a site */
	uint32_t index; /* of profile->objects; or vertex id of the site */
	uint64_t call;  /* from 0; PROFILE_UNKNOWN: of its own accesses */
};

/* Starts as zeros. */
struct memory_request {
	struct memory_change *changes;
	uint32_t count, capacity;
};

/* The option of `vflow whatif` that asks for the change, without its dashes. */
const char *memory_request_option(enum memory_change_kind kind);
/* Adds what the option was given; -1: it is not understood. */
int memory_request_add(struct memory_request *request, enum memory_change_kind kind,
		       const struct option_list *list, struct error *error);
void memory_request_release(struct memory_request *request);

/* The most bytes of a process at a time, and the GPU API call (from 0) at which that was first. */
struct memory_most {
	uint64_t bytes, call;
	uint32_t process; /* index into profile->processes */
};

struct memory_outcome {
	struct memory_most before, after; /* of the process that has most */
	uint64_t objects, bytes;          /* that are there at other times than in the run */
	uint64_t accessed_outside;        /* of these, accessed when they would not be there */
	uint64_t unseen;                  /* of these, maybe accessed by what was not seen */
	uint64_t unaccessed; /* that were meant, and have no access to be moved to: unchanged */
};

/* -1: a change is about nothing that there is, or the profile lacks lifetimes.  Of several changes
 * of one kind to an object the last one holds. */
int memory_replay(const struct profile *profile, const struct memory_request *request,
		  struct memory_outcome *outcome, struct error *error);

void memory_outcome_text(FILE *out, const struct profile *profile,
			 const struct memory_outcome *outcome);
void memory_outcome_json(FILE *out, const struct profile *profile,
			 const struct memory_outcome *outcome);

#endif
