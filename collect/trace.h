/*
 * collect/trace.h: the trace, what the guest writes inside a profiled process.
 *
 * One append-only file per process: a header, then records.  trace.md beside this file is the
 * description for people; numbers here are on disk and never change their meaning.  All integers
 * are little-endian, records are 8-byte aligned.  `size` and `check` of a record are stored last,
 * as one word, so a process that is killed leaves a file whose first zero word is its end.
 *
 * A leaf: includes nothing of vflow's but util/ and the lists of records and metrics.
 */
#ifndef VFLOW_COLLECT_TRACE_H
#define VFLOW_COLLECT_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gpu/records.h"
#include "util/error.h"

#define TRACE_MAGIC "VFLOWTRC" /* 8 bytes, no NUL */
#define TRACE_VERSION 1
#define TRACE_SUFFIX ".trace"

/* Feature bits a reader does not know make it refuse the file. */
#define TRACE_FEATURE_ROW_SIZE UINT64_C(1) /* events may have rows of other sizes than 32 bytes */
#define TRACE_FEATURE_NODES UINT64_C(2)    /* contexts may be of nodes of CUDA graphs */
#define TRACE_FEATURE_PYTHON UINT64_C(4)   /* frames may be of Python */
#define TRACE_FEATURE_PACKED UINT64_C(8)   /* rows of events may be packed */
#define TRACE_FEATURE_LANES UINT64_C(16)   /* check sums of records have four lanes */
#define TRACE_FEATURES_KNOWN                                                                       \
	(TRACE_FEATURE_ROW_SIZE | TRACE_FEATURE_NODES | TRACE_FEATURE_PYTHON |                     \
	 TRACE_FEATURE_PACKED | TRACE_FEATURE_LANES)

struct trace_header {
	char magic[8];
	uint32_t version;
	uint32_t header_size; /* first record starts here */
	uint64_t features;
	uint64_t start_ns; /* CLOCK_MONOTONIC; orders the processes of one run */
	uint32_t check;    /* trace_check_header() of the fields above */
	uint32_t zero;
};

enum trace_type {
	TRACE_PROCESS = 1,
	TRACE_MODULE = 2,
	TRACE_FRAME = 3,
	TRACE_CONTEXT = 4,
	TRACE_OBJECT = 5,
	TRACE_EVENT = 6,
	TRACE_FREE = 7,
	TRACE_CONTENT = 8,        /* not written any more: now a fact */
	TRACE_COVERAGE_TEXTS = 9, /* not written any more */
	TRACE_END = 10,
	TRACE_FACT = 11,
	TRACE_COVERAGE = 12,
	TRACE_FAILED_CALL = 13,
	TRACE_PYTHON = 14,
	TRACE_RANGE = 15,
	TRACE_THREAD_RANGE = 16,
};

struct trace_record {
	uint32_t size;  /* of the whole record, a multiple of 8 */
	uint32_t check; /* trace_check(): never 0 */
	uint16_t type;
	uint16_t flags; /* 0 */
	uint32_t zero;
};

/* Larger records are not written, and refused by the reader. */
#define TRACE_RECORD_MAX (UINT32_C(1) << 30)

/* `text`: NUL-terminated strings, one after the other, in the order named; padded with NULs. */

struct trace_process { /* first record of every file */
	struct trace_record record;
	uint32_t process, parent; /* ids of the operating system */
	uint64_t start_realtime_ns;
	/*
	 * provider, device name, executable, then the arguments ('' stands for an empty one), "",
	 * the passes of the run: trace_passes(); its rank: trace_rank()
	 */
	char text[];
};

#define TRACE_BUILD_ID_MAX 32

struct trace_module { /* a loaded ELF file */
	struct trace_record record;
	uint32_t id;            /* 1, 2, ... in order */
	uint32_t build_id_size; /* 0: none */
	uint8_t build_id[TRACE_BUILD_ID_MAX];
	char text[]; /* path */
};

enum trace_frame_kind {
	TRACE_FRAME_NATIVE = 1,
	/*
	 * A CUDA graph was launched by the frames outside of this one; those inside are of where a
	 * node of it was captured or added, from the outermost on.  No module, offset 0.
	 */
	TRACE_FRAME_REPLAY = 2,
	TRACE_FRAME_PYTHON = 3, /* no module; offset: id of a TRACE_PYTHON record */
};

struct trace_frame { /* a node of the tree of call paths */
	struct trace_record record;
	uint32_t id;     /* 1, 2, ... in order */
	uint32_t parent; /* the caller's node, < id; 0: outermost */
	uint32_t module;
	uint32_t kind;   /* enum trace_frame_kind */
	uint64_t offset; /* of the call: return address - 1 - load bias */
};

