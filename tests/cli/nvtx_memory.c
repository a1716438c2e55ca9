/* NVTX's memory annotations, by its own headers; what is expected is worked out in nvtx_memory.sh.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cuda_runtime_api.h>

#include <nvtx3/nvToolsExtMem.h>
#include <nvtx3/nvToolsExtPayload.h>

typedef nvtxMemHeapHandle_t heap_handle;
typedef nvtxMemRegionHandle_t region_handle;
typedef nvtxMemVirtualRangeDesc_t range;

#define HEAD .extCompatID = NVTX_EXT_COMPATID_MEM
#define NO_HEAP NVTX_MEM_HEAP_HANDLE_NO_TOOL

static char *segment, *other, *third, host[100];
static int bad;

/* With a tool. */
static void expect(const char *what, int is)
{
	if (!getenv("VFLOW_TRACE_DIR"))
		return;
	if (!is)
		printf("not so: %s\n", what);
	bad += !is;
}

static nvtxMemHeapDesc_t describe(const range *range, uint32_t usage)
{
	return (nvtxMemHeapDesc_t){HEAD,
				   .structSize = sizeof(nvtxMemHeapDesc_t),
				   .usage = usage,
				   .type = NVTX_MEM_TYPE_VIRTUAL_ADDRESS,
				   .typeSpecificDescSize = sizeof(*range),
				   .typeSpecificDesc = range};
}

static heap_handle heap_of(const void *memory, size_t size, uint32_t usage, const char *name)
{
	range range = {size, memory};
	nvtxMemHeapDesc_t desc = describe(&range, usage);

	desc.messageType = name ? NVTX_MESSAGE_TYPE_ASCII : NVTX_MESSAGE_UNKNOWN;
	desc.message.ascii = name;
	return nvtxMemHeapRegister(NULL, &desc);
}

static heap_handle pool_of(const void *memory, size_t size, const char *name)
{
	return heap_of(memory, size, NVTX_MEM_HEAP_USAGE_TYPE_SUB_ALLOCATOR, name);
}

static nvtxMemRegionsRegisterBatch_t batch_of(heap_handle heap, const range *ranges, size_t count,
					      region_handle *handles)
{
	return (nvtxMemRegionsRegisterBatch_t){HEAD,
					       .structSize = sizeof(nvtxMemRegionsRegisterBatch_t),
					       .regionType = NVTX_MEM_TYPE_VIRTUAL_ADDRESS,
					       .heap = heap,
					       .regionCount = count,
					       .regionDescElementSize = sizeof(*ranges),
					       .regionDescElements = ranges,
					       .regionHandleElementsOut = handles};
}

static void carve(heap_handle heap, const range *ranges, size_t count, region_handle *handles)
{
	nvtxMemRegionsRegisterBatch_t batch = batch_of(heap, ranges, count, handles);

	nvtxMemRegionsRegister(NULL, &batch); /* CARVE */
}

static void carve_one(heap_handle heap, const void *memory, size_t size)
{
	range range = {size, memory};
	nvtxMemRegionsRegisterBatch_t batch = batch_of(heap, &range, 1, NULL);

	nvtxMemRegionsRegister(NULL, &batch); /* ONE */
}

static void resize(const void *memory, size_t size)
{
	range range = {size, memory};
	nvtxMemRegionsResizeBatch_t batch = {HEAD,
					     .structSize = sizeof(batch),
					     .regionType = NVTX_MEM_TYPE_VIRTUAL_ADDRESS,
					     .regionDescCount = 1,
					     .regionDescElementSize = sizeof(range),
					     .regionDescElements = &range};

	nvtxMemRegionsResize(NULL, &batch); /* RESIZE */
}

static void give_back(uint32_t type, const void *region)
{
	nvtxMemRegionRef_t ref = {.pointer = region};
	nvtxMemRegionsUnregisterBatch_t batch = {
		HEAD,          .structSize = sizeof(batch),   .refType = type,
		.refCount = 1, .refElementSize = sizeof(ref), .refElements = &ref};

	nvtxMemRegionsUnregister(NULL, &batch);
}

static void take_back(const void *region)
{
	give_back(NVTX_MEM_REGION_REF_TYPE_POINTER, region);
}

static nvtxMemRegionNameDesc_t called(const void *region, uint32_t type, const char *name)
{
	return (nvtxMemRegionNameDesc_t){.regionRefType = NVTX_MEM_REGION_REF_TYPE_POINTER,
					 .nameType = type,
					 .region.pointer = region,
					 .name.ascii = name};
}

static void name_regions(const nvtxMemRegionNameDesc_t *names, size_t count)
{
	nvtxMemRegionsNameBatch_t batch = {HEAD, .structSize = sizeof(batch), .regionCount = count,
					   .regionElementSize = sizeof(*names),
					   .regionElements = names};

	nvtxMemRegionsName(NULL, &batch);
}

