/*
 * gpu/emulator/runtime/array.c: runtime API: arrays, copies to and from them, 3D memory.
 */
#include "gpu/emulator/runtime/runtime.h"

struct cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w,
						   enum cudaChannelFormatKind f)
{
	return (struct cudaChannelFormatDesc){x, y, z, w, f};
}

int runtime_channels(const struct cudaChannelFormatDesc *desc, struct emulator_array_shape *shape)
{
	const int bits[] = {desc->x, desc->y, desc->z, desc->w};

	shape->channels = 0;
	while (shape->channels < 4 && bits[shape->channels] > 0) {
		if (bits[shape->channels] != bits[0])
			return cudaErrorInvalidChannelDescriptor;
		shape->channels++;
	}
	if (desc->f > cudaChannelFormatKindFloat || bits[0] % 8 || !shape->channels ||
	    shape->channels == 3)
		return cudaErrorInvalidChannelDescriptor;
	shape->kind = (enum emulator_channel)desc->f;
	shape->channel_bytes = (uint32_t)bits[0] / 8;
	return 0;
}

static cudaError_t make_array(const char *name, cudaArray_t *array,
			      const struct cudaChannelFormatDesc *desc, struct cudaExtent extent,
			      unsigned flags)
{
	struct emulator_array_shape shape = {
		.width = extent.width,
		.height = extent.height ? extent.height : 1,
		.depth = extent.depth ? extent.depth : 1,
		.dimensions = extent.depth && !(flags & cudaArrayLayered) ? 3
			      : extent.height                             ? 2
									  : 1,
		.layered = flags & cudaArrayLayered,
		.cube = flags & cudaArrayCubemap,
	};
	void *made;
	int error;

	ATTACH_OF(name);
	error = array && desc ? runtime_channels(desc, &shape) : (int)cudaErrorInvalidValue;
	if (!error && shape.cube && (shape.width != shape.height || shape.depth % 6))
		error = cudaErrorInvalidValue;
	if (!error)
		error = vflow_emulator_array_create(name, &shape, &made);
	if (!error)
		*array = made;
	return runtime_result_of(name, error);
}

cudaError_t cudaMallocArray(cudaArray_t *array, const struct cudaChannelFormatDesc *desc,
			    size_t width, size_t height, unsigned int flags)
{
	return make_array("cudaMallocArray", array, desc, (struct cudaExtent){width, height, 0},
			  flags);
}

cudaError_t cudaMalloc3DArray(cudaArray_t *array, const struct cudaChannelFormatDesc *desc,
			      struct cudaExtent extent, unsigned int flags)
{
	return make_array("cudaMalloc3DArray", array, desc, extent, flags);
}

cudaError_t cudaFreeArray(cudaArray_t array)
{
	ATTACH();
	return runtime_result(vflow_emulator_array_destroy("cudaFreeArray", array));
}

cudaError_t cudaArrayGetInfo(struct cudaChannelFormatDesc *desc, struct cudaExtent *extent,
			     unsigned int *flags, cudaArray_t array)
{
	struct emulator_array_shape shape;
	int error;

	ATTACH();
	error = vflow_emulator_array_shape(array, &shape);
	if (error)
		return runtime_result(error);
	if (desc) {
		int bits = (int)shape.channel_bytes * 8;

		*desc = (struct cudaChannelFormatDesc){
			bits, shape.channels > 1 ? bits : 0, shape.channels > 2 ? bits : 0,
			shape.channels > 3 ? bits : 0, (enum cudaChannelFormatKind)shape.kind};
	}
	if (extent)
		*extent = (struct cudaExtent){shape.width, shape.dimensions > 1 ? shape.height : 0,
					      shape.dimensions > 2 || shape.layered ? shape.depth
										    : 0};
	if (flags)
		*flags = (shape.layered ? cudaArrayLayered : 0u) |
			 (shape.cube ? cudaArrayCubemap : 0u);
	return cudaSuccess;
}

cudaError_t cudaGetChannelDesc(struct cudaChannelFormatDesc *desc, cudaArray_const_t array)
{
	if (!desc)
		return runtime_result(cudaErrorInvalidValue);
	return DELEGATE(cudaArrayGetInfo(desc, NULL, NULL, (cudaArray_t)(uintptr_t)array));
}

/* Source or destination of a copy: a position in an array, or in linear memory. */
struct end {
	uint64_t address, pitch, slice, texel; /* texel: 1 in memory */
	bool array;
};

