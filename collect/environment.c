#include "collect/environment.h"

#include <stdlib.h>

#include "util/memory.h"

void environment_set(struct environment *environment, const char *name, const char *value)
{
	ARRAY_RESERVE(environment->variables, environment->count, environment->capacity);
	environment->variables[environment->count++] =
		(struct environment_variable){name, value ? xstrdup(value) : NULL};
}

int environment_apply(const struct environment *environment)
{
	for (uint32_t i = 0; i < environment->count; i++) {
		const struct environment_variable *variable = &environment->variables[i];

		if (variable->value ? setenv(variable->name, variable->value, 1) != 0
				    : unsetenv(variable->name) != 0)
			return -1;
	}
	return 0;
}

void environment_release(struct environment *environment)
{
	for (uint32_t i = 0; i < environment->count; i++)
		free(environment->variables[i].value);
	free(environment->variables);
	*environment = (struct environment){0};
}
