/*
 * collect/guest/watch/request.h: what threads of the program ask the watcher to do; see watch.h.
 * Any of them may, at any time: one request is made after the other.
 */
#ifndef VFLOW_COLLECT_GUEST_WATCH_REQUEST_H
#define VFLOW_COLLECT_GUEST_WATCH_REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define REQUEST_BYTES 64

/*
 * Has the watcher call act() with a copy of the argument, whose place it might have to wait for,
 * and returns when it has, with the copy.  False: nobody takes requests any more.
 */
bool request_make(pid_t watcher, void (*act)(void *argument), void *argument, size_t size);
/* In the watcher: does what it is asked for, if anything. */
void request_take(void);
/* In act(): this is the last one. */
void request_close(void);

#endif
