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

/* The object's content, values and initialised mask, has changed to this by the end of the call. */
struct gpu_content {
	uint8_t digest[GPU_DIGEST_SIZE];
	uint32_t zero; /* 1: all its bytes are initialised and zero; else 0 */
};

#endif
