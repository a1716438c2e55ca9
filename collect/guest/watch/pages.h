/*
 * collect/guest/watch/pages.h: taking pages out of a process's sight and putting them back, with
 * userfaultfd.  Only the thread that called pages_open() calls the others.
 */
#ifndef VFLOW_COLLECT_GUEST_WATCH_PAGES_H
#define VFLOW_COLLECT_GUEST_WATCH_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/userfaultfd.h>

#include "util/error.h"

#define PAGE_BYTES ((size_t)4096)

/* Whole pages of the program's. */
struct pages {
	uintptr_t start;
	size_t size;
	bool written;   /* set by the caller: only writes are events; all pages stay mapped */
	bool shared;    /* memory that others may map, too: its pages stay where they are */
	uintptr_t kept; /* of private memory: where its pages are meanwhile */
};

/*
 * The descriptor to read events from, or -1 with why not.  `changing` is called while the kernel
 * does nothing because the program changes its mappings: it must read the events that say so.
 */
int pages_open(void (*changing)(void), struct error *why);

/* Returns 0, or -1 with *why, a constant sentence: then all is as before. */
int pages_take(struct pages *pages, const char **why);

/*
 * Puts pages back, at `to`, where they were unless the program has moved them; threads that wait
 * for them go on.  Pages that are unmapped by now are passed over.
 */
void pages_give(const struct pages *pages, size_t offset, size_t size, uintptr_t to);

/* Takes pages again that were given back where they were.  0 or -1. */
int pages_take_again(const struct pages *pages, size_t offset, size_t size);

/* What is kept of these pages is no longer wanted: the program has thrown them away. */
void pages_drop(const struct pages *pages, size_t offset, size_t size);

/* A page that nobody keeps: the one that the kernel would give. */
void pages_fill(uintptr_t page);

/* Nothing is kept any more. */
void pages_release(const struct pages *pages);
/* Faults in the range are no events any more. */
void pages_unregister(uintptr_t start, size_t size);

#endif
