/*
 * util/cxx_name.h: demangled C++ names, taken apart and as people say them.
 */
#ifndef VFLOW_UTIL_CXX_NAME_H
#define VFLOW_UTIL_CXX_NAME_H

#include <stdbool.h>
#include <stddef.h>

/* The end of the name proper: without "[clone ..]", qualifiers and the parameter list. */
const char *cxx_name_end(const char *name);

/* Where the name proper begins: behind the return type. */
const char *cxx_name_start(const char *name);

/* Where the last component begins: after the "::" or blank that is outside of all brackets. */
const char *cxx_base_start(const char *name, const char *end);

/* Where the template arguments begin that end at `end`; NULL: there are none. */
const char *cxx_arguments_start(const char *start, const char *end);

/*
 * "ns::gemm<float>" for "void ns::gemm<float>(float *, int)": without return type, parameters and
 * the inline namespaces that CUDA's libraries put their version in; with fewer template arguments
 * where the name would have more than `limit` bytes (cxx_arguments.h).  It may have more all the
 * same.  The caller frees.
 */
char *cxx_plain_name(const char *name, size_t limit);

/*
 * The same in at most `limit` bytes: where it has more, without its namespaces, and cut at last,
 * "static_kernel<...>".  The caller frees.
 */
char *cxx_short_name(const char *name, size_t limit);

#endif
