/*
 * graph/context_hash.h: the hash of kind, name and call path by which profiles know a vertex.
 *
 * The same on every machine: no paths of folders, numbers as text.  It goes from frame to frame,
 * outermost first: over the whole path of each context, deep ones would cost their length each
 * time.
 */
#ifndef VFLOW_GRAPH_CONTEXT_HASH_H
#define VFLOW_GRAPH_CONTEXT_HASH_H

#include <stdint.h>

#define CONTEXT_HASH_FRAME 32 /* bytes */

struct context_hash;

struct context_hash *context_hash_new(void);
void context_hash_free(struct context_hash *hash);
/* The hash of the path that ends with this frame; `parent`: that of the path before it, or NULL. */
void context_hash_frame(struct context_hash *hash, const char *module, uint64_t offset,
			const unsigned char *parent, unsigned char result[CONTEXT_HASH_FRAME]);
/* 16 hexadecimal digits, for free(); `path`: its innermost frame's, or NULL. */
char *context_hash_hex(struct context_hash *hash, const char *kind, const char *name,
		       const unsigned char *path);

#endif
