/* tests/gpu/kernel_times.c: see kernel_times.h. */
#include "tests/gpu/kernel_times.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "gpu/sanitizer/api/launch_call.h"
#include "gpu/sanitizer/driver.h"

#define PAIRS_MAX 65536
#define NOTHINGS 10 /* measured, before the first kernels */
#define SLOTS 64
#ifndef HELD_NS
#define HELD_NS 5000000 /* how long a stream is held at least before it is let go */
#endif
#define FREED_MAX 100 /* a driver that cannot launch into streams that wait is not made to */

enum subject { KERNELS, PASSES, NOTHING, SUBJECTS };

struct pair {
	struct pair *next;
	enum subject subject;
	CUcontext context;
	CUevent before, after;
};

bool times_wanted;

static const char *file;
static pid_t process;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
	double milliseconds;
	uint64_t count;
} sums[SUBJECTS];
static uint64_t untimed, unheld;
static struct pair *pending, **pending_end = &pending, *unused;
static unsigned pairs;
static __typeof__(driver.cuLaunchKernel) launch_kernel;

static __thread struct {
	bool busy;         /* with calls of our own */
	struct pair *open; /* its kernel is being launched */
	unsigned slot;     /* of this thread, from 1 on */
} own;

static void count(uint64_t *what)
{
	__atomic_fetch_add(what, 1, __ATOMIC_RELAXED);
}

/* -- holding streams ---------------------------------------------------------------------- */

/* A stream waits until the word of its thread's slot has come to the number that was asked for. */
static uint32_t *words, asked[SLOTS];
static CUdeviceptr device_words;
static CUcontext words_context;
static enum { UNTRIED, WORKS, FAILS } holding;

/* A launch that itself waits for the device, to make room for it, would do so for ever. */
static void *watch(void *unused_argument)
{
	const struct timespec interval = {.tv_nsec = HELD_NS};
	uint32_t seen[SLOTS] = {0};

	(void)unused_argument;
	for (;;) {
		nanosleep(&interval, NULL);
		for (unsigned i = 0; i < SLOTS; i++) {
			uint32_t now = __atomic_load_n(&asked[i], __ATOMIC_ACQUIRE);

			if (now == seen[i] && __atomic_load_n(&words[i], __ATOMIC_ACQUIRE) != now) {
				__atomic_store_n(&words[i], now, __ATOMIC_RELEASE);
				count(&unheld);
				if (__atomic_load_n(&unheld, __ATOMIC_RELAXED) > FREED_MAX)
					__atomic_store_n(&holding, FAILS, __ATOMIC_RELAXED);
			}
			seen[i] = now;
		}
	}
	return NULL;
}

