/*
 * Calls that wait for the device (GPU_SYNC), as the Sanitizer reports them: see sanitizer/events.h.
 * Launches go past the callbacks.
 */
#define EVENTS_MAX 100000
#include "tests/sanitizer/events.h"

#include <pthread.h>

#include "gpu/sanitizer/callback/calls.h"
#include "gpu/sanitizer/callback/thread.h"

void never(void);

/* What calls.c refers to and these calls do not use. */
void never(void)
{
	check(false, "nothing else is called");
	abort();
}

/* Makes no graphs. */
void calls_node_exit(const Sanitizer_CallbackData *data, bool failed)
{
	(void)data, (void)failed;
}

static CUdeviceptr a;

static void start_syncs(void)
{
	start_with_timeouts();
	driver.cuStreamQuery = query_counted;
	launch_kernel = driver.cuLaunchKernel;
	driver.cuLaunchKernel = launch_or_hold;
	events_awaited = 100;
	calls_start(&sink, &(struct gpu_options){.digests = true});
	a = allocate(10000); /* event 1, object 1 */
	set(a, 10000, 7);    /* 2 */
	waits = calls_of_coverage = 0;
}

/* As tests name functions: their ids are the provider's to remember, not to know. */
static uint32_t id_of(const char *name)
{
	uint32_t id = 5381;

	while (*name)
		id = 33 * id + (unsigned char)*name++;
	return id % 2000;
}

static void report(const char *name, Sanitizer_ApiCallbackSite site, const void *parameters,
		   int *result)
{
	const Sanitizer_CallbackData data = {.functionName = name,
					     .functionParams = parameters,
					     .functionReturnValue = result,
					     .context = context,
					     .callbackSite = site};

	calls_api(strncmp(name, "cuda", 4) ? SANITIZER_CB_DOMAIN_DRIVER_API
					   : SANITIZER_CB_DOMAIN_RUNTIME_API,
		  id_of(name), &data);
}

/* The program calls `name`, and that function `inner` of the driver, if any. */
static void call(const char *name, const char *inner, CUstream stream, int result)
{
	report(name, SANITIZER_API_ENTER, &stream, &result);
	if (inner) {
		report(inner, SANITIZER_API_ENTER, &stream, &result);
		report(inner, SANITIZER_API_EXIT, &stream, &result);
	}
	report(name, SANITIZER_API_EXIT, &stream, &result);
}

static void synchronize_by(CUstream stream)
{
	call("cudaStreamSynchronize", "cuStreamSynchronize", stream, 0);
}

/* Event number `number`, the first is 1, is that call and nothing but that. */
static bool is_sync(uint32_t number, uint32_t context)
{
	const struct event *event = &events[number - 1];

	return event->context == context && event->api == GPU_SYNC && !event->rows &&
	       event->start_ns && event->start_ns <= event->end_ns;
}

static void names(void)
{
	static const struct {
		const char *name, *inner, *plain;
	} waiting[] = {
		{"cudaDeviceSynchronize", "cuCtxSynchronize", "cudaDeviceSynchronize"},
		{"cudaThreadSynchronize", "cuCtxSynchronize", "cudaThreadSynchronize"},
		{"cudaStreamSynchronize", "cuStreamSynchronize", "cudaStreamSynchronize"},
		{"cudaStreamSynchronize_ptsz", "cuStreamSynchronize_ptsz", "cudaStreamSynchronize"},
		{"cudaEventSynchronize", "cuEventSynchronize", "cudaEventSynchronize"},
		{"cuCtxSynchronize", NULL, "cuCtxSynchronize"},
		{"cuCtxSynchronize_v2", NULL, "cuCtxSynchronize"},
		{"cuStreamSynchronize", NULL, "cuStreamSynchronize"},
		{"cuStreamSynchronize_ptsz", NULL, "cuStreamSynchronize"},
		{"cuEventSynchronize", NULL, "cuEventSynchronize"},
	};
	static const char *const others[][2] = {
		{"cudaMalloc", "cuStreamSynchronize"},
		{"cudaStreamQuery", "cuStreamQuery"},
		{"cudaEventQuery", "cuEventQuery"},
		{"cudaStreamWaitEvent", "cuStreamWaitEvent"},
		{"cudaGetErrorName", NULL},
		{"cudaEventElapsedTime", "cuCtxSynchronize"},
	};
	uint32_t before;

	start_syncs();
	for (unsigned twice = 0; twice < 2; twice++)
		for (size_t i = 0; i < sizeof(waiting) / sizeof(*waiting); i++) {
			before = ended;
			call(waiting[i].name, waiting[i].inner, NULL, 0);
			check(ended == before + 1 && is_sync(ended, begun) &&
				      !strcmp(last_begun, waiting[i].plain),
			      waiting[i].name);
		}
	before = ended;
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		call(others[i][0], others[i][1], NULL, 0);
	check(ended == before && begun == before, "calls that do something else have no event");
	call("cudaStreamSynchronize", "cuStreamSynchronize", streams[0], 700);
	check(ended == before && begun == before, "nor have those that fail");
	{
		OWN_CALLS(CALLS_OF_PROVIDER);
		call("cuStreamSynchronize", NULL, streams[0], 0);
	}
	check(ended == before && begun == before, "nor has the provider's own");
	synchronize_by(streams[0]);
	synchronize_by(streams[1]);
	call("cudaEventSynchronize", "cuEventSynchronize", streams[1], 0);
	check(events[before].stream && events[before + 1].stream &&
		      events[before].stream != events[before + 1].stream &&
		      !events[before + 2].stream,
	      "that of a stream has its number");
	context = NULL;
	call("cudaDeviceSynchronize", NULL, NULL, 0);
	check(is_sync(before + 4, before + 4), "one where there is no context yet");
	check(!waits && !calls_of_coverage, "none asks the driver for anything");
	events_stop();
	synchronize_by(streams[0]);
	calls_stop();
	synchronize_by(streams[0]);
	check(ended == before + 4 && begun == ended, "after the end there is none");
}

