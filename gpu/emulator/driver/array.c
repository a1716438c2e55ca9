/*
 * gpu/emulator/driver/array.c: driver API: arrays, and copies of rows and slices.
 */
#include "gpu/emulator/driver/driver.h"

#undef cuArrayCreate
#undef cuArray3DCreate
#undef cuArrayGetDescriptor
#undef cuArray3DGetDescriptor
#undef cuMemcpy2D
#undef cuMemcpy2DUnaligned
#undef cuMemcpy2DAsync
#undef cuMemcpy3D
#undef cuMemcpy3DAsync
#undef cuMemcpyHtoA
#undef cuMemcpyAtoH
#undef cuMemcpyDtoA
#undef cuMemcpyAtoD
#undef cuMemcpyAtoA

static uint64_t bits(const void *pointer)
{
	return (uintptr_t)pointer;
}

int driver_channels(CUarray_format format, unsigned channels, struct emulator_array_shape *shape)
{
	switch (format) {
	case CU_AD_FORMAT_UNSIGNED_INT8:
	case CU_AD_FORMAT_SIGNED_INT8:
		shape->channel_bytes = 1;
		break;
	case CU_AD_FORMAT_UNSIGNED_INT16:
	case CU_AD_FORMAT_SIGNED_INT16:
	case CU_AD_FORMAT_HALF:
		shape->channel_bytes = 2;
		break;
	case CU_AD_FORMAT_UNSIGNED_INT32:
	case CU_AD_FORMAT_SIGNED_INT32:
	case CU_AD_FORMAT_FLOAT:
		shape->channel_bytes = 4;
		break;
	default:
		return vflow_emulator_unsupported("this format of an array");
	}
	shape->kind = format >= CU_AD_FORMAT_HALF          ? CHANNEL_FLOAT
		      : format >= CU_AD_FORMAT_SIGNED_INT8 ? CHANNEL_SIGNED
							   : CHANNEL_UNSIGNED;
	shape->channels = channels;
	return channels == 1 || channels == 2 || channels == 4 ? 0 : CUDA_ERROR_INVALID_VALUE;
}

static CUarray_format format_of(const struct emulator_array_shape *shape)
{
	static const CUarray_format formats[3][3] = {
		[CHANNEL_SIGNED] = {CU_AD_FORMAT_SIGNED_INT8, CU_AD_FORMAT_SIGNED_INT16,
				    CU_AD_FORMAT_SIGNED_INT32},
		[CHANNEL_UNSIGNED] = {CU_AD_FORMAT_UNSIGNED_INT8, CU_AD_FORMAT_UNSIGNED_INT16,
				      CU_AD_FORMAT_UNSIGNED_INT32},
		[CHANNEL_FLOAT] = {CU_AD_FORMAT_HALF, CU_AD_FORMAT_HALF, CU_AD_FORMAT_FLOAT},
	};

	return formats[shape->kind][shape->channel_bytes / 2];
}

static CUresult create(const char *name, CUarray *array, const CUDA_ARRAY3D_DESCRIPTOR *d)
{
	const bool layered = d->Flags & CUDA_ARRAY3D_LAYERED;
	struct emulator_array_shape shape = {
		.width = d->Width,
		.height = d->Height ? d->Height : 1,
		.depth = d->Depth ? d->Depth : 1,
		.dimensions = d->Depth && !layered ? 3
			      : d->Height          ? 2
						   : 1,
		.layered = layered,
		.cube = d->Flags & CUDA_ARRAY3D_CUBEMAP,
	};
	void *made;
	int error = driver_channels(d->Format, d->NumChannels, &shape);

	if (!error && shape.cube && (shape.width != shape.height || shape.depth % 6))
		error = CUDA_ERROR_INVALID_VALUE;
	if (!error)
		error = vflow_emulator_array_create(name, &shape, &made);
	if (!error)
		*array = made;
	return driver_result(error);
}

CUresult cuArrayCreate_v2(CUarray *pHandle, const CUDA_ARRAY_DESCRIPTOR *d)
{
	if (!pHandle || !d)
		return RESULT(CUDA_ERROR_INVALID_VALUE);
	return RESULT(create(
		"cuArrayCreate", pHandle,
		&(CUDA_ARRAY3D_DESCRIPTOR){d->Width, d->Height, 0, d->Format, d->NumChannels, 0}));
}

