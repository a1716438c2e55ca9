/*
 * graph/profile/checksum.h: table checksum: the tables that a profile has, and the check sum of
 * each. What is not in it is not the profile's, whatever its name; what is in it is there, or is
 * lost.
 */
#ifndef VFLOW_GRAPH_PROFILE_CHECKSUM_H
#define VFLOW_GRAPH_PROFILE_CHECKSUM_H

#include "graph/profile/digest.h"
#include "graph/profile/profile.h"

/* NULL: the profile has no such table. */
const struct profile_checksum *checksum_of(const struct profile *profile, const char *table);
void checksum_add(struct profile *profile, const char *table, uint64_t rows, const char *sha256);
/* Orders the list and adds what guards it, once all tables are in it. */
void checksum_finish(struct profile *profile);
/* Whether the list, as a file has it, is whole. */
bool checksum_list_holds(const struct profile *profile);

#endif
