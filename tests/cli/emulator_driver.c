/*
 * tests/cli/emulator_driver.c: the driver API, with kernels in inline PTX, as TAP.
 *
 * With an argument it runs one kernel that fails and says what the API then returns.
 */
#include <cuda.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static const char ptx[] =
	".version 7.8\n"
	".target sm_90\n"
	".address_size 64\n"
	".global .align 4 .u32 counter = 40;\n"
	".global .align 8 .u64 pointer = counter;\n"
	".const .align 4 .u32 table[4] = {1, 2, 3, 4};\n"
	/* p[i] = base + i for each of n threads */
	".visible .entry count(.param .u64 p, .param .u32 n, .param .u32 base)\n"
	".maxntid 256, 1, 1\n"
	"{\n"
	"	.reg .pred %q; .reg .b32 %r<8>; .reg .b64 %a<4>;\n"
	"	ld.param.u64 %a1, [p]; ld.param.u32 %r1, [n]; ld.param.u32 %r2, [base];\n"
	"	mov.u32 %r3, %ctaid.x; mov.u32 %r4, %ntid.x; mov.u32 %r5, %tid.x;\n"
	"	mad.lo.s32 %r6, %r3, %r4, %r5;\n"
	"	setp.ge.u32 %q, %r6, %r1;\n"
	"	@%q bra DONE;\n"
	"	cvta.to.global.u64 %a2, %a1; mul.wide.u32 %a3, %r6, 4; add.s64 %a2, %a2, %a3;\n"
	"	add.s32 %r7, %r6, %r2; st.global.u32 [%a2], %r7;\n"
	"DONE:	ret;\n"
	"}\n"
	/* p[0] = *pointer + table[2]; then *pointer += 1 */
	".visible .entry globals(.param .u64 p)\n"
	"{\n"
	"	.reg .b32 %r<4>; .reg .b64 %a<4>;\n"
	"	ld.param.u64 %a1, [p];\n"
	"	ld.global.u64 %a2, [pointer]; ld.u32 %r1, [%a2];\n"
	"	ld.const.u32 %r2, [table+8];\n"
	"	add.s32 %r3, %r1, %r2; st.global.u32 [%a1], %r3;\n"
	"	add.s32 %r1, %r1, 1; st.global.u32 [counter], %r1;\n"
	"	ret;\n"
	"}\n"
	/* one 4-byte store where it is told, or a trap at 0 */
	".visible .entry store(.param .u64 p)\n"
	"{\n"
	"	.reg .pred %q; .reg .b64 %a<2>;\n"
	"	ld.param.u64 %a1, [p]; setp.eq.u64 %q, %a1, 0;\n"
	"	@%q trap;\n"
	"	st.global.u32 [%a1], 7;\n"
	"	ret;\n"
	"}\n";

static int number, failures;

