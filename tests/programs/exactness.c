/*
 * exactness.c CASE: small programs whose value flow is worked out by hand in
 * tests/cli/e2e_exactness.sh.  The comments number the vertices.  Prints what the table there
 * needs to know of the machine.  Ends with 1 when a result is not what CUDA promises.
 */
#include <string.h>

#include "tests/programs/launch.h"

KERNELS("tests/programs/exactness_kernels.ptx")

static unsigned char host[4096];

static void expect(int holds, const char *what)
{
	if (holds)
		return;
	fprintf(stderr, "exactness: wrong result: %s\n", what);
	exit(1);
}

static void third_bytes(void)
{
	unsigned char *x;

	CHECK(cudaMalloc((void **)&x, 3072));                     /* 1 */
	LAUNCH(store_third_bytes, 4, 256, x, 3072);               /* 2 */
	CHECK(cudaMemcpy(host, x, 3072, cudaMemcpyDeviceToHost)); /* 3 */
	expect(host[0] == 0x33 && host[3069] == 0x33, "every third byte is stored");
}

static void halves(void)
{
	unsigned *x;

	CHECK(cudaMalloc((void **)&x, 4096));                     /* 1 */
	LAUNCH(store_words, 2, 256, x, 512, 1u);                  /* 2 */
	LAUNCH(store_words, 2, 256, x + 512, 512, 2u);            /* 3 */
	CHECK(cudaMemcpy(host, x, 4096, cudaMemcpyDeviceToHost)); /* 4 */
	expect(host[2044] == 1 && host[2048] == 2, "each half has its value");
}

static void copy_disjoint(void)
{
	char *x;

	CHECK(cudaMalloc((void **)&x, 4096));                                  /* 1 */
	CHECK(cudaMemset(x, 0x11, 2048));                                      /* 2 */
	CHECK(cudaMemset(x + 2048, 0x22, 2048));                               /* 3 */
	CHECK(cudaMemcpy(x + 2048, x + 1024, 1024, cudaMemcpyDeviceToDevice)); /* 4 */
	CHECK(cudaMemcpy(x + 3072, x + 2048, 1024, cudaMemcpyDeviceToDevice)); /* 5 */
	CHECK(cudaMemcpy(x + 3072, x, 1024, cudaMemcpyDeviceToDevice));        /* 6 */
}

static void copy_overlapping(void)
{
	char *x;

	CHECK(cudaMalloc((void **)&x, 4096));                           /* 1 */
	CHECK(cudaMemset(x, 0x11, 4096));                               /* 2 */
	CHECK(cudaMemcpy(x + 1024, x, 2048, cudaMemcpyDeviceToDevice)); /* 3 */
}

static void pitch(void)
{
	char *x, *y;

	CHECK(cudaMalloc((void **)&x, 2048));                                   /* 1 */
	CHECK(cudaMemset2D(x, 256, 0, 100, 8));                                 /* 2 */
	CHECK(cudaMemset(x, 0, 2048));                                          /* 3 */
	CHECK(cudaMalloc((void **)&y, 32));                                     /* 4 */
	CHECK(cudaMemcpy2D(y, 8, x + 98, 256, 6, 4, cudaMemcpyDeviceToDevice)); /* 5 */
	CHECK(cudaMemcpy(host, y, 32, cudaMemcpyDeviceToHost));                 /* 6 */
	CHECK(cudaMemset2D(y, 8, 0, 6, 4));                                     /* 7 */
	CHECK(cudaMemcpy2D(host, 64, x, 256, 64, 8, cudaMemcpyDeviceToHost));   /* 8 */
}

static void malloc_pitch(void)
{
	void *x;
	size_t pitch;

	CHECK(cudaMallocPitch(&x, &pitch, 100, 8)); /* 1 */
	CHECK(cudaMemset2D(x, pitch, 1, 100, 8));   /* 2 */
	printf("pitch %zu\n", pitch);
}

static void sub_range(void)
{
	char *x;

	memset(host, 0x44, sizeof(host));
	CHECK(cudaMalloc((void **)&x, 4096));                           /* 1 */
	CHECK(cudaMemcpy(x + 100, host, 1000, cudaMemcpyHostToDevice)); /* 2 */
	CHECK(cudaMemcpy(x + 100, host, 500, cudaMemcpyHostToDevice));  /* 3 */
	CHECK(cudaMemcpy(host, x + 96, 200, cudaMemcpyDeviceToHost));   /* 4 */
	CHECK(cudaMemcpy(host, x + 598, 4, cudaMemcpyDeviceToHost));    /* 5 */
}

