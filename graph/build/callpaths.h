/*
 * graph/build/callpaths.h: the call paths of all processes of a run: modules and frames, each once,
 * and the frames that the profile shows for them.  Internal to the builder.
 */
#ifndef VFLOW_GRAPH_BUILD_CALLPATHS_H
#define VFLOW_GRAPH_BUILD_CALLPATHS_H

#include <stdbool.h>
#include <stdint.h>

#include "collect/trace.h"
#include "graph/profile/profile.h"

struct callpaths;

struct callpaths *callpaths_new(struct profile *profile);
void callpaths_free(struct callpaths *paths);

/* Each returns a number that is equal for equal things in all processes. */
uint32_t callpaths_module(struct callpaths *paths, const char *path, const uint8_t *build_id,
			  uint32_t build_id_size);
#define NO_FRAME UINT32_MAX
/* `parent`: NO_FRAME for the outermost. */
uint32_t callpaths_frame(struct callpaths *paths, uint32_t parent, uint32_t module,
			 uint64_t offset);
/* A line that Python ran. */
uint32_t callpaths_python(struct callpaths *paths, const char *file, const char *function,
			  uint32_t line);
uint32_t callpaths_python_frame(struct callpaths *paths, uint32_t parent, uint32_t python);
/* TRACE_FRAME_REPLAY. */
uint32_t callpaths_replay(struct callpaths *paths, uint32_t parent);
/* Whether the frame is inside of a replay: that of a node of a CUDA graph. */
bool callpaths_is_of_node(const struct callpaths *paths, uint32_t frame);

/*
 * The innermost frame of the program's own, given that of the call.  `ordinal`: of a node of a CUDA
 * graph among equal ones, which gets a frame of its own; else 0.
 */
uint32_t callpaths_innermost(struct callpaths *paths, enum trace_kind kind, const char *call,
			     uint32_t frame, uint32_t ordinal);
/* The hash of kind, name and path; caller frees. */
char *callpaths_context(const struct callpaths *paths, const char *kind, const char *name,
			uint32_t frame);

/* The frames of the path and its text are the vertex's, given by its index. */
void callpaths_set(struct callpaths *paths, uint32_t vertex, uint32_t frame);
/*
 * Fills in the place by its frame and function: the path's innermost frames as text, and the
 * innermost line that is shown.  What is not known stays as it is; the place has no frame any more.
 */
void callpaths_place(struct callpaths *paths, struct profile_place *place);
/* The file that has the code of the path's innermost frame; NULL: not known.  The caller frees. */
char *callpaths_library(const struct callpaths *paths, uint32_t frame);

#endif
