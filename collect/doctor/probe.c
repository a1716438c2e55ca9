#include "collect/doctor/probe.h"

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

/* One thread per word: zero in the first half, all ones in the second. */
static const char kernel_text[] = ".version 6.4\n"
				  ".target sm_50\n"
				  ".address_size 64\n"
				  ".visible .entry vflow_probe(.param .u64 vflow_probe_param_0)\n"
				  "{\n"
				  "	.reg .pred %p<2>;\n"
				  "	.reg .b32 %r<6>;\n"
				  "	.reg .b64 %rd<5>;\n"
				  "	ld.param.u64 %rd1, [vflow_probe_param_0];\n"
				  "	cvta.to.global.u64 %rd2, %rd1;\n"
				  "	mov.u32 %r1, %ctaid.x;\n"
				  "	mov.u32 %r2, %ntid.x;\n"
				  "	mov.u32 %r3, %tid.x;\n"
				  "	mad.lo.s32 %r4, %r1, %r2, %r3;\n"
				  "	mul.wide.s32 %rd3, %r4, 4;\n"
				  "	add.s64 %rd4, %rd2, %rd3;\n"
				  "	setp.lt.s32 %p1, %r4, 512;\n"
				  "	selp.b32 %r5, 0, -1, %p1;\n"
				  "	st.global.u32 [%rd4], %r5;\n"
				  "	ret;\n"
				  "}\n";

/* One thread, until so many ns are over. */
static const char wait_text[] = ".version 6.4\n"
				".target sm_50\n"
				".address_size 64\n"
				".visible .entry vflow_probe_wait(.param .u64 vflow_probe_wait_0)\n"
				"{\n"
				"	.reg .pred %p<2>;\n"
				"	.reg .b64 %rd<5>;\n"
				"	ld.param.u64 %rd1, [vflow_probe_wait_0];\n"
				"	mov.u64 %rd2, %globaltimer;\n"
				"	add.s64 %rd3, %rd2, %rd1;\n"
				"again:\n"
				"	mov.u64 %rd4, %globaltimer;\n"
				"	setp.lt.u64 %p1, %rd4, %rd3;\n"
				"	@%p1 bra again;\n"
				"	ret;\n"
				"}\n";

/* The part of the driver API that the probe calls; the ABI of cuda.h. */
struct driver {
	int (*init)(unsigned flags);
	int (*device_get)(int *device, int ordinal);
	int (*context_create)(void **context, unsigned flags, int device);
	int (*module_load)(void **module, const void *image);
	int (*module_function)(void **function, void *module, const char *name);
	int (*allocate)(unsigned long long *pointer, size_t size);
	int (*set)(unsigned long long pointer, unsigned char value, size_t size);
	int (*launch)(void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
		      unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
		      void *stream, void **parameters, void **extra);
	int (*to_host)(void *host, unsigned long long pointer, size_t size);
	int (*release)(unsigned long long pointer);
	int (*synchronize)(void);
};

static int load_driver(struct driver *driver, struct error *error)
{
	const struct {
		const char *name;
		void *slot;
	} symbols[] = {
		{"cuInit", &driver->init},
		{"cuDeviceGet", &driver->device_get},
		{"cuCtxCreate_v2", &driver->context_create},
		{"cuModuleLoadData", &driver->module_load},
		{"cuModuleGetFunction", &driver->module_function},
		{"cuMemAlloc_v2", &driver->allocate},
		{"cuMemsetD8_v2", &driver->set},
		{"cuLaunchKernel", &driver->launch},
		{"cuMemcpyDtoH_v2", &driver->to_host},
		{"cuMemFree_v2", &driver->release},
		{"cuCtxSynchronize", &driver->synchronize},
	};
	void *library = dlopen("libcuda.so.1", RTLD_NOW);

	if (!library)
		return error_set(error, "%s", dlerror());
	for (size_t i = 0; i < sizeof(symbols) / sizeof(*symbols); i++) {
		void *symbol = dlsym(library, symbols[i].name);

		if (!symbol)
			return error_set(error, "libcuda.so.1 has no %s", symbols[i].name);
		memcpy(symbols[i].slot, &symbol, sizeof(symbol));
	}
	return 0;
}

static int check_values(const uint32_t words[PROBE_BYTES / 4], struct error *error)
{
	for (uint32_t i = 0; i < PROBE_BYTES / 4; i++) {
		uint32_t expected = i < PROBE_REDUNDANT / 4 ? 0 : UINT32_MAX;

		if (words[i] != expected)
			return error_set(error, "the kernel stored 0x%x in word %u, not 0x%x",
					 words[i], i, expected);
	}
	return 0;
}