static void same_bits(void)
{
	unsigned *x;
	float *f;

	CHECK(cudaMalloc((void **)&x, 1024)); /* 1 */
	f = (float *)x;
	LAUNCH(store_words, 1, 256, x, 256, 0x7fc00001u); /* a NaN */    /* 2 */
	LAUNCH(store_words, 1, 256, x, 256, 0x7fc00001u); /* the same */ /* 3 */
	LAUNCH(store_words, 1, 256, x, 256, 0x7fc00002u); /* another */  /* 4 */
	CHECK(cudaMemset(x, 0, 1024));                                   /* 5 */
	LAUNCH(store_float, 1, 256, f, 256, -0.0f);                      /* 6 */
	LAUNCH(store_float, 1, 256, f, 256, -0.0f);                      /* 7 */
	LAUNCH(store_float, 1, 256, f, 256, 0.0f);                       /* 8 */
}

/* Whoever gets the address next starts afresh. */
static void reallocated(void)
{
	char *x, *y, *z;

	CHECK(cudaMalloc((void **)&x, 4096)); /* 1 */
	CHECK(cudaMemset(x, 0, 4096));        /* 2 */
	CHECK(cudaFree(x));
	CHECK(cudaMalloc((void **)&y, 4096)); /* 3 */
	CHECK(cudaMemset(y, 0, 4096));        /* 4 */
	CHECK(cudaFree(y));
	CHECK(cudaMalloc((void **)&z, 2048));                     /* 5 */
	CHECK(cudaMemcpy(host, z, 2048, cudaMemcpyDeviceToHost)); /* 6 */
	puts(x == y && y == z ? "reused" : "not reused");
}

/* The objects of one place in the program are one site, but not one object. */
static void loop(void)
{
	for (int i = 0; i < 3; i++) {
		char *x;

		CHECK(cudaMalloc((void **)&x, 4096)); /* 1 */
		CHECK(cudaMemset(x, 0, 4096));        /* 2 */
		CHECK(cudaFree(x));
	}
}

/* 68 * 64 MiB = 4.25 GiB */
static void big(void)
{
	size_t size = 64 << 20;
	char *x;

	CHECK(cudaMalloc((void **)&x, size)); /* 1 */
	for (int i = 0; i < 68; i++)
		CHECK(cudaMemset(x, 0, size)); /* 2 */
}

static void atomics(void)
{
	char *x;
	int *seen;

	CHECK(cudaMalloc((void **)&x, 1024)); /* 1 */
	CHECK(cudaMemset(x, 0, 1024));        /* 2 */
	int *counters = (int *)x;
	unsigned long long *wide = (unsigned long long *)(x + 512);
	float *real = (float *)(x + 768);
	LAUNCH(atomic_add, 1, 32, counters, wide, real);        /* 3 */
	CHECK(cudaMalloc((void **)&seen, 16));                  /* 4 */
	LAUNCH(failing_swap, 1, 4, counters, seen);             /* 5 */
	CHECK(cudaMemcpy(host, x, 16, cudaMemcpyDeviceToHost)); /* 6 */
	expect(((int *)host)[0] == 8 && ((int *)host)[3] == 8, "32 threads add 1 to 4 words");
}

static void predicated(void)
{
	unsigned *x, *sink = NULL;

	CHECK(cudaMalloc((void **)&x, 4096));     /* 1 */
	CHECK(cudaMemset(x, 0, 4096));            /* 2 */
	LAUNCH(predicated, 4, 256, x, sink, 100); /* 3 */
}

static void in_place(void)
{
	int *x;

	CHECK(cudaMalloc((void **)&x, 1024)); /* 1 */
	CHECK(cudaMemset(x, 0, 1024));        /* 2 */
	for (int i = 0; i < 2; i++)
		LAUNCH(increment, 1, 256, x, 256); /* 3 */
	volatile int *again = x;
	LAUNCH(write_twice, 1, 256, again, 256);                  /* 4 */
	CHECK(cudaMemcpy(host, x, 1024, cudaMemcpyDeviceToHost)); /* 5 */
	expect(((int *)host)[255] == 8, "7 + 1");
}

