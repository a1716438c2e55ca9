/* render/pprof_labels.h: objects that operations access, and streams that they ran on. */
#ifndef VFLOW_RENDER_PPROF_LABELS_H
#define VFLOW_RENDER_PPROF_LABELS_H

#include "render/picture.h"

struct pprof_label {
	uint32_t vertex; /* index */
	uint32_t device; /* of a stream; 0 for objects */
	uint32_t number; /* of the stream; id of the object's site */
};

struct pprof_label_list {
	struct pprof_label *items; /* ordered by vertex, each once */
	uint32_t count, capacity, next;
};

struct pprof_labels {
	struct pprof_label_list objects, streams;
};

/* Streams only of a profile with its events. */
void pprof_labels_find(struct pprof_labels *labels, const struct picture *picture);
/*
 * Those of the vertex, at most PPROF_LABELS_MOST; returns how many.  Vertices are asked for in
 * ascending order.
 */
enum { PPROF_LABELS_MOST = 16 };
uint32_t pprof_labels_of(struct pprof_label_list *list, uint32_t vertex,
			 const struct pprof_label **labels);
void pprof_labels_release(struct pprof_labels *labels);

#endif
