/*
 * The sampling of stalls without a GPU: from what CUPTI gives to what a sink is told.  Says TAP
 * lines.
 */
#include "tests/cupti/fake_cupti.h"
#include "tests/cupti/sink_text.h"

#include <stdio.h>
#include <unistd.h>

#include "collect/coverage/coverage.h"
#include "gpu/provider.h"

/* -- the sink ------------------------------------------------------------------------------- */

static void sink_record(const struct gpu_call *call, const struct gpu_record *record)
{
	const struct gpu_stall_device *device = record->payload;
	const struct gpu_stall_code *code = record->payload;
	const struct gpu_stall_function *function = record->payload;
	const struct gpu_stall_samples *samples = record->payload;
	const struct gpu_stall_launches *launches = record->payload;

	if (call || record->object)
		abort();
	switch (record->kind) {
	case GPU_RECORD_STALL_DEVICE:
		fprintf(out, "device %u: period %u, %llu samples, %llu others\n", device->device,
			device->period, (unsigned long long)device->samples,
			(unsigned long long)device->other_samples);
		break;
	case GPU_RECORD_STALL_CODE:
		if (record->size < sizeof(*code) || record->size < 32 + code->size)
			abort();
		fprintf(out, "code %#llx: %u of %llu at %llu, begins with %.4s\n",
			(unsigned long long)code->crc, code->size, (unsigned long long)code->bytes,
			(unsigned long long)code->offset, (const char *)code->piece);
		break;
	case GPU_RECORD_STALL_FUNCTION:
		fprintf(out, "function %u: %s of %#llx\n", function->function, function->name,
			(unsigned long long)function->crc);
		break;
	case GPU_RECORD_STALL_SAMPLES:
		fprintf(out, "samples %u+%#x, reason %u: %llu, latency %llu\n", samples->function,
			samples->offset, samples->reason, (unsigned long long)samples->samples,
			(unsigned long long)samples->latency);
		break;
	case GPU_RECORD_STALL_LAUNCHES:
		fprintf(out,
			"%llu launches of %s: %llu ns, grid %u %u %u, block %u, %u registers, "
			"%u geometries\n",
			(unsigned long long)launches->launches, launches->name,
			(unsigned long long)launches->time_ns, launches->grid[0], launches->grid[1],
			launches->grid[2], launches->block[0], launches->registers,
			launches->geometries);
		break;
	default:
		break;
	}
}

static void sink_coverage(uint32_t id, const char *detail, uint64_t count, uint64_t bytes)
{
	const char *name = id == COVERAGE_STALLS_LOST             ? "lost"
			   : id == COVERAGE_STALLS_NOT_SAMPLED    ? "not sampled"
			   : id == COVERAGE_STALLS_FAILED         ? "failed"
			   : id == COVERAGE_STALLS_REASON_UNKNOWN ? "unknown reason"
			   : id == COVERAGE_STALLS_CODE_LEFT_OUT  ? "no code"
								  : NULL;

	if (name)
		fprintf(out, "%s: %llu, %llu: %s\n", name, (unsigned long long)count,
			(unsigned long long)bytes, detail ? detail : "");
}

static void sink_call(struct gpu_call *call)
{
	call->context = 1;
}

static void sink_end(const struct gpu_call *call, const struct gpu_row *rows, size_t count)
{
	(void)call, (void)rows, (void)count;
}

static uint32_t sink_object(const struct gpu_call *call, const struct gpu_object *object)
{
	(void)call, (void)object;
	return 1;
}

static const struct gpu_sink sink = {
	.begin = sink_call,
	.end = sink_end,
	.object = sink_object,
	.record = sink_record,
	.coverage = sink_coverage,
};

/* -- the program ---------------------------------------------------------------------------- */

gpu_provider_get vflow_gpu_provider;
static const struct gpu_provider *provider;

static void start(void)
{
	static const struct gpu_options options;

	out = open_memstream(&told, &told_size);
	setenv("VFLOW_STALLS", "1", 1);
	provider = vflow_gpu_provider();
	if (provider->start(&sink, &options) != 0)
		abort();
}

static void resource(CUpti_CallbackId id, uintptr_t context, void *more)
{
	const CUpti_ResourceData data = {.context = (CUcontext)context, .resourceDescriptor = more};

	if (resources >> id & 1)
		callback(NULL, CUPTI_CB_DOMAIN_RESOURCE, id, &data);
}

static void load(const char *image)
{
	CUpti_ModuleResourceData module = {.cubinSize = strlen(image), .pCubin = image};

	resource(CUPTI_CBID_RESOURCE_MODULE_LOADED, 3, &module);
}

static void ran_grid(const char *name, unsigned blocks, uint64_t ns)
{
	CUpti_ActivityKernel9 *record;

	ran_kernel(9, 1000, 1000 + ns);
	record = &records[record_count - 1];
	record->name = name;
	record->gridX = (int)blocks;
	record->gridY = record->gridZ = 1;
	record->blockX = 128;
	record->registersPerThread = 40;
}

/* Waits until our thread has asked for all. */
static void drained(void)
{
	for (unsigned i = 0, left = 1; left && i < 500; i++) {
		usleep(2000);
		pthread_mutex_lock(&sampling_lock);
		left = fake_pc_count;
		pthread_mutex_unlock(&sampling_lock);
	}
}

#define COUNTS(...) ((const uint32_t[FAKE_REASONS]){__VA_ARGS__})

