/*
 * gpu/emulator/driver/context.c: driver API: contexts.
 */
#include <stdlib.h>

#include "gpu/emulator/device/context.h"
#include "gpu/emulator/driver/driver.h"

#undef cuCtxCreate
#undef cuCtxDestroy
#undef cuCtxPushCurrent
#undef cuCtxPopCurrent
#undef cuDevicePrimaryCtxRelease
#undef cuDevicePrimaryCtxReset
#undef cuDevicePrimaryCtxSetFlags

/* Contexts that programs created; never freed, so that a stale handle is recognised. */
struct made {
	struct emulator_context context;
	struct made *next;
};
static struct made *all;

static struct emulator_context *alive(CUcontext handle)
{
	struct emulator_context *context = (struct emulator_context *)handle;

	if (context == context_primary())
		return context;
	for (struct made *made = all; made; made = made->next)
		if (&made->context == context)
			return context->alive ? context : NULL;
	return NULL;
}

CUresult cuDevicePrimaryCtxRetain(CUcontext *pctx, CUdevice dev)
{
	int error = vflow_emulator_check(false);

	if (error)
		return RESULT(error);
	if (!pctx || dev)
		return RESULT(dev ? CUDA_ERROR_INVALID_DEVICE : CUDA_ERROR_INVALID_VALUE);
	*pctx = (CUcontext)context_primary();
	return CUDA_SUCCESS;
}

/* The primary context lives as long as the process, so releasing it frees nothing. */
CUresult cuDevicePrimaryCtxRelease_v2(CUdevice dev)
{
	int error = vflow_emulator_check(false);

	return RESULT(error ? (CUresult)error : dev ? CUDA_ERROR_INVALID_DEVICE : CUDA_SUCCESS);
}
ALIAS(cuDevicePrimaryCtxRelease_v2, cuDevicePrimaryCtxRelease);

CUresult cuDevicePrimaryCtxReset_v2(CUdevice dev)
{
	if (dev)
		return RESULT(CUDA_ERROR_INVALID_DEVICE);
	return RESULT(vflow_emulator_reset("cuDevicePrimaryCtxReset"));
}
ALIAS(cuDevicePrimaryCtxReset_v2, cuDevicePrimaryCtxReset);

CUresult cuDevicePrimaryCtxSetFlags_v2(CUdevice dev, unsigned int flags)
{
	int error = vflow_emulator_check(false);

	if (error || dev)
		return RESULT(error ? (CUresult)error : CUDA_ERROR_INVALID_DEVICE);
	context_primary()->flags = flags;
	return CUDA_SUCCESS;
}
ALIAS(cuDevicePrimaryCtxSetFlags_v2, cuDevicePrimaryCtxSetFlags);

CUresult cuDevicePrimaryCtxGetState(CUdevice dev, unsigned int *flags, int *active)
{
	int error = vflow_emulator_check(false);

	if (error || dev)
		return RESULT(error ? (CUresult)error : CUDA_ERROR_INVALID_DEVICE);
	if (!flags || !active)
		return RESULT(CUDA_ERROR_INVALID_VALUE);
	*flags = context_primary()->flags;
	*active = 1;
	return CUDA_SUCCESS;
}

CUresult cuCtxCreate_v4(CUcontext *pctx, CUctxCreateParams *ctxCreateParams, unsigned int flags,
			CUdevice dev)
{
	struct made *made;
	int error = vflow_emulator_check(false);

	(void)ctxCreateParams;
	if (error)
		return RESULT(error);
	if (!pctx || dev)
		return RESULT(dev ? CUDA_ERROR_INVALID_DEVICE : CUDA_ERROR_INVALID_VALUE);
	made = calloc(1, sizeof(*made));
	if (!made)
		return RESULT(CUDA_ERROR_OUT_OF_MEMORY);
	made->context.alive = true;
	made->context.flags = flags;
	error = context_push(&made->context);
	if (!error)
		error = device_enter(false);
	if (error) {
		free(made);
		return RESULT(error);
	}
	made->next = all;
	all = made;
	device_leave();
	*pctx = (CUcontext)&made->context;
	return CUDA_SUCCESS;
}

/* the form before CUDA 13 */
__attribute__((visibility("default"))) CUresult cuCtxCreate_v2(CUcontext *pctx, unsigned int flags,
							       CUdevice dev)
{
	return DELEGATE(cuCtxCreate_v4(pctx, NULL, flags, dev));
}
ALIAS(cuCtxCreate_v2, cuCtxCreate);

__attribute__((visibility("default"))) CUresult cuCtxCreate_v3(CUcontext *pctx, void *affinity,
							       int count, unsigned int flags,
							       CUdevice dev)
{
	(void)affinity;
	(void)count;
	return DELEGATE(cuCtxCreate_v4(pctx, NULL, flags, dev));
}

CUresult cuCtxDestroy_v2(CUcontext ctx)
{
	struct emulator_context *context;
	int error = device_enter(false);

	if (error)
		return RESULT(error);
	context = alive(ctx);
	if (context && context != context_primary()) {
		modules_release(context);
		allocations_release("cuCtxDestroy", context);
		if (context_current() == context)
			context_pop();
		context->alive = false;
	} else {
		error = CUDA_ERROR_INVALID_CONTEXT;
	}
	device_leave();
	return RESULT(error);
}
ALIAS(cuCtxDestroy_v2, cuCtxDestroy);

/* Returns 201 (invalid context) for a handle of no context; NULL may be made current. */
static int check_context(CUcontext ctx)
{
	int error = device_enter(false);

	if (error)
		return error;
	if (ctx && !alive(ctx))
		error = CUDA_ERROR_INVALID_CONTEXT;
	device_leave();
	return error;
}

CUresult cuCtxPushCurrent_v2(CUcontext ctx)
{
	int error = ctx ? check_context(ctx) : CUDA_ERROR_INVALID_CONTEXT;

	return RESULT((error ? error : context_push((struct emulator_context *)ctx)));
}
ALIAS(cuCtxPushCurrent_v2, cuCtxPushCurrent);

CUresult cuCtxPopCurrent_v2(CUcontext *pctx)
{
	struct emulator_context *context;
	int error = vflow_emulator_check(false);

	if (error)
		return RESULT(error);
	context = context_pop();
	if (!context)
		return RESULT(CUDA_ERROR_INVALID_CONTEXT);
	if (pctx)
		*pctx = (CUcontext)context;
	return CUDA_SUCCESS;
}
ALIAS(cuCtxPopCurrent_v2, cuCtxPopCurrent);

CUresult cuCtxSetCurrent(CUcontext ctx)
{
	int error = check_context(ctx);

	if (!error)
		context_make_current((struct emulator_context *)ctx);
	return RESULT(error);
}

CUresult cuCtxGetCurrent(CUcontext *pctx)
{
	int error = vflow_emulator_check(false);

	if (error)
		return RESULT(error);
	if (!pctx)
		return RESULT(CUDA_ERROR_INVALID_VALUE);
	*pctx = (CUcontext)context_current();
	return CUDA_SUCCESS;
}

CUresult cuCtxGetDevice(CUdevice *device)
{
	int error = vflow_emulator_check(false);

	if (error)
		return RESULT(error);
	if (!context_current())
		return RESULT(CUDA_ERROR_INVALID_CONTEXT);
	if (!device)
		return RESULT(CUDA_ERROR_INVALID_VALUE);
	*device = 0;
	return CUDA_SUCCESS;
}

CUresult cuCtxSynchronize(void)
{
	return RESULT(vflow_emulator_synchronize_device("cuCtxSynchronize"));
}
