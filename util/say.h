/*
 * util/say.h: words from inside somebody else's process.
 */
#ifndef VFLOW_UTIL_SAY_H
#define VFLOW_UTIL_SAY_H

/*
 * Writes the line, which ends with a newline, to stderr by one write(2): stdio belongs to the
 * program, and lines of several threads and processes do not mix.  When nobody reads it, it is
 * lost; the program gets no SIGPIPE or SIGXFSZ for what it did not write.  Keeps errno.
 */
void say(const char *line);

#endif
