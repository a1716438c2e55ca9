/*
 * collect/guest/guest.c: the guest's start and end, and the sink that a provider fills.
 *
 * Environment: VFLOW_TRACE_DIR is the folder for the trace (none: the process is not observed),
 * VFLOW_PASS names the passes of the run, VFLOW_DIGESTS=0 leaves out content digests,
 * VFLOW_ACCESS=1 asks for what is accessed of objects, VFLOW_VALUES=1 for the values of accesses
 * (of every VFLOW_VALUE_BLOCKSth block), VFLOW_MEMORY_LIMIT is the most bytes of shadows on a GPU;
 * see inject.c and choice.c for more.
 */
#include "collect/guest/guest.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "collect/guest/nvtx.h"
#include "collect/guest/ranges.h"
#include "collect/guest/ranks.h"
#include "util/say.h"
#include "util/start_environment.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool watches_uses; /* set before the provider starts */
static bool running;      /* read without the lock: a child of fork() must not touch it */
static const struct gpu_provider *observed;
static struct trace_writer *writer;
static pid_t owner; /* a child made without pthread_atfork() handlers differs */

static uint32_t thread_count, object_count;
static __thread uint32_t thread_number; /* + 1 */

struct pending_free {
	const struct gpu_call *call;
	uint32_t object;
};
static struct pending_free *pending;
static uint32_t pending_count, pending_capacity;

static uint64_t now_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* Of the times of calls. */
static uint64_t clock_ns(void)
{
	return observed->clock ? observed->clock() : now_ns(CLOCK_MONOTONIC);
}

void guest_give_up(const char *why)
{
	char line[1200];

	if (!__atomic_exchange_n(&running, false, __ATOMIC_ACQ_REL))
		return;
	snprintf(line, sizeof(line), "vflow: process %d is no longer observed: %s; it runs on\n",
		 getpid(), why);
	say(line);
}

int guest_append(struct trace_record *record, size_t size)
{
	if (trace_append(writer, record, size) == 0)
		return 0;
	guest_give_up(trace_writer_failure(writer));
	return -1;
}

/* Takes the lock if there is anything to do. */
static bool enter(void)
{
	if (!__atomic_load_n(&running, __ATOMIC_ACQUIRE))
		return false;
	pthread_mutex_lock(&lock);
	if (__atomic_load_n(&running, __ATOMIC_ACQUIRE))
		return true;
	pthread_mutex_unlock(&lock);
	return false;
}

static void leave(void)
{
	pthread_mutex_unlock(&lock);
}

bool guest_enter(uint32_t *frame)
{
	if (!enter())
		return false;
	if (!frame)
		return true;
	*frame = paths_here(observed);
	if (*frame == UINT32_MAX)
		leave();
	return *frame != UINT32_MAX;
}

void guest_leave(void)
{
	leave();
}

/* -- the sink ------------------------------------------------------------------------------ */

static uint32_t sink_path(void)
{
	int saved = errno;
	uint32_t frame;

	if (!enter())
		return 0;
	frame = paths_here(observed);
	leave();
	errno = saved;
	return frame == UINT32_MAX ? 0 : frame;
}

static void sink_begin(struct gpu_call *call)
{
	int saved = errno;
	uint32_t frame, context = 0;

	call->context = 1; /* a guest that is off promises only that it is not 0 */
	call->thread = 0;
	call->start_ns = 0;
	call->range = ranges_here();
	if (!enter())
		return;
	if (!thread_number)
		thread_number = ++thread_count;
	call->thread = thread_number - 1;
	frame = call->node ? paths_node(call->node) : call->no_path ? 0 : paths_here(observed);
	if (frame != UINT32_MAX)
		context = paths_context(call->api, call->name, frame,
					call->node ? call->node->ordinal : 0);
	if (context) {
		call->context = context;
		call->invocation = paths_begin(context);
	}
	if (context && watches_uses)
		uses_begin(call);
	leave();
	call->start_ns = clock_ns(); /* after our own work */
	errno = saved;
}

/* Forgets the frees of the call; with `write` they go into the trace. */
static void flush_frees(const struct gpu_call *call, bool write)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < pending_count; i++) {
		struct trace_free record = {
			.record = {.type = TRACE_FREE},
			.object = pending[i].object,
			.context = call->context,
		};

		if (pending[i].call != call)
			pending[kept++] = pending[i];
		else if (write && guest_append(&record.record, sizeof(record)) != 0)
			write = false;
	}
	pending_count = kept;
}