static int array_end(cudaArray_const_t array, struct cudaPos position, bool x_in_texels,
		     struct end *end)
{
	struct emulator_array_shape shape;
	int error = vflow_emulator_array_shape((void *)(uintptr_t)array, &shape);
	uint64_t x;

	if (error)
		return error;
	end->texel = shape.channels * shape.channel_bytes;
	end->array = true;
	x = position.x * (x_in_texels ? end->texel : 1);
	if (x > shape.pitch || position.y > shape.height || position.z > shape.depth)
		return cudaErrorInvalidValue;
	end->pitch = shape.pitch;
	end->slice = shape.slice;
	end->address = shape.address + position.z * shape.slice + position.y * shape.pitch + x;
	return 0;
}

static struct end memory_end(const struct cudaPitchedPtr *pointer, struct cudaPos position)
{
	const uint64_t slice = pointer->pitch * pointer->ysize;

	return (struct end){runtime_bits(pointer->ptr) + position.z * slice +
				    position.y * pointer->pitch + position.x,
			    pointer->pitch, slice, 1, false};
}

static int describe(const struct end *to, const struct end *from, struct cudaExtent bytes,
		    enum cudaMemcpyKind kind, struct emulator_copy *what)
{
	int error;

	*what = (struct emulator_copy){.to = to->address,
				       .from = from->address,
				       .width = bytes.width,
				       .height = bytes.height,
				       .depth = bytes.depth,
				       .to_pitch = to->pitch,
				       .from_pitch = from->pitch,
				       .to_slice = to->slice,
				       .from_slice = from->slice};
	error = runtime_sides(what, kind);
	/* arrays are device memory, whatever kind of copy the program names */
	if (to->array)
		what->to_side = SIDE_ANY;
	if (from->array)
		what->from_side = SIDE_ANY;
	return error;
}

static cudaError_t copy(const char *name, cudaStream_t stream, const struct end *to,
			const struct end *from, struct cudaExtent bytes, enum cudaMemcpyKind kind)
{
	struct emulator_copy what;
	int error = describe(to, from, bytes, kind, &what);

	return runtime_result_of(name, error ? error : vflow_emulator_copy(name, stream, &what));
}

static cudaError_t to_array(const char *name, cudaArray_t dst, size_t x, size_t y, const void *src,
			    size_t pitch, struct cudaExtent bytes, enum cudaMemcpyKind kind,
			    cudaStream_t stream)
{
	const struct end from = {runtime_bits(src), pitch, 0, 1, false};
	struct end to;
	int error;

	ATTACH_OF(name);
	error = array_end(dst, (struct cudaPos){x, y, 0}, false, &to);
	if (!error && bytes.width + x > to.pitch)
		error = cudaErrorInvalidValue;
	return error ? runtime_result_of(name, error) : copy(name, stream, &to, &from, bytes, kind);
}

static cudaError_t from_array(const char *name, void *dst, size_t pitch, cudaArray_const_t src,
			      size_t x, size_t y, struct cudaExtent bytes, enum cudaMemcpyKind kind,
			      cudaStream_t stream)
{
	const struct end to = {runtime_bits(dst), pitch, 0, 1, false};
	struct end from;
	int error;

	ATTACH_OF(name);
	error = array_end(src, (struct cudaPos){x, y, 0}, false, &from);
	if (!error && bytes.width + x > from.pitch)
		error = cudaErrorInvalidValue;
	return error ? runtime_result_of(name, error) : copy(name, stream, &to, &from, bytes, kind);
}

/*
 * `count` bytes from (x, y) on, row after row: the rest of the first row, whole rows, and a part of
 * the last.
 */
static cudaError_t copy_count(const char *name, cudaArray_const_t array, size_t x, size_t y,
			      const void *memory, size_t count, bool in, enum cudaMemcpyKind kind,
			      cudaStream_t stream)
{
	const char *at = memory;
	cudaArray_t target = (cudaArray_t)(uintptr_t)array;
	cudaError_t result = cudaSuccess;
	struct end end;
	int error;

	ATTACH_OF(name);
	error = array_end(array, (struct cudaPos){0, 0, 0}, false, &end);
	if (!error && x >= end.pitch && count)
		error = cudaErrorInvalidValue;
	if (error)
		return runtime_result_of(name, error);
	do {
		size_t width = count < end.pitch - x ? count : end.pitch - x;
		size_t rows = !x && count >= end.pitch ? count / end.pitch : 1;
		struct cudaExtent bytes = {width, rows, 1};

		result = in ? to_array(name, target, x, y, at, end.pitch, bytes, kind, stream)
			    : from_array(name, (void *)(uintptr_t)at, end.pitch, array, x, y, bytes,
					 kind, stream);
		at += width * rows;
		count -= width * rows;
		y += rows;
		x = 0;
	} while (count && !result);
	return result;
}

