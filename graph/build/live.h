/*
 * graph/build/live.h: what an analysis keeps of the live objects of a process, and of each vertex
 * that has to do with one of them.  Internal to analyses.
 *
 * Both are structs of the analysis that begin with a struct live_object or live_part; they are
 * zeroed when they are made, and stay where they are until their object is dropped.
 */
#ifndef VFLOW_GRAPH_BUILD_LIVE_H
#define VFLOW_GRAPH_BUILD_LIVE_H

#include <stddef.h>
#include <stdint.h>

#include "util/pair_map.h"

struct live_object {
	uint32_t index;          /* into profile->objects */
	struct live_part *parts; /* the newest first */
	struct live_part *last;  /* that was looked for; NULL: none */
};

struct live_part { /* of an object: what belongs to one vertex */
	struct live_part *next;
	uint32_t vertex;
	uint32_t number; /* belongs to live.c */
};

struct live {
	size_t object_size, part_size; /* of the analysis's structs; of no parts 0 */
	/* the others start as zeros and belong to live.c */
	struct live_object **objects; /* by index; NULL: it is not there */
	uint32_t capacity, first, end;
	struct pair_map by_vertex; /* number of the part, by object and vertex */
	char **blocks;             /* of parts */
	uint32_t part_count, block_count, block_capacity;
	struct live_part *spare;
};

/* NULL: it is not there. */
void *live_find(const struct live *live, uint32_t index);
/* Makes it if it is not there. */
void *live_object(struct live *live, uint32_t index);
/* Both of a struct live_object. */
void *live_find_part(struct live *live, void *object, uint32_t vertex);
void *live_part(struct live *live, void *object, uint32_t vertex);
/* Frees it and its parts. */
void live_drop(struct live *live, void *object);
/* Any one; NULL: there is none. */
void *live_any(struct live *live);
/* Of no objects any more; it can be used again. */
void live_release(struct live *live);

#endif
