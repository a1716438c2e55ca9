/*
 * advice/operation_names.h: names of a profile's operations that stay as they are when its program
 * is edited: what was called, from which functions; not on which lines, which move.
 */
#ifndef VFLOW_ADVICE_OPERATION_NAMES_H
#define VFLOW_ADVICE_OPERATION_NAMES_H

#include "graph/profile/profile.h"

struct operation_name {
	uint32_t vertex; /* index */
	char *name;      /* kind, name and functions: several operations may share it */
	char *place;     /* lines of the functions, outermost first: equal in equal binaries */
};

struct operation_names {
	/* by name, then in the order of the source, outermost function first */
	struct operation_name *items;
	uint32_t count;
	uint32_t *of; /* vertex index: place in items */
};

struct operation_names *operation_names_new(const struct profile *profile);
void operation_names_free(struct operation_names *names);
/* Of the vertex with this id; "" for one that is not in the graph. */
const char *operation_names_of(const struct operation_names *names, const struct profile *profile,
			       uint32_t id);
const char *operation_names_place(const struct operation_names *names,
				  const struct profile *profile, uint32_t id);
/* Of calls that are no vertex: their call path without numbers of lines.  Caller frees. */
char *operation_names_of_calls(const struct profile_api *api);

#endif
