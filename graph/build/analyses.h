/*
 * graph/build/analyses.h: all analyses at once.  Internal to the builder; analysis.h says what each
 * function of an analysis gets.
 */
#ifndef VFLOW_GRAPH_BUILD_ANALYSES_H
#define VFLOW_GRAPH_BUILD_ANALYSES_H

#include "graph/build/analysis.h"

struct analyses;

/* `table` (as build_analyses) must outlive what is returned. */
struct analyses *analyses_begin(const struct build_analysis *const *table, struct profile *profile);
/*
 * What follows is of a run for the passes of these names ("time,waits", or NULL): only their
 * analyses see it, and those of no pass if the run makes the graph.
 */
void analyses_choose(struct analyses *analyses, const char *passes, bool makes_graph);
void analyses_object(struct analyses *analyses, const struct build_event *event, uint32_t object);
void analyses_event(struct analyses *analyses, const struct build_event *event,
		    const struct build_row *rows, uint32_t count);
void analyses_freed(struct analyses *analyses, const struct build_event *event, uint32_t object);
/* Whether an analysis takes records of this kind. */
bool analyses_know(const struct analyses *analyses, uint32_t kind);
/* Whether an analysis takes them that sees the run, but not its calls that the graph lacks. */
bool analyses_take(const struct analyses *analyses, uint32_t kind);
/* -1: the record makes no sense. */
int analyses_record(struct analyses *analyses, const struct build_event *event,
		    const struct build_record *record, struct error *error);
void analyses_lifetime(struct analyses *analyses, uint32_t process, uint64_t start_ns,
		       uint64_t end_ns);
void analyses_process_end(struct analyses *analyses, const struct build_event *last);
/* Frees them, too. */
void analyses_end(struct analyses *analyses);

#endif