/* Runs the first of what is held, as many as there were when `count` was held_count. */
static void run_first(unsigned count)
{
	unsigned left = held_count - count;

	held_count = count;
	let_run();
	memmove(held, held + count, left * sizeof(*held));
	held_count = left;
	holding = true;
}

/* Between launches that are pending. */
static void order(void)
{
	unsigned first;

	start_syncs();
	holding = running = true;
	launch(a, 100, 7, 0); /* 3 */
	first = held_count;
	synchronize_by(streams[1]); /* 4 */
	synchronize_by(streams[1]); /* 5 */
	check(begun == 5 && ended == 2, "a call that waits for something else ends later");
	launch(a, 200, 7, 0);       /* 6 */
	synchronize_by(streams[1]); /* 7 */
	check(begun == 7 && ended == 2, "... wherever it is among launches");
	check(!waits, "it does not wait for them");
	running = false;
	run_first(first);
	synchronize_by(streams[1]); /* 8 */
	/* with the marks of both, which are not held back */
	check(ended == 5 && row_is(3, 1, 2, GPU_WRITE, 200, 200) && is_sync(4, 4) && is_sync(5, 5),
	      "it ends with the launch before it");
	let_run();
	synchronize_by(streams[0]); /* 9 */
	check(ended == 9 && events[5].context == 6 && events[5].api == GPU_KERNEL &&
		      is_sync(7, 7) && is_sync(8, 8) && is_sync(9, 9),
	      "one that waits for launches ends them, and itself");
	set(a, 10, 7); /* 10 */
	check(ended == 10 && events[9].context == 10, "nothing is left");
	check(!calls_of_coverage, "all was seen");
	calls_stop();
}

/* In lanes that are never empty. */
static void overlapping(void)
{
	bool fine = true;
	unsigned first = 0, launches = 1000;

	start_syncs();
	holding = true;
	for (unsigned i = 0; i < launches; i++) {
		launch(a, 100, 7, 0);
		if (i)
			run_first(first);
		first = held_count;
		synchronize_by(streams[1]);
		synchronize_by(streams[1]);
	}
	let_run();
	synchronize_by(streams[1]);
	for (unsigned i = 0; i < 3 * launches; i++)
		fine = fine && events[2 + i].context == i + 3 &&
		       events[2 + i].api == (i % 3 ? GPU_SYNC : GPU_KERNEL);
	check(fine && ended == begun && ended == 3 * launches + 3, "all end in order");
	calls_stop();
}