#define OK(what, name)                                                                             \
	do {                                                                                       \
		int good = (what);                                                                 \
		failures += !good;                                                                 \
		printf("%s %d - %s\n", good ? "ok" : "not ok", ++number, name);                    \
		if (!good)                                                                         \
			printf("# line %d: %s\n", __LINE__, #what);                                \
	} while (0)

static CUmodule module;
static CUfunction count, globals, store;

static void contexts(void)
{
	CUcontext context, other, now;
	CUdevice device;
	CUdeviceptr memory;
	int devices = 0;
	char name[64];

	OK(cuDeviceGetCount(&devices) == CUDA_ERROR_NOT_INITIALIZED, "before cuInit nothing works");
	OK(cuInit(0) == CUDA_SUCCESS && cuDeviceGetCount(&devices) == CUDA_SUCCESS && devices >= 1,
	   "cuInit");
	OK(cuDeviceGet(&device, 0) == CUDA_SUCCESS &&
		   cuDeviceGetName(name, sizeof(name), device) == CUDA_SUCCESS && *name,
	   "a device and its name");
	OK(cuDeviceGet(&device, 1000) == CUDA_ERROR_INVALID_DEVICE, "no thousand devices");
	device = 0;
	OK(cuMemAlloc(&memory, 4) == CUDA_ERROR_INVALID_CONTEXT, "no memory without a context");
	OK(cuCtxCreate(&other, NULL, 0, device) == CUDA_SUCCESS &&
		   cuMemAlloc(&memory, 4) == CUDA_SUCCESS,
	   "cuCtxCreate makes it current");
	OK(cuCtxDestroy(other) == CUDA_SUCCESS && cuCtxGetCurrent(&now) == CUDA_SUCCESS && !now,
	   "cuCtxDestroy");
	OK(cuDevicePrimaryCtxRetain(&context, device) == CUDA_SUCCESS &&
		   cuCtxPushCurrent(context) == CUDA_SUCCESS &&
		   cuCtxGetCurrent(&now) == CUDA_SUCCESS && now == context,
	   "the primary context");
	OK(cuMemFree(memory) == CUDA_ERROR_INVALID_VALUE, "a context takes its memory with it");
}

static void modules(void)
{
	CUdeviceptr address;
	size_t size;

	OK(cuModuleLoadData(&module, ptx) == CUDA_SUCCESS, "cuModuleLoadData of PTX");
	OK(cuModuleGetFunction(&count, module, "count") == CUDA_SUCCESS &&
		   cuModuleGetFunction(&globals, module, "globals") == CUDA_SUCCESS &&
		   cuModuleGetFunction(&store, module, "store") == CUDA_SUCCESS,
	   "its kernels");
	OK(cuModuleGetFunction(&count, module, "none") == CUDA_ERROR_NOT_FOUND, "and no others");
	OK(cuModuleGetGlobal(&address, &size, module, "table") == CUDA_SUCCESS && size == 16,
	   "its variables");
	OK(cuModuleGetGlobal(&address, &size, module, "count") == CUDA_ERROR_NOT_FOUND,
	   "a kernel is no variable");
	OK(cuModuleLoad(&module, "/nonexistent/file") == CUDA_ERROR_FILE_NOT_FOUND,
	   "a file that is not there");
}

static void launches(void)
{
	unsigned n = 1000, base = 5, host[1001], same = 1;
	struct {
		CUdeviceptr memory;
		unsigned n, base;
	} packed;
	size_t bytes = sizeof(packed);
	void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &packed, CU_LAUNCH_PARAM_BUFFER_SIZE,
			 &bytes, CU_LAUNCH_PARAM_END};
	CUdeviceptr memory;
	void *arguments[] = {&memory, &n, &base};

	cuMemAlloc(&memory, sizeof(host));
	cuMemsetD32(memory, 0xabcd, 1001);
	OK(cuLaunchKernel(count, 4, 1, 1, 256, 1, 1, 0, NULL, arguments, NULL) == CUDA_SUCCESS,
	   "cuLaunchKernel");
	OK(cuCtxSynchronize() == CUDA_SUCCESS, "cuCtxSynchronize");
	cuMemcpyDtoH(host, memory, sizeof(host));
	for (unsigned i = 0; i < n; i++)
		same &= host[i] == i + 5;
	OK(same, "every thread has stored");
	OK(host[1000] == 0xabcd, "and none of those past the end");
	packed.memory = memory;
	packed.n = 1;
	packed.base = 77;
	OK(cuLaunchKernel(count, 1, 1, 1, 32, 1, 1, 0, NULL, NULL, extra) == CUDA_SUCCESS &&
		   cuMemcpyDtoH(host, memory, 8) == CUDA_SUCCESS && host[0] == 77 && host[1] == 6,
	   "parameters in one block");
	OK(cuLaunchKernel(count, 1, 1, 1, 257, 1, 1, 0, NULL, arguments, NULL) ==
		   CUDA_ERROR_INVALID_VALUE,
	   "more threads than the kernel allows");
	OK(cuLaunchKernel(store, 1, 1, 1, 1025, 1, 1, 0, NULL, arguments, NULL) ==
		   CUDA_ERROR_INVALID_VALUE,
	   "than any block may have");
	OK(cuLaunchKernel(store, 0, 1, 1, 1, 1, 1, 0, NULL, arguments, NULL) ==
		   CUDA_ERROR_INVALID_VALUE,
	   "an empty grid");
	OK(cuLaunchKernel(store, 1, 1, 1, 1, 1, 1, 60000, NULL, arguments, NULL) ==
		   CUDA_ERROR_INVALID_VALUE,
	   "more shared memory than asked for");
	OK(cuLaunchKernel(store, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL) == CUDA_ERROR_INVALID_VALUE,
	   "no arguments");
	arguments[0] = &memory;
	OK(cuLaunchKernel(globals, 1, 1, 1, 1, 1, 1, 0, NULL, arguments, NULL) == CUDA_SUCCESS &&
		   cuMemcpyDtoH(host, memory, 4) == CUDA_SUCCESS && host[0] == 43,
	   "a variable's content, one that holds an address, and a constant");
	OK(cuLaunchKernel(globals, 1, 1, 1, 1, 1, 1, 0, NULL, arguments, NULL) == CUDA_SUCCESS &&
		   cuMemcpyDtoH(host, memory, 4) == CUDA_SUCCESS && host[0] == 44,
	   "variables keep what kernels store");
	cuMemFree(memory);
}

