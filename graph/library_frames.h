/*
 * graph/library_frames.h: frames of call paths that say nothing to the reader of a report.
 *
 * Allocators, dispatchers and header libraries (library_frames.def) stand innermost in the call
 * paths of PyTorch and Thrust; where a place is shown, it is the operator or line outside of them.
 * Profiles and the attribute `callpath` keep them.
 */
#ifndef VFLOW_GRAPH_LIBRARY_FRAMES_H
#define VFLOW_GRAPH_LIBRARY_FRAMES_H

#include <stdbool.h>
#include <stddef.h>

/* Whether it is a layer's: of its demangled function and its file; NULL: not known. */
bool library_frame(const char *function, const char *file);

/*
 * A frame of a call path as text, "f(int) file.c:12 < main file.c:30": its end, which is that of
 * the text or before " < ", and what is next, NULL after the last one.
 */
const char *frame_text_end(const char *frame, const char **next);

/* Where "f(int)" ends of the frames "f(int) file.c:12", "f(int) vector:12" and "f(int) file.c". */
const char *frame_function_end(const char *frame, const char *end);

/* The first frame of such a path that is no layer's; the first one where all are. */
const char *leading_frame(const char *callpath);

/* Whether the frame, as text, is a layer's. */
bool library_frame_text(const char *frame, const char *end);

#endif
