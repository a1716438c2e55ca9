/*
 * tests/random/program FILE: does the operations of the lists in FILE, one list after the other.
 *
 * A line is one operation, and its first word the number of its slot: each slot calls CUDA from a
 * function of its own, each list from another one, so that the frames of a finding name both.
 * `tests/random/lists` makes the lists, and says what the lines mean.
 */
#include <pthread.h>
#include <stdint.h>
#include <string.h>

#include "tests/programs/launch.h"

KERNELS("tests/random/kernels.ptx")

enum {
	SLOTS = 64,
	LISTS = 16,
	WORDS = 12,
	OBJECTS = 8,  /* of the device */
	BUFFERS = 32, /* of the host */
	STREAMS = 4,  /* legacy default, blocking, non-blocking, blocking */
	EVENTS = 8,
	BYTES = 65536, /* of a buffer of the host */
};

enum skip { SKIP_NONE, SKIP_ALL, SKIP_FIRST, SKIP_LATER };

struct operation {
	int slot;
	enum skip skip;
	int waits; /* for its stream, instead */
	int times; /* that it was reached */
	char name[24];
	long word[WORDS];
};

struct list {
	int number; /* modulo LISTS: the function that does it */
	int count;
	struct operation operations[2 * SLOTS];
};

static char *objects[OBJECTS];
static unsigned char *buffers[BUFFERS];
static int is_pinned[BUFFERS];
static cudaStream_t streams[STREAMS];
static cudaEvent_t events[EVENTS];
static int iteration; /* of the innermost loop */
static int poisons;   /* new memory is not what it was before */

static const char *const kernel_names[] = {
	"fill",       "compute",     "in_place",   "accumulate",   "scatter",
	"store_some", "store_bytes", "copy_bytes", "store_column",
};

static void fail(const char *what, const char *word)
{
	fflush(stdout);
	fprintf(stderr, "program: %s: %s\n", what, word);
	exit(1);
}

/* -- operations on the host -- */

static void write_buffer(unsigned char *to, long bytes, unsigned seed)
{
	unsigned state = seed * 2654435761u + 1;

	for (long i = 0; i < bytes; i++) {
		state = state * 1664525u + 1013904223u;
		to[i] = (unsigned char)(state >> 24);
	}
}

static void print_buffer(const char *what, long number)
{
	uint64_t sum = UINT64_C(14695981039346656037);

	for (long i = 0; i < BYTES; i++)
		sum = (sum ^ buffers[number][i]) * UINT64_C(1099511628211);
	printf("%s %ld %016llx\n", what, number, (unsigned long long)sum);
}

static void make_buffer(long number, int pinned)
{
	if (pinned)
		CHECK(cudaMallocHost((void **)&buffers[number], BYTES));
	else
		buffers[number] = malloc(BYTES);
	is_pinned[number] = pinned;
	memset(buffers[number], 0, BYTES);
}

/* -- operations on the device -- */

static void launch(const char *name, char *to, const char *from, long value, long bytes,
		   cudaStream_t stream)
{
	unsigned *target = (unsigned *)to, number = (unsigned)value, count = (unsigned)bytes / 4;
	const unsigned *source = (const unsigned *)from;

	CHECK(cuLaunchKernel(kernel(name), (count + 255) / 256, 1, 1, 256, 1, 1, 0,
			     (CUstream)stream, (void *[]){&target, &source, &number, &count},
			     NULL));
}

/* w: TO OFFSET FROM OFFSET BYTES STREAM, where STREAM is -1 for calls that are not asynchronous */
static void copy(void *to, const void *from, long bytes, enum cudaMemcpyKind kind, long stream)
{
	if (stream < 0)
		CHECK(cudaMemcpy(to, from, (size_t)bytes, kind));
	else
		CHECK(cudaMemcpyAsync(to, from, (size_t)bytes, kind, streams[stream]));
}

/* w: TO OFFSET PITCH FROM OFFSET PITCH WIDTH HEIGHT STREAM */
static void copy_rows(void *to, const void *from, const long *w, enum cudaMemcpyKind kind)
{
	if (w[8] < 0)
		CHECK(cudaMemcpy2D(to, (size_t)w[2], from, (size_t)w[5], (size_t)w[6], (size_t)w[7],
				   kind));
	else
		CHECK(cudaMemcpy2DAsync(to, (size_t)w[2], from, (size_t)w[5], (size_t)w[6],
					(size_t)w[7], kind, streams[w[8]]));
}

