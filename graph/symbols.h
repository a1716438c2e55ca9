/*
 * graph/symbols.h: what a place in a module is called in the source.
 *
 * Modules are files on this machine, checked by build id; nothing is fetched.  What was not found
 * is a frame with the module and offset only, and a row in the profile's coverage.
 */
#ifndef VFLOW_GRAPH_SYMBOLS_H
#define VFLOW_GRAPH_SYMBOLS_H

#include <stdint.h>

#include "graph/profile/profile.h"

struct symbols;

struct symbols *symbols_new(struct profile *profile); /* frames and coverage go there */
void symbols_free(struct symbols *symbols);

struct symbols_module;

/* `build_id` is hex or NULL (unknown: not checked).  Lives as long as `symbols`. */
struct symbols_module *symbols_module(struct symbols *symbols, const char *path,
				      const char *build_id);

/*
 * The frames at the offset (a link-time address), innermost first: one, and one more for each
 * function that was inlined there.  *frames: indices into profile->frames, valid until the next
 * call.  Equal places have equal frames.
 */
uint32_t symbols_at(struct symbols *symbols, struct symbols_module *module, uint64_t offset,
		    const uint32_t **frames);

/*
 * The ELF symbol around the offset, as the file has it; NULL: none.  Nothing is added to the
 * profile. Valid as long as `symbols`.
 */
const char *symbols_name(struct symbols_module *module, uint64_t offset);

/* The demangled and clean form of a name from a binary, or its clean form; caller frees. */
char *symbols_demangle(const char *name);

#endif
