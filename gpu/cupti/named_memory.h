/*
 * gpu/cupti/named_memory.h: which memory a call of the driver names, from its parameters: for the
 * pass `calls`, which looks at arguments and has nothing run on the device.
 */
#ifndef VFLOW_GPU_CUPTI_NAMED_MEMORY_H
#define VFLOW_GPU_CUPTI_NAMED_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

#include "gpu/cupti/operations.h"

enum touch_kind {
	TOUCH_COPY,
	TOUCH_SET,
	TOUCH_ARGUMENT, /* a word of a parameter of a kernel: maybe a pointer */
	TOUCH_ANY,      /* all memory may have been accessed */
};

/* Addresses are arrays' handles where an array is copied. */
struct touch {
	enum touch_kind kind;
	bool to_host, from_host; /* of a copy: this side is memory of the host, mapped or not */
	uint64_t to, from;       /* of sets and arguments: `to` */
	uint64_t bytes;
};

/* Those of one call of a thread, in order; zero at first.  The owner frees `all`. */
struct named_memory {
	struct touch *all;
	uint32_t count, capacity;
	bool incomplete; /* there was no memory for one */
};

/* Whether this is the pass: VFLOW_CALLS is set. */
bool named_memory_start(void);
bool named_memory_wanted(void);

/*
 * Adds those of a function that has succeeded: as many as the operation has events, or any number
 * of a launch.  Calls the driver.
 */
void named_memory_add(struct named_memory *touches, const struct operation *operation,
		      const char *function, const void *parameters);
/* Something that may access all memory. */
void named_memory_add_any(struct named_memory *touches);

/* The size of memory that a function has allocated where the operation does not say; 0: unknown. */
uint64_t named_memory_size(const struct operation *operation, const char *function,
			   const void *parameters, enum gpu_memory *memory);

/* The memory that a function lets kernels read as a texture; 0: none, or an array. */
uint64_t named_memory_texture(const char *function, const void *parameters);

/* Code was unloaded: handles of functions may be others' now. */
void named_memory_functions_gone(void);

#endif
