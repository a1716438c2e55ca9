/*
 * util/mangled.h: mangled C++ names that are safe to demangle.
 */
#ifndef VFLOW_UTIL_MANGLED_H
#define VFLOW_UTIL_MANGLED_H

#include <stdbool.h>

#define MANGLED_MAX 8192 /* bytes of a name that is demangled at all */

/*
 * A mangled name may refer to its own parts again and again and stand for one that is longer by
 * orders of magnitude: 200 bytes can mean gigabytes.  True: this one has so few references that it
 * cannot.
 */
bool mangled_is_short(const char *mangled);

#endif
