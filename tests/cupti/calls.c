/*
 * The provider of GPU times without a GPU: from callbacks and records to what a sink is told.  Says
 * TAP lines.
 */
#include "tests/cupti/fake_cupti.h"
#include "tests/cupti/sink_text.h"

#include <stdio.h>

#include "collect/coverage/coverage.h"
#include "gpu/cupti/pending.h"
#include "gpu/provider.h"

/* -- the sink: one line for what it is told ------------------------------------------------- */

static uint32_t begun, objects;
static unsigned unseen;      /* READ_UNSEEN of all objects */
static uint64_t by_calls[3]; /* kernels by arguments, of unknown ones, graphs */
static uint64_t covered[4];  /* graphs, not recorded, of no call, dropped */

static void sink_begin(struct gpu_call *call)
{
	call->context = ++begun;
	call->start_ns = 1;
	fprintf(out, "begin %u: %s\n", begun, call->name);
	if (call->host_bytes == GPU_HOST_ANYWHERE)
		fprintf(out, "to the host\n");
	else if (call->host_bytes && call->host_address < 0x1000) /* not the real stack */
		fprintf(out, "to the host: %llu at %#llx\n", (unsigned long long)call->host_bytes,
			(unsigned long long)call->host_address);
	if (call->source_bytes)
		fprintf(out, "later from the host: %llu at %#llx\n",
			(unsigned long long)call->source_bytes,
			(unsigned long long)call->source_address);
}

static void sink_end(const struct gpu_call *call, const struct gpu_row *rows, size_t count)
{
	static const char *const apis[] = {
		[GPU_ALLOC] = "alloc", [GPU_FREE] = "free",     [GPU_COPY] = "copy",
		[GPU_SET] = "set",     [GPU_KERNEL] = "kernel", [GPU_SYNC] = "sync",
	};

	for (size_t i = 0; i < count; i++)
		fprintf(out, "row: object %u, access %d, writer %u, %llu bytes\n", rows[i].object,
			rows[i].access, rows[i].writer, (unsigned long long)rows[i].bytes);
	fprintf(out, "end %u: %s device %u stream %u, %d rows, %llu to %llu\n", call->context,
		apis[call->api], call->device, call->stream, (int)count,
		(unsigned long long)call->start_ns, (unsigned long long)call->end_ns);
}

static void sink_abandon(const struct gpu_call *call)
{
	fprintf(out, "abandon %u\n", call->context);
}

static uint32_t sink_object(const struct gpu_call *call, const struct gpu_object *object)
{
	fprintf(out, "object %u of %llu bytes, memory %d, by %u\n", ++objects,
		(unsigned long long)object->size, object->memory, call->context);
	return objects;
}

static void sink_released(const struct gpu_call *call, uint32_t object)
{
	fprintf(out, "object %u freed by %u\n", object, call->context);
}

static void sink_record(const struct gpu_call *call, const struct gpu_record *record)
{
	const struct gpu_time *time = record->payload;
	const struct gpu_wait *wait = record->payload;
	const struct gpu_order *order = record->payload;
	const struct gpu_stream *stream = record->payload;
	const struct gpu_overhead *overhead = record->payload;

	unseen += record->kind == GPU_RECORD_READ_UNSEEN && !record->object;
	if (record->kind == GPU_RECORD_WAIT && record->size == sizeof(*wait))
		fprintf(out, "wait of %u: after %llu, %llu; scope %u%s, %u/%u, %llu\n",
			call->context, (unsigned long long)wait->after_ns,
			(unsigned long long)wait->wait_ns, wait->scope, wait->own ? " own" : "",
			wait->device, wait->stream, (unsigned long long)wait->recorded_ns);
	if (record->kind == GPU_RECORD_ORDER && record->size == sizeof(*order))
		fprintf(out, "order of %u: %u/%u, %llu\n", call->context, order->device,
			order->stream, (unsigned long long)order->recorded_ns);
	if (record->kind == GPU_RECORD_STREAM && record->size == sizeof(*stream) &&
	    stream->nonblocking)
		fprintf(out, "nonblocking: stream of %u\n", call->context);
	if (record->kind == GPU_RECORD_OVERHEAD && record->size == sizeof(*overhead))
		fprintf(out, "overhead of %u: %llu\n", call->context,
			(unsigned long long)overhead->before_ns);
	if (record->kind != GPU_RECORD_TIME)
		return;
	if (record->size != sizeof(*time))
		abort();
	fprintf(out, "time of %u: after %llu, %llu\n", call->context,
		(unsigned long long)time->after_ns, (unsigned long long)time->time_ns);
}

static void sink_coverage(uint32_t id, const char *detail, uint64_t count, uint64_t bytes)
{
	(void)detail, (void)bytes;
	by_calls[0] += id == COVERAGE_CALLS_ARGUMENTS ? count : 0;
	by_calls[1] += id == COVERAGE_CALLS_ARGUMENTS_UNKNOWN ? count : 0;
	by_calls[2] += id == COVERAGE_CALLS_GRAPHS ? count : 0;
	covered[0] += id == COVERAGE_TIMES_OF_GRAPHS ? count : 0;
	covered[1] += id == COVERAGE_TIMES_NOT_RECORDED ? count : 0;
	covered[2] += id == COVERAGE_TIMES_OF_NO_CALL ? count : 0;
	covered[3] += id == COVERAGE_TIMES_DROPPED ? count : 0;
}

static void sink_failed(const char *name, uint32_t error)
{
	fprintf(out, "failed: %s, %u\n", name, error);
}

static void sink_touched(uint64_t ns, uintptr_t instruction)
{
	fprintf(out, "touched at %llu by %#lx\n", (unsigned long long)ns,
		(unsigned long)instruction);
}

static struct gpu_sink sink = {
	.begin = sink_begin,
	.end = sink_end,
	.abandon = sink_abandon,
	.object = sink_object,
	.released = sink_released,
	.record = sink_record,
	.coverage = sink_coverage,
	.failed = sink_failed,
};