static void module_global(void)
{
	int *x;
	CUdeviceptr table, factor;
	size_t size;
	int five = 5;

	CHECK(cudaMalloc((void **)&x, 1024));            /* 1 */
	LAUNCH(write_table, 1, 256, 256); /* table: 2 */ /* 3 */
	CHECK(cuModuleGetGlobal(&table, &size, kernels_module(), "table"));
	expect(size == 1024, "the size of table");
	CHECK(cudaMemcpy(host, (void *)table, 1024, cudaMemcpyDeviceToHost)); /* 4 */
	expect(((int *)host)[255] == 255, "the kernel wrote table");
	memset(host, 0, 512);
	CHECK(cudaMemcpy((void *)table, host, 512, cudaMemcpyHostToDevice)); /* 5 */
	CHECK(cuModuleGetGlobal(&factor, &size, kernels_module(), "factor"));
	CHECK(cuMemcpyHtoD(factor, &five, sizeof(five))); /* factor: 6 */ /* 7 */
	LAUNCH(read_table, 1, 256, x, 256);                               /* 8 */
	CHECK(cudaMemcpy(host, x, 1024, cudaMemcpyDeviceToHost));         /* 9 */
	expect(((int *)host)[255] == 0x05050505, "the kernel saw the new factor");
}

static void device_function(void)
{
	int *x;

	CHECK(cudaMalloc((void **)&x, 4096));                    /* 1 */
	LAUNCH(call_function, 4, 64, x, 200);                    /* 2 */
	CHECK(cudaMemcpy(host, x, 800, cudaMemcpyDeviceToHost)); /* 3 */
	expect(((int *)host)[199] == 19900, "1 + 2 + ... + 199");
}

static void shared_memory(void)
{
	int *x, *y;

	for (int i = 0; i < 512; i++)
		((int *)host)[i] = i;
	CHECK(cudaMalloc((void **)&x, 2048));                     /* 1 */
	CHECK(cudaMalloc((void **)&y, 2048));                     /* 2 */
	CHECK(cudaMemcpy(x, host, 2048, cudaMemcpyHostToDevice)); /* 3 */
	LAUNCH(reverse_blocks, 2, 256, (const int *)x, y);        /* 4 */
	CHECK(cudaMemcpy(host, y, 2048, cudaMemcpyDeviceToHost)); /* 5 */
	expect(((int *)host)[0] == 255 && ((int *)host)[256] == 511, "blocks are reversed");
}

static void mangled(void)
{
	float *x;

	CHECK(cudaMalloc((void **)&x, 1024));              /* 1 */
	CHECK(cudaMemset(x, 0, 1024));                     /* 2 */
	LAUNCH(_Z5scaleIfEvPT_S0_i, 1, 256, x, 2.0f, 256); /* 3 */
}

static void vectors(void)
{
	void *x;

	CHECK(cudaMalloc(&x, 1024));                              /* 1 */
	LAUNCH(vector_store, 1, 64, x, 50);                       /* 2 */
	CHECK(cudaMemcpy(host, x, 1024, cudaMemcpyDeviceToHost)); /* 3 */
	expect(((float *)host)[199] == 4.4f, "the last vector");
}

/* Calls that fail, and copies from host to host, leave nothing behind. */
static void failing_calls(void)
{
	char *x, *none;

	expect(cudaMalloc((void **)&none, (size_t)1 << 60) != cudaSuccess, "2^60 bytes");
	CHECK(cudaMalloc((void **)&x, 1024)); /* 1 */
	expect(cudaMemset(x, 0, (size_t)1 << 50) != cudaSuccess, "too long a set");
	expect(cudaMemcpy(x, host, 64, (enum cudaMemcpyKind)77) != cudaSuccess, "no such kind");
	CHECK(cudaMemcpy(host, host + 64, 64, cudaMemcpyHostToHost));
	(void)cudaGetLastError();
	CHECK(cudaMemset(x, 0, 1024)); /* 2 */
}