/* The other ways to launch, of a module that the linker made. */
static void linking(void)
{
	CUlaunchAttribute cooperative = {.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE,
					 .value = {.cooperative = 1}};
	CUlaunchConfig config = {.gridDimX = 2,
				 .gridDimY = 1,
				 .gridDimZ = 1,
				 .blockDimX = 32,
				 .blockDimY = 1,
				 .blockDimZ = 1,
				 .attrs = &cooperative,
				 .numAttrs = 1};
	unsigned n = 64, base = 3, host[64] = {0};
	CUdeviceptr memory;
	void *arguments[] = {&memory, &n, &base};
	int grid = 0, block = 0, blocks = 0;
	CUlinkState state;
	CUfunction function = NULL;
	CUmodule linked = NULL;
	void *image;
	size_t size;

	OK(cuLinkCreate(0, NULL, NULL, &state) == CUDA_SUCCESS &&
		   cuLinkComplete(state, &image, &size) != CUDA_SUCCESS,
	   "a linker without input makes nothing");
	OK(cuLinkAddData(state, CU_JIT_INPUT_PTX, (void *)ptx, sizeof(ptx), "text", 0, NULL,
			 NULL) == CUDA_SUCCESS &&
		   cuLinkComplete(state, &image, &size) == CUDA_SUCCESS &&
		   cuModuleLoadData(&linked, image) == CUDA_SUCCESS &&
		   cuLinkDestroy(state) == CUDA_SUCCESS &&
		   cuModuleGetFunction(&function, linked, "count") == CUDA_SUCCESS,
	   "what the linker makes of PTX can be loaded");
	cuMemAlloc(&memory, sizeof(host));
	OK(cuLaunchKernelEx(&config, function, arguments, NULL) == CUDA_SUCCESS &&
		   cuMemcpyDtoH(host, memory, sizeof(host)) == CUDA_SUCCESS && host[0] == 3 &&
		   host[63] == 66,
	   "cuLaunchKernelEx");
	base = 10;
	OK(cuLaunchCooperativeKernel(function, 2, 1, 1, 32, 1, 1, 0, NULL, arguments) ==
			   CUDA_SUCCESS &&
		   cuMemcpyDtoH(host, memory, sizeof(host)) == CUDA_SUCCESS && host[0] == 10 &&
		   host[63] == 73,
	   "cuLaunchCooperativeKernel");
	config.attrs = NULL;
	OK(cuLaunchKernelEx(&config, function, arguments, NULL) == CUDA_ERROR_INVALID_VALUE,
	   "attributes that are not there");
	OK(cuOccupancyMaxPotentialBlockSize(&grid, &block, function, NULL, 0, 0) == CUDA_SUCCESS &&
		   block == 256 && /* its .maxntid */
		   cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function, block, 0) ==
			   CUDA_SUCCESS &&
		   grid > 0 && grid % blocks == 0,
	   "the best block is no larger than the kernel allows");
	OK(cuOccupancyMaxPotentialBlockSize(&grid, &block, function, NULL, 0, 100) ==
			   CUDA_SUCCESS &&
		   block <= 100 && block > 0,
	   "nor than asked for");
	cuMemFree(memory);
	cuModuleUnload(linked);
}

