/*
 * graph/profile/digest.h: SHA-256 over rows.  Of each value its type and its content, so that the
 * same rows have the same sum in whatever way the file keeps them.
 */
#ifndef VFLOW_GRAPH_PROFILE_DIGEST_H
#define VFLOW_GRAPH_PROFILE_DIGEST_H

#include <stddef.h>
#include <stdint.h>

enum { DIGEST_SIZE = 65 }; /* hex digits and a NUL */

struct digest *digest_new(void);
void digest_free(struct digest *digest);

void digest_bytes(struct digest *digest, const void *bytes, size_t size);

/* A value as it is stored: profile.md, "Check sums". */
void digest_null(struct digest *digest);
void digest_integer(struct digest *digest, uint64_t value);
void digest_real(struct digest *digest, double value);
void digest_text(struct digest *digest, const char *text, size_t length);
void digest_blob(struct digest *digest, const void *bytes, size_t size);

/* The sum of what was added since digest_new() or the last digest_end(). */
void digest_end(struct digest *digest, char hex[DIGEST_SIZE]);

#endif