/* It is among what the sink was told. */
static void like(const char *part, const char *what)
{
	fflush(out);
	check(strstr(told, part), what);
	if (!strstr(told, part))
		printf("# expected:\n%s\n# in:\n%s", part, told);
}

static bool covers(uint64_t graphs, uint64_t not_recorded, uint64_t no_call, uint64_t lost)
{
	return covered[0] == graphs && covered[1] == not_recorded && covered[2] == no_call &&
	       covered[3] == lost;
}

/* -- the program ---------------------------------------------------------------------------- */

gpu_provider_get vflow_gpu_provider;
static const struct gpu_provider *provider;

static void start(void)
{
	static const struct gpu_options options;

	out = open_memstream(&told, &told_size);
	provider = vflow_gpu_provider();
	if (provider->start(&sink, &options) != 0)
		abort();
}

/* As tests name functions: their ids are the provider's to remember, not to know. */
static uint32_t id_of(const char *name)
{
	uint32_t id = 5381;

	while (*name)
		id = 33 * id + (unsigned char)*name++;
	return id % 2039;
}

/* The current one, of the device of that number. */
static _Thread_local CUcontext current = (CUcontext)3;

static void report(const char *name, CUpti_ApiCallbackSite site, const void *parameters, int result,
		   uint32_t correlation, const char *symbol)
{
	const CUpti_CallbackData data = {.callbackSite = site,
					 .functionName = name,
					 .functionParams = parameters,
					 .functionReturnValue = &result,
					 .symbolName = symbol,
					 .context = current,
					 .correlationId = correlation};

	callback(NULL,
		 strncmp(name, "cuda", 4) ? CUPTI_CB_DOMAIN_DRIVER_API
					  : CUPTI_CB_DOMAIN_RUNTIME_API,
		 id_of(name), &data);
}

static void enter(const char *name, const void *parameters, uint32_t correlation)
{
	report(name, CUPTI_API_ENTER, parameters, 0, correlation, NULL);
}

static void leave(const char *name, const void *parameters, uint32_t correlation, int result)
{
	report(name, CUPTI_API_EXIT, parameters, result, correlation, NULL);
}

/* The program calls `outer` (NULL: the driver), and that the driver's `inner` with these words. */
static void call(const char *outer, const char *inner, const uint64_t *words, uint32_t correlation,
		 int result)
{
	if (outer)
		enter(outer, words, correlation);
	if (inner) {
		enter(inner, words, correlation + 1);
		report(inner, CUPTI_API_EXIT, words, result, correlation + 1,
		       strstr(inner, "Launch") ? "_Z1kPf" : NULL);
	}
	if (outer)
		leave(outer, words, correlation, result);
}

#define WORDS(...) ((const uint64_t[]){__VA_ARGS__})

static void launch(uint64_t stream, uint32_t correlation)
{
	call("cudaLaunchKernel_v7000", "cuLaunchKernel", WORDS(1, 2, 3, 4, 5, stream, 7, 8),
	     correlation, 0);
}

static uint64_t address = 0x20000;

static void allocate(uint32_t correlation)
{
	call("cudaMalloc_v3020", "cuMemAlloc_v2", WORDS((uintptr_t)&address, 512), correlation, 0);
}

static void synchronize(uint32_t correlation)
{
	call("cudaStreamSynchronize_ptsz", "cuStreamSynchronize_ptsz", WORDS(0xabc), correlation,
	     0);
}

/* Each call asks for the time at its beginning, and at its end if it makes an event. */
static void order(void)
{
	start();
	flushes = 0;
	clock_now = 1000;
	allocate(1);
	is("begin 1: cudaMalloc\n"
	   "object 1 of 512 bytes, memory 1, by 1\n"
	   "end 1: alloc device 3 stream 0, 0 rows, 1100 to 1200\n",
	   "what the device has no part in ends at once");
	launch(0xabc, 3);
	call("cudaMemcpyAsync_v3020", "cuMemcpyHtoDAsync_v2", WORDS(address, 9, 512, 0xdef), 5, 0);
	call(NULL, "cuMemsetD8_v2", WORDS(address, 0, 512), 7, 0);
	synchronize(9);
	is("begin 2: _Z1kPf\nbegin 3: cudaMemcpyAsync\nbegin 4: cuMemsetD8\n"
	   "begin 5: cudaStreamSynchronize\n",
	   "calls wait for their records");
	ran(CUPTI_ACTIVITY_KIND_MEMSET, 8, 9000, 9500); /* the driver's id */
	ran(CUPTI_ACTIVITY_KIND_MEMCPY, 5, 8000, 8250); /* the outermost call's */
	cuptiActivityFlushAll(0);
	is("", "... and for those before them");
	ran_kernel(4, 7000, 7900);
	cuptiActivityFlushAll(0);
	is("end 2: kernel device 3 stream 1, 0 rows, 1300 to 1400\n"
	   "time of 2: after 5700, 900\n"
	   "end 3: copy device 3 stream 2, 0 rows, 1500 to 1600\n"
	   "time of 3: after 6500, 250\n"
	   "end 4: set device 3 stream 0, 0 rows, 1700 to 1800\n"
	   "time of 4: after 7300, 500\n"
	   "end 5: sync device 3 stream 1, 0 rows, 1900 to 2000\n",
	   "they end in the order in which they began, each with its time");
	launch(0, 11);
	ran_kernel(12, 2050, 3000); /* before the call at 2100: the clocks differ a little */
	cuptiActivityFlushAll(0);
	is("begin 6: _Z1kPf\nend 6: kernel device 3 stream 0, 0 rows, 2100 to 2200\n"
	   "time of 6: after 0, 900\n",
	   "no operation begins before its call");
	enter("cudaLaunchKernel", NULL, 13);
	enter("cuLaunchKernel", WORDS(1, 2, 3, 4, 5, 0), 14);
	ran_kernel(14, 4000, 4100);
	cuptiActivityFlushAll(0);
	report("cuLaunchKernel", CUPTI_API_EXIT, WORDS(1, 2, 3, 4, 5, 0), 0, 14, "_Z1kPf");
	leave("cudaLaunchKernel", NULL, 13, 0);
	is("begin 7: _Z1kPf\nend 7: kernel device 3 stream 0, 0 rows, 2300 to 2400\n"
	   "time of 7: after 1700, 100\n",
	   "a record that comes before its call has returned is the call's");
	check(covers(0, 0, 0, 0), "all was seen");
	ran_kernel(999, 5000, 5100);
	cuptiActivityFlushAll(0);
	dropped = 4;
	cuptiActivityFlushAll(0);
	launch(0, 15);
	provider->stop();
	is("begin 8: _Z1kPf\nend 8: kernel device 3 stream 0, 0 rows, 2500 to 2600\n",
	   "at the end a call without a record ends without a time");
	check(covers(0, 1, 1, 4), "... which is told, and so is the record of no call");
	launch(0, 17);
	is("", "then there is nothing more");
	check(!subscribers, "CUPTI has nobody left");
}