CUresult cuArray3DCreate_v2(CUarray *pHandle, const CUDA_ARRAY3D_DESCRIPTOR *d)
{
	return RESULT(pHandle && d ? create("cuArray3DCreate", pHandle, d)
				   : CUDA_ERROR_INVALID_VALUE);
}

CUresult cuArrayDestroy(CUarray hArray)
{
	if (!hArray)
		return RESULT(CUDA_ERROR_INVALID_HANDLE);
	return RESULT(vflow_emulator_array_destroy("cuArrayDestroy", hArray));
}

CUresult cuArray3DGetDescriptor_v2(CUDA_ARRAY3D_DESCRIPTOR *d, CUarray hArray)
{
	struct emulator_array_shape shape;
	int error = d ? vflow_emulator_array_shape(hArray, &shape) : CUDA_ERROR_INVALID_VALUE;

	if (error)
		return RESULT(error);
	*d = (CUDA_ARRAY3D_DESCRIPTOR){
		.Width = shape.width,
		.Height = shape.dimensions > 1 ? shape.height : 0,
		.Depth = shape.dimensions > 2 || shape.layered ? shape.depth : 0,
		.Format = format_of(&shape),
		.NumChannels = shape.channels,
		.Flags = (shape.layered ? CUDA_ARRAY3D_LAYERED : 0u) |
			 (shape.cube ? CUDA_ARRAY3D_CUBEMAP : 0u),
	};
	return CUDA_SUCCESS;
}

CUresult cuArrayGetDescriptor_v2(CUDA_ARRAY_DESCRIPTOR *d, CUarray hArray)
{
	CUDA_ARRAY3D_DESCRIPTOR full;
	CUresult result = d ? cuArray3DGetDescriptor_v2(&full, hArray) : CUDA_ERROR_INVALID_VALUE;

	if (!result)
		*d = (CUDA_ARRAY_DESCRIPTOR){full.Width, full.Height, full.Format,
					     full.NumChannels};
	return RESULT(result);
}

/* -- copies ------------------------------------------------------------------------------- */

/* Source or destination of a copy. */
struct end {
	CUmemorytype type;
	const void *host;
	CUdeviceptr device;
	CUarray array;
	size_t pitch, rows; /* rows of a slice */
	size_t x, y, z;
};

struct place {
	uint64_t address, pitch, slice;
	enum emulator_side side;
};

static int locate(const struct end *end, size_t width, struct place *place)
{
	struct emulator_array_shape shape;
	int error;

	*place = (struct place){.pitch = end->pitch, .slice = end->pitch * end->rows};
	switch (end->type) {
	case CU_MEMORYTYPE_HOST:
		place->address = bits(end->host);
		place->side = SIDE_HOST;
		break;
	case CU_MEMORYTYPE_DEVICE:
		place->address = end->device;
		place->side = SIDE_DEVICE;
		break;
	case CU_MEMORYTYPE_UNIFIED:
		place->address = end->device;
		break;
	case CU_MEMORYTYPE_ARRAY:
		error = vflow_emulator_array_shape(end->array, &shape);
		if (error)
			return error;
		if (end->x > shape.pitch || width > shape.pitch - end->x || end->y > shape.height ||
		    end->z > shape.depth)
			return CUDA_ERROR_INVALID_VALUE;
		place->address = shape.address;
		place->pitch = shape.pitch;
		place->slice = shape.slice;
		break;
	default:
		return CUDA_ERROR_INVALID_VALUE;
	}
	place->address += end->z * place->slice + end->y * place->pitch + end->x;
	return 0;
}

static int describe(const struct end *to, const struct end *from, size_t width, size_t height,
		    size_t depth, struct emulator_copy *what)
{
	struct place target, source;
	int error = locate(to, width, &target);

	if (!error)
		error = locate(from, width, &source);
	if (error)
		return error;
	*what = (struct emulator_copy){.to = target.address,
				       .from = source.address,
				       .to_side = target.side,
				       .from_side = source.side,
				       .width = width,
				       .height = depth ? height : 0,
				       .depth = depth,
				       .to_pitch = target.pitch,
				       .from_pitch = source.pitch,
				       .to_slice = target.slice,
				       .from_slice = source.slice};
	return 0;
}

