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

/*
 * nvcc makes the names of static kernels and variables unique among all files:
 * "__nv_static_25__3f108d3f_8_clock_cu_main__Z5timedPf".  The part that the source's name became;
 * other names as they are.
 */
const char *mangled_in_source(const char *name);

#endif
