/*
 * gpu/sass/types.h: the element type of each access to memory in a function's machine code.
 *
 * As GVProf and ValueExpert (5.1) find it: what is loaded or stored has the type with which
 * arithmetic instructions use the same value, forwards and backwards, through moves, selections,
 * shuffles and joins of paths.
 */
#ifndef VFLOW_GPU_SASS_TYPES_H
#define VFLOW_GPU_SASS_TYPES_H

#include "gpu/sass/flow.h"

enum type {
	TYPE_RAW, /* bits of which no instruction says what they are, or several say different
		     things */
	TYPE_F64,
	TYPE_F32,
	TYPE_F16,
	TYPE_BF16,
	TYPE_F8,
	/* integers whose sign no instruction needs to know: signed from 32 bits on, else unsigned
	 */
	TYPE_S8,
	TYPE_S16,
	TYPE_S32,
	TYPE_S64,
	TYPE_U8,
	TYPE_U16,
	TYPE_U32,
	TYPE_U64,
};

enum type_confidence {
	TYPE_AMBIGUOUS, /* raw */
	TYPE_MAJORITY,  /* some instruction disagrees, or the others of a vector say so */
	TYPE_CERTAIN,
};

enum access_kind { ACCESS_LOAD, ACCESS_STORE, ACCESS_ATOMIC };
enum access_space { ACCESS_GLOBAL, ACCESS_SHARED, ACCESS_LOCAL, ACCESS_GENERIC };

struct access_type {
	uint32_t offset; /* of the instruction, in bytes */
	enum access_kind kind;
	enum access_space space;
	uint8_t bytes; /* of one thread; of LDSM and STSM those of its registers */
	uint8_t count; /* elements: `bytes` / size of the type; of raw ones 1 */
	enum type type;
	enum type_confidence confidence;
};

/*
 * All accesses in the order of the code, for free(); NULL: there are none (*count is 0).  LDGSTS,
 * from global to shared memory, is two: the load, then the store.
 */
struct access_type *types_find(const struct flow *flow, size_t *count);
/* "f32" */
const char *type_name(enum type type);
unsigned type_size(enum type type); /* bytes; of raw 0 */

#endif
