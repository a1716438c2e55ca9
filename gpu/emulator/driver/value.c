/*
 * gpu/emulator/driver/value.c: driver API: values in memory that streams write and wait for.
 */
#include <string.h>
#include <time.h>

#include "gpu/emulator/device/device.h"
#include "gpu/emulator/driver/driver.h"

#undef cuStreamWriteValue64
#undef cuStreamWaitValue32
#undef cuStreamWaitValue64
#undef cuStreamBatchMemOp

#define PATIENCE_SECONDS 20

CUresult cuStreamWriteValue64_v2(CUstream stream, CUdeviceptr addr, uint64_t value,
				 unsigned int flags)
{
	struct emulator_copy what = {.to = addr,
				     .from = (uintptr_t)&value,
				     .from_side = SIDE_HOST,
				     .width = sizeof(value),
				     .height = 1};

	if (flags & ~1u || addr % sizeof(value)) /* bit 0, no memory barrier: always ordered */
		return RESULT(CUDA_ERROR_INVALID_VALUE);
	return RESULT(driver_result(vflow_emulator_copy("cuStreamWriteValue64", stream, &what)));
}
PER_THREAD(cuStreamWriteValue64_v2, cuStreamWriteValue64_v2_ptsz);

static bool reached(CUdeviceptr address, uint64_t wanted, unsigned size, unsigned how)
{
	uint64_t now;

	if (size == 4)
		now = __atomic_load_n((uint32_t *)(uintptr_t)address, __ATOMIC_ACQUIRE);
	else
		now = __atomic_load_n((uint64_t *)(uintptr_t)address, __ATOMIC_ACQUIRE);
	switch (how) {
	case CU_STREAM_WAIT_VALUE_GEQ: /* the difference is signed: values may wrap around */
		return size == 4 ? (int32_t)(uint32_t)(now - wanted) >= 0
				 : (int64_t)(now - wanted) >= 0;
	case CU_STREAM_WAIT_VALUE_EQ:
		return now == wanted;
	case CU_STREAM_WAIT_VALUE_AND:
		return now & wanted;
	default:
		return size == 4 ? ~(uint32_t)(now | wanted) : ~(now | wanted);
	}
}

/*
 * Streams are done at once, so this thread waits: another may write the value.  One that is never
 * written would make a GPU's stream wait for ever.
 */
static CUresult wait(const char *name, CUstream stream, CUdeviceptr address, uint64_t wanted,
		     unsigned size, unsigned flags)
{
	const struct timespec pause = {.tv_nsec = 1000000};
	struct emulator_pointer pointer;
	int error = vflow_emulator_stream_check(stream, NULL, NULL);

	if (!error && (flags & 3u) != (flags & ~(1u << 30)))
		error = CUDA_ERROR_INVALID_VALUE;
	if (!error)
		error = address % size ? CUDA_ERROR_INVALID_VALUE
				       : vflow_emulator_pointer(address, &pointer);
	for (unsigned n = 0; !error && !reached(address, wanted, size, flags & 3u); n++) {
		if (n == PATIENCE_SECONDS * 1000) {
			device_say("%s: nothing writes the value that the stream waits for", name);
			error = LAUNCH_TIMEOUT;
		}
		nanosleep(&pause, NULL);
	}
	return (CUresult)error;
}

CUresult cuStreamWaitValue32_v2(CUstream stream, CUdeviceptr addr, uint32_t value,
				unsigned int flags)
{
	return RESULT(wait("cuStreamWaitValue32", stream, addr, value, 4, flags));
}
PER_THREAD(cuStreamWaitValue32_v2, cuStreamWaitValue32_v2_ptsz);

CUresult cuStreamWaitValue64_v2(CUstream stream, CUdeviceptr addr, uint64_t value,
				unsigned int flags)
{
	return RESULT(wait("cuStreamWaitValue64", stream, addr, value, 8, flags));
}
PER_THREAD(cuStreamWaitValue64_v2, cuStreamWaitValue64_v2_ptsz);

static CUresult do_operation(CUstream stream, const CUstreamMemOpValueParams *p)
{
	switch (p->operation) {
	case CU_STREAM_MEM_OP_WAIT_VALUE_32:
		return cuStreamWaitValue32_v2(stream, p->address, p->value, p->flags);
	case CU_STREAM_MEM_OP_WAIT_VALUE_64:
		return cuStreamWaitValue64_v2(stream, p->address, p->value64, p->flags);
	case CU_STREAM_MEM_OP_WRITE_VALUE_32:
		return cuStreamWriteValue32(stream, p->address, p->value, p->flags);
	case CU_STREAM_MEM_OP_WRITE_VALUE_64:
		return cuStreamWriteValue64_v2(stream, p->address, p->value64, p->flags);
	case CU_STREAM_MEM_OP_FLUSH_REMOTE_WRITES:
	case CU_STREAM_MEM_OP_BARRIER:
		return CUDA_SUCCESS;
	default:
		return RESULT(CUDA_ERROR_INVALID_VALUE);
	}
}

CUresult cuStreamBatchMemOp_v2(CUstream stream, unsigned int count, CUstreamBatchMemOpParams *list,
			       unsigned int flags)
{
	CUresult result = CUDA_SUCCESS;

	if (!list || flags)
		return RESULT(CUDA_ERROR_INVALID_VALUE);
	for (unsigned n = 0; n < count && !result; n++)
		result = DELEGATE(do_operation(stream, &list[n].waitValue));
	return result;
}
PER_THREAD(cuStreamBatchMemOp_v2, cuStreamBatchMemOp_v2_ptsz);
