/*
 * graph/build/records.h: what gpu/records.def says of records, whatever their kind.  Internal to
 * the builder.
 */
#ifndef VFLOW_GRAPH_BUILD_RECORDS_H
#define VFLOW_GRAPH_BUILD_RECORDS_H

#include "graph/build/analysis.h"
#include "graph/build/contexts.h"

/* Whether the kind is listed. */
bool records_know(uint32_t kind);
/*
 * Checks the payload, where the kind is listed.  -1: it is too short, or a member cannot be, or it
 * must be about an object and `object`, its id, is 0.
 */
int records_check(const struct build_record *record, uint32_t object, struct error *error);
/* Sets the numbers of the record that stand for ids in its payload.  -1: one is not there. */
int records_resolve(const struct contexts *contexts, struct build_record *record,
		    struct error *error);

#endif