static void one_pool(nvtxDomainHandle_t domain)
{
	heap_handle heap = pool_of(segment, 1 << 19, "arena");
	range ranges[] = {{1000, segment}, {500, segment + 1024}};
	region_handle handles[] = {NULL, NULL};
	nvtxStringHandle_t bias = nvtxDomainRegisterStringA(domain, "bias");
	nvtxMemRegionNameDesc_t names[] = {called(segment, NVTX_MESSAGE_TYPE_ASCII, "weights"),
					   called(NULL, NVTX_MESSAGE_TYPE_REGISTERED, NULL)};

	expect("a heap's handle is its address", (void *)heap == segment);
	carve(heap, ranges, 2, handles); /* 1500 */
	expect("a region's handle is its address", (void *)handles[0] == segment);
	expect("and another one's", (void *)handles[1] == segment + 1024);
	names[1].regionRefType = NVTX_MEM_REGION_REF_TYPE_HANDLE;
	names[1].region.handle = handles[1];
	names[1].name.registered = bias;
	name_regions(names, 2);
	carve_one(heap, segment + 2048, 700); /* 2200: the peak */
	give_back(NVTX_MEM_REGION_REF_TYPE_HANDLE, handles[0]);
	resize(segment + 1024, 300); /* 1000, and 300 are another block */
	resize(segment + 1024, 300);
	carve_one(heap, segment + 4096, 0);
	take_back(segment + 4096);
}

static void other_pools(nvtxDomainHandle_t domain)
{
	heap_handle heap = pool_of(other, 64, NULL); /* the second: "NVTX heap 2" */
	range all = {64, other};
	nvtxMemHeapDesc_t desc = describe(&all, NVTX_MEM_HEAP_USAGE_TYPE_SUB_ALLOCATOR);

	carve_one(heap, other, 10);
	nvtxMemHeapUnregister(NULL, heap);
	heap = pool_of(segment + (1 << 19), 1 << 19, ""); /* the second again */
	carve_one(heap, segment + (1 << 19), 4096);
	nvtxMemHeapReset(NULL, heap);
	carve_one(heap, segment + (1 << 19), 64);
	desc.messageType = NVTX_MESSAGE_TYPE_UNICODE;
	desc.message.unicode = L"w\u00e9";
	heap = nvtxMemHeapRegister(domain, &desc);
	carve_one(heap, other, 64);
	nvtxMemHeapUnregister(domain, heap);
	carve_one(pool_of(host, sizeof(host), "host"), host, sizeof(host));
}

/* A pool in a block of another one, both of one address, and what takes the place of both. */
static void nested(void)
{
	heap_handle heap = pool_of(third, 1000, "outer");

	carve_one(heap, third, 600);
	carve_one(pool_of(third, 600, "inner"), third, 100);
	take_back(third); /* the inner one */
	nvtxMemHeapUnregister(NULL, heap);
	carve_one(heap, third + 600, 50);
	expect("the same handle", pool_of(third, 1000, "outer") == heap);
}

static void no_pools(void)
{
	nvtxMemRegionNameDesc_t name = called(other, NVTX_MESSAGE_TYPE_ASCII, "a part");

	carve_one(heap_of(other, 64, NVTX_MEM_HEAP_USAGE_TYPE_LAYOUT, "layout"), other, 8);
	name_regions(&name, 1);
	carve_one(NVTX_MEM_HEAP_HANDLE_PROCESS_WIDE, other + 8, 8);
	resize(other + 8, 16);
	take_back(other + 8);
	nvtxMemHeapReset(NULL, NVTX_MEM_HEAP_HANDLE_PROCESS_WIDE);
}

/* They do what they do without a tool. */
static void others(nvtxDomainHandle_t domain)
{
	nvtxPayloadSchemaAttr_t schema = {0};
	nvtxMemPermissionsAssignBatch_t batch = {HEAD, .structSize = sizeof(batch)};

	expect("no schema", nvtxPayloadSchemaRegister(domain, &schema) == 0);
	expect("no permissions", nvtxMemPermissionsCreate(domain, 0) == NULL);
	nvtxMemPermissionsAssign(domain, &batch);
	nvtxMemPermissionsBind(domain, NULL, NVTX_MEM_PERMISSIONS_BIND_SCOPE_CPU_THREAD, 0);
	nvtxMemPermissionsUnbind(domain, NVTX_MEM_PERMISSIONS_BIND_SCOPE_CPU_THREAD);
	nvtxMemPermissionsReset(domain, NULL);
	nvtxMemPermissionsDestroy(domain, NULL);
}

static void steps(void)
{
	nvtxDomainHandle_t domain = nvtxDomainCreateA("lib");

	one_pool(domain);
	other_pools(domain);
	nested();
	no_pools();
	others(domain);
}

