/*
 * gpu/ptx/steady_stores.h: does what a kernel stores to lie where it lies with any input?
 *
 * A static analysis: registers are tainted by what is loaded, and what tainted ones decide is
 * conditional: what is computed from them, what is done under such a predicate, and all between a
 * branch by one and where its ways meet again.  Parameters and numbers of threads and blocks are
 * not data: a kernel that is launched alike stores to the same bytes.
 */
#ifndef VFLOW_GPU_PTX_STEADY_STORES_H
#define VFLOW_GPU_PTX_STEADY_STORES_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Of a kernel's body, from its brace on: whether all its stores to global memory are made, and lie,
 * whatever has been loaded, and it loads nothing from there on such a condition by a pointer that
 * it also stores by.  False also where that is not known: it calls functions, branches indirectly,
 * is malformed or too large, or memory has run out.
 */
bool ptx_has_steady_stores(const char *body, size_t size);

#endif
