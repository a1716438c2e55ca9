/* advice/report/page.h: text on lines that are no wider than the terminal, nor than 100 columns. */
#ifndef VFLOW_ADVICE_REPORT_PAGE_H
#define VFLOW_ADVICE_REPORT_PAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum {
	PAGE_LABEL = 15, /* columns before the text of a field */
};

/* Columns of its lines: 100, or those of a narrower terminal. */
size_t page_width(FILE *out);

/* Columns of the text, taking every character for one column wide. */
size_t page_columns(const char *text);
/* Prints the text from column `indent` on (where the cursor is), wrapped, and ends the line. */
void page_wrap(FILE *out, size_t indent, const char *text);
void page_heading(bool colour, FILE *out, const char *text);
void page_field(FILE *out, const char *label, const char *text);

#endif
