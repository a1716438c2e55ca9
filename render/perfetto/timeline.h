/*
 * render/perfetto/timeline.h: slices on tracks, and arrows between them: what is left out, so that
 * the viewer stays usable, and how much that is.
 */
#ifndef VFLOW_RENDER_PERFETTO_TIMELINE_H
#define VFLOW_RENDER_PERFETTO_TIMELINE_H

#include "render/perfetto/perfetto.h"
#include "util/pair_map.h"

/* Of the profile's row with this number: a call, or what the device did. */
struct timeline_slice {
	uint32_t row;
	uint32_t process;        /* of the trace */
	uint32_t group;          /* 0, 1: tracks of group 0 are above those of group 1 */
	uint32_t device, number; /* of the stream, or of the thread */
	uint64_t start_ns, end_ns;
	uint32_t track; /* the trace's number for it; 0: left out */
};

struct timeline_track {
	struct timeline_slice first;
	uint32_t lane; /* 0, 1, ... of the same stream */
};

/* From one row to another one, not earlier. */
struct timeline_arrow {
	uint32_t from, to, pair;
};

struct timeline {
	struct timeline_slice *slices; /* in the order of their starts, once they have tracks */
	uint32_t slice_count, slice_capacity;
	struct timeline_track *tracks; /* that with number first_track, and so on */
	uint32_t track_count, track_capacity, first_track;
	struct timeline_arrow *arrows; /* in the order of `to` */
	uint32_t arrow_count, arrow_capacity;
	struct pair_map pairs; /* of what arrows lead from and to */
	/* Numbers of arrows: those that start at a row, those that end there. */
	uint32_t rows, first_arrow;
	uint32_t *starts, *first_start, *first_end; /* first_*: rows + 1 */
};

/* Adds a slice; one without length takes a nanosecond: two at one time would cover each other. */
void timeline_add(struct timeline *timeline, struct timeline_slice slice);
/*
 * Gives slices their tracks, from this number on: slices of one track must not overlap, so that
 * calls of several threads on one stream take a second track of that stream, a third, and so on, up
 * to a limit; `name`: what `about` calls those that are left out.
 */
void timeline_assign(struct timeline *timeline, uint32_t first_track, const char *name,
		     struct perfetto_about *about);

/*
 * Adds an arrow, after those to earlier rows, between things with these numbers (vertices): of each
 * pair of them the first arrows are kept.
 */
void timeline_arrow(struct timeline *timeline, uint32_t from, uint32_t to, uint32_t from_vertex,
		    uint32_t to_vertex);
/*
 * Keeps `most` arrows, and numbers them from `first` on.  `what`: "values", what they lead;
 * rows: all numbers of rows are below.
 */
void timeline_thin(struct timeline *timeline, uint32_t rows, uint32_t most, uint32_t first,
		   const char *what, struct perfetto_about *about);
/* Has the event start and end the row's arrows. */
void timeline_starts(const struct timeline *timeline, uint32_t row, struct perfetto_event *event);
void timeline_ends(const struct timeline *timeline, uint32_t row, struct perfetto_event *event);

void timeline_free(struct timeline *timeline);

#endif