struct trace_python { /* a line that Python ran */
	struct trace_record record;
	uint32_t id;   /* 1, 2, ... in order */
	uint32_t line; /* 0: not known */
	char text[];   /* file, function with its class */
};

/* Numbers of enum gpu_api on disk. */
enum trace_kind {
	TRACE_ALLOC = 1,
	TRACE_RELEASE = 2,
	TRACE_COPY = 3,
	TRACE_SET = 4,
	TRACE_KERNEL = 5,
	TRACE_SYNC = 6,
};

struct trace_context { /* kind, name and call path of API invocations */
	struct trace_record record;
	uint32_t id;    /* 1, 2, ... in order */
	uint32_t frame; /* innermost frame, 0: no call path */
	uint32_t kind;  /* enum trace_kind */
	uint32_t
		ordinal; /* of a node of a CUDA graph, among equal ones; 0: the first, or no node */
	char text[];     /* name as the provider gave it: kernels mangled, any bytes but NUL */
};

enum trace_memory { /* numbers of enum gpu_memory on disk */
		    TRACE_MEMORY_DEVICE = 1,
		    TRACE_MEMORY_MANAGED = 2,
		    TRACE_MEMORY_MAPPED_HOST = 3,
		    TRACE_MEMORY_GLOBAL = 4,
		    TRACE_MEMORY_ARRAY = 5,
};

struct trace_object {
	struct trace_record record;
	uint32_t id;      /* 1, 2, ... in order */
	uint32_t context; /* the allocation: the object's site */
	uint64_t address, size;
	uint32_t device;
	uint32_t memory; /* enum trace_memory */
	char text[];     /* name of a global, else "" */
};

enum trace_access { /* numbers of enum gpu_access on disk */
		    TRACE_READ = 1,
		    TRACE_WRITE = 2,
		    TRACE_FROM_HOST = 3,
		    TRACE_TO_HOST = 4,
};

#define TRACE_WRITER_HOST 0u
#define TRACE_WRITER_UNKNOWN UINT32_MAX

struct trace_row { /* see struct gpu_row */
	uint32_t object;
	uint32_t writer; /* context id, TRACE_WRITER_HOST or TRACE_WRITER_UNKNOWN */
	uint32_t access; /* enum trace_access */
	/* Of a packed row, bit 1 << i: the i-th of the words from `bytes` on is there, the others
	 * are 0 and are not.  Else 0. */
	uint32_t present;
	uint64_t bytes;
#define ROW_METRIC(member, FLAG, access, aggregate) uint64_t member;
#include "gpu/rows.def"
};

#define TRACE_ROW_LEAST ((uint32_t)(offsetof(struct trace_row, bytes) + sizeof(uint64_t)))
#define TRACE_ROW_USUAL 32u                    /* what a row_size of 0 means */
#define TRACE_ROWS_PACKED UINT32_C(0x80000000) /* in row_size: the event's rows are packed */
/* For row_size: of events whose rows have the first so many metrics. */
#define TRACE_ROW_SIZE(metrics) (TRACE_ROW_LEAST + (uint32_t)sizeof(uint64_t) * (metrics))

enum trace_metric { /* in the order of a row */
#define ROW_METRIC(member, FLAG, access, aggregate) TRACE_METRIC_##FLAG,
#include "gpu/rows.def"
		    TRACE_METRICS
};

struct trace_event { /* one API invocation that succeeded */
	struct trace_record record;
	uint32_t context;
	uint32_t thread; /* 0, 1, ... in order of first CUDA call */
	uint32_t device, stream;
	uint64_t invocation;       /* index within the context in this process: 0, 1, ... */
	uint64_t start_ns, end_ns; /* CLOCK_MONOTONIC, host time of the call */
	uint32_t row_count;
	/* bytes of a row, before it was packed: a multiple of 8; 0: TRACE_ROW_USUAL */
	uint32_t row_size;
	struct trace_row rows[]; /* readers ask trace_row() */
};

struct trace_free { /* comes right after its event */
	struct trace_record record;
	uint32_t object;
	uint32_t context;
};

struct trace_content { /* what is now a fact, GPU_RECORD_CONTENT, of no call */
	struct trace_record record;
	uint32_t object;
	uint32_t zero; /* 1: every byte is initialised and zero */
	uint8_t digest[32];
};

struct trace_coverage { /* sums up to the time it is written; the last of equal texts counts */
	struct trace_record record;
	uint64_t count, bytes;
	/* name of a row of coverage.def, detail or ""; of TRACE_COVERAGE_TEXTS: words, sentence */
	char text[];
};

/* Sums up to the time it is written; the last of equal names, errors and frames counts. */
struct trace_failed_call {
	struct trace_record record;
	uint32_t frame; /* innermost, 0: no call path */
	uint32_t error; /* gpu/errors.def */
	uint64_t count;
	char text[]; /* function, without _v2; name of the error, what it says, "" if not known */
};

