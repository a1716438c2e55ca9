/*
 * query/calls.h: the calls and objects of a profile as vertices of an engine, after those of the
 * graph.
 *
 * (:Object)-[:OF]->(operation that allocated it), (:Call)-[:OF]->(operation), and what a call read
 * or wrote of an object: (:Call)-[:READS]->(:Object), (:Call)-[:WRITES]->(:Object).  Such an engine
 * is made only for queries that name one of these words (struct query, `calls`): a profile has many
 * calls, and a pattern without labels means operations, a pattern without types flows.
 */
#ifndef VFLOW_QUERY_CALLS_H
#define VFLOW_QUERY_CALLS_H

#include "graph/profile/profile.h"
#include "query/engine.h"
#include "util/error.h"

/* Whether it is one of those labels (types). */
bool calls_are_named(bool of_edge, const char *name);
/* Whether edges of this type go from a call or object to an operation; others go to objects. */
bool calls_lead_to_operation(const char *type);

/*
 * The graph with the calls and objects of its profile, of which profile_read_events() has been
 * there; refers to both.  NULL: they are too many.
 */
struct engine *calls_engine(const struct graph *graph, const struct profile *profile,
			    struct error *error);

/* -- for the engine -- */

/* As it is in table object or event of the profile. */
uint32_t calls_id(const struct engine *engine, uint32_t vertex);
/* For people: of an object the name, of a call that of the function. */
const char *calls_title(const struct engine *engine, uint32_t vertex);
/* Fills the part of the column that is about calls and objects; NULL: it does not exist, and is
 * made if they have such a property. */
struct column *calls_column(struct engine *engine, bool of_edge, const char *name,
			    struct column *column);
/* Makes all columns that they have. */
void calls_columns(struct engine *engine, bool of_edge);

#endif
