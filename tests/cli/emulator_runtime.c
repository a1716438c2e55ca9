/*
 * tests/cli/emulator_runtime.c: what the runtime API promises a plain C program, as TAP.
 *
 * No kernels.  Built against the emulator's header and, where there is one, the toolkit's.
 */
#include <cuda_runtime.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int number, failures;

#define OK(what, name)                                                                             \
	do {                                                                                       \
		int good = (what);                                                                 \
		failures += !good;                                                                 \
		printf("%s %d - %s\n", good ? "ok" : "not ok", ++number, name);                    \
		if (!good)                                                                         \
			printf("# line %d: %s\n", __LINE__, #what);                                \
	} while (0)

static void allocating(void)
{
	char *a, *b, *c = NULL;
	size_t before, after, total;

	OK(cudaFree(NULL) == cudaSuccess, "cudaFree(NULL) succeeds");
	OK(cudaMalloc((void **)&a, 1000) == cudaSuccess && (uintptr_t)a % 256 == 0,
	   "cudaMalloc gives aligned memory");
	OK(cudaMalloc((void **)&b, 512) == cudaSuccess && (b >= a + 1000 || a >= b + 512),
	   "a second allocation is somewhere else");
	OK(cudaMalloc(NULL, 4) == cudaErrorInvalidValue, "nowhere to store the address");
	OK(cudaMalloc((void **)&c, (size_t)1 << 60) == cudaErrorMemoryAllocation && !c,
	   "more than the device has");
	OK(cudaMalloc((void **)&c, 0) == cudaSuccess && !c, "nothing is NULL");
	OK(cudaFree(a + 4) == cudaErrorInvalidValue, "the middle of an allocation is not freed");
	OK(cudaGetLastError() == cudaErrorInvalidValue, "the last error is kept");
	OK(cudaGetLastError() == cudaSuccess, "and forgotten once told");
	OK(cudaFree(a) == cudaSuccess, "cudaFree");
	OK(cudaFree(a) == cudaErrorInvalidValue, "a second time is an error");
	OK(cudaMalloc((void **)&c, 1000) == cudaSuccess && c == a, "addresses are used again");
	cudaFree(b);
	cudaFree(c);
	cudaMalloc((void **)&a, 32 << 20);
	cudaMemGetInfo(&before, &total);
	cudaFree(a);
	cudaMemGetInfo(&after, &total);
	OK(after - before >= 32 << 20 && after <= total, "freeing gives memory back");
	cudaGetLastError();
}

static void copying(void)
{
	char host[300], back[300], *a, *b;
	int same = 1;

	for (int i = 0; i < 300; i++)
		host[i] = (char)(i * 7);
	cudaMalloc((void **)&a, 300);
	cudaMalloc((void **)&b, 300);
	cudaMemcpy(a, host, 300, cudaMemcpyHostToDevice);
	cudaMemcpy(b, a, 300, cudaMemcpyDeviceToDevice);
	memset(back, 0, sizeof(back));
	OK(cudaMemcpy(back, b, 300, cudaMemcpyDefault) == cudaSuccess && !memcmp(host, back, 300),
	   "bytes go to the device, across it and back");
	OK(cudaMemcpy(a + 100, host, 201, cudaMemcpyHostToDevice) == cudaErrorInvalidValue,
	   "a copy past the end fails");
	OK(cudaMemcpy(back, a + 1, 300, cudaMemcpyDeviceToHost) == cudaErrorInvalidValue,
	   "and one from past the end");
	OK(cudaMemcpy(host, back, 4, cudaMemcpyHostToDevice) == cudaErrorInvalidValue,
	   "the host is no device");
	OK(cudaMemcpy(a, host, 4, (enum cudaMemcpyKind)9) == cudaErrorInvalidMemcpyDirection,
	   "unknown direction");
	OK(cudaMemcpy(a, host, 0, cudaMemcpyHostToDevice) == cudaSuccess, "nothing to copy");
	OK(cudaMemcpy(back, host, 300, cudaMemcpyHostToHost) == cudaSuccess, "host to host");
	OK(cudaMemset(host, 0, 4) == cudaErrorInvalidValue && host[1] == 7,
	   "cudaMemset on a host address fails and the program goes on");
	OK(cudaMemset(a, 0x5a, 300) == cudaSuccess, "cudaMemset");
	cudaMemcpy(back, a, 300, cudaMemcpyDeviceToHost);
	for (int i = 0; i < 300; i++)
		same &= back[i] == 0x5a;
	OK(same, "sets every byte");
	OK(cudaMemset(a, 0, 301) == cudaErrorInvalidValue, "past the end nothing is set");
	cudaFree(a);
	OK(cudaMemcpy(back, a, 4, cudaMemcpyDeviceToHost) == cudaErrorInvalidValue,
	   "freed memory is not read");
	cudaFree(b);
	cudaGetLastError();
}

static void copying_rows(void)
{
	unsigned char host[8][10], back[8][16], *a;
	size_t pitch;
	int inside = 1, outside = 1;

	for (int i = 0; i < 80; i++)
		host[i / 10][i % 10] = (unsigned char)i;
	OK(cudaMallocPitch((void **)&a, &pitch, 10, 8) == cudaSuccess && pitch >= 10 &&
		   pitch % 256 == 0,
	   "rows are aligned");
	cudaMemset2D(a, pitch, 0xff, pitch, 8);
	OK(cudaMemcpy2D(a, pitch, host, 10, 10, 8, cudaMemcpyHostToDevice) == cudaSuccess,
	   "cudaMemcpy2D");
	OK(cudaMemset2D(a + 2, pitch, 0, 3, 8) == cudaSuccess, "cudaMemset2D");
	OK(cudaMemcpy2D(back, 16, a, pitch, 16, 8, cudaMemcpyDeviceToHost) == cudaSuccess,
	   "and back");
	for (int y = 0; y < 8; y++)
		for (int x = 0; x < 16; x++)
			if (x < 10)
				inside &= back[y][x] == (x >= 2 && x < 5 ? 0 : y * 10 + x);
			else
				outside &= back[y][x] == 0xff;
	OK(inside, "each row has its bytes");
	OK(outside, "between the rows nothing was written");
	OK(cudaMemcpy2D(a, pitch, host, 8, 10, 8, cudaMemcpyHostToDevice) ==
		   cudaErrorInvalidPitchValue,
	   "rows wider than their pitch");
	OK(cudaMemset2D(a, pitch, 0, 10, 9) == cudaErrorInvalidValue, "one row too many");
	cudaFree(a);
	cudaGetLastError();
}

/* Rows of 4 bytes; 6 bytes from the second byte of the first row on reach into the second. */
static void arrays(void)
{
	struct cudaChannelFormatDesc desc = {8, 0, 0, 0, cudaChannelFormatKindUnsigned};
	unsigned char host[12], back[12] = {0};
	struct cudaMemcpy3DParms box = {.extent = {2, 2, 1}, .kind = cudaMemcpyDeviceToDevice};
	cudaArray_t a = NULL, b = NULL;

	for (unsigned char i = 0; i < 12; i++)
		host[i] = i;
	OK(cudaMallocArray(&a, &desc, 4, 3, 0) == cudaSuccess &&
		   cudaMallocArray(&b, &desc, 4, 3, 0) == cudaSuccess &&
		   cudaMemcpy2DToArray(a, 0, 0, host, 4, 4, 3, cudaMemcpyHostToDevice) ==
			   cudaSuccess,
	   "arrays");
	OK(cudaMemcpy2DArrayToArray(b, 0, 0, a, 0, 0, 4, 3, cudaMemcpyDeviceToDevice) ==
		   cudaSuccess,
	   "cudaMemcpy2DArrayToArray");
	box.srcArray = a; /* 5 6 / 9 10 to the corner */
	box.srcPos.x = box.srcPos.y = 1;
	box.dstArray = b;
	OK(cudaMemcpy3D(&box) == cudaSuccess &&
		   cudaMemcpy2DFromArray(back, 4, b, 0, 0, 4, 3, cudaMemcpyDeviceToHost) ==
			   cudaSuccess &&
		   !memcmp(back, "\5\6\2\3\11\12\6\7\10\11\12\13", 12),
	   "a box of texels between arrays");
	OK(cudaMemcpy2DArrayToArray(b, 2, 0, a, 0, 0, 3, 1, cudaMemcpyDeviceToDevice) ==
		   cudaErrorInvalidValue,
	   "that must fit");
	cudaFreeArray(a);
	cudaFreeArray(b);
	cudaGetLastError();
}

/* What programs ask and get the one answer that the one device has. */
static void questions(void)
{
	struct cudaDeviceProp prop;
	int value = -1;
	void *memory;

	OK(cudaGetDeviceProperties(&prop, 0) == cudaSuccess && prop.maxTexture2D[1] == 65536 &&
		   prop.maxTexture3D[2] == 16384 && prop.maxSurface1D == 32768 &&
		   prop.maxTexture2DLinear[1] == 65000,
	   "limits of textures");
	OK(cudaDeviceGetAttribute(&value, (enum cudaDeviceAttr)23, 0) == cudaSuccess &&
		   value == prop.maxTexture2D[1],
	   "as the attributes say");
	OK(cudaMalloc(&memory, 0x7fffffffffffffff) == cudaErrorMemoryAllocation &&
		   cudaPeekAtLastError() == cudaErrorMemoryAllocation &&
		   cudaMalloc(&memory, 16) == cudaSuccess &&
		   cudaGetLastError() == cudaErrorMemoryAllocation &&
		   cudaGetLastError() == cudaSuccess,
	   "an error stays until it is asked for");
	cudaFree(memory);
}

static void host_memory(void)
{
	struct cudaPointerAttributes attributes;
	int *pinned, *device, plain = 5, got = 0;

	OK(cudaMallocHost((void **)&pinned, 4096) == cudaSuccess, "cudaMallocHost");
	*pinned = 42;
	cudaMalloc((void **)&device, 4);
	cudaMemcpy(device, pinned, 4, cudaMemcpyDefault);
	cudaMemcpy(&got, device, 4, cudaMemcpyDefault);
	OK(got == 42, "the direction follows from the addresses");
	OK(!cudaPointerGetAttributes(&attributes, pinned) && attributes.type == cudaMemoryTypeHost,
	   "pinned memory is the host's");
	OK(!cudaPointerGetAttributes(&attributes, device) &&
		   attributes.type == cudaMemoryTypeDevice && attributes.devicePointer == device,
	   "device memory is the device's");
	OK(!cudaPointerGetAttributes(&attributes, &plain) &&
		   attributes.type == cudaMemoryTypeUnregistered,
	   "other memory is not known");
	OK(cudaFree(pinned) == cudaErrorInvalidValue, "cudaFree does not free it");
	OK(cudaFreeHost(pinned) == cudaSuccess, "cudaFreeHost does");
	cudaFree(device);
	cudaGetLastError();
}

static void streams(void)
{
	cudaStream_t stream;
	cudaEvent_t start = NULL, end = NULL, untimed;
	float milliseconds = -1;

	OK(cudaStreamCreate(&stream) == cudaSuccess, "cudaStreamCreate");
	OK(cudaEventCreate(&start) == cudaSuccess && cudaEventCreate(&end) == cudaSuccess,
	   "cudaEventCreate");
	OK(cudaEventElapsedTime(&milliseconds, start, end) == cudaErrorInvalidResourceHandle,
	   "events that were not recorded have no time");
	cudaEventRecord(start, stream);
	usleep(20000);
	cudaEventRecord(end, stream);
	OK(cudaEventSynchronize(end) == cudaSuccess && cudaEventQuery(end) == cudaSuccess,
	   "cudaEventSynchronize");
	OK(cudaEventElapsedTime(&milliseconds, start, end) == cudaSuccess, "cudaEventElapsedTime");
	cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming);
	cudaEventRecord(untimed, stream);
	OK(cudaEventElapsedTime(&milliseconds, untimed, end) == cudaErrorInvalidResourceHandle,
	   "untimed events have no time");
	OK(cudaStreamWaitEvent(stream, end, 0) == cudaSuccess &&
		   cudaStreamSynchronize(stream) == cudaSuccess &&
		   cudaStreamQuery(stream) == cudaSuccess,
	   "all is done when a call returns");
	OK(cudaStreamDestroy(stream) == cudaSuccess, "cudaStreamDestroy");
	OK(cudaDeviceSynchronize() == cudaSuccess, "cudaDeviceSynchronize");
	cudaEventDestroy(start);
	cudaEventDestroy(end);
	cudaEventDestroy(untimed);
	cudaGetLastError();
}

