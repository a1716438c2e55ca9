/*
 * collect/guest/watch/calls.h: calls of the program that go otherwise while pages are taken away.
 *
 * The kernel tells of most of what the program does to its memory; of these it does not:
 *
 *   mremap()                   fails where only a part of a mapping is watched: all that is watched
 *                              there is given back before
 *   seccomp(), prctl()         the program forbids itself system calls, maybe those that give pages
 *                              back: all is given back before, and nothing is watched any more
 *   open() of /proc/self/mem   reads of it fail where pages are taken away: likewise
 *
 * The files that are loaded get other functions of these names (collect/guest/imports.h).  System
 * calls that a program makes by instructions of its own are not seen.
 */
#ifndef VFLOW_COLLECT_GUEST_WATCH_CALLS_H
#define VFLOW_COLLECT_GUEST_WATCH_CALLS_H

#include <stdbool.h>

struct dl_phdr_info;

/* Finds the functions, before anything is watched. */
void calls_start(void);
/* Has a loaded file call ours; under the loader's lock.  Nothing before calls_start(). */
void calls_find(const struct dl_phdr_info *info);
#define CALLS_MEMORY_OPEN "the program opens its own memory as a file (/proc/self/mem)"
/* Whether a descriptor of the process is its own memory. */
bool calls_has_memory_open(void);

#endif