/* -- waits, as the device's times tell of them: there is no libcuda ------------------------ */

/* The call takes until then. */
static void until(const char *outer, const char *inner, const uint64_t *words, uint32_t correlation,
		  uint64_t end_ns)
{
	enter(outer, words, correlation);
	if (inner) {
		enter(inner, words, correlation + 1);
		leave(inner, words, correlation + 1, 0);
	}
	clock_now = end_ns - 100;
	leave(outer, words, correlation, 0);
}

static void waits(void)
{
	setenv("VFLOW_WAITS", "1", 1);
	start();
	clock_now = 1000;
	allocate(1);
	launch(NONBLOCKING_STREAM, 3); /* 1300 to 1400 */
	ran_kernel(4, 10000, 100000);
	call(NULL, "cuEventRecord", WORDS(0xe1, NONBLOCKING_STREAM), 5, 0); /* 1500, 1600 */
	call(NULL, "cuStreamWaitEvent", WORDS(0xabc, 0xe1, 0), 7, 0);
	until("cudaEventSynchronize", NULL, WORDS(0xe1), 9, 102000);
	cuptiActivityFlushAll(0);
	is("begin 1: cudaMalloc\n"
	   "object 1 of 512 bytes, memory 1, by 1\n"
	   "end 1: alloc device 3 stream 0, 0 rows, 1100 to 1200\n"
	   "begin 2: _Z1kPf\n"
	   "begin 3: cudaEventSynchronize\n"
	   "end 2: kernel device 3 stream 1, 0 rows, 1400 to 1500\n"
	   "nonblocking: stream of 2\n"
	   "overhead of 2: 100\n"
	   "time of 2: after 8600, 90000\n"
	   "end 3: sync device 3 stream 0, 0 rows, 2000 to 102000\n"
	   "overhead of 3: 100\n"
	   "wait of 3: after 0, 98000; scope 4, 3/1, 200\n",
	   "a call waits until what was in the stream when the event was recorded is done");
	clock_now = 102000;
	launch(0xabc, 11);
	ran_kernel(12, 110000, 120000);
	cuptiActivityFlushAll(0);
	is("begin 4: _Z1kPf\n"
	   "end 4: kernel device 3 stream 2, 0 rows, 102100 to 102200\n"
	   "order of 4: 3/1, 100300\n"
	   "overhead of 4: 100\n"
	   "time of 4: after 7900, 10000\n",
	   "the first call in a stream that waits for an event comes after it");
	launch(0xabc, 13); /* 102300 */
	ran_kernel(14, 120000, 130000);
	until("cudaFree", "cuMemFree_v2", WORDS(address), 15, 160000);
	cuptiActivityFlushAll(0);
	is("begin 5: _Z1kPf\n"
	   "begin 6: cudaFree\n"
	   "end 5: kernel device 3 stream 2, 0 rows, 102400 to 102500\n"
	   "overhead of 5: 100\n"
	   "time of 5: after 17600, 10000\n"
	   "object 1 freed by 6\n"
	   "end 6: free device 3 stream 0, 0 rows, 102700 to 160000\n"
	   "overhead of 6: 100\n"
	   "wait of 6: after 0, 27300; scope 1, 3/0, 0\n",
	   "a free waits for all streams, and then has work of its own");
	copied_from = CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE;
	until("cudaMemcpy", "cuMemcpyHtoD_v2", WORDS(address, 9, 512), 17, 180000);
	ran(CUPTI_ACTIVITY_KIND_MEMCPY, 18, 165000, 179000);
	copied_from = CUPTI_ACTIVITY_MEMORY_KIND_PINNED;
	until("cudaMemcpyAsync", "cuMemcpyHtoDAsync_v2", WORDS(address, 9, 512, 0xabc), 19, 182000);
	ran(CUPTI_ACTIVITY_KIND_MEMCPY, 20, 185000, 189000);
	cuptiActivityFlushAll(0);
	is("begin 7: cudaMemcpy\n"
	   "begin 8: cudaMemcpyAsync\n"
	   "end 7: copy device 3 stream 0, 0 rows, 160200 to 180000\n"
	   "overhead of 7: 100\n"
	   "time of 7: after 4800, 14000\n"
	   "wait of 7: after 0, 18800; scope 2 own, 3/0, 0\n"
	   "end 8: copy device 3 stream 2, 0 rows, 180200 to 182000\n"
	   "overhead of 8: 100\n"
	   "time of 8: after 4800, 4000\n",
	   "a copy waits for itself, an asynchronous one of pinned memory does not");
	until("cudaStreamSynchronize", NULL, WORDS(0xabc), 21, 183000);
	until("cudaDeviceSynchronize", NULL, NULL, 23, 195000);
	until("cudaDeviceSynchronize", NULL, NULL, 25, 199000);
	is("begin 9: cudaStreamSynchronize\n"
	   "end 9: sync device 3 stream 2, 0 rows, 182200 to 183000\n"
	   "overhead of 9: 100\n"
	   "wait of 9: after 0, 0; scope 3, 3/2, 0\n"
	   "begin 10: cudaDeviceSynchronize\n"
	   "end 10: sync device 3 stream 0, 0 rows, 183200 to 195000\n"
	   "overhead of 10: 100\n"
	   "wait of 10: after 0, 5800; scope 1, 3/0, 0\n"
	   "begin 11: cudaDeviceSynchronize\n"
	   "end 11: sync device 3 stream 0, 0 rows, 195200 to 199000\n"
	   "overhead of 11: 100\n"
	   "wait of 11: after 0, 0; scope 1, 3/0, 0\n",
	   "who returns before, or calls later, does not wait");
	call(NULL, "cuEventRecord", WORDS(0xe1, NONBLOCKING_STREAM), 27, 0); /* 199100, 199200 */
	call(NULL, "cuStreamWaitEvent", WORDS(0xccc, 0xe1, 0), 29, 0);
	call(NULL, "cuStreamDestroy_v2", WORDS(0xccc), 31, 0);
	launch(0xccc, 33); /* 199500 */
	ran_kernel(34, 205000, 210000);
	until("cudaStreamSynchronize", NULL, WORDS(0), 35, 213000);
	cuptiActivityFlushAll(0);
	is("begin 12: _Z1kPf\n"
	   "begin 13: cudaStreamSynchronize\n"
	   "end 12: kernel device 3 stream 3, 0 rows, 199600 to 199700\n"
	   "overhead of 12: 100\n"
	   "time of 12: after 5400, 5000\n"
	   "end 13: sync device 3 stream 0, 0 rows, 199900 to 213000\n"
	   "order of 13: 3/1, 600\n"
	   "overhead of 13: 100\n"
	   "wait of 13: after 0, 10100; scope 3, 3/0, 0\n",
	   "a new stream waits for no event of one that is gone; the default stream for others");
}

