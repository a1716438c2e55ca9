/* advice/diff/diff.h: what changed from one run to another: `vflow diff`. */
#ifndef VFLOW_ADVICE_DIFF_DIFF_H
#define VFLOW_ADVICE_DIFF_DIFF_H

#include <stdbool.h>
#include <stdio.h>

#include "advice/diff/join.h"

/* A number of the whole run. */
struct diff_number {
	const char *name;  /* in JSON: "written_bytes" */
	const char *title; /* for people */
	enum { DIFF_COUNT, DIFF_BYTES, DIFF_NS } unit;
	uint64_t before, after; /* PROFILE_UNKNOWN: not known */
};

/* What an operation did in all of its invocations. */
struct diff_work {
	uint64_t calls, read_bytes, written_bytes;
	uint64_t time_ns; /* on the device; PROFILE_UNKNOWN: not known */
};

struct diff_change {
	struct diff_pair vertices; /* indices */
	struct diff_work before, after;
};

struct diff {
	const struct diff_join *join;
	const char *before_file, *after_file;
	uint64_t top; /* rows of each list to show; 0: all */
	bool colour;
	bool of_memory; /* the findings are those of memory_detect() */
	struct diff_number *numbers;
	uint32_t number_count;
	/* Operations that are gone, new, or did something else: most time first, else most bytes.
	 */
	struct diff_change *changes;
	uint32_t change_count;
	bool timed; /* by time */
};

/* Fills the numbers and the changes. */
void diff_count(struct diff *diff);
void diff_release(struct diff *diff);

void diff_text(const struct diff *diff, FILE *out);
void diff_json(const struct diff *diff, FILE *out);
void diff_markdown(const struct diff *diff, FILE *out);
/* Both graphs as one, in DOT: attribute `change` is gone, new, changed or same. */
void diff_dot(const struct diff *diff, FILE *out);

/* "gone", "new", "changed" */
const char *diff_change_name(struct diff_pair vertices);
/* Whether any operation but the host is in both runs. */
bool diff_is_alike(const struct diff *diff);

/* "64.0K", "3.10 ms", "12" */
char *diff_amount(const struct diff_number *number, uint64_t value);
/* ", 12.3% less"; "" where nothing changed or is known.  Caller frees. */
char *diff_ratio(uint64_t before, uint64_t after);
/* "6 -> 3 calls, 1.0M -> 512K, 3.10 ms -> 1.55 ms": what of the two differs.  Caller frees. */
char *diff_work_words(const struct diff_change *change);

#endif