static CUresult copy(const char *name, CUstream stream, const struct end *to,
		     const struct end *from, size_t width, size_t height, size_t depth)
{
	struct emulator_copy what;
	int error = describe(to, from, width, height, depth, &what);

	return driver_result(error ? error : vflow_emulator_copy(name, stream, &what));
}

static CUresult copy_2d(const char *name, CUstream stream, const CUDA_MEMCPY2D *c)
{
	if (!c)
		return CUDA_ERROR_INVALID_VALUE;
	return copy(name, stream,
		    &(struct end){c->dstMemoryType, c->dstHost, c->dstDevice, c->dstArray,
				  c->dstPitch, 0, c->dstXInBytes, c->dstY, 0},
		    &(struct end){c->srcMemoryType, c->srcHost, c->srcDevice, c->srcArray,
				  c->srcPitch, 0, c->srcXInBytes, c->srcY, 0},
		    c->WidthInBytes, c->Height, 1);
}

CUresult cuMemcpy2D_v2(const CUDA_MEMCPY2D *pCopy)
{
	return RESULT(copy_2d("cuMemcpy2D", NULL, pCopy));
}
ALIAS_V2(cuMemcpy2D, ptds);

CUresult cuMemcpy2DUnaligned_v2(const CUDA_MEMCPY2D *pCopy)
{
	return RESULT(copy_2d("cuMemcpy2DUnaligned", NULL, pCopy));
}
ALIAS_V2(cuMemcpy2DUnaligned, ptds);

CUresult cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D *pCopy, CUstream hStream)
{
	return RESULT(copy_2d("cuMemcpy2DAsync", hStream, pCopy));
}
ALIAS_V2(cuMemcpy2DAsync, ptsz);

int driver_copy_3d(const CUDA_MEMCPY3D *c, struct emulator_copy *what)
{
	return describe(&(struct end){c->dstMemoryType, c->dstHost, c->dstDevice, c->dstArray,
				      c->dstPitch, c->dstHeight, c->dstXInBytes, c->dstY, c->dstZ},
			&(struct end){c->srcMemoryType, c->srcHost, c->srcDevice, c->srcArray,
				      c->srcPitch, c->srcHeight, c->srcXInBytes, c->srcY, c->srcZ},
			c->WidthInBytes, c->Height, c->Depth, what);
}

static CUresult copy_3d(const char *name, CUstream stream, const CUDA_MEMCPY3D *c)
{
	struct emulator_copy what;
	int error = c ? driver_copy_3d(c, &what) : CUDA_ERROR_INVALID_VALUE;

	return driver_result(error ? error : vflow_emulator_copy(name, stream, &what));
}

CUresult cuMemcpy3D_v2(const CUDA_MEMCPY3D *pCopy)
{
	return RESULT(copy_3d("cuMemcpy3D", NULL, pCopy));
}
ALIAS_V2(cuMemcpy3D, ptds);

CUresult cuMemcpy3DAsync_v2(const CUDA_MEMCPY3D *pCopy, CUstream hStream)
{
	return RESULT(copy_3d("cuMemcpy3DAsync", hStream, pCopy));
}
ALIAS_V2(cuMemcpy3DAsync, ptsz);

/* There is one device: a copy between its contexts is an ordinary one. */
CUresult cuMemcpy3DPeer(const CUDA_MEMCPY3D *pCopy);
CUresult cuMemcpy3DPeerAsync(const CUDA_MEMCPY3D *pCopy, CUstream hStream);
#pragma GCC visibility push(default)
CUresult cuMemcpy3DPeer(const CUDA_MEMCPY3D *pCopy)
{
	return RESULT(copy_3d("cuMemcpy3DPeer", NULL, pCopy));
}
PER_THREAD(cuMemcpy3DPeer, cuMemcpy3DPeer_ptds);

