/* replay/memory_request.c: changes of allocations as people write them; see replay/memory.h. */
#include <stdlib.h>
#include <string.h>

#include "replay/memory.h"
#include "util/memory.h"

enum { CHANGES_MAX = 100000 };

const char *memory_request_option(enum memory_change_kind kind)
{
	return kind == MEMORY_FREE_AFTER ? "free-after" : "alloc-before";
}

/* A decimal number at the start of *text, which moves behind it. */
static int take_number(const char **text, uint64_t most, uint64_t *number)
{
	const char *digits = *text;

	*number = 0;
	for (; **text >= '0' && **text <= '9'; ++*text) {
		uint64_t digit = (uint64_t)(**text - '0');

		if (*number > (most - digit) / 10)
			return -1;
		*number = 10 * *number + digit;
	}
	return *text == digits ? -1 : 0;
}

static int parse(const char *text, struct memory_change *change)
{
	uint64_t number;

	change->one = *text == 'o';
	text += change->one;
	if (take_number(&text, UINT32_MAX - 1, &number) != 0)
		return -1;
	if (change->one && !number--) /* rows of tables count from 1 */
		return -1;
	change->index = (uint32_t)number;
	change->call = PROFILE_UNKNOWN;
	if (!*text)
		return 0;
	if (*text++ != '=' || take_number(&text, INT64_MAX, &change->call) != 0 || *text)
		return -1;
	return change->call-- ? 0 : -1;
}

static int add_item(struct memory_request *request, enum memory_change_kind kind, const char *item,
		    struct error *error)
{
	struct memory_change change = {.kind = kind};

	if (parse(item, &change) != 0)
		return error_set(error,
				 "--%s %s: expected a vertex that allocates, like 7, or an object, "
				 "like o12, alone or with the number of a GPU API call, like 7=4",
				 memory_request_option(kind), item);
	if (request->count == CHANGES_MAX)
		return error_set(error, "more than %d changes", CHANGES_MAX);
	ARRAY_RESERVE(request->changes, request->count, request->capacity);
	request->changes[request->count++] = change;
	return 0;
}

int memory_request_add(struct memory_request *request, enum memory_change_kind kind,
		       const struct option_list *list, struct error *error)
{
	for (uint32_t i = 0; i < list->count; i++) {
		const char *rest = list->items[i];

		do {
			size_t size = strcspn(rest, ",");
			char *item = xstrndup(rest, size);
			int result = add_item(request, kind, item, error);

			free(item);
			if (result != 0)
				return -1;
			rest += size;
		} while (*rest++ == ',');
	}
	return 0;
}

void memory_request_release(struct memory_request *request)
{
	free(request->changes);
	*request = (struct memory_request){NULL, 0, 0};
}
