/*
 * gpu/records.h: the payloads of records (gpu/records.def), as providers deliver them and traces
 * keep them: little-endian, without pointers.
 *
 * A leaf: includes nothing of vflow's but the list.
 */
#ifndef VFLOW_GPU_RECORDS_H
#define VFLOW_GPU_RECORDS_H

#include <stdint.h>

enum gpu_record_kind {
#define GPU_RECORD(number, KIND, bytes, object) GPU_RECORD_##KIND = (number),
#include "gpu/records.def"
};

#define GPU_RECORD_TRIAL UINT32_C(0x80000000)

#define GPU_RECORD_MAX (UINT32_C(1) << 20) /* bytes of a payload */

#define GPU_DIGEST_SIZE 32

/* What first_block and last_block of a row count (gpu/rows.def): so many bytes of the object. */
#define GPU_ROW_BLOCK 1024u

/* The object's content, values and initialised mask, has changed to this by the end of the call. */
struct gpu_content {
	uint8_t digest[GPU_DIGEST_SIZE];
	uint32_t zero; /* 1: all its bytes are initialised and zero; else 0 */
};

/*
 * Somebody may have read all of the object, or from now on can, without a row that says so.  Of no
 * object: all live objects of the device, by the call, which was not analysed.  What had been
 * unread of them (gpu/rows.def) no longer is.
 */
struct gpu_read_unseen {
	uint32_t device;
};

/*
 * The call touched the object with atomics, and these are the sizes of all its accesses: bits 1, 2,
 * 4, 8 bytes, and 16 for larger ones, for copies and sets.  Only where they are not what an
 * earlier call of this context on the object has said; some are said twice.
 */
struct gpu_sizes {
	uint32_t loads, stores, atomics;
};

/* The call copied of the object to memory of the host; said only where that held the same before.
 */
struct gpu_received {
	uint32_t same; /* 1: all of the bytes */
};

#endif