static struct trace_row row_of(const struct gpu_row *row)
{
	return (struct trace_row){
		.object = row->object,
		.writer = row->writer,
		.access = (uint32_t)row->access,
		.bytes = row->bytes,
#define ROW_METRIC(member, FLAG, access, aggregate) .member = row->member,
#include "gpu/rows.def"
	};
}

static void write_event(const struct gpu_call *call, const struct gpu_row *rows, size_t count,
			uint64_t end_ns)
{
	static struct trace_event *event; /* the lock is held */
	static size_t capacity;
	size_t size = sizeof(*event);

	if (sizeof(*event) + count * sizeof(struct trace_row) > capacity) {
		free(event);
		capacity = sizeof(*event) + 2 * (count + 8) * sizeof(struct trace_row);
		event = malloc(capacity);
	}
	if (!event) {
		capacity = 0;
		guest_give_up("no memory");
		return;
	}
	*event = (struct trace_event){
		.record = {.type = TRACE_EVENT},
		.context = call->context,
		.thread = call->thread,
		.device = call->device,
		.stream = call->stream,
		.invocation = paths_invocation(call->context),
		.start_ns = call->start_ns,
		.end_ns = end_ns,
		.row_count = (uint32_t)count,
		.row_size = TRACE_ROWS_PACKED | TRACE_ROW_SIZE(observed->metrics),
	};
	for (size_t i = 0; i < count; i++) {
		const struct trace_row row = row_of(&rows[i]);

		size += trace_pack_row((char *)event + size, &row, observed->metrics);
	}
	guest_append(&event->record, size);
}

static void sink_end(const struct gpu_call *call, const struct gpu_row *rows, size_t count)
{
	int saved = errno;
	uint64_t end_ns = call->end_ns ? call->end_ns : clock_ns();

	/* a call that began before the guest was on has no start */
	if (!enter())
		return;
	if (call->start_ns) {
		ranges_write(call->thread, call->range);
		write_event(call, rows, count, end_ns);
		flush_frees(call, __atomic_load_n(&running, __ATOMIC_ACQUIRE));
	}
	leave();
	errno = saved;
}

static void sink_abandon(const struct gpu_call *call)
{
	if (!enter())
		return;
	flush_frees(call, false);
	if (call->start_ns) {
		paths_abandon(call->context);
		if (watches_uses)
			uses_abandon(call);
	}
	leave();
}

static uint32_t sink_object(const struct gpu_call *call, const struct gpu_object *object)
{
	int saved = errno;
	size_t start = offsetof(struct trace_object, text);
	size_t name = object->name ? strlen(object->name) : 0;
	struct trace_object *record;
	uint32_t id;

	if (!enter())
		return 1;
	record = calloc(1, sizeof(*record) + name + 1);
	id = ++object_count;
	if (record) {
		record->record.type = TRACE_OBJECT;
		record->id = id;
		record->context = call->context;
		record->address = object->address;
		record->size = object->size;
		record->device = object->device;
		record->memory = (uint32_t)object->memory;
		if (name)
			memcpy((char *)record + start, object->name, name);
		guest_append(&record->record, start + name + 1);
		free(record);
	} else {
		guest_give_up("no memory");
	}
	if (watches_uses)
		uses_object(id, object);
	leave();
	errno = saved;
	return id;
}

static void sink_released(const struct gpu_call *call, uint32_t object)
{
	int saved = errno;
	void *moved;

	if (!enter())
		return;
	if (watches_uses)
		uses_released(object);
	moved = guest_reserve(pending, pending_count, &pending_capacity, sizeof(*pending));
	if (moved) {
		pending = moved;
		pending[pending_count++] = (struct pending_free){call, object};
	} else {
		guest_give_up("no memory");
	}
	leave();
	errno = saved;
}

void guest_record(const struct gpu_call *call, const struct gpu_record *fact)
{
	static union {
		struct trace_fact fact;
		char bytes[sizeof(struct trace_fact) + 512];
	} small; /* the lock is held */
	size_t size = sizeof(struct trace_fact) + fact->size;
	struct trace_fact *record = size <= sizeof(small) ? &small.fact : malloc(size);

	if (!record) {
		guest_give_up("no memory");
		return;
	}
	*record = (struct trace_fact){
		.record = {.type = TRACE_FACT},
		.kind = fact->kind,
		.object = fact->object,
		.context = call ? call->context : 0,
		.size = (uint32_t)fact->size,
	};
	if (fact->size)
		memcpy(record->payload, fact->payload, fact->size);
	guest_append(&record->record, size);
	if (record != &small.fact)
		free(record);
}

