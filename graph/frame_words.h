/*
 * graph/frame_words.h: frames of call paths in text, "void ns::f<float>(float*) a.cu:12 < main
 * a.cu:30", as the lines of a report say them.
 */
#ifndef VFLOW_GRAPH_FRAME_WORDS_H
#define VFLOW_GRAPH_FRAME_WORDS_H

#include <stddef.h>
#include <stdint.h>

/* Of names in what people read, where nothing else is said. */
#define FRAME_NAME_LIMIT 80 /* bytes */

/* "ns::f<float> a.cu:12" of the frame: its name in at most `limit` bytes.  The caller frees. */
char *frame_words(const char *frame, const char *end, size_t limit);

/*
 * At most so many such frames of the path that are no layers (graph/library_frames.h), from the
 * leading one on, joined by " < ", then "< ... 3 more" unless it is one only.  The caller frees.
 */
char *frame_words_path(const char *callpath, uint32_t most, size_t limit);

#endif
