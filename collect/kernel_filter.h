/*
 * collect/kernel_filter.h: the regular expression of --kernel.
 *
 * Part of the launcher, which checks the expression, and of the guest, which applies it; so it ends
 * no process and says nothing.
 */
#ifndef VFLOW_COLLECT_KERNEL_FILTER_H
#define VFLOW_COLLECT_KERNEL_FILTER_H

#include "util/error.h"

struct kernel_filter;

/* PCRE2; NULL: it is not valid, or there is no memory. */
struct kernel_filter *kernel_filter_new(const char *expression, struct error *error);
void kernel_filter_free(struct kernel_filter *filter);

/*
 * Whether the expression is found in the kernel's mangled or demangled name: 1 or 0; -1: not
 * known, since the search would take too long.  Not thread-safe.
 */
int kernel_filter_matches(const struct kernel_filter *filter, const char *mangled);

#endif