static void memory(void)
{
	uint64_t array = 0x77;

	start();
	allocate(1);
	call("cudaFree", "cuMemFree_v2", WORDS(address), 3, 0);
	call("cudaFree", "cuMemFree_v2", WORDS(address), 5, 0); /* nobody's by now */
	call("cudaFree", NULL, WORDS(0), 7, 0);
	call("cudaMalloc", "cuMemAlloc_v2", WORDS((uintptr_t)&address, 512), 9, 2);
	call("cudaMallocArray", "cuArrayCreate_v2", WORDS((uintptr_t)&array, 0), 11, 0);
	call("cudaFreeArray", "cuArrayDestroy", WORDS(array), 13, 0);
	call(NULL, "cuMemSetAccess", WORDS(0x30000, 4096, 0, 1), 15, 0);
	call(NULL, "cuMemSetAccess", WORDS(0x30000, 4096, 0, 1), 17, 0);
	call("cudaMallocHost", "cuMemHostAlloc", WORDS((uintptr_t)&address, 64, 0), 19, 0);
	is("begin 1: cudaMalloc\nobject 1 of 512 bytes, memory 1, by 1\n"
	   "end 1: alloc device 3 stream 0, 0 rows, 1100 to 1200\n"
	   "begin 2: cudaFree\nobject 1 freed by 2\n"
	   "end 2: free device 3 stream 0, 0 rows, 1300 to 1400\n"
	   "failed: cudaMalloc, 2\n" /* 1500 to 1800: no events */
	   "begin 3: cudaMallocArray\n"
	   "end 3: alloc device 3 stream 0, 0 rows, 1900 to 2000\n"
	   "begin 4: cudaFreeArray\n"
	   "end 4: free device 3 stream 0, 0 rows, 2100 to 2200\n"
	   "begin 5: cuMemSetAccess\n"
	   "end 5: alloc device 3 stream 0, 0 rows, 2300 to 2400\n"
	   "begin 6: cudaMallocHost\nobject 2 of 64 bytes, memory 3, by 6\n"
	   "end 6: alloc device 3 stream 0, 0 rows, 2700 to 2800\n",
	   "allocations and frees, and calls that fail or are none");
	launch(0, 21);
	check(!flushes, "CUPTI is not asked for records at once");
	clock_now += 250000000;
	launch(0, 23);
	launch(0, 25);
	check(flushes == 1, "but each quarter of a second in which there are calls");
}

static void allocate_managed(uint32_t correlation)
{
	call("cudaMallocManaged", "cuMemAllocManaged", WORDS((uintptr_t)&address, 512, 1),
	     correlation, 0);
	fflush(out);
	rewind(out);
}

static void touches(void)
{
	sink.touched = sink_touched;
	start();
	check(provider->touches() == GPU_TOUCHES_NONE,
	      "page faults are not told before there is managed memory");
	allocate_managed(1);
	check(provider->touches() == GPU_TOUCHES_ALL, "from then on they are");
	faulted(4000, 0x1234);
	faulted(3000, 0);
	clock_now += 250000000;
	launch(0, 3);
	is("begin 2: _Z1kPf\ntouched at 4000 by 0x1234\ntouched at 3000 by 0\n",
	   "when they happened, and the instruction");
	call(NULL, "cuMemPrefetchAsync_v2", WORDS(address, 512, 0, 0, 0), 5, 0);
	check(provider->touches() == GPU_TOUCHES_SOME,
	      "pages that come back by themselves have none");
}

static void no_touches(void)
{
	sink.touched = sink_touched;
	unified_result = CUPTI_ERROR_UM_PROFILING_NOT_SUPPORTED;
	start();
	allocate_managed(1);
	check(provider->touches() == GPU_TOUCHES_NONE, "where CUPTI cannot, nothing is known");
}

