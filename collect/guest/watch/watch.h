/*
 * collect/guest/watch/watch.h: who touches ranges of the host's memory first, and which of their
 * pages are touched at all.
 *
 * A range is taken out of the program's sight page by page (userfaultfd).  Who touches a page waits
 * in the kernel, in an instruction or in a system call, until a thread of ours has seen who it is
 * and has put the page back: no access fails, and no content changes.  That thread takes no lock of
 * anybody's and has file descriptors of its own, which the program cannot close.
 *
 * The functions are called by one thread at a time, which must not be in a signal handler, but for
 * watch_give_back() and watch_end_all(): any may call those at any time.
 */
#ifndef VFLOW_COLLECT_GUEST_WATCH_WATCH_H
#define VFLOW_COLLECT_GUEST_WATCH_WATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/error.h"

#define WATCH_FRAMES 128
#define WATCHES_MAX 320 /* ranges at a time */

enum watch_kind {
	WATCH_NEVER = 0,
	WATCH_INSTRUCTION,
	WATCH_SYSTEM_CALL, /* the kernel, on behalf of the thread */
};

struct watch_use {
	enum watch_kind kind;
	bool write;
	uint64_t ns;        /* of CLOCK_MONOTONIC */
	uint64_t common_ns; /* of the clock that watch_start() was given */
	/* Addresses of code, innermost first: of the instruction, then of calls. */
	uintptr_t frames[WATCH_FRAMES];
	uint32_t frame_count; /* 0: not known */
};

struct watch_result {
	struct watch_use first;
	/* Of the range; touched ones are counted in groups, and are at least those that were. */
	uint64_t pages, touched;
	/*
	 * Some of the range was not watched all the time before the first use: somebody touched
	 * other bytes of a page, or moved or unmapped it.
	 */
	bool gap;
};

struct watch;

/*
 * Begins to watch, with a clock that takes no lock and needs no memory but its own: 0, or -1 with a
 * sentence that says why nothing can be watched here.  Makes a thread, and takes a signal that
 * nobody uses.
 */
int watch_start(uint64_t (*clock)(void), struct error *why);

enum watch_for {
	WATCH_TOUCHES,
	WATCH_WRITES, /* what reads the range, a device too, goes on as always */
};

/*
 * Takes away the pages of the range, or protects them.  NULL: they cannot be (*why: a constant
 * sentence, maybe NULL), or there are WATCHES_MAX already.  WATCH_TOUCHES ends other watches of
 * these pages; WATCH_WRITES does not where nobody has touched their ranges yet: then it is NULL.
 */
struct watch *watch_arm(uintptr_t address, size_t bytes, enum watch_for what, const char **why);

/* Gives the pages back, and says who touched them; `watch` is gone. */
void watch_end(struct watch *watch, struct watch_result *result);

/* Ends the watches of all pages in the range; watch_end() says what they have seen. */
void watch_give_back(uintptr_t address, size_t bytes);
/*
 * The same of all pages, and for ever: nothing is watched from now on.  `why`: a constant sentence.
 * `threads`: the watcher's are ended, too.
 */
void watch_end_all(const char *why, bool threads);
/* That sentence; NULL: ranges may be watched. */
const char *watch_ended(void);

/* Whether the range of the watch and this one have a byte in common. */
bool watch_overlaps(const struct watch *watch, uintptr_t address, size_t bytes);

#endif