int probe_run(struct error *error)
{
	struct driver cuda;
	void *context, *module, *function, *parameters[1];
	unsigned long long pointer = 0;
	uint32_t words[PROBE_BYTES / 4] = {1};
	int device = 0, code;

	if (load_driver(&cuda, error) != 0)
		return -1;
	parameters[0] = &pointer;
	if ((code = cuda.init(0)) || (code = cuda.device_get(&device, 0)) ||
	    (code = cuda.context_create(&context, 0, device)) ||
	    (code = cuda.module_load(&module, kernel_text)) ||
	    (code = cuda.module_function(&function, module, "vflow_probe")) ||
	    (code = cuda.allocate(&pointer, PROBE_BYTES)) ||
	    (code = cuda.set(pointer, 0, PROBE_BYTES)) ||
	    (code = cuda.launch(function, PROBE_BYTES / 4 / 128, 1, 1, 128, 1, 1, 0, NULL,
				parameters, NULL)) ||
	    (code = cuda.to_host(words, pointer, PROBE_BYTES)) || (code = cuda.release(pointer)))
		return error_set(error, "a CUDA call returned error %d", code);
	return check_values(words, error);
}

int probe_run_wait(struct error *error)
{
	unsigned long long ns[] = {1000, PROBE_KERNEL_NS};
	void *context, *module, *function;
	struct driver cuda;
	int device = 0, code;

	if (load_driver(&cuda, error) != 0)
		return -1;
	if ((code = cuda.init(0)) || (code = cuda.device_get(&device, 0)) ||
	    (code = cuda.context_create(&context, 0, device)) ||
	    (code = cuda.module_load(&module, wait_text)) ||
	    (code = cuda.module_function(&function, module, "vflow_probe_wait")))
		return error_set(error, "a CUDA call returned error %d", code);
	for (int i = 0; i < 2 && !code; i++) {
		code = cuda.launch(function, 1, 1, 1, 1, 1, 1, 0, NULL, (void *[]){&ns[i]}, NULL);
		code = code ? code : cuda.synchronize();
	}
	return code ? error_set(error, "a CUDA call returned error %d", code) : 0;
}

int probe_check_wait(const struct profile *profile, uint64_t *wait_ns, uint64_t *kernel_ns,
		     struct error *error)
{
	*wait_ns = *kernel_ns = 0;
	for (uint32_t i = 0; i < profile->gpu_time_count; i++)
		*kernel_ns = profile->gpu_times[i].end_ns - profile->gpu_times[i].start_ns;
	for (uint32_t i = 0; i < profile->wait_count; i++)
		*wait_ns = profile->waits[i].wait_ns;
	if (*kernel_ns < PROBE_KERNEL_NS / 10 * 9)
		return error_set(error, "a kernel of 5 ms is said to have taken %.3f ms",
				 (double)*kernel_ns / 1e6);
	if (*wait_ns < *kernel_ns / 10 * 9 || *wait_ns > *kernel_ns / 10 * 11)
		return error_set(error,
				 "a kernel took %.3f ms, and the wait for it is said to have taken "
				 "%.3f ms",
				 (double)*kernel_ns / 1e6, (double)*wait_ns / 1e6);
	return 0;
}

static const struct graph_edge *find_edge(const struct graph *graph, const char *from,
					  const char *to, enum graph_access access)
{
	for (uint32_t i = 0; i < graph->edge_count; i++) {
		const struct graph_edge *edge = &graph->edges[i];

		if (edge->access == access && graph_vertex_is(&graph->vertices[edge->from], from) &&
		    graph_vertex_is(&graph->vertices[edge->to], to))
			return edge;
	}
	return NULL;
}

int probe_check(const struct profile *profile, struct error *error)
{
	static const struct {
		const char *from, *to;
		enum graph_access access;
		uint32_t redundant;
	} expected[] = {
		{"alloc", "memset", GRAPH_WRITE, 0},
		{"memset", "kernel", GRAPH_WRITE, PROBE_REDUNDANT},
		{"kernel", "memcpy", GRAPH_READ, 0},
		{"memcpy", "host", GRAPH_WRITE, 0},
	};
	size_t count = sizeof(expected) / sizeof(*expected);

	for (size_t i = 0; i < count; i++) {
		const struct graph_edge *edge = find_edge(profile->graph, expected[i].from,
							  expected[i].to, expected[i].access);

		if (!edge)
			return error_set(error, "there is no edge from %s to %s", expected[i].from,
					 expected[i].to);
		if (edge->bytes != PROBE_BYTES || edge->redundant_bytes != expected[i].redundant)
			return error_set(
				error,
				"%llu bytes, %llu redundant, from %s to %s: expected %u and %u",
				(unsigned long long)edge->bytes,
				(unsigned long long)edge->redundant_bytes, expected[i].from,
				expected[i].to, PROBE_BYTES, expected[i].redundant);
	}
	if (profile->graph->edge_count != count)
		return error_set(error, "%u edges: expected %zu", profile->graph->edge_count,
				 count);
	return 0;
}