static void filling(void)
{
	unsigned char host[64];
	CUDA_MEMCPY2D copy = {.srcMemoryType = CU_MEMORYTYPE_DEVICE,
			      .srcXInBytes = 2,
			      .srcY = 1,
			      .srcPitch = 16,
			      .dstMemoryType = CU_MEMORYTYPE_HOST,
			      .dstHost = host,
			      .dstPitch = 4,
			      .WidthInBytes = 4,
			      .Height = 2};
	CUdeviceptr memory;

	cuMemAlloc(&memory, 64);
	OK(cuMemsetD8(memory, 1, 64) == CUDA_SUCCESS &&
		   cuMemsetD16(memory + 2, 0x0302, 3) == CUDA_SUCCESS &&
		   cuMemsetD32(memory + 16, 0x07060504, 2) == CUDA_SUCCESS,
	   "sets of 1, 2 and 4 bytes");
	cuMemcpyDtoH(host, memory, 64);
	OK(!memcmp(host, "\1\1\2\3\2\3\2\3\1\1\1\1\1\1\1\1\4\5\6\7\4\5\6\7\1", 25),
	   "what they set");
	OK(cuStreamWriteValue32(NULL, memory + 4, 0x0d0c0b0a, 0) == CUDA_SUCCESS &&
		   cuMemcpyDtoH(host, memory, 12) == CUDA_SUCCESS &&
		   !memcmp(host, "\1\1\2\3\n\v\f\r\1\1\1\1", 12),
	   "cuStreamWriteValue32");
	cuMemsetD32(memory + 4, 0x03020302, 1);
	OK(cuMemsetD32(memory + 2, 0, 1) == CUDA_ERROR_INVALID_VALUE, "must be aligned");
	OK(cuMemsetD2D32(memory, 16, 0x01010101, 1, 5) == CUDA_ERROR_INVALID_VALUE,
	   "must be inside");
	copy.srcDevice = memory;
	memset(host, 0, sizeof(host));
	OK(cuMemcpy2D(&copy) == CUDA_SUCCESS && !memcmp(host, "\6\7\4\5\1\1\1\1\0", 9),
	   "cuMemcpy2D from the middle");
	cuMemFree(memory);
}

static void attributes(void)
{
	unsigned flags = 7, version = 0;
	int least = 1, greatest = 1, priority = 1;
	char bus[16] = "";
	size_t limit = 0;
	CUstream stream;
	CUuuid uuid;

	OK(cuCtxGetStreamPriorityRange(&least, &greatest) == CUDA_SUCCESS && least == 0 &&
		   greatest < 0,
	   "a range of priorities");
	OK(cuStreamCreateWithPriority(&stream, CU_STREAM_NON_BLOCKING, -100) == CUDA_SUCCESS &&
		   cuStreamGetPriority(stream, &priority) == CUDA_SUCCESS && priority == greatest &&
		   cuStreamGetFlags(stream, &flags) == CUDA_SUCCESS &&
		   flags == CU_STREAM_NON_BLOCKING && cuStreamDestroy(stream) == CUDA_SUCCESS,
	   "a stream says its own, inside of it");
	OK(cuStreamGetFlags(stream, &flags) != CUDA_SUCCESS, "and nothing once it is gone");
	OK(cuCtxGetApiVersion(NULL, &version) == CUDA_SUCCESS && version >= 3010 &&
		   cuCtxGetFlags(&flags) == CUDA_SUCCESS &&
		   cuCtxSetCacheConfig(CU_FUNC_CACHE_PREFER_L1) == CUDA_SUCCESS,
	   "of the context");
	OK(cuCtxSetLimit(CU_LIMIT_PERSISTING_L2_CACHE_SIZE, 4096) == CUDA_SUCCESS &&
		   cuCtxGetLimit(&limit, CU_LIMIT_PERSISTING_L2_CACHE_SIZE) == CUDA_SUCCESS &&
		   limit == 4096 && cuCtxGetLimit(&limit, (CUlimit)99) == 215,
	   "limits are remembered, those that there are");
	OK(cuDeviceGetUuid(&uuid, 0) == CUDA_SUCCESS &&
		   cuDeviceGetUuid(&uuid, 1000) == CUDA_ERROR_INVALID_DEVICE &&
		   cuDeviceGetPCIBusId(bus, sizeof(bus), 0) == CUDA_SUCCESS && strlen(bus) == 12,
	   "of the device");
}

static int byte_at(CUdeviceptr at)
{
	unsigned char byte = 0;

	return cuMemcpyDtoH(&byte, at, 1) == CUDA_SUCCESS ? byte : -1;
}

