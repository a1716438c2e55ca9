/*
 * hostile_trace.c FILE: a trace as a hostile program could make it.  Kernel names hold quotes,
 * markup, an escape sequence and bytes that are not UTF-8; otherwise it is in order: object 1 is
 * allocated, set, and written by each kernel in turn.  Two threads take turns on one stream, and
 * their calls overlap.
 */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "collect/trace.h"

static const char *const kernels[] = {
	"quote\"name",
	"a<b>&amp;c",
	"esc\033[31mred",
	"bad\xff\xfeutf8",
	"back\\slash\\",
	"\\N\\G",
	"</svg><script>alert(1)</script>",
	"new\nline\ttab",
	"{x|y}",
	"right\xe2\x80\xaeleft",
};

#define KERNELS (sizeof(kernels) / sizeof(*kernels))
#define SIZE 4096

static struct trace_writer *writer;
static union {
	struct trace_record record;
	struct trace_process process;
	struct trace_context context;
	struct trace_object object;
	struct trace_event event;
	struct trace_end end;
	char bytes[512];
} buffer;

static void append(enum trace_type type, size_t size)
{
	buffer.record.type = type;
	trace_append(writer, &buffer.record, size);
	memset(&buffer, 0, sizeof(buffer));
}

static void context(uint32_t id, enum trace_kind kind, const char *name)
{
	buffer.context.id = id;
	buffer.context.kind = kind;
	strcpy(buffer.context.text, name);
	append(TRACE_CONTEXT, sizeof(buffer.context) + strlen(name) + 1);
}

/* One invocation; with a writer, it wrote the whole object. */
static void event(uint32_t context, uint64_t microseconds, const uint32_t *previous)
{
	static struct timespec start; /* after that of the trace */

	if (!start.tv_sec)
		clock_gettime(CLOCK_MONOTONIC, &start);
	buffer.event.context = context;
	buffer.event.thread = context % 2;
	buffer.event.start_ns =
		(uint64_t)start.tv_sec * 1000000000 + (uint64_t)start.tv_nsec + microseconds * 1000;
	buffer.event.end_ns = buffer.event.start_ns + 15000;
	buffer.event.row_count = previous != NULL;
	buffer.event.row_size = TRACE_ROW_SIZE(TRACE_METRICS);
	if (previous)
		buffer.event.rows[0] = (struct trace_row){.object = 1,
							  .writer = *previous,
							  .access = TRACE_WRITE,
							  .bytes = SIZE,
							  .redundant_bytes = SIZE / 2,
							  .redundant_value_bytes = SIZE / 2};
	append(TRACE_EVENT, sizeof(buffer.event) + (previous != NULL) * sizeof(struct trace_row));
}

int main(int argc, char **argv)
{
	static const char process[] = "emulated\0hostile <device>\0./a\"b<c\0./a\"b<c\0\033[0m\0";
	struct error error;

	if (argc != 2) {
		fputs("usage: hostile_trace FILE\n", stderr);
		return 2;
	}
	writer = trace_create(argv[1], 1, &error);
	if (!writer) {
		fprintf(stderr, "hostile_trace: %s\n", error.text);
		return 1;
	}
	buffer.process.process = 1;
	memcpy(buffer.process.text, process, sizeof(process));
	append(TRACE_PROCESS, sizeof(buffer.process) + sizeof(process));

	context(1, TRACE_ALLOC, "cudaMalloc");
	buffer.object.id = 1;
	buffer.object.context = 1;
	buffer.object.address = 0x1000;
	buffer.object.size = SIZE;
	buffer.object.memory = TRACE_MEMORY_DEVICE;
	append(TRACE_OBJECT, sizeof(buffer.object) + 1);
	event(1, 10, NULL);
	context(2, TRACE_SET, "cudaMemset");
	event(2, 20, &(uint32_t){1});
	for (uint32_t i = 0; i < KERNELS; i++) {
		context(3 + i, TRACE_KERNEL, kernels[i]);
		event(3 + i, 30 + 10 * i, &(uint32_t){2 + i});
	}
	buffer.end.end_ns = 100;
	append(TRACE_END, sizeof(buffer.end));
	trace_close(writer);
	return 0;
}
