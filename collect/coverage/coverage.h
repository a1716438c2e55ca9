/*
 * collect/coverage/coverage.h: the rows of coverage.def, by number and by name.
 *
 * Providers and the guest say COVERAGE_... ; traces and profiles store names; what is said to
 * people is made from a row and a detail, by the vflow process only.
 *
 * A leaf: includes nothing of vflow's but its table.
 */
#ifndef VFLOW_COLLECT_COVERAGE_COVERAGE_H
#define VFLOW_COLLECT_COVERAGE_COVERAGE_H

#include <stdbool.h>
#include <stdint.h>

/* What may have been done unseen: bits.  See coverage.def. */
enum coverage_hides {
	COVERAGE_HIDES_NOTHING = 0,
	COVERAGE_HIDES_READS = 1,
	COVERAGE_HIDES_WRITES = 2,
	COVERAGE_HIDES_BOTH = COVERAGE_HIDES_READS | COVERAGE_HIDES_WRITES,
	COVERAGE_HIDES_LAUNCHES = 4,
	COVERAGE_HIDES_ENDS = 8,
};

/* Numbers of one build: never on disk. */
enum coverage_id {
	COVERAGE_NONE,
#define COVERAGE(id, words, hides, sentence) COVERAGE_##id,
#include "collect/coverage/coverage.def"
#undef COVERAGE
	COVERAGE_END
};

struct coverage_row {
	enum coverage_id id;
	enum coverage_hides hides;
	const char *name;             /* "TEXTURE_READS" */
	const char *words, *sentence; /* one %s in both together at most: the detail */
};

/* Rows are static; NULL: there is none of this number (COVERAGE_NONE, too) or name. */
const struct coverage_row *coverage_row(uint32_t id);
const struct coverage_row *coverage_named(const char *name);

/* Whether this is the name of the row; `name` may be NULL, that of no row. */
bool coverage_is(const char *name, enum coverage_id id);

/* -- collect/coverage/text.c: not in the guest --------------------------------------------- */

/*
 * The row that people read so, for traces and profiles that hold no names; both texts are as
 * profile_add_coverage() makes them.  Where several rows may read so, the one whose own text is
 * longest.  NULL: none does.
 */
const struct coverage_row *coverage_of_text(const char *what, const char *reason);

/* A row's words or sentence with the detail (NULL: none) in the place of %s.  Caller frees. */
char *coverage_text(const char *words, const char *detail);

#endif