static void copies(void)
{
	const size_t sizes[] = {16, 0, 32};
	const uint64_t to_device[] = {0x20000, 0x30, 0x30000}, to_host[] = {0x20000, 0x30000, 0x30};
	const uint64_t others[] = {0x30, 0x30, 0x40000};
	const CUDA_MEMCPY3D box = {.dstMemoryType = CU_MEMORYTYPE_HOST,
				   .dstHost = (void *)0x40,
				   .dstXInBytes = 4,
				   .dstY = 1,
				   .dstZ = 2,
				   .dstPitch = 100,
				   .dstHeight = 10,
				   .srcMemoryType = CU_MEMORYTYPE_DEVICE,
				   .WidthInBytes = 16,
				   .Height = 3,
				   .Depth = 2};
	const CUDA_MEMCPY2D nothing = {.WidthInBytes = 16};
	const CUstreamBatchMemOpParams words[] = {{.operation = CU_STREAM_MEM_OP_WRITE_VALUE_32},
						  {.operation = CU_STREAM_MEM_OP_WAIT_VALUE_32},
						  {.operation = CU_STREAM_MEM_OP_WRITE_VALUE_64}};

	start();
	call("cudaMemcpy", "cuMemcpyHtoD_v2", WORDS(address, 9, 0), 1, 0);
	call("cudaMemcpy2D", "cuMemcpy2D_v2", WORDS((uintptr_t)&nothing), 3, 0);
	call("cudaMemcpy", "cuMemcpy", WORDS(0x10, 0x20, 8), 5, 0);
	is("", "copies of nothing, or that the device has no part in, are no operations");
	call("cudaMemcpy", "cuMemcpy", WORDS(0x2000, 0x20, 8), 7, 0);
	is("", "nor are those from the host to pinned memory");
	call("cudaMemcpy", "cuMemcpy", WORDS(0x20000, 0x20, 8), 9, 0);
	is("begin 1: cudaMemcpy\n", "from the host to the device there is one");
	call("cudaMemcpyBatchAsync", "cuMemcpyBatchAsync_v2",
	     WORDS((uintptr_t)to_device, (uintptr_t)others, (uintptr_t)sizes, 3, 0, 0, 0, 0xabc),
	     11, 0);
	call(NULL, "cuStreamBatchMemOp_v2", WORDS(0xabc, 3, (uintptr_t)words, 0), 13, 0);
	is("begin 2: cudaMemcpyBatchAsync\nbegin 3: cudaMemcpyBatchAsync\n"
	   "begin 4: cuStreamBatchMemOp\nbegin 5: cuStreamBatchMemOp\n",
	   "each copy of a batch, and each word that a stream writes, is one");
	ran(CUPTI_ACTIVITY_KIND_MEMCPY, 10, 5000, 5010);
	ran(CUPTI_ACTIVITY_KIND_MEMCPY2, 12, 6000, 6010);
	ran(CUPTI_ACTIVITY_KIND_MEMCPY, 12, 6020, 6050);
	cuptiActivityFlushAll(0);
	is("end 1: copy device 3 stream 0, 0 rows, 1500 to 1600\ntime of 1: after 3500, 10\n"
	   "end 2: copy device 3 stream 1, 0 rows, 1700 to 1800\ntime of 2: after 4300, 10\n"
	   "end 3: copy device 3 stream 1, 0 rows, 1700 to 1800\ntime of 3: after 4320, 30\n"
	   "end 4: set device 3 stream 1, 0 rows, 1900 to 2000\n"
	   "end 5: set device 3 stream 1, 0 rows, 1900 to 2000\n",
	   "copies of a batch share its id, in their order");
	check(covers(0, 0, 0, 0), "all was seen");
	call("cudaMemcpyBatchAsync", "cuMemcpyBatchAsync_v2",
	     WORDS((uintptr_t)to_host, (uintptr_t)others, (uintptr_t)sizes, 3, 0, 0, 0, 0xabc), 15,
	     0);
	is("begin 6: cudaMemcpyBatchAsync\nto the host\n"
	   "begin 7: cudaMemcpyBatchAsync\nto the host\n",
	   "of a batch it is told that some go to the host");
	call("cudaMemcpy3D", "cuMemcpy3D_v2", WORDS((uintptr_t)&box), 17, 0);
	/* from 0x40 + 2 * 1000 + 100 + 4 on: one slice, two rows, one row's bytes */
	is("begin 8: cudaMemcpy3D\nto the host: 1216 at 0x878\n", "of a box where it goes");
	call("cudaMemcpyFromArray", "cuMemcpyAtoH_v2", WORDS(0x50, 0x999, 0, 24), 19, 0);
	is("begin 9: cudaMemcpyFromArray\nto the host: 24 at 0x50\n", "and of an array");
}

/* What asynchronous copies read of pinned memory. */
static void sources(void)
{
	const size_t sizes[] = {16, 0, 33};
	const uint64_t to[] = {0x20000, 0x30, 0x30000}, from[] = {0x2000, 0x10, 0x3000};
	const uint64_t pageable[] = {0x30, 0x30, 0x30};
	CUDA_MEMCPY3D box = {.srcMemoryType = CU_MEMORYTYPE_HOST,
			     .srcHost = (void *)0x2000,
			     .srcXInBytes = 4,
			     .srcY = 1,
			     .srcZ = 2,
			     .srcPitch = 100,
			     .srcHeight = 10,
			     .dstMemoryType = CU_MEMORYTYPE_DEVICE,
			     .WidthInBytes = 16,
			     .Height = 3,
			     .Depth = 2};

	start();
	call("cudaMemcpy3DAsync", "cuMemcpy3DAsync_v2", WORDS((uintptr_t)&box, 0xabc), 1, 0);
	is("begin 1: cudaMemcpy3DAsync\nlater from the host: 96 at 0\n",
	   "rows of a box that lie apart");
	box.Height = box.Depth = 1;
	call("cudaMemcpy3DAsync", "cuMemcpy3DAsync_v2", WORDS((uintptr_t)&box, 0xabc), 3, 0);
	/* from 0x2000 + 2 * 1000 + 100 + 4 on */
	is("begin 2: cudaMemcpy3DAsync\nlater from the host: 16 at 0x2838\n", "one row of it");
	box.Height = 10, box.Depth = 2, box.WidthInBytes = 100, box.srcXInBytes = box.srcY = 0;
	call("cudaMemcpy3DAsync", "cuMemcpy3DAsync_v2", WORDS((uintptr_t)&box, 0xabc), 5, 0);
	is("begin 3: cudaMemcpy3DAsync\nlater from the host: 2000 at 0x27d0\n",
	   "slices side by side");
	box.srcHeight = 11;
	call("cudaMemcpy3DAsync", "cuMemcpy3DAsync_v2", WORDS((uintptr_t)&box, 0xabc), 7, 0);
	is("begin 4: cudaMemcpy3DAsync\nlater from the host: 2000 at 0\n", "slices apart");
	call("cudaMemcpyToArrayAsync", "cuMemcpyHtoAAsync_v2", WORDS(0x999, 0, 0x2000, 24, 0xabc),
	     9, 0);
	is("begin 5: cudaMemcpyToArrayAsync\nlater from the host: 24 at 0x2000\n", "to an array");
	call("cudaMemcpyBatchAsync", "cuMemcpyBatchAsync_v2",
	     WORDS((uintptr_t)to, (uintptr_t)from, (uintptr_t)sizes, 1, 0, 0, 0, 0xabc), 11, 0);
	is("begin 6: cudaMemcpyBatchAsync\nlater from the host: 16 at 0x2000\n",
	   "the only copy of a batch");
	call("cudaMemcpyBatchAsync", "cuMemcpyBatchAsync_v2",
	     WORDS((uintptr_t)to, (uintptr_t)from, (uintptr_t)sizes, 3, 0, 0, 0, 0xabc), 13, 0);
	is("begin 7: cudaMemcpyBatchAsync\nlater from the host: 25 at 0\n"
	   "begin 8: cudaMemcpyBatchAsync\nlater from the host: 25 at 0\n",
	   "several, each with half of the bytes");
	call("cudaMemcpyBatchAsync", "cuMemcpyBatchAsync_v2",
	     WORDS((uintptr_t)to, (uintptr_t)pageable, (uintptr_t)sizes, 3, 0, 0, 0, 0xabc), 15, 0);
	is("begin 9: cudaMemcpyBatchAsync\nbegin 10: cudaMemcpyBatchAsync\n",
	   "pageable memory is read at once");
	call("cudaMemcpyBatchAsync", "cuMemcpyBatchAsync_v2",
	     WORDS((uintptr_t)pageable, (uintptr_t)to, (uintptr_t)sizes, 1, 0, 0, 0, 0xabc), 17, 0);
	is("begin 11: cudaMemcpyBatchAsync\nto the host: 16 at 0x30\n", "where the only one goes");
}