/* A program that spins on them while something runs. */
static void loop(void)
{
	bool fine = true;

	start_syncs();
	holding = running = true;
	launch(a, 100, 7, 0); /* 3 */
	for (unsigned i = 0; i < 70000; i++)
		synchronize_by(streams[1]);
	check(!waits && ended == 2 && begun == 65539 && calls_of_coverage == 70000 - 65536,
	      "they wait for nothing, and those that are too many are told");
	running = false;
	let_run();
	synchronize_by(streams[0]);
	for (uint32_t i = 4; i <= 65540; i++)
		fine = fine && is_sync(i, i);
	check(fine && ended == 65540, "the others end in order");
	holding = running = true;
	launch(a, 100, 7, 0); /* 65541 */
	synchronize_by(streams[1]);
	running = false;
	let_run();
	calls_stop();
	check(ended == 65542 && is_sync(65542, 65542), "then there is room again");
}

/* Beside launches that do not end as they should. */
static void lost(void)
{
	start_syncs();
	holding = running = true;
	launch(a, 100, 7, 0);       /* 3 */
	synchronize_by(streams[1]); /* 4 */
	events_prepare(context, false, NULL, 0, false);
	check(queues_timed_out() && ended == 2, "a launch is timed out");
	synchronize_by(streams[1]); /* 5 */
	check(begun == 5 && ended == 2, "what waits for something else comes after it");
	running = false;
	let_run();
	set(a, 10, 7); /* 6 */
	check(!queues_timed_out() && ended == 6 && events[2].context == 3 && is_sync(4, 4) &&
		      is_sync(5, 5),
	      "when it is over they end");
	holding = true;
	launch(a, 100, 7, 0);       /* 7 */
	synchronize_by(streams[1]); /* 8 */
	faulted = true;
	call("cudaStreamSynchronize", "cuStreamSynchronize", streams[0], 700);
	check(abandoned == 1 && failed_launches == 1 && ended == 7 && is_sync(7, 8),
	      "the launch before it failed, and it did not");
	calls_stop();
}

/* Calls that fail: the program's own, by the name and result of the outermost function. */
static void failing(void)
{
	static const char *const others[] = {"cudaGetErrorName", "cudaGetErrorString",
					     "cudaCreateChannelDesc"};
	CUstream stream = streams[0];
	int good = 0, bad = 1;

	start_syncs();
	call("cudaStreamSynchronize", "cuStreamSynchronize", streams[0], 0);
	check(failed_calls == 0, "a call that succeeds is not told of");
	call("cudaStreamQuery", "cuStreamQuery", streams[0], 600);
	check(failed_calls == 1 && last_error == 600 && !strcmp(last_failed, "cudaStreamQuery"),
	      "one that fails is, by its outermost function");
	call("cudaMalloc", NULL, NULL, 2);
	check(failed_calls == 2 && last_error == 2 && !strcmp(last_failed, "cudaMalloc"),
	      "also when the runtime never calls the driver");
	call("cuStreamQuery", NULL, NULL, 400);
	check(failed_calls == 3 && last_error == 400 && !strcmp(last_failed, "cuStreamQuery"),
	      "and when the program calls the driver");
	report("cudaStreamQuery", SANITIZER_API_ENTER, &stream, &good);
	report("cuStreamQuery", SANITIZER_API_ENTER, &stream, &bad);
	report("cuStreamQuery", SANITIZER_API_EXIT, &stream, &bad);
	report("cudaStreamQuery", SANITIZER_API_EXIT, &stream, &good);
	check(failed_calls == 3, "what fails inside of a call that succeeds is not");
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		call(others[i], NULL, NULL, 32);
	check(failed_calls == 3, "nor are results that are no errors");
	{
		OWN_CALLS(CALLS_OF_PROVIDER);
		call("cuStreamQuery", NULL, NULL, 400);
	}
	check(failed_calls == 3, "nor are calls of the provider");
	calls_stop();
	call("cuStreamQuery", NULL, NULL, 400);
	check(failed_calls == 3, "nor are those after its end");
}

static void call_driver(const char *name, uint64_t first, uint64_t second)
{
	const uint64_t words[] = {first, second};
	int result = 0;

	report(name, SANITIZER_API_ENTER, words, &result);
	report(name, SANITIZER_API_EXIT, words, &result);
}

static void launch_now(int stream)
{
	api_call.start_ns = now_ns();
	launch(a, 100, 7, stream);
}