static void sink_record(const struct gpu_call *call, const struct gpu_record *record)
{
	int saved = errno;

	if (!enter())
		return;
	if (record->size > GPU_RECORD_MAX)
		coverage_add(COVERAGE_RECORDS_TOO_LARGE, NULL, 1, record->size);
	else if (!call || call->start_ns) /* as sink_end() */
		guest_record(call, record);
	leave();
	errno = saved;
}

static void sink_returned(const struct gpu_call *call)
{
	int saved = errno;

	if (!enter())
		return;
	if (call->start_ns)
		uses_returned(call);
	leave();
	errno = saved;
}

static void sink_touched(uint64_t ns, uintptr_t instruction)
{
	int saved = errno;

	if (!enter())
		return;
	uses_touched(ns, instruction);
	leave();
	errno = saved;
}

static void sink_reached(enum gpu_reach how)
{
	int saved = errno;

	if (!enter())
		return;
	uses_reached(how);
	leave();
	errno = saved;
}

static void sink_coverage(uint32_t id, const char *detail, uint64_t count, uint64_t bytes)
{
	int saved = errno;

	if (!enter())
		return;
	coverage_add(id, detail, count, bytes);
	leave();
	errno = saved;
}

static void sink_failed(const char *name, uint32_t error)
{
	int saved = errno;
	uint32_t frame;

	if (failures_is_expected(name, error) || !enter())
		return;
	frame = paths_here(observed);
	if (frame != UINT32_MAX)
		failures_add(name, error, frame);
	leave();
	errno = saved;
}

static bool sink_wanted(const char *kernel, const struct gpu_node *node)
{
	int saved = errno;
	bool wanted;

	if (!enter())
		return false;
	wanted = choice_wanted(kernel, node, observed);
	leave();
	errno = saved;
	return wanted;
}

static struct gpu_sink sink = {
	.path = sink_path,
	.begin = sink_begin,
	.end = sink_end,
	.abandon = sink_abandon,
	.object = sink_object,
	.released = sink_released,
	.record = sink_record,
	.coverage = sink_coverage,
	.failed = sink_failed,
};

/* -- start and end ------------------------------------------------------------------------- */

/* All of a small file, or as much as fits; returns the size. */
static size_t read_file(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t used = 0;
	ssize_t got = 0;

	while (fd >= 0 && used < size && (got = read(fd, text + used, size - used)) > 0)
		used += (size_t)got;
	if (fd >= 0)
		close(fd);
	return used;
}

static size_t add_text(char *bytes, size_t used, const char *text)
{
	size_t size = strlen(text) + 1;

	memcpy(bytes + used, text, size);
	return used + size;
}

static int write_process(const struct gpu_provider *provider)
{
	enum { ARGUMENTS_MAX = 64 << 10 };
	const char *device = provider->device_name ? provider->device_name : "";
	const char *set = start_variable("VFLOW_PASS"), *passes = set ? set : "";
	size_t room = sizeof(struct trace_process) + strlen(provider->name) + strlen(device) +
		      PATH_MAX + 3 * ARGUMENTS_MAX + strlen(passes) + RANKS_SIZE + 8;
	struct trace_process *process = calloc(1, room);
	char *arguments = malloc(ARGUMENTS_MAX + 1), *bytes = (char *)process;
	char executable[PATH_MAX], ranks[RANKS_SIZE];
	size_t used = offsetof(struct trace_process, text), length;
	ssize_t link = readlink("/proc/self/exe", executable, sizeof(executable) - 1);
	int result = -1;

	if (process && arguments) {
		executable[link > 0 ? link : 0] = '\0';
		process->record.type = TRACE_PROCESS;
		process->process = (uint32_t)getpid();
		process->parent = (uint32_t)getppid();
		process->start_realtime_ns = now_ns(CLOCK_REALTIME);
		used = add_text(bytes, used, provider->name);
		used = add_text(bytes, used, device);
		used = add_text(bytes, used, executable);
		length = read_file("/proc/self/cmdline", arguments, ARGUMENTS_MAX);
		arguments[length] = '\0';
		for (size_t i = 0; i < length; i += strlen(arguments + i) + 1)
			used = add_text(bytes, used, arguments[i] ? arguments + i : "''");
		used = add_text(bytes, used, "");
		used = add_text(bytes, used, passes);
		ranks_read(ranks);
		used = add_text(bytes, used, ranks);
		result = guest_append(&process->record, used);
	} else {
		guest_give_up("no memory");
	}
	free(arguments);
	free(process);
	return result;
}