/* What is written through a mapping belongs to the handle, not to the address. */
static void contents_follow(size_t size, const CUmemAllocationProp *where,
			    const CUmemAccessDesc *access)
{
	CUmemGenericAllocationHandle first = 0, second = 0;
	CUdeviceptr range;

	OK(cuMemAddressReserve(&range, 2 * size, 0, 0, 0) == CUDA_SUCCESS &&
		   cuMemCreate(&first, size, where, 0) == CUDA_SUCCESS &&
		   cuMemCreate(&second, size, where, 0) == CUDA_SUCCESS &&
		   cuMemMap(range, size, 0, first, 0) == CUDA_SUCCESS &&
		   cuMemMap(range + size, size, 0, second, 0) == CUDA_SUCCESS &&
		   cuMemSetAccess(range, 2 * size, access, 1) == CUDA_SUCCESS &&
		   cuMemsetD8(range, 5, size) == CUDA_SUCCESS &&
		   cuMemsetD8(range + size, 6, size) == CUDA_SUCCESS,
	   "two handles and what they hold");
	OK(cuMemUnmap(range, 2 * size) == CUDA_SUCCESS &&
		   cuMemMap(range, size, 0, second, 0) == CUDA_SUCCESS &&
		   cuMemMap(range + size, size, 0, first, 0) == CUDA_SUCCESS &&
		   cuMemSetAccess(range, 2 * size, access, 1) == CUDA_SUCCESS &&
		   byte_at(range) == 6 && byte_at(range + size - 1) == 6 &&
		   byte_at(range + size) == 5 && byte_at(range + 2 * size - 1) == 5,
	   "mapped the other way round");
	OK(cuMemUnmap(range, size) == CUDA_SUCCESS &&
		   cuMemMap(range, size, 0, first, 0) == CUDA_ERROR_NOT_SUPPORTED,
	   "a handle is at one address at a time");
	OK(cuMemUnmap(range + size, size) == CUDA_SUCCESS &&
		   cuMemMap(range, size, 0, first, 0) == CUDA_SUCCESS &&
		   cuMemSetAccess(range, size, access, 1) == CUDA_SUCCESS && byte_at(range) == 5 &&
		   cuMemRelease(first) == CUDA_SUCCESS && byte_at(range) == 5,
	   "then at the other; released, it holds them as long as it is mapped");
	OK(cuMemUnmap(range, size) == CUDA_SUCCESS && cuMemRelease(second) == CUDA_SUCCESS &&
		   cuMemCreate(&first, size, where, 0) == CUDA_SUCCESS &&
		   cuMemMap(range, size, 0, first, 0) == CUDA_SUCCESS &&
		   cuMemSetAccess(range, size, access, 1) == CUDA_SUCCESS && byte_at(range) == 0,
	   "a new one holds nothing of them");
	OK(cuMemUnmap(range, size) == CUDA_SUCCESS && cuMemRelease(first) == CUDA_SUCCESS &&
		   cuMemAddressFree(range, 2 * size) == CUDA_SUCCESS,
	   "and all goes");
}

