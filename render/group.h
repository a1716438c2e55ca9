/*
 * render/group.h: many operations drawn as one.
 */
#ifndef VFLOW_RENDER_GROUP_H
#define VFLOW_RENDER_GROUP_H

#include "graph/profile/profile.h"
#include "util/error.h"

enum group_by {
	GROUP_NONE,
	GROUP_FILE,      /* of the innermost frame that has one */
	GROUP_FUNCTION,  /* the innermost frame's */
	GROUP_CALL_PATH, /* the innermost function on one path: its calls, whatever their lines */
	GROUP_OBJECT,    /* an allocation and what writes to its objects only */
	GROUP_STREAM,    /* what ran on one stream only, without allocations */
};

/*
 * A new graph with one vertex for each group; host and what belongs to no group stay alone.  A
 * group has the id of its first member and the sums of their figures; edges between the same
 * groups with the same access are one.  NULL when nothing says who belongs together.  `run` is
 * needed for streams only, with its events.  `*ids` are, by vertex of the graph, those of its
 * group; the caller frees them.
 */
struct graph *group_graph(const struct graph *graph, enum group_by by, const struct profile *run,
			  uint32_t **ids, struct error *error);

#endif