cudaError_t cudaMemcpyToArray(cudaArray_t dst, size_t wOffset, size_t hOffset, const void *src,
			      size_t count, enum cudaMemcpyKind kind)
{
	return copy_count("cudaMemcpyToArray", dst, wOffset, hOffset, src, count, true, kind, NULL);
}
PER_THREAD(cudaMemcpyToArray, cudaMemcpyToArray_ptds);

EXPORT cudaError_t cudaMemcpyToArrayAsync(cudaArray_t dst, size_t wOffset, size_t hOffset,
					  const void *src, size_t count, enum cudaMemcpyKind kind,
					  cudaStream_t stream);
cudaError_t cudaMemcpyToArrayAsync(cudaArray_t dst, size_t wOffset, size_t hOffset, const void *src,
				   size_t count, enum cudaMemcpyKind kind, cudaStream_t stream)
{
	return copy_count("cudaMemcpyToArrayAsync", dst, wOffset, hOffset, src, count, true, kind,
			  stream);
}
PER_THREAD(cudaMemcpyToArrayAsync, cudaMemcpyToArrayAsync_ptsz);

cudaError_t cudaMemcpyFromArray(void *dst, cudaArray_const_t src, size_t wOffset, size_t hOffset,
				size_t count, enum cudaMemcpyKind kind)
{
	return copy_count("cudaMemcpyFromArray", src, wOffset, hOffset, dst, count, false, kind,
			  NULL);
}
PER_THREAD(cudaMemcpyFromArray, cudaMemcpyFromArray_ptds);

EXPORT cudaError_t cudaMemcpyFromArrayAsync(void *dst, cudaArray_const_t src, size_t wOffset,
					    size_t hOffset, size_t count, enum cudaMemcpyKind kind,
					    cudaStream_t stream);
cudaError_t cudaMemcpyFromArrayAsync(void *dst, cudaArray_const_t src, size_t wOffset,
				     size_t hOffset, size_t count, enum cudaMemcpyKind kind,
				     cudaStream_t stream)
{
	return copy_count("cudaMemcpyFromArrayAsync", src, wOffset, hOffset, dst, count, false,
			  kind, stream);
}
PER_THREAD(cudaMemcpyFromArrayAsync, cudaMemcpyFromArrayAsync_ptsz);

static cudaError_t between_arrays(const char *name, cudaArray_t dst, size_t to_x, size_t to_y,
				  cudaArray_const_t src, size_t from_x, size_t from_y, size_t width,
				  size_t height, enum cudaMemcpyKind kind)
{
	struct end to, from;
	int error;

	ATTACH_OF(name);
	error = array_end(dst, (struct cudaPos){to_x, to_y, 0}, false, &to);
	if (!error)
		error = array_end(src, (struct cudaPos){from_x, from_y, 0}, false, &from);
	if (!error && (width > to.pitch - to_x || width > from.pitch - from_x))
		error = cudaErrorInvalidValue;
	return error ? runtime_result_of(name, error)
		     : copy(name, NULL, &to, &from, (struct cudaExtent){width, height, 1}, kind);
}

cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t dst, size_t wOffsetDst, size_t hOffsetDst,
				     cudaArray_const_t src, size_t wOffsetSrc, size_t hOffsetSrc,
				     size_t width, size_t height, enum cudaMemcpyKind kind)
{
	return between_arrays("cudaMemcpy2DArrayToArray", dst, wOffsetDst, hOffsetDst, src,
			      wOffsetSrc, hOffsetSrc, width, height, kind);
}
PER_THREAD(cudaMemcpy2DArrayToArray, cudaMemcpy2DArrayToArray_ptds);

EXPORT cudaError_t cudaMemcpyArrayToArray(cudaArray_t dst, size_t wOffsetDst, size_t hOffsetDst,
					  cudaArray_const_t src, size_t wOffsetSrc,
					  size_t hOffsetSrc, size_t count,
					  enum cudaMemcpyKind kind);
