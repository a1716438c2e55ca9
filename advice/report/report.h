/* advice/report/report.h: the forms in which `vflow report` prints findings. */
#ifndef VFLOW_ADVICE_REPORT_REPORT_H
#define VFLOW_ADVICE_REPORT_REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "advice/advice.h"
#include "advice/report/finding_ids.h"
#include "advice/report/suppressions.h"
#include "util/json.h"

struct report {
	const struct profile *profile; /* with the findings of `options` */
	struct advice_options options;
	const char *thresholds; /* advice_other_thresholds(), before `options` were used */
	const char *file; /* operand of the command, for the commands that are suggested; or NULL */
	const char *folder; /* where the command runs; sources below it are the program's own */
	uint64_t top;       /* findings to show; 0: all */
	uint64_t max_lines; /* of Markdown; 0: no limit */
	bool brief;         /* in text, nothing but a line for each */
	bool of_memory;     /* the findings are those of memory_detect() */
	bool colour;
	bool as_found; /* `options` have no effect: the findings are those of the file */
	/* Of each finding; but for the ids they may be NULL. */
	const struct finding_id *ids;
	const struct suppression *const *suppressed; /* by what; NULL: it is not */
	const bool *fresh; /* it is not in the baseline; without one NULL */
	const bool *fails; /* it makes the command fail, see gate.h */
};

void report_text(const struct report *report, FILE *out);
void report_json(const struct report *report, FILE *out);
/* SARIF 2.1.0, which code scanning and editors read. */
void report_sarif(const struct report *report, FILE *out);
/* Commands that a workflow of GitHub takes from the output of its steps: annotations of lines. */
void report_github(const struct report *report, FILE *out);
void report_markdown(const struct report *report, FILE *out);

/* What is suppressed and why, as a part of the text; nothing where nothing is. */
void report_text_suppressed(const struct report *report, FILE *out);
/* Members of the JSON object of a finding, which the caller begins and ends. */
void report_json_finding(const struct report *report, uint32_t finding, struct json *json);

/* NULL: it is not. */
const struct suppression *report_suppression(const struct report *report, uint32_t finding);
/*
 * Whether it says how things are and calls for nothing, with this input: it is told apart from the
 * findings, in no number of them, and never fails a gate.
 */
bool report_is_note(const struct report *report, uint32_t finding);
/* Of the findings that are neither suppressed nor notes, how many there are, and how many are
 * shown. */
uint32_t report_count(const struct report *report);
uint32_t report_shown(const struct report *report);
uint32_t report_suppressed_count(const struct report *report);
/* Why there are none to show. */
const char *report_none(const struct report *report);
/*
 * The next finding to show, from the index `first` on; finding_count: none.  `*left` is
 * report_shown() at first.
 */
uint32_t report_next(const struct report *report, uint32_t first, uint32_t *left);

#endif