static void streams(void)
{
	cudaStream_t stream;
	unsigned *x;

	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaMalloc((void **)&x, 1024));                                  /* 1 */
	CHECK(cudaMemsetAsync(x, 0, 1024, stream));                            /* 2 */
	CHECK(cudaMemcpyAsync(x, host, 512, cudaMemcpyHostToDevice, stream));  /* 3 */
	CHECK(cudaMemcpyAsync(host, x, 1024, cudaMemcpyDeviceToHost, stream)); /* 4 */
	CHECK(cudaStreamSynchronize(stream));
	CHECK(cudaStreamDestroy(stream));
	CHECK(cudaFree(x));
}

static void driver_api(void)
{
	CUdevice device;
	CUcontext context;
	CUdeviceptr x, y;

	CHECK(cuInit(0));
	CHECK(cuDeviceGet(&device, 0));
	CHECK(cuDevicePrimaryCtxRetain(&context, device));
	CHECK(cuCtxSetCurrent(context));
	CHECK(cuMemAlloc(&x, 1024));            /* 1 */
	CHECK(cuMemAlloc(&y, 1024));            /* 2 */
	CHECK(cuMemsetD32(x, 0x01020304, 256)); /* 3 */
	CHECK(cuMemcpyDtoD(y, x, 1024));        /* 4 */
	CHECK(cuMemcpyDtoH(host, y, 1024));     /* 5 */
	expect(host[0] == 4 && host[1023] == 1, "little-endian words");
	CHECK(cuMemFree(x));
	CHECK(cuMemFree(y));
}

/* -- whole values: how many bytes stay is in the comments, how many values in the tables -- */

static void value_ints(void)
{
	unsigned *x;

	CHECK(cudaMalloc((void **)&x, 1024));                     /* 1 */
	CHECK(cudaMemset(x, 0, 1024));                            /* 2 */
	LAUNCH(store_words, 1, 256, x, 256, 7u);                  /* 3 */
	LAUNCH(store_words, 1, 256, x, 256, 7u);                  /* 4 */
	CHECK(cudaMemset(x, 0, 1024));                            /* 5 */
	CHECK(cudaMemset(x, 0, 1024));                            /* 6 */
	CHECK(cudaMemcpy(host, x, 1024, cudaMemcpyDeviceToHost)); /* 7 */
}

static void value_doubles(void)
{
	double *x;

	CHECK(cudaMalloc((void **)&x, 1024));                /* 1 */
	LAUNCH(store_doubles, 1, 128, x, 128, 3.0, 4.0);     /* 2 */
	LAUNCH(store_doubles, 1, 128, x, 128, 1.0, 2.0);     /* 3 */
	LAUNCH(store_doubles, 1, 128, x, 128, 1.0, -2.0);    /* 4 */
	LAUNCH(store_words, 1, 256, (unsigned *)x, 256, 0u); /* 5 */
}

/* Shorts, and halves: 1.0 is 3c00, 2.0 is 4000. */
static void value_shorts(void)
{
	unsigned short *x;

	CHECK(cudaMalloc((void **)&x, 1024)); /* 1 */
	LAUNCH(store_shorts, 1, 512, x, 512, (unsigned short)0x1234,
	       (unsigned short)0x5678); /* 2 */
	LAUNCH(store_shorts, 1, 512, x, 512, (unsigned short)0x1234,
	       (unsigned short)0x9978); /* 3 */
	LAUNCH(store_shorts, 1, 512, x, 512, (unsigned short)0x4000,
	       (unsigned short)0x4000); /* 4 */
	LAUNCH(store_shorts, 1, 512, x, 512, (unsigned short)0x3c00,
	       (unsigned short)0x3c00); /* 5 */
}

static void value_bytes(void)
{
	unsigned char *x;

	CHECK(cudaMalloc((void **)&x, 1024));                    /* 1 */
	CHECK(cudaMemset(x, 0x33, 1024));                        /* 2 */
	LAUNCH(store_third_bytes, 1, 512, x, 1024);              /* 3 */
	LAUNCH(store_bytes, 1, 1024, x, 1000, (unsigned char)1); /* 4 */
	LAUNCH(store_third_bytes, 1, 512, x, 1024);              /* 5 */
	CHECK(cudaMemset(x, 1, 1024));                           /* 6 */
}

