/*
 * Calls that fail, of every kind, each on a line of its own: collect_failed_calls.sh knows the
 * lines by their marks.  `many`: 1003 kinds; `killed`: ends without a word.
 */
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

static int unexpected;

static void fails(int error)
{
	unexpected += !error;
}

static void works(int error)
{
	unexpected += error != 0;
}

static void clear(void *memory, int times)
{
	for (int i = 0; i < times; i++)
		fails(cudaMemset(memory, 0, (size_t)1 << 50)); /* MEMSET */
}

static void of_runtime(void *memory)
{
	cudaStream_t stream;
	dim3 one = {1, 1, 1};
	void *none;

	fails(cudaMalloc(&none, (size_t)1 << 60)); /* MALLOC */
	clear(memory, 5);
	clear(memory, 1);                                                      /* AGAIN */
	fails(cudaMemcpy(memory, memory, 8, (enum cudaMemcpyKind)77));         /* DIRECTION */
	fails(cudaMemcpyAsync(memory, NULL, 8, cudaMemcpyHostToDevice, NULL)); /* COPY */
	fails(cudaFree((char *)memory + 4));                                   /* FREE */
	fails(cudaLaunchKernel((const void *)fails, one, one, NULL, 0, NULL)); /* LAUNCH */
	fails(cudaSetDevice(1000));                                            /* DEVICE */
	works(cudaStreamCreate(&stream));
	fails(cudaEventRecord(NULL, stream)); /* EVENT */
}

static void of_driver(CUdeviceptr memory)
{
	CUstreamBatchMemOpParams wait;
	CUdeviceptr none;
	CUmodule module;

	fails(cuMemAlloc(&none, 0));                     /* DRIVER ALLOC */
	fails(cuMemsetD8(memory, 0, (size_t)1 << 50));   /* DRIVER SET */
	fails(cuModuleLoad(&module, "/nowhere/at/all")); /* DRIVER MODULE */
	memset(&wait, 0, sizeof(wait));
	wait.waitValue.operation = CU_STREAM_MEM_OP_WAIT_VALUE_32;
	wait.waitValue.address = memory + 2;          /* not aligned */
	fails(cuStreamBatchMemOp(NULL, 1, &wait, 0)); /* DRIVER BATCH */
}

/* What nobody wants to read of. */
static void of_questions(void)
{
	int number;
	void *pointer;

	fails(cudaDeviceGetAttribute(&number, (enum cudaDeviceAttr)100000, 0));
	fails(cudaGetSymbolAddress(&pointer, (const void *)fails));
	fails(cuDeviceGet(&number, 1000));
	fails(cudaPeekAtLastError());
	fails(cudaGetLastError());
	works(cudaGetLastError());
}

/* A call path for each call. */
static void deeper(unsigned levels)
{
	fails(cudaSetDevice(1000));
	if (levels > 1)
		deeper(levels - 1);
}

int main(int argc, char **argv)
{
	void *memory;

	works(cudaMalloc(&memory, 4096));
	if (argc > 1 && !strcmp(argv[1], "many")) {
		deeper(1003);
	} else {
		of_runtime(memory);
		of_driver((CUdeviceptr)memory);
		of_questions();
	}
	if (argc > 1 && !strcmp(argv[1], "killed"))
		raise(SIGKILL);
	printf("%d unexpected\n", unexpected);
	return unexpected != 0;
}