/* -- hostile -- */

/* Two pages: behind them nothing can be read.  Returns the end. */
static char *end_of_memory(void)
{
	char *pages =
		mmap(NULL, 3 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	mprotect(pages + 2 * 4096, 4096, PROT_NONE);
	return pages + 2 * 4096;
}

/* 7 that cannot be read, 4 of another version, 5 of unknown types, 2 without an address */
static void bad_heaps(char *end)
{
	range whole = {1024, segment}, nowhere = {1024, NULL}, beyond = {SIZE_MAX, segment};
	nvtxMemHeapDesc_t good = describe(&whole, NVTX_MEM_HEAP_USAGE_TYPE_SUB_ALLOCATOR), desc;
	const void *unreadable[] = {NULL, (void *)16, end, end - 4, end - 40, (void *)UINTPTR_MAX};

	memcpy(end - 40, &good, 40);
	for (int i = 0; i < 6; i++)
		if (i != 3) /* zeros: of version 0 */
			expect("unreadable", nvtxMemHeapRegister(NULL, unreadable[i]) == NO_HEAP);
	memset(end - 8, 0, 8);
	expect("no version", nvtxMemHeapRegister(NULL, (void *)(end - 8)) == NO_HEAP);
	desc = good;
	desc.typeSpecificDesc = NULL;
	expect("no range", nvtxMemHeapRegister(NULL, &desc) == NO_HEAP);
	desc.typeSpecificDesc = end - 8;
	expect("half a range", nvtxMemHeapRegister(NULL, &desc) == NO_HEAP);
	desc = good;
	desc.extCompatID++;
	expect("version", nvtxMemHeapRegister(NULL, &desc) == NO_HEAP);
	desc = good;
	desc.structSize--;
	expect("size", nvtxMemHeapRegister(NULL, &desc) == NO_HEAP);
	desc.structSize = 0;
	expect("no size", nvtxMemHeapRegister(NULL, &desc) == NO_HEAP);
	desc = good;
	desc.usage = 0;
	expect("no usage", nvtxMemHeapRegister(NULL, &desc) == NO_HEAP);
	desc.usage = 77;
	expect("usage", nvtxMemHeapRegister(NULL, &desc) == NO_HEAP);
	desc = good;
	desc.type = 0x11; /* NVTX_MEM_TYPE_CUDA_ARRAY */
	expect("array", nvtxMemHeapRegister(NULL, &desc) == NO_HEAP);
	desc.type = 0;
	expect("no type", nvtxMemHeapRegister(NULL, &desc) == NO_HEAP);
	desc = good;
	desc.typeSpecificDescSize = 8;
	expect("range's size", nvtxMemHeapRegister(NULL, &desc) == NO_HEAP);
	desc = describe(&nowhere, 1);
	expect("nowhere", nvtxMemHeapRegister(NULL, &desc) == NO_HEAP);
	desc = describe(&beyond, 1);
	expect("beyond", nvtxMemHeapRegister(NULL, &desc) == NO_HEAP);
}

/* Names that end nowhere; the first heap is "NVTX heap 1" */
static heap_handle odd_names(char *end)
{
	range whole = {1 << 20, segment};
	nvtxMemHeapDesc_t desc = describe(&whole, NVTX_MEM_HEAP_USAGE_TYPE_SUB_ALLOCATOR);
	nvtxMemRegionNameDesc_t names[] = {
		called(segment, NVTX_MESSAGE_TYPE_ASCII, NULL),
		called(segment, NVTX_MESSAGE_TYPE_ASCII, (char *)16),
		called(segment, 99, end - 3),
		called(segment, NVTX_MESSAGE_TYPE_REGISTERED, end),
		called(segment, NVTX_MESSAGE_TYPE_UNICODE, end - 3),
		called(segment, NVTX_MESSAGE_TYPE_ASCII, end - 3),
	};
	heap_handle heap;

	memcpy(end - 3, "end", 3);
	desc.messageType = NVTX_MESSAGE_TYPE_ASCII;
	desc.message.ascii = (char *)16;
	heap = nvtxMemHeapRegister((nvtxDomainHandle_t)16, &desc);
	expect("a heap without a name", (void *)heap == segment);
	carve_one(heap, segment, 10);
	name_regions(names, 6); /* "end", at last */
	return heap;
}

static void bad_regions(heap_handle heap, char *end)
{
	range *ranges = (range *)end - 2;
	char *handles = end_of_memory() - sizeof(region_handle);
	nvtxMemRegionsRegisterBatch_t batch = batch_of(heap, ranges, 2, (region_handle *)handles),
				      b = batch;
	char *fixed = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	for (int i = 0; i < 2; i++)
		ranges[i] = (range){20, segment + 100 + 100 * i};
	nvtxMemRegionsRegister(NULL, &b); /* there is room for one handle */
	expect("that handle", !memcmp(handles, &ranges[0].ptr, sizeof(ranges[0].ptr)));
	b.regionCount = 5;
	b.regionHandleElementsOut = (region_handle *)fixed;
	nvtxMemRegionsRegister(NULL, &b); /* both again, and 3 that cannot be read */
	expect("no handle", *fixed == 0);
	b.regionCount = SIZE_MAX;
	nvtxMemRegionsRegister(NULL, &b); /* too many */
	b.regionCount = 1;
	b.regionDescElementSize = 8;
	nvtxMemRegionsRegister(NULL, &b); /* of another version */
	b.regionDescElementSize = SIZE_MAX;
	nvtxMemRegionsRegister(NULL, &b); /* of another version */
	b = batch;
	b.regionType = 0x12;
	nvtxMemRegionsRegister(NULL, &b); /* of an unknown type */
	b = batch;
	b.heap = NO_HEAP;
	nvtxMemRegionsRegister(NULL, &b); /* not there */
	b = batch;
	b.regionCount = 0;
	b.regionDescElements = NULL;
	nvtxMemRegionsRegister(NULL, &b);   /* nothing */
	nvtxMemRegionsRegister(NULL, NULL); /* cannot be read */
	nvtxMemRegionsResize(NULL, NULL);
	nvtxMemRegionsUnregister(NULL, NULL);
	nvtxMemRegionsName(NULL, NULL);
	carve_one(heap, NULL, 1);                  /* without an address */
	carve_one(heap, segment, SIZE_MAX);        /* beyond the last one */
	carve_one(heap, segment + 500, 1ul << 60); /* a block that is too large */
	resize(segment + 501, 5);                  /* not there, and the next six */
	take_back(segment + 501);
	take_back(NULL);
	give_back(NVTX_MEM_REGION_REF_TYPE_HANDLE, (void *)-1);
	nvtxMemHeapUnregister(NULL, NO_HEAP);
	nvtxMemHeapReset(NULL, NO_HEAP);
	nvtxMemHeapUnregister(NULL, (heap_handle)(segment + 7));
	give_back(0, segment);     /* of an unknown type */
	resize(segment, SIZE_MAX); /* beyond the last one */
}

static void no_module(void)
{
	int (*begin)(nvtxExtModuleInfo_t *) = NULL;
	nvtxExtModuleSegment_t segments[] = {{1, 0, NULL}, {1, 63, NULL}, {2, SIZE_MAX, NULL}};
	nvtxExtModuleInfo_t module = {3, sizeof(module), 1,    NVTX_EXT_COMPATID_MEM,
				      3, segments,       NULL, NULL};
	const char *path = getenv("NVTX_INJECTION64_PATH");
	void *library = path ? dlopen(path, RTLD_LAZY) : NULL;

	if (!library)
		return;
	*(void **)&begin = dlsym(library, "InitializeInjectionNvtxExtension");
	expect("no module", begin(NULL) == 0);
	expect("no slots", begin(&module) == 1);
	module.segments = NULL;
	expect("no segments", begin(&module) == 1);
	module.structSize = 8;
	expect("a small module", begin(&module) == 0);
}

static void *busy(void *number)
{
	char *at = third + (intptr_t)number * 16;

	for (int i = 0; i < 2000; i++) {
		carve_one((heap_handle)segment, at, 16);
		take_back(at);
	}
	return NULL;
}

static void threads_and_children(void)
{
	pthread_t threads[4];
	int status = 0;
	pid_t pid;

	for (intptr_t i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, busy, (void *)i);
	pid = fork();
	if (pid == 0) {
		take_back(segment);
		expect("no heap in a child", pool_of(other, 64, "child") == NO_HEAP);
		_exit(7 + bad);
	}
	waitpid(pid, &status, 0);
	expect("the child ends", WEXITSTATUS(status) == 7);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
}

static void hostile(void)
{
	char *end = end_of_memory();
	heap_handle heap;

	bad_heaps(end);
	heap = odd_names(end);
	bad_regions(heap, end);
	no_module();
	threads_and_children();
	for (int i = 0; i < 1100; i++) /* 999 more; they have no blocks */
		pool_of(segment + 1 + i, 1, NULL);
}

int main(int count, char **arguments)
{
	const char *name = count > 1 ? arguments[1] : "";

	if (cudaMalloc((void **)&segment, 1 << 20) || cudaMalloc((void **)&other, 64) ||
	    cudaMalloc((void **)&third, 1000) || cudaMemset(segment, 0, 1 << 20))
		return 1;
	if (!strcmp(name, "steps"))
		steps();
	else if (!strcmp(name, "hostile"))
		hostile();
	else if (!strcmp(name, "version"))
		pool_of(segment, 64, "arena");
	puts("done");
	return bad != 0;
}