/* One lane of vectors, which others read as ints. */
static void value_vectors(void)
{
	int *x, *y;

	CHECK(cudaMalloc((void **)&x, 1024));                    /* 1 */
	CHECK(cudaMalloc((void **)&y, 1024));                    /* 2 */
	CHECK(cudaMemset(x, 0, 1024));                           /* 3 */
	LAUNCH(store_lane, 1, 64, (void *)x, 64, 0.0f);          /* 4 */
	LAUNCH(store_lane, 1, 64, (void *)x, 64, 1.0f);          /* 5 */
	LAUNCH(add_one, 1, 256, (const int *)x, y, 256);         /* 6 */
	LAUNCH(store_lane, 1, 64, (void *)x, 64, 2.0f);          /* 7 */
	CHECK(cudaMemcpy(x, y, 1024, cudaMemcpyDeviceToDevice)); /* 8 */
}

static void value_records(void)
{
	void *x;

	CHECK(cudaMalloc(&x, 1024));                 /* 1 */
	LAUNCH(store_records, 1, 64, x, 64, 1.5, 1); /* 2 */
	LAUNCH(store_records, 1, 64, x, 64, 1.5, 2); /* 3 */
	LAUNCH(store_records, 1, 64, x, 64, 2.5, 2); /* 4 */
	CHECK(cudaMemset(x, 0, 1024));               /* 5 */
}

static void value_atomics(void)
{
	int *x;

	CHECK(cudaMalloc((void **)&x, 1024)); /* 1 */
	CHECK(cudaMemset(x, 0, 1024));        /* 2 */
	unsigned long long *wide = (unsigned long long *)(x + 128);
	float *real = (float *)(x + 192);
	LAUNCH(atomic_add, 1, 32, x, wide, real); /* 3 */
	LAUNCH(failing_swap, 1, 4, x, x + 200);   /* 4 */
	CHECK(cudaMemset(x, 0, 1024));            /* 5 */
}

/* -- dead writes and unread bytes -- */

static void dead_fill(void)
{
	unsigned *x;

	CHECK(cudaMalloc((void **)&x, 4096));                     /* 1 */
	CHECK(cudaMemset(x, 0, 4096));                            /* 2 */
	LAUNCH(store_words, 4, 256, x, 1024, 7u);                 /* 3 */
	CHECK(cudaMemcpy(host, x, 4096, cudaMemcpyDeviceToHost)); /* 4 */
	LAUNCH(store_words, 4, 256, x, 1024, 8u);                 /* 5 */
	CHECK(cudaFree(x));
}

static void dead_part(void)
{
	unsigned *x;

	CHECK(cudaMalloc((void **)&x, 4096));                           /* 1 */
	CHECK(cudaMemset(x, 0, 4096));                                  /* 2 */
	CHECK(cudaMemcpy(host, x + 128, 512, cudaMemcpyDeviceToHost));  /* 3 */
	LAUNCH(store_words, 2, 256, x, 512, 7u);                        /* 4 */
	CHECK(cudaMemcpy(host, x + 256, 2048, cudaMemcpyDeviceToHost)); /* 5 */
}

static void dead_chain(void)
{
	char *x, *y, *z;

	CHECK(cudaMalloc((void **)&x, 4096));                     /* 1 */
	CHECK(cudaMalloc((void **)&y, 4096));                     /* 2 */
	CHECK(cudaMalloc((void **)&z, 4096));                     /* 3 */
	CHECK(cudaMemset(x, 1, 4096));                            /* 4 */
	CHECK(cudaMemcpy(y, x, 4096, cudaMemcpyDeviceToDevice));  /* 5 */
	CHECK(cudaMemcpy(z, y, 3072, cudaMemcpyDeviceToDevice));  /* 6 */
	CHECK(cudaMemcpy(host, z, 1024, cudaMemcpyDeviceToHost)); /* 7 */
	CHECK(cudaFree(x));
	CHECK(cudaFree(y));
	CHECK(cudaFree(z));
}

static void dead_transfer(void)
{
	unsigned *x, *y;

	CHECK(cudaMalloc((void **)&x, 4096)); /* 1 */
	CHECK(cudaMalloc((void **)&y, 4));    /* 2 */
	for (int i = 0; i < 3; i++) {
		CHECK(cudaMemcpy(x, host, 4096, cudaMemcpyHostToDevice)); /* 3 */
		LAUNCH(pick, 1, 32, (const unsigned *)x, 300, y);         /* 4 */
	}
	CHECK(cudaMemcpy(host, y, 4, cudaMemcpyDeviceToHost)); /* 5 */
}