/* The lock is held. */
static bool can_hold(CUcontext context)
{
	pthread_t watching;

	if (holding == UNTRIED) {
		holding = FAILS;
		/* not the driver's memory: the watching thread may outlive that */
		words = mmap(NULL, SLOTS * sizeof(*words), PROT_READ | PROT_WRITE,
			     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
		if (words != MAP_FAILED && times_driver.wait_value &&
		    driver.cuMemHostRegister(words, SLOTS * sizeof(*words),
					     CU_MEMHOSTREGISTER_DEVICEMAP) == CUDA_SUCCESS &&
		    driver.cuMemHostGetDevicePointer(&device_words, words, 0) == CUDA_SUCCESS &&
		    pthread_create(&watching, NULL, watch, NULL) == 0)
			holding = WORKS;
		words_context = context;
	}
	return holding == WORKS && words_context == context;
}

static void hold(CUcontext context, CUstream stream)
{
	static unsigned slots;
	uint32_t number;
	bool can;

	if (!own.slot)
		own.slot = 1 + __atomic_fetch_add(&slots, 1, __ATOMIC_RELAXED) % SLOTS;
	pthread_mutex_lock(&lock);
	can = can_hold(context);
	pthread_mutex_unlock(&lock);
	if (!can) {
		count(&unheld);
		return;
	}
	number = __atomic_add_fetch(&asked[own.slot - 1], 1, __ATOMIC_ACQ_REL);
	if (times_driver.wait_value(stream, device_words + 4 * (own.slot - 1), number,
				    CU_STREAM_WAIT_VALUE_GEQ) != CUDA_SUCCESS)
		count(&unheld);
}

static void release(void)
{
	unsigned slot = own.slot - 1;

	if (words)
		__atomic_store_n(&words[slot], __atomic_load_n(&asked[slot], __ATOMIC_ACQUIRE),
				 __ATOMIC_RELEASE);
}

/* -- pairs of events ---------------------------------------------------------------------- */

/* The lock is held. */
static void harvest(void)
{
	while (pending) {
		struct pair *pair = pending;
		CUresult result = driver.cuEventQuery(pair->after);
		float milliseconds;

		if (result == CUDA_ERROR_NOT_READY)
			return;
		if (result == CUDA_SUCCESS && times_driver.elapsed(&milliseconds, pair->before,
								   pair->after) == CUDA_SUCCESS) {
			sums[pair->subject].milliseconds += (double)milliseconds;
			sums[pair->subject].count++;
		} else if (pair->subject == KERNELS) {
			count(&untimed);
		}
		pending = pair->next;
		if (!pending)
			pending_end = &pending;
		pair->next = unused;
		unused = pair;
	}
}

static struct pair *take_pair(CUcontext context)
{
	struct pair *pair = NULL, **at;

	pthread_mutex_lock(&lock);
	if (!unused)
		harvest();
	for (at = &unused; *at && (*at)->context != context; at = &(*at)->next)
		;
	if (*at) {
		pair = *at;
		*at = pair->next;
	} else if (pairs < PAIRS_MAX) {
		pair = calloc(1, sizeof(*pair));
		if (pair &&
		    (driver.cuEventCreate(&pair->before, CU_EVENT_DEFAULT) != CUDA_SUCCESS ||
		     driver.cuEventCreate(&pair->after, CU_EVENT_DEFAULT) != CUDA_SUCCESS)) {
			free(pair);
			pair = NULL;
		}
		pairs += !!pair;
	}
	pthread_mutex_unlock(&lock);
	if (pair)
		pair->context = context;
	return pair;
}

/* What comes next on the stream is timed. */
static void begin(enum subject subject, CUstream stream)
{
	CUcontext context;
	struct pair *pair =
		driver.cuCtxGetCurrent(&context) == CUDA_SUCCESS ? take_pair(context) : NULL;

	if (!pair) {
		count(&untimed);
		return;
	}
	pair->subject = subject;
	hold(context, stream);
	own.open = pair;
	if (driver.cuEventRecord(pair->before, stream) != CUDA_SUCCESS)
		pair->subject = SUBJECTS;
}

static void end(CUstream stream, bool failed)
{
	struct pair *pair = own.open;
	bool timed;

	if (!pair)
		return;
	own.open = NULL;
	timed = driver.cuEventRecord(pair->after, stream) == CUDA_SUCCESS &&
		pair->subject != SUBJECTS;
	release();
	if (!timed && !failed)
		count(&untimed);
	pthread_mutex_lock(&lock);
	if (timed && !failed) {
		pair->next = NULL;
		*pending_end = pair;
		pending_end = &pair->next;
	} else {
		pair->next = unused;
		unused = pair;
	}
	pthread_mutex_unlock(&lock);
}

/* -- launches ----------------------------------------------------------------------------- */

static bool starts(const char *name, const char *part)
{
	return !strncmp(name, part, strlen(part));
}

/* Whether it launches one kernel. */
static bool is_launch(const Sanitizer_CallbackData *data, CUfunction *function, CUstream *stream)
{
	struct launch_call call;

	if (!launch_call_read(&call, data->functionName, data->functionParams))
		return false;
	*function = call.function;
	*stream = call.stream;
	return true;
}

/* Code is loaded when it is launched first: not between the events. */
static void load(CUfunction function)
{
	CUfunction loaded;
	int value;

	if (driver.cuKernelGetFunction &&
	    driver.cuKernelGetFunction(&loaded, function) == CUDA_SUCCESS)
		function = loaded;
	driver.cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_NUM_REGS, function);
}

static bool is_captured(CUstream stream)
{
	CUstreamCaptureStatus status;

	return driver.cuStreamIsCapturing(stream, &status) != CUDA_SUCCESS ||
	       status != CU_STREAM_CAPTURE_STATUS_NONE;
}

