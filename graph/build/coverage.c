/* graph/build/coverage.c: see build/coverage.h. */
#include "graph/build/coverage.h"

#include <stdlib.h>
#include <string.h>

#include "graph/symbols.h"
#include "util/cxx_name.h"
#include "util/mangled.h"
#include "util/memory.h"
#include "util/text.h"

#define ROWS_MAX 4096
#define TEXT_LIMIT 4096
#define NAME_LIMIT 80

struct row {
	char *what, *reason;
	uint64_t count, bytes;
};

struct coverage {
	struct row *rows;
	uint32_t count, capacity;
};

struct coverage *coverage_new(void)
{
	return xcalloc(1, sizeof(struct coverage));
}

int coverage_take(struct coverage *coverage, const char *what, const char *reason, uint64_t count,
		  uint64_t bytes, struct error *error)
{
	struct row row = {.what = text_clean(what, strlen(what), TEXT_LIMIT),
			  .reason = text_clean(reason, strlen(reason), TEXT_LIMIT),
			  .count = count,
			  .bytes = bytes};
	uint32_t i = 0;

	while (i < coverage->count && (strcmp(coverage->rows[i].what, row.what) ||
				       strcmp(coverage->rows[i].reason, row.reason)))
		i++;
	if (i < coverage->count || i == ROWS_MAX) {
		free(row.what);
		free(row.reason);
	}
	if (i == ROWS_MAX)
		return error_set(error, "more than %d kinds of coverage", ROWS_MAX);
	if (i < coverage->count) {
		coverage->rows[i].count = count;
		coverage->rows[i].bytes = bytes;
		return 0;
	}
	ARRAY_RESERVE(coverage->rows, coverage->count, coverage->capacity);
	coverage->rows[coverage->count++] = row;
	return 0;
}

/* "..., by gemm<float>": processes end some reasons with the mangled name of a kernel. */
static void demangle_end(struct row *row)
{
	const char *space = strrchr(row->reason, ' ');
	const char *name = mangled_in_source(space ? space + 1 : row->reason);
	char *demangled, *plain, *whole;

	if (strncmp(name, "_Z", 2) != 0 || !mangled_is_short(name))
		return;
	demangled = symbols_demangle(name);
	plain = cxx_plain_name(demangled, NAME_LIMIT);
	whole = xasprintf("%.*s%s", space ? (int)(space + 1 - row->reason) : 0, row->reason, plain);
	free(row->reason);
	row->reason = text_clean(whole, strlen(whole), TEXT_LIMIT);
	free(demangled);
	free(plain);
	free(whole);
}

void coverage_free(struct coverage *coverage, struct profile *profile)
{
	for (uint32_t i = 0; i < coverage->count; i++) {
		struct row *row = &coverage->rows[i];

		demangle_end(row);

		profile_add_coverage(profile, row->what, row->reason, row->count, row->bytes);
		free(row->what);
		free(row->reason);
	}
	free(coverage->rows);
	free(coverage);
}

void coverage_cut(struct profile *profile, const char *reason)
{
	char *clean = text_clean(reason, strlen(reason), TEXT_LIMIT);

	profile_add_coverage(profile, "trace", clean, 1, 0);
	free(clean);
}