/* The program's streams and events, which order its calls. */
static void ordering(void)
{
	const CUevent event = (CUevent)(uintptr_t)0x1230;

	start_syncs();
	call_driver("cuStreamCreate", (uintptr_t)&streams[0], CU_STREAM_NON_BLOCKING);
	call_driver("cuStreamCreateWithPriority", (uintptr_t)&streams[1],
		    UINT64_C(0xfffffffb00000000)); /* flags 0, priority -5 */
	call_driver("cuEventRecord", (uintptr_t)event, (uintptr_t)streams[0]);
	call_driver("cuStreamWaitEvent", (uintptr_t)streams[1], (uintptr_t)event);
	launch_now(0);              /* 3 */
	launch_now(1);              /* 4 */
	synchronize_by(streams[1]); /* 5 */
	check(events[2].first && events[2].nonblocking && !events[2].orders,
	      "the first call in a stream says how it is ordered");
	check(events[3].first && !events[3].nonblocking, "... whatever follows the flags");
	check(events[3].orders == 1 &&
		      events[3].order.recorded_ns > events[3].start_ns - events[2].start_ns,
	      "an event that was recorded before a call does not stand for it");
	check(events[4].waits == 1 && events[4].wait.scope == GPU_WAIT_STREAM &&
		      events[4].wait.stream == events[3].stream && !events[2].waits,
	      "a wait for a stream");
	call_driver("cuEventRecord_ptsz", (uintptr_t)event, (uintptr_t)streams[0]);
	call_driver("cuStreamWaitEvent_ptsz", (uintptr_t)streams[1], (uintptr_t)event);
	launch_now(1);                                                          /* 6 */
	launch_now(1);                                                          /* 7 */
	call("cudaEventSynchronize", "cuEventSynchronize", (CUstream)event, 0); /* 8 */
	check(events[5].orders == 1 && events[5].order.stream == events[2].stream &&
		      events[5].order.recorded_ns < events[5].start_ns - events[2].start_ns &&
		      !events[5].first,
	      "what comes after a wait for an event says so");
	check(!events[6].orders, "... once");
	check(events[7].waits == 1 && events[7].wait.scope == GPU_WAIT_EVENT &&
		      events[7].wait.stream == events[2].stream &&
		      events[7].wait.recorded_ns < events[7].start_ns - events[2].start_ns,
	      "a wait for an event");
	call_driver("cuEventDestroy_v2", (uintptr_t)event, 0);
	call("cudaEventSynchronize", "cuEventSynchronize", (CUstream)event, 0); /* 9 */
	call("cudaDeviceSynchronize", "cuCtxSynchronize", NULL, 0);             /* 10 */
	check(!events[8].waits, "an event that is gone is none");
	check(events[9].waits == 1 && events[9].wait.scope == GPU_WAIT_ALL, "a wait for all");
	call_driver("cuStreamWaitEvent", (uintptr_t)streams[1], (uintptr_t)streams[1]);
	launch_now(1); /* 11 */
	synchronize_by(NULL);
	check(!events[10].orders && ended == begun, "nor is one that was never recorded");
	calls_stop();
}

static pthread_barrier_t entered, left;

static void *hold_lock(void *unused)
{
	int result = 0;

	report("cuModuleLoadData", SANITIZER_API_ENTER, NULL, &result);
	pthread_barrier_wait(&entered);
	pthread_barrier_wait(&left);
	report("cuModuleLoadData", SANITIZER_API_EXIT, NULL, &result);
	pthread_barrier_wait(&entered);
	return unused;
}

/* Beside a thread that is in a call for long. */
static void locked(void)
{
	pthread_t thread;
	uint64_t before;

	start_syncs();
	pthread_barrier_init(&entered, NULL, 2);
	pthread_barrier_init(&left, NULL, 2);
	if (pthread_create(&thread, NULL, hold_lock, NULL) != 0)
		check(false, "a thread");
	pthread_barrier_wait(&entered);
	before = now_ns();
	synchronize_by(streams[0]);
	check(begun == 2 && calls_of_coverage == 1, "it has no event, which is told");
	check(now_ns() - before < 3 * SECOND_NS / 2, "it does not wait for long");
	pthread_barrier_wait(&left);
	pthread_barrier_wait(&entered);
	synchronize_by(streams[0]); /* 3 */
	check(ended == 3 && is_sync(3, 3) && calls_of_coverage == 1, "the next one has");
	pthread_join(thread, NULL);
	calls_stop();
}

int main(int argc, char **argv)
{
	static const struct test_case cases[] = {
		{"names", names},   {"order", order},       {"overlapping", overlapping},
		{"loop", loop},     {"lost", lost},         {"failing", failing},
		{"locked", locked}, {"ordering", ordering},
	};

	return run_case(cases, sizeof(cases) / sizeof(*cases), argc, argv);
}