cudaError_t cudaMemcpyArrayToArray(cudaArray_t dst, size_t wOffsetDst, size_t hOffsetDst,
				   cudaArray_const_t src, size_t wOffsetSrc, size_t hOffsetSrc,
				   size_t count, enum cudaMemcpyKind kind)
{
	struct end from;
	size_t rows = 1;

	ATTACH();
	/* whole rows: both arrays have the same row size */
	if (!wOffsetDst && !wOffsetSrc &&
	    !array_end(src, (struct cudaPos){0, 0, 0}, false, &from) && count > from.pitch &&
	    count % from.pitch == 0)
		rows = count / from.pitch;
	return between_arrays("cudaMemcpyArrayToArray", dst, wOffsetDst, hOffsetDst, src,
			      wOffsetSrc, hOffsetSrc, count / rows, rows, kind);
}
PER_THREAD(cudaMemcpyArrayToArray, cudaMemcpyArrayToArray_ptds);

cudaError_t cudaMemcpy2DToArray(cudaArray_t dst, size_t wOffset, size_t hOffset, const void *src,
				size_t spitch, size_t width, size_t height,
				enum cudaMemcpyKind kind)
{
	return to_array("cudaMemcpy2DToArray", dst, wOffset, hOffset, src, spitch,
			(struct cudaExtent){width, height, 1}, kind, NULL);
}
PER_THREAD(cudaMemcpy2DToArray, cudaMemcpy2DToArray_ptds);

cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t dst, size_t wOffset, size_t hOffset,
				     const void *src, size_t spitch, size_t width, size_t height,
				     enum cudaMemcpyKind kind, cudaStream_t stream)
{
	return to_array("cudaMemcpy2DToArrayAsync", dst, wOffset, hOffset, src, spitch,
			(struct cudaExtent){width, height, 1}, kind, stream);
}
PER_THREAD(cudaMemcpy2DToArrayAsync, cudaMemcpy2DToArrayAsync_ptsz);

cudaError_t cudaMemcpy2DFromArray(void *dst, size_t dpitch, cudaArray_const_t src, size_t wOffset,
				  size_t hOffset, size_t width, size_t height,
				  enum cudaMemcpyKind kind)
{
	return from_array("cudaMemcpy2DFromArray", dst, dpitch, src, wOffset, hOffset,
			  (struct cudaExtent){width, height, 1}, kind, NULL);
}
PER_THREAD(cudaMemcpy2DFromArray, cudaMemcpy2DFromArray_ptds);

cudaError_t cudaMemcpy2DFromArrayAsync(void *dst, size_t dpitch, cudaArray_const_t src,
				       size_t wOffset, size_t hOffset, size_t width, size_t height,
				       enum cudaMemcpyKind kind, cudaStream_t stream)
{
	return from_array("cudaMemcpy2DFromArrayAsync", dst, dpitch, src, wOffset, hOffset,
			  (struct cudaExtent){width, height, 1}, kind, stream);
}
PER_THREAD(cudaMemcpy2DFromArrayAsync, cudaMemcpy2DFromArrayAsync_ptsz);

int runtime_copy_3d(const struct cudaMemcpy3DParms *p, struct emulator_copy *what)
{
	struct end to, from;
	struct cudaExtent bytes;
	int error = 0;

	if (!p || !p->srcArray == !p->srcPtr.ptr || !p->dstArray == !p->dstPtr.ptr)
		return cudaErrorInvalidValue;
	if (p->srcArray)
		error = array_end(p->srcArray, p->srcPos, true, &from);
	else
		from = memory_end(&p->srcPtr, p->srcPos);
	if (!error && p->dstArray)
		error = array_end(p->dstArray, p->dstPos, true, &to);
	else if (!error)
		to = memory_end(&p->dstPtr, p->dstPos);
	if (error)
		return error;
	/* the extent is in texels if an array takes part */
	bytes = p->extent;
	bytes.width *= p->dstArray ? to.texel : from.texel;
	if (!bytes.depth)
		bytes.width = 0; /* an empty extent copies nothing */
	return describe(&to, &from, bytes, p->kind, what);
}

static cudaError_t copy_3d(const char *name, const struct cudaMemcpy3DParms *p, cudaStream_t stream)
{
	struct emulator_copy what;
	int error;

	ATTACH_OF(name);
	error = runtime_copy_3d(p, &what);
	return runtime_result_of(name, error ? error : vflow_emulator_copy(name, stream, &what));
}