/* Two pieces of memory side by side in one range of addresses. */
static void virtual_memory(void)
{
	CUmemAllocationProp where = {.type = CU_MEM_ALLOCATION_TYPE_PINNED,
				     .location = {CU_MEM_LOCATION_TYPE_DEVICE, 0}};
	CUmemAccessDesc access = {where.location, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
	CUmemGenericAllocationHandle first = 0, second = 0;
	unsigned char host[2];
	CUdeviceptr range, at;
	unsigned n = 4, base = 10, values[4];
	void *arguments[] = {&at, &n, &base};
	size_t size = 0;

	OK(cuMemGetAllocationGranularity(&size, &where, CU_MEM_ALLOC_GRANULARITY_MINIMUM) ==
			   CUDA_SUCCESS &&
		   size && !(size & (size - 1)),
	   "the granularity is a power of two");
	OK(cuMemAddressReserve(&range, 2 * size + 1, 0, 0, 0) == CUDA_ERROR_INVALID_VALUE,
	   "ranges are multiples of it");
	OK(cuMemAddressReserve(&range, 2 * size, 0, 0, 0) == CUDA_SUCCESS && range % size == 0 &&
		   cuMemFree(range) == CUDA_ERROR_INVALID_VALUE,
	   "cuMemAddressReserve, which cuMemFree does not free");
	OK(cuMemSetAccess(range, 2 * size, &access, 1) == CUDA_ERROR_INVALID_VALUE,
	   "no access to what is not mapped");
	OK(cuMemCreate(&first, size, &where, 0) == CUDA_SUCCESS &&
		   cuMemCreate(&second, size, &where, 0) == CUDA_SUCCESS &&
		   cuMemMap(range, size, 0, first, 0) == CUDA_SUCCESS &&
		   cuMemMap(range + size, size, 0, second, 0) == CUDA_SUCCESS &&
		   cuMemSetAccess(range, 2 * size, &access, 1) == CUDA_SUCCESS,
	   "two mappings");
	OK(cuMemSetAccess(range + 1, 0, &access, 1) == CUDA_ERROR_INVALID_VALUE,
	   "no access to nothing");
	OK(cuMemMap(range, size, 0, second, 0) == CUDA_ERROR_INVALID_VALUE,
	   "nothing can be mapped over another");
	OK(cuMemRelease(first) == CUDA_SUCCESS && cuMemRelease(second) == CUDA_SUCCESS &&
		   cuMemRelease(second) == CUDA_ERROR_INVALID_VALUE,
	   "handles may go first, once");
	OK(cuMemsetD8(range, 5, 2 * size) == CUDA_SUCCESS &&
		   cuMemsetD8(range + size, 6, size) == CUDA_SUCCESS &&
		   cuMemcpyDtoH(host, range + size - 1, 2) == CUDA_SUCCESS && host[0] == 5 &&
		   host[1] == 6,
	   "they are one piece");
	at = range + size - 8;
	OK(cuLaunchKernel(count, 1, 1, 1, 4, 1, 1, 0, NULL, arguments, NULL) == CUDA_SUCCESS &&
		   cuMemcpyDtoH(values, at, sizeof(values)) == CUDA_SUCCESS && values[0] == 10 &&
		   values[3] == 13,
	   "for kernels, too");
	OK(cuMemAddressFree(range, 2 * size) == CUDA_ERROR_INVALID_VALUE &&
		   cuMemUnmap(range, size / 2) == CUDA_ERROR_INVALID_VALUE,
	   "a mapping holds its addresses and goes as a whole");
	OK(cuMemUnmap(range, 2 * size) == CUDA_SUCCESS &&
		   cuMemUnmap(range, size) == CUDA_ERROR_INVALID_VALUE &&
		   cuMemAddressFree(range, 2 * size) == CUDA_SUCCESS &&
		   cuMemAddressFree(range, 2 * size) == CUDA_ERROR_INVALID_VALUE,
	   "and then everything can be given back");
	contents_follow(size, &where, &access);
}

#include "emulator_driver_graph.c"

/* The operands of cuCtxCreate() were three, then five, then four. */
static void contexts_of_versions(void)
{
	CUresult (*of_cuda_10)(CUcontext *, unsigned, CUdevice);
	CUresult (*of_cuda_12)(CUcontext *, void *, int, unsigned, CUdevice);
	CUdriverProcAddressQueryResult status;
	const unsigned spin = 1; /* CU_CTX_SCHED_SPIN */
	unsigned flags = 0;
	CUcontext context;
	void *entry;

	OK(cuGetProcAddress("cuCtxCreate", &entry, 10020, 0, &status) == CUDA_SUCCESS,
	   "cuCtxCreate of CUDA 10");
	memcpy(&of_cuda_10, &entry, sizeof(of_cuda_10));
	OK(of_cuda_10(&context, spin, 0) == CUDA_SUCCESS && cuCtxGetFlags(&flags) == CUDA_SUCCESS &&
		   flags & spin && cuCtxDestroy(context) == CUDA_SUCCESS,
	   "takes flags and a device");
	OK(cuGetProcAddress("cuCtxCreate", &entry, 12040, 0, &status) == CUDA_SUCCESS,
	   "cuCtxCreate of CUDA 12");
	memcpy(&of_cuda_12, &entry, sizeof(of_cuda_12));
	flags = 0;
	OK(of_cuda_12(&context, NULL, 0, spin, 0) == CUDA_SUCCESS &&
		   cuCtxGetFlags(&flags) == CUDA_SUCCESS && flags & spin &&
		   cuCtxDestroy(context) == CUDA_SUCCESS,
	   "takes an affinity before them");
}

static void procedures(void)
{
	CUresult (*allocate)(CUdeviceptr *, size_t);
	CUdriverProcAddressQueryResult status;
	CUdeviceptr memory;
	CUresult (*of_cuda_11)(const char *, void **, int, uint64_t);
	void *entry, *found = NULL;

	OK(cuGetProcAddress("cuMemAlloc", &entry, 13000, 0, &status) == CUDA_SUCCESS && entry,
	   "cuGetProcAddress");
	memcpy(&allocate, &entry, sizeof(allocate));
	OK(allocate(&memory, 16) == CUDA_SUCCESS && cuMemFree(memory) == CUDA_SUCCESS,
	   "what it gives works");
	OK(cuGetProcAddress("cuNothing", &entry, 13000, 0, &status) == CUDA_ERROR_NOT_FOUND,
	   "what is not there");
	OK(cuGetProcAddress("cuGetProcAddress", &entry, 11080, 0, &status) == CUDA_SUCCESS &&
		   entry != (void *)cuGetProcAddress,
	   "programs made for CUDA 11 get the one that takes no status");
	memcpy(&of_cuda_11, &entry, sizeof(of_cuda_11));
	OK(of_cuda_11("cuMemAlloc", &found, 11080, 0) == CUDA_SUCCESS && found, "which works");
	OK(cuGetProcAddress("cuGetProcAddress", &entry, 12000, 0, &status) == CUDA_SUCCESS &&
		   entry == (void *)cuGetProcAddress,
	   "those made for CUDA 12 the other");
	OK(cuGetProcAddress("cuGraphGetEdges", &entry, 12020, 0, &status) == CUDA_SUCCESS &&
		   entry && entry != (void *)cuGraphGetEdges &&
		   cuGetProcAddress("cuGraphGetEdges", &entry, 12030, 0, &status) == CUDA_SUCCESS &&
		   entry == (void *)cuGraphGetEdges,
	   "edges have data since CUDA 12.3");
	contexts_of_versions();
}

/* Two granules of a mapping, of which the second has other rights; 0: none. */
static CUdeviceptr mapped_with(CUmemAccess_flags rights)
{
	CUmemAllocationProp where = {.type = CU_MEM_ALLOCATION_TYPE_PINNED,
				     .location = {CU_MEM_LOCATION_TYPE_DEVICE, 0}};
	CUmemAccessDesc access = {where.location, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
	CUmemGenericAllocationHandle handle;
	CUdeviceptr range;
	size_t size;

	if (cuMemGetAllocationGranularity(&size, &where, CU_MEM_ALLOC_GRANULARITY_MINIMUM) ||
	    cuMemAddressReserve(&range, 2 * size, 0, 0, 0) ||
	    cuMemCreate(&handle, 2 * size, &where, 0) || cuMemMap(range, 2 * size, 0, handle, 0) ||
	    cuMemSetAccess(range, 2 * size, &access, 1))
		return 0;
	access.flags = rights;
	return cuMemSetAccess(range + size, size, &access, 1) ? 0 : range + size;
}

static CUdeviceptr reserved(void)
{
	CUdeviceptr range;

	return cuMemAddressReserve(&range, (size_t)2 << 20, 0, 0, 0) ? 0 : range;
}

/* A kernel stores where it may not, unaligned, or traps; then nothing works any more. */
static int fail(const char *how)
{
	CUdeviceptr memory, at;
	void *arguments[] = {&at};
	CUresult result;

	cuMemAlloc(&memory, 64);
	at = !strcmp(how, "outside")     ? memory + 64
	     : !strcmp(how, "unaligned") ? memory + 1
	     : !strcmp(how, "read-only") ? mapped_with(CU_MEM_ACCESS_FLAGS_PROT_READ)
	     : !strcmp(how, "none")      ? mapped_with(CU_MEM_ACCESS_FLAGS_PROT_NONE)
	     : !strcmp(how, "reserved")  ? reserved()
					 : 0;
	result = cuLaunchKernel(store, 1, 1, 1, 1, 1, 1, 0, NULL, arguments, NULL);
	if (!result)
		result = cuCtxSynchronize();
	printf("%d", result);
	printf(" %d", cuMemAlloc(&memory, 64));
	printf(" %d\n", cuCtxSynchronize());
	return 0;
}

/* NVIDIA's runtime for launches from kernels, known by a variable that it defines, is left out. */
static void device_runtime(void)
{
#define RUNTIME_TEXT(declaration)                                                                  \
	".version 7.0\n.target sm_80\n.address_size 64\n" declaration "\n"                         \
	".visible .entry own() { .reg .b64 %d<2>; ret; }\n"
	static const struct {
		const char *text;
		int left_out;
	} units[] = {
		{RUNTIME_TEXT(".visible .global .align 4 .u32 __CNPRT_VERSION_NUMBER__ = 6000;"),
		 1},
		{RUNTIME_TEXT("// .global .u32 __CNPRT_VERSION_NUMBER__;"), 0},
		{RUNTIME_TEXT("/* .global .u32 __CNPRT_VERSION_NUMBER__; */"), 0},
		{RUNTIME_TEXT(".global .u32 my__CNPRT_VERSION_NUMBER__;"), 0},
		{RUNTIME_TEXT(".const .u32 __CNPRT_VERSION_NUMBER__;"), 0},
	};

	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++) {
		CUmodule module;
		CUfunction own;

		OK(cuModuleLoadData(&module, units[i].text) == CUDA_SUCCESS &&
			   cuModuleGetFunction(&own, module, "own") ==
				   (units[i].left_out ? CUDA_ERROR_NOT_FOUND : CUDA_SUCCESS),
		   units[i].left_out ? "the device's runtime is left out"
				     : "what looks like it is not");
		cuModuleUnload(module);
	}
}

/* Line 4 names a register that is none. */
static const char broken[] = ".version 7.8\n.target sm_90\n.address_size 64\n"
			     ".visible .entry k() { mov.u32 %nobody, 1; ret; }\n";

static size_t length_of(void *value)
{
	return (uintptr_t)value;
}

static void logs(void)
{
	char text[600], information[8] = "before", little[8];
	CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, CU_JIT_ERROR_LOG_BUFFER,
				  CU_JIT_INFO_LOG_BUFFER, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES};
	void *values[] = {(void *)sizeof(text), text, information, (void *)sizeof(information)};
	void *few[] = {(void *)sizeof(little), little};
	CUlinkState state;
	CUmodule none;

	memset(text, 'x', sizeof(text));
	OK(cuModuleLoadDataEx(&none, broken, 4, options, values) == CUDA_ERROR_INVALID_PTX &&
		   strstr(text, "line 4") && strstr(text, "%nobody") &&
		   length_of(values[0]) == strlen(text),
	   "the log says what does not compile");
	OK(!*information && !length_of(values[3]), "there is no information");
	memset(little, 'x', sizeof(little));
	OK(cuModuleLoadDataEx(&none, broken, 2, options, few) == CUDA_ERROR_INVALID_PTX &&
		   length_of(few[0]) == sizeof(little) && strlen(little) == 7 &&
		   !memcmp(little, text, 7),
	   "a small log is cut");
	few[0] = NULL;
	little[0] = 'x';
	OK(cuModuleLoadDataEx(&none, broken, 2, options, few) == CUDA_ERROR_INVALID_PTX &&
		   !length_of(few[0]) && little[0] == 'x',
	   "a log without room is left alone");
	OK(cuModuleLoadDataEx(&none, broken, 0, NULL, NULL) == CUDA_ERROR_INVALID_PTX,
	   "there need not be any");
	values[0] = (void *)sizeof(text);
	OK(cuModuleLoadDataEx(&none, ptx, 4, options, values) == CUDA_SUCCESS && !*text &&
		   !length_of(values[0]) && cuModuleUnload(none) == CUDA_SUCCESS,
	   "what compiles says nothing");
	values[0] = (void *)sizeof(text);
	OK(cuLibraryLoadData((CUlibrary *)&none, broken, options, values, 4, NULL, NULL, 0) ==
			   CUDA_ERROR_INVALID_PTX &&
		   strstr(text, "line 4"),
	   "libraries have a log");
	values[0] = (void *)sizeof(text);
	memset(text, 'x', sizeof(text));
	OK(cuLinkCreate(4, options, values, &state) == CUDA_SUCCESS && !*text, "so has the linker");
	memset(options, 0, sizeof(options)); /* only the values must stay */
	OK(cuLinkAddData(state, CU_JIT_INPUT_PTX, (void *)broken, sizeof(broken), "text", 0, NULL,
			 NULL) == CUDA_ERROR_INVALID_PTX &&
		   strstr(text, "line 4") && length_of(values[0]) == strlen(text) &&
		   cuLinkDestroy(state) == CUDA_SUCCESS,
	   "which compiles what it is given");
}

int main(int argc, char **argv)
{
	if (argc > 1) {
		CUcontext context;

		cuInit(0);
		cuDevicePrimaryCtxRetain(&context, 0);
		cuCtxPushCurrent(context);
		cuModuleLoadData(&module, ptx);
		cuModuleGetFunction(&store, module, "store");
		return fail(argv[1]);
	}
	contexts();
	modules();
	device_runtime();
	launches();
	linking();
	logs();
	filling();
	virtual_memory();
	attributes();
	arrays();
	graphs();
	edit();
	pools();
	graph_memory();
	memory_nodes();
	values();
	procedures();
	OK(cuModuleUnload(module) == CUDA_SUCCESS &&
		   cuLaunchKernel(store, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL) != CUDA_SUCCESS,
	   "cuModuleUnload");
	printf("1..%d\n", number);
	return failures != 0;
}