static void device(void)
{
	struct cudaDeviceProp prop;
	int count = 0, value = 0, version = 0;

	OK(cudaGetDeviceCount(&count) == cudaSuccess && count >= 1, "there is a device");
	OK(cudaSetDevice(0) == cudaSuccess, "cudaSetDevice");
	OK(cudaSetDevice(1000) == cudaErrorInvalidDevice, "but not a thousand");
	memset(&prop, 0x77, sizeof(prop));
	OK(cudaGetDeviceProperties(&prop, 0) == cudaSuccess && prop.warpSize == 32 &&
		   prop.maxThreadsPerBlock == 1024 && prop.maxGridSize[0] == 2147483647 &&
		   strnlen(prop.name, 256) > 0 && strnlen(prop.name, 256) < 256,
	   "properties are where the header says");
	OK(cudaDeviceGetAttribute(&value, cudaDevAttrMaxSharedMemoryPerBlock, 0) == cudaSuccess &&
		   (size_t)value == prop.sharedMemPerBlock,
	   "attributes agree with properties");
	OK(cudaRuntimeGetVersion(&version) == cudaSuccess &&
		   version / 1000 == CUDART_VERSION / 1000,
	   "the runtime's version is the header's");
	OK(!strcmp(cudaGetErrorName(cudaErrorIllegalAddress), "cudaErrorIllegalAddress") &&
		   !strcmp(cudaGetErrorString(cudaErrorMemoryAllocation), "out of memory") &&
		   !strcmp(cudaGetErrorName(cudaSuccess), "cudaSuccess"),
	   "errors have names");
	cudaGetLastError();
}