cudaError_t cudaMemcpy3D(const struct cudaMemcpy3DParms *p)
{
	return copy_3d("cudaMemcpy3D", p, NULL);
}
PER_THREAD(cudaMemcpy3D, cudaMemcpy3D_ptds);

cudaError_t cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *p, cudaStream_t stream)
{
	return copy_3d("cudaMemcpy3DAsync", p, stream);
}
PER_THREAD(cudaMemcpy3DAsync, cudaMemcpy3DAsync_ptsz);

/* There is one device: a peer copy is an ordinary one. */
struct peer_copy {
	cudaArray_t srcArray;
	struct cudaPos srcPos;
	struct cudaPitchedPtr srcPtr;
	int srcDevice;
	cudaArray_t dstArray;
	struct cudaPos dstPos;
	struct cudaPitchedPtr dstPtr;
	int dstDevice;
	struct cudaExtent extent;
};

static cudaError_t copy_3d_peer(const char *name, const struct peer_copy *p, cudaStream_t stream)
{
	if (!p || p->srcDevice || p->dstDevice)
		return runtime_result_of(name, p ? cudaErrorInvalidDevice : cudaErrorInvalidValue);
	return copy_3d(name,
		       &(struct cudaMemcpy3DParms){p->srcArray, p->srcPos, p->srcPtr, p->dstArray,
						   p->dstPos, p->dstPtr, p->extent,
						   cudaMemcpyDefault},
		       stream);
}

EXPORT cudaError_t cudaMemcpy3DPeer(const struct peer_copy *p);
cudaError_t cudaMemcpy3DPeer(const struct peer_copy *p)
{
	return copy_3d_peer("cudaMemcpy3DPeer", p, NULL);
}
PER_THREAD(cudaMemcpy3DPeer, cudaMemcpy3DPeer_ptds);

EXPORT cudaError_t cudaMemcpy3DPeerAsync(const struct peer_copy *p, cudaStream_t stream);
cudaError_t cudaMemcpy3DPeerAsync(const struct peer_copy *p, cudaStream_t stream)
{
	return copy_3d_peer("cudaMemcpy3DPeerAsync", p, stream);
}
PER_THREAD(cudaMemcpy3DPeerAsync, cudaMemcpy3DPeerAsync_ptsz);

cudaError_t cudaMalloc3D(struct cudaPitchedPtr *pitchedDevPtr, struct cudaExtent extent)
{
	uint64_t rows, pitch, address;
	int error;

	ATTACH();
	error = pitchedDevPtr ? 0 : (int)cudaErrorInvalidValue;
	if (!error && __builtin_mul_overflow(extent.height, extent.depth, &rows))
		error = cudaErrorMemoryAllocation;
	if (!error)
		error = vflow_emulator_allocate_pitch("cudaMalloc3D", extent.width, rows, &pitch,
						      &address);
	if (!error)
		*pitchedDevPtr = (struct cudaPitchedPtr){(void *)(uintptr_t)address, pitch,
							 extent.width, extent.height};
	return runtime_result(error);
}

static cudaError_t fill_3d(const char *name, const struct cudaPitchedPtr *to, int value,
			   struct cudaExtent extent, cudaStream_t stream)
{
	int error = 0;

	ATTACH_OF(name);
	if (extent.height == to->ysize || extent.depth == 1)
		return runtime_result_of(name, vflow_emulator_fill(name, stream,
								   runtime_bits(to->ptr), to->pitch,
								   (uint8_t)value, 1, extent.width,
								   extent.height * extent.depth));
	for (size_t z = 0; z < extent.depth && !error; z++)
		error = vflow_emulator_fill(
			name, stream, runtime_bits(to->ptr) + z * to->pitch * to->ysize, to->pitch,
			(uint8_t)value, 1, extent.width, extent.height);
	return runtime_result_of(name, error);
}

cudaError_t cudaMemset3D(struct cudaPitchedPtr pitchedDevPtr, int value, struct cudaExtent extent)
{
	return fill_3d("cudaMemset3D", &pitchedDevPtr, value, extent, NULL);
}
PER_THREAD(cudaMemset3D, cudaMemset3D_ptds);

cudaError_t cudaMemset3DAsync(struct cudaPitchedPtr pitchedDevPtr, int value,
			      struct cudaExtent extent, cudaStream_t stream)
{
	return fill_3d("cudaMemset3DAsync", &pitchedDevPtr, value, extent, stream);
}
PER_THREAD(cudaMemset3DAsync, cudaMemset3DAsync_ptsz);
