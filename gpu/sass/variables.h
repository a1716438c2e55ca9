/*
 * gpu/sass/variables.h: the names of a module's __device__ and __constant__ variables.
 */
#ifndef VFLOW_GPU_SASS_VARIABLES_H
#define VFLOW_GPU_SASS_VARIABLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct variable_name {
	char *text; /* mangled; who takes it away puts NULL there */
	bool constant;
};

/* Owned by who reads them: variables_free(). */
struct variable_names {
	struct variable_name *names;
	uint32_t count, constants; /* all of them; those that are __constant__ */
};

/* None if the image is no cubin; those found by then if there is no memory. */
struct variable_names variables_read(const void *image, size_t size);
void variables_free(struct variable_names *variables);

#endif
