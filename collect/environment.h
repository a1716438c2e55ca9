/*
 * collect/environment.h: the variables that a target finds in its environment beside the user's.
 */
#ifndef VFLOW_COLLECT_ENVIRONMENT_H
#define VFLOW_COLLECT_ENVIRONMENT_H

#include <stdint.h>

struct environment_variable {
	const char *name;
	char *value; /* NULL: the target does not find it, whatever vflow's own environment says */
};

/* Zeroed: none. */
struct environment {
	struct environment_variable *variables;
	uint32_t count, capacity;
};

/* Adds a variable; a later one of the same name counts.  Copies the value, not the name. */
void environment_set(struct environment *environment, const char *name, const char *value);

/* Sets and unsets them all in this process.  Returns 0, or -1 with errno. */
int environment_apply(const struct environment *environment);

void environment_release(struct environment *environment);

#endif