/* Of ranges, and bytes of a name with its NUL: there are no more. */
#define TRACE_RANGE_DEPTH 32
#define TRACE_RANGE_NAME 256

struct trace_range { /* an NVTX range: a node of the tree of them */
	struct trace_record record;
	uint32_t id;     /* 1, 2, ... in order */
	uint32_t parent; /* the range around it, < id; 0: none */
	char text[];     /* name, after that of its domain and ':' if it has one */
};

struct trace_thread_range { /* where the thread's next calls were made */
	struct trace_record record;
	uint32_t thread;
	uint32_t range; /* 0: none */
};

struct trace_end { /* the process ended in order */
	struct trace_record record;
	uint64_t end_ns;
};

struct trace_fact { /* see struct gpu_record; comes after its event and before the next */
	struct trace_record record;
	uint32_t kind;    /* enum gpu_record_kind */
	uint32_t object;  /* 0: of the event as a whole */
	uint32_t context; /* of its event; 0: of no call, found out after the last event */
	uint32_t size;    /* of the payload, at most GPU_RECORD_MAX */
	char payload[];
};

/*
 * Check sum of a record (its bytes after `check`, and `size`), in a trace with these features, and
 * of a header.  A change within one aligned 32-bit word always changes it.
 */
uint32_t trace_check(uint64_t features, const struct trace_record *record);
/* ... of TRACE_FEATURES_KNOWN; `body` starts with `type` */
uint32_t trace_check_body(uint32_t size, const void *body);
uint32_t trace_check_header(const struct trace_header *header);

/* -- rows: collect/trace_rows.c --------------------------------------------------------------- */

/*
 * Packs a row with the first so many metrics; `to` has room for a whole one.  Returns how many
 * bytes it takes, a multiple of 8.
 */
size_t trace_pack_row(void *to, const struct trace_row *row, uint32_t metrics);

/*
 * The next row of an event that trace_next() gave out, of its row_count.  *at: 0 before the first.
 * Returns which metrics it has, bit 1 << enum trace_metric; the others are 0 in *row.
 */
uint32_t trace_row(const struct trace_event *event, size_t *at, struct trace_row *row);

/* Whether the rows of an event are within it, packed or not: 0, or -1. */
int trace_rows_check(const struct trace_event *event, struct error *error);

/* -- writing: collect/trace_write.c.  Never ends the process, never raises SIGBUS or SIGXFSZ. -- */

struct trace_writer;

/*
 * Creates the file.  `path` must be absolute: the file is opened anew whenever it grows, so that
 * a program that closes all its descriptors or changes its folder does no harm.  NULL on failure,
 * with the reason in errno too (EEXIST: there is such a file already).  start_ns: now, on the clock
 * of the times of calls.
 */
struct trace_writer *trace_create(const char *path, uint64_t start_ns, struct error *error);

/*
 * Appends a record of `size` bytes, in the file padded with NULs to a multiple of 8.
 * `record->type` must be set; size and check are filled in.  Not thread-safe.  Returns 0, or -1
 * when the file cannot grow: the trace then ends with a TRACE_COVERAGE record that says so, and
 * every later call returns -1 and does nothing.
 */
int trace_append(struct trace_writer *writer, struct trace_record *record, size_t size);

/* Why trace_append() returned -1. */
const char *trace_writer_failure(const struct trace_writer *writer);

/* Cuts the file to its length and frees the writer. */
void trace_close(struct trace_writer *writer);

/* -- reading: collect/trace_read.c ------------------------------------------------------- */

struct trace_reader;

/* NULL on failure: no file, not a trace, or made by a newer vflow. */
struct trace_reader *trace_open(const char *path, struct error *error);
const struct trace_header *trace_reader_header(const struct trace_reader *reader);

/*
 * The next record.  1: *record is valid until the next call and its size, check sum, strings and
 * counts have been verified (ids have not); types this version does not know are passed over.
 * 0: end of the trace.  -1: damaged; the message names the offset and what was expected, and
 * everything before it was good.
 */
int trace_next(struct trace_reader *reader, const struct trace_record **record,
	       struct error *error);

/* The passes that the process was recorded for, "time,waits"; "": a trace that does not say. */
const char *trace_passes(const struct trace_process *process);
/* The variables of its rank, "RANK=1 LOCAL_RANK=1"; "": none are set, or the trace does not say. */
const char *trace_rank(const struct trace_process *process);

/* Of the next record. */
uint64_t trace_reader_offset(const struct trace_reader *reader);
void trace_reader_close(struct trace_reader *reader);

/* The n-th string of a record's text; NULL when there are fewer. */
const char *trace_text(const struct trace_record *record, const char *text, unsigned n);

#endif