static void graphs(void)
{
	uint64_t exec = 0x77;

	start();
	call("cudaStreamBeginCapture", "cuStreamBeginCapture_v2", WORDS(0xabc, 0), 1, 0);
	captured = (CUstream)0xabc;
	launch(0xabc, 3);
	launch(0xdef, 5);
	is("begin 1: _Z1kPf\n", "what is put on a captured stream does not run");
	captured = NULL;
	call("cudaGraphLaunch", "cuGraphLaunch", WORDS(1, 0xabc), 7, 0);
	ran_kernel(6, 5000, 5100);
	ran_node(8, 6000, 6100);
	cuptiActivityFlushAll(0);
	is("end 1: kernel device 3 stream 1, 0 rows, 1300 to 1400\ntime of 1: after 3700, 100\n",
	   "a launch of a graph that is not known is no call");
	check(covers(1, 0, 0, 0), "... which is told, once for a launch");
	call("cudaGraphInstantiate_v10000", "cuGraphInstantiateWithFlags",
	     WORDS((uintptr_t)&exec, 0x88, 0), 9, 0); /* asks for the time once, at its start */
	call("cudaGraphLaunch_v10000", "cuGraphLaunch", WORDS(exec, 0xabc), 11, 0);
	ran_node(12, 7000, 7100);
	cuptiActivityFlushAll(0);
	is("begin 2: cudaGraphLaunch\n", "the launch of another waits for all of its nodes");
	ran_node(12, 7200, 7250);
	cuptiActivityFlushAll(0);
	is("end 2: sync device 3 stream 2, 0 rows, 1700 to 1800\n"
	   "time of 2: after 5300, 100\ntime of 2: after 5500, 50\n",
	   "and has their times");
	enter("cuLaunchKernelEx", WORDS(0, 0x66), 13);
	leave("cuLaunchKernelEx", WORDS(0, 0x66), 13, 0);
	enter("cuLaunchKernel", WORDS(0x67, 2, 3, 4, 5, 0), 14);
	leave("cuLaunchKernel", WORDS(0x67, 2, 3, 4, 5, 0), 14, 0);
	is("begin 3: _Z1fv\n", "a kernel that CUPTI does not name is asked for its name");
	check(covers(2, 1, 0, 0), "one without a name is told");
}

/* Nothing of this size is measured in records that have come. */
static void bounded(void)
{
	uint32_t last;

	start();
	flushes = 0;
	for (uint32_t i = 0; i < PENDING_MAX; i++)
		launch(0, 2 * i + 1);
	fflush(out);
	check(begun == PENDING_MAX && !strstr(told, "end "), "very many calls are pending");
	check(flushes == 3,
	      "CUPTI was asked for records at a half, three quarters and all of that");
	check(covers(0, 0, 0, 0), "nothing is lost");
	launch(0, 2 * PENDING_MAX + 1);
	fflush(out);
	check(strstr(told, "end 1:") && !strstr(told, "end 2:") && !strstr(told, "time of"),
	      "of one too many the oldest ends without its time");
	ran_kernel(2, clock_now, clock_now + 50);
	last = 2 * PENDING_MAX + 2;
	for (uint32_t i = 4; i <= last; i += 2) {
		ran_kernel(i, clock_now, clock_now + 50);
		if (record_count == 4096 || i == last)
			cuptiActivityFlushAll(0);
	}
	fflush(out);
	check(strstr(told, "end 65537:") && strstr(told, "time of 65537:") &&
		      strstr(told, "time of 2:"),
	      "all others end when their records have come");
	provider->stop();
	check(covers(0, 1, 1, 0), "both are told: the call, and its record that came later");
	check(begun == PENDING_MAX + 1, "each began once");
}

enum { THREADS = 4, LAUNCHES = 5000 };

