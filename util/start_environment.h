/*
 * util/start_environment.h: variables as the process was started with them.  A program may clear
 * its environment before its first CUDA call, and is to be observed all the same.
 */
#ifndef VFLOW_UTIL_START_ENVIRONMENT_H
#define VFLOW_UTIL_START_ENVIRONMENT_H

/*
 * The variable's value now or, where it is not set, as it was then; NULL: neither, or the process
 * has another user's rights.  Valid as long as the process.  For the profiled program: ends
 * nothing.
 */
const char *start_variable(const char *name);

#endif