/* w: OBJECT OFFSET BYTES WIDTH VALUE STREAM: cuMemsetD<8 * WIDTH> */
static void set(const long *w)
{
	char *to = objects[w[0]] + w[1];
	CUdeviceptr at = (CUdeviceptr)(uintptr_t)to;
	size_t count = (size_t)(w[2] / w[3]);

	if (w[3] == 1 && w[5] < 0)
		CHECK(cudaMemset(to, (int)w[4], count));
	else if (w[3] == 1)
		CHECK(cudaMemsetAsync(to, (int)w[4], count, streams[w[5]]));
	else if (w[3] == 2)
		CHECK(cuMemsetD16Async(at, (unsigned short)w[4], count,
				       (CUstream)streams[w[5] < 0 ? 0 : w[5]]));
	else
		CHECK(cuMemsetD32Async(at, (unsigned)w[4], count,
				       (CUstream)streams[w[5] < 0 ? 0 : w[5]]));
}

static void allocate(const long *w)
{
	CHECK(cudaMalloc((void **)&objects[w[0]], (size_t)w[1]));
	if (poisons) {
		CHECK(cudaMemset(objects[w[0]], 0xa5, (size_t)w[1]));
		CHECK(cudaDeviceSynchronize());
	}
}

static void do_operation(const struct operation *operation)
{
	const char *name = operation->name;
	const long *w = operation->word;

	if (!strcmp(name, "alloc"))
		allocate(w);
	else if (!strcmp(name, "free"))
		CHECK(cudaFree(objects[w[0]]));
	else if (!strcmp(name, "set"))
		set(w);
	else if (!strcmp(name, "upload"))
		copy(objects[w[0]] + w[1], buffers[w[2]] + w[3], w[4], cudaMemcpyHostToDevice,
		     w[5]);
	else if (!strcmp(name, "download"))
		copy(buffers[w[0]] + w[1], objects[w[2]] + w[3], w[4], cudaMemcpyDeviceToHost,
		     w[5]);
	else if (!strcmp(name, "copy"))
		copy(objects[w[0]] + w[1], objects[w[2]] + w[3], w[4], cudaMemcpyDeviceToDevice,
		     w[5]);
	else if (!strcmp(name, "upload2d"))
		copy_rows(objects[w[0]] + w[1], buffers[w[3]] + w[4], w, cudaMemcpyHostToDevice);
	else if (!strcmp(name, "download2d"))
		copy_rows(buffers[w[0]] + w[1], objects[w[3]] + w[4], w, cudaMemcpyDeviceToHost);
	else if (!strcmp(name, "kernel"))
		launch(kernel_names[w[0]], objects[w[1]] + w[2], objects[w[3]] + w[4], w[6], w[5],
		       streams[w[7]]);
	else if (!strcmp(name, "record"))
		CHECK(cudaEventRecord(events[w[0]], streams[w[1]]));
	else if (!strcmp(name, "streamwait"))
		CHECK(cudaStreamWaitEvent(streams[w[1]], events[w[0]], 0));
	else if (!strcmp(name, "eventsync"))
		CHECK(cudaEventSynchronize(events[w[0]]));
	else if (!strcmp(name, "streamsync"))
		CHECK(cudaStreamSynchronize(streams[w[0]]));
	else if (!strcmp(name, "devicesync"))
		CHECK(cudaDeviceSynchronize());
	else if (!strcmp(name, "hostwrite"))
		write_buffer(buffers[w[0]] + w[1], w[2], (unsigned)(w[3] + w[4] * iteration));
	else if (!strcmp(name, "read"))
		print_buffer("read", w[0]);
	else
		fail("no such operation", name);
}

/* -- call paths -- */

/* clang-format off */
#define OCTET(X, n) X(n##0) X(n##1) X(n##2) X(n##3) X(n##4) X(n##5) X(n##6) X(n##7)
#define SLOT(n) /* an octal number */ \
	static __attribute__((noinline)) void slot_##n(const struct operation *operation) \
	{ \
		do_operation(operation); \
	}
#define SLOT_ADDRESS(n) slot_##n,
OCTET(SLOT, 0) OCTET(SLOT, 1) OCTET(SLOT, 2) OCTET(SLOT, 3)
OCTET(SLOT, 4) OCTET(SLOT, 5) OCTET(SLOT, 6) OCTET(SLOT, 7)
static void (*const slots[SLOTS])(const struct operation *) = {
	OCTET(SLOT_ADDRESS, 0) OCTET(SLOT_ADDRESS, 1) OCTET(SLOT_ADDRESS, 2) OCTET(SLOT_ADDRESS, 3)
	OCTET(SLOT_ADDRESS, 4) OCTET(SLOT_ADDRESS, 5) OCTET(SLOT_ADDRESS, 6) OCTET(SLOT_ADDRESS, 7)
};
/* clang-format on */

static void run(struct list *list, int first, int end);

/* clang-format off */
#define LIST(n) \
	static __attribute__((noinline)) void list_##n(struct list *list, int first, int end) \
	{ \
		run(list, first, end); \
	}
#define LIST_ADDRESS(n) list_##n,
OCTET(LIST, 0) OCTET(LIST, 1)
static void (*const lists[LISTS])(struct list *, int, int) = {
	OCTET(LIST_ADDRESS, 0) OCTET(LIST_ADDRESS, 1)
};
/* clang-format on */

