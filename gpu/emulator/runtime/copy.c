/*
 * gpu/emulator/runtime/copy.c: runtime API: copies, sets and symbols.
 */
#include "gpu/emulator/runtime/runtime.h"

int runtime_sides(struct emulator_copy *copy, enum cudaMemcpyKind kind)
{
	static const enum emulator_side to[] = {SIDE_HOST, SIDE_DEVICE, SIDE_HOST, SIDE_DEVICE,
						SIDE_ANY};
	static const enum emulator_side from[] = {SIDE_HOST, SIDE_HOST, SIDE_DEVICE, SIDE_DEVICE,
						  SIDE_ANY};

	if ((unsigned)kind > cudaMemcpyDefault)
		return copy->width && copy->height ? (int)cudaErrorInvalidMemcpyDirection : 0;
	copy->to_side = to[kind];
	copy->from_side = from[kind];
	return 0;
}

static cudaError_t copy(const char *name, cudaStream_t stream, enum cudaMemcpyKind kind,
			struct emulator_copy what)
{
	int error;

	ATTACH_OF(name);
	error = runtime_sides(&what, kind);
	return runtime_result_of(name, error ? error : vflow_emulator_copy(name, stream, &what));
}

static struct emulator_copy row(const void *to, const void *from, size_t bytes)
{
	return (struct emulator_copy){
		.to = runtime_bits(to), .from = runtime_bits(from), .width = bytes, .height = 1};
}

cudaError_t cudaMemcpy(void *dst, const void *src, size_t count, enum cudaMemcpyKind kind)
{
	return copy("cudaMemcpy", NULL, kind, row(dst, src, count));
}
PER_THREAD(cudaMemcpy, cudaMemcpy_ptds);

cudaError_t cudaMemcpyAsync(void *dst, const void *src, size_t count, enum cudaMemcpyKind kind,
			    cudaStream_t stream)
{
	return copy("cudaMemcpyAsync", stream, kind, row(dst, src, count));
}
PER_THREAD(cudaMemcpyAsync, cudaMemcpyAsync_ptsz);

cudaError_t cudaMemcpyPeer(void *dst, int dstDevice, const void *src, int srcDevice, size_t count)
{
	if (dstDevice || srcDevice)
		return runtime_result(cudaErrorInvalidDevice);
	return copy("cudaMemcpyPeer", NULL, cudaMemcpyDeviceToDevice, row(dst, src, count));
}

cudaError_t cudaMemcpyPeerAsync(void *dst, int dstDevice, const void *src, int srcDevice,
				size_t count, cudaStream_t stream)
{
	if (dstDevice || srcDevice)
		return runtime_result(cudaErrorInvalidDevice);
	return copy("cudaMemcpyPeerAsync", stream, cudaMemcpyDeviceToDevice, row(dst, src, count));
}

/* Attributes of batches are hints; CUDA 12's form also returns which copy failed. */
#if CUDART_MAJOR >= 13
#define FAILED_NUMBER
#else
#define FAILED_NUMBER size_t *failed,
#endif
EXPORT cudaError_t cudaMemcpyBatchAsync(void **dsts, void **srcs, size_t *sizes, size_t count,
					void *attrs, size_t *attr_indices, size_t attr_count,
					FAILED_NUMBER cudaStream_t stream);
cudaError_t cudaMemcpyBatchAsync(void **dsts, void **srcs, size_t *sizes, size_t count, void *attrs,
				 size_t *attr_indices, size_t attr_count,
				 FAILED_NUMBER cudaStream_t stream)
{
	(void)attrs;
	(void)attr_indices;
	(void)attr_count;
	if (!dsts || !srcs || !sizes || !count)
		return runtime_result(cudaErrorInvalidValue);
	for (size_t n = 0; n < count; n++) {
		cudaError_t error = copy("cudaMemcpyBatchAsync", stream, cudaMemcpyDefault,
					 row(dsts[n], srcs[n], sizes[n]));

		if (!error)
			continue;
#if CUDART_MAJOR < 13
		if (failed)
			*failed = n;
#endif
		return error;
	}
	return cudaSuccess;
}
PER_THREAD(cudaMemcpyBatchAsync, cudaMemcpyBatchAsync_ptsz);

static struct emulator_copy rows(void *dst, size_t dpitch, const void *src, size_t spitch,
				 size_t width, size_t height)
{
	struct emulator_copy what = row(dst, src, width);

	what.height = height;
	what.to_pitch = dpitch;
	what.from_pitch = spitch;
	return what;
}

cudaError_t cudaMemcpy2D(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width,
			 size_t height, enum cudaMemcpyKind kind)
{
	if (width > dpitch || width > spitch)
		return runtime_result(cudaErrorInvalidPitchValue);
	return copy("cudaMemcpy2D", NULL, kind, rows(dst, dpitch, src, spitch, width, height));
}
PER_THREAD(cudaMemcpy2D, cudaMemcpy2D_ptds);

cudaError_t cudaMemcpy2DAsync(void *dst, size_t dpitch, const void *src, size_t spitch,
			      size_t width, size_t height, enum cudaMemcpyKind kind,
			      cudaStream_t stream)
{
	if (width > dpitch || width > spitch)
		return runtime_result(cudaErrorInvalidPitchValue);
	return copy("cudaMemcpy2DAsync", stream, kind,
		    rows(dst, dpitch, src, spitch, width, height));
}
PER_THREAD(cudaMemcpy2DAsync, cudaMemcpy2DAsync_ptsz);

