/*
 * gpu/records.h: the kinds of records and their payloads, struct gpu_<name>: see gpu/records.def.
 *
 * A leaf: includes nothing of vflow's but the list.
 */
#ifndef VFLOW_GPU_RECORDS_H
#define VFLOW_GPU_RECORDS_H

#include <stdint.h>

enum gpu_record_kind {
#define GPU_RECORD(number, KIND, ...) GPU_RECORD_##KIND = (number),
#include "gpu/records.def"
};

/* What a call waits for: numbers on disk. */
enum gpu_wait_scope {
	GPU_WAIT_ALL = 1, /* all streams of the device */
	GPU_WAIT_DEFAULT, /* the default stream and those that are ordered with it */
	GPU_WAIT_STREAM,
	GPU_WAIT_EVENT, /* what was in the stream when the event was recorded */
	GPU_WAIT_QUEUE, /* room in the stream's queue */
	GPU_WAIT_OWN,   /* the call's own operation only */
	GPU_WAIT_OTHER, /* not known */
	/* These do not wait; wait_ns is 0. */
	GPU_WAIT_NEEDS, /* as EVENT, but the call fails, or says something else, unless it is done
			 */
	GPU_WAIT_HOST,  /* the host does something when what is in the stream is done */
};

/* The first use of what a wait gave to the host: numbers on disk. */
enum gpu_use_kind {
	GPU_USE_NEVER = 1,   /* it was written again, or freed, or the process ended before */
	GPU_USE_INSTRUCTION, /* of the program, or of a library of it */
	GPU_USE_SYSTEM_CALL, /* write() and the like */
	GPU_USE_CUDA,        /* a copy from there, or another call of CUDA */
	GPU_USE_UNKNOWN,     /* not all of it could be watched: the others do not say that */
	GPU_USE_NOTHING,     /* the host could see no byte that was written since the last wait */
};

/* When the driver puts code of a module on the device: numbers on disk. */
enum gpu_code_loading {
	GPU_CODE_LOADING_UNKNOWN,
	GPU_CODE_EAGER, /* all of it, when the module is loaded */
	GPU_CODE_LAZY,  /* each kernel, when it is first launched */
};

/* What the bits of an accessed value mean: numbers on disk. */
enum gpu_value_type {
	GPU_VALUE_RAW8, /* nothing says what they are; these four in the order of their sizes */
	GPU_VALUE_RAW16,
	GPU_VALUE_RAW32,
	GPU_VALUE_RAW64,
	GPU_VALUE_S8,
	GPU_VALUE_S16,
	GPU_VALUE_S32,
	GPU_VALUE_S64,
	GPU_VALUE_U8,
	GPU_VALUE_U16,
	GPU_VALUE_U32,
	GPU_VALUE_U64,
	GPU_VALUE_F16,
	GPU_VALUE_BF16,
	GPU_VALUE_F32,
	GPU_VALUE_F64,
	GPU_VALUE_TYPES
};

enum gpu_value_kind {
	GPU_VALUE_LOAD = 1,
	GPU_VALUE_STORE,
	GPU_VALUE_ATOMIC, /* and reductions: their operand */
	GPU_VALUE_KINDS
};

/* What all values of a floating-point type can be stored as without loss. */
enum gpu_value_fit {
	GPU_VALUE_FITS_INTEGER, /* of at most 53 bits; not -0.0 */
	GPU_VALUE_FITS_F16,
	GPU_VALUE_FITS_BF16,
	GPU_VALUE_FITS_F32,
};

#define GPU_VALUES_RANGE 1u   /* `least` and `most` are there */
#define GPU_VALUES_LINEAR 2u  /* `slope` and `intercept` are */
#define GPU_VALUES_MANY 4u    /* there may be more than `distinct` */
#define GPU_VALUES_PARTLY 8u  /* the launch moves other values, too, which nobody has looked at */
#define GPU_VALUES_BLOCKS 16u /* of some blocks of the launch only: these were to be looked at */

#define GPU_TOP_VALUES 10 /* at most so many are named */

#define GPU_RECORD_TRIAL UINT32_C(0x80000000)

#define GPU_RECORD_MAX (UINT32_C(1) << 20) /* bytes of a payload */

#define GPU_DIGEST_SIZE 32

/* What first_block and last_block of a row count (gpu/rows.def): so many bytes of the object. */
#define GPU_ROW_BLOCK 1024u

struct gpu_top_value {
	uint64_t bits, count, error;
};

#define GPU_RECORD(number, KIND, name, bytes, object, ...)                                         \
	struct gpu_##name {                                                                        \
		__VA_ARGS__                                                                        \
	};
#define U8(...) uint8_t __VA_ARGS__;
#define U32(...) uint32_t __VA_ARGS__;
#define U64(...) uint64_t __VA_ARGS__;
#define ID(TYPE, member) uint32_t member;
#define NAME(member, bytes) char member[bytes];
#define TEXT(member) char member[8];
#define BLOB(member, size) uint8_t member[8];
#define ROWS(structure, member) struct structure member[];
#include "gpu/records.def"

#endif
