/*
 * collect/guest/watch/request.h: what threads of the program ask the watcher to do, one request at
 * a time; see watch.h.
 */
#ifndef VFLOW_COLLECT_GUEST_WATCH_REQUEST_H
#define VFLOW_COLLECT_GUEST_WATCH_REQUEST_H

#include <sys/types.h>

/* Has the watcher call act(argument), and returns when it has. */
void request_make(pid_t watcher, void (*act)(void *argument), void *argument);
/* In the watcher: does what it is asked for, if anything. */
void request_take(void);

#endif