static void *launch_many(void *number)
{
	uint32_t first = 1 + (uint32_t)(uintptr_t)number * 2 * LAUNCHES;

	for (uint32_t i = 0; i < LAUNCHES; i++) {
		launch(0, first + 2 * i);
		pthread_mutex_lock(&record_lock);
		ran_kernel(first + 2 * i + 1, 1 << 30, (1 << 30) + first + 2 * i);
		if (record_count >= 1000)
			cuptiActivityFlushAll(0);
		pthread_mutex_unlock(&record_lock);
	}
	return NULL;
}

/* What ends is in the order of what began, and each has its time. */
static void threads(void)
{
	pthread_t made[THREADS];
	uint32_t ended = 0, times = 0, context;
	bool fine = true;

	start();
	for (uintptr_t i = 0; i < THREADS; i++)
		if (pthread_create(&made[i], NULL, launch_many, (void *)i) != 0)
			abort();
	for (unsigned i = 0; i < THREADS; i++)
		pthread_join(made[i], NULL);
	provider->stop();
	fclose(out);
	for (char *line = strtok(told, "\n"); line; line = strtok(NULL, "\n"))
		if (sscanf(line, "end %u:", &context) == 1)
			fine &= context == ++ended;
		else if (sscanf(line, "time of %u:", &context) == 1)
			fine &= context == ended && context == ++times;
	check(fine && begun == THREADS * LAUNCHES && ended == begun && times == begun,
	      "calls of several threads end in one order, each with its time");
	check(covers(0, 0, 0, 0), "nothing is lost");
}

static void *launch_own(void *argument)
{
	(void)argument;
	launch((uintptr_t)CU_STREAM_PER_THREAD, 21);
	ran_kernel(22, 4000, 4010);
	return NULL;
}

/* Streams without an operation pass on what they wait for; a handle that is used again does not. */
static void passing(void)
{
	static uintptr_t made;

	setenv("VFLOW_WAITS", "1", 1);
	start();
	clock_now = 1000;
	launch(NONBLOCKING_STREAM, 1); /* 1100 to 1200; stream 1 */
	ran_kernel(2, 2000, 2010);
	call(NULL, "cuEventRecord", WORDS(0xe1, NONBLOCKING_STREAM), 3, 0); /* 1300 */
	call(NULL, "cuStreamWaitEvent", WORDS(0xabc, 0xe1, 0), 5, 0);
	call(NULL, "cuEventRecord", WORDS(0xe2, 0xabc), 7, 0); /* 0xabc: stream 2 */
	made = 0xd00;
	call(NULL, "cuStreamCreate", WORDS((uintptr_t)&made, 1), 9, 0);
	call(NULL, "cuStreamWaitEvent", WORDS(0xd00, 0xe2, 0), 11, 0);
	launch(0xd00, 13); /* stream 3 */
	ran_kernel(14, 3000, 3010);
	cuptiActivityFlushAll(0);
	like("order of 2: 3/2, ", "what the event's stream has now comes before");
	like("order of 2: 3/1, ", "and what that waited for");
	like("nonblocking: stream of 2", "a stream that was seen to be made is asked for nothing");
	launch(0, 15); /* 0xabc is ordered with the default stream */
	ran_kernel(16, 4000, 4010);
	cuptiActivityFlushAll(0);
	like("order of 3: 3/1, ", "the default stream waits for what such a stream waits for");
	call(NULL, "cuEventRecord", WORDS(0xe3, 0xd00), 17, 0);
	call(NULL, "cuStreamDestroy_v2", WORDS(0xd00), 19, 0);
	call(NULL, "cuStreamCreate", WORDS((uintptr_t)&made, 0), 21, 0);
	launch(0xd00, 23);
	ran_kernel(24, 5000, 5010);
	cuptiActivityFlushAll(0);
	like("end 4: kernel device 3 stream 4, ", "a new stream of the handle has a new number");
	call(NULL, "cuStreamWaitEvent", WORDS(NONBLOCKING_STREAM, 0xe3, 0), 25, 0);
	launch(NONBLOCKING_STREAM, 27);
	ran_kernel(28, 6000, 6010);
	cuptiActivityFlushAll(0);
	like("order of 5: 3/3, ", "an event stands for the stream that is gone");
	call(NULL, "cuEventDestroy_v2", WORDS(0xe3), 29, 0);
	call(NULL, "cuStreamDestroy_v2", WORDS(0xd00), 31, 0);
	call(NULL, "cuStreamCreate", WORDS((uintptr_t)&made, 0), 33, 0);
	call(NULL, "cuEventRecord", WORDS(0xe4, 0), 35, 0);
	launch(0xd00, 37);
	ran_kernel(38, 7000, 7010);
	cuptiActivityFlushAll(0);
	like("end 6: kernel device 3 stream 4, ", "then its number is given again");
	like("order of 6: 3/0, ", "an event of the default stream comes before its operations");
}

/* Default streams are those of devices, per-thread ones those of threads on them. */
static void devices(void)
{
	pthread_t other;

	setenv("VFLOW_WAITS", "1", 1);
	start();
	clock_now = 1000;
	call(NULL, "cuEventRecord", WORDS(0xe1, 0), 1, 0); /* 1100, 1200 */
	current = (CUcontext)4;
	call(NULL, "cuStreamWaitEvent", WORDS(0, 0xe1, 0), 3, 0);
	current = (CUcontext)3;
	launch(0, 5);
	ran_kernel(6, 2000, 2010);
	current = (CUcontext)4;
	launch(0, 7);
	ran_kernel(8, 2000, 2010);
	cuptiActivityFlushAll(0);
	is("begin 1: _Z1kPf\n"
	   "begin 2: _Z1kPf\n"
	   "end 1: kernel device 3 stream 0, 0 rows, 1500 to 1600\n"
	   "time of 1: after 500, 10\n"
	   "end 2: kernel device 4 stream 0, 0 rows, 1800 to 1900\n"
	   "order of 2: 3/0, 600\n"
	   "overhead of 2: 100\n"
	   "time of 2: after 200, 10\n",
	   "the default stream of another device waits, and not that of the event's");
	launch((uintptr_t)CU_STREAM_PER_THREAD, 11);
	ran_kernel(12, 4000, 4010);
	if (pthread_create(&other, NULL, launch_own, NULL) != 0)
		abort();
	pthread_join(other, NULL);
	call("cudaLaunchKernel_ptsz", "cuLaunchKernel_ptsz", WORDS(1, 2, 3, 4, 5, 0, 7, 8), 13, 0);
	ran_kernel(14, 4000, 4010);
	current = (CUcontext)3;
	launch_own(NULL);
	cuptiActivityFlushAll(0);
	is("begin 3: _Z1kPf\n"
	   "begin 4: _Z1kPf\n"
	   "begin 5: _Z1kPf\n"
	   "begin 6: _Z1kPf\n"
	   "end 3: kernel device 4 stream 1, 0 rows, 2100 to 2200\n"
	   "overhead of 3: 100\n"
	   "time of 3: after 1900, 10\n"
	   "end 4: kernel device 3 stream 2, 0 rows, 2400 to 2500\n"
	   "time of 4: after 1600, 10\n"
	   "end 5: kernel device 4 stream 1, 0 rows, 2700 to 2800\n"
	   "overhead of 5: 100\n"
	   "time of 5: after 1300, 10\n"
	   "end 6: kernel device 3 stream 3, 0 rows, 3000 to 3100\n"
	   "overhead of 6: 100\n"
	   "time of 6: after 1000, 10\n",
	   "each thread has a stream of its own on each device");
}

