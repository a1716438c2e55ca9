/* util/format/markdown.h: text in Markdown. */
#ifndef VFLOW_UTIL_FORMAT_MARKDOWN_H
#define VFLOW_UTIL_FORMAT_MARKDOWN_H

#include <stdio.h>

/* Nothing of the text is taken for markup, and a row of a table stays one. */
void markdown_text(FILE *out, const char *text);

#endif
