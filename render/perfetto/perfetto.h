/*
 * render/perfetto/perfetto.h: what of a profile is in a trace for ui.perfetto.dev, whichever way it
 * is written (util/perfetto/perfetto.h).
 */
#ifndef VFLOW_RENDER_PERFETTO_PERFETTO_H
#define VFLOW_RENDER_PERFETTO_PERFETTO_H

#include "render/picture.h"
#include "util/perfetto/perfetto.h"

/*
 * What the trace says of itself.  Sentences of what it lacks are remarks: the user sees them, too.
 */
struct perfetto_about {
	struct perfetto_argument items[PERFETTO_ARGUMENTS];
	uint32_t count;
	char *remarks; /* joined by "; "; NULL: none */
	char *sentences[PERFETTO_ARGUMENTS];
	uint32_t sentence_count;
};

/* Takes the sentence. */
void perfetto_remark(struct perfetto_about *about, const char *name, char *sentence);

/*
 * Every call as a slice on a track of its stream, and arrows from who wrote values to who read
 * them; calls.c.  Arrows have the numbers from `arrow` on; `about` hears what is left out.
 */
struct timeline *perfetto_calls(const struct profile *profile, uint32_t arrow,
				struct perfetto_about *about);
void perfetto_put_calls(struct perfetto *trace, const struct picture *picture,
			const struct timeline *calls);

/*
 * What the device did, as slices on tracks of streams, with the calls that asked for it, by the run
 * of the pass `time`; nothing without that pass.  gpu.c.
 */
struct timeline *perfetto_gpu(const struct profile *profile, uint32_t arrow,
			      struct perfetto_about *about);
void perfetto_put_gpu(struct perfetto *trace, const struct picture *picture,
		      const struct timeline *gpu);

/* Peaks of memory, and where its findings say that an object is not needed;
 * render/memory/perfetto.c. */
void perfetto_put_memory(struct perfetto *trace, const struct picture *picture);

/* The picture's vertex with this id; NULL: there is none. */
const struct picture_vertex *perfetto_vertex(const struct picture *picture, uint32_t id);

#endif
