/* graph/build/coverage.c: see build/coverage.h. */
#include "graph/build/coverage.h"

#include <stdlib.h>
#include <string.h>

#include "collect/coverage/coverage.h"
#include "graph/symbols.h"
#include "util/cxx_name.h"
#include "util/mangled.h"
#include "util/memory.h"
#include "util/text.h"

#define ROWS_MAX 4096
#define TEXT_LIMIT 4096
#define NAME_LIMIT 80

struct row {
	bool named;  /* by a name of coverage.def and a detail, else by words and a sentence */
	char *first; /* name or words */
	char *second;
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

static char *clean(const char *text)
{
	return text_clean(text, strlen(text), TEXT_LIMIT);
}

static bool are_equal(const struct row *a, const struct row *b)
{
	return a->named == b->named && !strcmp(a->first, b->first) && !strcmp(a->second, b->second);
}

int coverage_take(struct coverage *coverage, const struct trace_coverage *record,
		  struct error *error)
{
	struct row row = {.named = record->record.type == TRACE_COVERAGE,
			  .first = clean(trace_text(&record->record, record->text, 0)),
			  .second = clean(trace_text(&record->record, record->text, 1)),
			  .count = record->count,
			  .bytes = record->bytes};
	uint32_t i = 0;

	while (i < coverage->count && !are_equal(&coverage->rows[i], &row))
		i++;
	if (i < coverage->count || i == ROWS_MAX) {
		free(row.first);
		free(row.second);
	}
	if (i == ROWS_MAX)
		return error_set(error, "more than %d kinds of coverage", ROWS_MAX);
	if (i < coverage->count) {
		coverage->rows[i].count = row.count;
		coverage->rows[i].bytes = row.bytes;
		return 0;
	}
	ARRAY_RESERVE(coverage->rows, coverage->count, coverage->capacity);
	coverage->rows[coverage->count++] = row;
	return 0;
}

/* A mangled name of a kernel, which is the detail or the sentence's last word: "by gemm<float>". */
static void demangle_end(struct row *row)
{
	const char *space = strrchr(row->second, ' ');
	const char *name = mangled_in_source(space ? space + 1 : row->second);
	char *demangled, *plain, *whole;

	if (strncmp(name, "_Z", 2) != 0 || !mangled_is_short(name))
		return;
	demangled = symbols_demangle(name);
	plain = cxx_plain_name(demangled, NAME_LIMIT);
	whole = xasprintf("%.*s%s", space ? (int)(space + 1 - row->second) : 0, row->second, plain);
	free(row->second);
	row->second = clean(whole);
	free(demangled);
	free(plain);
	free(whole);
}

/* Two texts that people read, as words of the run or of the graph's own. */
static void say_texts(struct profile *profile, const char *passes, const char *what,
		      const char *reason, uint64_t count, uint64_t bytes)
{
	char *detail;

	if (!passes) {
		profile_add_coverage_text(profile, what, reason, count, bytes);
		return;
	}
	detail = xasprintf("%s: %s: %s", passes, what, reason);
	profile_add_coverage(profile, COVERAGE_PASS_SAYS, detail, count, bytes);
	free(detail);
}

void coverage_say(struct profile *profile, const char *passes, enum coverage_id id,
		  const char *detail, uint64_t count, uint64_t bytes)
{
	const struct coverage_row *row = coverage_row(id);
	char *what, *reason;

	if (!passes) {
		profile_add_coverage(profile, id, detail, count, bytes);
		return;
	}
	what = coverage_text(row->words, detail);
	reason = coverage_text(row->sentence, detail);
	say_texts(profile, passes, what, reason, count, bytes);
	free(what);
	free(reason);
}

static void add_to_profile(const struct row *row, struct profile *profile, const char *passes)
{
	const struct coverage_row *known = row->named ? coverage_named(row->first) : NULL;
	char *unknown;

	if (!row->named) {
		say_texts(profile, passes, row->first, row->second, row->count, row->bytes);
	} else if (known) {
		coverage_say(profile, passes, known->id, row->second, row->count, row->bytes);
	} else {
		unknown = xasprintf("%s%s%s", row->first, *row->second ? ", " : "", row->second);
		coverage_say(profile, passes, COVERAGE_UNKNOWN, unknown, row->count, row->bytes);
		free(unknown);
	}
}

void coverage_free(struct coverage *coverage, struct profile *profile, const char *passes)
{
	for (uint32_t i = 0; i < coverage->count; i++) {
		struct row *row = &coverage->rows[i];

		demangle_end(row);
		add_to_profile(row, profile, passes);
		free(row->first);
		free(row->second);
	}
	free(coverage->rows);
	free(coverage);
}

void coverage_damaged(struct profile *profile, const char *passes, const struct error *why)
{
	char *text = clean(why->text);

	coverage_say(profile, passes, COVERAGE_TRACE_DAMAGED, text, 1, 0);
	free(text);
}