static uint64_t nothings;

static void enter(const Sanitizer_CallbackData *call)
{
	CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
	CUfunction function;
	CUstream stream;

	if (own.busy)
		return;
	if (!is_launch(call, &function, &stream)) {
		if (starts(call->functionName, "cuLaunch") ||
		    starts(call->functionName, "cuGraphLaunch"))
			count(&untimed);
		return;
	}
	own.busy = true;
	driver.cuThreadExchangeStreamCaptureMode(&mode);
	if (!is_captured(stream)) {
		load(function);
		if (__atomic_fetch_add(&nothings, 1, __ATOMIC_RELAXED) < NOTHINGS) {
			begin(NOTHING, stream);
			end(stream, false);
		}
		begin(KERNELS, stream);
	}
	driver.cuThreadExchangeStreamCaptureMode(&mode);
	own.busy = false;
}

static void leave(const Sanitizer_CallbackData *call)
{
	CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
	const char *name = call->functionName;
	CUfunction function;
	CUstream stream;
	bool last; /* there may be none that looks at the events after it */

	if (own.busy)
		return;
	last = __atomic_load_n(&pending, __ATOMIC_RELAXED) &&
	       (strstr(name, "Synchronize") || starts(name, "cuMemcpy"));
	if (!own.open && !last)
		return;
	own.busy = true;
	driver.cuThreadExchangeStreamCaptureMode(&mode);
	if (own.open && is_launch(call, &function, &stream)) {
		end(stream, *(const int *)call->functionReturnValue != 0);
	} else if (last) {
		pthread_mutex_lock(&lock);
		harvest();
		pthread_mutex_unlock(&lock);
	}
	driver.cuThreadExchangeStreamCaptureMode(&mode);
	own.busy = false;
}

void times_call(const Sanitizer_CallbackData *call)
{
	(call->callbackSite == SANITIZER_API_ENTER ? enter : leave)(call);
}

static CUresult CUDAAPI launch_pass(CUfunction function, unsigned grid_x, unsigned grid_y,
				    unsigned grid_z, unsigned block_x, unsigned block_y,
				    unsigned block_z, unsigned shared, CUstream stream,
				    void **parameters, void **extra)
{
	CUresult result;

	begin(PASSES, stream);
	result = launch_kernel(function, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared,
			       stream, parameters, extra);
	end(stream, result != CUDA_SUCCESS);
	return result;
}

struct times_driver times_driver;

static void look_up(void *function, const char *name)
{
	void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
	void *symbol = library ? dlsym(library, name) : NULL;

	memcpy(function, &symbol, sizeof(symbol));
}

void times_start(void)
{
	file = getenv("VFLOW_KERNEL_TIMES");
	if (!file || !*file)
		return;
	if (!times_driver.elapsed)
		look_up(&times_driver.elapsed, "cuEventElapsedTime");
	if (!times_driver.wait_value)
		look_up(&times_driver.wait_value, "cuStreamWaitValue32_v2");
	if (!times_driver.elapsed)
		return;
	process = getpid();
	launch_kernel = driver.cuLaunchKernel;
	driver.cuLaunchKernel = launch_pass;
	times_wanted = true;
}

/* Providers are not stopped when a process ends. */
__attribute__((destructor)) static void tell(void)
{
	FILE *to;

	if (!times_wanted || getpid() != process)
		return;
	times_wanted = false;
	pthread_mutex_lock(&lock);
	harvest();
	for (struct pair *pair = pending; pair; pair = pair->next)
		untimed += pair->subject == KERNELS;
	pthread_mutex_unlock(&lock);
	if (!sums[KERNELS].count && !sums[PASSES].count && !untimed)
		return;
	to = fopen(file, "ae");
	if (!to) {
		fprintf(stderr, "vflow: %s cannot be written: see VFLOW_KERNEL_TIMES\n", file);
		return;
	}
	fprintf(to, "kernels %.4f %lu passes %.4f %lu untimed %lu unheld %lu nothing %.4f %lu\n",
		sums[KERNELS].milliseconds, sums[KERNELS].count, sums[PASSES].milliseconds,
		sums[PASSES].count, untimed, unheld, sums[NOTHING].milliseconds,
		sums[NOTHING].count);
	fclose(to);
}