CUresult cuMemcpy3DPeerAsync(const CUDA_MEMCPY3D *pCopy, CUstream hStream)
{
	return RESULT(copy_3d("cuMemcpy3DPeerAsync", hStream, pCopy));
}
PER_THREAD(cuMemcpy3DPeerAsync, cuMemcpy3DPeerAsync_ptsz);
#pragma GCC visibility pop

CUresult cuMemcpyPeerAsync(CUdeviceptr dstDevice, CUcontext dstContext, CUdeviceptr srcDevice,
			   CUcontext srcContext, size_t ByteCount, CUstream hStream)
{
	(void)dstContext;
	(void)srcContext;
	return RESULT(copy("cuMemcpyPeerAsync", hStream,
			   &(struct end){.type = CU_MEMORYTYPE_DEVICE, .device = dstDevice},
			   &(struct end){.type = CU_MEMORYTYPE_DEVICE, .device = srcDevice},
			   ByteCount, 1, 1));
}
PER_THREAD(cuMemcpyPeerAsync, cuMemcpyPeerAsync_ptsz);

CUresult cuMemcpyPeer(CUdeviceptr dstDevice, CUcontext dstContext, CUdeviceptr srcDevice,
		      CUcontext srcContext, size_t ByteCount)
{
	(void)dstContext;
	(void)srcContext;
	return RESULT(copy("cuMemcpyPeer", NULL,
			   &(struct end){.type = CU_MEMORYTYPE_DEVICE, .device = dstDevice},
			   &(struct end){.type = CU_MEMORYTYPE_DEVICE, .device = srcDevice},
			   ByteCount, 1, 1));
}
PER_THREAD(cuMemcpyPeer, cuMemcpyPeer_ptds);

static struct end in_array(CUarray array, size_t offset)
{
	return (struct end){.type = CU_MEMORYTYPE_ARRAY, .array = array, .x = offset};
}

static struct end on_device(CUdeviceptr address)
{
	return (struct end){.type = CU_MEMORYTYPE_DEVICE, .device = address};
}

static struct end on_host(const void *pointer)
{
	return (struct end){.type = CU_MEMORYTYPE_HOST, .host = pointer};
}

CUresult cuMemcpyHtoA_v2(CUarray dstArray, size_t dstOffset, const void *srcHost, size_t ByteCount)
{
	const struct end to = in_array(dstArray, dstOffset), from = on_host(srcHost);

	return RESULT(copy("cuMemcpyHtoA", NULL, &to, &from, ByteCount, 1, 1));
}
ALIAS_V2(cuMemcpyHtoA, ptds);

CUresult cuMemcpyAtoH_v2(void *dstHost, CUarray srcArray, size_t srcOffset, size_t ByteCount)
{
	const struct end to = on_host(dstHost), from = in_array(srcArray, srcOffset);

	return RESULT(copy("cuMemcpyAtoH", NULL, &to, &from, ByteCount, 1, 1));
}
ALIAS_V2(cuMemcpyAtoH, ptds);

CUresult cuMemcpyDtoA_v2(CUarray dstArray, size_t dstOffset, CUdeviceptr srcDevice,
			 size_t ByteCount)
{
	const struct end to = in_array(dstArray, dstOffset), from = on_device(srcDevice);

	return RESULT(copy("cuMemcpyDtoA", NULL, &to, &from, ByteCount, 1, 1));
}
ALIAS_V2(cuMemcpyDtoA, ptds);

CUresult cuMemcpyAtoD_v2(CUdeviceptr dstDevice, CUarray srcArray, size_t srcOffset,
			 size_t ByteCount)
{
	const struct end to = on_device(dstDevice), from = in_array(srcArray, srcOffset);

	return RESULT(copy("cuMemcpyAtoD", NULL, &to, &from, ByteCount, 1, 1));
}
ALIAS_V2(cuMemcpyAtoD, ptds);

CUresult cuMemcpyAtoA_v2(CUarray dstArray, size_t dstOffset, CUarray srcArray, size_t srcOffset,
			 size_t ByteCount)
{
	const struct end to = in_array(dstArray, dstOffset), from = in_array(srcArray, srcOffset);

	return RESULT(copy("cuMemcpyAtoA", NULL, &to, &from, ByteCount, 1, 1));
}
ALIAS_V2(cuMemcpyAtoA, ptds);