static void dead_atomics(void)
{
	int *x;

	CHECK(cudaMalloc((void **)&x, 1024)); /* 1 */
	CHECK(cudaMemset(x, 0, 1024));        /* 2 */
	unsigned long long *wide = (unsigned long long *)(x + 128);
	float *real = (float *)(x + 192);
	LAUNCH(atomic_add, 1, 32, x, wide, real); /* 3 */
	CHECK(cudaMemset(x, 1, 1024));            /* 4 */
}

static void dead_pitch(void)
{
	char *x;

	CHECK(cudaMalloc((void **)&x, 2048));                                       /* 1 */
	CHECK(cudaMemcpy2D(x, 256, host, 100, 100, 8, cudaMemcpyHostToDevice));     /* 2 */
	CHECK(cudaMemcpy2D(host, 64, x + 256, 256, 40, 4, cudaMemcpyDeviceToHost)); /* 3 */
	CHECK(cudaMemset2D(x, 256, 1, 50, 8));                                      /* 4 */
	CHECK(cudaFree(x));
}

static void dead_never(void)
{
	char *x, *y;

	CHECK(cudaMalloc((void **)&x, 3000)); /* 1 */
	CHECK(cudaMalloc((void **)&y, 5000)); /* 2 */
	CHECK(cudaMemset(x, 0, 2000));        /* 3 */
	CHECK(cudaMemset(y, 0, 5000));        /* 4 */
	CHECK(cudaFree(x));
}

static void dead_ping_pong(void)
{
	int *x, *y;

	CHECK(cudaMalloc((void **)&x, 1024)); /* 1 */
	CHECK(cudaMalloc((void **)&y, 1024)); /* 2 */
	CHECK(cudaMemset(x, 0, 1024));        /* 3 */
	CHECK(cudaMemset(y, 0, 1024));        /* 4 */
	for (int i = 0; i < 2; i++) {
		LAUNCH(add_one, 1, 256, (const int *)x, y, 256); /* 5 */
		LAUNCH(add_one, 1, 256, (const int *)y, x, 256); /* 6 */
	}
}

static void dead_in_place(void)
{
	int *x;

	CHECK(cudaMalloc((void **)&x, 1024)); /* 1 */
	CHECK(cudaMemset(x, 0, 1024));        /* 2 */
	for (int i = 0; i < 3; i++)
		LAUNCH(increment, 1, 256, x, 256); /* 3 */
	CHECK(cudaMemset(x, 0, 1024));             /* 4 */
}

/* Who writes a byte of a unit has its other bytes, too. */
static void dead_taken(void)
{
	unsigned char *x;

	CHECK(cudaMalloc((void **)&x, 3072));                    /* 1 */
	CHECK(cudaMemset(x, 0, 3072));                           /* 2 */
	LAUNCH(store_third_bytes, 4, 256, x, 1536);              /* 3 */
	CHECK(cudaMemcpy(host, x, 768, cudaMemcpyDeviceToHost)); /* 4 */
	CHECK(cudaMemset(x, 1, 3072));                           /* 5 */
	CHECK(cudaFree(x));
}

/* What the host reads without a call is never dead. */
static void dead_shared(void)
{
	unsigned *x, *y, *seen;

	CHECK(cudaMallocManaged((void **)&x, 1024, cudaMemAttachGlobal)); /* 1 */
	CHECK(cudaHostAlloc((void **)&y, 1024, cudaHostAllocMapped));     /* 2 */
	CHECK(cudaHostGetDevicePointer((void **)&seen, y, 0));
	for (int i = 0; i < 2; i++) {
		LAUNCH(store_words, 1, 256, x, 256, 7u + (unsigned)i);    /* 3 */
		LAUNCH(store_words, 1, 256, seen, 256, 7u + (unsigned)i); /* 4 */
	}
	CHECK(cudaDeviceSynchronize());
	expect(x[255] == 8 && y[255] == 8, "the host sees what kernels wrote");
	CHECK(cudaFreeHost(y));
}