/* One trace per process image: a process that calls exec() keeps its id and writes another. */
static int open_trace(const char *folder)
{
	char path[PATH_MAX];
	struct error error = {"too many traces of one process id"};

	for (unsigned i = 0; i < 1000; i++) {
		int length =
			i ? snprintf(path, sizeof(path), "%s/%d-%u" TRACE_SUFFIX, folder, getpid(),
				     i)
			  : snprintf(path, sizeof(path), "%s/%d" TRACE_SUFFIX, folder, getpid());

		if (length >= (int)sizeof(path)) {
			error_set(&error, "VFLOW_TRACE_DIR is too long");
			break;
		}
		writer = trace_create(path, clock_ns(), &error);
		if (writer)
			return 0;
		if (errno != EEXIST)
			break;
	}
	guest_give_up(error.text);
	return -1;
}

/*
 * What is taken from the program (watch/watch.h) its child would never get back.  The lock is held
 * until the child is there, so that nothing is taken meanwhile.
 */
static bool lock_before_fork;

static void give_back(void)
{
	lock_before_fork = watches_uses && enter();
	if (lock_before_fork)
		uses_end(true);
}

static void go_on_in_parent(void)
{
	if (lock_before_fork)
		leave();
}

/* The child of fork() shares the mapping but not the device: its trace is another process's. */
static void forget_in_child(void)
{
	__atomic_store_n(&running, false, __ATOMIC_RELEASE);
}

/*
 * After the program's own destructors and exit handlers, which may still use the GPU.  A program
 * that calls exit() in a signal handler may hold the lock: then there is no end record.
 */
__attribute__((destructor)) static void finish(void)
{
	struct trace_end end = {.record = {.type = TRACE_END}};
	struct timespec soon;

	if (!__atomic_load_n(&running, __ATOMIC_ACQUIRE) || getpid() != owner)
		return;
	clock_gettime(CLOCK_REALTIME, &soon);
	soon.tv_sec++;
	if (pthread_mutex_timedlock(&lock, &soon) != 0)
		return;
	if (watches_uses)
		uses_end(false);
	failures_write();
	ranges_cover();
	nvtx_memory_cover();
	coverage_write();
	end.end_ns = clock_ns();
	if (__atomic_load_n(&running, __ATOMIC_ACQUIRE))
		guest_append(&end.record, sizeof(end));
	__atomic_store_n(&running, false, __ATOMIC_RELEASE);
	trace_close(writer);
	writer = NULL;
	leave();
}

__attribute__((visibility("default"))) int vflow_guest_start(const struct gpu_provider *provider)
{
	const char *folder = start_variable("VFLOW_TRACE_DIR"),
		   *digests = start_variable("VFLOW_DIGESTS");
	const char *limit = start_variable("VFLOW_MEMORY_LIMIT"),
		   *accesses = start_variable("VFLOW_ACCESS"),
		   *values = start_variable("VFLOW_VALUES"),
		   *blocks = start_variable("VFLOW_VALUE_BLOCKS");
	const struct gpu_options options = {.digests = !digests || strcmp(digests, "0") != 0,
					    .accesses = accesses && *accesses,
					    .value_blocks = !values || !*values ? 0
							    : blocks ? strtoull(blocks, NULL, 10)
								     : 1,
					    .memory_limit = limit ? strtoull(limit, NULL, 10) : 0};
	static bool started;
	struct error error;

	if (started || !folder || !*folder)
		return -1;
	started = true;
	running = true; /* so that giving up says why */
	owner = getpid();
	observed = provider;
	if (provider->version != GPU_PROVIDER_VERSION) {
		guest_give_up("the GPU provider is of another version of vflow");
		return -1;
	}
	if (provider->metrics > GPU_METRICS) {
		guest_give_up("the GPU provider has metrics that this vflow does not know");
		return -1;
	}
	if (pthread_atfork(give_back, go_on_in_parent, forget_in_child) != 0) {
		guest_give_up("no memory");
		return -1;
	}
	ranges_start();
	if (choice_start(&error) != 0) {
		guest_give_up(error.text);
		return -1;
	}
	if (open_trace(folder) != 0 || write_process(provider) != 0)
		return -1;
	if (!options.digests)
		coverage_add(COVERAGE_CONTENTS_NOT_COMPARED, NULL, 1, 0);
	if (choice_is_made())
		sink.wanted = sink_wanted;
	if (uses_start(provider)) {
		watches_uses = true;
		sink.returned = sink_returned;
		sink.touched = sink_touched;
		sink.reached = sink_reached;
	}
	if (provider->start(&sink, &options) != 0) {
		guest_give_up(provider->failure ? provider->failure
						: "the GPU provider did not start");
		return -1;
	}
	return 0;
}