/* Two parameters of f(): a pointer, and a structure with one behind a number. */
static CUresult two_parameters(void *function, size_t index, size_t *offset, size_t *bytes)
{
	if (function != (void *)0x66)
		return CUDA_ERROR_NOT_SUPPORTED;
	*offset = 8 * index;
	*bytes = 8 + 8 * index;
	return index < 2 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/* The pass `calls`: rows from what calls name, at once and without records. */
static void arguments(void)
{
	uint64_t pointer = address + 8, host[64] = {0};
	const uint64_t structure[] = {1, address + 512};
	const void *values[] = {&pointer, structure};

	setenv("VFLOW_CALLS", "1", 1);
	start();
	check(!provider->metrics && !request, "no records are asked for");
	driver.cuFuncGetParamInfo = two_parameters;
	allocate(1);
	call(NULL, "cuMemcpyHtoD_v2", WORDS(address, (uintptr_t)host, 128), 3, 0);
	call(NULL, "cuMemsetD32_v2", WORDS(address, 0, 4), 5, 0);
	is("begin 1: cudaMalloc\nobject 1 of 512 bytes, memory 1, by 1\n"
	   "end 1: alloc device 3 stream 0, 0 rows, 1100 to 1200\n"
	   "begin 2: cuMemcpyHtoD\n"
	   "row: object 1, access 2, writer 1, 128 bytes\n"
	   "row: object 1, access 3, writer 0, 128 bytes\n"
	   "end 2: copy device 3 stream 0, 2 rows, 1300 to 1400\n"
	   "wait of 2: after 0, 0; scope 2 own, 3/0, 0\n"
	   "begin 3: cuMemsetD32\n"
	   "row: object 1, access 2, writer 2, 16 bytes\n"
	   "end 3: set device 3 stream 0, 1 rows, 1500 to 1600\n",
	   "copies and sets touch what they name");
	call(NULL, "cuLaunchKernel", WORDS(0x66, 1, 1, 1, 1, 0, (uintptr_t)values, 0), 7, 0);
	is("begin 4: _Z1kPf\n"
	   "row: object 1, access 1, writer 3, 512 bytes\n"
	   "row: object 1, access 2, writer 3, 512 bytes\n"
	   "end 4: kernel device 3 stream 0, 2 rows, 1700 to 1800\n",
	   "a kernel reads and writes what its arguments point into");
	check(by_calls[0] == 1 && !by_calls[1] && !unseen, "... which is told");
	call("cudaGraphLaunch", "cuGraphLaunch", WORDS(0x88, 0xabc), 9, 0);
	check(by_calls[2] == 1 && unseen == 1, "a graph may touch all, also one that is not known");
	call(NULL, "cuLaunchKernel", WORDS(0x67, 1, 1, 1, 1, 0, (uintptr_t)values, 0), 11, 0);
	check(by_calls[1] == 1 && unseen == 2, "... and so may a kernel of unknown parameters");
	fflush(out);
	rewind(out);
	call(NULL, "cuMemcpyDtoH_v2", WORDS((uintptr_t)host, address, 16), 13, 0);
	is("begin 7: cuMemcpyDtoH\n"
	   "row: object 1, access 1, writer 4294967295, 16 bytes\n"
	   "row: object 1, access 4, writer 0, 16 bytes\n"
	   "end 7: copy device 3 stream 0, 2 rows, 2300 to 2400\n"
	   "wait of 7: after 0, 0; scope 2 own, 3/0, 0\n",
	   "who wrote last is not known then");
}

static void failing(void)
{
	static const struct gpu_options options;

	out = open_memstream(&told, &told_size);
	provider = vflow_gpu_provider();
	subscribe_result = CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
	check(provider->start(&sink, &options) == -1 &&
		      strstr(provider->failure, "only one tool can observe a process") &&
		      strstr(provider->failure, "CUPTI does not start: an error"),
	      "another tool has CUPTI");
	subscribe_result = CUPTI_SUCCESS;
	enable_result = CUPTI_ERROR_INSUFFICIENT_PRIVILEGES;
	check(provider->start(&sink, &options) == -1 &&
		      strstr(provider->failure, "NVreg_RestrictProfilingToAdminUsers=0") &&
		      !subscribers,
	      "the driver does not allow it");
	launch(0, 1);
	is("", "then there are no events");
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} cases[] = {
		{"order", order},     {"waits", waits},           {"memory", memory},
		{"copies", copies},   {"sources", sources},       {"graphs", graphs},
		{"bounded", bounded}, {"threads", threads},       {"failing", failing},
		{"touches", touches}, {"no_touches", no_touches}, {"devices", devices},
		{"passing", passing}, {"arguments", arguments},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		if (argc == 2 && !strcmp(argv[1], cases[i].name)) {
			cases[i].run();
			return failures ? 1 : 0;
		}
	return 2;
}