/* A texture reads without being seen, and a constant bank, too. */
static void dead_unseen(void)
{
	struct cudaResourceDesc resource = {.resType = cudaResourceTypeLinear};
	struct cudaTextureDesc how = {.readMode = cudaReadModeElementType};
	cudaTextureObject_t texture;
	CUdeviceptr factor;
	size_t size;
	int five = 5;
	void *x;

	CHECK(cudaMalloc(&x, 1024));   /* 1 */
	CHECK(cudaMemset(x, 0, 1024)); /* 2 */
	CHECK(cudaMemset(x, 1, 1024)); /* 3 */
	resource.res.linear.devPtr = x;
	resource.res.linear.desc =
		(struct cudaChannelFormatDesc){32, 0, 0, 0, cudaChannelFormatKindSigned};
	resource.res.linear.sizeInBytes = 512;
	CHECK(cudaCreateTextureObject(&texture, &resource, &how, NULL));
	CHECK(cudaMemset(x, 2, 1024)); /* 4 */
	CHECK(cudaMemset(x, 3, 1024)); /* 5 */
	CHECK(cudaDestroyTextureObject(texture));
	CHECK(cuModuleGetGlobal(&factor, &size, kernels_module(), "factor"));
	CHECK(cuMemcpyHtoD(factor, &five, sizeof(five))); /* factor: 6 */ /* 7 */
	CHECK(cuMemcpyHtoD(factor, &five, sizeof(five)));                 /* 8 */
}

/* The nodes of a graph are calls like others. */
static void dead_graph(void)
{
	cudaGraphExec_t exec;
	cudaStream_t stream;
	cudaGraph_t graph;
	unsigned *x;

	CHECK(cudaStreamCreate(&stream));
	CHECK(cudaMalloc((void **)&x, 1024)); /* 1 */
	CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
	CHECK(cudaMemsetAsync(x, 0, 1024, stream));
	CHECK(cudaMemcpyAsync(x + 128, x, 512, cudaMemcpyDeviceToDevice, stream));
	CHECK(cudaStreamEndCapture(stream, &graph));
	CHECK(cudaGraphInstantiateWithFlags(&exec, graph, 0));
	for (int i = 0; i < 2; i++)
		CHECK(cudaGraphLaunch(exec, stream)); /* 2, 3 */
	CHECK(cudaStreamSynchronize(stream));
	CHECK(cudaMemcpy(host, x, 1024, cudaMemcpyDeviceToHost)); /* 4 */
	CHECK(cudaGraphExecDestroy(exec));
	CHECK(cudaGraphDestroy(graph));
}

static const struct {
	const char *name;
	void (*run)(void);
} cases[] = {
	{"third_bytes", third_bytes},
	{"halves", halves},
	{"copy_disjoint", copy_disjoint},
	{"copy_overlapping", copy_overlapping},
	{"pitch", pitch},
	{"malloc_pitch", malloc_pitch},
	{"sub_range", sub_range},
	{"same_bits", same_bits},
	{"reallocated", reallocated},
	{"loop", loop},
	{"big", big},
	{"atomics", atomics},
	{"predicated", predicated},
	{"in_place", in_place},
	{"module_global", module_global},
	{"device_function", device_function},
	{"shared_memory", shared_memory},
	{"mangled", mangled},
	{"vectors", vectors},
	{"failing_calls", failing_calls},
	{"streams", streams},
	{"driver_api", driver_api},
	{"value_ints", value_ints},
	{"value_doubles", value_doubles},
	{"value_shorts", value_shorts},
	{"value_bytes", value_bytes},
	{"value_vectors", value_vectors},
	{"value_records", value_records},
	{"value_atomics", value_atomics},
	{"dead_fill", dead_fill},
	{"dead_part", dead_part},
	{"dead_chain", dead_chain},
	{"dead_transfer", dead_transfer},
	{"dead_atomics", dead_atomics},
	{"dead_pitch", dead_pitch},
	{"dead_never", dead_never},
	{"dead_ping_pong", dead_ping_pong},
	{"dead_in_place", dead_in_place},
	{"dead_taken", dead_taken},
	{"dead_shared", dead_shared},
	{"dead_unseen", dead_unseen},
	{"dead_graph", dead_graph},
};

int main(int argc, char **argv)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		if (argc == 2 && !strcmp(argv[1], cases[i].name)) {
			cases[i].run();
			CHECK(cudaDeviceSynchronize());
			return 0;
		}
	fputs("usage: exactness CASE, one of:", stderr);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		fprintf(stderr, " %s", cases[i].name);
	fputc('\n', stderr);
	return 2;
}