static void added_up(void)
{
	start();
	load("Alpha");
	load("Beta, of which nothing is sampled");
	resource(CUPTI_CBID_RESOURCE_CONTEXT_CREATED, 3, NULL);
	is("unknown reason: 1, 0: of_tomorrow\n", "a reason that is not in the list");
	check(sampling_period == 16, "the period is 2^16");
	/* 16 samples: 10 + 3 + 2 + 1 */
	sampled(0x1041, "_Z1fv", 0x10, COUNTS(16, 10, 7, 3, 2, 1));
	sampled(0x1041, "_Z1fv", 0x20, COUNTS(0, 4, 0, 0, 0, 0));
	sampled(0x1041, "_Z1gv", 0x10, COUNTS(0, 0, 0, 5, 0, 0));
	drained();
	load("Alpha");
	/* once more, and what was never asked for: the end gives it; of code that nobody loaded */
	most_at_once = 0;
	sampled(0x1041, "_Z1fv", 0x10, COUNTS(0, 1, 1, 0, 0, 0));
	sampled(0x1099, "_Z1hv", 0, COUNTS(0, 0, 0, 0, 0, 8));
	ran_grid("_Z1fv", 4, 100);
	ran_grid("_Z1fv", 8, 900);
	ran_grid("_Z1fv", 4, 200);
	ran_grid("_Z1gv", 1, 50);
	is("", "nothing is told before the end");
	provider->stop();
	is("device 3: period 16, 34 samples, 0 others\n"
	   "code 0x1041: 5 of 5 at 0, begins with Alph\n"
	   "no code: 1, 0: \n"
	   "function 1: _Z1fv of 0x1041\n"
	   "function 2: _Z1gv of 0x1041\n"
	   "function 3: _Z1hv of 0x1099\n"
	   "samples 1+0x10, reason 3: 11, latency 8\n"
	   "samples 1+0x10, reason 1: 3, latency 0\n"
	   "samples 1+0x10, reason 0: 2, latency 0\n"
	   "samples 1+0x10, reason 5: 1, latency 0\n"
	   "samples 1+0x20, reason 3: 4, latency 0\n"
	   "samples 2+0x10, reason 1: 5, latency 0\n"
	   "samples 3+0, reason 5: 8, latency 0\n"
	   "3 launches of _Z1fv: 1200 ns, grid 8 1 1, block 128, 40 registers, 2 geometries\n"
	   "1 launches of _Z1gv: 50 ns, grid 1 1 1, block 128, 40 registers, 1 geometries\n",
	   "samples of a function, an instruction and a reason are one row");
}

static void lost(void)
{
	start();
	load("Alpha");
	resource(CUPTI_CBID_RESOURCE_CONTEXT_CREATED, 3, NULL);
	is("unknown reason: 1, 0: of_tomorrow\n", "sampling has begun");
	sampled(0x1041, "_Z1fv", 0x10, COUNTS(0, 10, 0, 0, 0, 0));
	dropped_samples = 77;
	drained();
	resource(CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING, 3, NULL);
	provider->stop();
	is("lost: 77, 0: 18\n", "where samples were lost, none are told, but a larger period");
}

/* The hardware's buffer was full, and nothing came of it. */
static void full(void)
{
	setenv("VFLOW_STALLS_PERIOD", "13", 1);
	start();
	resource(CUPTI_CBID_RESOURCE_CONTEXT_CREATED, 3, NULL);
	check(sampling_period == 13, "the period that was asked for");
	data_result = CUPTI_ERROR_OUT_OF_MEMORY;
	provider->stop();
	is("unknown reason: 1, 0: of_tomorrow\nlost: 1, 0: 15\n", "a full buffer is a loss, too");
}

static void failing(void)
{
	start();
	sampling_result = CUPTI_ERROR_INSUFFICIENT_PRIVILEGES;
	resource(CUPTI_CBID_RESOURCE_CONTEXT_CREATED, 3, NULL);
	sampling_result = CUPTI_SUCCESS;
	is("not sampled: 1, 0: cuptiPCSamplingEnable: an error (35); the driver lets only "
	   "administrators sample: run it as root, or load the kernel module with "
	   "NVreg_RestrictProfilingToAdminUsers=0\n",
	   "who may not sample is told how he may");
	resource(CUPTI_CBID_RESOURCE_CONTEXT_CREATED, 4, NULL);
	data_result = CUPTI_ERROR_UNKNOWN;
	provider->stop();
	is("unknown reason: 1, 0: of_tomorrow\n"
	   "failed: 1, 0: cuptiPCSamplingGetData: an error (999)\n",
	   "what fails later is told as well, and no samples are");
}

/* A context that ends, and code that goes, before other code is at the same place. */
static void ends(void)
{
	start();
	load("Alpha");
	resource(CUPTI_CBID_RESOURCE_CONTEXT_CREATED, 3, NULL);
	sampled(0x1041, "_Z1fv", 0x10, COUNTS(0, 10, 0, 0, 0, 0));
	resource(CUPTI_CBID_RESOURCE_MODULE_UNLOAD_STARTING, 3, NULL);
	check(!fake_pc_count, "samples are taken before the module goes");
	sampled(0x1041, "_Z1fv", 0x10, COUNTS(0, 1, 0, 0, 0, 0));
	resource(CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING, 3, NULL);
	check(!fake_pc_count && !fake_last, "... and before the context does");
	provider->stop();
	is("unknown reason: 1, 0: of_tomorrow\n"
	   "device 3: period 16, 11 samples, 0 others\n"
	   "code 0x1041: 5 of 5 at 0, begins with Alph\n"
	   "function 1: _Z1fv of 0x1041\n"
	   "samples 1+0x10, reason 3: 11, latency 0\n",
	   "all is told at the end");
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} cases[] = {{"added_up", added_up},
		     {"lost", lost},
		     {"full", full},
		     {"failing", failing},
		     {"ends", ends}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		if (argc == 2 && !strcmp(argv[1], cases[i].name)) {
			cases[i].run();
			return failures ? 1 : 0;
		}
	return 2;
}
