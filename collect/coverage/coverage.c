/*
 * collect/coverage/coverage.c: see coverage.h.  Lives in profiled programs, too: no memory, no
 * messages.
 */
#include "collect/coverage/coverage.h"

#include <stddef.h>
#include <string.h>

static const struct coverage_row rows[] = {
#define COVERAGE(id, words, hides, sentence)                                                       \
	[COVERAGE_##id] = {COVERAGE_##id, COVERAGE_HIDES_##hides, #id, words, sentence},
#include "collect/coverage/coverage.def"
#undef COVERAGE
};

const struct coverage_row *coverage_row(uint32_t id)
{
	return id > COVERAGE_NONE && id < COVERAGE_END ? &rows[id] : NULL;
}

const struct coverage_row *coverage_named(const char *name)
{
	for (uint32_t id = COVERAGE_NONE + 1; id < COVERAGE_END; id++)
		if (!strcmp(rows[id].name, name))
			return &rows[id];
	return NULL;
}

bool coverage_is(const char *name, enum coverage_id id)
{
	return name && !strcmp(name, rows[id].name);
}
