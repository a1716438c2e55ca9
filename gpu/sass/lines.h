/*
 * gpu/sass/lines.h: which line of the source an instruction of a cubin comes from (-lineinfo, -G).
 *
 * Read from .debug_line itself: nvdisasm 12.4 puts the lines of code that nvcc 13 makes at wrong
 * places, and an extended opcode of NVIDIA's, of functions that were inlined, is in no DWARF.
 */
#ifndef VFLOW_GPU_SASS_LINES_H
#define VFLOW_GPU_SASS_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SASS_LINES_DEPTH 8

struct sass_lines;

/* Innermost first: the line, then those where functions were inlined; at most so many. */
struct sass_line {
	const char *file; /* as the compiler was given it, in its folder; until sass_lines_free() */
	uint32_t line;
};

/* NULL: the image has none (or no memory). */
struct sass_lines *sass_lines_read(const void *image, size_t size);
void sass_lines_free(struct sass_lines *lines);

/* Of the instruction at an offset of the section of a function; how many lines were put there. */
size_t sass_lines_find(const struct sass_lines *lines, const char *function, uint64_t offset,
		       struct sass_line found[SASS_LINES_DEPTH]);

#endif
