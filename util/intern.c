/* util/intern.c: see intern.h. */
#include "util/intern.h"

#include <stdlib.h>
#include <string.h>

#include <uthash.h>

#include "util/memory.h"

struct intern_text {
	uint32_t number;
	UT_hash_handle hh;
	char text[];
};

bool intern_text(struct intern *intern, const char *text, uint32_t *number)
{
	size_t size = strlen(text);
	struct intern_text *found;

	HASH_FIND(hh, intern->texts, text, size, found);
	if (found) {
		*number = found->number;
		return false;
	}
	found = xmalloc(sizeof(*found) + size + 1);
	memcpy(found->text, text, size + 1);
	*number = found->number = HASH_COUNT(intern->texts) + 1;
	HASH_ADD_KEYPTR(hh, intern->texts, found->text, size, found);
	return true;
}

void intern_release(struct intern *intern)
{
	struct intern_text *text, *next;

	HASH_ITER(hh, intern->texts, text, next)
	{
		HASH_DEL(intern->texts, text);
		free(text);
	}
}
