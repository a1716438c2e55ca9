/*
 * util/cxx_arguments.h: template arguments of C++ names, as few as tell functions apart.
 */
#ifndef VFLOW_UTIL_CXX_ARGUMENTS_H
#define VFLOW_UTIL_CXX_ARGUMENTS_H

#include <stddef.h>

/*
 * "at::native::vectorized_elementwise_kernel<FillFunctor<float>>" for
 * "at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<float>, std::array<...> >":
 * the name with the most of its template arguments that makes at most `limit` bytes; it has more
 * where "<...>" alone is too long.  NULL: its brackets do not match.  The caller frees.  Time and
 * memory grow with the name, however deep it is.
 */
char *cxx_shorten_arguments(const char *name, size_t limit);

#endif
