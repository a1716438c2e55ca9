/* advice/stall/lines.h: the machine code of kernels, with samples beside each instruction. */
#ifndef VFLOW_ADVICE_STALL_LINES_H
#define VFLOW_ADVICE_STALL_LINES_H

#include <stdio.h>

#include "advice/stall/report.h"
#include "util/error.h"

/*
 * Of all kernels in whose name, mangled or not, the Perl-compatible regular expression is found.
 * -1: it is none, or there is no such kernel.
 */
int stall_lines_print(const struct report_stalls *report, const char *expression, FILE *out,
		      struct error *error);

#endif