static void symbols(void)
{
	int value = 0;

	OK(cudaMemcpyToSymbol(&number, &value, 4, 0, cudaMemcpyHostToDevice) ==
		   cudaErrorInvalidSymbol,
	   "an address that is no symbol");
	OK(cudaPeekAtLastError() == cudaErrorInvalidSymbol, "is the last error");
	cudaGetLastError();
}

static void forking(void)
{
	int status = -1;
	pid_t child = fork();

	if (!child) {
		void *memory;
		cudaError_t error = cudaMalloc(&memory, 16);

		_exit(error == cudaErrorInitializationError ? 0 : 1);
	}
	waitpid(child, &status, 0);
	OK(status == 0, "a child forked after initialisation has no device");
}

static void resetting(void)
{
	void *before, *after;

	cudaMalloc(&before, 64);
	OK(cudaDeviceReset() == cudaSuccess, "cudaDeviceReset");
	OK(cudaMemset(before, 0, 64) == cudaErrorInvalidValue, "takes all memory back");
	OK(cudaMalloc(&after, 64) == cudaSuccess, "and the device goes on");
	cudaFree(after);
	cudaGetLastError();
}

int main(void)
{
	allocating();
	copying();
	copying_rows();
	arrays();
	questions();
	host_memory();
	streams();
	device();
	symbols();
	forking();
	resetting();
	printf("1..%d\n", number);
	return failures != 0;
}
