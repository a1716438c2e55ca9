/* gpu/emulator/state/nested.c: see nested.h.  With the device's lock held: one kernel runs at a
 * time. */
#include "gpu/emulator/state/nested.h"

#include <stdlib.h>

#include "gpu/emulator/state/memory.h"

#define WAITING_LIMIT (1u << 20)

void nested_start(struct nested *nested)
{
	*nested = (struct nested){0};
}

static struct nested_operation *append(struct nested *nested, const struct nested_operation *what)
{
	struct nested_operation *made;

	if (nested->count == WAITING_LIMIT)
		return NULL;
	made = malloc(sizeof(*made));
	if (!made)
		return NULL;
	*made = *what;
	made->next = NULL;
	made->previous = nested->last;
	if (nested->last)
		nested->last->next = made;
	else
		nested->first = made;
	nested->last = made;
	nested->count++;
	return made;
}

uint64_t nested_prepare(struct nested *nested, const struct nested_operation *what)
{
	struct allocation *allocation = memory_allocate(what->kernel->parameter_bytes + 16, 256);
	struct nested_operation *made = allocation ? append(nested, what) : NULL;

	if (!made) {
		if (allocation)
			memory_release(allocation);
		return 0;
	}
	allocation->kind = MEMORY_KIND_HEAP;
	made->parameters = allocation;
	return allocation->address;
}

bool nested_launch(struct nested *nested, uint64_t parameters)
{
	/* mostly one of the last */
	for (struct nested_operation *each = nested->last; each; each = each->previous)
		if (each->parameters && each->parameters->address == parameters && !each->launched)
			return each->launched = true;
	return false;
}

bool nested_copy(struct nested *nested, uint64_t to, uint64_t from, uint64_t bytes)
{
	return append(nested, &(struct nested_operation){.to = to, .from = from, .bytes = bytes});
}

struct nested_operation *nested_take(struct nested *nested)
{
	struct nested_operation *operation = nested->first;

	if (!operation)
		return NULL;
	nested->first = operation->next;
	nested->count--;
	if (nested->first)
		nested->first->previous = NULL;
	else
		nested->last = NULL;
	return operation;
}

void nested_end(struct nested_operation *operation)
{
	if (operation->parameters)
		memory_release(operation->parameters);
	free(operation);
}