struct stretch {
	struct list *list;
	int first, end;
};

static void *do_stretch(void *argument)
{
	const struct stretch *stretch = argument;

	CHECK(cudaSetDevice(0)); /* launches by the driver's API need the context */
	lists[stretch->list->number % LISTS](stretch->list, stretch->first, stretch->end);
	return NULL;
}

static void run_in_thread(struct list *list, int first, int end)
{
	struct stretch stretch = {list, first, end};
	pthread_t thread;

	if (pthread_create(&thread, NULL, do_stretch, &stretch) || pthread_join(thread, NULL))
		fail("no thread", "");
}

static int is_left_out(struct operation *operation)
{
	int first = operation->times++ == 0;

	return operation->skip == SKIP_ALL || (operation->skip == SKIP_FIRST && first) ||
	       (operation->skip == SKIP_LATER && !first);
}

/* Copies that are not asynchronous are in the default stream. */
static void wait_instead(const struct operation *operation)
{
	const char *name = operation->name;
	const int index = !strcmp(name, "kernel") ? 7 : strstr(name, "2d") ? 8 : 5;
	const long stream = operation->word[index];

	CHECK(cudaStreamSynchronize(streams[stream < 0 ? 0 : stream]));
}

/* `thread COUNT` and `loop COUNT TIMES` are about the COUNT operations that follow. */
static void run(struct list *list, int first, int end)
{
	for (int i = first; i < end; i++) {
		struct operation *operation = &list->operations[i];
		const long *w = operation->word;

		if (!strcmp(operation->name, "thread")) {
			run_in_thread(list, i + 1, i + 1 + (int)w[0]);
			i += (int)w[0];
		} else if (!strcmp(operation->name, "loop")) {
			for (int n = 0; n < w[1]; n++) {
				iteration = n;
				run(list, i + 1, i + 1 + (int)w[0]);
			}
			iteration = 0;
			i += (int)w[0];
		} else if (!strcmp(operation->name, "buffer")) {
			make_buffer(w[0], (int)w[1]);
		} else if (!is_left_out(operation)) {
			slots[operation->slot](operation);
		} else if (operation->waits) {
			wait_instead(operation);
		}
	}
}

/* -- lists -- */

static void run_list(struct list *list)
{
	printf("list %d\n", list->number);
	streams[0] = NULL;
	CHECK(cudaStreamCreate(&streams[1]));
	CHECK(cudaStreamCreateWithFlags(&streams[2], cudaStreamNonBlocking));
	CHECK(cudaStreamCreate(&streams[3]));
	for (int e = 0; e < EVENTS; e++)
		CHECK(cudaEventCreateWithFlags(&events[e], cudaEventDisableTiming));
	lists[list->number % LISTS](list, 0, list->count);
	CHECK(cudaDeviceSynchronize());
	for (int e = 0; e < EVENTS; e++)
		CHECK(cudaEventDestroy(events[e]));
	for (int s = 1; s < STREAMS; s++)
		CHECK(cudaStreamDestroy(streams[s]));
	for (int b = 0; b < BUFFERS; b++) {
		if (buffers[b] && is_pinned[b])
			CHECK(cudaFreeHost(buffers[b]));
		else
			free(buffers[b]);
		buffers[b] = NULL;
	}
	memset(objects, 0, sizeof(objects));
}

/* SLOT SKIP NAME NUMBER... */
static void read_operation(struct list *list, char *line)
{
	static const char *const skips[] = {"-", "all", "first", "later"};
	struct operation *operation = &list->operations[list->count];
	char skip[16], *wait;
	int used = 0, n = 0;

	*operation = (struct operation){0};
	if (list->count == 2 * SLOTS ||
	    sscanf(line, "%d %15s %23s%n", &operation->slot, skip, operation->name, &used) != 3 ||
	    operation->slot < 0 || operation->slot >= SLOTS)
		fail("no operation", line);
	if ((wait = strchr(skip, '+'))) {
		*wait = 0;
		operation->waits = 1;
	}
	for (int s = 0; s < 4; s++)
		if (!strcmp(skip, skips[s]))
			operation->skip = (enum skip)s;
	for (char *at = line + used, *end; n < WORDS; at = end) {
		operation->word[n] = strtol(at, &end, 10);
		if (end == at)
			break;
		n++;
	}
	list->count++;
}

int main(int argc, char **argv)
{
	static struct list list;
	char line[256];
	FILE *in = argc == 2 ? fopen(argv[1], "r") : NULL;

	if (!in)
		fail("usage", "program FILE");
	poisons = getenv("POISON") != NULL;
	while (fgets(line, sizeof(line), in)) {
		if (!strcmp(line, "end\n"))
			run_list(&list);
		else if (sscanf(line, "list %d", &list.number) == 1)
			list.count = 0;
		else if (line[0] != '#')
			read_operation(&list, line);
	}
	fclose(in);
	return 0;
}