/* The address `offset` bytes into a variable that holds `count` bytes from there. */
static int locate(const void *symbol, size_t count, size_t offset, uint64_t *address)
{
	uint64_t size;
	int error = registry_variable(symbol, address, &size);

	if (!error && (offset > size || count > size - offset))
		error = cudaErrorInvalidValue;
	*address += offset;
	return error;
}

static cudaError_t to_symbol(const char *name, const void *symbol, const void *src, size_t count,
			     size_t offset, enum cudaMemcpyKind kind, cudaStream_t stream)
{
	struct emulator_copy what = row(NULL, src, count);
	int error;

	ATTACH_OF(name);
	error = kind == cudaMemcpyHostToHost || kind == cudaMemcpyDeviceToHost
			? (int)cudaErrorInvalidMemcpyDirection
			: locate(symbol, count, offset, &what.to);
	return error ? runtime_result_of(name, error) : copy(name, stream, kind, what);
}

static cudaError_t from_symbol(const char *name, void *dst, const void *symbol, size_t count,
			       size_t offset, enum cudaMemcpyKind kind, cudaStream_t stream)
{
	struct emulator_copy what = row(dst, NULL, count);
	int error;

	ATTACH_OF(name);
	error = kind == cudaMemcpyHostToHost || kind == cudaMemcpyHostToDevice
			? (int)cudaErrorInvalidMemcpyDirection
			: locate(symbol, count, offset, &what.from);
	return error ? runtime_result_of(name, error) : copy(name, stream, kind, what);
}

cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *src, size_t count, size_t offset,
			       enum cudaMemcpyKind kind)
{
	return to_symbol("cudaMemcpyToSymbol", symbol, src, count, offset, kind, NULL);
}
PER_THREAD(cudaMemcpyToSymbol, cudaMemcpyToSymbol_ptds);

cudaError_t cudaMemcpyToSymbolAsync(const void *symbol, const void *src, size_t count,
				    size_t offset, enum cudaMemcpyKind kind, cudaStream_t stream)
{
	return to_symbol("cudaMemcpyToSymbolAsync", symbol, src, count, offset, kind, stream);
}
PER_THREAD(cudaMemcpyToSymbolAsync, cudaMemcpyToSymbolAsync_ptsz);

cudaError_t cudaMemcpyFromSymbol(void *dst, const void *symbol, size_t count, size_t offset,
				 enum cudaMemcpyKind kind)
{
	return from_symbol("cudaMemcpyFromSymbol", dst, symbol, count, offset, kind, NULL);
}
PER_THREAD(cudaMemcpyFromSymbol, cudaMemcpyFromSymbol_ptds);

cudaError_t cudaMemcpyFromSymbolAsync(void *dst, const void *symbol, size_t count, size_t offset,
				      enum cudaMemcpyKind kind, cudaStream_t stream)
{
	return from_symbol("cudaMemcpyFromSymbolAsync", dst, symbol, count, offset, kind, stream);
}
PER_THREAD(cudaMemcpyFromSymbolAsync, cudaMemcpyFromSymbolAsync_ptsz);

cudaError_t cudaGetSymbolAddress(void **devPtr, const void *symbol)
{
	uint64_t address, size;
	int error;

	ATTACH();
	error = devPtr ? registry_variable(symbol, &address, &size) : (int)cudaErrorInvalidValue;
	if (!error)
		*devPtr = (void *)(uintptr_t)address;
	return runtime_result(error);
}

cudaError_t cudaGetSymbolSize(size_t *size, const void *symbol)
{
	uint64_t address, bytes;
	int error;

	ATTACH();
	error = size ? registry_variable(symbol, &address, &bytes) : (int)cudaErrorInvalidValue;
	if (!error)
		*size = bytes;
	return runtime_result(error);
}

static cudaError_t fill(const char *name, cudaStream_t stream, void *to, size_t pitch, int value,
			size_t width, size_t height)
{
	ATTACH_OF(name);
	return runtime_result_of(name, vflow_emulator_fill(name, stream, runtime_bits(to), pitch,
							   (uint8_t)value, 1, width, height));
}

cudaError_t cudaMemset(void *devPtr, int value, size_t count)
{
	return fill("cudaMemset", NULL, devPtr, 0, value, count, 1);
}
PER_THREAD(cudaMemset, cudaMemset_ptds);

cudaError_t cudaMemsetAsync(void *devPtr, int value, size_t count, cudaStream_t stream)
{
	return fill("cudaMemsetAsync", stream, devPtr, 0, value, count, 1);
}
PER_THREAD(cudaMemsetAsync, cudaMemsetAsync_ptsz);

cudaError_t cudaMemset2D(void *devPtr, size_t pitch, int value, size_t width, size_t height)
{
	return fill("cudaMemset2D", NULL, devPtr, pitch, value, width, height);
}
PER_THREAD(cudaMemset2D, cudaMemset2D_ptds);

cudaError_t cudaMemset2DAsync(void *devPtr, size_t pitch, int value, size_t width, size_t height,
			      cudaStream_t stream)
{
	return fill("cudaMemset2DAsync", stream, devPtr, pitch, value, width, height);
}
PER_THREAD(cudaMemset2DAsync, cudaMemset2DAsync_ptsz);
